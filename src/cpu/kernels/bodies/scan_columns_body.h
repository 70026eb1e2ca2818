/* Body of cpu/kernels/scan_columns.c for one type (cpu/kernels/bodies/each_accumulator.h). */
#include "cpu/kernels/bodies/scan_values_body.h"

enum { OF(columns_width) = WIDTH, OF(columns_bytes) = BYTES };

/* A level of the state of a vector of columns. A value of the current group of the level is in stage s if it is one
 * of the last 2^s values: the scan of the group so far with the distances below 2^s. Stage s begins at ring[2^s - 1];
 * value j is its value j modulo 2^s. */
typedef struct OF(column_level) {
    VECTOR ring[SCAN_RING], prefix;
} OF(column_level);

INLINE OF(column_level) * OF(column_levels)(scan_columns_state *state, size_t vector) {
    char *const first = (char *)state + (sizeof *state + 63) / 64 * 64;
    return (OF(column_level) *)(void *)first + vector * (state->levels + 1);
}

INLINE void OF(begin_columns)(combine how, weft_dtype dtype, weft_dtype result, const scan_params *params, size_t n,
                              size_t columns, void *memory) {
    scan_columns_state *const state = memory;
    const A init = OF(initial)(how, dtype, result, params);
    *state = (scan_columns_state){.levels = scan_columns_levels(n)};
    for (size_t v = 0; v < (columns + WIDTH - 1) / WIDTH; v++)
        for (size_t k = 0; k <= state->levels; k++) OF(column_levels)(state, v)[k].prefix = OF(splat)(init);
}

/* Appends the total of a group, a value of level 1, to the state. Does not change the digits. Returns the prefix of
 * the next group. */
INLINE VECTOR OF(append_to_columns)(combine how, const scan_columns_state *state, OF(column_level) * levels,
                                    VECTOR total) {
    size_t k = 1;
    for (;; k++) {
        const size_t j = state->digit[k];
#pragma GCC unroll 4
        for (size_t s = 0; s < 4; s++) {
            const size_t distance = (size_t)1 << s, at = distance - 1 + j % distance;
            const VECTOR before = levels[k].ring[at];
            levels[k].ring[at] = total;
            if (j >= distance) total = OF(combine)(how, before, total);
        }
        if (j + 1 < WEFT_SCAN_GROUP || k + 1 >= state->levels) break;
    }
    const VECTOR prefix = OF(combine)(how, levels[k + 1].prefix, total);
    for (size_t below = 1; below <= k; below++) levels[below].prefix = prefix;
    return prefix;
}

INLINE void OF(count_group)(scan_columns_state *state) {
    for (size_t k = 1; k < state->levels; k++) {
        state->digit[k] = (state->digit[k] + 1) % WEFT_SCAN_GROUP;
        if (state->digit[k] != 0) break;
    }
}

/* Scans a group of a vector of columns, whose rows are x_row and y_row bytes apart. The results are of the type `as`.
 * Prefetches the vectors `ahead` bytes after it. */
INLINE void OF(scan_column_group)(combine how, weft_dtype dtype, weft_dtype as, const scan_params *params,
                                  const char *x, ptrdiff_t x_row, ptrdiff_t ahead, char *y, ptrdiff_t y_row,
                                  bool streams, const scan_columns_state *state, OF(column_level) * levels) {
    const VECTOR first = levels[1].prefix;
    VECTOR v[WEFT_SCAN_GROUP];
#pragma GCC unroll 16
    for (size_t k = 0; k < WEFT_SCAN_GROUP; k++) {
        v[k] = OF(load)(how, dtype, params, x + (ptrdiff_t)k * x_row);
        __builtin_prefetch(x + (ptrdiff_t)k * x_row + ahead);
    }
#pragma GCC unroll 4
    for (size_t distance = 1; distance < WEFT_SCAN_GROUP; distance *= 2)
#pragma GCC unroll 16
        for (size_t k = WEFT_SCAN_GROUP; k-- > distance;) v[k] = OF(combine)(how, v[k - distance], v[k]);
    const VECTOR after = OF(append_to_columns)(how, state, levels, v[WEFT_SCAN_GROUP - 1]);
#pragma GCC unroll 16
    for (size_t k = 0; k < WEFT_SCAN_GROUP; k++) {
        VECTOR result =
            OF(combine)(how, first, v[params->exclusive ? (k + WEFT_SCAN_GROUP - 1) % WEFT_SCAN_GROUP : k]);
        if (params->exclusive && k == 0) result = first;
        if (!params->exclusive && k + 1 == WEFT_SCAN_GROUP) result = after;
        result = OF(leave)(how, KEYS_OF(dtype), params, result);
        if (streams && BYTES == VECTOR_BYTES && element_bytes(as) == sizeof(A))
            stream_vector((unsigned char *)y + (ptrdiff_t)k * y_row, (const unsigned char *)&result);
        else
            OF(put)(as, result, y + (ptrdiff_t)k * y_row);
    }
}

/* Copies a part of the rows of a group. */
INLINE void OF(copy_group)(const char *from, ptrdiff_t from_row, char *to, ptrdiff_t to_row, size_t rows,
                           size_t bytes) {
    for (size_t k = 0; k < rows; k++) memcpy(to + (ptrdiff_t)k * to_row, from + (ptrdiff_t)k * from_row, bytes);
}

/* An incomplete group or vector is copied to and from whole ones. */
INLINE void OF(scan_columns)(combine how, weft_dtype dtype, weft_dtype result, const scan_params *params,
                             const scan_columns *c, void *memory) {
    scan_columns_state *const state = memory;
    const size_t size = element_bytes(dtype), result_size = element_bytes(result), distance = PREFETCHED_BYTES / size;
    const size_t back = c->columns > distance ? c->columns - distance : 0;
    const ptrdiff_t next_group = WEFT_SCAN_GROUP * c->x_row - (ptrdiff_t)(back * size);
    _Alignas(VECTOR_BYTES) char filled[WEFT_SCAN_GROUP * WIDTH * sizeof(uint64_t)] = {0};
    _Alignas(VECTOR_BYTES) char scanned[WEFT_SCAN_GROUP * WIDTH * sizeof(A)];
    for (size_t i = 0; i < c->n; i += WEFT_SCAN_GROUP) {
        const size_t rows = c->n - i < WEFT_SCAN_GROUP ? c->n - i : WEFT_SCAN_GROUP;
        for (size_t k = 0; k < c->columns; k += WIDTH) {
            const size_t columns = c->columns - k < WIDTH ? c->columns - k : WIDTH;
            const bool whole = rows == WEFT_SCAN_GROUP && columns == WIDTH;
            const char *const x = c->x + (ptrdiff_t)i * c->x_row + k * size;
            char *const y = c->y + (ptrdiff_t)i * c->y_row + k * result_size;
            if (!whole) OF(copy_group)(x, c->x_row, filled, WIDTH * sizeof(uint64_t), rows, columns * size);
            OF(scan_column_group)
            (how, dtype, result, params, whole ? x : filled, whole ? c->x_row : (ptrdiff_t)(WIDTH * sizeof(uint64_t)),
             k + distance < c->columns ? (ptrdiff_t)(distance * size) : next_group, whole ? y : scanned,
             whole ? c->y_row : (ptrdiff_t)(WIDTH * sizeof(A)), whole && c->streams, state,
             OF(column_levels)(state, k / WIDTH));
            if (!whole) OF(copy_group)(scanned, WIDTH * sizeof(A), y, c->y_row, rows, columns * result_size);
        }
        OF(count_group)(state);
    }
    if (c->streams) stream_fence();
}

#include "cpu/kernels/bodies/scan_end.h"
