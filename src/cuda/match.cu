/* weft_match_count and weft_match_list: a block takes tiles of the text's places, a thread 16 of them, which it loads
 * aligned with the four bytes behind. Four bytes at each place tell whether to look closer: they are compared with
 * each of few patterns, or looked up in the set's filter. Counts are added up in shared memory where they have room
 * there, then by one atomic addition a pattern and block. A list is made by going through the text twice: the first
 * time tells how many matches each tile has, and their exclusive scan where its part of the list begins. */
#include "arith/match_set.h"
#include "cuda/arrays.h"

#include <stdlib.h>

enum {
    THREADS = 256,
    PER = 16, /* places of a thread */
    TILE = THREADS * PER,
    FEW = 32,              /* patterns that are compared each */
    SHARED_COUNTS = 4096,  /* that have room in shared memory, 32 bits each */
    LAUNCH_TILES = 1 << 18 /* counted by a launch: no counter of 32 bits can be full */
};

typedef struct match_job {
    weft_match_set set;
    const unsigned char *text;
    uint64_t n, first, end; /* places [first, end) */
    uint64_t from;          /* the place of the first thread: an aligned address, at `first` or up to 15 before it */
    uint64_t tile, tiles;   /* of this launch */
} match_job;

/* ------------------------------------------------------------------------------- a thread */

/* The 20 bytes from place `from` on, which is aligned, and may lie before the text: what is outside is 0. */
static __device__ __forceinline__ void load_bytes(const match_job &j, int64_t from, uint32_t (&v)[PER / 4 + 1]) {
    if (from >= 0 && (uint64_t)from + PER + 4 <= j.n) {
        const uint4 all = *(const uint4 *)(j.text + from);
        v[0] = all.x, v[1] = all.y, v[2] = all.z, v[3] = all.w;
        v[4] = *(const uint32_t *)(j.text + from + PER);
        return;
    }
#pragma unroll
    for (int i = 0; i < PER / 4 + 1; i++) {
        v[i] = 0;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const int64_t at = from + 4 * i + k;
            if (at >= 0 && (uint64_t)at < j.n) v[i] |= (uint32_t)j.text[at] << 8 * k;
        }
    }
}

/* The bits of the thread's places where some pattern may begin. */
static __device__ __forceinline__ uint32_t mark_places(const match_job &j, const uint2 *few, int64_t from) {
    uint32_t v[PER / 4 + 1], four[PER], marks = 0;
    load_bytes(j, from, v);
#pragma unroll
    for (int k = 0; k < PER; k++) four[k] = __funnelshift_r(v[k / 4], v[k / 4 + 1], 8 * (k % 4));
    if (j.set.patterns <= FEW)
        for (uint32_t i = 0; i < j.set.patterns; i++) {
            const uint2 pattern = few[i];
#pragma unroll
            for (int k = 0; k < PER; k++) marks |= (uint32_t)(((four[k] ^ pattern.x) & pattern.y) == 0) << k;
        }
    else
#pragma unroll
        for (int k = 0; k < PER; k++) marks |= weft_match_may_begin(&j.set, four[k]) << k;
    return marks;
}

/* Calls found(place, pattern) for each match at the thread's places of the tile, in order. */
template <class FOUND>
static __device__ __forceinline__ void search_places(const match_job &j, const uint2 *few, uint64_t tile,
                                                     FOUND found) {
    const int64_t from = (int64_t)(j.from + tile * TILE) + (int64_t)threadIdx.x * PER;
    if (from >= (int64_t)j.end) return;
    for (uint32_t marks = mark_places(j, few, from); marks; marks &= marks - 1) {
        const int64_t place = from + __ffs((int)marks) - 1;
        if (place < (int64_t)j.first || place >= (int64_t)j.end) continue;
        uint32_t four = 0;
        for (int k = 0; k < 4 && (uint64_t)place + k < j.n; k++) four |= (uint32_t)j.text[place + k] << 8 * k;
        weft_match_cursor cursor = weft_match_begin(&j.set, four);
        for (uint32_t i; (i = weft_match_next(&j.set, &cursor, j.text, j.n, (size_t)place)) < j.set.patterns;)
            found((uint64_t)place, i);
    }
}

static __device__ void load_few(const match_job &j, uint2 *few) {
    if (threadIdx.x < FEW && threadIdx.x < j.set.patterns)
        few[threadIdx.x] = make_uint2(j.set.keys[threadIdx.x], j.set.masks[threadIdx.x]);
}

/* -------------------------------------------------------------------------------- kernels */

template <bool IN_SHARED>
__global__ void __launch_bounds__(THREADS) count_kernel(const __grid_constant__ match_job j, uint64_t *counts) {
    __shared__ uint2 few[FEW];
    __shared__ uint32_t counters[IN_SHARED ? SHARED_COUNTS : 1];
    load_few(j, few);
    for (uint32_t i = threadIdx.x; IN_SHARED && i < j.set.patterns; i += THREADS) counters[i] = 0;
    __syncthreads();
    for (uint64_t tile = j.tile + blockIdx.x; tile < j.tile + j.tiles; tile += gridDim.x)
        search_places(j, few, tile, [&](uint64_t, uint32_t i) {
            if (IN_SHARED)
                atomicAdd(&counters[i], 1u);
            else
                atomicAdd((unsigned long long *)&counts[i], 1ull);
        });
    __syncthreads();
    for (uint32_t i = threadIdx.x; IN_SHARED && i < j.set.patterns; i += THREADS)
        if (counters[i]) atomicAdd((unsigned long long *)&counts[i], (unsigned long long)counters[i]);
}

/* The sum of the values of the block's threads before this one; the whole sum in the last thread, when its own is
 * added. All threads call it. */
static __device__ uint32_t sum_before(uint32_t mine, uint32_t *sums) {
    uint32_t sum = mine;
    __syncthreads();
    sums[threadIdx.x] = sum;
    for (unsigned distance = 1; distance < THREADS; distance *= 2) {
        __syncthreads();
        const uint32_t before = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0;
        __syncthreads();
        sum += before;
        sums[threadIdx.x] = sum;
    }
    return sum - mine;
}

/* WRITE false: how many matches each tile has. WRITE true: the matches, where starts[tile] says. */
template <bool WRITE>
__global__ void __launch_bounds__(THREADS) list_kernel(const __grid_constant__ match_job j, uint64_t *starts,
                                                       uint64_t capacity, uint64_t *positions, uint32_t *numbers) {
    __shared__ uint2 few[FEW];
    __shared__ uint32_t sums[THREADS];
    load_few(j, few);
    __syncthreads();
    for (uint64_t tile = blockIdx.x; tile < j.tiles; tile += gridDim.x) {
        uint32_t mine = 0;
        search_places(j, few, tile, [&](uint64_t, uint32_t) { mine++; });
        const uint32_t before = sum_before(mine, sums);
        if (!WRITE && threadIdx.x == THREADS - 1) starts[tile] = before + mine;
        if (!WRITE || mine == 0) continue;
        uint64_t at = starts[tile] + before;
        search_places(j, few, tile, [&](uint64_t place, uint32_t i) {
            if (at < capacity) {
                positions[at] = place;
                numbers[at] = i;
            }
            at++;
        });
    }
}

/* -------------------------------------------------------------------------------- launches */

static unsigned blocks_for(const gpu *g, uint64_t tiles) {
    const uint64_t most = 8 * (uint64_t)g->multiprocessors;
    return (unsigned)(tiles < most ? tiles : most);
}

static weft_status launch_count(const gpu *g, match_job *j, uint64_t *counts, weft_error *error) {
    const uint64_t tiles = j->tiles;
    CUDA_TRY(cudaMemsetAsync(counts, 0, j->set.patterns * sizeof *counts, g->stream), "match");
    for (j->tile = 0; j->tile < tiles; j->tile += LAUNCH_TILES) {
        j->tiles = tiles - j->tile < LAUNCH_TILES ? tiles - j->tile : (uint64_t)LAUNCH_TILES;
        if (j->set.patterns <= SHARED_COUNTS)
            count_kernel<true><<<blocks_for(g, j->tiles), THREADS, 0, g->stream>>>(*j, counts);
        else
            count_kernel<false><<<blocks_for(g, j->tiles), THREADS, 0, g->stream>>>(*j, counts);
        CUDA_TRY(cudaGetLastError(), "match");
    }
    return WEFT_OK;
}

/* starts[tiles], behind all, becomes the total. */
static weft_status launch_list(gpu *g, const match_job *j, uint64_t *starts, const match_call *c, uint64_t *positions,
                               uint32_t *numbers, uint64_t *total, weft_error *error) {
    const unsigned blocks = blocks_for(g, j->tiles);
    const size_t counts = (size_t)j->tiles + 1;
    const scan_call sum = {WEFT_SUM, WEFT_EXCLUSIVE, WEFT_U64, WEFT_U64, counts, starts, NULL, starts, NULL, false};
    CUDA_TRY(cudaMemsetAsync(starts + j->tiles, 0, sizeof *starts, g->stream), "match");
    if (blocks) list_kernel<false><<<blocks, THREADS, 0, g->stream>>>(*j, starts, 0, NULL, NULL);
    CUDA_TRY(cudaGetLastError(), "match");
    FORWARD(cuda_scan(g, &sum, error));
    if (blocks && c->capacity)
        list_kernel<true><<<blocks, THREADS, 0, g->stream>>>(*j, starts, c->capacity, positions, numbers);
    CUDA_TRY(cudaGetLastError(), "match");
    CUDA_TRY(cudaMemcpyAsync(total, starts + j->tiles, sizeof *total, cudaMemcpyDeviceToDevice, g->stream), "match");
    return WEFT_OK;
}

/* ------------------------------------------------------------------------------------ call */

enum { TEXT, PATTERNS, COUNTS, POSITIONS, NUMBERS, TOTAL, ARRAYS };

/* Places that are in aligned groups of PER, from the group of the first one on. */
static void cut(match_job *j, const match_call *c, const void *text) {
    j->text = (const unsigned char *)text;
    j->n = c->n;
    j->first = c->first;
    j->end = c->end;
    j->from = c->first - ((uintptr_t)text + c->first) % PER;
    j->tiles = c->first == c->end ? 0 : (c->end - j->from - 1) / TILE + 1;
}

static weft_status search(gpu *g, const match_call *c, match_job *j, const uint32_t *block, size_t block_bytes,
                          weft_error *error) {
    const size_t listed = c->counts ? 0 : c->capacity;
    gpu_array arrays[ARRAYS] = {
        {"text", c->text, c->n, ARRAY_IN, false, NULL},
        {"patterns", block, block_bytes, ARRAY_IN, false, NULL},
        {"counts", c->counts, c->counts ? c->patterns * sizeof *c->counts : 0, ARRAY_OUT, false, NULL},
        {"positions", c->positions, listed * sizeof *c->positions, ARRAY_BOTH, false, NULL},
        {"numbers", c->numbers, listed * sizeof *c->numbers, ARRAY_BOTH, false, NULL},
        {"total", c->total, c->counts ? 0 : sizeof *c->total, ARRAY_OUT, false, NULL}};
    const size_t tiles = (c->end - c->first) / TILE + 2; /* at most */
    void *starts;
    FORWARD(arrays_bring(g, "match", arrays, ARRAYS, c->counts ? 0 : (tiles + 1) * sizeof(uint64_t), &starts, error));
    weft_match_place(&j->set, (const uint32_t *)arrays[PATTERNS].at);
    cut(j, c, arrays[TEXT].at);
    if (c->counts)
        FORWARD(launch_count(g, j, (uint64_t *)arrays[COUNTS].at, error));
    else
        FORWARD(launch_list(g, j, (uint64_t *)starts, c, (uint64_t *)arrays[POSITIONS].at,
                            (uint32_t *)arrays[NUMBERS].at, (uint64_t *)arrays[TOTAL].at, error));
    return arrays_return(g, "match", arrays, ARRAYS, error);
}

weft_status cuda_match(void *state, const match_call *c, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    match_job j;
    memset(&j, 0, sizeof j);
    j.set = weft_match_plan(c->patterns, c->offsets, c->fold_case, c->whole_word);
    const size_t bytes = weft_match_words(&j.set) * sizeof(uint32_t);
    uint32_t *const block = (uint32_t *)malloc(bytes);
    RETURN_IF(!block, WEFT_OUT_OF_MEMORY, "no host memory for %zu bytes of patterns", bytes);
    weft_match_place(&j.set, block);
    weft_match_fill(&j.set, block, c->offsets, c->bytes);
    const weft_status status = search(g, c, &j, block, bytes, error);
    free(block);
    return status;
}
