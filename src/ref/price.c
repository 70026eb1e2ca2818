/* The definition of weft_price (ORDER.md 21). */
#include "core/order.h"
#include "ref/common/elementary.h"
#include "ref/common/normal_fast.h"
#include "ref/common/philox.h"
#include "ref/common/sobol.h"
#include "ref/common/tree.h"
#include "ref/ref.h"

#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------------------- paths (21.2 to 21.5) */

/* Computes block number `block` of path p. */
static void block_of(const price_call *c, uint32_t rounds, uint64_t p, uint64_t block, uint32_t words[4]) {
    const uint32_t counter[4] = {(uint32_t)p, (uint32_t)(p >> 32), (uint32_t)block, (uint32_t)(block >> 32)};
    const uint32_t key[2] = {(uint32_t)c->seed, (uint32_t)(c->seed >> 32)};
    ref_philox_of(rounds, counter, key, words);
}

/* Returns the word of normal number q of path p. */
static uint32_t word_of(const price_call *c, uint64_t p, uint64_t q) {
    uint32_t words[4];
    if (c->sobol) return (uint32_t)(ref_sobol_word(WEFT_OWEN, c->seed, c->stream, q, p) >> 32);
    block_of(c, 10, p, q / 4, words);
    return words[q % 4];
}

static double normal(const price_call *c, uint64_t p, uint64_t q) {
    uint32_t words[4];
    if (!c->fast) return ref_probit(((double)word_of(c, p, q) + 0.5) * 0x1p-32);
    block_of(c, WEFT_FAST_ROUNDS, p, q / 4, words);
    return (double)ref_normal_fast(words, q % 4);
}

#define REAL float
#define FUSED fmaf
#define OF(name) name##_f32
#include "ref/bodies/price_body.h"

#define REAL double
#define FUSED fma
#define OF(name) name##_f64
#include "ref/bodies/price_body.h"

/* ---------------------------------------------------------------------------------- sums (21.6) */

static double add(double a, double b) { return a + b; }

static double step_add(const terms_f64 *t, double lane, size_t i) { return lane + ref_real(t->x, i); }

static double step_product(const terms_f64 *t, double lane, size_t i) {
    return fma(ref_real(t->x, i), ref_real(t->y, i), lane);
}

static double sum(const double *x, size_t n) {
    return tree_f64(&(terms_f64){-0.0, step_add, add, {WEFT_F64, x}, {WEFT_F64, x}, 0}, n);
}

static double sum_of_products(const double *x, const double *y, size_t n) {
    return tree_f64(&(terms_f64){-0.0, step_product, add, {WEFT_F64, x}, {WEFT_F64, y}, 0}, n);
}

/* ------------------------------------------------------------------- mean of the control (21.7) */

static double worth_at_end(const price_call *c) {
    double worth = 0;
    for (size_t i = 0; i < c->assets; i++) {
        double growth = ref_exp(c->rate * c->maturity);
        if (c->scheme == WEFT_EULER) {
            growth = 1;
            for (size_t step = 0; step < c->steps; step++) growth = fma(growth, c->leg[0].drift[i], growth);
        }
        worth = fma(c->weights[i], c->leg[0].start[i] * growth, worth);
    }
    return worth;
}

static double normal_probability(double x) { return 0.5 * (1 + ref_erf(x * sqrt(0.5))); }

/* Returns the expected value of the control. A geometric mean is log-normal, so the formula is that of F. Black and
 * M. Scholes, Journal of Political Economy 81, 1973. */
static double worth_of_geometric(const price_call *c) {
    const double n = (double)c->steps, v = c->volatility, k = c->strike;
    const double mean_time = c->maturity * ((n + 1) / (2 * n));
    const double variance_time = c->maturity * (((n + 1) * (2 * n + 1)) / (6 * (n * n)));
    const double mean = fma(c->rate - 0.5 * (v * v), mean_time, ref_log(c->leg[0].start[0]));
    const double deviation = v * sqrt(variance_time), forward = ref_exp(mean + 0.5 * (deviation * deviation));
    const bool call = c->payoff == WEFT_CALL;
    if (deviation == 0) return excess_f64(call ? forward : k, call ? k : forward);
    const double d2 = (mean - ref_log(k)) / deviation, d1 = d2 + deviation;
    return call ? forward * normal_probability(d1) - k * normal_probability(d2)
                : k * normal_probability(-d2) - forward * normal_probability(-d1);
}

/* ------------------------------------------------------------------------------ estimate (21.8) */

/* Computes the sums over the payoffs of the paths and over their controls: V, VV, C, CC, VC. */
static void find_sums(const price_call *c, size_t n, const double *v, const double *controls, double *sums) {
    sums[0] = sum(v, n);
    sums[1] = sum_of_products(v, v, n);
    sums[2] = sums[3] = sums[4] = 0;
    if (c->control == CONTROL_NONE) return;
    sums[2] = sum(controls, n);
    sums[3] = sum_of_products(controls, controls, n);
    sums[4] = sum_of_products(v, controls, n);
}

weft_status ref_price_estimate(void *state, const price_estimate_call *call, weft_error *error) {
    const price_call *c = call->price;
    const double *sums = call->sums;
    (void)state, (void)error;
    const double n = (double)c->paths, total = sums[0];
    double mean = total / n, squares = fma(-total, mean, sums[1]);
    if (c->control != CONTROL_NONE) {
        const double control = sums[2], control_mean = control / n;
        const double worth = c->control == CONTROL_END ? worth_at_end(c) : worth_of_geometric(c);
        const double spread = fma(-control, control_mean, sums[3]);
        const double common = fma(-total, control_mean, sums[4]);
        const double slope = spread > 0 ? common / spread : 0;
        mean = fma(-slope, control_mean - worth, mean);
        squares = fma(-slope, common, squares);
    }
    if (squares < 0) squares = 0;
    const double discount = ref_exp(-(c->rate * c->maturity));
    ref_store_real(WEFT_F64, discount * mean, &call->estimate[0]);
    ref_store_real(WEFT_F64, discount * sqrt(squares / ((n - 1) * n)), &call->estimate[1]);
    return WEFT_OK;
}

weft_status ref_price_sums(void *state, const price_sums_call *call, weft_error *error) {
    const price_call *c = call->price;
    const uint64_t n = call->count;
    (void)state;
    double *const v = malloc(n * 2 * sizeof *v);
    RETURN_IF(!v, WEFT_OUT_OF_MEMORY, "cannot allocate memory for the payoffs of %llu paths", (unsigned long long)n);
    double *const controls = v + n;
    for (uint64_t p = 0; p < n; p++) {
        if (c->dtype == WEFT_F32)
            path_f32(c, call->first + p, &v[p], &controls[p]);
        else
            path_f64(c, call->first + p, &v[p], &controls[p]);
    }
    find_sums(c, n, v, controls, call->sums);
    free(v);
    return WEFT_OK;
}
