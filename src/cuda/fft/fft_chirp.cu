/* Transforms whose length has a large prime factor (ORDER.md 14.10), in one pass over memory: both transforms of M
 * values, and the products before, between and after them, in shared memory. */
#include "cuda/fft/fft_calls.h"
#include "cuda/fft/fft_full.cuh"
#include "cuda/fft/transforms.h"
#include "cuda/runtime/overlap.cuh"

#include <string.h>

static const char NAME[] = "fft";

enum { CHIRP_LEAST_LOG = 8, CHIRP_MOST_LOG = 13 }; /* the first prime factor is 101: M is at least 256 */

/* j: of transforms of M values; their scale is 1/M, and parts are not exchanged. */
template <typename T> struct chirp_params {
    fft_params j;
    const number<T> *chirp, *filter; /* g, H */
    uint32_t length;                 /* values of an array */
    bool exchange_in, exchange_out, scaled;
    T scale;
};

extern __shared__ __align__(16) unsigned char dynamic_shared[];

/* Returns value `index` of u. */
template <typename T>
static __device__ __forceinline__ number<T> chirped(const chirp_params<T> &p, const T *x, uint32_t index) {
    if (index >= p.length) return number<T>{0, 0};
    const number<T> v = load_number(x, index, p.j.x_aligned);
    return multiply(p.exchange_in ? swapped(v) : v, p.chirp[index]);
}

/* Moves the results of a transform of the threads of a line to shared memory, in natural order: number a is at
 * position moved<T, LOG>(a). */
template <int LOG, typename T>
static __device__ __forceinline__ void keep_results(number<T> *own, int t, const number<T> *v) {
    const int first = moved<T, LOG>((int)natural_index<LOG>(t, 0));
    padded_in_warps::wait<LOG>();
#pragma unroll
    for (int i = 0; i < line<LOG>::HELD; i++) own[first ^ moved<T, LOG>((int)natural_index<LOG>(0, i))] = v[i];
    padded_in_warps::wait<LOG>();
}

/* Blocks in a multiprocessor, bounded by registers. */
template <int LOG, typename T>
static constexpr int CHIRP_RESIDENT = 3072 / (int)sizeof(T) / full_shape<LOG>::THREADS > 0
                                          ? 3072 / (int)sizeof(T) / full_shape<LOG>::THREADS
                                          : 1;

template <int LOG, typename T>
static __global__ void __launch_bounds__(full_shape<LOG>::THREADS, CHIRP_RESIDENT<LOG, T>)
    chirp_kernel(const __grid_constant__ chirp_params<T> p) {
    typedef line<LOG> l;
    const number<T> *const table = (const number<T> *)p.j.table;
    number<T> *const shared = (number<T> *)dynamic_shared;
    const int t = threadIdx.x % l::THREADS, which = threadIdx.x / l::THREADS;
    const uint64_t array = (uint64_t)blockIdx.x * full_shape<LOG>::ARRAYS + which;
    const bool there = array < p.j.batch;
    const padded_in_warps at{{which * padded_size<LOG>()}};
    number<T> *const own = shared + at.first;
    const uint32_t first = (uint32_t)l::template index_of<0>(t, 0);
    const T *const x = (const T *)p.j.x + 2 * (there ? array : 0) * p.j.x_step;
    number<T> v[l::HELD];
    wait_for_stream();
#pragma unroll
    for (int i = 0; i < l::HELD; i++) v[i] = chirped(p, x, first + (uint32_t)l::template index_of<0>(0, i));
    phases_from<LOG>(v, shared, t, table, 0, at);
    keep_results<LOG>(own, t, v);
    const int moved_first = moved<T, LOG>((int)first);
#pragma unroll
    for (int i = 0; i < l::HELD; i++) {
        const int step = l::template index_of<0>(0, i);
        v[i] = swapped(multiply(own[moved_first ^ moved<T, LOG>(step)], p.filter[first + (uint32_t)step]));
    }
    phases_from<LOG>(v, shared, t, table, 0, at);
#pragma unroll
    for (int i = 0; i < l::HELD; i++) v[i] = finished(swapped(v[i]), (T)p.j.scale);
    keep_results<LOG>(own, t, v);
    if (!there) return;
    T *const y = (T *)p.j.y + 2 * array * p.j.y_step;
    for (uint32_t i = (uint32_t)t; i < p.length; i += l::THREADS) {
        number<T> b = multiply(own[moved<T, LOG>((int)i)], p.chirp[i]);
        if (p.scaled) b = number<T>{b.re * p.scale, b.im * p.scale};
        store_number(y, i, p.j.y_aligned, finished(p.exchange_out ? swapped(b) : b, (T)1));
    }
}

/* ------------------------------------------------------------------------------------- launches */

template <typename T> struct chirp_launch {
    void (*kernel)(chirp_params<T>);
    unsigned threads;
    size_t arrays, bytes; /* of a block */
};

/* Returns the launch for M = 2^log, without a kernel if M is too large. */
template <typename T, int LOG = CHIRP_MOST_LOG> static chirp_launch<T> find_launch(int log) {
    typedef full_shape<LOG> shape;
    if (log == LOG)
        return {chirp_kernel<LOG, T>, shape::THREADS, shape::ARRAYS,
                shape::ARRAYS * padded_size<LOG>() * sizeof(number<T>)};
    if constexpr (LOG > CHIRP_LEAST_LOG) return find_launch<T, LOG - 1>(log);
    return {};
}

bool cuda_fft_takes_chirp(const gpu *g, const fft_pass_call *c) {
    const int log = gpu_log2(c->count);
    const size_t bytes = c->dtype == WEFT_F32 ? find_launch<float>(log).bytes : find_launch<double>(log).bytes;
    return bytes > 0 && bytes <= g->shared_bytes;
}

template <typename T>
static weft_status run_chirp(const gpu *g, const fft_pass_call *c, const void *x, void *y, const void *table,
                             weft_error *error) {
    const chirp_launch<T> f = find_launch<T>(gpu_log2(c->count));
    chirp_params<T> p;
    memset(&p, 0, sizeof p);
    p.j.x = x;
    p.j.y = y;
    p.j.table = table;
    p.j.batch = c->batch;
    p.j.x_step = c->x_step / 2;
    p.j.y_step = c->y_step / 2;
    p.j.scale = 1 / (double)c->count;
    p.j.x_aligned = (uintptr_t)x % sizeof(number<T>) == 0;
    p.j.y_aligned = (uintptr_t)y % sizeof(number<T>) == 0;
    p.chirp = (const number<T> *)c->factors;
    p.filter = (const number<T> *)c->filter;
    p.length = (uint32_t)c->n;
    p.exchange_in = c->exchange_in;
    p.exchange_out = c->exchange_out;
    p.scaled = c->scale != 0;
    p.scale = (T)c->scale;
    RETURN_IF_ERROR(gpu_allow_shared(g, (const void *)f.kernel, NAME, error));
    CUDA_TRY(launch_early(g, true, f.kernel, (unsigned)((c->batch - 1) / f.arrays + 1), f.threads, f.bytes, p), NAME);
    return WEFT_OK;
}

weft_status cuda_fft_run_chirp(gpu *g, const fft_pass_call *c, const void *x, void *y, weft_error *error) {
    const void *table;
    RETURN_IF_ERROR(gpu_twiddles(g, NAME, c->dtype, gpu_log2(c->count), &table, error));
    return c->dtype == WEFT_F32 ? run_chirp<float>(g, c, x, y, table, error)
                                : run_chirp<double>(g, c, x, y, table, error);
}
