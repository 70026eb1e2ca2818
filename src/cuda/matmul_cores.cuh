/* Who multiplies in matmul_tile.cuh: threads with fused multiply-adds, or warps with tensor cores. */
#ifndef WEFT_CUDA_MATMUL_CORES_CUH
#define WEFT_CUDA_MATMUL_CORES_CUH

#include "cuda/matmul_tile.cuh"

/* Each thread has TM x TN sums, f32; a warp is TY x TX threads, WY x WX warps are a block.
 *
 * Where a slab has a term's lanes side by side, a thread's rows (columns) are groups of four neighbours, which one
 * load brings for one term: group 0 of thread 0, of thread 1, ..., group 1 of thread 0, ... Where it has a lane's
 * terms side by side, one load brings four terms of one row, and neighbouring threads have neighbouring rows. */
template <int TM, int TN, int TY, int WY, int WX, int SLAB_TERMS, int BLOCKS_PER_SM, int STAGE_COUNT>
struct fma_core {
    typedef float real;
    static constexpr int TX = 32 / TY, G = 4;
    static constexpr int WARP_ROWS = TM * TY, WARP_COLUMNS = TN * TX;
    static constexpr int ROWS = WARP_ROWS * WY, COLUMNS = WARP_COLUMNS * WX;
    static constexpr int THREADS = 32 * WY * WX, SLAB = SLAB_TERMS, BLOCKS = BLOCKS_PER_SM, STAGES = STAGE_COUNT;
    static constexpr bool NATURAL = true;
    float sums[TM][TN];
    int row, column; /* of the warp's tile */
    int y, x;        /* of this thread in the warp */

    __device__ fma_core() {
        const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        row = warp / WX * WARP_ROWS;
        column = warp % WX * WARP_COLUMNS;
        y = lane / TX;
        x = lane % TX;
#pragma unroll
        for (int i = 0; i < TM; i++)
#pragma unroll
            for (int k = 0; k < TN; k++) sums[i][k] = 0;
    }

    /* Lane i of thread `who` of `threads`, in the warp's tile. */
    template <class LAYOUT> static __device__ __forceinline__ int place(int who, int i, int threads) {
        return LAYOUT::LANE == 1 ? who * G + i / G * G * threads + i % G : who + i * threads;
    }

    /* What COUNT lanes have for the terms t .. t + 3: at[i][e], lane i, term e. */
    template <class LAYOUT, int COUNT>
    static __device__ __forceinline__ void load(const float *slab, int who, int threads, int t, float (*at)[G]) {
        if (LAYOUT::LANE == 1) {
#pragma unroll
            for (int e = 0; e < G; e++)
#pragma unroll
                for (int i = 0; i < COUNT; i += G) {
                    const vector16<float> v =
                        *(const vector16<float> *)(slab + place<LAYOUT>(who, i, threads) + (t + e) * LAYOUT::TERM);
#pragma unroll
                    for (int l = 0; l < G; l++) at[i + l][e] = v.at[l];
                }
        } else {
#pragma unroll
            for (int i = 0; i < COUNT; i++) {
                const vector16<float> v =
                    *(const vector16<float> *)(slab + place<LAYOUT>(who, i, threads) * LAYOUT::LANE + t);
#pragma unroll
                for (int e = 0; e < G; e++) at[i][e] = v.at[e];
            }
        }
    }

    template <class LA, class LB> __device__ __forceinline__ void whole(const float *a, const float *b) {
        a += row * LA::LANE, b += column * LB::LANE;
#pragma unroll
        for (int t = 0; t < SLAB; t += G) {
            float u[TM][G], v[TN][G];
            load<LA, TM>(a, y, TY, t, u);
            load<LB, TN>(b, x, TX, t, v);
#pragma unroll
            for (int e = 0; e < G; e++)
#pragma unroll
                for (int i = 0; i < TM; i++)
#pragma unroll
                    for (int k = 0; k < TN; k++) sums[i][k] = __fmaf_rn(u[i][e], v[k][e], sums[i][k]);
        }
    }

    /* Term by term: k need not be a multiple of four. */
    template <class LA, class LB> __device__ __forceinline__ void some(const float *a, const float *b, int terms) {
        a += row * LA::LANE, b += column * LB::LANE;
#pragma unroll 1
        for (int t = 0; t < terms; t++)
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int k = 0; k < TN; k++)
                    sums[i][k] = __fmaf_rn(a[place<LA>(y, i, TY) * LA::LANE + t * LA::TERM],
                                           b[place<LB>(x, k, TX) * LB::LANE + t * LB::TERM], sums[i][k]);
    }

    template <class E, class LA, class LB>
    __device__ void store(const matmul_job &j, uint64_t item, uint32_t part, uint64_t tile_row,
                          uint64_t tile_column) const {
        constexpr int SIDE_BY_SIDE = LB::LANE == 1 ? G : 1;
#pragma unroll
        for (int i = 0; i < TM; i++)
#pragma unroll
            for (int k = 0; k < TN; k += SIDE_BY_SIDE)
                matmul_store<E, float, SIDE_BY_SIDE>(j, item, part, tile_row + row + place<LA>(y, i, TY),
                                                     tile_column + column + place<LB>(x, k, TX), &sums[i][k]);
    }
};

/* d += a b with a 16 x 8 and b 8 x 8, f64, each sum a chain down k: on sm_90 one instruction, before it four, and
 * none before sm_80. */
static __device__ __forceinline__ void mma_16x8x8(double (&d)[4], const double (&a)[4], const double (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#pragma unroll
    for (int t = 0; t < 2; t++)
#pragma unroll
        for (int h = 0; h < 2; h++)
            asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                : "+d"(d[2 * h]), "+d"(d[2 * h + 1])
                : "d"(a[h + 2 * t]), "d"(b[t]));
#endif
}

/* Each warp has MY x MX products of 16 x 8 on the FP64 tensor cores. Their sums are fused multiply-adds down k in
 * order, like those of fma_core, which the agreement suite holds them to. */
template <int MY, int MX, int WY, int WX, int SLAB_TERMS, int BLOCKS_PER_SM, int STAGE_COUNT> struct mma_core {
    typedef double real;
    static constexpr int ROWS = 16 * MY * WY, COLUMNS = 8 * MX * WX;
    static constexpr int THREADS = 32 * WY * WX, SLAB = SLAB_TERMS, BLOCKS = BLOCKS_PER_SM, STAGES = STAGE_COUNT;
    static constexpr bool NATURAL = true;
    double sums[MY][MX][4];
    int row, column, group, quad; /* of the warp's tile; of the lane */

    __device__ mma_core() {
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

    /* Terms t .. t + 7. Of A, a lane has rows group and group + 8 of terms quad and quad + 4; of B, column group of
     * the same terms. */
    template <class LA, class LB> __device__ __forceinline__ void eight(const double *a, const double *b) {
        double u[MY][4], v[MX][2];
#pragma unroll
        for (int y = 0; y < MY; y++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                u[y][i] = a[(quad + i / 2 * 4) * LA::TERM + (row + 16 * y + group + i % 2 * 8) * LA::LANE];
#pragma unroll
        for (int x = 0; x < MX; x++)
#pragma unroll
            for (int i = 0; i < 2; i++) v[x][i] = b[(quad + 4 * i) * LB::TERM + (column + 8 * x + group) * LB::LANE];
#pragma unroll
        for (int y = 0; y < MY; y++)
#pragma unroll
            for (int x = 0; x < MX; x++) mma_16x8x8(sums[y][x], u[y], v[x]);
    }

    /* Rows and columns of this lane's sums: two neighbours in each of two rows. */
    __device__ __forceinline__ int row_of(int y, int i) const { return row + 16 * y + group + i / 2 * 8; }
    __device__ __forceinline__ int column_of(int x, int i) const { return column + 8 * x + 2 * quad + i % 2; }

    /* A term by itself: a tail of k must not be filled up with zeros, for fma(0, 0, -0) is not -0. */
    template <class LA, class LB> __device__ __forceinline__ void term(const double *a, const double *b) {
#pragma unroll
        for (int y = 0; y < MY; y++)
#pragma unroll
            for (int x = 0; x < MX; x++)
#pragma unroll
                for (int i = 0; i < 4; i++)
                    sums[y][x][i] =
                        __fma_rn(a[row_of(y, i) * LA::LANE], b[column_of(x, i) * LB::LANE], sums[y][x][i]);
    }

    template <class LA, class LB> __device__ __forceinline__ void some(const double *a, const double *b, int terms) {
        int t = 0;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#pragma unroll 1
        for (; t + 8 <= terms; t += 8) eight<LA, LB>(a + t * LA::TERM, b + t * LB::TERM);
#endif
#pragma unroll 1
        for (; t < terms; t++) term<LA, LB>(a + t * LA::TERM, b + t * LB::TERM);
    }

    template <class LA, class LB> __device__ __forceinline__ void whole(const double *a, const double *b) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#pragma unroll
        for (int t = 0; t < SLAB; t += 8) eight<LA, LB>(a + t * LA::TERM, b + t * LB::TERM);
#else
        some<LA, LB>(a, b, SLAB);
#endif
    }

    template <class E, class LA, class LB>
    __device__ void store(const matmul_job &j, uint64_t item, uint32_t part, uint64_t tile_row,
                          uint64_t tile_column) const {
#pragma unroll
        for (int y = 0; y < MY; y++)
#pragma unroll
            for (int x = 0; x < MX; x++)
#pragma unroll
                for (int i = 0; i < 4; i += 2)
                    matmul_store<E, double, 2>(j, item, part, tile_row + row_of(y, i), tile_column + column_of(x, i),
                                               &sums[y][x][i]);
    }
};

#endif
