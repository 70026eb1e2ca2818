/* Counting sort of integers of 8 and 16 bits (D. E. Knuth, The Art of Computer Programming, vol. 3, 5.2). Equal keys
 * have equal bits, so the number of each key determines the result: memory is read once and written once.
 *
 * code = key ^ xor_mask: keys are sorted by ascending code. ends[c]: the number of keys with codes 0 to c. */
#include "cuda/sort/sort_counting.h"

#include "core/types.h"
#include "cuda/histogram/histogram.cuh"
#include "cuda/runtime/overlap.cuh"

enum {
    GROUP = 256, /* adjacent keys whose number is counted, too */
    VALUES_16 = 1 << 16,
    PAIRS = VALUES_16 / 2,
    FULL = 1 << 15, /* see half_counters */
    COUNT_THREADS = 1024,
    COUNT_ROWS = 3, /* slots of a thread between two barriers */
    SUM_PARTS = 4,
    FILL_THREADS = 256,
    FILL_ROWS = 8,     /* slots that a thread writes, at most */
    FILL_RESIDENT = 64 /* warps in a multiprocessor */
};
#ifndef COUNTING_LEAST_8                   /* the emulated GPU of the tests uses less */
#define COUNTING_LEAST_8 ((size_t)1 << 13) /* fewer keys are sorted by CUB */
#define COUNTING_LEAST_16 ((size_t)1 << 15)
#endif

/* In scratch memory: numbers of keys, and of groups of them; for keys of 16 bits the counters of each block. */
typedef struct counting_params {
    unsigned long long *counts, *groups;
    uint64_t *ends;
    uint32_t *of_blocks, blocks;
    uint32_t keys; /* 2^8 or 2^16 */
    uint32_t xor_mask;
} counting_params;

/* ------------------------------------------------------------------------------------ count */

/* Counters of 16 bits of all keys in shared memory: word i has those of keys i and i + 2^15. A thread that adds to a
 * counter of at least FULL moves FULL of it to memory. After a barrier no counter exceeds FULL + 7, and until the
 * next one the threads of a block count less than 2^15 - 7 keys, so that none exceeds 2^16 - 1. */
struct half_counters {
    enum { PER = slots<uint16_t>::PER };
    const counting_params &j;
    uint32_t *const words;
    __device__ explicit half_counters(const counting_params &params) : j(params), words(histogram_shared()) {
        for (uint32_t i = threadIdx.x; i < PAIRS; i += blockDim.x) words[i] = 0;
    }
    /* Adds to the counter of a key. Returns the word before. */
    __device__ __forceinline__ uint32_t add(uint32_t key, uint32_t count) const {
        return atomicAdd(&words[key % PAIRS], key < PAIRS ? count : count << 16);
    }
    /* Moves FULL if the counter has it. One thread finds the bit set. */
    __device__ void move(uint32_t key) const {
        const uint32_t bit = key < PAIRS ? FULL : (uint32_t)FULL << 16;
        if (words[key % PAIRS] & bit && atomicAnd(&words[key % PAIRS], ~bit) & bit)
            atomicAdd(&j.counts[key], (unsigned long long)FULL);
    }
    /* Counts the keys of a slot. If one of them equals the first, all that do are counted at once: threads that add
     * to the same word wait for one another. */
    __device__ __forceinline__ void add_slot(const uint16_t (&v)[PER], uint32_t present) const {
        const bool all = present == (1u << PER) - 1;
        uint32_t before = 0;
        if (all && v[0] != v[PER / 2]) {
#pragma unroll
            for (int i = 0; i < PER; i++) before |= add(v[i], 1);
        } else if (all) {
            uint32_t equal = 1;
#pragma unroll
            for (int i = 1; i < PER; i++)
                if (v[i] == v[0])
                    equal++;
                else
                    before |= add(v[i], 1);
            before |= add(v[0], equal);
        } else {
#pragma unroll
            for (int i = 0; i < PER; i++)
                if (present >> i & 1) before |= add(v[i], 1);
        }
        if (before & (FULL | (uint32_t)FULL << 16))
            for (int i = 0; i < PER; i++)
                if (present >> i & 1) move(v[i]);
    }
};

/* The slots that a thread counts between two barriers. */
struct some_slots {
    __align__(16) uint16_t v[COUNT_ROWS][half_counters::PER];
    uint32_t present[COUNT_ROWS];
    __device__ __forceinline__ void load(const slots<uint16_t> &x, uint64_t row) {
#pragma unroll
        for (int r = 0; r < COUNT_ROWS; r++) present[r] = x.load(row + r * COUNT_THREADS + threadIdx.x, v[r]);
    }
};

/* Counts keys of 16 bits, and writes the counters of each block. */
static __global__ void __launch_bounds__(COUNT_THREADS)
    count_16_kernel(slots<uint16_t> x, const __grid_constant__ counting_params j) {
    const half_counters counters(j);
    const uint64_t rows = (uint64_t)COUNT_THREADS * COUNT_ROWS, count = x.count();
    some_slots now, next;
    wait_for_stream();
    now.load(x, blockIdx.x * rows);
    __syncthreads();
    for (uint64_t row = blockIdx.x * rows; row < count; row += gridDim.x * rows) {
        next.load(x, row + gridDim.x * rows);
#pragma unroll
        for (int r = 0; r < COUNT_ROWS; r++) counters.add_slot(now.v[r], now.present[r]);
        now = next;
        __syncthreads();
    }
    for (uint32_t i = threadIdx.x; i < PAIRS; i += COUNT_THREADS)
        j.of_blocks[(uint64_t)blockIdx.x * PAIRS + i] = counters.words[i];
}

/* Adds the counters of all blocks to `counts`, and sets `groups`. A block sums GROUP words, each by SUM_PARTS
 * threads: the numbers of two groups. */
static __global__ void __launch_bounds__(GROUP *SUM_PARTS) sum_kernel(const __grid_constant__ counting_params j) {
    __shared__ uint32_t sums[2][GROUP];
    const uint32_t i = threadIdx.x % GROUP, pair = blockIdx.x * GROUP + i;
    if (threadIdx.x < GROUP) sums[0][i] = sums[1][i] = 0;
    wait_for_stream();
    uint32_t low = 0, high = 0;
#pragma unroll 11
    for (uint32_t b = threadIdx.x / GROUP; b < j.blocks; b += SUM_PARTS) {
        const uint32_t word = j.of_blocks[(uint64_t)b * PAIRS + pair];
        low += word & 0xffff;
        high += word >> 16;
    }
    __syncthreads();
    atomicAdd(&sums[0][i], low);
    atomicAdd(&sums[1][i], high);
    __syncthreads();
    if (threadIdx.x >= 2 * GROUP) return;
    const uint32_t half = threadIdx.x / GROUP;
    const unsigned long long count = j.counts[half * PAIRS + pair] += sums[half][i];
    unsigned long long all = count;
    for (uint32_t d = 16; d > 0; d /= 2) all += __shfl_xor_sync(0xffffffffu, all, d);
    if (i % 32 == 0) atomicAdd(&j.groups[half * (PAIRS / GROUP) + blockIdx.x], all);
}

static __global__ void __launch_bounds__(HISTOGRAM_THREADS_FEW)
    count_8_kernel(slots<uint8_t> x, const __grid_constant__ counting_params j) {
    byte_counters counters;
    wait_for_stream();
    counters.add_all(x);
    for (uint32_t key = threadIdx.x; key < byte_counters::VALUES; key += blockDim.x) {
        const unsigned long long total = counters.total(key);
        if (total) atomicAdd(&j.counts[key], total);
    }
}

/* ------------------------------------------------------------------------------------- ends */

/* Sums `v` of the threads up to this one; `above`: added to the result of each. Must be called by a whole block. */
static __device__ __forceinline__ uint64_t block_scan(uint64_t v, uint64_t above) {
    __shared__ uint64_t sums[GROUP / 32], totals[GROUP / 32];
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (uint32_t d = 1; d < 32; d *= 2) {
        const uint64_t other = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d) v += other;
        above += __shfl_xor_sync(0xffffffffu, above, d);
    }
    if (lane == 31) sums[warp] = v;
    if (lane == 0) totals[warp] = above;
    __syncthreads();
    for (uint32_t w = 0; w < GROUP / 32; w++) v += totals[w] + (w < warp ? sums[w] : 0);
    return v;
}

/* Sets `ends`. A block computes those of a group of codes. */
static __global__ void __launch_bounds__(GROUP) ends_kernel(const __grid_constant__ counting_params j) {
    const uint32_t code = blockIdx.x * GROUP + threadIdx.x;
    wait_for_stream();
    const uint64_t before = threadIdx.x < blockIdx.x ? j.groups[threadIdx.x ^ (j.xor_mask / GROUP)] : 0;
    j.ends[code] = block_scan(j.counts[code ^ j.xor_mask], before);
}

/* ------------------------------------------------------------------------------------- fill */

/* Returns the first code with ends[code] > index, which must exist. Must be called by a whole warp. */
static __device__ __forceinline__ uint32_t code_at(const counting_params &j, uint64_t index) {
    const uint32_t lane = threadIdx.x % 32;
    uint32_t first = 0;
    for (uint32_t step = j.keys / 32;; step = max(step / 32, 1u)) {
        const uint32_t probe = min(first + (lane + 1) * step, j.keys) - 1;
        first += (uint32_t)(__ffs((int)__ballot_sync(0xffffffffu, j.ends[probe] > index)) - 1) * step;
        if (step == 1) return first;
    }
}

/* Returns the first code from `code` on with ends[code] > index, which must exist. */
static __device__ __forceinline__ uint32_t next_code(const counting_params &j, uint32_t code, uint64_t index) {
    uint32_t step = 1;
    if (j.ends[code] > index) return code;
    while (code + step < j.keys && j.ends[code + step] <= index) {
        code += step;
        step *= 2;
    }
    for (uint32_t last = min(code + step, j.keys - 1); code + 1 < last;) {
        const uint32_t middle = (code + last) / 2;
        if (j.ends[middle] > index)
            last = middle;
        else
            code = middle;
    }
    return code + 1;
}

/* Sets the keys of a slot; code: that of an element before it. Returns that of the last one. */
template <class Key>
static __device__ __forceinline__ uint32_t set_slot(const counting_params &j, const slots<Key> &y, int64_t at,
                                                    uint32_t code, Key *v) {
    uint64_t end = 0;
#pragma unroll
    for (int i = 0; i < slots<Key>::PER; i++) {
        const uint64_t index = (uint64_t)min(max(at + i, (int64_t)0), (int64_t)y.n - 1);
        if (index >= end) {
            code = next_code(j, code, index);
            end = j.ends[code];
        }
        v[i] = (Key)(code ^ j.xor_mask);
    }
    return code;
}

template <class Key>
static __device__ __forceinline__ void store_slot(const slots<Key> &y, int64_t at, const uint4 &v) {
    Key *const to = (Key *)y.x + at;
    if (at >= 0 && (uint64_t)at + slots<Key>::PER <= y.n) {
        *(uint4 *)to = v;
        return;
    }
    for (int i = 0; i < slots<Key>::PER; i++)
        if (at + i >= 0 && (uint64_t)(at + i) < y.n) to[i] = ((const Key *)&v)[i];
}

/* Returns a slot of one key. */
template <class Key> static __device__ __forceinline__ uint4 equal_keys(uint32_t key) {
    const uint32_t word = key * (sizeof(Key) == 1 ? 0x01010101u : 0x00010001u);
    return uint4{word, word, word, word};
}

/* Writes the sorted keys. A warp writes `rows` rows of 32 slots. */
template <class Key>
static __global__ void __launch_bounds__(FILL_THREADS)
    fill_kernel(slots<Key> y, const __grid_constant__ counting_params j, uint32_t rows) {
    const uint64_t warp = (uint64_t)blockIdx.x * (FILL_THREADS / 32) + threadIdx.x / 32, count = y.count();
    uint64_t row = warp * rows * 32;
    if (row >= count) return;
    wait_for_stream();
    uint32_t code = code_at(j, (uint64_t)max(y.first(row), (int64_t)0));
    uint64_t end = j.ends[code];
    for (uint32_t r = 0; r < rows && row < count; r++, row += 32) {
        const int64_t at = y.first(row + threadIdx.x % 32), next = y.first(row + 32);
        const Key key = (Key)(code ^ j.xor_mask);
        uint4 v = equal_keys<Key>(key);
        if (end < (uint64_t)min(next, (int64_t)y.n)) {
            code = __shfl_sync(0xffffffffu, set_slot(j, y, at, code, (Key *)&v), 31);
            end = j.ends[code];
        }
        store_slot(y, at, v);
    }
}

/* ------------------------------------------------------------------------------------ calls */

bool cuda_sort_counts(const gpu *g, const sort_call *c) {
    const size_t bytes = cuda_type_bytes(c->dtype);
    if (c->value_bytes > 0 || c->bits != 8 * bytes || type_is_real(c->dtype)) return false;
    return (bytes == 1 && c->n >= COUNTING_LEAST_8) ||
           (bytes == 2 && c->n >= COUNTING_LEAST_16 && PAIRS * sizeof(uint32_t) <= g->shared_bytes);
}

/* Returns the blocks that count n keys of 16 bits, of which each takes several rows of slots: the counters of a block
 * take time, too. */
static uint32_t blocks_of_16(const gpu *g, size_t n) {
    const size_t of_block = (size_t)COUNT_THREADS * COUNT_ROWS * half_counters::PER;
    return (uint32_t)min_u64(ceil_div(n, of_block), (uint64_t)g->multiprocessors);
}

size_t cuda_sort_counting_bytes(const gpu *g, const sort_call *c) {
    const size_t bytes = cuda_type_bytes(c->dtype), keys = (size_t)1 << 8 * bytes;
    const size_t of_blocks = bytes == 1 ? 0 : blocks_of_16(g, c->n) * (PAIRS * sizeof(uint32_t));
    return (2 * keys + GROUP) * sizeof(uint64_t) + of_blocks;
}

static weft_status count_8(const gpu *g, const slots<uint8_t> &x, const counting_params &j, weft_error *error) {
    const uint64_t of_block = (uint64_t)HISTOGRAM_THREADS_FEW * HISTOGRAM_ROWS;
    const uint64_t blocks = min_u64(ceil_div(x.count(), of_block), 4 * (uint64_t)g->multiprocessors);
    CUDA_TRY(launch_early(g, true, count_8_kernel, (unsigned)blocks, HISTOGRAM_THREADS_FEW,
                          byte_counters::WORDS * sizeof(uint32_t), x, j),
             "sort");
    return WEFT_OK;
}

static weft_status count_16(const gpu *g, const slots<uint16_t> &x, const counting_params &j, weft_error *error) {
    RETURN_IF_ERROR(gpu_allow_shared(g, (const void *)count_16_kernel, "sort", error));
    CUDA_TRY(launch_early(g, true, count_16_kernel, j.blocks, COUNT_THREADS, PAIRS * sizeof(uint32_t), x, j), "sort");
    CUDA_TRY(launch_early(g, true, sum_kernel, PAIRS / GROUP, GROUP * SUM_PARTS, 0, j), "sort");
    return WEFT_OK;
}

template <class Key>
static weft_status fill(const gpu *g, const slots<Key> &y, const counting_params &j, weft_error *error) {
    const uint64_t all = ceil_div(y.count(), 32), resident = (uint64_t)FILL_RESIDENT * g->multiprocessors;
    const uint32_t rows = (uint32_t)min_u64(FILL_ROWS, ceil_div(all, resident));
    const uint64_t blocks = ceil_div(all, (uint64_t)rows * (FILL_THREADS / 32));
    CUDA_TRY(launch_early(g, true, ends_kernel, j.keys / GROUP, GROUP, 0, j), "sort");
    CUDA_TRY(launch_early(g, true, fill_kernel<Key>, (unsigned)blocks, FILL_THREADS, 0, y, j, rows), "sort");
    return WEFT_OK;
}

weft_status cuda_sort_by_counting(const gpu *g, const sort_call *c, uint32_t xor_mask, const void *from, void *to,
                                  void *scratch, weft_error *error) {
    const size_t bytes = cuda_type_bytes(c->dtype), keys = (size_t)1 << 8 * bytes;
    counting_params j;
    j.counts = (unsigned long long *)scratch;
    j.groups = j.counts + keys;
    j.ends = (uint64_t *)(j.groups + GROUP);
    j.of_blocks = (uint32_t *)(j.ends + keys);
    j.blocks = blocks_of_16(g, c->n);
    j.keys = (uint32_t)keys;
    j.xor_mask = xor_mask;
    CUDA_TRY(cudaMemsetAsync(j.counts, 0, (keys + GROUP) * sizeof *j.counts, g->stream), "sort");
    if (bytes == 1) {
        RETURN_IF_ERROR(count_8(g, slots<uint8_t>(from, c->n), j, error));
        return fill(g, slots<uint8_t>(to, c->n), j, error);
    }
    RETURN_IF_ERROR(count_16(g, slots<uint16_t>(from, c->n), j, error));
    return fill(g, slots<uint16_t>(to, c->n), j, error);
}
