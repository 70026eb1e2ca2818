/* View of an array as 16-byte slots that begin on 16-byte boundaries. The first and the last slot may contain
 * elements outside the array. */
#ifndef WEFT_CUDA_SLOTS_CUH
#define WEFT_CUDA_SLOTS_CUH

#include <cuda_runtime.h>
#include <stdint.h>

template <class T> struct slots {
    enum { PER = 16 / sizeof(T) }; /* elements per slot */
    const T *x;
    uint64_t n;
    uint32_t skip; /* elements of the first slot that precede the array */

    slots(const void *p, uint64_t count)
        : x((const T *)p), n(count), skip((uint32_t)((uintptr_t)p % 16 / sizeof(T))) {}
    __host__ __device__ uint64_t count() const { return (skip + n + PER - 1) / PER; }
    /* Index in x of the slot's first element; may be negative for slot 0. */
    __device__ int64_t first(uint64_t slot) const { return (int64_t)(slot * PER) - skip; }

    /* Reads a slot. Bit i of the result is 1 if v[i] is in the array; other entries of v are not written. */
    __device__ __forceinline__ uint32_t load(uint64_t slot, T v[PER]) const {
        const int64_t at = first(slot);
        if (at >= 0 && (uint64_t)at + PER <= n) {
            *(uint4 *)v = __ldcs((const uint4 *)(x + at));
            return (uint32_t)((1u << PER) - 1);
        }
        uint32_t present = 0;
        for (int i = 0; i < PER; i++)
            if (at + i >= 0 && (uint64_t)(at + i) < n) {
                v[i] = x[at + i];
                present |= 1u << i;
            }
        return present;
    }
};

/* Reads the slots [begin, end) in rows of one slot per thread, ROWS rows at a time, and calls take(row, v, present).
 * For full rows all loads are issued before the first is waited for, and `present` is a compile-time constant of all
 * ones. All threads of a block must take part in every call. */
template <int ROWS, class T, class TAKE>
__device__ __forceinline__ void take_rows(const slots<T> &x, uint64_t begin, uint64_t end, uint64_t stride,
                                          TAKE take) {
    enum { PER = slots<T>::PER };
    const uint64_t full_begin = x.skip > 0, full_end = (x.skip + x.n) / PER;
    for (uint64_t row = begin; row < end; row += stride) {
        const uint64_t row_end = row + (uint64_t)ROWS * blockDim.x;
        __align__(16) T v[ROWS][PER];
        uint32_t present[ROWS];
        if (row >= full_begin && row_end <= full_end && row_end <= end) {
            const uint4 *const from = (const uint4 *)(x.x + x.first(row)) + threadIdx.x;
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                *(uint4 *)v[r] = __ldcs(from + r * blockDim.x);
                present[r] = (1u << PER) - 1;
            }
            take(row, v, present);
        } else {
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const uint64_t slot = row + r * blockDim.x + threadIdx.x;
                present[r] = slot < end ? x.load(slot, v[r]) : 0;
            }
            take(row, v, present);
        }
    }
}

#endif
