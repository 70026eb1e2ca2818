/* Systems that a warp or a block solves in one pass over memory. */
#include "cuda/tridiag.cuh"

#include <string.h>

extern __shared__ float4 tridiag_shared[];

/* -------------------------------------------------------------------------- at most 32 rows */

/* A lane has a row; `side` lanes have a system. */
template <class T> __global__ void __launch_bounds__(TRIDIAG_THREADS) tridiag_short(const tridiag_job j) {
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

/* Copies the rows of a warp's systems, one array, to its tile. */
template <class T>
__device__ __forceinline__ void stage_systems(const tridiag_job &j, const tridiag_lines &l, uint64_t first, uint32_t count,
                                              T *tile) {
    const uint32_t lane = threadIdx.x & 31, pitch = j.side * TRIDIAG_CHUNK;
    if (l.constant) {
        for (uint32_t i = lane; i < TRIDIAG_WARP_ROWS; i += 32) tile[i] = (T)l.value;
        return;
    }
    for (uint32_t s = 0; s < count; s++)
        tridiag_stage(tile, s * pitch, (const T *)l.p + (first + s) * l.line, (uint32_t)j.n, j.vectors, lane, 32);
}

/* A lane has a chunk; `side` lanes have a system, whose rows are adjacent in memory. CONSTANT: a, b and c are. */
template <class T, bool CONSTANT>
__global__ void __launch_bounds__(TRIDIAG_THREADS) tridiag_warp(const tridiag_job j) {
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
    tridiag_piece<T> piece = {0, 1, 0, 0, 0, 0, 0};
    if (active) {
        if (CONSTANT) {
            tridiag_fill(v.a, j.a.value), tridiag_fill(v.b, j.b.value), tridiag_fill(v.c, j.c.value);
        } else {
            tridiag_take(tile_a, lane * TRIDIAG_CHUNK, v.a);
            tridiag_take(tile_b, lane * TRIDIAG_CHUNK, v.b);
            tridiag_take(tile_c, lane * TRIDIAG_CHUNK, v.c);
        }
        tridiag_take(own, lane * TRIDIAG_CHUNK, v.d);
        if (t == 0 && !j.periodic) v.a[0] = 0; /* the first chunk is whole */
        if (at_end && !j.periodic) v.c[TRIDIAG_CHUNK - 1] = 0;
        piece = tridiag_eliminate_chunk(v, absent);
    }
    const uint32_t start = lane - t, next = at_end ? start : (lane + 1) & 31;
    const T first_a = __shfl_sync(~0u, piece.first_a, next), first_c = __shfl_sync(~0u, piece.first_c, next);
    const T first_d = __shfl_sync(~0u, piece.first_d, next);
    if (active && (!at_end || j.periodic)) tridiag_join(piece, first_a, first_c, first_d);
    bool lost;
    const T x = tridiag_solve_base(j.periodic, piece.a, piece.b, piece.c, piece.d, (int)t, (int)chunks, &lost);
    const T left = __shfl_sync(~0u, x, t ? lane - 1 : start + chunks - 1);
    if (active) {
        const unsigned odd = tridiag_substitute_chunk(v, absent, t || j.periodic ? left : (T)0, x);
        if (lost) v.lost |= 1u << (TRIDIAG_CHUNK - 1);
        const uint64_t end = (uint64_t)(t + 1) * TRIDIAG_CHUNK - 1 - absent;
        tridiag_finish(j, v, odd, system, end);
        tridiag_put(own, lane * TRIDIAG_CHUNK, v.d);
    }
    __syncwarp();
    for (uint32_t s = 0; s < count; s++)
        tridiag_unstage(own, s * j.side * TRIDIAG_CHUNK, (T *)j.x + (first + s) * j.d.line, (uint32_t)j.n, j.vectors,
                        lane, 32);
}

/* --------------------------------------------------------------------------- by whole blocks */

/* What the threads of a block exchange: the separators' rows of each system, and first rows of chunks. */
template <class T> struct exchange {
    T *a, *b, *c, *d, *first_a, *first_c, *first_d;
    uint32_t pitch; /* of a system */

    __device__ exchange(T *from, uint32_t side, uint32_t chunks) : pitch((chunks + 31) / 32 * 32) {
        T **const parts[] = {&a, &b, &c, &d, &first_a, &first_c, &first_d};
        for (int i = 0; i < 7; i++) *parts[i] = from + i * side * pitch;
    }
};

/* Solves the separators of a system, n > 32 of them in the exchange from `at` on, by one warp; x in d. They stay in
 * shared memory, since registers still hold the chunks. */
template <class T>
__device__ void solve_separators(const tridiag_job &j, const exchange<T> &e, uint32_t at, uint64_t system) {
    const uint32_t lane = threadIdx.x & 31, n = (uint32_t)j.chunks, chunks = (n + TRIDIAG_CHUNK - 1) / TRIDIAG_CHUNK;
    const bool active = lane < chunks, at_end = lane + 1 == chunks;
    const int absent = at_end ? (int)(chunks * TRIDIAG_CHUNK - n) : 0;
    const uint32_t start = lane * TRIDIAG_CHUNK - (uint32_t)absent;
    tridiag_shared_chunk<T> v = {{e.a + at, start}, {e.b + at, start}, {e.c + at, start}, {e.d + at, start}, 0};
    tridiag_piece<T> piece = {0, 1, 0, 0, 0, 0, 0};
    if (active) {
        if (lane == 0 && !j.periodic) v.a[0] = 0;
        piece = tridiag_eliminate<false, T>(v, absent);
    }
    const uint32_t next = lane + 1 < chunks ? lane + 1 : 0;
    const T first_a = __shfl_sync(~0u, piece.first_a, next), first_c = __shfl_sync(~0u, piece.first_c, next);
    const T first_d = __shfl_sync(~0u, piece.first_d, next);
    if (active && (!at_end || j.periodic)) tridiag_join(piece, first_a, first_c, first_d);
    bool lost;
    const T x = tridiag_solve_base(j.periodic, piece.a, piece.b, piece.c, piece.d, (int)lane, (int)chunks, &lost);
    const T left = __shfl_sync(~0u, x, lane ? lane - 1 : chunks - 1);
    if (!active) return;
    tridiag_substitute<false, T>(v, absent, lane || j.periodic ? left : (T)0, x);
    if (lost) v.lost |= 1u << (TRIDIAG_CHUNK - 1);
    if (!v.lost) return;
    const uint64_t row = ((uint64_t)(start + __ffs(v.lost) - 1) + 1) * TRIDIAG_CHUNK;
    tridiag_report(j, system, false, (row < j.n ? row : j.n) - 1);
}

/* The same of at most 32 separators. */
template <class T>
__device__ void solve_few_separators(const tridiag_job &j, const exchange<T> &e, uint32_t at, uint64_t system) {
    const uint32_t lane = threadIdx.x & 31, n = (uint32_t)j.chunks, row = lane < n ? lane : 0;
    T *const d = tridiag_at(e.d + at, row);
    const T a = *tridiag_at(e.a + at, row), b = *tridiag_at(e.b + at, row), c = *tridiag_at(e.c + at, row), right = *d;
    bool lost;
    const T x = tridiag_solve_base(j.periodic, a, b, c, right, (int)lane, (int)n, &lost);
    if (lane >= n) return;
    *d = x;
    const uint64_t last = (uint64_t)(lane + 1) * TRIDIAG_CHUNK;
    if (lost) tridiag_report(j, system, false, (last < j.n ? last : j.n) - 1);
}

/* A thread has a chunk, a block `side` systems. ADJACENT: one system, whose rows come through shared memory; else
 * threads that are side by side have systems that are. */
template <class T, bool ADJACENT>
__global__ void __launch_bounds__(TRIDIAG_BLOCK_THREADS(sizeof(T))) tridiag_block(const tridiag_job j) {
    const uint32_t chunks = (uint32_t)j.chunks, s = ADJACENT ? 0 : threadIdx.x % j.side;
    const uint32_t t = ADJACENT ? threadIdx.x : threadIdx.x / j.side;
    const uint32_t n = (uint32_t)j.n, tile = (chunks + 1) / 2 * 2 * TRIDIAG_CHUNK;
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
    tridiag_piece<T> piece = {0, 1, 0, 0, 0, 0, 0};
    if (active) {
        if (ADJACENT) {
            tridiag_take(tile_d, t * TRIDIAG_CHUNK, v.d);
            if (j.a.constant) tridiag_fill(v.a, j.a.value); else tridiag_take(tile_a, t * TRIDIAG_CHUNK, v.a);
            if (j.b.constant) tridiag_fill(v.b, j.b.value); else tridiag_take(tile_b, t * TRIDIAG_CHUNK, v.b);
            if (j.c.constant) tridiag_fill(v.c, j.c.value); else tridiag_take(tile_c, t * TRIDIAG_CHUNK, v.c);
        } else {
            tridiag_gather(j.a, system, t, absent, v.a);
            tridiag_gather(j.b, system, t, absent, v.b);
            tridiag_gather(j.c, system, t, absent, v.c);
            tridiag_gather(j.d, system, t, absent, v.d);
        }
        if (t == 0 && !j.periodic) v.a[0] = 0; /* the first chunk is whole */
        if (at_end && !j.periodic) v.c[TRIDIAG_CHUNK - 1] = 0;
        piece = tridiag_eliminate_chunk(v, absent);
        e.first_a[mine + t] = piece.first_a;
        e.first_c[mine + t] = piece.first_c;
        e.first_d[mine + t] = piece.first_d;
    }
    __syncthreads();
    if (active) {
        const uint32_t next = mine + (at_end ? 0 : t + 1);
        if (!at_end || j.periodic) tridiag_join(piece, e.first_a[next], e.first_c[next], e.first_d[next]);
        *tridiag_at(e.a + mine, t) = piece.a;
        *tridiag_at(e.b + mine, t) = piece.b;
        *tridiag_at(e.c + mine, t) = piece.c;
        *tridiag_at(e.d + mine, t) = piece.d;
    }
    __syncthreads();
    for (uint32_t k = threadIdx.x / 32; k < j.side; k += blockDim.x / 32) {
        const uint64_t number = (uint64_t)blockIdx.x * j.side + k;
        if (number >= j.systems) continue;
        if (chunks > TRIDIAG_BASE)
            solve_separators(j, e, k * e.pitch, number);
        else
            solve_few_separators(j, e, k * e.pitch, number);
    }
    __syncthreads();
    if (active) {
        const T left = t || j.periodic ? *tridiag_at(e.d + mine, t ? t - 1 : chunks - 1) : (T)0;
        const unsigned odd = tridiag_substitute_chunk(v, absent, left, *tridiag_at(e.d + mine, t));
        const uint64_t end = (uint64_t)(t + 1) * TRIDIAG_CHUNK - 1 - absent;
        tridiag_finish(j, v, odd, system, end);
        if (ADJACENT) {
            tridiag_put(tile_d, t * TRIDIAG_CHUNK, v.d);
        } else {
            T *const x = (T *)j.x + system * j.d.line + (t * TRIDIAG_CHUNK - (uint64_t)absent) * j.d.step;
#pragma unroll
            for (int i = 0; i < TRIDIAG_CHUNK; i++)
                if (i >= absent) x[i * j.d.step] = v.d[i];
        }
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
