/* A product by tiles of C, a block of threads for each.
 *
 * A block goes along k in slabs of SLAB terms: while it works on one slab in shared memory it holds the next in
 * registers. In shared memory a slab has for each term its lanes side by side (rows of A, columns of B), however the
 * matrices lie, so what follows is the same for all layouts and transposes. Who multiplies is `core`: it owns the
 * sums of the tile and takes the slab's terms in order, so that each sum is the chain of docs/ORDER.md 7.1. */
#ifndef WEFT_CUDA_MATMUL_TILE_CUH
#define WEFT_CUDA_MATMUL_TILE_CUH

#include "cuda/matmul_end.cuh"

#include <string.h>

/* Elements between terms in shared memory: four more than lanes, so that neither the stores of a slab whose terms
 * lie side by side nor the loads of the cores meet in a bank. */
template <int LANES> struct slab_ld { static constexpr int value = LANES + 4; };

template <class T> struct __align__(16) vector16 { T at[16 / sizeof(T)]; };

/* Brings one factor's slabs: LANES lanes of SLAB terms each, elements E in memory and R in shared memory. */
template <class E, class R, int LANES, int SLAB, int THREADS> struct slab_loader {
    static constexpr int V = 16 / sizeof(E);
    static constexpr int CHUNKS = LANES * SLAB / (V * THREADS);
    static_assert(LANES * SLAB % (V * THREADS) == 0 && SLAB % (2 * V) == 0,
                  "a slab is whole vectors for each thread");
    vector16<E> held[CHUNKS];
    const E *from; /* lane 0 and term 0 */
    uint64_t ld, terms;
    uint32_t lanes; /* that there are, at most LANES */
    bool across, vectors;

    __device__ slab_loader(const matmul_factor &f, uint64_t item, uint64_t first_lane, uint64_t count,
                           uint64_t first_term, uint64_t all_terms)
        : ld(f.ld), terms(all_terms), across(f.across), vectors(f.vectors) {
        const uint64_t lane_step = f.across ? 1 : f.ld, term_step = f.across ? f.ld : 1;
        from = (const E *)f.p + item * f.stride + first_lane * lane_step + first_term * term_step;
        lanes = count - first_lane < LANES ? (uint32_t)(count - first_lane) : LANES;
    }

    /* Where vector `c` of this thread lies in a slab. Where terms lie side by side, two neighbouring threads have 32
     * bytes of one lane, and a warp 16 lanes: whole sectors of memory, and different banks. */
    __device__ void place(int c, int *lane, int *term) const {
        const int i = threadIdx.x + c * THREADS;
        *lane = across ? i % (LANES / V) * V : i / 2 % LANES;
        *term = across ? i / (LANES / V) : (i / (2 * LANES) * 2 + i % 2) * V;
    }

    __device__ void fetch(uint64_t first) {
#pragma unroll
        for (int c = 0; c < CHUNKS; c++) {
            int lane, term;
            place(c, &lane, &term);
            const uint64_t at = first + term;
            const E *p = from + (across ? at * ld + lane : lane * ld + at);
            const uint64_t room = across ? (at < terms && lane < (int)lanes ? lanes - lane : 0)
                                         : (lane < (int)lanes && at < terms ? terms - at : 0);
            if (vectors && room >= V) {
                held[c] = *(const vector16<E> *)p;
            } else {
#pragma unroll
                for (int e = 0; e < V; e++) held[c].at[e] = e < room ? p[e] : (E)0;
            }
        }
    }

    __device__ void store(R *slab) const {
        constexpr int LD = slab_ld<LANES>::value, W = 16 / sizeof(R);
#pragma unroll
        for (int c = 0; c < CHUNKS; c++) {
            int lane, term;
            place(c, &lane, &term);
            R *to = slab + term * LD + lane;
            if (across) {
#pragma unroll
                for (int e = 0; e < V; e += W) {
                    vector16<R> v;
#pragma unroll
                    for (int i = 0; i < W; i++) v.at[i] = (R)held[c].at[e + i];
                    *(vector16<R> *)(to + e) = v;
                }
            } else {
#pragma unroll
                for (int e = 0; e < V; e++) to[e * LD] = (R)held[c].at[e];
            }
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

template <class E, class CORE>
__global__ void __launch_bounds__(CORE::THREADS, CORE::BLOCKS) matmul_kernel(const matmul_job j) {
    typedef typename CORE::real R;
    constexpr int ROWS = CORE::ROWS, COLUMNS = CORE::COLUMNS, SLAB = CORE::SLAB, THREADS = CORE::THREADS;
    constexpr int A_SLAB = SLAB * slab_ld<ROWS>::value, B_SLAB = SLAB * slab_ld<COLUMNS>::value;
    extern __shared__ __align__(16) unsigned char shared[];
    R *slabs = (R *)shared;
    const uint64_t tiles = j.row_tiles * j.column_tiles;
    const uint64_t number = blockIdx.x % tiles, rest = blockIdx.x / tiles, item = rest / j.parts;
    const uint32_t part = (uint32_t)(rest % j.parts);
    uint64_t row, column;
    matmul_place(j, number, &row, &column);
    row *= ROWS, column *= COLUMNS;
    const uint64_t first = part * j.part, terms = j.k - first < j.part ? j.k - first : j.part;
    slab_loader<E, R, ROWS, SLAB, THREADS> a(j.a, item, row, j.m, first, terms);
    slab_loader<E, R, COLUMNS, SLAB, THREADS> b(j.b, item, column, j.n, first, terms);
    CORE core;
    a.fetch(0);
    b.fetch(0);
    a.store(slabs);
    b.store(slabs + A_SLAB);
    __syncthreads();
    uint32_t now = 0;
    for (uint64_t t = 0; t < terms; t += SLAB) {
        const bool more = t + SLAB < terms;
        R *const slab = slabs + now * (A_SLAB + B_SLAB), *const next = slabs + (1 - now) * (A_SLAB + B_SLAB);
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
    core.template store<E>(j, item, part, row, column);
}

template <class CORE> constexpr size_t matmul_shared_bytes() {
    return 2 * CORE::SLAB * (slab_ld<CORE::ROWS>::value + slab_ld<CORE::COLUMNS>::value) *
           sizeof(typename CORE::real);
}

#endif
