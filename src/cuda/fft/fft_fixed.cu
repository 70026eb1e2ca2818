/* Transforms of few m 2^k values as in fft_whole.cu, with constant m: FIXED lists those that have kernels. */
#include "cuda/fft/fft_ahead.cuh"
#include "cuda/fft/fft_whole.cuh"

extern __shared__ __align__(16) unsigned char dynamic_shared[];

/* F(m, f32, f64): rows of up to 2^f32 or 2^f64 numbers of the type. */
#define FIXED(F) F(3, 4, 3) F(5, 4, 3) F(7, 4, 2) F(9, 4, 2) F(25, 4, 2)

/* The shape of a block for rows of 2^LOG numbers: 2^ARRAYS_LOG arrays, whose positions are those of in_arrays in
 * fft_whole.cu. */
template <typename T, int M, int LOG> struct fixed_shape {
    static constexpr int most_log(int log) {
        return (int)sizeof(number<T>) * M << (log + 1) <= ahead_bytes<T, M>() ? most_log(log + 1) : log;
    }
    static constexpr int WIDTH_LOG = most_log(LOG), ARRAYS_LOG = WIDTH_LOG - LOG, HELD_LOG = line<LOG>::HELD_LOG;
    /* A thread holds at most about so many numbers. */
    static constexpr int LEAST = (M << WIDTH_LOG) / (sizeof(T) == 4 ? 16 : 10);
    static constexpr int THREADS = fixed_threads<T, M>(1 << WIDTH_LOG, HELD_LOG, LEAST, TOGETHER_THREADS);
    /* Blocks in a multiprocessor, bounded by registers. */
    static constexpr int RESIDENT_F32 = M == 25 ? 640 : LOG < 4 ? 1024 : 768, RESIDENT_F64 = M % 5 == 0 ? 768 : 512;
    static constexpr int RESIDENT = (sizeof(T) == 4 ? RESIDENT_F32 : RESIDENT_F64) / THREADS;
    /* Most of f64 are faster if the first group loads the numbers. */
    static constexpr bool AHEAD = sizeof(T) == 4 || M == 25;
};

template <typename T, int M, int LOG, typename Shape>
using tile_of = ahead_tile<T, M, 1 << LOG, 1 << Shape::ARRAYS_LOG, Shape::THREADS, Shape::AHEAD>;

template <typename T, int M, int LOG> struct fixed_block : tile_of<T, M, LOG, fixed_shape<T, M, LOG>> {
    using tile = tile_of<T, M, LOG, fixed_shape<T, M, LOG>>;
    using tile::tile, tile::ARRAYS, tile::N, tile::WIDTH, tile::AHEAD;
    static constexpr int ARRAYS_LOG = fixed_shape<T, M, LOG>::ARRAYS_LOG;
    static constexpr int APART = padded::apart(WIDTH) | 1; /* the rows of short ones are in different banks */
    static constexpr size_t BYTES = ((AHEAD ? N * ARRAYS : 0) + M * APART) * sizeof(number<T>);
    static constexpr bool KEEPS = true;
    /* Rows are stored from registers if the results of all m are long enough. */
    static constexpr bool DIRECT = M * sizeof(number<T>) >= 96;
    static __device__ __forceinline__ uint32_t slot(uint32_t w) { return (uint32_t)padded::apart((int)w); }
};

/* Transforms and stores rows of 2^LOG numbers, each in the registers of a thread. Adjacent threads have adjacent
 * rows, whose results are adjacent. */
template <int M, int LOG, typename T, typename Block>
static __device__ __forceinline__ void store_rows(const whole_params<T> &p, const Block &block,
                                                  const number<T> *from) {
    constexpr int HELD = 1 << LOG;
    const uint32_t rows = M * min((uint32_t)Block::ARRAYS, block.left);
    for (uint32_t at = afresh(threadIdx.x); at < rows; at += Block::THREADS) {
        const uint32_t array = at / M, row = at % M;
        const number<T> *const x = from + row * Block::APART + (uint32_t)padded::apart((int)(array << LOG));
        number<T> v[HELD];
#pragma unroll
        for (int i = 0; i < HELD; i++) v[i] = x[i];
        stages<LOG>(v, (const number<T> *)afresh(p.rows.table), 0);
        finish<HELD>(p.rows, v);
        T *const y = p.radices.j.y + (block.array + array) * p.radices.j.y_step + 2 * row;
        store_numbers<HELD>(v, p.radices.j.y_aligned, false,
                            [=](int i) { return y + 2 * M * (int)natural_index<LOG>(0, i); });
    }
}

/* Transforms rows in place, and stores the results. */
template <int M, int LOG, typename T, typename Block>
static __device__ __forceinline__ void store_lines(const whole_params<T> &p, const Block &block, number<T> *shared) {
    typedef line<LOG> l;
    constexpr uint32_t LINES = M * Block::ARRAYS;
    constexpr int ROUNDS = (LINES * l::THREADS - 1) / Block::THREADS + 1;
    static_assert(ROUNDS * l::HELD * sizeof(T) <= 128, "the numbers of all rounds are in registers");
    number<T> v[ROUNDS * l::HELD];
    const uint32_t thread = afresh(threadIdx.x);
#pragma unroll
    for (int n = 0; n < ROUNDS; n++) {
        const uint32_t at = (thread + (uint32_t)(n * Block::THREADS)) / l::THREADS;
        if (at / OF_WARP<LOG> * OF_WARP<LOG> < LINES)
            transform_line(p, whole_line<LOG>(at, Block::ARRAYS_LOG), Block::APART, shared, v + n * l::HELD);
        else
            clear<l::HELD>(v + n * l::HELD);
    }
    __syncthreads();
#pragma unroll
    for (int n = 0; n < ROUNDS; n++) {
        const uint32_t at = (thread + (uint32_t)(n * Block::THREADS)) / l::THREADS;
        if (at < LINES) keep_line(p, whole_line<LOG>(at, Block::ARRAYS_LOG), M, v + n * l::HELD, shared);
    }
    __syncthreads();
    store_arrays(p, block.array, Block::ARRAYS_LOG, shared);
}

template <typename T, int M, int LOG>
static __global__ void __launch_bounds__(fixed_shape<T, M, LOG>::THREADS, fixed_shape<T, M, LOG>::RESIDENT)
    fixed_kernel(const __grid_constant__ whole_params<T> p) {
    typedef fixed_block<T, M, LOG> shape;
    number<T> *const ahead = (number<T> *)dynamic_shared;
    number<T> *const shared = shape::AHEAD ? ahead + shape::N * shape::ARRAYS : ahead;
    wait_for_stream();
    shape block(p.radices, (uint32_t)p.rows.batch, ahead);
    do {
        block.wait();
        ahead_passes<group<T, M>>(p.radices, shared, block);
        if constexpr (shape::DIRECT)
            store_rows<M, LOG>(p, block, shared);
        else
            store_lines<M, LOG>(p, block, shared);
    } while (block.next());
}

/* ------------------------------------------------------------------------------------- launches */

/* A kernel and its block. */
template <typename T> struct fixed_launch {
    void (*kernel)(whole_params<T>);
    unsigned threads, resident; /* resident: blocks in a multiprocessor, or 0 if each computes one tile */
    int arrays_log;
    size_t bytes;
};

template <typename T, int M, int LOG> static fixed_launch<T> find_rows(int log) {
    typedef fixed_shape<T, M, LOG> shape;
    if (log == LOG)
        return {fixed_kernel<T, M, LOG>, shape::THREADS, shape::AHEAD ? shape::RESIDENT : 0, shape::ARRAYS_LOG,
                fixed_block<T, M, LOG>::BYTES};
    if constexpr (LOG > 1) return find_rows<T, M, LOG - 1>(log);
    return {};
}

/* Returns the launch, without a kernel if there is none. */
template <typename T> static fixed_launch<T> find_launch(const fft_pass_call *c) {
    const size_t m = points_of(c);
    switch (m) {
#define CASE(M, F32, F64) \
    case M: return find_rows<T, M, (sizeof(T) == 4 ? F32 : F64)>(gpu_log2(c->n / m));
        FIXED(CASE)
#undef CASE
    default: return {};
    }
}

template <typename T> static bool is_fixed(const gpu *g, const fft_pass_call *c) {
    const fixed_launch<T> f = find_launch<T>(c);
    const size_t arrays = (size_t)1 << f.arrays_log;
    return f.kernel && f.bytes <= g->shared_bytes &&
           (c->batch <= arrays || c->batch / arrays >= (size_t)g->multiprocessors);
}

bool cuda_fft_takes_fixed(const gpu *g, const fft_pass_call *c) {
    return c->dtype == WEFT_F32 ? is_fixed<float>(g, c) : is_fixed<double>(g, c);
}

template <typename T>
static weft_status run_fixed(const gpu *g, const fft_pass_call *c, const void *x, void *y, const void *table,
                             weft_error *error) {
    const fixed_launch<T> f = find_launch<T>(c);
    const whole_params<T> p = whole_params_of<T>(c, x, y, table);
    const uint64_t tiles = ((c->batch - 1) >> f.arrays_log) + 1;
    return launch_passes(g, f.kernel, ahead_blocks(g, tiles, f.resident, f.bytes), f.threads, f.bytes, p, error);
}

weft_status cuda_fft_run_fixed(const gpu *g, const fft_pass_call *c, const void *x, void *y, const void *table,
                               weft_error *error) {
    return c->dtype == WEFT_F32 ? run_fixed<float>(g, c, x, y, table, error)
                                : run_fixed<double>(g, c, x, y, table, error);
}
