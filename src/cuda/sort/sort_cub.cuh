/* CUB's radix sort (one pass over memory per digit: A. Adinets, D. Merrill, "Onesweep", arXiv 2206.01784) with the
 * order of ORDER.md 17. CUB moves keys as ranks (arith/sort_code.h), from which the keys are restored with every bit.
 * It takes digits from codes, in which all NaNs are equal. Neither conversion costs a pass over memory.
 *
 * CUB takes the bits of a key from `traits_t`. It is specialised here for key types of our own, whose order is passed
 * with the call as CUB's "decomposer". If a later CUB has another interface, this does not compile. */
#ifndef WEFT_CUDA_SORT_CUB_CUH
#define WEFT_CUDA_SORT_CUB_CUH

#include "cuda/sort/sort_order.cuh"
#include "cuda/sort/sort_params.h"

#include <cub/device/device_radix_sort.cuh>

template <class Bits, bool FLOAT> struct sort_key { Bits bits; };

template <class Bits, bool FLOAT> struct sort_decomposer {
    sort_order<Bits, FLOAT> order;
    /* Required by CUB of a decomposer. */
    __host__ __device__ cuda::std::tuple<Bits &> operator()(sort_key<Bits, FLOAT> &key) const { return {key.bits}; }
};

template <class Bits, bool FLOAT> struct sort_digits {
    sort_order<Bits, FLOAT> order;
    uint32_t first_bit, mask;

    __device__ __forceinline__ uint32_t Digit(Bits rank) const {
        return (uint32_t)(order.code(rank) >> first_bit) & mask;
    }
};

CUB_NAMESPACE_BEGIN
namespace detail {
namespace radix {
template <class Bits, bool FLOAT> struct traits_t<sort_key<Bits, FLOAT>, false> {
    using decomposer = sort_decomposer<Bits, FLOAT>;
    using bit_ordered_type = Bits;

    struct bit_ordered_conversion_policy {
        static __host__ __device__ __forceinline__ Bits to_bit_ordered(decomposer d, Bits key) {
            return d.order.rank(key);
        }
        static __host__ __device__ __forceinline__ Bits from_bit_ordered(decomposer d, Bits rank) {
            return d.order.key(rank);
        }
    };
    struct bit_ordered_inversion_policy {
        static __host__ __device__ __forceinline__ Bits inverse(decomposer, Bits rank) { return (Bits)~rank; }
    };

    template <class, class> using digit_extractor_t = sort_digits<Bits, FLOAT>;
    template <class>
    static __host__ __device__ __forceinline__ sort_digits<Bits, FLOAT> digit_extractor(int first_bit, int bits,
                                                                                        decomposer d) {
        return sort_digits<Bits, FLOAT>{d.order, (uint32_t)first_bit, (1U << bits) - 1};
    }

    static __host__ __device__ Bits min_raw_binary_key(decomposer d) { return d.order.key(0); }
    static __host__ __device__ Bits max_raw_binary_key(decomposer d) { return d.order.key((Bits) ~(Bits)0); }
    static __host__ __device__ int default_end_bit(decomposer) { return 8 * (int)sizeof(Bits); }
};
} // namespace radix
} // namespace detail
CUB_NAMESPACE_END

/* 16-byte values, aligned to 16 bytes (moved by one load: an eighth faster on an H200) or to 8. */
struct __align__(16) sort_aligned_value {
    uint64_t halves[2];
};
struct sort_loose_value {
    uint64_t halves[2];
};

static inline bool sort_values_are_aligned(const sort_params *j) {
    return ((uintptr_t)j->values[0] | (uintptr_t)j->values[1]) % sizeof(sort_aligned_value) == 0;
}

template <class Key, class Order, class Count> static cudaError_t sort_keys(sort_params *j, Order order, Count n) {
    Key *const from = (Key *)j->keys[0], *const to = (Key *)j->keys[1];
    if (!j->overwrite)
        return cub::DeviceRadixSort::SortKeys(j->scratch, j->scratch_bytes, (const Key *)from, to, n, order,
                                              j->first_bit, j->last_bit, j->stream);
    cub::DoubleBuffer<Key> keys(from, to);
    const cudaError_t fault = cub::DeviceRadixSort::SortKeys(j->scratch, j->scratch_bytes, keys, n, order,
                                                             j->first_bit, j->last_bit, j->stream);
    j->keys_at = keys.selector;
    return fault;
}

template <class Value, class Key, class Order, class Count>
static cudaError_t sort_pairs(sort_params *j, Order order, Count n) {
    Key *const from = (Key *)j->keys[0], *const to = (Key *)j->keys[1];
    Value *const values_from = (Value *)j->values[0], *const values_to = (Value *)j->values[1];
    if (!j->overwrite)
        return cub::DeviceRadixSort::SortPairs(j->scratch, j->scratch_bytes, (const Key *)from, to,
                                               (const Value *)values_from, values_to, n, order, j->first_bit,
                                               j->last_bit, j->stream);
    cub::DoubleBuffer<Key> keys(from, to);
    cub::DoubleBuffer<Value> values(values_from, values_to);
    const cudaError_t fault = cub::DeviceRadixSort::SortPairs(j->scratch, j->scratch_bytes, keys, values, n, order,
                                                              j->first_bit, j->last_bit, j->stream);
    j->keys_at = keys.selector;
    j->values_at = values.selector;
    return fault;
}

template <class Bits, bool FLOAT, class Count> static cudaError_t sort_counted(sort_params *j, Count n) {
    typedef sort_key<Bits, FLOAT> key;
    const sort_decomposer<Bits, FLOAT> order = {sort_order<Bits, FLOAT>(j->rule)};
    j->keys_at = j->values_at = 1;
    switch (j->value_bytes) {
    case 0: return sort_keys<key>(j, order, n);
    case 1: return sort_pairs<uint8_t, key>(j, order, n);
    case 2: return sort_pairs<uint16_t, key>(j, order, n);
    case 4: return sort_pairs<uint32_t, key>(j, order, n);
    case 8: return sort_pairs<uint64_t, key>(j, order, n);
    default:
        return sort_values_are_aligned(j) ? sort_pairs<sort_aligned_value, key>(j, order, n)
                                          : sort_pairs<sort_loose_value, key>(j, order, n);
    }
}

/* Sorts with 32-bit counts where they suffice, which makes sorts of pairs faster by a sixth on an H200. Sorts of f32
 * keys alone would become slower: CUB would give a thread 20 keys instead of 19, one too many with the test for NaNs.
 */
template <class Bits, bool FLOAT> static cudaError_t sort_by_values(sort_params *j) {
    const bool narrow = j->n <= UINT32_MAX && !(FLOAT && j->value_bytes == 0);
    return narrow ? sort_counted<Bits, FLOAT>(j, (uint32_t)j->n) : sort_counted<Bits, FLOAT>(j, (uint64_t)j->n);
}

#endif
