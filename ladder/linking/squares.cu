/* The library: a kernel, and the two functions of squares.h that call it.
 * nvcc compiles C++, in which a function's symbol contains the types of its
 * arguments: squares(unsigned long, float const *, float *) is
 * _Z7squaresmPKfPf. With the header's extern "C" the symbol is the plain
 * name that a C program uses. */
#include "squares.h"

#include <cuda_runtime.h>

static __global__ void square_each(size_t n, float *x) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= x[i];
}

static cudaError_t square_there(size_t n, float *there, const float *x,
                                float *y) {
    const unsigned threads = 256;
    cudaError_t fault =
        cudaMemcpy(there, x, n * sizeof *x, cudaMemcpyHostToDevice);
    if (fault != cudaSuccess) return fault;
    const unsigned blocks = (unsigned)((n + threads - 1) / threads);
    square_each<<<blocks, threads>>>(n, there);
    fault = cudaGetLastError();
    if (fault != cudaSuccess) return fault;
    return cudaMemcpy(y, there, n * sizeof *y, cudaMemcpyDeviceToHost);
}

int squares(size_t n, const float *x, float *y) {
    float *there = NULL;
    if (n == 0) return 0;
    cudaError_t fault = cudaMalloc(&there, n * sizeof *there);
    if (fault == cudaSuccess) fault = square_there(n, there, x, y);
    (void)cudaFree(there);
    /* Clears the error, so that a later check of the program does not
     * report it */
    (void)cudaGetLastError();
    return (int)fault;
}

const char *squares_error(int code) {
    return cudaGetErrorString((cudaError_t)code);
}
