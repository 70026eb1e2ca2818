/* weft_generic.h: the functions of weft.h with type tags that are checked when a program is compiled.
 *
 * Include this header in place of weft.h, or after it. The functions become macros of the same names and arguments. A
 * call whose tag does not fit the element type of an array does not compile:
 *
 *     float x[4];
 *     weft_sort(ctx, WEFT_ASCENDING, WEFT_F64, 4, x, x);
 *     error: static assertion failed: "weft: the type tag differs from the element type of the array"
 *
 * Not checked: pointers to void and to other types than those of weft_dtype, tags that are not constants, and outputs
 * whose type depends on the operator (reductions, scans). Complex arrays may be arrays of float or double, or of
 * float _Complex or double _Complex. WEFT_DTYPE_OF(p) is the tag for a pointer or an array.
 *
 * Arguments are evaluated once. A compound literal with commas needs parentheses: ((double[]){1, 2}).
 * (weft_sort)(...) calls the function without a check. Needs C11 and GCC or Clang; otherwise, and in C++, which has
 * weft.hpp, this header is equivalent to weft.h. */
#ifndef WEFT_GENERIC_H
#define WEFT_GENERIC_H

#include "weft.h"

#if !defined(__cplusplus) && defined(__GNUC__)

/* Returns the tag for the element type of a pointer, or WEFT_DEFAULT for a type without a tag. */
#define WEFT_DTYPE_OF(p)                                                                                           \
    _Generic((p), WEFT_TAG_FOR(int8_t, WEFT_I8), WEFT_TAG_FOR(int16_t, WEFT_I16), WEFT_TAG_FOR(int32_t, WEFT_I32), \
             WEFT_TAG_FOR(int64_t, WEFT_I64), WEFT_TAG_FOR(uint8_t, WEFT_U8), WEFT_TAG_FOR(uint16_t, WEFT_U16),    \
             WEFT_TAG_FOR(uint32_t, WEFT_U32), WEFT_TAG_FOR(uint64_t, WEFT_U64), WEFT_TAG_FOR(float, WEFT_F32),    \
             WEFT_TAG_FOR(double, WEFT_F64), WEFT_TAG_FOR(float _Complex, WEFT_F32),                               \
             WEFT_TAG_FOR(double _Complex, WEFT_F64), default                                                      \
             : WEFT_DEFAULT)
#define WEFT_TAG_FOR(type, tag) type * : tag, const type * : tag

/* Is 1 if the tag fits the pointer, or if either is unknown when the program is compiled. Arrays of f16 and bf16 are
 * arrays of uint16_t. */
#define WEFT_TAG_FITS(tag, p)                                                                              \
    __builtin_choose_expr(__builtin_constant_p(tag),                                                       \
                          WEFT_DTYPE_OF(p) == WEFT_DEFAULT || WEFT_DTYPE_OF(p) == (tag) ||                 \
                              (WEFT_DTYPE_OF(p) == WEFT_U16 && ((tag) == WEFT_F16 || (tag) == WEFT_BF16)), \
                          1)
#define WEFT_CHECK_TAG(tag, p)                                                                                  \
    (void)sizeof(struct {                                                                                       \
        _Static_assert(WEFT_TAG_FITS(tag, p), "weft: the type tag differs from the element type of the array"); \
        char unused;                                                                                            \
    })

/* Returns the tag of the edges and bounds of a histogram. */
#define WEFT_EDGE_TAG(tag) ((tag) == WEFT_F16 || (tag) == WEFT_BF16 ? WEFT_F32 : (tag))

/* Return the tag after a check of 1, 2, 3 or 4 pointers. */
#define WEFT_TAG_1(tag, p) (WEFT_CHECK_TAG(tag, p), tag)
#define WEFT_TAG_2(tag, p, q) (WEFT_CHECK_TAG(tag, p), WEFT_TAG_1(tag, q))
#define WEFT_TAG_3(tag, p, q, r) (WEFT_CHECK_TAG(tag, p), WEFT_TAG_2(tag, q, r))
#define WEFT_TAG_4(tag, p, q, r, s) (WEFT_CHECK_TAG(tag, p), WEFT_TAG_3(tag, q, r, s))

#define weft_reduce(ctx, op, dtype, accumulate, n, x, out) \
    (weft_reduce)(ctx, op, WEFT_TAG_1(dtype, x), accumulate, n, x, out)
#define weft_reduce_lanes(ctx, op, dtype, accumulate, n, lanes, x, out) \
    (weft_reduce_lanes)(ctx, op, WEFT_TAG_1(dtype, x), accumulate, n, lanes, x, out)
#define weft_variance(ctx, dtype, accumulate, n, ddof, x, out) \
    (weft_variance)(ctx, WEFT_TAG_1(dtype, x), accumulate, n, ddof, x, out)
#define weft_dot(ctx, dtype, accumulate, n, x, y, out) \
    (weft_dot)(ctx, WEFT_TAG_2(dtype, x, y), accumulate, n, x, y, out)
#define weft_exact_add(ctx, op, dtype, n, x, state) (weft_exact_add)(ctx, op, WEFT_TAG_1(dtype, x), n, x, state)
#define weft_exact_add_dot(ctx, dtype, n, x, y, state) \
    (weft_exact_add_dot)(ctx, WEFT_TAG_2(dtype, x, y), n, x, y, state)
#define weft_exact_value(op, dtype, state, out) (weft_exact_value)(op, WEFT_TAG_1(dtype, out), state, out)
#define weft_scan(ctx, op, kind, dtype, accumulate, n, x, init, y) \
    (weft_scan)(ctx, op, kind, WEFT_TAG_1(dtype, x), accumulate, n, x, init, y)
#define weft_laplace(ctx, dtype, nx, ny, nz, sweeps, u, v, change) \
    (weft_laplace)(ctx, WEFT_TAG_2(dtype, u, v), nx, ny, nz, sweeps, u, v, change)
#define weft_laplace_solve(ctx, method, dtype, nx, ny, nz, omega, tolerance, sweeps, u, v, done, residual)       \
    (weft_laplace_solve)(ctx, method, WEFT_TAG_2(dtype, u, v), nx, ny, nz, omega, tolerance, sweeps, u, v, done, \
                         residual)
#define weft_fft(ctx, kind, dtype, batch, n, x, y) (weft_fft)(ctx, kind, WEFT_TAG_2(dtype, x, y), batch, n, x, y)
#define weft_convolve(ctx, mode, dtype, field, n, x, m, h, y) \
    (weft_convolve)(ctx, mode, WEFT_TAG_3(dtype, x, h, y), field, n, x, m, h, y)
#define weft_correlate(ctx, mode, dtype, field, n, x, m, h, y) \
    (weft_correlate)(ctx, mode, WEFT_TAG_3(dtype, x, h, y), field, n, x, m, h, y)
#define weft_select(ctx, dtype, n, x, flags, y, count) \
    (weft_select)(ctx, WEFT_TAG_2(dtype, x, y), n, x, flags, y, count)
#define weft_select_if(ctx, comparison, dtype, n, x, value, y, count) \
    (weft_select_if)(ctx, comparison, WEFT_TAG_3(dtype, x, value, y), n, x, value, y, count)
#define weft_select_indices_if(ctx, comparison, dtype, n, x, value, y, count) \
    (weft_select_indices_if)(ctx, comparison, WEFT_TAG_2(dtype, x, value), n, x, value, y, count)
#define weft_partition(ctx, dtype, n, x, flags, y, count) \
    (weft_partition)(ctx, WEFT_TAG_2(dtype, x, y), n, x, flags, y, count)
#define weft_partition_if(ctx, comparison, dtype, n, x, value, y, count) \
    (weft_partition_if)(ctx, comparison, WEFT_TAG_3(dtype, x, value, y), n, x, value, y, count)
#define weft_unique(ctx, dtype, n, x, y, count) (weft_unique)(ctx, WEFT_TAG_2(dtype, x, y), n, x, y, count)
#define weft_run_length(ctx, dtype, n, x, values, lengths, count) \
    (weft_run_length)(ctx, WEFT_TAG_2(dtype, x, values), n, x, values, lengths, count)
#define weft_segmented_reduce(ctx, op, dtype, accumulate, n, x, segments, offsets, out) \
    (weft_segmented_reduce)(ctx, op, WEFT_TAG_1(dtype, x), accumulate, n, x, segments, offsets, out)
#define weft_segmented_reduce_heads(ctx, op, dtype, accumulate, n, x, heads, out, count) \
    (weft_segmented_reduce_heads)(ctx, op, WEFT_TAG_1(dtype, x), accumulate, n, x, heads, out, count)
#define weft_segmented_scan(ctx, op, kind, dtype, accumulate, n, x, segments, offsets, y) \
    (weft_segmented_scan)(ctx, op, kind, WEFT_TAG_1(dtype, x), accumulate, n, x, segments, offsets, y)
#define weft_segmented_scan_heads(ctx, op, kind, dtype, accumulate, n, x, heads, y) \
    (weft_segmented_scan_heads)(ctx, op, kind, WEFT_TAG_1(dtype, x), accumulate, n, x, heads, y)
#define weft_reduce_by_key(ctx, op, key_dtype, dtype, accumulate, n, keys, x, unique_keys, out, count)           \
    (weft_reduce_by_key)(ctx, op, WEFT_TAG_2(key_dtype, keys, unique_keys), WEFT_TAG_1(dtype, x), accumulate, n, \
                         keys, x, unique_keys, out, count)
#define weft_scatter_reduce(ctx, op, range, dtype, accumulate, key_dtype, n, columns, m, x, keys, init, out)         \
    (weft_scatter_reduce)(ctx, op, range, WEFT_TAG_1(dtype, x), accumulate, WEFT_TAG_1(key_dtype, keys), n, columns, \
                          m, x, keys, init, out)
#define weft_gather(ctx, range, dtype, key_dtype, n, columns, m, x, keys, out) \
    (weft_gather)(ctx, range, WEFT_TAG_2(dtype, x, out), WEFT_TAG_1(key_dtype, keys), n, columns, m, x, keys, out)
#define weft_scatter(ctx, range, dtype, key_dtype, n, columns, m, x, keys, out) \
    (weft_scatter)(ctx, range, WEFT_TAG_2(dtype, x, out), WEFT_TAG_1(key_dtype, keys), n, columns, m, x, keys, out)
#define weft_recurrence(ctx, direction, dtype, rows, n, s, u, init, v) \
    (weft_recurrence)(ctx, direction, WEFT_TAG_4(dtype, s, u, init, v), rows, n, s, u, init, v)
#define weft_histogram(ctx, dtype, n, x, bins, edges, counts)                                                     \
    (weft_histogram)(ctx, (WEFT_CHECK_TAG(WEFT_EDGE_TAG(dtype), edges), WEFT_TAG_1(dtype, x)), n, x, bins, edges, \
                     counts)
#define weft_histogram_even(ctx, dtype, n, x, bins, lower, upper, counts)                                            \
    (weft_histogram_even)(ctx,                                                                                       \
                          (WEFT_CHECK_TAG(WEFT_EDGE_TAG(dtype), lower), WEFT_CHECK_TAG(WEFT_EDGE_TAG(dtype), upper), \
                           WEFT_TAG_1(dtype, x)),                                                                    \
                          n, x, bins, lower, upper, counts)
#define weft_top_k(ctx, extreme, dtype, n, x, k, values, indices) \
    (weft_top_k)(ctx, extreme, WEFT_TAG_2(dtype, x, values), n, x, k, values, indices)
#define weft_merge(ctx, dtype, na, a, nb, b, y) (weft_merge)(ctx, WEFT_TAG_3(dtype, a, b, y), na, a, nb, b, y)
#define weft_search_sorted(ctx, side, dtype, n, sorted, m, queries, positions) \
    (weft_search_sorted)(ctx, side, WEFT_TAG_2(dtype, sorted, queries), n, sorted, m, queries, positions)
#define weft_matmul(ctx, layout, transpose_a, transpose_b, dtype, accumulate, m, n, k, alpha, a, lda, b, ldb, beta, \
                    c, ldc)                                                                                         \
    (weft_matmul)(ctx, layout, transpose_a, transpose_b, WEFT_TAG_3(dtype, a, b, c), accumulate, m, n, k, alpha, a, \
                  lda, b, ldb, beta, c, ldc)
#define weft_matmul_batched(ctx, layout, transpose_a, transpose_b, dtype, accumulate, m, n, k, alpha, a, lda,     \
                            stride_a, b, ldb, stride_b, beta, c, ldc, stride_c, batch)                            \
    (weft_matmul_batched)(ctx, layout, transpose_a, transpose_b, WEFT_TAG_3(dtype, a, b, c), accumulate, m, n, k, \
                          alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, stride_c, batch)
#define weft_tridiag(ctx, boundary, dtype, systems, n, a, b, c, d, x, singular) \
    (weft_tridiag)(ctx, boundary, WEFT_TAG_1(dtype, x), systems, n, a, b, c, d, x, singular)
#define weft_tridiag_pivot(ctx, boundary, dtype, systems, n, a, b, c, d, x, singular) \
    (weft_tridiag_pivot)(ctx, boundary, WEFT_TAG_1(dtype, x), systems, n, a, b, c, d, x, singular)
#define weft_block_tridiag(ctx, boundary, dtype, block, systems, n, a, b, c, d, x, singular) \
    (weft_block_tridiag)(ctx, boundary, WEFT_TAG_1(dtype, x), block, systems, n, a, b, c, d, x, singular)
#define weft_pentadiag(ctx, boundary, dtype, systems, n, e, a, b, c, f, d, x, singular) \
    (weft_pentadiag)(ctx, boundary, WEFT_TAG_1(dtype, x), systems, n, e, a, b, c, f, d, x, singular)
#define weft_heat(ctx, method, dtype, dimensions, shape, batch, lambda, steps, u, v) \
    (weft_heat)(ctx, method, WEFT_TAG_2(dtype, u, v), dimensions, shape, batch, lambda, steps, u, v)
#define weft_sort(ctx, order, dtype, n, keys, sorted) \
    (weft_sort)(ctx, order, WEFT_TAG_2(dtype, keys, sorted), n, keys, sorted)
#define weft_sort_pairs(ctx, order, dtype, n, keys, value_bytes, values, sorted_keys, sorted_values)               \
    (weft_sort_pairs)(ctx, order, WEFT_TAG_2(dtype, keys, sorted_keys), n, keys, value_bytes, values, sorted_keys, \
                      sorted_values)
#define weft_sort_bits(ctx, order, dtype, first_bit, bits, n, keys, value_bytes, values, sorted_keys, sorted_values) \
    (weft_sort_bits)(ctx, order, WEFT_TAG_2(dtype, keys, sorted_keys), first_bit, bits, n, keys, value_bytes,        \
                     values, sorted_keys, sorted_values)
#define weft_argsort(ctx, order, dtype, index, n, keys, indices) \
    (weft_argsort)(ctx, order, WEFT_TAG_1(dtype, keys), WEFT_TAG_1(index, indices), n, keys, indices)
#define weft_random(ctx, distribution, dtype, seed, stream, first, n, a, b, out) \
    (weft_random)(ctx, distribution, WEFT_TAG_1(dtype, out), seed, stream, first, n, a, b, out)
#define weft_random_integers(ctx, dtype, seed, stream, first, n, lower, upper, out) \
    (weft_random_integers)(ctx, WEFT_TAG_3(dtype, lower, upper, out), seed, stream, first, n, lower, upper, out)
#define weft_sobol(ctx, scrambling, dtype, seed, stream, dimensions, first, n, out) \
    (weft_sobol)(ctx, scrambling, WEFT_TAG_1(dtype, out), seed, stream, dimensions, first, n, out)
#define weft_map(ctx, expr, dtype, n, bindings, count, out) \
    (weft_map)(ctx, expr, WEFT_TAG_1(dtype, out), n, bindings, count, out)
#define weft_view_of(dtype, dimensions, shape, data, view) \
    (weft_view_of)(WEFT_TAG_1(dtype, data), dimensions, shape, data, view)

#endif
#endif
