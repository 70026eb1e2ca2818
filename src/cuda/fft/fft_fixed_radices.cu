/* Passes of odd radices with a constant product M, as in fft_radices.cu: FIXED lists the products that have kernels.
 * Those above TOGETHER_MOST are transforms of M values, which have no other passes. */
#include "cuda/fft/fft_calls.h"
#include "cuda/fft/fft_fixed.cuh"

extern __shared__ __align__(16) unsigned char dynamic_shared[];

#define FIXED(F) \
    F(9)         \
    F(15) F(25) F(27) F(45) F(49) F(75) F(81) F(125) F(225) F(243) F(343) F(375) F(625) F(729) F(2187) F(2401) F(3125)

/* The positions of a block are those of in_order in fft_radices.cu. */
template <typename T, int M> struct fixed_block {
    static constexpr int LEAST = M > TOGETHER_MOST ? 1 : 64 / (int)sizeof(number<T>);
    static constexpr int width(int most) {
        return most > LEAST && M * most * (int)sizeof(number<T>) > TOGETHER_BYTES ? width(most / 2) : most;
    }
    static constexpr int WIDTH = width(128), APART = WIDTH | 1, HALF = M * APART;
    static constexpr int GROUPS = groups<T, M>(),
                         THREADS = fixed_threads<T, M>(WIDTH, -1, M > TOGETHER_MOST ? 512 : TOGETHER_THREADS);
    static constexpr bool KEEPS = false;
    /* Blocks in a multiprocessor, bounded by registers. */
    static constexpr int RESIDENT = (M % 25 == 0      ? (sizeof(T) == 4 ? 640 : 1024)
                                     : sizeof(T) == 4 ? 1024
                                                      : 512) /
                                    THREADS;
    static constexpr size_t BYTES = (GROUPS < 3 ? GROUPS - 1 : 2) * HALF * sizeof(number<T>);
    uint32_t left;

    __device__ __forceinline__ uint32_t rest(const together_params<T> &l) const { return l.rest.n; }
    __device__ __forceinline__ uint32_t s(const together_params<T> &l) const { return (uint32_t)l.j.s; }
    __device__ __forceinline__ bool load_along(const together_params<T> &l) const { return l.rest.n < 3; }
    __device__ __forceinline__ bool store_along(const together_params<T> &l) const { return l.positions.n < 3; }
    __device__ __forceinline__ uint32_t slot(uint32_t w) const { return w; }
    __device__ __forceinline__ position<T> at(const together_params<T> &l, uint32_t w) const {
        return position_at(l, blockIdx.x * WIDTH + w);
    }
};

template <typename T, int M>
static __global__ void __launch_bounds__(fixed_block<T, M>::THREADS, fixed_block<T, M>::RESIDENT)
    fixed_radices_kernel(const __grid_constant__ together_params<T> l) {
    const fixed_block<T, M> block = {(uint32_t)l.j.all - blockIdx.x * fixed_block<T, M>::WIDTH};
    wait_for_stream();
    fixed_passes<M>(l, (number<T> *)dynamic_shared, block);
}

/* ------------------------------------------------------------------------------------- launches */

/* A kernel and its block. */
template <typename T> struct fixed_launch {
    void (*kernel)(together_params<T>);
    unsigned threads;
    uint32_t width;
    size_t bytes;
};

/* Returns the launch, without a kernel if there is none. */
template <typename T> static fixed_launch<T> find_launch(const fft_pass_call *c) {
    switch (points_of(c)) {
#define CASE(M)                                                                                   \
    case M:                                                                                       \
        return {fixed_radices_kernel<T, M>, fixed_block<T, M>::THREADS, fixed_block<T, M>::WIDTH, \
                fixed_block<T, M>::BYTES};
        FIXED(CASE)
#undef CASE
    default: return {};
    }
}

template <typename T> static bool is_fixed(const gpu *g, const fft_pass_call *c) {
    const fixed_launch<T> f = find_launch<T>(c);
    return f.kernel && f.bytes <= g->shared_bytes;
}

bool cuda_fft_has_radices(const gpu *g, const fft_pass_call *c) {
    return c->dtype == WEFT_F32 ? is_fixed<float>(g, c) : is_fixed<double>(g, c);
}

template <typename T>
static weft_status run_fixed(const gpu *g, const fft_pass_call *c, const void *x, void *y, weft_error *error) {
    const fixed_launch<T> f = find_launch<T>(c);
    const together_params<T> l = together_params_of<T>(c, x, y);
    return launch_passes(g, f.kernel, (l.j.all - 1) / f.width + 1, f.threads, f.bytes, l, error);
}

weft_status cuda_fft_run_fixed_radices(const gpu *g, const fft_pass_call *c, const void *x, void *y,
                                       weft_error *error) {
    return c->dtype == WEFT_F32 ? run_fixed<float>(g, c, x, y, error) : run_fixed<double>(g, c, x, y, error);
}
