/* Complete transforms of 2^LOG numbers in the shared memory of a block. */
#ifndef WEFT_CUDA_FFT_FULL_CUH
#define WEFT_CUDA_FFT_FULL_CUH

#include "cuda/fft/stages.cuh"

/* Threads of a block, and the number of transforms that it computes. */
template <int LOG> struct full_shape {
    static constexpr int THREADS = line<LOG>::THREADS < 128 ? 128 : line<LOG>::THREADS;
    static constexpr int ARRAYS = THREADS / line<LOG>::THREADS;
};

/* Returns the position of natural index `index` in shared memory. It is XORed, within its group of 16, with the bits
 * in which the indexes of adjacent threads differ, to avoid bank conflicts: those of 16 threads for f32, of 8 for
 * f64. The position for a XOR b is the XOR of those for a and b. */
template <typename T, int LOG> static constexpr __host__ __device__ int moved(int index) {
    constexpr int SHIFT = LOG - line<LOG>::HELD_LOG - (sizeof(T) == 4 ? 4 : 3);
    return SHIFT < 1 ? index : index ^ ((index >> (SHIFT < 1 ? 0 : SHIFT)) & 15);
}

#endif
