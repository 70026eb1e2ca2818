/* The checks of arguments that operations share. Each leaves its sentence in `error`. */
#ifndef WEFT_CORE_CHECK_H
#define WEFT_CORE_CHECK_H

#include "core/context.h"

/* A range of memory named in a call. */
typedef struct range {
    const char *name;
    const void *p;
    size_t bytes;
} range;

/* n elements of `size` bytes at p: not NULL, aligned, not past the end of the address space, and
 * readable by this context. Nothing is asked of p when n is 0. Fills *r. */
weft_status check_array(const weft_context *ctx, const char *name, const void *p, size_t n, size_t size, range *r,
                        weft_error *error);
/* The two do not overlap. */
weft_status check_apart(const range *a, const range *b, weft_error *error);
/* A value that is read by the host. NULL is allowed. */
weft_status check_host_value(const char *name, const void *p, weft_error *error);

/* The words of core/ops.def. */
typedef enum result_rule { WIDE, SAME, INDEX, TRUTH, REAL } result_rule;
typedef enum domain_rule { ANY, INTEGER } domain_rule;
typedef enum empty_rule { DEFINED, FAILS } empty_rule;
typedef enum type_kind { SIGNED, UNSIGNED, FLOAT } type_kind;

/* What kind an element type is; refuses numbers that are none. */
weft_status check_kind(weft_dtype dtype, type_kind *kind, weft_error *error);
/* The type that sums of `dtype` have: 64-bit integers, f32, or f64. */
weft_dtype check_wide_type(weft_dtype dtype, type_kind kind, weft_dtype accumulate);
/* The result type under a rule, refusing accumulate types that the rule does not offer. */
weft_status check_result(const char *what, result_rule rule, weft_dtype dtype, weft_dtype accumulate,
                         weft_dtype *result, weft_error *error);

/* The result type of an operator of weft_reduce. */
weft_status check_reduce_type(weft_op op, weft_dtype dtype, weft_dtype accumulate, weft_dtype *result,
                              weft_error *error);
/* Whether the operator has no value for no elements; op is one. */
bool check_needs_elements(weft_op op);
/* Refuses what is no fold of elements: all but sum, prod, min, max, and, or, xor. */
weft_status check_folds(const char *what, weft_op op, weft_error *error);
/* A scan's values have the element's type, or a wider one of its kind (sum and prod only). */
weft_status check_scan_type(const char *what, weft_op op, weft_dtype dtype, weft_dtype accumulate, weft_dtype *result,
                            weft_error *error);

#endif
