/* Transposition of a square of WIDTH vectors in registers, for one type. The includer defines VECTOR, LANES (the
 * vector of integers of its size), LANE (an integer of that size), WIDTH and OF(name).
 *
 * Squares of PART elements are transposed within parts of 16 bytes, then squares of parts. Each shuffle has constant
 * lane numbers that x86-64 and AArch64 encode in one instruction, without a table. */
enum { OF(PART) = 16 / sizeof(LANE), OF(PARTS) = WIDTH / OF(PART) };

/* Return the lane, of those of two vectors, that becomes lane l of zipped and unzipped. */
INLINE size_t OF(zipped_lane)(size_t l, bool upper) {
    return l / OF(PART) * OF(PART) + (upper ? OF(PART) / 2 : 0) + l % OF(PART) / 2 + l % 2 * WIDTH;
}

INLINE size_t OF(unzipped_lane)(size_t l, bool odd) {
    return l / OF(PART) * 2 * OF(PART) + odd * OF(PART) + l % OF(PART);
}

/* zipped interleaves the lower halves of the parts of a and b, or with `upper` the upper halves. unzipped returns the
 * even parts of a, then those of b, or with `odd` the odd parts. GCC and Clang express shuffles differently. */
#ifdef __clang__
INLINE VECTOR OF(zipped)(VECTOR a, VECTOR b, bool upper) {
    VECTOR v;
#pragma GCC unroll 16
    for (size_t l = 0; l < WIDTH; l++) v[l] = (l % 2 ? b : a)[OF(zipped_lane)(l, upper) % WIDTH];
    return v;
}

INLINE VECTOR OF(unzipped)(VECTOR a, VECTOR b, bool odd) {
    VECTOR v;
#pragma GCC unroll 16
    for (size_t l = 0; l < WIDTH; l++) v[l] = (l < WIDTH / 2 ? a : b)[OF(unzipped_lane)(l, odd) % WIDTH];
    return v;
}
#else
INLINE VECTOR OF(zipped)(VECTOR a, VECTOR b, bool upper) {
    LANES number = {0};
#pragma GCC unroll 16
    for (size_t l = 0; l < WIDTH; l++) number[l] = (LANE)OF(zipped_lane)(l, upper);
    return __builtin_shuffle(a, b, number);
}

INLINE VECTOR OF(unzipped)(VECTOR a, VECTOR b, bool odd) {
    LANES number = {0};
#pragma GCC unroll 16
    for (size_t l = 0; l < WIDTH; l++) number[l] = (LANE)OF(unzipped_lane)(l, odd);
    return __builtin_shuffle(a, b, number);
}
#endif

/* Transposes: lane l of vector i becomes lane i of vector l. */
INLINE void OF(transpose)(VECTOR *v) {
    VECTOR next[WIDTH];
#pragma GCC unroll 4
    for (size_t round = 1; round < OF(PART); round *= 2) {
#pragma GCC unroll 16
        for (size_t i = 0; i < WIDTH / 2; i++) {
            const size_t at = 2 * i / OF(PART) * OF(PART) + i % (OF(PART) / 2);
            next[2 * i] = OF(zipped)(v[at], v[at + OF(PART) / 2], false);
            next[2 * i + 1] = OF(zipped)(v[at], v[at + OF(PART) / 2], true);
        }
        /* cppcheck-suppress uninitvar ; WIDTH is even */
        memcpy(v, next, sizeof next);
    }
#pragma GCC unroll 4
    for (size_t round = 1; round < OF(PARTS); round *= 2) {
#pragma GCC unroll 16
        for (size_t i = 0; i < WIDTH / 2; i++) {
            const size_t at = i / OF(PART) * 2 * OF(PART) + i % OF(PART);
            next[i] = OF(unzipped)(v[at], v[at + OF(PART)], false);
            next[i + WIDTH / 2] = OF(unzipped)(v[at], v[at + OF(PART)], true);
        }
        memcpy(v, next, sizeof next);
    }
#pragma GCC unroll 16
    for (size_t i = 0; i < WIDTH; i++) KEEP_IN_REGISTER(v[i]);
}
