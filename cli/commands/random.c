/* weft random DISTRIBUTION --n N -o Y.npy. */
#include "cli/io/json.h"
#include "cli/io/sample_file.h"
#include "cli/io/value.h"
#include "cli/operations.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { INTEGERS = -1 };

/* Parameters of distributions, which are given as options. A kind has up to two of them, a and b. NONE: there is
 * none.
 */
typedef enum parameter { LOWER, UPPER, MEAN, DEVIATION, RATE, PROBABILITY, PARAMETERS, NONE } parameter;
static const char *const OPTIONS[PARAMETERS] = {"--lower",     "--upper", "--mean",
                                                "--deviation", "--rate",  "--probability"};
typedef struct kind {
    const char *name;
    double usual_a, usual_b; /* default parameters */
    int what;                /* a weft_distribution, or INTEGERS */
    parameter a, b;
    weft_dtype type; /* default type */
} kind;
static const kind KINDS[] = {{"uniform", 0, 1, WEFT_UNIFORM, LOWER, UPPER, WEFT_F32},
                             {"normal", 0, 1, WEFT_NORMAL, MEAN, DEVIATION, WEFT_F32},
                             {"lognormal", 0, 1, WEFT_LOGNORMAL, MEAN, DEVIATION, WEFT_F32},
                             {"normal_fast", 0, 1, WEFT_NORMAL_FAST, MEAN, DEVIATION, WEFT_F32},
                             {"lognormal_fast", 0, 1, WEFT_LOGNORMAL_FAST, MEAN, DEVIATION, WEFT_F32},
                             {"exponential", 1, 0, WEFT_EXPONENTIAL, RATE, NONE, WEFT_F32},
                             {"bernoulli", 0.5, 0, WEFT_BERNOULLI, PROBABILITY, NONE, WEFT_U8},
                             {"integers", 0, 0, INTEGERS, LOWER, UPPER, WEFT_I64}};

typedef struct request {
    const kind *kind;
    const char *parameters[PARAMETERS]; /* text */
    sample_options samples;
    double a, b;
    value bounds[2];
} request;

/* -------------------------------------------------------------------------------- options */

/* Reads the options. Letters from 'A' on are parameters. */
static bool read_options(int argc, char **argv, request *r) {
    for (int option; (option = cli_next_option(argc, argv)) != -1;) {
        if (option == '?') return false;
        if (option >= 'A' && option < 'A' + PARAMETERS)
            r->parameters[option - 'A'] = optarg;
        else if (!sample_option(argv[0], option, optarg, &r->samples))
            return false;
    }
    return true;
}

static bool find_kind(const char *command, int count, char **names, request *r) {
    for (size_t i = 0; count == 1 && i < sizeof KINDS / sizeof *KINDS; i++)
        if (strcmp(names[0], KINDS[i].name) == 0) r->kind = &KINDS[i];
    if (r->kind) return true;
    cli_error(command,
              "%s: expected one of uniform, normal, lognormal, normal_fast, lognormal_fast, exponential, bernoulli, "
              "integers",
              count ? names[count - 1] : "DISTRIBUTION");
    return false;
}

/* Reads the parameter's value as one of `dtype` into *v. */
static bool read_parameter(const char *command, const request *r, parameter p, weft_dtype dtype, value *v) {
    char range[80];
    if (value_parse(dtype, r->parameters[p], v)) return true;
    value_range(dtype, range, sizeof range);
    cli_error(command, "%s %s: expected a value of type %s (%s)", OPTIONS[p], r->parameters[p],
              weft_dtype_name(dtype), range);
    return false;
}

static bool read_parameters(const char *command, request *r) {
    const kind *k = r->kind;
    for (parameter p = LOWER; p < PARAMETERS; p++) {
        if (!r->parameters[p] || p == k->a || p == k->b) continue;
        cli_error(command, "%s: the distribution %s does not have this parameter", OPTIONS[p], k->name);
        return false;
    }
    const parameter both[2] = {k->a, k->b};
    double *const to[2] = {&r->a, &r->b};
    r->a = k->usual_a;
    r->b = k->usual_b;
    for (int i = 0; i < 2; i++) {
        if (both[i] == NONE || !r->parameters[both[i]]) continue;
        const weft_dtype dtype = k->what == INTEGERS ? r->samples.dtype : WEFT_F64;
        if (!read_parameter(command, r, both[i], dtype, &r->bounds[i])) return false;
        if (dtype == WEFT_F64) *to[i] = r->bounds[i].f64;
    }
    return true;
}

/* -------------------------------------------------------------------------------- validation */

static bool is_fast(const request *r) {
    return r->kind->what == WEFT_NORMAL_FAST || r->kind->what == WEFT_LOGNORMAL_FAST;
}

static bool check_type(const char *command, const request *r) {
    const weft_dtype dtype = r->samples.dtype;
    const bool half = dtype == WEFT_F16 || dtype == WEFT_BF16, real = dtype == WEFT_F32 || dtype == WEFT_F64 || half;
    if (r->kind->what == INTEGERS && (real || weft_dtype_size(dtype) < 4))
        cli_error(command, "--dtype %s: random integers must have type i32, i64, u32 or u64", weft_dtype_name(dtype));
    else if (r->kind->what == WEFT_BERNOULLI && dtype != WEFT_U8)
        cli_error(command, "--dtype %s: samples of bernoulli must have type u8", weft_dtype_name(dtype));
    else if (is_fast(r) && dtype != WEFT_F32 && !half)
        cli_error(command, "--dtype %s: samples of %s must have type f32, f16 or bf16", weft_dtype_name(dtype),
                  r->kind->name);
    else if (r->kind->what != INTEGERS && r->kind->what != WEFT_BERNOULLI && !real)
        cli_error(command, "--dtype %s: samples of %s must have type f32, f64, f16 or bf16", weft_dtype_name(dtype),
                  r->kind->name);
    else
        return true;
    return false;
}

static bool refuse(const char *command, const request *r, parameter p, const char *needed) {
    cli_error(command, "%s %s: expected %s", OPTIONS[p], r->parameters[p], needed);
    return false;
}

/* Converts the bounds to values of the samples' type and checks them. */
static bool check_interval(const char *command, const request *r) {
    const bool single = r->samples.dtype == WEFT_F32;
    const double a = single ? (double)(float)r->a : r->a, b = single ? (double)(float)r->b : r->b;
    const double width = single ? (double)((float)b - (float)a) : b - a;
    char lower[64], upper[64];
    snprintf(lower, sizeof lower, r->parameters[LOWER] ? "%.40s" : "0 (the default)", r->parameters[LOWER]);
    snprintf(upper, sizeof upper, r->parameters[UPPER] ? "%.40s" : "1 (the default)", r->parameters[UPPER]);
    if (!isfinite(a)) return refuse(command, r, LOWER, single ? "a finite number of f32" : "a finite number");
    if (!isfinite(b)) return refuse(command, r, UPPER, single ? "a finite number of f32" : "a finite number");
    if (!(a < b))
        cli_error(command, "--lower %s is not less than --upper %s%s", lower, upper, single ? ", in f32" : "");
    else if (!isfinite(width))
        cli_error(command, "--lower %s, --upper %s: the difference overflows", lower, upper);
    else
        return true;
    return false;
}

static bool check_integers(const char *command, const request *r) {
    const value *a = &r->bounds[0], *b = &r->bounds[1];
    bool fine = true;
    if (!r->parameters[LOWER] || !r->parameters[UPPER]) return true;
#define TYPE(ID, name, ctype, kind, npy) \
    if (r->samples.dtype == WEFT_##ID) fine = a->name <= b->name;
#include "core/types.def"
    if (!fine)
        cli_error(command, "--lower %s is greater than --upper %s", r->parameters[LOWER], r->parameters[UPPER]);
    return fine;
}

static bool check_normal(const char *command, const request *r) {
    const bool single = is_fast(r);
    const double a = single ? (double)(float)r->a : r->a, b = single ? (double)(float)r->b : r->b;
    if (!isfinite(a)) return refuse(command, r, MEAN, single ? "a finite number of f32" : "a finite number");
    return (isfinite(b) && b >= 0) || refuse(command, r, DEVIATION,
                                             single ? "a finite number of f32 greater than or equal to 0"
                                                    : "a finite number greater than or equal to 0");
}

static bool check_parameters(const char *command, const request *r) {
    switch (r->kind->what) {
    case INTEGERS: return check_integers(command, r);
    case WEFT_UNIFORM: return check_interval(command, r);
    case WEFT_EXPONENTIAL:
        return (isfinite(r->a) && r->a > 0) || refuse(command, r, RATE, "a finite number greater than 0");
    case WEFT_BERNOULLI: return (r->a >= 0 && r->a <= 1) || refuse(command, r, PROBABILITY, "a number from 0 to 1");
    default: return check_normal(command, r);
    }
}

static bool read_request(const cli_options *options, int argc, char **argv, request *r) {
    if (!read_options(argc, argv, r) || !find_kind(argv[0], argc - optind, argv + optind, r)) return false;
    if (r->samples.dtype == WEFT_DEFAULT) r->samples.dtype = r->kind->type;
    return check_type(argv[0], r) && read_parameters(argv[0], r) && check_parameters(argv[0], r) &&
           sample_options_suffice(options, argv[0], "samples", &r->samples);
}

/* -------------------------------------------------------------------------------- running */

static weft_status make(const void *self, weft_context *ctx, uint64_t first, size_t n, void *out) {
    const request *r = self;
    const sample_options *o = &r->samples;
    if (r->kind->what == INTEGERS)
        return weft_random_integers(ctx, o->dtype, o->seed, o->stream, first, n,
                                    r->parameters[LOWER] ? &r->bounds[0] : NULL,
                                    r->parameters[UPPER] ? &r->bounds[1] : NULL, out);
    return weft_random(ctx, (weft_distribution)r->kind->what, o->dtype, o->seed, o->stream, first, n, r->a, r->b,
                       out);
}

int command_random(const cli_options *options, int argc, char **argv) {
    request r = {0};
    char device[32];
    double seconds;
    if (!read_request(options, argc, argv, &r)) return CLI_USAGE;
    const sample_file file = {.options = &r.samples, .make = make, .self = &r};
    const int code = sample_file_write(options, argv[0], &file, device, &seconds);
    if (code != CLI_DONE || !options->json) return code;
    json_begin_command("random");
    json_text("distribution", r.kind->name);
    sample_file_json(&r.samples, device, seconds);
    return CLI_DONE;
}

/* ------------------------------------------------------------------------- for tour and bench */

/* Generates as many samples as x has elements. */
weft_status example_random(const operation *o, weft_context *ctx, const operands *in, value *out, weft_dtype *type) {
    (void)o, (void)out;
    *type = in->dtype;
    return weft_random(ctx, WEFT_UNIFORM, in->dtype, 1, 0, 0, in->n, 0, 1, in->to);
}
