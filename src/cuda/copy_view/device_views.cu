/* Dimensions, boxes and host memory of views. */
#include "cuda/copy_view/device_views.h"

#include "core/types.h"

#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------------------- dimensions */

uint64_t view_count(size_t count, const view_dimension *d) {
    uint64_t n = 1;
    for (size_t k = 0; k < count; k++) n *= d[k].n;
    return n;
}

view_length view_length_of(uint64_t n) {
    const uint32_t log2 = log2_up(n);
    return view_length{(uint32_t)n, (uint32_t)((((uint64_t)1 << (31 + log2)) + n - 1) / n), log2 - 1};
}

view_dims view_dims_of(size_t count, const view_dimension *d) {
    view_dims v;
    memset(&v, 0, sizeof v);
    v.narrow = view_count(count, d) <= INT32_MAX;
    for (size_t k = 0; k < count; k++) {
        const uint32_t to = v.count;
        if (d[k].n <= 1) continue;
        if (v.narrow && to > 0) v.lengths[to] = view_length_of(d[k].n);
        v.n[to] = d[k].n, v.x[to] = d[k].x, v.y[to] = d[k].y;
        v.count++;
    }
    return v;
}

size_t view_nearest(size_t count, const view_dimension *d) {
    size_t nearest = count;
    for (size_t k = 0; k < count; k++)
        if (d[k].x != 0 && (nearest == count || llabs(d[k].x) <= llabs(d[nearest].x))) nearest = k;
    return nearest;
}

void view_offset_of(size_t count, const view_dimension *d, uint64_t i, int64_t *x, int64_t *y) {
    *x = *y = 0;
    for (size_t k = count; k-- > 0; i /= d[k].n) {
        *x += (int64_t)(i % d[k].n) * d[k].x;
        *y += (int64_t)(i % d[k].n) * d[k].y;
    }
}

void view_pack(size_t count, view_dimension *d, size_t bytes) {
    ptrdiff_t stride = (ptrdiff_t)bytes;
    while (count-- > 0) {
        d[count].y = stride;
        stride *= (ptrdiff_t)d[count].n;
    }
}

/* ---------------------------------------------------------------------------------------- boxes */

view_boxes view_boxes_of(size_t count, const view_dimension *d, uint64_t capacity) {
    view_boxes b = {count, 0, 1, 1, d};
    uint64_t inner = 1; /* elements of the dimensions after `split` */
    if (count == 0) return b;
    for (b.split = count - 1; b.split > 0 && inner * d[b.split].n <= capacity; b.split--) inner *= d[b.split].n;
    b.most = min_u64(max_u64(capacity / inner, 1), d[b.split].n);
    b.outer = view_count(b.split, d);
    return b;
}

static uint64_t parts(const view_boxes *b) { return b->count ? (b->d[b->split].n - 1) / b->most + 1 : 1; }

uint64_t view_boxes_number(const view_boxes *b) { return b->outer * parts(b); }

size_t view_box(const view_boxes *b, uint64_t number, view_dimension *d, int64_t *x, int64_t *y) {
    const uint64_t part = number % parts(b), first = part * b->most;
    view_offset_of(b->split, b->d, number / parts(b), x, y);
    if (b->count == 0) return 0;
    *x += (int64_t)first * b->d[b->split].x;
    *y += (int64_t)first * b->d[b->split].y;
    memcpy(d, b->d + b->split, (b->count - b->split) * sizeof *d);
    d[0].n = min_u64(b->most, b->d[b->split].n - first);
    return b->count - b->split;
}

/* ---------------------------------------------------------------------------------- host memory */

view_extent view_extent_of(bool of_x, size_t element, size_t count, const view_dimension *d) {
    view_extent e = {0, element};
    for (size_t k = 0; k < count; k++) {
        const ptrdiff_t reach = (ptrdiff_t)(d[k].n - 1) * (of_x ? d[k].x : d[k].y);
        if (reach < 0) e.low += reach;
        e.bytes += (size_t)(reach < 0 ? -reach : reach);
    }
    return e;
}

/* Finds out whether an output is computed without gaps. Adds the scratch memory that this takes to *scratch. */
static weft_status plan_output(const gpu *g, view_output *o, size_t *scratch, weft_error *error) {
    bool on_host;
    memcpy(o->given, o->d, o->count * sizeof *o->d);
    o->packed_bytes = view_count(o->count, o->d) * o->bytes;
    RETURN_IF_ERROR(gpu_locate(g, o->name, o->to, &on_host, error));
    o->has_gaps = on_host && o->packed_bytes != view_extent_of(false, o->bytes, o->count, o->d).bytes;
    if (!o->has_gaps) return WEFT_OK;
    view_pack(o->count, o->d, o->bytes);
    o->scratch_at = *scratch;
    *scratch += (o->packed_bytes + 255) / 256 * 256;
    return WEFT_OK;
}

/* Copies the elements of an array without gaps to those of the output in host memory, or `back`. */
static void move_packed(const view_output *o, char *packed, bool back) {
    size_t index[WEFT_DIMENSIONS_MAX + 1] = {0};
    char *to = (char *)o->to;
    for (size_t i = 0; i < o->packed_bytes; i += o->bytes) {
        memcpy(back ? packed + i : to, back ? to : packed + i, o->bytes);
        for (size_t k = o->count; k-- > 0;) {
            to += o->given[k].y;
            if (++index[k] < o->given[k].n) break;
            to -= (ptrdiff_t)o->given[k].n * o->given[k].y;
            index[k] = 0;
        }
    }
}

/* Copies an output with gaps to host memory, or, `back`, its values from there. */
static weft_status move_output(const view_memory *m, const view_output *o, bool back, weft_error *error) {
    char *const packed = (char *)malloc(o->packed_bytes);
    RETURN_IF(!packed, WEFT_OUT_OF_MEMORY, "%s: cannot allocate %zu bytes for a copy of the output", m->name,
              o->packed_bytes);
    if (back) move_packed(o, packed, true);
    cudaError_t fault = cudaMemcpyAsync(back ? o->y : packed, back ? packed : o->y, o->packed_bytes,
                                        back ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, m->g->stream);
    if (fault == cudaSuccess) fault = cudaStreamSynchronize(m->g->stream);
    if (fault == cudaSuccess && !back) move_packed(o, packed, false);
    free(packed);
    CUDA_TRY(fault, m->name);
    return WEFT_OK;
}

weft_status views_locate_all(view_memory *m, gpu *g, const char *name, size_t scratch_bytes, void **scratch,
                             weft_error *error) {
    gpu_array *const of_outputs = m->arrays + m->input_count;
    size_t packed = 0;
    m->g = g;
    m->name = name;
    for (size_t k = 0; k < m->input_count; k++) {
        const view_input *const i = &m->inputs[k];
        m->arrays[k] = gpu_array{i->name, (const char *)i->p + i->extent.low, i->extent.bytes, ARRAY_IN, false, NULL};
    }
    for (size_t k = 0; k < m->output_count; k++) {
        view_output *const o = &m->outputs[k];
        RETURN_IF_ERROR(plan_output(g, o, &packed, error));
        const view_extent of_y = view_extent_of(false, o->bytes, o->count, o->given);
        const size_t bytes = o->has_gaps ? 0 : of_y.bytes;
        const array_use use = o->kept ? ARRAY_BOTH : ARRAY_OUT;
        of_outputs[k] = gpu_array{o->name, (char *)o->to + of_y.low, bytes, use, false, NULL};
    }
    if (packed > 0) RETURN_IF_ERROR(gpu_refuse_capture(g, name, error));
    const int arrays = (int)(m->input_count + m->output_count);
    RETURN_IF_ERROR(arrays_copy_in(g, name, m->arrays, arrays, packed + scratch_bytes, scratch, error));
    for (size_t k = 0; k < m->input_count; k++) m->inputs[k].x = (char *)m->arrays[k].at - m->inputs[k].extent.low;
    for (size_t k = 0; k < m->output_count; k++) {
        view_output *const o = &m->outputs[k];
        const view_extent of_y = view_extent_of(false, o->bytes, o->count, o->given);
        o->y = o->has_gaps ? (char *)*scratch + o->scratch_at : (char *)of_outputs[k].at - of_y.low;
        if (o->has_gaps && o->kept) RETURN_IF_ERROR(move_output(m, o, true, error));
    }
    m->x = m->inputs[0].x;
    m->y = m->outputs[0].y;
    *scratch = (char *)*scratch + packed;
    return WEFT_OK;
}

weft_status views_locate(view_memory *m, gpu *g, const char *name, const void *x, view_extent of_x,
                         size_t scratch_bytes, void **scratch, weft_error *error) {
    m->input_count = 1;
    m->inputs[0] = view_input{"x", x, of_x, NULL};
    return views_locate_all(m, g, name, scratch_bytes, scratch, error);
}

weft_status views_in(view_memory *m, gpu *g, const char *name, const void *x, view_extent of_x, void *y,
                     size_t element, size_t count, view_dimension *out, size_t scratch_bytes, void **scratch,
                     weft_error *error) {
    memset(m, 0, sizeof *m);
    m->output_count = 1;
    m->outputs[0].name = "y";
    m->outputs[0].to = y;
    m->outputs[0].bytes = element;
    m->outputs[0].count = count;
    m->outputs[0].d = out;
    return views_locate(m, g, name, x, of_x, scratch_bytes, scratch, error);
}

weft_status views_out(view_memory *m, weft_error *error) {
    for (size_t k = 0; k < m->output_count; k++)
        if (m->outputs[k].has_gaps) RETURN_IF_ERROR(move_output(m, &m->outputs[k], false, error));
    return arrays_copy_out(m->g, m->name, m->arrays, (int)(m->input_count + m->output_count), error);
}
