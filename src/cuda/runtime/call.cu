/* A call: locating its memory, launching its kernels, returning its result.
 *
 * Inputs in device or managed memory are read in place, by one launch. An input in host memory goes through the
 * staging buffer in chunks. A chunk is a power of two of full tiles, and so a subtree of the canonical tree;
 * combine.cuh combines the chunks. Copies and launches alternate on one stream: a launch takes a hundredth of the
 * time of its copy, so overlapping them would gain nothing. */
#include "core/types.h"
#include "cuda/map/map_compiled.h"
#include "cuda/runtime/compiled.h"

#include <string.h>

size_t cuda_type_bytes(weft_dtype dtype) {
    static const size_t bytes[] = {
        0,
#define TYPE(ID, name, ctype, kind, npy) sizeof(ctype),
#include "core/types.def"
    };
    return type_is_half(dtype) ? sizeof(uint16_t) : bytes[dtype];
}

/* ---------------------------------------------------------------------------- storing a value */

static __global__ void store_kernel(void *out, uint64_t bits, uint32_t bytes) {
    for (uint32_t i = 0; i < bytes; i++) ((uint8_t *)out)[i] = (uint8_t)(bits >> 8 * i);
}

const void *cuda_probe_kernel(void) { return (const void *)store_kernel; }

weft_status call_store(call *c, uint64_t bits, weft_error *error) {
    if (c->out_on_host) {
        memcpy(c->out, &bits, c->out_bytes); /* host and GPU are both little-endian */
        return WEFT_OK;
    }
    uint32_t bytes = (uint32_t)c->out_bytes;
    void *arguments[] = {&c->out, &bits, &bytes};
    CUDA_TRY(cudaLaunchKernel((const void *)store_kernel, dim3(1), dim3(1), arguments, 0, c->g->stream), c->name);
    return WEFT_OK;
}

/* ------------------------------------------------------------------------------ locating memory */

weft_status gpu_locate(const gpu *g, const char *argument, const void *p, bool *on_host, weft_error *error) {
    cudaPointerAttributes attributes;
    memset(&attributes, 0, sizeof attributes);
    *on_host = true;
    const cudaError_t fault = cudaPointerGetAttributes(&attributes, p);
    if (fault == cudaErrorInvalidValue) { /* memory that was not allocated by CUDA */
        (void)cudaGetLastError();
        return WEFT_OK;
    }
    CUDA_TRY(fault, "querying the memory of an argument");
    *on_host = attributes.type == cudaMemoryTypeUnregistered || attributes.type == cudaMemoryTypeHost;
    RETURN_IF(attributes.type == cudaMemoryTypeDevice && attributes.device != g->device, WEFT_INVALID,
              "%s is memory of GPU %d, but this context uses GPU %d", argument, attributes.device, g->device);
    return WEFT_OK;
}

weft_status gpu_refuse_capture(const gpu *g, const char *name, weft_error *error) {
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    CUDA_TRY(cudaStreamIsCapturing(g->stream, &capture), name);
    RETURN_IF(capture != cudaStreamCaptureStatusNone, WEFT_INVALID,
              "%s: inputs and outputs must be device memory while the stream is being captured", name);
    return WEFT_OK;
}

weft_status call_begin(call *c, gpu *g, const char *name, weft_dtype dtype, weft_dtype result, size_t n,
                       const void *x, const void *y, void *out, weft_error *error) {
    memset(c, 0, sizeof *c);
    c->g = g;
    g->pending = true;
    c->name = name;
    c->out = out;
    c->out_bytes = cuda_type_bytes(result);
    if (n > 0 && x) RETURN_IF_ERROR(gpu_locate(g, "x", x, &c->x_on_host, error));
    if (n > 0 && y) RETURN_IF_ERROR(gpu_locate(g, "y", y, &c->y_on_host, error));
    RETURN_IF_ERROR(gpu_locate(g, "out", out, &c->out_on_host, error));
    if (c->x_on_host || c->y_on_host || c->out_on_host) RETURN_IF_ERROR(gpu_refuse_capture(g, name, error));
    if (c->x_on_host || c->y_on_host) RETURN_IF_ERROR(gpu_staging(g, name, error));
    reduce_params *j = &c->j;
    j->x = x;
    j->y = y;
    j->n = j->total = n;
    j->last = true;
    j->mask = UINT64_MAX;
    j->dtype = dtype;
    j->result = result;
    j->result_bytes = (uint32_t)c->out_bytes;
    j->out = c->out_on_host ? g->pinned : out;
    gpu_point_at_scratch(g, j);
    return WEFT_OK;
}

void call_map(call *c, const map_program *map) {
    c->map = map;
    c->map_bytes = cuda_type_bytes(map->dtype);
}

weft_status call_set_reference(call *c, const double *v, weft_error *error) {
    c->j.reference = gpu_keep(c->g);
    CUDA_TRY(cudaMemcpyAsync(gpu_keep(c->g), v, sizeof *v, cudaMemcpyHostToDevice, c->g->stream), c->name);
    return WEFT_OK;
}

weft_status call_end(call *c, weft_error *error) {
    if (c->x_on_host || c->y_on_host || c->out_on_host) CUDA_TRY(cudaStreamSynchronize(c->g->stream), c->name);
    if (c->out_on_host) memcpy(c->out, c->g->pinned, c->out_bytes);
    return WEFT_OK;
}

/* ------------------------------------------------------------------------------------ launching */

/* Sets the number of tiles of 16-byte vectors that begin on 16-byte boundaries (unordered.cuh). */
static void shape_unordered(reduce_params *j, size_t bytes) {
    const uint64_t per_vector = 16 / bytes;
    j->skip = (uint32_t)((uintptr_t)j->x % 16 / bytes);
    const uint64_t vectors = (j->skip + j->n + per_vector - 1) / per_vector;
    j->tiles = (vectors + UNORDERED_ROWS * 32 - 1) / (UNORDERED_ROWS * 32);
}

/* Sets the number of tiles of the canonical tree. */
static void shape_tree(reduce_params *j, size_t bytes) {
    const size_t load = WEFT_LANES(bytes) / 32 * bytes; /* bytes that a thread loads of a row */
    j->vectors = (uintptr_t)j->x % load == 0 && (uintptr_t)j->y % load == 0;
    j->tiles = (j->n + WEFT_TILE(bytes) - 1) / WEFT_TILE(bytes);
}

/* Geometry of a launch: number of blocks, and of warps per block. A small number of tiles is spread over all
 * multiprocessors, in blocks of one or a few warps; a large number is cut into at most PARTIALS_MAX blocks. */
typedef struct grid {
    unsigned blocks, warps;
} grid;

/* Blocks of exact sums take batches until none is left. */
static grid shape_exact(const call *c, const reduce_params *j) {
    const uint64_t bytes = j->n * cuda_type_bytes(j->dtype) * (j->y ? 2 : 1),
                   blocks = (bytes - 1) / (32 * EXACT_WARPS * EXACT_BATCH_BYTES) + 1;
    const uint64_t most = (uint64_t)EXACT_BLOCKS * c->g->multiprocessors;
    return grid{(unsigned)(blocks < most ? blocks : most), EXACT_WARPS};
}

static grid shape_launch(const call *c, kernel k, reduce_params *j) {
    const size_t bytes = cuda_type_bytes(j->dtype);
    grid shape = {0, 1};
    if (k.kind == KERNEL_EXACT) return shape_exact(c, j);
    if (k.kind == KERNEL_UNORDERED)
        shape_unordered(j, bytes);
    else
        shape_tree(j, bytes);
    while (shape.warps < WARPS_MAX && j->tiles > (uint64_t)shape.warps * c->g->multiprocessors) shape.warps *= 2;
    while ((j->tiles - 1) / ((uint64_t)shape.warps << j->warp_tiles_log2) >= PARTIALS_MAX) j->warp_tiles_log2++;
    shape.blocks = (unsigned)((j->tiles - 1) / ((uint64_t)shape.warps << j->warp_tiles_log2)) + 1;
    return shape;
}

static weft_status launch(const call *c, kernel k, reduce_params *j, weft_error *error) {
    const grid shape = shape_launch(c, k, j);
    void *arguments[] = {j};
    CUDA_TRY(cudaLaunchKernel(k.function, dim3(shape.blocks), dim3(32 * shape.warps), arguments, 0, c->g->stream),
             c->name);
    return WEFT_OK;
}

/* Launches a kernel that was compiled for the formula, once, over all its values. */
static weft_status launch_compiled(const call *c, kernel k, void *function, weft_error *error) {
    formula_params f;
    f.j = c->j;
    const grid shape = shape_launch(c, k, &f.j);
    f.j.vectors = gpu_formula_operands(c->map, 0, 16 / c->map_bytes, f.operands);
    return compiled_launch(c->g, c->name, function, shape.blocks, 32 * shape.warps, 0, &f, error);
}

/* Sets *part to the elements [first, first + n) of an input: their address in device memory, or that of a copy in the
 * staging buffer, or that of a formula's values computed there. The kernel's elements may be smaller than a value:
 * bitwise operators are computed byte by byte. */
static weft_status stage(const call *c, bool on_host, const void *input, uint64_t first, uint64_t n, char *buffer,
                         const void **part, weft_error *error) {
    const size_t bytes = cuda_type_bytes(c->j.dtype);
    if (c->map) {
        *part = buffer;
        return gpu_map_part(c->g, c->map, first * bytes / c->map_bytes, n * bytes / c->map_bytes, buffer, error);
    }
    *part = (const char *)input + first * bytes;
    if (!on_host) return WEFT_OK;
    CUDA_TRY(cudaMemcpyAsync(buffer, *part, n * bytes, cudaMemcpyHostToDevice, c->g->stream), c->name);
    *part = buffer;
    return WEFT_OK;
}

static weft_status run_in_chunks(const call *c, kernel k, weft_error *error) {
    const uint64_t chunk = STAGING_BYTES / 2 / cuda_type_bytes(c->j.dtype);
    for (uint64_t first = 0; first < c->j.total; first += chunk) {
        reduce_params j = c->j;
        j.first = first;
        j.n = j.total - first < chunk ? j.total - first : chunk;
        j.chunk = first / chunk;
        j.last = first + j.n == j.total;
        RETURN_IF_ERROR(stage(c, c->x_on_host, c->j.x, first, j.n, c->g->staging, &j.x, error));
        if (c->j.y)
            RETURN_IF_ERROR(
                stage(c, c->y_on_host, c->j.y, first, j.n, c->g->staging + STAGING_BYTES / 2, &j.y, error));
        RETURN_IF_ERROR(launch(c, k, &j, error));
    }
    return WEFT_OK;
}

static weft_status run_formula(const call *c, kernel k, weft_error *error) {
    void *compiled;
    int rows;
    const uint64_t values = c->j.total * cuda_type_bytes(c->j.dtype) / c->map_bytes;
    RETURN_IF_ERROR(gpu_formula_kernel(c->g, c->map, NULL, &k, values, &compiled, &rows, error));
    if (compiled) return launch_compiled(c, k, compiled, error);
    RETURN_IF_ERROR(gpu_staging(c->g, c->name, error));
    return run_in_chunks(c, k, error);
}

weft_status call_run(call *c, kernel k, weft_error *error) {
    RETURN_IF(!k.function, WEFT_INTERNAL, "%s: no kernel for dtype %d", c->name, (int)c->j.dtype);
    if (c->map) return run_formula(c, k, error);
    if (c->x_on_host || c->y_on_host) return run_in_chunks(c, k, error);
    reduce_params j = c->j;
    return launch(c, k, &j, error);
}
