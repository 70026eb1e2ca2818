#include "core/check.h"
#include "core/order.h"
#include "core/parts.h"
#include "core/types.h"

#include <math.h>

static const size_t STEPS_MAX = (size_t)1 << 20;
static const uint64_t PATHS_MAX = (uint64_t)1 << 48;
enum { SCRAMBLINGS_MAX = 1024 };

/* Lower triangular matrix that maps independent normals to correlated ones. */
typedef struct factor {
    double at[WEFT_ASSETS_MAX][WEFT_ASSETS_MAX];
} factor;

/* ---------------------------------------------------------------------------------- checks */

static bool is_finite(double x) { return x - x == 0; }

static weft_status check_arrays(const weft_option *o, weft_error *error) {
    RETURN_IF(o->assets < 1 || o->assets > WEFT_ASSETS_MAX, WEFT_INVALID,
              "invalid number of assets %zu: expected 1 to %d", o->assets, WEFT_ASSETS_MAX);
    RETURN_IF(!o->start, WEFT_INVALID, "option->start is NULL");
    RETURN_IF(!o->volatility, WEFT_INVALID, "option->volatility is NULL");
    RETURN_IF_ERROR(check_host_value("option->start", o->start, error));
    RETURN_IF_ERROR(check_host_value("option->volatility", o->volatility, error));
    RETURN_IF_ERROR(check_host_value("option->correlation", o->correlation, error));
    return check_host_value("option->weights", o->weights, error);
}

static weft_status check_market(const weft_option *o, weft_error *error) {
    RETURN_IF(!is_finite(o->rate), WEFT_INVALID, "invalid rate %g: it must be finite", o->rate);
    RETURN_IF(!(o->maturity > 0) || !is_finite(o->maturity), WEFT_INVALID,
              "invalid maturity %g: it must be finite and greater than 0", o->maturity);
    for (size_t i = 0; i < o->assets; i++) {
        RETURN_IF(!(o->start[i] > 0) || !is_finite(o->start[i]), WEFT_INVALID,
                  "asset %zu: invalid start price %g: it must be finite and greater than 0", i, o->start[i]);
        RETURN_IF(!(o->volatility[i] >= 0) || !is_finite(o->volatility[i]), WEFT_INVALID,
                  "asset %zu: invalid volatility %g: it must be finite and 0 or greater", i, o->volatility[i]);
        RETURN_IF(o->weights && !is_finite(o->weights[i]), WEFT_INVALID,
                  "asset %zu: invalid weight %g: it must be finite", i, o->weights[i]);
    }
    return WEFT_OK;
}

static bool floats(weft_payoff payoff) { return payoff == WEFT_FLOATING_CALL || payoff == WEFT_FLOATING_PUT; }
static bool has_strike(weft_payoff payoff) { return !floats(payoff) && payoff != WEFT_CORRIDOR; }

/* Returns true for a single asset of weight 1, which is also the meaning of NULL. */
static bool is_unweighted(const weft_option *o) { return o->assets == 1 && (!o->weights || o->weights[0] == 1); }

static weft_status check_payoff(const weft_option *o, weft_steps scheme, weft_error *error) {
    RETURN_IF((unsigned)o->payoff > WEFT_CORRIDOR, WEFT_INVALID, "invalid payoff %d", (int)o->payoff);
    RETURN_IF((unsigned)o->observed > WEFT_OBSERVE_LOWEST, WEFT_INVALID, "invalid observed value %d",
              (int)o->observed);
    RETURN_IF(has_strike(o->payoff) && (!(o->strike >= 0) || !is_finite(o->strike)), WEFT_INVALID,
              "invalid strike %g: it must be finite and 0 or greater", o->strike);
    RETURN_IF(
        floats(o->payoff) && o->observed == WEFT_OBSERVE_END, WEFT_INVALID,
        "a floating strike requires observing a mean, the highest or the lowest price, not the price at maturity");
    RETURN_IF(o->payoff == WEFT_CORRIDOR && (!(o->width > 0) || !is_finite(o->width)), WEFT_INVALID,
              "invalid corridor width %g: it must be finite and greater than 0", o->width);
    RETURN_IF(o->payoff == WEFT_CORRIDOR && o->observed != WEFT_OBSERVE_END, WEFT_INVALID,
              "a corridor requires observing the price at maturity");
    RETURN_IF(o->observed == WEFT_OBSERVE_GEOMETRIC && (!is_unweighted(o) || scheme != WEFT_EXACT), WEFT_UNSUPPORTED,
              "a geometric mean requires one asset of weight 1 and exact steps");
    return WEFT_OK;
}

static weft_status check_simulation(const weft_simulation *s, weft_error *error) {
    RETURN_IF(!type_is_float(s->dtype), WEFT_UNSUPPORTED, "price requires paths of f32 or f64, not %s",
              weft_dtype_name(s->dtype));
    RETURN_IF((unsigned)s->scheme > WEFT_EULER, WEFT_INVALID, "invalid scheme %d", (int)s->scheme);
    RETURN_IF(s->steps < 1 || s->steps > STEPS_MAX, WEFT_INVALID, "invalid number of steps %zu: expected 1 to %zu",
              s->steps, STEPS_MAX);
    RETURN_IF(s->paths < 2 || s->paths > PATHS_MAX, WEFT_INVALID, "invalid number of paths %llu: expected 2 to %llu",
              (unsigned long long)s->paths, (unsigned long long)PATHS_MAX);
    RETURN_IF(s->fast_normals && s->dtype != WEFT_F32, WEFT_UNSUPPORTED, "fast normals require paths of f32, not %s",
              weft_dtype_name(s->dtype));
    RETURN_IF(s->fast_normals && s->scramblings, WEFT_UNSUPPORTED,
              "fast_normals and scramblings are both set: Sobol points require the inverse distribution function");
    RETURN_IF(s->control && s->greeks, WEFT_UNSUPPORTED,
              "control and greeks are both set: deltas and vegas have no control variate");
    return WEFT_OK;
}

static weft_status check_scramblings(const weft_option *o, const weft_simulation *s, weft_error *error) {
    const size_t count = s->scramblings;
    if (count == 0) return WEFT_OK;
    RETURN_IF(count < 2 || count > SCRAMBLINGS_MAX || (count & (count - 1)) != 0, WEFT_INVALID,
              "invalid number of scramblings %zu: expected a power of two from 2 to %d", count, SCRAMBLINGS_MAX);
    RETURN_IF(s->paths % count != 0 || s->paths / count < 2, WEFT_INVALID,
              "%llu paths cannot be divided equally, 2 or more each, among %zu scramblings",
              (unsigned long long)s->paths, count);
    RETURN_IF(s->steps > WEFT_SOBOL_DIMENSIONS / o->assets, WEFT_INVALID,
              "%zu steps of %zu assets need one Sobol dimension for each step of each asset: there are at most %d",
              s->steps, o->assets, WEFT_SOBOL_DIMENSIONS);
    return WEFT_OK;
}

static double weight_of(const weft_option *o, size_t i) { return o->weights ? o->weights[i] : 1 / (double)o->assets; }

static weft_status check_barrier(const weft_option *o, weft_error *error) {
    const bool up = o->barrier == WEFT_UP_AND_OUT || o->barrier == WEFT_UP_AND_IN;
    double basket = 0;
    RETURN_IF((unsigned)o->barrier > WEFT_DOWN_AND_IN, WEFT_INVALID, "invalid barrier %d", (int)o->barrier);
    if (o->barrier == WEFT_NO_BARRIER) return WEFT_OK;
    for (size_t i = 0; i < o->assets; i++) basket += weight_of(o, i) * o->start[i];
    RETURN_IF(!is_finite(o->level), WEFT_INVALID, "invalid barrier level %g: it must be finite", o->level);
    RETURN_IF(up ? basket >= o->level : basket <= o->level, WEFT_INVALID,
              "the barrier level %g must be %s the start price %g", o->level, up ? "above" : "below", basket);
    return WEFT_OK;
}

static weft_status check_greeks(const weft_option *o, weft_error *error) {
    for (size_t i = 0; i < o->assets; i++)
        RETURN_IF(o->volatility[i] == 0, WEFT_INVALID,
                  "asset %zu has volatility 0: greeks require a volatility greater than 0", i);
    return WEFT_OK;
}

/* ----------------------------------------------------------------------------- correlation */

static weft_status check_correlation(size_t n, const double *matrix, weft_error *error) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            const double a = matrix[i * n + j], b = matrix[j * n + i];
            RETURN_IF(i == j && a != 1, WEFT_INVALID, "the correlation of asset %zu with itself is %g: it must be 1",
                      i, a);
            RETURN_IF(i != j && !(a >= -1 && a <= 1), WEFT_INVALID,
                      "the correlation of assets %zu and %zu is %g: it must be between -1 and 1", i, j, a);
            RETURN_IF(
                a != b, WEFT_INVALID,
                "the correlation matrix is not symmetric: assets %zu and %zu have %g in row %zu and %g in row %zu", i,
                j, a, i, b, j);
        }
    return WEFT_OK;
}

/* Computes the lower triangular L with L L' = the matrix, row by row (A.-L. Cholesky; ORDER.md 21.1). */
static weft_status factorize(size_t n, const double *matrix, factor *l, weft_error *error) {
    RETURN_IF_ERROR(check_correlation(n, matrix, error));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double rest = matrix[i * n + j];
            for (size_t k = 0; k < j; k++) rest = rest - l->at[i][k] * l->at[j][k];
            RETURN_IF(i == j && !(rest > 0), WEFT_INVALID,
                      "the correlation matrix is not positive definite: the pivot of row %zu is %g", i, rest);
            l->at[i][j] = i == j ? sqrt(rest) : rest / l->at[j][j];
        }
    return WEFT_OK;
}

/* ------------------------------------------------------------------------------------ legs */

static void set_asset(const weft_option *o, const weft_simulation *s, const factor *l, size_t i, double start,
                      double volatility, price_leg *leg) {
    const double dt = o->maturity / (double)s->steps, deviation = volatility * sqrt(dt);
    leg->start[i] = start;
    leg->drift[i] = (s->scheme == WEFT_EXACT ? o->rate - 0.5 * (volatility * volatility) : o->rate) * dt;
    for (size_t j = 0; j <= i; j++) leg->loading[i][j] = deviation * l->at[i][j];
}

static price_leg plain_leg(const weft_option *o, const weft_simulation *s, const factor *l) {
    price_leg leg = {.weight = 1};
    for (size_t i = 0; i < o->assets; i++) set_asset(o, s, l, i, o->start[i], o->volatility[i], &leg);
    return leg;
}

static price_leg mirrored(price_leg leg) {
    for (size_t i = 0; i < WEFT_ASSETS_MAX; i++)
        for (size_t j = 0; j <= i; j++) leg.loading[i][j] = -leg.loading[i][j];
    return leg;
}

/* Inserts the antithetic leg after each leg of the call and gives both half of its weight. */
static void mirror_legs(price_call *c) {
    for (size_t k = c->legs; k-- > 0;) {
        c->leg[k].weight *= 0.5;
        c->leg[2 * k] = c->leg[k];
        c->leg[2 * k + 1] = mirrored(c->leg[2 * k]);
    }
    c->legs *= 2;
}

static price_control control_of(const weft_option *o, const weft_simulation *s) {
    const bool asian = o->observed == WEFT_OBSERVE_MEAN && (o->payoff == WEFT_CALL || o->payoff == WEFT_PUT) &&
                       o->barrier == WEFT_NO_BARRIER && is_unweighted(o) && s->scheme == WEFT_EXACT;
    if (!s->control) return CONTROL_NONE;
    return asian ? CONTROL_GEOMETRIC : CONTROL_END;
}

static price_call plain_call(const weft_option *o, const weft_simulation *s, const factor *l) {
    price_call c = {.dtype = s->dtype, .payoff = o->payoff, .observed = o->observed, .barrier = o->barrier};
    c.scheme = s->scheme;
    c.control = control_of(o, s);
    c.assets = o->assets;
    c.steps = s->steps;
    c.paths = s->paths;
    c.seed = s->seed;
    c.fast = s->fast_normals != 0;
    c.strike = has_strike(o->payoff) ? o->strike : 0;
    c.level = o->barrier == WEFT_NO_BARRIER ? 0 : o->level;
    c.rate = o->rate;
    c.maturity = o->maturity;
    c.volatility = o->volatility[0];
    for (size_t i = 0; i < o->assets; i++) {
        c.weights[i] = weight_of(o, i);
        c.centre[i] = o->start[i];
        c.width[i] = o->payoff == WEFT_CORRIDOR ? o->width * o->start[i] : 0;
    }
    c.legs = 1;
    c.leg[0] = plain_leg(o, s, l);
    return c;
}

/* Returns the call for the central difference with respect to the start value of asset i, or to its volatility. */
static price_call difference_call(const weft_option *o, const weft_simulation *s, const factor *l, size_t i,
                                  bool volatility) {
    const double x = volatility ? o->volatility[i] : o->start[i], bump = x * WEFT_PRICE_BUMP;
    price_call c = plain_call(o, s, l);
    c.legs = 2;
    c.leg[1] = c.leg[0];
    for (size_t k = 0; k < 2; k++) {
        const double moved = k == 0 ? x + bump : x - bump, step = (x + bump) - (x - bump);
        set_asset(o, s, l, i, volatility ? o->start[i] : moved, volatility ? moved : o->volatility[i], &c.leg[k]);
        c.leg[k].weight = k == 0 ? 1 / step : -1 / step;
    }
    return c;
}

/* ----------------------------------------------------------------------------------- calls */

/* Computes the sums over the paths of a call: the backend if `sum` is NULL; else `sum`, which distributes the paths
 * over ranks. */
typedef struct sum_of_paths {
    weft_context *ctx;
    part_price_sum *sum;
    void *self;
} sum_of_paths;

static weft_status estimate(const sum_of_paths *how, const price_call *c, double *estimate, weft_error *error) {
    const weft_backend *const backend = how->ctx->backend;
    double sums[PRICE_SUMS] = {0};
    if (how->sum)
        RETURN_IF_ERROR(how->sum(how->self, c, c->paths, sums));
    else
        RETURN_IF_ERROR(backend->price_sums(how->ctx->state, &(price_sums_call){c, 0, c->paths, sums}, error));
    return backend->price_estimate(how->ctx->state, &(price_estimate_call){c, sums, estimate}, error);
}

static double canonical(double x) { return isnan(x) ? (double)NAN : x; }

/* Computes the mean of the estimates of all scramblings, and its standard error (ORDER.md 21.9). */
static weft_status run_scrambled(const sum_of_paths *how, size_t count, price_call c, double *value,
                                 double *deviation, weft_error *error) {
    double values[SCRAMBLINGS_MAX], found[2], sum = 0, squares = 0;
    c.sobol = true;
    c.paths /= count;
    for (size_t r = 0; r < count; r++) {
        c.stream = r;
        RETURN_IF_ERROR(estimate(how, &c, found, error));
        values[r] = found[0];
        sum = sum + values[r];
    }
    const double n = (double)count, mean = sum / n;
    for (size_t r = 0; r < count; r++) squares = fma(values[r] - mean, values[r] - mean, squares);
    *value = canonical(mean);
    *deviation = canonical(sqrt(squares / ((n - 1) * n)));
    return WEFT_OK;
}

static weft_status run(const sum_of_paths *how, const weft_simulation *s, price_call c, double *value,
                       double *deviation, weft_error *error) {
    double found[2];
    if (s->antithetic) mirror_legs(&c);
    if (s->scramblings) return run_scrambled(how, s->scramblings, c, value, deviation, error);
    RETURN_IF_ERROR(estimate(how, &c, found, error));
    *value = found[0];
    *deviation = found[1];
    return WEFT_OK;
}

static weft_status find_greeks(const sum_of_paths *how, const weft_option *o, const weft_simulation *s,
                               const factor *l, weft_valuation *v, weft_error *error) {
    for (size_t i = 0; i < o->assets; i++) {
        RETURN_IF_ERROR(run(how, s, difference_call(o, s, l, i, false), &v->delta[i], &v->delta_error[i], error));
        RETURN_IF_ERROR(run(how, s, difference_call(o, s, l, i, true), &v->vega[i], &v->vega_error[i], error));
    }
    return WEFT_OK;
}

static weft_status check(const weft_option *o, const weft_simulation *s, const weft_valuation *valuation, factor *l,
                         weft_error *error) {
    RETURN_IF(!o || !s || !valuation, WEFT_INVALID, "%s is NULL", !o ? "option" : !s ? "simulation" : "valuation");
    RETURN_IF_ERROR(check_host_value("option", o, error));
    RETURN_IF_ERROR(check_host_value("simulation", s, error));
    RETURN_IF_ERROR(check_host_value("valuation", valuation, error));
    RETURN_IF_WRONG_SIZE("option", o, weft_option);
    RETURN_IF_WRONG_SIZE("simulation", s, weft_simulation);
    RETURN_IF_WRONG_SIZE("valuation", valuation, weft_valuation);
    RETURN_IF_ERROR(check_arrays(o, error));
    RETURN_IF_ERROR(check_simulation(s, error));
    RETURN_IF_ERROR(check_scramblings(o, s, error));
    RETURN_IF_ERROR(check_market(o, error));
    RETURN_IF_ERROR(check_payoff(o, s->scheme, error));
    RETURN_IF_ERROR(check_barrier(o, error));
    if (s->greeks) RETURN_IF_ERROR(check_greeks(o, error));
    for (size_t i = 0; i < o->assets; i++) l->at[i][i] = 1;
    return o->correlation ? factorize(o->assets, o->correlation, l, error) : WEFT_OK;
}

static weft_status price(const sum_of_paths *how, const weft_option *o, const weft_simulation *s,
                         weft_valuation *valuation, weft_error *error) {
    weft_valuation v = {.size = sizeof v};
    factor l = {{{0}}};
    RETURN_IF_ERROR(check(o, s, valuation, &l, error));
    for (size_t i = 0; i < WEFT_ASSETS_MAX; i++)
        v.delta[i] = v.delta_error[i] = v.vega[i] = v.vega_error[i] = (double)NAN;
    RETURN_IF_ERROR(run(how, s, plain_call(o, s, &l), &v.price, &v.standard_error, error));
    v.low = fma(-WEFT_PRICE_INTERVAL, v.standard_error, v.price);
    v.high = fma(WEFT_PRICE_INTERVAL, v.standard_error, v.price);
    if (s->greeks) RETURN_IF_ERROR(find_greeks(how, o, s, &l, &v, error));
    *valuation = v;
    return WEFT_OK;
}

weft_status weft_price(weft_context *ctx, const weft_option *option, const weft_simulation *simulation,
                       weft_valuation *valuation) {
    RETURN_GUARDED(ctx, price(&(sum_of_paths){.ctx = ctx}, option, simulation, valuation, error));
}

/* ----------------------------------------------------------------------------------- parts */

static weft_status check_alone(const weft_option *o, const weft_simulation *s, const weft_valuation *valuation,
                               weft_error *error) {
    factor l = {{{0}}};
    return check(o, s, valuation, &l, error);
}

weft_status weft_part_price_check(weft_context *ctx, const weft_option *option, const weft_simulation *simulation,
                                  const weft_valuation *valuation) {
    RETURN_GUARDED_SETUP(ctx, check_alone(option, simulation, valuation, error));
}

/* Does not mark the context as busy, because `sum` makes calls on it. */
weft_status weft_part_price(weft_context *ctx, const weft_option *option, const weft_simulation *simulation,
                            part_price_sum *sum, void *self, weft_valuation *valuation) {
    weft_error unused;
    const weft_fpmode mode = weft_fpmode_enter();
    const weft_status status = price(&(sum_of_paths){ctx, sum, self}, option, simulation, valuation, &unused);
    weft_fpmode_leave(mode);
    return status;
}

weft_status weft_part_price_sums(weft_context *ctx, const price_call *call, uint64_t first, uint64_t n,
                                 double *sums) {
    const price_sums_call sum = {call, first, n, sums};
    RETURN_GUARDED(ctx, ctx->backend->price_sums(ctx->state, &sum, error));
}
