/* Matrix product by tiles of C: one thread block computes one tile.
 *
 * A block advances along k in k-slices of K_SLICE terms, staged in shared memory. While it multiplies one
 * k-slice, asynchronous copies load following ones to further stages of shared memory. A line is a row of op(A) or a
 * column of op(B). The mma addresses a k-slice through its k_slice_layout, so its code does
 * not depend on the matrices' layouts and transposes. A k-slice normally stores the lines of a term next to each
 * other. The template parameter MMA (matmul_mma.cuh) multiplies. It holds the sums of the tile and takes the
 * k-slice's terms in order, so that each sum is the chain of ORDER.md 13.1. */
#ifndef WEFT_CUDA_MATMUL_TILE_CUH
#define WEFT_CUDA_MATMUL_TILE_CUH

#include "cuda/matmul/matmul_epilogue.cuh"

#include <cuda_pipeline.h>

/* Layout of a k-slice in shared memory: element (line, term) is at offset line * LINE + term * TERM. By default the
 * lines of a term are adjacent. If K_MAJOR, the terms of a line are adjacent, as in the matrix. Each term (if
 * K_MAJOR: each line) is padded by PAD elements, so that neither storing a k-slice nor the loads of the mma cause
 * bank conflicts. */
template <int LINES, int K_SLICE, bool K_MAJOR, int PAD> struct k_slice_layout {
    static constexpr int LINE = K_MAJOR ? K_SLICE + 4 : 1, TERM = K_MAJOR ? 1 : LINES + PAD;
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

/* Copies the successive k-slices of one factor, LINES lines of MMA::K_SLICE terms each, from global to shared memory,
 * asynchronously. ACROSS: the lines of a term are adjacent in global memory; otherwise the terms of a line. */
template <class E, class MMA, int LINES_, bool ACROSS> struct k_slice_loader {
    static constexpr int LINES = LINES_, K_SLICE = MMA::K_SLICE, THREADS = MMA::THREADS, V = 16 / sizeof(E);
    typedef k_slice_layout<LINES, K_SLICE, MMA::K_MAJOR && !ACROSS, MMA::template PAD<E>> layout;
    static constexpr bool TRANSPOSED =
        !MMA::K_MAJOR && !ACROSS; /* the k-slice is transposed compared with global memory */
    static constexpr int ROWS = ACROSS ? K_SLICE : LINES, WIDTH = ACROSS ? LINES : K_SLICE;
    typedef k_slice_chunks<THREADS, ROWS, WIDTH / V, WIDTH / V> vectors;
    /* If TRANSPOSED, adjacent threads copy 32 bytes of a row and a warp copies several rows. Global memory is then
     * read in whole sectors, and the threads of a warp store to different banks. */
    typedef k_slice_chunks<THREADS, ROWS, WIDTH, TRANSPOSED ? 32 / (int)sizeof(E) : WIDTH> elements;
    const E *from; /* global address of this thread's first chunk of the next k-slice */
    uint64_t ld;
    int line, term;  /* position of that chunk in the k-slice */
    int lines;       /* number of valid lines in the k-slice, at most LINES */
    bool by_vectors; /* chunks are 16-byte vectors; otherwise single elements */

    __device__ k_slice_loader(const matmul_factor &f, uint64_t item, uint64_t first_line, uint64_t count,
                              uint64_t first_term)
        : ld(f.ld) {
        lines = count - first_line < LINES ? (int)(count - first_line) : LINES;
        by_vectors = f.vectors && !TRANSPOSED && (!ACROSS || count % V == 0);
        const int i = threadIdx.x, row = by_vectors ? vectors::row(i) : elements::row(i);
        const int fast = by_vectors ? vectors::fast(i) * V : elements::fast(i);
        line = ACROSS ? fast : row;
        term = ACROSS ? row : fast;
        from = (const E *)f.p + item * f.stride + (ACROSS ? first_line : first_term) + fast +
               ((ACROSS ? first_term : first_line) + row) * ld;
    }

    __device__ __forceinline__ void advance() { from += ACROSS ? K_SLICE * ld : K_SLICE; }

    template <class CHUNKS, int SIZE> __device__ __forceinline__ void copy_chunks(int terms, E *k_slice) const {
        E *to = k_slice + line * layout::LINE + term * layout::TERM;
#pragma unroll
        for (int c = 0; c < CHUNKS::COUNT; c++) {
            const int row = CHUNKS::row_step(c), fast = CHUNKS::fast_step(c) * SIZE;
            const int l = ACROSS ? fast : row, t = ACROSS ? row : fast;
            if (line + l < lines && (terms == K_SLICE || term + t < terms))
                __pipeline_memcpy_async(to + l * layout::LINE + t * layout::TERM, from + row * ld + fast,
                                        SIZE * sizeof(E));
        }
    }

    __device__ __forceinline__ void copy(E *k_slice) {
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
    template <int STEPS> __device__ __forceinline__ void copy_step(int step, E *k_slice) const {
        typedef typename conditional<TRANSPOSED, elements, vectors>::type chunks;
        constexpr int SIZE = TRANSPOSED ? 1 : V;
        E *to = k_slice + line * layout::LINE + term * layout::TERM;
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
    __device__ __forceinline__ void copy_tail(int terms, E *k_slice) {
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

/* Copies and multiplies the last k-slice, of last < K_SLICE terms. */
template <class E, class MMA, class LOADER_A, class LOADER_B>
__device__ __forceinline__ void matmul_mainloop_tail(MMA &mma, LOADER_A &a, LOADER_B &b, uint32_t last, E *k_slices) {
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
template <class E, class MMA, class LOADER_A, class LOADER_B>
__device__ __forceinline__ void matmul_mainloop_async(MMA &mma, LOADER_A &a, LOADER_B &b, uint64_t terms,
                                                      E *k_slices) {
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

/* Main loop with asynchronous copies, software-pipelined: the mma loads MMA::STEP terms from shared memory while it
 * multiplies the previous ones. a.is_full() and b.is_full() must be true. The last step of a k-slice loads the first
 * terms of the next k-slice, whose copy must be complete before. Each other step copies a fraction of the k-slice
 * that follows STAGES - 1 k-slices later. */
template <class E, class MMA, class LOADER_A, class LOADER_B>
__device__ __forceinline__ void matmul_mainloop_pipelined(MMA &mma, LOADER_A &a, LOADER_B &b, uint64_t terms,
                                                          E *k_slices) {
    typedef typename LOADER_A::layout layout_a;
    typedef typename LOADER_B::layout layout_b;
    constexpr int K_SLICE = MMA::K_SLICE, STAGES = MMA::STAGES, BOTH = layout_a::SIZE + layout_b::SIZE;
    constexpr int STEPS = K_SLICE / MMA::STEP;
    constexpr int A_STEP = MMA::STEP * layout_a::TERM, B_STEP = MMA::STEP * layout_b::TERM;
    static_assert(STEPS % 2 == 0, "the first terms of each k-slice are loaded to the same registers");
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
    if (STAGES - 1 < count) mma.template load<layout_a, layout_b>(0, k_slices, k_slices + layout_a::SIZE);
    int current = 0, next = BOTH, fill = (STAGES - 1) * BOTH;
    uint32_t s = 0;
#pragma unroll 1
    for (; s + STAGES - 1 < count; s++) {
#pragma unroll
        for (int t = 0; t < STEPS - 1; t++) {
            mma.template load<layout_a, layout_b>((t + 1) % 2, k_slices + current + (t + 1) * A_STEP,
                                                  k_slices + current + layout_a::SIZE + (t + 1) * B_STEP);
            a.template copy_step<STEPS - 1>(t, k_slices + fill);
            b.template copy_step<STEPS - 1>(t, k_slices + fill + layout_a::SIZE);
            mma.multiply(t % 2);
        }
        __pipeline_commit();
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        mma.template load<layout_a, layout_b>(0, k_slices + next, k_slices + next + layout_a::SIZE);
        mma.multiply((STEPS - 1) % 2);
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

/* Returns the block's dynamic shared memory. */
static __device__ uint4 *matmul_shared();

/* Computes one tile of one part of one product. ACROSS_A, ACROSS_B: see matmul_factor.across. RESUMED: see
 * matmul_params.resumed. */
template <class E, class MMA, bool ACROSS_A, bool ACROSS_B, bool RESUMED>
__global__ void __launch_bounds__(MMA::THREADS, MMA::BLOCKS) matmul_kernel(const matmul_params j) {
    E *const shared = (E *)matmul_shared();
    const uint64_t tiles = j.row_tiles * j.column_tiles;
    const uint64_t number = blockIdx.x % tiles, rest = blockIdx.x / tiles, item = rest / j.parts;
    const uint32_t part = (uint32_t)(rest % j.parts);
    uint64_t row, column;
    matmul_tile_position(j, number, &row, &column);
    row *= MMA::ROWS, column *= MMA::COLUMNS;
    const uint64_t first = part * j.part, terms = j.k - first < j.part ? j.k - first : j.part;
    k_slice_loader<E, MMA, MMA::ROWS, ACROSS_A> a(j.a, item, row, j.m, first);
    k_slice_loader<E, MMA, MMA::COLUMNS, ACROSS_B> b(j.b, item, column, j.n, first);
    MMA mma;
    if constexpr (RESUMED) mma.resume(j, row, column);
    bool full = false;
    if constexpr (MMA::PIPELINED) {
        full = a.is_full() && b.is_full();
        if (full) matmul_mainloop_pipelined(mma, a, b, terms, shared);
    }
    if (!full) matmul_mainloop_async(mma, a, b, terms, shared);
    mma.template store<E>(j, item, part, row, column);
}

template <class E, class MMA> constexpr size_t matmul_shared_bytes(bool across_a, bool across_b) {
    const size_t a = across_a ? k_slice_loader<E, MMA, MMA::ROWS, true>::layout::SIZE
                              : k_slice_loader<E, MMA, MMA::ROWS, false>::layout::SIZE;
    const size_t b = across_b ? k_slice_loader<E, MMA, MMA::COLUMNS, true>::layout::SIZE
                              : k_slice_loader<E, MMA, MMA::COLUMNS, false>::layout::SIZE;
    return MMA::STAGES * (a + b) * sizeof(E);
}

#endif
