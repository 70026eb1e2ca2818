/* weft histogram X.npy --bins N [--lower A] [--upper B] [--axis K] [-o COUNTS.npy], or with --edges E.npy */
#include "cli/commands/along_axes.h"
#include "cli/io/json.h"
#include "cli/io/produce.h"
#include "cli/io/streamed.h"
#include "cli/io/value.h"
#include "cli/operations.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
    long long bins;
    const char *lower, *upper; /* text */
    const char *edges, *to;
    axes_request along;
    weft_view x; /* with --axis: the array */
} request;

/* The counts, one for each bin, or with --axis for each bin of each vector. */
typedef struct result {
    size_t bins, n;
    npy_shape shape;
    uint64_t *counts;
    weft_view view; /* with --axis */
} result;

/* -------------------------------------------------------------------------------- options */

static bool read_option(const char *command, int option, request *r) {
    switch (option) {
    case 'b': return cli_number(command, "--bins", optarg, 1, UINT32_MAX, &r->bins);
    case 'l': r->lower = optarg; return true;
    case 'u': r->upper = optarg; return true;
    case 'e': r->edges = optarg; return true;
    case 'x': return axes_read(command, optarg, 1, &r->along);
    case 'o': r->to = optarg; return true;
    default: return false;
    }
}

static bool read_request(int argc, char **argv, request *r) {
    for (int option; (option = cli_next_option(argc, argv)) != -1;)
        if (!read_option(argv[0], option, r)) return false;
    if (r->edges && (r->bins || r->lower || r->upper)) {
        cli_error(argv[0], "--edges cannot be combined with --bins, --lower or --upper");
        return false;
    }
    if (!r->bins) r->bins = 10;
    return true;
}

/* -------------------------------------------------------------------------------- running */

/* Returns the type of the bounds and edges. */
static weft_dtype bound_type(const production *p) {
    const weft_dtype dtype = p->in[0].dtype;
    return dtype == WEFT_F16 || dtype == WEFT_BF16 ? WEFT_F32 : dtype;
}

/* Replaces an element of f16 or bf16 by its value in f32. */
static void widen(weft_dtype dtype, value *v) {
    const uint16_t bits = v->f16;
    if (dtype == WEFT_F16) v->f32 = (float)value_of_f16(bits);
    if (dtype == WEFT_BF16) v->f32 = (float)value_of_bf16(bits);
}

/* Finds the array's least or greatest element: in memory, or in an additional pass over a stream. */
static int find_bound(const production *p, stream *s, const char *option, weft_op op, value *bound) {
    const npy_array *x = &p->in[0];
    const weft_status status = s ? weft_reduce_source(p->ctx, op, WEFT_DEFAULT, &s->inputs[0].source, bound)
                                 : weft_reduce(p->ctx, op, x->dtype, WEFT_DEFAULT, x->n, x->data, bound);
    widen(x->dtype, bound);
    if (status == WEFT_OK) return !s || stream_rewind(s) ? CLI_DONE : CLI_FAILED;
    if (s && status == WEFT_IO) return stream_end(s, p->ctx, status);
    if (s && stream_memory_refused(s, p->ctx)) return CLI_USAGE;
    cli_error(p->command, "%s: without %s: %s", p->files[0], option, weft_last_error(p->ctx));
    return CLI_FAILED;
}

/* Reads a bound from its text, or finds it in the array if there is none. */
static int read_bound(const production *p, stream *s, const char *option, const char *text, weft_op op,
                      value *bound) {
    const weft_dtype dtype = bound_type(p);
    char range[80];
    if (!text) return find_bound(p, s, option, op, bound);
    if (value_parse(dtype, text, bound)) return CLI_DONE;
    value_range(dtype, range, sizeof range);
    cli_error(p->command, "%s %s: expected a value of type %s (%s), the type of the %s", option, text,
              weft_dtype_name(dtype), range, dtype == p->in[0].dtype ? "elements" : "bounds");
    return CLI_USAGE;
}

/* Calls produce_done, for a stream. */
static int done(production *p, stream *s, weft_status status) {
    p->seconds = cli_seconds() - p->start;
    return stream_end(s, p->ctx, status);
}

/* Allocates the counts. Prints the error and returns false on failure. */
static bool allocate_counts(const production *p, const request *r, size_t bins, result *y) {
    *y = (result){.bins = bins, .n = 1, .shape = {1, {bins}}};
    if (r->along.text) {
        const int axis = r->along.axes[0];
        y->shape = p->in[0].given;
        y->shape.dimensions[axis < 0 ? axis + (int)y->shape.rank : axis] = bins;
        if (!axes_result_view(p, WEFT_U64, &y->shape, NULL, &y->view)) return false;
    }
    for (size_t k = 0; k < y->shape.rank; k++) y->n *= y->shape.dimensions[k];
    y->view.data = y->counts = produce_allocate(p, y->n, sizeof *y->counts);
    return y->counts != NULL;
}

static int write_counts(const production *p, const request *r, const result *y) {
    uint64_t counted = 0;
    const int code = produce_write(p, r->to, WEFT_U64, &y->shape, y->counts);
    if (code != CLI_DONE || !p->options->json) return code;
    for (size_t i = 0; i < y->n; i++) counted += y->counts[i];
    produce_json_begin(p, r->to);
    if (r->along.text) json_integer("axis", r->along.axes[0]);
    json_count("bins", y->bins);
    json_count("counted", counted);
    if (!r->to) json_values("counts", WEFT_U64, y->n, y->counts);
    produce_json_end(p);
    return code;
}

static bool is_less(weft_dtype dtype, const value *a, const value *b) {
#define TYPE(ID, name, ctype, kind, npy) \
    if (dtype == WEFT_##ID) return a->name < b->name;
#include "core/types.def"
    return false;
}

static double real_of(weft_dtype dtype, const value *v) {
    return dtype == WEFT_F32 ? (double)v->f32 : dtype == WEFT_F64 ? v->f64 : 0;
}

/* Formats a bound for messages. */
static void name_bound(const production *p, const char *option, const char *text, const value *v, char name[80]) {
    const bool lower = strcmp(option, "--lower") == 0;
    if (text)
        snprintf(name, 80, "%s %.40s", option, text);
    else
        snprintf(name, 80, "the %s element, %s,", lower ? "least" : "greatest", value_decimal(bound_type(p), v).text);
}

/* Checks the bounds. A bound that was not given is an element of the file. */
static int check_bounds(const production *p, const request *r, const value *lower, const value *upper) {
    const weft_dtype dtype = bound_type(p);
    const double width = real_of(dtype, upper) - real_of(dtype, lower);
    const char *const file = p->files[0];
    char low[80], high[80];
    name_bound(p, "--lower", r->lower, lower, low);
    name_bound(p, "--upper", r->upper, upper, high);
    if (!isfinite(real_of(dtype, lower)))
        cli_error(p->command, "%s: %s is not finite%s", file, low, r->lower ? "" : ": specify --lower and --upper");
    else if (!isfinite(real_of(dtype, upper)))
        cli_error(p->command, "%s: %s is not finite%s", file, high, r->upper ? "" : ": specify --upper");
    else if (!is_less(dtype, lower, upper) && !r->lower && !r->upper)
        cli_error(p->command, "%s: all elements are %s: specify --lower and --upper", file,
                  value_decimal(dtype, lower).text);
    else if (!is_less(dtype, lower, upper))
        cli_error(p->command, "%s: %s is not less than %s", file, low, high);
    else if (dtype >= WEFT_F32 && (!isfinite(width) || !isfinite((double)r->bins / width)))
        cli_error(p->command, "%s: %s %s --bins %lld: upper - lower or bins / (upper - lower) overflows", file, low,
                  high, r->bins);
    else
        return CLI_DONE;
    return r->lower || r->upper ? CLI_USAGE : CLI_FAILED;
}

/* Calls the library: on a stream if there is one. */
static int call_evenly(production *p, const request *r, stream *s, const value *lower, const value *upper,
                       result *y) {
    const npy_array *x = &p->in[0];
    produce_start(p);
    if (s)
        return done(p, s, weft_histogram_even_source(p->ctx, &s->inputs[0].source, y->bins, lower, upper, y->counts));
    if (r->along.text)
        return produce_done(
            p, weft_histogram_even_axis(p->ctx, &r->x, r->along.axes[0], y->bins, lower, upper, &y->view));
    return produce_done(p, weft_histogram_even(p->ctx, x->dtype, x->n, x->data, y->bins, lower, upper, y->counts));
}

static int count_evenly(production *p, const request *r, stream *s) {
    value lower, upper;
    result y;
    int code = read_bound(p, s, "--lower", r->lower, WEFT_MIN, &lower);
    if (code == CLI_DONE) code = read_bound(p, s, "--upper", r->upper, WEFT_MAX, &upper);
    if (code == CLI_DONE) code = check_bounds(p, r, &lower, &upper);
    if (code != CLI_DONE) return code;
    if (!allocate_counts(p, r, (size_t)r->bins, &y)) return CLI_FAILED;
    code = call_evenly(p, r, s, &lower, &upper, &y);
    if (code == CLI_DONE) code = write_counts(p, r, &y);
    free(y.counts);
    return code;
}

static bool edges_ascend(const production *p, const request *r) {
    const npy_array *edges = &p->in[1];
    const size_t size = weft_dtype_size(edges->dtype);
    const char *at = edges->data;
    value a, b;
    for (size_t i = 0; i + 1 < edges->n; i++, at += size) {
        memcpy(&a, at, size);
        memcpy(&b, at + size, size);
        if (is_less(edges->dtype, &a, &b)) continue;
        cli_error(p->command, "%s: edge %zu, %s, is not less than edge %zu, %s: edges must be strictly ascending",
                  r->edges, i, value_decimal(edges->dtype, &a).text, i + 1, value_decimal(edges->dtype, &b).text);
        return false;
    }
    return true;
}

/* Reads the edges and checks them. Prints the error and returns false on failure. */
static bool read_edges(production *p, const request *r) {
    const npy_array *x = &p->in[0];
    npy_array *edges = &p->in[1];
    npy_error error;
    if (!npy_read(r->edges, edges, &error)) {
        cli_error(p->command, "%s: %s", r->edges, error.message);
        return false;
    }
    const weft_dtype dtype = bound_type(p);
    if (edges->dtype != dtype || edges->n < 2) {
        cli_error(p->command, "%s: %zu edges of type %s: expected at least 2 of type %s, the type %s %s", r->edges,
                  edges->n, weft_dtype_name(edges->dtype), weft_dtype_name(dtype),
                  dtype == x->dtype ? "of the elements of" : "for the elements of", p->files[0]);
        return false;
    }
    return edges_ascend(p, r);
}

static int call_between(production *p, const request *r, stream *s, result *y) {
    const npy_array *x = &p->in[0];
    const void *edges = p->in[1].data;
    produce_start(p);
    if (s) return done(p, s, weft_histogram_source(p->ctx, &s->inputs[0].source, y->bins, edges, y->counts));
    if (r->along.text)
        return produce_done(p, weft_histogram_axis(p->ctx, &r->x, r->along.axes[0], y->bins, edges, &y->view));
    return produce_done(p, weft_histogram(p->ctx, x->dtype, x->n, x->data, y->bins, edges, y->counts));
}

static int count_between(production *p, const request *r, stream *s) {
    result y;
    if (!read_edges(p, r) || !allocate_counts(p, r, p->in[1].n - 1, &y)) return CLI_FAILED;
    int code = call_between(p, r, s, &y);
    if (code == CLI_DONE) code = write_counts(p, r, &y);
    free(y.counts);
    return code;
}

/* weft histogram --axis K */
static int count_along(const cli_options *options, request *r, int argc, char **argv) {
    production p = {0};
    int code = axes_begin(&p, options, argc, argv, 1, r->to);
    if (code == CLI_DONE && !axes_view(&p, &r->along, &r->x)) code = CLI_USAGE;
    if (code == CLI_DONE) code = (r->edges ? count_between : count_evenly)(&p, r, NULL);
    produce_end(&p);
    return code;
}

int command_histogram(const cli_options *options, int argc, char **argv) {
    production p = {.prints = true};
    request r = {0};
    stream s = {0}, *streamed = NULL;
    if (!read_request(argc, argv, &r)) return CLI_USAGE;
    if (r.along.text) return count_along(options, &r, argc, argv);
    const int passes = r.edges ? 1 : 1 + !r.lower + !r.upper;
    int code = produce_open(&p, options, argc, argv, 1, r.to);
    if (code == CLI_DONE && stream_wanted(options, p.files[0], passes)) {
        code = stream_open(&s, p.command, options, (const char *const *)p.files, 1, passes);
        if (code == CLI_DONE) p.in[0] = s.inputs[0].npy.array;
        streamed = &s;
    } else if (code == CLI_DONE) {
        code = produce_read(&p);
    }
    if (code == CLI_DONE) code = (r.edges ? count_between : count_evenly)(&p, &r, streamed);
    if (streamed) stream_close(streamed);
    produce_end(&p);
    return code;
}

/* ------------------------------------------------------------------------- for tour and bench */

/* Counts elements in [1, 2). */
weft_status example_histogram(const operation *o, weft_context *ctx, const operands *in, value *out,
                              weft_dtype *type) {
    const float lower = 1, upper = 2;
    (void)o, (void)out;
    *type = WEFT_U64;
    return weft_histogram_even(ctx, in->dtype, in->n, in->x, OPERATION_BINS, &lower, &upper, in->to);
}
