/* Merge path (O. Green, R. McColl, D. Bader, ICS 2012): the parts of two sorted arrays that are merged to a part of
 * the result. precedes(y, x) tells whether y, of the second array, comes before x, of the first one. */
#ifndef WEFT_CUDA_MERGE_PATH_CUH
#define WEFT_CUDA_MERGE_PATH_CUH

#include <stdint.h>

/* Returns how many of the first d elements of the result are from a[0..na). */
template <class E, class INDEX, class PRECEDES>
__device__ __forceinline__ INDEX split(const E *a, INDEX na, const E *b, INDEX nb, INDEX d, PRECEDES precedes) {
    INDEX low = d > nb ? d - nb : 0, high = d < na ? d : na;
    while (low < high) {
        const INDEX middle = low + (high - low) / 2;
        if (precedes(b[d - 1 - middle], a[middle]))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Number of elements of a tile: from a, and in all. */
struct extent {
    uint32_t a, all;
};

/* Loads the elements of a tile, those of a first, THREADS elements apart in each thread. Starts all loads before it
 * waits for one. FULL: the tile has ITEMS x THREADS elements. */
template <int THREADS, bool FULL, int ITEMS, class E>
__device__ __forceinline__ void load_parts(const E *from_a, const E *from_b, extent size, E (&v)[ITEMS]) {
    const E *const own_a = from_a + threadIdx.x, *const own_b = from_b + threadIdx.x - size.a;
#pragma unroll
    for (int s = 0; s < ITEMS; s++) {
        const E *const own = s * THREADS + threadIdx.x < size.a ? own_a : own_b;
        if (FULL || s * THREADS + threadIdx.x < size.all) v[s] = own[s * THREADS];
    }
}

/* Merges ITEMS elements of a tile, from position `start` of the result on, to v. tile[0..a) and tile[a..all) are the
 * elements of a and of b. May read ITEMS elements after the tile. */
template <int ITEMS, class ITEM, class PRECEDES>
__device__ __forceinline__ void merge_items(const ITEM *tile, extent size, uint32_t start, PRECEDES precedes,
                                            ITEM (&v)[ITEMS]) {
    const uint32_t split_a = split(tile, size.a, tile + size.a, size.all - size.a, start, precedes);
    const uint32_t end_a = size.a * sizeof(ITEM), end_b = size.all * sizeof(ITEM); /* offsets in bytes, for speed */
    uint32_t at_a = split_a * sizeof(ITEM), at_b = (size.a + start - split_a) * sizeof(ITEM);
    ITEM next_a = tile[split_a], next_b = tile[size.a + start - split_a];
#pragma unroll
    for (int s = 0; s < ITEMS; s++) {
        const bool take_b = at_a >= end_a || (at_b < end_b && precedes(next_b, next_a));
        const ITEM next = *(const ITEM *)((const char *)(tile + 1) + (take_b ? at_b : at_a));
        v[s] = take_b ? next_b : next_a;
        if (take_b) {
            next_b = next;
            at_b += sizeof(ITEM);
        } else {
            next_a = next;
            at_a += sizeof(ITEM);
        }
    }
}

#endif
