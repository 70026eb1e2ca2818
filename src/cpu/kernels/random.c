/* Philox words and the samples computed from them (ORDER.md 19); compiled once per instruction set level. */
#include "arith/fast_normals.h"
#include "arith/samples.h"
#include "cpu/kernels/vectors.h"

/* Generates the words of Philox4x32 with `rounds` rounds, a constant. */
WEFT_ARITH void words_of(int rounds, const random_call *c, uint64_t block, size_t blocks, uint32_t *words) {
    const uint64_t seed = c->seed, stream = c->stream;
    for (size_t k = 0; k < blocks; k++) {
        const weft_philox_block b = weft_philox_of(rounds, block + k, stream, seed);
        for (int j = 0; j < WEFT_BLOCK_WORDS; j++) words[k * WEFT_BLOCK_WORDS + j] = b.v[j];
    }
}

static void words(const random_call *c, uint64_t block, size_t blocks, uint32_t *words) {
    if (!c->integers && (c->distribution == WEFT_NORMAL_FAST || c->distribution == WEFT_LOGNORMAL_FAST))
        words_of(WEFT_FAST_ROUNDS, c, block, blocks, words);
    else
        words_of(10, c, block, blocks, words);
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

/* Computes both samples of the pair that words v and w make. */
WEFT_ARITH weft_pair normal_pair(uint32_t v, uint32_t w, float mean, float deviation, bool log) {
    const weft_pair z = weft_fast_pair(v, w);
    const weft_pair x = {fmaf(deviation, z.first, mean), fmaf(deviation, z.second, mean)};
    const weft_pair y = {log ? weft_fast_exp(x.first) : x.first, log ? weft_fast_exp(x.second) : x.second};
    return y;
}

/* Computes normal_fast samples, or their exponentials. The first sample may be the second of its pair, and the last
 * one the first of its pair. */
WEFT_ARITH void normal_pairs(const random_call *c, const uint32_t *words, uint64_t first, size_t n, float *to,
                             bool log) {
    const float mean = (float)c->a, deviation = (float)c->b;
    if (first % 2) {
        *to++ = normal_pair(words[-1], words[0], mean, deviation, log).second;
        words++;
        n--;
    }
    for (size_t i = 0; i < n / 2; i++) {
        const weft_pair x = normal_pair(words[2 * i], words[2 * i + 1], mean, deviation, log);
        to[2 * i] = x.first;
        to[2 * i + 1] = x.second;
    }
    if (n % 2) to[n - 1] = normal_pair(words[n - 1], words[n], mean, deviation, log).first;
}

static void normal_fast(const random_call *c, const uint32_t *words, uint64_t first, size_t n, void *out) {
    normal_pairs(c, words, first, n, out, false);
}

static void lognormal_fast(const random_call *c, const uint32_t *words, uint64_t first, size_t n, void *out) {
    normal_pairs(c, words, first, n, out, true);
}

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
    .normal_fast = normal_fast,
    .lognormal_fast = lognormal_fast,
};
