/* Exact sums of segments on a GPU (ORDER.md 30): two kernels.
 *
 * A thread sums its terms as a pair of f64, f32 terms in a single f64, and threads add their sums, as long as no
 * addition rounds: then no order matters. The first kernel has 4 or 8 threads for each segment. It lists the segments
 * of more than SHORT terms and those whose sums have rounded. The second kernel has a block for each of them, or for
 * each part of PART terms of longer ones. Before an addition would round, a thread adds its pair to the state of its
 * block; the blocks of a long segment add their states to its state. */
#include "arith/exact_pair.h"
#include "core/types.h"
#include "cuda/reduce/exact_state.cuh"
#include "cuda/segmented/segments_params.h"

#include <string.h>

#define EVERY_LANE 0xffffffffu
#ifndef EXACT_PART
#define EXACT_PART (1 << 16)
#endif

enum {
    THREADS = 256,
    LANES = 8,     /* threads of a segment in the first kernel */
    FEW_LANES = 4, /* if the mean length is at most FEW_TERMS */
    FEW_TERMS = 32,
    BATCH = 4,      /* terms that a thread of the first kernel loads at a time */
    LONG_BATCH = 8, /* the same in the second kernel */
    SHORT = 512,
    PART = EXACT_PART, /* terms of an item of the second kernel */
    SHORT_BLOCKS = 8,  /* blocks of a multiprocessor */
    LONG_BLOCKS = 4
};
static_assert((int)THREADS >= (int)WEFT_EXACT_WORDS, "a block adds its state with a thread for each word");

/* A result that the first kernel leaves to the second, or a part of it. */
struct exact_item {
    uint64_t result;
    uint32_t part;
    uint32_t state; /* number of the state of a result of several parts, otherwise WHOLE */
};
#define WHOLE UINT32_MAX

/* State of a result of several parts. Initially all zero. */
struct exact_shared_state {
    int64_t words[WEFT_EXACT_WORDS];
    unsigned long long done; /* parts */
};

struct exact_counts {
    unsigned long long items, states;
};

struct exact_params {
    exact_segments e;
    exact_counts *counts;
    exact_item *items;
    exact_shared_state *states;
};

/* The terms of a result: rows begin ... begin + n - 1 of the list, one column. */
struct exact_terms_of {
    uint64_t begin, n, column;
};

static __device__ __forceinline__ exact_terms_of terms_of(const exact_segments &e, uint64_t result) {
    const uint64_t segment = e.columns == 1 ? result : result / e.columns;
    const uint64_t begin = e.offsets[segment];
    return exact_terms_of{begin, e.offsets[segment + 1] - begin, result - segment * e.columns};
}

template <class T>
static __device__ __forceinline__ T term_at(const exact_segments &e, const exact_terms_of &t, uint64_t i) {
    uint64_t row = t.begin + i;
    if (e.list) row = e.wide_list ? ((const uint64_t *)e.list)[row] : ((const uint32_t *)e.list)[row];
    return ((const T *)e.x)[row * e.columns + t.column];
}

template <class T>
static __device__ __forceinline__ void store_bits(const exact_segments &e, uint64_t at, uint64_t v) {
    memcpy((T *)e.out + at, &v, sizeof(T));
}

static __device__ __forceinline__ weft_exact_pair no_terms() { return weft_exact_pair{-0.0, 0, 0}; }

/* Adds the pair of another thread of the `lanes` threads, at each distance. The pairs are then equal. */
static __device__ __forceinline__ void merge_lanes(weft_exact_pair &p, int lanes, bool single) {
    for (int distance = lanes / 2; distance > 0; distance /= 2) {
        weft_exact_pair q = {__shfl_xor_sync(EVERY_LANE, p.high, distance), 0, 0};
        if (!single) q.low = __shfl_xor_sync(EVERY_LANE, p.low, distance);
        weft_exact_pair_merge(&p, q, single);
    }
}

/* ------------------------------------------------------------------------------ first kernel */

/* Lists a result. */
static __device__ void list_result(const exact_params &j, uint64_t result, uint64_t n) {
    const uint64_t parts = (n - 1) / PART + 1;
    exact_item item = {result, 0, WHOLE};
    if (parts > 1) item.state = (uint32_t)atomicAdd(&j.counts->states, 1ull);
    const uint64_t at = atomicAdd(&j.counts->items, (unsigned long long)parts);
    for (; item.part < parts; item.part++) j.items[at + item.part] = item;
}

/* Stores the result of at most one term. */
template <class T>
static __device__ void store_trivial(const exact_segments &e, const exact_terms_of &t, uint64_t result) {
    const bool narrow = sizeof(T) == 4;
    uint64_t bits = 0;
    T v = 0;
    if (t.n > 0) {
        v = term_at<T>(e, t, 0);
        memcpy(&bits, &v, sizeof v);
    } else if (e.init) {
        memcpy(&bits, (const T *)e.init + result, sizeof v);
    }
    if (v != v || (t.n == 0 && e.mean)) bits = narrow ? WEFT_NAN_F32 : WEFT_NAN_F64;
    store_bits<T>(e, result, bits);
}

template <class T, int LANES_OF>
static __device__ __forceinline__ void do_short(const exact_params &j, uint64_t result, bool exists) {
    constexpr bool SINGLE = sizeof(T) == 4;
    const exact_segments &e = j.e;
    const uint32_t lane = threadIdx.x % LANES_OF, group = threadIdx.x % 32 / LANES_OF;
    exact_terms_of t = exists ? terms_of(e, result) : exact_terms_of{0, 0, 0};
    /* Only while the stream is being captured, offsets can be invalid. */
    exists = exists && t.begin <= e.n && t.n <= e.n - t.begin;
    if (!exists) t.n = 0;
    weft_exact_pair p = no_terms();
    if (exists && e.init && lane == 0) p.high = (double)((const T *)e.init)[result];
    const uint32_t n = t.n <= SHORT ? (uint32_t)t.n : 0;
    for (uint32_t i = lane; i < n; i += LANES_OF * BATCH) {
        double v[BATCH];
#pragma unroll
        for (int k = 0; k < BATCH; k++)
            v[k] = i + k * LANES_OF < n ? (double)term_at<T>(e, t, i + k * LANES_OF) : -0.0;
#pragma unroll
        for (int k = 0; k < BATCH; k++) weft_exact_pair_add(&p, v[k], SINGLE);
    }
    __syncwarp();
    merge_lanes(p, LANES_OF, SINGLE);
    const uint32_t lost = __ballot_sync(EVERY_LANE, p.lost != 0) >> group * LANES_OF & ((1u << LANES_OF) - 1);
    if (!exists || lane != 0) return;
    uint64_t bits = 0;
    p.lost = lost;
    if (t.n == 0 || (t.n == 1 && !e.init))
        store_trivial<T>(e, t, result);
    else if (t.n <= SHORT && weft_exact_pair_finish(p, e.mean, t.n, SINGLE, &bits))
        store_bits<T>(e, result, bits);
    else
        list_result(j, result, t.n);
}

template <class T, int LANES_OF>
static __global__ void __launch_bounds__(THREADS) short_kernel(const exact_params j) {
    constexpr uint32_t SEGMENTS = 32 / LANES_OF; /* of a warp */
    const uint64_t results = (j.e.count ? *j.e.count : j.e.segments) * j.e.columns;
    const uint64_t warps = (uint64_t)gridDim.x * (THREADS / 32);
    const uint64_t warp = (uint64_t)blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
    for (uint64_t first = warp * SEGMENTS; first < results; first += warps * SEGMENTS) {
        const uint64_t result = first + threadIdx.x % 32 / LANES_OF;
        do_short<T, LANES_OF>(j, result, result < results);
    }
}

/* ----------------------------------------------------------------------------- second kernel */

/* Memory of a block. */
struct exact_block {
    int64_t state[WEFT_EXACT_WORDS];
    double high[THREADS / 32], low[THREADS / 32];
    bool last;
};

/* Adds a pair to a state. Rare: a copy of the pair, which otherwise could not be in registers. */
static __device__ __attribute__((noinline)) void add_pair(int64_t *state, weft_exact_pair p) {
    const weft_exact_term high = weft_exact_product(p.high, 1);
    if (high.other && high.counter < 0) add_to_word(&state[EXACT_OTHERS], 1);
    add_term(state, high);
    if (p.low != 0) add_term(state, weft_exact_product(p.low, 1));
}

/* Adds x to the pair. If this would round, the pair is first added to the state. Returns true then. */
static __device__ __forceinline__ bool add_or_move(weft_exact_pair &p, double x, int64_t *state) {
    weft_exact_pair sum = p;
    weft_exact_pair_add(&sum, x, false);
    const bool moves = sum.lost != 0;
    if (moves) {
        add_pair(state, p);
        sum = weft_exact_pair{x, 0, 0};
    }
    p = sum;
    return moves;
}

/* Adds the terms of a thread from term i on, THREADS apart: LONG_BATCH at a time, as long as no addition rounds.
 * Returns true if it has added to the state. */
template <class T>
static __device__ __forceinline__ bool add_terms(const exact_segments &e, const exact_terms_of &t, uint64_t i,
                                                 uint64_t end, weft_exact_pair &p, int64_t *state) {
    bool moved = false;
    for (; i < end; i += THREADS * LONG_BATCH) {
        double v[LONG_BATCH];
#pragma unroll
        for (int k = 0; k < LONG_BATCH; k++)
            v[k] = i + k * THREADS < end ? (double)term_at<T>(e, t, i + k * THREADS) : -0.0;
        weft_exact_pair sum = p;
#pragma unroll
        for (int k = 0; k < LONG_BATCH; k++) weft_exact_pair_add(&sum, v[k], false);
        if (sum.lost == 0) {
            p = sum;
            continue;
        }
#pragma unroll 1
        for (int k = 0; k < LONG_BATCH; k++)
            if (i + k * THREADS < end) moved |= add_or_move(p, (double)term_at<T>(e, t, i + k * THREADS), state);
    }
    return moved;
}

/* Adds the pairs of all threads of a block. The result is valid in thread 0. Threads must agree on `lost`, which is
 * not 0 if an addition rounded. */
static __device__ weft_exact_pair merge_block(weft_exact_pair p, exact_block &b) {
    merge_lanes(p, 32, false);
    if (threadIdx.x % 32 == 0) {
        b.high[threadIdx.x / 32] = p.high;
        b.low[threadIdx.x / 32] = p.low;
    }
    __syncthreads();
    weft_exact_pair sum = no_terms();
    if (threadIdx.x < 32) {
        const uint32_t w = threadIdx.x % (THREADS / 32);
        sum = weft_exact_pair{b.high[w], b.low[w], 0};
        merge_lanes(sum, THREADS / 32, false);
    }
    sum.lost = (uint64_t)__syncthreads_or(p.lost != 0 || sum.lost != 0);
    return sum;
}

template <class T>
static __device__ void finish_state(const exact_segments &e, uint64_t result, uint64_t n, int64_t *state) {
    state[EXACT_COUNT] = (int64_t)n;
    store_bits<T>(e, result, weft_exact_finish(state, e.mean ? EXACT_MEAN : EXACT_TOTAL, sizeof(T) == 4));
}

/* Adds the state of a block to that of its result, and stores the result if this is its last part. */
template <class T>
static __device__ void finish_part(const exact_segments &e, uint64_t result, uint64_t n, exact_shared_state *all,
                                   exact_block &b) {
    add_state(b.state, all->words);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) b.last = atomicAdd(&all->done, 1ull) == (n - 1) / PART;
    __syncthreads();
    __threadfence();
    if (!b.last) return;
    if (threadIdx.x < WEFT_EXACT_WORDS) b.state[threadIdx.x] = __ldcg((const long long *)all->words + threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) finish_state<T>(e, result, n, b.state);
}

template <class T> static __device__ void do_item(const exact_params &j, const exact_item &item, exact_block &b) {
    const exact_segments &e = j.e;
    const exact_terms_of t = terms_of(e, item.result);
    const uint64_t first = (uint64_t)item.part * PART, end = t.n - first < PART ? t.n : first + PART;
    weft_exact_pair p = no_terms();
    if (threadIdx.x < WEFT_EXACT_WORDS) b.state[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x == 0 && e.init && first == 0) p.high = (double)((const T *)e.init)[item.result];
    const bool moved = add_terms<T>(e, t, first + threadIdx.x, end, p, b.state);
    const weft_exact_pair sum = merge_block(p, b);
    const bool in_state = __syncthreads_or(moved) || sum.lost || item.state != WHOLE;
    uint64_t bits = 0;
    bool stored = false;
    if (!in_state && threadIdx.x == 0) {
        stored = weft_exact_pair_finish(sum, e.mean, t.n, sizeof(T) == 4, &bits);
        if (stored) store_bits<T>(e, item.result, bits);
    }
    if (__syncthreads_or(stored)) return;
    if (sum.lost)
        add_pair(b.state, p);
    else if (threadIdx.x == 0)
        add_pair(b.state, sum);
    __syncthreads();
    if (item.state != WHOLE)
        finish_part<T>(e, item.result, t.n, &j.states[item.state], b);
    else if (threadIdx.x == 0)
        finish_state<T>(e, item.result, t.n, b.state);
    __syncthreads();
}

template <class T> static __global__ void __launch_bounds__(THREADS, LONG_BLOCKS) long_kernel(const exact_params j) {
    __shared__ exact_block b;
    const uint64_t items = j.counts->items;
    for (uint64_t i = blockIdx.x; i < items; i += gridDim.x) do_item<T>(j, j.items[i], b);
}

/* ------------------------------------------------------------------------------------ launch */

/* Sections of the scratch memory. Returns its size. With base == NULL only adds up the bytes. */
static size_t lay_out(exact_params *j, char *base, size_t *cleared) {
    const exact_segments *e = &j->e;
    const uint64_t terms = e->n * e->columns, results = e->segments * e->columns;
    /* A result is listed if it has two terms. */
    const uint64_t listed = min_u64(results, e->init ? terms : terms / 2);
    size_t at = 0;
    j->counts = (exact_counts *)(base + at);
    at += sizeof(exact_counts);
    j->states = (exact_shared_state *)(base + at);
    at += terms / PART * sizeof(exact_shared_state);
    at = (at + 15) / 16 * 16;
    *cleared = at;
    j->items = (exact_item *)(base + at);
    return at + (listed + 2 * (terms / PART)) * sizeof(exact_item);
}

size_t gpu_exact_segments_scratch(const exact_segments *e) {
    exact_params j;
    size_t cleared;
    j.e = *e;
    return lay_out(&j, NULL, &cleared);
}

static weft_status launch(const gpu *g, const char *name, const void *kernel, uint64_t blocks, exact_params *j,
                          weft_error *error) {
    void *arguments[] = {j};
    CUDA_TRY(cudaLaunchKernel(kernel, dim3((unsigned)blocks), dim3(THREADS), arguments, 0, g->stream), name);
    return WEFT_OK;
}

template <int LANES_OF> static const void *first_kernel(bool narrow) {
    return narrow ? (const void *)short_kernel<float, LANES_OF> : (const void *)short_kernel<double, LANES_OF>;
}

weft_status gpu_exact_segments(gpu *g, const char *name, const exact_segments *e, void *scratch, weft_error *error) {
    const bool narrow = e->dtype == WEFT_F32;
    const uint64_t multiprocessors = (unsigned)g->multiprocessors, results = e->segments * e->columns;
    const bool few = e->n / e->segments <= FEW_TERMS;
    const uint64_t of_a_block = THREADS / (few ? FEW_LANES : LANES);
    const uint64_t blocks = min_u64((results - 1) / of_a_block + 1, SHORT_BLOCKS * multiprocessors);
    exact_params j;
    size_t cleared;
    j.e = *e;
    (void)lay_out(&j, (char *)scratch, &cleared);
    CUDA_TRY(cudaMemsetAsync(scratch, 0, cleared, g->stream), name);
    const void *const first = few ? first_kernel<FEW_LANES>(narrow) : first_kernel<LANES>(narrow);
    RETURN_IF_ERROR(launch(g, name, first, blocks, &j, error));
    return launch(g, name, narrow ? (const void *)long_kernel<float> : (const void *)long_kernel<double>,
                  LONG_BLOCKS * multiprocessors, &j, error);
}
