/* weft sort X.npy --axis K -o Y.npy, weft argsort X.npy --axis K -o I.npy: sorts along an axis. */
#include "cli/commands/sort_axis.h"

#include "cli/io/json.h"

#include <stdlib.h>

static void print_json(const production *p, const sort_request *r, weft_dtype type) {
    produce_json_begin(p, r->along.to);
    json_integer("axis", r->along.axes[0]);
    json_bool("descending", r->order == WEFT_DESCENDING);
    json_text("result", weft_dtype_name(type));
    produce_json_end(p);
}

static int compute(production *p, const sort_request *r, const weft_view *x) {
    const weft_dtype type = r->indices ? r->index : x->dtype;
    const int axis = r->along.axes[0];
    npy_shape shape = {.rank = x->dimensions};
    weft_view y;
    for (size_t k = 0; k < shape.rank; k++) shape.dimensions[k] = x->shape[k];
    void *const values = produce_allocate(p, p->in[0].n, weft_dtype_size(type));
    int code = values && axes_result_view(p, type, &shape, values, &y) ? CLI_DONE : CLI_FAILED;
    if (code == CLI_DONE) {
        produce_start(p);
        code = produce_done(p, r->indices ? weft_argsort_axis(p->ctx, r->order, x, axis, &y)
                                          : weft_sort_axis(p->ctx, r->order, x, axis, &y));
    }
    if (code == CLI_DONE) code = produce_write(p, r->along.to, type, &shape, values);
    if (code == CLI_DONE && p->options->json) print_json(p, r, type);
    free(values);
    return code;
}

int sort_axis(const cli_options *options, const sort_request *r, int argc, char **argv) {
    production p = {0};
    weft_view x;
    int code = axes_begin(&p, options, argc, argv, 1, r->along.to);
    if (code == CLI_DONE) code = axes_view(&p, &r->along, &x) ? compute(&p, r, &x) : CLI_USAGE;
    produce_end(&p);
    return code;
}
