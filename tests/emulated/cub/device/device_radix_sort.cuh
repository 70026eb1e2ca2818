/* CUB's radix sorts, for the emulated GPU: stable sorts by bits first_bit .. last_bit - 1, a digit at a time. The
 * order of keys that are not plain integers is that of detail::radix::traits_t, as in CUB. Like CUB's, a sort fails
 * if the caller states less scratch memory than it asked for, overwrites that memory, and overwrites both arrays of a
 * DoubleBuffer. */
#ifndef WEFT_EMULATED_CUB_DEVICE_RADIX_SORT_CUH
#define WEFT_EMULATED_CUB_DEVICE_RADIX_SORT_CUH

#include "executor.h"

#include <numeric>
#include <tuple>

#define CUB_NAMESPACE_BEGIN namespace cub {
#define CUB_NAMESPACE_END }

namespace cuda {
namespace std {
using ::std::tuple;
} // namespace std
} // namespace cuda

namespace cub {

template <class T> struct DoubleBuffer {
    T *d_buffers[2];
    int selector = 0;
    DoubleBuffer() : d_buffers{} {}
    DoubleBuffer(T *current, T *alternate) : d_buffers{current, alternate} {}
    T *Current() const { return d_buffers[selector]; }
    T *Alternate() const { return d_buffers[selector ^ 1]; }
};

struct NullType {};

namespace detail {
namespace radix {

template <class KEY, bool IS_FUNDAMENTAL> struct traits_t;

enum { DIGIT_BITS = 8, SCRATCH = 256 };

/* Returns the order of ranks: positions[i] is the position of the i-th. digit(rank, bit, bits) returns bits of its
 * code. */
template <class RANK, class DIGIT>
std::vector<size_t> sorted(const std::vector<RANK> &ranks, int first_bit, int last_bit, DIGIT digit) {
    std::vector<size_t> positions(ranks.size());
    std::iota(positions.begin(), positions.end(), (size_t)0);
    for (int bit = first_bit; bit < last_bit; bit += DIGIT_BITS) {
        const int bits = min((int)DIGIT_BITS, last_bit - bit);
        std::stable_sort(positions.begin(), positions.end(),
                         [&](size_t a, size_t b) { return digit(ranks[a], bit, bits) < digit(ranks[b], bit, bits); });
    }
    return positions;
}

/* Copies from the device's memory, which the host must not access. */
template <class T> std::vector<T> fetched(const T *from, size_t n) {
    std::vector<T> values(n);
    memcpy((void *)values.data(), from, n * sizeof(T));
    return values;
}

template <class T> void take(const T *from, T *to, const std::vector<size_t> &positions) {
    const std::vector<T> values = fetched(from, positions.size());
    std::vector<T> taken;
    for (const size_t at : positions) taken.push_back(values[at]);
    memcpy((void *)to, taken.data(), taken.size() * sizeof(T));
}
inline void take(const NullType *, NullType *, const std::vector<size_t> &) {}

/* Returns true if the sort is to be made: if `scratch` is NULL, only sets *bytes. */
inline bool starts(void *scratch, size_t *bytes, cudaError_t *fault, cudaStream_t stream) {
    if (!scratch) *bytes = SCRATCH;
    *fault = scratch && *bytes < SCRATCH ? cudaErrorInvalidValue : cudaSuccess;
    if (!scratch || *fault != cudaSuccess) return false;
    emulated::catch_up(stream);
    memset(scratch, 0x5a, *bytes);
    return true;
}

/* Sorts keys that have an order of their own. */
template <class KEY, class VALUE, class ORDER>
void sort(const KEY *keys, KEY *sorted_keys, const VALUE *values, VALUE *sorted_values, size_t n, ORDER order,
          int first_bit, int last_bit) {
    using traits = traits_t<KEY, false>;
    using conversion = typename traits::bit_ordered_conversion_policy;
    using bits_of = typename traits::bit_ordered_type;
    std::vector<bits_of> ranks = fetched((const bits_of *)keys, n);
    for (bits_of &rank : ranks) rank = conversion::to_bit_ordered(order, rank);
    const auto positions = sorted(ranks, first_bit, last_bit, [&](bits_of rank, int bit, int bits) {
        return traits::template digit_extractor<void>(bit, bits, order).Digit(rank);
    });
    std::vector<bits_of> results;
    for (const size_t at : positions) results.push_back(conversion::from_bit_ordered(order, ranks[at]));
    memcpy((void *)sorted_keys, results.data(), n * sizeof(KEY));
    take(values, sorted_values, positions);
}

/* Lets the other array of a buffer be the current one. What is left in the first is not to be used. */
template <class T> void turn(DoubleBuffer<T> *buffer, size_t n) {
    memset((void *)buffer->Current(), 0x5a, n * sizeof(T));
    buffer->selector ^= 1;
}

} // namespace radix
} // namespace detail

struct DeviceRadixSort {
    template <class KEY, class VALUE, class COUNT, class ORDER>
    static cudaError_t SortPairs(void *scratch, size_t &bytes, const KEY *keys, KEY *sorted_keys, const VALUE *values,
                                 VALUE *sorted_values, COUNT n, ORDER order, int first_bit, int last_bit,
                                 cudaStream_t stream) {
        cudaError_t fault;
        if (scratch && keys == sorted_keys) return cudaErrorInvalidValue;
        if (detail::radix::starts(scratch, &bytes, &fault, stream))
            detail::radix::sort(keys, sorted_keys, values, sorted_values, n, order, first_bit, last_bit);
        return fault;
    }

    template <class KEY, class VALUE, class COUNT, class ORDER>
    static cudaError_t SortPairs(void *scratch, size_t &bytes, DoubleBuffer<KEY> &keys, DoubleBuffer<VALUE> &values,
                                 COUNT n, ORDER order, int first_bit, int last_bit, cudaStream_t stream) {
        const cudaError_t fault =
            SortPairs(scratch, bytes, (const KEY *)keys.Current(), keys.Alternate(), (const VALUE *)values.Current(),
                      values.Alternate(), n, order, first_bit, last_bit, stream);
        if (scratch && fault == cudaSuccess) detail::radix::turn(&keys, n), detail::radix::turn(&values, n);
        return fault;
    }

    template <class KEY, class COUNT, class ORDER>
    static cudaError_t SortKeys(void *scratch, size_t &bytes, const KEY *keys, KEY *sorted_keys, COUNT n, ORDER order,
                                int first_bit, int last_bit, cudaStream_t stream) {
        return SortPairs(scratch, bytes, keys, sorted_keys, (const NullType *)nullptr, (NullType *)nullptr, n, order,
                         first_bit, last_bit, stream);
    }

    template <class KEY, class COUNT, class ORDER>
    static cudaError_t SortKeys(void *scratch, size_t &bytes, DoubleBuffer<KEY> &keys, COUNT n, ORDER order,
                                int first_bit, int last_bit, cudaStream_t stream) {
        const cudaError_t fault = SortKeys(scratch, bytes, (const KEY *)keys.Current(), keys.Alternate(), n, order,
                                           first_bit, last_bit, stream);
        if (scratch && fault == cudaSuccess) detail::radix::turn(&keys, n);
        return fault;
    }

    /* Keys are unsigned integers. */
    template <class KEY, class VALUE, class COUNT>
    static cudaError_t SortPairsDescending(void *scratch, size_t &bytes, DoubleBuffer<KEY> &keys,
                                           DoubleBuffer<VALUE> &values, COUNT n, int first_bit, int last_bit,
                                           cudaStream_t stream) {
        cudaError_t fault;
        if (!detail::radix::starts(scratch, &bytes, &fault, stream)) return fault;
        const std::vector<KEY> ranks = detail::radix::fetched((const KEY *)keys.Current(), n);
        const auto positions = detail::radix::sorted(ranks, first_bit, last_bit, [](KEY key, int bit, int bits) {
            return ~key >> bit & (((KEY)1 << bits) - 1);
        });
        detail::radix::take((const KEY *)keys.Current(), keys.Alternate(), positions);
        detail::radix::take((const VALUE *)values.Current(), values.Alternate(), positions);
        detail::radix::turn(&keys, n), detail::radix::turn(&values, n);
        return fault;
    }
};

} // namespace cub

#endif
