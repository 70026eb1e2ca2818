/* Complex transforms whose values fit in the registers, or that pass once through a buffer
 * (transform_kernels.registers), for one element type and vector size; included after
 * cpu/kernels/bodies/complex_body.h.
 *
 * n values are V = n / COMPLEX vectors of adjacent complex numbers, V >= COMPLEX. The first log2 V stages combine
 * corresponding lanes of two vectors. Afterwards, vector b is block b of the remaining stages. COMPLEX vectors that
 * differ in the upper bits of their numbers are transposed as a matrix of complex numbers, so that the remaining
 * stages combine corresponding lanes of two vectors as well. The upper bits of b are the lower bits of the number of
 * a result: the lanes are adjacent results.
 *
 * If V vectors are too many for the registers, the first stages store their results in a buffer, block by block: once
 * or twice. The other stages are computed for COMPLEX blocks of `each` vectors at a time. */

#include "cpu/kernels/bodies/each_lane.h"

/* OF(pick) with constant lanes, of which GCC makes an instruction without a vector of indices if there is one. The
 * empty statement hides their origin: GCC would otherwise compute the lanes of a product one by one. */
INLINE VECTOR OF(rearrange)(VECTOR a, VECTOR b, LANES from) {
    VECTOR v = OF(pick)(a, b, from);
    KEEP_IN_REGISTER(v);
    return v;
}

/* Returns b with its parts exchanged in the lanes whose block is turned by a quarter, or in the others. crossed: b
 * with all parts exchanged. The block is first + apart l in the lanes of complex number l, where l is mirrored; its
 * lowest two bits must be constant. A blend is faster than a second exchange, but GCC makes blends of some constant
 * lanes of 64-byte vectors from slower instructions. */
INLINE VECTOR OF(turned_parts)(VECTOR b, VECTOR crossed, size_t first, size_t apart, bool others) {
#define BLOCK(l) (first + apart * transform_mirrored((l) / 2, transform_log2(COMPLEX)))
#define EXCHANGED(l) (LANE)((BLOCK(l) ^ BLOCK(l) >> 1 ^ others) & 1)
    const LANES exchanged = EACH_LANE(EXCHANGED), number = OF(lane_numbers)();
    if (apart % 4 == 0) return EXCHANGED(0) ? crossed : b;
    return VECTOR_BYTES == 64 ? OF(rearrange)(b, b, number ^ exchanged)
                              : OF(rearrange)(b, crossed, number + exchanged * (LANE)WIDTH);
#undef BLOCK
#undef EXCHANGED
}

/* Returns a complex number in all lanes. Compilers make one load of it, but of 64 bytes of f64 GCC makes four stores.
 */
INLINE VECTOR OF(repeated)(const REAL *number) {
#if REAL_BYTES == 4
    typedef uint64_t words __attribute__((vector_size(VECTOR_BYTES)));
    uint64_t word;
    memcpy(&word, number, sizeof word);
    return (VECTOR)((words){0} + word);
#elif VECTOR_BYTES == 64 && !defined(__clang__)
    typedef double parts __attribute__((vector_size(16)));
    parts v;
    memcpy(&v, number, sizeof v);
    return __builtin_ia32_broadcastf64x2_512_mask(v, (VECTOR){0}, (unsigned char)-1);
#else
    VECTOR v;
    for (size_t l = 0; l < WIDTH; l++) v[l] = number[l % 2];
    return v;
#endif
}

/* Computes the butterfly of ORDER.md 14.2 for the blocks of turned_parts. w: the scale of each part, with its sign,
 * then the slope of each part, for exchanged parts in turned lanes; of one number if all lanes have one block
 * (apart = 0). unit: all scales are 1; then a sum has the bits of the fused operation, for which some CPUs have fewer
 * units. */
INLINE void OF(register_butterfly)(VECTOR *a, VECTOR *b, const REAL *w, size_t first, size_t apart, bool unit) {
    const VECTOR scale = apart ? OF(load)(w) : OF(repeated)(w);
    const VECTOR slope = apart ? OF(load)(w + WIDTH) : OF(repeated)(w + 2);
    const VECTOR crossed = OF(swap_parts)(*b);
    const VECTOR x = OF(turned_parts)(*b, crossed, first, apart, false);
    const VECTOR y = OF(turned_parts)(*b, crossed, first, apart, true);
    const VECTOR z = OF(multiply_add)(y, slope, x);
    *b = unit ? *a - z : OF(multiply_add)(-z, scale, *a);
    *a = unit ? *a + z : OF(multiply_add)(z, scale, *a);
}

/* A step of the transposition: replaces each pair of vectors whose numbers differ by d. */
INLINE void OF(transposition_step)(VECTOR *v, size_t d, LANES low, LANES high) {
#pragma GCC unroll 8
    for (size_t i = 0; i < COMPLEX; i++) {
        if (i & d) continue;
        const VECTOR a = v[i], b = v[i + d];
        v[i] = OF(rearrange)(a, b, low);
        v[i + d] = OF(rearrange)(a, b, high);
    }
}

/* Transposes COMPLEX vectors in place, as a matrix of complex numbers. A step takes the even or the odd numbers of
 * two vectors (f64), or exchanges a bit of the number of a lane with that of its vector (f32): these are the steps
 * that x86-64 has instructions for. */
INLINE void OF(transpose_numbers)(VECTOR *v) {
#define EVENS(l) (LANE)(2 * (l - (l & 1)) + (l & 1))
#define LOW_BY(d, l) (LANE)(REAL_BYTES == 8 ? EVENS(l) : (l & (2 * d)) ? WIDTH + l - 2 * d : l)
#define LOW_1(l) LOW_BY(1, l)
#define LOW_2(l) LOW_BY(2, l)
#define LOW_4(l) LOW_BY(4, l)
    const LANES low_1 = EACH_LANE(LOW_1), low_2 = EACH_LANE(LOW_2), low_4 = EACH_LANE(LOW_4);
#undef EVENS
#undef LOW_BY
#undef LOW_1
#undef LOW_2
#undef LOW_4
    OF(transposition_step)(v, 1, low_1, low_1 + 2);
    if (COMPLEX > 2) OF(transposition_step)(v, 2, low_2, low_2 + (LANE)(REAL_BYTES == 8 ? 2 : 4));
    if (COMPLEX > 4) OF(transposition_step)(v, 4, low_4, low_4 + 8);
}

/* Computes all stages on `count` vectors. first and apart: blocks of the first stage, see turned_parts. Block q of
 * the stage with `blocks` blocks has the twiddle at w[q], or the one at w[blocks - 1 + q] if each stage has its own.
 * Unless each stage has its own, q is the number of the block in the transform: T[0] is 1. */
INLINE void OF(register_stages)(VECTOR *v, size_t count, const REAL *w, bool own, size_t first, size_t apart) {
#pragma GCC unroll 4
    for (size_t blocks = 1; blocks < count; blocks *= 2) {
        const size_t half = count / blocks / 2, entry = apart ? 2 * WIDTH : 4; /* reals */
#pragma GCC unroll 8
        for (size_t i = 0; i < count / 2; i++) {
            const size_t q = i / half, j = 2 * half * q + i % half;
            OF(register_butterfly)
            (&v[j], &v[j + half], w + entry * (own ? blocks - 1 + q : q), blocks * first + q, blocks * apart,
             !own && q == 0);
        }
    }
}

/* Returns true if a lane is NaN. */
INLINE bool OF(has_nan)(VECTOR v) {
#if defined(__AVX512F__) && VECTOR_BYTES == 64 && !defined(__clang__)
    return REAL_BYTES == 4 ? __builtin_ia32_cmpps512_mask((vector_f32)v, (vector_f32)v, 3, (unsigned short)-1, 4)
                           : __builtin_ia32_cmppd512_mask((vector_f64)v, (vector_f64)v, 3, (unsigned char)-1, 4);
#elif defined(__AVX__) && VECTOR_BYTES == 32 && !defined(__clang__)
    typedef float floats __attribute__((vector_size(32)));
    typedef double doubles __attribute__((vector_size(32)));
    return REAL_BYTES == 4 ? __builtin_ia32_movmskps256(__builtin_ia32_cmpps256((floats)v, (floats)v, 3))
                           : __builtin_ia32_movmskpd256(__builtin_ia32_cmppd256((doubles)v, (doubles)v, 3));
#else
    bool nan = false;
    for (size_t l = 0; l < WIDTH; l++) nan |= v[l] != v[l];
    return nan;
#endif
}

/* Makes results canonical. */
NOINLINE void OF(make_canonical)(REAL *y, size_t reals) {
    for (size_t i = 0; i < reals; i++) y[i] = CANONICAL(y[i]);
}

/* Computes the stages within the vectors v[each * l], l < COMPLEX, with the twiddles at w; first and apart: see
 * turned_parts. Stores COMPLEX vectors of adjacent results, `step` reals apart in the order of their numbers.
 * Adds to *sums one result of each butterfly of the last stage: a' of 14.2 is not finite if a or z is not, and b' is
 * NaN only then. */
INLINE void OF(finish_registers)(const VECTOR *v, size_t each, const REAL *w, size_t first, size_t apart, size_t step,
                                 VECTOR factor, bool inverse, VECTOR *sums, REAL *to) {
    VECTOR u[COMPLEX];
#pragma GCC unroll 8
    for (size_t l = 0; l < COMPLEX; l++) u[l] = v[each * l];
    OF(transpose_numbers)(u);
    OF(register_stages)(u, COMPLEX, w, true, first, apart);
#pragma GCC unroll 8
    for (size_t j = 0; j < COMPLEX; j++) {
        const VECTOR result = inverse ? u[j] * factor : u[j];
        if (j % 2 == 0) {
            *sums += result;
            KEEP_IN_REGISTER(*sums); /* GCC would otherwise keep the results in memory and add them later */
        }
        OF(store)(to + step * transform_mirrored(j, transform_log2(COMPLEX)), result);
    }
}

/* Transforms `count` vectors from x to y; count must be constant. */
INLINE void OF(one_in_registers)(const REAL *x, REAL *y, size_t count, const REAL *w, VECTOR factor, bool inverse,
                                 VECTOR *sums) {
    const size_t groups = count / COMPLEX;
    VECTOR v[MOST_IN_REGISTERS], u[COMPLEX];
#pragma GCC unroll 16
    for (size_t i = 0; i < count; i++) v[i] = OF(load)(x + WIDTH * i);
    OF(register_stages)(v, count, w, false, 0, 0);
    w += 2 * count;
#pragma GCC unroll 4
    for (size_t g = 0; g < groups; g++, w += 2 * WIDTH * (COMPLEX - 1)) {
#pragma GCC unroll 8
        for (size_t l = 0; l < COMPLEX; l++) u[l] = v[transform_mirrored(l, transform_log2(COMPLEX)) * groups + g];
        OF(finish_registers)
        (u, 1, w, g, groups, 2 * count, factor, inverse, sums,
         y + WIDTH * transform_mirrored(g, transform_log2(groups)));
    }
}

/* Computes the first stages of block `block` of `count` vectors that are `apart` vectors apart, for `apart` such
 * sets, from x to z. */
INLINE void OF(register_sweep)(const REAL *x, REAL *z, size_t count, size_t apart, const REAL *w, bool own,
                               size_t block) {
    for (size_t e = 0; e < apart; e++) {
        VECTOR v[MOST_IN_REGISTERS];
#pragma GCC unroll 16
        for (size_t i = 0; i < count; i++) v[i] = OF(load)(x + WIDTH * (apart * i + e));
        OF(register_stages)(v, count, w, own, block, 0);
#pragma GCC unroll 16
        for (size_t i = 0; i < count; i++) OF(store)(z + WIDTH * (apart * i + e), v[i]);
    }
}

/* Computes the stages that divide each of the blocks in z into `count` blocks of `apart` vectors. Returns the
 * twiddles after those that it used. */
INLINE const REAL *OF(middle_sweep)(REAL *z, size_t blocks, size_t count, size_t apart, const REAL *w) {
    for (size_t k = 0; k < blocks; k += 4)
#pragma GCC unroll 4
        for (size_t low = 0; low < 4; low++, w += 4 * (count - 1)) {
            REAL *const block = z + WIDTH * count * apart * (k + low);
            OF(register_sweep)(block, block, count, apart, w, true, low);
        }
    return w;
}

/* Computes the last stages of COMPLEX blocks of `each` vectors in the buffer: blocks g, g + groups, ...; g modulo 4
 * is `low`. Returns the twiddles after those that it used. */
INLINE const REAL *OF(register_group)(const REAL *z, REAL *y, size_t groups, size_t each, size_t g, size_t low,
                                      const REAL *w, VECTOR factor, bool inverse, VECTOR *sums) {
    const size_t blocks = COMPLEX * groups;
    REAL *const to = y + WIDTH * transform_mirrored(g, transform_log2(groups));
    VECTOR v[MOST_IN_REGISTERS];
#pragma GCC unroll 8
    for (size_t l = 0; l < COMPLEX; l++, w += 4 * (each - 1)) {
        const size_t block = transform_mirrored(l, transform_log2(COMPLEX)) * groups;
#pragma GCC unroll 4
        for (size_t e = 0; e < each; e++) v[each * l + e] = OF(load)(z + WIDTH * (each * (block + g) + e));
        OF(register_stages)(v + each * l, each, w, true, block + low, 0);
    }
#pragma GCC unroll 4
    for (size_t e = 0; e < each; e++, w += 2 * WIDTH * (COMPLEX - 1)) OF(finish_registers)
    (v + e, each, w, low * each + e, groups * each, 2 * blocks * each, factor, inverse, sums,
     to + 2 * blocks * transform_mirrored(e, transform_log2(each)));
    return w;
}

/* Transforms first * middle * each vectors from x to y, in a buffer; the three must be constant. The first stages
 * make `first` blocks, and the stages after them `middle` blocks of each, in one or two sweeps, if middle > 1. The
 * others are computed for COMPLEX blocks at a time. */
INLINE void OF(one_in_buffer)(const REAL *x, REAL *z, REAL *y, size_t first, size_t middle, size_t each,
                              const REAL *w, VECTOR factor, bool inverse, VECTOR *sums) {
    const size_t groups = first * middle / COMPLEX;
    OF(register_sweep)(x, z, first, middle * each, w, false, 0);
    w += 2 * first;
    if (middle == 16) { /* so many vectors do not fit in the registers */
        w = OF(middle_sweep)(z, first, 4, 4 * each, w);
        w = OF(middle_sweep)(z, 4 * first, 4, each, w);
    } else if (middle > 1)
        w = OF(middle_sweep)(z, first, middle, each, w);
    for (size_t g = 0; g < groups; g += 4)
#pragma GCC unroll 4
        for (size_t low = 0; low < 4; low++)
            if (low < groups) w = OF(register_group)(z, y, groups, each, g + low, low, w, factor, inverse, sums);
}

/* Transforms the arrays of the pass, of first * middle * each vectors. */
INLINE void OF(each_in_registers)(const transform_pass *p, size_t first, size_t middle, size_t each, bool inverse) {
    const size_t reals = WIDTH * first * middle * each;
    const REAL *const w = (const REAL *)p->plan->register_twiddles[inverse];
    const VECTOR factor = OF(fill)((REAL)p->scale);
    VECTOR sums = {0}; /* of results: not finite if a result is NaN */
    for (size_t b = p->from; b < p->to; b++) {
        const REAL *const x = (const REAL *)p->x + reals * b;
        REAL *const y = (REAL *)p->y + reals * b;
        if (each == 1)
            OF(one_in_registers)(x, y, first, w, factor, inverse, &sums);
        else
            OF(one_in_buffer)(x, p->buffer, y, first, middle, each, w, factor, inverse, &sums);
    }
    if (OF(has_nan)(sums - sums)) OF(make_canonical)((REAL *)p->y + reals * p->from, reals * (p->to - p->from));
}

/* Each number of vectors is a function of its own. EACH: vectors of a block in the buffer. */
#define EACH (MOST_IN_REGISTERS / COMPLEX)
#define FITS(first) ((first) >= COMPLEX && (first) <= MOST_IN_REGISTERS ? (first) : MOST_IN_REGISTERS)
#define VECTORS(name, first, middle, each)                                                                          \
    NOINLINE void OF(name)(const transform_pass *p) { OF(each_in_registers)(p, FITS(first), middle, each, false); } \
    NOINLINE void OF(name##_back)(const transform_pass *p) {                                                        \
        OF(each_in_registers)(p, FITS(first), middle, each, true);                                                  \
    }
VECTORS(registers_4, 4, 1, 1)
VECTORS(registers_8, 8, 1, 1)
VECTORS(registers_16, 16, 1, 1)
VECTORS(buffer_half, MOST_IN_REGISTERS / 2, 1, EACH)
VECTORS(buffer_1, MOST_IN_REGISTERS, 1, EACH)
VECTORS(buffer_2, MOST_IN_REGISTERS / 2, 4, EACH)
VECTORS(buffer_4, MOST_IN_REGISTERS, 4, EACH)
VECTORS(buffer_8, MOST_IN_REGISTERS, 8, EACH)
VECTORS(buffer_16, MOST_IN_REGISTERS, 16, EACH)
#undef VECTORS
#undef FITS

static void OF(registers)(const transform_pass *p) {
    enum { FULL = MOST_IN_REGISTERS * EACH };
    const size_t longest = (1 << (VECTOR_BYTES == 64 ? REGISTER_LOG_V4 : REGISTER_LOG)) / COMPLEX;
    const size_t vectors = p->plan->n / COMPLEX;
#define RUN(name) (p->inverse ? OF(name##_back) : OF(name))(p)
    if (vectors == 4)
        RUN(registers_4);
    else if (vectors == 8)
        RUN(registers_8);
    else if (vectors <= MOST_IN_REGISTERS)
        RUN(registers_16);
    else if (2 * vectors == FULL)
        RUN(buffer_half);
    else if (vectors == FULL)
        RUN(buffer_1);
    else if (vectors == 2 * FULL)
        RUN(buffer_2);
    else if (longest > 2 * FULL && vectors == 4 * FULL)
        RUN(buffer_4);
    else if (longest > 4 * FULL && vectors == 8 * FULL)
        RUN(buffer_8);
    else if (longest > 8 * FULL)
        RUN(buffer_16);
#undef RUN
}
#undef EACH
