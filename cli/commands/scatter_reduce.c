/* weft scatter_reduce X.npy --index I.npy --targets M -o Y.npy */
#include "cli/commands/index_file.h"
#include "cli/commands/reduce_options.h"
#include "cli/io/file.h"
#include "cli/io/json.h"
#include "cli/io/produce.h"
#include "cli/io/streamed.h"
#include "cli/operations.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
    weft_op op;
    weft_dtype accumulate, type; /* type of the result */
    weft_range range;
    long long targets; /* -1: not given */
    const char *index, *init, *to;
} request;

/* Files in addition to x: the indices, and the initial values. */
typedef struct params {
    request r;
    index_file index;
    npy_array init;
    size_t rows, columns;
} params;

static bool read_op(const char *command, weft_op *op) {
    *op = WEFT_MEAN;
    return strcmp(optarg, weft_op_name(WEFT_MEAN)) == 0 || reduce_options_op(command, optarg, op);
}

static bool read_option(const char *command, int option, request *r) {
    switch (option) {
    case 'p': return read_op(command, &r->op);
    case 'a': return reduce_options_type(command, optarg, HALF_SUM_TYPES, &r->accumulate);
    case 'm': return cli_number(command, "--targets", optarg, 0, LLONG_MAX, &r->targets);
    case 'i': r->index = optarg; return true;
    case 'f': r->init = optarg; return true;
    case 'k': r->range = WEFT_RANGE_SKIP; return true;
    case 'o': r->to = optarg; return true;
    default: return false;
    }
}

static bool is_stream(const char *name) { return name && strcmp(name, "-") == 0; }

static bool check_request(const request *r, const char *x) {
    const int streams = is_stream(x) + is_stream(r->index) + is_stream(r->init);
    if (!r->index)
        cli_error("scatter_reduce", "option --index I.npy is required: the target of each element");
    else if (r->targets < 0)
        cli_error("scatter_reduce", "option --targets M is required: the number of results");
    else if (r->op == WEFT_MEAN && r->init)
        cli_error("scatter_reduce", "--op mean cannot be combined with --init %s", r->init);
    else if (streams > 1)
        cli_error("scatter_reduce", "-: only one of the arrays can be read from standard input");
    else
        return true;
    return false;
}

/* Checks the indices, and the rows of x. */
static bool check_index(params *j, const npy_array *x, const char *name) {
    if (x->shape.rank > 2) {
        cli_error("scatter_reduce", "%s has %zu dimensions: expected an array or a matrix", name, x->shape.rank);
        return false;
    }
    return index_file_use("scatter_reduce", &j->index) && index_file_has_rows("scatter_reduce", name, x) &&
           index_file_fits("scatter_reduce", &j->index, name, j->rows);
}

static bool read_init(params *j, size_t values) {
    if (!j->r.init) return true;
    if (!index_file_read_array("scatter_reduce", j->r.init, &j->init)) return false;
    if (j->init.dtype == j->r.type && j->init.n == values && !j->init.fortran) return true;
    cli_error("scatter_reduce", "%s has %zu elements of type %s: expected %zu of type %s, in C order", j->r.init,
              j->init.n, weft_dtype_name(j->init.dtype), values, weft_dtype_name(j->r.type));
    return false;
}

static void print_json(const production *p, const params *j) {
    produce_json_begin(p, j->r.to);
    json_text("index", j->r.index);
    if (j->r.init) json_text("init", j->r.init);
    json_text("op", weft_op_name(j->r.op));
    json_integer("targets", j->r.targets);
    json_count("columns", j->columns);
    json_bool("skip", j->r.range == WEFT_RANGE_SKIP);
    json_text("result", weft_dtype_name(j->r.type));
    produce_json_end(p);
}

/* Finds the rows, the columns and the type of the result. */
static int check_types(const production *p, params *j, size_t *values) {
    const npy_array *x = &p->in[0];
    const size_t m = (size_t)j->r.targets;
    j->rows = x->shape.rank ? x->shape.dimensions[0] : 1;
    j->columns = x->shape.rank == 2 ? x->shape.dimensions[1] : 1;
    if (__builtin_mul_overflow(m, j->columns, values)) {
        cli_error(p->command, "--targets %zu: %zu rows of %zu values do not fit in memory", m, m, j->columns);
        return CLI_FAILED;
    }
    const int code = reduce_options_check_reduce(p->command, true, j->r.op, x->dtype, j->r.accumulate);
    if (code != CLI_DONE) return code;
    if (weft_reduce_result(j->r.op, x->dtype, j->r.accumulate, &j->r.type) == WEFT_OK) return CLI_DONE;
    cli_error(p->command, "%s: %s", p->files[0], weft_last_error(NULL));
    return CLI_FAILED;
}

static int reduce_in_memory(production *p, const params *j, void *y) {
    const npy_array *x = &p->in[0];
    return produce_done(p, weft_scatter_reduce(p->ctx, j->r.op, j->r.range, x->dtype, j->r.accumulate, j->index.dtype,
                                               j->rows, j->columns, (size_t)j->r.targets, x->data, j->index.data,
                                               j->r.init ? j->init.data : NULL, y));
}

static int reduce_stream(production *p, const params *j, stream *s, void *y) {
    const weft_status status =
        weft_scatter_reduce_source(p->ctx, j->r.op, j->r.range, j->r.accumulate, j->columns, (size_t)j->r.targets,
                                   &s->inputs[0].source, &s->inputs[1].source, j->r.init ? j->init.data : NULL, y);
    p->seconds = cli_seconds() - p->start;
    return stream_end(s, p->ctx, status);
}

/* Reduces the arrays, or the stream if `s` is not NULL. */
static int compute(production *p, params *j, stream *s) {
    const npy_array *x = &p->in[0];
    size_t values;
    int code = check_types(p, j, &values);
    if (code != CLI_DONE) return code;
    if (!check_index(j, x, p->files[0]) || !read_init(j, values)) return CLI_FAILED;
    void *const y = produce_allocate(p, values, weft_dtype_size(j->r.type));
    if (!y) return CLI_FAILED;
    produce_start(p);
    code = s ? reduce_stream(p, j, s, y) : reduce_in_memory(p, j, y);
    const npy_shape shape = {x->shape.rank == 2 ? 2 : 1, {(size_t)j->r.targets, j->columns}};
    if (code == CLI_DONE) code = produce_write(p, j->r.to, j->r.type, &shape, y);
    if (code == CLI_DONE && p->options->json) print_json(p, j);
    free(y);
    return code;
}

static int compute_in_memory(production *p, params *j) {
    const int code = produce_read(p);
    if (code != CLI_DONE) return code;
    return index_file_read_array(p->command, j->r.index, &j->index.array) ? compute(p, j, NULL) : CLI_FAILED;
}

/* Loads both arrays: indices of one or two bytes and rows without elements are no streams. */
static int load_and_compute(production *p, params *j, stream *s) {
    npy_array *const arrays[] = {&p->in[0], &j->index.array};
    for (int i = 0; i < 2; i++) {
        npy_error error;
        if (npy_load(&s->inputs[i].npy, arrays[i], &error)) continue;
        cli_error(p->command, "%s: %s", s->inputs[i].path, error.message);
        return CLI_FAILED;
    }
    return compute(p, j, NULL);
}

static int compute_stream(production *p, params *j) {
    stream s;
    int code = stream_open(&s, p->command, p->options, (const char *[]){p->files[0], j->r.index}, 2, 1);
    if (code == CLI_DONE) {
        p->in[0] = s.inputs[0].npy.array;
        j->index.array = s.inputs[1].npy.array;
        const bool streams = weft_dtype_size(j->index.array.dtype) >= 4 && p->in[0].n > 0;
        code = streams ? compute(p, j, &s) : load_and_compute(p, j, &s);
    }
    stream_close(&s);
    return code;
}

int command_scatter_reduce(const cli_options *options, int argc, char **argv) {
    production p = {0};
    params j = {.r = {.targets = -1}};
    for (int option; (option = cli_next_option(argc, argv)) != -1;)
        if (!read_option(argv[0], option, &j.r)) return CLI_USAGE;
    if (!check_request(&j.r, optind < argc ? argv[optind] : NULL)) return CLI_USAGE;
    j.index.name = j.r.index;
    int code = produce_open(&p, options, argc, argv, 1, j.r.to);
    if (code == CLI_DONE) {
        const bool streams = stream_wanted(options, p.files[0], 1) || stream_wanted(options, j.r.index, 1);
        code = streams ? compute_stream(&p, &j) : compute_in_memory(&p, &j);
    }
    index_file_free(&j.index);
    npy_free(&j.init);
    produce_end(&p);
    return code;
}

/* ------------------------------------------------------------------------- for tour and bench */

/* Uses the ascending keys as indices. */
weft_status example_scatter_reduce(const operation *o, weft_context *ctx, const operands *in, value *out,
                                   weft_dtype *type) {
    (void)o, (void)out;
    operation_result_type(in->op, in, type);
    return weft_scatter_reduce(ctx, in->op, WEFT_RANGE_ERROR, in->dtype, in->accumulate, in->key_type, in->n, 1,
                               in->segments + 1, in->x, in->keys, NULL, in->to);
}
