/* weft sum, prod, min, ..., variance and dot with --axis: reduce an array, or the products of two, along axes, and
 * print or write the array of the results. */
#include "cli/commands/along_axes.h"
#include "cli/commands/reduce_options.h"
#include "cli/io/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PRINTED_MOST = 1000 }; /* values that are printed without -o */

/* State of one call. */
typedef struct reduction {
    production produced;
    const operation *operation;
    const operands *in;
    const axes_request *request;
    weft_view x, y;   /* y: of dot */
    npy_shape common; /* that of x, for dot after broadcasting */
    weft_dtype type;  /* of the result */
    npy_shape shape;  /* of the result */
    size_t values;    /* of the result */
} reduction;

static bool is_variance(const reduction *j) { return operation_is(j->operation, "variance"); }

static bool is_dot(const reduction *j) { return operation_is(j->operation, "dot"); }

/* Sets the views of the arrays. Prints the error and returns false if they do not fit the request. */
static bool view(reduction *j) {
    if (is_dot(j))
        return axes_pair(&j->produced, &j->x, &j->y, &j->common) &&
               axes_check(j->produced.command, j->request, "the array of products", &j->common);
    j->common = j->produced.in[0].given;
    return axes_view(&j->produced, j->request, &j->x);
}

/* Determines type and shape of the result. */
static int plan(reduction *j) {
    const axes_request *const r = j->request;
    const weft_dtype dtype = j->x.dtype, accumulate = j->in->accumulate;
    const weft_op op = is_variance(j) ? WEFT_MEAN : is_dot(j) ? WEFT_SUM : j->operation->op;
    bool reduced[WEFT_DIMENSIONS_MAX] = {false};
    const int code = reduce_options_check_reduce(j->produced.command, true, op, dtype, accumulate);
    if (code != CLI_DONE) return code;
    if (weft_reduce_result(op, dtype, accumulate, &j->type) != WEFT_OK) {
        cli_error(j->produced.command, "%s: %s", j->produced.files[0], weft_last_error(NULL));
        return CLI_FAILED;
    }
    for (size_t a = 0; a < r->count; a++)
        reduced[r->axes[a] < 0 ? r->axes[a] + (int)j->common.rank : r->axes[a]] = true;
    j->values = 1;
    for (size_t k = 0; k < j->common.rank; k++) {
        const size_t n = j->common.dimensions[k];
        if (!reduced[k]) j->values *= n;
        if (!reduced[k] || r->keepdims) j->shape.dimensions[j->shape.rank++] = reduced[k] ? 1 : n;
    }
    if (r->to || j->values <= PRINTED_MOST) return CLI_DONE;
    cli_error(j->produced.command, "%s: option -o Y.npy is required: the result has %zu values, more than %d",
              j->produced.files[0], j->values, PRINTED_MOST);
    return CLI_USAGE;
}

static weft_status call(const reduction *j, const weft_view *out) {
    weft_context *const ctx = j->produced.ctx;
    const axes_request *const r = j->request;
    if (is_dot(j)) return weft_dot_axes(ctx, j->in->accumulate, &j->x, &j->y, r->count, r->axes, out);
    if (is_variance(j)) return weft_variance_axes(ctx, j->in->accumulate, j->in->ddof, &j->x, r->count, r->axes, out);
    return weft_reduce_axes(ctx, j->operation->op, j->in->accumulate, &j->x, r->count, r->axes, out);
}

static void print_json(const reduction *j, const void *values) {
    produce_json_begin(&j->produced, j->request->to);
    json_begin_array("axis");
    for (size_t a = 0; a < j->request->count; a++) json_integer(NULL, j->request->axes[a]);
    json_end();
    if (is_variance(j)) json_count("ddof", j->in->ddof);
    json_text("result", weft_dtype_name(j->type));
    json_begin_array("shape");
    for (size_t k = 0; k < j->shape.rank; k++) json_count(NULL, j->shape.dimensions[k]);
    json_end();
    if (!j->request->to) json_values("values", j->type, j->values, values);
    produce_json_end(&j->produced);
}

/* Prints the values, with their bits if `bits` is true: a row along the last axis in each line, and an empty line
 * between matrices. An array of one dimension is printed with one value per line. */
static void print_rows(const reduction *j, bool bits, const char *values) {
    const npy_shape *const shape = &j->shape;
    const size_t size = weft_dtype_size(j->type), rank = shape->rank;
    const size_t row = rank > 1 ? shape->dimensions[rank - 1] : 1;
    const size_t matrix = rank > 2 ? row * shape->dimensions[rank - 2] : j->values;
    for (size_t i = 0; i < j->values; i++) {
        value v = {0};
        memcpy(&v, values + i * size, size);
        if (i > 0 && i % matrix == 0) putchar('\n');
        printf("%s%s%s%c", value_decimal(j->type, &v).text, bits ? " " : "", bits ? value_bits(j->type, &v).text : "",
               (i + 1) % row == 0 ? '\n' : ' ');
    }
}

static int compute(reduction *j) {
    production *const p = &j->produced;
    const axes_request *const r = j->request;
    weft_view out;
    int code = plan(j);
    if (code != CLI_DONE) return code;
    void *const values = produce_allocate(p, j->values, weft_dtype_size(j->type));
    code = values && axes_result_view(p, j->type, &j->shape, values, &out) ? CLI_DONE : CLI_FAILED;
    if (code == CLI_DONE) {
        produce_start(p);
        code = produce_done(p, call(j, &out));
    }
    if (code == CLI_DONE && r->to) code = produce_write(p, r->to, j->type, &j->shape, values);
    if (code == CLI_DONE && p->options->json) print_json(j, values);
    if (code == CLI_DONE && !r->to && !p->options->json) print_rows(j, p->options->bits, values);
    free(values);
    return code;
}

int axes_reduce(const cli_options *options, const operation *operation, const operands *in, const axes_request *r,
                int argc, char **argv) {
    reduction j = {.produced = {.prints = true}, .operation = operation, .in = in, .request = r};
    int code = axes_begin(&j.produced, options, argc, argv, operation->inputs, r->to);
    if (code == CLI_DONE) code = view(&j) ? compute(&j) : CLI_USAGE;
    produce_end(&j.produced);
    return code;
}
