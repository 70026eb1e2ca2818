/* Internal entry points for libweft_dist: partial operations on one rank's share of an array. They are exported
 * with a symbol version of their own (cmake/weft.map), so that only a libweft_dist of this release can link to
 * them. libweft_dist has checked the arguments. */
#ifndef WEFT_CORE_PARTS_H
#define WEFT_CORE_PARTS_H

#include "core/matmul_step.h"
#include "core/order.h"
#include "core/tridiag_part.h"
#include "weft.h"

/* Reductions that mean, norms and variance are computed from: the tree of ORDER.md 2 in f64, combined with a +
 * b. */
typedef enum tree_kind {
    TREE_SUM,        /* lane + x */
    TREE_MAGNITUDES, /* lane + |x| */
    TREE_DEVIATIONS, /* fma(d, d, lane), d = x - parameter */
    TREE_RESCALED /* fma(s, s, lane), s = x times the scale for a sum of squares `parameter` (ORDER.md 3.3); f64 only
                   */
} tree_kind;

/* Computes the tree reduction over x[0..n), n >= 1. */
WEFT_API weft_status weft_part_tree(weft_context *ctx, tree_kind kind, weft_dtype dtype, size_t n, const void *x,
                                    double parameter, double *value);

/* Computes the state of an exact sum over x[0..n) and, for products, y, in host memory (ORDER.md 30), n >= 1. */
WEFT_API weft_status weft_part_exact(weft_context *ctx, exact_terms terms, weft_dtype dtype, size_t n, const void *x,
                                     const void *y, int64_t *state);

/* Computes weft_map for n consecutive elements of longer arrays. The bound arrays start at element `first`. */
WEFT_API weft_status weft_part_map(weft_context *ctx, const weft_expr *expr, weft_dtype dtype, uint64_t first,
                                   size_t n, const weft_binding *bindings, size_t count, void *out);

/* Converts n elements between f32 and f16 or bf16, n >= 0; f32 is rounded once. */
WEFT_API weft_status weft_part_convert(weft_context *ctx, size_t n, weft_dtype from, const void *x, weft_dtype to,
                                       void *y);

/* Returns true if p is memory that only a GPU can access. */
WEFT_API int weft_part_device_only(const weft_context *ctx, const void *p);

/* Computes the totals that scans with sum and prod of floats are built from (ORDER.md 6.2): one value of type
 * `result` for each of the `blocks` aligned blocks of 16^3 elements at x. */
WEFT_API weft_status weft_part_scan_totals(weft_context *ctx, weft_op op, weft_dtype dtype, weft_dtype result,
                                           size_t blocks, const void *x, void *totals);

/* Computes weft_recurrence of one row. If `map` is not NULL, also returns the map of the row, as in
 * recurrence_call. */
WEFT_API weft_status weft_part_recurrence(weft_context *ctx, weft_direction direction, weft_dtype dtype, size_t n,
                                          const void *s, const void *u, const void *init, void *v, uint64_t *map);

/* Computes a block of a matrix product, or one stage of it if `step` is not NULL. Matrices are row-major: A is m x
 * k with leading dimension lda; B (k x n) and C (m x n) are contiguous. `part` is the part length of the whole
 * product (weft_matmul_part). `accumulate` is the type of the accumulation chains. k must be 0 if the product has
 * no terms or alpha is 0. */
WEFT_API weft_status weft_part_matmul(weft_context *ctx, weft_dtype dtype, weft_dtype accumulate, size_t part,
                                      size_t m, size_t n, size_t k, double alpha, const void *a, size_t lda,
                                      const void *b, double beta, void *c, const matmul_step *step);

/* Computes values [first, first + count), count >= 1, of the full convolution or correlation of x[0..n) with
 * h[0..m). */
WEFT_API weft_status weft_part_convolve(weft_context *ctx, weft_dtype dtype, weft_field field, int correlate,
                                        size_t n, const void *x, size_t m, const void *h, size_t first, size_t count,
                                        void *y);

/* Computes the last stages of a complex transform for some of its blocks: see fft_blocks_call. */
WEFT_API weft_status weft_part_fft_blocks(weft_context *ctx, weft_dtype dtype, int inverse, size_t blocks, size_t n,
                                          size_t first, size_t count, void *x, void *y);

/* Computes one stage of weft_tridiag on n rows of one system. The stage TRIDIAG_REDUCE does not use x. */
WEFT_API weft_status weft_part_tridiag(weft_context *ctx, weft_boundary boundary, weft_dtype dtype, size_t n,
                                       weft_lines a, weft_lines b, weft_lines c, weft_lines d, void *x,
                                       const tridiag_part *part);

/* Computes weft_price, with the sums over all `paths` of a call (ORDER.md 21.6) computed by `sum`. Failures of
 * `sum` are returned unchanged. weft_part_price_check only checks the arguments, as weft_price does. */
struct price_call;
typedef weft_status part_price_sum(void *self, const struct price_call *call, uint64_t paths, double *sums);
WEFT_API weft_status weft_part_price_check(weft_context *ctx, const weft_option *option,
                                           const weft_simulation *simulation, const weft_valuation *valuation);
WEFT_API weft_status weft_part_price(weft_context *ctx, const weft_option *option, const weft_simulation *simulation,
                                     part_price_sum *sum, void *self, weft_valuation *valuation);
/* Computes the five sums over paths [first, first + n) of the call. `first` must be a multiple of a tile; n must be
 * a multiple of a tile unless the range ends at the last path. */
WEFT_API weft_status weft_part_price_sums(weft_context *ctx, const struct price_call *call, uint64_t first,
                                          uint64_t n, double *sums);

#endif
