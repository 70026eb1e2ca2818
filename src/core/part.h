/* Operations on a part of an array that arrives chunk by chunk (src/stream), with results that the public functions
 * do not return. The caller has checked the arguments; the message of a failure is in the context. */
#ifndef WEFT_CORE_PART_H
#define WEFT_CORE_PART_H

#include "core/backend.h"

/* Computes the part's sum (mean), sum of magnitudes (norm1) or sum of squares (norm2) in f64, without the final
 * division or square root. `squares` is that of part_sum_call. */
weft_status part_sum(weft_context *ctx, weft_op op, weft_dtype dtype, size_t n, const void *x, double squares,
                     double *sum);
/* Computes the sum of squared deviations of the part from `mean`, the mean of the whole array. */
weft_status part_deviations(weft_context *ctx, weft_dtype dtype, size_t n, const void *x, double mean, double *sum);

/* Converts n elements between f32 and f16 or bf16, n >= 0; f32 is rounded once. */
weft_status part_convert(weft_context *ctx, size_t n, weft_dtype from, const void *x, weft_dtype to, void *y);

/* Computes the state of the exact sum of the part, n >= 1, in host memory (ORDER.md 30). */
weft_status part_exact(weft_context *ctx, exact_terms terms, weft_dtype dtype, size_t n, const void *x, const void *y,
                       int64_t *state);

/* Compute weft_map and weft_map_reduce for a part whose element 0 is element `first` of the whole array. If `squares`
 * is not NULL, part_map_reduce returns the result of part_sum. */
weft_status part_map(weft_context *ctx, const weft_expr *expr, weft_dtype dtype, uint64_t first, size_t n,
                     const weft_binding *bindings, size_t count, void *out);
weft_status part_map_reduce(weft_context *ctx, weft_op op, const weft_expr *expr, weft_dtype dtype,
                            weft_dtype accumulate, uint64_t first, size_t n, const weft_binding *bindings,
                            size_t count, const double *squares, void *out);
/* Computes the state of the exact sum of the values of a formula (part_exact), n >= 1. */
weft_status part_map_exact(weft_context *ctx, exact_terms terms, const weft_expr *expr, weft_dtype dtype,
                           uint64_t first, size_t n, const weft_binding *bindings, size_t count, int64_t *state);
/* Computes weft_map_scan for a part whose element 0 is element `first` of the whole array. */
weft_status part_map_scan(weft_context *ctx, weft_op op, weft_scan_kind kind, const weft_expr *expr, weft_dtype dtype,
                          weft_dtype accumulate, uint64_t first, size_t n, const weft_binding *bindings, size_t count,
                          const void *init, void *y);

#endif
