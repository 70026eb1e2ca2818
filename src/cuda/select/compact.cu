#include "cuda/select/compact.h"

#define HEADER_BYTES 16 /* before the words of tiles: the ticket */

/* Divides the tiles of a partition into groups. */
static void set_groups(compact_params *j, uint64_t tiles) {
    const uint64_t least = (tiles - 1) / COMPACT_GROUPS + 1, size = least < COMPACT_GROUP ? COMPACT_GROUP : least;
    j->group_tiles = (uint32_t)(size + size % 2);
    j->group_count = (uint32_t)((tiles - 1) / j->group_tiles + 1);
}

static weft_status launch(const gpu *g, const char *operation, const compact_kernels *kernels, compact_params *j,
                          uint64_t tiles, size_t scratch_bytes, char *scratch, weft_error *error) {
    void *arguments[] = {j};
    CUDA_TRY(cudaMemsetAsync(scratch, 0, scratch_bytes, g->stream), operation);
    j->ticket = (unsigned *)scratch;
    j->words = (uint64_t *)(scratch + HEADER_BYTES);
    j->groups = j->words + tiles; /* partitions have one word for each tile */
    j->prefetch_distance = (uint32_t)g->multiprocessors * kernels->prefetch_distance;
    if (kernels->count)
        CUDA_TRY(
            cudaLaunchKernel(kernels->count, dim3(j->group_count), dim3(COMPACT_THREADS), arguments, 0, g->stream),
            operation);
    RETURN_IF_ERROR(gpu_allow_shared(g, kernels->compact, operation, error));
    CUDA_TRY(cudaLaunchKernel(kernels->compact, dim3((unsigned)tiles), dim3(COMPACT_THREADS), arguments,
                              kernels->shared_bytes, g->stream),
             operation);
    return WEFT_OK;
}

/* Sets the sizes of outputs in host memory to what was written, for which the host reads the count. out_bytes is 0 if
 * all of y is written. */
static weft_status learn_bytes(gpu *g, const char *operation, gpu_array arrays[COMPACT_ARRAYS], size_t out_bytes,
                               weft_error *error) {
    if (out_bytes == 0) return WEFT_OK;
    if (!arrays[COMPACT_Y].on_host && !arrays[COMPACT_LENGTHS].on_host) return WEFT_OK;
    CUDA_TRY(
        cudaMemcpyAsync(g->pinned, arrays[COMPACT_COUNT].at, sizeof *g->pinned, cudaMemcpyDeviceToHost, g->stream),
        operation);
    CUDA_TRY(cudaStreamSynchronize(g->stream), operation);
    arrays[COMPACT_Y].bytes = *g->pinned * out_bytes;
    arrays[COMPACT_LENGTHS].bytes = *g->pinned * sizeof(uint64_t);
    return WEFT_OK;
}

weft_status compact_run(gpu *g, const char *operation, const compact_kernels *kernels, compact_params *j,
                        gpu_array arrays[COMPACT_ARRAYS], size_t out_bytes, weft_error *error) {
    const uint64_t tile = COMPACT_TILE(kernels->tile_bytes), tiles = j->n / tile + (j->n % tile != 0);
    const size_t words = arrays[COMPACT_LENGTHS].p ? 2 : 1;
    if (kernels->count && tiles > 0) set_groups(j, tiles);
    const size_t scratch_bytes = HEADER_BYTES + (tiles * words + j->group_count + 1) * sizeof(uint64_t);
    void *scratch;
    RETURN_IF(tiles > INT32_MAX, WEFT_INVALID, "%s of %llu elements: a GPU supports at most %llu", operation,
              (unsigned long long)j->n, (unsigned long long)(tile * INT32_MAX));
    RETURN_IF_ERROR(arrays_copy_in(g, operation, arrays, COMPACT_ARRAYS, scratch_bytes, &scratch, error));
    j->x = arrays[COMPACT_X].at;
    j->flags = (const uint8_t *)arrays[COMPACT_FLAGS].at;
    j->y = arrays[COMPACT_Y].at;
    j->lengths = (uint64_t *)arrays[COMPACT_LENGTHS].at;
    j->count = (uint64_t *)arrays[COMPACT_COUNT].at;
    j->tile = (uint32_t)tile;
    if (tiles > 0)
        RETURN_IF_ERROR(launch(g, operation, kernels, j, tiles, scratch_bytes, (char *)scratch, error));
    else
        CUDA_TRY(cudaMemsetAsync(j->count, 0, sizeof *j->count, g->stream), operation);
    RETURN_IF_ERROR(learn_bytes(g, operation, arrays, out_bytes, error));
    return arrays_copy_out(g, operation, arrays, COMPACT_ARRAYS, error);
}
