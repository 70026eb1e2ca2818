/* weft_quantile_axis on the GPU (ORDER.md 32.4): choice of a kernel, scratch memory, launches.
 *
 *   - Up to QUANTILE_SHORT elements: one kernel sorts all vectors and stores their quantiles (quantile_axis.cuh).
 *   - Longer vectors are sorted as by weft_sort_axis to scratch memory, as many at a time as fit. Another kernel
 * reads their quantiles.
 *
 * A launch computes at most QUANTILES_AT_ONCE quantiles, which are parameters of the kernel. */
#include "core/types.h"
#include "cuda/quantile_axis/quantile_axis.cuh"
#include "cuda/sort/device_sort.h"

#include <stdlib.h>
#include <string.h>

/* A call whose arrays are in device memory. */
typedef struct state {
    gpu *g;
    quantile_axis_call c;
    size_t size; /* bytes of an element */
    char *scratch;
} state;

/* Returns the parameters for quantiles `first` and the following ones. */
static quantile_results results_from(const quantile_axis_call *c, size_t first) {
    quantile_results r;
    memset(&r, 0, sizeof r);
    r.rule = (weft_quantile_rule)c->method;
    r.dtype = c->dtype;
    r.result = c->result;
    r.result_bytes = (uint32_t)cuda_type_bytes(c->result);
    r.count = (uint32_t)min_u64(c->count - first, QUANTILES_AT_ONCE);
    r.across = c->outer_count > 0 && llabs(c->outer[c->outer_count - 1].y) < llabs(c->inner.y);
    r.n = c->inner.n;
    r.y = (char *)c->y + (ptrdiff_t)first * c->inner.y;
    r.stride = c->inner.y;
    r.outer = view_dims_of(c->outer_count, c->outer);
    memcpy(r.q, c->q + first, r.count * sizeof *r.q);
    return r;
}

/* -------------------------------------------------------------------------------- short vectors */

/* Swaps the nearest outer dimension and the last one, if vectors are closer together in x than the elements of a
 * vector. Returns true if they are. */
static bool adjacent_vectors(quantile_axis_call *c) {
    const size_t near = view_nearest(c->outer_count, c->outer), last = c->outer_count - 1;
    if (near == c->outer_count || llabs(c->outer[near].x) >= llabs(c->inner.x)) return false;
    const view_dimension moved = c->outer[near];
    c->outer[near] = c->outer[last];
    c->outer[last] = moved;
    return true;
}

/* Returns true if each thread can load adjacent elements, aligned to 16 bytes. */
static bool is_direct(const quantile_axis_call *c, size_t size) {
    uintptr_t addresses = (uintptr_t)c->x;
    if (size < 4 || c->inner.x != (ptrdiff_t)size) return false;
    for (size_t k = 0; k < c->outer_count; k++) addresses |= (uintptr_t)c->outer[k].x;
    return addresses % 16 == 0 && c->inner.n >= SORT_EACH && (c->inner.n & (c->inner.n - 1)) == 0;
}

typedef void (*sort_kernel)(quantile_sort_params);

template <class Item> static sort_kernel kernel_for(bool direct) {
    return direct ? quantile_sort_kernel<Item, true> : quantile_sort_kernel<Item, false>;
}

static weft_status sort_short(const state *s, weft_error *error) {
    quantile_axis_call c = s->c;
    quantile_sort_params a;
    memset(&a, 0, sizeof a);
    a.keys.rule = sort_axis_rule_of(c.dtype, false);
    a.keys.across_x = c.inner.n > 1 && adjacent_vectors(&c);
    a.keys.x = (const char *)c.x;
    a.keys.n = (uint32_t)c.inner.n;
    a.keys.bytes = (uint32_t)s->size;
    a.keys.threads_log2 = log2_up((c.inner.n - 1) / SORT_EACH + 1);
    a.keys.x_stride = c.inner.x;
    a.keys.vectors = c.vectors;
    a.keys.tiles = (c.vectors - 1) / ((uint64_t)SORT_THREADS >> a.keys.threads_log2) + 1;
    a.keys.outer = view_dims_of(c.outer_count, c.outer);
    const bool direct = is_direct(&c, s->size);
    const sort_kernel kernel = s->size == 8 ? kernel_for<uint64_t>(direct) : kernel_for<uint32_t>(direct);
    for (size_t first = 0; first < c.count; first += QUANTILES_AT_ONCE) {
        a.results = results_from(&c, first);
        kernel<<<(unsigned)min_u64(a.keys.tiles, INT32_MAX), SORT_THREADS, 0, s->g->stream>>>(a);
    }
    CUDA_TRY(cudaGetLastError(), "quantile_axis");
    return WEFT_OK;
}

/* --------------------------------------------------------------------------------- long vectors */

/* Stores the quantiles of the vectors of c, which are sorted in the scratch memory. */
static weft_status take(const state *s, const quantile_axis_call *c, weft_error *error) {
    quantile_take_params a;
    memset(&a, 0, sizeof a);
    a.sorted = s->scratch;
    a.bytes = (uint32_t)s->size;
    a.vectors = c->vectors;
    for (size_t first = 0; first < c->count; first += QUANTILES_AT_ONCE) {
        a.results = results_from(c, first);
        const unsigned blocks = (unsigned)min_u64((c->vectors * a.results.count - 1) / SORT_THREADS + 1, INT32_MAX);
        if (s->size == 8)
            quantile_take_kernel<uint64_t><<<blocks, SORT_THREADS, 0, s->g->stream>>>(a);
        else
            quantile_take_kernel<uint32_t><<<blocks, SORT_THREADS, 0, s->g->stream>>>(a);
    }
    CUDA_TRY(cudaGetLastError(), "quantile_axis");
    return WEFT_OK;
}

/* Returns the call that sorts vectors to the scratch memory, without gaps. */
static sort_axis_call sort_of(const state *s, const quantile_axis_call *c) {
    const size_t count = c->outer_count;
    view_dimension d[WEFT_DIMENSIONS_MAX + 1];
    sort_axis_call sort;
    memset(&sort, 0, sizeof sort);
    memcpy(d, c->outer, count * sizeof *d);
    d[count] = c->inner;
    view_pack(count + 1, d, s->size);
    sort.order = WEFT_ASCENDING;
    sort.dtype = sort.result = c->dtype;
    sort.vectors = c->vectors;
    sort.outer_count = count;
    memcpy(sort.outer, d, count * sizeof *d);
    sort.inner = d[count];
    sort.x = c->x;
    sort.y = s->scratch;
    return sort;
}

/* Returns the boxes of vectors that are sorted together. */
static view_boxes boxes_of(const state *s) {
    const size_t most = QUANTILE_SORTED_BYTES / (s->c.inner.n * s->size);
    return view_boxes_of(s->c.outer_count, s->c.outer, max_u64(most, 1));
}

/* Returns the call for a box. */
static quantile_axis_call part_of(const quantile_axis_call *c, const view_boxes *boxes, uint64_t number) {
    quantile_axis_call part = *c;
    int64_t x, y;
    part.outer_count = view_box(boxes, number, part.outer, &x, &y);
    part.vectors = view_count(part.outer_count, part.outer);
    part.x = (const char *)c->x + x;
    part.y = (char *)c->y + y;
    return part;
}

/* Sets *sorted to the bytes of the sorted vectors, and *sort to the scratch memory of the sort, of the largest box.
 */
static weft_status bytes_of(const state *s, size_t *sorted, size_t *sort, weft_error *error) {
    const view_boxes boxes = boxes_of(s);
    const quantile_axis_call part = part_of(&s->c, &boxes, 0);
    const sort_axis_call call = sort_of(s, &part);
    *sorted = (part.vectors * part.inner.n * s->size + 255) / 256 * 256;
    return gpu_sort_vectors_bytes(s->g, &call, sort, error);
}

static weft_status sort_long(const state *s, weft_error *error) {
    const view_boxes boxes = boxes_of(s);
    size_t sorted, sort;
    RETURN_IF_ERROR(bytes_of(s, &sorted, &sort, error));
    for (uint64_t number = 0; number < view_boxes_number(&boxes); number++) {
        const quantile_axis_call part = part_of(&s->c, &boxes, number);
        const sort_axis_call call = sort_of(s, &part);
        RETURN_IF_ERROR(gpu_sort_vectors(s->g, &call, s->scratch + sorted, error));
        RETURN_IF_ERROR(take(s, &part, error));
    }
    return WEFT_OK;
}

/* ----------------------------------------------------------------------------------------- call */

weft_status cuda_quantile_axis(void *context, const quantile_axis_call *c, weft_error *error) {
    gpu *const g = (gpu *)context;
    const current_device scope(g->device);
    const size_t count = c->outer_count;
    const bool is_short = c->inner.n <= QUANTILE_SHORT;
    view_dimension from[WEFT_DIMENSIONS_MAX + 1], to[WEFT_DIMENSIONS_MAX + 1];
    view_memory m;
    state s;
    size_t sorted = 0, sort = 0;
    void *scratch;
    memset(&s, 0, sizeof s);
    memset(&m, 0, sizeof m);
    s.g = g;
    s.c = *c;
    s.size = cuda_type_bytes(c->dtype);
    memcpy(from, c->outer, count * sizeof *from);
    memcpy(to, c->outer, count * sizeof *to);
    from[count] = c->inner;
    to[count] = view_dimension{c->count, 0, c->inner.y};
    const view_extent of_x = view_extent_of(true, s.size, count + 1, from);
    view_output *const out = &m.outputs[m.output_count++];
    out->name = "y";
    out->to = c->y;
    out->bytes = cuda_type_bytes(c->result);
    out->count = count + 1;
    out->d = to;
    if (!is_short) RETURN_IF_ERROR(bytes_of(&s, &sorted, &sort, error));
    RETURN_IF_ERROR(views_locate(&m, g, "quantile_axis", c->x, of_x, sorted + sort, &scratch, error));
    for (size_t k = 0; k < count; k++) s.c.outer[k].y = to[k].y;
    s.c.inner.y = to[count].y;
    s.c.x = m.x;
    s.c.y = m.outputs[0].y;
    s.scratch = (char *)scratch;
    RETURN_IF_ERROR(is_short ? sort_short(&s, error) : sort_long(&s, error));
    return views_out(&m, error);
}
