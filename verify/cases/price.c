/* weft_price. The parameter selects one asset, several assets, deltas and vegas, Sobol points, or fast normals, for
 * f32 alone (the last two with deltas and vegas in some cases). n determines the number of paths: 2 to 202 (of Sobol
 * points, for each scrambling); for one asset also several tiles, or more than a batch of paths. All other arguments
 * vary with match_case.turn. The inputs are not read, so only one kind of input is used. The output is the whole
 * valuation. */
#include "core/order.h"
#include "core/types.h"
#include "verify/match.h"

/* DOUBLES: members of a weft_valuation, all of which are compared. */
enum {
    DOUBLES = (sizeof(weft_valuation) - offsetof(weft_valuation, price)) / sizeof(double),
    FEW = 201,
    TILES = 2 * WEFT_TILE(8) + 9,
    MANY = 262145
};
static const double STARTS[] = {1, 100, 0.5, 40, 7, 1, 3, 90}, VOLATILITIES[] = {0.1, 0.3, 0.2, 0.9, 0, 0.4, 1, 0.25};

typedef struct contract {
    weft_option option;
    weft_simulation simulation;
    double weights[WEFT_ASSETS_MAX], correlation[WEFT_ASSETS_MAX * WEFT_ASSETS_MAX];
} contract;

/* Returns the next random number below `count`. */
static unsigned take(uint64_t *random, unsigned count) {
    const unsigned taken = (unsigned)(*random % count);
    *random /= count;
    return taken;
}

enum { PLAIN, SEVERAL, GREEKS, POINTS, FAST, PARAMETERS };

static bool is_many(const match_case *c) { return c->n > MANY / 2 && c->parameter < POINTS; }

static void choose_simulation(const match_case *c, uint64_t *r, weft_simulation *s) {
    s->dtype = c->dtype;
    s->scheme = take(r, 2) ? WEFT_EULER : WEFT_EXACT;
    s->steps = is_many(c) ? 1 : 1 + take(r, 5);
    s->paths = 2 + (is_many(c) ? MANY : c->n % (c->parameter == PLAIN ? TILES : FEW));
    s->antithetic = (int)take(r, 2);
    s->control = (int)take(r, 2);
    s->greeks = c->parameter == GREEKS && !is_many(c);
    if (c->parameter < POINTS) return;
    s->greeks = (int)take(r, 2);
    s->fast_normals = c->parameter == FAST;
    if (c->parameter == FAST) return;
    s->scramblings = (size_t)2 << take(r, 3);
    s->paths *= s->scramblings;
}

/* Chooses the payoff. Invalid combinations are replaced by valid ones. */
static void choose_payoff(uint64_t *r, double basket, bool many, weft_steps scheme, weft_option *o) {
    o->payoff = (weft_payoff)take(r, 7);
    o->observed = (weft_observed)take(r, 5);
    o->barrier = take(r, 2) ? (weft_barrier)take(r, 5) : WEFT_NO_BARRIER;
    if (o->observed == WEFT_OBSERVE_GEOMETRIC && (o->assets > 1 || o->weights || scheme == WEFT_EULER))
        o->observed = WEFT_OBSERVE_MEAN;
    if (o->payoff == WEFT_CORRIDOR) o->observed = WEFT_OBSERVE_END;
    if (o->payoff >= WEFT_FLOATING_CALL && o->observed == WEFT_OBSERVE_END) o->payoff = WEFT_CORRIDOR;
    o->strike = basket * (0.75 + 0.125 * take(r, 5));
    o->level = basket * (o->barrier <= WEFT_UP_AND_IN ? 1.125 : 0.875);
    o->width = 0.125;
    if (!many) return;
    o->payoff = WEFT_CALL; /* a call, whose sums are neither whole numbers nor zeros: nearly every path pays */
    o->observed = WEFT_OBSERVE_END;
    o->barrier = WEFT_NO_BARRIER;
    o->strike = 0.5 * basket;
}

static void choose(const match_case *c, contract *k) {
    uint64_t r = input_random(c->turn, (uint64_t)c->parameter), second = input_random(r, 1);
    weft_option *const o = &k->option;
    double basket = 0;
    o->size = sizeof *o;
    k->simulation.size = sizeof k->simulation;
    k->simulation.seed = r;
    choose_simulation(c, &r, &k->simulation);
    o->assets = c->parameter == PLAIN || is_many(c) ? 1
                : c->parameter == SEVERAL           ? 2 + take(&r, WEFT_ASSETS_MAX - 1)
                : c->parameter == FAST              ? 1 + take(&r, 3)
                                                    : 1 + take(&r, 2);
    o->start = STARTS;
    o->volatility = VOLATILITIES;
    o->rate = 0.03125 * (double)take(&r, 4) - 0.03125;
    o->maturity = 0.25 + take(&r, 3);
    o->weights = take(&r, 2) ? k->weights : NULL;
    o->correlation = take(&r, 2) ? k->correlation : NULL;
    for (size_t i = 0; i < o->assets; i++) {
        k->weights[i] = i % 3 == 2 ? -0.25 : 1.5;
        basket += (o->weights ? k->weights[i] : 1.0 / (double)o->assets) * STARTS[i];
        for (size_t j = 0; j < o->assets; j++) k->correlation[i * o->assets + j] = i == j ? 1 : 0.3;
    }
    choose_payoff(&second, basket, is_many(c), k->simulation.scheme, o);
}

static size_t out_bytes(const match_case *c) {
    const bool is_float = c->parameter == FAST ? c->dtype == WEFT_F32 : type_is_float(c->dtype);
    return is_float && c->kind == INPUT_MIXED ? weft_dtype_size(c->dtype) : 0;
}

static size_t values(const match_case *c) { return DOUBLES * sizeof(double) / weft_dtype_size(c->dtype); }

static size_t parts(const match_case *c, const void *out, match_part parts[MATCH_PARTS]) {
    (void)c, (void)out;
    parts[0] = (match_part){0, sizeof(double), DOUBLES};
    return 1;
}

/* A control and greeks cannot be combined in one call: the price with the control, and the deltas and vegas without
 * it, are computed by two calls. */
static weft_status valuate(weft_context *ctx, const contract *k, weft_valuation *v) {
    weft_simulation controlled = k->simulation, rest = k->simulation;
    weft_valuation price = {.size = sizeof price};
    if (!controlled.control || !controlled.greeks) return weft_price(ctx, &k->option, &k->simulation, v);
    controlled.greeks = 0;
    rest.control = 0;
    const weft_status status = weft_price(ctx, &k->option, &controlled, &price);
    if (status != WEFT_OK) return status;
    const weft_status again = weft_price(ctx, &k->option, &rest, v);
    v->price = price.price;
    v->standard_error = price.standard_error;
    v->low = price.low;
    v->high = price.high;
    return again;
}

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    contract k = {.option = {.start = NULL}};
    weft_valuation valuation = {.size = sizeof valuation};
    (void)inputs;
    choose(c, &k);
    const weft_status status = valuate(ctx, &k, &valuation);
    return status == WEFT_OK ? weft_copy(ctx, DOUBLES * sizeof(double), &valuation.price, out) : status;
}

static void tell(const match_case *c, char text[100]) {
    contract k = {.option = {.start = NULL}};
    choose(c, &k);
    snprintf(text, 100, "payoff %d, observed %d, barrier %d, %s, %zu assets, %zu steps%s%s, %zu scramblings",
             (int)k.option.payoff, (int)k.option.observed, (int)k.option.barrier,
             k.simulation.scheme == WEFT_EULER ? "Euler" : "exact", k.option.assets, k.simulation.steps,
             k.simulation.antithetic ? ", antithetic" : "", k.simulation.control ? ", control" : "",
             k.simulation.scramblings);
}

const match_shape match_price = {.inputs = 1,
                                 .parameters = PARAMETERS,
                                 .accumulates = 1,
                                 .values = values,
                                 .out_bytes = out_bytes,
                                 .parts = parts,
                                 .call = call,
                                 .tell = tell};
