/* Arithmetic of the simulations of weft_price that all backends share (ORDER.md 21): the normals, the payoffs, and
 * the estimate from the sums over all paths. */
#ifndef WEFT_ARITH_PRICE_H
#define WEFT_ARITH_PRICE_H

#include "arith/bits.h"
#include "arith/elementary.h"
#include "arith/philox.h"

#include <math.h>
#include <stddef.h>

/* Returns the quantile of the normal distribution at the middle of the interval that `word` represents. */
WEFT_ARITH double weft_price_normal(uint32_t word) { return weft_probit_f64(((double)word + 0.5) * 0x1p-32); }

/* Returns a - b, or 0 if that is negative. */
WEFT_ARITH float weft_excess_f32(float a, float b) { return a - b < 0 ? 0 : a - b; }
WEFT_ARITH double weft_excess_f64(double a, double b) { return a - b < 0 ? 0 : a - b; }

/* Sums over all paths of the values, the controls, and the products of two of them. */
typedef struct weft_price_sums {
    double value, value_value, control, control_control, value_control;
} weft_price_sums;

/* Returns the sums from five numbers in that order. */
WEFT_ARITH weft_price_sums weft_price_given(const double *v) {
    const weft_price_sums sums = {v[0], v[1], v[2], v[3], v[4]};
    return sums;
}

WEFT_ARITH weft_price_sums weft_price_no_sums(void) {
    const weft_price_sums none = {-0.0, -0.0, -0.0, -0.0, -0.0};
    return none;
}

WEFT_ARITH weft_price_sums weft_price_combine(weft_price_sums a, weft_price_sums b) {
    a.value = a.value + b.value;
    a.value_value = a.value_value + b.value_value;
    a.control = a.control + b.control;
    a.control_control = a.control_control + b.control_control;
    a.value_control = a.value_control + b.value_control;
    return a;
}

/* Returns the expected growth of an asset with initial value 1: e^(rate maturity) for exact steps, else that of
 * Euler's scheme. */
WEFT_ARITH double weft_price_growth(int euler, double drift, uint64_t steps, double rate, double maturity) {
    double growth = 1;
    if (!euler) return weft_exp_f64(rate * maturity);
    for (uint64_t step = 0; step < steps; step++) growth = fma(growth, drift, growth);
    return growth;
}

/* Returns the expected value of the basket at maturity. */
WEFT_ARITH double weft_price_end(int euler, size_t assets, const double *weights, const double *start,
                                 const double *drift, uint64_t steps, double rate, double maturity) {
    double worth = 0;
    for (size_t i = 0; i < assets; i++)
        worth = fma(weights[i], start[i] * weft_price_growth(euler, drift[i], steps, rate, maturity), worth);
    return worth;
}

WEFT_ARITH double weft_normal_probability(double x) { return 0.5 * (1 + weft_erf_f64(x * sqrt(0.5))); }

/* Returns the expected payoff of a call (or put) on the geometric mean over n dates. The mean is log-normal, so the
 * formula is that of F. Black and M. Scholes, Journal of Political Economy 81, 1973. */
WEFT_ARITH double weft_price_geometric(int call, double start, double strike, double rate, double volatility,
                                       double maturity, double n) {
    const double mean_time = maturity * ((n + 1) / (2 * n));
    const double variance_time = maturity * (((n + 1) * (2 * n + 1)) / (6 * (n * n)));
    const double mean = fma(rate - 0.5 * (volatility * volatility), mean_time, weft_log_f64(start));
    const double deviation = volatility * sqrt(variance_time);
    const double forward = weft_exp_f64(mean + 0.5 * (deviation * deviation));
    if (deviation == 0) return call ? weft_excess_f64(forward, strike) : weft_excess_f64(strike, forward);
    const double d2 = (mean - weft_log_f64(strike)) / deviation, d1 = d2 + deviation;
    return call ? forward * weft_normal_probability(d1) - strike * weft_normal_probability(d2)
                : strike * weft_normal_probability(-d2) - forward * weft_normal_probability(-d1);
}

/* Computes the price and its standard error from n paths. `worth` is the expected value of the control. Without a
 * control all its sums are zero, and it has no effect. */
WEFT_ARITH void weft_price_estimate(weft_price_sums s, uint64_t paths, double worth, double rate, double maturity,
                                    double *estimate) {
    const double n = (double)paths, control_mean = s.control / n, mean = s.value / n;
    const double spread = fma(-s.control, control_mean, s.control_control);
    const double common = fma(-s.value, control_mean, s.value_control);
    const double slope = spread > 0 ? common / spread : 0;
    const double squares = fma(-slope, common, fma(-s.value, mean, s.value_value));
    const double discount = weft_exp_f64(-(rate * maturity));
    const double price = discount * fma(-slope, control_mean - worth, mean);
    const double error = discount * sqrt((squares < 0 ? 0 : squares) / ((n - 1) * n));
    estimate[0] = weft_canonical_f64(price);
    estimate[1] = weft_canonical_f64(error);
}

#endif
