/* Exercise own: a whole program: allocate, copy in, compute, copy out, free
 *
 * a, b and c are arrays of n numbers in the memory of the host. Write a
 * kernel, and `solve`, which lets the device compute c[i] = a[i] + b[i]. It
 * returns `cudaSuccess`, or the error of the first call that fails. If n
 * numbers do not fit in the memory of the device, it must return the error
 * of `cudaMalloc` and must not touch the arrays. In both cases it frees all
 * memory that it has allocated. n is any number from 1 on.
 *
 * Hint: The steps are: three calls of `cudaMalloc`, two copies with
 * `cudaMemcpyHostToDevice`, a launch, `cudaGetLastError`, a copy with
 * `cudaMemcpyDeviceToHost`, and three calls of `cudaFree`.
 *
 * Hint: A size is a number of bytes: n * sizeof(float).
 *
 * Hint: Pointers that begin with NULL may be given to `cudaFree`, which
 * then does nothing. So one group of calls at the end can free what was
 * allocated, after an error too.
 *
 * Hint: An error that was returned stays the last error of the device.
 * `cudaGetLastError` clears it, so that the caller's next test does not
 * find it again.
 *
 * Sizes: 1 31 255 256 257 1000 10007; 16777216 on a GPU
 */
#include <cuda_runtime.h>

/* Blank: a kernel */
__global__ void add(size_t n, const float *a, const float *b, float *c) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
/* End of blank */

/* The arrays are in the memory of the host. */
cudaError_t solve(size_t n, const float *a, const float *b, float *c) {
    /* Blank: the whole program */
    const size_t bytes = n * sizeof(float);
    float *x = NULL, *y = NULL, *sum = NULL;
    cudaError_t fault = cudaMalloc(&x, bytes);
    if (fault == cudaSuccess) fault = cudaMalloc(&y, bytes);
    if (fault == cudaSuccess) fault = cudaMalloc(&sum, bytes);
    if (fault == cudaSuccess)
        fault = cudaMemcpy(x, a, bytes, cudaMemcpyHostToDevice);
    if (fault == cudaSuccess)
        fault = cudaMemcpy(y, b, bytes, cudaMemcpyHostToDevice);
    if (fault == cudaSuccess) {
        add<<<(unsigned)((n + 255) / 256), 256>>>(n, x, y, sum);
        fault = cudaGetLastError();
    }
    if (fault == cudaSuccess)
        fault = cudaMemcpy(c, sum, bytes, cudaMemcpyDeviceToHost);
    cudaFree(x);
    cudaFree(y);
    cudaFree(sum);
    (void)cudaGetLastError();
    return fault;
    /* End of blank: return cudaSuccess; */
}

/* Check */
#include "climb.h"

cudaError_t solve(size_t n, const float *a, const float *b, float *c);

void check_exercise(climb &c) {
    const std::vector<float> a = ladder_values<float>(c.n, c.seed);
    const std::vector<float> b = ladder_values<float>(c.n, c.seed + 100);
    std::vector<float> sums(c.n), got(c.n);
    for (size_t i = 0; i < c.n; i++) sums[i] = a[i] + b[i];
    float *const result = c.output<float>(c.n);
    cudaError_t done = cudaSuccess, refused = cudaSuccess;
    c.work(12.0 * (double)c.n, (double)c.n);
    const ladder_claim right = [&] {
        if (done != cudaSuccess)
            return std::string("solve returned an error: ") +
                   cudaGetErrorString(done);
        if (refused != cudaErrorMemoryAllocation)
            return std::string("for n = 2^48, solve returned \"") +
                   cudaGetErrorString(refused) +
                   "\" and not the error of cudaMalloc";
        return c.holds(result, sums);
    };
    c.rung("own", right, [&] {
        memset(got.data(), 0xc7, c.n * sizeof(float));
        done = solve(c.n, a.data(), b.data(), got.data());
        /* The arrays are too short for it, but they may not be touched. */
        refused = solve((size_t)1 << 48, a.data(), b.data(), got.data());
        CUDA_CHECK(cudaMemcpy(result, got.data(), c.n * sizeof(float),
                              cudaMemcpyHostToDevice));
    });
}
