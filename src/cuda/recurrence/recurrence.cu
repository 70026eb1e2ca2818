/* weft_recurrence: choice of a kernel, workspace, launches (ORDER.md 9). */
#include "cuda/recurrence/recurrence_params.h"
#include "cuda/runtime/arrays.h"

#include <string.h>

/* Words from one map to the next, for both types: a sector of the L2 cache, so that each sector has one writer. */
static const uint32_t MAP_WORDS = 4;

/* Tuning of bulk copies: tiles for each multiprocessor from which they are faster; tiles of a row from which tiles
 * are prefetched, because others wait for them. */
enum { BULK_LEAST = 2, BULK_PREFETCH = 16 };

static weft_status start(const gpu *g, const void *kernel, uint64_t blocks, unsigned threads, size_t shared,
                         recurrence_params *j, weft_error *error) {
    void *arguments[] = {j};
    RETURN_IF(blocks > INT32_MAX, WEFT_INVALID,
              "recurrence of %llu rows of %llu elements: a GPU supports at most 2^43", (unsigned long long)j->rows,
              (unsigned long long)j->n);
    RETURN_IF_ERROR(gpu_allow_shared(g, kernel, "recurrence", error));
    CUDA_TRY(cudaLaunchKernel(kernel, dim3((unsigned)blocks), dim3(threads), arguments, shared, g->stream),
             "recurrence");
    return WEFT_OK;
}

/* Launches the kernel for short rows. The threads for a row's groups are a power of two, so a row is either within
 * one half warp or consists of full half warps. */
static weft_status start_short(const gpu *g, const recurrence_launch *kernels, recurrence_params *j,
                               weft_error *error) {
    j->row_threads = 1;
    while (j->row_threads * WEFT_SCAN_GROUP < j->n) j->row_threads *= 2;
    const uint64_t block_rows = SCAN_THREADS / j->row_threads;
    return start(g, kernels->short_rows, (j->rows - 1) / block_rows + 1, SCAN_THREADS, kernels->short_bytes, j,
                 error);
}

/* Returns the number of tiles of a block: as many as fit the buffer and the GPU's shared memory, but fewer if there
 * would not be a block for every multiprocessor. */
static uint32_t tiles_of_block(const gpu *g, const recurrence_launch *kernels, uint64_t tiles) {
    const size_t bytes = kernels->tile_bytes;
    const bool two = 2 * bytes <= SCAN_BUFFER_BYTES && kernels->long_bytes + bytes <= g->shared_bytes &&
                     tiles / 2 >= (uint64_t)g->multiprocessors;
    return two ? 2 : 1;
}

/* Returns true if `bulk` can process rows of `tiles` tiles, and is faster than blocks that do not stay resident. */
static bool use_bulk(const gpu *g, const recurrence_bulk *bulk, const recurrence_params *j, uint64_t tiles) {
    return bulk->kernel && g->has_sm_90 && bulk->shared_bytes <= g->shared_bytes && j->chunks &&
           j->rows <= bulk->tiles_most / tiles && j->rows * tiles >= BULK_LEAST * (uint64_t)g->multiprocessors;
}

static weft_status start_long(gpu *g, const recurrence_launch *kernels, const recurrence_bulk *bulk,
                              recurrence_params *j, weft_error *error) {
    const uint64_t tiles = (j->n - 1) / SCAN_TILE + 1;
    RETURN_IF(tiles > UINT32_MAX, WEFT_INVALID, "recurrence of rows of %llu elements: a GPU supports at most 2^44",
              (unsigned long long)j->n);
    const bool by_bulk = use_bulk(g, bulk, j, tiles);
    const uint32_t words = by_bulk ? bulk->map_words : MAP_WORDS;
    RETURN_IF_ERROR(published_hold(g, "recurrence", j->rows, tiles, words, &j->totals, error));
    if (by_bulk) {
        j->row_blocks = (uint32_t)tiles;
        j->prefetch_distance = tiles > BULK_PREFETCH ? (uint32_t)g->multiprocessors : 0;
        return start(g, bulk->kernel, (uint64_t)g->multiprocessors, bulk->threads, bulk->shared_bytes, j, error);
    }
    j->block_tiles = tiles_of_block(g, kernels, j->rows * tiles);
    j->prefetch_distance = (uint32_t)g->multiprocessors;
    j->row_blocks = (uint32_t)((tiles - 1) / j->block_tiles + 1);
    const size_t shared = kernels->long_bytes + (j->block_tiles - 1) * kernels->tile_bytes;
    return start(g, kernels->long_rows, j->rows * j->row_blocks, SCAN_THREADS, shared, j, error);
}

/* Copies the map of the only row to `map`. With at most 16 tiles, no block has published it, so the kernel combines
 * the maps of the tiles. With more, the last block has published it as the first map of the highest level. */
static weft_status give_map(gpu *g, const recurrence_launch *kernels, const recurrence_params *j, uint64_t *map,
                            weft_error *error) {
    const published *p = &j->totals;
    const bool of_tiles = j->n <= SCAN_TILE * WEFT_SCAN_GROUP;
    const uint64_t *words = p->words + p->level_start[of_tiles ? 0 : p->levels - 1] * p->stride;
    uint32_t stride = p->stride;
    int count = of_tiles ? (int)(j->n / SCAN_TILE) : 1;
    uint64_t *to = g->pinned;
    void *arguments[] = {&words, &stride, &count, &to};
    CUDA_TRY(cudaLaunchKernel(kernels->map, dim3(1), dim3(32), arguments, 0, g->stream), "recurrence");
    CUDA_TRY(cudaStreamSynchronize(g->stream), "recurrence");
    memcpy(map, to, 2 * sizeof *to);
    return WEFT_OK;
}

/* Returns true if elements can be moved in 16-byte chunks: the arrays are aligned, and no chunk contains elements of
 * two rows. A single long row that is not reversed may have any length. */
static bool in_chunks(const recurrence_params *j, bool reverse, size_t size) {
    const bool aligned = ((uintptr_t)j->s | (uintptr_t)j->u | (uintptr_t)j->v) % 16 == 0;
    const bool contiguous = j->rows == 1 && !reverse && j->n > SCAN_TILE;
    return aligned && (contiguous || j->n * size % 16 == 0);
}

static gpu_array array_of(const char *name, const void *p, size_t bytes, array_use use) {
    return gpu_array{name, p, bytes, use, false, NULL};
}

/* `map` receives the map of the only row, or is NULL. */
static weft_status run(gpu *g, const recurrence_call *c, uint64_t *map, weft_error *error) {
    const current_device scope(g->device);
    const size_t size = cuda_type_bytes(c->dtype), bytes = c->rows * c->n * size;
    const bool on_s = c->v == c->s, on_u = c->v == c->u;
    void *scratch;
    bool init_on_host = false;
    recurrence_params j;
    memset(&j, 0, sizeof j);
    if (c->init) RETURN_IF_ERROR(gpu_locate(g, "init", c->init, &init_on_host, error));
    const bool by_value = init_on_host && c->rows == 1;
    if (by_value) memcpy(&j.init_value, c->init, size);
    gpu_array arrays[] = {array_of("s", c->s, bytes, on_s ? ARRAY_BOTH : ARRAY_IN),
                          array_of("u", on_u && on_s ? NULL : c->u, bytes, on_u ? ARRAY_BOTH : ARRAY_IN),
                          array_of("v", on_s || on_u ? NULL : c->v, bytes, ARRAY_OUT),
                          array_of("init", by_value ? NULL : c->init, c->rows * size, ARRAY_IN)};
    const int count = sizeof arrays / sizeof *arrays;
    RETURN_IF_ERROR(arrays_copy_in(g, "recurrence", arrays, count, 0, &scratch, error));
    j.s = arrays[0].at;
    j.u = on_u && on_s ? j.s : arrays[1].at;
    j.v = on_s ? arrays[0].at : on_u ? arrays[1].at : arrays[2].at;
    j.init = arrays[3].at;
    j.rows = c->rows;
    j.n = c->n;
    j.chunks = in_chunks(&j, c->reverse, size);
    const recurrence_launch kernels = cuda_recurrence_kernels(c->dtype, c->reverse);
    const recurrence_bulk bulk = cuda_recurrence_bulk(c->dtype, c->reverse);
    const bool is_short = c->n <= SCAN_TILE && !map;
    RETURN_IF_ERROR(is_short ? start_short(g, &kernels, &j, error) : start_long(g, &kernels, &bulk, &j, error));
    if (map) RETURN_IF_ERROR(give_map(g, &kernels, &j, map, error));
    return arrays_copy_out(g, "recurrence", arrays, count, error);
}

weft_status cuda_recurrence(void *state, const recurrence_call *c, weft_error *error) {
    return run((gpu *)state, c, NULL, error);
}

weft_status cuda_recurrence_map(void *state, const recurrence_map_call *c, weft_error *error) {
    return run((gpu *)state, &c->row, c->map, error);
}
