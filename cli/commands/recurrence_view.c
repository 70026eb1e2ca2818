/* weft recurrence S.npy U.npy --axis K -o V.npy: recurrences along an axis. */
#include "cli/commands/recurrence_view.h"

#include "cli/io/json.h"

#include <stdlib.h>

static void print_json(const production *p, const recurrence_request *r, weft_dtype type) {
    produce_json_begin(p, r->v);
    json_integer("axis", r->along.axes[0]);
    json_bool("reverse", r->reverse);
    json_text("result", weft_dtype_name(type));
    produce_json_end(p);
}

static int compute(production *p, const recurrence_request *r) {
    const weft_direction direction = r->reverse ? WEFT_REVERSE : WEFT_FORWARD;
    npy_shape shape = {.rank = 0};
    size_t values = 1;
    weft_view s, u, v, first;
    value init = {0};
    if (!axes_pair(p, &s, &u, &shape) || !axes_check(p->command, &r->along, "the result", &shape)) return CLI_USAGE;
    int code = r->init ? recurrence_read_init(r, s.dtype, &init) : CLI_DONE;
    if (code != CLI_DONE) return code;
    for (size_t k = 0; k < shape.rank; k++) values *= shape.dimensions[k];
    void *const result = produce_allocate(p, values, weft_dtype_size(s.dtype));
    code = result && axes_result_view(p, s.dtype, &shape, result, &v) ? CLI_DONE : CLI_FAILED;
    if (code == CLI_DONE && weft_view_of(s.dtype, 0, NULL, &init, &first) == WEFT_OK) {
        produce_start(p);
        code = produce_done(
            p, weft_recurrence_axis(p->ctx, direction, &s, &u, r->along.axes[0], r->init ? &first : NULL, &v));
    }
    if (code == CLI_DONE) code = produce_write(p, r->v, s.dtype, &shape, result);
    if (code == CLI_DONE && p->options->json) print_json(p, r, s.dtype);
    free(result);
    return code;
}

int recurrence_axis(const cli_options *options, const recurrence_request *r, int argc, char **argv) {
    production p = {0};
    int code = axes_begin(&p, options, argc, argv, 2, r->v);
    if (code == CLI_DONE) code = compute(&p, r);
    produce_end(&p);
    return code;
}
