/* Systems with more chunks than a block has threads. Their chunks are reduced to separators, which further launches
 * solve; then the chunks are eliminated once more to compute the rows between the separators. */
#include "cuda/tridiag/tridiag.cuh"

#include <string.h>

extern __shared__ float4 tridiag_shared[];
enum { TILE = TRIDIAG_LONG_THREADS * TRIDIAG_CHUNK };

/* Part of a block: `chunks` chunks of `side` systems, starting at chunk `first` and system `system`. */
struct part {
    uint64_t first, system;
    uint32_t chunks, side;
};

/* Returns a block's part; adjacent blocks start `step` chunks apart. */
template <bool ADJACENT> static __device__ __forceinline__ part part_of(const tridiag_params &j, uint32_t step) {
    part p;
    p.side = ADJACENT ? 1 : TRIDIAG_SIDE;
    p.chunks = TRIDIAG_LONG_THREADS / p.side;
    const uint64_t blocks = (j.chunks + step - 1) / step;
    p.first = blockIdx.x % blocks * step;
    p.system = blockIdx.x / blocks * p.side;
    return p;
}

/* Loads the rows of chunk p.first + k of a system to v; adjacent rows are copied through the tiles. Chunk j.chunks of
 * a periodic system is chunk 0. */
template <class T, bool ADJACENT>
__device__ __forceinline__ void load(const tridiag_params &j, const part &p, uint64_t system, uint32_t k, int absent,
                                     tridiag_chunk<T> &v) {
    const uint64_t t = p.first + k;
    const bool active = t <= j.chunks && system < j.systems && (t < j.chunks || j.periodic);
    const tridiag_lines *const lines[] = {&j.a, &j.b, &j.c, &j.d};
    T *const rows[] = {v.a, v.b, v.c, v.d};
    if (!ADJACENT) {
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (active) tridiag_gather(*lines[i], system, t < j.chunks ? t : 0, absent, rows[i]);
        return;
    }
    const uint64_t begin = p.first * TRIDIAG_CHUNK, left = j.n - begin;
    const uint32_t count = left < TILE ? (uint32_t)left : TILE;
    const bool round = j.periodic && j.chunks < p.first + p.chunks; /* chunk 0 follows the last one */
#pragma unroll
    for (int i = 0; i < 4; i++) {
        if (lines[i]->constant) continue;
        T *const tile = (T *)tridiag_shared + i * TILE;
        const T *const from = (const T *)lines[i]->p + system * lines[i]->line;
        tridiag_stage(tile, 0, from + begin, count, j.vectors, threadIdx.x, TRIDIAG_LONG_THREADS);
        if (round)
            tridiag_stage(tile, (uint32_t)(j.chunks - p.first) * TRIDIAG_CHUNK, from, TRIDIAG_CHUNK, j.vectors,
                          threadIdx.x, TRIDIAG_LONG_THREADS);
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 4; i++)
        if (lines[i]->constant)
            tridiag_fill(*lines[i], rows[i]);
        else if (active)
            tridiag_take((T *)tridiag_shared + i * TILE, k * TRIDIAG_CHUNK, rows[i]);
}

/* Returns the number of rows missing from chunk t; not 0 only for the last one. */
static __device__ __forceinline__ int absent_of(const tridiag_params &j, uint64_t t) {
    return t + 1 == j.chunks ? (int)(j.chunks * TRIDIAG_CHUNK - j.n) : 0;
}

/* Clears the coefficients outside a system that is not periodic. */
template <class T>
static __device__ __forceinline__ void cut_ends(const tridiag_params &j, uint64_t t, tridiag_chunk<T> &v) {
    if (t == 0 && j.begins) v.a[0] = 0;
    if (t + 1 == j.chunks && j.ends) v.c[TRIDIAG_CHUNK - 1] = 0;
}

/* A block's last chunk is also the next block's first. It is reduced for its first row only. */
template <class T, bool ADJACENT>
__global__ void __launch_bounds__(TRIDIAG_LONG_THREADS) tridiag_reduce(const __grid_constant__ tridiag_params j) {
    __shared__ T first_a[TRIDIAG_LONG_THREADS], first_c[TRIDIAG_LONG_THREADS], first_d[TRIDIAG_LONG_THREADS];
    const part p = part_of<ADJACENT>(j, TRIDIAG_LONG_THREADS / (ADJACENT ? 1 : TRIDIAG_SIDE) - 1);
    const uint32_t s = ADJACENT ? 0 : threadIdx.x % TRIDIAG_SIDE,
                   k = ADJACENT ? threadIdx.x : threadIdx.x / TRIDIAG_SIDE;
    const uint64_t t = p.first + k, system = p.system + s;
    const bool there = system < j.systems && (t < j.chunks || (t == j.chunks && j.periodic));
    const int absent = absent_of(j, t);
    tridiag_chunk<T> v;
    tridiag_reduced<T> reduced = {0, 1, 0, 0, 0, 0, 0};
    load<T, ADJACENT>(j, p, system, k, absent, v);
    if (there) {
        cut_ends(j, t, v);
        unsigned unused;
        reduced = tridiag_eliminate_chunk(v, absent, &unused);
        first_a[threadIdx.x] = reduced.first_a;
        first_c[threadIdx.x] = reduced.first_c;
        first_d[threadIdx.x] = reduced.first_d;
        if (t == 0 && j.head) {
            ((T *)j.head)[0] = reduced.first_a;
            ((T *)j.head)[1] = reduced.first_c;
            ((T *)j.head)[2] = reduced.first_d;
        }
    }
    __syncthreads();
    if (!there || k + 1 == p.chunks || t == j.chunks) return;
    const uint32_t next = threadIdx.x + p.side;
    if (t + 1 < j.chunks || j.periodic) tridiag_combine(reduced, first_a[next], first_c[next], first_d[next]);
    const uint64_t to = t * j.out_step + system * j.out_line;
    ((T *)j.out_a)[to] = reduced.a;
    ((T *)j.out_b)[to] = reduced.b;
    ((T *)j.out_c)[to] = reduced.c;
    ((T *)j.out_d)[to] = reduced.d;
}

template <class T, bool ADJACENT>
__global__ void __launch_bounds__(TRIDIAG_LONG_THREADS) tridiag_expand(const __grid_constant__ tridiag_params j) {
    T *const tile_d = (T *)tridiag_shared + 3 * TILE;
    const part p = part_of<ADJACENT>(j, TRIDIAG_LONG_THREADS / (ADJACENT ? 1 : TRIDIAG_SIDE));
    const uint32_t s = ADJACENT ? 0 : threadIdx.x % TRIDIAG_SIDE,
                   k = ADJACENT ? threadIdx.x : threadIdx.x / TRIDIAG_SIDE;
    const uint64_t t = p.first + k, system = p.system + s;
    const bool there = system < j.systems && t < j.chunks;
    const int absent = absent_of(j, t);
    tridiag_chunk<T> v;
    load<T, ADJACENT>(j, p, system, k, absent, v);
    if (there) {
        const T *const own = (const T *)j.out_d + t * j.out_step + system * j.out_line;
        const T *const wrapped = (const T *)j.out_d + (j.chunks - 1) * j.out_step + system * j.out_line;
        const T before = t ? *(own - j.out_step) : j.periodic ? *wrapped : tridiag_type<T>::constant(j.before);
        cut_ends(j, t, v);
        unsigned unused;
        tridiag_eliminate_chunk(v, absent, &unused);
        tridiag_substitute_chunk(j, v, absent, before, *own, system, t);
        if (ADJACENT)
            tridiag_put(tile_d, k * TRIDIAG_CHUNK, v.d); /* no other thread read this part of the tile */
        else
            tridiag_scatter(j, system, t, absent, v.d);
    }
    if (!ADJACENT) return;
    __syncthreads();
    const uint64_t begin = p.first * TRIDIAG_CHUNK, left = j.n - begin;
    tridiag_unstage(tile_d, 0, (T *)j.x + system * j.d.line + begin, (uint32_t)(left < TILE ? left : TILE), j.vectors,
                    threadIdx.x, TRIDIAG_LONG_THREADS);
}

/* Decodes the minimum fault to the index reported to the caller: system * n + row. */
static __global__ void tridiag_singular(const uint64_t *faults, uint64_t n, uint64_t *singular) {
    const uint64_t fault = *faults;
    *singular = fault == UINT64_MAX ? fault : fault / (2 * n) * n + fault % n;
}

/* --------------------------------------------------------------------------------- the kernels */

const void *tridiag_reduce_kernel(bool f32, bool adjacent) {
    if (f32) return adjacent ? (const void *)tridiag_reduce<float, true> : (const void *)tridiag_reduce<float, false>;
    return adjacent ? (const void *)tridiag_reduce<double, true> : (const void *)tridiag_reduce<double, false>;
}

const void *tridiag_expand_kernel(bool f32, bool adjacent) {
    if (f32) return adjacent ? (const void *)tridiag_expand<float, true> : (const void *)tridiag_expand<float, false>;
    return adjacent ? (const void *)tridiag_expand<double, true> : (const void *)tridiag_expand<double, false>;
}

const void *tridiag_singular_kernel(void) { return (const void *)tridiag_singular; }
