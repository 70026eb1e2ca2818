/* Elimination with pivoting on a GPU (ORDER.md 26): equations, chunks in registers, trees of runs in shared memory.
 */
#ifndef WEFT_CUDA_TRIDIAG_PIVOT_CUH
#define WEFT_CUDA_TRIDIAG_PIVOT_CUH

#include "cuda/tridiag/tridiag.cuh"
#include "cuda/tridiag_pivot/tridiag_pivot_params.h"

static_assert(TRIDIAG_CHUNK == WEFT_TRIDIAG_PIVOT_CHUNK, "tiles have the chunks of weft_tridiag");

/* -------------------------------------------------------------------------------- elimination */

template <class T> struct pivot_equation { T k[PIVOT_COLUMNS + 1]; };

/* Steps of an elimination: bit i of `exchanged` is 1 if equation i + 1 was exchanged with the first one; m[i] is
 * minus the multiple of the pivot equation that was then subtracted from equation i + 1. The compiler removes what is
 * not used. */
template <class T> struct pivot_steps {
    T m[3];
    unsigned exchanged;
    bool lost;
};

/* Eliminates the unknown of a column from the equations of a list. */
template <int COUNT, int COLUMN, class T>
__device__ __forceinline__ pivot_steps<T> pivot_eliminate(pivot_equation<T> *list) {
    typedef tridiag_type<T> type;
    pivot_steps<T> steps;
    steps.exchanged = 0;
    steps.lost = list[0].k[COLUMN] == 0;
#pragma unroll
    for (int i = 1; i < COUNT; i++) {
        const bool greater = type::magnitude(list[i].k[COLUMN]) > type::magnitude(list[0].k[COLUMN]);
        steps.lost = steps.lost && list[i].k[COLUMN] == 0;
        steps.exchanged |= greater ? 1u << (i - 1) : 0;
#pragma unroll
        for (int k = 0; k <= PIVOT_COLUMNS; k++) {
            const T other = list[0].k[k];
            list[0].k[k] = greater ? list[i].k[k] : other;
            list[i].k[k] = greater ? other : list[i].k[k];
        }
    }
#pragma unroll
    for (int i = 1; i < COUNT; i++) {
        steps.m[i - 1] = -(list[i].k[COLUMN] / list[0].k[COLUMN]);
#pragma unroll
        for (int k = 0; k <= PIVOT_COLUMNS; k++)
            if (k != COLUMN) list[i].k[k] = type::fused(steps.m[i - 1], list[0].k[k], list[i].k[k]);
    }
    return steps;
}

/* --------------------------------------------------------------------------------- chunks */

/* Returns the first row of a chunk: a last chunk of one row has one more. */
static __device__ __forceinline__ uint64_t pivot_first_row(uint64_t n, uint64_t chunk) {
    const uint64_t first = chunk * TRIDIAG_CHUNK;
    return first + 1 == n && first ? first - 1 : first;
}

/* The elimination of a chunk, with which it can be repeated for other right-hand sides: of row r, multiples r - 2 and
 * bits 2 (r - 2) and 2 (r - 2) + 1. `lost`: a mask of the inner unknowns that lost their pivots. */
template <class T> struct pivot_factors {
    T first[TRIDIAG_CHUNK - 2], second[TRIDIAG_CHUNK - 2];
    unsigned exchanged, lost;
};

/* Eliminates the inner unknowns of a chunk. Row r becomes the pivot equation of x[r - 1], with the coefficients a, b
 * and c, and with the right-hand side d if KEEP is true; otherwise d is left as it is. */
template <bool KEEP, class T>
__device__ __forceinline__ void pivot_sweep(tridiag_chunk<T> &v, int rows, pivot_equation<T> *list,
                                            pivot_factors<T> *factors) {
    factors->exchanged = factors->lost = 0;
#pragma unroll
    for (int r = 2; r < TRIDIAG_CHUNK; r++) {
        if (r >= rows) continue;
        pivot_equation<T> three[3] = {list[0], list[1], {{0, 0, v.a[r], v.b[r], v.c[r], 0, v.d[r]}}};
        const pivot_steps<T> steps = pivot_eliminate<3, PIVOT_INNER_0>(three);
        factors->first[r - 2] = steps.m[0];
        factors->second[r - 2] = steps.m[1];
        factors->exchanged |= steps.exchanged << 2 * (r - 2);
        if (steps.lost) factors->lost |= 1u << (r - 1);
        v.a[r] = three[0].k[PIVOT_INNER_0];
        v.b[r] = three[0].k[PIVOT_INNER_1];
        v.c[r] = three[0].k[PIVOT_INNER_2];
        if (KEEP) v.d[r] = three[0].k[PIVOT_COLUMNS];
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const pivot_equation<T> e = three[1 + i];
            list[i] = {{e.k[PIVOT_LEFT_0], e.k[PIVOT_LEFT_1], e.k[PIVOT_INNER_1], e.k[PIVOT_INNER_2], 0, 0,
                        e.k[PIVOT_COLUMNS]}};
        }
    }
}

/* Reduces a chunk to the two equations of its run. */
template <class T>
__device__ __forceinline__ void pivot_reduce(tridiag_chunk<T> &v, int rows, pivot_equation<T> *list,
                                             pivot_factors<T> *factors) {
    list[0] = {{v.a[0], v.b[0], v.c[0], 0, 0, 0, v.d[0]}};
    list[1] = {{0, v.a[1], v.b[1], v.c[1], 0, 0, v.d[1]}};
    pivot_sweep<false>(v, rows, list, factors);
}

/* Returns the right-hand sides of the first two rows of a chunk, in which the first two unknowns are known. */
template <class T>
__device__ __forceinline__ void pivot_known(const tridiag_chunk<T> &v, const T outer[4], T right[2]) {
    typedef tridiag_type<T> type;
    right[0] = type::fused(-v.b[0], outer[1], type::fused(-v.a[0], outer[0], v.d[0]));
    right[1] = type::fused(-v.a[1], outer[1], v.d[1]);
}

/* Computes the pivot equations of a chunk from its rows. outer: x before and at the first row, at and after the last
 * one. */
template <class T>
__device__ __forceinline__ void pivot_eliminate_again(tridiag_chunk<T> &v, int rows, const T outer[4]) {
    pivot_factors<T> unused;
    T right[2];
    pivot_known(v, outer, right);
    pivot_equation<T> list[2] = {{{0, 0, v.c[0], 0, 0, 0, right[0]}}, {{0, 0, v.b[1], v.c[1], 0, 0, right[1]}}};
    pivot_sweep<true>(v, rows, list, &unused);
}

/* Computes the right-hand sides of the pivot equations that pivot_reduce left in v. */
template <class T>
__device__ __forceinline__ void pivot_apply(tridiag_chunk<T> &v, int rows, const pivot_factors<T> &factors,
                                            const T outer[4]) {
    typedef tridiag_type<T> type;
    T right[2];
    pivot_known(v, outer, right);
#pragma unroll
    for (int r = 2; r < TRIDIAG_CHUNK; r++) {
        if (r >= rows) continue;
        const bool first = factors.exchanged >> 2 * (r - 2) & 1, second = factors.exchanged >> 2 * (r - 2) & 2;
        const T before = first ? right[1] : right[0], other = first ? right[0] : right[1];
        const T pivot = second ? v.d[r] : before, last = second ? before : v.d[r];
        right[0] = type::fused(factors.first[r - 2], pivot, other);
        right[1] = type::fused(factors.second[r - 2], pivot, last);
        v.d[r] = pivot;
    }
}

/* Computes x of a chunk, in d, from the pivot equations. */
template <class T> __device__ __forceinline__ void pivot_expand(tridiag_chunk<T> &v, int rows, const T outer[4]) {
    typedef tridiag_type<T> type;
    T x = outer[2], next = outer[3];
#pragma unroll
    for (int r = TRIDIAG_CHUNK - 1; r >= 2; r--) { /* x[r] and the one after it are known */
        if (r >= rows) continue;
        const T own = type::fused(-v.b[r], x, type::fused(-v.c[r], next, v.d[r])) / v.a[r];
        v.d[r] = x;
        next = x;
        x = own;
    }
    v.d[1] = x;
    v.d[0] = outer[1];
}

/* Makes the NaNs of x canonical, and reports the first x that is not finite. start: the number of the first row. */
template <class T>
__device__ __forceinline__ void pivot_finish(const tridiag_params &j, tridiag_chunk<T> &v, int rows, uint64_t system,
                                             uint64_t start) {
    unsigned odd = 0;
#pragma unroll
    for (int i = 0; i < TRIDIAG_CHUNK; i++) {
        if (i < rows && !(tridiag_type<T>::magnitude(v.d[i]) < tridiag_type<T>::infinity())) odd |= 1u << i;
        if (v.d[i] != v.d[i]) v.d[i] = tridiag_type<T>::nan();
    }
    if (odd) tridiag_report(j, system, true, start + (uint64_t)(__ffs((int)odd) - 1));
}

/* ----------------------------------------------------------------------------- tree of runs */

/* The runs of a block's systems, and their borders, in shared memory. Value v of run k of system s is at
 * runs[v * stride + s * line + k * step]. After the runs are solved, their memory is that of the pairs. */
template <class T> struct pivot_tree {
    T *runs, *borders;
    uint32_t count, side, nodes; /* systems; their maximum; maximum number of runs */
    uint32_t size;               /* runs of each system */
    uint32_t line, step, stride;
    uint64_t system, first_chunk, chunks; /* first system; first chunk; chunks per run */

    __device__ uint32_t at(uint32_t s, uint32_t k) const { return s * line + k * step; }
    /* Returns the address of value v of border k, for pairs of one of the two levels. */
    __device__ T *pair(uint32_t level, uint32_t v, uint32_t s, uint32_t k) const {
        const uint32_t borders_of_side = side * (nodes + 1);
        return runs + (level % 2 * TRIDIAG_PAIR_VALUES + v) * borders_of_side + (step == 1 ? s * (nodes + 1) : s) +
               k * step;
    }
    /* Returns the number of runs at a level. */
    __device__ uint32_t size_at(uint32_t level) const { return (size + (1u << level) - 1) >> level; }
    __device__ uint32_t levels() const { return size > 1 ? 32 - (uint32_t)__clz((int)(size - 1)) : 0; }
};

template <class T>
__device__ __forceinline__ void pivot_store_run(const pivot_tree<T> &t, uint32_t to, const pivot_equation<T> *list) {
#pragma unroll
    for (int i = 0; i < 2; i++) {
        T *const p = t.runs + i * (TRIDIAG_RUN_VALUES / 2) * t.stride + to;
        p[0] = list[i].k[PIVOT_LEFT_0];
        p[t.stride] = list[i].k[PIVOT_LEFT_1];
        p[2 * t.stride] = list[i].k[PIVOT_RIGHT_0];
        p[3 * t.stride] = list[i].k[PIVOT_RIGHT_1];
        p[4 * t.stride] = list[i].k[PIVOT_COLUMNS];
    }
}

/* Loads the equations of a run, with the columns from FIRST on. */
template <int FIRST, class T>
__device__ __forceinline__ void pivot_load_run(const pivot_tree<T> &t, uint32_t from, pivot_equation<T> *list) {
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const T *const p = t.runs + i * (TRIDIAG_RUN_VALUES / 2) * t.stride + from;
        list[i] = {{0, 0, 0, 0, 0, 0, p[4 * t.stride]}};
#pragma unroll
        for (int k = 0; k < 4; k++) list[i].k[FIRST + k] = p[k * t.stride];
    }
}

template <class T>
__device__ __forceinline__ void pivot_store_border(const pivot_tree<T> &t, uint32_t to,
                                                   const pivot_equation<T> *list) {
    static constexpr int columns[] = {PIVOT_BORDER_0, PIVOT_BORDER_1, PIVOT_LEFT_0,   PIVOT_LEFT_1, PIVOT_FAR_0,
                                      PIVOT_FAR_1,    PIVOT_COLUMNS,  PIVOT_BORDER_1, PIVOT_LEFT_0, PIVOT_LEFT_1,
                                      PIVOT_FAR_0,    PIVOT_FAR_1,    PIVOT_COLUMNS};
#pragma unroll
    for (int i = 0; i < TRIDIAG_BORDER_VALUES; i++) t.borders[i * t.stride + to] = list[i / 7].k[columns[i]];
}

/* Splits the index of a thread that has a part of a level: one of `runs` runs of a system. */
template <class T>
__device__ __forceinline__ void pivot_split(const pivot_tree<T> &t, uint32_t i, uint32_t runs, uint32_t *s,
                                            uint32_t *k) {
    *s = t.step == 1 ? i / runs : i % t.count;
    *k = t.step == 1 ? i % runs : i / t.count;
}

/* Combines all runs of each system. REPORT: reports lost pivots. All threads must take part. */
template <bool REPORT, class T>
__device__ __forceinline__ void pivot_combine(const tridiag_params &j, const pivot_tree<T> &t) {
    uint32_t offset = 0;
    uint64_t chunks = t.chunks;
    for (uint32_t m = t.size; m > 1; m -= m / 2, chunks *= 2) {
        const uint32_t half = m / 2, pairs = t.count * half;
        uint32_t s = 0, k = 0;
        pivot_equation<T> list[4];
        const bool combines = threadIdx.x < pairs, moves = m % 2 && !combines && threadIdx.x < pairs + t.count;
        if (combines) {
            pivot_split(t, threadIdx.x, half, &s, &k);
            pivot_load_run<PIVOT_LEFT_0>(t, t.at(s, 2 * k), list);
            pivot_load_run<PIVOT_BORDER_0>(t, t.at(s, 2 * k + 1), list + 2);
        } else if (moves) {
            s = threadIdx.x - pairs;
            pivot_load_run<PIVOT_LEFT_0>(t, t.at(s, m - 1), list);
        }
        __syncthreads();
        if (combines) {
            const bool first = pivot_eliminate<4, PIVOT_BORDER_0>(list).lost;
            const bool second = pivot_eliminate<3, PIVOT_BORDER_1>(list + 1).lost;
            pivot_store_border(t, t.at(s, offset + k), list);
            if (REPORT && (first || second)) {
                const uint64_t row = pivot_first_row(j.n, t.first_chunk + (2 * k + 1) * chunks);
                tridiag_report(j, t.system + s, false, first ? row - 1 : row);
            }
#pragma unroll
            for (int i = 0; i < 2; i++) {
                const pivot_equation<T> e = list[2 + i];
                list[i] = {{e.k[PIVOT_LEFT_0], e.k[PIVOT_LEFT_1], e.k[PIVOT_FAR_0], e.k[PIVOT_FAR_1], 0, 0,
                            e.k[PIVOT_COLUMNS]}};
            }
            pivot_store_run(t, t.at(s, k), list);
        } else if (moves) {
            pivot_store_run(t, t.at(s, half), list);
        }
        __syncthreads();
        offset += half;
    }
}

/* Solves for the first and the last unknown of each system, and stores the pairs of the outer borders. All threads
 * must take part. */
template <class T> __device__ __forceinline__ void pivot_solve_last(const tridiag_params &j, const pivot_tree<T> &t) {
    typedef tridiag_type<T> type;
    const uint32_t s = threadIdx.x, level = t.levels();
    pivot_equation<T> list[2];
    if (s < t.count) pivot_load_run<PIVOT_LEFT_0>(t, t.at(s, 0), list);
    __syncthreads(); /* the pairs overwrite runs */
    if (s < t.count) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const pivot_equation<T> e = list[i];
            list[i] = {{e.k[PIVOT_LEFT_1] + e.k[PIVOT_RIGHT_1], e.k[PIVOT_LEFT_0] + e.k[PIVOT_RIGHT_0], 0, 0, 0, 0,
                        e.k[PIVOT_COLUMNS]}};
        }
        const bool first_lost = pivot_eliminate<2, 0>(list).lost, last_lost = list[1].k[1] == 0;
        const T quotient = list[1].k[PIVOT_COLUMNS] / list[1].k[1], last = last_lost ? type::nan() : quotient;
        const T first = type::fused(-list[0].k[1], last, list[0].k[PIVOT_COLUMNS]) / list[0].k[0];
        if (first_lost || last_lost) tridiag_report(j, t.system + s, false, first_lost ? 0 : j.n - 1);
        *t.pair(level, 0, s, 0) = j.periodic ? last : (T)0;
        *t.pair(level, 1, s, 0) = first;
        *t.pair(level, 0, s, 1) = last;
        *t.pair(level, 1, s, 1) = j.periodic ? first : (T)0;
    }
}

/* Computes the pair of border 2 k + 1 of a level from the borders of the level above. */
template <class T>
__device__ __forceinline__ void pivot_substitute_border(const pivot_tree<T> &t, uint32_t level, uint32_t s,
                                                        uint32_t k, uint32_t border) {
    typedef tridiag_type<T> type;
    const T outer[] = {*t.pair(level + 1, 0, s, k), *t.pair(level + 1, 1, s, k), *t.pair(level + 1, 0, s, k + 1),
                       *t.pair(level + 1, 1, s, k + 1)};
    T b[TRIDIAG_BORDER_VALUES];
#pragma unroll
    for (int i = 0; i < TRIDIAG_BORDER_VALUES; i++) b[i] = t.borders[i * t.stride + t.at(s, border)];
    T before = b[6], after = b[12];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        after = type::fused(-b[8 + i], outer[i], after);
        before = type::fused(-b[2 + i], outer[i], before);
    }
    after = after / b[7];
    *t.pair(level, 0, s, 2 * k + 1) = type::fused(-b[1], after, before) / b[0];
    *t.pair(level, 1, s, 2 * k + 1) = after;
}

/* Computes the pairs of all borders from those of the outer ones. All threads must take part. */
template <class T> __device__ __forceinline__ void pivot_substitute(const pivot_tree<T> &t) {
    uint32_t offset = t.size - 1; /* borders of all levels */
    for (uint32_t level = t.levels(); level-- > 0;) {
        const uint32_t m = t.size_at(level), half = m / 2, kept = m - half + 1;
        uint32_t s, k;
        offset -= half;
        __syncthreads();
        if (threadIdx.x < t.count * half) {
            pivot_split(t, threadIdx.x, half, &s, &k);
            pivot_substitute_border(t, level, s, k, offset + k);
        }
        for (uint32_t i = threadIdx.x; i < t.count * kept; i += blockDim.x) {
            pivot_split(t, i, kept, &s, &k);
            const uint32_t to = 2 * k < m ? 2 * k : m;
            *t.pair(level, 0, s, to) = *t.pair(level + 1, 0, s, k);
            *t.pair(level, 1, s, to) = *t.pair(level + 1, 1, s, k);
        }
    }
    __syncthreads();
}

#endif
