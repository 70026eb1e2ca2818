/* weft_dist_reduce, weft_dist_variance, weft_dist_dot. If the order of the elements is free, each rank reduces its
 * slice, and the ranks' values are then reduced. If the order is a tree, forest.c combines the subtrees of all
 * ranks. */
#include "arith/exact_variance.h"
#include "arith/finish.h"
#include "core/exact_ops.h"
#include "core/fpmode.h"
#include "core/parts.h"
#include "core/reals.h"
#include "core/types.h"
#include "dist/forest.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------ statistics */

static weft_status run_tree(weft_dist *d, tree_kind kind, weft_dtype dtype, const void *x, double parameter,
                            double *value) {
    root r;
    RETURN_IF_ERROR(forest_run(
        &(forest){.d = d, .kind = LEAF_TREE, .tree = kind, .parameter = parameter, .dtype = dtype, .x = x}, &r));
    *value = r.f64;
    return WEFT_OK;
}

/* Stores the mean, computed in the floating-point mode of ORDER.md 1.1. */
static void store_mean(weft_dtype result, double sum, uint64_t n, void *out) {
    const weft_fpmode mode = weft_fpmode_enter();
    store_real(result, weft_finish_mean(sum, n), out);
    weft_fpmode_leave(mode);
}

static void store_norm2(weft_dtype result, double squares, double scale, void *out) {
    const weft_fpmode mode = weft_fpmode_enter();
    store_real(result, weft_finish_norm2(sqrt(squares), scale), out);
    weft_fpmode_leave(mode);
}

/* Computes the 2-norm. Only for f64 can the squares overflow or underflow although the result is finite and not
 * 0. */
static weft_status run_norm2(weft_dist *d, weft_dtype dtype, weft_dtype result, const void *x, void *out) {
    double squares, scale = 1;
    RETURN_IF_ERROR(run_tree(d, TREE_DEVIATIONS, dtype, x, 0, &squares));
    if (dtype == WEFT_F64) scale = weft_norm2_scale(squares);
    if (scale != 1) RETURN_IF_ERROR(run_tree(d, TREE_RESCALED, dtype, x, squares, &squares));
    store_norm2(result, squares, scale, out);
    return WEFT_OK;
}

static weft_status run_statistic(weft_dist *d, weft_op op, weft_dtype dtype, weft_dtype result, const void *x,
                                 void *out) {
    double sum;
    if (op == WEFT_NORM2) return run_norm2(d, dtype, result, x, out);
    RETURN_IF_ERROR(run_tree(d, op == WEFT_MEAN ? TREE_SUM : TREE_MAGNITUDES, dtype, x, 0, &sum));
    store_mean(result, sum, op == WEFT_MEAN ? dist_total(d) : 1, out);
    return WEFT_OK;
}

/* Computes a sum, product or dot product of floats. Those of f16 and bf16 are f32 until the last step, or f64. */
static weft_status run_fold(forest f, weft_dtype result, void *out) {
    root value;
    f.narrow = f.dtype != WEFT_F64 && f.accumulate != WEFT_F64;
    if (type_is_half(result)) f.accumulate = WEFT_F32;
    RETURN_IF_ERROR(forest_run(&f, &value));
    store_real(result, f.narrow ? (double)value.f32 : value.f64, out);
    return WEFT_OK;
}

/* Computes the state of an exact sum of all ranks: adds their states word by word. */
static weft_status sum_exactly(weft_dist *d, exact_terms terms, weft_dtype dtype, size_t n, const void *x,
                               const void *y, int64_t *all) {
    int64_t own[WEFT_EXACT_WORDS] = {0};
    const weft_status status = n ? weft_part_exact(d->ctx, terms, dtype, n, x, y, own) : WEFT_OK;
    RETURN_IF_ERROR(dist_agree(d, dist_took(d, status)));
    return d->line.add(d, (const uint64_t *)own, (uint64_t *)all, WEFT_EXACT_WORDS, "adding exact sums");
}

static weft_status run_exact(weft_dist *d, exact_terms terms, exact_finish finish, weft_dtype dtype, size_t n,
                             const void *x, const void *y, void *out) {
    int64_t all[WEFT_EXACT_WORDS];
    RETURN_IF_ERROR(sum_exactly(d, terms, dtype, n, x, y, all));
    weft_exact_store(all, finish, dtype == WEFT_F32, out);
    return WEFT_OK;
}

static weft_status run_exact_variance(weft_dist *d, weft_dtype dtype, size_t n, size_t ddof, const void *x,
                                      void *out) {
    int64_t values[WEFT_EXACT_WORDS], squares[WEFT_EXACT_WORDS];
    RETURN_IF_ERROR(sum_exactly(d, EXACT_VALUES, dtype, n, x, NULL, values));
    RETURN_IF_ERROR(sum_exactly(d, EXACT_SQUARES, dtype, n, x, NULL, squares));
    weft_exact_store_variance(values, squares, ddof, dtype == WEFT_F32, out);
    return WEFT_OK;
}

/* ------------------------------------------------------------------------------ free order */

/* Value of a rank's slice; `there` is 0 if the slice is empty. */
typedef struct candidate {
    uint64_t value, index, there;
} candidate;

/* Returns the operator that combines the values of the ranks. */
static weft_op combining_op(weft_op op) {
    if (op == WEFT_COUNT_NONZERO) return WEFT_SUM;
    return op == WEFT_NORMINF ? WEFT_MAX : op;
}

static bool gives_index(weft_op op) { return op == WEFT_ARGMIN || op == WEFT_ARGMAX; }

static weft_status reduce_slice(weft_dist *d, weft_op op, weft_dtype dtype, weft_dtype accumulate, size_t n,
                                const void *x, candidate *c) {
    const size_t size = weft_dtype_size(dtype);
    *c = (candidate){0, 0, n > 0};
    if (n == 0) return WEFT_OK;
    if (!gives_index(op)) return dist_took(d, weft_reduce(d->ctx, op, dtype, accumulate, n, x, &c->value));
    RETURN_IF_ERROR(dist_took(d, weft_reduce(d->ctx, op, dtype, accumulate, n, x, &c->index)));
    RETURN_IF_ERROR(dist_copy(d, size, (const char *)x + c->index * size, &c->value));
    c->index += dist_first(d);
    return WEFT_OK;
}

/* Stores the candidates' values, of `type`, consecutively at `values`, and their indices at `indices`. Returns their
 * number. */
static size_t pack(const candidate *c, int ranks, weft_dtype type, void *values, uint64_t *indices) {
    const size_t size = weft_dtype_size(type);
    size_t count = 0;
    for (int r = 0; r < ranks; r++) {
        if (!c[r].there) continue;
        memcpy((char *)values + count * size, &c[r].value, size);
        indices[count++] = c[r].index;
    }
    return count;
}

/* Reduces an array whose order is free. d->roots contains the candidates, and their packed values and indices. */
static weft_status run_free(weft_dist *d, weft_op op, weft_dtype dtype, weft_dtype accumulate, weft_dtype result,
                            size_t n, const void *x, void *out) {
    candidate own;
    candidate *const all = (candidate *)d->roots;
    void *const values = d->roots + 3 * (size_t)d->size;
    uint64_t *const indices = d->roots + 4 * (size_t)d->size;
    RETURN_IF_ERROR(dist_agree(d, reduce_slice(d, op, dtype, accumulate, n, x, &own)));
    RETURN_IF_ERROR(dist_gather(d, &own, all, sizeof own, "gathering values"));
    const weft_dtype type = gives_index(op) ? dtype : result;
    const size_t count = pack(all, d->size, type, values, indices);
    uint64_t best = 0;
    const weft_status status =
        weft_reduce(d->host, combining_op(op), type, WEFT_DEFAULT, count, values, gives_index(op) ? &best : out);
    RETURN_IF_ERROR(dist_agree(d, dist_took_host(d, status)));
    if (gives_index(op)) *(uint64_t *)out = indices[best];
    return WEFT_OK;
}

/* ------------------------------------------------------------------------------- the calls */

static weft_status check_out(weft_dist *d, const void *out) {
    weft_error *error = &d->error;
    RETURN_IF(!out, WEFT_INVALID, "out is NULL");
    return WEFT_OK;
}

/* Reduces the array. If it has no elements, every rank returns the result of weft_reduce for 0 elements. */
static weft_status run_reduce(weft_dist *d, weft_op op, weft_dtype dtype, weft_dtype accumulate, size_t n,
                              const void *x, void *out) {
    weft_dtype result;
    const bool statistic = op == WEFT_MEAN || op == WEFT_NORM1 || op == WEFT_NORM2;
    const bool tree = type_is_real(dtype) && (op == WEFT_SUM || op == WEFT_PROD);
    if (dist_total(d) == 0) return dist_took_host(d, weft_reduce(d->host, op, dtype, accumulate, 0, NULL, out));
    RETURN_IF_ERROR(weft_reduce_result(op, dtype, accumulate, &result));
    if (accumulate == WEFT_EXACT_SUM)
        return run_exact(d, exact_terms_of(op), exact_finish_of(op), dtype, n, x, NULL, out);
    if (statistic) return run_statistic(d, op, dtype, result, x, out);
    if (!tree) return run_free(d, op, dtype, accumulate, result, n, x, out);
    return run_fold((forest){.d = d, .kind = LEAF_REDUCE, .op = op, .dtype = dtype, .accumulate = accumulate, .x = x},
                    result, out);
}

weft_status dist_reduce_agreed(weft_dist *d, weft_op op, weft_dtype dtype, weft_dtype accumulate, size_t n,
                               const void *x, void *out) {
    uint64_t value = 0;
    weft_dtype result;
    RETURN_IF_ERROR(run_reduce(d, op, dtype, accumulate, n, x, &value));
    RETURN_IF_ERROR(weft_reduce_result(op, dtype, accumulate, &result));
    memcpy(out, &value, weft_dtype_size(result));
    return WEFT_OK;
}

static weft_status check_reduce(weft_dist *d, weft_op op, weft_dtype dtype, weft_dtype accumulate, size_t n,
                                const void *x, const void *out) {
    weft_error *error = &d->error;
    weft_dtype result;
    const weft_status status = weft_reduce_result(op, dtype, accumulate, &result);
    RETURN_IF(status != WEFT_OK, status, "%s", weft_last_error(NULL));
    RETURN_IF_ERROR(dist_check_array(d, "x", x, n, weft_dtype_size(dtype)));
    return check_out(d, out);
}

weft_status weft_dist_reduce(weft_dist *d, weft_op op, weft_dtype dtype, weft_dtype accumulate, weft_slice slice,
                             const void *x, void *out) {
    if (!d) return WEFT_INVALID;
    const agreed list[] = {{"op", AS_OPERATOR, op}, {"dtype", AS_TYPE, dtype}, {"accumulate", AS_TYPE, accumulate}};
    RETURN_IF_ERROR(
        dist_begin(d, "reduce", list, 3, slice, check_reduce(d, op, dtype, accumulate, slice.count, x, out)));
    return dist_reduce_agreed(d, op, dtype, accumulate, slice.count, x, out);
}

static weft_status check_ddof(weft_dist *d, size_t ddof) {
    weft_error *error = &d->error;
    const uint64_t n = dist_total(d);
    RETURN_IF(ddof >= n, WEFT_EMPTY,
              "variance of %llu elements is undefined with ddof %zu: ddof must be less than the number of elements",
              (unsigned long long)n, ddof);
    return WEFT_OK;
}

static weft_status run_variance(weft_dist *d, weft_dtype dtype, weft_dtype result, size_t ddof, const void *x,
                                void *out) {
    const uint64_t n = dist_total(d);
    double sum, squares;
    RETURN_IF_ERROR(run_tree(d, TREE_SUM, dtype, x, 0, &sum));
    weft_fpmode mode = weft_fpmode_enter();
    const double mean = weft_finish_mean(sum, n);
    weft_fpmode_leave(mode);
    RETURN_IF_ERROR(run_tree(d, TREE_DEVIATIONS, dtype, x, mean, &squares));
    mode = weft_fpmode_enter();
    store_real(result, weft_finish_variance(squares, n, ddof), out);
    weft_fpmode_leave(mode);
    return WEFT_OK;
}

weft_status weft_dist_variance(weft_dist *d, weft_dtype dtype, weft_dtype accumulate, weft_slice slice, size_t ddof,
                               const void *x, void *out) {
    weft_dtype result;
    if (!d) return WEFT_INVALID;
    const agreed list[] = {{"dtype", AS_TYPE, dtype}, {"accumulate", AS_TYPE, accumulate}, {"ddof", AS_NUMBER, ddof}};
    const weft_status status = check_reduce(d, WEFT_MEAN, dtype, accumulate, slice.count, x, out);
    RETURN_IF_ERROR(dist_begin(d, "variance", list, 3, slice, status));
    RETURN_IF_ERROR(weft_reduce_result(WEFT_MEAN, dtype, accumulate, &result));
    RETURN_IF_ERROR(check_ddof(d, ddof));
    if (accumulate == WEFT_EXACT_SUM) return run_exact_variance(d, dtype, slice.count, ddof, x, out);
    return run_variance(d, dtype, result, ddof, x, out);
}

/* Computes the dot product of integers. The products of the slices are added as 64-bit integers for all types. */
static weft_status run_integer_dot(weft_dist *d, weft_dtype dtype, size_t n, const void *x, const void *y,
                                   void *out) {
    uint64_t own = 0, total = 0;
    RETURN_IF_ERROR(dist_agree(d, dist_took(d, weft_dot(d->ctx, dtype, WEFT_DEFAULT, n, x, y, &own))));
    RETURN_IF_ERROR(d->line.add(d, &own, &total, 1, "adding integers"));
    *(uint64_t *)out = total;
    return WEFT_OK;
}

weft_status weft_dist_dot(weft_dist *d, weft_dtype dtype, weft_dtype accumulate, weft_slice slice, const void *x,
                          const void *y, void *out) {
    weft_dtype result;
    if (!d) return WEFT_INVALID;
    const agreed list[] = {{"dtype", AS_TYPE, dtype}, {"accumulate", AS_TYPE, accumulate}};
    weft_status status = check_reduce(d, WEFT_SUM, dtype, accumulate, slice.count, x, out);
    if (status == WEFT_OK) status = dist_check_array(d, "y", y, slice.count, weft_dtype_size(dtype));
    RETURN_IF_ERROR(dist_begin(d, "dot", list, 2, slice, status));
    if (!type_is_real(dtype)) return run_integer_dot(d, dtype, slice.count, x, y, out);
    if (dist_total(d) == 0) return dist_took_host(d, weft_dot(d->host, dtype, accumulate, 0, NULL, NULL, out));
    if (accumulate == WEFT_EXACT_SUM) return run_exact(d, EXACT_PRODUCTS, EXACT_TOTAL, dtype, slice.count, x, y, out);
    RETURN_IF_ERROR(weft_reduce_result(WEFT_SUM, dtype, accumulate, &result));
    return run_fold((forest){.d = d, .kind = LEAF_DOT, .dtype = dtype, .accumulate = accumulate, .x = x, .y = y},
                    result, out);
}
