/* Transforms of m 2^k values by the phases of fft_phases.cuh. fft_phases_f32.def and fft_phases_f64.def list the
 * lengths that have kernels, fft_phases_few.def those that have others for few arrays. */
#include "cuda/fft/fft_calls.h"
#include "cuda/fft/fft_phases.cuh"

extern __shared__ __align__(16) unsigned char dynamic_shared[];

template <class shape, typename T>
static __global__ void __launch_bounds__(shape::THREADS, shape::RESIDENT)
    phases_kernel(const __grid_constant__ whole_params<T> p) {
    const uint64_t first = (uint64_t)blockIdx.x * shape::ARRAYS;
    const phases_arrays own = {first, (uint32_t)min((uint64_t)shape::ARRAYS, p.rows.batch - first)};
    wait_for_stream();
    run_phases<shape, typename shape::first, 0>(p, own, (number<T> *)dynamic_shared);
}

/* A longer array fills a multiprocessor: for few of them, launches of many blocks are faster. */
template <typename T> static constexpr size_t LONGEST = sizeof(T) == 4 ? 12288 : 5120;

/* A kernel and its block. */
template <typename T> struct phases_launch {
    void (*kernel)(whole_params<T>);
    unsigned threads, arrays;
    size_t bytes;
};

template <class shape, typename T> static phases_launch<T> launch_of() {
    return {phases_kernel<shape, T>, shape::THREADS, shape::ARRAYS, shape::BYTES};
}

/* Return the launch for n values, without a kernel if there is none. */
static void find_launch(size_t n, phases_launch<float> *f) {
    switch (n) {
#define FFT_PHASES(M, LOG, INCLUDED, ARRAYS, THREADS)                                        \
    case M << LOG:                                                                           \
        *f = launch_of<phases_shape<float, M, LOG, 25, INCLUDED, ARRAYS, THREADS>, float>(); \
        break;
#include "cuda/fft/fft_phases_f32.def"
    default: *f = {};
    }
}
static void find_launch(size_t n, phases_launch<double> *f) {
    switch (n) {
#define FFT_PHASES(M, LOG, GROUP, INCLUDED, ARRAYS, THREADS)                                      \
    case M << LOG:                                                                                \
        *f = launch_of<phases_shape<double, M, LOG, GROUP, INCLUDED, ARRAYS, THREADS>, double>(); \
        break;
#include "cuda/fft/fft_phases_f64.def"
    default: *f = {};
    }
}

/* Returns the launch for few arrays of n values, without a kernel if there is none. */
template <typename T> static phases_launch<T> find_few(size_t n) {
#define FFT_PHASES(TYPE, M, LOG, THREADS)    \
    if constexpr (sizeof(T) == sizeof(TYPE)) \
        if (n == (size_t)M << LOG) return launch_of<phases_shape<T, M, LOG, 1, 0, 1, THREADS>, T>();
#include "cuda/fft/fft_phases_few.def"
    return {};
}

/* Returns the launch for a call, without a kernel if there is none. */
template <typename T> static phases_launch<T> launch_for(const gpu *g, const fft_pass_call *c) {
    phases_launch<T> f = {};
    if (c->batch <= (size_t)g->multiprocessors) f = find_few<T>(c->n);
    if (!f.kernel) find_launch(c->n, &f);
    return f;
}

template <typename T> static bool takes_phases(const gpu *g, const fft_pass_call *c) {
    const phases_launch<T> f = launch_for<T>(g, c);
    const bool enough = c->n <= LONGEST<T> || c->batch >= (size_t)g->multiprocessors / 2;
    return f.kernel && f.bytes <= g->shared_bytes && enough;
}

bool cuda_fft_takes_phases(const gpu *g, const fft_pass_call *c) {
    return c->dtype == WEFT_F32 ? takes_phases<float>(g, c) : takes_phases<double>(g, c);
}

template <typename T>
static weft_status run(const gpu *g, const fft_pass_call *c, const void *x, void *y, const void *table,
                       weft_error *error) {
    const phases_launch<T> f = launch_for<T>(g, c);
    const whole_params<T> p = whole_params_of<T>(c, x, y, table);
    return launch_passes(g, f.kernel, (c->batch - 1) / f.arrays + 1, f.threads, f.bytes, p, error);
}

weft_status cuda_fft_run_phases(const gpu *g, const fft_pass_call *c, const void *x, void *y, const void *table,
                                weft_error *error) {
    return c->dtype == WEFT_F32 ? run<float>(g, c, x, y, table, error) : run<double>(g, c, x, y, table, error);
}
