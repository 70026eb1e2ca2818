/* Matrix product by tiles of C: one thread block computes one tile.
 *
 * A block advances along k in slabs of SLAB terms (k-slices), staged in shared memory. While it multiplies one slab,
 * it loads following ones to registers, or to further stages of shared memory by asynchronous copies. A lane is a row
 * of op(A) or a column of op(B). Cores address a slab through its slab_layout, so their code does not depend on the
 * matrices' layouts and transposes. A slab normally stores the lanes of a term next to each other. The template
 * parameter CORE (matmul_mma.cuh) multiplies: it holds the sums of the tile and takes the slab's terms in order, so
 * that each sum is the chain of ORDER.md 13.1. */
#ifndef WEFT_CUDA_MATMUL_TILE_CUH
#define WEFT_CUDA_MATMUL_TILE_CUH

#include "cuda/matmul/matmul_epilogue.cuh"

#include <cuda_pipeline.h>

/* Layout of a slab in shared memory: element (lane, term) is at offset lane * LANE + term * TERM. By default the
 * lanes of a term are adjacent. NATURAL: the terms of a lane are adjacent, as in the matrix. Each term (NATURAL: each
 * lane) is padded by four elements, so that neither storing a slab nor the vector loads of the cores cause bank
 * conflicts. */
template <int LANES, int SLAB, bool NATURAL> struct slab_layout {
    static constexpr int LANE = NATURAL ? SLAB + 4 : 1, TERM = NATURAL ? 1 : LANES + 4;
    static constexpr int SIZE = NATURAL ? LANES * LANE : SLAB * TERM;
};

template <bool FIRST, class A, class B> struct choice { typedef A type; };
template <class A, class B> struct choice<false, A, B> { typedef B type; };

/* Assignment of a slab's pieces (16-byte vectors or single elements) to threads. A thread copies pieces
 * threadIdx.x + c * THREADS, c = 0 .. COUNT - 1. fast(i) is the index of piece i in its row, row(i) the row.
 * fast_step(c) and row_step(c) are the constant differences from a thread's first piece to piece c. A row has FAST
 * pieces, in sectors of SECTOR pieces. Consecutive pieces fill a sector of a row, then the sector of the next row. */
template <int THREADS, int ROWS, int FAST, int SECTOR> struct slab_pieces {
    static_assert(THREADS % SECTOR == 0 && (ROWS * SECTOR % THREADS == 0 || THREADS % (ROWS * SECTOR) == 0), "steps");
    static constexpr int COUNT = ROWS * FAST / THREADS;
    static_assert(ROWS * FAST % THREADS == 0, "as many for each thread");
    static __device__ __forceinline__ int fast(int i) { return i % SECTOR + i / (SECTOR * ROWS) * SECTOR; }
    static __device__ __forceinline__ int row(int i) { return i / SECTOR % ROWS; }
    static __device__ __forceinline__ int fast_step(int c) { return c * THREADS / (SECTOR * ROWS) * SECTOR; }
    static __device__ __forceinline__ int row_step(int c) { return c * THREADS / SECTOR % ROWS; }
};

/* Loads the successive slabs of one factor, LANES lanes of SLAB terms each, from elements of type E in global memory
 * to type R in shared memory. Loads go through registers (`fetch`, then `store`), or, if E is R, directly and
 * asynchronously (`copy`). ACROSS: the lanes of a term are adjacent in global memory; otherwise the terms of a lane.
 */
template <class E, class R, int LANES_, int SLAB, int THREADS, bool ACROSS, bool NATURAL> struct slab_loader {
    static constexpr int LANES = LANES_, V = 16 / sizeof(E);
    typedef slab_layout<LANES, SLAB, NATURAL && !ACROSS> layout;
    static constexpr bool TURNED = !NATURAL && !ACROSS; /* the slab is transposed compared with global memory */
    static constexpr int ROWS = ACROSS ? SLAB : LANES, WIDTH = ACROSS ? LANES : SLAB;
    typedef slab_pieces<THREADS, ROWS, WIDTH / V, WIDTH / V> vectors;
    /* If TURNED, adjacent threads copy 32 bytes of a row and a warp copies several rows. Global memory is then read
     * in whole sectors, and the threads of a warp store to different banks. */
    typedef slab_pieces<THREADS, ROWS, WIDTH, TURNED ? 32 / (int)sizeof(E) : WIDTH> elements;
    vector16<E> held[vectors::COUNT];
    const E *from; /* global address of this thread's first piece of the next slab */
    uint64_t ld;
    int lane, term;  /* position of that piece in the slab */
    int lanes;       /* number of valid lanes in the slab, at most LANES */
    bool by_vectors; /* pieces are 16-byte vectors; otherwise single elements */

    __device__ slab_loader(const matmul_factor &f, uint64_t item, uint64_t first_lane, uint64_t count,
                           uint64_t first_term, bool straight)
        : ld(f.ld) {
        lanes = count - first_lane < LANES ? (int)(count - first_lane) : LANES;
        by_vectors = !straight || (f.vectors && !TURNED && (!ACROSS || count % V == 0));
        const int i = threadIdx.x, row = by_vectors ? vectors::row(i) : elements::row(i);
        const int fast = by_vectors ? vectors::fast(i) * V : elements::fast(i);
        lane = ACROSS ? fast : row;
        term = ACROSS ? row : fast;
        from = (const E *)f.p + item * f.stride + (ACROSS ? first_lane : first_term) + fast +
               ((ACROSS ? first_term : first_lane) + row) * ld;
    }

    __device__ __forceinline__ void advance() { from += ACROSS ? SLAB * ld : SLAB; }

    /* ------------------------------------------------------------------ through registers */

    /* Loads the next slab, with `terms` valid terms, to registers. Entries outside the matrix are set to 0. No result
     * uses them. */
    __device__ __forceinline__ void fetch(const matmul_factor &f, int terms) {
        const bool plain = f.vectors && lanes == LANES && terms == SLAB;
#pragma unroll
        for (int c = 0; c < vectors::COUNT; c++) {
            const E *p = from + vectors::row_step(c) * ld + vectors::fast_step(c) * V;
            if (plain) {
                held[c] = *(const vector16<E> *)p;
            } else {
                const int l = lane + (ACROSS ? vectors::fast_step(c) * V : vectors::row_step(c));
                const int t = term + (ACROSS ? vectors::row_step(c) : vectors::fast_step(c) * V);
                const int count = l >= lanes || t >= terms ? 0 : ACROSS ? lanes - l : terms - t;
#pragma unroll
                for (int e = 0; e < V; e++) held[c].at[e] = e < count ? p[e] : (E)0;
            }
        }
        advance();
    }

    __device__ __forceinline__ void store(R *slab) const {
        constexpr int W = 16 / sizeof(R);
        R *to = slab + lane * layout::LANE + term * layout::TERM;
#pragma unroll
        for (int c = 0; c < vectors::COUNT; c++) {
            const int l = ACROSS ? vectors::fast_step(c) * V : vectors::row_step(c);
            const int t = ACROSS ? vectors::row_step(c) : vectors::fast_step(c) * V;
            R *at = to + l * layout::LANE + t * layout::TERM;
#pragma unroll
            for (int e = 0; e < V; e++) {
                if (TURNED) {
                    at[e * layout::TERM] = (R)held[c].at[e];
                } else if (e % W == 0) {
                    vector16<R> v;
#pragma unroll
                    for (int i = 0; i < W; i++) v.at[i] = (R)held[c].at[e + i];
                    *(vector16<R> *)(at + e) = v;
                }
            }
        }
    }

    /* ------------------------------------------------------ directly, by asynchronous copies */

    template <class PIECES, int SIZE> __device__ __forceinline__ void copy_pieces(int terms, R *slab) const {
        R *to = slab + lane * layout::LANE + term * layout::TERM;
#pragma unroll
        for (int c = 0; c < PIECES::COUNT; c++) {
            const int row = PIECES::row_step(c), fast = PIECES::fast_step(c) * SIZE;
            const int l = ACROSS ? fast : row, t = ACROSS ? row : fast;
            if (lane + l < lanes && (terms == SLAB || term + t < terms))
                __pipeline_memcpy_async(to + l * layout::LANE + t * layout::TERM, from + row * ld + fast,
                                        SIZE * sizeof(E));
        }
    }

    __device__ __forceinline__ void copy(R *slab) {
        if (by_vectors)
            copy_pieces<vectors, V>(SLAB, slab);
        else
            copy_pieces<elements, 1>(SLAB, slab);
        advance();
    }

    /* Returns true if all LANES lanes are valid and the pieces of a full slab can be copied by copy_step: as vectors
     * unless TURNED. */
    __device__ __forceinline__ bool is_whole() const { return lanes == LANES && (by_vectors || TURNED); }

    /* Does step `step` of the STEPS steps of `copy` for a slab for which is_whole() is true. Does not advance. */
    template <int STEPS> __device__ __forceinline__ void copy_step(int step, R *slab) const {
        typedef typename choice<TURNED, elements, vectors>::type pieces;
        constexpr int SIZE = TURNED ? 1 : V;
        R *to = slab + lane * layout::LANE + term * layout::TERM;
#pragma unroll
        for (int c = 0; c < pieces::COUNT; c++) {
            const int row = pieces::row_step(c), fast = pieces::fast_step(c) * SIZE;
            if (c % STEPS != step) continue;
            __pipeline_memcpy_async(to + (ACROSS ? fast : row) * layout::LANE + (ACROSS ? row : fast) * layout::TERM,
                                    from + row * ld + fast, SIZE * sizeof(E));
        }
    }

    /* Copies the last slab, which has terms < SLAB terms. Copies single elements where the terms of a vector are
     * adjacent, because the last vector can be incomplete. */
    __device__ __forceinline__ void copy_rest(int terms, R *slab) {
        if (by_vectors && !ACROSS) {
            for (int c = 0; c < vectors::COUNT; c++) {
                const int l = lane + vectors::row_step(c), t = term + vectors::fast_step(c) * V;
                for (int e = 0; e < V; e++)
                    if (l < lanes && t + e < terms)
                        slab[l * layout::LANE + (t + e) * layout::TERM] =
                            from[vectors::row_step(c) * ld + vectors::fast_step(c) * V + e];
            }
        } else if (by_vectors) {
            copy_pieces<vectors, V>(terms, slab);
        } else {
            copy_pieces<elements, 1>(terms, slab);
        }
    }
};

/* Stores the sums of COUNT adjacent columns of a row to C, or to the sums of their part if j.sums is not NULL. */
template <class E, class R, int COUNT>
__device__ __forceinline__ void matmul_store(const matmul_params &j, uint64_t item, uint32_t part, uint64_t row,
                                             uint64_t column, const R *sums) {
    if (row >= j.m || column >= j.n) return;
    const int count = j.n - column < COUNT ? (int)(j.n - column) : COUNT;
    if (j.sums) {
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

/* Loads the sums of COUNT adjacent columns of a row from j.sums. There must be one part and one product. */
template <class R, int COUNT>
__device__ __forceinline__ void matmul_resume(const matmul_params &j, uint64_t row, uint64_t column, R *sums) {
    const R *from = (const R *)j.sums + row * j.n + column;
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        if (row < j.m && column + i < j.n) sums[i] = from[i];
}

/* Maps a tile's number to its row and column. Within a group of MATMUL_GROUP rows of tiles, numbers go down a column
 * of tiles, then to the next column. Blocks that run at the same time then read common rows and columns. */
#define MATMUL_GROUP 8

static __device__ __forceinline__ void matmul_place(const matmul_params &j, uint64_t number, uint64_t *row,
                                                    uint64_t *column) {
    const uint64_t group_tiles = MATMUL_GROUP * j.column_tiles, first = number / group_tiles * MATMUL_GROUP;
    const uint64_t rows = j.row_tiles - first < MATMUL_GROUP ? j.row_tiles - first : MATMUL_GROUP;
    const uint64_t inside = number % group_tiles;
    *row = first + inside % rows;
    *column = inside / rows;
}

/* Main loop through registers, double-buffered: while one slab is multiplied, the next one is loaded to registers. */
template <class CORE, class LOADER_A, class LOADER_B>
__device__ __forceinline__ void matmul_go_by_registers(CORE &core, const matmul_params &j, LOADER_A &a, LOADER_B &b,
                                                       uint64_t terms, typename CORE::real *slabs) {
    typedef typename LOADER_A::layout layout_a;
    typedef typename LOADER_B::layout layout_b;
    constexpr int SLAB = CORE::SLAB, BOTH = layout_a::SIZE + layout_b::SIZE;
    const uint32_t count = (uint32_t)((terms + SLAB - 1) / SLAB),
                   last = (uint32_t)(terms - (uint64_t)(count - 1) * SLAB);
    uint32_t now = 0;
    for (uint32_t s = 0; s <= count; s++) {
        const int some = s + 1 >= count ? last : SLAB;
        typename CORE::real *const slab = slabs + (1 - now) * BOTH, *const next = slabs + now * BOTH;
        if (s < count) {
            a.fetch(j.a, some);
            b.fetch(j.b, some);
        }
        if (s > 0 && (s < count || last == SLAB))
            core.template whole<layout_a, layout_b>(slab, slab + layout_a::SIZE);
        else if (s > 0)
            core.template some<layout_a, layout_b>(slab, slab + layout_a::SIZE, last);
        if (s < count) {
            a.store(next);
            b.store(next + layout_a::SIZE);
            __syncthreads();
            now = 1 - now;
        }
    }
}

/* Copies and multiplies the last slab, of last < SLAB terms. */
template <class CORE, class LOADER_A, class LOADER_B>
__device__ __forceinline__ void matmul_end_by_copies(CORE &core, LOADER_A &a, LOADER_B &b, uint32_t last,
                                                     typename CORE::real *slabs) {
    typedef typename LOADER_A::layout layout_a;
    typedef typename LOADER_B::layout layout_b;
    if (last == 0) return;
    __syncthreads();
    a.copy_rest(last, slabs);
    b.copy_rest(last, slabs + layout_a::SIZE);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    core.template some<layout_a, layout_b>(slabs, slabs + layout_a::SIZE, last);
}

/* Main loop with asynchronous copies: up to STAGES - 1 slabs are in flight. The last terms % SLAB terms come at the
 * end. */
template <class CORE, class LOADER_A, class LOADER_B>
__device__ __forceinline__ void matmul_go_by_copies(CORE &core, LOADER_A &a, LOADER_B &b, uint64_t terms,
                                                    typename CORE::real *slabs) {
    typedef typename LOADER_A::layout layout_a;
    typedef typename LOADER_B::layout layout_b;
    constexpr int SLAB = CORE::SLAB, STAGES = CORE::STAGES, BOTH = layout_a::SIZE + layout_b::SIZE;
    const uint32_t count = (uint32_t)(terms / SLAB), last = (uint32_t)(terms % SLAB);
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < count) {
            a.copy(slabs + s * BOTH);
            b.copy(slabs + s * BOTH + layout_a::SIZE);
        }
        __pipeline_commit();
    }
    int now = 0, next = (STAGES - 1) * BOTH;
#pragma unroll 1
    for (uint32_t s = 0; s < count; s++) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        if (s + STAGES - 1 < count) {
            a.copy(slabs + next);
            b.copy(slabs + next + layout_a::SIZE);
        }
        __pipeline_commit();
        core.template whole<layout_a, layout_b>(slabs + now, slabs + now + layout_a::SIZE);
        now = now == (STAGES - 1) * BOTH ? 0 : now + BOTH;
        next = next == (STAGES - 1) * BOTH ? 0 : next + BOTH;
    }
    matmul_end_by_copies(core, a, b, last, slabs);
}

/* Main loop with asynchronous copies, software-pipelined: the core loads a term from shared memory while it
 * multiplies the one before. a.is_whole() and b.is_whole() must be true. The last step of a slab loads the first term
 * of the next slab, whose copy must be complete before. Each other step copies a fraction of the slab that is STAGES
 * - 1 slabs later. */
template <class CORE, class LOADER_A, class LOADER_B>
__device__ __forceinline__ void matmul_go_ahead(CORE &core, LOADER_A &a, LOADER_B &b, uint64_t terms,
                                                typename CORE::real *slabs) {
    typedef typename LOADER_A::layout layout_a;
    typedef typename LOADER_B::layout layout_b;
    constexpr int SLAB = CORE::SLAB, STAGES = CORE::STAGES, BOTH = layout_a::SIZE + layout_b::SIZE;
    static_assert(SLAB % 2 == 0, "the first term of each slab is loaded to the same place");
    const uint32_t count = (uint32_t)(terms / SLAB), last = (uint32_t)(terms % SLAB);
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < count) {
            a.copy(slabs + s * BOTH);
            b.copy(slabs + s * BOTH + layout_a::SIZE);
        }
        __pipeline_commit();
    }
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
    if (STAGES - 1 < count) core.load(0, slabs, slabs + layout_a::SIZE);
    int now = 0, then = BOTH, later = (STAGES - 1) * BOTH;
    uint32_t s = 0;
#pragma unroll 1
    for (; s + STAGES - 1 < count; s++) {
#pragma unroll
        for (int t = 0; t < SLAB - 1; t++) {
            core.load((t + 1) % 2, slabs + now + (t + 1) * layout_a::TERM,
                      slabs + now + layout_a::SIZE + (t + 1) * layout_b::TERM);
            a.template copy_step<SLAB - 1>(t, slabs + later);
            b.template copy_step<SLAB - 1>(t, slabs + later + layout_a::SIZE);
            core.multiply(t % 2);
        }
        __pipeline_commit();
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        core.load(0, slabs + then, slabs + then + layout_a::SIZE);
        core.multiply((SLAB - 1) % 2);
        a.advance();
        b.advance();
        later = now;
        now = then;
        then = then == (STAGES - 1) * BOTH ? 0 : then + BOTH;
    }
    /* The copies of all remaining full slabs have been started. */
#pragma unroll 1
    for (; s < count; s++) {
        core.template whole<layout_a, layout_b>(slabs + now, slabs + now + layout_a::SIZE);
        __pipeline_commit();
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        now = now == (STAGES - 1) * BOTH ? 0 : now + BOTH;
    }
    matmul_end_by_copies(core, a, b, last, slabs);
}

template <class A, class B> struct same_type { static constexpr bool value = false; };
template <class A> struct same_type<A, A> { static constexpr bool value = true; };

/* Returns the block's dynamic shared memory. */
static __device__ uint4 *matmul_shared();

/* Computes one tile of one part of one product. ACROSS_A, ACROSS_B: see matmul_factor.across. RESUMED: see
 * matmul_params.resumed. */
template <class E, class CORE, bool ACROSS_A, bool ACROSS_B, bool RESUMED>
__global__ void __launch_bounds__(CORE::THREADS, CORE::BLOCKS) matmul_kernel(const matmul_params j) {
    typedef typename CORE::real R;
    constexpr bool STRAIGHT = same_type<E, R>::value;
    R *const shared = (R *)matmul_shared();
    const uint64_t tiles = j.row_tiles * j.column_tiles;
    const uint64_t number = blockIdx.x % tiles, rest = blockIdx.x / tiles, item = rest / j.parts;
    const uint32_t part = (uint32_t)(rest % j.parts);
    uint64_t row, column;
    matmul_place(j, number, &row, &column);
    row *= CORE::ROWS, column *= CORE::COLUMNS;
    const uint64_t first = part * j.part, terms = j.k - first < j.part ? j.k - first : j.part;
    slab_loader<E, R, CORE::ROWS, CORE::SLAB, CORE::THREADS, ACROSS_A, CORE::NATURAL> a(j.a, item, row, j.m, first,
                                                                                        STRAIGHT);
    slab_loader<E, R, CORE::COLUMNS, CORE::SLAB, CORE::THREADS, ACROSS_B, CORE::NATURAL> b(j.b, item, column, j.n,
                                                                                           first, STRAIGHT);
    CORE core;
    if constexpr (RESUMED) core.resume(j, row, column);
    bool whole = false;
    if constexpr (CORE::AHEAD) {
        whole = a.is_whole() && b.is_whole();
        if (whole) matmul_go_ahead(core, a, b, terms, shared);
    }
    if constexpr (STRAIGHT) {
        if (!whole) matmul_go_by_copies(core, a, b, terms, shared);
    } else
        matmul_go_by_registers(core, j, a, b, terms, shared);
    core.template store<E>(j, item, part, row, column);
}

template <class CORE> constexpr size_t matmul_shared_bytes(bool straight, bool across_a, bool across_b) {
    constexpr int SLAB = CORE::SLAB, ROWS = CORE::ROWS, COLUMNS = CORE::COLUMNS;
    const size_t a =
        CORE::NATURAL && !across_a ? slab_layout<ROWS, SLAB, true>::SIZE : slab_layout<ROWS, SLAB, false>::SIZE;
    const size_t b =
        CORE::NATURAL && !across_b ? slab_layout<COLUMNS, SLAB, true>::SIZE : slab_layout<COLUMNS, SLAB, false>::SIZE;
    return (straight ? CORE::STAGES : 2) * (a + b) * sizeof(typename CORE::real);
}

#endif
