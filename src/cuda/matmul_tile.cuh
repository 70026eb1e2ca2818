/* A product by tiles of C, a block of threads for each.
 *
 * A block goes along k in slabs of SLAB terms: while it works on one slab in shared memory it holds the next in
 * registers. In shared memory a slab has for each term its lanes side by side (rows of A, columns of B), however the
 * matrices lie, so what follows is the same for all layouts and transposes. Who multiplies is `core`: it owns the
 * sums of the tile and takes the slab's terms in order, so that each sum is the chain of docs/ORDER.md 7.1. */
#ifndef WEFT_CUDA_MATMUL_TILE_CUH
#define WEFT_CUDA_MATMUL_TILE_CUH

#include "cuda/matmul_end.cuh"

#include <cuda_pipeline.h>

/* Elements between terms in shared memory: four more than lanes, so that neither the stores of a slab whose terms
 * lie side by side nor the loads of the cores meet in a bank. */
template <int LANES> struct slab_ld { static constexpr int value = LANES + 4; };

/* Brings one factor's slabs, LANES lanes of SLAB terms each, one after the other, from E in memory to R in shared
 * memory: through registers (`fetch`, later `store`), or where the types are one straight (`copy`, asynchronous).
 *
 * A thread has CHUNKS vectors of a slab, or ELEMENTS elements. Where lanes lie side by side, threads go along them.
 * Where terms do, neighbouring threads have 32 bytes of a lane, and a warp several lanes: whole sectors of memory,
 * and different banks of shared memory. */
template <class E, class R, int LANES, int SLAB, int THREADS> struct slab_loader {
    static constexpr int V = 16 / sizeof(E), LD = slab_ld<LANES>::value;
    static constexpr int ELEMENTS = LANES * SLAB / THREADS, CHUNKS = ELEMENTS / V;
    static constexpr int SECTOR = 32 / sizeof(E);
    static_assert(LANES * SLAB % (V * THREADS) == 0 && SLAB % SECTOR == 0, "a slab is whole vectors for each thread");
    vector16<E> held[CHUNKS];
    const E *from; /* lane 0 and term 0 */
    const E *mine; /* what is this thread's first in the next slab */
    uint64_t ld, terms;
    uint32_t lanes;            /* that there are, at most LANES */
    bool across, vectors, all; /* all: all lanes are there */

    __device__ slab_loader(const matmul_factor &f, uint64_t item, uint64_t first_lane, uint64_t count,
                           uint64_t first_term, uint64_t all_terms, bool straight)
        : ld(f.ld), terms(all_terms), across(f.across), vectors(f.vectors) {
        const uint64_t lane_step = f.across ? 1 : f.ld, term_step = f.across ? f.ld : 1;
        from = (const E *)f.p + item * f.stride + first_lane * lane_step + first_term * term_step;
        lanes = count - first_lane < LANES ? (uint32_t)(count - first_lane) : LANES;
        all = lanes == LANES;
        mine = across     ? at(row_term(0), row_lane())
               : straight ? at(term_of(0), lane_of(0))
                          : at(pair_term(0), pair_lane(0));
    }

    __device__ __forceinline__ const E *at(uint64_t term, int lane) const {
        return from + (across ? term * ld + lane : lane * ld + term);
    }

    /* Vector c, lanes side by side: these lanes of this term. */
    static constexpr int ROW_STEP = THREADS / (LANES / V);
    __device__ __forceinline__ static int row_lane() { return threadIdx.x % (LANES / V) * V; }
    __device__ __forceinline__ static int row_term(int c) { return threadIdx.x / (LANES / V) + c * ROW_STEP; }
    /* Vector c, terms side by side: these terms of this lane. */
    __device__ __forceinline__ static int pair_lane(int c) { return threadIdx.x / 2 % LANES + pair_lanes(c); }
    __device__ __forceinline__ static int pair_term(int c) {
        return (threadIdx.x / (2 * LANES) * 2 + threadIdx.x % 2) * V + pair_terms(c);
    }
    __device__ __forceinline__ static constexpr int pair_lanes(int c) { return c * THREADS / 2 % LANES; }
    __device__ __forceinline__ static constexpr int pair_terms(int c) { return c * THREADS / (2 * LANES) * 2 * V; }
    /* Element c, terms side by side: this term of this lane. */
    __device__ __forceinline__ static int lane_of(int c) { return threadIdx.x / SECTOR % LANES + lanes_of(c); }
    __device__ __forceinline__ static int term_of(int c) {
        return threadIdx.x / (SECTOR * LANES) * SECTOR + threadIdx.x % SECTOR + terms_of(c);
    }
    __device__ __forceinline__ static constexpr int lanes_of(int c) { return c * THREADS / SECTOR % LANES; }
    __device__ __forceinline__ static constexpr int terms_of(int c) {
        return c * THREADS / (SECTOR * LANES) * SECTOR;
    }

    /* ------------------------------------------------------------------ through registers */

    __device__ __forceinline__ void fetch(uint64_t first) {
        if (!(vectors && all && first + SLAB <= terms)) {
            fetch_some(first);
        } else if (across) {
#pragma unroll
            for (int c = 0; c < CHUNKS; c++) held[c] = *(const vector16<E> *)(mine + c * ROW_STEP * ld);
        } else {
#pragma unroll
            for (int c = 0; c < CHUNKS; c++)
                held[c] = *(const vector16<E> *)(mine + pair_lanes(c) * ld + pair_terms(c));
        }
        mine += across ? SLAB * ld : SLAB;
    }

    /* A slab that is not all there, or not aligned. What is not there becomes 0; no term beyond the last is used. */
    __device__ __forceinline__ void fetch_some(uint64_t first) {
#pragma unroll
        for (int c = 0; c < CHUNKS; c++) {
            const int lane = across ? row_lane() : pair_lane(c), term = across ? row_term(c) : pair_term(c);
            const bool inside = lane < (int)lanes && first + term < terms;
            const uint64_t count = !inside ? 0 : across ? lanes - lane : terms - (first + term);
            const E *p = at(first + term, lane);
#pragma unroll
            for (int e = 0; e < V; e++) held[c].at[e] = e < count ? p[e] : (E)0;
        }
    }

    __device__ __forceinline__ void store(R *slab) const {
        constexpr int W = 16 / sizeof(R);
        if (across) {
            R *to = slab + row_term(0) * LD + row_lane();
#pragma unroll
            for (int c = 0; c < CHUNKS; c++)
#pragma unroll
                for (int e = 0; e < V; e += W) {
                    vector16<R> v;
#pragma unroll
                    for (int i = 0; i < W; i++) v.at[i] = (R)held[c].at[e + i];
                    *(vector16<R> *)(to + c * ROW_STEP * LD + e) = v;
                }
        } else {
            R *to = slab + pair_term(0) * LD + pair_lane(0);
#pragma unroll
            for (int c = 0; c < CHUNKS; c++)
#pragma unroll
                for (int e = 0; e < V; e++) to[(pair_terms(c) + e) * LD + pair_lanes(c)] = (R)held[c].at[e];
        }
    }

    /* ------------------------------------------------------------------------------ straight */

    __device__ __forceinline__ void copy(uint64_t first, R *slab) {
        const bool whole = all && first + SLAB <= terms;
        if (whole && !across) {
            R *to = slab + term_of(0) * LD + lane_of(0);
#pragma unroll
            for (int c = 0; c < ELEMENTS; c++)
                __pipeline_memcpy_async(to + terms_of(c) * LD + lanes_of(c), mine + lanes_of(c) * ld + terms_of(c),
                                        sizeof(E));
        } else if (whole && vectors) {
            R *to = slab + row_term(0) * LD + row_lane();
#pragma unroll
            for (int c = 0; c < CHUNKS; c++)
                __pipeline_memcpy_async(to + c * ROW_STEP * LD, mine + c * ROW_STEP * ld, 16);
        } else {
            copy_some(first, slab);
        }
        mine += across ? SLAB * ld : SLAB;
    }

    __device__ __forceinline__ void copy_some(uint64_t first, R *slab) const {
#pragma unroll 1
        for (int c = 0; c < ELEMENTS; c++) {
            const int i = threadIdx.x + c * THREADS;
            const int lane = across ? i % LANES : lane_of(c), term = across ? i / LANES : term_of(c);
            if (lane < (int)lanes && first + term < terms)
                __pipeline_memcpy_async(slab + term * LD + lane, at(first + term, lane), sizeof(E));
        }
    }
};

/* Sums of neighbouring columns go to C, or to their part's place. */
template <class E, class R, int COUNT>
__device__ __forceinline__ void matmul_store(const matmul_job &j, uint64_t item, uint32_t part, uint64_t row,
                                             uint64_t column, const R *sums) {
    if (row >= j.m || column >= j.n) return;
    const int count = j.n - column < COUNT ? (int)(j.n - column) : COUNT;
    if (j.parts > 1) {
        R *to = (R *)j.sums + ((item * j.parts + part) * j.m + row) * j.n + column;
        for (int i = 0; i < COUNT; i++)
            if (i < count) to[i] = sums[i];
        return;
    }
    E *to = (E *)j.c + item * j.stride_c + row * j.ldc + column;
    if (j.vectors_c && count == COUNT) {
        struct __align__(COUNT * sizeof(E)) group {
            E at[COUNT];
        }
        v;
        if (j.beta != 0) v = *(const group *)to;
#pragma unroll
        for (int i = 0; i < COUNT; i++) v.at[i] = matmul_end<E, R>(j, sums[i], &v.at[i]);
        *(group *)to = v;
        return;
    }
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        if (i < count) to[i] = matmul_end<E, R>(j, sums[i], to + i);
}

/* Tiles are numbered so that blocks at work together share what they read: down some rows of tiles, then to the
 * next column of tiles. */
#define MATMUL_GROUP 8

static __device__ __forceinline__ void matmul_place(const matmul_job &j, uint64_t number, uint64_t *row,
                                                    uint64_t *column) {
    const uint64_t group_tiles = MATMUL_GROUP * j.column_tiles, first = number / group_tiles * MATMUL_GROUP;
    const uint64_t rows = j.row_tiles - first < MATMUL_GROUP ? j.row_tiles - first : MATMUL_GROUP;
    const uint64_t inside = number % group_tiles;
    *row = first + inside % rows;
    *column = inside / rows;
}

/* The slabs one after the other: the next is in registers while one is worked on. */
template <class CORE, class LOADER_A, class LOADER_B>
__device__ __forceinline__ void matmul_go_by_registers(CORE &core, LOADER_A &a, LOADER_B &b, uint64_t terms,
                                                       typename CORE::real *slabs) {
    constexpr int SLAB = CORE::SLAB, A_SLAB = SLAB * LOADER_A::LD, BOTH = A_SLAB + SLAB * LOADER_B::LD;
    a.fetch(0);
    b.fetch(0);
    a.store(slabs);
    b.store(slabs + A_SLAB);
    __syncthreads();
    uint32_t now = 0;
    for (uint64_t t = 0; t < terms; t += SLAB) {
        const bool more = t + SLAB < terms;
        typename CORE::real *const slab = slabs + now * BOTH, *const next = slabs + (1 - now) * BOTH;
        if (more) {
            a.fetch(t + SLAB);
            b.fetch(t + SLAB);
        }
        if (terms - t >= SLAB)
            core.whole(slab, slab + A_SLAB);
        else
            core.some(slab, slab + A_SLAB, (int)(terms - t));
        if (more) {
            a.store(next);
            b.store(next + A_SLAB);
            __syncthreads();
            now = 1 - now;
        }
    }
}

/* Or STAGES - 1 slabs are on their way. */
template <class CORE, class LOADER_A, class LOADER_B>
__device__ __forceinline__ void matmul_go_by_copies(CORE &core, LOADER_A &a, LOADER_B &b, uint64_t terms,
                                                    typename CORE::real *slabs) {
    constexpr int SLAB = CORE::SLAB, STAGES = CORE::STAGES;
    constexpr int A_SLAB = SLAB * LOADER_A::LD, BOTH = A_SLAB + SLAB * LOADER_B::LD;
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        if (s * SLAB < terms) {
            a.copy(s * SLAB, slabs + s * BOTH);
            b.copy(s * SLAB, slabs + s * BOTH + A_SLAB);
        }
        __pipeline_commit();
    }
    uint32_t now = 0, next = STAGES - 1;
    for (uint64_t t = 0; t < terms; t += SLAB) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        const uint64_t ahead = t + (STAGES - 1) * SLAB;
        if (ahead < terms) {
            a.copy(ahead, slabs + next * BOTH);
            b.copy(ahead, slabs + next * BOTH + A_SLAB);
        }
        __pipeline_commit();
        const typename CORE::real *slab = slabs + now * BOTH;
        if (terms - t >= SLAB)
            core.whole(slab, slab + A_SLAB);
        else
            core.some(slab, slab + A_SLAB, (int)(terms - t));
        now = now + 1 == STAGES ? 0 : now + 1;
        next = next + 1 == STAGES ? 0 : next + 1;
    }
}

template <class A, class B> struct same_type { static constexpr bool value = false; };
template <class A> struct same_type<A, A> { static constexpr bool value = true; };

template <class E, class CORE>
__global__ void __launch_bounds__(CORE::THREADS, CORE::BLOCKS) matmul_kernel(const matmul_job j) {
    typedef typename CORE::real R;
    constexpr bool STRAIGHT = same_type<E, R>::value && CORE::STAGES > 2;
    extern __shared__ __align__(16) unsigned char shared[];
    const uint64_t tiles = j.row_tiles * j.column_tiles;
    const uint64_t number = blockIdx.x % tiles, rest = blockIdx.x / tiles, item = rest / j.parts;
    const uint32_t part = (uint32_t)(rest % j.parts);
    uint64_t row, column;
    matmul_place(j, number, &row, &column);
    row *= CORE::ROWS, column *= CORE::COLUMNS;
    const uint64_t first = part * j.part, terms = j.k - first < j.part ? j.k - first : j.part;
    slab_loader<E, R, CORE::ROWS, CORE::SLAB, CORE::THREADS> a(j.a, item, row, j.m, first, terms, STRAIGHT);
    slab_loader<E, R, CORE::COLUMNS, CORE::SLAB, CORE::THREADS> b(j.b, item, column, j.n, first, terms, STRAIGHT);
    CORE core;
    if constexpr (STRAIGHT)
        matmul_go_by_copies(core, a, b, terms, (R *)shared);
    else
        matmul_go_by_registers(core, a, b, terms, (R *)shared);
    core.template store<E>(j, item, part, row, column);
}

template <class CORE> constexpr size_t matmul_shared_bytes() {
    return CORE::STAGES * CORE::SLAB * (slab_ld<CORE::ROWS>::value + slab_ld<CORE::COLUMNS>::value) *
           sizeof(typename CORE::real);
}

#endif
