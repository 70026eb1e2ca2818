/* The elementary functions and Philox on a GPU: the bits of the same source on the host, which oracle_elementary
 * compares with the specification. Exits with 77 without a GPU. */
#include "tests/cuda/gpu_check.cuh"

#include "arith/elementary.h"
#include "arith/philox.h"

static const size_t ARGUMENTS = (size_t)1 << 24;

/* Number i of S. Vigna's SplitMix64, on a counter. */
static __host__ __device__ uint64_t random_bits(uint64_t i) {
    uint64_t z = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Any bits, of a number of usual size, or of one from 0 to 1. */
static __host__ __device__ double argument_f64(uint64_t i) {
    const uint64_t bits = random_bits(i);
    const double unit = (double)(bits >> 11) * 0x1p-53;
    return i % 3 == 0 ? weft_from_bits_f64(bits) : i % 3 == 1 ? 1500 * unit - 750 : unit;
}

/* Another f32 for each i, over all of them. */
static __host__ __device__ float argument_f32(uint64_t i) {
    return weft_from_bits_f32((uint32_t)(i * UINT64_C(2654435761)));
}

#define FUNCTIONS FUNCTION(exp) FUNCTION(log) FUNCTION(sin) FUNCTION(cos) FUNCTION(erf) FUNCTION(probit)

#define FUNCTION(name)                                                \
    struct name##_f64 {                                               \
        __host__ __device__ uint64_t operator()(uint64_t i) const {   \
            return weft_bits_f64(weft_##name##_f64(argument_f64(i))); \
        }                                                             \
    };                                                                \
    struct name##_f32 {                                               \
        __host__ __device__ uint64_t operator()(uint64_t i) const {   \
            return weft_bits_f32(weft_##name##_f32(argument_f32(i))); \
        }                                                             \
    };
FUNCTIONS
#undef FUNCTION

struct pow_f64 {
    __host__ __device__ uint64_t operator()(uint64_t i) const {
        return weft_bits_f64(weft_pow_f64(argument_f64(i), argument_f64(i / 3 + ARGUMENTS)));
    }
};

struct philox_words {
    __host__ __device__ uint64_t operator()(uint64_t i) const {
        const weft_philox_block block = weft_philox(random_bits(i), i, random_bits(i / 1000));
        return (block.v[0] | (uint64_t)block.v[1] << 32) ^ random_bits(block.v[2] | (uint64_t)block.v[3] << 32);
    }
};

template <class Function> static __global__ void values_kernel(size_t n, Function function, uint64_t *values) {
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) values[i] = function(i);
}

template <class Function> static void check(const char *name, Function function) {
    uint64_t *device;
    std::vector<uint64_t> values(ARGUMENTS);
    size_t differ = 0;
    CUDA_OK(cudaMalloc(&device, ARGUMENTS * sizeof *device));
    values_kernel<<<2048, 256>>>(ARGUMENTS, function, device);
    CUDA_OK(cudaMemcpy(values.data(), device, ARGUMENTS * sizeof *device, cudaMemcpyDefault));
    CUDA_OK(cudaFree(device));
    for (size_t i = 0; i < ARGUMENTS; i++)
        if (values[i] != function(i) && differ++ < 3)
            printf("%s: number %zu is %016llx, on the host %016llx\n", name, i, (unsigned long long)values[i],
                   (unsigned long long)function(i));
    CHECK(differ == 0);
}

int main() {
    if (weft_open(&gpu, "cuda") != WEFT_OK) {
        printf("skipped: %s\n", weft_last_error(NULL));
        return 77;
    }
#define FUNCTION(name)                 \
    check(#name " f64", name##_f64()); \
    check(#name " f32", name##_f32());
    FUNCTIONS
#undef FUNCTION
    check("pow f64", pow_f64());
    check("philox", philox_words());
    weft_close(gpu);
    puts("ok");
    return 0;
}
