/* Strips of Sobol points (ORDER.md 24); compiled once per instruction set level. */
#include "arith/sobol.h"
#include "arith/samples.h"
#include "cpu/kernels/vectors.h"

/* Returns the number of trailing ones of a strip's number. */
INLINE size_t step_after(uint64_t strip) { return (size_t)__builtin_ctzll(~strip); }

INLINE void make_f32(const sobol_strips *s, uint64_t strip, size_t count, bool owen, float *out) {
    const size_t width = s->width;
    uint32_t *restrict const high = s->high;
    const uint32_t *restrict const key_high = s->key_high, *restrict const key_low = s->key_low;
    for (const uint64_t end = strip + count; strip < end; strip++, out += width) {
        const uint32_t *restrict const step = s->step_high + step_after(strip) * width;
        for (size_t k = 0; k < width; k++) {
            const uint32_t word =
                owen ? weft_nested_scramble(high[k], key_high[k], key_low[k]) : high[k] ^ key_high[k];
            out[k] = weft_unit_f32(&word);
            high[k] ^= step[k];
        }
    }
}

INLINE void make_f64(const sobol_strips *s, uint64_t strip, size_t count, bool owen, double *out) {
    const size_t width = s->width;
    uint32_t *restrict const high = s->high, *restrict const low = s->low;
    const uint32_t *restrict const key_high = s->key_high, *restrict const key_low = s->key_low;
    uint32_t upper[SOBOL_WIDTH_MOST], lower[SOBOL_WIDTH_MOST];
    for (const uint64_t end = strip + count; strip < end; strip++, out += width) {
        const size_t step = step_after(strip) * width;
        const uint32_t *restrict const step_high = s->step_high + step, *restrict const step_low = s->step_low + step;
        for (size_t k = 0; k < width; k++) { /* separate from the loop over floats, so that GCC vectorizes both */
            upper[k] = owen ? weft_nested_scramble(high[k], key_high[k], key_low[k]) : high[k] ^ key_high[k];
            lower[k] = owen ? weft_nested_scramble_low(upper[k], low[k], key_low[k]) : low[k] ^ key_low[k];
            high[k] ^= step_high[k];
            low[k] ^= step_low[k];
        }
        for (size_t k = 0; k < width; k++) out[k] = weft_unit_of_halves(upper[k], lower[k]);
    }
}

static void shifted_f32(const sobol_strips *s, uint64_t strip, size_t count, void *out) {
    make_f32(s, strip, count, false, out);
}
static void owen_f32(const sobol_strips *s, uint64_t strip, size_t count, void *out) {
    make_f32(s, strip, count, true, out);
}
static void shifted_f64(const sobol_strips *s, uint64_t strip, size_t count, void *out) {
    make_f64(s, strip, count, false, out);
}
static void owen_f64(const sobol_strips *s, uint64_t strip, size_t count, void *out) {
    make_f64(s, strip, count, true, out);
}

const sobol_kernels LEVELED(cpu_sobols) = {
    .shifted_f32 = shifted_f32,
    .owen_f32 = owen_f32,
    .shifted_f64 = shifted_f64,
    .owen_f64 = owen_f64,
};
