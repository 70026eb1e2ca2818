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

enum {
    LEAST_PART = 64, /* the smallest block has 1/64 of the lanes of a tile */
    AHEAD = 12       /* rows for which memory is prefetched */
};

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

/* Combines `width` lanes by halves (2.3) into the first one. */
static void combine_halves(const lanes *s, size_t width, char *rows) {
    for (size_t w = width / 2; w > 0; w /= 2) combine(s, rows, rows + w * s->columns * s->size, w * s->columns, rows);
}

/* ---------------------------------------------------------------------------------- state */

weft_status lanes_open(lanes *s, weft_error *error) {
    s->narrow = s->result == WEFT_F32 && s->op != WEFT_MEAN;
    s->size = s->narrow ? sizeof(float) : sizeof(double);
    s->width = WEFT_LANES(weft_dtype_size(s->dtype));
    s->tile = WEFT_TILE(weft_dtype_size(s->dtype));
    s->blocks.unit = s->width / LEAST_PART * s->columns * s->size;
    s->targets = s->m < SIZE_MAX / sizeof *s->targets ? calloc(s->m + 1, sizeof *s->targets) : NULL;
    RETURN_IF(!s->targets, WEFT_OUT_OF_MEMORY, "cannot allocate host memory for the sums of %zu targets", s->m);
    return WEFT_OK;
}

void lanes_close(lanes *s) {
    for (size_t k = 0; k < LANES_LEVELS; k++) free(s->waiting[k]);
    lane_blocks_close(&s->blocks);
    free(s->targets);
}

/* Gives a target that has no free lane a larger block. Returns false if there is no memory. */
static bool grow(lanes *s, lanes_target *t) {
    int kind = 0;
    for (size_t lanes = s->width / LEAST_PART; lanes <= t->n; lanes *= 4) kind++;
    char *const rows = lane_blocks_take(&s->blocks, kind);
    if (!rows) return false;
    if (t->rows) {
        memcpy(rows, t->rows, lane_blocks_bytes(&s->blocks, kind - 1));
        lane_blocks_return(&s->blocks, kind - 1, t->rows);
    }
    t->rows = rows;
    return true;
}

/* Returns true if all lanes of the target are in use and it has fewer than a tile has. The numbers of lanes of the
 * blocks are width / 64 times 1, 4 and 16. */
static bool is_full(const lanes *s, const lanes_target *t) {
    const size_t least = s->width / LEAST_PART;
    return t->n == 0 || t->n == least || t->n == 4 * least || t->n == 16 * least;
}

static char *node_of(const lanes *s, int k, size_t j) { return s->waiting[k] + j * s->columns * s->size; }

static bool open_level(lanes *s, int k) {
    size_t values, bytes;
    if (s->waiting[k]) return true;
    if (__builtin_mul_overflow(s->m, s->columns, &values) || __builtin_mul_overflow(values, s->size, &bytes))
        return false;
    s->waiting[k] = malloc(bytes);
    return s->waiting[k] != NULL;
}

/* Combines the complete tile of target j with the nodes before it that have no partner yet (2.4). Returns false if
 * there is no memory. */
static bool end_tile(lanes *s, size_t j) {
    const uint64_t before = s->targets[j].n / s->tile - 1;
    char *const value = s->targets[j].rows;
    int k = 0;
    combine_halves(s, s->width, value);
    for (; before >> k & 1; k++) combine(s, node_of(s, k, j), value, s->columns, value);
    if (!open_level(s, k)) return false;
    memcpy(node_of(s, k, j), value, s->columns * s->size);
    return true;
}

/* Adds a row to target j. Returns false if there is no memory. */
static bool add(lanes *s, size_t j, const char *row) {
    lanes_target *const t = &s->targets[j];
    const size_t at = (size_t)t->n & (s->tile - 1); /* both sizes are powers of two */
    if (is_full(s, t) && !grow(s, t)) return false;
    t->n++;
    add_row(s, t->rows + (at & (s->width - 1)) * s->columns * s->size, row, at < s->width);
    return at + 1 < s->tile || end_tile(s, j);
}

/* Prefetches the target of a row 2 * AHEAD rows before it is added, and the lane AHEAD rows before. */
static void prefetch(const lanes *s, weft_dtype index_dtype, size_t n, const void *index, size_t i) {
    if (i + 2 * AHEAD >= n) return;
    const uint64_t later = indices_at(index_dtype, index, i + 2 * AHEAD),
                   j = indices_at(index_dtype, index, i + AHEAD);
    if (later < s->m) __builtin_prefetch(&s->targets[later], 1);
    if (j >= s->m || !s->targets[j].rows) return;
    __builtin_prefetch(s->targets[j].rows + (s->targets[j].n & (s->width - 1)) * s->columns * s->size, 1);
}

weft_status lanes_add(lanes *s, weft_dtype index_dtype, size_t n, const void *index, const void *x,
                      weft_error *error) {
    const size_t bytes = s->columns * weft_dtype_size(s->dtype);
    for (size_t i = 0; i < n; i++) {
        const uint64_t j = indices_at(index_dtype, index, i);
        prefetch(s, index_dtype, n, index, i);
        RETURN_IF(j < s->m && !add(s, (size_t)j, (const char *)x + i * bytes), WEFT_OUT_OF_MEMORY,
                  "cannot allocate host memory for partial results of %zu targets and %zu columns", s->m, s->columns);
    }
    return WEFT_OK;
}

/* -------------------------------------------------------------------------------- results */

/* Reduces the lanes of an incomplete tile of `n` elements. Lanes that are not stored hold the identity, so only the
 * smallest power of two of lanes with all elements is combined. */
static void end_rest(const lanes *s, size_t n, char *rows) {
    size_t width = 1;
    while (width < n && width < s->width) width *= 2;
    if (n < width) fill(s, (width - n) * s->columns, rows + n * s->columns * s->size);
    combine_halves(s, width, rows);
}

/* Reduces target j, which has elements, to `columns` values. Returns their address. The nodes are combined from right
 * to left, so that a node without a partner moves up unchanged. */
static char *end_target(const lanes *s, size_t j) {
    const uint64_t tiles = s->targets[j].n / s->tile;
    const size_t rest = (size_t)(s->targets[j].n % s->tile);
    char *const value = s->targets[j].rows;
    bool there = rest > 0;
    if (there) end_rest(s, rest, value);
    for (int k = 0; k < LANES_LEVELS && tiles >> k; k++) {
        if (!(tiles >> k & 1)) continue;
        if (there)
            combine(s, node_of(s, k, j), value, s->columns, value);
        else
            memcpy(value, node_of(s, k, j), s->columns * s->size);
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
    char *const to = (char *)out + at * s->size;
    if (s->targets[j].n) {
        char *const value = end_target(s, j);
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
    for (size_t j = 0; j < s->m; j++) {
        const uint64_t n = s->targets[j].n;
        if (s->op == WEFT_MEAN)
            store_mean(s, n, n ? (const void *)end_target(s, j) : NULL, j * s->columns, out);
        else
            store_total(s, j, init, out);
    }
}
