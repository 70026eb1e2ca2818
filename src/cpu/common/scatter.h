/* Parts of weft_scatter_reduce (cpu/scatter_reduce.c): reduction of listed rows, and the last step of all results. */
#ifndef WEFT_CPU_SCATTER_H
#define WEFT_CPU_SCATTER_H

#include "core/types.h"
#include "cpu/runtime/parallel.h"

/* A reduction. The rows of target j are elements offsets[j] .. offsets[j + 1] - 1 of a list. */
typedef struct scatter {
    cpu_context *ctx;
    const scatter_reduce_call *c;
    int threads;
    weft_dtype type;         /* of `reduced`: f64 for a mean, else the result type */
    const uint64_t *offsets; /* m + 1 */
    void *reduced;           /* m * columns results before the last step; c->out if there is none */
} scatter;

/* Reduces the columns of the listed rows, if x has several, to s->reduced. `list` has numbers of `bytes` bytes; NULL:
 * the numbers from 0. `workspace` has scatter_rows_workspace bytes. */
size_t scatter_rows_workspace(const scatter *s);
void scatter_reduce_rows(const scatter *s, const void *list, size_t bytes, void *workspace);

/* Writes the results: combines s->reduced with the initial values, or converts means to f32. Does nothing if
 * s->reduced is c->out. */
void scatter_store(const scatter *s);

#endif
