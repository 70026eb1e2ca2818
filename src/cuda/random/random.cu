/* weft_random and weft_random_integers: one thread per block of Philox (ORDER.md 19), whose samples are written by
 * one store. There is one kernel; its parameter SAMPLES converts a block's words to samples. Normals are computed by
 * cuda/random/normals.cuh, those of normal_fast by cuda/random/fast_normals.cuh; all other arithmetic is in
 * arith/samples.h. */
#include "arith/samples.h"
#include "cuda/random/fast_normals.cuh"
#include "cuda/random/normal_table.h"
#include "cuda/random/words.cuh"
#include "cuda/runtime/arrays.h"

enum { THREADS = 256, THREADS_OF_MULTIPROCESSOR = 2048 };

/* Chunks that a thread block writes, one after another. On an H100, 1 chunk takes 1.3 times as long; 3, 6 and 8 take
 * equally long for uniform numbers, and 6 the least for normals. */
enum { ROUNDS = 6 };

/* ------------------------------------------------------------------------- table of normals */

/* One thread per entry. */
static __global__ void normal_table_kernel(uint32_t parts, normal_part *table) {
    const uint32_t k = blockIdx.x * THREADS + threadIdx.x;
    if (k < parts) table[k] = make_part(k);
}

weft_status gpu_normal_table(const gpu *g, uint32_t octaves, normal_part *table, weft_error *error) {
    const uint32_t parts = octaves * NORMAL_PARTS;
    if (parts == 0) return WEFT_OK;
    normal_table_kernel<<<(parts - 1) / THREADS + 1, THREADS, 0, g->stream>>>(parts, table);
    CUDA_TRY(cudaGetLastError(), "computing the table of normals");
    return WEFT_OK;
}

/* ------------------------------------------------------------------------------- samples */

struct source {
    uint64_t seed, stream;
};

/* Conversion of words to a uniform number of type T, or to the middle of a part of (0, 1). */
template <class T> struct words_of;
template <> struct words_of<float> {
    static __device__ float uniform(const uint32_t *w, float a, float b) { return weft_uniform_f32(w, a, b); }
    static __device__ double middle(const uint32_t *w) { return weft_middle_f32(w); }
};
template <> struct words_of<double> {
    static __device__ double uniform(const uint32_t *w, double a, double b) { return weft_uniform_f64(w, a, b); }
    static __device__ double middle(const uint32_t *w) { return weft_middle_f64(w); }
};

/* Distributions with one sample at a time: each converts the words of sample i to the sample. */
template <class T> struct uniform_sample {
    T a, b;
    __device__ T operator()(const uint32_t *w, source, uint64_t) const { return words_of<T>::uniform(w, a, b); }
};
template <class T> struct exponential_sample {
    double rate;
    __device__ T operator()(const uint32_t *w, source, uint64_t) const {
        return (T)weft_exponential(words_of<T>::middle(w), rate);
    }
};
struct bernoulli_sample {
    weft_chance chance;
    __device__ uint8_t operator()(const uint32_t *w, source s, uint64_t i) const {
        return w[0] == chance.whole ? weft_bernoulli_tie(&chance, s.seed, s.stream, i) : w[0] < chance.whole;
    }
};
struct integer_sample_32 {
    uint32_t lower, last;
    __device__ uint32_t operator()(const uint32_t *w, source s, uint64_t i) const {
        uint64_t scaled = weft_scaled_32(w[0], last);
        if ((uint32_t)scaled + last < last) scaled += weft_addend(last, s.seed, s.stream, i);
        return lower + (uint32_t)(scaled >> 32);
    }
};
struct integer_sample_64 {
    uint64_t lower, last;
    __device__ uint64_t operator()(const uint32_t *w, source s, uint64_t i) const {
        const weft_scaled scaled = weft_scaled_64(weft_word_64(w), last);
        if (scaled.low + last >= last) return lower + scaled.high;
        return lower + scaled.high + (scaled.low + weft_addend(last, s.seed, s.stream, i) < scaled.low);
    }
};

/* -------------------------------------------------------------------------------- blocks */

extern __shared__ __align__(16) unsigned char dynamic_shared[];

/* Classes for SAMPLES: each converts the words w of GROUP blocks, after PHILOX_ROUNDS rounds, to their samples; i is
 * the index of the first sample. UNROLLED is the number of chunks whose instructions are interleaved. */
template <class T, class SAMPLE> struct one_by_one {
    static constexpr bool PREPARES = false;
    static constexpr int BLOCK_THREADS = THREADS, GROUP = 1, UNROLLED = ROUNDS, PHILOX_ROUNDS = 10,
                         COUNT = WEFT_BLOCK_WORDS / WEFT_SAMPLE_WORDS(sizeof(T));
    SAMPLE sample;
    __device__ void prepare() {}
    __device__ __forceinline__ void operator()(const uint32_t *w, source s, uint64_t i, T *to) const {
#pragma unroll
        for (int j = 0; j < COUNT; j++) to[j] = sample(w + j * WEFT_SAMPLE_WORDS(sizeof(T)), s, i + j);
    }
};

/* Normals in f32, or their exponentials, from the table. */
template <bool LOG> struct near_samples {
    static constexpr bool PREPARES = true;
    static constexpr int BLOCK_THREADS = 512, GROUP = 1, UNROLLED = 1, PHILOX_ROUNDS = 10;
    double mean, deviation;
    const normal_part *table;
    uint32_t octaves;
    near_normals near;
    __device__ void prepare() { near = copy_in_normals(table, octaves, (normal_part *)dynamic_shared); }
    __device__ __forceinline__ void operator()(const uint32_t *w, source, uint64_t, float *to) const {
        const double a = mean, b = deviation;
        if (LOG)
            four_log_normals(near, w, a, b, to);
        else
            four_normals(
                near, w, [a, b](double z) { return fma(b, z, a); }, to);
    }
};

/* normal_fast samples, or their exponentials. On an H200, with 256 threads and two chunks interleaved they take 1.1
 * times as long. */
template <bool LOG> struct fast_samples {
    static constexpr bool PREPARES = false;
    static constexpr int BLOCK_THREADS = 128, GROUP = 1, UNROLLED = ROUNDS, PHILOX_ROUNDS = WEFT_FAST_ROUNDS;
    float mean, deviation;
    __device__ void prepare() {}
    __device__ __forceinline__ void operator()(const uint32_t *w, source, uint64_t, float *to) const {
#pragma unroll
        for (int j = 0; j < 4; j += 2) {
            const weft_pair z = fast_normals(w[j], w[j + 1]);
            const float x = fmaf(deviation, z.first, mean), y = fmaf(deviation, z.second, mean);
            to[j] = LOG ? weft_fast_exp(x) : x;
            to[j + 1] = LOG ? weft_fast_exp(y) : y;
        }
    }
};

/* Normals in f64, or their exponentials, rounded to T. Converts four words, or four pairs of words, at a time. */
template <class T, bool LOG> struct quantile_samples {
    static constexpr bool PREPARES = false;
    static constexpr int BLOCK_THREADS = THREADS, GROUP = WEFT_SAMPLE_WORDS(sizeof(T)), UNROLLED = 1,
                         PHILOX_ROUNDS = 10;
    double mean, deviation;
    __device__ void prepare() {}
    __device__ __forceinline__ void operator()(const uint32_t *w, source, uint64_t, T *to) const {
        double p[4], z[4];
#pragma unroll
        for (int j = 0; j < 4; j++) p[j] = words_of<T>::middle(w + j * GROUP);
        four_quantiles((double *)dynamic_shared + threadIdx.x / 32 * NORMALS_QUEUE, p, z);
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const double x = fma(deviation, z[j], mean);
            to[j] = (T)(LOG ? weft_exp_f64(x) : x);
        }
    }
};

/* -------------------------------------------------------------------------------- kernel */

/* The type that holds the samples of one Philox block in one register or vector, by their bytes. It is stored by
 * __stcg, because the compiler divides other stores of vectors here into one for each sample. */
template <size_t BYTES> struct pack;
template <> struct pack<4> { typedef uint32_t type; };
template <> struct pack<16> { typedef uint4 type; };

/* A part of an array of samples: samples first ... first + n - 1 to `out`. A Philox block that begins at a position
 * less than `packs` is aligned in out and fits in it. */
template <class T> struct samples_part {
    uint64_t first, n, packs;
    T *__restrict__ out;
};

/* Computes the samples of Philox block `block` and, if GROUP > 1, of those after each BLOCK_THREADS more. */
template <class T, class SAMPLES>
static __device__ __forceinline__ void make_samples(const SAMPLES &samples, source s, const round_keys &keys,
                                                    uint64_t block, T *made) {
    constexpr int COUNT = WEFT_BLOCK_WORDS / WEFT_SAMPLE_WORDS(sizeof(T)), GROUP = SAMPLES::GROUP;
    uint32_t w[WEFT_BLOCK_WORDS * GROUP];
#pragma unroll
    for (int g = 0; g < GROUP; g++) {
        const weft_philox_block words =
            philox_words<SAMPLES::PHILOX_ROUNDS>(block + g * SAMPLES::BLOCK_THREADS, s.stream, keys);
#pragma unroll
        for (int j = 0; j < WEFT_BLOCK_WORDS; j++) w[g * WEFT_BLOCK_WORDS + j] = words.v[j];
    }
    samples(w, s, block * COUNT, made);
}

/* Writes the samples of the thread's Philox blocks of a chunk whose blocks are all aligned and fit in the array. */
template <class T, class SAMPLES>
static __device__ __forceinline__ void write_full(const SAMPLES &samples, source s, const round_keys &keys,
                                                  uint64_t block, T *to) {
    constexpr int COUNT = WEFT_BLOCK_WORDS / WEFT_SAMPLE_WORDS(sizeof(T)), GROUP = SAMPLES::GROUP;
    typename pack<COUNT * sizeof(T)>::type p;
    T made[COUNT * GROUP];
    make_samples(samples, s, keys, block, made);
#pragma unroll
    for (int g = 0; g < GROUP; g++) {
        memcpy(&p, made + g * COUNT, sizeof p);
        __stcg((decltype(p) *)to + g * SAMPLES::BLOCK_THREADS, p);
    }
}

/* Writes the samples of the thread's Philox blocks of a chunk that are inside the array, possibly none. */
template <class T, class SAMPLES>
static __device__ __forceinline__ void write_inside(const SAMPLES &samples, source s, const round_keys &keys,
                                                    const samples_part<T> &part, uint64_t block) {
    constexpr int COUNT = WEFT_BLOCK_WORDS / WEFT_SAMPLE_WORDS(sizeof(T)), GROUP = SAMPLES::GROUP;
    T made[COUNT * GROUP];
    make_samples(samples, s, keys, block, made);
#pragma unroll
    for (int g = 0; g < GROUP; g++) {
        const uint64_t to = (block + g * SAMPLES::BLOCK_THREADS) * COUNT - part.first; /* modulo 2^64 */
#pragma unroll
        for (int j = 0; j < COUNT; j++)
            if (to + j < part.n) part.out[to + j] = made[g * COUNT + j];
    }
}

/* Writes a part of an array. A thread block writes ROUNDS adjacent chunks before it goes on, or ends. All its threads
 * iterate equally often, because the threads of a warp may compute samples together. */
template <class T, class SAMPLES>
__global__ void __launch_bounds__(SAMPLES::BLOCK_THREADS)
    random_kernel(SAMPLES samples, source s, const __grid_constant__ round_keys keys,
                  const __grid_constant__ samples_part<T> part) {
    constexpr uint32_t COUNT = WEFT_BLOCK_WORDS / WEFT_SAMPLE_WORDS(sizeof(T));
    constexpr uint32_t CHUNK = SAMPLES::BLOCK_THREADS * SAMPLES::GROUP, CHUNKS = CHUNK * ROUNDS;
    const uint64_t first_block = part.first / COUNT;
    const uint64_t blocks = (part.first + part.n - 1) / COUNT - first_block + 1;
    samples.prepare();
#pragma unroll 1
    for (uint64_t k = blockIdx.x * (uint64_t)CHUNKS; k < blocks; k += gridDim.x * (uint64_t)CHUNKS) {
        const uint64_t block = first_block + k + threadIdx.x;
        const uint64_t to = (first_block + k) * COUNT - part.first; /* modulo 2^64 */
        if (to < part.packs && part.packs - to > (CHUNKS - 1) * COUNT) {
            T *const own = part.out + to + threadIdx.x * COUNT;
#pragma unroll(SAMPLES::UNROLLED)
            for (uint32_t j = 0; j < CHUNKS; j += CHUNK) write_full(samples, s, keys, block + j, own + j * COUNT);
            continue;
        }
#pragma unroll 1
        for (uint32_t j = 0; j < CHUNKS && k + j < blocks; j += CHUNK)
            write_inside(samples, s, keys, part, block + j);
    }
}

/* ---------------------------------------------------------------------------------- host */

template <class T, class SAMPLES>
static weft_status launch(const gpu *g, const random_call *c, SAMPLES samples, size_t shared, void *out,
                          weft_error *error) {
    constexpr uint64_t COUNT = WEFT_BLOCK_WORDS / WEFT_SAMPLE_WORDS(sizeof(T));
    const uint64_t philox_blocks = (c->first + c->n - 1) / COUNT - c->first / COUNT + 1;
    const uint64_t wanted = (philox_blocks - 1) / (SAMPLES::BLOCK_THREADS * SAMPLES::GROUP * ROUNDS) + 1;
    const uint64_t resident = (uint64_t)g->multiprocessors * (THREADS_OF_MULTIPROCESSOR / SAMPLES::BLOCK_THREADS);
    const uint64_t most = SAMPLES::PREPARES ? resident : INT32_MAX;
    /* Modulo 2^64, which is a multiple of a pack's size. */
    const bool aligned = ((uintptr_t)out - c->first * sizeof(T)) % (COUNT * sizeof(T)) == 0;
    const uint64_t packs = aligned && c->n >= COUNT ? c->n - COUNT + 1 : 0;
    const samples_part<T> part = {c->first, c->n, packs, (T *)out};
    void (*const kernel)(SAMPLES, source, round_keys, samples_part<T>) = random_kernel<T, SAMPLES>;
    RETURN_IF_ERROR(gpu_allow_shared(g, (const void *)kernel, "random", error));
    kernel<<<(unsigned)(wanted < most ? wanted : most), SAMPLES::BLOCK_THREADS, shared, g->stream>>>(
        samples, source{c->seed, c->stream}, round_keys_of(c->seed), part);
    CUDA_TRY(cudaGetLastError(), "random");
    return WEFT_OK;
}

template <class T, class SAMPLE>
static weft_status launch_each(const gpu *g, const random_call *c, SAMPLE sample, void *out, weft_error *error) {
    return launch<T>(g, c, one_by_one<T, SAMPLE>{sample}, 0, out, error);
}

template <class T, bool LOG>
static weft_status launch_quantiles(const gpu *g, const random_call *c, void *out, weft_error *error) {
    const size_t shared = THREADS / 32 * NORMALS_QUEUE * sizeof(double);
    return launch<T>(g, c, quantile_samples<T, LOG>{c->a, c->b}, shared, out, error);
}

template <bool LOG>
static weft_status launch_near(const gpu *g, const random_call *c, normal_part *table, void *out, weft_error *error) {
    const uint32_t octaves = normal_octaves(g, 0);
    RETURN_IF_ERROR(gpu_normal_table(g, octaves, table, error));
    const near_samples<LOG> samples = {c->a, c->b, table, octaves, {NULL, 0}};
    return launch<float>(g, c, samples, normal_table_bytes(octaves), out, error);
}

template <bool LOG> static weft_status launch_fast(const gpu *g, const random_call *c, void *out, weft_error *error) {
    return launch<float>(g, c, fast_samples<LOG>{(float)c->a, (float)c->b}, 0, out, error);
}

static bool is_near(const random_call *c) {
    return !c->integers && c->dtype == WEFT_F32 && c->b >= NORMAL_SCALE_MIN &&
           (c->distribution == WEFT_NORMAL || c->distribution == WEFT_LOGNORMAL);
}

template <class T>
static weft_status launch_reals(const gpu *g, const random_call *c, normal_part *table, void *out,
                                weft_error *error) {
    switch (c->distribution) {
    case WEFT_UNIFORM: return launch_each<T>(g, c, uniform_sample<T>{(T)c->a, (T)c->b}, out, error);
    case WEFT_NORMAL:
        return is_near(c) ? launch_near<false>(g, c, table, out, error)
                          : launch_quantiles<T, false>(g, c, out, error);
    case WEFT_LOGNORMAL:
        return is_near(c) ? launch_near<true>(g, c, table, out, error) : launch_quantiles<T, true>(g, c, out, error);
    default: return launch_each<T>(g, c, exponential_sample<T>{c->a}, out, error);
    }
}

/* `table` must have space for a table if is_near(c). */
static weft_status launch_any(const gpu *g, const random_call *c, normal_part *table, void *out, weft_error *error) {
    if (c->integers && cuda_type_bytes(c->dtype) == 8)
        return launch_each<uint64_t>(g, c, integer_sample_64{c->lower, c->last}, out, error);
    if (c->integers)
        return launch_each<uint32_t>(g, c, integer_sample_32{(uint32_t)c->lower, (uint32_t)c->last}, out, error);
    if (c->distribution == WEFT_BERNOULLI)
        return launch_each<uint8_t>(g, c, bernoulli_sample{weft_chance_of(c->a)}, out, error);
    if (c->distribution == WEFT_NORMAL_FAST) return launch_fast<false>(g, c, out, error);
    if (c->distribution == WEFT_LOGNORMAL_FAST) return launch_fast<true>(g, c, out, error);
    return c->dtype == WEFT_F32 ? launch_reals<float>(g, c, table, out, error)
                                : launch_reals<double>(g, c, table, out, error);
}

weft_status cuda_random(void *state, const random_call *c, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    gpu_array out = {"out", c->out, c->n * cuda_type_bytes(c->dtype), ARRAY_OUT, false, NULL};
    void *scratch;
    const size_t table_bytes = is_near(c) ? normal_table_bytes(NORMAL_OCTAVES) : 0;
    RETURN_IF_ERROR(arrays_copy_in(g, "random", &out, 1, table_bytes, &scratch, error));
    RETURN_IF_ERROR(launch_any(g, c, (normal_part *)scratch, out.at, error));
    return arrays_copy_out(g, "random", &out, 1, error);
}
