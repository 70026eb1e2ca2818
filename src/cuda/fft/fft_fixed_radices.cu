/* Passes of odd radices with a constant product M, as in fft_radices.cu. fft_fixed_radices.def lists the products
 * that have kernels. */
#include "cuda/fft/fft_ahead.cuh"
#include "cuda/fft/fft_calls.h"

extern __shared__ __align__(16) unsigned char dynamic_shared[];

/* Positions and threads of a block, and the most numbers of a group. */
template <typename T, int M> struct fixed_shape;
#define FIXED(M, F32_WIDTH, F32_THREADS, F32_GROUP, F64_WIDTH, F64_THREADS, F64_GROUP)   \
    template <> struct fixed_shape<float, M> {                                           \
        static constexpr int WIDTH = F32_WIDTH, THREADS = F32_THREADS, MOST = F32_GROUP; \
    };                                                                                   \
    template <> struct fixed_shape<double, M> {                                          \
        static constexpr int WIDTH = F64_WIDTH, THREADS = F64_THREADS, MOST = F64_GROUP; \
    };
#include "cuda/fft/fft_fixed_radices.def"

/* Whole arrays of up to so many values have kernels of their own, unless fft_phases.cu has one. */
#define ARRAYS_MOST 125

/* ------------------------------------------------------------------------------- passes of longer arrays */

/* The positions of a block are those of in_order in fft_radices.cu. */
template <typename T, int M> struct fixed_block : fixed_shape<T, M> {
    using fixed_shape<T, M>::WIDTH, fixed_shape<T, M>::THREADS;
    typedef group<T, M, 1, fixed_shape<T, M>::MOST> first;
    static constexpr int APART = WIDTH | 1, HELD = held_in_groups<first>(WIDTH, THREADS);
    static constexpr int FIT = (sizeof(T) == 4 && HELD > 12 ? 640 : held_threads<T>(HELD)) / THREADS;
    static constexpr int RESIDENT = FIT > 0 ? FIT : 1;
    static constexpr bool WHOLE = false;
    static constexpr size_t BYTES = groups<first>() > 1 ? M *APART * sizeof(number<T>) : 0;
    uint32_t left;

    __device__ __forceinline__ fixed_block(uint32_t left) : left(left) {}
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
    const fixed_block<T, M> block((uint32_t)l.j.all - blockIdx.x * fixed_block<T, M>::WIDTH);
    wait_for_stream();
    fixed_passes<typename fixed_block<T, M>::first>(l, (number<T> *)dynamic_shared, block);
}

/* -------------------------------------------------------------------------------------- whole arrays */

template <typename T, int M> struct arrays_shape {
    static constexpr int UNITS = group<T, M>::UNITS; /* enough for most threads of a block */
    static constexpr int arrays(int most) {
        return most > 1 && M * most * (int)sizeof(number<T>) > ahead_bytes<T, M>() && UNITS * most >= 192
                   ? arrays(most / 2)
                   : most;
    }
    static constexpr int ARRAYS = arrays(128);
    static constexpr int THREADS =
        fixed_threads<T, M>(ARRAYS, -1, M *ARRAYS / (sizeof(T) == 4 ? 25 : 10), TOGETHER_THREADS);
    static constexpr int RESIDENT_F32 = M % 25 == 0 ? 640 : 1024;
    static constexpr int RESIDENT_F64 = M % 25 == 0 || M % 7 == 0 ? 1024 : M % 27 == 0 ? 768 : 512;
    static constexpr int RESIDENT = (sizeof(T) == 4 ? RESIDENT_F32 : RESIDENT_F64) / THREADS;
};

template <typename T, int M>
using arrays_tile = ahead_tile<T, M, 1, arrays_shape<T, M>::ARRAYS, arrays_shape<T, M>::THREADS, true>;

template <typename T, int M> struct arrays_block : arrays_tile<T, M> {
    using tile = arrays_tile<T, M>;
    using tile::tile, tile::ARRAYS;
    static constexpr int APART = ARRAYS | 1;
    static constexpr bool KEEPS =
        groups<group<T, M>>() == 1; /* a thread has the results of an array, far from others */
    static constexpr size_t BYTES = (ARRAYS + APART) * M * sizeof(number<T>);
    static __device__ __forceinline__ uint32_t slot(uint32_t w) { return w; }
};

/* Stores results that are in shared memory. */
template <int M, typename T, typename Block>
static __device__ __forceinline__ void store_kept(const together_params<T> &l, const number<T> *shared,
                                                  const Block &block) {
    for (uint32_t b = threadIdx.x; b < M * min((uint32_t)Block::ARRAYS, block.left); b += Block::THREADS) {
        number<T> v = shared[b % M * Block::APART + block.slot(b / M)];
        store_last<T, 1>(l, block.at(l, b / M), b % M, &v);
    }
}

template <typename T, int M>
static __global__ void __launch_bounds__(arrays_shape<T, M>::THREADS, arrays_shape<T, M>::RESIDENT)
    arrays_kernel(const __grid_constant__ together_params<T> l) {
    typedef arrays_block<T, M> shape;
    number<T> *const ahead = (number<T> *)dynamic_shared, *const shared = ahead + M * shape::ARRAYS;
    wait_for_stream();
    shape block(l, (uint32_t)l.j.all, ahead);
    do {
        block.wait();
        ahead_passes<group<T, M>>(l, shared, block);
        if constexpr (shape::KEEPS) store_kept<M>(l, shared, block);
    } while (block.next());
}

/* ------------------------------------------------------------------------------------- launches */

/* A kernel and its block, which computes `width` positions. resident: blocks in a multiprocessor, if each may compute
 * several tiles. */
template <typename T> struct fixed_launch {
    void (*kernel)(together_params<T>);
    unsigned threads, resident;
    uint32_t width;
    size_t bytes;
};

template <typename T, int M> static fixed_launch<T> launch_of(const fft_pass_call *c) {
    if constexpr (M <= ARRAYS_MOST) {
        typedef arrays_shape<T, M> shape;
        if (c->n == M)
            return {arrays_kernel<T, M>, shape::THREADS, shape::RESIDENT, shape::ARRAYS, arrays_block<T, M>::BYTES};
    }
    typedef fixed_block<T, M> block;
    return {fixed_radices_kernel<T, M>, block::THREADS, 0, block::WIDTH, block::BYTES};
}

/* Returns the launch, without a kernel if there is none. */
template <typename T> static fixed_launch<T> find_launch(const fft_pass_call *c) {
    const size_t points = points_of(c);
#define FIXED(M, ...) \
    if (points == M) return launch_of<T, M>(c);
#include "cuda/fft/fft_fixed_radices.def"
    return {};
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
    const uint64_t blocks = ahead_blocks(g, (l.j.all - 1) / f.width + 1, f.resident, f.bytes);
    return launch_passes(g, f.kernel, blocks, f.threads, f.bytes, l, error);
}

weft_status cuda_fft_run_fixed_radices(const gpu *g, const fft_pass_call *c, const void *x, void *y,
                                       weft_error *error) {
    return c->dtype == WEFT_F32 ? run_fixed<float>(g, c, x, y, error) : run_fixed<double>(g, c, x, y, error);
}
