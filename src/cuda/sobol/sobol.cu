/* weft_sobol (ORDER.md 24). A small kernel computes the direction numbers and keys of the call's coordinates, which
 * then stay in the caches. A thread computes one coordinate of every 2^k-th point, so that adjacent threads write
 * adjacent elements. From one of its points to the next, the words differ by two direction numbers. All other
 * arithmetic is in arith/sobol.h. */
#include "arith/samples.h"
#include "arith/sobol.h"
#include "cuda/runtime/arrays.h"
#include "cuda/sobol/sobol_tables.h"

enum { THREADS = 256, THREADS_OF_MULTIPROCESSOR = 2048 };

static __device__ const weft_sobol_line LINES[] = {
#define DIRECTIONS(degree, inner, ...) {degree, inner, {__VA_ARGS__}},
#include "core/sobol.def"
};

/* -------------------------------------------------------------------------------- kernels */

/* One thread per coordinate. */
static __global__ void sobol_tables_kernel(uint64_t seed, uint64_t stream, bool scrambled, uint32_t dimensions,
                                           unsigned bits, uint64_t *directions, uint64_t *keys) {
    const uint32_t j = blockIdx.x * THREADS + threadIdx.x;
    if (j >= dimensions) return;
    keys[j] = scrambled ? weft_sobol_key(seed, stream, j) : 0;
    weft_sobol_directions(j == 0 ? nullptr : &LINES[j - 1], bits, dimensions, directions + j);
}

static __device__ void store(const uint32_t *words, float *to) { *to = weft_unit_f32(words + 1); }
static __device__ void store(const uint32_t *words, double *to) { *to = weft_unit_f64(words); }

/* Scrambles a coordinate's word and stores the coordinate. */
template <class T, bool OWEN> static __device__ __forceinline__ void finish(uint64_t word, uint64_t key, T *to) {
    if (!OWEN) word ^= key;
    uint32_t words[2] = {(uint32_t)word, (uint32_t)(word >> 32)}; /* the low half first */
    if (OWEN) {
        words[1] = weft_nested_scramble(words[1], (uint32_t)(key >> 32), (uint32_t)key);
        words[0] = weft_nested_scramble_low(words[1], words[0], (uint32_t)key);
    }
    store(words, to);
}

/* Writes elements [0, count) of out: the coordinates of the points from `first` on. There is one thread for each
 * coordinate of the first 2^k points. With h = floor(point / 2^k), h ^ (h + 1) has ones up to bit t, where t is the
 * number of trailing zeros of h + 1. The Gray codes of a thread's point and its next one therefore differ in the bits
 * k
 * + t and k - 1. */
template <class T, bool OWEN>
static __global__ void sobol_kernel(uint64_t first, uint64_t count, uint32_t dimensions, unsigned k,
                                    const uint64_t *__restrict__ directions, const uint64_t *__restrict__ keys,
                                    T *__restrict__ out) {
    const uint64_t threads = (uint64_t)dimensions << k;
    uint64_t at = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    if (at >= threads) return;
    const uint32_t j = (uint32_t)(at % dimensions);
    uint64_t point = first + at / dimensions, word = 0;
    const uint64_t *const v = directions + j, *bit = v;
    const uint64_t key = keys[j], lower = k > 0 ? v[(uint64_t)(k - 1) * dimensions] : 0;
    for (uint64_t gray = point ^ point >> 1; gray; gray >>= 1, bit += dimensions)
        if (gray & 1) word ^= *bit;
#pragma unroll 4
    while (at < count) {
        finish<T, OWEN>(word, key, out + at);
        at += threads;
        point += (uint64_t)1 << k;
        const unsigned t = (unsigned)__ffsll((long long)(point >> k)) - 1;
        if (at < count) word ^= v[(uint64_t)(k + t) * dimensions] ^ lower;
    }
}

/* ------------------------------------------------------------------------------- launching */

weft_status gpu_sobol_tables(const gpu *g, uint64_t seed, uint64_t stream, bool scrambled, size_t dimensions,
                             unsigned bits, uint64_t *tables, weft_error *error) {
    const unsigned blocks = ((unsigned)dimensions - 1) / THREADS + 1;
    sobol_tables_kernel<<<blocks, THREADS, 0, g->stream>>>(seed, stream, scrambled, (uint32_t)dimensions, bits,
                                                           tables, tables + bits * dimensions);
    CUDA_TRY(cudaGetLastError(), "sobol");
    return WEFT_OK;
}

template <class T, bool OWEN>
static weft_status launch(const gpu *g, const sobol_call *c, unsigned bits, const uint64_t *tables, void *out,
                          weft_error *error) {
    const uint64_t most = (uint64_t)g->multiprocessors * THREADS_OF_MULTIPROCESSOR;
    unsigned k = 0;
    while (c->dimensions << (k + 1) <= most && (size_t)1 << (k + 1) <= c->n) k++;
    const unsigned blocks = (unsigned)(((c->dimensions << k) - 1) / THREADS) + 1;
    sobol_kernel<T, OWEN><<<blocks, THREADS, 0, g->stream>>>(c->first, (uint64_t)c->n * c->dimensions,
                                                             (uint32_t)c->dimensions, k, tables,
                                                             tables + bits * c->dimensions, (T *)out);
    CUDA_TRY(cudaGetLastError(), "sobol");
    return WEFT_OK;
}

template <class T>
static weft_status launch_type(const gpu *g, const sobol_call *c, unsigned bits, const uint64_t *tables, void *out,
                               weft_error *error) {
    return c->scrambling == WEFT_OWEN ? launch<T, true>(g, c, bits, tables, out, error)
                                      : launch<T, false>(g, c, bits, tables, out, error);
}

weft_status cuda_sobol(void *state, const sobol_call *c, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    const uint64_t last = c->first + (c->n - 1);
    unsigned bits = 0;
    while (last >> bits) bits++; /* at most 63 */
    gpu_array out = {"out", c->out, c->n * c->dimensions * cuda_type_bytes(c->dtype), ARRAY_OUT, false, NULL};
    void *scratch;
    RETURN_IF_ERROR(arrays_copy_in(g, "sobol", &out, 1, sobol_table_bytes(bits, c->dimensions), &scratch, error));
    uint64_t *const tables = (uint64_t *)scratch;
    RETURN_IF_ERROR(gpu_sobol_tables(g, c->seed, c->stream, c->scrambling != WEFT_UNSCRAMBLED, c->dimensions, bits,
                                     tables, error));
    if (c->dtype == WEFT_F32)
        RETURN_IF_ERROR(launch_type<float>(g, c, bits, tables, out.at, error));
    else
        RETURN_IF_ERROR(launch_type<double>(g, c, bits, tables, out.at, error));
    return arrays_copy_out(g, "sobol", &out, 1, error);
}
