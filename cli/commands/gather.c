/* weft gather X.npy --index I.npy -o Y.npy
 * weft scatter X.npy --index I.npy --targets M -o Y.npy */
#include "cli/commands/index_file.h"
#include "cli/commands/take_axis.h"
#include "cli/io/json.h"
#include "cli/io/produce.h"
#include "cli/operations.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct params {
    const char *command;
    bool scatter;
    weft_range range;
    long long targets;     /* -1: not given */
    const char *init, *to; /* init: file of the values before the call, or NULL */
    axes_request along;    /* without text: rows */
    index_file index;
    npy_array before;
    size_t columns;  /* elements of a row */
    npy_shape shape; /* of the result */
} params;

static bool read_option(int option, params *j) {
    switch (option) {
    case 'i': j->index.name = optarg; return true;
    case 'm': return cli_number(j->command, "--targets", optarg, 0, LLONG_MAX, &j->targets);
    case 'f': j->init = optarg; return true;
    case 'k': j->range = WEFT_RANGE_SKIP; return true;
    case 'x': return axes_read(j->command, optarg, 1, &j->along);
    case 'o': j->to = optarg; return true;
    default: return false;
    }
}

static bool is_stream(const char *name) { return name && strcmp(name, "-") == 0; }

static bool check_request(const params *j, const char *x) {
    if (!j->index.name)
        cli_error(j->command, "option --index I.npy is required: the index of each row");
    else if (j->scatter && (j->targets < 0) == !j->init)
        cli_error(j->command, "one of the options --targets M and --init F.npy is required");
    else if (!j->scatter && j->init && j->range == WEFT_RANGE_ERROR)
        cli_error(j->command, "--init %s requires --skip: all rows are written otherwise", j->init);
    else if (is_stream(x) + is_stream(j->index.name) + is_stream(j->init) > 1)
        cli_error(j->command, "-: only one of the arrays can be read from standard input");
    else
        return true;
    return false;
}

/* Reads the indices, and finds the shape of the result: that of x with another number of rows. */
static bool read_index(params *j, const npy_array *x, const char *name) {
    if (x->shape.rank == 0) {
        cli_error(j->command, "%s has 0 dimensions: expected at least 1", name);
        return false;
    }
    if (!index_file_read(j->command, &j->index) || !index_file_has_rows(j->command, name, x)) return false;
    if (j->scatter && !index_file_fits(j->command, &j->index, name, x->shape.dimensions[0])) return false;
    j->columns = 1;
    for (size_t k = 1; k < x->shape.rank; k++) j->columns *= x->shape.dimensions[k];
    j->shape = x->shape;
    j->shape.dimensions[0] = j->scatter ? (size_t)j->targets : j->index.array.n;
    return true;
}

/* Reads the values before the call, which must have the type and, except for the number of rows of a scatter, the
 * shape of the result. */
static bool read_init(params *j, weft_dtype dtype) {
    const npy_array *a = &j->before;
    if (!j->init) return true;
    if (!index_file_read_array(j->command, j->init, &j->before) ||
        !index_file_has_rows(j->command, j->init, &j->before))
        return false;
    bool fits = a->dtype == dtype && a->shape.rank == j->shape.rank;
    if (j->scatter && fits) j->shape.dimensions[0] = a->shape.dimensions[0];
    for (size_t k = 0; fits && k < j->shape.rank; k++) fits = a->shape.dimensions[k] == j->shape.dimensions[k];
    if (!fits)
        cli_error(j->command, "%s has %zu elements of type %s: expected the type %s and the shape of the result",
                  j->init, a->n, weft_dtype_name(a->dtype), weft_dtype_name(dtype));
    return fits;
}

static void print_json(const production *p, const params *j) {
    produce_json_begin(p, j->to);
    json_text("index", j->index.name);
    if (j->init) json_text("init", j->init);
    json_count("rows", j->shape.dimensions[0]);
    json_count("columns", j->columns);
    json_bool("skip", j->range == WEFT_RANGE_SKIP);
    produce_json_end(p);
}

static int compute(production *p, params *j) {
    const npy_array *x = &p->in[0];
    size_t values;
    if (!read_index(j, x, p->files[0]) || !read_init(j, x->dtype)) return CLI_FAILED;
    const size_t rows = j->shape.dimensions[0], size = weft_dtype_size(x->dtype);
    if (__builtin_mul_overflow(rows, j->columns, &values)) {
        cli_error(p->command, "%zu rows of %zu values do not fit in memory", rows, j->columns);
        return CLI_FAILED;
    }
    void *const y = produce_allocate(p, values, size);
    if (!y) return CLI_FAILED;
    if (values && j->init) memcpy(y, j->before.data, values * size);
    if (values && !j->init) memset(y, 0, values * size);
    produce_start(p);
    int code = produce_done(p, (j->scatter ? weft_scatter : weft_gather)(
                                   p->ctx, j->range, x->dtype, j->index.dtype, j->index.array.n, j->columns,
                                   j->scatter ? rows : x->shape.dimensions[0], x->data, j->index.data, y));
    if (code == CLI_DONE) code = produce_write(p, j->to, x->dtype, &j->shape, y);
    if (code == CLI_DONE && p->options->json) print_json(p, j);
    free(y);
    return code;
}

static int run(const cli_options *options, int argc, char **argv, bool scatter) {
    production p = {0};
    params j = {.command = argv[0], .scatter = scatter, .targets = -1};
    for (int option; (option = cli_next_option(argc, argv)) != -1;)
        if (!read_option(option, &j)) return CLI_USAGE;
    if (!check_request(&j, optind < argc ? argv[optind] : NULL)) return CLI_USAGE;
    int code;
    if (j.along.text) {
        j.along.to = j.to;
        code =
            take_axis(options, &(take_request){j.along, scatter, j.range, j.targets, j.init, &j.index}, argc, argv);
    } else {
        code = produce_begin(&p, options, argc, argv, 1, j.to);
        if (code == CLI_DONE) code = compute(&p, &j);
        produce_end(&p);
    }
    index_file_free(&j.index);
    npy_free(&j.before);
    return code;
}

int command_gather(const cli_options *options, int argc, char **argv) { return run(options, argc, argv, false); }
int command_scatter(const cli_options *options, int argc, char **argv) { return run(options, argc, argv, true); }

/* ------------------------------------------------------------------------- for tour and bench */

static size_t rows_of(const operands *in) { return in->n < UINT32_MAX ? in->n : UINT32_MAX; }

weft_status example_gather(const operation *o, weft_context *ctx, const operands *in, value *out, weft_dtype *type) {
    const size_t n = rows_of(in);
    (void)o, (void)out;
    *type = in->dtype;
    return weft_gather(ctx, WEFT_RANGE_ERROR, in->dtype, WEFT_U32, n, 1, n, in->x, in->permutation, in->to);
}

weft_status example_scatter(const operation *o, weft_context *ctx, const operands *in, value *out, weft_dtype *type) {
    const size_t n = rows_of(in);
    (void)o, (void)out;
    *type = in->dtype;
    return weft_scatter(ctx, WEFT_RANGE_ERROR, in->dtype, WEFT_U32, n, 1, n, in->x, in->permutation, in->to);
}
