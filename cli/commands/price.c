/* weft price: prices an option by Monte Carlo simulation, with its standard error, and draws the convergence. */
#include "cli/cli.h"
#include "cli/io/json.h"
#include "cli/io/npy/npy_header.h"
#include "cli/io/picture.h"
#include "cli/io/value.h"
#include "cli/nearest.h"
#include "cli/operations.h"
#include "cli/progress.h"
#include "cli/ranks.h"
#include "cli/tour/closed_form.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MAX = 64 };
static const uint64_t FIRST_PATHS = 1024;
static const long long STEPS_MOST = 1 << 20, PATHS_MOST = 1LL << 48, SCRAMBLINGS_MOST = 1024;

/* Names of payoffs, with the observed quantity and the payoff function. */
static const struct {
    const char *name;
    weft_payoff payoff;
    weft_observed observed;
} PAYOFFS[] = {
    {"call", WEFT_CALL, WEFT_OBSERVE_END},
    {"put", WEFT_PUT, WEFT_OBSERVE_END},
    {"digital-call", WEFT_DIGITAL_CALL, WEFT_OBSERVE_END},
    {"digital-put", WEFT_DIGITAL_PUT, WEFT_OBSERVE_END},
    {"asian-call", WEFT_CALL, WEFT_OBSERVE_MEAN},
    {"asian-put", WEFT_PUT, WEFT_OBSERVE_MEAN},
    {"geometric-call", WEFT_CALL, WEFT_OBSERVE_GEOMETRIC},
    {"geometric-put", WEFT_PUT, WEFT_OBSERVE_GEOMETRIC},
    {"lookback-call", WEFT_CALL, WEFT_OBSERVE_HIGHEST},
    {"lookback-put", WEFT_PUT, WEFT_OBSERVE_LOWEST},
    {"floating-asian-call", WEFT_FLOATING_CALL, WEFT_OBSERVE_MEAN},
    {"floating-asian-put", WEFT_FLOATING_PUT, WEFT_OBSERVE_MEAN},
    {"floating-lookback-call", WEFT_FLOATING_CALL, WEFT_OBSERVE_LOWEST},
    {"floating-lookback-put", WEFT_FLOATING_PUT, WEFT_OBSERVE_HIGHEST},
    {"double-digital", WEFT_CORRIDOR, WEFT_OBSERVE_END},
};

/* In the order of weft_barrier. */
static const char *const BARRIERS[] = {"none", "up-out", "up-in", "down-out", "down-in"};

/* Values of the options. */
typedef struct request {
    const char *name; /* name of the payoff */
    weft_option option;
    weft_simulation simulation;
    double start[WEFT_ASSETS_MAX], volatility[WEFT_ASSETS_MAX], weights[WEFT_ASSETS_MAX];
    size_t starts, volatilities, weight_count; /* numbers of values given */
    double correlation[WEFT_ASSETS_MAX * WEFT_ASSETS_MAX], rho;
    bool level_given;
    double error;     /* standard error at which to stop, or 0 */
    const char *plot; /* file name, or NULL */
} request;

/* -------------------------------------------------------------------------------- options */

static bool read_real(const char *option, const char *text, double *x) {
    value v;
    const bool good = value_parse(WEFT_F64, text, &v) && isfinite(v.f64);
    if (good) *x = v.f64;
    if (!good) cli_error("price", "%s %s: expected a number", option, text);
    return good;
}

/* Reads numbers separated by commas. */
static bool read_list(const char *option, const char *text, double *list, size_t *count) {
    char number[64];
    *count = 0;
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        if (*count == WEFT_ASSETS_MAX || length >= sizeof number) {
            cli_error("price", "%s %s: expected at most %d numbers separated by commas", option, text,
                      WEFT_ASSETS_MAX);
            return false;
        }
        memcpy(number, at, length);
        number[length] = '\0';
        if (!read_real(option, number, &list[(*count)++])) return false;
        at += length;
        if (*at == '\0') return true;
    }
}

static bool read_barrier(const char *text, weft_option *o) {
    for (size_t i = 0; i < sizeof BARRIERS / sizeof *BARRIERS; i++) {
        o->barrier = (weft_barrier)i;
        if (same_name(text, BARRIERS[i])) return true;
    }
    cli_error("price", "--barrier %s: expected up-out, up-in, down-out or down-in", text);
    return false;
}

static bool read_dtype(const char *text, weft_simulation *s) {
    s->dtype = strcmp(text, "f32") == 0 ? WEFT_F32 : WEFT_F64;
    if (strcmp(text, weft_dtype_name(s->dtype)) == 0) return true;
    cli_error("price", "--dtype %s: expected f32 or f64", text);
    return false;
}

static bool read_scheme(const char *text, weft_simulation *s) {
    s->scheme = strcmp(text, "euler") == 0 ? WEFT_EULER : WEFT_EXACT;
    if (s->scheme == WEFT_EULER || strcmp(text, "exact") == 0) return true;
    cli_error("price", "--scheme %s: expected exact or euler", text);
    return false;
}

static bool read_count(const char *option, const char *text, long long low, long long high, uint64_t *count) {
    long long number;
    if (!cli_number("price", option, text, low, high, &number)) return false;
    *count = (uint64_t)number;
    return true;
}

static bool read_error(const char *text, request *r) {
    if (!read_real("--error", text, &r->error)) return false;
    if (r->error > 0) return true;
    cli_error("price", "--error %s: expected a standard error greater than 0", text);
    return false;
}

/* Reads an option about the simulation. */
static bool read_simulation(int option, request *r) {
    weft_simulation *const s = &r->simulation;
    uint64_t steps = s->steps, scramblings = 0;
    switch (option) {
    case 'p': return read_count("--paths", optarg, 2, PATHS_MOST, &s->paths);
    case 'n':
        if (!read_count("--steps", optarg, 1, STEPS_MOST, &steps)) return false;
        s->steps = (size_t)steps;
        return true;
    case 'q':
        if (!read_count("--sobol", optarg, 2, SCRAMBLINGS_MOST, &scramblings)) return false;
        s->scramblings = (size_t)scramblings;
        return true;
    case 's': return read_count("--seed", optarg, 0, INT64_MAX, &s->seed);
    case 'd': return read_dtype(optarg, s);
    case 'c': return read_scheme(optarg, s);
    case 'e': return read_error(optarg, r);
    case 'a': s->antithetic = 1; return true;
    case 'v': s->control = 1; return true;
    case 'g': s->greeks = 1; return true;
    case 'f': s->fast_normals = 1; return true;
    case 'o': r->plot = optarg; return true;
    default: return false;
    }
}

/* Reads an option about the priced contract. */
static bool read_option(int option, request *r) {
    weft_option *const o = &r->option;
    switch (option) {
    case 'S': return read_list("--start", optarg, r->start, &r->starts);
    case 'V': return read_list("--sigma", optarg, r->volatility, &r->volatilities);
    case 'W': return read_list("--weights", optarg, r->weights, &r->weight_count);
    case 'K': return read_real("--strike", optarg, &o->strike);
    case 'R': return read_real("--rate", optarg, &o->rate);
    case 'T': return read_real("--maturity", optarg, &o->maturity);
    case 'C': return read_real("--rho", optarg, &r->rho);
    case 'H': return read_real("--width", optarg, &o->width);
    case 'B': return read_barrier(optarg, o);
    case 'L': r->level_given = true; return read_real("--level", optarg, &o->level);
    default: return read_simulation(option, r);
    }
}

static bool find_payoff(int operands, const char *name, request *r) {
    if (operands != 1) {
        cli_error("price", "%d payoffs given, 1 expected; see 'weft help price'", operands);
        return false;
    }
    for (size_t i = 0; i < sizeof PAYOFFS / sizeof *PAYOFFS; i++) {
        if (!same_name(name, PAYOFFS[i].name)) continue;
        r->name = PAYOFFS[i].name;
        r->option.payoff = PAYOFFS[i].payoff;
        r->option.observed = PAYOFFS[i].observed;
        return true;
    }
    cli_error("price", "invalid payoff %s; see 'weft help price'", name);
    return false;
}

/* Extends a list of one number to all assets. */
static bool spread_list(const char *option, size_t assets, size_t given, double otherwise, double *list) {
    if (given > 1 && given != assets) {
        cli_error("price", "%s: %zu numbers given, %zu expected, one for each asset", option, given, assets);
        return false;
    }
    for (size_t i = given; i < assets; i++) list[i] = given ? list[0] : otherwise;
    return true;
}

static size_t most(size_t a, size_t b) { return a > b ? a : b; }

/* -------------------------------------------------------------------------------- validation */

static bool check_assets(const request *r) {
    const weft_option *const o = &r->option;
    const double least = o->assets > 1 ? -1 / ((double)o->assets - 1) : -1;
    for (size_t i = 0; i < o->assets; i++) {
        if (!(r->start[i] > 0))
            cli_error("price", "--start %g: expected a price greater than 0", r->start[i]);
        else if (!(r->volatility[i] >= 0))
            cli_error("price", "--sigma %g: expected a volatility greater than or equal to 0", r->volatility[i]);
        else if (r->simulation.greeks && r->volatility[i] == 0)
            cli_error("price", "--sigma 0: --greeks requires a volatility greater than 0");
        else
            continue;
        return false;
    }
    if (o->assets == 1 || (r->rho > least && r->rho < 1)) return true;
    cli_error("price", "--rho %g: the correlation of any two of %zu assets must be greater than %g and less than 1",
              r->rho, o->assets, least);
    return false;
}

static bool check_terms(const request *r) {
    const weft_option *const o = &r->option;
    const bool geometric = o->observed == WEFT_OBSERVE_GEOMETRIC;
    if (!(o->strike >= 0))
        cli_error("price", "--strike %g: expected a number greater than or equal to 0", o->strike);
    else if (!(o->maturity > 0))
        cli_error("price", "--maturity %g: expected a number greater than 0", o->maturity);
    else if (!(o->width > 0))
        cli_error("price", "--width %g: expected a number greater than 0", o->width);
    else if (geometric && (o->assets > 1 || (o->weights && o->weights[0] != 1) || r->simulation.scheme != WEFT_EXACT))
        cli_error("price", "%s: a geometric mean requires one asset of weight 1 and --scheme exact", r->name);
    else
        return true;
    return false;
}

static bool check_barrier(const request *r) {
    const weft_option *const o = &r->option;
    const bool up = o->barrier == WEFT_UP_AND_OUT || o->barrier == WEFT_UP_AND_IN;
    double basket = 0;
    for (size_t i = 0; i < o->assets; i++)
        basket += r->start[i] * (o->weights ? r->weights[i] : 1 / (double)o->assets);
    if ((o->barrier != WEFT_NO_BARRIER) != r->level_given)
        cli_error("price", "--barrier KIND and --level B must be used together: %s is missing",
                  r->level_given ? "--barrier" : "--level");
    else if (r->level_given && (up ? basket >= o->level : basket <= o->level))
        cli_error("price", "--barrier %s --level %g: the level must be %s the start price %g", BARRIERS[o->barrier],
                  o->level, up ? "above" : "below", basket);
    else
        return true;
    return false;
}

static bool check_sobol(const request *r) {
    const weft_simulation *const s = &r->simulation;
    const size_t count = s->scramblings, steps = WEFT_SOBOL_DIMENSIONS / r->option.assets;
    if (count == 0) return true;
    if ((count & (count - 1)) != 0)
        cli_error("price", "--sobol %zu: expected a power of two from 2 to %lld", count, SCRAMBLINGS_MOST);
    else if (s->paths % count != 0 || s->paths / count < 2)
        cli_error("price",
                  "--paths %llu: --sobol %zu requires a multiple of %zu and at least 2 paths in each scrambling",
                  (unsigned long long)s->paths, count, count);
    else if (s->steps > steps)
        cli_error("price", "--steps %zu: --sobol with %zu %s allows at most %zu", s->steps, r->option.assets,
                  r->option.assets == 1 ? "asset" : "assets", steps);
    else
        return true;
    return false;
}

static bool check_fast_normals(const weft_simulation *s) {
    if (s->fast_normals && s->dtype != WEFT_F32)
        cli_error("price", "--fast-normals requires --dtype f32");
    else if (s->fast_normals && s->scramblings)
        cli_error("price", "--fast-normals cannot be combined with --sobol");
    else
        return true;
    return false;
}

/* Fills in the option as the library expects it. The number of assets is the length of the longest list; without
 * lists, two for a double digital and otherwise one, as in the classic examples. */
static bool complete(request *r) {
    weft_option *const o = &r->option;
    o->assets = most(most(r->starts, r->volatilities), r->weight_count);
    if (o->assets <= 1 && r->weight_count == 0 && o->payoff == WEFT_CORRIDOR) o->assets = 2;
    if (o->assets == 0) o->assets = 1;
    o->start = r->start;
    o->volatility = r->volatility;
    o->weights = r->weight_count ? r->weights : NULL;
    o->correlation = o->assets > 1 ? r->correlation : NULL;
    for (size_t i = 0; i < o->assets; i++)
        for (size_t j = 0; j < o->assets; j++) r->correlation[i * o->assets + j] = i == j ? 1 : r->rho;
    return spread_list("--start", o->assets, r->starts, 1, r->start) &&
           spread_list("--sigma", o->assets, r->volatilities, 0.1, r->volatility) &&
           spread_list("--weights", o->assets, r->weight_count, 1, r->weights);
}

static bool read_request(const cli_options *options, int argc, char **argv, request *r) {
    bool scheme_given = false;
    for (int option; (option = cli_next_option(argc, argv)) != -1; scheme_given |= option == 'c')
        if (!read_option(option, r)) return false;
    if (!find_payoff(argc - optind, argv[optind], r) || !complete(r)) return false;
    if (!scheme_given && r->option.payoff == WEFT_CORRIDOR) r->simulation.scheme = WEFT_EULER;
    if (!check_assets(r) || !check_terms(r) || !check_barrier(r) || !check_sobol(r)) return false;
    if (!check_fast_normals(&r->simulation)) return false;
    if (options->json && r->plot && strcmp(r->plot, "-") == 0)
        cli_error("price", "--json cannot be combined with --plot -: both write to standard output");
    else if (r->simulation.control && r->simulation.greeks)
        cli_error("price", "--control cannot be combined with --greeks: deltas and vegas have no control variate");
    else
        return true;
    return false;
}

/* -------------------------------------------------------------------------------- running */

/* Prices for increasing numbers of paths, and the time taken. */
typedef struct series {
    convergence_point points[POINTS_MAX];
    size_t count;
    weft_valuation last;
    double seconds;
} series;

static bool reached(const request *r, const series *s) { return r->error > 0 && s->last.standard_error <= r->error; }

/* This process alone, or one of several ranks. */
typedef struct where {
    weft_context *ctx;
    ranks ranks;
} where;

static weft_status run_once(const where *w, const request *r, uint64_t paths, bool greeks, series *s) {
    weft_simulation now = r->simulation;
    now.paths = paths;
    now.greeks = greeks;
    const weft_status status = w->ranks.d ? ranks_price(&w->ranks, &r->option, &now, &s->last)
                                          : weft_price(w->ctx, &r->option, &now, &s->last);
    s->points[s->count++] = (convergence_point){(double)paths, s->last.price, s->last.low, s->last.high};
    return status;
}

/* Doubles the number of paths in each step if convergence is drawn or a standard error is the goal. The last step
 * uses all paths. Each price is that of a separate run, because the first paths are identical in every step. */
static weft_status run_series(const where *w, const request *r, series *s) {
    const uint64_t all = r->simulation.paths;
    const bool doubles = r->plot || r->error > 0, greeks = r->simulation.greeks;
    const uint64_t first = most(FIRST_PATHS, 2 * r->simulation.scramblings);
    uint64_t paths = doubles && all > first ? first : all;
    for (;; paths = paths < all - paths ? 2 * paths : all) {
        const double share =
            (double)paths / (double)all; /* the steps before have simulated as many paths as this one */
        progress_within(doubles ? share / 2 : 0, doubles ? share : 1);
        const weft_status status = run_once(w, r, paths, greeks && (paths == all || r->error > 0), s);
        if (status != WEFT_OK || paths == all || reached(r, s)) return status;
    }
}

static void print_greeks(const request *r, const weft_valuation *v) {
    for (size_t i = 0; i < r->option.assets; i++)
        printf("asset %zu: delta %.6g +- %.2g, vega %.6g +- %.2g\n", i, v->delta[i], v->delta_error[i], v->vega[i],
               v->vega_error[i]);
}

static void print_json(const request *r, const series *s, const char *device) {
    const weft_valuation *const v = &s->last;
    const value numbers[] = {{.f64 = v->price}, {.f64 = v->standard_error}, {.f64 = v->low}, {.f64 = v->high}};
    static const char *const names[] = {"price", "standard_error", "low", "high"};
    json_begin_command("price");
    json_text("payoff", r->name);
    json_text("dtype", weft_dtype_name(r->simulation.dtype));
    json_fixed("paths", 0, s->points[s->count - 1].paths);
    json_count("steps", r->simulation.steps);
    json_count("seed", r->simulation.seed);
    if (r->simulation.scramblings) json_count("scramblings", r->simulation.scramblings);
    for (size_t i = 0; i < 4; i++) json_value(names[i], WEFT_F64, &numbers[i]);
    if (r->simulation.greeks) {
        json_values("delta", WEFT_F64, r->option.assets, v->delta);
        json_values("delta_error", WEFT_F64, r->option.assets, v->delta_error);
        json_values("vega", WEFT_F64, r->option.assets, v->vega);
        json_values("vega_error", WEFT_F64, r->option.assets, v->vega_error);
    }
    json_text("bits", value_bits(WEFT_F64, &numbers[0]).text);
    json_end_command(device, s->seconds);
}

static void print(const cli_options *options, const request *r, const series *s, const char *device) {
    const weft_valuation *const v = &s->last;
    const value price = {.f64 = v->price};
    if (options->json) {
        print_json(r, s, device);
        return;
    }
    FILE *const out = r->plot && strcmp(r->plot, "-") == 0 ? stderr : stdout;
    fprintf(out, "price %s%s%s\nstandard error %.5g, 95 %% interval %.9g to %.9g, %.0f paths\n",
            value_decimal(WEFT_F64, &price).text, options->bits ? "  " : "",
            options->bits ? value_bits(WEFT_F64, &price).text : "", v->standard_error, v->low, v->high,
            s->points[s->count - 1].paths);
    if (r->simulation.greeks && out == stdout) print_greeks(r, v);
}

static bool draw(const request *r, const series *s) {
    npy_error error = {""};
    if (!r->plot || convergence_write(r->plot, s->count, s->points, closed_form(&r->option, &r->simulation), &error))
        return true;
    cli_error("price", "%s: %s", r->plot, error.message);
    return false;
}

static int fail(const where *w, const request *r, weft_status status) {
    if (ranks_first(&w->ranks))
        cli_error("price", "%s: %s", r->name, w->ranks.d ? ranks_last_error(&w->ranks) : weft_last_error(w->ctx));
    return status == WEFT_INVALID || status == WEFT_UNSUPPORTED ? CLI_USAGE : CLI_FAILED;
}

/* Prints and draws, on the first rank only. */
static int report(const cli_options *options, const where *w, const request *r, const series *s) {
    if (!ranks_first(&w->ranks)) return CLI_DONE;
    if (!draw(r, s)) return CLI_FAILED;
    print(options, r, s, weft_device(w->ctx));
    if (r->error == 0 || reached(r, s)) return CLI_DONE;
    cli_error("price", "%s: the standard error is %g after %.0f paths; --error %g was not reached", r->name,
              s->last.standard_error, s->points[s->count - 1].paths, r->error);
    return CLI_FAILED;
}

static int run(const cli_options *options, const where *w, const request *r) {
    series s = {.last.size = sizeof s.last};
    const double begun = cli_seconds();
    if (ranks_first(&w->ranks)) progress_start(options, "price");
    const weft_status status = run_series(w, r, &s);
    progress_end();
    s.seconds = cli_seconds() - begun;
    return status == WEFT_OK ? report(options, w, r, &s) : fail(w, r, status);
}

int command_price(const cli_options *options, int argc, char **argv) {
    where w = {.ctx = NULL};
    request r = {.rho = 0.5};
    r.option = (weft_option){.size = sizeof(weft_option), .strike = 1, .width = 0.1, .rate = 0.05, .maturity = 1};
    r.simulation = (weft_simulation){
        .size = sizeof(weft_simulation), .dtype = WEFT_F64, .steps = 100, .paths = 1000000, .seed = 1};
    if (!read_request(options, argc, argv, &r)) return CLI_USAGE;
    int code = ranks_open(&w.ranks, "price", options, &w.ctx);
    if (code == CLI_DONE) code = run(options, &w, &r);
    ranks_close(&w.ranks);
    weft_close(w.ctx);
    return code;
}

/* ------------------------------------------------------------------------- for tour and bench */

/* Simulates as many paths as there are elements for the classic option: two correlated assets and one step. */
weft_status example_price(const operation *o, weft_context *ctx, const operands *in, value *out, weft_dtype *type) {
    static const double starts[] = {1, 1}, volatilities[] = {0.1, 0.1}, correlation[] = {1, 0.5, 0.5, 1};
    const weft_option option = {.size = sizeof option,
                                .payoff = WEFT_CORRIDOR,
                                .width = 0.1,
                                .rate = 0.05,
                                .maturity = 1,
                                .assets = 2,
                                .start = starts,
                                .volatility = volatilities,
                                .correlation = correlation};
    const weft_simulation simulation = {.size = sizeof simulation,
                                        .dtype = in->dtype,
                                        .scheme = WEFT_EULER,
                                        .steps = 1,
                                        .paths = in->n < 2 ? 2 : in->n};
    weft_valuation v = {.size = sizeof v};
    (void)o;
    *type = WEFT_F64;
    const weft_status status = weft_price(ctx, &option, &simulation, &v);
    out->f64 = v.price;
    return status;
}
