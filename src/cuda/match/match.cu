/* weft_match_count and weft_match_list. A warp processes tiles of the text, in chunks of GROUPS groups of 16 bytes
 * per lane, loaded aligned. The positions of a group are looked up in the set's filter, which the block has in shared
 * memory: every position, or every second or fourth (arith/match_set.h). Positions whose gram is in the filter are
 * queued (for lists in order) until there is one for each lane; then the warp compares all of them with the patterns.
 * Lanes therefore rarely idle, and most of the text costs only a few instructions per byte. Counts are accumulated in
 * shared memory if they fit there, and then added to memory by one atomic addition per pattern and block. A list
 * requires two passes over the text: the first counts the matches of each tile, and the exclusive scan of these
 * counts is the offset of each tile in the list. */
#include "arith/match_set.h"
#include "cuda/runtime/arrays.h"

#include <stdlib.h>

enum {
    THREADS = 256,
    BLOCKS = 4, /* minimum resident per multiprocessor */
    WARP = 32,
    WARPS = THREADS / WARP,
    PER = 16, /* bytes per group */
    STEP = WARP * PER,
    GROUPS = 8, /* per lane and chunk */
    CHUNK = GROUPS * STEP,
    TILE_CHUNKS = 8,        /* maximum per tile */
    QUEUE = 2 * WARP,       /* fewer than WARP left over, plus one gram per lane or all grams of a group */
    SHARED_COUNTS = 2048,   /* maximum number of 32-bit counters in shared memory */
    FEW = 8,                /* maximum number of patterns that are compared one by one */
    LAUNCH_TILES = 1 << 16, /* tiles counted per launch: no 32-bit counter can overflow */
    STRIDES = 3             /* 1, 2 and 4 */
};
#define ALL_LANES 0xffffffffu

typedef struct match_params {
    weft_match_set set;
    const unsigned char *text;
    uint64_t n, first, end; /* positions [first, end) are searched */
    uint64_t from;          /* position of the first group: an aligned address, at `first` or up to 15 before it */
    uint64_t tile, tiles;   /* range of this launch */
    uint32_t tile_chunks, filter_words, shared_counts;
    uint32_t keys_suffice; /* 1 if a matching key is a match: no pattern exceeds its key, and whole_word is off */
    uint32_t few;          /* number of patterns if at most FEW, else 0; their keys and masks follow */
    uint32_t few_keys[FEW], few_masks[FEW];
} match_params;

/* ------------------------------------------------------------------------------- the text */

/* Returns the byte at a position, or 0 outside the text. */
static __device__ __forceinline__ uint32_t byte_at(const match_params &j, int64_t position) {
    return position >= 0 && (uint64_t)position < j.n ? j.text[position] : 0;
}

static __device__ __forceinline__ uint32_t four_by_bytes(const match_params &j, int64_t position) {
    uint32_t four = 0;
#pragma unroll 1
    for (int k = 0; k < 4; k++) four |= byte_at(j, position + k) << 8 * k;
    return four;
}

static __device__ __forceinline__ uint4 group_by_bytes(const match_params &j, int64_t from) {
    uint4 v = {0, 0, 0, 0};
#pragma unroll 1
    for (int k = 0; k < PER; k++) {
        v.x = __funnelshift_r(v.x, v.y, 8);
        v.y = __funnelshift_r(v.y, v.z, 8);
        v.z = __funnelshift_r(v.z, v.w, 8);
        v.w = __funnelshift_r(v.w, byte_at(j, from + k), 8);
    }
    return v;
}

static __device__ __forceinline__ bool in_text(const match_params &j, int64_t from, int bytes) {
    return from >= 0 && (uint64_t)from + (uint64_t)bytes <= j.n;
}

/* Loads four bytes. Here and below, `inside` is true if all positions of the tile are searched and all bytes read
 * around them are in the text. */
static __device__ __forceinline__ uint32_t four_at(const match_params &j, int64_t position, bool inside) {
    const unsigned skip = (unsigned)((uintptr_t)(j.text + position) % 4);
    if (!inside && !in_text(j, position - (int64_t)skip, 8)) return four_by_bytes(j, position);
    const uint32_t *const words = (const uint32_t *)(j.text + position - skip);
    return __funnelshift_r(__ldg(words), __ldg(words + 1), 8 * skip);
}

/* Load the word or the group at a position whose address is aligned. */
static __device__ __forceinline__ uint32_t load_word(const match_params &j, int64_t from, bool inside) {
    return inside || in_text(j, from, 4) ? __ldg((const uint32_t *)(j.text + from)) : four_by_bytes(j, from);
}

static __device__ __forceinline__ uint4 load_group(const match_params &j, int64_t from, bool inside) {
    return inside || in_text(j, from, PER) ? __ldg((const uint4 *)(j.text + from)) : group_by_bytes(j, from);
}

/* Returns the first word of the group after the lane's. `next` must be, in lane 0, the first word after the groups of
 * this step. */
static __device__ __forceinline__ uint32_t word_after(uint32_t mine, uint32_t next) {
    const int lane = threadIdx.x % WARP;
    return __shfl_sync(ALL_LANES, lane == 0 ? next : mine, lane + 1);
}

/* ------------------------------------------------------------------------------ the filter */

/* Returns a mask: bit b is 1 if the filter contains the gram at byte b STRIDE of the group. A filter word is shifted
 * right by the gram's first byte modulo 32; its lowest bit is then shifted into `bits`. */
template <int STRIDE, bool FOLD>
static __device__ __forceinline__ uint32_t look_up(const match_params &j, const uint32_t *filter, uint4 group,
                                                   uint32_t after) {
    const uint32_t fold = FOLD ? weft_match_filter_fold(&j.set) : 0, shift = weft_match_filter_shift(&j.set);
    const uint32_t v[PER / 4 + 1] = {group.x | fold, group.y | fold, group.z | fold, group.w | fold, after | fold};
    uint32_t marks = 0;
    for (uint32_t i = 0; i < (STRIDE > 1 ? 1 : j.set.gram_count); i++) {
        const uint32_t factor = weft_match_filter_factor(j.set.grams[i]);
        uint32_t bits = 0;
#pragma unroll
        for (int k = 0; k < PER; k += STRIDE) {
            const uint32_t x = __funnelshift_r(v[k / 4], v[k / 4 + 1], 8 * (k % 4));
            bits = __funnelshift_r(bits, __funnelshift_r(filter[x * factor >> shift], 0, x), 1);
        }
        marks |= bits >> (32 - PER / STRIDE);
    }
    return marks;
}

/* ----------------------------------------------------------------------------- the matches */

/* Returns a mask: bit i is 1 if `four` begins with the key of pattern i, for at most FEW patterns. */
static __device__ __forceinline__ uint32_t few_at(const match_params &j, uint32_t four) {
    uint32_t keys = 0;
#pragma unroll
    for (uint32_t i = 0; i < FEW; i++) keys |= (((four ^ j.few_keys[i]) & j.few_masks[i]) == 0 ? 1u : 0u) << i;
    return keys & ((1u << j.few) - 1);
}

/* Calls found(position, pattern) for each match at `position`, by ascending pattern. If STRIDE > 1, all
 * patterns are of one class. */
template <int STRIDE, bool FOLD, class FOUND>
static __device__ __forceinline__ void each_of_many(const match_params &j, int64_t position, bool inside,
                                                    FOUND found) {
    const weft_match_set &s = j.set;
    const uint32_t four = four_at(j, position, inside);
    if (STRIDE == 1 && s.class_count > 1) {
        weft_match_cursor cursor = weft_match_begin(&s, four);
        for (uint32_t i; (i = weft_match_next(&s, &cursor, j.text, j.n, (size_t)position)) < s.patterns;)
            found(position, i);
        return;
    }
    const uint32_t key = (FOLD ? weft_match_fold_four(&s, four) : four) & weft_match_class_mask(s.classes[0]);
    const uint32_t bucket = weft_match_hash(key) >> (32 - s.buckets_log2);
    for (uint32_t at = s.buckets[bucket], end = s.buckets[bucket + 1]; at < end; at++) {
        const uint32_t i = s.entries[at];
        if (s.keys[i] != key) continue;
        if ((j.keys_suffice && inside) || weft_match_rest(&s, i, j.text, j.n, (size_t)position)) found(position, i);
    }
}

/* Calls found(position, pattern) for each match at the positions last - (STRIDE - 1) .. last, by ascending position:
 * a pattern whose gram is at `last` begins at one of these. */
template <int STRIDE, bool FOLD, class FOUND>
static __device__ __forceinline__ void each_match(const match_params &j, int64_t last, bool inside, FOUND found) {
    const int64_t first = last - (STRIDE - 1);
    uint32_t keys = 0;
#pragma unroll
    for (int k = 0; k < STRIDE; k++) {
        if (!inside && (first + k < (int64_t)j.first || first + k >= (int64_t)j.end)) continue;
        if (j.few)
            keys |= few_at(j, four_at(j, first + k, inside)) << k * FEW;
        else
            each_of_many<STRIDE, FOLD>(j, first + k, inside, found);
    }
    for (; keys; keys &= keys - 1) {
        const uint32_t bit = (uint32_t)__ffs((int)keys) - 1, i = bit % FEW;
        const int64_t position = first + bit / FEW;
        if ((j.keys_suffice && inside) || weft_match_rest(&j.set, i, j.text, j.n, (size_t)position))
            found(position, i);
    }
}

/* Sink that counts the matches of each pattern. A sink processes those grams of a tile that are in the filter, at
 * most one per lane at a time. All lanes must call take(), with `is` true in those that have a gram. */
template <int STRIDE, bool FOLD> struct counting {
    static constexpr bool IN_ORDER = false;
    const match_params &j;
    uint32_t *counters; /* in shared memory; unused if j.shared_counts is 0 */
    uint64_t *counts;

    template <bool INSIDE> __device__ __forceinline__ void take(int64_t gram, bool is) {
        if (!is) return;
        each_match<STRIDE, FOLD>(j, gram, INSIDE, [&](int64_t, uint32_t i) {
            if (j.shared_counts)
                atomicAdd(&counters[i], 1u);
            else
                atomicAdd((unsigned long long *)&counts[i], 1ull);
        });
    }
};

/* Sink that counts matches, and if there is a list writes them from index `at` on. */
template <int STRIDE, bool FOLD> struct listing {
    static constexpr bool IN_ORDER = true;
    const match_params &j;
    uint64_t at, capacity; /* `at` is equal in all lanes */
    uint64_t *positions;   /* NULL: matches are only counted */
    uint32_t *numbers;

    template <bool INSIDE> __device__ __forceinline__ void take(int64_t gram, bool is) {
        uint64_t mine = 0;
        if (is) each_match<STRIDE, FOLD>(j, gram, INSIDE, [&](int64_t, uint32_t) { mine++; });
        uint64_t up_to = mine;
        for (unsigned distance = 1; distance < WARP; distance *= 2) {
            const uint64_t before = __shfl_up_sync(ALL_LANES, up_to, distance);
            if (threadIdx.x % WARP >= distance) up_to += before;
        }
        if (positions && mine) write<INSIDE>(gram, at + up_to - mine);
        at += __shfl_sync(ALL_LANES, up_to, WARP - 1);
    }

    template <bool INSIDE> __device__ __forceinline__ void write(int64_t gram, uint64_t next) {
        each_match<STRIDE, FOLD>(j, gram, INSIDE, [&](int64_t position, uint32_t i) {
            if (next < capacity) {
                positions[next] = (uint64_t)position;
                numbers[next] = i;
            }
            next++;
        });
    }
};

/* ------------------------------------------------------------------------------ the queue */

/* Queue of a warp's grams to process, as positions relative to the tile. Contains fewer than WARP of them between
 * calls. */
template <int STRIDE, bool INSIDE, class SINK> struct gram_queue {
    uint16_t *grams;
    int64_t tile; /* position of its first group */
    SINK &sink;
    unsigned count;

    __device__ __forceinline__ void take(unsigned present) {
        const unsigned lane = threadIdx.x % WARP;
        __syncwarp();
        const bool is = lane < present;
        sink.template take<INSIDE>(is ? tile + grams[lane] : tile, is);
        __syncwarp();
    }

    /* Processes WARP grams if there are as many, and moves the others to the front of the queue. */
    __device__ __forceinline__ void take_warp() {
        const unsigned lane = threadIdx.x % WARP;
        if (count < WARP) return;
        take(WARP);
        count -= WARP;
        if (lane < count) grams[lane] = grams[WARP + lane];
        __syncwarp();
    }

    __device__ __forceinline__ void take_rest() {
        if (count) take(count);
        count = 0;
    }

    /* Pushes one gram of each lane that has any, until no lane has. Bit b of `marks` is byte b STRIDE % PER of group
     * b STRIDE / PER; groups are STEP bytes apart. */
    __device__ __forceinline__ void push_any(uint32_t marks, unsigned position) {
        const unsigned below = (1u << threadIdx.x % WARP) - 1;
        for (unsigned lanes; (lanes = __ballot_sync(ALL_LANES, marks != 0)) != 0; take_warp()) {
            if (marks) {
                const unsigned byte = STRIDE * ((unsigned)__ffs((int)marks) - 1);
                grams[count + __popc(lanes & below)] = (uint16_t)(position + byte % PER + byte / PER * STEP);
            }
            marks &= marks - 1;
            count += __popc(lanes);
        }
    }

    /* Pushes the grams of one group per lane, in the order of lanes. */
    __device__ __forceinline__ void push_in_order(uint32_t marks, unsigned position) {
        for (unsigned lanes = __ballot_sync(ALL_LANES, marks != 0); lanes; lanes &= lanes - 1, take_warp()) {
            const int lane = __ffs((int)lanes) - 1;
            unsigned at = count;
            if ((int)threadIdx.x % WARP == lane)
                for (uint32_t left = marks; left; left &= left - 1)
                    grams[at++] = (uint16_t)(position + STRIDE * ((unsigned)__ffs((int)left) - 1));
            count += __popc(__shfl_sync(ALL_LANES, marks, lane));
        }
    }
};

/* ---------------------------------------------------------------------------------- a tile */

/* Returns the number of chunks of a tile with positions to search, or with positions to look up for these. */
static __device__ uint32_t chunks_of(const match_params &j, int64_t tile) {
    const int64_t left = (int64_t)j.end + (int64_t)j.set.stride - 1 - tile;
    const int64_t chunks = (left + CHUNK - 1) / CHUNK;
    return chunks < (int64_t)j.tile_chunks ? (uint32_t)chunks : j.tile_chunks;
}

/* Searches `chunks` chunks from `tile` on. All lanes of a warp must call it. */
template <int STRIDE, bool FOLD, bool INSIDE, class SINK>
static __device__ __forceinline__ void search_chunks(const match_params &j, const uint32_t *filter, uint16_t *grams,
                                                     int64_t tile, uint32_t chunks, SINK &sink) {
    constexpr int BITS = PER / STRIDE, HELD = SINK::IN_ORDER ? 1 : 2 * STRIDE; /* groups per push */
    const uint32_t lane = threadIdx.x % WARP;
    gram_queue<STRIDE, INSIDE, SINK> queue = {grams, tile, sink, 0};
    for (unsigned at = lane * PER; at < chunks * CHUNK; at += CHUNK) {
        uint4 v[GROUPS];
        uint32_t marks[GROUPS / HELD] = {0};
#pragma unroll
        for (int i = 0; i < GROUPS; i++) v[i] = load_group(j, tile + at + i * STEP, INSIDE);
        const uint32_t next = load_word(j, tile + at - lane * PER + CHUNK, INSIDE);
#pragma unroll
        for (int i = 0; i < GROUPS; i++) {
            const uint32_t after = STRIDE < 4 ? word_after(v[i].x, i + 1 < GROUPS ? v[i + 1].x : next) : 0;
            marks[i / HELD] |= look_up<STRIDE, FOLD>(j, filter, v[i], after) << i % HELD * BITS;
        }
#pragma unroll 1
        for (int i = 0; i < GROUPS; i += HELD) {
            if (SINK::IN_ORDER)
                queue.push_in_order(marks[0], at + i * STEP);
            else
                queue.push_any(marks[0], at + i * STEP);
#pragma unroll
            for (int k = 1; k < GROUPS / HELD; k++) marks[k - 1] = marks[k];
        }
    }
    queue.take_rest();
}

/* Searches a tile, without range checks (`inside`) if all its positions are searched and all bytes read around them
 * are in the text. */
template <int STRIDE, bool FOLD, class SINK>
static __device__ __forceinline__ void search_tile(const match_params &j, const uint32_t *filter, uint16_t *grams,
                                                   uint64_t number, SINK &sink) {
    const int64_t tile = (int64_t)(j.from + number * j.tile_chunks * CHUNK);
    const uint32_t chunks = chunks_of(j, tile);
    if (tile - 4 >= (int64_t)j.first && tile + (int64_t)chunks * CHUNK + PER + 4 <= (int64_t)j.end)
        search_chunks<STRIDE, FOLD, true>(j, filter, grams, tile, chunks, sink);
    else
        search_chunks<STRIDE, FOLD, false>(j, filter, grams, tile, chunks, sink);
}

/* -------------------------------------------------------------------------------- kernels */

/* Shared memory of a block: the filter, then counters. A warp processes every (gridDim.x * WARPS)th tile. */
extern __shared__ uint32_t shared_words[];

static __device__ void load_filter(const match_params &j) {
    for (uint32_t i = threadIdx.x; i < j.filter_words; i += THREADS) shared_words[i] = j.set.filter[i];
}

template <int STRIDE, bool FOLD>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    count_kernel(const __grid_constant__ match_params j, uint64_t *counts) {
    __shared__ uint16_t grams[WARPS][QUEUE];
    const uint32_t warp = threadIdx.x / WARP;
    uint32_t *const counters = shared_words + j.filter_words;
    load_filter(j);
    for (uint32_t i = threadIdx.x; i < j.shared_counts; i += THREADS) counters[i] = 0;
    __syncthreads();
    counting<STRIDE, FOLD> sink = {j, counters, counts};
    for (uint64_t tile = (uint64_t)blockIdx.x * WARPS + warp; tile < j.tiles; tile += (uint64_t)gridDim.x * WARPS)
        search_tile<STRIDE, FOLD>(j, shared_words, grams[warp], j.tile + tile, sink);
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < j.shared_counts; i += THREADS)
        if (counters[i]) atomicAdd((unsigned long long *)&counts[i], (unsigned long long)counters[i]);
}

/* If `positions` is NULL, counts the matches of each tile to starts[tile]. Otherwise writes the matches of each tile
 * to the list from index starts[tile] on. */
template <int STRIDE, bool FOLD>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    list_kernel(const __grid_constant__ match_params j, uint64_t *starts, uint64_t capacity, uint64_t *positions,
                uint32_t *numbers) {
    __shared__ uint16_t grams[WARPS][QUEUE];
    const uint32_t warp = threadIdx.x / WARP;
    load_filter(j);
    __syncthreads();
    for (uint64_t tile = (uint64_t)blockIdx.x * WARPS + warp; tile < j.tiles; tile += (uint64_t)gridDim.x * WARPS) {
        const uint64_t start = positions ? starts[tile] : 0;
        if (positions && (start >= capacity || start == starts[tile + 1])) continue;
        listing<STRIDE, FOLD> sink = {j, start, capacity, positions, numbers};
        search_tile<STRIDE, FOLD>(j, shared_words, grams[warp], tile, sink);
        if (!positions && threadIdx.x % WARP == 0) starts[tile] = sink.at;
    }
}

/* -------------------------------------------------------------------------------- launches */

typedef void (*count_function)(match_params, uint64_t *);
typedef void (*list_function)(match_params, uint64_t *, uint64_t, uint64_t *, uint32_t *);

static const count_function COUNT_KERNELS[STRIDES][2] = {{count_kernel<1, false>, count_kernel<1, true>},
                                                         {count_kernel<2, false>, count_kernel<2, true>},
                                                         {count_kernel<4, false>, count_kernel<4, true>}};
static const list_function LIST_KERNELS[STRIDES][2] = {{list_kernel<1, false>, list_kernel<1, true>},
                                                       {list_kernel<2, false>, list_kernel<2, true>},
                                                       {list_kernel<4, false>, list_kernel<4, true>}};

static unsigned blocks_for(const gpu *g, uint64_t tiles) {
    const uint64_t most = BLOCKS * (uint64_t)g->multiprocessors, blocks = (tiles + WARPS - 1) / WARPS;
    return (unsigned)(blocks < most ? blocks : most);
}

static size_t shared_bytes(const match_params *j) {
    return ((size_t)j->filter_words + j->shared_counts) * sizeof(uint32_t);
}

static weft_status launch_count(const gpu *g, match_params *j, uint64_t *counts, weft_error *error) {
    const count_function kernel = COUNT_KERNELS[j->set.stride / 2][j->set.fold_case];
    const uint64_t tiles = j->tiles;
    CUDA_TRY(cudaMemsetAsync(counts, 0, j->set.patterns * sizeof *counts, g->stream), "match");
    for (j->tile = 0; j->tile < tiles; j->tile += LAUNCH_TILES) {
        j->tiles = tiles - j->tile < LAUNCH_TILES ? tiles - j->tile : (uint64_t)LAUNCH_TILES;
        kernel<<<blocks_for(g, j->tiles), THREADS, shared_bytes(j), g->stream>>>(*j, counts);
        CUDA_TRY(cudaGetLastError(), "match");
    }
    return WEFT_OK;
}

/* The exclusive scan includes starts[tiles], which becomes the total. */
static weft_status launch_list(gpu *g, const match_params *j, uint64_t *starts, const match_call *c,
                               uint64_t *positions, uint32_t *numbers, uint64_t *total, weft_error *error) {
    const list_function kernel = LIST_KERNELS[j->set.stride / 2][j->set.fold_case];
    const unsigned blocks = blocks_for(g, j->tiles);
    const size_t counts = (size_t)j->tiles + 1, shared = shared_bytes(j);
    const scan_call sum = {WEFT_SUM, WEFT_EXCLUSIVE, WEFT_U64, WEFT_U64, counts, starts, NULL, starts, NULL};
    CUDA_TRY(cudaMemsetAsync(starts + j->tiles, 0, sizeof *starts, g->stream), "match");
    if (blocks) kernel<<<blocks, THREADS, shared, g->stream>>>(*j, starts, 0, nullptr, nullptr);
    CUDA_TRY(cudaGetLastError(), "match");
    RETURN_IF_ERROR(cuda_scan(g, &sum, error));
    if (blocks && c->capacity)
        kernel<<<blocks, THREADS, shared, g->stream>>>(*j, starts, c->capacity, positions, numbers);
    CUDA_TRY(cudaGetLastError(), "match");
    CUDA_TRY(cudaMemcpyAsync(total, starts + j->tiles, sizeof *total, cudaMemcpyDeviceToDevice, g->stream), "match");
    return WEFT_OK;
}

/* ------------------------------------------------------------------------------------ call */

enum { TEXT, PATTERNS, COUNTS, POSITIONS, NUMBERS, TOTAL, ARRAYS };

/* Sets the members that do not depend on addresses. A tile has as many chunks as yield one tile per resident warp, at
 * most TILE_CHUNKS. */
static void plan(const gpu *g, const match_call *c, match_params *j) {
    const uint64_t warps = (uint64_t)BLOCKS * WARPS * (uint64_t)g->multiprocessors;
    const uint64_t chunks = (c->end - c->first) / CHUNK / warps;
    memset(j, 0, sizeof *j);
    j->set = weft_match_plan(c->patterns, c->offsets, c->fold_case, c->whole_word, true);
    j->filter_words = (1u << j->set.filter_log2) / 32;
    j->shared_counts = c->counts && c->patterns <= SHARED_COUNTS ? j->set.patterns : 0;
    j->keys_suffice = !c->whole_word;
    for (size_t i = 0; i < c->patterns; i++)
        if (c->offsets[i + 1] - c->offsets[i] > WEFT_MATCH_CLASSES) j->keys_suffice = 0;
    j->tile_chunks = chunks < 1 ? 1 : chunks < TILE_CHUNKS ? (uint32_t)chunks : (uint32_t)TILE_CHUNKS;
    j->n = c->n;
    j->first = c->first;
    j->end = c->end;
}

/* Divides the text into tiles. Groups are aligned. A pattern at the last position may have its gram up to stride - 1
 * bytes after it. */
static void cut(match_params *j, const void *text) {
    const uint64_t tile = (uint64_t)j->tile_chunks * CHUNK;
    j->text = (const unsigned char *)text;
    j->from = j->first - ((uintptr_t)text + j->first) % PER;
    j->tiles = j->first == j->end ? 0 : (j->end + j->set.stride - 2 - j->from) / tile + 1;
}

static weft_status search(gpu *g, const match_call *c, match_params *j, const uint32_t *block, size_t block_bytes,
                          weft_error *error) {
    const size_t listed = c->counts ? 0 : c->capacity;
    gpu_array arrays[ARRAYS] = {
        {"text", c->text, c->n, ARRAY_IN, false, NULL},
        {"patterns", block, block_bytes, ARRAY_IN, false, NULL},
        {"counts", c->counts, c->counts ? c->patterns * sizeof *c->counts : 0, ARRAY_OUT, false, NULL},
        {"positions", c->positions, listed * sizeof *c->positions, ARRAY_BOTH, false, NULL},
        {"numbers", c->numbers, listed * sizeof *c->numbers, ARRAY_BOTH, false, NULL},
        {"total", c->total, c->counts ? 0 : sizeof *c->total, ARRAY_OUT, false, NULL}};
    const size_t tiles = (c->end - c->first) / (j->tile_chunks * CHUNK) + 2; /* upper bound */
    void *starts;
    RETURN_IF_ERROR(
        arrays_copy_in(g, "match", arrays, ARRAYS, c->counts ? 0 : (tiles + 1) * sizeof(uint64_t), &starts, error));
    weft_match_position(&j->set, (const uint32_t *)arrays[PATTERNS].at);
    cut(j, arrays[TEXT].at);
    if (c->counts)
        RETURN_IF_ERROR(launch_count(g, j, (uint64_t *)arrays[COUNTS].at, error));
    else
        RETURN_IF_ERROR(launch_list(g, j, (uint64_t *)starts, c, (uint64_t *)arrays[POSITIONS].at,
                                    (uint32_t *)arrays[NUMBERS].at, (uint64_t *)arrays[TOTAL].at, error));
    return arrays_copy_out(g, "match", arrays, ARRAYS, error);
}

weft_status cuda_match(void *state, const match_call *c, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    match_params j;
    plan(g, c, &j);
    const size_t bytes = weft_match_words(&j.set) * sizeof(uint32_t);
    uint32_t *const block = (uint32_t *)malloc(bytes);
    RETURN_IF(!block, WEFT_OUT_OF_MEMORY, "cannot allocate host memory for %zu bytes of patterns", bytes);
    weft_match_position(&j.set, block);
    weft_match_fill(&j.set, block, c->offsets, c->bytes);
    j.few = c->patterns <= FEW ? j.set.patterns : 0;
    for (uint32_t i = 0; i < j.few; i++) {
        j.few_keys[i] = j.set.keys[i];
        j.few_masks[i] = j.set.masks[i];
    }
    const weft_status status = search(g, c, &j, block, bytes, error);
    free(block);
    return status;
}
