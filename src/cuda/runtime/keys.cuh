/* Unsigned keys of elements, whose minimum is the result of minimum and maximum (ORDER.md 1.4). One kernel
 * serves many operators, because they differ in two masks only:
 *     integers   key = (bits & mask) ^ xor_mask   xor_mask: the sign bit for signed types, and all bits for a
 *                                               maximum. mask: all bits, except for |x| of a float, whose
 *                                               bits without the sign rise with |x|; NaNs are above all
 *     floats     key = total order ^ xor_mask, and 0 for a NaN */
#ifndef WEFT_CUDA_KEYS_CUH
#define WEFT_CUDA_KEYS_CUH

#include "arith/bits.h"
#include "weft.h"

template <class T> struct key_of { typedef uint32_t type; };
template <> struct key_of<uint64_t> { typedef uint64_t type; };
template <> struct key_of<int64_t> { typedef uint64_t type; };
template <> struct key_of<double> { typedef uint64_t type; };

template <class T> struct keys {
    typedef typename key_of<T>::type key;
    key mask, xor_mask;
    __device__ keys(uint64_t mask_bits, uint64_t flip_bits) : mask((key)mask_bits), xor_mask((key)flip_bits) {}
    __device__ key of(T x) const { return ((key)x & mask) ^ xor_mask; }
    /* Returns the identity: an element whose key is at least that of every other. */
    __device__ T losing() const { return (T)~xor_mask; }
    /* Returns the element with key k. */
    __device__ T element(key k) const { return (T)(k ^ xor_mask); }
};

template <> inline __device__ uint32_t keys<float>::of(float x) const {
    return x != x ? 0 : weft_key_f32(x) ^ xor_mask;
}
template <> inline __device__ uint64_t keys<double>::of(double x) const {
    return x != x ? 0 : weft_key_f64(x) ^ xor_mask;
}
template <> inline __device__ float keys<float>::losing() const {
    return weft_from_bits_f32(xor_mask ? UINT32_C(0xff800000) : UINT32_C(0x7f800000));
}
template <> inline __device__ double keys<double>::losing() const {
    return weft_from_bits_f64(xor_mask ? UINT64_C(0xfff0000000000000) : UINT64_C(0x7ff0000000000000));
}
template <> inline __device__ float keys<float>::element(uint32_t k) const { return weft_from_key_f32(k ^ xor_mask); }
template <> inline __device__ double keys<double>::element(uint64_t k) const {
    return weft_from_key_f64(k ^ xor_mask);
}

#endif
