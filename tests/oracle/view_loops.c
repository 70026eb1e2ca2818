/* Compares operations on views with loops over the indices that call the operation for arrays on each vector
 * (ORDER.md 32), and copies and elements taken and put by index with loops. The shapes contain axes of length 0 and
 * 1, the strides both signs, 0 and gaps. */
#include "tests/oracle/oracle.h"

#include <stdlib.h>
#include <string.h>

enum { RANK = 4, X = 6000, SPAN = 3 * X, VECTOR = X };
static weft_context *ctx;
static double x[SPAN], y[SPAN], expected[SPAN], vector[VECTOR], scanned[VECTOR];
static double factors[SPAN], factor_vector[VECTOR];
static double numbers[SPAN], expected_numbers[SPAN];
static uint64_t positions[VECTOR];

static uint64_t draw(uint64_t seed, uint64_t what) { return input_random(seed, what) >> 8; }

/* --------------------------------------------------------------------------- random views */

/* Sets the strides of a view in a random order of axes, and its address within `base`, which has SPAN elements of 8
 * bytes. */
static void lay_out(uint64_t seed, weft_view *v, void *base) {
    bool done[RANK] = {false};
    ptrdiff_t stride = (ptrdiff_t)weft_dtype_size(v->dtype), first = 0;
    for (size_t k = 0; k < v->dimensions; k++) {
        size_t axis = draw(seed, k) % v->dimensions;
        while (done[axis]) axis = (axis + 1) % v->dimensions;
        done[axis] = true;
        if (draw(seed, 10 + k) % 4 == 0) stride *= 2;
        v->stride[axis] = draw(seed, 20 + k) % 3 ? stride : -stride;
        if (v->shape[axis] == 0) continue;
        if (v->stride[axis] < 0) first += stride * ((ptrdiff_t)v->shape[axis] - 1);
        stride *= (ptrdiff_t)v->shape[axis];
    }
    v->data = (char *)base + first;
}

/* Returns a view of at most X elements, whose gaps at most double its span for one axis. */
static weft_view random_view(uint64_t seed, weft_dtype dtype, void *base) {
    static const size_t lengths[] = {1, 2, 3, 5, 8, 17, 40, 130, 600};
    weft_view v = {.size = sizeof v, .dtype = dtype, .dimensions = draw(seed, 30) % (RANK + 1)};
    size_t left = X / (1 << v.dimensions);
    for (size_t k = 0; k < v.dimensions; k++) {
        size_t n = lengths[draw(seed, 31 + k) % 9];
        if (n > left) n = left;
        if (draw(seed, 40 + k) % 40 == 0) n = 0;
        v.shape[k] = n;
        if (n) left /= n;
    }
    lay_out(seed + 1000, &v, base);
    return v;
}

static size_t count(const weft_view *v) {
    size_t n = 1;
    for (size_t k = 0; k < v->dimensions; k++) n *= v->shape[k];
    return n;
}

static char *at(const weft_view *v, const size_t *index) {
    char *p = v->data;
    for (size_t k = 0; k < v->dimensions; k++) p += (ptrdiff_t)index[k] * v->stride[k];
    return p;
}

/* Advances an index; the last axis varies fastest. Returns false after the last one. Axes that are `fixed` stay. */
static bool next(const weft_view *v, const bool *fixed, size_t *index) {
    for (size_t k = v->dimensions; k-- > 0;) {
        if (fixed[k]) continue;
        if (++index[k] < v->shape[k]) return true;
        index[k] = 0;
    }
    return false;
}

/* Advances the indices of the axes of a call; the last of them varies fastest. */
static bool next_of_vector(const weft_view *v, size_t axes, const size_t *axis, size_t *index) {
    while (axes-- > 0) {
        if (++index[axis[axes]] < v->shape[axis[axes]]) return true;
        index[axis[axes]] = 0;
    }
    return false;
}

/* Returns the same element of a view that is laid out in `to` as `v` is in `from`. */
static void *moved(const void *p, const void *from, void *to) {
    return (char *)to + ((const char *)p - (const char *)from);
}

static void fill(void) {
    for (size_t i = 0; i < SPAN; i++) y[i] = expected[i] = -(double)i;
}

/* ------------------------------------------------------------------------------ operations */

typedef struct axes_of_call {
    size_t count, number[RANK];
    int given[RANK];
    bool reduced[RANK];
} axes_of_call;

static axes_of_call random_axes(uint64_t seed, const weft_view *v) {
    axes_of_call a = {.count = 0};
    for (size_t k = 0; k < v->dimensions; k++) {
        const size_t axis = (k + draw(seed, 50)) % v->dimensions;
        if (draw(seed, 51 + k) % 2) continue;
        a.reduced[axis] = true;
        a.number[a.count] = axis;
        a.given[a.count++] = draw(seed, 60 + k) % 2 ? (int)axis : (int)axis - (int)v->dimensions;
    }
    return a;
}

/* Gathers the vector that contains `index`. Returns its length. */
static size_t gather(const weft_view *v, const axes_of_call *a, size_t *index) {
    const size_t size = weft_dtype_size(v->dtype);
    size_t n = 0;
    for (size_t k = 0; k < a->count; k++)
        if (v->shape[a->number[k]] == 0) return 0;
    do memcpy((char *)vector + n++ * size, at(v, index), size);
    while (next_of_vector(v, a->count, a->number, index));
    return n;
}

/* Reduces one vector, or computes its variance if op is not an operator. */
static weft_status reduce(int op, weft_dtype accumulate, weft_dtype dtype, size_t n, void *out) {
    return op > WEFT_NORMINF ? weft_variance(ctx, dtype, accumulate, n, 1, vector, out)
                             : weft_reduce(ctx, (weft_op)op, dtype, accumulate, n, vector, out);
}

/* Returns the view of the result, without elements written. */
static weft_view view_of_result(uint64_t seed, const weft_view *v, const axes_of_call *a, weft_dtype result) {
    const bool keeps = draw(seed, 70) % 2;
    weft_view out = {.size = sizeof out, .dtype = result};
    for (size_t k = 0; k < v->dimensions; k++)
        if (!a->reduced[k] || keeps) out.shape[out.dimensions++] = a->reduced[k] ? 1 : v->shape[k];
    lay_out(seed + 2000, &out, y);
    return out;
}

static void check_reduce(uint64_t seed, int op, weft_dtype accumulate, weft_dtype dtype) {
    const weft_view v = random_view(seed, dtype, x);
    const axes_of_call a = random_axes(seed, &v);
    weft_dtype result;
    size_t index[RANK] = {0};
    weft_status wanted = WEFT_OK;
    if (weft_reduce_result(op > WEFT_NORMINF ? WEFT_MEAN : (weft_op)op, dtype, accumulate, &result) != WEFT_OK)
        return;
    const weft_view out = view_of_result(seed, &v, &a, result);
    const bool keeps = out.dimensions == v.dimensions;
    fill();
    for (bool more = count(&out) > 0; more && wanted == WEFT_OK; more = next(&v, a.reduced, index)) {
        size_t of_out[RANK] = {0};
        for (size_t k = 0, o = 0; k < v.dimensions; k++)
            if (!a.reduced[k] || keeps) of_out[o++] = a.reduced[k] ? 0 : index[k];
        const size_t n = gather(&v, &a, index);
        wanted = reduce(op, accumulate, dtype, n, moved(at(&out, of_out), y, expected));
    }
    const weft_status found = op > WEFT_NORMINF
                                  ? weft_variance_axes(ctx, accumulate, 1, &v, a.count, a.given, &out)
                                  : weft_reduce_axes(ctx, (weft_op)op, accumulate, &v, a.count, a.given, &out);
    if (count(&out) == 0) return;
    EXPECT(found == wanted, "op %d, seed %llu: %s, not %s: %s", op, (unsigned long long)seed, weft_status_name(found),
           weft_status_name(wanted), weft_last_error(ctx));
    EXPECT(memcmp(y, expected, sizeof y) == 0, "op %d of %s, seed %llu: results differ", op, weft_dtype_name(dtype),
           (unsigned long long)seed);
}

/* Chooses a second operand: one axis in four repeats its elements, in y or in x, and leading ones may be absent. */
static weft_view random_factor(uint64_t seed, weft_view *v) {
    weft_view w = *v;
    lay_out(seed + 4000, &w, factors);
    for (size_t k = 0; k < v->dimensions; k++) {
        if (draw(seed, 90 + k) % 8 == 0) w.shape[k] = 1;
        if (draw(seed, 90 + k) % 8 == 1 && v->shape[k] > 0) v->shape[k] = 1;
    }
    while (w.dimensions > 0 && w.shape[0] == 1 && draw(seed, 89) % 2) {
        w.dimensions--;
        memmove(w.shape, w.shape + 1, w.dimensions * sizeof *w.shape);
        memmove(w.stride, w.stride + 1, w.dimensions * sizeof *w.stride);
    }
    return w;
}

/* Returns v with the shape to which v and w are broadcast. */
static weft_view broadcast(const weft_view *v, const weft_view *w, size_t dimensions) {
    weft_view b = *v;
    b.dimensions = dimensions;
    for (size_t k = 0; k < dimensions; k++) { /* from the last axis on */
        const size_t at = dimensions - 1 - k;
        const size_t of_v = k < v->dimensions ? v->shape[v->dimensions - 1 - k] : 1;
        const size_t of_w = k < w->dimensions ? w->shape[w->dimensions - 1 - k] : 1;
        b.shape[at] = of_v == 1 ? of_w : of_v;
        b.stride[at] = of_v == 1 ? 0 : v->stride[v->dimensions - 1 - k];
    }
    return b;
}

static void check_dot(uint64_t seed, weft_dtype accumulate, weft_dtype dtype) {
    weft_view v = random_view(seed, dtype, x);
    const weft_view w = random_factor(seed, &v);
    const size_t dimensions = v.dimensions;
    const weft_view left = broadcast(&v, &w, dimensions), right = broadcast(&w, &v, dimensions);
    const axes_of_call a = random_axes(seed, &left);
    weft_dtype result;
    size_t index[RANK] = {0};
    if (weft_reduce_result(WEFT_SUM, dtype, accumulate, &result) != WEFT_OK) return;
    const weft_view out = view_of_result(seed, &left, &a, result);
    const bool keeps = out.dimensions == dimensions;
    fill();
    for (bool more = count(&out) > 0; more; more = next(&left, a.reduced, index)) {
        size_t of_out[RANK] = {0};
        for (size_t k = 0, o = 0; k < dimensions; k++)
            if (!a.reduced[k] || keeps) of_out[o++] = a.reduced[k] ? 0 : index[k];
        const size_t n = gather(&left, &a, index);
        memcpy(factor_vector, vector, n * weft_dtype_size(dtype));
        (void)gather(&right, &a, index);
        EXPECT_STATUS(
            ctx, weft_dot(ctx, dtype, accumulate, n, factor_vector, vector, moved(at(&out, of_out), y, expected)),
            WEFT_OK);
    }
    EXPECT_STATUS(ctx, weft_dot_axes(ctx, accumulate, &v, &w, a.count, a.given, &out), WEFT_OK);
    EXPECT(memcmp(y, expected, sizeof y) == 0, "dot of %s, seed %llu: results differ", weft_dtype_name(dtype),
           (unsigned long long)seed);
}

static void check_scan(uint64_t seed, weft_dtype dtype) {
    const weft_view v = random_view(seed, dtype, x);
    const size_t size = weft_dtype_size(dtype);
    const weft_scan_kind kind = draw(seed, 80) % 2 ? WEFT_EXCLUSIVE : WEFT_INCLUSIVE;
    const void *const init = draw(seed, 81) % 2 ? x + 5 : NULL;
    const weft_op op = draw(seed, 82) % 2 ? WEFT_SUM : WEFT_MAX;
    size_t index[RANK] = {0};
    weft_view out = v;
    if (v.dimensions == 0) return;
    lay_out(seed + 3000, &out, y);
    axes_of_call a = {.count = 1, .number = {draw(seed, 83) % v.dimensions}};
    a.reduced[a.number[0]] = true;
    fill();
    for (bool more = count(&v) > 0; more; more = next(&v, a.reduced, index)) {
        const size_t n = gather(&v, &a, index);
        EXPECT_STATUS(ctx, weft_scan(ctx, op, kind, dtype, WEFT_DEFAULT, n, vector, init, scanned), WEFT_OK);
        for (size_t i = 0; i < n; i++, index[a.number[0]]++)
            memcpy(moved(at(&out, index), y, expected), (char *)scanned + i * size, size);
        index[a.number[0]] = 0;
    }
    EXPECT_STATUS(ctx, weft_scan_axis(ctx, op, kind, WEFT_DEFAULT, &v, (int)a.number[0], init, &out), WEFT_OK);
    EXPECT(memcmp(y, expected, sizeof y) == 0, "scan of %s, seed %llu: results differ", weft_dtype_name(dtype),
           (unsigned long long)seed);
}

static void check_sort(uint64_t seed, weft_dtype dtype, bool indices) {
    const weft_view v = random_view(seed, dtype, x);
    const weft_dtype result = !indices ? dtype : draw(seed, 84) % 2 ? WEFT_U32 : WEFT_U64;
    const size_t size = weft_dtype_size(result);
    const weft_order_of_sort order = draw(seed, 85) % 2 ? WEFT_DESCENDING : WEFT_ASCENDING;
    size_t index[RANK] = {0};
    weft_view out = v;
    if (v.dimensions == 0) return;
    out.dtype = result;
    lay_out(seed + 5000, &out, y);
    axes_of_call a = {.count = 1, .number = {draw(seed, 86) % v.dimensions}};
    a.reduced[a.number[0]] = true;
    fill();
    for (bool more = count(&v) > 0; more; more = next(&v, a.reduced, index)) {
        const size_t n = gather(&v, &a, index);
        EXPECT_STATUS(ctx,
                      indices ? weft_argsort(ctx, order, dtype, result, n, vector, scanned)
                              : weft_sort(ctx, order, dtype, n, vector, scanned),
                      WEFT_OK);
        for (size_t i = 0; i < n; i++, index[a.number[0]]++)
            memcpy(moved(at(&out, index), y, expected), (char *)scanned + i * size, size);
        index[a.number[0]] = 0;
    }
    EXPECT_STATUS(ctx,
                  indices ? weft_argsort_axis(ctx, order, &v, (int)a.number[0], &out)
                          : weft_sort_axis(ctx, order, &v, (int)a.number[0], &out),
                  WEFT_OK);
    EXPECT(memcmp(y, expected, sizeof y) == 0, "sort of %s, seed %llu, indices %d: results differ",
           weft_dtype_name(dtype), (unsigned long long)seed, indices);
}

static void check_top_k(uint64_t seed, weft_dtype dtype) {
    const weft_view v = random_view(seed, dtype, x);
    const weft_extreme extreme = draw(seed, 87) % 2 ? WEFT_SMALLEST : WEFT_LARGEST;
    const weft_dtype type = draw(seed, 88) % 2 ? WEFT_U32 : WEFT_U64;
    const size_t size = weft_dtype_size(dtype);
    size_t index[RANK] = {0};
    weft_view values = v, indices;
    if (v.dimensions == 0) return;
    axes_of_call a = {.count = 1, .number = {draw(seed, 89) % v.dimensions}};
    const size_t axis = a.number[0], k = v.shape[axis] ? draw(seed, 90) % (v.shape[axis] + 1) : 0;
    a.reduced[axis] = true;
    values.shape[axis] = k;
    indices = values;
    indices.dtype = type;
    lay_out(seed + 6000, &values, y);
    lay_out(seed + 7000, &indices, numbers);
    fill();
    memset(numbers, 0x5a, sizeof numbers);
    memset(expected_numbers, 0x5a, sizeof expected_numbers);
    for (bool more = count(&v) > 0; more; more = next(&v, a.reduced, index)) {
        const size_t n = gather(&v, &a, index);
        EXPECT_STATUS(ctx, weft_top_k(ctx, extreme, dtype, n, vector, k, scanned, positions), WEFT_OK);
        for (size_t i = 0; i < k; i++, index[axis]++) {
            const uint32_t narrow = (uint32_t)positions[i];
            memcpy(moved(at(&values, index), y, expected), (char *)scanned + i * size, size);
            memcpy(moved(at(&indices, index), numbers, expected_numbers),
                   type == WEFT_U32 ? (const void *)&narrow : &positions[i], weft_dtype_size(type));
        }
        index[axis] = 0;
    }
    EXPECT_STATUS(ctx, weft_top_k_axis(ctx, extreme, &v, (int)axis, k, &values, &indices), WEFT_OK);
    EXPECT(memcmp(y, expected, sizeof y) == 0 && memcmp(numbers, expected_numbers, sizeof numbers) == 0,
           "top_k of %s, seed %llu, k = %zu: results differ", weft_dtype_name(dtype), (unsigned long long)seed, k);
}

/* Compares with the quantiles of each vector as an array of one dimension, which tests/oracle/quantiles.c tests. */
static void check_quantiles(uint64_t seed, weft_dtype dtype) {
    static const double q[] = {0.5, 1, 0, 0.3, 0.999, 0.25, 0.75};
    const weft_view v = random_view(seed, dtype, x);
    const weft_quantile_method method = (weft_quantile_method)(draw(seed, 91) % (WEFT_MIDPOINT + 1));
    const bool is_mean = method == WEFT_LINEAR || method == WEFT_MIDPOINT;
    size_t index[RANK] = {0};
    weft_view values = v, one, result;
    if (v.dimensions == 0) return;
    axes_of_call a = {.count = 1, .number = {draw(seed, 92) % v.dimensions}};
    const size_t axis = a.number[0], results = v.shape[axis] ? draw(seed, 93) % 8 : 0;
    a.reduced[axis] = true;
    values.shape[axis] = results;
    if (is_mean && dtype != WEFT_F32 && dtype != WEFT_F64) values.dtype = WEFT_F64;
    const size_t bytes = weft_dtype_size(values.dtype);
    if (count(&values) > X) return;
    lay_out(seed + 8000, &values, y);
    fill();
    for (bool more = count(&v) > 0; more; more = next(&v, a.reduced, index)) {
        const size_t n = gather(&v, &a, index);
        EXPECT_STATUS(ctx, weft_view_of(dtype, 1, &n, vector, &one), WEFT_OK);
        EXPECT_STATUS(ctx, weft_view_of(values.dtype, 1, &results, scanned, &result), WEFT_OK);
        EXPECT_STATUS(ctx, weft_quantile_axis(ctx, method, &one, 0, results, q, &result), WEFT_OK);
        for (size_t i = 0; i < results; i++, index[axis]++)
            memcpy(moved(at(&values, index), y, expected), (char *)scanned + i * bytes, bytes);
        index[axis] = 0;
    }
    EXPECT_STATUS(ctx, weft_quantile_axis(ctx, method, &v, (int)axis, results, q, &values), WEFT_OK);
    EXPECT(memcmp(y, expected, sizeof y) == 0, "quantiles of %s, seed %llu: results differ", weft_dtype_name(dtype),
           (unsigned long long)seed);
}

static void check_copy(uint64_t seed, weft_dtype dtype) {
    static const bool none[RANK + 1] = {false};
    weft_view v = random_view(seed, dtype, x), out = v;
    size_t index[RANK + 1] = {0};
    if (v.dimensions > 0 && draw(seed, 90) % 2) v.stride[draw(seed, 91) % v.dimensions] = 0;
    lay_out(seed + 4000, &out, y);
    fill();
    for (bool more = count(&v) > 0; more; more = next(&v, none, index))
        memcpy(moved(at(&out, index), y, expected), at(&v, index), weft_dtype_size(dtype));
    EXPECT_STATUS(ctx, weft_copy_view(ctx, &v, &out), WEFT_OK);
    EXPECT(memcmp(y, expected, sizeof y) == 0, "copy of %s, seed %llu: results differ", weft_dtype_name(dtype),
           (unsigned long long)seed);
}

/* Indices of the shape of y, or of one vector. Some are out of range if they are skipped. */
static void check_take(uint64_t seed, weft_dtype dtype) {
    static const bool none[RANK + 1] = {false};
    const weft_view v = random_view(seed, dtype, x);
    if (v.dimensions == 0) return;
    const size_t axis = draw(seed, 92) % v.dimensions, n = v.shape[axis], size = weft_dtype_size(dtype);
    const bool skips = draw(seed, 93) % 2 || n == 0;
    weft_view out = v, by = v;
    size_t index[RANK + 1] = {0};
    out.shape[axis] = by.shape[axis] = draw(seed, 94) % (n + 1);
    for (size_t k = 0; k < v.dimensions && draw(seed, 95) % 2; k++)
        if (k != axis) by.shape[k] = 1;
    by.dtype = WEFT_I64;
    lay_out(seed + 5000, &out, y);
    lay_out(seed + 6000, &by, numbers);
    for (size_t i = 0; i < SPAN; i++) {
        const int64_t chosen = (int64_t)(draw(seed, 1000 + i) % (n + (skips ? 2 : 0))) - skips;
        memcpy(&numbers[i], &chosen, sizeof chosen);
    }
    fill();
    for (bool more = count(&out) > 0; more; more = next(&out, none, index)) {
        size_t source[RANK + 1];
        int64_t chosen;
        for (size_t k = 0; k < v.dimensions; k++) source[k] = by.shape[k] == 1 ? 0 : index[k];
        memcpy(&chosen, at(&by, source), sizeof chosen);
        memcpy(source, index, sizeof source);
        source[axis] = (size_t)chosen;
        if (source[axis] < n) memcpy(moved(at(&out, index), y, expected), at(&v, source), size);
    }
    EXPECT_STATUS(ctx, weft_take_axis(ctx, skips ? WEFT_RANGE_SKIP : WEFT_RANGE_ERROR, &v, (int)axis, &by, &out),
                  WEFT_OK);
    EXPECT(memcmp(y, expected, sizeof y) == 0, "take from %s, seed %llu: results differ", weft_dtype_name(dtype),
           (unsigned long long)seed);
}

/* Writes different indices from 0 to m - 1 for each vector of `by`. Some are out of range if they are skipped. */
static void set_different_indices(uint64_t seed, const weft_view *by, size_t axis, size_t m, bool skips) {
    static const bool none[RANK + 1] = {false};
    size_t index[RANK + 1] = {0}, i = 0;
    for (bool more = count(by) > 0; more; more = next(by, none, index)) {
        const uint64_t r = draw(seed, 1000 + i++);
        int64_t chosen = (int64_t)((index[axis] + draw(seed, 96)) % m);
        if (draw(seed, 97) % 2) chosen = (int64_t)m - 1 - chosen;
        if (skips && r % 5 == 0) chosen = r % 2 ? (int64_t)m : -1;
        memcpy(at(by, index), &chosen, sizeof chosen);
    }
}

/* Indices of the shape of the targets, or of one vector. x may have length 1 along other axes. */
static void check_put(uint64_t seed, weft_dtype dtype) {
    static const bool none[RANK + 1] = {false};
    const weft_view targets = random_view(seed, dtype, x);
    if (targets.dimensions == 0) return;
    const size_t axis = draw(seed, 92) % targets.dimensions, m = targets.shape[axis] + draw(seed, 94) % 3;
    const bool skips = draw(seed, 93) % 2 || m == 0;
    weft_view v = targets, out = targets, by = targets;
    size_t index[RANK + 1] = {0};
    out.shape[axis] = m;
    for (size_t k = 0; k < v.dimensions; k++) {
        if (k != axis && draw(seed, 95) % 2) by.shape[k] = 1;
        if (k != axis && v.shape[k] > 1 && draw(seed, 98 + k) % 4 == 0) v.shape[k] = 1;
    }
    by.dtype = WEFT_I64;
    lay_out(seed + 5000, &out, y);
    lay_out(seed + 6000, &by, numbers);
    set_different_indices(seed, &by, axis, m, skips);
    fill();
    for (bool more = count(&targets) > 0; more; more = next(&targets, none, index)) {
        size_t source[RANK + 1], named[RANK + 1], to[RANK + 1];
        int64_t chosen;
        for (size_t k = 0; k < v.dimensions; k++) {
            source[k] = v.shape[k] == 1 ? 0 : index[k];
            named[k] = by.shape[k] == 1 ? 0 : index[k];
        }
        memcpy(&chosen, at(&by, named), sizeof chosen);
        memcpy(to, index, sizeof to);
        to[axis] = (size_t)chosen;
        if (to[axis] < m) memcpy(moved(at(&out, to), y, expected), at(&v, source), weft_dtype_size(dtype));
    }
    EXPECT_STATUS(ctx, weft_put_axis(ctx, skips ? WEFT_RANGE_SKIP : WEFT_RANGE_ERROR, &v, (int)axis, &by, &out),
                  WEFT_OK);
    EXPECT(memcmp(y, expected, sizeof y) == 0, "put of %s, seed %llu: results differ", weft_dtype_name(dtype),
           (unsigned long long)seed);
}

/* ---------------------------------------------------------------------------- long vectors */

enum { LONG = 262145, ROWS = 10000, COLUMNS = 8, LONG_VECTORS = 4 };
static double many[LONG], reversed[LONG], sorted[LONG], selected[LONG];

static void check_sums(const char *name, size_t n, const weft_view *v, int axis) {
    const size_t vectors = v->dimensions > 1 ? COLUMNS : 1;
    double sums[COLUMNS], variances[COLUMNS], sum, variance;
    weft_view out = {.size = sizeof out, .dtype = WEFT_F64, .dimensions = v->dimensions - 1};
    if (out.dimensions > 0) out.shape[0] = vectors, out.stride[0] = sizeof *sums;
    out.data = sums;
    EXPECT_STATUS(ctx, weft_reduce_axes(ctx, WEFT_SUM, WEFT_DEFAULT, v, 1, &axis, &out), WEFT_OK);
    out.data = variances;
    EXPECT_STATUS(ctx, weft_variance_axes(ctx, WEFT_DEFAULT, 1, v, 1, &axis, &out), WEFT_OK);
    for (size_t k = 0; k < vectors; k++) {
        for (size_t i = 0; i < n; i++)
            reversed[i] = *(const double *)((char *)v->data + (ptrdiff_t)i * v->stride[0] + k * sizeof sum);
        EXPECT_STATUS(ctx, weft_reduce(ctx, WEFT_SUM, WEFT_F64, WEFT_DEFAULT, n, reversed, &sum), WEFT_OK);
        EXPECT_STATUS(ctx, weft_variance(ctx, WEFT_F64, WEFT_DEFAULT, n, 1, reversed, &variance), WEFT_OK);
        EXPECT(memcmp(&sums[k], &sum, sizeof sum) == 0, "%s: sum %zu is %.17g, not %.17g", name, k, sums[k], sum);
        EXPECT(memcmp(&variances[k], &variance, sizeof sum) == 0, "%s: variance %zu is %.17g, not %.17g", name, k,
               variances[k], variance);
    }
}

/* Sorts the vectors of a view to `sorted`, of the same shape and in C order. */
static void check_sorts(const char *name, const weft_view *v, int axis) {
    weft_view out = {.size = sizeof out};
    const size_t n = v->shape[axis], vectors = count(v) / n;
    EXPECT_STATUS(ctx, weft_view_of(WEFT_F64, v->dimensions, v->shape, sorted, &out), WEFT_OK);
    EXPECT_STATUS(ctx, weft_sort_axis(ctx, WEFT_ASCENDING, v, axis, &out), WEFT_OK);
    for (size_t k = 0; k < vectors; k++) {
        const ptrdiff_t across = v->dimensions > 1 ? v->stride[1 - axis] * (ptrdiff_t)k : 0;
        const ptrdiff_t to = v->dimensions > 1 ? out.stride[1 - axis] * (ptrdiff_t)k : 0;
        size_t different = 0;
        for (size_t i = 0; i < n; i++)
            reversed[i] = *(const double *)(const void *)((char *)v->data + across + (ptrdiff_t)i * v->stride[axis]);
        EXPECT_STATUS(ctx, weft_sort(ctx, WEFT_ASCENDING, WEFT_F64, n, reversed, reversed), WEFT_OK);
        for (size_t i = 0; i < n; i++)
            different +=
                memcmp((char *)sorted + to + (ptrdiff_t)i * out.stride[axis], &reversed[i], sizeof *reversed) != 0;
        EXPECT(different == 0, "%s: %zu elements of sorted vector %zu differ", name, different, k);
    }
}

/* Computes quartiles of the vectors of a view to `selected`. */
static void check_quartiles(const char *name, const weft_view *v, int axis) {
    static const double q[] = {0.25, 0.5, 0.75};
    enum { COUNT = sizeof q / sizeof *q };
    weft_view out, one, result;
    const size_t n = v->shape[axis], vectors = count(v) / n;
    size_t shape[] = {v->shape[0], v->dimensions > 1 ? v->shape[1] : 0}, results = COUNT;
    double found[COUNT];
    shape[axis] = COUNT;
    EXPECT_STATUS(ctx, weft_view_of(WEFT_F64, v->dimensions, shape, selected, &out), WEFT_OK);
    EXPECT_STATUS(ctx, weft_quantile_axis(ctx, WEFT_LINEAR, v, axis, COUNT, q, &out), WEFT_OK);
    for (size_t vector_number = 0; vector_number < vectors; vector_number++) {
        const ptrdiff_t number = (ptrdiff_t)vector_number;
        const ptrdiff_t across = v->dimensions > 1 ? v->stride[1 - axis] * number : 0;
        const ptrdiff_t to = v->dimensions > 1 ? out.stride[1 - axis] * number : 0;
        for (size_t i = 0; i < n; i++)
            reversed[i] = *(const double *)(const void *)((char *)v->data + across + (ptrdiff_t)i * v->stride[axis]);
        EXPECT_STATUS(ctx, weft_view_of(WEFT_F64, 1, &n, reversed, &one), WEFT_OK);
        EXPECT_STATUS(ctx, weft_view_of(WEFT_F64, 1, &results, found, &result), WEFT_OK);
        EXPECT_STATUS(ctx, weft_quantile_axis(ctx, WEFT_LINEAR, &one, 0, COUNT, q, &result), WEFT_OK);
        for (size_t k = 0; k < COUNT; k++)
            EXPECT(memcmp((char *)selected + to + (ptrdiff_t)k * out.stride[axis], &found[k], sizeof *found) == 0,
                   "%s: quantile %zu of vector %zu differs", name, k, vector_number);
    }
}

/* Selects the k largest of the vectors of a view to `sorted`, in C order. */
static void check_selections(const char *name, const weft_view *v, int axis, size_t k) {
    weft_view out = {.size = sizeof out};
    const size_t n = v->shape[axis], vectors = count(v) / n;
    size_t shape[] = {v->shape[0], v->dimensions > 1 ? v->shape[1] : 0};
    shape[axis] = k;
    EXPECT_STATUS(ctx, weft_view_of(WEFT_F64, v->dimensions, shape, sorted, &out), WEFT_OK);
    EXPECT_STATUS(ctx, weft_top_k_axis(ctx, WEFT_LARGEST, v, axis, k, &out, NULL), WEFT_OK);
    for (size_t vector_number = 0; vector_number < vectors; vector_number++) {
        const ptrdiff_t number = (ptrdiff_t)vector_number;
        const ptrdiff_t across = v->dimensions > 1 ? v->stride[1 - axis] * number : 0;
        const ptrdiff_t to = v->dimensions > 1 ? out.stride[1 - axis] * number : 0;
        size_t different = 0;
        for (size_t i = 0; i < n; i++)
            reversed[i] = *(const double *)(const void *)((char *)v->data + across + (ptrdiff_t)i * v->stride[axis]);
        EXPECT_STATUS(ctx, weft_top_k(ctx, WEFT_LARGEST, WEFT_F64, n, reversed, k, selected, NULL), WEFT_OK);
        for (size_t i = 0; i < k; i++)
            different +=
                memcmp((char *)sorted + to + (ptrdiff_t)i * out.stride[axis], &selected[i], sizeof *selected) != 0;
        EXPECT(different == 0, "%s, k = %zu: %zu elements of vector %zu differ", name, k, different, vector_number);
    }
}

static void check_orders(const char *name, const weft_view *v, int axis) {
    const size_t k[] = {1, 5, 32, 100, 2048, 3000};
    check_sorts(name, v, axis);
    check_quartiles(name, v, axis);
    for (size_t i = 0; i < sizeof k / sizeof *k; i++) check_selections(name, v, axis, k[i]);
}

/* Checks vectors of several tiles: columns, and an array from its end to its start. */
static void long_vectors(void) {
    weft_view v = {.size = sizeof v, .dtype = WEFT_F64, .dimensions = 2, .shape = {ROWS, COLUMNS}, .data = many};
    input_fill(INPUT_MIXED, WEFT_F64, 9, LONG, many);
    v.stride[0] = COLUMNS * sizeof *many;
    v.stride[1] = sizeof *many;
    check_sums("columns", ROWS, &v, 0);
    v = (weft_view){.size = sizeof v, .dtype = WEFT_F64, .dimensions = 1, .shape = {LONG}, .data = many + LONG - 1};
    v.stride[0] = -(ptrdiff_t)sizeof *many;
    check_sums("reversed array", LONG, &v, 0);
    check_orders("reversed array", &v, 0);
    v = (weft_view){
        .size = sizeof v, .dtype = WEFT_F64, .dimensions = 2, .shape = {LONG_VECTORS, LONG / LONG_VECTORS}};
    v.data = many;
    v.stride[0] = LONG / LONG_VECTORS * sizeof *many;
    v.stride[1] = sizeof *many;
    check_orders("long rows", &v, 1);
    v = (weft_view){
        .size = sizeof v, .dtype = WEFT_F64, .dimensions = 2, .shape = {LONG / LONG_VECTORS, LONG_VECTORS}};
    v.data = many;
    v.stride[0] = LONG_VECTORS * sizeof *many;
    v.stride[1] = sizeof *many;
    check_orders("long columns", &v, 0);
}

/* Checks the number of elements, of which all are one byte: an index of 32 bits would lose some. Not on "ref", which
 * takes minutes. */
static void check_repeated(void) {
    static const uint8_t one = 1;
    const size_t n = (UINT64_C(1) << 32) + 5;
    uint64_t found = 0;
    weft_view v = {.size = sizeof v, .dtype = WEFT_U8, .dimensions = 1, .shape = {n}, .data = (void *)&one};
    const weft_view out = {.size = sizeof out, .dtype = WEFT_U64, .data = &found};
    if (strcmp(weft_device(ctx), "ref") == 0) return;
    EXPECT_STATUS(ctx, weft_reduce_axes(ctx, WEFT_SUM, WEFT_DEFAULT, &v, 1, (int[]){0}, &out), WEFT_OK);
    EXPECT(found == n, "sum of %zu ones: %llu", n, (unsigned long long)found);
}

int main(int argc, char **argv) {
    ctx = oracle_open(argc, argv);
    for (int dtype = WEFT_I8; dtype <= WEFT_F64; dtype++) {
        input_fill(INPUT_PATTERNS, (weft_dtype)dtype, 3, SPAN, x);
        for (uint64_t seed = 0; seed < 200; seed++) {
            check_copy(seed, (weft_dtype)dtype);
            check_take(seed, (weft_dtype)dtype);
            check_put(seed, (weft_dtype)dtype);
            check_scan(seed, (weft_dtype)dtype);
            check_sort(seed, (weft_dtype)dtype, false);
            check_sort(seed, (weft_dtype)dtype, true);
            check_top_k(seed, (weft_dtype)dtype);
            check_quantiles(seed, (weft_dtype)dtype);
        }
        input_fill(INPUT_PATTERNS, (weft_dtype)dtype, 4, SPAN, factors);
        for (uint64_t seed = 0; seed < 200; seed++) {
            check_dot(seed, WEFT_DEFAULT, (weft_dtype)dtype);
            check_dot(seed, WEFT_F64, (weft_dtype)dtype);
            if (seed < 50) check_dot(seed, WEFT_EXACT_SUM, (weft_dtype)dtype);
        }
        for (int op = 0; op <= WEFT_NORMINF + 1; op++)
            for (uint64_t seed = 0; seed < 30; seed++) {
                check_reduce(seed, op, WEFT_DEFAULT, (weft_dtype)dtype);
                check_reduce(seed, op, WEFT_F64, (weft_dtype)dtype);
                check_reduce(seed, op, WEFT_EXACT_SUM, (weft_dtype)dtype);
            }
    }
    long_vectors();
    check_repeated();
    weft_close(ctx);
    return expect_end();
}
