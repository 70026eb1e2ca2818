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

view_dims view_dims_of(size_t count, const view_dimension *d) {
    view_dims v;
    memset(&v, 0, sizeof v);
    v.count = (uint32_t)count;
    v.narrow = view_count(count, d) <= UINT32_MAX;
    for (size_t k = 0; k < count; k++) v.n[k] = d[k].n, v.x[k] = d[k].x, v.y[k] = d[k].y;
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

weft_status views_in(view_memory *m, gpu *g, const char *name, const void *x, view_extent of_x, void *y,
                     size_t element, size_t count, view_dimension *out, size_t scratch_bytes, void **scratch,
                     weft_error *error) {
    const view_extent of_y = view_extent_of(false, element, count, out);
    bool y_on_host;
    memset(m, 0, sizeof *m);
    m->g = g;
    m->name = name;
    m->to = (char *)y;
    m->count = count;
    m->bytes = element;
    memcpy(m->d, out, count * sizeof *out);
    m->packed_bytes = view_count(count, out) * element;
    RETURN_IF_ERROR(gpu_locate(g, "y", y, &y_on_host, error));
    m->has_gaps = y_on_host && m->packed_bytes != of_y.bytes;
    if (m->has_gaps) view_pack(count, out, element);
    const size_t scratch_at = m->has_gaps ? (m->packed_bytes + 255) / 256 * 256 : 0;
    m->arrays[0] = gpu_array{"x", (const char *)x + of_x.low, of_x.bytes, ARRAY_IN, false, NULL};
    m->arrays[1] = gpu_array{"y", (char *)y + of_y.low, m->has_gaps ? 0 : of_y.bytes, ARRAY_OUT, false, NULL};
    if (m->has_gaps) RETURN_IF_ERROR(gpu_refuse_capture(g, name, error));
    RETURN_IF_ERROR(arrays_copy_in(g, name, m->arrays, 2, scratch_at + scratch_bytes, scratch, error));
    m->x = (char *)m->arrays[0].at - of_x.low;
    m->y = m->has_gaps ? (char *)*scratch : (char *)m->arrays[1].at - of_y.low;
    *scratch = (char *)*scratch + scratch_at;
    return WEFT_OK;
}

/* Copies the elements of an array without gaps to those of the output. */
static void scatter(const view_memory *m, const char *packed) {
    size_t index[WEFT_DIMENSIONS_MAX + 1] = {0};
    char *to = m->to;
    for (size_t i = 0; i < m->packed_bytes; i += m->bytes) {
        memcpy(to, packed + i, m->bytes);
        for (size_t k = m->count; k-- > 0;) {
            to += m->d[k].y;
            if (++index[k] < m->d[k].n) break;
            to -= (ptrdiff_t)m->d[k].n * m->d[k].y;
            index[k] = 0;
        }
    }
}

weft_status views_out(view_memory *m, weft_error *error) {
    if (!m->has_gaps) return arrays_copy_out(m->g, m->name, m->arrays, 2, error);
    char *const packed = (char *)malloc(m->packed_bytes);
    RETURN_IF(!packed, WEFT_OUT_OF_MEMORY, "%s: cannot allocate %zu bytes for a copy of the output", m->name,
              m->packed_bytes);
    cudaError_t fault = cudaMemcpyAsync(packed, m->y, m->packed_bytes, cudaMemcpyDeviceToHost, m->g->stream);
    if (fault == cudaSuccess) fault = cudaStreamSynchronize(m->g->stream);
    if (fault == cudaSuccess) scatter(m, packed);
    free(packed);
    CUDA_TRY(fault, m->name);
    return WEFT_OK;
}
