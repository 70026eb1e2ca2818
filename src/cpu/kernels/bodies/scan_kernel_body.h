/* Body of cpu/kernels/scan.c for one accumulator type. The includer defines A, LANE and SIGNED_LANE (the integers
 * of A's size), IS_FLOAT, OWN_TYPE (A's dtype), KEYS_OF (the float type whose keys A contains, if any), MEMBER (of
 * scan_state) and OF(name). Every function is inlined with a constant element type and combine function. A group of
 * 16 values is one or more vectors. */
#ifndef KEYS_OF
#define KEYS_OF -1
#endif
#define BYTES (sizeof(A) * WEFT_SCAN_GROUP < VECTOR_BYTES ? sizeof(A) * WEFT_SCAN_GROUP : VECTOR_BYTES)
#define WIDTH (BYTES / sizeof(A))
#define GROUP_VECTORS (WEFT_SCAN_GROUP / WIDTH)
#define VECTOR OF(scan_vector)
#define LANES OF(scan_lanes)
#define SIGNED_LANES OF(scan_signed_lanes)

typedef A VECTOR __attribute__((vector_size(BYTES)));
typedef LANE LANES __attribute__((vector_size(BYTES)));
typedef SIGNED_LANE SIGNED_LANES __attribute__((vector_size(BYTES)));

#define LANE_BITS (8 * sizeof(A))
#define LANE_MAX ((SIGNED_LANE)((LANE) ~(LANE)0 >> 1))

/* Returns the value in every lane; v - 0 is v, also for -0.0. */
INLINE VECTOR OF(splat)(A value) { return value - (VECTOR){0}; }

#ifndef __clang__
/* Returns 0, 1, 2, .... Not a loop over lanes, because sanitizers prevent GCC from evaluating it at compile
 * time. */
INLINE LANES OF(lane_numbers)(void) {
    static const LANE numbers[WEFT_SCAN_GROUP] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    LANES v;
    memcpy(&v, numbers, sizeof v);
    return v;
}
#endif

/* Returns every step-th lane of the concatenation of a and b, starting at `first`, a constant. */
INLINE VECTOR OF(pick)(VECTOR a, VECTOR b, size_t first, size_t step) {
#ifdef __clang__
    VECTOR v;
    for (size_t l = 0; l < WIDTH; l++)
        v[l] = first + l * step < WIDTH ? a[first + l * step] : b[first + l * step - WIDTH];
    return v;
#else
    return __builtin_shuffle(a, b, OF(lane_numbers)() * (LANE)step + (LANE)first);
#endif
}

/* Replaces the last lane of v. Uses a shuffle, because GCC would go through memory. */
INLINE VECTOR OF(with_last)(VECTOR v, A value) {
#ifdef __clang__
    v[WIDTH - 1] = value;
    return v;
#else
    const LANES number = OF(lane_numbers)();
    return __builtin_shuffle(v, OF(splat)(value), number + ((LANES)(number == WIDTH - 1) & (LANE)WIDTH));
#endif
}

/* ----------------------------------------------------------------------------------- values */

/* Returns the identity of the operator. */
INLINE A OF(identity)(combine how) {
    switch (how) {
    case COMBINE_ADD: return (A)-0.0;
    case COMBINE_MULTIPLY: return 1;
    case COMBINE_MAXIMUM: return (A) ~(LANE)LANE_MAX;
    default: return 0;
    }
}

/* Returns a in the lanes where the mask is set, else b. */
INLINE VECTOR OF(select)(SIGNED_LANES mask, VECTOR a, VECTOR b) {
    return (VECTOR)((mask & (SIGNED_LANES)a) | (~mask & (SIGNED_LANES)b));
}

INLINE VECTOR OF(combine)(combine how, VECTOR a, VECTOR b) {
    switch (how) {
    case COMBINE_ADD: return a + b;
    case COMBINE_MULTIPLY: return a * b;
    case COMBINE_OR: return (VECTOR)((LANES)a | (LANES)b);
    case COMBINE_XOR: return (VECTOR)((LANES)a ^ (LANES)b);
    case COMBINE_MAXIMUM: return OF(select)((SIGNED_LANES)a > (SIGNED_LANES)b, a, b);
    }
    return a;
}

/* Combines two scalars. Narrow types need casts, because C would compute in int. */
INLINE A OF(combine_two)(combine how, A a, A b) {
#if !IS_FLOAT
    switch (how) {
    case COMBINE_ADD: return (A)((uint64_t)a + b);
    case COMBINE_MULTIPLY: return (A)((uint64_t)a * b);
    case COMBINE_OR: return a | b;
    case COMBINE_XOR: return a ^ b;
    case COMBINE_MAXIMUM: return (SIGNED_LANE)a > (SIGNED_LANE)b ? a : b;
    }
#endif
    return how == COMBINE_MULTIPLY ? a * b : a + b;
}

/* Converts between floats and keys in signed order: inverts all bits but the sign of negative numbers. It is its
 * own inverse. */
/* cppcheck-suppress shiftTooManyBitsSigned ; GCC and Clang shift copies of the sign in */
INLINE SIGNED_LANES OF(ordered)(SIGNED_LANES v) { return v ^ ((v >> (LANE_BITS - 1)) & LANE_MAX); }

/* Convert the bits of elements to the values that are combined, and back. */
INLINE VECTOR OF(enter)(combine how, bool keys, const scan_params *params, VECTOR v) {
    if (keys) {
        const SIGNED_LANES inf = (SIGNED_LANES){0} + (SIGNED_LANE)params->infinity, bits = (SIGNED_LANES)v;
        const SIGNED_LANES none = (SIGNED_LANES){0} + LANE_MAX;
        return OF(select)((bits & LANE_MAX) > inf, (VECTOR)none,
                          (VECTOR)(OF(ordered)(bits) ^ (SIGNED_LANE)params->xor_mask));
    }
    if (how == COMBINE_OR || how == COMBINE_MAXIMUM) return (VECTOR)((LANES)v ^ (LANE)params->xor_mask);
    return v;
}

INLINE VECTOR OF(leave)(combine how, bool keys, const scan_params *params, VECTOR v) {
    if (keys) {
        const SIGNED_LANES nan = (SIGNED_LANES){0} + (SIGNED_LANE)params->nan, key = (SIGNED_LANES)v;
        return OF(select)(key == LANE_MAX, (VECTOR)nan, (VECTOR)OF(ordered)(key ^ (SIGNED_LANE)params->xor_mask));
    }
    if (how == COMBINE_OR || how == COMBINE_MAXIMUM) return (VECTOR)((LANES)v ^ (LANE)params->xor_mask);
#if IS_FLOAT
    const SIGNED_LANES nan = (SIGNED_LANES){0} + (SIGNED_LANE)params->nan;
    return OF(select)(v == v, v, (VECTOR)nan);
#endif
    return v;
}

/* Loads WIDTH elements at x and converts them. */
INLINE VECTOR OF(load)(combine how, weft_dtype dtype, const scan_params *params, const char *x) {
    VECTOR v;
    if (dtype == OWN_TYPE || (int)dtype == KEYS_OF) {
        memcpy(&v, x, sizeof v);
        return OF(enter)(how, (int)dtype == KEYS_OF, params, v);
    }
#define TYPE(ID, name, ctype, kind, npy)                                  \
    if (dtype == WEFT_##ID) {                                             \
        ctype narrow __attribute__((vector_size(WIDTH * sizeof(ctype)))); \
        memcpy(&narrow, x, sizeof narrow);                                \
        v = __builtin_convertvector(narrow, VECTOR);                      \
    }
#include "core/types.def"
    return v;
}

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

INLINE void OF(begin)(combine how, weft_dtype dtype, const scan_params *params, scan_state *state) {
    A init = OF(identity)(how);
    if (params->init) {
        memcpy(&init, params->init, sizeof init);
        init = OF(enter)(how, (int)dtype == KEYS_OF, params, OF(splat)(init))[0];
    }
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
INLINE void OF(scan_block)(combine how, weft_dtype dtype, const scan_params *params, const char *x, scan_state *state,
                           A *y) {
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
            const VECTOR result = OF(leave)(how, (int)dtype == KEYS_OF, params, v[k]);
            memcpy(y + g * WEFT_SCAN_GROUP + k * WIDTH, &result, sizeof result);
        }
    }
}

/* Scans n elements. Only the last block may be incomplete: it is padded, and the state after it must not be
 * used. */
INLINE void OF(scan)(combine how, weft_dtype dtype, const scan_params *params, const char *x, size_t n,
                     scan_state *state, A *y) {
    const size_t size = element_bytes(dtype);
    char filled[SCAN_BLOCK * sizeof(uint64_t)];
    A scanned[SCAN_BLOCK] = {0};
    stream past_caches;
    stream_begin(&past_caches, y);
    for (size_t done = 0; done < n; done += SCAN_BLOCK) {
        const size_t count = n - done < SCAN_BLOCK ? n - done : SCAN_BLOCK;
        const bool full = count == SCAN_BLOCK;
        const char *from =
            full ? x + done * size : memcpy(memset(filled, 0, sizeof filled), x + done * size, count * size);
        A *const to = !full ? scanned : params->streams ? stream_address(&past_caches) : y + done;
        OF(scan_block)(how, dtype, params, from, state, to);
        if (full && params->streams) stream_put(&past_caches, sizeof scanned);
        if (!full) memcpy(y + done, scanned, count * sizeof *y);
    }
    if (params->streams) stream_end(&past_caches);
}

/* ----------------------------------------------------------------------------------- segments */

/* Loads 16 elements at x, of which `readable` may be read; the others are 0. */
INLINE void OF(load_group)(combine how, weft_dtype dtype, const scan_params *params, const char *x, size_t readable,
                           VECTOR *v) {
    const size_t size = element_bytes(dtype);
    char filled[WEFT_SCAN_GROUP * sizeof(uint64_t)] = {0};
    if (readable < WEFT_SCAN_GROUP) x = memcpy(filled, x, readable * size);
    for (size_t k = 0; k < GROUP_VECTORS; k++) v[k] = OF(load)(how, dtype, params, x + k * WIDTH * size);
}

/* Scans a segment of at most one block, as scan_block does, but only its existing groups. */
INLINE void OF(scan_short)(combine how, weft_dtype dtype, const scan_params *params, const char *x, size_t n,
                           size_t readable, A init, A *y) {
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
        A results[WEFT_SCAN_GROUP];
        const size_t done = g * WEFT_SCAN_GROUP;
        for (size_t k = 0; k < GROUP_VECTORS; k++) v[k] = groups[g][k];
        if (params->exclusive) OF(shift)(none, groups[g], v);
        for (size_t k = 0; k < GROUP_VECTORS; k++) v[k] = OF(combine)(how, OF(splat)(before[g]), v[k]);
        if (!params->exclusive) v[GROUP_VECTORS - 1] = OF(with_last)(v[GROUP_VECTORS - 1], before[g + 1]);
        for (size_t k = 0; k < GROUP_VECTORS; k++) v[k] = OF(leave)(how, (int)dtype == KEYS_OF, params, v[k]);
        if (n - done >= WEFT_SCAN_GROUP) {
            memcpy(y + done, v, sizeof v);
        } else {
            memcpy(results, v, sizeof v);
            for (size_t i = 0; i < n - done; i++) y[done + i] = results[i];
        }
    }
}

/* Scans each of the `count` segments of at most `longest` elements. `scan_long` is the kernel `scan` of this
 * operator and type, called for segments longer than a block. Elements after a short segment, up to the end of the
 * last segment of this call, are read and ignored: no other thread writes them. An exclusive sum starts from -0.0,
 * but the empty sum is +0.0. */
INLINE void OF(segments)(combine how, weft_dtype dtype, const scan_params *params, const char *x,
                         const uint64_t *offsets, size_t count, size_t longest, A *y,
                         void (*scan_long)(const scan_params *, const void *, size_t, scan_state *, void *)) {
    scan_state state;
    OF(begin)(how, dtype, params, &state);
    const A init = state.MEMBER.prefix[2];
    for (size_t s = 0; s < count; s++) {
        const size_t first = (size_t)offsets[s], n = (size_t)offsets[s + 1] - first;
        const char *from = x + first * element_bytes(dtype);
        if (n == 0 || n > longest) continue;
        if (n <= SCAN_BLOCK) {
            OF(scan_short)(how, dtype, params, from, n, (size_t)offsets[count] - first, init, y + first);
        } else {
            OF(begin)(how, dtype, params, &state);
            scan_long(params, from, n, &state, y + first);
        }
        if (how == COMBINE_ADD && params->exclusive) y[first] = 0;
    }
}

#undef BYTES
#undef WIDTH
#undef GROUP_VECTORS
#undef VECTOR
#undef LANES
#undef SIGNED_LANES
#undef LANE_BITS
#undef LANE_MAX
#undef A
#undef LANE
#undef SIGNED_LANE
#undef IS_FLOAT
#undef OWN_TYPE
#undef KEYS_OF
#undef MEMBER
#undef OF
