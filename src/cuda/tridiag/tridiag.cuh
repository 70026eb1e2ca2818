/* Tridiagonal systems on a GPU (ORDER.md 16): functions shared by the kernels.
 *
 * A thread holds a chunk of 16 rows in registers. Lanes of a warp, or threads of a block, hold the chunks of a
 * system. Adjacent rows are first copied to shared memory, so that all lanes read adjacent words. Rows of interleaved
 * systems are read directly from memory, where adjacent lanes have adjacent systems. If the last chunk has fewer
 * rows, its first ones are absent, so that the separator is always row 15. */
#ifndef WEFT_CUDA_TRIDIAG_CUH
#define WEFT_CUDA_TRIDIAG_CUH

#include "cuda/tridiag/tridiag_params.h"

#include <cuda_pipeline.h>
#include <math_constants.h>

/* ------------------------------------------------------------------------------- reciprocals */

template <class T> struct tridiag_type;

template <> struct tridiag_type<float> {
    typedef float4 vector;
    __device__ static float epsilon() { return WEFT_TRIDIAG_EPSILON_F32; }
    __device__ static float least() { return WEFT_TRIDIAG_LEAST_F32; }
    __device__ static float greatest() { return WEFT_TRIDIAG_GREATEST_F32; }
    __device__ static float nan() { return __uint_as_float(WEFT_NAN_F32); }
    __device__ static float infinity() { return CUDART_INF_F; }
    __device__ static float magnitude(float x) { return fabsf(x); }
    __device__ static float fused(float x, float y, float z) { return __fmaf_rn(x, y, z); }
    /* If 1/x is normal, one Newton step from the hardware's approximation yields the correctly rounded value. The
     * compiler generates this for 1/x too, with an additional branch for all other x. */
    __device__ static float reciprocal(float x) {
        float r;
        asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
        return __fmaf_rn(r, __fmaf_rn(-x, r, 1.0f), r);
    }
    __device__ static float constant(const tridiag_lines &l) { return l.f32; }
};

template <> struct tridiag_type<double> {
    typedef double2 vector;
    __device__ static double epsilon() { return WEFT_TRIDIAG_EPSILON_F64; }
    __device__ static double least() { return WEFT_TRIDIAG_LEAST_F64; }
    __device__ static double greatest() { return WEFT_TRIDIAG_GREATEST_F64; }
    __device__ static double nan() { return __longlong_as_double((long long)WEFT_NAN_F64); }
    __device__ static double infinity() { return CUDART_INF; }
    __device__ static double magnitude(double x) { return fabs(x); }
    __device__ static double fused(double x, double y, double z) { return __fma_rn(x, y, z); }
    __device__ static double reciprocal(double x) { return __drcp_rn(x); }
    __device__ static double constant(const tridiag_lines &l) { return l.f64; }
};

/* Returns R(p, b) of ORDER.md 16.1, and sets *lost if the pivot is lost. */
template <class T> __device__ __forceinline__ T tridiag_reciprocal(T p, T b, bool *lost) {
    typedef tridiag_type<T> type;
    const T size = type::magnitude(p);
    *lost = size <= type::fused(type::epsilon(), type::magnitude(b), type::least()) || size >= type::greatest();
    const T r = type::reciprocal(p);
    return *lost ? type::nan() : r;
}

/* --------------------------------------------------------------------------------- reporting */

/* Reports a fault in a row of this level. The encoding orders faults by system; within a system lost pivots precede
 * values that are not finite (`value`); then by row. */
static __device__ void tridiag_report(const tridiag_params &j, uint64_t system, bool value, uint64_t row) {
    if (!j.faults) return;
    const uint64_t last = (j.first + row + 1) * j.scale, number = (last < j.full_n ? last : j.full_n) - 1;
    const unsigned long long fault = system * 2 * j.full_n + (value ? j.full_n : 0) + number;
    atomicMin((unsigned long long *)j.faults, fault);
}

/* ------------------------------------------------------------------------------ shared memory */

/* Returns the address of element `position` of a tile. Its 16-byte vectors are permuted so that eight lanes that read
 * the vectors of eight chunks use different banks. */
template <class T> __device__ __forceinline__ T *tridiag_at(T *tile, uint32_t position) {
    enum { PER = 16 / sizeof(T) };
    const uint32_t vector = position / PER;
    return tile + (vector ^ (vector >> 3 & 7)) * PER + position % PER;
}

/* -------------------------------------------------------------------------------- elimination */

template <class T> struct tridiag_chunk { T a[TRIDIAG_CHUNK], b[TRIDIAG_CHUNK], c[TRIDIAG_CHUNK], d[TRIDIAG_CHUNK]; };

/* Result of eliminating a chunk: its separator's row, and its first row in terms of the separators. */
template <class T> struct tridiag_reduced { T a, b, c, d, first_a, first_c, first_d; };

/* Expresses rows first .. 14 in terms of the separator before the chunk and the next row. FULL: first is 0.
 * *lost_rows: bit i is 1 if row i lost its pivot; the compiler removes it where it is not used. */
template <bool FULL, class T>
__device__ __forceinline__ tridiag_reduced<T> tridiag_eliminate(tridiag_chunk<T> &v, int first, unsigned *lost_rows) {
    typedef tridiag_type<T> type;
    enum { LAST = TRIDIAG_CHUNK - 1 };
    T a = -1, c = 0, d = 0;
    *lost_rows = 0;
#pragma unroll
    for (int i = 0; i < LAST; i++) {
        if (!FULL && i < first) continue;
        bool lost;
        const T r = tridiag_reciprocal(type::fused(-v.a[i], c, v.b[i]), v.b[i], &lost);
        if (lost) *lost_rows |= 1u << i;
        v.d[i] = d = type::fused(-v.a[i], d, v.d[i]) * r;
        v.a[i] = a = (-v.a[i] * a) * r;
        v.c[i] = c = v.c[i] * r;
    }
    tridiag_reduced<T> reduced;
    reduced.a = -v.a[LAST] * a;
    reduced.b = type::fused(-v.a[LAST], c, v.b[LAST]);
    reduced.c = v.c[LAST];
    reduced.d = type::fused(-v.a[LAST], d, v.d[LAST]);
    const bool alone = !FULL && first == LAST;
    reduced.first_a = alone ? 0 : v.a[LAST - 1];
    reduced.first_c = alone ? -1 : v.c[LAST - 1];
    reduced.first_d = alone ? 0 : v.d[LAST - 1];
#pragma unroll
    for (int i = LAST - 2; i >= 0; i--) {
        if (!FULL && i < first) continue;
        reduced.first_a = type::fused(-v.c[i], reduced.first_a, v.a[i]);
        reduced.first_d = type::fused(-v.c[i], reduced.first_d, v.d[i]);
        reduced.first_c = -v.c[i] * reduced.first_c;
    }
    return reduced;
}

/* Completes a separator's row by eliminating the first row of the next chunk. */
template <class T>
__device__ __forceinline__ void tridiag_combine(tridiag_reduced<T> &reduced, T first_a, T first_c, T first_d) {
    typedef tridiag_type<T> type;
    reduced.b = type::fused(-reduced.c, first_a, reduced.b);
    reduced.d = type::fused(-reduced.c, first_d, reduced.d);
    reduced.c = -reduced.c * first_c;
}

/* Computes x between the separators, in d. Returns true if all x are finite: 0 x is 0 for a finite x, and NaN
 * otherwise. */
template <bool FULL, class T>
__device__ __forceinline__ bool tridiag_substitute(tridiag_chunk<T> &v, int first, T before, T own) {
    typedef tridiag_type<T> type;
    T zero = 0, x = own;
#pragma unroll
    for (int i = TRIDIAG_CHUNK - 1; i >= 0; i--) {
        if (!FULL && i < first) continue;
        if (i < TRIDIAG_CHUNK - 1) x = type::fused(-v.c[i], x, type::fused(-v.a[i], before, v.d[i]));
        zero = type::fused(x, (T)0, zero);
        v.d[i] = x;
    }
    return zero == 0;
}

/* Loads the element in row `row` of a line from memory. */
template <class T>
__device__ __forceinline__ T tridiag_element(const tridiag_lines &l, uint64_t system, uint64_t row) {
    return l.constant ? tridiag_type<T>::constant(l) : ((const T *)l.p)[system * l.line + row * l.step];
}

/* Recomputes the pivots of chunk t before its separator, and reports the first lost one. */
template <class T>
__device__ __attribute__((noinline)) void tridiag_report_pivots(const tridiag_params &j, uint64_t system,
                                                                uint64_t t) {
    const uint64_t start = t * TRIDIAG_CHUNK, end = start + TRIDIAG_CHUNK < j.n ? start + TRIDIAG_CHUNK : j.n;
    T c = 0;
    for (uint64_t i = start; i + 1 < end; i++) {
        const T a = i || !j.begins ? tridiag_element<T>(j.a, system, i) : (T)0,
                b = tridiag_element<T>(j.b, system, i);
        bool lost;
        const T r = tridiag_reciprocal(tridiag_type<T>::fused(-a, c, b), b, &lost);
        if (lost) {
            tridiag_report(j, system, false, i);
            return;
        }
        c = tridiag_element<T>(j.c, system, i) * r;
    }
}

/* Handles a chunk with an x that is not finite, which every lost pivot causes: makes its NaNs canonical, and reports
 * the faults. */
template <class T>
__device__ __forceinline__ void tridiag_not_finite(const tridiag_params &j, tridiag_chunk<T> &v, int first,
                                                   uint64_t system, uint64_t t) {
    unsigned odd = 0;
#pragma unroll
    for (int i = 0; i < TRIDIAG_CHUNK; i++) {
        if (i >= first && !(tridiag_type<T>::magnitude(v.d[i]) < tridiag_type<T>::infinity())) odd |= 1u << i;
        if (v.d[i] != v.d[i]) v.d[i] = tridiag_type<T>::nan();
    }
    tridiag_report(j, system, true, t * TRIDIAG_CHUNK + (uint64_t)(__ffs((int)odd) - 1 - first));
    tridiag_report_pivots<T>(j, system, t);
}

/* ------------------------------------------------------------------------ at most 32 rows */

/* A row of a system, or of a system's base, in a lane. e is the coefficient of x of the border row. */
template <class T> struct tridiag_row { T a, b, c, d, e; };

/* Subtracts the eliminated first row, and the last row if it was eliminated, from the border row, which is in the
 * lane after the n rows that begin in lane `base`. */
template <class T>
__device__ __forceinline__ void tridiag_eliminate_border(tridiag_row<T> &v, bool border, int base, int n, int level) {
    typedef tridiag_type<T> type;
    const int first = base + (1 << level) - 1, last = base + (n >> level << level) - 1;
    const T c = __shfl_sync(~0u, v.c, first), d = __shfl_sync(~0u, v.d, first), e = __shfl_sync(~0u, v.e, first);
    const T a_last = __shfl_sync(~0u, v.a, last), d_last = __shfl_sync(~0u, v.d, last);
    const T e_last = __shfl_sync(~0u, v.e, last);
    if (!border) return;
    v.b = type::fused(-v.c, e, v.b);
    v.d = type::fused(-v.c, d, v.d);
    v.c = -v.c * c;
    if ((n >> level) % 2 == 0) return;
    v.b = type::fused(-v.a, e_last, v.b);
    v.d = type::fused(-v.a, d_last, v.d);
    v.a = -v.a * a_last;
}

/* Updates the rows that remain with the eliminated rows w before and after them. */
template <bool PERIODIC, class T>
__device__ __forceinline__ void tridiag_update_rows(tridiag_row<T> &v, int t, int n, int w) {
    typedef tridiag_type<T> type;
    const T a_up = __shfl_up_sync(~0u, v.a, w), c_up = __shfl_up_sync(~0u, v.c, w);
    const T d_up = __shfl_up_sync(~0u, v.d, w), e_up = PERIODIC ? __shfl_up_sync(~0u, v.e, w) : (T)0;
    T a_down = __shfl_down_sync(~0u, v.a, w), c_down = __shfl_down_sync(~0u, v.c, w);
    T d_down = __shfl_down_sync(~0u, v.d, w), e_down = PERIODIC ? __shfl_down_sync(~0u, v.e, w) : (T)0;
    if (t + w >= n) a_down = c_down = d_down = e_down = 0;
    if (((t + 1) & (2 * w - 1)) != 0 || t >= n) return;
    v.b = type::fused(-v.c, a_down, type::fused(-v.a, c_up, v.b));
    v.d = type::fused(-v.c, d_down, type::fused(-v.a, d_up, v.d));
    if (PERIODIC) v.e = type::fused(-v.c, e_down, type::fused(-v.a, e_up, v.e));
    v.a = -v.a * a_up;
    v.c = -v.c * c_down;
}

/* Solves rows 0 .. n-1, one per lane, in the order of cyclic reduction, and then the border row n of a periodic
 * system (PERIODIC). This lane has row t. Returns x, and sets *lost if this row lost its pivot. LEVELS_AT_ONCE:
 * levels that are unrolled; 1 needs fewer registers. */
template <bool PERIODIC, int LEVELS_AT_ONCE, class T>
__device__ __forceinline__ T tridiag_reduce_cyclically(tridiag_row<T> v, int t, int n, bool *lost) {
    typedef tridiag_type<T> type;
    enum { LEVELS = TRIDIAG_BASE_LEVELS };
    const int base = (int)(threadIdx.x & 31) - t;
    const T diagonal = v.b;
    bool lost_here;
    *lost = false;
    if (t == 0) v.a = 0;
    if (t == n - 1) v.c = 0;
#pragma unroll LEVELS_AT_ONCE
    for (int level = 0; level < LEVELS; level++) {
        const int w = 1 << level;
        if (w > n) break;
        const T r = tridiag_reciprocal(v.b, diagonal, &lost_here);
        if (((t + 1) & (2 * w - 1)) == w && t < n) {
            v.a *= r, v.c *= r, v.d *= r;
            if (PERIODIC) v.e *= r;
            *lost = lost_here;
        }
        if (PERIODIC) tridiag_eliminate_border(v, t == n, base, n, level);
        if (2 * w <= n) tridiag_update_rows<PERIODIC>(v, t, n, w);
    }
    if (PERIODIC) {
        const T r = tridiag_reciprocal(v.b, diagonal, &lost_here);
        if (t == n) v.d *= r, *lost = lost_here;
        const T last = __shfl_sync(~0u, v.d, base + n);
        if (t < n) v.d = type::fused(-v.e, last, v.d);
    }
#pragma unroll LEVELS_AT_ONCE
    for (int level = LEVELS - 1; level >= 0; level--) {
        const int w = 1 << level;
        if (w > n) continue;
        T before = __shfl_up_sync(~0u, v.d, w), after = __shfl_down_sync(~0u, v.d, w);
        if (t < w) before = 0;
        if (t + w >= n) after = 0;
        if (((t + 1) & (2 * w - 1)) == w && t < n) v.d = type::fused(-v.c, after, type::fused(-v.a, before, v.d));
    }
    return v.d;
}

/* Returns x of row t of n; adjacent lanes have the rows. All lanes of the warp must take part. *lost: true if this
 * row lost its pivot. */
template <int LEVELS_AT_ONCE = TRIDIAG_BASE_LEVELS, class T>
__device__ __forceinline__ T tridiag_solve_base(bool periodic, T a, T b, T c, T d, int t, int n, bool *lost) {
    if (!periodic) return tridiag_reduce_cyclically<false, LEVELS_AT_ONCE>(tridiag_row<T>{a, b, c, d, 0}, t, n, lost);
    if (n == 1) return d * tridiag_reciprocal((a + b) + c, b, lost);
    const int last = n - 1;
    T e = t == last - 1 ? c : (T)0;
    if (t == 0) e = last == 1 ? a + c : a;
    return tridiag_reduce_cyclically<true, LEVELS_AT_ONCE>(tridiag_row<T>{a, b, c, d, e}, t, last, lost);
}

/* --------------------------------------------------------------------- rows in shared memory */

/* Returns the position of row r of `rows` among full chunks; the rows of the last chunk are at its end. */
static __device__ __forceinline__ uint32_t tridiag_position(uint32_t r, uint32_t rows) {
    const uint32_t before = (rows - 1) / TRIDIAG_CHUNK * TRIDIAG_CHUNK;
    return r < before ? r : r + (before + TRIDIAG_CHUNK - rows);
}

/* Starts to copy adjacent rows to a tile, from `position` on, which must be a multiple of 16. */
template <class T>
__device__ __forceinline__ void tridiag_stage(T *tile, uint32_t position, const T *from, uint32_t rows, bool vectors,
                                              uint32_t thread, uint32_t threads) {
    enum { PER = 16 / sizeof(T) };
    if (vectors)
        for (uint32_t r = thread * PER; r < rows; r += threads * PER)
            __pipeline_memcpy_async(tridiag_at(tile, position + tridiag_position(r, rows)), from + r, 16);
    else
        for (uint32_t r = thread; r < rows; r += threads)
            __pipeline_memcpy_async(tridiag_at(tile, position + tridiag_position(r, rows)), from + r, sizeof(T));
}

template <class T>
__device__ __forceinline__ void tridiag_unstage(T *tile, uint32_t position, T *to, uint32_t rows, bool vectors,
                                                uint32_t thread, uint32_t threads) {
    typedef typename tridiag_type<T>::vector vector;
    enum { PER = 16 / sizeof(T) };
    if (vectors)
        for (uint32_t r = thread * PER; r < rows; r += threads * PER)
            *(vector *)(to + r) = *(const vector *)tridiag_at(tile, position + tridiag_position(r, rows));
    else
        for (uint32_t r = thread; r < rows; r += threads)
            to[r] = *tridiag_at(tile, position + tridiag_position(r, rows));
}

/* Loads the chunk that begins at `position` of a tile. */
template <class T> __device__ __forceinline__ void tridiag_take(T *tile, uint32_t position, T v[TRIDIAG_CHUNK]) {
    typedef typename tridiag_type<T>::vector vector;
    enum { PER = 16 / sizeof(T) };
#pragma unroll
    for (int i = 0; i < TRIDIAG_CHUNK; i += PER) {
        const vector part = *(const vector *)tridiag_at(tile, position + (uint32_t)i);
        memcpy(v + i, &part, sizeof part);
    }
}

template <class T> __device__ __forceinline__ void tridiag_put(T *tile, uint32_t position, const T v[TRIDIAG_CHUNK]) {
    typedef typename tridiag_type<T>::vector vector;
    enum { PER = 16 / sizeof(T) };
#pragma unroll
    for (int i = 0; i < TRIDIAG_CHUNK; i += PER) {
        vector part;
        memcpy(&part, v + i, sizeof part);
        *(vector *)tridiag_at(tile, position + (uint32_t)i) = part;
    }
}

/* Sets all rows to the constant. */
template <class T> __device__ __forceinline__ void tridiag_fill(const tridiag_lines &l, T v[TRIDIAG_CHUNK]) {
    const T value = tridiag_type<T>::constant(l);
#pragma unroll
    for (int i = 0; i < TRIDIAG_CHUNK; i++) v[i] = value;
}

/* Loads rows 16 t + i - first, i >= first, of a line to v[i]. */
template <class T>
__device__ __forceinline__ void tridiag_gather(const tridiag_lines &l, uint64_t system, uint64_t t, int first,
                                               T v[TRIDIAG_CHUNK]) {
    if (l.constant) {
        tridiag_fill(l, v);
        return;
    }
    const T *p = (const T *)l.p + system * l.line + (t * TRIDIAG_CHUNK - (uint64_t)first) * l.step;
#pragma unroll
    for (int i = 0; i < TRIDIAG_CHUNK; i++)
        if (i >= first) v[i] = p[i * l.step];
}

/* Stores v[i] to x of rows 16 t + i - first, i >= first. */
template <class T>
__device__ __forceinline__ void tridiag_scatter(const tridiag_params &j, uint64_t system, uint64_t t, int first,
                                                const T v[TRIDIAG_CHUNK]) {
    T *const x = (T *)j.x + system * j.d.line + (t * TRIDIAG_CHUNK - (uint64_t)first) * j.d.step;
#pragma unroll
    for (int i = 0; i < TRIDIAG_CHUNK; i++)
        if (i >= first) x[i * j.d.step] = v[i];
}

/* Eliminate and substitute a chunk, with separate code for a full one. */
template <class T>
__device__ __forceinline__ tridiag_reduced<T> tridiag_eliminate_chunk(tridiag_chunk<T> &v, int first,
                                                                      unsigned *lost_rows) {
    return first ? tridiag_eliminate<false>(v, first, lost_rows) : tridiag_eliminate<true>(v, 0, lost_rows);
}

template <class T>
__device__ __forceinline__ void tridiag_substitute_chunk(const tridiag_params &j, tridiag_chunk<T> &v, int first,
                                                         T before, T own, uint64_t system, uint64_t t) {
    const bool finite =
        first ? tridiag_substitute<false>(v, first, before, own) : tridiag_substitute<true>(v, 0, before, own);
    if (!finite) tridiag_not_finite(j, v, first, system, t);
}

#endif
