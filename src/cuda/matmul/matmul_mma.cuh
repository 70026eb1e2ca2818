/* Multiply-accumulate steps of matmul_tile.cuh: by threads with fused multiply-adds, or by warps with tensor cores.
 */
#ifndef WEFT_CUDA_MATMUL_MMA_CUH
#define WEFT_CUDA_MATMUL_MMA_CUH

#include "cuda/matmul/matmul_tile.cuh"
#include "cuda/runtime/tensor.cuh"

/* A thread has TM x TN sums, in groups of G adjacent rows and G adjacent columns (16 bytes). A warp is TY x TX
 * threads, a block is WY x WX warps.
 *
 *     rows of a warp's tile: group 0 of ty 0, of ty 1, ..., then group 1 of ty 0, of ty 1, ...; columns: by tx */
template <class R, int TM, int TN, int TY, int WY, int WX, int K_SLICE_TERMS, int BLOCKS_PER_SM, int STAGE_COUNT>
struct simt_mma {
    typedef R real;
    static constexpr int TX = 32 / TY, G = 16 / sizeof(R);
    static constexpr int WARP_ROWS = TM * TY, WARP_COLUMNS = TN * TX;
    static constexpr int ROWS = WARP_ROWS * WY, COLUMNS = WARP_COLUMNS * WX;
    static constexpr int THREADS = 32 * WY * WX, K_SLICE = K_SLICE_TERMS, BLOCKS = BLOCKS_PER_SM,
                         STAGES = STAGE_COUNT;
    static constexpr bool K_MAJOR = false, PIPELINED = false;
    template <class E> static constexpr int PAD = 4;
    R sums[TM][TN];
    int row, column; /* position of this thread's first sum in the tile */

    __device__ simt_mma() {
        const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        row = warp / WX * WARP_ROWS + lane / TX * G;
        column = warp % WX * WARP_COLUMNS + lane % TX * G;
#pragma unroll
        for (int i = 0; i < TM; i++)
#pragma unroll
            for (int k = 0; k < TN; k++) sums[i][k] = 0;
    }

    __device__ __forceinline__ void term(const R *a, const R *b) {
        vector16<R> x[TM / G], y[TN / G];
#pragma unroll
        for (int g = 0; g < TM / G; g++) x[g] = *(const vector16<R> *)(a + row + g * G * TY);
#pragma unroll
        for (int g = 0; g < TN / G; g++) y[g] = *(const vector16<R> *)(b + column + g * G * TX);
#pragma unroll
        for (int i = 0; i < TM; i++)
#pragma unroll
            for (int k = 0; k < TN; k++) sums[i][k] = matmul_fma(x[i / G].at[i % G], y[k / G].at[k % G], sums[i][k]);
    }

    template <class LA, class LB> __device__ __forceinline__ void full(const R *a, const R *b) {
#pragma unroll
        for (int t = 0; t < K_SLICE; t++) term(a + t * LA::TERM, b + t * LB::TERM);
    }

    template <class LA, class LB> __device__ __forceinline__ void tail(const R *a, const R *b, int terms) {
#pragma unroll 1
        for (int t = 0; t < terms; t++) term(a + t * LA::TERM, b + t * LB::TERM);
    }

    __device__ void resume(const matmul_params &j, uint64_t tile_row, uint64_t tile_column) {
#pragma unroll
        for (int i = 0; i < TM; i++)
#pragma unroll
            for (int g = 0; g < TN / G; g++)
                matmul_resume<R, G>(j, tile_row + row + i / G * G * TY + i % G, tile_column + column + g * G * TX,
                                    &sums[i][g * G]);
    }

    template <class E>
    __device__ void store(const matmul_params &j, uint64_t item, uint32_t part, uint64_t tile_row,
                          uint64_t tile_column) const {
#pragma unroll
        for (int i = 0; i < TM; i++)
#pragma unroll
            for (int g = 0; g < TN / G; g++)
                matmul_store<E, R, G>(j, item, part, tile_row + row + i / G * G * TY + i % G,
                                      tile_column + column + g * G * TX, &sums[i][g * G]);
    }
};

/* A simt_mma that loads the elements of a term while it multiplies those of the previous term. Two lanes that differ
 * in bit 0 have equal rows, and two lanes that differ in bit 1 have equal columns. A 16-byte load by a warp then
 * takes two passes over shared memory instead of four. */
template <class R, int TM, int TN, int TY, int WY, int WX, int K_SLICE_TERMS, int BLOCKS_PER_SM, int STAGE_COUNT>
struct pipelined_simt_mma : simt_mma<R, TM, TN, TY, WY, WX, K_SLICE_TERMS, BLOCKS_PER_SM, STAGE_COUNT> {
    typedef simt_mma<R, TM, TN, TY, WY, WX, K_SLICE_TERMS, BLOCKS_PER_SM, STAGE_COUNT> base;
    static constexpr int TX = base::TX, G = base::G;
    static constexpr bool PIPELINED = true;
    static constexpr int STEP = 1;
    vector16<R> x[2][TM / G], y[2][TN / G]; /* elements of two terms, double-buffered */

    __device__ pipelined_simt_mma() {
        const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, rest = lane / 4;
        base::row = warp / WX * base::WARP_ROWS + (lane / 2 % 2 + rest / (TX / 2) * 2) * G;
        base::column = warp % WX * base::WARP_COLUMNS + (lane % 2 + rest % (TX / 2) * 2) * G;
    }

    /* Multiplies a k-slice without loading ahead: for the last k-slices, tiles at an edge, and unaligned matrices. */
    template <class LA, class LB> __device__ __forceinline__ void full(const R *a, const R *b) {
#pragma unroll 4
        for (int t = 0; t < K_SLICE_TERMS; t++) base::term(a + t * LA::TERM, b + t * LB::TERM);
    }

    template <class LA, class LB> __device__ __forceinline__ void load(int turn, const R *a, const R *b) {
#pragma unroll
        for (int g = 0; g < TM / G; g++) x[turn][g] = *(const vector16<R> *)(a + base::row + g * G * TY);
#pragma unroll
        for (int g = 0; g < TN / G; g++) y[turn][g] = *(const vector16<R> *)(b + base::column + g * G * TX);
    }

    __device__ __forceinline__ void multiply(int turn) {
#pragma unroll
        for (int i = 0; i < TM; i++)
#pragma unroll
            for (int k = 0; k < TN; k++)
                base::sums[i][k] = matmul_fma(x[turn][i / G].at[i % G], y[turn][k / G].at[k % G], base::sums[i][k]);
    }
};

/* Each warp has MY x MX products of 16 x 8 on the FP64 tensor cores, of elements of type E, f32 or f64. Each sum is a
 * chain of fused multiply-adds in order of k, as in simt_mma. The agreement suite checks this. */
template <class E, int MY, int MX, int WY, int WX, int K_SLICE_TERMS, int BLOCKS_PER_SM, int STAGE_COUNT>
struct tensor_mma {
    typedef double real;
    static constexpr int ROWS = 16 * MY * WY, COLUMNS = 8 * MX * WX;
    static constexpr int THREADS = 32 * WY * WX, K_SLICE = K_SLICE_TERMS, BLOCKS = BLOCKS_PER_SM,
                         STAGES = STAGE_COUNT;
    static constexpr bool K_MAJOR = true;
    static constexpr int STEP = 8;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    static constexpr bool PIPELINED = true;
#else
    static constexpr bool PIPELINED = false; /* `multiply` needs tensor cores */
#endif
    template <class> static constexpr int PAD = sizeof(E) == 4 ? 8 : 4;
    double sums[MY][MX][4];
    E u[2][MY][4], v[2][MX][2];   /* elements of two steps, double-buffered */
    int row, column, group, quad; /* row, column: of the warp's tile; group, quad: of the lane */

    __device__ tensor_mma() {
        const int warp = threadIdx.x / 32;
        group = threadIdx.x % 32 / 4;
        quad = threadIdx.x % 4;
        row = warp / WX * 16 * MY;
        column = warp % WX * 8 * MX;
#pragma unroll
        for (int y = 0; y < MY; y++)
#pragma unroll
            for (int x = 0; x < MX; x++)
#pragma unroll
                for (int i = 0; i < 4; i++) sums[y][x][i] = 0;
    }

    /* Loads eight terms. From A a lane loads rows group and group + 8 of terms quad and quad + 4; from B, column
     * `group` of terms quad and quad + 4. */
    template <class LA, class LB> __device__ __forceinline__ void load(int turn, const E *a, const E *b) {
#pragma unroll
        for (int y = 0; y < MY; y++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                u[turn][y][i] = a[(quad + i / 2 * 4) * LA::TERM + (row + 16 * y + group + i % 2 * 8) * LA::LINE];
#pragma unroll
        for (int x = 0; x < MX; x++)
#pragma unroll
            for (int i = 0; i < 2; i++)
                v[turn][x][i] = b[(quad + 4 * i) * LB::TERM + (column + 8 * x + group) * LB::LINE];
    }

    __device__ __forceinline__ void multiply(int turn) {
        double above[MX][2];
#pragma unroll
        for (int x = 0; x < MX; x++)
#pragma unroll
            for (int i = 0; i < 2; i++) above[x][i] = v[turn][x][i];
#pragma unroll
        for (int y = 0; y < MY; y++) {
            double left[4];
#pragma unroll
            for (int i = 0; i < 4; i++) left[i] = u[turn][y][i];
#pragma unroll
            for (int x = 0; x < MX; x++) mma_16x8x8(sums[y][x], left, above[x]);
        }
    }

    /* Row and column of a sum of this lane. A lane has two adjacent columns in each of two rows of a product. */
    __device__ __forceinline__ int row_of(int y, int i) const { return row + 16 * y + group + i / 2 * 8; }
    __device__ __forceinline__ int column_of(int x, int i) const { return column + 8 * x + 2 * quad + i % 2; }

    /* Multiplies a single term. A tail of k must not be padded with zeros, because fma(0, 0, -0) is not -0. */
    template <class LA, class LB> __device__ __forceinline__ void term(const E *a, const E *b) {
#pragma unroll
        for (int y = 0; y < MY; y++)
#pragma unroll
            for (int x = 0; x < MX; x++)
#pragma unroll
                for (int i = 0; i < 4; i++)
                    sums[y][x][i] = __fma_rn((double)a[row_of(y, i) * LA::LINE],
                                             (double)b[column_of(x, i) * LB::LINE], sums[y][x][i]);
    }

    template <class LA, class LB> __device__ __forceinline__ void tail(const E *a, const E *b, int terms) {
        int t = 0;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#pragma unroll 1
        for (; t + STEP <= terms; t += STEP) {
            load<LA, LB>(0, a + t * LA::TERM, b + t * LB::TERM);
            multiply(0);
        }
#endif
#pragma unroll 1
        for (; t < terms; t++) term<LA, LB>(a + t * LA::TERM, b + t * LB::TERM);
    }

    template <class LA, class LB> __device__ __forceinline__ void full(const E *a, const E *b) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
        load<LA, LB>(0, a, b);
#pragma unroll
        for (int t = 0; t < K_SLICE; t += STEP) {
            const int next = t + STEP, turn = t / STEP % 2;
            if (next < K_SLICE) load<LA, LB>(1 - turn, a + next * LA::TERM, b + next * LB::TERM);
            multiply(turn);
        }
#else
        tail<LA, LB>(a, b, K_SLICE);
#endif
    }

    __device__ void resume(const matmul_params &j, uint64_t tile_row, uint64_t tile_column) {
#pragma unroll
        for (int y = 0; y < MY; y++)
#pragma unroll
            for (int x = 0; x < MX; x++)
#pragma unroll
                for (int i = 0; i < 4; i += 2)
                    matmul_resume<double, 2>(j, tile_row + row_of(y, i), tile_column + column_of(x, i),
                                             &sums[y][x][i]);
    }

    template <class C>
    __device__ void store(const matmul_params &j, uint64_t item, uint32_t part, uint64_t tile_row,
                          uint64_t tile_column) const {
#pragma unroll
        for (int y = 0; y < MY; y++)
#pragma unroll
            for (int x = 0; x < MX; x++)
#pragma unroll
                for (int i = 0; i < 4; i += 2)
                    matmul_store<C, double, 2>(j, item, part, tile_row + row_of(y, i), tile_column + column_of(x, i),
                                               &sums[y][x][i]);
    }
};

#endif
