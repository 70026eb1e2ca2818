/* weft quantile X.npy [-q Q,Q...] [--method M] [--axis A] [-o Y.npy] */
#include "cli/commands/along_axes.h"
#include "cli/io/json.h"

#include <stdlib.h>
#include <string.h>

static const char *const METHODS[] = {"linear", "lower", "higher", "nearest", "midpoint"};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };

/* Values of the options. */
typedef struct request {
    const char *list; /* argument of -q */
    double *q;
    size_t count;
    weft_quantile_method method;
    const char *to;
    axes_request along; /* no text: all elements are one vector */
} request;

/* ---------------------------------------------------------------------------------- options */

static bool read_method(const char *command, request *r) {
    for (int m = 0; m < METHOD_COUNT; m++)
        if (strcmp(optarg, METHODS[m]) == 0) {
            r->method = (weft_quantile_method)m;
            return true;
        }
    cli_error(command, "--method %s: expected linear, lower, higher, nearest or midpoint", optarg);
    return false;
}

static bool read_option(const char *command, int option, request *r) {
    switch (option) {
    case 'q': r->list = optarg; return true;
    case 'm': return read_method(command, r);
    case 'x': return axes_read(command, optarg, 1, &r->along);
    case 'o': r->to = optarg; return true;
    default: return false;
    }
}

/* Reads the list of -q. Prints the error and returns false if it is not a list of numbers from 0 to 1. */
static bool read_list(const char *command, request *r) {
    size_t most = 1;
    for (const char *c = r->list; *c; c++) most += *c == ',';
    r->q = malloc(most * sizeof *r->q);
    if (!r->q) {
        cli_error(command, "-q: out of memory");
        return false;
    }
    for (const char *text = r->list;; text++) {
        char *end;
        const double q = strtod(text, &end);
        if (end == text || (*end && *end != ',') || !(q >= 0 && q <= 1)) {
            cli_error(command, "-q %s: expected numbers from 0 to 1 separated by commas", r->list);
            return false;
        }
        r->q[r->count++] = q;
        text = end;
        if (!*text) return true;
    }
}

/* ------------------------------------------------------------------------------------- call */

static void print_json(const production *p, const request *r, weft_dtype dtype, const void *y) {
    produce_json_begin(p, r->to);
    json_values("q", WEFT_F64, r->count, r->q);
    json_text("method", METHODS[r->method]);
    if (r->along.text) json_integer("axis", r->along.axes[0]);
    if (!r->to) json_values("values", dtype, r->count, y);
    produce_json_end(p);
}

/* Computes quantiles along axis number `axis` of the view x. */
static int compute(production *p, const request *r, const weft_view *x, size_t axis) {
    const bool is_mean = r->method == WEFT_LINEAR || r->method == WEFT_MIDPOINT;
    const bool is_float = x->dtype >= WEFT_F32;
    const weft_dtype dtype = is_mean && !is_float ? WEFT_F64 : x->dtype;
    npy_shape shape = {.rank = x->dimensions};
    size_t results = r->count;
    weft_view y;
    for (size_t k = 0; k < shape.rank; k++) {
        shape.dimensions[k] = k == axis ? r->count : x->shape[k];
        if (k != axis) results *= x->shape[k];
    }
    void *const values = produce_allocate(p, results, weft_dtype_size(dtype));
    int code = values && axes_result_view(p, dtype, &shape, values, &y) ? CLI_DONE : CLI_FAILED;
    if (code == CLI_DONE) {
        produce_start(p);
        code = produce_done(p, weft_quantile_axis(p->ctx, r->method, x, (int)axis, r->count, r->q, &y));
    }
    if (code == CLI_DONE) code = produce_write(p, r->to, dtype, &shape, values);
    if (code == CLI_DONE && p->options->json) print_json(p, r, dtype, values);
    free(values);
    return code;
}

static int quantiles_along(production *p, const request *r, int argc, char **argv) {
    weft_view x;
    const int code = axes_begin(p, p->options, argc, argv, 1, r->to), axis = r->along.axes[0];
    if (code != CLI_DONE) return code;
    if (!axes_view(p, &r->along, &x)) return CLI_USAGE;
    return compute(p, r, &x, (size_t)(axis < 0 ? axis + (int)x.dimensions : axis));
}

static int quantiles_of_all(production *p, const request *r, int argc, char **argv) {
    const npy_array *const a = &p->in[0];
    weft_view x;
    p->prints = true;
    const int code = produce_begin(p, p->options, argc, argv, 1, r->to);
    if (code != CLI_DONE) return code;
    const npy_shape shape = {1, {a->n}};
    return axes_result_view(p, a->dtype, &shape, (void *)a->data, &x) ? compute(p, r, &x, 0) : CLI_FAILED;
}

int command_quantile(const cli_options *options, int argc, char **argv) {
    production p = {.options = options};
    request r = {.list = "0.5"};
    for (int option; (option = cli_next_option(argc, argv)) != -1;)
        if (!read_option(argv[0], option, &r)) return CLI_USAGE;
    int code = read_list(argv[0], &r) ? CLI_DONE : CLI_USAGE;
    if (code == CLI_DONE) code = (r.along.text ? quantiles_along : quantiles_of_all)(&p, &r, argc, argv);
    produce_end(&p);
    free(r.q);
    return code;
}
