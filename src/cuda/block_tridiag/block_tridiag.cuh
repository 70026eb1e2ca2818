/* Block-tridiagonal and pentadiagonal systems on a GPU (ORDER.md 27, 28): functions of the kernels.
 *
 * A thread eliminates a chunk of 8 block rows. Adjacent threads have adjacent chunks of a system or, if the systems
 * are interleaved, the same chunk of adjacent systems. The L, C and D of a chunk stay in the registers of its thread
 * if the blocks are 2 x 2, and in its local memory otherwise. At most 32 block rows are solved by one thread. If the
 * last chunk has fewer rows, its first ones are absent, so that the separator is always row 7. Rows are block rows.
 */
#ifndef WEFT_CUDA_BLOCK_TRIDIAG_CUH
#define WEFT_CUDA_BLOCK_TRIDIAG_CUH

#include "cuda/block_tridiag/block_tridiag_params.h"
#include "cuda/tridiag/tridiag.cuh"

template <class T, int K> struct block_row { T a[K * K], b[K * K], c[K * K], d[K]; };

/* A row in terms of two others: x = d - l x[p] - c x[i+1]. */
template <class T, int K> struct block_solved { T l[K * K], c[K * K], d[K]; };

/* Rows whose loop is unrolled, so that their arrays are registers. */
template <int K> struct block_unrolled { static const int rows = K == 2 ? BLOCK_CHUNK : 1; };

/* ------------------------------------------------------------------------------- products */

/* Computes y - a b in y, which has COLUMNS columns. */
template <int K, int COLUMNS, class T> __device__ __forceinline__ void block_subtract(T *y, const T *a, const T *b) {
#pragma unroll
    for (int i = 0; i < K; i++)
#pragma unroll
        for (int j = 0; j < COLUMNS; j++)
#pragma unroll
            for (int m = 0; m < K; m++)
                y[i * COLUMNS + j] = tridiag_type<T>::fused(-a[i * K + m], b[m * COLUMNS + j], y[i * COLUMNS + j]);
}

/* Computes y = (-a) b. */
template <int K, class T> __device__ __forceinline__ void block_negative(T *y, const T *a, const T *b) {
#pragma unroll
    for (int i = 0; i < K; i++)
#pragma unroll
        for (int j = 0; j < K; j++) {
            y[i * K + j] = -a[i * K] * b[j];
#pragma unroll
            for (int m = 1; m < K; m++)
                y[i * K + j] = tridiag_type<T>::fused(-a[i * K + m], b[m * K + j], y[i * K + j]);
        }
}

template <int COUNT, class T> __device__ __forceinline__ void block_copy(T *to, const T *from) {
#pragma unroll
    for (int i = 0; i < COUNT; i++) to[i] = from[i];
}

/* ---------------------------------------------------------------------------- pivot blocks */

template <int COUNT, class T> __device__ __forceinline__ void block_exchange(bool exchange, T *a, T *b) {
#pragma unroll
    for (int j = 0; j < COUNT; j++) {
        const T old = a[j];
        a[j] = exchange ? b[j] : old;
        b[j] = exchange ? old : b[j];
    }
}

/* Computes F(p, b, y) of ORDER.md 27.2 in place, for y = (l, c, d) or, without L or C, a part of that. p is
 * overwritten. Returns true if a pivot is lost. */
template <int K, bool L, bool C, class T>
__device__ __forceinline__ bool block_solve(T *p, const T *b, T *l, T *c, T *d) {
    typedef tridiag_type<T> type;
    T scale[K], r[K];
    bool any = false;
#pragma unroll
    for (int i = 0; i < K; i++) {
        scale[i] = type::magnitude(b[i * K]);
#pragma unroll
        for (int j = 1; j < K; j++) {
            const T size = type::magnitude(b[i * K + j]);
            scale[i] = size > scale[i] ? size : scale[i];
        }
    }
#pragma unroll
    for (int j = 0; j < K; j++) {
#pragma unroll
        for (int i = j + 1; i < K; i++) {
            const bool greater = type::magnitude(p[i * K + j]) > type::magnitude(p[j * K + j]);
            block_exchange<K>(greater, p + i * K, p + j * K);
            if (L) block_exchange<K>(greater, l + i * K, l + j * K);
            if (C) block_exchange<K>(greater, c + i * K, c + j * K);
            block_exchange<1>(greater, d + i, d + j);
            block_exchange<1>(greater, scale + i, scale + j);
        }
        bool lost;
        r[j] = tridiag_reciprocal(p[j * K + j], scale[j], &lost);
        any = any || lost;
#pragma unroll
        for (int i = j + 1; i < K; i++) {
            const T m = -(p[i * K + j] * r[j]);
#pragma unroll
            for (int q = j + 1; q < K; q++) p[i * K + q] = type::fused(m, p[j * K + q], p[i * K + q]);
#pragma unroll
            for (int q = 0; q < K; q++) {
                if (L) l[i * K + q] = type::fused(m, l[j * K + q], l[i * K + q]);
                if (C) c[i * K + q] = type::fused(m, c[j * K + q], c[i * K + q]);
            }
            d[i] = type::fused(m, d[j], d[i]);
        }
    }
#pragma unroll
    for (int j = K - 1; j >= 0; j--) {
#pragma unroll
        for (int q = 0; q < K; q++) {
            if (L) l[j * K + q] *= r[j];
            if (C) c[j * K + q] *= r[j];
        }
        d[j] *= r[j];
#pragma unroll
        for (int i = 0; i < j; i++) {
#pragma unroll
            for (int q = 0; q < K; q++) {
                if (L) l[i * K + q] = type::fused(-p[i * K + j], l[j * K + q], l[i * K + q]);
                if (C) c[i * K + q] = type::fused(-p[i * K + j], c[j * K + q], c[i * K + q]);
            }
            d[i] = type::fused(-p[i * K + j], d[j], d[i]);
        }
    }
    return any;
}

/* ------------------------------------------------------------------------------- memory */

template <class T>
__device__ __forceinline__ const T *block_element(const block_lines &l, uint64_t system, uint64_t i) {
    return l.constant ? (const T *)l.value : (const T *)l.p + (system * l.line + i * l.step);
}

/* Loads a coefficient of the pentadiagonal row `at`, of x in row at + offset; 0 if that is outside the system. */
template <class T>
__device__ __forceinline__ T block_coefficient(const block_params &j, const block_lines &l, uint64_t system,
                                               uint64_t at, int offset) {
    const uint64_t column = at + 2 + (uint64_t)(int64_t)offset; /* plus 2 */
    const bool inside = at < j.elements && (j.periodic || (column >= 2 && column < j.elements + 2));
    return inside ? *block_element<T>(l, system, at) : (T)0;
}

template <class T>
__device__ __forceinline__ void block_load_pair(const block_params &j, uint64_t system, uint64_t i,
                                                block_row<T, 2> &row) {
    const uint64_t u = 2 * i, v = u + 1;
    const bool both = v < j.elements;
    row.a[0] = block_coefficient<T>(j, j.e, system, u, -2);
    row.a[1] = block_coefficient<T>(j, j.a, system, u, -1);
    row.a[2] = 0;
    row.a[3] = block_coefficient<T>(j, j.e, system, v, -2);
    row.b[0] = *block_element<T>(j.b, system, u);
    row.b[1] = block_coefficient<T>(j, j.c, system, u, 1);
    row.b[2] = block_coefficient<T>(j, j.a, system, v, -1);
    row.b[3] = both ? *block_element<T>(j.b, system, v) : (T)1;
    row.c[0] = block_coefficient<T>(j, j.f, system, u, 2);
    row.c[1] = 0;
    row.c[2] = block_coefficient<T>(j, j.c, system, v, 1);
    row.c[3] = block_coefficient<T>(j, j.f, system, v, 2);
    row.d[0] = *block_element<T>(j.d, system, u);
    row.d[1] = both ? *block_element<T>(j.d, system, v) : (T)0;
}

template <class T, int K>
__device__ __forceinline__ void block_load_pair(const block_params &, uint64_t, uint64_t, block_row<T, K> &) {}

template <class T, int K>
__device__ __forceinline__ void block_load(const block_params &j, uint64_t system, uint64_t i, block_row<T, K> &row) {
    if (K == 2 && j.pentadiagonal) {
        block_load_pair(j, system, i, row);
    } else {
        block_copy<K * K>(row.a, block_element<T>(j.a, system, i));
        block_copy<K * K>(row.b, block_element<T>(j.b, system, i));
        block_copy<K * K>(row.c, block_element<T>(j.c, system, i));
        block_copy<K>(row.d, block_element<T>(j.d, system, i));
    }
    const bool begins = !j.periodic && i == 0;
#pragma unroll
    for (int q = 0; q < K * K; q++)
        if (begins) row.a[q] = 0;
}

/* Stores x of a row. Returns true if it is finite. */
template <class T, int K>
__device__ __forceinline__ bool block_store(const block_params &j, uint64_t system, uint64_t i, const T *x) {
    const uint64_t first = j.pentadiagonal ? 2 * i : i, step = j.pentadiagonal ? j.d.step : 1;
    T *const to = (T *)j.x + (system * j.d.line + first * j.d.step);
    bool finite = true;
#pragma unroll
    for (int q = 0; q < K; q++) {
        finite = finite && tridiag_type<T>::magnitude(x[q]) < tridiag_type<T>::infinity();
        if (!j.pentadiagonal || first + (unsigned)q < j.elements)
            to[(unsigned)q * step] = x[q] == x[q] ? x[q] : tridiag_type<T>::nan();
    }
    return finite;
}

/* Reports a fault in a row of this level, in the encoding of tridiag_report. */
static __device__ void block_report(const block_params &j, uint64_t system, bool value, uint64_t row) {
    const uint64_t last = (row + 1) * j.scale, number = (last < j.full_n ? last : j.full_n) - 1;
    const unsigned long long fault = system * 2 * j.full_n + (value ? j.full_n : 0) + number;
    atomicMin((unsigned long long *)j.faults, fault);
}

/* --------------------------------------------------------------------------------- chunks */

/* Eliminates the row before, `up`, from a row of a chunk, which becomes A, B, c, T of ORDER.md 27.3. */
template <bool L, class T, int K>
__device__ __forceinline__ void block_eliminate(block_row<T, K> &row, const block_solved<T, K> &up) {
    T left[K * K];
    block_subtract<K, K>(row.b, row.a, up.c);
    block_subtract<K, 1>(row.d, row.a, up.d);
    if (!L) return;
    block_negative<K>(left, row.a, up.l);
    block_copy<K * K>(row.a, left);
}

/* Expresses an eliminated row by others. `b` is its original diagonal block. Returns true if a pivot is lost. */
template <bool L, class T, int K>
__device__ __forceinline__ bool block_express(block_row<T, K> &row, const T *b, block_solved<T, K> &s) {
    if (L) block_copy<K * K>(s.l, row.a);
    block_copy<K * K>(s.c, row.c);
    block_copy<K>(s.d, row.d);
    return block_solve<K, L, true>(row.b, b, s.l, s.c, s.d);
}

/* Loads and eliminates chunk t; rows absent .. 6 are expressed in s, and the last one becomes the row of the
 * separator. Returns the first row of the chunk that lost its pivot, or BLOCK_CHUNK. */
template <class T, int K>
__device__ __forceinline__ int block_eliminate_chunk(const block_params &j, uint64_t system, uint64_t t, int absent,
                                                     block_solved<T, K> *s, block_row<T, K> &separator) {
    int lost = BLOCK_CHUNK;
#pragma unroll(block_unrolled <K>::rows)
    for (int i = 0; i < BLOCK_CHUNK; i++) {
        if (i < absent) continue;
        block_row<T, K> row;
        T b[K * K];
        block_load(j, system, t * BLOCK_CHUNK + (unsigned)(i - absent), row);
        block_copy<K * K>(b, row.b);
        if (i > absent) block_eliminate<true>(row, s[i ? i - 1 : 0]);
        if (i == BLOCK_LAST)
            separator = row;
        else if (block_express<true>(row, b, s[i < BLOCK_LAST ? i : 0]) && lost == BLOCK_CHUNK)
            lost = i;
    }
    return lost;
}

/* Replaces `next`, a row in terms of separators, by the row before it, s. */
template <class T, int K>
__device__ __forceinline__ void block_precede(const block_solved<T, K> &s, block_solved<T, K> &next) {
    block_solved<T, K> row;
    block_copy<K * K>(row.l, s.l);
    block_copy<K>(row.d, s.d);
    block_subtract<K, K>(row.l, s.c, next.l);
    block_subtract<K, 1>(row.d, s.c, next.d);
    block_negative<K>(row.c, s.c, next.c);
    next = row;
}

/* Computes row `absent` of an eliminated chunk in terms of separators, in `first`. `count`: rows of the chunk except
 * the separator, at least one. Row i of the chunk is s[i]. */
template <int UNROLL, class T, int K>
__device__ __forceinline__ void block_first_row(const block_solved<T, K> *s, int absent, int count,
                                                block_solved<T, K> &first) {
    first = s[count - 1];
#pragma unroll(UNROLL)
    for (int i = count - 2; i >= 0; i--)
        if (i >= absent) block_precede(s[i], first);
}

/* Completes the row of a separator with the first row of the next chunk. */
template <class T, int K>
__device__ __forceinline__ void block_complete(T *b, T *c, T *d, const T *first_l, const T *first_c,
                                               const T *first_d) {
    T own[K * K];
    block_copy<K * K>(own, c);
    block_subtract<K, K>(b, own, first_l);
    block_subtract<K, 1>(d, own, first_d);
    block_negative<K>(c, own, first_c);
}

/* Identifies a thread's chunk. Returns false if there is none. */
static __device__ __forceinline__ bool block_chunk_of(const block_params &j, uint64_t *system, uint64_t *t) {
    const uint64_t i = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    *system = j.interleaved ? i % j.systems : i / j.chunks;
    *t = j.interleaved ? i / j.systems : i % j.chunks;
    return i < j.systems * j.chunks;
}

/* Returns the number of rows missing from chunk t; not 0 only for the last one. */
static __device__ __forceinline__ int block_absent(const block_params &j, uint64_t t) {
    return t + 1 == j.chunks ? (int)(j.chunks * BLOCK_CHUNK - j.n) : 0;
}

#endif
