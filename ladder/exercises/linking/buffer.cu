/* Exercise buffer: a library that keeps its memory from call to call
 *
 * `squares` computes results[i] = values[i]^2 for arrays of n numbers in
 * the memory of the host, n from 1 on. An allocation takes longer than a
 * small kernel, so the library keeps its array in the memory of the device
 * from call to call: x has space for `capacity` numbers. A program begins
 * with {0, NULL}, and frees x at its end. Write two parts.
 *
 * `reserve` makes space for n numbers. If capacity is n or more, nothing
 * changes. Otherwise the old array is replaced by one of exactly n numbers.
 * If there is not enough memory, it returns the code of `cudaMalloc`, and
 * the buffer stays as it was, so that the program can go on with smaller
 * arrays. The error must be cleared, so that the next call does not find
 * it.
 *
 * `squares` copies in, launches, copies out, and returns 0 or the code of
 * the first call that failed. After an error, it does not touch the arrays.
 *
 * Hint: Allocate the new array first, into a variable of its own. Free the
 * old one only if that succeeded.
 *
 * Hint: `cudaGetLastError()` returns the last error and clears it.
 *
 * Hint: The kernel gets n, not the capacity: the numbers after the first n
 * belong to an earlier call.
 *
 * Sizes: 1 2 31 255 256 257 1000 10007; 4000003 on a GPU
 */
#include <cuda_runtime.h>

struct buffer {
    size_t capacity;
    float *x;
};

static __global__ void square(size_t n, float *x) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= x[i];
}

extern "C" int reserve(struct buffer *b, size_t n) {
    /* Blank: make space for n numbers */
    if (b->capacity >= n) return 0;
    float *larger = NULL;
    const cudaError_t fault = cudaMalloc(&larger, n * sizeof(float));
    if (fault != cudaSuccess) {
        cudaGetLastError(); /* clears the error */
        return fault;
    }
    cudaFree(b->x);
    b->x = larger;
    b->capacity = n;
    return 0;
    /* End of blank: return 0; */
}

extern "C" int squares(struct buffer *b, size_t n, const float *values,
                       float *results) {
    /* Blank: compute the squares */
    int code = reserve(b, n);
    if (code == 0)
        code = cudaMemcpy(b->x, values, n * sizeof(float),
                          cudaMemcpyHostToDevice);
    if (code == 0) {
        square<<<(unsigned)((n + 255) / 256), 256>>>(n, b->x);
        code = cudaGetLastError();
    }
    if (code == 0)
        code = cudaMemcpy(results, b->x, n * sizeof(float),
                          cudaMemcpyDeviceToHost);
    return code;
    /* End of blank: return 0; */
}

/* Check */
#include "climb.h"

#include <algorithm>

struct buffer {
    size_t capacity;
    float *x;
};
extern "C" {
int reserve(struct buffer *b, size_t n);
int squares(struct buffer *b, size_t n, const float *values,
            float *results);
}

/* Calls the library with arrays of several sizes. Stores the results one
 * after another. */
static std::string use(buffer *b, const std::vector<size_t> &sizes,
                       const std::vector<float> &values, float *results) {
    const size_t most = (size_t)1 << 48;
    size_t largest = 0;
    for (const size_t n : sizes) {
        const buffer before = *b;
        largest = std::max(largest, n);
        if (squares(b, n, values.data(), results) != 0)
            return "squares returned an error for n = " + std::to_string(n);
        if (b->capacity != largest)
            return "capacity is " + std::to_string(b->capacity) +
                   " after n = " + std::to_string(n);
        if (n <= before.capacity && b->x != before.x)
            return "an array that is large enough was replaced";
        results += n;
        const buffer kept = *b;
        if (squares(b, most, values.data(), results) !=
            cudaErrorMemoryAllocation)
            return "squares did not return the code of cudaMalloc for n = "
                   "2^48";
        if (b->x != kept.x || b->capacity != kept.capacity)
            return "the buffer has changed after a failure";
    }
    return "";
}

void check_exercise(climb &c) {
    const size_t n = c.n, SPARE = 32;
    const std::vector<size_t> sizes = {n / 2 + 1, n, n / 3 + 1, n + 3, n};
    const std::vector<float> values = ladder_values<float>(n + 3, c.seed);
    std::vector<float> expected, got;
    for (const size_t size : sizes)
        for (size_t i = 0; i < size; i++)
            expected.push_back(values[i] * values[i]);
    const size_t count = expected.size();
    /* Zeros after the results, which must not change */
    expected.resize(count + SPARE);
    float *const result = c.output<float>(expected.size());
    std::string said;
    c.work(8.0 * (double)count, (double)count);
    c.rung(
        "buffer",
        [&] { return said.empty() ? c.holds(result, expected) : said; },
        [&] {
            buffer b = {0, NULL};
            got.assign(expected.size(), 0);
            said = use(&b, sizes, values, got.data());
            CUDA_CHECK(cudaFree(b.x));
            CUDA_CHECK(cudaMemcpy(result, got.data(),
                                  got.size() * sizeof got[0],
                                  cudaMemcpyHostToDevice));
        });
}
