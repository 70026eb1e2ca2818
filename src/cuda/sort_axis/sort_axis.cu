/* weft_sort_axis and weft_argsort_axis on the GPU (ORDER.md 32): choice of a kernel, scratch memory, launches.
 *
 *   - Up to SORT_TILE elements: one kernel sorts all vectors.
 *   - Up to SORT_MERGED elements and several vectors: that kernel sorts tiles, which other kernels merge. As many
 *     vectors at a time as fit in the scratch memory.
 *   - Longer vectors, or one vector: sorted as by weft_sort or weft_argsort, one after the other. */
#include "core/types.h"
#include "core/view_dimensions.h"
#include "cuda/sort/device_sort.h"
#include "cuda/sort_axis/sort_axis_merge.cuh"

#include <stdlib.h>
#include <string.h>

/* A call whose arrays are in device memory. */
typedef struct state {
    gpu *g;
    sort_axis_call c;
    size_t size, result; /* bytes of a key and of a result */
    /* Scratch memory: for a long vector and its results, or for two arrays of items. */
    char *from, *to;
    void *scratch; /* of a sort, or the splits of merges */
    uint64_t most; /* vectors that are merged at a time */
} state;

/* -------------------------------------------------------------------------------- short vectors */

typedef void (*sort_kernel)(sort_axis_params);

template <class Item, bool INDICES> static sort_kernel kernel_for(bool direct) {
    return direct ? sort_axis_kernel<Item, INDICES, true> : sort_axis_kernel<Item, INDICES, false>;
}

static sort_kernel kernel_of(const state *s, size_t item, bool direct) {
    if (!s->c.indices) return item == 8 ? kernel_for<uint64_t, false>(direct) : kernel_for<uint32_t, false>(direct);
    return item == sizeof(sort_pair)  ? kernel_for<sort_pair, true>(direct)
           : item == sizeof(uint64_t) ? kernel_for<uint64_t, true>(direct)
                                      : sort_axis_kernel<uint32_t, true, false>;
}

/* Returns the bytes of an item. In tiles of longer vectors, the index takes 32 bits, and so does the code of a float.
 */
static size_t item_bytes(const state *s, bool is_tile) {
    if (!s->c.indices) return s->size == 8 ? 8 : 4;
    if (s->size == 8) return sizeof(sort_pair);
    return s->size == 4 || is_tile || type_is_half(s->c.dtype) ? 8 : 4;
}

static sort_axis_rule rule_of(const state *s) { return sort_axis_rule_of(s->c.dtype, s->c.order == WEFT_DESCENDING); }

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

/* Returns true if each thread can load and store adjacent elements, aligned to 16 bytes. */
static bool is_direct(const state *s, const sort_axis_call *c, size_t result) {
    const ptrdiff_t size = (ptrdiff_t)s->size;
    uintptr_t addresses = (uintptr_t)c->x | (uintptr_t)c->y;
    if (size < 4 || result < 4 || c->inner.x != size || c->inner.y != (ptrdiff_t)result) return false;
    for (size_t k = 0; k < c->outer_count; k++) addresses |= (uintptr_t)c->outer[k].x | (uintptr_t)c->outer[k].y;
    return addresses % 16 == 0 && c->inner.n >= SORT_EACH && (c->inner.n & (c->inner.n - 1)) == 0;
}

/* Sorts the vectors of c. If they are tiles of longer vectors, `tile` has the members of sort_axis_params for tiles;
 * otherwise it is NULL. */
static weft_status sort_short(const state *s, const sort_axis_call *c, const sort_axis_params *tile,
                              weft_error *error) {
    const size_t item = item_bytes(s, tile != NULL);
    view_dimension outer[WEFT_DIMENSIONS_MAX];
    sort_axis_params a;
    memset(&a, 0, sizeof a);
    if (tile) a = *tile;
    a.has_nans = type_is_real(c->dtype);
    a.rule = rule_of(s);
    a.x = (const char *)c->x;
    a.y = (char *)c->y;
    a.n = (uint32_t)c->inner.n;
    a.bytes = (uint32_t)s->size;
    a.result_bytes = (uint32_t)(tile ? item : s->result);
    a.threads_log2 = log2_up((c->inner.n - 1) / SORT_EACH + 1);
    a.x_stride = c->inner.x;
    a.y_stride = c->inner.y;
    a.vectors = c->vectors;
    a.tiles = (c->vectors - 1) / ((uint64_t)SORT_THREADS >> a.threads_log2) + 1;
    a.across_x = c->inner.n > 1 && adjacent_vectors(c, s->size, outer);
    if (!a.across_x) memcpy(outer, c->outer, c->outer_count * sizeof *outer);
    a.across_y = c->inner.n > 1 && c->outer_count > 0 && outer[c->outer_count - 1].y < llabs(c->inner.y);
    a.outer = view_dims_of(c->outer_count, outer);
    const sort_kernel kernel = kernel_of(s, item, is_direct(s, c, a.result_bytes));
    kernel<<<(unsigned)min_u64(a.tiles, INT32_MAX), SORT_THREADS, 0, s->g->stream>>>(a);
    CUDA_TRY(cudaGetLastError(), "sort_axis");
    return WEFT_OK;
}

/* ------------------------------------------------------------------------------- merging of tiles */

/* Copies a view whose dimensions are in any order, the last one perhaps backwards in y. */
static weft_status copy_any(const state *s, size_t element, size_t count, const view_dimension *d, const char *x,
                            char *y, weft_error *error) {
    copy_view_call copy;
    view_dimension last = d[count - 1];
    size_t at = count - 1;
    memset(&copy, 0, sizeof copy);
    if (last.y < 0) {
        x += (ptrdiff_t)(last.n - 1) * last.x;
        y += (ptrdiff_t)(last.n - 1) * last.y;
        last.x = -last.x;
        last.y = -last.y;
    }
    memcpy(copy.dimensions, d, at * sizeof *d);
    for (; at > 0 && copy.dimensions[at - 1].y < last.y; at--) copy.dimensions[at] = copy.dimensions[at - 1];
    copy.dimensions[at] = last;
    copy.element = element;
    copy.count = view_merge(count, copy.dimensions);
    copy.x = x;
    copy.y = y;
    return gpu_copy_view(s->g, &copy, error);
}

/* Sorts all tiles of the vectors of c, whose distances y are those of c->y, an array of items. */
static weft_status sort_tiles(const state *s, const sort_axis_call *c, weft_error *error) {
    const size_t whole_tiles = c->inner.n / SORT_TILE, sorted = whole_tiles * SORT_TILE;
    sort_axis_call part = *c;
    sort_axis_params tile;
    memset(&tile, 0, sizeof tile);
    tile.stores_items = true;
    tile.vector_tiles = (uint32_t)whole_tiles;
    part.outer[part.outer_count++] = view_dimension{whole_tiles, SORT_TILE * c->inner.x, SORT_TILE * c->inner.y};
    part.vectors *= whole_tiles;
    part.inner.n = SORT_TILE;
    RETURN_IF_ERROR(sort_short(s, &part, &tile, error));
    if (sorted == c->inner.n) return WEFT_OK;
    part = *c;
    part.x = (const char *)c->x + (ptrdiff_t)sorted * c->inner.x;
    part.y = (char *)c->y + (ptrdiff_t)sorted * c->inner.y;
    part.inner.n -= sorted;
    tile.vector_tiles = 1;
    tile.first_index = (uint32_t)sorted;
    return sort_short(s, &part, &tile, error);
}

template <class Item, bool INDICES> static void launch_merge(const state *s, sort_merge_params *a, size_t vectors) {
    a->vector_tiles = (a->n - 1) / sort_merge_tile<Item>::SIZE + 1;
    a->tiles = (uint64_t)vectors * a->vector_tiles;
    sort_split_kernel<Item, INDICES>
        <<<(unsigned)((a->tiles - 1) / SORT_THREADS + 1), SORT_THREADS, 0, s->g->stream>>>(*a);
    sort_merge_kernel<Item, INDICES><<<(unsigned)a->tiles, sort_merge_tile<Item>::THREADS, 0, s->g->stream>>>(*a);
}

static weft_status merge_pass(const state *s, sort_merge_params *a, size_t vectors, weft_error *error) {
    const size_t item = item_bytes(s, true);
    if (!s->c.indices && item == 4) launch_merge<uint32_t, false>(s, a, vectors);
    if (!s->c.indices && item == 8) launch_merge<uint64_t, false>(s, a, vectors);
    if (s->c.indices && item == 8) launch_merge<uint64_t, true>(s, a, vectors);
    if (s->c.indices && item == sizeof(sort_pair)) launch_merge<sort_pair, true>(s, a, vectors);
    CUDA_TRY(cudaGetLastError(), "sort_axis");
    return WEFT_OK;
}

/* Merges the sorted tiles in s->from. The results are stored to y, with the distances of `outer`. */
static weft_status merge_tiles(const state *s, const sort_axis_call *c, char *y, const view_dims *outer,
                               weft_error *error) {
    char *from = s->from, *to = s->to;
    sort_merge_params a;
    memset(&a, 0, sizeof a);
    a.n = (uint32_t)c->inner.n;
    a.rule = rule_of(s);
    a.splits = (uint32_t *)s->scratch;
    a.result_bytes = (uint32_t)s->result;
    a.outer = *outer;
    for (a.run = SORT_TILE; a.run < a.n; a.run *= 2) {
        a.last = a.run >= a.n - a.run;
        a.from = from;
        a.to = a.last ? (y ? y : to) : to;
        RETURN_IF_ERROR(merge_pass(s, &a, c->vectors, error));
        to = from;
        from = (char *)a.to;
    }
    return WEFT_OK;
}

/* Returns the array of items to which the last pass writes results that are then copied to y. */
static char *last_items(const state *s, size_t n) { return log2_up((n - 1) / SORT_TILE + 1) % 2 ? s->to : s->from; }

/* Sets d to the dimensions of c, with the distances y of an array without gaps of elements of `bytes` bytes. Returns
 * their number. */
static size_t pack(const sort_axis_call *c, size_t bytes, view_dimension *d) {
    memcpy(d, c->outer, c->outer_count * sizeof *d);
    d[c->outer_count] = c->inner;
    view_pack(c->outer_count + 1, d, bytes);
    return c->outer_count + 1;
}

/* Copies the keys to s->to without gaps, where c then finds them. */
static weft_status copy_keys(const state *s, sort_axis_call *c, weft_error *error) {
    view_dimension d[WEFT_DIMENSIONS_MAX + 1];
    const size_t count = pack(c, s->size, d);
    RETURN_IF_ERROR(copy_any(s, s->size, count, d, (const char *)c->x, s->to, error));
    for (size_t k = 0; k < c->outer_count; k++) c->outer[k].x = d[k].y;
    c->inner.x = d[c->outer_count].y;
    c->x = s->to;
    return WEFT_OK;
}

/* Sorts the vectors of c by tiles. Keys that are not adjacent in memory are copied first, and such results last. */
static weft_status sort_merging(const state *s, const sort_axis_call *c, weft_error *error) {
    view_dimension d[WEFT_DIMENSIONS_MAX + 1];
    sort_axis_call tiles = *c;
    if (c->inner.x != (ptrdiff_t)s->size) RETURN_IF_ERROR(copy_keys(s, &tiles, error));
    const size_t count = pack(c, item_bytes(s, true), d);
    for (size_t k = 0; k < c->outer_count; k++) tiles.outer[k].y = d[k].y;
    tiles.inner.y = d[c->outer_count].y;
    tiles.y = s->from;
    RETURN_IF_ERROR(sort_tiles(s, &tiles, error));
    if (c->inner.y == (ptrdiff_t)s->result) {
        const view_dims outer = view_dims_of(c->outer_count, c->outer);
        return merge_tiles(s, c, (char *)c->y, &outer, error);
    }
    pack(c, s->result, d);
    const view_dims outer = view_dims_of(c->outer_count, d);
    RETURN_IF_ERROR(merge_tiles(s, c, NULL, &outer, error));
    for (size_t k = 0; k < count; k++) d[k].x = d[k].y;
    for (size_t k = 0; k < count; k++) d[k].y = k < c->outer_count ? c->outer[k].y : c->inner.y;
    return copy_any(s, s->result, count, d, last_items(s, c->inner.n), (char *)c->y, error);
}

/* Sorts s->most vectors at a time. */
static weft_status sort_parts(const state *s, weft_error *error) {
    const sort_axis_call *c = &s->c;
    const view_boxes boxes = view_boxes_of(c->outer_count, c->outer, s->most);
    for (uint64_t number = 0; number < view_boxes_number(&boxes); number++) {
        sort_axis_call part = *c;
        int64_t x, y;
        part.outer_count = view_box(&boxes, number, part.outer, &x, &y);
        part.vectors = view_count(part.outer_count, part.outer);
        part.x = (const char *)c->x + x;
        part.y = (char *)c->y + y;
        RETURN_IF_ERROR(sort_merging(s, &part, error));
    }
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

/* Offsets in the scratch memory, and its size. */
typedef struct layout {
    size_t to, scratch, bytes;
} layout;

static size_t whole(size_t bytes) { return (bytes + 255) / 256 * 256; }

/* Returns the number of vectors that are merged at a time, or 0 if none are. */
static uint64_t merged_vectors(const state *s) {
    const size_t n = s->c.inner.n;
    if (n <= SORT_TILE || n > SORT_MERGED || s->c.vectors == 1) return 0;
    return min_u64(max_u64(SORT_MERGE_BYTES / (2 * item_bytes(s, true) * n), 1), s->c.vectors);
}

static weft_status layout_of(const state *s, layout *l, weft_error *error) {
    const sort_axis_call *c = &s->c;
    size_t sort_bytes = 0;
    memset(l, 0, sizeof *l);
    if (c->inner.n <= SORT_TILE) return WEFT_OK;
    if (s->most > 0) {
        const size_t tiles = (c->inner.n - 1) / sort_merge_tile<sort_pair>::SIZE + 1; /* the smallest */
        l->to = whole(s->most * c->inner.n * item_bytes(s, true));
        l->scratch = 2 * l->to;
        l->bytes = l->scratch + s->most * tiles * sizeof(uint32_t);
        return WEFT_OK;
    }
    /* The addresses of the arrays are not used, only that they differ. */
    RETURN_IF_ERROR(sort_contiguous(s, &sort_bytes, l, &sort_bytes, error));
    l->to = c->inner.x != (ptrdiff_t)s->size || c->x == c->y ? whole(c->inner.n * s->size) : 0;
    l->scratch = l->to + (c->inner.y != (ptrdiff_t)s->result ? whole(c->inner.n * s->result) : 0);
    l->bytes = l->scratch + sort_bytes;
    return WEFT_OK;
}

static state state_of(gpu *g, const sort_axis_call *c) {
    state s;
    memset(&s, 0, sizeof s);
    s.g = g;
    s.c = *c;
    s.size = cuda_type_bytes(c->dtype);
    s.result = cuda_type_bytes(c->result);
    s.most = merged_vectors(&s);
    return s;
}

weft_status gpu_sort_vectors_bytes(gpu *g, const sort_axis_call *c, size_t *bytes, weft_error *error) {
    const state s = state_of(g, c);
    layout l;
    RETURN_IF_ERROR(layout_of(&s, &l, error));
    *bytes = l.bytes;
    return WEFT_OK;
}

weft_status gpu_sort_vectors(gpu *g, const sort_axis_call *c, void *scratch, weft_error *error) {
    state s = state_of(g, c);
    layout l;
    RETURN_IF_ERROR(layout_of(&s, &l, error));
    s.from = (char *)scratch;
    s.to = s.from + l.to;
    s.scratch = s.from + l.scratch;
    return c->inner.n <= SORT_TILE ? sort_short(&s, &s.c, NULL, error)
           : s.most > 0            ? sort_parts(&s, error)
                                   : sort_long(&s, error);
}

weft_status cuda_sort_axis(void *context, const sort_axis_call *c, weft_error *error) {
    gpu *const g = (gpu *)context;
    const current_device scope(g->device);
    view_dimension all[WEFT_DIMENSIONS_MAX + 1];
    sort_axis_call call = *c;
    view_memory m;
    size_t bytes;
    void *scratch;
    memcpy(all, c->outer, c->outer_count * sizeof *all);
    all[c->outer_count] = c->inner;
    const view_extent of_x = view_extent_of(true, cuda_type_bytes(c->dtype), c->outer_count + 1, all);
    RETURN_IF_ERROR(gpu_sort_vectors_bytes(g, c, &bytes, error));
    RETURN_IF_ERROR(views_in(&m, g, c->indices ? "argsort_axis" : "sort_axis", c->x, of_x, c->y,
                             cuda_type_bytes(c->result), c->outer_count + 1, all, bytes, &scratch, error));
    memcpy(call.outer, all, c->outer_count * sizeof *all);
    call.inner = all[c->outer_count];
    call.x = m.x;
    call.y = m.y;
    RETURN_IF_ERROR(gpu_sort_vectors(g, &call, scratch, error));
    return views_out(&m, error);
}
