/* Operators in free order: minimum and maximum, their indices, and the largest magnitude. All minimize a key
 * (keys.cuh) (ORDER.md 1.4, 3.2). */
#ifndef WEFT_CUDA_EXTREMES_CUH
#define WEFT_CUDA_EXTREMES_CUH

#include "cuda/reduce/unordered.cuh"
#include "cuda/runtime/keys.cuh"

/* Returns the least key of the elements of 1 or 2 bytes in a vector, without unpacking them: in a comparison of two
 * words, only their most significant elements count, unless these are equal. So each element becomes the most
 * significant of a word by a shift. */
template <class T> static __device__ __forceinline__ uint32_t min_of_words(uint32_t xor_mask, const vector<T> &x) {
    constexpr uint32_t BITS = 8 * sizeof(T), ONES = (1u << BITS) - 1;
    const uint32_t xor_masks = (xor_mask & ONES) * (UINT32_MAX / ONES);
    uint32_t best[4];
#pragma unroll
    for (int w = 0; w < 4; w++) {
        best[w] = x.word[w] ^ xor_masks;
#pragma unroll
        for (uint32_t shift = BITS; shift < 32; shift += BITS)
            best[w] = min(best[w], (x.word[w] ^ xor_masks) << shift);
    }
    return min(min(best[0], best[1]), min(best[2], best[3])) >> (32 - BITS) | (xor_mask & ~ONES);
}

/* Returns the least key of the elements of a vector. */
template <class Keys, class T>
static __device__ __forceinline__ typename Keys::key least(const Keys &keys, const vector<T> &x) {
    if constexpr (sizeof(T) < sizeof(uint32_t)) return min_of_words(keys.xor_mask, x);
    typename Keys::key best = keys.of(x.element[0]);
#pragma unroll
    for (int e = 1; e < vector<T>::ELEMENTS; e++) best = min(best, keys.of(x.element[e]));
    return best;
}

template <class T> struct extreme : unordered_operator {
    typedef T element;
    typedef typename keys<T>::key value;
    keys<T> order;
    __device__ explicit extreme(const reduce_params &j) : order(j.mask, j.xor_mask) {}
    __device__ value start(uint64_t) const { return (value)-1; }
    __device__ T absent() const { return order.losing(); }
    __device__ value combine(value a, value b) const { return min(a, b); }
    __device__ void take(value &v, const vector<T> &x, uint64_t) const { v = min(v, least(order, x)); }
};

/* An accumulator contains the index of a vector; only the vector of the result is read once more to find the element.
 * It starts with the thread's first vector and the greatest key. If no vector has a smaller key, all elements have
 * the greatest key, and the first vector contains the first of them. */
template <class T> struct extreme_index {
    typedef T element;
    typedef located value;
    keys<T> order;
    __device__ explicit extreme_index(const reduce_params &j) : order(j.mask, j.xor_mask) {}
    __device__ located start(uint64_t where) const { return located{(typename keys<T>::key) - 1, where}; }
    __device__ T absent() const { return order.losing(); }
    __device__ located combine(located a, located b) const {
        return b.key < a.key || (b.key == a.key && b.where < a.where) ? b : a;
    }
    __device__ void take(located &v, const vector<T> &x, uint64_t where) const {
        const typename keys<T>::key best = least(order, x);
        if (best < v.key) v = located{best, where};
    }
    __device__ void resolve(const reduce_params &j, located &v) const {
        const uint64_t edge = v.where * vector<T>::ELEMENTS;
        uint64_t i = edge < j.skip ? 0 : edge - j.skip;
        while (i + 1 < j.n && order.of(((const T *)j.x)[i]) != v.key) i++;
        v.where = j.first + i;
    }
};

/* Takes vectors that are WARP apart. The index is computed only if one of them has a smaller key than v, which is
 * rare for most inputs. */
template <class T>
static __device__ __forceinline__ void take_rows(const extreme_index<T> &op, located &v,
                                                 const vector<T> (&row)[UNORDERED_LOADS], uint64_t where) {
    typename keys<T>::key key[UNORDERED_LOADS];
#pragma unroll
    for (int r = 0; r < UNORDERED_LOADS; r++) key[r] = least(op.order, row[r]);
    typename keys<T>::key best = key[0];
#pragma unroll
    for (int r = 1; r < UNORDERED_LOADS; r++) best = min(best, key[r]);
    if (best >= v.key) return;
    int first = 0;
#pragma unroll
    for (int r = UNORDERED_LOADS - 1; r >= 0; r--)
        if (key[r] == best) first = r;
    v = located{best, where + first * WARP};
}

/* Largest |x| of signed integers, stored as its complement. */
template <class T> struct largest_magnitude : unordered_operator {
    typedef T element;
    typedef uint64_t value;
    __device__ explicit largest_magnitude(const reduce_params &) {}
    __device__ uint64_t start(uint64_t) const { return UINT64_MAX; }
    __device__ T absent() const { return 0; }
    __device__ uint64_t combine(uint64_t a, uint64_t b) const {
        return min((unsigned long long)a, (unsigned long long)b);
    }
    __device__ void take(uint64_t &v, const vector<T> &x, uint64_t) const {
#pragma unroll
        for (int e = 0; e < vector<T>::ELEMENTS; e++) {
            const uint64_t wide = (uint64_t)(int64_t)x.element[e];
            v = combine(v, ~(x.element[e] < 0 ? 0 - wide : wide));
        }
    }
};

#endif
