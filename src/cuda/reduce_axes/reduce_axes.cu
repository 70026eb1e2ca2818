/* weft_reduce_axes, weft_variance_axes and weft_dot_axes: the kernels and parameters of each operator, scratch
 * memory, launches. */
#include "arith/formats.h"
#include "core/exact_ops.h"
#include "core/types.h"
#include "cuda/copy_view/view_offsets.cuh"
#include "cuda/reduce_axes/axes_params.h"
#include "cuda/runtime/overlap.cuh"
#include "cuda/segmented/segments_params.h"

#include <stdlib.h>
#include <string.h>

#ifndef AXES_KEPT /* most vectors whose values are kept between two launches */
#define AXES_KEPT ((uint64_t)1 << 20)
#endif

enum { WARP_THREADS = 32, ALIGNED = 256, SHORT_ROWS = 8, FEW_VECTORS = 4, LONG_VECTOR = 1 << 22 };

/* A call whose arrays are in device memory. */
typedef struct state {
    gpu *g;
    reduce_axes_call c;
    bool packs_x;                                     /* the vectors are copied to an array without gaps first */
    view_boxes boxes;                                 /* of the outer dimensions */
    view_dimension factor_outer[WEFT_DIMENSIONS_MAX]; /* x: of the second operand */
    uint64_t most;                                    /* vectors of a box */
    char *packed;                                     /* elements of a box */
    char *factors;                                    /* those of the second operand */
    double *kept;                                     /* a value for each vector of a box, between two launches */
    void *partials;                                   /* values of tiles of a box */
    uint64_t *offsets;                                /* exact sums: of the vectors of a box */
    char *results;                                    /* exact sums of a box */
    void *exact;                                      /* scratch memory of gpu_exact_segments */
} state;

/* ------------------------------------------------------------------------------------ operators */

/* One launch. */
typedef struct axes_step {
    axes_launch kernels;
    finish_kind finish;
    uint64_t mask, xor_mask;
    bool keeps, refers, stores; /* writes `kept`; reads it; writes results */
} axes_step;

static axes_step step_of(axes_launch kernels, finish_kind finish, uint64_t xor_mask) {
    return axes_step{kernels, finish, UINT64_MAX, xor_mask, false, false, true};
}

/* The bits of a float without its sign increase with its magnitude; NaNs are above all numbers. */
static axes_step norminf_step(weft_dtype dtype) {
    if (type_is_signed(dtype) || type_is_half(dtype))
        return step_of(cuda_axes_largest_magnitude(dtype), FINISH_MAGNITUDE, UINT64_MAX);
    axes_step s = step_of(cuda_axes_extreme(dtype), FINISH_MAGNITUDE, UINT64_MAX);
    if (!type_is_float(dtype)) return s;
    const bool narrow = dtype == WEFT_F32;
    s.kernels = cuda_axes_extreme(narrow ? WEFT_U32 : WEFT_U64);
    s.mask = narrow ? UINT32_MAX >> 1 : UINT64_MAX >> 1;
    return s;
}

static axes_step first_step(const reduce_axes_call *c) {
    const bool is_float = type_is_float(c->dtype) || type_is_half(c->dtype);
    const weft_dtype accumulate = type_is_half(c->result) ? WEFT_F32 : c->result;
    if (c->dot) return step_of(cuda_axes_dot(c->dtype, accumulate), FINISH_STORE, 0);
    const uint64_t order = gpu_scan_xor_mask(c->op, c->dtype);
    const uint64_t index_order = gpu_scan_xor_mask(c->op == WEFT_ARGMIN ? WEFT_MIN : WEFT_MAX, c->dtype);
    switch (c->op) {
    case WEFT_SUM:
        return step_of(is_float ? cuda_axes_sum(c->dtype, accumulate) : cuda_axes_integer_sum(c->dtype), FINISH_STORE,
                       0);
    case WEFT_PROD:
        return step_of(is_float ? cuda_axes_product(c->dtype, accumulate) : cuda_axes_integer_product(c->dtype),
                       FINISH_STORE, 0);
    case WEFT_MIN:
    case WEFT_MAX: return step_of(cuda_axes_extreme(c->dtype), FINISH_KEY, order);
    case WEFT_ARGMIN:
    case WEFT_ARGMAX: return step_of(cuda_axes_extreme_index(c->dtype), FINISH_STORE, index_order);
    case WEFT_AND:
    case WEFT_OR: return step_of(cuda_axes_or(c->dtype), FINISH_KEY, order);
    case WEFT_XOR: return step_of(cuda_axes_xor(c->dtype), FINISH_STORE, 0);
    case WEFT_ANY: return step_of(cuda_axes_count(c->dtype), FINISH_ANY, 0);
    case WEFT_ALL: return step_of(cuda_axes_count(c->dtype), FINISH_ALL, 0);
    case WEFT_COUNT_NONZERO: return step_of(cuda_axes_count(c->dtype), FINISH_STORE, 0);
    case WEFT_NORM1: return step_of(cuda_axes_magnitudes(c->dtype), FINISH_STORE, 0);
    case WEFT_NORM2: return step_of(cuda_axes_deviations(c->dtype), FINISH_ROOT, 0);
    case WEFT_NORMINF: return norminf_step(c->dtype);
    default: return step_of(cuda_axes_sum(c->dtype, WEFT_F64), FINISH_MEAN, 0); /* mean, variance */
    }
}

/* Sets the launches of a call. Returns their number. A variance needs the means first. Only the sum of squares of f64
 * can overflow or underflow: the second launch of norm2 returns at once for the other vectors. */
static int steps_of(const reduce_axes_call *c, axes_step steps[2]) {
    steps[0] = first_step(c);
    if (c->variance) {
        steps[0].keeps = true;
        steps[0].stores = false;
        steps[1] = step_of(cuda_axes_deviations(c->dtype), FINISH_VARIANCE, 0);
    } else if (c->op == WEFT_NORM2 && c->dtype == WEFT_F64) {
        steps[0].keeps = true;
        steps[1] = step_of(cuda_axes_rescaled_squares(), FINISH_RESCALE, 0);
    } else {
        return 1;
    }
    steps[1].refers = true;
    return 2;
}

/* ------------------------------------------------------------------------------------- geometry */

/* Returns the number of the dimension with the smallest distance in x if it is smaller than that of adjacent elements
 * of a vector, else c->outer_count. Adjacent threads take the vectors that are adjacent along this dimension. */
static size_t column_dimension(const reduce_axes_call *c) {
    const size_t near = view_nearest(c->outer_count, c->outer);
    const bool rows =
        near < c->outer_count && c->inner_count && llabs(c->outer[near].x) >= llabs(c->inner[c->inner_count - 1].x);
    return rows ? c->outer_count : near;
}

static void move_to_end(size_t count, view_dimension *d, size_t k) {
    const view_dimension moved = d[k];
    memmove(d + k, d + k + 1, (count - 1 - k) * sizeof *d);
    d[count - 1] = moved;
}

/* Sets d to the outer dimensions with the distances x of the second operand. */
static void factor_dimensions(const reduce_axes_call *c, view_dimension *d) {
    for (size_t k = 0; k < c->outer_count; k++) d[k] = view_dimension{c->outer[k].n, c->factor.outer[k], 0};
}

/* Returns true if V = `pack` adjacent vectors of an operand, of c->outer_count dimensions, can be loaded at once.
 * `inner`: distance of its elements. */
static bool packs_fit(const reduce_axes_call *c, const void *x, const view_dimension *outer, ptrdiff_t inner,
                      uint32_t pack) {
    const size_t size = cuda_type_bytes(c->dtype), last = c->outer_count - 1, bytes = pack * size;
    if (pack < 2 || outer[last].x != (ptrdiff_t)size || outer[last].n % pack) return false;
    uintptr_t all = (uintptr_t)x;
    for (size_t k = 0; k < last; k++) all |= (uintptr_t)outer[k].x;
    if (c->inner_count) all |= (uintptr_t)inner;
    return all % bytes == 0;
}

/* packs_fit for all operands. The second one may also repeat its elements. */
static bool all_packs_fit(const reduce_axes_call *c, const view_dimension *outer, const view_dimension *factor,
                          uint32_t pack) {
    if (!packs_fit(c, c->x, outer, c->inner[0].x, pack)) return false;
    return !c->dot || factor[c->outer_count - 1].x == 0 ||
           packs_fit(c, c->factor.p, factor, c->factor.inner[0], pack);
}

/* Returns true if the kernels for contiguous vectors can load them: the vectors, or the runs of which they consist,
 * are contiguous and aligned. */
static bool rows_fit(const reduce_axes_call *c) {
    const size_t size = cuda_type_bytes(c->dtype), own = AXES_OWN(size), last = c->inner_count - 1;
    if (c->op == WEFT_ARGMIN || c->op == WEFT_ARGMAX || c->n % own || c->n < (own > 4 ? own : 4) * own ||
        c->n / own > INT32_MAX)
        return false;
    if (c->inner_count == 0 || c->inner_count > 2 || c->inner[last].x != (ptrdiff_t)size || c->inner[last].n % own)
        return false;
    if (column_dimension(c) < c->outer_count || (c->dot && c->factor.inner[last] != (ptrdiff_t)size)) return false;
    uintptr_t all = (uintptr_t)c->x;
    for (size_t k = 0; k < c->outer_count; k++) all |= (uintptr_t)c->outer[k].x;
    if (c->inner_count == 2) all |= (uintptr_t)c->inner[0].x;
    if (c->dot) all |= (uintptr_t)c->factor.p;
    for (size_t k = 0; c->dot && k < c->outer_count; k++) all |= (uintptr_t)c->factor.outer[k];
    if (c->dot && c->inner_count == 2) all |= (uintptr_t)c->factor.inner[0];
    return all % (own * size) == 0;
}

/* Sets the parameters of a kernel for contiguous vectors. Returns the kernel. */
static axes_function shape_rows(const reduce_axes_call *c, const axes_launch *k, axes_params *a) {
    const uint32_t threads = AXES_TILE_THREADS(cuda_type_bytes(c->dtype));
    const uint64_t packs = min_u64(c->n / k->own, threads * WEFT_TILE_ROWS); /* of a tile */
    const bool many = packs < threads * SHORT_ROWS;
    a->slots_log2 = min_u32(log2_up(packs), log2_up(threads));
    if (c->inner_count == 2) {
        const uint64_t run = c->inner[1].n / k->own;
        a->run = run > 1 ? view_length_of(run) : view_length{1, 0, 0};
        a->run_stride = c->inner[0].x;
        a->factor_run_stride = c->factor.inner[0];
    }
    const uint64_t of_warp = (uint64_t)(many ? AXES_TILES : 1) << (5 - a->slots_log2);
    a->blocks = ((a->tiles * a->vectors - 1) / of_warp) / (AXES_THREADS / WARP_THREADS) + 1;
    return many ? k->short_rows : k->tile_rows;
}

/* Makes each element of the last dimension a pack of `pack` vectors. */
static void widen_last(view_dimension *last, uint32_t pack) {
    *last = view_dimension{last->n / pack, last->x * (ptrdiff_t)pack, last->y * (ptrdiff_t)pack};
}

/* Sets the parameters of the outer dimensions. Returns true if packs of vectors are loaded. */
static bool shape_columns(const reduce_axes_call *c, const axes_launch *k, axes_params *a) {
    view_dimension outer[WEFT_DIMENSIONS_MAX], factor[WEFT_DIMENSIONS_MAX];
    const size_t column = column_dimension(c), last = c->outer_count - 1;
    const bool columns = column < c->outer_count;
    memcpy(outer, c->outer, sizeof outer);
    factor_dimensions(c, factor);
    if (columns) move_to_end(c->outer_count, outer, column);
    if (columns) move_to_end(c->outer_count, factor, column);
    const bool packs = columns && all_packs_fit(c, outer, factor, k->pack);
    a->pack = packs ? k->pack : 1;
    if (columns) {
        a->y_apart = outer[last].y;
        a->factor_repeats = factor[last].x == 0;
        widen_last(&outer[last], a->pack);
        widen_last(&factor[last], a->pack);
        a->columns_log2 = min_u32(log2_up(outer[last].n), 5);
    }
    a->outer = view_dims_of(c->outer_count, outer);
    if (c->dot) a->factor_outer = view_dims_of(c->outer_count, factor);
    return packs;
}

/* Sets the parameters that depend on the shape. Returns the kernel. */
static axes_function shape(const gpu *g, const reduce_axes_call *c, const axes_launch *k, axes_params *a) {
    const size_t size = cuda_type_bytes(c->dtype);
    const bool packs = shape_columns(c, k, a);
    a->n = c->n;
    a->tiles = (c->n - 1) / WEFT_TILE(size) + 1;
    a->stride = c->inner_count ? c->inner[0].x : (ptrdiff_t)size;
    a->factor_stride = c->factor.inner[0];
    a->vectors = c->vectors;
    a->packs = c->vectors / a->pack;
    a->fold_columns_log2 = min_u32(log2_up(a->vectors), 5);
    a->fold_log2 = log2_up((a->tiles - 1) / (FOLD_THREADS >> a->fold_columns_log2) + 1);
    a->threads = AXES_THREADS;
    if (rows_fit(c)) return shape_rows(c, k, a);
    const uint32_t lanes = WEFT_LANES(size), needed = (uint32_t)min_u64((c->n - 1) / k->lanes + 1, lanes / k->lanes);
    const uint32_t sequences_log2 = log2_up(needed);
    a->sequences = 1u << sequences_log2;
    a->slots_log2 = min_u32(sequences_log2, 8 - a->columns_log2);
    a->column_blocks = ((a->packs - 1) >> a->columns_log2) + 1;
    const uint32_t threads_log2 = a->columns_log2 + a->slots_log2;
    const uint64_t threads = (a->tiles * a->column_blocks) << threads_log2;
    while (a->threads > WARP_THREADS && a->threads > 1u << threads_log2 &&
           threads / a->threads < 2 * (uint64_t)(unsigned)g->multiprocessors)
        a->threads /= 2;
    a->blocks = (threads - 1) / a->threads + 1;
    return packs ? k->packs : k->vectors;
}

/* ------------------------------------------------------------------------------------- launches */

template <class Params>
static weft_status launch(const gpu *g, void (*kernel)(Params), uint64_t blocks, unsigned threads,
                          const Params &params, weft_error *error) {
    kernel<<<(unsigned)min_u64(blocks, INT32_MAX), threads, 0, g->stream>>>(params);
    CUDA_TRY(cudaGetLastError(), "reduce_axes");
    return WEFT_OK;
}

/* Returns the digits of f16 and bf16, and 0 for other types. */
static uint32_t digits_of(weft_dtype dtype) { return dtype == WEFT_F16 ? 11 : dtype == WEFT_BF16 ? 8 : 0; }

/* Returns the type of the results before they are rounded to f16 or bf16 (ORDER.md 1.7). */
static weft_dtype unrounded_type(const reduce_axes_call *c) {
    const bool in_f64 = c->variance || c->op == WEFT_MEAN || c->op == WEFT_NORM1 || c->op == WEFT_NORM2;
    return !type_is_half(c->result) ? c->result : in_f64 ? WEFT_F64 : WEFT_F32;
}

/* Runs one step over vectors of one dimension. */
static weft_status run_step(const state *s, const reduce_axes_call *c, const axes_step *step, weft_error *error) {
    axes_params a;
    memset(&a, 0, sizeof a);
    a.x = (const char *)c->x;
    a.factor = (const char *)c->factor.p;
    a.y = (char *)c->y;
    a.j.mask = step->mask;
    a.j.xor_mask = step->xor_mask;
    a.j.finish = step->finish;
    a.j.dtype = type_is_half(c->dtype) ? WEFT_F32 : c->dtype;
    a.j.result = unrounded_type(c);
    a.digits = digits_of(c->result);
    a.j.result_bytes = (uint32_t)cuda_type_bytes(c->result);
    a.j.total = c->n;
    a.j.ddof = c->ddof;
    a.j.keep = step->keeps ? s->kept : NULL;
    a.j.reference = step->refers ? s->kept : NULL;
    a.j.out = step->stores ? c->y : NULL;
    a.partials = s->partials;
    const axes_function kernel = shape(s->g, c, &step->kernels, &a);
    RETURN_IF(!kernel, WEFT_INTERNAL, "reduce_axes: no kernel for dtype %d", (int)c->dtype);
    RETURN_IF_ERROR(launch(s->g, kernel, a.blocks, a.threads, a, error));
    if (a.tiles == 1) return WEFT_OK;
    const uint64_t folds = min_u64(((a.vectors - 1) >> a.fold_columns_log2) + 1, INT32_MAX);
    CUDA_TRY(launch_early(s->g, true, step->kernels.fold, (unsigned)folds, FOLD_THREADS, 0, a), "reduce_axes");
    return WEFT_OK;
}

struct fill_params {
    view_dims d;
    uint64_t n, bits;
    uint32_t bytes;
    char *y;
};

/* Stores the low bytes of `bits` as each result. */
static __global__ void __launch_bounds__(AXES_THREADS) fill_kernel(const __grid_constant__ fill_params a) {
    for (uint64_t i = (uint64_t)blockIdx.x * AXES_THREADS + threadIdx.x; i < a.n;
         i += (uint64_t)gridDim.x * AXES_THREADS) {
        int64_t from = 0, to = 0;
        view_offsets(a.d, i, from, to);
        for (uint32_t k = 0; k < a.bytes; k++) a.y[to + k] = (char)(a.bits >> 8 * k);
    }
}

static weft_status fill(const state *s, weft_error *error) {
    const reduce_axes_call *c = &s->c;
    fill_params a;
    a.d = view_dims_of(c->outer_count, c->outer);
    a.n = c->vectors;
    a.bits = gpu_reduce_empty(c->op, c->result);
    if (c->op == WEFT_PROD && type_is_half(c->result)) a.bits = weft_half_bits(1, (int)digits_of(c->result));
    a.bytes = (uint32_t)cuda_type_bytes(c->result);
    a.y = (char *)c->y;
    return launch(s->g, fill_kernel, (a.n - 1) / AXES_THREADS + 1, AXES_THREADS, a, error);
}

/* ----------------------------------------------------------------------------------- exact sums */

static __global__ void __launch_bounds__(AXES_THREADS)
    offsets_kernel(uint64_t *offsets, uint64_t vectors, uint64_t n) {
    for (uint64_t v = (uint64_t)blockIdx.x * AXES_THREADS + threadIdx.x; v <= vectors;
         v += (uint64_t)gridDim.x * AXES_THREADS)
        offsets[v] = v * n;
}

static exact_segments exact_of(const reduce_axes_call *c) {
    exact_segments e;
    memset(&e, 0, sizeof e);
    e.dtype = c->dtype;
    e.mean = c->op == WEFT_MEAN;
    e.x = c->x;
    e.n = c->vectors * c->n;
    e.columns = 1;
    e.segments = c->vectors;
    return e;
}

/* Sums or means of vectors without gaps. */
static weft_status sum_exactly(const state *s, const reduce_axes_call *c, weft_error *error) {
    exact_segments e = exact_of(c);
    e.offsets = s->offsets;
    e.out = s->results;
    offsets_kernel<<<(unsigned)(c->vectors / AXES_THREADS + 1), AXES_THREADS, 0, s->g->stream>>>(s->offsets,
                                                                                                 c->vectors, c->n);
    CUDA_TRY(cudaGetLastError(), "reduce_axes");
    RETURN_IF_ERROR(gpu_exact_segments(s->g, "reduce_axes", &e, s->exact, error));
    copy_view_call back;
    memset(&back, 0, sizeof back);
    back.element = cuda_type_bytes(c->result);
    back.count = c->outer_count;
    memcpy(back.dimensions, c->outer, sizeof back.dimensions);
    view_pack(back.count, back.dimensions, back.element);
    for (size_t k = 0; k < back.count; k++) {
        back.dimensions[k].x = back.dimensions[k].y;
        back.dimensions[k].y = c->outer[k].y;
    }
    back.x = s->results;
    back.y = c->y;
    back.count = view_merge(back.count, back.dimensions);
    return gpu_copy_view(s->g, &back, error);
}

/* Returns true if the exact sums of several vectors are computed by one launch. */
static bool sums_exactly(const reduce_axes_call *c) {
    return c->exact && !c->variance && !c->dot && (c->op == WEFT_SUM || c->op == WEFT_MEAN);
}

/* --------------------------------------------------------------------------------------- boxes */

/* Copies vectors at x to an array `packed` without gaps. The dimensions `all` are the outer ones, then those of a
 * vector, with distances in x. Sets their distances y to those of the array. */
static weft_status pack_operand(const state *s, const void *x, char *packed, size_t count, view_dimension *all,
                                weft_error *error) {
    copy_view_call copy;
    view_dimension merged[2 * WEFT_DIMENSIONS_MAX];
    memset(&copy, 0, sizeof copy);
    copy.element = cuda_type_bytes(s->c.dtype);
    view_pack(count, all, copy.element);
    memcpy(merged, all, count * sizeof *all);
    copy.count = view_merge(count, merged);
    memcpy(copy.dimensions, merged, copy.count * sizeof *merged);
    copy.x = x;
    copy.y = packed;
    return gpu_copy_view(s->g, &copy, error);
}

/* Copies the vectors of a box, of all operands, to arrays without gaps. */
static weft_status pack_vectors(const state *s, reduce_axes_call *c, weft_error *error) {
    view_dimension all[2 * WEFT_DIMENSIONS_MAX];
    const size_t count = c->outer_count + c->inner_count;
    memcpy(all, c->outer, c->outer_count * sizeof *all);
    memcpy(all + c->outer_count, c->inner, c->inner_count * sizeof *all);
    RETURN_IF_ERROR(pack_operand(s, c->x, s->packed, count, all, error));
    for (size_t k = 0; k < c->outer_count; k++) c->outer[k].x = all[k].y;
    if (c->dot) {
        for (size_t k = 0; k < count; k++)
            all[k].x = k < c->outer_count ? c->factor.outer[k] : c->factor.inner[k - c->outer_count];
        RETURN_IF_ERROR(pack_operand(s, c->factor.p, s->factors, count, all, error));
        for (size_t k = 0; k < c->outer_count; k++) c->factor.outer[k] = all[k].y;
    }
    c->inner_count = 1;
    c->inner[0] = view_dimension{c->n, (ptrdiff_t)cuda_type_bytes(c->dtype), 0};
    c->factor.inner[0] = c->inner[0].x;
    c->x = s->packed;
    c->factor.p = s->factors;
    return WEFT_OK;
}

/* Returns true if the operation for one array is used: a few long vectors without gaps. */
static bool is_long(const reduce_axes_call *c) {
    const ptrdiff_t size = (ptrdiff_t)cuda_type_bytes(c->dtype);
    if (c->dot && (type_is_half(c->dtype) || c->factor.inner[0] != size)) return false;
    return c->vectors <= FEW_VECTORS && c->n >= LONG_VECTOR && c->inner_count == 1 && c->inner[0].x == size;
}

/* Reduces a vector as one array. factor: that of the second operand. */
static weft_status reduce_array(const state *s, const reduce_axes_call *c, const void *x, const void *factor,
                                void *out, weft_error *error) {
    if (c->exact) {
        exact_call e;
        memset(&e, 0, sizeof e);
        e.terms = c->dot ? EXACT_PRODUCTS : c->variance ? EXACT_VALUES : exact_terms_of(c->op);
        e.finish = c->variance ? EXACT_VARIANCE : exact_finish_of(c->op);
        e.dtype = c->dtype;
        e.n = c->n;
        e.ddof = c->ddof;
        e.x = x;
        e.y = factor;
        e.out = out;
        return cuda_exact(s->g, &e, error);
    }
    const dot_call dot = {c->dtype, c->result, c->n, x, factor, out};
    if (c->dot) return cuda_dot(s->g, &dot, error);
    const variance_call variance = {c->dtype, c->result, c->n, c->ddof, x, out};
    if (c->variance) return cuda_variance(s->g, &variance, error);
    const reduce_call reduce = {c->op, c->dtype, c->result, c->n, x, out, NULL};
    return cuda_reduce(s->g, &reduce, error);
}

/* Reduces each vector as one array. The vectors have no gaps. */
static weft_status reduce_each(const state *s, const reduce_axes_call *c, weft_error *error) {
    view_dimension factor[WEFT_DIMENSIONS_MAX];
    factor_dimensions(c, factor);
    for (size_t v = 0; v < c->vectors; v++) {
        int64_t from, to, from_factor, unused;
        view_offset_of(c->outer_count, c->outer, v, &from, &to);
        view_offset_of(c->outer_count, factor, v, &from_factor, &unused);
        const char *const of_factor = c->dot ? (const char *)c->factor.p + from_factor : NULL;
        RETURN_IF_ERROR(reduce_array(s, c, (const char *)c->x + from, of_factor, (char *)c->y + to, error));
    }
    return WEFT_OK;
}

/* Sets the second operand to the part that belongs to a box. */
static void choose_factor_box(const state *s, uint64_t number, reduce_axes_call *c) {
    view_dimension d[WEFT_DIMENSIONS_MAX];
    view_boxes boxes = s->boxes;
    int64_t from, unused;
    boxes.d = s->factor_outer;
    const size_t count = view_box(&boxes, number, d, &from, &unused);
    for (size_t k = 0; k < count; k++) c->factor.outer[k] = d[k].x;
    c->factor.p = (const char *)c->factor.p + from;
}

static weft_status run_box(const state *s, uint64_t number, weft_error *error) {
    const axes_launch variances = cuda_axes_variance(s->c.dtype);
    reduce_axes_call c = s->c;
    int64_t from, to;
    axes_step steps[2];
    c.outer_count = view_box(&s->boxes, number, c.outer, &from, &to);
    c.vectors = view_count(c.outer_count, c.outer);
    if (c.dot) choose_factor_box(s, number, &c);
    c.x = (const char *)c.x + from;
    c.y = (char *)c.y + to;
    if (s->packs_x) RETURN_IF_ERROR(pack_vectors(s, &c, error));
    if (sums_exactly(&c)) return sum_exactly(s, &c, error);
    if (c.exact || is_long(&c)) return reduce_each(s, &c, error);
    if (c.variance && rows_fit(&c) &&
        c.n / variances.own <= AXES_TILE_THREADS(cuda_type_bytes(c.dtype)) * VARIANCE_BATCH) {
        const axes_step step = step_of(variances, FINISH_VARIANCE, 0);
        return run_step(s, &c, &step, error);
    }
    const int count = steps_of(&c, steps);
    for (int k = 0; k < count; k++) RETURN_IF_ERROR(run_step(s, &c, &steps[k], error));
    return WEFT_OK;
}

/* Returns true if the vectors have no gaps and, if their exact sums are computed by one launch, nor have the
 * distances between them. */
static bool exact_fits(const reduce_axes_call *c) {
    const ptrdiff_t size = (ptrdiff_t)cuda_type_bytes(c->dtype);
    ptrdiff_t expected = size * (ptrdiff_t)c->n;
    if (c->inner_count > 1 || (c->inner_count == 1 && c->inner[0].x != size)) return false;
    if (c->dot && c->inner_count == 1 && c->factor.inner[0] != size) return false;
    if (!sums_exactly(c)) return true;
    for (size_t k = c->outer_count; k-- > 0; expected *= (ptrdiff_t)c->outer[k].n)
        if (c->outer[k].x != expected) return false;
    return true;
}

/* Divides the vectors into boxes. */
static void divide(state *s) {
    const reduce_axes_call *c = &s->c;
    const uint64_t bytes = c->n * cuda_type_bytes(c->dtype);
    axes_step steps[2];
    uint64_t most = c->vectors;
    s->packs_x = c->exact ? !exact_fits(c) : c->inner_count > 1 && !rows_fit(c);
    if (c->exact || steps_of(c, steps) > 1) most = AXES_KEPT;
    if (s->packs_x) most = min_u64(most, max_u64(AXES_BYTES / bytes, 1));
    factor_dimensions(c, s->factor_outer);
    s->boxes = view_boxes_of(c->outer_count, c->outer, most);
    s->most = min_u64(most, c->vectors);
}

/* Returns the next `bytes` bytes of the scratch memory. With base == NULL only adds up the bytes. */
static char *take(char *base, size_t *used, size_t bytes) {
    char *const p = base ? base + *used : NULL;
    *used += (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
    return p;
}

/* Lays out the scratch memory. Returns its size. */
static size_t lay_out(state *s, char *base) {
    const reduce_axes_call *c = &s->c;
    const size_t size = cuda_type_bytes(c->dtype);
    const uint64_t tiles = c->n ? (c->n - 1) / WEFT_TILE(size) + 1 : 1;
    axes_step steps[2];
    size_t used = 0;
    if (c->n == 0) return 0;
    if (s->packs_x) s->packed = take(base, &used, s->most * c->n * size);
    if (s->packs_x && c->dot) s->factors = take(base, &used, s->most * c->n * size);
    if (c->exact) {
        reduce_axes_call box = *c;
        box.vectors = s->most;
        const exact_segments e = exact_of(&box);
        if (!sums_exactly(c)) return used;
        s->offsets = (uint64_t *)take(base, &used, (s->most + 1) * sizeof *s->offsets);
        s->results = take(base, &used, s->most * size);
        s->exact = take(base, &used, gpu_exact_segments_scratch(&e));
        return used;
    }
    if (steps_of(c, steps) > 1) s->kept = (double *)take(base, &used, s->most * sizeof *s->kept);
    const size_t value = steps[0].kernels.value_bytes > 8 ? 16 : 8;
    if (tiles > 1) s->partials = take(base, &used, s->most * tiles * value);
    return used;
}

/* Returns the memory of the first or, with `factor`, of the second operand. */
static view_extent operand_extent(const reduce_axes_call *c, bool factor) {
    view_dimension all[2 * WEFT_DIMENSIONS_MAX];
    if (c->n == 0) return view_extent{0, 0};
    memcpy(all, c->outer, c->outer_count * sizeof *all);
    memcpy(all + c->outer_count, c->inner, c->inner_count * sizeof *all);
    for (size_t k = 0; factor && k < c->outer_count; k++) all[k].x = c->factor.outer[k];
    for (size_t k = 0; factor && k < c->inner_count; k++) all[c->outer_count + k].x = c->factor.inner[k];
    return view_extent_of(true, cuda_type_bytes(c->dtype), c->outer_count + c->inner_count, all);
}

/* Makes the arrays available in device memory. */
static weft_status locate(state *s, view_memory *m, weft_error *error) {
    reduce_axes_call *const c = &s->c;
    const char *const name = c->dot ? "dot_axes" : c->variance ? "variance_axes" : "reduce_axes";
    void *scratch;
    memset(m, 0, sizeof *m);
    m->input_count = c->dot ? 2 : 1;
    m->inputs[0] = view_input{"x", c->x, operand_extent(c, false), NULL};
    m->inputs[1] = view_input{"y", c->factor.p, operand_extent(c, true), NULL};
    m->output_count = 1;
    m->outputs[0].name = "out";
    m->outputs[0].to = c->y;
    m->outputs[0].bytes = cuda_type_bytes(c->result);
    m->outputs[0].count = c->outer_count;
    m->outputs[0].d = c->outer;
    RETURN_IF_ERROR(views_locate_all(m, s->g, name, lay_out(s, NULL), &scratch, error));
    (void)lay_out(s, (char *)scratch);
    c->x = m->x;
    c->factor.p = m->inputs[1].x;
    c->y = m->y;
    return WEFT_OK;
}

weft_status cuda_reduce_axes(void *context, const reduce_axes_call *c, weft_error *error) {
    gpu *const g = (gpu *)context;
    const current_device scope(g->device);
    state s;
    view_memory m;
    memset(&s, 0, sizeof s);
    s.g = g;
    s.c = *c;
    divide(&s);
    RETURN_IF_ERROR(locate(&s, &m, error));
    if (c->n == 0) {
        RETURN_IF_ERROR(fill(&s, error));
        return views_out(&m, error);
    }
    for (uint64_t k = 0; k < view_boxes_number(&s.boxes); k++) RETURN_IF_ERROR(run_box(&s, k, error));
    return views_out(&m, error);
}
