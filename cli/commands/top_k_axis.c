/* weft top_k X.npy --axis A [-k K] -o VALUES.npy: selects along an axis. */
#include "cli/commands/top_k_axis.h"

#include "cli/io/json.h"

#include <stdlib.h>

int top_k_check_count(const production *p, const top_k_request *r, size_t n) {
    const char *const along = r->along.text ? " along the axis" : "";
    if ((unsigned long long)r->k <= n) return CLI_DONE;
    if (r->k_given)
        cli_error(p->command, "%s: has %zu elements%s: -k %lld is greater", p->files[0], n, along, r->k);
    else
        cli_error(p->command, "%s: has %zu elements%s, fewer than the default %lld %s: specify -k K", p->files[0], n,
                  along, r->k, r->extreme == WEFT_LARGEST ? "largest" : "smallest");
    return r->k_given ? CLI_USAGE : CLI_FAILED;
}

/* Sets the shape of the result, and views of it. */
static bool result_views(const production *p, const top_k_request *r, size_t axis, const weft_view *x,
                         npy_shape *shape, void *values, void *indices, weft_view views[2]) {
    shape->rank = x->dimensions;
    for (size_t k = 0; k < shape->rank; k++) shape->dimensions[k] = k == axis ? (size_t)r->k : x->shape[k];
    return axes_result_view(p, x->dtype, shape, values, &views[0]) &&
           axes_result_view(p, WEFT_U64, shape, indices, &views[1]);
}

static int write_along(const production *p, const top_k_request *r, const npy_shape *shape, const void *values,
                       const void *indices) {
    int code = produce_write(p, r->to, p->in[0].dtype, shape, values);
    if (code == CLI_DONE && r->indices_to) code = produce_write(p, r->indices_to, WEFT_U64, shape, indices);
    if (code != CLI_DONE || !p->options->json) return code;
    produce_json_begin(p, r->to);
    if (r->indices_to) json_text("indices", r->indices_to);
    json_integer("axis", r->along.axes[0]);
    json_integer("k", r->k);
    json_text("extreme", r->extreme == WEFT_LARGEST ? "largest" : "smallest");
    produce_json_end(p);
    return code;
}

static int select_along(production *p, const top_k_request *r, const weft_view *x) {
    const int given = r->along.axes[0];
    const size_t axis = given < 0 ? x->dimensions - (size_t)-given : (size_t)given, n = x->shape[axis];
    npy_shape shape = {0};
    weft_view views[2];
    int code = top_k_check_count(p, r, n);
    if (code != CLI_DONE) return code;
    const size_t results = n ? p->in[0].n / n * (size_t)r->k : 0;
    void *values = produce_allocate(p, results, weft_dtype_size(x->dtype));
    void *indices = produce_allocate(p, r->indices_to ? results : 0, sizeof(uint64_t));
    code = values && indices && result_views(p, r, axis, x, &shape, values, indices, views) ? CLI_DONE : CLI_FAILED;
    if (code == CLI_DONE) {
        produce_start(p);
        code = produce_done(p, weft_top_k_axis(p->ctx, r->extreme, x, given, (size_t)r->k, &views[0],
                                               r->indices_to ? &views[1] : NULL));
    }
    if (code == CLI_DONE) code = write_along(p, r, &shape, values, indices);
    free(values);
    free(indices);
    return code;
}

int top_k_axis(const cli_options *options, const top_k_request *r, int argc, char **argv) {
    production p = {0};
    weft_view x;
    int code = axes_begin(&p, options, argc, argv, 1, r->to);
    if (code == CLI_DONE) code = axes_view(&p, &r->along, &x) ? select_along(&p, r, &x) : CLI_USAGE;
    produce_end(&p);
    return code;
}
