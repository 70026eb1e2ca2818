/* weft gather X.npy --index I.npy --axis K -o Y.npy
 * weft scatter X.npy --index I.npy --axis K --init F.npy -o Y.npy */
#include "cli/commands/take_axis.h"

#include "cli/io/json.h"

#include <stdlib.h>
#include <string.h>

typedef struct params {
    const take_request *r;
    weft_view x, index, before, y; /* before: the values of --init */
    npy_shape shape;               /* of y */
} params;

static size_t axis_of(const params *j, size_t rank) { return axes_number(j->r->along.axes[0], rank); }

/* Reads the indices: one list for all vectors, or an array with the dimensions of `name`, which has `rank`. */
static bool read_index(params *j, const char *command, const char *name, size_t rank) {
    index_file *const f = j->r->index;
    weft_view *const v = &j->index;
    if (!index_file_read(command, f) || !axes_view_of(command, f->name, &f->array, v)) return false;
    const ptrdiff_t size = (ptrdiff_t)weft_dtype_size(v->dtype), wide = (ptrdiff_t)weft_dtype_size(f->dtype);
    for (size_t k = 0; k < v->dimensions; k++) v->stride[k] = v->stride[k] / size * wide;
    v->dtype = f->dtype;
    v->data = (void *)f->data;
    if (v->dimensions == rank) return true;
    if (v->dimensions != 1) {
        cli_error(command, "%s has shape %s: expected one dimension, or %zu as %s", f->name,
                  npy_text_of_shape(&f->array.given).text, rank, name);
        return false;
    }
    for (v->dimensions = 1; v->dimensions < rank - axis_of(j, rank); v->dimensions++) {
        v->shape[v->dimensions] = 1;
        v->stride[v->dimensions] = 0;
    }
    return true;
}

/* Returns the number of indices along the axis. */
static size_t indices_of(const params *j, size_t rank) {
    return j->index.shape[j->index.dimensions - (rank - axis_of(j, rank))];
}

/* Reads the values before the call, if there are any. They must have the type of x. */
static bool read_init(params *j, const production *p, npy_array *before) {
    const char *const name = j->r->init;
    if (!name) return true;
    if (!index_file_read_array(p->command, name, before) || !axes_view_of(p->command, name, before, &j->before))
        return false;
    if (before->dtype == p->in[0].dtype) return true;
    cli_error(p->command, "%s has elements of type %s: expected %s, as %s", name, weft_dtype_name(before->dtype),
              weft_dtype_name(p->in[0].dtype), p->files[0]);
    return false;
}

/* Finds the shape of the result: that of x with another length along the axis, or that of the values before. */
static int find_shape(params *j, const production *p, const npy_array *before) {
    const take_request *const r = j->r;
    const bool whole = r->scatter && r->init;
    const char *const name = whole ? r->init : p->files[0];
    j->shape = whole ? before->given : p->in[0].given;
    if (!axes_check(p->command, &r->along, name, &j->shape)) return CLI_USAGE;
    if (!read_index(j, p->command, name, j->shape.rank)) return CLI_FAILED;
    if (!whole)
        j->shape.dimensions[axis_of(j, j->shape.rank)] =
            r->scatter ? (size_t)r->targets : indices_of(j, j->shape.rank);
    return CLI_DONE;
}

static void print_json(const production *p, const params *j) {
    produce_json_begin(p, j->r->along.to);
    json_integer("axis", j->r->along.axes[0]);
    json_text("index", j->r->index->name);
    if (j->r->init) json_text("init", j->r->init);
    json_bool("skip", j->r->range == WEFT_RANGE_SKIP);
    produce_json_end(p);
}

/* Computes the result at `values`, which are zeros. */
static int run(production *p, params *j, void *values) {
    const take_request *const r = j->r;
    const weft_dtype dtype = p->in[0].dtype;
    if (!axes_result_view(p, dtype, &j->shape, values, &j->y)) return CLI_FAILED;
    produce_start(p);
    weft_status status = r->init ? weft_copy_view(p->ctx, &j->before, &j->y) : WEFT_OK;
    if (status == WEFT_OK)
        status = (r->scatter ? weft_put_axis : weft_take_axis)(p->ctx, r->range, &j->x, r->along.axes[0], &j->index,
                                                               &j->y);
    return produce_done(p, status);
}

static int compute(production *p, params *j, npy_array *before) {
    size_t count;
    if (!axes_array(p, 0, &j->x) || !read_init(j, p, before)) return CLI_FAILED;
    int code = find_shape(j, p, before);
    if (code != CLI_DONE) return code;
    if (!npy_count(&j->shape, &count)) {
        cli_error(p->command, "a result of shape %s does not fit in memory", npy_text_of_shape(&j->shape).text);
        return CLI_FAILED;
    }
    const weft_dtype dtype = p->in[0].dtype;
    void *const values = produce_allocate(p, count, weft_dtype_size(dtype));
    if (!values) return CLI_FAILED;
    memset(values, 0, count * weft_dtype_size(dtype));
    code = run(p, j, values);
    if (code == CLI_DONE) code = produce_write(p, j->r->along.to, dtype, &j->shape, values);
    if (code == CLI_DONE && p->options->json) print_json(p, j);
    free(values);
    return code;
}

int take_axis(const cli_options *options, const take_request *r, int argc, char **argv) {
    production p = {0};
    params j = {.r = r};
    npy_array before = {0};
    int code = axes_begin(&p, options, argc, argv, 1, r->along.to);
    if (code == CLI_DONE) code = compute(&p, &j, &before);
    npy_free(&before);
    produce_end(&p);
    return code;
}
