/* weft sum, prod, min, ..., variance and dot with --axis: reduce an array, or the products of two, along axes, and
 * print or write the array of the results. */
#include "cli/commands/axes_result.h"
#include "cli/commands/reduce_options.h"
#include "cli/io/json.h"

#include <stdlib.h>

/* State of one call. */
typedef struct reduction {
    production produced;
    const operation *operation;
    const operands *in;
    const axes_request *request;
    weft_view x, y;   /* y: of dot */
    npy_shape common; /* that of x, for dot after broadcasting */
    axes_result result;
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
    const int code = reduce_options_check_reduce(j->produced.command, true, op, dtype, accumulate);
    if (code != CLI_DONE) return code;
    if (weft_reduce_result(op, dtype, accumulate, &j->result.dtype) != WEFT_OK) {
        cli_error(j->produced.command, "%s: %s", j->produced.files[0], weft_last_error(NULL));
        return CLI_FAILED;
    }
    axes_result_reduce(r, &j->common, &j->result);
    return axes_result_fits(j->produced.command, r, j->produced.files[0], &j->result) ? CLI_DONE : CLI_USAGE;
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
    axes_result_json_axes(j->request);
    if (is_variance(j)) json_count("ddof", j->in->ddof);
    axes_result_json(j->request, &j->result, values);
    produce_json_end(&j->produced);
}

static int compute(reduction *j) {
    production *const p = &j->produced;
    const axes_request *const r = j->request;
    weft_view out;
    int code = plan(j);
    if (code != CLI_DONE) return code;
    const axes_result *const y = &j->result;
    void *const values = produce_allocate(p, y->count, weft_dtype_size(y->dtype));
    code = values && axes_result_view(p, y->dtype, &y->shape, values, &out) ? CLI_DONE : CLI_FAILED;
    if (code == CLI_DONE) {
        produce_start(p);
        code = produce_done(p, call(j, &out));
    }
    if (code == CLI_DONE && r->to) code = produce_write(p, r->to, y->dtype, &y->shape, values);
    if (code == CLI_DONE && p->options->json) print_json(j, values);
    if (code == CLI_DONE && !r->to && !p->options->json) axes_result_print(y, p->options->bits, values);
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
