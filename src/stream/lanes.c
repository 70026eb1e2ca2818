/* The state of a target is enough to continue its tree with the next element: lane l of the current tile, and at most
 * one node of each size above the complete tiles. A lane before its first element is not stored, because identity + x
 * and identity * x are x. */
#include "stream/lanes.h"

#include "arith/finish.h"
#include "core/indices.h"
#include "core/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------ arithmetic */

/* Adds, or multiplies by, the elements of a row; `first` is true for the first row of a tile's lane. */
#define ADD(name, ctype, real)                                                                           \
    static void add_##name##_##real(real *lane, const ctype *x, size_t n, bool first, bool is_product) { \
        if (first)                                                                                       \
            for (size_t c = 0; c < n; c++) lane[c] = (real)x[c];                                         \
        else if (is_product)                                                                             \
            for (size_t c = 0; c < n; c++) lane[c] *= (real)x[c];                                        \
        else                                                                                             \
            for (size_t c = 0; c < n; c++) lane[c] += (real)x[c];                                        \
    }
#define TYPE(ID, name, ctype, kind, npy) ADD(name, ctype, double)
#include "core/types.def"
ADD(f32, float, float)

static void add_row(const lanes *s, void *lane, const char *x, bool first) {
    const bool is_product = s->op == WEFT_PROD;
    const void *const row = x;
    if (s->narrow) {
        add_f32_float(lane, row, s->columns, first, is_product);
        return;
    }
    switch (s->dtype) {
#define TYPE(ID, name, ctype, kind, npy)                               \
    case WEFT_##ID:                                                    \
        add_##name##_double(lane, row, s->columns, first, is_product); \
        return;
#include "core/types.def"
    default: return;
    }
}

/* to[i] = combine(a[i], b[i]). `to` may be a or b. */
#define COMBINE(real)                                                                               \
    static void combine_##real(const real *a, const real *b, size_t n, bool is_product, real *to) { \
        if (is_product)                                                                             \
            for (size_t i = 0; i < n; i++) to[i] = a[i] * b[i];                                     \
        else                                                                                        \
            for (size_t i = 0; i < n; i++) to[i] = a[i] + b[i];                                     \
    }
COMBINE(float)
COMBINE(double)

static void combine(const lanes *s, const void *a, const void *b, size_t n, void *to) {
    if (s->narrow)
        combine_float(a, b, n, s->op == WEFT_PROD, to);
    else
        combine_double(a, b, n, s->op == WEFT_PROD, to);
}

/* Sets n values to the identity (ORDER.md 3.1, 3.3). */
static void fill(const lanes *s, size_t n, char *p) {
    const double identity = s->op == WEFT_PROD ? 1.0 : -0.0;
    const float narrow = (float)identity;
    for (size_t i = 0; i < n; i++) memcpy(p + i * s->size, s->narrow ? (const void *)&narrow : &identity, s->size);
}

/* Combines the lanes by halves (2.3) into the first one. */
static void combine_halves(const lanes *s, char *rows) {
    for (size_t w = s->width / 2; w > 0; w /= 2)
        combine(s, rows, rows + w * s->columns * s->size, w * s->columns, rows);
}

/* ---------------------------------------------------------------------------------- state */

static weft_status allocate(const lanes *s, size_t values, char **p, weft_error *error) {
    size_t bytes;
    const bool fits = !__builtin_mul_overflow(values, s->columns * s->size, &bytes) &&
                      !__builtin_mul_overflow(bytes, s->m, &bytes) && bytes < SIZE_MAX;
    *p = fits ? malloc(bytes + 1) : NULL;
    RETURN_IF(!*p, WEFT_OUT_OF_MEMORY,
              "cannot allocate host memory for %zu partial results of each of %zu targets and %zu columns", values,
              s->m, s->columns);
    return WEFT_OK;
}

weft_status lanes_open(lanes *s, weft_error *error) {
    s->narrow = s->result == WEFT_F32 && s->op != WEFT_MEAN;
    s->size = s->narrow ? sizeof(float) : sizeof(double);
    s->width = WEFT_LANES(weft_dtype_size(s->dtype));
    s->tile = WEFT_TILE(weft_dtype_size(s->dtype));
    RETURN_IF_ERROR(allocate(s, s->width, &s->rows, error));
    s->counts = calloc(s->m + 1, sizeof *s->counts);
    RETURN_IF(!s->counts, WEFT_OUT_OF_MEMORY, "cannot allocate host memory for the counts of %zu targets", s->m);
    return WEFT_OK;
}

void lanes_close(lanes *s) {
    for (size_t k = 0; k < LANES_LEVELS; k++) free(s->waiting[k]);
    free(s->counts);
    free(s->rows);
}

static char *rows_of(const lanes *s, size_t j) { return s->rows + j * s->width * s->columns * s->size; }
static char *node_of(const lanes *s, int k, size_t j) { return s->waiting[k] + j * s->columns * s->size; }

/* Combines the complete tile of target j with the nodes before it that have no partner yet (2.4). */
static weft_status end_tile(lanes *s, size_t j, weft_error *error) {
    const uint64_t before = s->counts[j] / s->tile - 1;
    char *const value = rows_of(s, j);
    int k = 0;
    combine_halves(s, value);
    for (; before >> k & 1; k++) combine(s, node_of(s, k, j), value, s->columns, value);
    if (!s->waiting[k]) RETURN_IF_ERROR(allocate(s, 1, &s->waiting[k], error));
    memcpy(node_of(s, k, j), value, s->columns * s->size);
    return WEFT_OK;
}

weft_status lanes_add(lanes *s, weft_dtype index_dtype, size_t n, const void *index, const void *x,
                      weft_error *error) {
    const size_t bytes = s->columns * weft_dtype_size(s->dtype);
    const char *row = x;
    for (size_t i = 0; i < n; i++, row += bytes) {
        const uint64_t j = indices_at(index_dtype, index, i);
        if (j >= s->m) continue;
        const size_t at = (size_t)(s->counts[j]++ % s->tile);
        add_row(s, rows_of(s, j) + at % s->width * s->columns * s->size, row, at < s->width);
        if (at + 1 == s->tile) RETURN_IF_ERROR(end_tile(s, j, error));
    }
    return WEFT_OK;
}

/* -------------------------------------------------------------------------------- results */

/* Reduces target j, which has elements, to `columns` values. Returns their address. The nodes are combined from right
 * to left, so that a node without a partner moves up unchanged. */
static char *end_target(const lanes *s, size_t j) {
    const uint64_t tiles = s->counts[j] / s->tile;
    const size_t rest = (size_t)(s->counts[j] % s->tile), row = s->columns * s->size;
    char *const value = rows_of(s, j);
    bool there = rest > 0;
    if (rest > 0 && rest < s->width) fill(s, (s->width - rest) * s->columns, value + rest * row);
    if (rest > 0) combine_halves(s, value);
    for (int k = 0; k < LANES_LEVELS && tiles >> k; k++) {
        if (!(tiles >> k & 1)) continue;
        if (there)
            combine(s, node_of(s, k, j), value, s->columns, value);
        else
            memcpy(value, node_of(s, k, j), row);
        there = true;
    }
    return value;
}

/* Stores the mean of a target of n elements (25.3). */
static void store_mean(const lanes *s, uint64_t n, const double *sums, size_t at, void *out) {
    for (size_t c = 0; c < s->columns; c++) {
        const double mean = n ? weft_finish_mean(sums[c], n) : NAN;
        if (s->result == WEFT_F32)
            ((float *)out)[at + c] = weft_canonical_f32((float)mean);
        else
            ((double *)out)[at + c] = weft_canonical_f64(mean);
    }
}

static void store_canonical(const lanes *s, const void *value, size_t at, void *out) {
    for (size_t c = 0; c < s->columns; c++)
        if (s->narrow)
            ((float *)out)[at + c] = weft_canonical_f32(((const float *)value)[c]);
        else
            ((double *)out)[at + c] = weft_canonical_f64(((const double *)value)[c]);
}

/* Stores the sum or product of target j, combined with its initial value (25.2). */
static void store_total(const lanes *s, size_t j, const char *init, void *out) {
    const size_t at = j * s->columns, bytes = s->columns * s->size;
    char *const value = rows_of(s, j), *const to = (char *)out + at * s->size;
    if (s->counts[j]) {
        (void)end_target(s, j);
        if (init) combine(s, init + at * s->size, value, s->columns, value);
        store_canonical(s, value, at, out);
    } else if (init) {
        if (init != out) memcpy(to, init + at * s->size, bytes);
    } else {
        /* The sum of no elements is +0.0 (1.6). */
        fill(s, s->columns, to);
        if (s->op == WEFT_SUM) memset(to, 0, bytes);
    }
}

void lanes_results(lanes *s, const void *init, void *out) {
    for (size_t j = 0; j < s->m; j++)
        if (s->op == WEFT_MEAN)
            store_mean(s, s->counts[j], s->counts[j] ? (const void *)end_target(s, j) : NULL, j * s->columns, out);
        else
            store_total(s, j, init, out);
}
