/* Matrix product by tiles of C: one thread block computes one tile.
 *
 * A block advances along k in k-slices of K_SLICE terms, staged in shared memory. While it multiplies one
 * k-slice, it loads following ones to registers, or to further stages of shared memory by asynchronous copies. A line
 * is a row of op(A) or a column of op(B). The mma addresses a k-slice through its k_slice_layout, so its code does
 * not depend on the matrices' layouts and transposes. A k-slice normally stores the lines of a term next to each
 * other. The template parameter MMA (matmul_mma.cuh) multiplies. It holds the sums of the tile and takes the
 * k-slice's terms in order, so that each sum is the chain of ORDER.md 13.1. */
#ifndef WEFT_CUDA_MATMUL_TILE_CUH
#define WEFT_CUDA_MATMUL_TILE_CUH

#include "cuda/matmul/matmul_epilogue.cuh"

#include <cuda_pipeline.h>

/* Layout of a k-slice in shared memory: element (line, term) is at offset line * LINE + term * TERM. By default the
 * lines of a term are adjacent. If K_MAJOR, the terms of a line are adjacent, as in the matrix. Each term (if
 * K_MAJOR: each line) is padded by four elements, so that neither storing a k-slice nor the vector loads of the mma
 * cause bank conflicts. */
template <int LINES, int K_SLICE, bool K_MAJOR> struct k_slice_layout {
    static constexpr int LINE = K_MAJOR ? K_SLICE + 4 : 1, TERM = K_MAJOR ? 1 : LINES + 4;
    static constexpr int SIZE = K_MAJOR ? LINES * LINE : K_SLICE * TERM;
};

template <bool FIRST, class A, class B> struct conditional { typedef A type; };
template <class A, class B> struct conditional<false, A, B> { typedef B type; };

/* Assignment of a k-slice's chunks (16-byte vectors or single elements) to threads. A thread copies chunks
 * threadIdx.x + c * THREADS, c = 0 .. COUNT - 1. fast(i) is the index of chunk i in its row, row(i) the row.
 * fast_step(c) and row_step(c) are the constant differences from a thread's first chunk to its chunk c. A row has
 * FAST chunks, in sectors of SECTOR chunks. Consecutive chunks fill a sector of a row, then the sector of the next
 * row. */
template <int THREADS, int ROWS, int FAST, int SECTOR> struct k_slice_chunks {
    static_assert(THREADS % SECTOR == 0 && (ROWS * SECTOR % THREADS == 0 || THREADS % (ROWS * SECTOR) == 0), "steps");
    static constexpr int COUNT = ROWS * FAST / THREADS;
    static_assert(ROWS * FAST % THREADS == 0, "as many for each thread");
    static __device__ __forceinline__ int fast(int i) { return i % SECTOR + i / (SECTOR * ROWS) * SECTOR; }
    static __device__ __forceinline__ int row(int i) { return i / SECTOR % ROWS; }
    static __device__ __forceinline__ int fast_step(int c) { return c * THREADS / (SECTOR * ROWS) * SECTOR; }
    static __device__ __forceinline__ int row_step(int c) { return c * THREADS / SECTOR % ROWS; }
};

/* Loads the successive k-slices of one factor, LINES lines of K_SLICE terms each, from elements of type E in global
 * memory to type R in shared memory. Loads go through registers (`fetch`, then `store`), or, if E is R, directly and
 * asynchronously (`copy`). ACROSS: the lines of a term are adjacent in global memory; otherwise the terms of a line.
 */
template <class E, class R, int LINES_, int K_SLICE, int THREADS, bool ACROSS, bool K_MAJOR> struct k_slice_loader {
    static constexpr int LINES = LINES_, V = 16 / sizeof(E);
    typedef k_slice_layout<LINES, K_SLICE, K_MAJOR && !ACROSS> layout;
    static constexpr bool TRANSPOSED =
        !K_MAJOR && !ACROSS; /* the k-slice is transposed compared with global memory */
    static constexpr int ROWS = ACROSS ? K_SLICE : LINES, WIDTH = ACROSS ? LINES : K_SLICE;
    typedef k_slice_chunks<THREADS, ROWS, WIDTH / V, WIDTH / V> vectors;
    /* If TRANSPOSED, adjacent threads copy 32 bytes of a row and a warp copies several rows. Global memory is then
     * read in whole sectors, and the threads of a warp store to different banks. */
    typedef k_slice_chunks<THREADS, ROWS, WIDTH, TRANSPOSED ? 32 / (int)sizeof(E) : WIDTH> elements;
    vector16<E> held[vectors::COUNT];
    const E *from; /* global address of this thread's first chunk of the next k-slice */
    uint64_t ld;
    int line, term;  /* position of that chunk in the k-slice */
    int lines;       /* number of valid lines in the k-slice, at most LINES */
    bool by_vectors; /* chunks are 16-byte vectors; otherwise single elements */

    __device__ k_slice_loader(const matmul_factor &f, uint64_t item, uint64_t first_line, uint64_t count,
                              uint64_t first_term, bool same_type)
        : ld(f.ld) {
        lines = count - first_line < LINES ? (int)(count - first_line) : LINES;
        by_vectors = !same_type || (f.vectors && !TRANSPOSED && (!ACROSS || count % V == 0));
        const int i = threadIdx.x, row = by_vectors ? vectors::row(i) : elements::row(i);
        const int fast = by_vectors ? vectors::fast(i) * V : elements::fast(i);
        line = ACROSS ? fast : row;
        term = ACROSS ? row : fast;
        from = (const E *)f.p + item * f.stride + (ACROSS ? first_line : first_term) + fast +
               ((ACROSS ? first_term : first_line) + row) * ld;
    }

    __device__ __forceinline__ void advance() { from += ACROSS ? K_SLICE * ld : K_SLICE; }

    /* ------------------------------------------------------------------ through registers */

    /* Loads the next k-slice, with `terms` valid terms, to registers. Entries outside the matrix are set to 0. No
     * result uses them. */
    __device__ __forceinline__ void fetch(const matmul_factor &f, int terms) {
        const bool plain = f.vectors && lines == LINES && terms == K_SLICE;
#pragma unroll
        for (int c = 0; c < vectors::COUNT; c++) {
            const E *p = from + vectors::row_step(c) * ld + vectors::fast_step(c) * V;
            if (plain) {
                held[c] = *(const vector16<E> *)p;
            } else {
                const int l = line + (ACROSS ? vectors::fast_step(c) * V : vectors::row_step(c));
                const int t = term + (ACROSS ? vectors::row_step(c) : vectors::fast_step(c) * V);
                const int count = l >= lines || t >= terms ? 0 : ACROSS ? lines - l : terms - t;
#pragma unroll
                for (int e = 0; e < V; e++) held[c].at[e] = e < count ? p[e] : (E)0;
            }
        }
        advance();
    }

    __device__ __forceinline__ void store(R *k_slice) const {
        constexpr int W = 16 / sizeof(R);
        R *to = k_slice + line * layout::LINE + term * layout::TERM;
#pragma unroll
        for (int c = 0; c < vectors::COUNT; c++) {
            const int l = ACROSS ? vectors::fast_step(c) * V : vectors::row_step(c);
            const int t = ACROSS ? vectors::row_step(c) : vectors::fast_step(c) * V;
            R *at = to + l * layout::LINE + t * layout::TERM;
#pragma unroll
            for (int e = 0; e < V; e++) {
                if (TRANSPOSED) {
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

    template <class CHUNKS, int SIZE> __device__ __forceinline__ void copy_chunks(int terms, R *k_slice) const {
        R *to = k_slice + line * layout::LINE + term * layout::TERM;
#pragma unroll
        for (int c = 0; c < CHUNKS::COUNT; c++) {
            const int row = CHUNKS::row_step(c), fast = CHUNKS::fast_step(c) * SIZE;
            const int l = ACROSS ? fast : row, t = ACROSS ? row : fast;
            if (line + l < lines && (terms == K_SLICE || term + t < terms))
                __pipeline_memcpy_async(to + l * layout::LINE + t * layout::TERM, from + row * ld + fast,
                                        SIZE * sizeof(E));
        }
    }

    __device__ __forceinline__ void copy(R *k_slice) {
        if (by_vectors)
            copy_chunks<vectors, V>(K_SLICE, k_slice);
        else
            copy_chunks<elements, 1>(K_SLICE, k_slice);
        advance();
    }

    /* Returns true if all LINES lines are valid and the chunks of a full k-slice can be copied by copy_step: as
     * vectors unless TRANSPOSED. */
    __device__ __forceinline__ bool is_full() const { return lines == LINES && (by_vectors || TRANSPOSED); }

    /* Does step `step` of the STEPS steps of `copy` for a k-slice for which is_full() is true. Does not advance. */
    template <int STEPS> __device__ __forceinline__ void copy_step(int step, R *k_slice) const {
        typedef typename conditional<TRANSPOSED, elements, vectors>::type chunks;
        constexpr int SIZE = TRANSPOSED ? 1 : V;
        R *to = k_slice + line * layout::LINE + term * layout::TERM;
#pragma unroll
        for (int c = 0; c < chunks::COUNT; c++) {
            const int row = chunks::row_step(c), fast = chunks::fast_step(c) * SIZE;
            if (c % STEPS != step) continue;
            __pipeline_memcpy_async(to + (ACROSS ? fast : row) * layout::LINE + (ACROSS ? row : fast) * layout::TERM,
                                    from + row * ld + fast, SIZE * sizeof(E));
        }
    }

    /* Copies the last k-slice, which has terms < K_SLICE terms. Copies single elements where the terms of a vector
     * are adjacent, because the last vector can be incomplete. */
    __device__ __forceinline__ void copy_tail(int terms, R *k_slice) {
        if (by_vectors && !ACROSS) {
            for (int c = 0; c < vectors::COUNT; c++) {
                const int l = line + vectors::row_step(c), t = term + vectors::fast_step(c) * V;
                for (int e = 0; e < V; e++)
                    if (l < lines && t + e < terms)
                        k_slice[l * layout::LINE + (t + e) * layout::TERM] =
                            from[vectors::row_step(c) * ld + vectors::fast_step(c) * V + e];
            }
        } else if (by_vectors) {
            copy_chunks<vectors, V>(terms, k_slice);
        } else {
            copy_chunks<elements, 1>(terms, k_slice);
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
        for (int i = 0; i < COUNT; i++) v.at[i] = matmul_epilogue<E, R>(j, sums[i], &v.at[i]);
        *(group *)to = v;
        return;
    }
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        if (i < count) to[i] = matmul_epilogue<E, R>(j, sums[i], to + i);
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

static __device__ __forceinline__ void matmul_tile_position(const matmul_params &j, uint64_t number, uint64_t *row,
                                                            uint64_t *column) {
    const uint64_t group_tiles = MATMUL_GROUP * j.column_tiles, first = number / group_tiles * MATMUL_GROUP;
    const uint64_t rows = j.row_tiles - first < MATMUL_GROUP ? j.row_tiles - first : MATMUL_GROUP;
    const uint64_t inside = number % group_tiles;
    *row = first + inside % rows;
    *column = inside / rows;
}

/* Main loop through registers, double-buffered: while one k-slice is multiplied, the next one is loaded to registers.
 */
template <class MMA, class LOADER_A, class LOADER_B>
__device__ __forceinline__ void matmul_mainloop_registers(MMA &mma, const matmul_params &j, LOADER_A &a, LOADER_B &b,
                                                          uint64_t terms, typename MMA::real *k_slices) {
    typedef typename LOADER_A::layout layout_a;
    typedef typename LOADER_B::layout layout_b;
    constexpr int K_SLICE = MMA::K_SLICE, BOTH = layout_a::SIZE + layout_b::SIZE;
    const uint32_t count = (uint32_t)((terms + K_SLICE - 1) / K_SLICE),
                   last = (uint32_t)(terms - (uint64_t)(count - 1) * K_SLICE);
    uint32_t current = 0;
    for (uint32_t s = 0; s <= count; s++) {
        const int valid = s + 1 >= count ? last : K_SLICE;
        typename MMA::real *const k_slice = k_slices + (1 - current) * BOTH, *const next = k_slices + current * BOTH;
        if (s < count) {
            a.fetch(j.a, valid);
            b.fetch(j.b, valid);
        }
        if (s > 0 && (s < count || last == K_SLICE))
            mma.template full<layout_a, layout_b>(k_slice, k_slice + layout_a::SIZE);
        else if (s > 0)
            mma.template tail<layout_a, layout_b>(k_slice, k_slice + layout_a::SIZE, last);
        if (s < count) {
            a.store(next);
            b.store(next + layout_a::SIZE);
            __syncthreads();
            current = 1 - current;
        }
    }
}

/* Copies and multiplies the last k-slice, of last < K_SLICE terms. */
template <class MMA, class LOADER_A, class LOADER_B>
__device__ __forceinline__ void matmul_mainloop_tail(MMA &mma, LOADER_A &a, LOADER_B &b, uint32_t last,
                                                     typename MMA::real *k_slices) {
    typedef typename LOADER_A::layout layout_a;
    typedef typename LOADER_B::layout layout_b;
    if (last == 0) return;
    __syncthreads();
    a.copy_tail(last, k_slices);
    b.copy_tail(last, k_slices + layout_a::SIZE);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    mma.template tail<layout_a, layout_b>(k_slices, k_slices + layout_a::SIZE, last);
}

/* Main loop with asynchronous copies: up to STAGES - 1 k-slices are in flight. The last terms % K_SLICE terms come at
 * the end. */
template <class MMA, class LOADER_A, class LOADER_B>
__device__ __forceinline__ void matmul_mainloop_async(MMA &mma, LOADER_A &a, LOADER_B &b, uint64_t terms,
                                                      typename MMA::real *k_slices) {
    typedef typename LOADER_A::layout layout_a;
    typedef typename LOADER_B::layout layout_b;
    constexpr int K_SLICE = MMA::K_SLICE, STAGES = MMA::STAGES, BOTH = layout_a::SIZE + layout_b::SIZE;
    const uint32_t count = (uint32_t)(terms / K_SLICE), last = (uint32_t)(terms % K_SLICE);
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < count) {
            a.copy(k_slices + s * BOTH);
            b.copy(k_slices + s * BOTH + layout_a::SIZE);
        }
        __pipeline_commit();
    }
    int current = 0, fill = (STAGES - 1) * BOTH;
#pragma unroll 1
    for (uint32_t s = 0; s < count; s++) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        if (s + STAGES - 1 < count) {
            a.copy(k_slices + fill);
            b.copy(k_slices + fill + layout_a::SIZE);
        }
        __pipeline_commit();
        mma.template full<layout_a, layout_b>(k_slices + current, k_slices + current + layout_a::SIZE);
        current = current == (STAGES - 1) * BOTH ? 0 : current + BOTH;
        fill = fill == (STAGES - 1) * BOTH ? 0 : fill + BOTH;
    }
    matmul_mainloop_tail(mma, a, b, last, k_slices);
}

/* Main loop with asynchronous copies, software-pipelined: the mma loads a term from shared memory while it multiplies
 * the previous one. a.is_full() and b.is_full() must be true. The last step of a k-slice loads the first term of the
 * next k-slice, whose copy must be complete before. Each other step copies a fraction of the k-slice that follows
 * STAGES - 1 k-slices later. */
template <class MMA, class LOADER_A, class LOADER_B>
__device__ __forceinline__ void matmul_mainloop_pipelined(MMA &mma, LOADER_A &a, LOADER_B &b, uint64_t terms,
                                                          typename MMA::real *k_slices) {
    typedef typename LOADER_A::layout layout_a;
    typedef typename LOADER_B::layout layout_b;
    constexpr int K_SLICE = MMA::K_SLICE, STAGES = MMA::STAGES, BOTH = layout_a::SIZE + layout_b::SIZE;
    static_assert(K_SLICE % 2 == 0, "the first term of each k-slice is loaded to the same registers");
    const uint32_t count = (uint32_t)(terms / K_SLICE), last = (uint32_t)(terms % K_SLICE);
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < count) {
            a.copy(k_slices + s * BOTH);
            b.copy(k_slices + s * BOTH + layout_a::SIZE);
        }
        __pipeline_commit();
    }
    __pipeline_wait_prior(STAGES - 2);
    __syncthreads();
    if (STAGES - 1 < count) mma.load(0, k_slices, k_slices + layout_a::SIZE);
    int current = 0, next = BOTH, fill = (STAGES - 1) * BOTH;
    uint32_t s = 0;
#pragma unroll 1
    for (; s + STAGES - 1 < count; s++) {
#pragma unroll
        for (int t = 0; t < K_SLICE - 1; t++) {
            mma.load((t + 1) % 2, k_slices + current + (t + 1) * layout_a::TERM,
                     k_slices + current + layout_a::SIZE + (t + 1) * layout_b::TERM);
            a.template copy_step<K_SLICE - 1>(t, k_slices + fill);
            b.template copy_step<K_SLICE - 1>(t, k_slices + fill + layout_a::SIZE);
            mma.multiply(t % 2);
        }
        __pipeline_commit();
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        mma.load(0, k_slices + next, k_slices + next + layout_a::SIZE);
        mma.multiply((K_SLICE - 1) % 2);
        a.advance();
        b.advance();
        fill = current;
        current = next;
        next = next == (STAGES - 1) * BOTH ? 0 : next + BOTH;
    }
    /* The copies of all remaining full k-slices have been started. */
#pragma unroll 1
    for (; s < count; s++) {
        mma.template full<layout_a, layout_b>(k_slices + current, k_slices + current + layout_a::SIZE);
        __pipeline_commit();
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        current = current == (STAGES - 1) * BOTH ? 0 : current + BOTH;
    }
    matmul_mainloop_tail(mma, a, b, last, k_slices);
}

template <class A, class B> struct is_same { static constexpr bool value = false; };
template <class A> struct is_same<A, A> { static constexpr bool value = true; };

/* Returns the block's dynamic shared memory. */
static __device__ uint4 *matmul_shared();

/* Computes one tile of one part of one product. ACROSS_A, ACROSS_B: see matmul_factor.across. RESUMED: see
 * matmul_params.resumed. */
template <class E, class MMA, bool ACROSS_A, bool ACROSS_B, bool RESUMED>
__global__ void __launch_bounds__(MMA::THREADS, MMA::BLOCKS) matmul_kernel(const matmul_params j) {
    typedef typename MMA::real R;
    constexpr bool SAME_TYPE = is_same<E, R>::value;
    R *const shared = (R *)matmul_shared();
    const uint64_t tiles = j.row_tiles * j.column_tiles;
    const uint64_t number = blockIdx.x % tiles, rest = blockIdx.x / tiles, item = rest / j.parts;
    const uint32_t part = (uint32_t)(rest % j.parts);
    uint64_t row, column;
    matmul_tile_position(j, number, &row, &column);
    row *= MMA::ROWS, column *= MMA::COLUMNS;
    const uint64_t first = part * j.part, terms = j.k - first < j.part ? j.k - first : j.part;
    k_slice_loader<E, R, MMA::ROWS, MMA::K_SLICE, MMA::THREADS, ACROSS_A, MMA::K_MAJOR> a(j.a, item, row, j.m, first,
                                                                                          SAME_TYPE);
    k_slice_loader<E, R, MMA::COLUMNS, MMA::K_SLICE, MMA::THREADS, ACROSS_B, MMA::K_MAJOR> b(j.b, item, column, j.n,
                                                                                             first, SAME_TYPE);
    MMA mma;
    if constexpr (RESUMED) mma.resume(j, row, column);
    bool full = false;
    if constexpr (MMA::PIPELINED) {
        full = a.is_full() && b.is_full();
        if (full) matmul_mainloop_pipelined(mma, a, b, terms, shared);
    }
    if constexpr (SAME_TYPE) {
        if (!full) matmul_mainloop_async(mma, a, b, terms, shared);
    } else
        matmul_mainloop_registers(mma, j, a, b, terms, shared);
    mma.template store<E>(j, item, part, row, column);
}

template <class MMA> constexpr size_t matmul_shared_bytes(bool same_type, bool across_a, bool across_b) {
    constexpr int K_SLICE = MMA::K_SLICE, ROWS = MMA::ROWS, COLUMNS = MMA::COLUMNS;
    const size_t a = MMA::K_MAJOR && !across_a ? k_slice_layout<ROWS, K_SLICE, true>::SIZE
                                               : k_slice_layout<ROWS, K_SLICE, false>::SIZE;
    const size_t b = MMA::K_MAJOR && !across_b ? k_slice_layout<COLUMNS, K_SLICE, true>::SIZE
                                               : k_slice_layout<COLUMNS, K_SLICE, false>::SIZE;
    return (same_type ? MMA::STAGES : 2) * (a + b) * sizeof(typename MMA::real);
}

#endif
