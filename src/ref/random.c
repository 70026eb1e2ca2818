/* The definition of weft_random and weft_random_integers (ORDER.md 19). */
#include "core/order.h"
#include "ref/common/array.h"
#include "ref/common/elementary.h"
#include "ref/common/normal_fast.h"
#include "ref/common/philox.h"
#include "ref/ref.h"

#include <math.h>

__extension__ typedef unsigned __int128 wide;

/* ------------------------------------------------------------------------------- 19.1 words */

static void block_of(const random_call *c, uint32_t rounds, uint64_t number, uint32_t words[WEFT_BLOCK_WORDS]) {
    const uint32_t counter[4] = {(uint32_t)number, (uint32_t)(number >> 32), (uint32_t)c->stream,
                                 (uint32_t)(c->stream >> 32)};
    const uint32_t key[2] = {(uint32_t)c->seed, (uint32_t)(c->seed >> 32)};
    ref_philox_of(rounds, counter, key, words);
}

/* Returns the number of two words, the low one first. */
static uint64_t pair(const uint32_t *words) { return (uint64_t)words[1] << 32 | words[0]; }

/* Returns the word of sample i. It has 64 bits if the type has 8 bytes, otherwise 32. */
static uint64_t word_of(const random_call *c, uint64_t i, bool is_long) {
    uint32_t words[WEFT_BLOCK_WORDS];
    block_of(c, 10, is_long ? i / 2 : i / 4, words);
    return is_long ? pair(words + i % 2 * 2) : words[i % 4];
}

/* Returns 64 additional random bits of sample i. */
static uint64_t further(const random_call *c, uint64_t i) {
    uint32_t words[WEFT_BLOCK_WORDS];
    block_of(c, 10, WEFT_FURTHER_BLOCKS + i, words);
    return pair(words);
}

/* ----------------------------------------------------------------------- 19.2 distributions */

static double uniform(const random_call *c, uint64_t word) {
    if (c->dtype == WEFT_F32) {
        const float a = (float)c->a, b = (float)c->b, u = (float)(word >> 8) / 0x1p24f;
        const float x = fmaf(b - a, u, a);
        return x < b ? x : nextafterf(b, -INFINITY);
    }
    const double u = (double)(word >> 11) / 0x1p53;
    const double x = fma(c->b - c->a, u, c->a);
    return x < c->b ? x : nextafter(c->b, -INFINITY);
}

static double bernoulli(const random_call *c, uint64_t i, uint64_t word) {
    const double units = c->a * 0x1p32;
    const double whole = c->a < 1 ? floor(units) : 0x1p32 - 1;
    if ((double)word != whole) return (double)word < whole;
    return (double)(further(c, i) >> 11) / 0x1p53 < units - whole;
}

/* Returns normal_fast sample i with mean a and standard deviation b (19.4). */
static float normal_fast(const random_call *c, uint64_t i) {
    uint32_t words[WEFT_BLOCK_WORDS];
    block_of(c, WEFT_FAST_ROUNDS, i / 4, words);
    return fmaf((float)c->b, ref_normal_fast(words, i % 4), (float)c->a);
}

static double real_sample(const random_call *c, uint64_t i) {
    const bool is_long = c->dtype == WEFT_F64;
    const uint64_t word = word_of(c, i, is_long);
    const double p = is_long ? ((double)(word >> 12) + 0.5) / 0x1p52 : ((double)word + 0.5) / 0x1p32;
    switch (c->distribution) {
    case WEFT_UNIFORM: return uniform(c, word);
    case WEFT_NORMAL: return fma(c->b, ref_probit(p), c->a);
    case WEFT_LOGNORMAL: return ref_exp(fma(c->b, ref_probit(p), c->a));
    case WEFT_EXPONENTIAL: return -ref_log(p) / c->a;
    case WEFT_NORMAL_FAST: return normal_fast(c, i);
    case WEFT_LOGNORMAL_FAST: return ref_exp_fast(normal_fast(c, i));
    default: return bernoulli(c, i, word);
    }
}

/* ---------------------------------------------------------------------------- 19.3 integers */

/* Returns lower + floor((last + 1) (word + further / 2^64) / 2^L), where word has L bits. */
static uint64_t integer_sample(const random_call *c, uint64_t i) {
    const bool is_long = weft_dtype_size(c->dtype) == 8;
    const wide count = (wide)c->last + 1;
    const wide product = count * word_of(c, i, is_long);
    const wide addend = (count * further(c, i)) >> 64;
    return c->lower + (uint64_t)((product + addend) >> (is_long ? 64 : 32));
}

/* ------------------------------------------------------------------------------------------ */

weft_status ref_random(void *state, const random_call *c, weft_error *error) {
    const size_t size = weft_dtype_size(c->dtype);
    (void)state, (void)error;
    for (size_t k = 0; k < c->n; k++) {
        void *const out = (char *)c->out + k * size;
        if (c->integers)
            ref_store_integer(c->dtype, integer_sample(c, c->first + k), out);
        else if (c->distribution == WEFT_BERNOULLI)
            ref_store_integer(c->dtype, (uint64_t)real_sample(c, c->first + k), out);
        else
            ref_store_real(c->dtype, real_sample(c, c->first + k), out);
    }
    return WEFT_OK;
}
