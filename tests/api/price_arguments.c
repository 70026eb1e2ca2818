/* Tests every argument that weft_price rejects: the error message, and that nothing was written. The argument is the
 * device's name. */
#include "tests/expect.h"

#include <math.h>

static weft_context *ctx;
static double start[WEFT_ASSETS_MAX], volatility[WEFT_ASSETS_MAX], weights[WEFT_ASSETS_MAX];
static double correlation[WEFT_ASSETS_MAX * WEFT_ASSETS_MAX];

/* Arguments of a valid call, which each test changes in one respect. */
typedef struct arguments {
    weft_option option;
    weft_simulation simulation;
} arguments;

static arguments right(void) {
    static const double rho[] = {1, 0.5, 0.25, 0.5, 1, 0.5, 0.25, 0.5, 1};
    for (int i = 0; i < WEFT_ASSETS_MAX; i++) {
        start[i] = 10 + i;
        volatility[i] = 0.2;
        weights[i] = 1;
    }
    memcpy(correlation, rho, sizeof rho);
    return (arguments){{.size = sizeof(weft_option),
                        .payoff = WEFT_CALL,
                        .strike = 30,
                        .rate = 0.05,
                        .maturity = 1,
                        .assets = 3,
                        .start = start,
                        .volatility = volatility,
                        .correlation = correlation,
                        .weights = weights},
                       {.size = sizeof(weft_simulation), .dtype = WEFT_F64, .steps = 2, .paths = 100, .seed = 1}};
}

static void refused(const arguments *a, weft_status status, const char *words) {
    weft_valuation v = {.size = sizeof v, .price = 7, .vega_error = {[WEFT_ASSETS_MAX - 1] = 7}};
    EXPECT_ERROR(ctx, weft_price(ctx, &a->option, &a->simulation, &v), status, words);
    EXPECT(v.price == 7 && v.vega_error[WEFT_ASSETS_MAX - 1] == 7, "\"%s\": something was written", words);
}

static void accepted(const arguments *a) {
    weft_valuation v = {.size = sizeof v, .price = -7};
    EXPECT_STATUS(ctx, weft_price(ctx, &a->option, &a->simulation, &v), WEFT_OK);
    EXPECT(v.price >= 0 && v.standard_error >= 0 && v.low <= v.price && v.price <= v.high, "%g in %g to %g", v.price,
           v.low, v.high);
}

#define WITH(field, ...)       \
    do {                       \
        a = right();           \
        a.field = __VA_ARGS__; \
    } while (0)

static void pointers(void) {
    arguments a = right();
    weft_valuation v = {.size = sizeof v};
    EXPECT_ERROR(ctx, weft_price(ctx, NULL, &a.simulation, &v), WEFT_INVALID, "option is NULL");
    a.option.size = 0;
    refused(&a, WEFT_INVALID, "option->size is 0: expected sizeof(weft_option)");
    a = right();
    a.simulation.size--;
    refused(&a, WEFT_INVALID, "simulation->size is");
    a = right();
    v.size = 1;
    EXPECT_ERROR(ctx, weft_price(ctx, &a.option, &a.simulation, &v), WEFT_INVALID, "valuation->size is 1");
    v.size = sizeof v;
    EXPECT_ERROR(ctx, weft_price(ctx, &a.option, NULL, &v), WEFT_INVALID, "simulation is NULL");
    EXPECT_ERROR(ctx, weft_price(ctx, &a.option, &a.simulation, NULL), WEFT_INVALID, "valuation is NULL");
    EXPECT_ERROR(NULL, weft_price(NULL, &a.option, &a.simulation, &v), WEFT_INVALID, "NULL");
    WITH(option.start, NULL);
    refused(&a, WEFT_INVALID, "option->start is NULL");
    WITH(option.volatility, NULL);
    refused(&a, WEFT_INVALID, "option->volatility is NULL");
    WITH(option.weights, NULL);
    accepted(&a);
    WITH(option.correlation, NULL);
    accepted(&a);
}

static void simulations(void) {
    arguments a;
    WITH(simulation.dtype, WEFT_I32);
    refused(&a, WEFT_UNSUPPORTED, "price requires paths of f32 or f64, not i32");
    WITH(simulation.scheme, (weft_steps)2);
    refused(&a, WEFT_INVALID, "invalid scheme 2");
    WITH(simulation.steps, 0);
    refused(&a, WEFT_INVALID, "invalid number of steps 0: expected 1 to 1048576");
    WITH(simulation.steps, 1048577);
    refused(&a, WEFT_INVALID, "number of steps 1048577");
    WITH(simulation.paths, 0);
    refused(&a, WEFT_INVALID, "invalid number of paths 0: expected 2 to 281474976710656");
    WITH(simulation.paths, 1);
    refused(&a, WEFT_INVALID, "number of paths 1");
    WITH(simulation.paths, (UINT64_C(1) << 48) + 1);
    refused(&a, WEFT_INVALID, "number of paths 281474976710657");
    WITH(simulation.paths, 2);
    accepted(&a);
    WITH(simulation.control, 1);
    accepted(&a);
    a.simulation.greeks = 1;
    refused(&a, WEFT_UNSUPPORTED, "control and greeks are both set");
    a.simulation.control = 0;
    accepted(&a);
}

static void fast_normals(void) {
    arguments a;
    WITH(simulation.fast_normals, 1);
    a.simulation.dtype = WEFT_F64;
    refused(&a, WEFT_UNSUPPORTED, "fast normals require paths of f32, not f64");
    a.simulation.dtype = WEFT_F32;
    accepted(&a);
    a.simulation.scramblings = 4;
    refused(&a, WEFT_UNSUPPORTED, "fast_normals and scramblings are both set");
}

static void scramblings(void) {
    arguments a;
    static const size_t wrong[] = {1, 3, 12, 2048};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        WITH(simulation.scramblings, wrong[i]);
        refused(&a, WEFT_INVALID, "expected a power of two from 2 to 1024");
    }
    WITH(simulation.scramblings, 16);
    a.simulation.paths = 1000;
    refused(&a, WEFT_INVALID, "1000 paths cannot be divided equally, 2 or more each, among 16 scramblings");
    a.simulation.paths = 16;
    refused(&a, WEFT_INVALID, "16 paths cannot be divided equally");
    a.simulation.paths = 32;
    a.simulation.steps = WEFT_SOBOL_DIMENSIONS / a.option.assets;
    accepted(&a);
    a.simulation.steps++;
    refused(&a, WEFT_INVALID, "there are at most 1111");
}

static void markets(void) {
    arguments a;
    WITH(option.assets, 0);
    refused(&a, WEFT_INVALID, "invalid number of assets 0: expected 1 to 8");
    WITH(option.assets, 9);
    refused(&a, WEFT_INVALID, "number of assets 9");
    WITH(option.rate, (double)NAN);
    refused(&a, WEFT_INVALID, "invalid rate nan");
    WITH(option.maturity, 0);
    refused(&a, WEFT_INVALID, "invalid maturity 0: it must be finite and greater than 0");
    WITH(option.maturity, (double)INFINITY);
    refused(&a, WEFT_INVALID, "invalid maturity inf");
    a = right();
    start[1] = 0;
    refused(&a, WEFT_INVALID, "asset 1: invalid start price 0: it must be finite and greater than 0");
    a = right();
    volatility[2] = -0.5;
    refused(&a, WEFT_INVALID, "asset 2: invalid volatility -0.5: it must be finite and 0 or greater");
    a = right();
    weights[0] = (double)NAN;
    refused(&a, WEFT_INVALID, "asset 0: invalid weight nan: it must be finite");
    a = right();
    volatility[2] = 0;
    accepted(&a);
    a.simulation.greeks = 1;
    refused(&a, WEFT_INVALID, "asset 2 has volatility 0: greeks require a volatility greater than 0");
    a = right();
    a.simulation.greeks = 1;
    accepted(&a);
}

/* Sets elements i, j and j, i of the correlation matrix. */
static arguments correlated(int i, int j, double rho) {
    const arguments a = right();
    correlation[3 * i + j] = correlation[3 * j + i] = rho;
    return a;
}

static void correlations(void) {
    arguments a = right();
    correlation[1] = 0.4;
    refused(&a, WEFT_INVALID,
            "the correlation matrix is not symmetric: assets 1 and 0 have 0.5 in row 1 and 0.4 in row 0");
    a = correlated(1, 1, 2);
    refused(&a, WEFT_INVALID, "the correlation of asset 1 with itself is 2: it must be 1");
    a = correlated(2, 0, 1.5);
    refused(&a, WEFT_INVALID, "the correlation of assets 2 and 0 is 1.5: it must be between -1 and 1");
    a = correlated(2, 0, (double)NAN);
    refused(&a, WEFT_INVALID, "the correlation of assets 2 and 0 is nan");
    a = correlated(1, 0, -1);
    refused(&a, WEFT_INVALID, "not positive definite: the pivot of row 1 is 0");
    a = correlated(2, 0, -0.5);
    refused(&a, WEFT_INVALID, "not positive definite: the pivot of row 2 is");
    a = correlated(2, 0, -0.75);
    refused(&a, WEFT_INVALID, "not positive definite: the pivot of row 2 is -");
    a = correlated(2, 0, -0.25);
    accepted(&a);
}

static void payoffs(void) {
    arguments a;
    WITH(option.payoff, (weft_payoff)7);
    refused(&a, WEFT_INVALID, "invalid payoff 7");
    WITH(option.observed, (weft_observed)-1);
    refused(&a, WEFT_INVALID, "invalid observed value -1");
    WITH(option.strike, -1);
    refused(&a, WEFT_INVALID, "invalid strike -1: it must be finite and 0 or greater");
    WITH(option.payoff, WEFT_FLOATING_PUT);
    refused(&a, WEFT_INVALID, "a floating strike requires observing a mean");
    WITH(option.payoff, WEFT_CORRIDOR);
    refused(&a, WEFT_INVALID, "invalid corridor width 0: it must be finite and greater than 0");
    a.option.width = 0.5;
    a.option.strike = -1; /* a corridor has no strike */
    accepted(&a);
    a.option.observed = WEFT_OBSERVE_MEAN;
    refused(&a, WEFT_INVALID, "a corridor requires observing the price at maturity");
    WITH(option.observed, WEFT_OBSERVE_GEOMETRIC);
    refused(&a, WEFT_UNSUPPORTED, "a geometric mean requires one asset of weight 1 and exact steps");
    a.option.assets = 1;
    weights[0] = 2;
    refused(&a, WEFT_UNSUPPORTED, "a geometric mean");
    weights[0] = 1;
    a.option.correlation = NULL;
    accepted(&a);
    a.option.weights = NULL;
    accepted(&a);
    a.simulation.scheme = WEFT_EULER;
    refused(&a, WEFT_UNSUPPORTED, "a geometric mean");
}

/* Checks that the weight 1 of one asset is equivalent to NULL, also for the control variate of an Asian option. */
static void weight_of_one(void) {
    arguments a = right();
    weft_valuation given = {.size = sizeof given}, otherwise = given;
    a.option.assets = 1;
    a.option.correlation = NULL;
    a.option.observed = WEFT_OBSERVE_MEAN;
    a.option.strike = 10;
    a.simulation.control = 1;
    EXPECT_STATUS(ctx, weft_price(ctx, &a.option, &a.simulation, &given), WEFT_OK);
    a.option.weights = NULL;
    EXPECT_STATUS(ctx, weft_price(ctx, &a.option, &a.simulation, &otherwise), WEFT_OK);
    EXPECT(memcmp(&given, &otherwise, sizeof given) == 0, "weight 1: %.17g -+ %g, NULL: %.17g -+ %g", given.price,
           given.standard_error, otherwise.price, otherwise.standard_error);
}

static void barriers(void) {
    arguments a;
    WITH(option.barrier, (weft_barrier)5);
    refused(&a, WEFT_INVALID, "invalid barrier 5");
    WITH(option.barrier, WEFT_UP_AND_OUT);
    a.option.level = 33;
    refused(&a, WEFT_INVALID, "the barrier level 33 must be above the start price 33");
    a.option.level = 34;
    accepted(&a);
    a.option.barrier = WEFT_DOWN_AND_IN;
    refused(&a, WEFT_INVALID, "the barrier level 34 must be below the start price 33");
    a.option.level = (double)NAN;
    refused(&a, WEFT_INVALID, "invalid barrier level nan: it must be finite");
    a.option.barrier = WEFT_NO_BARRIER;
    accepted(&a);
}

int main(int argc, char **argv) {
    if (argc != 2 || weft_open(&ctx, argv[1]) != WEFT_OK) return 1;
    pointers();
    simulations();
    scramblings();
    fast_normals();
    markets();
    correlations();
    payoffs();
    weight_of_one();
    barriers();
    weft_close(ctx);
    return expect_end();
}
