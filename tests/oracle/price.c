/* Compares weft_price with closed forms, within 4 standard errors, and tests properties of every simulation. The
 * seeds are fixed, so the results do not vary between runs. */
#include "core/order.h"
#include "tests/oracle/oracle.h"

#include <math.h>
#include <stdlib.h>

static weft_context *ctx;
static uint64_t few; /* number of paths that the device simulates quickly */
static double squares;
static int rows;

static weft_valuation price(const weft_option *o, const weft_simulation *s) {
    weft_valuation v = {.size = sizeof v};
    EXPECT_STATUS(ctx, weft_price(ctx, o, s, &v), WEFT_OK);
    return v;
}

/* Checks that `found` is within 4 standard errors of `exact`, plus `slack`. */
static void near(const char *what, double found, double error, double exact, double slack) {
    const double z = (found - exact) / error;
    EXPECT(fabs(found - exact) <= 4 * error + slack, "%s: %.9g +- %.2g, exact %.9g, %.2f standard errors off", what,
           found, error, exact, z);
    EXPECT(error > 0 && error < 0.1 * fabs(exact) + 0.01, "%s: a standard error of %g for %g", what, error, exact);
    squares += z * z;
    rows++;
}

static void near_price(const char *what, const weft_option *o, const weft_simulation *s, double exact) {
    const weft_valuation v = price(o, s);
    near(what, v.price, v.standard_error, exact, 0);
}

/* ------------------------------------------------------------------------------ closed forms */

static double probability(double x) { return 0.5 * erfc(-x * sqrt(0.5)); }

static double discount(const weft_option *o) { return exp(-o->rate * o->maturity); }

/* Returns the price by F. Black, M. Scholes, Journal of Political Economy 81, 1973, on an asset with mean e^(mean +
 * deviation^2 / 2). */
static double black(const weft_option *o, double mean, double deviation) {
    const double forward = exp(mean + deviation * deviation / 2);
    const double d2 = (mean - log(o->strike)) / deviation, d1 = d2 + deviation;
    switch (o->payoff) {
    case WEFT_CALL: return discount(o) * (forward * probability(d1) - o->strike * probability(d2));
    case WEFT_PUT: return discount(o) * (o->strike * probability(-d2) - forward * probability(-d1));
    case WEFT_DIGITAL_CALL: return discount(o) * probability(d2);
    default: return discount(o) * probability(-d2);
    }
}

static double black_scholes(const weft_option *o) {
    const double v = o->volatility[0];
    return black(o, log(o->start[0]) + (o->rate - v * v / 2) * o->maturity, v * sqrt(o->maturity));
}

static double geometric_asian(const weft_option *o, double n) {
    const double v = o->volatility[0], time = o->maturity * (n + 1) / (2 * n);
    const double variance = v * v * o->maturity * (n + 1) * (2 * n + 1) / (6 * n * n);
    return black(o, log(o->start[0]) + (o->rate - v * v / 2) * time, sqrt(variance));
}

/* Returns the mean of e^M, where M is the highest (sign 1) or lowest (sign -1) of 0 and n partial sums of normal
 * steps: F. Spitzer, Transactions of the AMS 82, 1956. */
static double mean_extreme(const weft_option *o, size_t n, double sign) {
    double a[64] = {1}, c[64];
    const double v = o->volatility[0], dt = o->maturity / (double)n, drift = (o->rate - v * v / 2) * dt;
    for (size_t k = 1; k <= n; k++) {
        const double mean = (double)k * drift, deviation = v * sqrt((double)k * dt);
        c[k] = probability(-sign * mean / deviation) +
               exp(mean + deviation * deviation / 2) * probability(sign * (mean / deviation + deviation));
    }
    for (size_t k = 1; k <= n; k++) {
        a[k] = 0;
        for (size_t j = 1; j <= k; j++) a[k] += c[j] * a[k - j] / (double)k;
    }
    return o->start[0] * a[n];
}

/* ------------------------------------------------------------------------------- one asset */

static const struct {
    double start, volatility, strike, rate, maturity;
} MARKETS[] = {{100, 0.2, 100, 0.05, 1},
               {100, 0.4, 120, 0.02, 0.5},
               {1, 0.1, 0.95, 0.05, 1},
               {50, 0.3, 45, -0.01, 2},
               {2, 0.8, 2, 0.1, 0.25}};
enum { MARKET_COUNT = sizeof MARKETS / sizeof *MARKETS };

static weft_option option_of(int market, weft_payoff payoff, weft_observed observed) {
    weft_option o = {.size = sizeof o, .payoff = payoff, .observed = observed, .assets = 1};
    o.strike = MARKETS[market].strike;
    o.rate = MARKETS[market].rate;
    o.maturity = MARKETS[market].maturity;
    o.start = &MARKETS[market].start;
    o.volatility = &MARKETS[market].volatility;
    return o;
}

static weft_simulation simulation_of(int i, size_t steps) {
    return (weft_simulation){.size = sizeof(weft_simulation),
                             .dtype = i % 3 == 1 ? WEFT_F32 : WEFT_F64,
                             .scheme = WEFT_EXACT,
                             .steps = steps,
                             .paths = few,
                             .seed = 1000 + (uint64_t)i,
                             .antithetic = i % 4 == 2,
                             .control = i % 5 == 3};
}

static void vanillas(void) {
    for (int i = 0; i < 4 * MARKET_COUNT; i++) {
        const weft_option o = option_of(i % MARKET_COUNT, (weft_payoff)(i / MARKET_COUNT), WEFT_OBSERVE_END);
        const weft_simulation s = simulation_of(i, 1 + (size_t)i % 3);
        near_price("vanilla or digital", &o, &s, black_scholes(&o));
    }
}

static void geometric_means(void) {
    for (int i = 0; i < 2 * MARKET_COUNT; i++) {
        const weft_option o = option_of(i % MARKET_COUNT, (weft_payoff)(i / MARKET_COUNT), WEFT_OBSERVE_GEOMETRIC);
        const weft_simulation s = simulation_of(i, 2 + (size_t)i);
        near_price("geometric Asian", &o, &s, geometric_asian(&o, (double)s.steps));
    }
}

static void extremes(void) {
    for (int i = 0; i < MARKET_COUNT; i++) {
        const size_t n = 3 + 2 * (size_t)i;
        weft_option o = option_of(i, WEFT_CALL, WEFT_OBSERVE_HIGHEST);
        const weft_simulation s = simulation_of(i, n);
        o.strike = o.start[0] * 0.75;
        near_price("lookback call", &o, &s, discount(&o) * (mean_extreme(&o, n, 1) - o.strike));
        o.payoff = WEFT_FLOATING_PUT;
        near_price("floating lookback put", &o, &s, discount(&o) * mean_extreme(&o, n, 1) - o.start[0]);
        o.payoff = WEFT_FLOATING_CALL;
        o.observed = WEFT_OBSERVE_LOWEST;
        near_price("floating lookback call", &o, &s, o.start[0] - discount(&o) * mean_extreme(&o, n, -1));
        o.payoff = WEFT_PUT;
        o.strike = o.start[0] * 1.25;
        near_price("lookback put", &o, &s, discount(&o) * (o.strike - mean_extreme(&o, n, -1)));
    }
}

/* Tests barriers with one date, which depend on the last price only: up-and-in equals a digital plus a call above the
 * level. */
static void barriers(void) {
    for (int i = 0; i < MARKET_COUNT; i++) {
        weft_option o = option_of(i, WEFT_CALL, WEFT_OBSERVE_END), beyond = o;
        const weft_simulation s = simulation_of(i, 1);
        o.barrier = WEFT_UP_AND_IN;
        o.level = beyond.strike = 1.3 * o.start[0];
        double in = black_scholes(&beyond);
        beyond.payoff = WEFT_DIGITAL_CALL;
        in += (o.level - o.strike) * black_scholes(&beyond);
        near_price("up and in", &o, &s, in);
        o.barrier = WEFT_NO_BARRIER;
        const double whole = black_scholes(&o);
        o.barrier = WEFT_UP_AND_OUT;
        near_price("up and out", &o, &s, whole - in);
    }
}

/* Checks that the prices of knock-in and knock-out options add up to the price without a barrier. */
static void parity(void) {
    for (int i = 0; i < 2 * MARKET_COUNT; i++) {
        const bool up = i % 2;
        weft_option o = option_of(i % MARKET_COUNT, i % 3 ? WEFT_CALL : WEFT_PUT,
                                  i % 4 == 1 ? WEFT_OBSERVE_MEAN : WEFT_OBSERVE_END);
        weft_simulation s = simulation_of(i, 12);
        s.control = 0;
        s.paths = few / 4;
        const double whole = price(&o, &s).price;
        o.level = o.start[0] * (up ? 1.1 : 0.9);
        o.barrier = up ? WEFT_UP_AND_OUT : WEFT_DOWN_AND_OUT;
        const double out = price(&o, &s).price;
        o.barrier = up ? WEFT_UP_AND_IN : WEFT_DOWN_AND_IN;
        const double in = price(&o, &s).price;
        EXPECT(in > 0 && out >= 0 && fabs(in + out - whole) < 1e-12 * whole, "%g in, %g out, %g in all", in, out,
               whole);
    }
}

/* Checks the mean of means, and that a geometric control variate gives a consistent price and removes nearly all of
 * the variance. */
static void arithmetic_means(void) {
    for (int i = 0; i < MARKET_COUNT; i++) {
        const double n = 8;
        weft_option o = option_of(i, WEFT_CALL, WEFT_OBSERVE_MEAN);
        weft_simulation s = simulation_of(i, (size_t)n);
        double mean = 0;
        s.antithetic = s.control = 0;
        for (int k = 1; k <= 8; k++) mean += o.start[0] * exp(o.rate * o.maturity * k / n) / n;
        const weft_valuation crude = price(&o, &s);
        s.control = 1;
        const weft_valuation controlled = price(&o, &s);
        EXPECT(fabs(crude.price - controlled.price) < 4 * crude.standard_error, "crude %g, controlled %g",
               crude.price, controlled.price);
        EXPECT(controlled.standard_error < 0.15 * crude.standard_error, "control: %g of %g",
               controlled.standard_error, crude.standard_error);
        s.control = 0;
        o.strike = 0;
        near_price("mean", &o, &s, discount(&o) * mean);
    }
}

/* ---------------------------------------------------------------------------- several assets */

/* Checks the option to exchange one asset for another: W. Margrabe, Journal of Finance 33, 1978. */
static void exchanges(void) {
    static const double start[] = {100, 95}, weights[] = {1, -1}, volatility[] = {0.3, 0.2};
    static const double correlations[] = {-0.7, 0, 0.5, 0.95};
    for (int i = 0; i < 4; i++) {
        const double rho = correlations[i], matrix[] = {1, rho, rho, 1};
        const weft_option o = {.size = sizeof o,
                               .payoff = WEFT_CALL,
                               .rate = 0.05,
                               .maturity = 1,
                               .assets = 2,
                               .start = start,
                               .volatility = volatility,
                               .correlation = matrix,
                               .weights = weights};
        const weft_simulation s = simulation_of(i, 2);
        const double v = sqrt(0.09 + 0.04 - 0.12 * rho), d1 = log(100.0 / 95) / v + v / 2;
        near_price("exchange", &o, &s, 100 * probability(d1) - 95 * probability(d1 - v));
    }
}

/* Checks a basket of 8 assets, and its variance, which depends on every correlation. */
static void baskets(void) {
    enum { N = WEFT_ASSETS_MAX };
    double start[N], volatility[N], matrix[N * N], weights[N], mean = 0;
    for (int i = 0; i < N; i++) {
        start[i] = 10 + i;
        volatility[i] = 0.1 + 0.05 * i;
        weights[i] = i == 3 ? -0.5 : 1;
        mean += weights[i] * start[i];
        for (int j = 0; j < N; j++) matrix[i * N + j] = i == j ? 1 : pow(0.6, abs(i - j));
    }
    weft_option o = {.size = sizeof o,
                     .payoff = WEFT_CALL,
                     .rate = 0.03,
                     .maturity = 1,
                     .assets = N,
                     .start = start,
                     .volatility = volatility,
                     .correlation = matrix,
                     .weights = weights};
    weft_simulation s = simulation_of(0, 2);
    const weft_valuation v = price(&o, &s);
    near("basket", v.price, v.standard_error, mean, 0);
    double variance = 0, spread = v.standard_error * v.standard_error * (double)s.paths;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            variance += weights[i] * weights[j] * start[i] * start[j] *
                        (exp(matrix[i * N + j] * volatility[i] * volatility[j]) - 1);
    EXPECT(fabs(spread / variance - 1) < 0.05, "the basket's variance is %g, exact %g", spread, variance);
    s.control = 1;
    EXPECT(price(&o, &s).standard_error < 1e-6 * mean, "a basket is its own control");
}

/* Checks the classic double digital. The exact values, by Fourier integrals, include the error of Euler's steps and
 * the rounding of 0.1f. */
static void double_digital(void) {
    static const double start[] = {1, 1}, volatility[] = {0.1, 0.1}, matrix[] = {1, 0.5, 0.5, 1};
    static const struct {
        size_t steps;
        weft_dtype dtype;
        double exact;
    } table[] = {{1, WEFT_F64, 0.416091025497},
                 {10, WEFT_F64, 0.417325070759},
                 {100, WEFT_F64, 0.417901501389},
                 {100, WEFT_F32, 0.417909388526}};
    const weft_option o = {.size = sizeof o,
                           .payoff = WEFT_CORRIDOR,
                           .width = 0.1,
                           .rate = 0.05,
                           .maturity = 1,
                           .assets = 2,
                           .start = start,
                           .volatility = volatility,
                           .correlation = matrix};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const weft_simulation s = {.size = sizeof s,
                                   .dtype = table[i].dtype,
                                   .scheme = WEFT_EULER,
                                   .steps = table[i].steps,
                                   .paths = table[i].steps < 100 ? few : few / 4,
                                   .seed = 1};
        const weft_valuation v = price(&o, &s);
        const double p = v.price * exp(0.05), error = sqrt(p * (1 - p) / (double)(s.paths - 1)) * exp(-0.05);
        near("double digital", v.price, v.standard_error, table[i].exact, 0);
        EXPECT(fabs(v.standard_error / error - 1) < 1e-12, "a standard error of %.17g, binomial %.17g",
               v.standard_error, error);
        EXPECT(fabs(p * (double)s.paths - round(p * (double)s.paths)) < 1e-7, "a count of paths");
        EXPECT(fabs(v.high - v.price - 1.959963984540054 * v.standard_error) < 1e-15, "the interval");
    }
}

/* Checks that E S^n by Euler's steps is (1 + r dt)^n. */
static void euler_mean(void) {
    weft_option o = option_of(0, WEFT_CALL, WEFT_OBSERVE_END);
    weft_simulation s = simulation_of(0, 10);
    s.scheme = WEFT_EULER;
    o.strike = 0;
    near_price("Euler's mean", &o, &s, discount(&o) * 100 * pow(1.005, 10));
    s.control = 1;
    const weft_valuation v = price(&o, &s);
    EXPECT(fabs(v.price / (discount(&o) * 100 * pow(1.005, 10)) - 1) < 1e-12, "its own control: %.17g", v.price);
}

/* ------------------------------------------------------------------------------- properties */

static void greeks(void) {
    for (int i = 0; i < MARKET_COUNT; i++) {
        const weft_option o = option_of(i, i % 2 ? WEFT_PUT : WEFT_CALL, WEFT_OBSERVE_END);
        weft_simulation s = simulation_of(i, 1);
        const double v = o.volatility[0], deviation = v * sqrt(o.maturity);
        const double d1 = (log(o.start[0] / o.strike) + (o.rate + v * v / 2) * o.maturity) / deviation;
        const double vega = o.start[0] * sqrt(o.maturity) * exp(-d1 * d1 / 2) / sqrt(2 * 3.14159265358979323846);
        s.control = 0;
        s.greeks = 1;
        const weft_valuation found = price(&o, &s);
        near("delta", found.delta[0], found.delta_error[0], i % 2 ? -probability(-d1) : probability(d1), 1e-4);
        near("vega", found.vega[0], found.vega_error[0], vega, 2e-3 * vega);
        EXPECT(isnan(found.delta[1]) && isnan(found.vega_error[7]), "no second asset");
    }
}

/* Checks Sobol points: prices are right within the estimated standard error, which is a small fraction of that of
 * random paths. */
static void points(void) {
    for (int i = 0; i < MARKET_COUNT; i++) {
        const weft_option o = option_of(i, i % 2 ? WEFT_PUT : WEFT_CALL, WEFT_OBSERVE_END);
        const weft_option mean = option_of(i, WEFT_CALL, WEFT_OBSERVE_GEOMETRIC);
        weft_simulation s = simulation_of(i, 1);
        s.paths = 1 << 13;
        s.antithetic = s.control = 0;
        const double crude = price(&o, &s).standard_error;
        s.scramblings = 64;
        const double error = price(&o, &s).standard_error;
        EXPECT(error < 0.15 * crude, "points: a standard error of %g, of random paths %g", error, crude);
        near_price("by points", &o, &s, black_scholes(&o));
        s.steps = 5;
        near_price("geometric Asian by points", &mean, &s, geometric_asian(&mean, 5));
    }
}

/* Checks fast normals, with antithetic paths and without. */
static void fast_normals(void) {
    for (int i = 0; i < MARKET_COUNT; i++) {
        const weft_option o = option_of(i, i % 2 ? WEFT_PUT : WEFT_CALL, WEFT_OBSERVE_END);
        const weft_option mean = option_of(i, WEFT_CALL, WEFT_OBSERVE_GEOMETRIC);
        weft_simulation s = simulation_of(i, 1);
        s.dtype = WEFT_F32;
        s.fast_normals = 1;
        near_price("by fast normals", &o, &s, black_scholes(&o));
        s.steps = 5;
        near_price("geometric Asian by fast normals", &mean, &s, geometric_asian(&mean, 5));
    }
}

static void variances(void) {
    weft_option o = option_of(0, WEFT_CALL, WEFT_OBSERVE_END);
    weft_simulation s = simulation_of(0, 4);
    const double crude = price(&o, &s).standard_error;
    s.antithetic = 1;
    const double antithetic = price(&o, &s).standard_error;
    EXPECT(antithetic < 0.65 * crude, "antithetic: %g of %g", antithetic, crude);
    s.antithetic = 0;
    s.control = 1;
    const double controlled = price(&o, &s).standard_error;
    EXPECT(controlled < 0.5 * crude, "control: %g of %g", controlled, crude);
    s.paths = 4 * few;
    EXPECT(fabs(price(&o, &s).standard_error / controlled - 0.5) < 0.05, "4 times the paths, half the error");
}

/* Checks a volatility of 0: every path has an equal payoff. */
static void certain(void) {
    static const double still = 0;
    weft_option o = option_of(0, WEFT_CALL, WEFT_OBSERVE_END);
    weft_simulation s = simulation_of(0, 16);
    o.volatility = &still;
    o.strike = 90;
    for (int control = 0; control < 2; control++) {
        s.control = control;
        const weft_valuation v = price(&o, &s);
        EXPECT(fabs(v.price - (100 - 90 * exp(-0.05))) < 1e-12, "a certain price %.17g", v.price);
        EXPECT(v.standard_error < 1e-8, "its standard error is %g", v.standard_error);
    }
    o.strike = 110;
    const weft_valuation v = price(&o, &s);
    EXPECT(v.price == 0 && v.standard_error == 0, "certainly nothing: %g +- %g", v.price, v.standard_error);
}

/* Checks that sums of ones are integers, across tiles and batches of them. */
static void counts(void) {
    static const uint64_t paths[] = {2, 2047, 2048, 2049, 6144, 262144, 262145, 600001};
    weft_option o = option_of(0, WEFT_DIGITAL_CALL, WEFT_OBSERVE_END);
    weft_simulation s = simulation_of(0, 1);
    o.strike = 0;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        s.paths = paths[i];
        const weft_valuation v = price(&o, &s);
        EXPECT(v.price == price(&o,
                                &(weft_simulation){
                                    .size = sizeof(weft_simulation), .dtype = WEFT_F64, .steps = 1, .paths = 2})
                              .price &&
                   v.standard_error == 0,
               "%llu paths: %.17g", (unsigned long long)paths[i], v.price);
    }
}

int main(int argc, char **argv) {
    ctx = oracle_open(argc, argv);
    few = argc > 1 && strcmp(argv[1], "ref") == 0 ? 8192 : 65536;
    vanillas();
    geometric_means();
    extremes();
    barriers();
    parity();
    arithmetic_means();
    exchanges();
    baskets();
    double_digital();
    euler_mean();
    greeks();
    points();
    fast_normals();
    variances();
    certain();
    counts();
    /* Squares of errors divided by standard errors: their mean must be 1; for independent ones within 4 sqrt(2 /
     * rows).
     */
    EXPECT(fabs(squares / rows - 1) < 4 * sqrt(2.0 / rows), "%d rows, mean square %g", rows, squares / rows);
    weft_close(ctx);
    return expect_end();
}
