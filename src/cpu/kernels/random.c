/* Philox words and the samples computed from them (ORDER.md 19); compiled once per instruction set level. */
#include "arith/samples.h"
#include "cpu/kernels/vectors.h"

static void words(const random_call *c, uint64_t block, size_t blocks, uint32_t *words) {
    const uint64_t seed = c->seed, stream = c->stream;
    for (size_t k = 0; k < blocks; k++) {
        const weft_philox_block b = weft_philox(block + k, stream, seed);
        for (int j = 0; j < WEFT_BLOCK_WORDS; j++) words[k * WEFT_BLOCK_WORDS + j] = b.v[j];
    }
}

#define T float
#define OF(name) name##_f32
#include "cpu/kernels/bodies/random_body.h"
#undef T
#undef OF

#define T double
#define OF(name) name##_f64
#include "cpu/kernels/bodies/random_body.h"
#undef T
#undef OF

/* The loops below first compute all samples from their own words. If some samples require further words, a second
 * loop computes these samples again. */

static void bernoulli(const random_call *c, const uint32_t *words, uint64_t first, size_t n, void *out) {
    const weft_chance chance = weft_chance_of(c->a);
    uint8_t *const to = out;
    uint32_t ties = 0;
    for (size_t i = 0; i < n; i++) {
        to[i] = words[i] < chance.whole;
        ties += words[i] == chance.whole;
    }
    for (size_t i = 0; ties; i++) {
        if (words[i] != chance.whole) continue;
        to[i] = weft_bernoulli_tie(&chance, c->seed, c->stream, first + i);
        ties--;
    }
}

static void integers_32(const random_call *c, const uint32_t *words, uint64_t first, size_t n, void *out) {
    const uint32_t lower = (uint32_t)c->lower, last = (uint32_t)c->last;
    uint32_t *const to = out, open = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t scaled = weft_scaled_32(words[i], last);
        to[i] = lower + (uint32_t)(scaled >> 32);
        open += (uint32_t)scaled + last < last;
    }
    for (size_t i = 0; open; i++) {
        const uint64_t scaled = weft_scaled_32(words[i], last);
        if ((uint32_t)scaled + last >= last) continue;
        to[i] = lower + (uint32_t)((scaled + weft_addend(last, c->seed, c->stream, first + i)) >> 32);
        open--;
    }
}

static void integers_64(const random_call *c, const uint32_t *words, uint64_t first, size_t n, void *out) {
    const uint64_t lower = c->lower, last = c->last;
    uint64_t *const to = out;
    for (size_t i = 0; i < n; i++) {
        const weft_scaled scaled = weft_scaled_64(weft_word_64(words + 2 * i), last);
        to[i] = lower + scaled.high;
        if (scaled.low + last >= last) continue;
        to[i] += scaled.low + weft_addend(last, c->seed, c->stream, first + i) < scaled.low;
    }
}

const sample_kernels LEVELED(cpu_samples) = {
    .words = words,
    .f32 = {uniform_f32, normal_f32, lognormal_f32, exponential_f32},
    .f64 = {uniform_f64, normal_f64, lognormal_f64, exponential_f64},
    .bernoulli = bernoulli,
    .integers_32 = integers_32,
    .integers_64 = integers_64,
};
