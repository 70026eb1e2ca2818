/* Values of scans, for one type (cpu/kernels/bodies/each_accumulator.h). Every function is inlined with a constant
 * element type and combine function. A group of 16 values is one or more vectors. scan_end.h ends the type. */
#ifndef KEYS_OF
#define KEYS_OF(dtype) false
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
 * own inverse. GCC and Clang shift copies of the sign in (tests/lint/cppcheck.txt). */
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

/* Returns the value before the first element. `result` is the type of params->init. */
INLINE A OF(initial)(combine how, weft_dtype dtype, weft_dtype result, const scan_params *params) {
    A init = OF(identity)(how);
    (void)dtype, (void)result;
    if (!params->init) return init;
#if IS_FLOAT
#define HALF(ID, name, npy)                       \
    if (result == WEFT_##ID) {                    \
        uint16_t bits;                            \
        memcpy(&bits, params->init, sizeof bits); \
        return (A)weft_from_bits_##name(bits);    \
    }
#include "core/halves.def"
#endif
    memcpy(&init, params->init, sizeof init);
    return OF(enter)(how, KEYS_OF(dtype), params, OF(splat)(init))[0];
}

/* Stores WIDTH results at y, rounded to the type `result`. */
INLINE void OF(put)(weft_dtype result, VECTOR v, char *y) {
#if IS_FLOAT
#define HALF(ID, name, npy)                                                        \
    if (result == WEFT_##ID) {                                                     \
        typedef float singles __attribute__((vector_size(WIDTH * sizeof(float)))); \
        const singles single = __builtin_convertvector(v, singles);                \
        float values[WIDTH];                                                       \
        uint16_t bits[WIDTH];                                                      \
        memcpy(values, &single, sizeof values);                                    \
        narrow_##name(WIDTH, values, bits);                                        \
        memcpy(y, bits, sizeof bits);                                              \
        return;                                                                    \
    }
#include "core/halves.def"
#endif
    (void)result;
    memcpy(y, &v, sizeof v);
}

/* Loads WIDTH elements at x and converts them. */
INLINE VECTOR OF(load)(combine how, weft_dtype dtype, const scan_params *params, const char *x) {
    VECTOR v;
    if (dtype == OWN_TYPE || KEYS_OF(dtype)) {
        memcpy(&v, x, sizeof v);
        return OF(enter)(how, KEYS_OF(dtype), params, v);
    }
#if IS_FLOAT
#define HALF(ID, name, npy)                                                        \
    if (dtype == WEFT_##ID) {                                                      \
        typedef float singles __attribute__((vector_size(WIDTH * sizeof(float)))); \
        singles single;                                                            \
        uint16_t bits[WIDTH];                                                      \
        float values[WIDTH];                                                       \
        memcpy(bits, x, sizeof bits);                                              \
        widen_##name(WIDTH, bits, values);                                         \
        memcpy(&single, values, sizeof single);                                    \
        return __builtin_convertvector(single, VECTOR);                            \
    }
#include "core/halves.def"
#endif
#define TYPE(ID, name, ctype, kind, npy)                                  \
    if (dtype == WEFT_##ID) {                                             \
        ctype narrow __attribute__((vector_size(WIDTH * sizeof(ctype)))); \
        memcpy(&narrow, x, sizeof narrow);                                \
        v = __builtin_convertvector(narrow, VECTOR);                      \
    }
#include "core/types.def"
    return v;
}
