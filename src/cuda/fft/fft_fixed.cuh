/* Passes of odd radices whose product M is a constant, as in fft_together.cuh: with constant steps in shared memory
 * the compiler needs fewer instructions for addresses, and a thread computes up to two passes at once on the numbers
 * that it holds in registers (a group).
 *
 * A group has the radices P and Q; D is the product of the radices before it, and B = M / (D P Q). For k and r, with
 * i = k B + r, numbers (k P Q + c) B + r, c < P Q, of a position become numbers (k + D c) B + r = i + D B c. */
#ifndef WEFT_CUDA_FFT_FIXED_CUH
#define WEFT_CUDA_FFT_FIXED_CUH

#include "cuda/fft/fft_together.cuh"
#include "cuda/fft/stages.cuh"

static constexpr __host__ __device__ int largest_prime(int m) {
    int largest = 1;
    for (int p = 3; m > 1; p += 2)
        while (m % p == 0) {
            m /= p;
            largest = p;
        }
    return largest;
}

/* Group of the passes from D on, of at most MOST numbers unless it is one pass. More numbers in the registers of a
 * thread leave fewer threads in a multiprocessor: unless a block has several phases, groups of 25 numbers of f64 are
 * slower than passes of radix 5. */
template <typename T, int M, int D = 1, int MOST = sizeof(T) == 4 ? 25 : 9> struct group {
    static constexpr int DONE = D, P = largest_prime(M / D), AFTER = largest_prime(M / (D * P));
    static constexpr int Q = P == AFTER && P * P <= MOST ? P : 1;
    static constexpr int HELD = P * Q, UNITS = M / HELD, B = M / (D * HELD), PASSES = Q > 1 ? 2 : 1;
    static constexpr bool IS_FIRST = D == 1, IS_LAST = D * HELD == M;
    typedef group<T, M, D * HELD, MOST> next;
};

/* Returns the number of groups from g on. */
template <class g> static constexpr __host__ __device__ int groups() {
    if constexpr (g::IS_LAST)
        return 1;
    else
        return 1 + groups<typename g::next>();
}

/* Returns the number of passes from group g on. */
template <class g> static constexpr __host__ __device__ int passes_from() {
    if constexpr (g::IS_LAST)
        return g::PASSES;
    else
        return g::PASSES + passes_from<typename g::next>();
}

/* Computes a pass of radix P on numbers v[0], v[STEP], ...; twiddles: the first factor, or NULL. */
template <int P, int STEP, typename T, int COUNT>
static __device__ __forceinline__ void fixed_radix(const radix_constants<T, COUNT> &constants,
                                                   const number<T> *twiddles, uint32_t step_bytes, number<T> *v) {
    number<T> a[P];
#pragma unroll
    for (int c = 0; c < P; c++) a[c] = v[c * STEP];
    if (twiddles)
#pragma unroll
        for (int c = 1; c < P; c++) {
            number<T> w;
            load_twiddles<1>((const number<T> *)stepped((const T *)twiddles, step_bytes, (uint32_t)(c - 1)), 0, &w);
            a[c] = multiply(a[c], w);
        }
    transform_points<T, P>(constants, P, a, [&](int c, number<T> result) { v[c * STEP] = result; });
}

/* Transforms the numbers of a thread; results are in natural order. s, q: of the position; k: see above; WHOLE: the
 * first pass is that of a whole array, which has no twiddles. */
template <class g, bool WHOLE, typename T>
static __device__ __forceinline__ void fixed_group(const together_params<T> &l, int pass, uint32_t s, uint32_t q,
                                                   uint32_t k, number<T> *v) {
    constexpr int P = g::P, Q = g::Q, D = g::DONE;
    constexpr uint32_t bytes = (uint32_t)sizeof(number<T>);
    const number<T> *const first = WHOLE && g::IS_FIRST ? NULL : l.twiddles[pass];
#pragma unroll
    for (int i = 0; i < Q; i++)
        fixed_radix<P, Q>(l.constants[pass], first ? first + q + s * k : NULL, s * D * bytes, v + i);
    if constexpr (Q > 1) {
        number<T> b[P * Q];
        const number<T> *const second = l.twiddles[pass + 1] + q + s * k;
#pragma unroll
        for (int c = 0; c < P; c++)
            fixed_radix<Q, 1>(l.constants[pass + 1], second + s * D * (uint32_t)c, s * D * P * bytes, v + c * Q);
#pragma unroll
        for (int c = 0; c < P * Q; c++) b[c / Q + c % Q * P] = v[c];
#pragma unroll
        for (int c = 0; c < P * Q; c++) v[c] = b[c];
    }
}

/* Returns the numbers of all threads in all rounds of a block that computes `width` positions. */
template <class g> static constexpr __host__ __device__ int fixed_cost(int width, int threads) {
    const int cost = (g::UNITS * width + threads - 1) / threads * threads * g::HELD;
    if constexpr (g::IS_LAST)
        return cost;
    else
        return cost + fixed_cost<typename g::next>(width, threads);
}

/* Returns the threads of a block, `least` to `most`: those that compute the groups, and then lines of 2^held_log
 * numbers each, in the fewest rounds. held_log < 0: there are no lines. */
template <typename T, int M>
static constexpr __host__ __device__ int fixed_threads(int width, int held_log, int least, int most) {
    int best = most, cheapest = 0;
    for (int threads = most; threads >= least && threads >= 128; threads /= 2) {
        int cost = fixed_cost<group<T, M>>(width, threads);
        if (held_log >= 0) cost += ((M * width >> held_log) + threads - 1) / threads * threads << held_log;
        if (cheapest == 0 || cost < cheapest) cheapest = cost, best = threads;
    }
    return best;
}

/* Loads the numbers of unit i of a position for the first group. */
template <class g, typename T, typename Block>
static __device__ __forceinline__ void load_unit(const together_params<T> &l, const Block &block,
                                                 const position<T> &at, uint32_t i, number<T> *v) {
    const uint32_t step_bytes = (uint32_t)g::UNITS * block.rest(l) * (uint32_t)sizeof(number<T>);
    const T *const x = at.x + 2 * (uint64_t)(i * block.rest(l));
    load_numbers<g::HELD>(v, l.j.x_aligned, false, [=](int c) { return stepped(x, step_bytes, (uint32_t)c); });
    swap_parts<g::HELD>(v, l.j.exchange_in);
}

/* Read and write the numbers of unit i = k B + r of the position in slot w. */
template <class g, typename T, typename Block>
static __device__ __forceinline__ void read_unit(const number<T> *shared, const Block &block, uint32_t w, uint32_t i,
                                                 number<T> *v) {
    const number<T> *const from = shared + (i / g::B * (g::HELD * g::B) + i % g::B) * Block::APART + block.slot(w);
#pragma unroll
    for (int c = 0; c < g::HELD; c++) v[c] = from[c * g::B * Block::APART];
}
template <class g, typename T, typename Block>
static __device__ __forceinline__ void write_unit(number<T> *shared, const Block &block, uint32_t w, uint32_t i,
                                                  const number<T> *v) {
    number<T> *const to = shared + i * Block::APART + block.slot(w);
#pragma unroll
    for (int c = 0; c < g::HELD; c++) to[c * g::DONE * g::B * Block::APART] = v[c];
}

/* Computes unit i of position `at`. */
template <class g, int PASS, typename T, typename Block>
static __device__ __forceinline__ void compute_unit(const together_params<T> &l, const Block &block,
                                                    const position<T> &at, uint32_t i, number<T> *v) {
    fixed_group<g, Block::WHOLE>(l, PASS, block.s(l), at.q, g::IS_FIRST ? 0 : i / g::B, v);
    if constexpr (g::IS_LAST) scale_last<T, g::HELD>(l, at, i, v);
}

/* A unit of a block: unit i of position w. */
struct block_unit {
    uint32_t w, i;
};

/* Computes the groups from g on, and within the block what transform_some computes. Block has the constants WIDTH
 * (its positions), APART (number i of a position is i APART + slot(w) in shared memory) and THREADS. at(l, w) is
 * position w; `left`: the positions from the first one of the block on; s, rest: as in radix_params. load_along,
 * store_along: adjacent threads have adjacent numbers of a position in the first or last group. A thread reads the
 * numbers of all its units before it writes results, which replace others. In the first group that hides the latency
 * of loads. */
template <class g, int PASS = 0, typename T, typename Block>
static __device__ __forceinline__ void fixed_passes(const together_params<T> &l, number<T> *shared,
                                                    const Block &block) {
    constexpr uint32_t WIDTH = Block::WIDTH, ALL = g::UNITS * WIDTH;
    constexpr int ROUNDS = (int)(ALL - 1) / Block::THREADS + 1;
    const bool along = (g::IS_FIRST && block.load_along(l)) || (g::IS_LAST && block.store_along(l));
    const auto unit_of = [=](int round) -> block_unit {
        const uint32_t b = threadIdx.x + (uint32_t)(round * Block::THREADS);
        return along ? block_unit{b / g::UNITS, b % g::UNITS} : block_unit{b % WIDTH, b / WIDTH};
    };
    const auto exists = [=](const block_unit &at) { return at.i < g::UNITS && at.w < WIDTH && at.w < block.left; };
    number<T> v[(g::IS_LAST ? 1 : ROUNDS) * g::HELD];
#pragma unroll
    for (int n = 0; n < ROUNDS; n++) {
        const block_unit at = unit_of(n);
        number<T> *const own = v + (g::IS_LAST ? 0 : n) * g::HELD;
        if (!exists(at)) continue;
        const position<T> from = block.at(l, at.w);
        if constexpr (g::IS_FIRST)
            load_unit<g>(l, block, from, at.i, own);
        else
            read_unit<g>(shared, block, at.w, at.i, own);
        if constexpr (!g::IS_FIRST || g::IS_LAST) compute_unit<g, PASS>(l, block, from, at.i, own);
        if constexpr (g::IS_LAST) store_last<T, g::HELD>(l, from, at.i, own);
    }
    if constexpr (!g::IS_LAST) {
        if (!g::IS_FIRST) __syncthreads();
#pragma unroll
        for (int n = 0; n < ROUNDS; n++) {
            const block_unit at = unit_of(n);
            if (!exists(at)) continue;
            if constexpr (g::IS_FIRST) compute_unit<g, PASS>(l, block, block.at(l, at.w), at.i, v + n * g::HELD);
            write_unit<g>(shared, block, at.w, at.i, v + n * g::HELD);
        }
        __syncthreads();
        fixed_passes<typename g::next, PASS + g::PASSES>(l, shared, block);
    }
}

/* Returns the most numbers that a thread holds in the groups from g on. */
template <class g> static constexpr __host__ __device__ int held_in_groups(int width, int threads) {
    if constexpr (g::IS_LAST) {
        return g::HELD; /* one unit after the other */
    } else {
        const int own = ((g::UNITS * width - 1) / threads + 1) * g::HELD;
        const int others = held_in_groups<typename g::next>(width, threads);
        return own > others ? own : others;
    }
}

/* Returns the threads in a multiprocessor, bounded by registers, if a thread holds so many numbers. */
template <typename T> static constexpr __host__ __device__ int held_threads(int held) {
    if (sizeof(T) == 4) return held <= 12 ? 1024 : held <= 25 ? 768 : 640;
    return held <= 10 ? 768 : held <= 16 ? 512 : 384;
}

#endif
