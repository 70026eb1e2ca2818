/* The bin of an element among bins of one width (ORDER.md 11.2), without a division for each element.
 *
 * Integers: with d = x - lower, W = upper - lower and bins = whole W + rest (rest < W), the bin is
 * d whole + floor(d rest / W). Where d, W < 2^k, let M = ceil(2^2k rest / W), that is (2^2k rest + e) / W with e < W:
 * d M / 2^2k exceeds d rest / W, a multiple of 1 / W, by d e / (2^2k W) < 1 / W. So floor(d M / 2^2k) is exact
 * (T. Granlund, P. Montgomery, PLDI 1994). k is 32 for types of up to 4 bytes, else 64. */
#ifndef WEFT_ARITH_EVEN_BINS_H
#define WEFT_ARITH_EVEN_BINS_H

#include "arith/arith.h"

typedef struct weft_even_bins {
    uint64_t bins;
    double lower, upper, scale;             /* for floats */
    uint64_t base, width, whole, high, low; /* for integers: lower, W, whole, and M (its low half is 0 for k = 32) */
} weft_even_bins;

static inline weft_even_bins weft_even_bins_of_reals(double lower, double upper, uint64_t bins) {
    const weft_even_bins b = {bins, lower, upper, (double)bins / (upper - lower), 0, 0, 0, 0, 0};
    return b;
}

/* `lower` and `upper` are extended to 64 bits. `wide` must be set for types of 8 bytes. */
static inline weft_even_bins weft_even_bins_of_integers(uint64_t lower, uint64_t upper, uint64_t bins, int wide) {
    __extension__ typedef unsigned __int128 u128;
    const uint64_t width = upper - lower;
    weft_even_bins b = {bins, 0, 0, 0, lower, width, bins / width, 0, 0};
    const u128 first = (u128)(bins % width) << 64;
    const u128 second = (u128)(uint64_t)(first % width) << 64;
    b.high = (uint64_t)(first / width);
    b.low = wide ? (uint64_t)(second / width) : 0;
    const int exact = wide ? second % width == 0 : second == 0;
    if (exact) return b;
    if (wide) b.low++;
    if (!wide || b.low == 0) b.high++;
    return b;
}

WEFT_ARITH uint64_t weft_high_product(uint64_t a, uint64_t b) {
#ifdef __CUDA_ARCH__
    return __umul64hi(a, b);
#else
    __extension__ typedef unsigned __int128 u128;
    return (uint64_t)((u128)a * b >> 64);
#endif
}

WEFT_ARITH uint64_t weft_last_bin_at_most(const weft_even_bins *b, uint64_t bin) {
    return bin < b->bins ? bin : b->bins - 1;
}

/* The following functions return the bin of x, or b->bins if x is in no bin. This one is for integer types of at
 * most 4 bytes. */
WEFT_ARITH uint32_t weft_even_bin_of_narrow(const weft_even_bins *b, uint32_t x) {
    const uint32_t d = x - (uint32_t)b->base, bins = (uint32_t)b->bins;
    const uint64_t low = (uint64_t)d * (uint32_t)b->high >> 32, product = (uint64_t)d * (b->high >> 32) + low;
    const uint32_t bin = d * (uint32_t)b->whole + (uint32_t)(product >> 32), last = bins - 1;
    return d > (uint32_t)b->width ? bins : bin < last ? bin : last;
}

/* For integer types of 8 bytes. */
WEFT_ARITH uint64_t weft_even_bin_of_wide(const weft_even_bins *b, uint64_t x) {
    const uint64_t d = x - b->base, product = d * b->high;
    if (d > b->width) return b->bins;
    const uint64_t carry = product + weft_high_product(d, b->low) < product;
    return weft_last_bin_at_most(b, d * b->whole + weft_high_product(d, b->high) + carry);
}

WEFT_ARITH uint64_t weft_even_bin_of_real(const weft_even_bins *b, double x) {
    if (!(x >= b->lower && x <= b->upper)) return b->bins;
    return weft_last_bin_at_most(b, (uint64_t)((x - b->lower) * b->scale));
}

#endif
