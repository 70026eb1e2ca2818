/* Checks, contexts and inputs of the test programs for GPUs. */
#ifndef WEFT_TESTS_CUDA_GPU_CHECK_CUH
#define WEFT_TESTS_CUDA_GPU_CHECK_CUH

#include "weft.h"

#include <algorithm>
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <thread>
#include <vector>

#define CHECK(condition)                                                                          \
    do {                                                                                          \
        if (!(condition)) {                                                                       \
            fprintf(stderr, "%s:%d: not true: %s; %s\n", __FILE__, __LINE__, #condition, last()); \
            exit(1);                                                                              \
        }                                                                                         \
    } while (0)
#define OK(call) CHECK((call) == WEFT_OK)
#define CUDA_OK(call) CHECK((call) == cudaSuccess)

static weft_context *gpu;

static const char *last() { return gpu ? weft_last_error(gpu) : weft_last_error(NULL); }

/* cudaMemcpy returns before the last bytes of pageable memory have arrived, and a stream of the non-blocking kind
 * does not wait for them: on an H200 it found zeros in one of seven tries after 4 GiB had been freed. */
static inline void upload(void *device, const void *host, size_t bytes) {
    CUDA_OK(cudaMemcpy(device, host, bytes, cudaMemcpyDefault));
    CUDA_OK(cudaDeviceSynchronize());
}

/* Floats of mixed sign and exponent, so that any other order gives other bits. */
static inline std::vector<float> mixed(size_t n, uint32_t seed) {
    std::vector<float> x(n);
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = ldexpf((float)(seed >> 8) - 8388608.0f, (int)(seed % 40) - 40);
    }
    return x;
}

#endif
