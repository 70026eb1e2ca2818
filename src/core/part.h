/* Calls on a part of an array that comes piece by piece (src/stream): what the public functions do not tell of it.
 * The caller has checked the arguments; a sentence about a failure is in the context. */
#ifndef WEFT_CORE_PART_H
#define WEFT_CORE_PART_H

#include "weft.h"

/* The part's sum (of mean and norm1) or sum of squares (norm2) in f64 as the tree leaves it; `part` as in
 * reduce_call.
 */
weft_status part_sum(weft_context *ctx, weft_op op, weft_dtype dtype, size_t n, const void *x, const double *part,
                     double *sum);
/* The sum of squared deviations from the mean of the whole. */
weft_status part_deviations(weft_context *ctx, weft_dtype dtype, size_t n, const void *x, double mean, double *sum);

/* weft_map and weft_map_reduce where element 0 of the part is element `first` of the whole. With `part` not NULL the
 * result is that of part_sum. */
weft_status part_map(weft_context *ctx, const weft_expr *expr, weft_dtype dtype, uint64_t first, size_t n,
                     const weft_binding *bindings, size_t count, void *out);
weft_status part_map_reduce(weft_context *ctx, weft_op op, const weft_expr *expr, weft_dtype dtype,
                            weft_dtype accumulate, uint64_t first, size_t n, const weft_binding *bindings,
                            size_t count, const double *part, void *out);
/* weft_map_scan of such a part. */
weft_status part_map_scan(weft_context *ctx, weft_op op, weft_scan_kind kind, const weft_expr *expr, weft_dtype dtype,
                          weft_dtype accumulate, uint64_t first, size_t n, const weft_binding *bindings, size_t count,
                          const void *init, void *y);

#endif
