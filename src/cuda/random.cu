/* weft_random and weft_random_integers: a thread for each block of Philox (docs/ORDER.md 19), whose samples go to
 * memory in one store. One kernel, told by its SAMPLE what to make of a sample's words; all arithmetic is
 * arith/samples.h. */
#include "arith/samples.h"
#include "cuda/arrays.h"

enum { THREADS = 256 };
static const uint64_t BLOCKS_MAX = 1 << 20;

/* ------------------------------------------------------------------------------- samples */

struct source {
    uint64_t seed, stream;
};

/* Of one type: where its words become a uniform number, or the middle of a part of (0, 1). */
template <class T> struct words_of;
template <> struct words_of<float> {
    static __device__ float uniform(const uint32_t *w, float a, float b) { return weft_uniform_f32(w, a, b); }
    static __device__ double middle(const uint32_t *w) { return weft_middle_f32(w); }
};
template <> struct words_of<double> {
    static __device__ double uniform(const uint32_t *w, double a, double b) { return weft_uniform_f64(w, a, b); }
    static __device__ double middle(const uint32_t *w) { return weft_middle_f64(w); }
};

/* Each takes the words of sample i and gives the sample. */
template <class T> struct uniform_sample {
    T a, b;
    __device__ T operator()(const uint32_t *w, source, uint64_t) const { return words_of<T>::uniform(w, a, b); }
};
template <class T> struct normal_sample {
    double mean, deviation;
    __device__ T operator()(const uint32_t *w, source, uint64_t) const {
        return (T)weft_normal(words_of<T>::middle(w), mean, deviation);
    }
};
template <class T> struct lognormal_sample {
    double mean, deviation;
    __device__ T operator()(const uint32_t *w, source, uint64_t) const {
        return (T)weft_lognormal(words_of<T>::middle(w), mean, deviation);
    }
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

/* -------------------------------------------------------------------------------- kernel */

/* The samples of a block. */
template <class T, int COUNT> struct alignas(COUNT * sizeof(T)) pack { T sample[COUNT]; };

/* Samples first ... first + n - 1 to out. `whole`: packs of whole blocks are aligned there. */
template <class T, class SAMPLE>
__global__ void random_kernel(SAMPLE sample, source s, uint64_t first, uint64_t n, bool whole, T *__restrict__ out) {
    constexpr int WORDS = WEFT_SAMPLE_WORDS(sizeof(T)), COUNT = WEFT_BLOCK_WORDS / WORDS;
    const uint64_t last_block = (first + n - 1) / COUNT, stride = (uint64_t)gridDim.x * THREADS;
    for (uint64_t k = first / COUNT + (uint64_t)blockIdx.x * THREADS + threadIdx.x; k <= last_block; k += stride) {
        const weft_philox_block block = weft_philox(k, s.stream, s.seed);
        const uint64_t begin = k * COUNT;
        pack<T, COUNT> p;
        for (int j = 0; j < COUNT; j++) p.sample[j] = sample(block.v + j * WORDS, s, begin + j);
        if (whole && begin >= first && begin + COUNT <= first + n) {
            *(pack<T, COUNT> *)(out + (begin - first)) = p;
            continue;
        }
        for (int j = 0; j < COUNT; j++)
            if (begin + j >= first && begin + j < first + n) out[begin + j - first] = p.sample[j];
    }
}

/* ---------------------------------------------------------------------------------- host */

template <class T, class SAMPLE>
static weft_status launch(const gpu *g, const random_call *c, SAMPLE sample, void *out, weft_error *error) {
    constexpr uint64_t COUNT = WEFT_BLOCK_WORDS / WEFT_SAMPLE_WORDS(sizeof(T));
    const uint64_t philox_blocks = (c->first + c->n - 1) / COUNT - c->first / COUNT + 1;
    const uint64_t wanted = (philox_blocks - 1) / THREADS + 1;
    const unsigned blocks = (unsigned)(wanted < BLOCKS_MAX ? wanted : BLOCKS_MAX);
    const source s = {c->seed, c->stream};
    /* Modulo 2^64, of which the size of a pack is a divisor. */
    const bool whole = ((uintptr_t)out - c->first * sizeof(T)) % (COUNT * sizeof(T)) == 0;
    random_kernel<T, SAMPLE><<<blocks, THREADS, 0, g->stream>>>(sample, s, c->first, c->n, whole, (T *)out);
    CUDA_TRY(cudaGetLastError(), "random");
    return WEFT_OK;
}

template <class T> static weft_status launch_reals(const gpu *g, const random_call *c, void *out, weft_error *error) {
    switch (c->distribution) {
    case WEFT_UNIFORM: return launch<T>(g, c, uniform_sample<T>{(T)c->a, (T)c->b}, out, error);
    case WEFT_NORMAL: return launch<T>(g, c, normal_sample<T>{c->a, c->b}, out, error);
    case WEFT_LOGNORMAL: return launch<T>(g, c, lognormal_sample<T>{c->a, c->b}, out, error);
    default: return launch<T>(g, c, exponential_sample<T>{c->a}, out, error);
    }
}

static weft_status launch_any(const gpu *g, const random_call *c, void *out, weft_error *error) {
    if (c->integers && cuda_type_bytes(c->dtype) == 8)
        return launch<uint64_t>(g, c, integer_sample_64{c->lower, c->last}, out, error);
    if (c->integers)
        return launch<uint32_t>(g, c, integer_sample_32{(uint32_t)c->lower, (uint32_t)c->last}, out, error);
    if (c->distribution == WEFT_BERNOULLI)
        return launch<uint8_t>(g, c, bernoulli_sample{weft_chance_of(c->a)}, out, error);
    return c->dtype == WEFT_F32 ? launch_reals<float>(g, c, out, error) : launch_reals<double>(g, c, out, error);
}

weft_status cuda_random(void *state, const random_call *c, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    gpu_array out = {"out", c->out, c->n * cuda_type_bytes(c->dtype), ARRAY_OUT, false, NULL};
    void *scratch;
    FORWARD(arrays_bring(g, "random", &out, 1, 0, &scratch, error));
    FORWARD(launch_any(g, c, out.at, error));
    return arrays_return(g, "random", &out, 1, error);
}
