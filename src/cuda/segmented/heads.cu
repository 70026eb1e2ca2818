/* From head flags or keys to segment offsets, in three steps. The first step stores a bit for each element and counts
 * the bits of each tile. The second step, a scan, counts the bits before each tile. The third step writes the
 * positions of the bits. Traffic: flags or keys are read once, bits are written and read once, so the rest is small.
 */
#include "cuda/runtime/warp_reduce.cuh"
#include "cuda/segmented/segments_params.h"

enum { WARP_ELEMENTS = 32 * 32, TILE_ELEMENTS = WARP_ELEMENTS * SEGMENT_WARPS };

/* -------------------------------------------------------------------------------- the bits */

/* Returns four bits, of which bit b is set if byte b of `four` is not 0. */
static __device__ __forceinline__ uint32_t bits_of_bytes(uint32_t four) {
    return (__vcmpne4(four, 0) & 0x01010101u) * 0x10204080u >> 28;
}

/* Head types: begins() returns true if a segment begins at element i >= 1. If VECTORS, bits32() returns the bits of
 * 32 elements at once; the first element must be on a 16-byte boundary. */
struct flag {
    static constexpr bool VECTORS = true;
    typedef uint8_t key;
    __device__ static uint32_t bits32(const uint8_t *flags) {
        const uint4 *vectors = (const uint4 *)flags;
        const uint4 a = __ldg(vectors), b = __ldg(vectors + 1);
        const uint32_t low =
            bits_of_bytes(a.x) | bits_of_bytes(a.y) << 4 | bits_of_bytes(a.z) << 8 | bits_of_bytes(a.w) << 12;
        return low | bits_of_bytes(b.x) << 16 | bits_of_bytes(b.y) << 20 | bits_of_bytes(b.z) << 24 |
               bits_of_bytes(b.w) << 28;
    }
    __device__ static bool begins(const uint8_t *flags, uint64_t i) { return __ldg(flags + i) != 0; }
};

template <class K> static __device__ __forceinline__ bool differ(K a, K b) { return a != b; }
static __device__ __forceinline__ bool differ(float a, float b) { return a != b && !(a != a && b != b); }
static __device__ __forceinline__ bool differ(double a, double b) { return a != b && !(a != a && b != b); }

template <class K> struct change {
    static constexpr bool VECTORS = false;
    typedef K key;
    __device__ static uint32_t bits32(const K *) { return 0; }
    __device__ static bool begins(const K *keys, uint64_t i) { return differ(__ldg(keys + i), __ldg(keys + i - 1)); }
};

/* Stores the head bits to `words`, and the number of bits of each tile to `counts`. Bit l of word r of a warp is that
 * of element 32 r + l of its 1024. */
template <class Head>
static __global__ void __launch_bounds__(SEGMENT_THREADS)
    bits_kernel(const typename Head::key *keys, uint64_t n, uint32_t *words, uint64_t *counts) {
    __shared__ uint32_t of_warp[SEGMENT_WARPS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint64_t first = (uint64_t)blockIdx.x * TILE_ELEMENTS + warp * WARP_ELEMENTS + lane;
    uint32_t own = 0;
    if (Head::VECTORS && (uintptr_t)keys % 16 == 0 && first - lane + WARP_ELEMENTS <= n) {
        own = Head::bits32(keys + first + 31 * lane) | (first == 0);
    } else {
#pragma unroll 8
        for (int r = 0; r < 32; r++) {
            const uint64_t i = first + 32 * r;
            const bool begins = i < n && (i == 0 || Head::begins(keys, i));
            const uint32_t word = __ballot_sync(0xffffffffu, begins);
            if (lane == r) own = word;
        }
    }
    words[(uint64_t)blockIdx.x * SEGMENT_THREADS + threadIdx.x] = own;
    const uint32_t count = warp_sum((uint32_t)__popc(own));
    if (lane == 0) of_warp[warp] = count;
    __syncthreads();
    if (threadIdx.x != 0) return;
    uint32_t all = 0;
    for (int w = 0; w < SEGMENT_WARPS; w++) all += of_warp[w];
    counts[blockIdx.x] = all;
    if (blockIdx.x == gridDim.x - 1) counts[gridDim.x] = 0;
}

/* ----------------------------------------------------------------------------- the positions */

/* Writes the positions of the bits to `offsets`. before[t] is the number of bits before tile t. Key is an unsigned
 * type of the keys' size. unique_keys may be NULL. */
template <class Key>
static __global__ void __launch_bounds__(SEGMENT_THREADS)
    positions_kernel(const uint32_t *words, const uint64_t *before, uint64_t n, const Key *keys, Key *unique_keys,
                     uint64_t *offsets, uint64_t *count) {
    __shared__ uint16_t position[TILE_ELEMENTS];
    __shared__ uint32_t of_warp[SEGMENT_WARPS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint32_t word = words[(uint64_t)blockIdx.x * SEGMENT_THREADS + threadIdx.x], sum = __popc(word);
    const uint32_t own = sum;
#pragma unroll
    for (int w = 1; w < 32; w *= 2) {
        const uint32_t left = __shfl_up_sync(0xffffffffu, sum, w);
        if (lane >= w) sum += left;
    }
    if (lane == 31) of_warp[warp] = sum;
    __syncthreads();
    uint32_t at = sum - own, all = 0;
    for (int w = 0; w < SEGMENT_WARPS; w++) {
        if (w < warp) at += of_warp[w];
        all += of_warp[w];
    }
    for (; word; word &= word - 1) position[at++] = (uint16_t)(threadIdx.x * 32 + __ffs((int)word) - 1);
    __syncthreads();
    const uint64_t tile = (uint64_t)blockIdx.x * TILE_ELEMENTS, first = before[blockIdx.x];
    for (uint32_t i = threadIdx.x; i < all; i += SEGMENT_THREADS) {
        offsets[first + i] = tile + position[i];
        if (unique_keys) unique_keys[first + i] = keys[tile + position[i]];
    }
    if (blockIdx.x != gridDim.x - 1 || threadIdx.x != 0) return;
    offsets[first + all] = n;
    *count = first + all;
}

/* ---------------------------------------------------------------------------------- on the host */

static size_t tiles_of(size_t n) { return (n + TILE_ELEMENTS - 1) / TILE_ELEMENTS; }

size_t heads_scratch_bytes(size_t n) {
    return (tiles_of(n) + 1) * sizeof(uint64_t) + tiles_of(n) * SEGMENT_THREADS * sizeof(uint32_t);
}

/* The arrays that the two kernels share. */
typedef struct marks {
    unsigned tiles;
    uint32_t *words;  /* a bit for each element: it is a head */
    uint64_t *counts; /* of heads in each tile; then of those before it */
} marks;

template <class Head> static weft_status mark(const heads_call *h, const marks *m, weft_error *error) {
    bits_kernel<Head><<<m->tiles, SEGMENT_THREADS, 0, h->g->stream>>>((const typename Head::key *)h->keys, h->c->n,
                                                                      m->words, m->counts);
    CUDA_TRY(cudaGetLastError(), h->c->name);
    return WEFT_OK;
}

static weft_status mark_heads(const heads_call *h, const marks *m, weft_error *error) {
    if (h->c->source == SEGMENTS_BY_HEADS) return mark<flag>(h, m, error);
    switch (h->c->key_dtype) {
    case WEFT_I8:
    case WEFT_U8: return mark<change<uint8_t>>(h, m, error);
    case WEFT_I16:
    case WEFT_U16: return mark<change<uint16_t>>(h, m, error);
    case WEFT_I32:
    case WEFT_U32: return mark<change<uint32_t>>(h, m, error);
    case WEFT_F32: return mark<change<float>>(h, m, error);
    case WEFT_F64: return mark<change<double>>(h, m, error);
    default: return mark<change<uint64_t>>(h, m, error);
    }
}

template <class Key> static weft_status store(const heads_call *h, const marks *m, weft_error *error) {
    positions_kernel<Key><<<m->tiles, SEGMENT_THREADS, 0, h->g->stream>>>(
        m->words, m->counts, h->c->n, (const Key *)h->keys, (Key *)h->unique_keys, h->offsets, h->count);
    CUDA_TRY(cudaGetLastError(), h->c->name);
    return WEFT_OK;
}

static weft_status store_heads(const heads_call *h, const marks *m, weft_error *error) {
    switch (cuda_type_bytes(h->c->key_dtype)) {
    case 1: return store<uint8_t>(h, m, error);
    case 2: return store<uint16_t>(h, m, error);
    case 4: return store<uint32_t>(h, m, error);
    default: return store<uint64_t>(h, m, error);
    }
}

weft_status heads_find(const heads_call *h, weft_error *error) {
    const size_t tiles = tiles_of(h->c->n);
    uint64_t *const counts = (uint64_t *)h->scratch;
    const marks m = {(unsigned)tiles, (uint32_t *)(counts + tiles + 1), counts};
    const scan_call sum = {WEFT_SUM, WEFT_EXCLUSIVE, WEFT_U64, WEFT_U64, tiles + 1, counts, NULL, counts, NULL};
    RETURN_IF_ERROR(mark_heads(h, &m, error));
    RETURN_IF_ERROR(cuda_scan(h->g, &sum, error));
    return store_heads(h, &m, error);
}
