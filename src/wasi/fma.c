/* fma() and fmaf() for WebAssembly, which has no such instruction. Those of wasi-libc return other bits than IEEE
 * 754: its fmaf() needs another rounding mode for ties, and its fma(x, y, +0) returns +0 if x y rounds to -0. */
#include "cpu/kernels/vectors.h"

#include <math.h>

typedef unsigned __int128 uint128;

enum {
    LEAST = -1074,
    PRODUCT_SHIFT = 20,
    ADDEND_SHIFT = 73
}; /* exponent of the least subnormal; leading bits: 125 */
static const uint64_t INFINITE = UINT64_C(0x7ff) << 52;

/* The number (-1)^negative * magnitude * 2^exponent. */
typedef struct number {
    uint128 magnitude; /* less than 2^126, or 2^127 for a sum */
    int exponent;
    bool negative;
} number;

/* Splits a finite number. The magnitude has 53 bits. */
static number split(double x) {
    const uint64_t bits = weft_bits_f64(x), fraction = bits & ((UINT64_C(1) << 52) - 1);
    const int field = (int)(bits >> 52 & 0x7ff), zeros = field || !fraction ? 0 : __builtin_clzll(fraction) - 11;
    const uint64_t magnitude = field ? fraction | UINT64_C(1) << 52 : fraction << zeros;
    return (number){magnitude, (field ? field : 1) + LEAST - 1 - zeros, bits >> 63};
}

/* Returns the number with a larger exponent. If bits are lost, the last one of those kept is set. */
static number with_exponent(number x, int exponent) {
    const int shift = exponent - x.exponent;
    const uint128 kept = shift < 128 ? x.magnitude >> shift : 0;
    const bool lost = shift < 128 ? kept << shift != x.magnitude : x.magnitude != 0;
    return (number){kept | lost, exponent, x.negative};
}

/* Adds numbers whose leading bits are 124 or 125. Bits are lost only if at least 120 bits of the sum remain. */
static number add(number x, number y) {
    if (x.exponent < y.exponent) x = with_exponent(x, y.exponent);
    if (y.exponent < x.exponent) y = with_exponent(y, x.exponent);
    if (x.negative == y.negative) return (number){x.magnitude + y.magnitude, x.exponent, x.negative};
    const bool larger = x.magnitude > y.magnitude;
    return (number){larger ? x.magnitude - y.magnitude : y.magnitude - x.magnitude, x.exponent,
                    larger ? x.negative : y.magnitude > x.magnitude && y.negative};
}

/* Rounds to the nearest f64, ties to even. */
static double rounded(number x) {
    const uint64_t high = (uint64_t)(x.magnitude >> 64), low = (uint64_t)x.magnitude;
    if (x.magnitude == 0) return 0;
    const int leading = high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll(low);
    const int last = leading - 52 + x.exponent < LEAST ? LEAST : leading - 52 + x.exponent;
    const int shift = last - x.exponent;
    uint64_t bits = 0;
    if (shift <= 0) {
        bits = low << -shift;
    } else if (shift < 128) {
        const uint128 kept = x.magnitude >> shift, rest = x.magnitude - (kept << shift),
                      half = (uint128)1 << (shift - 1);
        bits = (uint64_t)kept + (rest > half || (rest == half && (kept & 1)));
    }
    bits = last - LEAST > 0x7fe ? INFINITE : ((uint64_t)(last - LEAST) << 52) + bits;
    return weft_from_bits_f64((bits < INFINITE ? bits : INFINITE) | (uint64_t)x.negative << 63);
}

double fma(double x, double y, double z) {
    if (!isfinite(x) || !isfinite(y) || x == 0 || y == 0) return x * y + z;
    if (!isfinite(z)) return z;
    if (z == 0) return x * y;
    const number a = split(x), b = split(y), c = split(z);
    const number product = {a.magnitude * b.magnitude << PRODUCT_SHIFT, a.exponent + b.exponent - PRODUCT_SHIFT,
                            a.negative != b.negative};
    return rounded(add(product, (number){c.magnitude << ADDEND_SHIFT, c.exponent - ADDEND_SHIFT, c.negative}));
}

float fmaf(float x, float y, float z) { return emulated_fmaf(x, y, z); }
