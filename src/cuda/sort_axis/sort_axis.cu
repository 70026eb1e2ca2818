/* weft_sort_axis and weft_argsort_axis on the GPU (ORDER.md 32): choice of a kernel, scratch memory, launches. Short
 * vectors are sorted by one kernel. Longer ones are sorted one after the other, as weft_sort and weft_argsort do. */
#include "core/types.h"
#include "cuda/sort/device_sort.h"
#include "cuda/sort_axis/sort_axis.cuh"

#include <stdlib.h>
#include <string.h>

/* A call whose arrays are in device memory. */
typedef struct state {
    gpu *g;
    sort_axis_call c;
    size_t size, result; /* bytes of a key and of a result */
    char *from, *to;     /* scratch memory for a long vector and its results */
    void *scratch;       /* of a sort */
} state;

/* -------------------------------------------------------------------------------- short vectors */

typedef void (*sort_kernel)(sort_axis_params);

static sort_kernel kernel_of(const state *s) {
    if (!s->c.indices) return s->size == 8 ? sort_axis_kernel<uint64_t, false> : sort_axis_kernel<uint32_t, false>;
    return s->size == 8   ? sort_axis_kernel<sort_pair, true>
           : s->size == 4 ? sort_axis_kernel<uint64_t, true>
                          : sort_axis_kernel<uint32_t, true>;
}

/* Copies the outer dimensions. If the vectors are not contiguous in x, the last one becomes that of vectors that are
 * adjacent in x; they are sorted by distances in y otherwise. Returns true if it is closer than the elements of a
 * vector. */
static bool adjacent_vectors(const sort_axis_call *c, size_t size, view_dimension *outer) {
    const size_t near = view_nearest(c->outer_count, c->outer), count = c->outer_count;
    memcpy(outer, c->outer, count * sizeof *outer);
    if (near == count || c->inner.x == (ptrdiff_t)size || llabs(c->outer[near].x) >= llabs(c->inner.x)) return false;
    memmove(outer + near, outer + near + 1, (count - 1 - near) * sizeof *outer);
    outer[count - 1] = c->outer[near];
    return true;
}

static weft_status sort_short(const state *s, weft_error *error) {
    const sort_axis_call *c = &s->c;
    view_dimension outer[WEFT_DIMENSIONS_MAX];
    sort_axis_params a;
    memset(&a, 0, sizeof a);
    a.has_nans = type_is_float(c->dtype);
    a.rule =
        weft_sort_rule_of(8 * (unsigned)s->size, a.has_nans, type_is_signed(c->dtype), c->order == WEFT_DESCENDING);
    a.x = (const char *)c->x;
    a.y = (char *)c->y;
    a.n = (uint32_t)c->inner.n;
    a.bytes = (uint32_t)s->size;
    a.result_bytes = (uint32_t)s->result;
    a.threads_log2 = log2_up((c->inner.n - 1) / SORT_EACH + 1);
    a.x_stride = c->inner.x;
    a.y_stride = c->inner.y;
    a.vectors = c->vectors;
    a.tiles = (c->vectors - 1) / ((uint64_t)SORT_THREADS >> a.threads_log2) + 1;
    a.across_x = c->inner.n > 1 && adjacent_vectors(c, s->size, outer);
    if (!a.across_x) memcpy(outer, c->outer, c->outer_count * sizeof *outer);
    a.across_y = c->inner.n > 1 && c->outer_count > 0 && outer[c->outer_count - 1].y < llabs(c->inner.y);
    a.outer = view_dims_of(c->outer_count, outer);
    const sort_kernel kernel = kernel_of(s);
    kernel<<<(unsigned)min_u64(a.tiles, INT32_MAX), SORT_THREADS, 0, s->g->stream>>>(a);
    CUDA_TRY(cudaGetLastError(), "sort_axis");
    return WEFT_OK;
}

/* --------------------------------------------------------------------------------- long vectors */

static weft_status move_vector(const state *s, size_t element, view_dimension d, const void *x, void *y,
                               weft_error *error) {
    copy_view_call copy;
    memset(&copy, 0, sizeof copy);
    copy.element = element;
    copy.count = 1;
    copy.dimensions[0] = d;
    copy.x = x;
    copy.y = y;
    return gpu_copy_view(s->g, &copy, error);
}

/* Sorts a vector in contiguous memory. If s->scratch is NULL, only sets *bytes to the scratch memory that it takes.
 */
static weft_status sort_contiguous(const state *s, const void *x, void *y, size_t *bytes, weft_error *error) {
    sort_call keys;
    argsort_call indices;
    memset(&keys, 0, sizeof keys);
    memset(&indices, 0, sizeof indices);
    keys.dtype = indices.dtype = s->c.dtype;
    keys.order = indices.order = s->c.order;
    keys.n = indices.n = s->c.inner.n;
    keys.bits = 8 * (unsigned)s->size;
    keys.keys = indices.keys = x;
    keys.sorted_keys = indices.indices = y;
    indices.index = s->c.result;
    return s->c.indices ? gpu_argsort_array(s->g, &indices, s->scratch, bytes, error)
                        : gpu_sort_array(s->g, &keys, s->scratch, bytes, error);
}

static weft_status sort_long(const state *s, weft_error *error) {
    const sort_axis_call *c = &s->c;
    const view_dimension inner = c->inner;
    const ptrdiff_t size = (ptrdiff_t)s->size, result = (ptrdiff_t)s->result;
    size_t bytes;
    for (size_t v = 0; v < c->vectors; v++) {
        int64_t at_x, at_y;
        view_offset_of(c->outer_count, c->outer, v, &at_x, &at_y);
        const char *x = (const char *)c->x + at_x;
        char *const y = (char *)c->y + at_y;
        if (inner.x != size || c->x == c->y) {
            RETURN_IF_ERROR(move_vector(s, s->size, view_dimension{inner.n, inner.x, size}, x, s->from, error));
            x = s->from;
        }
        RETURN_IF_ERROR(sort_contiguous(s, x, inner.y == result ? y : s->to, &bytes, error));
        if (inner.y != result)
            RETURN_IF_ERROR(move_vector(s, s->result, view_dimension{inner.n, result, inner.y}, s->to, y, error));
    }
    return WEFT_OK;
}

/* ----------------------------------------------------------------------------------------- call */

/* Offsets in the scratch memory of long vectors, and its size. */
typedef struct layout {
    size_t to, sort, bytes;
} layout;

static size_t whole(size_t bytes) { return (bytes + 255) / 256 * 256; }

static weft_status layout_of(const state *s, layout *l, weft_error *error) {
    const sort_axis_call *c = &s->c;
    size_t sort_bytes;
    memset(l, 0, sizeof *l);
    if (c->inner.n <= SORT_TILE) return WEFT_OK;
    /* The addresses of the arrays are not used, only that they differ. */
    RETURN_IF_ERROR(sort_contiguous(s, &sort_bytes, l, &sort_bytes, error));
    l->to = c->inner.x != (ptrdiff_t)s->size || c->x == c->y ? whole(c->inner.n * s->size) : 0;
    l->sort = l->to + (c->inner.y != (ptrdiff_t)s->result ? whole(c->inner.n * s->result) : 0);
    l->bytes = l->sort + sort_bytes;
    return WEFT_OK;
}

weft_status cuda_sort_axis(void *context, const sort_axis_call *c, weft_error *error) {
    gpu *const g = (gpu *)context;
    const current_device scope(g->device);
    view_dimension all[WEFT_DIMENSIONS_MAX + 1];
    view_memory m;
    state s;
    layout l;
    void *scratch;
    memset(&s, 0, sizeof s);
    s.g = g;
    s.c = *c;
    s.size = cuda_type_bytes(c->dtype);
    s.result = cuda_type_bytes(c->result);
    memcpy(all, c->outer, c->outer_count * sizeof *all);
    all[c->outer_count] = c->inner;
    const view_extent of_x = view_extent_of(true, s.size, c->outer_count + 1, all);
    RETURN_IF_ERROR(layout_of(&s, &l, error));
    RETURN_IF_ERROR(views_in(&m, g, c->indices ? "argsort_axis" : "sort_axis", c->x, of_x, c->y, s.result,
                             c->outer_count + 1, all, l.bytes, &scratch, error));
    memcpy(s.c.outer, all, c->outer_count * sizeof *all);
    s.c.inner = all[c->outer_count];
    s.c.x = m.x;
    s.c.y = m.y;
    s.from = (char *)scratch;
    s.to = s.from + l.to;
    s.scratch = s.from + l.sort;
    RETURN_IF_ERROR(c->inner.n <= SORT_TILE ? sort_short(&s, error) : sort_long(&s, error));
    return views_out(&m, error);
}
