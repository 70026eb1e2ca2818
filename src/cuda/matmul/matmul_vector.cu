/* Matrix-vector product: a thread computes the chains of one row or of two (ORDER.md 13.1).
 *
 * If the terms of a row are adjacent (along_kernel), a warp copies squares of 32 rows by 128 bytes to shared memory,
 * in whole sectors and STAGES - 1 squares ahead, and prefetches the next square to L2. Each thread then reads its row
 * there. If the rows of a term are adjacent (across_kernel), threads read global memory directly, of large matrices
 * in pairs of rows. */
#include "cuda/matmul/matmul_epilogue.cuh"
#include "cuda/matmul/matmul_kernels.h"
#include "cuda/runtime/prefetch.cuh"

#include <cuda_pipeline.h>

enum { WARPS = 2, STAGES = 4, UNROLLED = 16, ACROSS_ROWS = 128 };

/* Work of one member of the grid (a block or a warp): the first of its rows, and the terms of its part. */
struct vector_position {
    uint64_t item, row;
    uint32_t part;
    uint64_t first, terms;
};

/* Returns the work of member `number` of the grid, where each member has `size` rows. */
static __device__ __forceinline__ vector_position position_of(const matmul_params &j, uint64_t number,
                                                              uint32_t size) {
    vector_position p;
    const uint64_t groups = (j.m + size - 1) / size;
    p.row = number % groups * size;
    p.part = (uint32_t)(number / groups % j.parts);
    p.item = number / groups / j.parts;
    p.first = p.part * j.part;
    p.terms = j.k - p.first < j.part ? j.k - p.first : j.part;
    return p;
}

template <class E, class R>
static __device__ __forceinline__ void store(const matmul_params &j, const vector_position &p, uint64_t row, R sum) {
    if (row >= j.m) return;
    if (j.sums) {
        ((R *)j.sums)[(p.item * j.parts + p.part) * j.m + row] = sum;
        return;
    }
    E *to = (E *)j.c + p.item * j.stride_c + row * j.ldc;
    *to = matmul_epilogue<E, R>(j, sum, to);
}

/* Returns the value that the row's chain begins with. */
template <class R> static __device__ __forceinline__ R first_sum(const matmul_params &j, uint64_t row) {
    return j.resumed && row < j.m ? ((const R *)j.sums)[row] : 0;
}

/* Returns the address of the vector's element for the part's first term. Elements are *step apart. */
template <class E>
static __device__ __forceinline__ const E *vector_of(const matmul_params &j, const vector_position &p,
                                                     uint64_t *step) {
    *step = j.b.across ? j.b.ld : 1;
    return (const E *)j.b.p + p.item * j.b.stride + p.first * *step;
}

/* V adjacent elements, loaded by one instruction. */
template <class E, int V> struct alignas(V * sizeof(E)) adjacent { E at[V]; };

/* A thread computes the chains of V adjacent rows. */
template <class E, class R, int V>
static __global__ void __launch_bounds__(ACROSS_ROWS / V) across_kernel(const matmul_params j) {
    typedef adjacent<E, V> rows;
    const vector_position p = position_of(j, blockIdx.x, ACROSS_ROWS);
    const uint64_t row = p.row + threadIdx.x * V;
    if (row >= j.m) return;
    uint64_t step;
    const E *x = vector_of<E>(j, p, &step);
    const E *a = (const E *)j.a.p + p.item * j.a.stride + p.first * j.a.ld + row;
    R sum[V];
#pragma unroll
    for (int e = 0; e < V; e++) sum[e] = first_sum<R>(j, row + e);
    uint64_t t = 0;
    for (; t + UNROLLED <= p.terms; t += UNROLLED) {
        rows v[UNROLLED];
#pragma unroll
        for (int i = 0; i < UNROLLED; i++) v[i] = *(const rows *)(a + (t + i) * j.a.ld);
#pragma unroll
        for (int i = 0; i < UNROLLED; i++)
#pragma unroll
            for (int e = 0; e < V; e++) sum[e] = matmul_fma((R)v[i].at[e], (R)x[(t + i) * step], sum[e]);
    }
    for (; t < p.terms; t++)
#pragma unroll
        for (int e = 0; e < V; e++) sum[e] = matmul_fma((R)a[t * j.a.ld + e], (R)x[t * step], sum[e]);
#pragma unroll
    for (int e = 0; e < V; e++) store<E, R>(j, p, row + e, sum[e]);
}

/* A square: 32 rows of 128 bytes, and the vector's elements for their terms. Rows are padded by 16 bytes, so that
 * threads that each read their own row cause no bank conflicts. */
template <class E> struct square {
    static constexpr int TERMS = 128 / sizeof(E), LD = TERMS + 16 / sizeof(E), V = 16 / sizeof(E);
    E at[32][LD];
    E x[LD];
};

/* Starts to copy one square. Terms and rows outside the matrix are not copied and never read. */
template <class E>
static __device__ __forceinline__ void copy_in(square<E> *to, const E *a, const matmul_params &j, uint32_t rows,
                                               const E *x, uint64_t step, uint64_t first, uint64_t terms) {
    typedef square<E> S;
    const uint32_t lane = threadIdx.x % 32;
    if (lane < S::TERMS && first + lane < terms)
        __pipeline_memcpy_async(&to->x[lane], x + (first + lane) * step, sizeof(E));
    if (j.a.vectors && terms - first >= S::TERMS && rows == 32) {
#pragma unroll
        for (uint32_t r = lane / 8; r < 32; r += 4)
            copy_async_prefetching(&to->at[r][lane % 8 * S::V], a + r * j.a.ld + first + lane % 8 * S::V);
    } else {
        const uint32_t count = terms - first < S::TERMS ? (uint32_t)(terms - first) : S::TERMS;
        for (uint32_t r = 0; r < rows; r++)
            for (uint32_t t = lane; t < count; t += 32)
                __pipeline_memcpy_async(&to->at[r][t], a + r * j.a.ld + first + t, sizeof(E));
    }
}

template <class E, class R> static __global__ void __launch_bounds__(32 * WARPS) along_kernel(const matmul_params j) {
    typedef square<E> S;
    extern __shared__ __align__(16) unsigned char shared[];
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    S *squares = (S *)shared + warp * STAGES;
    const vector_position p = position_of(j, (uint64_t)blockIdx.x * WARPS + warp, 32);
    if (p.item >= j.items) return;
    const uint32_t rows = j.m - p.row < 32 ? (uint32_t)(j.m - p.row) : 32;
    uint64_t step;
    const E *x = vector_of<E>(j, p, &step);
    const E *a = (const E *)j.a.p + p.item * j.a.stride + p.row * j.a.ld + p.first;
    const uint64_t count = (p.terms + S::TERMS - 1) / S::TERMS;
    for (uint64_t s = 0; s < STAGES - 1; s++) {
        if (s < count) copy_in(&squares[s], a, j, rows, x, step, s * S::TERMS, p.terms);
        __pipeline_commit();
    }
    R sum = first_sum<R>(j, p.row + lane);
    for (uint64_t s = 0; s < count; s++) {
        if (s + STAGES - 1 < count)
            copy_in(&squares[(s + STAGES - 1) % STAGES], a, j, rows, x, step, (s + STAGES - 1) * S::TERMS, p.terms);
        __pipeline_commit();
        __pipeline_wait_prior(STAGES - 1);
        __syncwarp();
        const E *mine = squares[s % STAGES].at[lane], *by = squares[s % STAGES].x;
        const uint64_t left = p.terms - s * S::TERMS;
        if (left >= S::TERMS) {
#pragma unroll
            for (int i = 0; i < S::TERMS; i += S::V) {
                const vector16<E> u = *(const vector16<E> *)(mine + i), v = *(const vector16<E> *)(by + i);
#pragma unroll
                for (int e = 0; e < S::V; e++) sum = matmul_fma((R)u.at[e], (R)v.at[e], sum);
            }
        } else {
            for (uint32_t i = 0; i < left; i++) sum = matmul_fma((R)mine[i], (R)by[i], sum);
        }
        __syncwarp();
    }
    if (lane < rows) store<E, R>(j, p, p.row + lane, sum);
}

template <class E, class R, int V> static matmul_vector_launch across_launch() {
    return matmul_vector_launch{(const void *)across_kernel<E, R, V>, ACROSS_ROWS, 1, ACROSS_ROWS / V, 0};
}

template <class E, class R> static matmul_vector_launch launch_of(bool across, bool in_pairs) {
    if (across) return in_pairs ? across_launch<E, R, 2>() : across_launch<E, R, 1>();
    return matmul_vector_launch{(const void *)along_kernel<E, R>, 32, WARPS, 32 * WARPS,
                                WARPS * STAGES * sizeof(square<E>)};
}

matmul_vector_launch cuda_matmul_vector(weft_dtype dtype, weft_dtype accumulate, bool across, bool in_pairs) {
    if (dtype == WEFT_F64) return launch_of<double, double>(across, in_pairs);
    return accumulate == WEFT_F64 ? launch_of<float, double>(across, in_pairs)
                                  : launch_of<float, float>(across, in_pairs);
}
