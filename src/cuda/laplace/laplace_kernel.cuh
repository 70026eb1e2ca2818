/* T sweeps of the 7-point stencil in one pass over memory (ORDER.md 7.1).
 *
 * A block has a tile of TILE rows, each as wide as one load of a warp, and iterates over the planes of its chunk.
 * When plane p is loaded, sweep 1 can be completed on plane p - 1, sweep 2 on plane p - 2, ..., sweep T on p - T,
 * which is written. For each sweep a thread holds, of its points, the newest value and the sum of the first five
 * terms of the next one. Adjacent values in x are exchanged by shuffles; those in y are the thread's own or, between
 * warps, in shared memory. All values of a plane are exchanged at once, so a plane costs one barrier for any T. The
 * tile's rim of T points is computed redundantly, so that adjacent tiles do not communicate.
 *
 * Traffic: one read and one write of the grid per T sweeps; rims are read again, mostly from the L2 cache. */
#ifndef WEFT_CUDA_LAPLACE_KERNEL_CUH
#define WEFT_CUDA_LAPLACE_KERNEL_CUH

#include "arith/bits.h"
#include "cuda/laplace/laplace_params.h"

#include <cuda_pipeline.h>
#include <string.h>

/* 16 bytes of a row. */
template <class A> struct strip {
    static constexpr int V = 16 / sizeof(A);
    A at[V];
};

static __device__ __forceinline__ float laplace_canonical(float v) { return weft_canonical_f32(v); }
static __device__ __forceinline__ double laplace_canonical(double v) { return weft_canonical_f64(v); }

/* Geometry of a pass of SWEEPS sweeps by blocks of WARPS_ warps with ROWS_ rows per thread. */
template <class ELEMENT, int SWEEPS, int WARPS_, int ROWS_> struct laplace_pass {
    typedef ELEMENT element;
    static constexpr int T = SWEEPS, V = strip<element>::V, WIDTH = 32 * V, RIM = (T + V - 1) / V * V;
    static constexpr int WARPS = WARPS_, ROWS = ROWS_, THREADS = 32 * WARPS, TILE = WARPS * ROWS;
};

/* Position of a thread's points: its first point in x, its first row, and which of its points are on faces. */
template <class P> struct laplace_position {
    static constexpr int T = P::T, V = P::V, WIDTH = P::WIDTH, RIM = P::RIM, TILE = P::TILE;
    int64_t x, y; /* may be outside the grid */
    bool x_face[V], y_face[P::ROWS];
    bool has_faces; /* the tile has points on faces or outside the grid; equal in all threads */

    __device__ static laplace_position find(const laplace_params &a) {
        laplace_position p;
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        p.x = (int64_t)blockIdx.x * (WIDTH - 2 * RIM) - RIM + lane * V;
        p.y = (int64_t)blockIdx.y * (TILE - 2 * T) - T + warp * P::ROWS;
        const int64_t left = p.x - lane * V, top = p.y - warp * P::ROWS;
        p.has_faces = left <= 0 || left + WIDTH >= (int64_t)a.nx || top <= 0 || top + TILE >= (int64_t)a.ny;
        for (int e = 0; e < V; e++) p.x_face[e] = p.x + e <= 0 || p.x + e >= (int64_t)a.nx - 1;
        for (int r = 0; r < P::ROWS; r++) p.y_face[r] = p.y + r <= 0 || p.y + r >= (int64_t)a.ny - 1;
        return p;
    }
    /* Returns true if row r of the thread is in the grid and written by this block. */
    __device__ bool writes_row(const laplace_params &a, int r) const {
        const int row = threadIdx.x / 32 * P::ROWS + r;
        return row >= T && row < TILE - T && y + r < (int64_t)a.ny;
    }
    __device__ bool writes_columns() const {
        const int column = threadIdx.x % 32 * V;
        return column >= RIM && column < WIDTH - RIM;
    }
};

/* Planes that are being copied to shared memory. Each thread copies the values that it uses itself. Values outside
 * the grid are set to zero. */
template <class P> struct laplace_stages { strip<typename P::element> row[LAPLACE_STAGES][P::ROWS][P::THREADS]; };

template <class P>
static __device__ __forceinline__ void laplace_fetch(const laplace_params &a, const laplace_position<P> &p,
                                                     int64_t plane, laplace_stages<P> &stages) {
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
static __device__ __forceinline__ void laplace_store(const laplace_params &a, const laplace_position<P> &p,
                                                     int64_t plane,
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

/* Rows of the tile that other warps read: the first and the last of each warp. */
template <class P> struct laplace_edges { strip<typename P::element> row[P::WARPS][2][32]; };

/* Returns the sum of the first five terms: the neighbours in x and y, and `below`, the previous plane. */
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

/* Completes a sweep on the previous plane when a plane arrives. On return `arriving` contains the completed plane,
 * which is the input of the next sweep. `five` contains the previous plane before this sweep, which the next plane's
 * sum needs. */
template <class P, class A = typename P::element>
static __device__ __forceinline__ void laplace_finish(const laplace_position<P> &position, bool z_face, bool last,
                                                      strip<A> (&newest)[P::ROWS], strip<A> (&five)[P::ROWS],
                                                      strip<A> (&arriving)[P::ROWS]) {
    constexpr int V = P::V;
    const A sixth = (A)1 / 6;
#pragma unroll
    for (int r = 0; r < P::ROWS; r++) {
        strip<A> finished;
        for (int e = 0; e < V; e++) {
            finished.at[e] = (five[r].at[e] + arriving[r].at[e]) * sixth;
            if (last) finished.at[e] = laplace_canonical(finished.at[e]);
        }
        if (position.has_faces || z_face)
            for (int e = 0; e < V; e++)
                if (z_face || position.y_face[r] || position.x_face[e]) finished.at[e] = newest[r].at[e];
        five[r] = newest[r];
        newest[r] = arriving[r];
        arriving[r] = finished;
    }
}

/* Shared memory of a block: planes being copied, and two sets of edges, because one may still be read while the other
 * is written. */
template <class P> struct laplace_memory {
    laplace_stages<P> stages;
    laplace_edges<P> edges[2][P::T];
};

/* Returns the dynamic shared memory of the block. */
static __device__ uint4 *laplace_shared();

template <class P, int BLOCKS>
static __global__ void __launch_bounds__(P::THREADS, BLOCKS)
    laplace_kernel(const __grid_constant__ laplace_params a) {
    typedef typename P::element A;
    constexpr int T = P::T, V = P::V, R = P::ROWS;
    laplace_memory<P> &shared = *(laplace_memory<P> *)laplace_shared();
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const laplace_position<P> position = laplace_position<P>::find(a);
    const bool columns = position.writes_columns();
    /* For each sweep, its newest plane, and the sum of the first five terms of that plane's next value. */
    strip<A> newest[T][R], five[T][R];
    const int64_t nz = (int64_t)a.nz, first = (int64_t)blockIdx.z * a.planes, end = min(first + a.planes, nz);
    const int64_t start = max((int64_t)0, first - T);
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
        for (int t = 0; t < T; t++)
            for (int e = 0; e < V; e++) newest[t][r].at[e] = five[t][r].at[e] = 0;
    for (int64_t p = start; p < start + LAPLACE_STAGES - 1; p++) {
        if (p < nz) laplace_fetch<P>(a, position, p, shared.stages);
        __pipeline_commit();
    }
    for (int64_t p = start; p < end + T; p++) {
        strip<A> arriving[R]; /* input of sweep t + 1 is plane p - t */
        __pipeline_wait_prior(LAPLACE_STAGES - 2);
#pragma unroll
        for (int r = 0; r < R; r++) arriving[r] = shared.stages.row[p % LAPLACE_STAGES][r][threadIdx.x];
        if (p + LAPLACE_STAGES - 1 < nz) laplace_fetch<P>(a, position, p + LAPLACE_STAGES - 1, shared.stages);
        __pipeline_commit();
#pragma unroll
        for (int t = 0; t < T; t++) {
            const int64_t plane = p - t - 1; /* plane that sweep t + 1 completes */
            laplace_finish<P>(position, plane <= 0 || plane >= nz - 1, t == T - 1, newest[t], five[t], arriving);
            shared.edges[p & 1][t].row[warp][0][lane] = newest[t][0];
            shared.edges[p & 1][t].row[warp][1][lane] = newest[t][R - 1];
        }
        if (p - T >= first && columns) laplace_store<P>(a, position, p - T, arriving);
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
