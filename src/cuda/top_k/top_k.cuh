/* Radix select on a GPU (ORDER.md 12.2). One pass for each digit, from the highest digit down, finds that digit of
 * the k-th key. Then the keys above it, and the first of those equal to it, are written in the order of the array.
 * Every pass reads the whole array and leaves all decisions to its last block, so that the host never waits. */
#ifndef WEFT_CUDA_TOP_K_CUH
#define WEFT_CUDA_TOP_K_CUH

#include "cuda/runtime/slots.cuh"
#include "cuda/runtime/total_key.cuh"

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

enum {
    TOP_K_THREADS = 512,
    TOP_K_ROWS = 4,
    TOP_K_DIGIT_BITS = 11,
    TOP_K_DIGITS = 1 << TOP_K_DIGIT_BITS,
    TOP_K_COPIES = 4,        /* copies of a block's counters, for adjacent threads with equal digits */
    TOP_K_BLOCKS_MAX = 2048, /* each with a chunk of the array */
    TOP_K_PER_THREAD = TOP_K_DIGITS / TOP_K_THREADS,
    TOP_K_SUMS = TOP_K_BLOCKS_MAX / TOP_K_THREADS
};

/* State in device memory. Must be zero before the first pass. */
typedef struct top_k_state {
    uint64_t prefix; /* known digits of the k-th key */
    uint64_t taken;  /* number of keys with greater digits */
    unsigned ticket; /* number of blocks that have finished the pass */
    uint64_t digits[TOP_K_DIGITS];
    uint64_t above[TOP_K_BLOCKS_MAX], equal[TOP_K_BLOCKS_MAX]; /* keys in each block's chunk; later: before it */
} top_k_state;

/* Returns the rank of x: keys with greater ranks come first. A NaN has rank 0, whatever the XOR mask. */
template <class T>
__device__ __forceinline__ typename key_of<T>::type top_k_rank(T x, typename key_of<T>::type xor_mask) {
    typedef typename key_of<T>::type key;
    const key ones = (key) ~(key)0 >> (8 * (sizeof(key) - sizeof(T)));
    return x != x ? 0 : (total_key(x) ^ xor_mask) & ones;
}

/* Returns true if this block is the last of the pass. */
inline __device__ bool top_k_is_last(top_k_state *s) {
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(&s->ticket, 1u) == gridDim.x - 1;
        if (last) s->ticket = 0;
    }
    __syncthreads();
    __threadfence();
    return last;
}

/* ----------------------------------------------------------------------------------- digits */

/* Finds the k-th key's digit: the highest for which at least k keys have that digit or a greater one. Clears the
 * counts. */
inline __device__ void top_k_take_digit(top_k_state *s, uint64_t k, int width) {
    typedef cub::BlockScan<uint64_t, TOP_K_THREADS> scan;
    __shared__ typename scan::TempStorage storage;
    /* The first thread has the highest digits. */
    const int top = TOP_K_DIGITS - 1 - (int)threadIdx.x * TOP_K_PER_THREAD;
    const uint64_t prefix = s->prefix, taken = s->taken;
    uint64_t count[TOP_K_PER_THREAD], total = 0, before;
    for (int i = 0; i < TOP_K_PER_THREAD; i++) {
        count[i] = __ldcg(&s->digits[top - i]);
        total += count[i];
        s->digits[top - i] = 0;
    }
    scan(storage).ExclusiveSum(total, before);
    before += taken;
    __syncthreads(); /* all threads have read the prefix */
    for (int i = 0; i < TOP_K_PER_THREAD; i++) {
        if (before < k && k <= before + count[i]) {
            s->prefix = prefix << width | (uint64_t)(top - i);
            s->taken = before;
        }
        before += count[i];
    }
}

/* The pass for one digit: bits [shift, shift + width) of the keys whose bits from shift + width up are the prefix. */
template <class T>
__global__ void __launch_bounds__(TOP_K_THREADS)
    top_k_digit_kernel(slots<T> x, uint64_t k, uint64_t xor_mask, int shift, int width, top_k_state *s) {
    typedef typename key_of<T>::type key;
    enum { PER = slots<T>::PER };
    __shared__ uint32_t counts[TOP_K_DIGITS * TOP_K_COPIES];
    const uint64_t prefix = s->prefix;
    const uint32_t copy = threadIdx.x % TOP_K_COPIES, mask = (1u << width) - 1;
    for (int i = threadIdx.x; i < TOP_K_DIGITS * TOP_K_COPIES; i += TOP_K_THREADS) counts[i] = 0;
    __syncthreads();
    const uint64_t rows = TOP_K_THREADS * TOP_K_ROWS;
    take_rows<TOP_K_ROWS>(
        x, blockIdx.x * rows, x.count(), gridDim.x * rows,
        [&](uint64_t, T(&v)[TOP_K_ROWS][PER], uint32_t(&present)[TOP_K_ROWS]) {
#pragma unroll
            for (int i = 0; i < TOP_K_ROWS * PER; i++) {
                const uint64_t rank = top_k_rank(v[i / PER][i % PER], (key)xor_mask);
                const bool same = shift + width == 8 * sizeof(T) || rank >> (shift + width) == prefix;
                if ((present[i / PER] >> i % PER & 1) && same)
                    atomicAdd(&counts[((uint32_t)(rank >> shift) & mask) * TOP_K_COPIES + copy], 1u);
            }
        });
    __syncthreads();
    for (int i = threadIdx.x; i < TOP_K_DIGITS; i += TOP_K_THREADS) {
        uint32_t total = 0;
        for (int c = 0; c < TOP_K_COPIES; c++) total += counts[i * TOP_K_COPIES + c];
        if (total) atomicAdd((unsigned long long *)&s->digits[i], (unsigned long long)total);
    }
    if (top_k_is_last(s)) top_k_take_digit(s, k, width);
}

/* --------------------------------------------------------------------------------- the first k */

/* The slots [begin, end) of a block's chunk. */
struct top_k_chunk {
    uint64_t begin, end;
    __device__ explicit top_k_chunk(uint64_t slot_count) {
        const uint64_t each = (slot_count - 1) / gridDim.x + 1;
        begin = each * blockIdx.x < slot_count ? each * blockIdx.x : slot_count;
        end = slot_count - begin < each ? slot_count : begin + each;
    }
};

/* Replaces the number of each block by the sum of the numbers of the blocks before it. */
inline __device__ void top_k_sum_up(uint64_t *numbers, unsigned blocks) {
    typedef cub::BlockScan<uint64_t, TOP_K_THREADS> scan;
    __shared__ typename scan::TempStorage storage;
    uint64_t v[TOP_K_SUMS];
    for (int i = 0; i < TOP_K_SUMS; i++) {
        const unsigned b = threadIdx.x * TOP_K_SUMS + i;
        v[i] = b < blocks ? __ldcg(&numbers[b]) : 0;
    }
    scan(storage).ExclusiveSum(v, v);
    for (int i = 0; i < TOP_K_SUMS; i++) {
        const unsigned b = threadIdx.x * TOP_K_SUMS + i;
        if (b < blocks) numbers[b] = v[i];
    }
    __syncthreads();
}

/* Counts the keys of each block's chunk that are above the k-th, and those equal to it. */
template <class T>
__global__ void __launch_bounds__(TOP_K_THREADS) top_k_count_kernel(slots<T> x, uint64_t xor_mask, top_k_state *s) {
    typedef typename key_of<T>::type key;
    typedef cub::BlockReduce<uint64_t, TOP_K_THREADS> sum;
    enum { PER = slots<T>::PER };
    __shared__ typename sum::TempStorage storage;
    const key kth = (key)s->prefix;
    const top_k_chunk part(x.count());
    uint64_t above = 0, equal = 0;
    take_rows<TOP_K_ROWS>(x, part.begin, part.end, TOP_K_THREADS * TOP_K_ROWS,
                          [&](uint64_t, T(&v)[TOP_K_ROWS][PER], uint32_t(&present)[TOP_K_ROWS]) {
#pragma unroll
                              for (int i = 0; i < TOP_K_ROWS * PER; i++) {
                                  const key rank = top_k_rank(v[i / PER][i % PER], (key)xor_mask);
                                  const bool is_present = present[i / PER] >> i % PER & 1;
                                  above += is_present && rank > kth;
                                  equal += is_present && rank == kth;
                              }
                          });
    above = sum(storage).Sum(above);
    __syncthreads();
    equal = sum(storage).Sum(equal);
    if (threadIdx.x == 0) {
        s->above[blockIdx.x] = above;
        s->equal[blockIdx.x] = equal;
    }
    if (!top_k_is_last(s)) return;
    top_k_sum_up(s->above, gridDim.x);
    top_k_sum_up(s->equal, gridDim.x);
}

/* Writes the ranks and indices of the keys above the k-th to the start of the list, then those of the first keys
 * equal to it, each in the order of the array. */
template <class T>
__global__ void __launch_bounds__(TOP_K_THREADS)
    top_k_write_kernel(slots<T> x, uint64_t k, uint64_t xor_mask, const top_k_state *s,
                       typename key_of<T>::type *ranks, uint64_t *indices) {
    typedef typename key_of<T>::type key;
    typedef cub::BlockScan<uint32_t, TOP_K_THREADS> scan;
    enum { PER = slots<T>::PER };
    __shared__ typename scan::TempStorage storage;
    const key kth = (key)s->prefix;
    const top_k_chunk part(x.count());
    uint64_t above_at = s->above[blockIdx.x], equal_at = s->taken + s->equal[blockIdx.x];
    take_rows<TOP_K_ROWS>(x, part.begin, part.end, TOP_K_THREADS * TOP_K_ROWS,
                          [&](uint64_t row, T(&v)[TOP_K_ROWS][PER], uint32_t(&present)[TOP_K_ROWS]) {
                              uint32_t above[TOP_K_ROWS], equal[TOP_K_ROWS], any = 0;
#pragma unroll
                              for (int r = 0; r < TOP_K_ROWS; r++) {
                                  above[r] = equal[r] = 0;
#pragma unroll
                                  for (int i = 0; i < PER; i++) {
                                      const key rank = top_k_rank(v[r][i], (key)xor_mask);
                                      above[r] |= (uint32_t)(rank > kth) << i;
                                      equal[r] |= (uint32_t)(rank == kth) << i;
                                  }
                                  above[r] &= present[r];
                                  equal[r] = equal_at < k ? equal[r] & present[r] : 0;
                                  any |= above[r] | equal[r];
                              }
                              if (!__syncthreads_or((int)any)) return;
#pragma unroll
                              for (int r = 0; r < TOP_K_ROWS; r++) {
                                  /* Both numbers are in one word: a row has at most 2^13 elements. */
                                  uint32_t before, all;
                                  scan(storage).ExclusiveSum(
                                      (uint32_t)__popc(above[r]) | (uint32_t)__popc(equal[r]) << 16, before, all);
                                  uint64_t a = above_at + (before & 0xffff), e = equal_at + (before >> 16);
                                  const int64_t first = x.first(row + r * TOP_K_THREADS + threadIdx.x);
#pragma unroll
                                  for (int i = 0; i < PER; i++) {
                                      const bool is_above = above[r] >> i & 1, is_equal = equal[r] >> i & 1;
                                      const uint64_t at = is_above ? a++ : is_equal ? e++ : k;
                                      if (at >= k) continue;
                                      ranks[at] = top_k_rank(v[r][i], (key)xor_mask);
                                      indices[at] = (uint64_t)(first + i);
                                  }
                                  above_at += all & 0xffff;
                                  equal_at += all >> 16;
                                  __syncthreads();
                              }
                          });
}

template <class T>
__global__ void top_k_gather_kernel(const T *x, uint64_t k, const uint64_t *list, T *values, uint64_t *indices) {
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= k) return;
    values[i] = x[list[i]];
    if (indices) indices[i] = list[i];
}

#endif
