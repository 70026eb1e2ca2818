/* weft scan X.npy --axis K -o Y.npy: prefix scans along an axis. */
#include "cli/commands/scan_axis.h"

#include "cli/commands/reduce_options.h"
#include "cli/io/json.h"

#include <stdlib.h>

static void print_json(const production *p, const scan_request *r, weft_dtype type) {
    produce_json_begin(p, r->along.to);
    json_integer("axis", r->along.axes[0]);
    json_text("op", weft_op_name(r->in.op));
    json_bool("exclusive", r->in.kind == WEFT_EXCLUSIVE);
    json_text("result", weft_dtype_name(type));
    produce_json_end(p);
}

static int compute(production *p, const scan_request *r, const weft_view *x) {
    const operands *const in = &r->in;
    const weft_dtype type = in->accumulate == WEFT_DEFAULT ? x->dtype : in->accumulate;
    npy_shape shape = {.rank = x->dimensions};
    weft_view y;
    value init;
    for (size_t k = 0; k < shape.rank; k++) shape.dimensions[k] = x->shape[k];
    int code = reduce_options_check_scan(p->command, true, p->ctx, in->op, x->dtype, in->accumulate);
    if (code == CLI_DONE) code = scan_read_init(r, type, &init);
    if (code != CLI_DONE) return code;
    void *const values = produce_allocate(p, p->in[0].n, weft_dtype_size(type));
    code = values && axes_result_view(p, type, &shape, values, &y) ? CLI_DONE : CLI_FAILED;
    if (code == CLI_DONE) {
        produce_start(p);
        code = produce_done(p, weft_scan_axis(p->ctx, in->op, in->kind, in->accumulate, x, r->along.axes[0],
                                              r->init ? &init : NULL, &y));
    }
    if (code == CLI_DONE) code = produce_write(p, r->along.to, type, &shape, values);
    if (code == CLI_DONE && p->options->json) print_json(p, r, type);
    free(values);
    return code;
}

int scan_axis(const cli_options *options, const scan_request *r, int argc, char **argv) {
    production p = {0};
    weft_view x;
    int code = axes_begin(&p, options, argc, argv, 1, r->along.to);
    if (code == CLI_DONE) code = axes_view(&p, &r->along, &x) ? compute(&p, r, &x) : CLI_USAGE;
    produce_end(&p);
    return code;
}
