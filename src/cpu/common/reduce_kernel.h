/* Reductions of ORDER.md 3 and 4: a kernel and its combiner, and what follows from the combined value. */
#ifndef WEFT_CPU_REDUCE_KERNEL_H
#define WEFT_CPU_REDUCE_KERNEL_H

#include "cpu/runtime/cpu.h"

typedef struct reduction {
    weft_op op;
    bool variance; /* else op */
    size_t ddof;
    weft_dtype dtype, result; /* dtype: f32 if f16 or bf16 elements are converted; result may then be their type */
    weft_dtype seen;          /* type of the elements that the kernel sees: u8 for the bitwise operators */
    kernel *run, *again;      /* again: kernel of a second pass, or NULL */
    combiner *combine;
} reduction;

/* Fill *r. It is no result, because GCC would copy that in vectors, which wait for the stores of its members. */
void cpu_reduction(const cpu_context *ctx, weft_op op, weft_dtype dtype, weft_dtype result, reduction *r);
void cpu_variance_reduction(const cpu_context *ctx, weft_dtype dtype, weft_dtype result, size_t ddof, reduction *r);
/* Sums of products. The caller sets y of the input of the kernel. */
void cpu_dot_reduction(const cpu_context *ctx, weft_dtype dtype, weft_dtype result, reduction *r);

/* Returns the input of a kernel for n elements at x. */
reduce_chunk reduction_chunk(const reduction *r, const void *x, size_t n, double parameter);

/* Returns the parameter of the first pass. */
double reduction_parameter(const reduction *r);

/* Returns true if a second pass is needed after a first one with the value v, and sets its parameter. */
bool reduction_repeats(const reduction *r, size_t n, const partial *v, double *parameter);

/* Returns the value of no elements, for operators that have one. */
partial reduction_of_nothing(const reduction *r);

/* Stores the result for n elements. v is the value of the last pass, and `parameter` its parameter. */
void reduction_store(const reduction *r, size_t n, double parameter, const partial *v, void *out);

/* Stores the result, or the state, of an exact call whose terms are in the states: one, or two for a variance. */
void cpu_exact_finish(const exact_call *call, int64_t (*states)[WEFT_EXACT_WORDS]);

#endif
