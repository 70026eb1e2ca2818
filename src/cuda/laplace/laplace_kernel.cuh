/* T sweeps of the 7-point stencil in one pass over memory (ORDER.md 7.1).
 *
 * A block has a tile of some rows, each one load of a warp wide, and marches through the planes of its chunk. When
 * plane p arrives, sweep 1 can be finished on plane p - 1, sweep 2 on plane p - 2, ..., sweep T on p - T, which is
 * written. For each sweep a thread holds of its points the newest value and the sum of the first five terms of the
 * next one; neighbours in x come by shuffles, in y from the thread itself or, between warps, through shared memory.
 * All that a plane needs of others is exchanged at once, so a plane costs one barrier, whatever T is. The tile's rim
 * of T points is computed for nothing: neighbouring tiles need nothing of each other.
 *
 * Traffic: a grid read and written for T sweeps; rims are read again, mostly from the L2 cache. */
#ifndef WEFT_CUDA_LAPLACE_KERNEL_CUH
#define WEFT_CUDA_LAPLACE_KERNEL_CUH

#include "arith/bits.h"
#include "cuda/laplace/laplace_job.h"

#include <cuda_pipeline.h>
#include <string.h>

/* 16 bytes of a row. */
template <class A> struct strip {
    static constexpr int V = 16 / sizeof(A);
    A at[V];
};

static __device__ __forceinline__ float laplace_stored(float v) { return weft_canonical_f32(v); }
static __device__ __forceinline__ double laplace_stored(double v) { return weft_canonical_f64(v); }

/* A pass of T sweeps by blocks of so many warps, whose threads have so many rows each. */
template <class ELEMENT, int SWEEPS, int WARPS_, int ROWS_> struct laplace_pass {
    typedef ELEMENT element;
    static constexpr int T = SWEEPS, V = strip<element>::V, WIDTH = 32 * V, RIM = (T + V - 1) / V * V;
    static constexpr int WARPS = WARPS_, ROWS = ROWS_, THREADS = 32 * WARPS, TILE = WARPS * ROWS;
};

/* What a thread knows of its place: its first point in x, its first row, and which of its points are faces. */
template <class P> struct laplace_place {
    static constexpr int T = P::T, V = P::V, WIDTH = P::WIDTH, RIM = P::RIM, TILE = P::TILE;
    int64_t x, y; /* may lie outside the grid */
    bool x_face[V], y_face[P::ROWS];
    bool has_faces; /* or points outside the grid: the whole tile, the same in every thread */

    __device__ static laplace_place find(const laplace_job &a) {
        laplace_place p;
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        p.x = (int64_t)blockIdx.x * (WIDTH - 2 * RIM) - RIM + lane * V;
        p.y = (int64_t)blockIdx.y * (TILE - 2 * T) - T + warp * P::ROWS;
        const int64_t left = p.x - lane * V, top = p.y - warp * P::ROWS;
        p.has_faces = left <= 0 || left + WIDTH >= (int64_t)a.nx || top <= 0 || top + TILE >= (int64_t)a.ny;
        for (int e = 0; e < V; e++) p.x_face[e] = p.x + e <= 0 || p.x + e >= (int64_t)a.nx - 1;
        for (int r = 0; r < P::ROWS; r++) p.y_face[r] = p.y + r <= 0 || p.y + r >= (int64_t)a.ny - 1;
        return p;
    }
    /* Whether row r of the thread is one that the block writes, and in the grid. */
    __device__ bool writes_row(const laplace_job &a, int r) const {
        const int row = threadIdx.x / 32 * P::ROWS + r;
        return row >= T && row < TILE - T && y + r < (int64_t)a.ny;
    }
    __device__ bool writes_columns() const {
        const int column = threadIdx.x % 32 * V;
        return column >= RIM && column < WIDTH - RIM;
    }
};

/* Planes on their way from memory: each thread copies what it needs itself. What lies outside the grid is zeros. */
template <class P> struct laplace_stages { strip<typename P::element> row[LAPLACE_STAGES][P::ROWS][P::THREADS]; };

template <class P>
static __device__ __forceinline__ void laplace_fetch(const laplace_job &a, const laplace_place<P> &p, int64_t plane,
                                                     laplace_stages<P> &stages) {
    typedef typename P::element A;
    constexpr int V = P::V;
    const A *from = (const A *)a.from + (plane * (int64_t)a.ny + p.y) * (int64_t)a.nx + p.x;
#pragma unroll
    for (int r = 0; r < P::ROWS; r++) {
        A *to = stages.row[plane % LAPLACE_STAGES][r][threadIdx.x].at;
        const bool row = p.y + r >= 0 && p.y + r < (int64_t)a.ny;
        if (a.vectors) {
            const bool inside = row && p.x >= 0 && p.x < (int64_t)a.nx;
            __pipeline_memcpy_async(to, inside ? from : (const A *)a.from, 16, inside ? 0 : 16);
        } else {
            for (int e = 0; e < V; e++) {
                const bool inside = row && p.x + e >= 0 && p.x + e < (int64_t)a.nx;
                __pipeline_memcpy_async(to + e, inside ? from + e : (const A *)a.from, sizeof(A),
                                        inside ? 0 : sizeof(A));
            }
        }
        from += a.nx;
    }
}

template <class P>
static __device__ __forceinline__ void laplace_store(const laplace_job &a, const laplace_place<P> &p, int64_t plane,
                                                     const strip<typename P::element> (&rows)[P::ROWS]) {
    typedef typename P::element A;
    constexpr int V = P::V;
    A *to = (A *)a.to + (plane * (int64_t)a.ny + p.y) * (int64_t)a.nx + p.x;
#pragma unroll
    for (int r = 0; r < P::ROWS; r++, to += a.nx) {
        if (!p.writes_row(a, r)) continue;
        if (a.vectors) {
            uint4 bits;
            memcpy(&bits, &rows[r], sizeof bits);
            if (p.x < (int64_t)a.nx) *(uint4 *)to = bits;
        } else {
            for (int e = 0; e < V; e++)
                if (p.x + e < (int64_t)a.nx) to[e] = rows[r].at[e];
        }
    }
}

/* The tile's rows that other warps need: of each warp the first and the last. */
template <class P> struct laplace_edges { strip<typename P::element> row[P::WARPS][2][32]; };

/* The sum of the first five terms: x neighbours, y neighbours, and `below`, the plane before. */
template <class A>
static __device__ __forceinline__ strip<A> laplace_five(const strip<A> &middle, const strip<A> &south,
                                                        const strip<A> &north, const strip<A> &below) {
    constexpr int V = strip<A>::V;
    strip<A> sum;
    const A west = __shfl_up_sync(0xffffffffu, middle.at[V - 1], 1);
    const A east = __shfl_down_sync(0xffffffffu, middle.at[0], 1);
    for (int e = 0; e < V; e++) {
        const A x = (e ? middle.at[e - 1] : west) + (e < V - 1 ? middle.at[e + 1] : east);
        sum.at[e] = ((x + south.at[e]) + north.at[e]) + below.at[e];
    }
    return sum;
}

/* A plane arrives at a sweep: the sweep finishes the plane before, which goes on as what arrives at the next sweep.
 * `five` is left with the plane before, which the next plane's sum needs. */
template <class P, class A = typename P::element>
static __device__ __forceinline__ void laplace_finish(const laplace_place<P> &place, bool z_face, bool last,
                                                      strip<A> (&newest)[P::ROWS], strip<A> (&five)[P::ROWS],
                                                      strip<A> (&arriving)[P::ROWS]) {
    constexpr int V = P::V;
    const A sixth = (A)1 / 6;
#pragma unroll
    for (int r = 0; r < P::ROWS; r++) {
        strip<A> finished;
        for (int e = 0; e < V; e++) {
            finished.at[e] = (five[r].at[e] + arriving[r].at[e]) * sixth;
            if (last) finished.at[e] = laplace_stored(finished.at[e]);
        }
        if (place.has_faces || z_face)
            for (int e = 0; e < V; e++)
                if (z_face || place.y_face[r] || place.x_face[e]) finished.at[e] = newest[r].at[e];
        five[r] = newest[r];
        newest[r] = arriving[r];
        arriving[r] = finished;
    }
}

/* A block's shared memory: planes to come, and two sets of edges, since one may still be read. */
template <class P> struct laplace_memory {
    laplace_stages<P> stages;
    laplace_edges<P> edges[2][P::T];
};

/* The memory that the launch gives a block. */
static __device__ uint4 *laplace_shared();

template <class P, int BLOCKS>
static __global__ void __launch_bounds__(P::THREADS, BLOCKS) laplace_kernel(const __grid_constant__ laplace_job a) {
    typedef typename P::element A;
    constexpr int T = P::T, V = P::V, R = P::ROWS;
    laplace_memory<P> &shared = *(laplace_memory<P> *)laplace_shared();
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const laplace_place<P> place = laplace_place<P>::find(a);
    const bool columns = place.writes_columns();
    /* Of each sweep: the newest plane, and five terms of the one before the next. */
    strip<A> newest[T][R], five[T][R];
    const int64_t nz = (int64_t)a.nz, first = (int64_t)blockIdx.z * a.planes, end = min(first + a.planes, nz);
    const int64_t start = max((int64_t)0, first - T);
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
        for (int t = 0; t < T; t++)
            for (int e = 0; e < V; e++) newest[t][r].at[e] = five[t][r].at[e] = 0;
    for (int64_t p = start; p < start + LAPLACE_STAGES - 1; p++) {
        if (p < nz) laplace_fetch<P>(a, place, p, shared.stages);
        __pipeline_commit();
    }
    for (int64_t p = start; p < end + T; p++) {
        strip<A> arriving[R]; /* sweep t on plane p - t */
        __pipeline_wait_prior(LAPLACE_STAGES - 2);
#pragma unroll
        for (int r = 0; r < R; r++) arriving[r] = shared.stages.row[p % LAPLACE_STAGES][r][threadIdx.x];
        if (p + LAPLACE_STAGES - 1 < nz) laplace_fetch<P>(a, place, p + LAPLACE_STAGES - 1, shared.stages);
        __pipeline_commit();
#pragma unroll
        for (int t = 0; t < T; t++) {
            const int64_t plane = p - t - 1; /* the one that sweep t + 1 finishes */
            laplace_finish<P>(place, plane <= 0 || plane >= nz - 1, t == T - 1, newest[t], five[t], arriving);
            shared.edges[p & 1][t].row[warp][0][lane] = newest[t][0];
            shared.edges[p & 1][t].row[warp][1][lane] = newest[t][R - 1];
        }
        if (p - T >= first && columns) laplace_store<P>(a, place, p - T, arriving);
        __syncthreads();
#pragma unroll
        for (int t = 0; t < T; t++) {
            const strip<A> south = shared.edges[p & 1][t].row[warp ? warp - 1 : 0][1][lane];
            const strip<A> north = shared.edges[p & 1][t].row[warp < P::WARPS - 1 ? warp + 1 : warp][0][lane];
#pragma unroll
            for (int r = 0; r < R; r++)
                five[t][r] = laplace_five<A>(newest[t][r], r ? newest[t][r - 1] : south,
                                             r < R - 1 ? newest[t][r + 1] : north, five[t][r]);
        }
    }
}

#endif
