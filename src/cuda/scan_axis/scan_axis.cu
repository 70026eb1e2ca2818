/* weft_scan_axis: choice of a kernel, scratch memory, launches. */
#include "core/types.h"
#include "cuda/copy_view/view_offsets.cuh"
#include "cuda/scan_axis/axis_params.h"

#include <stdlib.h>
#include <string.h>

enum {
    LONG_ROW = 1 << 18, /* elements of a row that is worth a launch of its own */
    TICKET_BLOCKS = 2   /* blocks of a multiprocessor */
};

typedef enum method {
    BY_ROWS,    /* vectors are contiguous */
    BY_COLUMNS, /* adjacent vectors are adjacent in memory */
    BY_COPIES   /* copies vectors to contiguous memory, scans them there, and copies the results */
} method;

/* A call whose arrays are in device memory. */
typedef struct state {
    gpu *g;
    scan_axis_call c;
    method how;
    view_boxes boxes; /* BY_COPIES: of the outer dimensions */
    uint64_t most;    /* vectors of a box */
    char *from, *to;  /* elements and results of a box */
} state;

static axis_launch kernels_of(const scan_axis_call *c) {
    switch (c->op) {
    case WEFT_SUM: return cuda_axis_sum(c->dtype, c->result);
    case WEFT_PROD: return cuda_axis_product(c->dtype, c->result);
    case WEFT_MIN:
    case WEFT_MAX: return cuda_axis_extreme(c->dtype);
    case WEFT_AND:
    case WEFT_OR: return cuda_axis_or(c->dtype);
    default: return cuda_axis_xor(c->dtype);
    }
}

/* ------------------------------------------------------------------------------------- launches */

static weft_status launch(const gpu *g, void (*kernel)(axis_params), unsigned threads, size_t shared,
                          const axis_params &a, weft_error *error) {
    kernel<<<(unsigned)min_u64(a.blocks, INT32_MAX), threads, shared, g->stream>>>(a);
    CUDA_TRY(cudaGetLastError(), "scan_axis");
    return WEFT_OK;
}

/* Returns the parameters of a kernel whose blocks take tiles of at most 2^slots_log2 groups of a vector. */
static axis_params params_of(const scan_axis_call *c, const view_dimension *outer, uint32_t slots_log2) {
    const uint64_t tile = (uint64_t)WEFT_SCAN_GROUP << slots_log2;
    axis_params a;
    memset(&a, 0, sizeof a);
    a.scan.xor_mask = gpu_scan_xor_mask(c->op, c->dtype);
    a.scan.exclusive = c->kind == WEFT_EXCLUSIVE;
    a.scan.has_init = c->init != NULL;
    if (c->init) memcpy(&a.scan.init, c->init, cuda_type_bytes(c->result));
    a.x = (const char *)c->x;
    a.y = (char *)c->y;
    a.n = c->inner.n;
    a.vectors = c->vectors;
    a.x_stride = c->inner.x;
    a.y_stride = c->inner.y;
    a.outer = view_dims_of(c->outer_count, outer);
    a.slots_log2 = min_u32(log2_up((a.n - 1) / WEFT_SCAN_GROUP + 1), slots_log2);
    if (a.n > tile)
        for (uint64_t tiles = (a.n - 1) / tile + 1; tiles > 0; tiles /= WEFT_SCAN_GROUP) a.levels++;
    return a;
}

/* Scans few columns. */
static weft_status scan_tickets(const state *s, const scan_axis_call *c, const axis_launch *k, axis_params *a,
                                weft_error *error) {
    const uint64_t tiles = (a->n - 1) / COLUMNS_TILE + 1;
    a->column_blocks = (a->vectors - 1) / 32 + 1;
    a->columns = a->column_blocks * 32;
    RETURN_IF(tiles * a->column_blocks > UINT32_MAX / 2, WEFT_INVALID,
              "scan_axis of %zu vectors of %zu elements: a GPU supports at most 2^44 elements", c->vectors,
              c->inner.n);
    RETURN_IF_ERROR(published_hold(s->g, "scan_axis", a->columns, tiles, cuda_type_bytes(c->result) == 8 ? 2 : 1,
                                   &a->scan.totals, error));
    a->blocks = min_u64(tiles * a->column_blocks, (uint64_t)TICKET_BLOCKS * (unsigned)s->g->multiprocessors);
    return launch(s->g, k->tickets, COLUMNS_THREADS, 0, *a, error);
}

static weft_status scan_columns(const state *s, const scan_axis_call *c, weft_error *error) {
    const size_t near = view_nearest(c->outer_count, c->outer);
    const axis_launch k = kernels_of(c);
    view_dimension outer[WEFT_DIMENSIONS_MAX];
    memcpy(outer, c->outer, sizeof outer);
    memmove(outer + near, outer + near + 1, (c->outer_count - 1 - near) * sizeof *outer);
    outer[c->outer_count - 1] = c->outer[near];
    axis_params a = params_of(c, outer, log2_up(COLUMNS_SLOTS));
    a.blocks = (a.vectors - 1) / ((uint64_t)32 * COLUMNS_SLOTS >> a.slots_log2) + 1;
    if (a.blocks < (uint64_t)(unsigned)s->g->multiprocessors && a.levels > 0)
        return scan_tickets(s, c, &k, &a, error);
    return launch(s->g, k.columns, COLUMNS_THREADS, a.levels * (size_t)k.column_level_bytes, a, error);
}

/* Scans each row by the operation for one array. */
static weft_status scan_each(const state *s, const scan_axis_call *c, weft_error *error) {
    for (size_t v = 0; v < c->vectors; v++) {
        int64_t from, to;
        view_offset_of(c->outer_count, c->outer, v, &from, &to);
        const scan_call row = {c->op,   c->kind,           c->dtype, c->result, c->inner.n, (const char *)c->x + from,
                               c->init, (char *)c->y + to, NULL};
        RETURN_IF_ERROR(cuda_scan(s->g, &row, error));
    }
    return WEFT_OK;
}

/* Returns true if all rows of x and y begin and end at multiples of 16 bytes. */
static bool are_aligned(const scan_axis_call *c) {
    uintptr_t all = (uintptr_t)c->x | (uintptr_t)c->y | c->inner.n * sizeof(uint32_t);
    for (size_t k = 0; k < c->outer_count; k++) all |= (uintptr_t)c->outer[k].x | (uintptr_t)c->outer[k].y;
    return all % sizeof(uint4) == 0;
}

static weft_status scan_rows(const state *s, const scan_axis_call *c, weft_error *error) {
    if (c->inner.n >= LONG_ROW && c->vectors < (unsigned)s->g->multiprocessors) return scan_each(s, c, error);
    const axis_launch k = kernels_of(c);
    axis_params a = params_of(c, c->outer, log2_up(ROWS_THREADS));
    a.quads = are_aligned(c);
    a.blocks = (a.vectors - 1) / ((uint64_t)ROWS_THREADS >> a.slots_log2) + 1;
    return launch(s->g, k.rows, ROWS_THREADS, a.levels * (size_t)k.row_level_bytes, a, error);
}

/* --------------------------------------------------------------------------------------- method */

static method method_of(const scan_axis_call *c) {
    const ptrdiff_t size = (ptrdiff_t)cuda_type_bytes(c->dtype), result = (ptrdiff_t)cuda_type_bytes(c->result);
    const size_t near = view_nearest(c->outer_count, c->outer);
    if (c->inner.n == 1 || (c->inner.x == size && c->inner.y == result)) return BY_ROWS;
    if (near < c->outer_count && llabs(c->outer[near].x) < llabs(c->inner.x)) return BY_COLUMNS;
    return BY_COPIES;
}

/* Copies between vectors and an array without gaps, whose elements are in the order of the outer dimensions and then
 * of the inner one. Copies to that array, which is at `packed`, if `packs` is true, and from it otherwise. */
static weft_status move_vectors(const state *s, const scan_axis_call *c, bool packs, char *packed,
                                weft_error *error) {
    view_dimension all[WEFT_DIMENSIONS_MAX + 1];
    copy_view_call copy;
    memset(&copy, 0, sizeof copy);
    copy.element = cuda_type_bytes(packs ? c->dtype : c->result);
    copy.count = c->outer_count + 1;
    memcpy(all, c->outer, c->outer_count * sizeof *all);
    all[c->outer_count] = c->inner;
    copy.x = packs ? c->x : packed;
    copy.y = packs ? packed : c->y;
    view_dimension packed_d[WEFT_DIMENSIONS_MAX + 1];
    memcpy(packed_d, all, sizeof all);
    view_pack(copy.count, packed_d, copy.element);
    for (size_t k = 0; k < copy.count; k++)
        all[k] = view_dimension{all[k].n, packs ? all[k].x : packed_d[k].y, packs ? packed_d[k].y : all[k].y};
    copy.count = view_merge(copy.count, all);
    memcpy(copy.dimensions, all, copy.count * sizeof *all);
    return gpu_copy_view(s->g, &copy, error);
}

static weft_status run_box(const state *s, uint64_t number, weft_error *error) {
    scan_axis_call c = s->c;
    int64_t from, to;
    c.outer_count = view_box(&s->boxes, number, c.outer, &from, &to);
    c.vectors = view_count(c.outer_count, c.outer);
    c.x = (const char *)c.x + from;
    c.y = (char *)c.y + to;
    RETURN_IF_ERROR(move_vectors(s, &c, true, s->from, error));
    scan_axis_call packed = c;
    packed.x = s->from;
    packed.y = s->to;
    packed.inner =
        view_dimension{c.inner.n, (ptrdiff_t)cuda_type_bytes(c.dtype), (ptrdiff_t)cuda_type_bytes(c.result)};
    packed.outer_count = 1;
    packed.outer[0] =
        view_dimension{c.vectors, packed.inner.x * (ptrdiff_t)c.inner.n, packed.inner.y * (ptrdiff_t)c.inner.n};
    RETURN_IF_ERROR(scan_rows(s, &packed, error));
    return move_vectors(s, &c, false, s->to, error);
}

static weft_status run(const state *s, weft_error *error) {
    if (s->how == BY_ROWS) return scan_rows(s, &s->c, error);
    if (s->how == BY_COLUMNS) return scan_columns(s, &s->c, error);
    for (uint64_t k = 0; k < view_boxes_number(&s->boxes); k++) RETURN_IF_ERROR(run_box(s, k, error));
    return WEFT_OK;
}

weft_status cuda_scan_axis(void *context, const scan_axis_call *c, weft_error *error) {
    gpu *const g = (gpu *)context;
    const current_device scope(g->device);
    const size_t size = cuda_type_bytes(c->dtype), result = cuda_type_bytes(c->result);
    view_dimension all[WEFT_DIMENSIONS_MAX + 1];
    view_memory m;
    state s;
    void *scratch;
    memset(&s, 0, sizeof s);
    s.g = g;
    s.c = *c;
    memcpy(all, c->outer, c->outer_count * sizeof *all);
    all[c->outer_count] = c->inner;
    const view_extent of_x = view_extent_of(true, size, c->outer_count + 1, all);
    s.boxes = view_boxes_of(c->outer_count, s.c.outer, max_u64(AXES_BYTES / (c->inner.n * (size + result)), 1));
    s.most = c->outer_count
                 ? s.boxes.most * view_count(c->outer_count - s.boxes.split - 1, c->outer + s.boxes.split + 1)
                 : 1;
    const size_t from_bytes = (s.most * c->inner.n * size + 255) / 256 * 256, to_bytes = s.most * c->inner.n * result;
    s.how = method_of(c);
    RETURN_IF_ERROR(views_in(&m, g, "scan_axis", c->x, of_x, c->y, result, c->outer_count + 1, all,
                             s.how == BY_COPIES ? from_bytes + to_bytes : 0, &scratch, error));
    memcpy(s.c.outer, all, c->outer_count * sizeof *all);
    s.c.inner = all[c->outer_count];
    /* The results are computed without gaps if the output is in host memory and has gaps. They may then need no copy;
     * other vectors keep their method. */
    if (m.outputs[0].has_gaps) s.how = method_of(&s.c);
    s.c.x = m.x;
    s.c.y = m.y;
    s.from = (char *)scratch;
    s.to = s.from + from_bytes;
    RETURN_IF_ERROR(run(&s, error));
    return views_out(&m, error);
}
