/* Exact sums (ORDER.md 30). Every block adds its terms to a state in shared memory, and its state to that of the
 * call. All these additions are of integers, in any order.
 *
 * A warp does not add terms to the state one by one. Its terms are less than 2^top in magnitude. Adding and
 * subtracting 1.5 2^(q + 52) rounds a term to a multiple of 2^q, q = top - SPACING, and a thread sums CAPACITY such
 * multiples exactly in an f64. What the rounding dropped is exact too, and is folded in the same way with the next q.
 * The warp adds its sums to the state when a term is not less than 2^top, which then grows, and at the end. */
#include "arith/exact_variance.h"
#include "cuda/map/map_params.h"
#include "cuda/reduce/exact_state.cuh"
#include "cuda/runtime/warp_reduce.cuh"

#define WARP 32
#define EVERY_LANE 0xffffffffu

enum {
    LEAST = -1074,     /* every f64 is a multiple of 2^LEAST */
    TOP_MAX = 1000,    /* terms beyond 2^TOP_MAX are added one by one */
    BIAS = 1022,       /* an f64 with the biased exponent e is less than 2^(e - BIAS) */
    SMALL = 1023 - 900 /* biased exponent from which the remainder of a product is not subnormal */
};

/* Terms of one kind, of elements T. */
template <exact_terms TERMS, class T> struct exact_kind {
    static constexpr bool TWO = TERMS == EXACT_PRODUCTS;              /* terms of two arrays */
    static constexpr bool MULTIPLIES = TWO || TERMS == EXACT_SQUARES; /* terms are products */
    static constexpr bool ROUNDS = MULTIPLIES && sizeof(T) == 8;      /* products are rounded */
    static constexpr bool SHORT = sizeof(T) == 4 && !MULTIPLIES;      /* few terms have bits for a second fold */
    static constexpr int FOLDS = sizeof(T) == 4 ? 2 : ROUNDS ? 4 : 3;
    static constexpr int SPACING = SHORT ? 41 : 36;
    static constexpr uint32_t CAPACITY = 1u << (52 - SPACING); /* terms of a thread between additions to the state */
    static constexpr int BATCH = EXACT_BATCH_BYTES / (int)sizeof(T) / (TWO ? 2 : 1); /* terms of a thread at a time */

    static __device__ __forceinline__ double value(T x, T y) {
        if (MULTIPLIES) return (double)x * (double)y;
        return TERMS == EXACT_MAGNITUDES ? fabs((double)x) : (double)x;
    }
};

/* Elements of a batch that a thread has loaded. y is x unless the terms have two arrays. */
template <class K, class T> struct exact_batch {
    T x[K::BATCH], y[K::TWO ? K::BATCH : 1];
    uint32_t present; /* bit k: element k exists; others are 0 */

    __device__ __forceinline__ T second(int k) const { return K::TWO ? y[K::TWO ? k : 0] : x[k]; }
};

/* Sums of a warp: `sum` is different in every thread, all other members are equal. */
template <int FOLDS> struct exact_sums {
    int top;
    double anchor[FOLDS], sum[FOLDS];
    uint32_t remaining; /* terms that a thread may still add */
};

static __device__ __forceinline__ double power_of_two(int exponent) {
    return __longlong_as_double((long long)(exponent + 1023) << 52);
}

template <class K> static __device__ __forceinline__ int exponent_of_fold(int top, int fold) {
    const int q = top - K::SPACING * (fold + 1);
    return q > LEAST ? q : LEAST;
}

/* Adds the sums of a warp to the state. A sum is at most 2^53 2^q in magnitude. */
template <class K, int FOLDS> static __device__ __forceinline__ void add_sums(exact_sums<FOLDS> &s, int64_t *state) {
#pragma unroll
    for (int f = 0; f < FOLDS; f++) {
        const int q = exponent_of_fold<K>(s.top, f), half = -q / 2;
        long long total = __double2ll_rn(s.sum[f] * power_of_two(half) * power_of_two(-q - half));
        for (int distance = WARP / 2; distance > 0; distance /= 2)
            total += __shfl_xor_sync(EVERY_LANE, total, distance);
        weft_exact_term t = {-1, true, 0, {0}};
        weft_exact_cut(&t, (uint64_t)(total < 0 ? -total : total), total < 0, q);
        if (threadIdx.x % WARP == 0) add_term(state, t);
        s.sum[f] = 0;
    }
    s.remaining = K::CAPACITY;
}

template <class K, int FOLDS> static __device__ __forceinline__ void set_top(exact_sums<FOLDS> &s, int top) {
    s.top = top;
#pragma unroll
    for (int f = 0; f < FOLDS; f++) s.anchor[f] = 1.5 * power_of_two(exponent_of_fold<K>(top, f) + 52);
}

static __device__ __forceinline__ double fold(double v, double anchor, double &sum) {
    const double multiple = (v + anchor) - anchor;
    sum += multiple;
    return v - multiple;
}

/* Adds the folds FIRST ... END - 1 of a term to the sums. Returns what is left of it, and of the remainder of a
 * product. */
template <class K, int FIRST, int END, class T, int FOLDS>
static __device__ __forceinline__ double2 fold_term(T x, T y, const exact_sums<FOLDS> &s, double *sum) {
    double unused = 0;
    double2 left = make_double2(K::value(x, y), 0);
    if (K::ROUNDS) left.y = __fma_rn((double)x, (double)y, -left.x);
#pragma unroll
    for (int f = 0; f < (K::ROUNDS ? FOLDS - 1 : END); f++)
        left.x = fold(left.x, s.anchor[f], f < FIRST ? unused : sum[f]);
#pragma unroll
    for (int f = 1; f < FOLDS && K::ROUNDS; f++) left.y = fold(left.y, s.anchor[f], sum[f]);
    return left;
}

/* The two functions below are rare. They take copies of their arguments, which otherwise could not be in registers.
 */

/* Adds what the folds of a batch have left. Calculates it again, into sums that are not used. */
template <class K, class T, int FOLDS>
static __device__ __attribute__((noinline)) void add_left(exact_batch<K, T> b, exact_sums<FOLDS> s, int64_t *state) {
    for (int k = 0; k < K::BATCH; k++) {
        double unused[FOLDS] = {0};
        const double2 left = fold_term<K, 0, FOLDS>(b.x[k], b.second(k), s, unused);
        if (left.x != 0) add_term(state, weft_exact_product(left.x, 1));
        if (left.y != 0) add_term(state, weft_exact_product(left.y, 1));
    }
}

/* Adds the terms of a batch one by one, in integers. */
template <exact_terms TERMS, class K, class T>
static __device__ __attribute__((noinline)) void add_singly(exact_batch<K, T> b, int64_t *state) {
    bool other = false;
    for (int k = 0; k < K::BATCH; k++) {
        if (!(b.present >> k & 1)) continue;
        const double x = TERMS == EXACT_MAGNITUDES ? fabs((double)b.x[k]) : (double)b.x[k];
        const weft_exact_term t = weft_exact_product(x, K::MULTIPLIES ? (double)b.second(k) : 1.0);
        other = other || t.other;
        add_term(state, t);
    }
    if (other) add_to_word(&state[EXACT_OTHERS], 1);
}

/* Returns the greatest biased exponent of the terms of a warp's batch. Returns a negative number if they must be
 * added one by one: they are all zero or subnormal, or not finite, or a product is too small or too large. */
template <class K, class T> static __device__ __forceinline__ int greatest_exponent(const exact_batch<K, T> &b) {
    uint32_t most = 0, least = UINT32_MAX;
#pragma unroll
    for (int k = 0; k < K::BATCH; k++) {
        const uint32_t upper = (uint32_t)__double2hiint(K::value(b.x[k], b.second(k))) & 0x7fffffffu;
        most = upper > most ? upper : most;
        least = upper < least ? upper : least;
    }
    most = warp_max(most) >> 20;
    bool apart = most == 0 || most > TOP_MAX + BIAS;
    if (K::ROUNDS && __any_sync(EVERY_LANE, least >> 20 < SMALL)) {
        bool small = false;
#pragma unroll
        for (int k = 0; k < K::BATCH; k++) {
            const double v = fabs(K::value(b.x[k], b.second(k)));
            small = small || (v < power_of_two(SMALL - 1023) && b.x[k] != 0 && b.second(k) != 0);
        }
        apart = apart || __any_sync(EVERY_LANE, small);
    }
    return apart ? -1 : (int)most;
}

/* Adds the folds FIRST ... END - 1 of a batch. Returns true if some term has more. */
template <class K, int FIRST, int END, class T, int FOLDS>
static __device__ __forceinline__ bool fold_batch(const exact_batch<K, T> &b, exact_sums<FOLDS> &s) {
    uint32_t upper = 0, lower = 0;
#pragma unroll
    for (int k = 0; k < K::BATCH; k++) {
        const double2 left = fold_term<K, FIRST, END>(b.x[k], b.second(k), s, s.sum);
        upper |= (uint32_t)__double2hiint(left.x) | (uint32_t)__double2hiint(left.y);
        lower |= (uint32_t)__double2loint(left.x) | (uint32_t)__double2loint(left.y);
    }
    return (upper << 1 | lower) != 0;
}

/* Adds a batch of a warp. Returns true if it has a term other than -0.0, unless it records this in the state. */
template <exact_terms TERMS, class K, class T, int FOLDS>
static __device__ __forceinline__ bool add_batch(const exact_batch<K, T> &b, exact_sums<FOLDS> &s, int64_t *state) {
    const int exponent = greatest_exponent(b);
    if (exponent < 0) {
        add_singly<TERMS>(b, state);
        return false;
    }
    if (exponent - BIAS > s.top || s.remaining < (uint32_t)K::BATCH) {
        add_sums<K>(s, state);
        if (exponent - BIAS > s.top) set_top<K>(s, exponent - BIAS);
    }
    s.remaining -= K::BATCH;
    bool left;
    if (K::SHORT) {
        left = fold_batch<K, 0, 1>(b, s);
        if (left) left = fold_batch<K, 1, FOLDS>(b, s);
    } else {
        left = fold_batch<K, 0, FOLDS>(b, s);
    }
    if (left) add_left(b, s, state);
    return true;
}

/* Loads the elements of a thread from x on, which are WARP apart. `left`: number of elements from x on. */
template <class K, class T>
static __device__ __forceinline__ void load_array(const T *x, int64_t left, bool whole, T *to) {
#pragma unroll
    for (int k = 0; k < K::BATCH; k++) to[k] = whole || k * WARP < left ? __ldg(x + k * WARP) : (T)0;
}

/* Loads batch number `batch` of the input, of 32 BATCH elements. */
template <class K, class T>
static __device__ __forceinline__ void load_batch(const reduce_params &j, uint64_t batch, exact_batch<K, T> &b) {
    const uint64_t first = batch * (WARP * K::BATCH) + threadIdx.x % WARP;
    const int64_t left = (int64_t)(j.n - first);
    const bool whole = j.n >= (batch + 1) * (WARP * K::BATCH);
    load_array<K>((const T *)j.x + first, left, whole, b.x);
    if (K::TWO) load_array<K>((const T *)j.y + first, left, whole, b.y);
    b.present = UINT32_MAX;
#pragma unroll
    for (int k = 0; k < K::BATCH && !whole; k++)
        if (k * WARP >= left) b.present &= ~(1u << k);
}

/* Moves a state to shared memory. */
static __device__ void take_state(int64_t *from, int64_t *to) {
    if (threadIdx.x >= WEFT_EXACT_WORDS) return;
    to[threadIdx.x] = __ldcg((const long long *)from + threadIdx.x);
    from[threadIdx.x] = 0;
}

/* Stores the result of the call and clears its states. `state` and `values` are in shared memory. */
static __device__ __attribute__((noinline)) void finish_exact(const reduce_params &j, int64_t *state,
                                                              int64_t *values) {
    take_state(j.exact, state);
    if (j.values) take_state(j.values, values);
    __syncthreads();
    if (threadIdx.x != 0) return;
    state[EXACT_COUNT] = values[EXACT_COUNT] = (int64_t)j.total;
    const exact_finish how = j.finish == FINISH_MEAN   ? EXACT_MEAN
                             : j.finish == FINISH_ROOT ? EXACT_ROOT
                                                       : EXACT_TOTAL;
    if (j.values)
        weft_exact_store_variance(values, state, j.ddof, j.result == WEFT_F32, j.out);
    else
        weft_exact_store(state, how, j.result == WEFT_F32, j.out);
}

template <exact_terms TERMS, class T>
static __global__ void __launch_bounds__(32 * EXACT_WARPS, EXACT_BLOCKS) exact_kernel(const reduce_params j) {
    typedef exact_kind<TERMS, T> kind;
    __shared__ int64_t state[WEFT_EXACT_WORDS], values[WEFT_EXACT_WORDS];
    __shared__ bool is_last;
    exact_sums<kind::FOLDS> s;
    const uint64_t batches = (j.n - 1) / (WARP * kind::BATCH) + 1;
    const uint32_t warps = blockDim.x / WARP;
    bool other = false;
    if (threadIdx.x < WEFT_EXACT_WORDS) state[threadIdx.x] = 0;
#pragma unroll
    for (int f = 0; f < kind::FOLDS; f++) s.sum[f] = 0;
    s.remaining = kind::CAPACITY;
    set_top<kind>(s, -BIAS);
    __syncthreads();
    for (uint64_t i = (uint64_t)blockIdx.x * warps + threadIdx.x / WARP; i < batches;
         i += (uint64_t)gridDim.x * warps) {
        exact_batch<kind, T> b;
        load_batch(j, i, b);
        other |= add_batch<TERMS>(b, s, state);
    }
    add_sums<kind>(s, state);
    if (other && threadIdx.x % WARP == 0) add_to_word(&state[EXACT_OTHERS], 1);
    __syncthreads();
    add_state(state, j.exact);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicInc(j.ticket, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    __threadfence();
    if (is_last && j.last && j.out) finish_exact(j, state, values);
}

template <class T> static kernel kernel_of(exact_terms terms) {
    switch (terms) {
    case EXACT_MAGNITUDES: return kernel{(const void *)exact_kernel<EXACT_MAGNITUDES, T>, KERNEL_EXACT};
    case EXACT_SQUARES: return kernel{(const void *)exact_kernel<EXACT_SQUARES, T>, KERNEL_EXACT};
    case EXACT_PRODUCTS: return kernel{(const void *)exact_kernel<EXACT_PRODUCTS, T>, KERNEL_EXACT};
    default: return kernel{(const void *)exact_kernel<EXACT_VALUES, T>, KERNEL_EXACT};
    }
}

static weft_status run_terms(call *c, exact_terms terms, weft_error *error) {
    return call_run(c, c->j.dtype == WEFT_F32 ? kernel_of<float>(terms) : kernel_of<double>(terms), error);
}

/* Two sums in stream order. The state of the first stays in device memory between them. */
static weft_status run_variance(call *c, uint64_t ddof, weft_error *error) {
    void *const out = c->j.out;
    int64_t *const squares = c->j.exact;
    c->j.exact = gpu_exact_values(c->g);
    c->j.out = NULL;
    RETURN_IF_ERROR(run_terms(c, EXACT_VALUES, error));
    c->j.values = c->j.exact;
    c->j.exact = squares;
    c->j.finish = FINISH_VARIANCE;
    c->j.ddof = ddof;
    c->j.out = out;
    return run_terms(c, EXACT_SQUARES, error);
}

/* Copies the state of the call to host memory and clears it. */
static weft_status copy_state(call *c, const exact_call *e, weft_error *error) {
    const size_t bytes = WEFT_EXACT_WORDS * sizeof(int64_t);
    CUDA_TRY(cudaMemcpyAsync(e->state, c->j.exact, bytes, cudaMemcpyDeviceToHost, c->g->stream), c->name);
    CUDA_TRY(cudaMemsetAsync(c->j.exact, 0, bytes, c->g->stream), c->name);
    CUDA_TRY(cudaStreamSynchronize(c->g->stream), c->name);
    e->state[EXACT_COUNT] = (int64_t)e->n;
    return WEFT_OK;
}

weft_status cuda_exact(void *context, const exact_call *e, weft_error *error) {
    gpu *g = (gpu *)context;
    const current_device scope(g->device);
    map_program program;
    map_arrays arrays;
    call c;
    arrays.count = 0;
    RETURN_IF_ERROR(
        call_begin(&c, g, "exact sum", e->dtype, e->dtype, e->n, e->x, e->y, e->out ? e->out : e->state, error));
    if (!e->out) c.j.out = NULL;
    c.j.finish = e->finish == EXACT_MEAN ? FINISH_MEAN : e->finish == EXACT_ROOT ? FINISH_ROOT : FINISH_STORE;
    if (e->map) {
        RETURN_IF_ERROR(gpu_map_copy_in(g, e->map, 0, 0, &arrays, &program, error));
        call_map(&c, &program);
    }
    RETURN_IF_ERROR(e->finish == EXACT_VARIANCE ? run_variance(&c, e->ddof, error) : run_terms(&c, e->terms, error));
    RETURN_IF_ERROR(e->out ? call_end(&c, error) : copy_state(&c, e, error));
    return arrays_copy_out(g, c.name, arrays.list, arrays.count, error);
}
