/* weft_random and weft_random_integers. For floats the parameter is the distribution, where FAST and FAST + 1 are
 * normal_fast and lognormal_fast, of f32 alone. For integers and u8 (Bernoulli) it only changes the arguments drawn.
 * With parameter TIE the probability of Bernoulli's distribution is one that the word of some sample does not decide.
 * Seed, stream, first sample and parameters vary with match_case.turn. */
#include "core/types.h"
#include "verify/match.h"

#include <stdio.h>
#include <string.h>

enum { TIE = 3, FAST = 4, PARAMETERS = 6 };

typedef struct variant {
    uint64_t seed, stream, first;
    double a, b;           /* parameters of a distribution */
    uint64_t lower, upper; /* bounds of integers: the low bytes */
} variant;

/* Returns the first sample: around the boundaries of blocks, of 32 bits, and of the stream. */
static uint64_t first_of(uint64_t r, size_t n) {
    const uint64_t end = UINT64_C(1) << 63, half = UINT64_C(1) << 32;
    const uint64_t some[] = {0, 1, 2, 3, 5, half - 3, half + 2, 4 * half - 5, 2 * half - 1, end / 2 - 3, end - n};
    const uint64_t i = r % (sizeof some / sizeof *some + 1);
    return i < sizeof some / sizeof *some ? some[i] : r >> 24;
}

static void take_reals(const match_case *c, uint64_t r, variant *v) {
    static const double some[PARAMETERS][5][2] = {
        [WEFT_UNIFORM] = {{0, 1}, {-3, 5}, {1, 1.0000002}, {-1e-40, 0}, {-1.5e38, 1.7e38}},
        [WEFT_NORMAL] = {{0, 1}, {100, 15}, {-1e30, 1e25}, {0, 0}, {0.1, 1e-41}},
        [WEFT_LOGNORMAL] = {{0, 1}, {0.05, 0.2}, {80, 10}, {-100, 3}, {700, 20}},
        [WEFT_EXPONENTIAL] = {{1, 0}, {0.001, 0}, {7e30, 0}, {1e-39, 0}, {3, 0}},
        [FAST] = {{0, 1}, {100, 15}, {-1e30, 1e38}, {0, 0}, {1e-40, 1e-40}},
        [FAST + 1] = {{0, 1}, {0.05, 0.2}, {80, 10}, {-100, 3}, {1e-30, 3e38}},
    };
    v->a = some[c->parameter][r % 5][0];
    v->b = some[c->parameter][r % 5][1];
}

/* Chooses the range, from ranges in which every word decides to those in which most samples require additional
 * words. */
static void take_integers(const match_case *c, uint64_t r, variant *v) {
    const unsigned bits = 8 * (unsigned)weft_dtype_size(c->dtype);
    const uint64_t all = UINT64_MAX >> (64 - bits), sign = type_is_signed(c->dtype) ? UINT64_C(1) << (bits - 1) : 0;
    const uint64_t least = 0 - sign;
    const uint64_t lasts[] = {all, 0, 5, all / 4 * 3, all / 2 + 1, all - 1, r % 1000, all / 3};
    const uint64_t last = lasts[r / 1024 % 8];
    v->lower = last <= all / 8 && type_is_signed(c->dtype) ? 0 - r % 100 : least;
    v->upper = v->lower + last;
}

static variant variant_of(const match_case *c) {
    static const double chances[] = {0.5, 0, 1, 0.3, 1e-20, 0x1p-32, 0.9999999999};
    const uint64_t r = input_random(c->turn, 71 + (uint64_t)c->parameter);
    variant v = {.seed = input_random(c->turn, 1), .stream = r % 3 ? r % 5 : input_random(c->turn, 2)};
    if (r / 16 % 4 == 0) v.seed = r / 64 % 2 ? 0 : UINT64_MAX;
    v.first = first_of(r >> 8, c->n);
    if (type_is_float(c->dtype))
        take_reals(c, r >> 40, &v);
    else if (c->dtype == WEFT_U8)
        v.a = chances[(r >> 40) % 7];
    else
        take_integers(c, r >> 40, &v);
    return v;
}

static size_t out_bytes(const match_case *c) {
    const size_t size = weft_dtype_size(c->dtype);
    if (c->parameter >= FAST) return c->dtype == WEFT_F32 ? size : 0;
    return c->dtype == WEFT_U8 || size >= 4 ? size : 0;
}

/* In a TIE case the probability is half a unit above the word of the middle sample. */
static weft_status bernoulli(const match_case *c, weft_context *ctx, const variant *v, void *out) {
    double p = v->a;
    if (c->parameter == TIE && c->n) {
        uint32_t word;
        const weft_status status =
            weft_random_integers(ctx, WEFT_U32, v->seed, v->stream, v->first + c->n / 2, 1, NULL, NULL, &word);
        if (status != WEFT_OK) return status;
        p = (word + 0.5) * 0x1p-32;
    }
    return weft_random(ctx, WEFT_BERNOULLI, c->dtype, v->seed, v->stream, v->first, c->n, p, 0, out);
}

static weft_distribution distribution_of(const match_case *c) {
    return c->parameter >= FAST ? (weft_distribution)(c->parameter - FAST + WEFT_NORMAL_FAST)
                                : (weft_distribution)c->parameter;
}

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    const variant v = variant_of(c);
    const int32_t low = (int32_t)(uint32_t)v.lower, high = (int32_t)(uint32_t)v.upper;
    const bool is_short = weft_dtype_size(c->dtype) == 4;
    (void)inputs;
    if (type_is_float(c->dtype))
        return weft_random(ctx, distribution_of(c), c->dtype, v.seed, v.stream, v.first, c->n, v.a, v.b, out);
    if (c->dtype == WEFT_U8) return bernoulli(c, ctx, &v, out);
    return weft_random_integers(ctx, c->dtype, v.seed, v.stream, v.first, c->n,
                                is_short ? (const void *)&low : &v.lower, is_short ? (const void *)&high : &v.upper,
                                out);
}

static void tell(const match_case *c, char text[100]) {
    const variant v = variant_of(c);
    snprintf(text, 100, "seed 0x%llx, stream 0x%llx, first %llu", (unsigned long long)v.seed,
             (unsigned long long)v.stream, (unsigned long long)v.first);
}

const match_shape match_random = {.inputs = 1,
                                  .parameters = PARAMETERS,
                                  .accumulates = 1,
                                  .values = match_each,
                                  .out_bytes = out_bytes,
                                  .call = call,
                                  .tell = tell};
