/* Transforms whose values fit in the cache (transform_kernels.whole), for one element type; included after
 * cpu/kernels/bodies/complex_body.h.
 *
 * A pair is a vector of real parts and a vector of imaginary parts: WIDTH complex values, which no stage has to
 * rearrange for a complex product. n values are V = n / WIDTH pairs. Pair j contains values j WIDTH to j WIDTH +
 * WIDTH - 1; transform_lane_bit gives their lanes. The first log2 V stages combine corresponding lanes of two pairs.
 * Their sweeps compute two or three stages each; the first sweep separates the parts, and all sweeps write to the
 * buffer.
 *
 * In the last log2 WIDTH stages both values are in the same pair. They are computed for groups of 2^v pairs in
 * registers. Before such a stage, the bit of the lane number that the stage combines is exchanged with a bit of the
 * pair's number within the group. The pairs of a group differ in the upper v bits of their numbers, which are the
 * lower bits of the result's number. Therefore the lanes end as adjacent results. */
enum {
    OF(WIDTH_LOG) = WIDTH == 16  ? 4
                    : WIDTH == 8 ? 3
                    : WIDTH == 4 ? 2
                                 : 1,
    OF(GROUP_LOG) = OF(WIDTH_LOG) < 3 ? OF(WIDTH_LOG) : 3,
    OF(LOW_BITS) = sizeof(REAL) == 4
};
#define BLOCK_BYTES ((size_t)1 << 17) /* of pairs whose sweeps follow one another */

/* Picks lanes like OF(pick). The empty statement hides their origin: GCC would otherwise read the lanes of a result
 * from the arguments, and then compute OF(multiply_add) lane by lane. */
INLINE VECTOR OF(rearrange)(VECTOR a, VECTOR b, LANES from) {
    VECTOR v = OF(pick)(a, b, from);
#if defined(__AVX512F__)
    __asm__("" : "+v"(v));
#elif defined(__x86_64__)
    __asm__("" : "+x"(v));
#endif
    return v;
}

#include "cpu/kernels/bodies/each_lane.h"

typedef struct OF(pair) {
    VECTOR re, im;
} OF(pair);

INLINE OF(pair) OF(load_pair)(const REAL *p) { return (OF(pair)){OF(load)(p), OF(load)(p + WIDTH)}; }

INLINE void OF(store_pair)(REAL *p, OF(pair) v) {
    OF(store)(p, v.re);
    OF(store)(p + WIDTH, v.im);
}

/* Number of the value in a lane, and lane of a value, of a newly loaded pair (transform_lane_bit). */
#define LOW OF(LOW_BITS)
#define VALUE_OF(lane) \
    ((LANE)((lane & ((1 << LOW) - 1)) | (lane >> LOW & 1) << (OF(WIDTH_LOG) - 1) | lane >> (LOW + 1) << LOW))
#define LANE_OF(value)                                                               \
    ((LANE)(((value) & ((1 << LOW) - 1)) | ((value) >> (OF(WIDTH_LOG) - 1)) << LOW | \
            ((value) & ((1 << (OF(WIDTH_LOG) - 1)) - 1)) >> LOW << (LOW + 1)))

/* Loads WIDTH complex values. With `inverse`, the parts are swapped: the transform of the swapped values is the
 * swapped inverse transform, bit for bit. */
INLINE OF(pair) OF(load_separated)(const REAL *p, bool inverse) {
#define EVEN(lane) 2 * VALUE_OF(lane)
    const LANES even = EACH_LANE(EVEN);
#undef EVEN
    const VECTOR a = OF(load)(p), b = OF(load)(p + WIDTH);
    const VECTOR re = OF(rearrange)(a, b, even), im = OF(rearrange)(a, b, even + 1);
    return inverse ? (OF(pair)){im, re} : (OF(pair)){re, im};
}

INLINE OF(pair) OF(spread_pair)(OF(number) w) { return (OF(pair)){OF(fill)(w.re), OF(fill)(w.im)}; }

/* Computes the butterfly of ORDER.md 14.2 for a block whose number is k modulo 4, with scales and slopes w. Negating
 * a factor that is no constant is part of the instruction. k should be constant. */
FUSED_INLINE void OF(pair_butterfly)(OF(pair) * a, OF(pair) * b, OF(pair) w, size_t k) {
    const VECTOR re = OF(multiply_add)(-b->im, w.im, b->re), im = OF(multiply_add)(b->re, w.im, b->im);
    const bool turned = k == 1 || k == 2; /* by a quarter */
    const VECTOR x = turned ? im : re, y = turned ? re : im;
    const OF(pair) sum = {OF(multiply_add)(x, w.re, a->re), OF(multiply_add)(y, w.re, a->im)};
    OF(pair) difference = {OF(multiply_add)(-x, w.re, a->re), OF(multiply_add)(-y, w.re, a->im)};
#if VECTOR_BYTES == 64
    KEEP_IN_REGISTER(difference.re); /* computed first: up to an eighth faster with AVX-512 */
    KEEP_IN_REGISTER(difference.im);
#endif
    *a = (OF(pair)){k == 3 ? difference.re : sum.re, k > 0 ? difference.im : sum.im};
    *b = (OF(pair)){k == 3 ? sum.re : difference.re, k > 0 ? sum.im : difference.im};
}

/* ---------------------------------------------------------------------------- stages between pairs */

/* Twiddles of `stages` stages of block k: T[k]; T[2k]; T[4k], T[4k + 2]. Those of the next odd block differ by a
 * quarter turn. */
typedef struct OF(block_twiddles) {
    OF(pair) first, second, third[2];
} OF(block_twiddles);

INLINE OF(block_twiddles) OF(twiddles_of)(const OF(number) * w, size_t k, int stages) {
    OF(block_twiddles) t = {.first = OF(spread_pair)(w[k])};
    if (stages > 1) t.second = OF(spread_pair)(w[2 * k]);
    if (stages > 2) {
        t.third[0] = OF(spread_pair)(w[4 * k]);
        t.third[1] = OF(spread_pair)(w[4 * k + 2]);
    }
    return t;
}

/* Computes `stages` stages of one block, whose number is k modulo 4, on 2^stages values per lane. */
INLINE void OF(pair_stages)(OF(pair) * v, OF(block_twiddles) w, size_t k, int stages) {
    const size_t count = (size_t)1 << stages;
#pragma GCC unroll 4
    for (size_t i = 0; i < count / 2; i++) OF(pair_butterfly)(&v[i], &v[i + count / 2], w.first, k);
    if (stages > 1)
#pragma GCC unroll 4
        for (size_t i = 0; i < count / 2; i++) {
            const size_t upper = i / (count / 4), at = i % (count / 4) + upper * (count / 2);
            OF(pair_butterfly)(&v[at], &v[at + count / 4], w.second, (2 * k + upper) % 4);
        }
    if (stages > 2)
#pragma GCC unroll 4
        for (size_t i = 0; i < 4; i++) OF(pair_butterfly)(&v[2 * i], &v[2 * i + 1], w.third[i / 2], i);
}

/* Computes the first stages, of the only block, which has `length` pairs, from x to z. */
INLINE void OF(sweep_from)(const REAL *x, REAL *z, size_t length, const OF(number) * w, int stages, bool inverse) {
    const size_t count = (size_t)1 << stages, step = 2 * WIDTH * (length >> stages);
    const OF(block_twiddles) t = OF(twiddles_of)(w, 0, stages);
    for (size_t at = 0; at < step; at += 2 * WIDTH) {
        OF(pair) v[8];
#pragma GCC unroll 8
        for (size_t i = 0; i < count; i++) v[i] = OF(load_separated)(x + at + i * step, inverse);
        OF(pair_stages)(v, t, 0, stages);
#pragma GCC unroll 8
        for (size_t i = 0; i < count; i++) OF(store_pair)(z + at + i * step, v[i]);
    }
}

INLINE void OF(first_sweep)(const transform_pass *p, const REAL *x, size_t length, int stages) {
    p->inverse ? OF(sweep_from)(x, p->buffer, length, p->plan->twiddles, stages, true)
               : OF(sweep_from)(x, p->buffer, length, p->plan->twiddles, stages, false);
}

/* Sweeps block k, which is `low` modulo 4, of 2^stages parts of `step` reals in z. */
INLINE void OF(block_sweep)(REAL *z, size_t step, size_t k, size_t low, const OF(number) * w, int stages) {
    const size_t count = (size_t)1 << stages;
    const OF(block_twiddles) t = OF(twiddles_of)(w, k, stages);
    for (size_t at = 0; at < step; at += 2 * WIDTH) {
        OF(pair) v[8];
#pragma GCC unroll 8
        for (size_t i = 0; i < count; i++) v[i] = OF(load_pair)(z + at + i * step);
        OF(pair_stages)(v, t, low, stages);
#pragma GCC unroll 8
        for (size_t i = 0; i < count; i++) OF(store_pair)(z + at + i * step, v[i]);
    }
}

/* Sweeps blocks [first, first + blocks), of `length` pairs in z: first those whose numbers are 0 modulo 4, then 1, 2
 * and 3. */
INLINE void OF(sweep_of)(REAL *z, size_t length, size_t first, size_t blocks, const OF(number) * w, int stages) {
    const size_t step = 2 * WIDTH * (length >> stages);
#pragma GCC unroll 4
    for (size_t low = 0; low < 4; low++)
        for (size_t i = (low - first) % 4; i < blocks; i += 4)
            OF(block_sweep)(z + 2 * WIDTH * length * i, step, first + i, low, w, stages);
}

/* Calls sweep_of for two or three stages. */
static __attribute__((noinline)) void OF(pair_sweep)(REAL *z, size_t length, size_t first, size_t blocks,
                                                     const OF(number) * w, int stages) {
    stages == 2 ? OF(sweep_of)(z, length, first, blocks, w, 2) : OF(sweep_of)(z, length, first, blocks, w, 3);
}

/* Computes the stages of blocks of `length` pairs, a power of eight: block after block, if a block fits in the
 * cache. */
static void OF(remaining_sweeps)(REAL *z, size_t length, size_t blocks, const OF(number) * w) {
    for (; length * 2 * sizeof(VECTOR) > BLOCK_BYTES; length /= 8, blocks *= 8)
        OF(pair_sweep)(z, length, 0, blocks, w, 3);
    for (size_t k = 0; k < blocks; k++, z += 2 * WIDTH * length)
        for (size_t part = length, parts = 1; part > 1; part /= 8, parts *= 8)
            OF(pair_sweep)(z, part, k * parts, parts, w, 3);
}

/* Computes the stages between pairs, with at least four pairs, from x to the buffer. */
static void OF(pair_sweeps)(const transform_pass *p, const REAL *x) {
    const OF(number) *w = p->plan->twiddles;
    REAL *z = p->buffer;
    const size_t length = p->plan->n / WIDTH;
    const int stages = transform_log2(length);
    if (stages % 3 == 0) {
        OF(first_sweep)(p, x, length, 3);
        OF(remaining_sweeps)(z, length / 8, 8, w);
        return;
    }
    OF(first_sweep)(p, x, length, 2);
    if (stages % 3 == 2) {
        OF(remaining_sweeps)(z, length / 4, 4, w);
        return;
    }
    OF(pair_sweep)(z, length / 4, 0, 4, w, 2);
    OF(remaining_sweeps)(z, length / 16, 16, w);
}

/* ------------------------------------------------------------------------------ stages within pairs */

/* Exchanges a bit of the lane number with the bit with value `pair` of the pair number. */
INLINE void OF(exchange)(OF(pair) * v, size_t count, int bit, size_t pair) {
    const LANE lane = (LANE)1 << bit, moves = transform_exchange_moves(bit, OF(WIDTH_LOG), sizeof(REAL));
#define LOW_FROM(l)                                                          \
    (((LANE)l & ~(lane + 2 * moves * lane)) + 2 * moves * ((LANE)l & lane) + \
     ((LANE)l >> bit >> moves & 1) * (LANE)WIDTH)
    const LANES low = EACH_LANE(LOW_FROM);
#undef LOW_FROM
#pragma GCC unroll 8
    for (size_t i = 0; i < count; i++) {
        if (i & pair) continue;
        const OF(pair) a = v[i], b = v[i + pair];
        v[i] = (OF(pair)){OF(rearrange)(a.re, b.re, low), OF(rearrange)(a.im, b.im, low)};
        v[i + pair] = (OF(pair)){OF(rearrange)(a.re, b.re, low + lane), OF(rearrange)(a.im, b.im, low + lane)};
    }
}

/* Value of `low` if the lanes of a pair belong to blocks whose numbers differ modulo 4. */
enum { OF(MIXED) = 4 };

/* Computes the butterfly of ORDER.md 14.2 with an entry of the table for mixed lanes: slopes, scales of the real and
 * of the imaginary parts, and lanes turned by a quarter, whose bits are ones. */
FUSED_INLINE void OF(mixed_butterfly)(OF(pair) * a, OF(pair) * b, const REAL *w) {
    const OF(pair) c = OF(load_pair)(w + WIDTH);
    const VECTOR slope = OF(load)(w);
    const LANES exchanged = ((LANES)b->re ^ (LANES)b->im) & (LANES)OF(load)(w + 3 * WIDTH);
    const VECTOR x = (VECTOR)((LANES)b->re ^ exchanged), y = (VECTOR)((LANES)b->im ^ exchanged);
    const OF(pair) z = {OF(multiply_add)(-y, slope, x), OF(multiply_add)(x, slope, y)};
    *b = (OF(pair)){OF(multiply_add)(-z.re, c.re, a->re), OF(multiply_add)(-z.im, c.im, a->im)};
    *a = (OF(pair)){OF(multiply_add)(z.re, c.re, a->re), OF(multiply_add)(z.im, c.im, a->im)};
}

/* Computes stage s of a group of 2^group pairs, on the pairs that differ in the bit of the stage. low: the lowest two
 * bits of the block of stage 0. A block of a later stage has one more bit for each stage before it, which is a bit of
 * the number of the pair. Returns the twiddles after those that it used. */
INLINE const REAL *OF(stage_within)(OF(pair) * v, int group, int s, size_t low, const REAL *w) {
#define BIT_OF(stage) ((size_t)1 << (group - 1 - (stage) % group))
    const size_t count = (size_t)1 << group, pair = BIT_OF(s), shared = s < group ? pair - 1 : 0;
    const size_t last = s && low != OF(MIXED) ? BIT_OF(s - 1) : 0, second = s > 1 ? BIT_OF(s - 2) : 0;
#undef BIT_OF
#pragma GCC unroll 8
    for (size_t i = 0; i < count; i++) {
        if (i & (pair | last | shared)) continue;
#pragma GCC unroll 8
        for (size_t j = 0; j < count; j++) {
            if ((j & pair) || (j & ~(last | shared)) != i) continue;
            const size_t upper = s > 1 ? (j & second) != 0 : low, k = s ? (2 * upper + ((j & last) != 0)) % 4 : low;
            if (low == OF(MIXED))
                OF(mixed_butterfly)(&v[j], &v[j + pair], w);
            else
                OF(pair_butterfly)(&v[j], &v[j + pair], OF(load_pair)(w), k);
        }
        w += (low == OF(MIXED) ? 4 : 2) * WIDTH;
    }
    return w;
}

/* Computes the last log2 WIDTH stages of a group of 2^group pairs. */
INLINE void OF(stages_within)(OF(pair) * v, int group, size_t low, const REAL *w) {
    const size_t count = (size_t)1 << group;
#pragma GCC unroll 4
    for (int s = 0; s < group; s++) OF(exchange)
    (v, count, transform_lane_bit(OF(WIDTH_LOG) - 1 - s, OF(WIDTH_LOG), sizeof(REAL)), (size_t)1 << (group - 1 - s));
#pragma GCC unroll 4
    for (int s = 0; s < OF(WIDTH_LOG); s++) {
        if (s >= group) OF(exchange)
        (v, count, transform_lane_bit(OF(WIDTH_LOG) - 1 - s, OF(WIDTH_LOG), sizeof(REAL)),
         (size_t)1 << (group - 1 - s % group));
        w = OF(stage_within)(v, group, s, low, w);
    }
}

/* Stores a group of results. In `y`, result r of a pair is r << pairs values after result 0. */
INLINE void OF(store_group)(const OF(pair) * v, int group, int pairs, REAL *y, REAL scale, bool inverse) {
    /* The exchanges leave adjacent results in the order of loaded values (f32), or in their own order (f64). */
#define FROM(l, result) (LANE)((LOW ? LANE_OF(result) : (LANE)(result)) + ((l & 1) != inverse ? WIDTH : 0))
#define FROM_LOWER(l) FROM(l, l / 2)
#define FROM_UPPER(l) FROM(l, l / 2 + WIDTH / 2)
    const LANES lower = EACH_LANE(FROM_LOWER), upper = EACH_LANE(FROM_UPPER);
#undef FROM
#undef FROM_LOWER
#undef FROM_UPPER
    const VECTOR factor = OF(fill)(scale);
    const bool spread = OF(GROUP_LOG) < OF(WIDTH_LOG) && group == OF(GROUP_LOG);
    const size_t half = spread ? (size_t)2 << pairs : WIDTH, count = (size_t)1 << group;
#pragma GCC unroll 8
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;
#pragma GCC unroll 4
        for (int s = OF(WIDTH_LOG) - group; s < OF(WIDTH_LOG); s++) at += (i >> (group - 1 - s % group) & 1) << s;
        REAL *to = y + (2 * at << pairs);
        const VECTOR a = OF(rearrange)(v[i].re, v[i].im, lower), b = OF(rearrange)(v[i].re, v[i].im, upper);
        OF(store)(to, OF(canonical)(inverse ? a * factor : a));
        OF(store)(to + half, OF(canonical)(inverse ? b * factor : b));
    }
}

/* ------------------------------------------------------------------------------------- transforms */

/* Computes transforms of 2^group pairs in registers. */
INLINE void OF(in_registers)(const transform_pass *p, int group, bool inverse) {
    const size_t count = (size_t)1 << group;
    for (size_t b = p->from; b < p->to; b++) {
        const size_t at = 2 * WIDTH * count * b;
        OF(pair) v[8];
#pragma GCC unroll 8
        for (size_t i = 0; i < count; i++)
            v[i] = OF(load_separated)((const REAL *)p->x + at + 2 * WIDTH * i, inverse);
        OF(pair_stages)(v, OF(twiddles_of)(p->plan->twiddles, 0, group), 0, group);
        OF(stages_within)(v, group, OF(MIXED), p->plan->group_twiddles);
        OF(store_group)(v, group, group, (REAL *)p->y + at, (REAL)p->scale, inverse);
    }
}

/* Computes groups [first, first + count) of the buffer, whose blocks end with `low`. */
INLINE void OF(group_range)(const transform_pass *p, size_t first, size_t count, size_t low, REAL *y, bool inverse) {
    enum { GROUP = OF(GROUP_LOG), COUNT = 1 << GROUP };
    const size_t groups = p->plan->n / WIDTH / COUNT;
    const int pairs = transform_log2(p->plan->n / WIDTH);
    const REAL *w = (const REAL *)p->plan->group_twiddles + 2 * WIDTH * p->plan->group_pairs * first;
    size_t at = transform_mirrored(first, pairs - GROUP);
    for (size_t g = first; g < first + count; g++, w += 2 * WIDTH * p->plan->group_pairs) {
        const REAL *z = (const REAL *)p->buffer + 2 * WIDTH * at;
        OF(pair) v[COUNT];
#pragma GCC unroll 8
        for (size_t i = 0; i < COUNT; i++) v[i] = OF(load_pair)(z + 2 * WIDTH * groups * i);
        OF(stages_within)(v, GROUP, low, w);
        OF(store_group)(v, GROUP, pairs, y + 2 * COUNT * g, (REAL)p->scale, inverse);
        size_t digit = groups / 2; /* increments `at` as a bit-reversed counter */
        for (; at & digit; digit /= 2) at -= digit;
        at += digit;
    }
}

/* Each case is a function of its own. With all of them in one, Clang makes a frame of more than 200 KiB. */
static __attribute__((noinline)) void OF(two_pairs)(const transform_pass *p) { OF(in_registers)(p, 1, false); }
static __attribute__((noinline)) void OF(two_pairs_back)(const transform_pass *p) { OF(in_registers)(p, 1, true); }
static __attribute__((noinline)) void OF(four_pairs)(const transform_pass *p) {
    OF(in_registers)(p, OF(GROUP_LOG) > 1 ? 2 : 1, false);
}
static __attribute__((noinline)) void OF(four_pairs_back)(const transform_pass *p) {
    OF(in_registers)(p, OF(GROUP_LOG) > 1 ? 2 : 1, true);
}
static __attribute__((noinline)) void OF(eight_pairs)(const transform_pass *p) {
    OF(in_registers)(p, OF(GROUP_LOG) > 2 ? 3 : 1, false);
}
static __attribute__((noinline)) void OF(eight_pairs_back)(const transform_pass *p) {
    OF(in_registers)(p, OF(GROUP_LOG) > 2 ? 3 : 1, true);
}
#define GROUPS(name, low)                                                                                          \
    static __attribute__((noinline)) void OF(name)(const transform_pass *p, size_t first, size_t count, REAL *y) { \
        p->inverse ? OF(group_range)(p, first, count, low, y, true)                                                \
                   : OF(group_range)(p, first, count, low, y, false);                                              \
    }
GROUPS(groups_0, 0)
GROUPS(groups_1, 1)
GROUPS(groups_2, 2)
GROUPS(groups_3, 3)
GROUPS(groups_mixed, OF(MIXED))
#undef GROUPS

/* Transforms more pairs, in the buffer. The blocks of a quarter of at least four groups end with the same two bits:
 * those of the number of the quarter, mirrored. */
static void OF(many_pairs)(const transform_pass *p) {
    const size_t groups = p->plan->n / WIDTH >> OF(GROUP_LOG), quarter = groups / 4;
    for (size_t b = p->from, step = 2 * p->plan->n; b < p->to; b++) {
        REAL *const y = (REAL *)p->y + b * step;
        OF(pair_sweeps)(p, (const REAL *)p->x + b * step);
        if (quarter == 0) {
            OF(groups_mixed)(p, 0, groups, y);
            continue;
        }
        OF(groups_0)(p, 0, quarter, y);
        OF(groups_2)(p, quarter, quarter, y);
        OF(groups_1)(p, 2 * quarter, quarter, y);
        OF(groups_3)(p, 3 * quarter, quarter, y);
    }
}

static void OF(whole)(const transform_pass *p) {
    const size_t pairs = p->plan->n / WIDTH;
    void (*transform)(const transform_pass *) = OF(many_pairs);
    if (pairs == 2)
        transform = p->inverse ? OF(two_pairs_back) : OF(two_pairs);
    else if (pairs == 4 && OF(GROUP_LOG) > 1)
        transform = p->inverse ? OF(four_pairs_back) : OF(four_pairs);
    else if (pairs == 8 && OF(GROUP_LOG) > 2)
        transform = p->inverse ? OF(eight_pairs_back) : OF(eight_pairs);
    transform(p);
}

#undef BLOCK_BYTES
