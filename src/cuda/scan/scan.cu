/* weft_scan: choice of a kernel, workspace, launches (ORDER.md 6). */
#include "core/types.h"
#include "cuda/runtime/gpu.h"
#include "cuda/scan/scan_kernels.h"
#include "cuda/scan/scan_params.h"

#include <string.h>

static scan_launch kernel_of(const scan_call *c) {
    switch (c->op) {
    case WEFT_SUM: return cuda_scan_sum_kernel(c->dtype, c->result);
    case WEFT_PROD: return cuda_scan_product_kernel(c->dtype, c->result);
    case WEFT_MIN:
    case WEFT_MAX: return cuda_scan_extreme_kernel(c->dtype);
    case WEFT_AND:
    case WEFT_OR: return cuda_scan_or_kernel(c->dtype);
    default: return cuda_scan_xor_kernel(c->dtype);
    }
}

/* Returns the XOR mask that distinguishes an operator from its mirror image (min from max, or from and), and signed
 * from unsigned keys. */
uint64_t gpu_scan_xor_mask(weft_op op, weft_dtype dtype) {
    const bool is_signed = type_is_signed(dtype);
    const uint64_t sign = is_signed ? (uint64_t)1 << (8 * cuda_type_bytes(dtype) - 1) : 0;
    switch (op) {
    case WEFT_MIN: return sign;
    case WEFT_MAX: return ~sign;
    case WEFT_AND: return UINT64_MAX;
    default: return 0;
    }
}

/* --------------------------------------------------------------------------------- launches */

/* Returns the number of tiles of a block: as many as fit the buffer and the GPU's shared memory, but fewer if there
 * would not be a block for every multiprocessor. */
uint32_t gpu_scan_block_tiles(const gpu *g, const scan_launch *kernel, uint32_t tiles) {
    uint32_t count = 1;
    while (2 * count * kernel->tile_bytes <= SCAN_BUFFER_BYTES && 2 * count <= SCAN_TILES_MAX &&
           kernel->shared_bytes + (2 * count - 1) * kernel->tile_bytes <= g->shared_bytes &&
           tiles / (2 * count) >= (uint32_t)g->multiprocessors)
        count *= 2;
    return count;
}

scan_grid gpu_scan_shape(const gpu *g, const scan_launch *kernel, scan_params *j) {
    const uint32_t tiles = (uint32_t)((j->n + SCAN_TILE - 1) / SCAN_TILE);
    j->block_tiles = gpu_scan_block_tiles(g, kernel, tiles);
    return scan_grid{(tiles - 1) / j->block_tiles + 1,
                     kernel->shared_bytes + (j->block_tiles - 1) * kernel->tile_bytes};
}

weft_status gpu_scan_launch(const gpu *g, const scan_launch *kernel, scan_params *j, weft_error *error) {
    const scan_grid grid = gpu_scan_shape(g, kernel, j);
    void *arguments[] = {j};
    j->vectors = ((uintptr_t)j->x | (uintptr_t)j->y) % 16 == 0;
    RETURN_IF_ERROR(gpu_allow_shared(g, kernel->kernel, "scan", error));
    CUDA_TRY(cudaLaunchKernel(kernel->kernel, dim3(grid.blocks), dim3(SCAN_THREADS), arguments, grid.shared_bytes,
                              g->stream),
             "scan");
    return WEFT_OK;
}

scan_params gpu_scan_chunk(const scan_params *all, uint64_t first, uint64_t most, size_t result_bytes) {
    scan_params j = *all;
    j.n = all->n - first < most ? all->n - first : most;
    j.first_tile = (uint32_t)(first / SCAN_TILE);
    j.last = first + j.n == all->n;
    j.y = (char *)all->y + first * result_bytes;
    return j;
}

void gpu_scan_abandon(const gpu *g) { (void)cudaMemsetAsync(g->words, 0, g->words_bytes, g->stream); }

/* Scans an input or output in host memory through the staging buffer, in chunks of full tiles. The published totals
 * are kept from chunk to chunk, so each chunk finds the totals before it as if there were one launch. */
static weft_status launch_chunks(const gpu *g, const scan_call *c, bool x_on_host, bool y_on_host,
                                 const scan_launch *kernel, const scan_params *all, weft_error *error) {
    const size_t in = cuda_type_bytes(c->dtype), out = cuda_type_bytes(c->result);
    const uint64_t chunk = STAGING_BYTES / 2 / (in > out ? in : out) / SCAN_TILE * SCAN_TILE;
    for (uint64_t first = 0; first < c->n; first += chunk) {
        scan_params j = gpu_scan_chunk(all, first, chunk, out);
        j.x = (const char *)c->x + first * in;
        if (x_on_host) {
            CUDA_TRY(cudaMemcpyAsync(g->staging, j.x, j.n * in, cudaMemcpyHostToDevice, g->stream), "scan");
            j.x = g->staging;
        }
        void *y = j.y;
        if (y_on_host) j.y = g->staging + STAGING_BYTES / 2;
        RETURN_IF_ERROR(gpu_scan_launch(g, kernel, &j, error));
        if (y_on_host) CUDA_TRY(cudaMemcpyAsync(y, j.y, j.n * out, cudaMemcpyDeviceToHost, g->stream), "scan");
    }
    return WEFT_OK;
}

static weft_status launch_in_chunks(const gpu *g, const scan_call *c, bool x_on_host, bool y_on_host,
                                    const scan_launch *kernel, const scan_params *all, weft_error *error) {
    const weft_status status = launch_chunks(g, c, x_on_host, y_on_host, kernel, all, error);
    if (status != WEFT_OK) gpu_scan_abandon(g);
    CUDA_TRY(cudaStreamSynchronize(g->stream), "scan");
    return status;
}

weft_status gpu_scan_begin(gpu *g, const scan_call *c, scan_launch *kernel, scan_params *j, weft_error *error) {
    memset(j, 0, sizeof *j);
    j->x = c->x;
    j->y = c->y;
    j->n = c->n;
    j->last = true;
    j->exclusive = c->kind == WEFT_EXCLUSIVE;
    j->has_init = c->init != NULL;
    if (c->init) memcpy(&j->init, c->init, cuda_type_bytes(c->result));
    j->xor_mask = gpu_scan_xor_mask(c->op, c->dtype);
    j->prefetch_distance = (uint32_t)g->multiprocessors / 2;
    const uint64_t tiles = (c->n - 1) / SCAN_TILE + 1;
    RETURN_IF(tiles > UINT32_MAX, WEFT_INVALID, "scan of %zu elements: a GPU supports at most 2^44", c->n);
    RETURN_IF_ERROR(published_hold(g, "scan", 1, tiles, cuda_type_bytes(c->result) == 8 ? 2 : 1, &j->totals, error));
    g->pending = true;
    *kernel = kernel_of(c);
    return WEFT_OK;
}

weft_status cuda_scan(void *state, const scan_call *c, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    if (c->map) return cuda_map_scan(g, c, error);
    bool x_on_host, y_on_host;
    RETURN_IF_ERROR(gpu_locate(g, "x", c->x, &x_on_host, error));
    RETURN_IF_ERROR(gpu_locate(g, "y", c->y, &y_on_host, error));
    if (x_on_host || y_on_host) {
        RETURN_IF_ERROR(gpu_refuse_capture(g, "scan", error));
        RETURN_IF_ERROR(gpu_staging(g, "scan", error));
    }
    scan_launch kernel;
    scan_params j;
    RETURN_IF_ERROR(gpu_scan_begin(g, c, &kernel, &j, error));
    if (x_on_host || y_on_host) return launch_in_chunks(g, c, x_on_host, y_on_host, &kernel, &j, error);
    bool launched;
    RETURN_IF_ERROR(gpu_scan_bulk(g, c, &j, &launched, error));
    return launched ? WEFT_OK : gpu_scan_launch(g, &kernel, &j, error);
}
