/* Reductions of many vectors on a GPU (ORDER.md 32), by the tree of ORDER.md 2.
 *
 * axes_kernel: four lanes that are E apart combine first, E = L / 4 (ORDER.md 2.3). They have the elements k, k + E,
 * k + 2 E, ... of a tile, and element number i of this sequence belongs to lane i mod 4. A thread reduces such a
 * sequence, of one vector or of V adjacent vectors. The E values of a tile are then combined by halves, between the
 * threads that have them. If a vector has at most L / 2 elements, E is the least power of two that suffices, because
 * lanes without elements do not change a value.
 *
 *     thread = (tile, slot, column)       2^slots_log2 slots take the sequences, 2^columns_log2 columns take vectors
 *     vectors are contiguous              1 column: adjacent slots read adjacent elements
 *     adjacent vectors are contiguous     up to 32 columns: adjacent columns read adjacent elements
 *
 * tile_rows_kernel, short_rows_kernel: vectors that are contiguous and aligned. Up to AXES_TILE_THREADS threads
 * reduce a tile, as in tree.cuh: a thread has adjacent lanes, and loads them by one instruction. Of short vectors
 * they reduce several at a time.
 *
 * A vector of several tiles leaves a value for each of them, which fold_kernel combines (ORDER.md 2.4).
 *
 * Traffic: each element is read once; for each tile of a vector with several tiles, a value is written and read. */
#ifndef WEFT_CUDA_REDUCE_AXES_CUH
#define WEFT_CUDA_REDUCE_AXES_CUH

#include "cuda/copy_view/view_offsets.cuh"
#include "cuda/reduce/tree.cuh"
#include "cuda/reduce_axes/axes_ops.cuh"
#include "cuda/reduce_axes/axes_params.h"
#include "cuda/runtime/overlap.cuh"

/* Loads of a thread in flight, lanes of a sequence, and blocks that a multiprocessor should hold, which bounds the
 * registers. Measured on an H100, sums of f32 along axis 0: with 8 loads, 4 lanes and 2 blocks 94 to 98 % of its read
 * bandwidth; with 16 loads or 4 blocks registers are spilled, and short vectors reach 84 %. */
enum { AXES_BATCH = 8, AXES_LANES = 4, AXES_BLOCKS = 2 };
/* Contiguous vectors: packs of a tile that a thread has in flight, half as many of 8 elements; blocks that a
 * multiprocessor should hold. */
enum { TILE_BATCH = 16, TILE_BLOCKS = 2 };
/* The same for short vectors, of which a thread has `own` lanes of `bytes` bytes. */
static constexpr int short_blocks(int inputs, size_t own, size_t bytes) {
    return inputs > 1 || own * bytes > 32 ? 2 : bytes > 4 || own * bytes > 16 ? 3 : 4;
}

/* Combines LANES values by halves; the result is v[0]. */
template <class Op, uint32_t LANES, int V>
static __device__ __forceinline__ void combine_halves(const Op &op, typename Op::value (&v)[LANES][V]) {
#pragma unroll
    for (int half = LANES / 2; half >= 1; half /= 2)
#pragma unroll
        for (int j = 0; j < half; j++)
#pragma unroll
            for (int e = 0; e < V; e++) v[j][e] = op.combine(v[j][e], v[j + half][e]);
}

/* V adjacent elements in the registers that they were loaded to. They are taken apart where they are used: a loop
 * that loads elements of 1 or 2 bytes for its next round would otherwise wait for them at once. */
template <class T, int V> struct axes_pack {
    static_assert(V == 1 || V * sizeof(T) >= 4, "a pack has whole words");
    uint32_t word[(V * sizeof(T) + 3) / 4];
    __device__ __forceinline__ T element(int e) const {
        pack<T, V> v;
        memcpy(&v, word, sizeof v);
        return v.element[e];
    }
};

template <class T, int V> static __device__ __forceinline__ axes_pack<T, V> load_adjacent(const char *p) {
    axes_pack<T, V> v;
    if constexpr (V > 1) {
        const pack<T, V> loaded = load_pack<T, V>((const T *)p);
        memcpy(v.word, &loaded, sizeof loaded);
    } else if constexpr (sizeof(T) == 2) { /* integers, f16 and bf16 */
        v.word[0] = __ldg((const unsigned short *)p);
    } else {
        const T loaded = __ldg((const T *)p);
        memcpy(v.word, &loaded, sizeof loaded);
    }
    return v;
}

/* V adjacent elements of the second operand, or, if it repeats, V times one element. */
template <class T, int V>
static __device__ __forceinline__ axes_pack<T, V> load_factors(const axes_params &a, const char *p) {
    if (V == 1 || !a.factor_repeats) return load_adjacent<T, V>(p);
    const T one = load_adjacent<T, 1>(p).element(0);
    pack<T, V> v;
    axes_pack<T, V> repeated;
#pragma unroll
    for (int e = 0; e < V; e++) v.element[e] = one;
    memcpy(repeated.word, &v, sizeof v);
    return repeated;
}

/* The elements of V steps: y is used only if the operator has two inputs. */
template <class Op, int V> struct axes_terms {
    axes_pack<typename Op::element, V> x;
    axes_pack<typename Op::element, Op::INPUTS == 2 ? V : 1> y;
};

/* Adds the terms of step e. */
template <class Op, int V>
static __device__ __forceinline__ typename Op::value
add_term(const Op &op, typename Op::value lane, const axes_terms<Op, V> &terms, int e, uint64_t i, double m) {
    if constexpr (Op::INPUTS == 2)
        return op.step(lane, terms.x.element(e), terms.y.element(e));
    else
        return op.step(lane, terms.x.element(e), i, m);
}

/* A sequence: `count` elements from p on, `apart` bytes apart, and from `factor` on those of the second operand. They
 * have the indices first, first + step, ... */
struct axes_sequence {
    const char *p, *factor;
    int64_t apart, factor_apart;
    uint64_t first;
    uint32_t step, count;
};

/* Loads the terms of the next N elements of a sequence, at most `left`, and moves its pointers past them. WHOLE:
 * left is at least N. */
template <bool WHOLE, class Op, int V, uint32_t N>
static __device__ __forceinline__ void load_terms(const axes_params &a, axes_sequence &s, uint32_t left,
                                                  axes_terms<Op, V> (&terms)[N]) {
    typedef typename Op::element T;
#pragma unroll
    for (uint32_t k = 0; k < N; k++, s.p += s.apart) {
        if (WHOLE || k < left) terms[k].x = load_adjacent<T, V>(s.p);
        if constexpr (Op::INPUTS == 2) {
            if (WHOLE || k < left) terms[k].y = load_factors<T, V>(a, s.factor);
            s.factor += s.factor_apart;
        }
    }
}

/* Adds the terms of N elements, from element i of a sequence on, at most `left`. Element k belongs to lane FIRST + k.
 */
template <bool WHOLE, uint32_t FIRST, class Op, int V, uint32_t N>
static __device__ __forceinline__ void add_terms(const Op &op, const axes_sequence &s, const double (&m)[V],
                                                 uint32_t i, uint32_t left, const axes_terms<Op, V> (&terms)[N],
                                                 typename Op::value (&v)[AXES_LANES][V]) {
#pragma unroll
    for (uint32_t k = 0; k < N; k++)
#pragma unroll
        for (int e = 0; e < V; e++) {
            typename Op::value &lane = v[(FIRST + k) % AXES_LANES][e];
            if (WHOLE || k < left) lane = add_term(op, lane, terms[k], e, s.first + (uint64_t)(i + k) * s.step, m[e]);
        }
}

/* Reduces a sequence to total. The vectors have the parameters m. While the terms of one half of a batch are added,
 * those of the other one are loaded. */
template <class Op, int V>
static __device__ __forceinline__ void reduce_sequence(const Op &op, const axes_params &a, const double (&m)[V],
                                                       axes_sequence s, typename Op::value (&total)[V]) {
    constexpr uint32_t HALF = AXES_BATCH / Op::INPUTS / 2, BATCH = 2 * HALF;
    typename Op::value v[AXES_LANES][V];
    axes_terms<Op, V> low[HALF], high[HALF];
#pragma unroll
    for (uint32_t j = 0; j < AXES_LANES; j++)
#pragma unroll
        for (int e = 0; e < V; e++) v[j][e] = op.identity();
    uint32_t i = 0;
    if (s.count >= BATCH) {
        load_terms<true>(a, s, HALF, low);
        load_terms<true>(a, s, HALF, high);
#pragma unroll 1
        for (; i + 2 * BATCH <= s.count; i += BATCH) {
            add_terms<true, 0>(op, s, m, i, HALF, low, v);
            load_terms<true>(a, s, HALF, low);
            add_terms<true, HALF>(op, s, m, i + HALF, HALF, high, v);
            load_terms<true>(a, s, HALF, high);
        }
        add_terms<true, 0>(op, s, m, i, HALF, low, v);
        add_terms<true, HALF>(op, s, m, i + HALF, HALF, high, v);
        i += BATCH;
    }
    if (i < s.count) {
        const uint32_t left = s.count - i, above = left > HALF ? left - HALF : 0;
        load_terms<false>(a, s, left, low);
        load_terms<false>(a, s, above, high);
        add_terms<false, 0>(op, s, m, i, left, low, v);
        add_terms<false, HALF>(op, s, m, i + HALF, above, high, v);
    }
    combine_halves(op, v);
#pragma unroll
    for (int e = 0; e < V; e++) total[e] = v[0][e];
}

/* Returns the values of the slots of a column, combined by halves between the threads of a warp. The result is valid
 * in the threads of slot 0. */
template <class Op>
static __device__ __forceinline__ typename Op::value combine_in_warp(const Op &op, const axes_params &a,
                                                                     typename Op::value v) {
    const uint32_t threads = 1u << (a.columns_log2 + a.slots_log2), columns = 1u << a.columns_log2;
#pragma unroll
    for (uint32_t distance = WARP / 2; distance >= 1; distance /= 2)
        if (distance >= columns && distance < threads) v = op.combine(v, across(v, (int)distance));
    return v;
}

/* Returns the values of the same lane of up to 8 warps, combined by halves. of_lane: that of the first warp. */
template <class Op>
static __device__ __forceinline__ typename Op::value combine_warps(const Op &op, uint32_t warps,
                                                                   const typename Op::value *of_lane) {
    typename Op::value of_warp[8];
#pragma unroll
    for (uint32_t w = 0; w < 8; w++) of_warp[w] = w < warps ? of_lane[w * WARP] : op.identity();
#pragma unroll
    for (uint32_t half = 4; half >= 1; half /= 2)
        if (half < warps)
#pragma unroll
            for (uint32_t w = 0; w < half; w++) of_warp[w] = op.combine(of_warp[w], of_warp[w + half]);
    return of_warp[0];
}

/* Calls store(e, value) with the value e of each column, combined from those of its slots, in one thread of slot 0 of
 * one of the warps: the warps of a column share its V values. `thread`: number within the threads of a tile. Called
 * by all threads of the block. */
template <class Op, int V, class Store>
static __device__ __forceinline__ void combine_slots(const Op &op, const axes_params &a, uint32_t thread,
                                                     typename Op::value (*area)[AXES_THREADS],
                                                     const typename Op::value (&v)[V], Store store) {
    const uint32_t warps = (1u << (a.columns_log2 + a.slots_log2)) / WARP;
    const bool stores = (thread % WARP) >> a.columns_log2 == 0;
    if (warps <= 1) {
        __syncwarp();
#pragma unroll
        for (int e = 0; e < V; e++) {
            const typename Op::value total = combine_in_warp(op, a, v[e]);
            if (thread >> a.columns_log2 == 0) store(e, total);
        }
        return;
    }
#pragma unroll
    for (int e = 0; e < V; e++) area[e][threadIdx.x] = v[e];
    __syncthreads();
    const uint32_t first = threadIdx.x - thread + thread % WARP;
#pragma unroll 1
    for (uint32_t e = thread / WARP; e < V; e += warps) {
        const typename Op::value total = combine_in_warp(op, a, combine_warps(op, warps, area[e] + first));
        if (stores) store((int)e, total);
    }
    __syncthreads();
}

/* Stores the result of vector number `vector`, at `out`. */
template <class Value>
static __device__ __forceinline__ void finish_vector(const axes_params &a, uint64_t vector, char *out, Value v) {
    reduce_params j = a.j;
    if (j.reference) j.reference += vector;
    if (j.keep) j.keep += vector;
    j.out = j.out ? out : NULL;
    if (a.digits == 0 || !j.out) {
        finish(j, v);
        return;
    }
    union {
        float f32;
        double f64;
    } value;
    j.out = &value;
    finish(j, v);
    *(uint16_t *)out = j.result == WEFT_F64 ? weft_half_bits(value.f64, (int)a.digits)
                       : a.digits == 11     ? weft_round_f16(value.f32)
                                            : weft_round_bf16(value.f32);
}

/* Splits the number of an item into those of its tile and of its columns. Adjacent items are adjacent in memory. */
static __device__ __forceinline__ void split_item(const axes_params &a, uint64_t item, uint64_t &tile,
                                                  uint64_t &columns) {
    if (a.tiles == 1) return;
    const uint64_t by = a.columns_log2 ? a.column_blocks : a.tiles, above = item / by, below = item - above * by;
    tile = a.columns_log2 ? above : below;
    columns = a.columns_log2 ? below : above;
}

/* Returns the offset of vector, or pack, `number` in the second operand, and 0 if the operator has none. */
template <class Op>
static __device__ __forceinline__ int64_t factor_offset(const axes_params &a, uint64_t number, bool present) {
    int64_t from = 0, unused = 0;
    if (Op::INPUTS == 2 && present) view_offsets(a.factor_outer, number, from, unused);
    return from;
}

/* Returns the parameter of a vector, and 0 for operators without one. */
template <class Op>
static __device__ __forceinline__ double parameter_of(const Op &op, const axes_params &a, uint64_t vector) {
    return Op::REFERENCE && a.j.reference ? op.prepare(a.j.reference[vector]) : 0.0;
}

template <class Op, int V>
static __global__ void __launch_bounds__(AXES_THREADS, AXES_BLOCKS)
    axes_kernel(const __grid_constant__ axes_params a) {
    typedef typename Op::value A;
    constexpr uint64_t TILE = WEFT_TILE(sizeof(typename Op::element));
    __shared__ A area[V][AXES_THREADS];
    const Op op(a.j);
    const uint32_t threads_log2 = a.columns_log2 + a.slots_log2, thread = threadIdx.x & ((1u << threads_log2) - 1);
    const uint32_t column = thread & ((1u << a.columns_log2) - 1), slot = thread >> a.columns_log2;
    for (uint64_t block = blockIdx.x; block < a.blocks; block += gridDim.x) {
        const uint64_t item = (block * a.threads + threadIdx.x) >> threads_log2;
        uint64_t tile = 0, columns = item;
        split_item(a, item, tile, columns);
        const uint64_t number = columns << a.columns_log2 | column, vector = number * V;
        const bool present = tile < a.tiles && columns < a.column_blocks && number < a.packs;
        int64_t from = 0, to = 0;
        const int64_t from_factor = factor_offset<Op>(a, number, present);
        double m[V];
        A total[V], v[V];
        bool idle = true;
        if (present) view_offsets(a.outer, number, from, to);
#pragma unroll
        for (int e = 0; e < V; e++) {
            m[e] = present ? parameter_of(op, a, vector + e) : 0.0;
            total[e] = op.identity();
            idle = idle && op.idle(m[e]);
        }
        const uint32_t count = present && !idle ? (uint32_t)min(TILE, a.n - tile * TILE) : 0;
        A held[V];
        /* The sequences of a thread in the order of reversed bits, in which halves are adjacent. There are up to 4.
         */
        const uint32_t passes = a.sequences >> a.slots_log2;
        for (uint32_t pass = 0; pass < passes; pass++) {
            const uint32_t k = slot + ((passes == 4 ? (pass & 1) << 1 | pass >> 1 : pass) << a.slots_log2);
            const int64_t first = (int64_t)(tile * TILE + k);
            const axes_sequence s = {a.x + from + first * a.stride,
                                     a.factor + from_factor + first * a.factor_stride,
                                     a.stride * a.sequences,
                                     a.factor_stride * a.sequences,
                                     (uint64_t)first,
                                     a.sequences,
                                     k < count ? (count - k - 1) / a.sequences + 1 : 0};
            reduce_sequence(op, a, m, s, v);
#pragma unroll
            for (int e = 0; e < V; e++) {
                if (pass & 1) v[e] = op.combine(total[e], v[e]);
                if (pass == 3) v[e] = op.combine(held[e], v[e]);
                if (pass == 1) held[e] = v[e];
                total[e] = v[e];
            }
        }
        combine_slots(op, a, thread, area, total, [&](int e, A value) {
            if (!present || op.idle(parameter_of(op, a, vector + e))) return;
            if (a.tiles > 1)
                ((A *)a.partials)[tile * a.vectors + vector + e] = value;
            else
                finish_vector(a, vector + e, a.y + to + e * a.y_apart, value);
        });
    }
}

/* --------------------------------------------------------------------------- contiguous vectors */

/* Returns the offset of a pack of `bytes` bytes in a vector that is divided into runs. */
static __device__ __forceinline__ int64_t run_offset(const axes_params &a, uint32_t number, uint32_t bytes,
                                                     int64_t run_stride) {
    uint32_t run = number;
    const uint32_t in_run = a.run.n > 1 ? split_index(a.run, run) : 0;
    return (int64_t)run * run_stride + (int64_t)in_run * bytes;
}

/* The same for any vector. */
static __device__ __forceinline__ int64_t pack_offset(const axes_params &a, uint64_t number, uint32_t bytes,
                                                      int64_t run_stride) {
    return a.run.n == 0 ? (int64_t)(number * bytes) : run_offset(a, (uint32_t)number, bytes, run_stride);
}

/* Loads pack `number` of the vector at x and of that at y. CONTIGUOUS: the vectors are not divided into runs. */
template <bool CONTIGUOUS, class Op, int OWN>
static __device__ __forceinline__ void load_row_terms(const axes_params &a, const char *x, const char *y,
                                                      uint64_t number, axes_terms<Op, OWN> &terms) {
    typedef typename Op::element T;
    const uint32_t bytes = OWN * sizeof(T);
    const int64_t own = (int64_t)(number * bytes);
    terms.x = load_adjacent<T, OWN>(x + (CONTIGUOUS ? own : pack_offset(a, number, bytes, a.run_stride)));
    if constexpr (Op::INPUTS == 2)
        terms.y = load_adjacent<T, OWN>(y + (CONTIGUOUS ? own : pack_offset(a, number, bytes, a.factor_run_stride)));
}

/* Takes this thread's packs of a tile: packs t, t + 2^slots_log2, ... of `packs`, from number `start` of the vectors
 * at x and y on. FULL: a full tile, taken by AXES_TILE_THREADS threads. */
template <bool FULL, bool CONTIGUOUS, class Op, int OWN>
static __device__ __forceinline__ void take_tile(const Op &op, const axes_params &a, const char *x, const char *y,
                                                 uint64_t start, uint32_t packs, double m,
                                                 typename Op::value (&lane)[OWN]) {
    typedef typename Op::element T;
    constexpr uint32_t BATCH = (OWN > 4 ? TILE_BATCH / 2 : TILE_BATCH) / Op::INPUTS;
    const uint32_t threads = FULL ? AXES_TILE_THREADS(sizeof(T)) : 1u << a.slots_log2,
                   thread = threadIdx.x & (threads - 1);
#pragma unroll 1
    for (uint32_t top = thread; top < packs; top += BATCH * threads) {
        axes_terms<Op, OWN> row[BATCH];
#pragma unroll
        for (uint32_t r = 0; r < BATCH; r++) {
            const uint32_t i = top + r * threads;
            if (FULL || i < packs) load_row_terms<CONTIGUOUS>(a, x, y, start + i, row[r]);
        }
#pragma unroll
        for (uint32_t r = 0; r < BATCH; r++) {
            const uint32_t i = top + r * threads;
            if (!FULL && i >= packs) continue;
#pragma unroll
            for (int l = 0; l < OWN; l++) lane[l] = add_term(op, lane[l], row[r], l, (start + i) * OWN + l, m);
        }
    }
}

/* Each group of 2^slots_log2 threads reduces a tile. */
template <class Op>
static __global__ void __launch_bounds__(AXES_THREADS, TILE_BLOCKS)
    tile_rows_kernel(const __grid_constant__ axes_params a) {
    typedef typename Op::element T;
    typedef typename Op::value A;
    constexpr int OWN = AXES_OWN(sizeof(T));
    constexpr uint32_t PACKS = WEFT_TILE(sizeof(T)) / OWN;
    const Op op(a.j);
    const uint32_t threads = 1u << a.slots_log2;
    for (uint64_t block = blockIdx.x; block < a.blocks; block += gridDim.x) {
        const uint64_t item = (block * a.threads + threadIdx.x) >> a.slots_log2;
        const bool present = item < a.tiles * a.vectors;
        uint64_t tile = 0, vector = item;
        int64_t from = 0, to = 0;
        A lane[OWN];
        split_item(a, item, tile, vector);
        if (present) view_offsets(a.outer, vector, from, to);
        const char *const y = a.factor + factor_offset<Op>(a, vector, present);
        const double m = present ? parameter_of(op, a, vector) : 0.0;
        const uint64_t start = tile * PACKS;
        const uint32_t packs = present && !op.idle(m) ? (uint32_t)min((uint64_t)PACKS, a.n / OWN - start) : 0;
#pragma unroll
        for (int l = 0; l < OWN; l++) lane[l] = op.identity();
        const bool full = packs == PACKS && threads == AXES_TILE_THREADS(sizeof(T));
        if (full && a.run.n == 0)
            take_tile<true, true>(op, a, a.x + from, y, start, PACKS, m, lane);
        else if (full)
            take_tile<true, false>(op, a, a.x + from, y, start, PACKS, m, lane);
        else
            take_tile<false, false>(op, a, a.x + from, y, start, packs, m, lane);
        __syncwarp();
        const A v = combine_lanes_of<OWN, 1>(op, (int)threads, lane);
        if ((threadIdx.x & (threads - 1)) != 0 || packs == 0) continue;
        if (a.tiles > 1)
            ((A *)a.partials)[tile * a.vectors + vector] = v;
        else
            finish_vector(a, vector, a.y + to, v);
    }
}

/* Takes this thread's packs of AXES_TILES vectors: packs t, t + 2^slots_log2, ... of each. */
template <bool CONTIGUOUS, class Op, int OWN>
static __device__ __forceinline__ void
take_short(const Op &op, const axes_params &a, const char *const (&x)[AXES_TILES], const char *const (&y)[AXES_TILES],
           const double (&m)[AXES_TILES], typename Op::value (&lane)[AXES_TILES][OWN]) {
    const uint32_t threads = 1u << a.slots_log2, packs = (uint32_t)(a.n / OWN);
#pragma unroll 1
    for (uint32_t i = threadIdx.x & (threads - 1); i < packs; i += threads) {
        axes_terms<Op, OWN> row[AXES_TILES];
#pragma unroll
        for (int k = 0; k < AXES_TILES; k++) load_row_terms<CONTIGUOUS>(a, x[k], y[k], i, row[k]);
#pragma unroll
        for (int k = 0; k < AXES_TILES; k++)
#pragma unroll
            for (int l = 0; l < OWN; l++)
                lane[k][l] = add_term(op, lane[k][l], row[k], l, (uint64_t)i * OWN + l, m[k]);
    }
}

/* Vectors of one tile: each group of 2^slots_log2 >= AXES_TILES threads reduces AXES_TILES of them. Thread t takes
 * packs t, t + 2^slots_log2, ... of each. It determines where vector t mod AXES_TILES is, and t < AXES_TILES stores
 * its result. In place of vectors after the last one they read the last one. */
template <class Op>
static __global__ void __launch_bounds__(AXES_THREADS,
                                         short_blocks(Op::INPUTS, AXES_OWN(sizeof(typename Op::element)),
                                                      sizeof(typename Op::value)))
    short_rows_kernel(const __grid_constant__ axes_params a) {
    typedef typename Op::element T;
    typedef typename Op::value A;
    constexpr int OWN = AXES_OWN(sizeof(T));
    const Op op(a.j);
    const uint32_t threads = 1u << a.slots_log2, thread = threadIdx.x & (threads - 1), groups_log2 = 5 - a.slots_log2;
    for (uint64_t block = blockIdx.x; block < a.blocks; block += gridDim.x) {
        const uint64_t warp = (block * a.threads + threadIdx.x) / WARP;
        const uint64_t first = (warp * AXES_TILES << groups_log2) + (threadIdx.x % WARP >> a.slots_log2);
        const uint64_t stored = first + ((uint64_t)(thread % AXES_TILES) << groups_log2);
        const uint64_t located = min(stored, a.vectors - 1);
        int64_t from = 0, to = 0;
        view_offsets(a.outer, located, from, to);
        const int64_t from_factor = factor_offset<Op>(a, located, true);
        __syncwarp();
        const char *x[AXES_TILES], *y[AXES_TILES];
        double m[AXES_TILES];
        A lane[AXES_TILES][OWN], own = op.identity();
#pragma unroll
        for (int k = 0; k < AXES_TILES; k++) {
            const uint64_t vector = first + ((uint64_t)k << groups_log2);
            x[k] = a.x + __shfl_sync(FULL_WARP, from, k, (int)threads);
            y[k] = Op::INPUTS == 2 ? a.factor + __shfl_sync(FULL_WARP, from_factor, k, (int)threads) : NULL;
            m[k] = vector < a.vectors ? parameter_of(op, a, vector) : 0.0;
#pragma unroll
            for (int l = 0; l < OWN; l++) lane[k][l] = op.identity();
        }
        if (a.run.n == 0)
            take_short<true>(op, a, x, y, m, lane);
        else
            take_short<false>(op, a, x, y, m, lane);
        __syncwarp();
        bool stores = false;
#pragma unroll
        for (int k = 0; k < AXES_TILES; k++) {
            const A v = combine_lanes_of<OWN, 1>(op, (int)threads, lane[k]);
            if (thread == (uint32_t)k) own = v, stores = !op.idle(m[k]);
        }
        if (stores && stored < a.vectors) finish_vector(a, stored, a.y + to, own);
    }
}

/* ------------------------------------------------------------------------------------- tiles */

/* Combines the values of the tiles of each vector. Threads share the tiles of a vector in aligned powers of two. */
template <class Op>
static __global__ void __launch_bounds__(FOLD_THREADS) fold_kernel(const __grid_constant__ axes_params a) {
    typedef typename Op::value A;
    __shared__ A area[FOLD_THREADS];
    const Op op(a.j);
    const uint32_t columns = 1u << a.fold_columns_log2, share = threadIdx.x >> a.fold_columns_log2;
    const uint32_t shares = FOLD_THREADS >> a.fold_columns_log2;
    const uint64_t first = (uint64_t)share << a.fold_log2;
    wait_for_stream();
    for (uint64_t block = blockIdx.x; block * columns < a.vectors; block += gridDim.x) {
        const uint64_t vector = block * columns + (threadIdx.x & (columns - 1));
        const bool present = vector < a.vectors && first < a.tiles;
        A v = op.identity();
        const A *const own = (const A *)a.partials + first * a.vectors + vector;
        if (present)
            v = fold_values(op, min((uint64_t)1 << a.fold_log2, a.tiles - first),
                            [&](uint64_t i) { return own[i * a.vectors]; });
        for (uint32_t step = 1; step < shares && (uint64_t)step << a.fold_log2 < a.tiles; step *= 2) {
            area[threadIdx.x] = v;
            __syncthreads();
            if (share % (2 * step) == 0 && first + ((uint64_t)step << a.fold_log2) < a.tiles)
                v = op.combine(v, area[threadIdx.x + step * columns]);
            __syncthreads();
        }
        if (vector >= a.vectors || share > 0) continue;
        if (a.j.finish == FINISH_RESCALE && weft_norm2_scale(a.j.reference[vector]) == 1.0) continue;
        int64_t from = 0, to = 0;
        view_offsets(a.outer, vector / a.pack, from, to);
        finish_vector(a, vector, a.y + to + (int64_t)(vector % a.pack) * a.y_apart, v);
    }
}

/* ----------------------------------------------------------------------------------- launches */

template <class Op, class Fold> static axes_launch axes_launch_of() {
    typedef typename Op::element T;
    typedef typename Op::value A;
    constexpr int PACK = sizeof(A) > 8 ? 1 : sizeof(T) == 8 ? 2 : sizeof(T) == 2 && sizeof(A) == 4 ? 8 : 4;
    constexpr bool ROWS = sizeof(A) <= 8;
    axes_launch l;
    l.vectors = axes_kernel<Op, 1>;
    l.packs = PACK > 1 ? axes_kernel<Op, PACK> : (axes_function)NULL;
    l.fold = fold_kernel<Fold>;
    l.tile_rows = l.short_rows = NULL;
    if constexpr (ROWS) {
        l.tile_rows = tile_rows_kernel<Op>;
        l.short_rows = short_rows_kernel<Op>;
    }
    l.pack = PACK;
    l.lanes = AXES_LANES;
    l.own = AXES_OWN(sizeof(T));
    l.value_bytes = sizeof(A);
    return l;
}

#endif
