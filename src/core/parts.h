/* What libweft_dist puts together: parts of operations whose whole is spread over ranks. Exported to it alone, with a
 * symbol version of its own (cmake/weft.map), so that only a library of the same release finds them. Arguments come
 * from libweft_dist, which has checked them. */
#ifndef WEFT_CORE_PARTS_H
#define WEFT_CORE_PARTS_H

#include "core/matmul_piece.h"
#include "core/tridiag_part.h"
#include "weft.h"

/* The sums that mean, norms and variance are made of: the tree of ORDER.md 2 in f64, with join a + b. */
typedef enum tree_kind {
    TREE_SUM,        /* lane + x */
    TREE_MAGNITUDES, /* lane + |x| */
    TREE_DEVIATIONS, /* fma(d, d, lane), d = x - parameter */
    TREE_RESCALED    /* fma(s, s, lane), s = x times what a sum of squares `parameter` asks for (3.3); f64 only */
} tree_kind;

/* That tree over x[0..n), n >= 1. */
WEFT_API weft_status weft_part_tree(weft_context *ctx, tree_kind kind, weft_dtype dtype, size_t n, const void *x,
                                    double parameter, double *value);

/* weft_map of elements first, first + 1, ... of longer arrays, of which n are at hand. */
WEFT_API weft_status weft_part_map(weft_context *ctx, const weft_expr *expr, weft_dtype dtype, uint64_t first,
                                   size_t n, const weft_binding *bindings, size_t count, void *out);

/* Whether p is memory that only a GPU can read. */
WEFT_API int weft_part_device_only(const weft_context *ctx, const void *p);

/* The totals that scans with sum and prod of floats are made of (ORDER.md 6.2): of the `blocks` aligned blocks
 * of 16^3 elements each at x, in the type `result`. */
WEFT_API weft_status weft_part_scan_totals(weft_context *ctx, weft_op op, weft_dtype dtype, weft_dtype result,
                                           size_t blocks, const void *x, void *totals);

/* weft_recurrence of one row. With `map` not NULL, as in recurrence_call, the part's too. */
WEFT_API weft_status weft_part_recurrence(weft_context *ctx, weft_dtype dtype, weft_direction direction, size_t n,
                                          const void *s, const void *u, const void *init, void *v, uint64_t *map);

/* A block of a product, or a piece of that, of row-major matrices: A is m x k with rows lda apart, B k x n and C m x
 * n without gaps. `part` is that of the whole product (weft_matmul_part), `accumulate` the chains' type; k = 0 where
 * the product has no term or alpha is 0. */
WEFT_API weft_status weft_part_matmul(weft_context *ctx, weft_dtype dtype, weft_dtype accumulate, size_t part,
                                      size_t m, size_t n, size_t k, double alpha, const void *a, size_t lda,
                                      const void *b, double beta, void *c, const matmul_piece *piece);

/* Values [first, first + count), count >= 1, of the full convolution of x[0..n) with h[0..m), or correlation. */
WEFT_API weft_status weft_part_convolve(weft_context *ctx, weft_dtype dtype, weft_field field, int correlate,
                                        size_t n, const void *x, size_t m, const void *h, size_t first, size_t count,
                                        void *y);

/* A stage of weft_tridiag on n rows of one system. x is not used when they are reduced. */
WEFT_API weft_status weft_part_tridiag(weft_context *ctx, weft_dtype dtype, weft_boundary boundary, size_t n,
                                       weft_lines a, weft_lines b, weft_lines c, weft_lines d, void *x,
                                       const tridiag_part *part);

/* weft_price, but that the sums over all `paths` of a call (ORDER.md 21.6) are found by `sum`, whose failures
 * are returned as they are. First all that weft_price refuses, alone. */
struct price_call;
typedef weft_status part_price_sum(void *self, const struct price_call *call, uint64_t paths, double *sums);
WEFT_API weft_status weft_part_price_check(weft_context *ctx, const weft_option *option,
                                           const weft_simulation *simulation, const weft_valuation *valuation);
WEFT_API weft_status weft_part_price(weft_context *ctx, const weft_option *option, const weft_simulation *simulation,
                                     part_price_sum *sum, void *self, weft_valuation *valuation);
/* The five sums over paths [first, first + n) of the call: whole tiles from a whole tile on, or up to the last path.
 */
WEFT_API weft_status weft_part_price_sums(weft_context *ctx, const struct price_call *call, uint64_t first,
                                          uint64_t n, double *sums);

#endif
