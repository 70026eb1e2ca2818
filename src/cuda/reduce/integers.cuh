/* Operators whose order does not matter: integer sums and products modulo 2^64, counts, and bits (ORDER.md 1.5, 3.2).
 */
#ifndef WEFT_CUDA_INTEGERS_CUH
#define WEFT_CUDA_INTEGERS_CUH

#include "cuda/reduce/unordered.cuh"

/* Return the sum of the four bytes, or two halves, of a word. */
static __device__ int sum_of_word(int8_t, uint32_t word) { return __dp4a((int)word, 0x01010101, 0); }
static __device__ unsigned sum_of_word(uint8_t, uint32_t word) { return __dp4a(word, 0x01010101u, 0u); }
static __device__ int sum_of_word(int16_t, uint32_t word) { return __dp2a_lo((int)word, 0x0101, 0); }
static __device__ unsigned sum_of_word(uint16_t, uint32_t word) { return __dp2a_lo(word, 0x0101u, 0u); }
static __device__ int32_t sum_of_word(int32_t, uint32_t word) { return (int32_t)word; }
static __device__ uint32_t sum_of_word(uint32_t, uint32_t word) { return word; }

template <class T> struct integer_sum : unordered_operator {
    typedef T element;
    typedef uint64_t value;
    __device__ explicit integer_sum(const reduce_params &) {}
    __device__ uint64_t start(uint64_t) const { return 0; }
    __device__ T absent() const { return 0; }
    __device__ uint64_t combine(uint64_t a, uint64_t b) const { return a + b; }
    __device__ void take(uint64_t &v, const vector<T> &x, uint64_t) const {
#pragma unroll
        for (int w = 0; w < 4; w++) v += (uint64_t)(int64_t)sum_of_word((T)0, x.word[w]);
    }
};

/* 64-bit elements, signed or unsigned. */
template <>
inline __device__ void integer_sum<uint64_t>::take(uint64_t &v, const vector<uint64_t> &x, uint64_t) const {
    v += x.pair[0] + x.pair[1];
}

template <class T> struct integer_product : unordered_operator {
    typedef T element;
    typedef uint64_t value;
    __device__ explicit integer_product(const reduce_params &) {}
    __device__ uint64_t start(uint64_t) const { return 1; }
    __device__ T absent() const { return 1; }
    __device__ uint64_t combine(uint64_t a, uint64_t b) const { return a * b; }
    __device__ void take(uint64_t &v, const vector<T> &x, uint64_t) const {
#pragma unroll
        for (int e = 0; e < vector<T>::ELEMENTS; e++) v *= (uint64_t)(int64_t)x.element[e];
    }
};

/* Counts nonzero elements; -0.0 is zero and a NaN is not. */
template <class T> struct count_nonzero : unordered_operator {
    typedef T element;
    typedef uint64_t value;
    __device__ explicit count_nonzero(const reduce_params &) {}
    __device__ uint64_t start(uint64_t) const { return 0; }
    __device__ T absent() const { return 0; }
    __device__ uint64_t combine(uint64_t a, uint64_t b) const { return a + b; }
    __device__ void take(uint64_t &v, const vector<T> &x, uint64_t) const {
        uint32_t count = 0;
#pragma unroll
        for (int e = 0; e < vector<T>::ELEMENTS; e++) count += x.element[e] != 0;
        v += count;
    }
};

/* Bitwise operators on arrays of any integer type, read as bytes. The bytes of the 64-bit result are combined to the
 * element's width by finish(). */
template <weft_op OP> struct bits : unordered_operator {
    typedef uint8_t element;
    typedef uint64_t value;
    __device__ explicit bits(const reduce_params &) {}
    __device__ uint64_t start(uint64_t) const { return OP == WEFT_AND ? UINT64_MAX : 0; }
    __device__ uint8_t absent() const { return OP == WEFT_AND ? UINT8_MAX : 0; }
    __device__ uint64_t combine(uint64_t a, uint64_t b) const {
        return OP == WEFT_AND ? a & b : OP == WEFT_OR ? a | b : a ^ b;
    }
    __device__ void take(uint64_t &v, const vector<uint8_t> &x, uint64_t) const {
        v = combine(v, combine(x.pair[0], x.pair[1]));
    }
};

#endif
