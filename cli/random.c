/* weft random DISTRIBUTION --n N -o Y.npy: samples are made and written piece by piece, so that a file may be larger
 * than memory. */
#include "cli/file.h"
#include "cli/npy_header.h"
#include "cli/progress.h"
#include "cli/value.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_BYTES = 1 << 24, INTEGERS = -1 };

/* Parameters are options; `what` has a and b among them. */
typedef enum parameter { LOWER, UPPER, MEAN, DEVIATION, RATE, PROBABILITY, PARAMETERS, NONE } parameter;
static const char *const OPTIONS[PARAMETERS] = {"--lower",     "--upper", "--mean",
                                                "--deviation", "--rate",  "--probability"};
typedef struct kind {
    const char *name;
    double usual_a, usual_b; /* without the options */
    int what;                /* a weft_distribution, or INTEGERS */
    parameter a, b;
    weft_dtype type; /* without the option */
} kind;
static const kind KINDS[] = {{"uniform", 0, 1, WEFT_UNIFORM, LOWER, UPPER, WEFT_F32},
                             {"normal", 0, 1, WEFT_NORMAL, MEAN, DEVIATION, WEFT_F32},
                             {"lognormal", 0, 1, WEFT_LOGNORMAL, MEAN, DEVIATION, WEFT_F32},
                             {"exponential", 1, 0, WEFT_EXPONENTIAL, RATE, NONE, WEFT_F32},
                             {"bernoulli", 0.5, 0, WEFT_BERNOULLI, PROBABILITY, NONE, WEFT_U8},
                             {"integers", 0, 0, INTEGERS, LOWER, UPPER, WEFT_I64}};

typedef struct request {
    const kind *kind;
    const char *parameters[PARAMETERS]; /* text */
    weft_dtype dtype;
    bool counted; /* --n was given */
    uint64_t n, seed, stream, first;
    double a, b;
    value bounds[2];
    const char *to;
} request;

/* -------------------------------------------------------------------------------- options */

/* A whole number, which may have an exponent: 1e8. */
static bool read_whole(const char *command, const char *option, const char *text, uint64_t *number) {
    value v;
    if (value_parse(WEFT_U64, text, &v)) {
        *number = v.u64;
        return true;
    }
    if (value_parse(WEFT_F64, text, &v) && v.f64 >= 0 && v.f64 < 0x1p64 && v.f64 == (double)(uint64_t)v.f64) {
        *number = (uint64_t)v.f64;
        return true;
    }
    cli_error(command, "%s %s: a whole number from 0 to 18446744073709551615 is needed", option, text);
    return false;
}

static bool read_type(const char *command, const char *text, weft_dtype *dtype) {
    for (*dtype = WEFT_I8; *dtype <= WEFT_F64; (*dtype)++)
        if (strcmp(text, weft_dtype_name(*dtype)) == 0) return true;
    cli_error(command, "--dtype %s: there is no such type", text);
    return false;
}

static bool read_option(const char *command, int option, request *r) {
    switch (option) {
    case 'n': r->counted = true; return read_whole(command, "--n", optarg, &r->n);
    case 's': return read_whole(command, "--seed", optarg, &r->seed);
    case 't': return read_whole(command, "--stream", optarg, &r->stream);
    case 'f': return read_whole(command, "--first", optarg, &r->first);
    case 'y': return read_type(command, optarg, &r->dtype);
    case 'o': r->to = optarg; return true;
    case '?': return false;
    default: r->parameters[option - 'A'] = optarg; return true;
    }
}

/* A letter from 'A' on is a parameter. */
static bool read_options(int argc, char **argv, request *r) {
    static const struct option list[] = {{"n", required_argument, NULL, 'n'},
                                         {"seed", required_argument, NULL, 's'},
                                         {"stream", required_argument, NULL, 't'},
                                         {"first", required_argument, NULL, 'f'},
                                         {"dtype", required_argument, NULL, 'y'},
                                         {"lower", required_argument, NULL, 'A' + LOWER},
                                         {"upper", required_argument, NULL, 'A' + UPPER},
                                         {"mean", required_argument, NULL, 'A' + MEAN},
                                         {"deviation", required_argument, NULL, 'A' + DEVIATION},
                                         {"rate", required_argument, NULL, 'A' + RATE},
                                         {"probability", required_argument, NULL, 'A' + PROBABILITY},
                                         {"output", required_argument, NULL, 'o'},
                                         {"o", required_argument, NULL, 'o'},
                                         {0}};
    for (int option; (option = cli_next_option(argc, argv, list)) != -1;)
        if (!read_option(argv[0], option, r)) return false;
    return true;
}

static bool find_kind(const char *command, int count, char **names, request *r) {
    for (size_t i = 0; count == 1 && i < sizeof KINDS / sizeof *KINDS; i++)
        if (strcmp(names[0], KINDS[i].name) == 0) r->kind = &KINDS[i];
    if (r->kind) return true;
    cli_error(command, "%s: one of uniform, normal, lognormal, exponential, bernoulli and integers is needed here",
              count ? names[count - 1] : "what");
    return false;
}

/* The parameter's value, read as one of `dtype` into *v. */
static bool read_parameter(const char *command, const request *r, parameter p, weft_dtype dtype, value *v) {
    char range[80];
    if (value_parse(dtype, r->parameters[p], v)) return true;
    value_range(dtype, range, sizeof range);
    cli_error(command, "%s %s: not a value of %s (%s)", OPTIONS[p], r->parameters[p], weft_dtype_name(dtype), range);
    return false;
}

static bool read_parameters(const char *command, request *r) {
    const kind *k = r->kind;
    for (parameter p = LOWER; p < PARAMETERS; p++) {
        if (!r->parameters[p] || p == k->a || p == k->b) continue;
        cli_error(command, "%s: %s has no such parameter", OPTIONS[p], k->name);
        return false;
    }
    const parameter both[2] = {k->a, k->b};
    double *const to[2] = {&r->a, &r->b};
    r->a = k->usual_a;
    r->b = k->usual_b;
    for (int i = 0; i < 2; i++) {
        if (both[i] == NONE || !r->parameters[both[i]]) continue;
        const weft_dtype dtype = k->what == INTEGERS ? r->dtype : WEFT_F64;
        if (!read_parameter(command, r, both[i], dtype, &r->bounds[i])) return false;
        if (dtype == WEFT_F64) *to[i] = r->bounds[i].f64;
    }
    return true;
}

static bool read_request(const cli_options *options, int argc, char **argv, request *r) {
    if (!read_options(argc, argv, r) || !find_kind(argv[0], argc - optind, argv + optind, r)) return false;
    if (r->dtype == WEFT_DEFAULT) r->dtype = r->kind->type;
    if (!read_parameters(argv[0], r)) return false;
    if (!r->counted)
        cli_error(argv[0], "--n N is missing: how many samples");
    else if (!r->to)
        cli_error(argv[0], "-o FILE.npy is missing: it names the file for the samples (- is standard output)");
    else if (options->json && strcmp(r->to, "-") == 0)
        cli_error(argv[0], "--json: standard output is for the array here; give -o the name of a file");
    else
        return true;
    return false;
}

/* -------------------------------------------------------------------------------- running */

/* What is made and written; `made` samples are behind us. */
typedef struct run {
    const request *request;
    weft_context *ctx;
    uint64_t made;
    size_t size, room; /* of a sample, in bytes; samples of a piece */
    void *piece;
    bool begun; /* the header was given */
    unsigned char header[NPY_HEADER_ROOM];
} run;

static weft_status make(const run *w, uint64_t first, size_t n) {
    const request *r = w->request;
    if (r->kind->what == INTEGERS)
        return weft_random_integers(w->ctx, r->dtype, r->seed, r->stream, first, n,
                                    r->parameters[LOWER] ? &r->bounds[0] : NULL,
                                    r->parameters[UPPER] ? &r->bounds[1] : NULL, w->piece);
    return weft_random(w->ctx, (weft_distribution)r->kind->what, r->dtype, r->seed, r->stream, first, n, r->a, r->b,
                       w->piece);
}

static bool next_piece(void *self, file_part *piece, npy_error *error) {
    run *w = self;
    const request *r = w->request;
    const uint64_t left = r->n - w->made;
    const size_t n = left < w->room ? (size_t)left : w->room;
    if (!w->begun) {
        const npy_shape shape = {1, {(size_t)r->n}};
        *piece = (file_part){w->header, npy_format_header(r->dtype, false, &shape, w->header)};
        return w->begun = true;
    }
    if (make(w, r->first + w->made, n) != WEFT_OK) return npy_fail(error, "%s", weft_last_error(w->ctx));
    *piece = (file_part){w->piece, n * w->size};
    w->made += n;
    progress_at((double)w->made, (double)r->n);
    return true;
}

/* The last sample is made before the file is: what the library refuses, it refuses there. */
static weft_status try_last(const run *w) {
    const request *r = w->request;
    if (r->n == 0) return make(w, r->first, 0);
    return make(w, r->first > UINT64_MAX - (r->n - 1) ? UINT64_MAX : r->first + (r->n - 1), 1);
}

static void print_json(const run *w, double seconds) {
    const request *r = w->request;
    printf("{\"command\": \"random\", \"distribution\": \"%s\", \"output\": ", r->kind->name);
    json_string(stdout, r->to);
    printf(", \"dtype\": \"%s\", \"n\": %llu, \"seed\": %llu, \"stream\": %llu, \"first\": %llu, \"device\": \"%s\", "
           "\"order\": %d, \"seconds\": %.9f}\n",
           weft_dtype_name(r->dtype), (unsigned long long)r->n, (unsigned long long)r->seed,
           (unsigned long long)r->stream, (unsigned long long)r->first, weft_device(w->ctx), weft_order_version(),
           seconds);
}

static int write_samples(const cli_options *options, const char *command, run *w) {
    const double start = cli_seconds();
    npy_error error;
    if (try_last(w) != WEFT_OK) {
        cli_error(command, "%s", weft_last_error(w->ctx));
        return CLI_FAILED;
    }
    progress_start(options, command);
    const bool written = file_write_from(w->request->to, &(file_source){next_piece, w}, &error);
    progress_end();
    if (!written) {
        cli_error(command, "%s: %s", w->request->to, error.message);
        return CLI_FAILED;
    }
    if (options->json) print_json(w, cli_seconds() - start);
    return CLI_DONE;
}

int command_random(const cli_options *options, int argc, char **argv) {
    request r = {0};
    run w = {.request = &r};
    if (!read_request(options, argc, argv, &r)) return CLI_USAGE;
    int code = cli_open(argv[0], options, &w.ctx);
    w.size = weft_dtype_size(r.dtype);
    w.room = PIECE_BYTES / w.size;
    w.piece = malloc(PIECE_BYTES);
    if (code == CLI_DONE && !w.piece) {
        cli_error(argv[0], "no memory for %d bytes of samples", (int)PIECE_BYTES);
        code = CLI_FAILED;
    }
    if (code == CLI_DONE) code = write_samples(options, argv[0], &w);
    free(w.piece);
    weft_close(w.ctx);
    return code;
}
