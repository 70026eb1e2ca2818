/* Systems that one warp or block solves in one pass over memory. */
#include "cuda/tridiag/tridiag.cuh"

#include <string.h>

extern __shared__ float4 tridiag_shared[];

/* -------------------------------------------------------------------------- at most 32 rows */

/* One row per lane; `side` lanes per system. */
template <class T>
__global__ void __launch_bounds__(TRIDIAG_THREADS) tridiag_short(const __grid_constant__ tridiag_params j) {
    const uint32_t lane = threadIdx.x & 31, t = lane & (j.side - 1), n = (uint32_t)j.n;
    const uint64_t warp = (uint64_t)blockIdx.x * (TRIDIAG_THREADS / 32) + threadIdx.x / 32;
    const uint64_t system = warp * (32 / j.side) + lane / j.side;
    const bool active = t < n && system < j.systems;
    bool lost;
    T a = 0, b = 1, c = 0, d = 0;
    if (active) {
        a = tridiag_element<T>(j.a, system, t);
        b = tridiag_element<T>(j.b, system, t);
        c = tridiag_element<T>(j.c, system, t);
        d = tridiag_element<T>(j.d, system, t);
    }
    T x = tridiag_solve_base(j.periodic, a, b, c, d, (int)t, (int)n, &lost);
    if (!active) return;
    if (lost) tridiag_report(j, system, false, t);
    if (!(tridiag_type<T>::magnitude(x) < tridiag_type<T>::infinity())) {
        tridiag_report(j, system, true, t);
        if (x != x) x = tridiag_type<T>::nan();
    }
    ((T *)j.x)[system * j.d.line + t * j.d.step] = x;
}

/* ------------------------------------------------------------------------- at most 512 rows */

/* Copies the rows of one array of a warp's systems to the warp's tile. */
template <class T>
__device__ __forceinline__ void stage_systems(const tridiag_params &j, const tridiag_lines &l, uint64_t first,
                                              uint32_t count, T *tile) {
    const uint32_t lane = threadIdx.x & 31, pitch = j.side * TRIDIAG_CHUNK;
    if (l.constant) {
        for (uint32_t i = lane; i < TRIDIAG_WARP_ROWS; i += 32) tile[i] = tridiag_type<T>::constant(l);
        return;
    }
    for (uint32_t s = 0; s < count; s++)
        tridiag_stage(tile, s * pitch, (const T *)l.p + (first + s) * l.line, (uint32_t)j.n, j.vectors, lane, 32);
}

/* One chunk per lane; `side` lanes per system, whose rows are adjacent in memory. CONSTANT: a, b and c are
 * constants. */
template <class T, bool CONSTANT>
__global__ void __launch_bounds__(TRIDIAG_THREADS) tridiag_warp(const __grid_constant__ tridiag_params j) {
    const uint32_t lane = threadIdx.x & 31, t = lane & (j.side - 1), chunks = (uint32_t)j.chunks;
    const uint64_t warp = (uint64_t)blockIdx.x * (TRIDIAG_THREADS / 32) + threadIdx.x / 32;
    const uint32_t per_warp = 32 / j.side;
    const uint64_t first = warp * per_warp, system = first + lane / j.side;
    if (first >= j.systems) return;
    const uint32_t count = j.systems - first < per_warp ? (uint32_t)(j.systems - first) : per_warp;
    T *const own = (T *)tridiag_shared + threadIdx.x / 32 * (CONSTANT ? 1 : 4) * TRIDIAG_WARP_ROWS;
    T *const tile_a = own + TRIDIAG_WARP_ROWS, *const tile_b = tile_a + TRIDIAG_WARP_ROWS;
    T *const tile_c = tile_b + TRIDIAG_WARP_ROWS;
    stage_systems(j, j.d, first, count, own);
    if (!CONSTANT) {
        stage_systems(j, j.a, first, count, tile_a);
        stage_systems(j, j.b, first, count, tile_b);
        stage_systems(j, j.c, first, count, tile_c);
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();

    const bool active = t < chunks && system < j.systems, at_end = t + 1 == chunks;
    const int absent = at_end ? (int)(chunks * TRIDIAG_CHUNK - (uint32_t)j.n) : 0;
    tridiag_chunk<T> v;
    tridiag_reduced<T> reduced = {0, 1, 0, 0, 0, 0, 0};
    unsigned unused;
    if (active) {
        if (CONSTANT) {
            tridiag_fill(j.a, v.a), tridiag_fill(j.b, v.b), tridiag_fill(j.c, v.c);
        } else {
            tridiag_take(tile_a, lane * TRIDIAG_CHUNK, v.a);
            tridiag_take(tile_b, lane * TRIDIAG_CHUNK, v.b);
            tridiag_take(tile_c, lane * TRIDIAG_CHUNK, v.c);
        }
        tridiag_take(own, lane * TRIDIAG_CHUNK, v.d);
        if (t == 0 && !j.periodic) v.a[0] = 0; /* the first chunk is full */
        if (at_end && !j.periodic) v.c[TRIDIAG_CHUNK - 1] = 0;
        reduced = tridiag_eliminate_chunk(v, absent, &unused);
    }
    const uint32_t start = lane - t, next = at_end ? start : (lane + 1) & 31;
    const T first_a = __shfl_sync(~0u, reduced.first_a, next), first_c = __shfl_sync(~0u, reduced.first_c, next);
    const T first_d = __shfl_sync(~0u, reduced.first_d, next);
    if (active && (!at_end || j.periodic)) tridiag_combine(reduced, first_a, first_c, first_d);
    bool lost;
    const T x =
        tridiag_solve_base(j.periodic, reduced.a, reduced.b, reduced.c, reduced.d, (int)t, (int)chunks, &lost);
    const T left = __shfl_sync(~0u, x, t ? lane - 1 : start + chunks - 1);
    if (active) {
        if (lost) tridiag_report(j, system, false, (uint64_t)(t + 1) * TRIDIAG_CHUNK - 1 - (uint64_t)absent);
        tridiag_substitute_chunk(j, v, absent, t || j.periodic ? left : (T)0, x, system, t);
        tridiag_put(own, lane * TRIDIAG_CHUNK, v.d);
    }
    __syncwarp();
    for (uint32_t s = 0; s < count; s++)
        tridiag_unstage(own, s * j.side * TRIDIAG_CHUNK, (T *)j.x + (first + s) * j.d.line, (uint32_t)j.n, j.vectors,
                        lane, 32);
}

/* --------------------------------------------------------------------------------- by blocks */

/* Shared memory through which the threads of a block exchange the separators' rows of each system and the first rows
 * of chunks. */
template <class T> struct exchange {
    T *a, *b, *c, *d, *first_a, *first_c, *first_d;
    uint32_t pitch; /* elements per system */

    __device__ exchange(T *from, uint32_t side, uint32_t chunks) : pitch((chunks + 31) / 32 * 32) {
        T **const parts[] = {&a, &b, &c, &d, &first_a, &first_c, &first_d};
        for (int i = 0; i < 7; i++) *parts[i] = from + i * side * pitch;
    }
};

/* Loads a chunk of separators that begins at `start`; its first `absent` rows are not loaded. */
template <class T>
__device__ __forceinline__ void take_separators(T *from, uint32_t start, int absent, T v[TRIDIAG_CHUNK]) {
    if (absent == 0) {
        tridiag_take(from, start, v);
        return;
    }
#pragma unroll
    for (int i = 0; i < TRIDIAG_CHUNK; i++)
        if (i >= absent) v[i] = *tridiag_at(from, start + (uint32_t)i);
}

/* Solves the separators of a system by one warp: n > 32 of them, from `at` on in the exchange. Stores x in d. */
template <class T>
__device__ void solve_separators(const tridiag_params &j, const exchange<T> &e, uint32_t at, uint64_t system) {
    const uint32_t lane = threadIdx.x & 31, n = (uint32_t)j.chunks, chunks = (n + TRIDIAG_CHUNK - 1) / TRIDIAG_CHUNK;
    const bool active = lane < chunks, at_end = lane + 1 == chunks;
    const int absent = at_end ? (int)(chunks * TRIDIAG_CHUNK - n) : 0;
    const uint32_t start = lane * TRIDIAG_CHUNK - (uint32_t)absent;
    unsigned lost_rows = 0;
    tridiag_chunk<T> v;
    tridiag_reduced<T> reduced = {0, 1, 0, 0, 0, 0, 0};
    if (active) {
        take_separators(e.a + at, start, absent, v.a);
        take_separators(e.b + at, start, absent, v.b);
        take_separators(e.c + at, start, absent, v.c);
        take_separators(e.d + at, start, absent, v.d);
        if (lane == 0 && !j.periodic) v.a[0] = 0;
        reduced = tridiag_eliminate_chunk(v, absent, &lost_rows);
    }
    const uint32_t next = lane + 1 < chunks ? lane + 1 : 0;
    const T first_a = __shfl_sync(~0u, reduced.first_a, next), first_c = __shfl_sync(~0u, reduced.first_c, next);
    const T first_d = __shfl_sync(~0u, reduced.first_d, next);
    if (active && (!at_end || j.periodic)) tridiag_combine(reduced, first_a, first_c, first_d);
    bool lost;
    const T x =
        tridiag_solve_base<1>(j.periodic, reduced.a, reduced.b, reduced.c, reduced.d, (int)lane, (int)chunks, &lost);
    const T left = __shfl_sync(~0u, x, lane ? lane - 1 : chunks - 1);
    if (!active) return;
    tridiag_substitute<false>(v, absent, lane || j.periodic ? left : (T)0, x);
    if (lost) lost_rows |= 1u << (TRIDIAG_CHUNK - 1);
#pragma unroll
    for (int i = 0; i < TRIDIAG_CHUNK; i++)
        if (i >= absent) *tridiag_at(e.d + at, start + (uint32_t)i) = v.d[i];
    if (!lost_rows) return;
    const uint64_t row = (uint64_t)(start + (uint32_t)__ffs((int)lost_rows)) * TRIDIAG_CHUNK;
    tridiag_report(j, system, false, (row < j.n ? row : j.n) - 1);
}

/* Solves at most 32 separators of each of several systems by one warp: systems first, first + 1, ... of the block's
 * exchange. Stores x in d. */
template <class T>
__device__ void solve_few_separators(const tridiag_params &j, const exchange<T> &e, uint32_t first) {
    const uint32_t n = (uint32_t)j.chunks, lane = threadIdx.x & 31;
    const uint32_t t = lane & (j.lanes - 1), k = first + lane / j.lanes, at = k * e.pitch;
    const uint64_t system = (uint64_t)blockIdx.x * j.side + k;
    const bool active = t < n && k < j.side && system < j.systems;
    T a = 0, b = 1, c = 0, d = 0;
    bool lost;
    if (active) {
        a = *tridiag_at(e.a + at, t);
        b = *tridiag_at(e.b + at, t);
        c = *tridiag_at(e.c + at, t);
        d = *tridiag_at(e.d + at, t);
    }
    const T x = tridiag_solve_base(j.periodic, a, b, c, d, (int)t, (int)n, &lost);
    if (!active) return;
    *tridiag_at(e.d + at, t) = x;
    const uint64_t last = (uint64_t)(t + 1) * TRIDIAG_CHUNK;
    if (lost) tridiag_report(j, system, false, (last < j.n ? last : j.n) - 1);
}

/* Loads a thread's rows of one array, which may be a constant. */
template <class T> __device__ __forceinline__ void take_or_fill(const tridiag_lines &l, T *tile, T v[TRIDIAG_CHUNK]) {
    if (l.constant)
        tridiag_fill(l, v);
    else
        tridiag_take(tile, threadIdx.x * TRIDIAG_CHUNK, v);
}

/* One chunk per thread, `side` systems per block. ADJACENT: one system of more than 32 chunks, whose rows are copied
 * through shared memory. Otherwise adjacent threads have adjacent systems, each of at most 32 chunks. */
template <class T, bool ADJACENT>
__global__ void __launch_bounds__(ADJACENT ? TRIDIAG_BLOCK_THREADS(sizeof(T)) : TRIDIAG_GATHER_THREADS(sizeof(T)),
                                  ADJACENT ? 3 : 1) tridiag_block(const __grid_constant__ tridiag_params j) {
    const uint32_t chunks = (uint32_t)j.chunks, s = ADJACENT ? 0 : threadIdx.x % j.side;
    const uint32_t t = ADJACENT ? threadIdx.x : threadIdx.x / j.side;
    const uint32_t n = (uint32_t)j.n, tile = blockDim.x * TRIDIAG_CHUNK;
    const uint64_t system = (uint64_t)blockIdx.x * j.side + s;
    T *const tile_d = (T *)tridiag_shared, *const tile_a = tile_d + tile, *const tile_b = tile_a + tile;
    T *const tile_c = tile_b + tile;
    const exchange<T> e(ADJACENT ? tile_c + tile : tile_d, j.side, chunks);
    const bool active = t < chunks && system < j.systems, at_end = t + 1 == chunks;
    const int absent = at_end ? (int)(chunks * TRIDIAG_CHUNK - n) : 0;
    tridiag_chunk<T> v;
    if (ADJACENT) {
        const tridiag_lines *const lines[] = {&j.d, &j.a, &j.b, &j.c};
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (!lines[i]->constant)
                tridiag_stage(tile_d + i * tile, 0, (const T *)lines[i]->p + system * lines[i]->line, n, j.vectors,
                              threadIdx.x, blockDim.x);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
    }
    const uint32_t mine = s * e.pitch;
    unsigned unused;
    tridiag_reduced<T> reduced = {0, 1, 0, 0, 0, 0, 0};
    if (active) {
        if (ADJACENT) {
            tridiag_take(tile_d, t * TRIDIAG_CHUNK, v.d);
            take_or_fill(j.a, tile_a, v.a);
            take_or_fill(j.b, tile_b, v.b);
            take_or_fill(j.c, tile_c, v.c);
        } else {
            tridiag_gather(j.a, system, t, absent, v.a);
            tridiag_gather(j.b, system, t, absent, v.b);
            tridiag_gather(j.c, system, t, absent, v.c);
            tridiag_gather(j.d, system, t, absent, v.d);
        }
        if (t == 0 && !j.periodic) v.a[0] = 0; /* the first chunk is full */
        if (at_end && !j.periodic) v.c[TRIDIAG_CHUNK - 1] = 0;
        reduced = tridiag_eliminate_chunk(v, absent, &unused);
        e.first_a[mine + t] = reduced.first_a;
        e.first_c[mine + t] = reduced.first_c;
        e.first_d[mine + t] = reduced.first_d;
    }
    __syncthreads();
    if (active) {
        const uint32_t next = mine + (at_end ? 0 : t + 1);
        if (!at_end || j.periodic) tridiag_combine(reduced, e.first_a[next], e.first_c[next], e.first_d[next]);
        *tridiag_at(e.a + mine, t) = reduced.a;
        *tridiag_at(e.b + mine, t) = reduced.b;
        *tridiag_at(e.c + mine, t) = reduced.c;
        *tridiag_at(e.d + mine, t) = reduced.d;
    }
    /* Solving many separators needs the registers, so this thread's rows are kept in its part of the tiles
     * meanwhile. */
    if (ADJACENT && active) {
        tridiag_put(tile_a, threadIdx.x * TRIDIAG_CHUNK, v.a);
        tridiag_put(tile_c, threadIdx.x * TRIDIAG_CHUNK, v.c);
        tridiag_put(tile_d, threadIdx.x * TRIDIAG_CHUNK, v.d);
    }
    __syncthreads();
    const uint32_t warps = blockDim.x / 32, per_warp = ADJACENT ? 1 : 32 / j.lanes;
    for (uint32_t k = threadIdx.x / 32 * per_warp; k < j.side; k += warps * per_warp) {
        if (ADJACENT)
            solve_separators(j, e, k * e.pitch, system);
        else
            solve_few_separators(j, e, k);
    }
    __syncthreads();
    if (active) {
        if (ADJACENT) {
            tridiag_take(tile_a, threadIdx.x * TRIDIAG_CHUNK, v.a);
            tridiag_take(tile_c, threadIdx.x * TRIDIAG_CHUNK, v.c);
            tridiag_take(tile_d, threadIdx.x * TRIDIAG_CHUNK, v.d);
        }
        const T left = t || j.periodic ? *tridiag_at(e.d + mine, t ? t - 1 : chunks - 1) : (T)0;
        tridiag_substitute_chunk(j, v, absent, left, *tridiag_at(e.d + mine, t), system, t);
        if (ADJACENT)
            tridiag_put(tile_d, t * TRIDIAG_CHUNK, v.d);
        else
            tridiag_scatter(j, system, t, absent, v.d);
    }
    if (!ADJACENT) return;
    __syncthreads();
    tridiag_unstage(tile_d, 0, (T *)j.x + system * j.d.line, n, j.vectors, threadIdx.x, blockDim.x);
}

/* --------------------------------------------------------------------------------- the kernels */

const void *tridiag_short_kernel(bool f32) {
    return f32 ? (const void *)tridiag_short<float> : (const void *)tridiag_short<double>;
}

const void *tridiag_warp_kernel(bool f32, bool constant) {
    if (f32) return constant ? (const void *)tridiag_warp<float, true> : (const void *)tridiag_warp<float, false>;
    return constant ? (const void *)tridiag_warp<double, true> : (const void *)tridiag_warp<double, false>;
}

const void *tridiag_block_kernel(bool f32, bool adjacent) {
    if (f32) return adjacent ? (const void *)tridiag_block<float, true> : (const void *)tridiag_block<float, false>;
    return adjacent ? (const void *)tridiag_block<double, true> : (const void *)tridiag_block<double, false>;
}
