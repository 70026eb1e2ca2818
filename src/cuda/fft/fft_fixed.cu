/* Transforms of n = m 2^k values as in fft_whole.cu, with constant m: FIXED lists those that have kernels. */
#include "cuda/fft/fft_fixed.cuh"
#include "cuda/fft/fft_whole.cuh"

extern __shared__ __align__(16) unsigned char dynamic_shared[];

/* F(m, longest): rows of up to 2^longest numbers. */
#define FIXED(F) F(3, 10) F(5, 9) F(7, 5) F(9, 8) F(15, 8) F(25, 7) F(27, 5) F(45, 5) F(75, 5) F(125, 5)

/* The block of a kernel for rows of 2^LOG numbers: its positions are those of in_arrays in fft_whole.cu. */
template <typename T, int M, int LOG> struct fixed_block {
    static constexpr int most_log(int log) {
        return (int)sizeof(number<T>) * M << (log + 1) <= TOGETHER_BYTES ? most_log(log + 1) : log;
    }
    static constexpr int GROUPS = groups<T, M>(), WIDTH_LOG = most_log(LOG), WIDTH = 1 << WIDTH_LOG;
    static constexpr int ARRAYS_LOG = WIDTH_LOG - LOG;
    static constexpr int APART = padded::apart(WIDTH) | 1; /* the rows of short ones are in different banks */
    /* The lines of a warp, 32 times 16 numbers, may begin in the last row. */
    static constexpr int TOGETHER = LOG > 4 && WIDTH < 512 ? 512 / WIDTH : 1;
    static constexpr int HALF = (M - 1 + TOGETHER) / TOGETHER * TOGETHER * APART;
    static constexpr int HELD_LOG = line<LOG>::HELD_LOG;
    static constexpr int THREADS =
        LOG == 10 ? M << (LOG - HELD_LOG) : fixed_threads<T, M>(WIDTH, HELD_LOG, TOGETHER_THREADS);
    /* Blocks in a multiprocessor, bounded by registers. */
    static constexpr int RESIDENT_F32 = M % 25 == 0 ? 640 : LOG < 4 ? 1024 : 768;
    static constexpr int RESIDENT_F64 = LOG < 4 && largest_prime(M) == 5 && M % 9 != 0 ? 768 : 512;
    static constexpr int RESIDENT = (sizeof(T) == 4 ? RESIDENT_F32 : RESIDENT_F64) / THREADS;
    static constexpr bool KEEPS = true;
    /* Rows are stored from registers if the results of all m are long enough. */
    static constexpr bool DIRECT = LOG <= SHORT_ROWS_LOG && M * sizeof(number<T>) >= 96;
    static constexpr size_t BYTES = (!DIRECT || GROUPS > 1 ? 2 : 1) * HALF * sizeof(number<T>);
    uint32_t left;

    __device__ __forceinline__ uint32_t rest(const together_params<T> &) const { return 1u << LOG; }
    __device__ __forceinline__ uint32_t s(const together_params<T> &) const { return 1; }
    __device__ __forceinline__ bool load_along(const together_params<T> &) const {
        return sizeof(number<T>) << LOG < 32;
    }
    __device__ __forceinline__ bool store_along(const together_params<T> &) const { return false; }
    __device__ __forceinline__ uint32_t slot(uint32_t w) const { return (uint32_t)padded::apart((int)w); }
    __device__ __forceinline__ position<T> at(const together_params<T> &l, uint32_t w) const {
        const uint32_t array = (blockIdx.x << ARRAYS_LOG) + (w >> LOG), r = w & ((1u << LOG) - 1);
        return {l.j.x + (uint64_t)array * l.j.x_step + 2 * r, NULL, r, 0};
    }
};

/* Transforms and stores rows of 2^LOG numbers, each in the registers of a thread. Adjacent threads have adjacent
 * rows, whose results are adjacent. */
template <typename Block, int M, int LOG, typename T>
static __device__ __forceinline__ void store_rows(const whole_params<T> &p, const number<T> *from) {
    constexpr int HELD = 1 << LOG;
    const uint64_t first = (uint64_t)blockIdx.x << Block::ARRAYS_LOG;
    const uint32_t rows = M * (uint32_t)min((uint64_t)1 << Block::ARRAYS_LOG, p.rows.batch - first);
    for (uint32_t at = threadIdx.x; at < rows; at += Block::THREADS) {
        const uint32_t array = at / M, row = at % M;
        const number<T> *const x = from + row * Block::APART + (uint32_t)padded::apart((int)(array << LOG));
        number<T> v[HELD];
#pragma unroll
        for (int i = 0; i < HELD; i++) v[i] = x[i];
        stages<LOG>(v, (const number<T> *)p.rows.table, 0);
        finish<HELD>(p.rows, v);
        T *const y = p.radices.j.y + (first + array) * p.radices.j.y_step + 2 * row;
        store_numbers<HELD>(v, p.radices.j.y_aligned, false,
                            [=](int i) { return y + 2 * M * (int)natural_index<LOG>(0, i); });
    }
}

template <typename T, int M, int LOG>
static __global__ void __launch_bounds__(fixed_block<T, M, LOG>::THREADS, fixed_block<T, M, LOG>::RESIDENT)
    fixed_kernel(const __grid_constant__ whole_params<T> p) {
    typedef fixed_block<T, M, LOG> shape;
    number<T> *const shared = (number<T> *)dynamic_shared;
    const shape block = {(uint32_t)p.radices.j.all - (blockIdx.x << shape::WIDTH_LOG)};
    wait_for_stream();
    fixed_passes<M>(p.radices, shared, block);
    __syncthreads();
    number<T> *const from = shared + (shape::GROUPS % 2 ? 0 : shape::HALF);
    if constexpr (shape::DIRECT) {
        store_rows<shape, M, LOG>(p, from);
    } else {
        number<T> *const results = shared + (shape::GROUPS % 2 ? shape::HALF : 0);
        transform_lines<LOG>(p, M, shape::ARRAYS_LOG, shape::APART, from, results);
        __syncthreads();
        store_arrays(p, shape::ARRAYS_LOG, results);
    }
}

/* ------------------------------------------------------------------------------------- launches */

/* A kernel and its block. */
template <typename T> struct fixed_launch {
    void (*kernel)(whole_params<T>);
    unsigned threads;
    int width_log;
    size_t bytes;
};

template <typename T, int M, int LOG> static fixed_launch<T> launch_of() {
    typedef fixed_block<T, M, LOG> block;
    return {fixed_kernel<T, M, LOG>, block::THREADS, block::WIDTH_LOG, block::BYTES};
}

template <typename T, int M, int LONGEST> static fixed_launch<T> find_rows(int log) {
    if (log == LONGEST) return launch_of<T, M, LONGEST>();
    if constexpr (LONGEST > 1) return find_rows<T, M, LONGEST - 1>(log);
    return {};
}

/* Returns the launch, without a kernel if there is none. */
template <typename T> static fixed_launch<T> find_launch(const fft_pass_call *c) {
    const size_t m = points_of(c);
    const int log = gpu_log2(c->n / m);
    switch (m) {
#define CASE(M, LONGEST) \
    case M: return find_rows<T, M, LONGEST>(log);
        FIXED(CASE)
#undef CASE
    default: return {};
    }
}

template <typename T> static bool is_fixed(const gpu *g, const fft_pass_call *c) {
    const fixed_launch<T> f = find_launch<T>(c);
    const size_t arrays = ((size_t)1 << f.width_log) / (c->n / points_of(c));
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
    return launch_passes(g, f.kernel, ((p.radices.j.all - 1) >> f.width_log) + 1, f.threads, f.bytes, p, error);
}

weft_status cuda_fft_run_fixed(const gpu *g, const fft_pass_call *c, const void *x, void *y, const void *table,
                               weft_error *error) {
    return c->dtype == WEFT_F32 ? run_fixed<float>(g, c, x, y, table, error)
                                : run_fixed<double>(g, c, x, y, table, error);
}
