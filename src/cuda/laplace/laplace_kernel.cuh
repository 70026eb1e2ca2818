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
    /* Steps in an iteration of the loop. Values stay in registers that change their roles with every step, so more
     * steps need fewer moves; but they need more registers, of which small blocks have more. */
    static constexpr int STEPS = THREADS <= 256 ? 4 : 2;
};

/* Parts of a tile that a thread loads, stores and keeps. Bit r V + e of a mask stands for point e of the thread's row
 * r. If rows begin on 16-byte boundaries, a thread moves its own points, 16 bytes at once, and only bits r V count.
 * Otherwise it moves every 32nd point of its warp's rows, so that a warp accesses adjacent points, and bit r V + e
 * stands for point 32 e + lane of the row. */
template <class P> struct laplace_tile {
    typedef typename P::element A;
    static constexpr int T = P::T, V = P::V, WIDTH = P::WIDTH, RIM = P::RIM, R = P::ROWS;
    static_assert(R * V <= 32, "the points of a thread fit in a mask");
    const A *from;                 /* the first point that the thread moves, in the next plane to be loaded */
    A *to;                         /* the same point in the next plane to be stored */
    uint32_t loads, stores, faces; /* faces: points on faces in x and y, or outside the grid */
    bool has_faces;                /* of any thread of the block */

    __device__ laplace_tile(const laplace_params &a, int64_t loaded, int64_t stored) : loads(0), stores(0), faces(0) {
        const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * R;
        const int64_t nx = (int64_t)a.nx, ny = (int64_t)a.ny;
        const int64_t left = (int64_t)blockIdx.x * (WIDTH - 2 * RIM) - RIM;
        const int64_t top = (int64_t)blockIdx.y * (P::TILE - 2 * T) - T, y = top + row;
        const int column = a.vectors ? lane * V : lane, step = a.vectors ? 1 : 32;
        has_faces = left <= 0 || left + WIDTH >= nx || top <= 0 || top + P::TILE >= ny;
        for (int r = 0; r < R; r++)
            for (int e = 0; e < V; e++) {
                const uint32_t bit = 1u << (r * V + e);
                const int64_t x = left + lane * V + e, moved = left + column + e * step;
                if (x <= 0 || x >= nx - 1 || y + r <= 0 || y + r >= ny - 1) faces |= bit;
                if (moved < 0 || moved >= nx || y + r < 0 || y + r >= ny) continue;
                loads |= bit;
                if (moved - left >= RIM && moved - left < WIDTH - RIM && row + r >= T && row + r < P::TILE - T)
                    stores |= bit;
            }
        from = (const A *)a.from + (loaded * ny + y) * nx + left + column;
        to = (A *)a.to + (stored * ny + y) * nx + left + column;
    }
};

/* Planes that are being copied to shared memory. Values outside the grid are set to zero. */
template <class P> struct laplace_stages { strip<typename P::element> row[LAPLACE_STAGES][P::ROWS][P::THREADS]; };

/* Returns the mask, as a value that the compiler does not know: otherwise it keeps each bit in a register of its own
 * during the whole kernel. */
static __device__ __forceinline__ uint32_t laplace_mask(uint32_t mask) {
    asm volatile("" : "+r"(mask));
    return mask;
}

/* Starts to copy the next plane to stage `stage`. */
template <class P>
static __device__ __forceinline__ void laplace_fetch(const laplace_params &a, laplace_tile<P> &tile, int stage,
                                                     laplace_stages<P> &stages) {
    typedef typename P::element A;
    constexpr int V = P::V;
    const A *from = tile.from;
    const uint32_t loads = laplace_mask(tile.loads);
#pragma unroll
    for (int r = 0; r < P::ROWS; r++, from += a.nx) {
        strip<A> *const row = &stages.row[stage][r][threadIdx.x];
        if (a.vectors) {
            const bool inside = loads >> (r * V) & 1;
            __pipeline_memcpy_async(row->at, from, 16, inside ? 0 : 16);
            continue;
        }
        A *const to = row[-(int)(threadIdx.x % 32)].at + threadIdx.x % 32;
        for (int e = 0; e < V; e++) {
            const bool inside = loads >> (r * V + e) & 1;
            __pipeline_memcpy_async(to + 32 * e, from + 32 * e, sizeof(A), inside ? 0 : sizeof(A));
        }
    }
    tile.from += a.nx * a.ny;
}

/* Writes the next plane. Stage `stage` is free: every thread has read its points of it. */
template <class P>
static __device__ __forceinline__ void laplace_store(const laplace_params &a, laplace_tile<P> &tile, int stage,
                                                     laplace_stages<P> &stages,
                                                     const strip<typename P::element> (&rows)[P::ROWS]) {
    typedef typename P::element A;
    constexpr int V = P::V;
    A *to = tile.to;
    const uint32_t stores = laplace_mask(tile.stores);
    tile.to += a.nx * a.ny;
    if (a.vectors) {
#pragma unroll
        for (int r = 0; r < P::ROWS; r++, to += a.nx) {
            uint4 bits;
            memcpy(&bits, &rows[r], sizeof bits);
            if (stores >> (r * V) & 1) *(uint4 *)to = bits;
        }
        return;
    }
#pragma unroll
    for (int r = 0; r < P::ROWS; r++) stages.row[stage][r][threadIdx.x] = rows[r];
    __syncwarp();
#pragma unroll
    for (int r = 0; r < P::ROWS; r++, to += a.nx) {
        const A *const row = stages.row[stage][r][threadIdx.x / 32 * 32].at + threadIdx.x % 32;
        for (int e = 0; e < V; e++)
            if (stores >> (r * V + e) & 1) to[32 * e] = row[32 * e];
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
 * which is the input of the next sweep, and `five` the arriving one. `newest`, the previous plane before this sweep,
 * is kept, because the next plane's sum needs it. `faces`: the points that keep their bits, if FACES. */
template <class P, bool FACES, class A = typename P::element>
static __device__ __forceinline__ void laplace_finish(uint32_t faces, bool last, const strip<A> (&newest)[P::ROWS],
                                                      strip<A> (&five)[P::ROWS], strip<A> (&arriving)[P::ROWS]) {
    constexpr int V = P::V;
    const A sixth = (A)1 / 6;
    strip<A> finished[P::ROWS];
#pragma unroll
    for (int r = 0; r < P::ROWS; r++)
        for (int e = 0; e < V; e++) {
            finished[r].at[e] = (five[r].at[e] + arriving[r].at[e]) * sixth;
            if (last) finished[r].at[e] = laplace_canonical(finished[r].at[e]);
            if (FACES && (faces >> (r * V + e) & 1)) finished[r].at[e] = newest[r].at[e];
        }
#pragma unroll
    for (int r = 0; r < P::ROWS; r++) five[r] = arriving[r], arriving[r] = finished[r];
}

/* Shared memory of a block: planes being copied, and two sets of edges, because one may still be read while the other
 * is written. */
template <class P> struct laplace_memory {
    laplace_stages<P> stages;
    laplace_edges<P> edges[2][P::T];
};

/* Returns the dynamic shared memory of the block. */
static __device__ uint4 *laplace_shared();

/* The planes of a block's chunk, counted from the first one that it loads. */
struct laplace_planes {
    int count;        /* of steps, with a plane loaded in each as long as there are any */
    int loaded;       /* from here on there are no planes */
    int stored;       /* step that completes the first plane of the chunk */
    int lower, upper; /* sweep t + 1 completes a face in z in the steps up to lower + t and from upper + t on */
};

/* Loads plane number `step` and completes each sweep on one plane. FACES: there are points on faces. On entry
 * `newest` has, for each sweep, its newest plane, and `five` the sum of the first five terms of that plane's next
 * value. On return they are exchanged.
 */
template <class P, bool FACES, class A = typename P::element>
static __device__ __forceinline__ void
laplace_step(const laplace_params &a, const laplace_planes &planes, laplace_tile<P> &tile, int step, int set,
             strip<A> (&newest)[P::T][P::ROWS], strip<A> (&five)[P::T][P::ROWS]) {
    constexpr int T = P::T, R = P::ROWS, AHEAD = LAPLACE_STAGES - 1;
    laplace_memory<P> &shared = *(laplace_memory<P> *)laplace_shared();
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, stage = step % LAPLACE_STAGES;
    strip<A> arriving[R]; /* input of sweep t + 1 is plane step - t */
    __pipeline_wait_prior(AHEAD - 1);
    if (!a.vectors) __syncwarp();
#pragma unroll
    for (int r = 0; r < R; r++) arriving[r] = shared.stages.row[stage][r][threadIdx.x];
    if (step + AHEAD < planes.loaded) laplace_fetch<P>(a, tile, (step + AHEAD) % LAPLACE_STAGES, shared.stages);
    __pipeline_commit();
#pragma unroll
    for (int t = 0; t < T; t++) {
        const bool z_face = step <= planes.lower + t || step >= planes.upper + t;
        laplace_finish<P, FACES>(z_face ? UINT32_MAX : laplace_mask(tile.faces), t == T - 1, newest[t], five[t],
                                 arriving);
        shared.edges[set][t].row[warp][0][lane] = five[t][0];
        shared.edges[set][t].row[warp][1][lane] = five[t][R - 1];
    }
    if (step >= planes.stored) laplace_store<P>(a, tile, stage, shared.stages, arriving);
    __syncthreads();
#pragma unroll
    for (int t = 0; t < T; t++) {
        const strip<A> south = shared.edges[set][t].row[warp ? warp - 1 : 0][1][lane];
        const strip<A> north = shared.edges[set][t].row[warp < P::WARPS - 1 ? warp + 1 : warp][0][lane];
#pragma unroll
        for (int r = 0; r < R; r++)
            newest[t][r] = laplace_five<A>(five[t][r], r ? five[t][r - 1] : south, r < R - 1 ? five[t][r + 1] : north,
                                           newest[t][r]);
    }
}

/* Performs the steps from `step`, which is even, up to `end`; without faces, a multiple of P::STEPS steps. */
template <class P, bool FACES, class A = typename P::element>
static __device__ __forceinline__ void
laplace_steps(const laplace_params &a, const laplace_planes &planes, laplace_tile<P> &tile, int step, int end,
              strip<A> (&newest)[P::T][P::ROWS], strip<A> (&five)[P::T][P::ROWS]) {
    constexpr int STEPS = FACES ? 2 : P::STEPS;
    for (; step < end; step += STEPS)
#pragma unroll
        for (int s = 0; s < STEPS; s += 2) {
            laplace_step<P, FACES>(a, planes, tile, step + s, 0, newest, five);
            if (FACES && step + 1 == planes.count) return;
            laplace_step<P, FACES>(a, planes, tile, step + s + 1, 1, five, newest);
        }
}

template <class P, int BLOCKS>
static __global__ void __launch_bounds__(P::THREADS, BLOCKS)
    laplace_kernel(const __grid_constant__ laplace_params a) {
    typedef typename P::element A;
    constexpr int T = P::T;
    const int64_t nz = (int64_t)a.nz, first = (int64_t)blockIdx.z * a.planes, end = min(first + a.planes, nz);
    const int64_t start = max((int64_t)0, first - T);
    const laplace_planes planes = {(int)(end + T - start), (int)min(nz - start, end + T - start),
                                   (int)(first + T - start), start ? -T : 1,
                                   (int)min(nz - start, end + T - start + 1)};
    laplace_tile<P> tile(a, start, first);
    laplace_memory<P> &shared = *(laplace_memory<P> *)laplace_shared();
    strip<A> newest[T][P::ROWS], five[T][P::ROWS];
#pragma unroll
    for (int r = 0; r < P::ROWS; r++)
#pragma unroll
        for (int t = 0; t < T; t++)
            for (int e = 0; e < P::V; e++) newest[t][r].at[e] = five[t][r].at[e] = 0;
    for (int step = 0; step < LAPLACE_STAGES - 1; step++) {
        if (step < planes.loaded) laplace_fetch<P>(a, tile, step, shared.stages);
        __pipeline_commit();
    }
    /* Steps without points on faces need no checks. */
    const int from = tile.has_faces ? planes.count : min(planes.count, (planes.lower + T + 1) & ~1);
    const int to = from + (max(from, min(planes.count, planes.upper)) - from) / P::STEPS * P::STEPS;
    laplace_steps<P, true>(a, planes, tile, 0, from, newest, five);
    laplace_steps<P, false>(a, planes, tile, from, to, newest, five);
    laplace_steps<P, true>(a, planes, tile, to, planes.count, newest, five);
}

#endif
