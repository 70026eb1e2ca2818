/* weft_segmented_reduce, weft_segmented_scan and similar: segment offsets, workspace, launches. */
#include "core/offsets.h"
#include "core/types.h"
#include "cuda/runtime/arrays.h"
#include "cuda/runtime/overlap.cuh"
#include "cuda/segmented/segments_params.h"

#include <string.h>

/* ---------------------------------------------------------------------------------- kernels */

static segments_launch kernels_of(const segmented_call *c) {
    switch (c->op) {
    case WEFT_SUM: return cuda_segmented_sum_kernels(c->dtype, c->result);
    case WEFT_PROD: return cuda_segmented_product_kernels(c->dtype, c->result);
    case WEFT_MIN:
    case WEFT_MAX: return cuda_segmented_extreme_kernels(c->dtype);
    case WEFT_AND:
    case WEFT_OR: return cuda_segmented_or_kernels(c->dtype);
    case WEFT_MEAN: return cuda_segmented_mean_kernels(c->dtype);
    default: return cuda_segmented_xor_kernels(c->dtype);
    }
}

/* The state of a call. */
typedef struct progress {
    gpu *g;
    const segmented_call *c;
    segments_launch kernels;
    segments_found found; /* summary of the offsets */
    bool checked;         /* `found` is valid */
    bool checking;        /* a check on the GPU was launched, and finish_check will wait for it */
    bool trusted;         /* the offsets are valid and need no check */
    segments_params j;
} progress;

enum { X, Y, OFFSETS, KEYS, UNIQUE_KEYS, COUNT, ARRAYS };

/* ----------------------------------------------------------------------------- checking offsets */

static __host__ __device__ uint64_t scan_items(uint64_t length, uint64_t block_elements) {
    return length <= SCAN_TILE ? 0 : (length - 1) / block_elements + 1;
}

/* Checks and summarises the offsets. The last block writes the summary to `host`, unless that is NULL. On an H100 a
 * copy after the kernel takes 8 us longer. */
static __global__ void __launch_bounds__(SEGMENT_THREADS)
    check_kernel(const uint64_t *offsets, uint64_t segments, uint64_t n, uint64_t block_elements,
                 segments_found *found, segments_found *host) {
    unsigned long long bad = 0, longest = 0, items = 0;
    for (uint64_t s = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; s < segments;
         s += (uint64_t)gridDim.x * blockDim.x) {
        const uint64_t begin = offsets[s], end = offsets[s + 1];
        if (begin > end || end > n) {
            bad = max(bad, ~(unsigned long long)s);
            continue;
        }
        longest = max(longest, (unsigned long long)(end - begin));
        items += scan_items(end - begin, block_elements);
    }
#pragma unroll
    for (int w = 16; w >= 1; w /= 2) {
        longest = max(longest, __shfl_xor_sync(0xffffffffu, longest, w));
        items += __shfl_xor_sync(0xffffffffu, items, w);
    }
    if (threadIdx.x % 32 == 0 && longest) atomicMax(&found->longest, longest);
    if (threadIdx.x % 32 == 0 && items) atomicAdd(&found->items, items);
    if (bad) atomicMax(&found->bad, bad);
    if (!host) return;
    __threadfence();
    __syncthreads();
    if (threadIdx.x != 0 || atomicAdd(&found->blocks, 1ull) != gridDim.x - 1) return;
    __threadfence();
    host->bad = __ldcg(&found->bad);
    host->longest = __ldcg(&found->longest);
    host->items = __ldcg(&found->items);
}

/* Checks and summarises offsets in host memory, before anything is copied. */
static weft_status check_on_host(progress *p, weft_error *error) {
    const segmented_call *c = p->c;
    const uint64_t block_elements = (uint64_t)p->j.scan.block_tiles * SCAN_TILE;
    if (!offsets_all_good(c->offsets, c->segments, c->n)) return offsets_fail_first(error, c->offsets, c->n);
    for (size_t s = 0; s < c->segments; s++) {
        const uint64_t length = c->offsets[s + 1] - c->offsets[s];
        if (length > p->found.longest) p->found.longest = length;
        p->found.items += scan_items(length, block_elements);
    }
    p->checked = true;
    return WEFT_OK;
}

/* Launches a kernel that checks and summarises offsets in device memory. While the stream is being captured, the call
 * cannot wait for the result: then scans read it on the device, and reductions check each segment. */
static weft_status start_check(progress *p, segments_found *found, weft_error *error) {
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    const cudaStream_t stream = p->g->stream;
    CUDA_TRY(cudaStreamIsCapturing(stream, &capture), p->c->name);
    const bool captured = capture != cudaStreamCaptureStatusNone;
    if (captured && !p->c->scan) return WEFT_OK;
    const uint64_t segments = p->c->segments, block_elements = (uint64_t)p->j.scan.block_tiles * SCAN_TILE;
    const uint64_t blocks = (segments - 1) / SEGMENT_THREADS + 1, most = 8u * (unsigned)p->g->multiprocessors;
    static_assert(sizeof *found <= PINNED_BYTES, "the summary fits in the pinned buffer");
    check_kernel<<<(unsigned)min_u64(blocks, most), SEGMENT_THREADS, 0, stream>>>(
        p->j.offsets, segments, p->c->n, block_elements, found, captured ? NULL : (segments_found *)p->g->pinned);
    CUDA_TRY(cudaGetLastError(), p->c->name);
    if (captured) return WEFT_OK;
    CUDA_TRY(cudaEventRecord(p->g->handover, stream), p->c->name);
    p->checking = true;
    return WEFT_OK;
}

/* Waits for the result of start_check, if it launched a check. Work that was launched after the check continues. */
static weft_status finish_check(progress *p, weft_error *error) {
    if (!p->checking) return WEFT_OK;
    CUDA_TRY(cudaEventSynchronize(p->g->handover), p->c->name);
    memcpy(&p->found, p->g->pinned, sizeof p->found);
    p->checked = true;
    if (!p->found.bad) return WEFT_OK;
    const size_t first = (size_t)~p->found.bad;
    static_assert(2 * sizeof *p->j.offsets <= PINNED_BYTES, "two offsets fit in the pinned buffer");
    CUDA_TRY(cudaMemcpyAsync(p->g->pinned, p->j.offsets + first, 2 * sizeof *p->j.offsets, cudaMemcpyDeviceToHost,
                             p->g->stream),
             p->c->name);
    CUDA_TRY(cudaStreamSynchronize(p->g->stream), p->c->name);
    return offsets_fail(error, first, p->g->pinned[0], p->g->pinned[1], p->c->n);
}

/* -------------------------------------------------------------------------------- workspace */

/* Sections of the scratch memory, in bytes from its start. */
typedef struct layout {
    size_t lists, found, cleared, count, offsets, heads, middle, longs, partials, exact, bytes;
} layout;

static size_t take(size_t *at, size_t bytes) {
    const size_t start = *at;
    *at += (bytes + 15) / 16 * 16;
    return start;
}

/* Returns the parameters of an exact sum, without the arrays. */
static exact_segments exact_of(const segmented_call *c) {
    exact_segments e;
    memset(&e, 0, sizeof e);
    e.dtype = c->dtype;
    e.n = c->n;
    e.columns = 1;
    e.segments = c->source == SEGMENTS_BY_OFFSETS ? c->segments : c->n;
    return e;
}

/* Returns a layout with capacity for as many list entries as n elements can need. */
static layout lay_out(const progress *p) {
    const segmented_call *c = p->c;
    const size_t longer = c->scan ? SCAN_TILE : p->kernels.reduce_middle_max;
    const size_t items = c->n / ((size_t)p->kernels.reduce_middle_max / REDUCE_MIDDLE_TILES * REDUCE_ITEM_TILES);
    layout l;
    size_t at = 0;
    memset(&l, 0, sizeof l);
    l.lists = take(&at, sizeof(segments_lists)); /* this and the next section are cleared together */
    l.found = take(&at, sizeof(segments_found));
    l.cleared = at;
    if (c->source != SEGMENTS_BY_OFFSETS) {
        l.count = take(&at, sizeof(uint64_t));
        l.offsets = take(&at, (c->n + 1) * sizeof(uint64_t));
        l.heads = take(&at, heads_scratch_bytes(c->n));
    }
    if (c->exact) {
        const exact_segments e = exact_of(c);
        l.exact = take(&at, gpu_exact_segments_scratch(&e));
        l.bytes = at;
        return l;
    }
    if (!c->scan) l.middle = take(&at, (c->n / p->kernels.reduce_short_max + 1) * sizeof(uint64_t));
    l.longs = take(&at, (c->n / longer + 1) * sizeof(segments_long));
    if (!c->scan) l.partials = take(&at, (items + c->n / longer + 2) * sizeof(uint64_t));
    l.bytes = at;
    return l;
}

/* --------------------------------------------------------------------------------- launches */

/* Kernels of reductions are launched early (overlap.cuh). */
static weft_status launch(const progress *p, const void *kernel, uint64_t blocks, unsigned threads, size_t shared,
                          weft_error *error) {
    segments_params j = p->j;
    void *arguments[] = {&j};
    CUDA_TRY(launch_early(p->g, !p->c->scan, kernel, (unsigned)blocks, threads, shared, arguments), p->c->name);
    return WEFT_OK;
}

/* Returns the number of blocks of the first kernel of reductions, whose warps take segments: enough to fill the GPU
 * if the number of segments is only in device memory. */
static uint64_t reduce_short_blocks(const progress *p) {
    const uint64_t most = (uint64_t)p->kernels.reduce_short_blocks * (unsigned)p->g->multiprocessors;
    return p->j.count ? most : min_u64(most, (p->j.segments - 1) / SEGMENT_WARPS + 1);
}

/* Returns the number of blocks of the first kernel of scans, whose warps divide the elements and the segments among
 * themselves. It only lists long segments. If the average segment is long, all blocks are resident at once. */
static uint64_t scan_short_blocks(const progress *p) {
    const uint64_t segments = p->j.count ? 0 : p->j.segments, work = p->c->n + segments;
    const uint64_t at_a_time = (uint64_t)p->kernels.scan_short_blocks * (unsigned)p->g->multiprocessors;
    const uint64_t most = min_u64(at_a_time, work / (SCAN_SHORT_WARPS * SCAN_PART) + 1);
    if (segments && p->c->n / segments > SCAN_TILE) return most;
    return max_u64(most, min_u64(work / (SCAN_SHORT_WARPS * SCAN_SHORT_WORK), INT32_MAX));
}

/* Launches the kernels of a reduction without waiting for the check of the offsets. */
static weft_status fold(const progress *p, weft_error *error) {
    RETURN_IF_ERROR(launch(p, p->kernels.reduce_short, reduce_short_blocks(p), SEGMENT_THREADS, 0, error));
    const uint64_t longest = p->checked ? p->found.longest : p->c->n;
    if (longest <= p->kernels.reduce_short_max) return WEFT_OK;
    const uint64_t blocks = (uint64_t)TREE_BLOCKS * (unsigned)p->g->multiprocessors;
    return launch(p, p->kernels.reduce_long, blocks, SEGMENT_THREADS, 0, error);
}

static weft_status scan(progress *p, weft_error *error) {
    const scan_launch *k = &p->kernels.scan_long;
    RETURN_IF_ERROR(launch(p, p->kernels.scan_short, scan_short_blocks(p), SCAN_SHORT_THREADS, 0, error));
    if ((p->checked ? p->found.longest : p->c->n) <= SCAN_TILE) return WEFT_OK;
    const size_t shared = k->shared_bytes + (p->j.scan.block_tiles - 1) * k->tile_bytes;
    p->j.once = p->checked;
    RETURN_IF_ERROR(gpu_allow_shared(p->g, k->kernel, p->c->name, error));
    const uint64_t most = (uint64_t)SCAN_BLOCKS * (unsigned)p->g->multiprocessors;
    const uint64_t blocks = p->checked ? p->found.items : min_u64(most, p->c->n / SCAN_TILE);
    return launch(p, k->kernel, blocks, SCAN_THREADS, shared, error);
}

/* Sets the parameters that long scans need in addition to the lists, and reserves the workspace for their totals. */
static weft_status prepare_scan(progress *p, weft_error *error) {
    const uint64_t tiles = (p->c->n + SCAN_TILE - 1) / SCAN_TILE;
    scan_params *j = &p->j.scan;
    j->last = true;
    j->exclusive = p->c->kind == WEFT_EXCLUSIVE;
    j->totals.control = gpu_scan_control(p->g);
    j->totals.stride = cuda_type_bytes(p->c->result) == 8 ? 2 : 1;
    RETURN_IF(tiles > UINT32_MAX, WEFT_INVALID, "%s of %zu elements: a GPU supports at most 2^44", p->c->name,
              p->c->n);
    j->block_tiles = gpu_scan_block_tiles(p->g, &p->kernels.scan_long, (uint32_t)tiles);
    if (!p->c->scan) return WEFT_OK;
    /* Only segments of more than one tile publish totals. Together they have at most twice as many tiles as the
     * array, and fewer than two totals of all levels per tile. */
    const uint64_t words = 4 * (tiles + 1) * j->totals.stride;
    RETURN_IF_ERROR(gpu_hold_words(p->g, "segmented", words * sizeof *j->totals.words, error));
    return WEFT_OK;
}

static weft_status run(progress *p, const gpu_array *arrays, char *scratch, const layout *l, weft_error *error) {
    segments_params *j = &p->j;
    j->x = arrays[X].at;
    j->y = arrays[Y].at;
    j->scan.vectors = ((uintptr_t)j->x | (uintptr_t)j->y) % 16 == 0;
    j->found = (const segments_found *)(scratch + l->found);
    j->lists = (segments_lists *)(scratch + l->lists);
    j->middle = (uint64_t *)(scratch + l->middle);
    j->longs = (segments_long *)(scratch + l->longs);
    j->partials = scratch + l->partials;
    CUDA_TRY(cudaMemsetAsync(scratch, 0, l->cleared, p->g->stream), p->c->name);
    if (p->c->source == SEGMENTS_BY_OFFSETS) {
        j->offsets = (const uint64_t *)arrays[OFFSETS].at;
        if (!p->checked && !p->trusted)
            RETURN_IF_ERROR(start_check(p, (segments_found *)(scratch + l->found), error));
    } else {
        uint64_t *count = arrays[COUNT].at ? (uint64_t *)arrays[COUNT].at : (uint64_t *)(scratch + l->count);
        uint64_t *offsets = (uint64_t *)(scratch + l->offsets);
        const heads_call h = {p->g,    p->c,  arrays[KEYS].at,   arrays[UNIQUE_KEYS].at,
                              offsets, count, scratch + l->heads};
        RETURN_IF_ERROR(heads_find(&h, error));
        j->offsets = offsets;
        j->count = count;
    }
    if (p->c->scan || p->c->exact) RETURN_IF_ERROR(finish_check(p, error));
    j->scan.totals.words = (uint64_t *)p->g->words; /* heads_find calls a scan, which may have reallocated them */
    j->scan.totals.words_held = p->g->words_bytes / sizeof *j->scan.totals.words;
    if (p->c->exact) {
        exact_segments e = exact_of(p->c);
        e.x = j->x;
        e.out = j->y;
        e.offsets = j->offsets;
        e.count = j->count;
        return gpu_exact_segments(p->g, p->c->name, &e, scratch + l->exact, error);
    }
    if (p->c->scan) return scan(p, error);
    RETURN_IF_ERROR(fold(p, error));
    return finish_check(p, error);
}

/* ----------------------------------------------------------------------------------- the call */

/* Limits outputs in host memory to the number of segments, so that no more is copied back. */
static weft_status cut_outputs(const progress *p, gpu_array *arrays, weft_error *error) {
    if (!p->j.count || p->c->scan || !(arrays[Y].on_host || arrays[UNIQUE_KEYS].on_host)) return WEFT_OK;
    uint64_t count;
    CUDA_TRY(cudaMemcpyAsync(&count, p->j.count, sizeof count, cudaMemcpyDeviceToHost, p->g->stream), p->c->name);
    CUDA_TRY(cudaStreamSynchronize(p->g->stream), p->c->name);
    arrays[Y].bytes = count * cuda_type_bytes(p->c->result);
    arrays[UNIQUE_KEYS].bytes = count * cuda_type_bytes(p->c->key_dtype);
    return WEFT_OK;
}

/* Lists the arrays of a call. In a scan by offsets y is also an input, because elements outside all segments keep
 * their values. */
static void name_arrays(const segmented_call *c, gpu_array *arrays) {
    const bool offsets = c->source == SEGMENTS_BY_OFFSETS;
    const size_t key = cuda_type_bytes(c->key_dtype);
    const size_t values = offsets && !c->scan ? c->segments : c->n;
    memset(arrays, 0, ARRAYS * sizeof *arrays);
    arrays[X] = gpu_array{"x", c->x, c->n * cuda_type_bytes(c->dtype), ARRAY_IN, false, NULL};
    arrays[Y] = gpu_array{
        "y", c->y, values * cuda_type_bytes(c->result), c->scan && offsets ? ARRAY_BOTH : ARRAY_OUT, false, NULL};
    arrays[OFFSETS] = gpu_array{"offsets", c->offsets, (c->segments + 1) * sizeof *c->offsets, ARRAY_IN, false, NULL};
    arrays[KEYS] = gpu_array{"keys", c->keys, c->n * key, ARRAY_IN, false, NULL};
    arrays[UNIQUE_KEYS] = gpu_array{"unique_keys", c->unique_keys, c->n * key, ARRAY_OUT, false, NULL};
    arrays[COUNT] = gpu_array{"count", c->count, sizeof *c->count, ARRAY_OUT, false, NULL};
}

static progress device_progress(gpu *g, const segmented_call *c) {
    progress p = {};
    p.g = g;
    p.c = c;
    p.kernels = kernels_of(c);
    p.trusted = true;
    p.j.n = c->n;
    p.j.segments = c->segments;
    p.j.scan.xor_mask = gpu_scan_xor_mask(c->op, c->dtype);
    return p;
}

size_t gpu_segmented_scratch(const segmented_call *c) {
    const progress p = device_progress(NULL, c);
    return lay_out(&p).bytes;
}

weft_status gpu_segmented_reduce(gpu *g, const segmented_call *c, void *scratch, weft_error *error) {
    progress p = device_progress(g, c);
    const layout l = lay_out(&p);
    gpu_array arrays[ARRAYS];
    memset(arrays, 0, sizeof arrays);
    arrays[X].at = (void *)c->x;
    arrays[Y].at = c->y;
    arrays[OFFSETS].at = (void *)c->offsets;
    return run(&p, arrays, (char *)scratch, &l, error);
}

weft_status cuda_segmented(void *state, const segmented_call *c, weft_error *error) {
    const current_device scope(((gpu *)state)->device);
    gpu_array arrays[ARRAYS];
    progress p = {};
    bool offsets_on_host = false;
    void *scratch;
    p.g = (gpu *)state;
    p.c = c;
    p.kernels = kernels_of(c);
    p.j.n = c->n;
    p.j.segments = c->segments;
    p.j.scan.xor_mask = gpu_scan_xor_mask(c->op, c->dtype);
    RETURN_IF_ERROR(prepare_scan(&p, error));
    if (c->source == SEGMENTS_BY_OFFSETS) {
        RETURN_IF_ERROR(gpu_locate(p.g, "offsets", c->offsets, &offsets_on_host, error));
        if (offsets_on_host) RETURN_IF_ERROR(check_on_host(&p, error));
    }
    name_arrays(c, arrays);
    const layout l = lay_out(&p);
    RETURN_IF_ERROR(arrays_copy_in(p.g, c->name, arrays, ARRAYS, l.bytes, &scratch, error));
    if (c->source == SEGMENTS_BY_OFFSETS || c->n > 0)
        RETURN_IF_ERROR(run(&p, arrays, (char *)scratch, &l, error));
    else
        CUDA_TRY(cudaMemsetAsync(arrays[COUNT].at, 0, sizeof *c->count, p.g->stream), c->name);
    RETURN_IF_ERROR(cut_outputs(&p, arrays, error));
    return arrays_copy_out(p.g, c->name, arrays, ARRAYS, error);
}
