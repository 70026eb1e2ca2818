/* Body of cpu/kernels/recurrence.c for one type. The includer defines A, VECTOR (of A), LANES (integers of its
 * lanes, of type LANE), FUSED and FUSED_LANES (of scalars and of vectors), INFINITE, CANONICAL, MEMBER (of the
 * unions) and OF(name). Loops over the 16 columns of a tile are plain C, which compilers vectorize. WIDTH adjacent
 * groups are computed in the lanes of a vector, and the remaining groups of a tile in a scalar loop. */

#define WIDTH (sizeof(VECTOR) / sizeof(A))

#include "cpu/kernels/bodies/transpose_body.h"

/* INTERLEAVED: groups that are computed in an interleaved loop, to hide the latency of a step. VECTOR_ELEMENTS: those
 * of WIDTH groups. */
enum { OF(INTERLEAVED) = 4, OF(VECTOR_ELEMENTS) = WIDTH * WEFT_SCAN_GROUP };

/* Returns the offset of element i in the order of the recurrence. */
INLINE ptrdiff_t OF(at)(bool reverse, size_t i) { return reverse ? -(ptrdiff_t)i : (ptrdiff_t)i; }

/* ------------------------------------------------------------------------------------- maps */

/* Returns a b, or 0 if that is a NaN. */
INLINE A OF(times)(A a, A b) {
    const A product = a * b;
    return product == product ? product : 0;
}

/* Returns S w + U. */
INLINE A OF(apply)(A s, A u, A w) {
    const A value = FUSED(s, w, u);
    return (w == 0) & ((s == INFINITE) | (s == -INFINITE)) ? u : value;
}

INLINE bool OF(any)(LANES mask) {
    uint64_t words[VECTOR_BYTES / 8], all = 0;
    memcpy(words, &mask, sizeof words);
    for (size_t i = 0; i < VECTOR_BYTES / 8; i++) all |= words[i];
    return all != 0;
}

/* Loads elements first .. first + WIDTH - 1 of WIDTH groups that are `stride` elements apart. Lane l of vector i is
 * element first + i of group l, or in reverse element first + WIDTH - 1 - i. */
SQUARE_INLINE void OF(load_groups)(bool reverse, const A *x, ptrdiff_t stride, size_t first, VECTOR *v) {
#pragma GCC unroll 16
    for (size_t l = 0; l < WIDTH; l++) {
        const A *from = x + (ptrdiff_t)l * stride + OF(at)(reverse, first + (reverse ? WIDTH - 1 : 0));
        memcpy(&v[l], from, sizeof v[l]);
    }
    OF(transpose)(v);
}

SQUARE_INLINE void OF(store_groups)(bool reverse, VECTOR *v, ptrdiff_t stride, size_t first, A *to) {
    OF(transpose)(v);
#pragma GCC unroll 16
    for (size_t l = 0; l < WIDTH; l++)
        memcpy(to + (ptrdiff_t)l * stride + OF(at)(reverse, first + (reverse ? WIDTH - 1 : 0)), &v[l], sizeof v[l]);
}

/* Computes the maps of WIDTH adjacent groups. */
INLINE void OF(maps_of_lanes)(bool reverse, const A *s, const A *u, A *to_s, A *to_u) {
    const ptrdiff_t stride = OF(at)(reverse, WEFT_SCAN_GROUP);
    VECTOR product = (VECTOR){0} + 1, value = {0};
    for (size_t first = 0; first < WEFT_SCAN_GROUP; first += WIDTH) {
        VECTOR vs[WIDTH], vu[WIDTH];
        OF(load_groups)(reverse, s, stride, first, vs);
        OF(load_groups)(reverse, u, stride, first, vu);
#pragma GCC unroll 16
        for (size_t j = 0; j < WIDTH; j++) {
            const size_t i = reverse ? WIDTH - 1 - j : j;
            product *= vs[i];
            value = FUSED_LANES(vs[i], value, vu[i]);
        }
    }
    product = (VECTOR)((LANES)(product == product) & (LANES)product);
    memcpy(to_s, &product, sizeof product);
    memcpy(to_u, &value, sizeof value);
}

/* Computes the maps of `count` adjacent groups. */
INLINE void OF(maps_of_groups)(bool reverse, size_t count, const A *s, const A *u, A *to_s, A *to_u) {
    A product[OF(INTERLEAVED)], value[OF(INTERLEAVED)];
    for (size_t g = 0; g < count; g++) product[g] = 1, value[g] = 0;
    for (size_t j = 0; j < WEFT_SCAN_GROUP; j++)
        for (size_t g = 0; g < count; g++) {
            const ptrdiff_t at = OF(at)(reverse, g * WEFT_SCAN_GROUP + j);
            product[g] *= s[at];
            value[g] = FUSED(s[at], value[g], u[at]);
        }
    for (size_t g = 0; g < count; g++) {
        to_s[g] = product[g] == product[g] ? product[g] : 0;
        to_u[g] = value[g];
    }
}

/* Scans `count` maps by doubling distances. Each step runs from the last map to the first, because
 * it needs the previous values of the maps before. */
INLINE void OF(scan_line)(A *s, A *u, size_t count) {
    for (size_t w = 1; w < count; w *= 2)
        for (size_t i = count; i-- > w;) {
            u[i] = OF(apply)(s[i], u[i], u[i - w]);
            s[i] = OF(times)(s[i - w], s[i]);
        }
}

/* Returns a in the lanes where the mask is set, else b. */
INLINE VECTOR OF(select)(LANES mask, VECTOR a, VECTOR b) { return (VECTOR)((mask & (LANES)a) | (~mask & (LANES)b)); }

/* Replaces b by then(a, b) in each lane, with a = (s, u) and b = (to_s, to_u). */
INLINE void OF(then)(VECTOR s, VECTOR u, VECTOR *to_s, VECTOR *to_u) {
    const VECTOR value = FUSED_LANES(*to_s, u, *to_u);
    const LANES stays = (LANES)(u == 0) & ((LANES)(*to_s == INFINITE) | (LANES)(*to_s == -INFINITE));
    *to_u = OF(select)(stays, *to_u, value);
    const VECTOR product = s * *to_s;
    *to_s = (VECTOR)((LANES)(product == product) & (LANES)product);
}

/* Scans vectors of maps as if `then` had no exceptions. Returns false if an exception may apply, which requires an
 * infinite S: after that, S of the map is not finite up to the end of the scan. */
INLINE bool OF(scan_if_finite)(VECTOR *s, VECTOR *u) {
    VECTOR zeros = {0};
#pragma GCC unroll 4
    for (size_t w = 1; w < WEFT_SCAN_GROUP; w *= 2)
#pragma GCC unroll 16
        for (size_t g = WEFT_SCAN_GROUP; g-- > w;) {
            u[g] = FUSED_LANES(s[g], u[g - w], u[g]);
            s[g] *= s[g - w];
        }
#pragma GCC unroll 16
    for (size_t g = 0; g < WEFT_SCAN_GROUP; g++) zeros += s[g] * 0;
    return !OF(any)((LANES)(zeros != zeros));
}

/* Loads WIDTH blocks of 16 values, one block per lane. */
SQUARE_INLINE void OF(load_blocks)(const A *x, VECTOR *v) {
    for (size_t g = 0; g < WEFT_SCAN_GROUP; g += WIDTH) {
#pragma GCC unroll 16
        for (size_t l = 0; l < WIDTH; l++) memcpy(&v[g + l], x + l * WEFT_SCAN_GROUP + g, sizeof *v);
        OF(transpose)(v + g);
    }
}

/* Scans each of the first `columns` columns: block b of from_s and from_u becomes column b of s and u. Not inlined,
 * because GCC would then compute the lanes that scan_line reads a second time, without vectors. */
static __attribute__((noinline)) void OF(recurrence_scan_columns)(const A *from_s, const A *from_u,
                                                                  A (*s)[WEFT_SCAN_GROUP], A (*u)[WEFT_SCAN_GROUP],
                                                                  size_t columns) {
    for (size_t b = 0; b < columns; b += WIDTH) {
        VECTOR vs[WEFT_SCAN_GROUP], vu[WEFT_SCAN_GROUP];
        OF(load_blocks)(from_s + b * WEFT_SCAN_GROUP, vs);
        OF(load_blocks)(from_u + b * WEFT_SCAN_GROUP, vu);
        if (!OF(scan_if_finite)(vs, vu)) {
            OF(load_blocks)(from_s + b * WEFT_SCAN_GROUP, vs);
            OF(load_blocks)(from_u + b * WEFT_SCAN_GROUP, vu);
            for (size_t w = 1; w < WEFT_SCAN_GROUP; w *= 2)
                for (size_t g = WEFT_SCAN_GROUP; g-- > w;) OF(then)(vs[g - w], vu[g - w], &vs[g], &vu[g]);
        }
        for (size_t g = 0; g < WEFT_SCAN_GROUP; g++) {
            memcpy(&s[g][b], &vs[g], sizeof vs[g]);
            memcpy(&u[g][b], &vu[g], sizeof vu[g]);
        }
    }
}

/* Returns the number of groups of a tile of n elements that are followed by elements: only their maps are
 * needed. */
INLINE size_t OF(groups_needed)(size_t n) {
    return n < RECURRENCE_TILE ? (n - 1) / WEFT_SCAN_GROUP : RECURRENCE_BLOCK;
}

/* Returns the number of blocks that contain `groups` groups and the one after them. */
INLINE size_t OF(blocks_of)(size_t groups) {
    return groups < RECURRENCE_BLOCK ? groups / WEFT_SCAN_GROUP + 1 : WEFT_SCAN_GROUP;
}

/* Composes the maps of the first `groups` groups of a tile, which are in order. */
INLINE void OF(compose)(A *s, A *u, size_t groups, recurrence_maps *maps, size_t tile) {
    A(*const to_s)[WEFT_SCAN_GROUP] = maps->MEMBER.group[tile].s;
    A(*const to_u)[WEFT_SCAN_GROUP] = maps->MEMBER.group[tile].u;
    if (groups < WEFT_SCAN_GROUP) {
        OF(scan_line)(s, u, groups);
        for (size_t g = 0; g < groups; g++) to_s[g][0] = s[g], to_u[g][0] = u[g];
        return;
    }
    OF(recurrence_scan_columns)(s, u, to_s, to_u, OF(blocks_of)(groups));
    memcpy(maps->MEMBER.block[tile].s, to_s[WEFT_SCAN_GROUP - 1], sizeof maps->MEMBER.block[tile].s);
    memcpy(maps->MEMBER.block[tile].u, to_u[WEFT_SCAN_GROUP - 1], sizeof maps->MEMBER.block[tile].u);
    OF(scan_line)(maps->MEMBER.block[tile].s, maps->MEMBER.block[tile].u, groups / WEFT_SCAN_GROUP);
}

INLINE void OF(maps_of_tile)(bool reverse, const A *s, const A *u, size_t n, recurrence_maps *maps, size_t tile) {
    const size_t groups = OF(groups_needed)(n), together = OF(INTERLEAVED);
    A of_s[RECURRENCE_BLOCK], of_u[RECURRENCE_BLOCK]; /* maps of the groups, in order */
    if (groups == 0) return;
    if (groups >= WEFT_SCAN_GROUP && groups < RECURRENCE_BLOCK) { /* gives every lane a defined value */
        memset(of_s, 0, sizeof of_s);
        memset(of_u, 0, sizeof of_u);
    }
    size_t done = 0;
    for (; FMA_INSTRUCTION && done + WIDTH <= groups; done += WIDTH) {
        const ptrdiff_t from = OF(at)(reverse, done * WEFT_SCAN_GROUP);
        OF(maps_of_lanes)(reverse, s + from, u + from, of_s + done, of_u + done);
    }
    for (; done + together <= groups; done += together) {
        const ptrdiff_t from = OF(at)(reverse, done * WEFT_SCAN_GROUP);
        OF(maps_of_groups)(reverse, together, s + from, u + from, of_s + done, of_u + done);
    }
    for (; done < groups; done++) {
        const ptrdiff_t from = OF(at)(reverse, done * WEFT_SCAN_GROUP);
        OF(maps_of_groups)(reverse, 1, s + from, u + from, of_s + done, of_u + done);
    }
    OF(compose)(of_s, of_u, groups, maps, tile);
}

INLINE void OF(maps)(bool reverse, const A *s, const A *u, size_t n, recurrence_maps *maps) {
    for (size_t tile = 0; tile * RECURRENCE_TILE < n; tile++) {
        const ptrdiff_t from = OF(at)(reverse, tile * RECURRENCE_TILE);
        OF(maps_of_tile)(reverse, s + from, u + from, n - tile * RECURRENCE_TILE, maps, tile);
    }
}

/* -------------------------------------------------------------------------------- the state */

static void OF(begin)(const void *init, recurrence_state *state) {
    A value = 0;
    if (init) memcpy(&value, init, sizeof value);
    memset(state->MEMBER.digit, 0, sizeof state->MEMBER.digit);
    for (size_t k = 0; k <= RECURRENCE_LEVELS; k++) state->MEMBER.prefix[k] = value;
}

/* Appends the map of a tile. If it completes a group, the group's map is appended one level up. */
INLINE void OF(append)(recurrence_state *state, A s, A u) {
    size_t k = 0;
    for (;; k++) {
        const size_t j = state->MEMBER.digit[k];
        A(*const stage_s)[WEFT_SCAN_GROUP] = state->MEMBER.stages_s[k];
        A(*const stage_u)[WEFT_SCAN_GROUP] = state->MEMBER.stages_u[k];
        for (size_t r = 0; r < 4; r++) {
            stage_s[r][j] = s;
            stage_u[r][j] = u;
            if (j < (size_t)1 << r) continue;
            u = OF(apply)(s, u, stage_u[r][j - ((size_t)1 << r)]);
            s = OF(times)(stage_s[r][j - ((size_t)1 << r)], s);
        }
        state->MEMBER.digit[k] = (j + 1) % WEFT_SCAN_GROUP;
        if (j + 1 < WEFT_SCAN_GROUP) break;
    }
    const A prefix = OF(apply)(s, u, state->MEMBER.prefix[k + 1]);
    for (size_t below = 0; below <= k; below++) state->MEMBER.prefix[below] = prefix;
}

static void OF(recurrence_pass)(recurrence_maps *maps, size_t n, recurrence_state *state) {
    for (size_t tile = 0; tile * RECURRENCE_TILE < n; tile++) {
        maps->MEMBER.before[tile] = state->MEMBER.prefix[0];
        if ((tile + 1) * RECURRENCE_TILE > n) break;
        OF(append)
        (state, maps->MEMBER.block[tile].s[WEFT_SCAN_GROUP - 1], maps->MEMBER.block[tile].u[WEFT_SCAN_GROUP - 1]);
    }
}

/* The map is the first of its group at level k, before any distance of the scan. */
static void OF(recurrence_map)(const recurrence_state *state, size_t tiles, uint64_t *map) {
    size_t k = 0;
    for (; tiles > 1; tiles /= WEFT_SCAN_GROUP) k++;
    map[0] = map[1] = 0;
    memcpy(&map[0], &state->MEMBER.stages_s[k][0][0], sizeof(A));
    memcpy(&map[1], &state->MEMBER.stages_u[k][0][0], sizeof(A));
}

/* ------------------------------------------------------------------------------- the values */

/* Canonicalizes the NaNs of a group of `count` values. */
INLINE void OF(canonicalize)(bool reverse, size_t count, A *v) {
    for (size_t j = 0; j < count; j++) {
        const ptrdiff_t at = OF(at)(reverse, j);
        v[at] = CANONICAL(v[at]);
    }
}

static __attribute__((noinline)) void OF(canonicalize_groups)(bool reverse, A *v) {
    for (size_t l = 0; l < WIDTH; l++)
        OF(canonicalize)(reverse, WEFT_SCAN_GROUP, v + OF(at)(reverse, l * WEFT_SCAN_GROUP));
}

/* Computes WIDTH adjacent groups from the value before each, which is in a column. A NaN persists to the end of its
 * group, so the last value shows if the group has NaNs to be canonicalized. */
INLINE void OF(run_lanes)(bool reverse, const A *s, const A *u, const A *before, A *v) {
    const ptrdiff_t stride = OF(at)(reverse, WEFT_SCAN_GROUP);
    VECTOR value = {0};
    for (size_t l = 0; l < WIDTH; l++) value[l] = before[l * WEFT_SCAN_GROUP];
    for (size_t first = 0; first < WEFT_SCAN_GROUP; first += WIDTH) {
        VECTOR vs[WIDTH], vu[WIDTH];
        OF(load_groups)(reverse, s, stride, first, vs);
        OF(load_groups)(reverse, u, stride, first, vu);
#pragma GCC unroll 16
        for (size_t j = 0; j < WIDTH; j++) {
            const size_t i = reverse ? WIDTH - 1 - j : j;
            vu[i] = value = FUSED_LANES(vs[i], value, vu[i]);
        }
        OF(store_groups)(reverse, vu, stride, first, v);
    }
    if (OF(any)((LANES)(value != value))) OF(canonicalize_groups)(reverse, v);
}

/* Computes `groups` adjacent groups of `count` elements from the value before each. */
INLINE void OF(run_groups)(bool reverse, size_t groups, size_t count, const A *s, const A *u, const A *before,
                           size_t stride, A *v) {
    A value[OF(INTERLEAVED)];
    for (size_t g = 0; g < groups; g++) value[g] = before[g * stride];
    for (size_t j = 0; j < count; j++)
        for (size_t g = 0; g < groups; g++) {
            const ptrdiff_t at = OF(at)(reverse, g * WEFT_SCAN_GROUP + j);
            v[at] = value[g] = FUSED(s[at], value[g], u[at]);
        }
    for (size_t g = 0; g < groups; g++)
        if (value[g] != value[g]) OF(canonicalize)(reverse, count, v + OF(at)(reverse, g * WEFT_SCAN_GROUP));
}

/* Computes the first `rows` values before the groups of each block from the first one: that of group g of block b is
 * at [g][b]. Whole vectors of columns are computed. */
INLINE void OF(spread_before)(const A *s, const A *u, size_t rows, size_t blocks, A (*before)[WEFT_SCAN_GROUP]) {
    const size_t columns = blocks == 1 ? 1 : (blocks - 1) / WIDTH * WIDTH + WIDTH;
    for (size_t g = 1; g < rows; g++)
        for (size_t b = 0; b < columns; b++)
            before[g][b] =
                OF(apply)(s[(g - 1) * WEFT_SCAN_GROUP + b], u[(g - 1) * WEFT_SCAN_GROUP + b], before[0][b]);
}

/* Computes the values before the groups of a tile. */
INLINE void OF(find_before)(const recurrence_maps *maps, size_t tile, size_t groups, A (*before)[WEFT_SCAN_GROUP]) {
    const size_t rows = groups < WEFT_SCAN_GROUP ? groups + 1 : WEFT_SCAN_GROUP, blocks = OF(blocks_of)(groups);
    for (size_t b = 0; b < WEFT_SCAN_GROUP; b++) before[0][b] = maps->MEMBER.before[tile];
    for (size_t b = 1; b < blocks; b++)
        before[0][b] = OF(apply)(maps->MEMBER.block[tile].s[b - 1], maps->MEMBER.block[tile].u[b - 1], before[0][0]);
    OF(spread_before)(&maps->MEMBER.group[tile].s[0][0], &maps->MEMBER.group[tile].u[0][0], rows, blocks, before);
}

INLINE void OF(run_tile)(bool reverse, const recurrence_maps *maps, size_t tile, const A *s, const A *u, size_t n,
                         A *v) {
    const size_t together = OF(INTERLEAVED), step = together * WEFT_SCAN_GROUP, wide = OF(VECTOR_ELEMENTS);
    A before[WEFT_SCAN_GROUP][WEFT_SCAN_GROUP];
    OF(find_before)(maps, tile, OF(groups_needed)(n), before);
    size_t done = 0;
    for (; FMA_INSTRUCTION && done + wide <= n; done += wide) {
        const ptrdiff_t at = OF(at)(reverse, done);
        const size_t g = done / WEFT_SCAN_GROUP;
        const A *const first = &before[g % WEFT_SCAN_GROUP][g / WEFT_SCAN_GROUP];
        OF(run_lanes)(reverse, s + at, u + at, first, v + at);
    }
    for (; done + step <= n; done += step) {
        const ptrdiff_t at = OF(at)(reverse, done);
        const size_t g = done / WEFT_SCAN_GROUP;
        OF(run_groups)
        (reverse, together, WEFT_SCAN_GROUP, s + at, u + at, &before[g % WEFT_SCAN_GROUP][g / WEFT_SCAN_GROUP],
         WEFT_SCAN_GROUP, v + at);
    }
    for (; done < n; done += WEFT_SCAN_GROUP) {
        const ptrdiff_t at = OF(at)(reverse, done);
        const size_t g = done / WEFT_SCAN_GROUP, count = n - done < WEFT_SCAN_GROUP ? n - done : WEFT_SCAN_GROUP;
        OF(run_groups)
        (reverse, 1, count, s + at, u + at, &before[g % WEFT_SCAN_GROUP][g / WEFT_SCAN_GROUP], WEFT_SCAN_GROUP,
         v + at);
    }
}

/* Computes a tile with nontemporal stores, which the caller must order before later stores. v is first written to a
 * buffer in the cache. */
INLINE void OF(run_tile_past_caches)(bool reverse, const recurrence_maps *maps, size_t tile, const A *s, const A *u,
                                     size_t n, A *v) {
    _Alignas(VECTOR_BYTES) A workspace[WIDTH + RECURRENCE_TILE];
    A *const to = reverse ? v - (n - 1) : v;
    A *const from = workspace + (uintptr_t)to % VECTOR_BYTES / sizeof(A);
    OF(run_tile)(reverse, maps, tile, s, u, n, reverse ? from + (n - 1) : from);
    stream_copy(to, from, n * sizeof(A));
}

INLINE void OF(run)(bool reverse, const recurrence_maps *maps, const A *s, const A *u, size_t n, bool streams, A *v) {
    for (size_t tile = 0; tile * RECURRENCE_TILE < n; tile++) {
        const size_t left = n - tile * RECURRENCE_TILE, count = left < RECURRENCE_TILE ? left : RECURRENCE_TILE;
        const ptrdiff_t at = OF(at)(reverse, tile * RECURRENCE_TILE);
        if (streams)
            OF(run_tile_past_caches)(reverse, maps, tile, s + at, u + at, count, v + at);
        else
            OF(run_tile)(reverse, maps, tile, s + at, u + at, count, v + at);
    }
}

#include "cpu/kernels/bodies/recurrence_rows_body.h"

/* Kernels: the bodies with a constant direction. */
static void OF(recurrence_maps_forward)(const void *s, const void *u, size_t n, recurrence_maps *maps) {
    OF(maps)(false, s, u, n, maps);
}
static void OF(recurrence_maps_reverse)(const void *s, const void *u, size_t n, recurrence_maps *maps) {
    OF(maps)(true, s, u, n, maps);
}
static void OF(recurrence_run_forward)(const recurrence_maps *maps, const void *s, const void *u, size_t n,
                                       bool streams, void *v) {
    OF(run)(false, maps, s, u, n, streams, v);
}
static void OF(recurrence_run_reverse)(const recurrence_maps *maps, const void *s, const void *u, size_t n,
                                       bool streams, void *v) {
    OF(run)(true, maps, s, u, n, streams, v);
}
static size_t OF(recurrence_rows_forward)(const recurrence_rows *r) { return OF(rows)(false, r); }
static size_t OF(recurrence_rows_reverse)(const recurrence_rows *r) { return OF(rows)(true, r); }

#undef WIDTH
#undef A
#undef VECTOR
#undef LANES
#undef LANE
#undef FUSED
#undef FUSED_LANES
#undef INFINITE
#undef CANONICAL
#undef MEMBER
#undef OF
