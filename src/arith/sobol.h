/* Sobol points (ORDER.md 24): direction numbers, and scrambling of a coordinate's word in halves of 32 bits. Each
 * half has its own scrambling key. A digital shift by the key 0 leaves points unchanged. */
#ifndef WEFT_ARITH_SOBOL_H
#define WEFT_ARITH_SOBOL_H

#include "arith/philox.h"
#include "core/order.h"

/* ------------------------------------------------------------------------------ directions */

/* One entry of core/sobol.def. */
typedef struct weft_sobol_line {
    uint16_t degree, inner, m[13];
} weft_sobol_line;

/* Computes the direction numbers of a coordinate for the lowest bits of a point's number: that for bit b at v[b *
 * stride]. `line` must be NULL for the first coordinate, which has no entry. */
WEFT_ARITH void weft_sobol_directions(const weft_sobol_line *line, unsigned bits, size_t stride, uint64_t *v) {
    const unsigned degree = line ? line->degree : WEFT_SOBOL_BITS, inner = line ? line->inner : 0;
    for (unsigned b = 0; b < bits && b < degree; b++)
        v[b * stride] = (line ? line->m[b] : UINT64_C(1)) << (WEFT_SOBOL_BITS - 1 - b);
    for (unsigned b = degree; b < bits; b++) {
        const uint64_t *const oldest = v + (b - degree) * stride;
        uint64_t sum = *oldest ^ *oldest >> degree;
        for (unsigned l = 1; l < degree; l++)
            if (inner >> (l - 1) & 1) sum ^= oldest[l * stride];
        v[b * stride] = sum;
    }
}

/* ------------------------------------------------------------------------------ scrambling */

/* Reverses the bits: bit k becomes bit 31 - k. */
WEFT_ARITH uint32_t weft_reverse_32(uint32_t x) {
#ifdef __CUDA_ARCH__
    return __brev(x);
#else
    x = (x >> 1 & UINT32_C(0x55555555)) | (x & UINT32_C(0x55555555)) << 1;
    x = (x >> 2 & UINT32_C(0x33333333)) | (x & UINT32_C(0x33333333)) << 2;
    x = (x >> 4 & UINT32_C(0x0f0f0f0f)) | (x & UINT32_C(0x0f0f0f0f)) << 4;
    x = (x >> 8 & UINT32_C(0x00ff00ff)) | (x & UINT32_C(0x00ff00ff)) << 8;
    return x >> 16 | x << 16;
#endif
}

/* Flips each bit depending on the keys and on the bits above it. Works on reversed bits, of x and of the result.
 * There no bit of a sum, of a product by an odd number or of x ^ (x times an even number) depends on the bits above
 * it (Laine and Karras; Vegdahl). */
WEFT_ARITH uint32_t weft_scramble_reversed(uint32_t y, uint32_t addend, uint32_t factor) {
    y ^= y * UINT32_C(0x3d20adea);
    y = (y + addend) * (factor | 1);
    y ^= y * UINT32_C(0x05526c56);
    return y ^ y * UINT32_C(0x53a22864);
}

WEFT_ARITH uint32_t weft_nested_scramble(uint32_t x, uint32_t addend, uint32_t factor) {
    return weft_reverse_32(weft_scramble_reversed(weft_reverse_32(x), addend, factor));
}

/* Mixes x so that every bit of the result depends on all bits (the finalizer of MurmurHash3). */
WEFT_ARITH uint32_t weft_mix_32(uint32_t x) {
    x = (x ^ x >> 16) * UINT32_C(0x85ebca6b);
    x = (x ^ x >> 13) * UINT32_C(0xc2b2ae35);
    return x ^ x >> 16;
}

/* Returns the addend that scrambles the lower half, depending on the scrambled upper half. The factor is addend
 * >> 16.
 */
WEFT_ARITH uint32_t weft_scramble_addend(uint32_t high, uint32_t key) { return weft_mix_32(high ^ key); }

/* Scrambles the lower half, depending on the scrambled upper half. */
WEFT_ARITH uint32_t weft_nested_scramble_low(uint32_t high, uint32_t low, uint32_t key) {
    const uint32_t own = weft_scramble_addend(high, key);
    return weft_nested_scramble(low, own, own >> 16);
}

/* Returns the key of coordinate j. A shift applies each half of the key to the corresponding half of a word. Owen's
 * scrambling uses both halves for the upper half of a word, and the lower half of the key for its lower half. */
WEFT_ARITH uint64_t weft_sobol_key(uint64_t seed, uint64_t stream, uint64_t j) {
    const weft_philox_block block = weft_philox(WEFT_SOBOL_BLOCKS + j, stream, seed);
    return (uint64_t)block.v[1] << 32 | block.v[0];
}

#endif
