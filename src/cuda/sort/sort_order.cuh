/* The order of keys in sorts on a GPU (ORDER.md 17): weft_sort_rule (arith/sort_code.h) for keys of one width. */
#ifndef WEFT_CUDA_SORT_ORDER_CUH
#define WEFT_CUDA_SORT_ORDER_CUH

#include "arith/sort_code.h"

#include <stdint.h>

template <class Bits, bool FLOAT> struct sort_order {
    Bits fold, xor_mask, add, greatest;

    __host__ __device__ sort_order() {}
    explicit sort_order(const weft_sort_rule &rule)
        : fold((Bits)rule.fold), xor_mask((Bits)rule.xor_mask), add((Bits)rule.add), greatest((Bits)rule.greatest) {}

    __host__ __device__ __forceinline__ Bits rank(Bits key) const {
        if (!FLOAT) return key ^ xor_mask;
        return (Bits)((key ^ (negative(key) & fold) ^ xor_mask) + add);
    }
    __host__ __device__ __forceinline__ Bits key(Bits rank) const {
        if (!FLOAT) return rank ^ xor_mask;
        const Bits unmasked = (Bits)(rank - add) ^ xor_mask;
        return unmasked ^ (negative(unmasked) & fold); /* fold does not change the sign */
    }
    __host__ __device__ __forceinline__ bool is_nan(Bits rank) const { return FLOAT && rank > greatest; }
    __host__ __device__ __forceinline__ Bits code(Bits rank) const { return is_nan(rank) ? (Bits) ~(Bits)0 : rank; }

  private:
    static __host__ __device__ __forceinline__ Bits negative(Bits key) {
        return (Bits)((Bits)0 - (Bits)(key >> (8 * sizeof(Bits) - 1)));
    }
};

#endif
