/* Samples computed from the words of Philox4x32-10 (ORDER.md 19). There are no loops and no branches, so that loops
 * over lanes can be vectorized. `w` points to the words of the sample: one for f32, u8 and 32-bit integers; two for
 * f64 and 64-bit integers, the low one first. */
#ifndef WEFT_ARITH_SAMPLES_H
#define WEFT_ARITH_SAMPLES_H

#include "arith/elementary.h"
#include "arith/even_bins.h"
#include "arith/philox.h"
#include "core/order.h"

#include <math.h>

/* ----------------------------------------------------------------------------- from words */

/* Return a multiple of 2^-24 or 2^-53 in [0, 1), exactly. */
WEFT_ARITH float weft_unit_f32(const uint32_t *w) { return (float)(int32_t)(w[0] >> 8) * 0x1p-24f; }
WEFT_ARITH double weft_unit_of_halves(uint32_t high, uint32_t low) {
    return ((double)high * 0x1p21 + (double)(low >> 11)) * 0x1p-53;
}
WEFT_ARITH double weft_unit_f64(const uint32_t *w) { return weft_unit_of_halves(w[1], w[0]); }

/* Return the middle of one of 2^32 or 2^52 equal parts of (0, 1), exactly: never 0 or 1. */
WEFT_ARITH double weft_middle_f32(const uint32_t *w) { return ((double)w[0] + 0.5) * 0x1p-32; }
WEFT_ARITH double weft_middle_f64(const uint32_t *w) {
    return ((double)w[1] * 0x1p20 + ((double)(w[0] >> 12) + 0.5)) * 0x1p-52;
}

WEFT_ARITH uint64_t weft_word_64(const uint32_t *w) { return (uint64_t)w[1] << 32 | w[0]; }

/* Returns additional random words of sample i: a block that no other sample uses. */
WEFT_ARITH weft_philox_block weft_further(uint64_t seed, uint64_t stream, uint64_t i) {
    return weft_philox(WEFT_FURTHER_BLOCKS + i, stream, seed);
}

/* ------------------------------------------------------------------------- distributions */

/* Return the greatest number less than b, which must be finite. */
WEFT_ARITH float weft_below_f32(float b) {
    const uint32_t bits = weft_bits_f32(b);
    return weft_from_bits_f32(b > 0 ? bits - 1 : b < 0 ? bits + 1 : UINT32_C(0x80000001));
}
WEFT_ARITH double weft_below_f64(double b) {
    const uint64_t bits = weft_bits_f64(b);
    return weft_from_bits_f64(b > 0 ? bits - 1 : b < 0 ? bits + 1 : UINT64_C(0x8000000000000001));
}

WEFT_ARITH float weft_uniform_f32(const uint32_t *w, float a, float b) {
    const float x = fmaf(b - a, weft_unit_f32(w), a), below = weft_below_f32(b);
    return x < b ? x : below;
}
WEFT_ARITH double weft_uniform_f64(const uint32_t *w, double a, double b) {
    const double x = fma(b - a, weft_unit_f64(w), a), below = weft_below_f64(b);
    return x < b ? x : below;
}

/* Inverses of the distribution functions, at p in (0, 1). Computed in f64; the caller rounds them for f32. */
WEFT_ARITH double weft_normal(double p, double mean, double deviation) {
    return fma(deviation, weft_probit_f64(p), mean);
}
WEFT_ARITH double weft_lognormal(double p, double mean, double deviation) {
    return weft_exp_f64(weft_normal(p, mean, deviation));
}
WEFT_ARITH double weft_exponential(double p, double rate) { return -weft_log_f64(p) / rate; }

/* ------------------------------------------------------------------------------ bernoulli */

/* A probability in units of 2^-32: whole + rest. `rest` is in [0, 1], and 1 only if the probability is 1. */
typedef struct weft_chance {
    uint32_t whole;
    double rest;
} weft_chance;

WEFT_ARITH weft_chance weft_chance_of(double p) {
    const double units = p * 0x1p32;
    weft_chance c;
    c.whole = units < 0x1p32 ? (uint32_t)units : UINT32_MAX;
    c.rest = units - (double)c.whole;
    return c;
}

/* Decides a sample whose word equals `whole` by its additional words. */
WEFT_ARITH uint8_t weft_bernoulli_tie(const weft_chance *c, uint64_t seed, uint64_t stream, uint64_t i) {
    const weft_philox_block further = weft_further(seed, stream, i);
    return weft_unit_f64(further.v) < c->rest;
}

/* ------------------------------------------------------------------------------- integers */

/* Returns (last + 1) w: floor((last + 1) w / 2^32) in the upper half and the remainder in the lower half. */
WEFT_ARITH uint64_t weft_scaled_32(uint32_t w, uint32_t last) { return (uint64_t)last * w + w; }

/* The 128-bit product (last + 1) w, in halves of 64 bits. */
typedef struct weft_scaled {
    uint64_t high, low;
} weft_scaled;

WEFT_ARITH weft_scaled weft_scaled_64(uint64_t w, uint64_t last) {
    weft_scaled s;
    s.low = last * w + w;
    s.high = weft_high_product(last, w) + (s.low < w);
    return s;
}

/* Returns the number, from the additional words of sample i, to add to the lower half. */
WEFT_ARITH uint64_t weft_addend(uint64_t last, uint64_t seed, uint64_t stream, uint64_t i) {
    const weft_philox_block further = weft_further(seed, stream, i);
    return weft_scaled_64(weft_word_64(further.v), last).high;
}

#endif
