/* Body of cpu/kernels/scan.c for one type (cpu/kernels/bodies/each_accumulator.h). */
#include "cpu/kernels/bodies/scan_values_body.h"

/* ----------------------------------------------------------------------------------- groups */

/* Shifts the values of a group by one position; `first` becomes the first value. */
INLINE void OF(shift)(VECTOR first, const VECTOR *v, VECTOR *shifted) {
    for (size_t k = 0; k < GROUP_VECTORS; k++) shifted[k] = OF(pick)(k ? v[k - 1] : first, v[k], WIDTH - 1, 1);
}

/* One distance of the scan of a group. Runs from the last vector to the first, because each needs the previous
 * values of those before it. */
INLINE void OF(reach)(combine how, size_t distance, VECTOR *v) {
    const VECTOR none = OF(splat)(OF(identity)(how));
    const size_t vectors = distance / WIDTH;
#pragma GCC unroll 8
    for (size_t k = GROUP_VECTORS; k-- > vectors;) {
        const VECTOR after = vectors ? v[k - vectors] : v[k], before = vectors || k == 0 ? none : v[k - 1];
        v[k] = OF(combine)(how, vectors ? after : OF(pick)(before, after, WIDTH - distance % WIDTH, 1), v[k]);
    }
}

/* Computes G(v, 1) ... G(v, 16) of ORDER.md 6.2. */
INLINE void OF(scan_group)(combine how, VECTOR *v) {
    OF(reach)(how, 1, v);
    OF(reach)(how, 2, v);
    OF(reach)(how, 4, v);
    OF(reach)(how, 8, v);
}

/* Computes the totals of WIDTH groups from 16 vectors: the last value of a group's scan is the reduction by
 * adjacent pairs, pairs of pairs, and so on. */
INLINE VECTOR OF(totals_of_groups)(combine how, weft_dtype dtype, const scan_params *params, const char *x) {
    const size_t step = WIDTH * element_bytes(dtype);
    VECTOR v[WEFT_SCAN_GROUP];
#pragma GCC unroll 16
    for (size_t k = 0; k < WEFT_SCAN_GROUP; k++) v[k] = OF(load)(how, dtype, params, x + k * step);
#pragma GCC unroll 4
    for (size_t count = WEFT_SCAN_GROUP / 2; count > 0; count /= 2)
#pragma GCC unroll 8
        for (size_t k = 0; k < count; k++)
            v[k] = OF(combine)(how, OF(pick)(v[2 * k], v[2 * k + 1], 0, 2), OF(pick)(v[2 * k], v[2 * k + 1], 1, 2));
    return v[0];
}

INLINE A OF(total_of_tile)(combine how, weft_dtype dtype, const scan_params *params, const char *x) {
    A groups[SCAN_BLOCK], blocks[WEFT_SCAN_GROUP];
    const scan_params plain = {0};
    for (size_t g = 0; g < SCAN_BLOCK; g += WIDTH) {
        const VECTOR v = OF(totals_of_groups)(how, dtype, params, x + g * WEFT_SCAN_GROUP * element_bytes(dtype));
        memcpy(groups + g, &v, sizeof v);
    }
    for (size_t b = 0; b < WEFT_SCAN_GROUP; b += WIDTH) {
        const char *at = (const char *)(groups + b * WEFT_SCAN_GROUP);
        const VECTOR v = OF(totals_of_groups)(how, OWN_TYPE, &plain, at);
        memcpy(blocks + b, &v, sizeof v);
    }
    for (size_t count = WEFT_SCAN_GROUP / 2; count > 0; count /= 2)
        for (size_t k = 0; k < count; k++) blocks[k] = OF(combine_two)(how, blocks[2 * k], blocks[2 * k + 1]);
    return blocks[0];
}

/* ---------------------------------------------------------------------------------- the state */

/* Appends `total`, a value of level k; all digits below k must be 0. If it completes a group, the group's total is
 * appended one level up. */
INLINE void OF(append)(combine how, scan_state *state, size_t k, A total) {
    for (;; k++) {
        const size_t j = state->MEMBER.digit[k];
        A(*stage)[WEFT_SCAN_GROUP] = state->MEMBER.stages[k];
        for (size_t s = 0; s < 4; s++) {
            stage[s][j] = total;
            if (j >= (size_t)1 << s) total = OF(combine_two)(how, stage[s][j - ((size_t)1 << s)], total);
        }
        state->MEMBER.digit[k] = (j + 1) % WEFT_SCAN_GROUP;
        if (j + 1 < WEFT_SCAN_GROUP) break;
    }
    const A prefix = OF(combine_two)(how, state->MEMBER.prefix[k + 1], total);
    for (size_t below = 2; below <= k; below++) state->MEMBER.prefix[below] = prefix;
}

INLINE void OF(begin)(combine how, weft_dtype dtype, weft_dtype result, const scan_params *params,
                      scan_state *state) {
    const A init = OF(initial)(how, dtype, result, params);
    memset(state->MEMBER.digit, 0, sizeof state->MEMBER.digit);
    for (size_t k = 0; k <= WEFT_SCAN_LEVELS; k++) state->MEMBER.prefix[k] = init;
}

INLINE void OF(totals)(combine how, weft_dtype dtype, const scan_params *params, const char *x, size_t tiles,
                       scan_totals *totals) {
    for (size_t t = 0; t < tiles; t++)
        totals->MEMBER[t] = OF(total_of_tile)(how, dtype, params, x + t * SCAN_TILE * element_bytes(dtype));
}

INLINE void OF(pass)(combine how, const scan_totals *totals, size_t tiles, scan_state *state) {
    for (size_t t = 0; t < tiles; t++) OF(append)(how, state, 3, totals->MEMBER[t]);
}

/* ----------------------------------------------------------------------------------- the scan */

/* Scans 256 elements. The groups are scanned in registers. The scan of the groups' totals, combined with the prefix
 * of the block, is the prefix of each group. The last value of a group's inclusive scan is the first value of the
 * next group's exclusive scan. */
INLINE void OF(scan_block)(combine how, weft_dtype dtype, weft_dtype result, const scan_params *params, const char *x,
                           scan_state *state, char *y) {
    const size_t size = element_bytes(result);
    const VECTOR none = OF(splat)(OF(identity)(how));
    VECTOR groups[WEFT_SCAN_GROUP][GROUP_VECTORS], totals[GROUP_VECTORS], v[GROUP_VECTORS];
    A total[WEFT_SCAN_GROUP], before[WEFT_SCAN_GROUP + 1];
    for (size_t g = 0; g < WEFT_SCAN_GROUP; g++) {
        for (size_t k = 0; k < GROUP_VECTORS; k++)
            v[k] = OF(load)(how, dtype, params, x + (g * WEFT_SCAN_GROUP + k * WIDTH) * element_bytes(dtype));
        OF(scan_group)(how, v);
        for (size_t k = 0; k < GROUP_VECTORS; k++) groups[g][k] = v[k];
        total[g] = v[GROUP_VECTORS - 1][WIDTH - 1];
    }
    memcpy(totals, total, sizeof totals);
    OF(scan_group)(how, totals);
    OF(shift)(none, totals, v);
    for (size_t k = 0; k < GROUP_VECTORS; k++) v[k] = OF(combine)(how, OF(splat)(state->MEMBER.prefix[2]), v[k]);
    memcpy(before, v, sizeof v);
    OF(append)(how, state, 2, totals[GROUP_VECTORS - 1][WIDTH - 1]);
    before[WEFT_SCAN_GROUP] = state->MEMBER.prefix[2];
    for (size_t g = 0; g < WEFT_SCAN_GROUP; g++) {
        if (params->exclusive)
            OF(shift)(none, groups[g], v);
        else
            for (size_t k = 0; k < GROUP_VECTORS; k++) v[k] = groups[g][k];
        for (size_t k = 0; k < GROUP_VECTORS; k++) v[k] = OF(combine)(how, OF(splat)(before[g]), v[k]);
        if (!params->exclusive) v[GROUP_VECTORS - 1] = OF(with_last)(v[GROUP_VECTORS - 1], before[g + 1]);
        for (size_t k = 0; k < GROUP_VECTORS; k++) {
            const VECTOR left = OF(leave)(how, KEYS_OF(dtype), params, v[k]);
            OF(put)(result, left, y + (g * WEFT_SCAN_GROUP + k * WIDTH) * size);
        }
    }
}

/* Loads 16 elements at x, of which `readable` may be read; the others are 0. */
INLINE void OF(load_group)(combine how, weft_dtype dtype, const scan_params *params, const char *x, size_t readable,
                           VECTOR *v) {
    const size_t size = element_bytes(dtype);
    char filled[WEFT_SCAN_GROUP * sizeof(uint64_t)] = {0};
    if (readable < WEFT_SCAN_GROUP) x = memcpy(filled, x, readable * size);
    for (size_t k = 0; k < GROUP_VECTORS; k++) v[k] = OF(load)(how, dtype, params, x + k * WIDTH * size);
}

/* Scans n elements, at most one block, as scan_block does, but only its existing groups. `init` is the value before
 * them. x has `readable` elements, at least n. If `overwrites` is true, values after the n, up to `readable` values
 * in total, may be overwritten. */
INLINE void OF(scan_short)(combine how, weft_dtype dtype, weft_dtype result, const scan_params *params, const char *x,
                           size_t n, size_t readable, A init, bool overwrites, char *y) {
    const size_t size = element_bytes(result);
    const VECTOR none = OF(splat)(OF(identity)(how));
    const size_t count = (n - 1) / WEFT_SCAN_GROUP + 1;
    VECTOR groups[WEFT_SCAN_GROUP][GROUP_VECTORS], v[GROUP_VECTORS];
    A before[WEFT_SCAN_GROUP + 1];
    before[0] = init;
    for (size_t g = 0; g < count; g++) {
        const size_t done = g * WEFT_SCAN_GROUP;
        OF(load_group)(how, dtype, params, x + done * element_bytes(dtype), readable - done, groups[g]);
        OF(scan_group)(how, groups[g]);
        before[g + 1] = groups[g][GROUP_VECTORS - 1][WIDTH - 1];
    }
    if (count > 1) {
        memset(before + 1 + count, 0, (WEFT_SCAN_GROUP - count) * sizeof *before);
        memcpy(v, before + 1, sizeof v);
        OF(scan_group)(how, v);
        for (size_t k = 0; k < GROUP_VECTORS; k++) v[k] = OF(combine)(how, OF(splat)(init), v[k]);
        memcpy(before + 1, v, sizeof v);
    } else {
        before[1] = OF(combine_two)(how, init, before[1]);
    }
    for (size_t g = 0; g < count; g++) {
        char results[WEFT_SCAN_GROUP * sizeof(A)];
        const size_t done = g * WEFT_SCAN_GROUP;
        const bool whole = n - done >= WEFT_SCAN_GROUP || (overwrites && readable - done >= WEFT_SCAN_GROUP);
        char *const to = whole ? y + done * size : results;
        for (size_t k = 0; k < GROUP_VECTORS; k++) v[k] = groups[g][k];
        if (params->exclusive) OF(shift)(none, groups[g], v);
        for (size_t k = 0; k < GROUP_VECTORS; k++) v[k] = OF(combine)(how, OF(splat)(before[g]), v[k]);
        if (!params->exclusive) v[GROUP_VECTORS - 1] = OF(with_last)(v[GROUP_VECTORS - 1], before[g + 1]);
        for (size_t k = 0; k < GROUP_VECTORS; k++)
            OF(put)(result, OF(leave)(how, KEYS_OF(dtype), params, v[k]), to + k * WIDTH * size);
        for (size_t i = 0; !whole && i < n - done; i++) memcpy(y + (done + i) * size, results + i * size, size);
    }
}

/* Scans n elements. Only the last block may be incomplete: the state after it must not be used. */
INLINE void OF(scan)(combine how, weft_dtype dtype, weft_dtype result, const scan_params *params, const char *x,
                     size_t n, scan_state *state, char *y) {
    const size_t size = element_bytes(dtype), result_size = element_bytes(result);
    stream past_caches;
    stream_begin(&past_caches, y);
    for (; n >= SCAN_BLOCK; n -= SCAN_BLOCK, x += SCAN_BLOCK * size, y += SCAN_BLOCK * result_size) {
        OF(scan_block)(how, dtype, result, params, x, state, params->streams ? stream_address(&past_caches) : y);
        if (params->streams) stream_put(&past_caches, SCAN_BLOCK * result_size);
    }
    if (params->streams) stream_end(&past_caches);
    if (n > 0) OF(scan_short)(how, dtype, result, params, x, n, n, state->MEMBER.prefix[2], false, y);
}

/* ----------------------------------------------------------------------------------- segments */

/* Scans each of the `count` segments of at most `longest` elements. `scan_long` is the kernel `scan` of this
 * operator and type, called for segments longer than a block. Elements after a short segment, up to the end of the
 * last segment of this call, are read and ignored: no other thread writes them. The values there are overwritten by
 * the segment and then written by their own segments, unless y is x. An exclusive sum starts from -0.0, but the
 * empty sum is +0.0. */
INLINE void OF(segments)(combine how, weft_dtype dtype, weft_dtype result, const scan_params *params, const char *x,
                         const uint64_t *offsets, size_t count, size_t longest, char *y,
                         void (*scan_long)(const scan_params *, const void *, size_t, scan_state *, void *)) {
    const size_t size = element_bytes(result);
    scan_state state;
    OF(begin)(how, dtype, result, params, &state);
    const A init = state.MEMBER.prefix[2];
    const bool overwrites = x != y;
    for (size_t s = 0; s < count; s++) {
        const size_t first = (size_t)offsets[s], n = (size_t)offsets[s + 1] - first;
        const char *from = x + first * element_bytes(dtype);
        char *const to = y + first * size;
        if (n == 0 || n > longest) continue;
        if (n <= SCAN_BLOCK) {
            OF(scan_short)
            (how, dtype, result, params, from, n, (size_t)offsets[count] - first, init, overwrites, to);
        } else {
            OF(begin)(how, dtype, result, params, &state);
            scan_long(params, from, n, &state, to);
        }
        if (how == COMBINE_ADD && params->exclusive && !params->init) memset(to, 0, size);
    }
}

#include "cpu/kernels/bodies/scan_end.h"
