/* weft_top_k_axis on the GPU (ORDER.md 32): choice of a kernel, scratch memory, launches.
 *
 *   - One kernel selects from all vectors (top_k_axis.cuh), if k is at most SORT_TILE.
 *   - For a larger k: the indices of all elements are sorted as by weft_argsort_axis, for as many vectors at a time
 *     as fit in the scratch memory.
 *   - Few long vectors: selected from as by weft_top_k, one after the other. */
#include "core/types.h"
#include "cuda/sort/device_sort.h"
#include "cuda/top_k/device_top_k.h"
#include "cuda/top_k_axis/top_k_axis.cuh"

#include <stdlib.h>
#include <string.h>

/* A call whose arrays are in device memory. */
typedef struct state {
    gpu *g;
    top_k_axis_call c;
    size_t size; /* bytes of an element */
    char *scratch;
} state;

static size_t whole(size_t bytes) { return (bytes + 255) / 256 * 256; }

static top_k_target target_of(const top_k_axis_call *c, const top_k_output *o, weft_dtype dtype) {
    top_k_target t;
    memset(&t, 0, sizeof t);
    t.y = (char *)o->y;
    t.bytes = (uint32_t)cuda_type_bytes(dtype);
    t.stride = o->stride;
    t.outer = view_dims_of(c->outer_count, o->outer);
    return t;
}

/* ---------------------------------------------------------------------------------- one kernel */

/* Returns true if one kernel selects from all vectors. */
static bool in_one_kernel(const top_k_axis_call *c) {
    return c->k <= SORT_TILE && c->n < (size_t)1 << 31 && c->n / c->vectors < TOP_K_ONE_BY_ONE;
}

static top_k_way way_of(const top_k_axis_call *c) {
    if (c->k <= TOP_K_FIRST && (c->n > SORT_TILE || c->k <= c->n / 4)) return TOP_K_TAKE;
    return c->n <= SORT_TILE ? TOP_K_SORT : TOP_K_RADIX;
}

typedef void (*top_k_kernel)(top_k_axis_params);

template <class Item> static top_k_kernel kernel_for(top_k_way way) {
    return way == TOP_K_TAKE   ? top_k_axis_kernel<Item, TOP_K_TAKE>
           : way == TOP_K_SORT ? top_k_axis_kernel<Item, TOP_K_SORT>
                               : top_k_axis_kernel<Item, TOP_K_RADIX>;
}

/* Swaps the nearest outer dimension and the last one, in all arrays, if vectors are closer together than the elements
 * of a vector. Returns true if they are. */
static bool adjacent_vectors(top_k_axis_call *c) {
    const size_t near = view_nearest(c->outer_count, c->values.outer), last = c->outer_count - 1;
    if (near == c->outer_count || llabs(c->values.outer[near].x) >= llabs(c->x_stride)) return false;
    for (top_k_output *o : {&c->values, &c->indices}) {
        const view_dimension moved = o->outer[near];
        o->outer[near] = o->outer[last];
        o->outer[last] = moved;
    }
    return true;
}

static weft_status select_all(const state *s, weft_error *error) {
    top_k_axis_call c = s->c;
    top_k_axis_params a;
    memset(&a, 0, sizeof a);
    a.keys.rule = sort_axis_rule_of(c.dtype, c.extreme == WEFT_LARGEST);
    a.keys.across_x = c.n > 1 && c.n <= SORT_TILE && adjacent_vectors(&c);
    a.keys.x = (const char *)c.x;
    a.keys.n = (uint32_t)c.n;
    a.keys.bytes = (uint32_t)s->size;
    a.keys.threads_log2 = c.n > SORT_TILE ? SORT_THREADS_LOG2 : log2_up((c.n - 1) / SORT_EACH + 1);
    a.keys.x_stride = c.x_stride;
    a.keys.vectors = c.vectors;
    a.keys.tiles = (c.vectors - 1) / ((uint64_t)SORT_THREADS >> a.keys.threads_log2) + 1;
    a.keys.outer = view_dims_of(c.outer_count, c.values.outer);
    a.k = (uint32_t)c.k;
    a.values = target_of(&c, &c.values, c.dtype);
    a.indices = target_of(&c, &c.indices, c.index);
    a.across = c.outer_count > 0 && llabs(c.values.outer[c.outer_count - 1].y) < llabs(c.values.stride);
    const top_k_kernel kernel = s->size == 8 ? kernel_for<sort_pair>(way_of(&c)) : kernel_for<uint64_t>(way_of(&c));
    kernel<<<(unsigned)min_u64(a.keys.tiles, INT32_MAX), SORT_THREADS, 0, s->g->stream>>>(a);
    CUDA_TRY(cudaGetLastError(), "top_k_axis");
    return WEFT_OK;
}

/* ------------------------------------------------------------------------------ lists of indices */

/* Stores the elements that are named by the first k indices of the list of each vector of c. */
static weft_status take(const state *s, const top_k_axis_call *c, weft_dtype listed, size_t length, const char *list,
                        weft_error *error) {
    top_k_take_params a;
    memset(&a, 0, sizeof a);
    a.x = (const char *)c->x;
    a.list = list;
    a.x_stride = c->x_stride;
    a.bytes = (uint32_t)s->size;
    a.list_bytes = (uint32_t)cuda_type_bytes(listed);
    a.k = c->k;
    a.vectors = c->vectors;
    a.list_length = length;
    a.values = target_of(c, &c->values, c->dtype);
    a.indices = target_of(c, &c->indices, c->index);
    const uint64_t blocks = (c->vectors * c->k - 1) / SORT_THREADS + 1;
    top_k_take_kernel<<<(unsigned)min_u64(blocks, INT32_MAX), SORT_THREADS, 0, s->g->stream>>>(a);
    CUDA_TRY(cudaGetLastError(), "top_k_axis");
    return WEFT_OK;
}

/* Returns the call with its arrays at the given distances. */
static top_k_axis_call moved(const top_k_axis_call *c, int64_t x, int64_t values, int64_t indices) {
    top_k_axis_call part = *c;
    part.x = (const char *)c->x + x;
    part.values.y = (char *)c->values.y + values;
    if (c->indices.y) part.indices.y = (char *)c->indices.y + indices;
    return part;
}

/* ----------------------------------------------------------------------------------- sorted indices */

/* Returns the number of vectors that are sorted at a time. */
static uint64_t sorted_vectors(const top_k_axis_call *c) {
    return min_u64(max_u64(TOP_K_ORDER_BYTES / (sizeof(uint32_t) * c->n), 1), c->vectors);
}

/* Returns the call that sorts the indices of vectors to `y`, an array without gaps. */
static sort_axis_call order_of(const top_k_axis_call *c, void *y) {
    const size_t count = c->outer_count;
    view_dimension d[WEFT_DIMENSIONS_MAX + 1];
    sort_axis_call sort;
    memset(&sort, 0, sizeof sort);
    memcpy(d, c->values.outer, count * sizeof *d);
    d[count] = view_dimension{c->n, c->x_stride, 0};
    view_pack(count + 1, d, sizeof(uint32_t));
    sort.indices = true;
    sort.order = c->extreme == WEFT_LARGEST ? WEFT_DESCENDING : WEFT_ASCENDING;
    sort.dtype = c->dtype;
    sort.result = WEFT_U32;
    sort.vectors = c->vectors;
    sort.outer_count = count;
    memcpy(sort.outer, d, count * sizeof *d);
    sort.inner = d[count];
    sort.x = c->x;
    sort.y = y;
    return sort;
}

/* The boxes of vectors that are sorted together. */
static view_boxes boxes_of(const top_k_axis_call *c) {
    return view_boxes_of(c->outer_count, c->values.outer, sorted_vectors(c));
}

/* Sets *lists to the bytes of the indices, and *sort to the scratch memory of the sort, of the largest box. */
static weft_status order_bytes(const state *s, size_t *lists, size_t *sort, weft_error *error) {
    const view_boxes boxes = boxes_of(&s->c);
    top_k_axis_call part = s->c;
    int64_t x, y;
    part.outer_count = view_box(&boxes, 0, part.values.outer, &x, &y);
    part.vectors = view_count(part.outer_count, part.values.outer);
    const sort_axis_call order = order_of(&part, NULL);
    *lists = whole(order.vectors * s->c.n * sizeof(uint32_t));
    return gpu_sort_vectors_bytes(s->g, &order, sort, error);
}

static weft_status select_sorting(const state *s, weft_error *error) {
    const top_k_axis_call *c = &s->c;
    const view_boxes boxes = boxes_of(c);
    view_boxes of_indices = boxes;
    size_t lists, bytes;
    of_indices.d = c->indices.outer;
    RETURN_IF_ERROR(order_bytes(s, &lists, &bytes, error));
    for (uint64_t number = 0; number < view_boxes_number(&boxes); number++) {
        view_dimension values[WEFT_DIMENSIONS_MAX], indices[WEFT_DIMENSIONS_MAX];
        int64_t x, to_values, to_indices;
        const size_t count = view_box(&boxes, number, values, &x, &to_values);
        view_box(&of_indices, number, indices, &x, &to_indices);
        top_k_axis_call part = moved(c, x, to_values, to_indices);
        memcpy(part.values.outer, values, count * sizeof *values);
        memcpy(part.indices.outer, indices, count * sizeof *indices);
        part.outer_count = count;
        part.vectors = view_count(count, values);
        const sort_axis_call order = order_of(&part, s->scratch);
        RETURN_IF_ERROR(gpu_sort_vectors(s->g, &order, s->scratch + lists, error));
        RETURN_IF_ERROR(take(s, &part, WEFT_U32, c->n, s->scratch, error));
    }
    return WEFT_OK;
}

/* ------------------------------------------------------------------------------- few long vectors */

/* Offsets in the scratch memory: a vector that is copied, its values, its indices, and what weft_top_k takes. */
typedef struct layout {
    size_t values, indices, select, bytes;
} layout;

static top_k_call vector_call(const state *s, const layout *l, const void *x) {
    top_k_call one;
    memset(&one, 0, sizeof one);
    one.dtype = s->c.dtype;
    one.extreme = s->c.extreme;
    one.n = s->c.n;
    one.x = x;
    one.k = s->c.k;
    one.values = s->scratch + l->values;
    one.indices = (uint64_t *)(s->scratch + l->indices);
    return one;
}

static weft_status layout_of(const state *s, layout *l, size_t *select_bytes, weft_error *error) {
    memset(l, 0, sizeof *l);
    l->values = s->c.x_stride == (ptrdiff_t)s->size ? 0 : whole(s->c.n * s->size);
    l->indices = l->values + whole(s->c.k * s->size);
    l->select = l->indices + whole(s->c.k * sizeof(uint64_t));
    const top_k_call one = vector_call(s, l, s->c.x);
    RETURN_IF_ERROR(gpu_top_k_array(s->g, &one, NULL, select_bytes, error));
    l->bytes = l->select + *select_bytes;
    return WEFT_OK;
}

static weft_status copy_vector(const state *s, const void *x, weft_error *error) {
    copy_view_call copy;
    memset(&copy, 0, sizeof copy);
    copy.element = s->size;
    copy.count = 1;
    copy.dimensions[0] = view_dimension{s->c.n, s->c.x_stride, (ptrdiff_t)s->size};
    copy.x = x;
    copy.y = s->scratch;
    return gpu_copy_view(s->g, &copy, error);
}

static weft_status select_one_by_one(const state *s, weft_error *error) {
    const top_k_axis_call *c = &s->c;
    layout l;
    size_t bytes;
    RETURN_IF_ERROR(layout_of(s, &l, &bytes, error));
    for (uint64_t v = 0; v < c->vectors; v++) {
        int64_t x, values, indices;
        view_offset_of(c->outer_count, c->indices.outer, v, &x, &indices);
        view_offset_of(c->outer_count, c->values.outer, v, &x, &values);
        top_k_axis_call part = moved(c, x, values, indices);
        part.outer_count = 0;
        part.vectors = 1;
        const void *vector = part.x;
        if (l.values > 0) {
            RETURN_IF_ERROR(copy_vector(s, vector, error));
            vector = s->scratch;
        }
        const top_k_call one = vector_call(s, &l, vector);
        RETURN_IF_ERROR(gpu_top_k_array(s->g, &one, s->scratch + l.select, &bytes, error));
        RETURN_IF_ERROR(take(s, &part, WEFT_U64, c->k, s->scratch + l.indices, error));
    }
    return WEFT_OK;
}

/* ----------------------------------------------------------------------------------------- call */

/* Returns true if the indices of all elements are sorted, which indices of 32 bits must be enough for. */
static bool sorts_indices(const top_k_axis_call *c) {
    return !in_one_kernel(c) && c->n <= SORT_MERGED && c->vectors > 1 && c->n / c->vectors < TOP_K_ONE_BY_ONE;
}

static weft_status scratch_bytes(const state *s, size_t *bytes, weft_error *error) {
    size_t lists, more;
    layout l;
    *bytes = 0;
    if (in_one_kernel(&s->c)) return WEFT_OK;
    if (sorts_indices(&s->c)) {
        RETURN_IF_ERROR(order_bytes(s, &lists, &more, error));
        *bytes = lists + more;
        return WEFT_OK;
    }
    RETURN_IF_ERROR(layout_of(s, &l, &more, error));
    *bytes = l.bytes;
    return WEFT_OK;
}

/* Makes `o` an output of the call. `d` receives its dimensions. */
static void add_output(view_memory *m, const char *name, const top_k_axis_call *c, const top_k_output *o,
                       weft_dtype dtype, view_dimension *d) {
    view_output *const out = &m->outputs[m->output_count++];
    memcpy(d, o->outer, c->outer_count * sizeof *d);
    d[c->outer_count] = view_dimension{c->k, 0, o->stride};
    out->name = name;
    out->to = o->y;
    out->bytes = cuda_type_bytes(dtype);
    out->count = c->outer_count + 1;
    out->d = d;
}

/* Sets an output to its elements in device memory. */
static void set_output(top_k_output *o, const view_output *from) {
    const size_t count = from->count - 1;
    for (size_t k = 0; k < count; k++) o->outer[k].y = from->d[k].y;
    o->stride = from->d[count].y;
    o->y = from->y;
}

weft_status cuda_top_k_axis(void *context, const top_k_axis_call *c, weft_error *error) {
    gpu *const g = (gpu *)context;
    const current_device scope(g->device);
    view_dimension from[WEFT_DIMENSIONS_MAX + 1], values[WEFT_DIMENSIONS_MAX + 1], indices[WEFT_DIMENSIONS_MAX + 1];
    view_memory m;
    state s;
    size_t bytes;
    void *scratch;
    memset(&s, 0, sizeof s);
    memset(&m, 0, sizeof m);
    s.g = g;
    s.c = *c;
    s.size = cuda_type_bytes(c->dtype);
    memcpy(from, c->values.outer, c->outer_count * sizeof *from);
    from[c->outer_count] = view_dimension{c->n, c->x_stride, 0};
    const view_extent of_x = view_extent_of(true, s.size, c->outer_count + 1, from);
    add_output(&m, "values", c, &c->values, c->dtype, values);
    if (c->indices.y) add_output(&m, "indices", c, &c->indices, c->index, indices);
    RETURN_IF_ERROR(scratch_bytes(&s, &bytes, error));
    RETURN_IF_ERROR(views_locate(&m, g, "top_k_axis", c->x, of_x, bytes, &scratch, error));
    s.c.x = m.x;
    set_output(&s.c.values, &m.outputs[0]);
    if (c->indices.y) set_output(&s.c.indices, &m.outputs[1]);
    s.scratch = (char *)scratch;
    RETURN_IF_ERROR(in_one_kernel(c)   ? select_all(&s, error)
                    : sorts_indices(c) ? select_sorting(&s, error)
                                       : select_one_by_one(&s, error));
    return views_out(&m, error);
}
