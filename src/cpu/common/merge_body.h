/* Body of cpu/merge.c for one element type. */
#include "cpu/kernels/bodies/key_body.h"

/* Returns how many of the first d elements of y come from a[0..na): the intersection of the merge path with
 * diagonal d. */
static size_t OF(split)(const T *a, size_t na, const T *b, size_t nb, size_t d) {
    size_t low = d > nb ? d - nb : 0, high = d < na ? d : na;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (OF(key_at)(b, d - 1 - middle) < OF(key_at)(a, middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Appends one element to a chain. `numbers`: the inputs contain no NaN. */
INLINE void OF(step)(bool numbers, const T *a, const T *b, size_t *i, size_t *j, T *y) {
    const U p = OF(bits_at)(a, *i), q = OF(bits_at)(b, *j);
    const size_t take_b =
        numbers ? OF(key_of_number)(q) < OF(key_of_number)(p) : OF(key_of_bits)(q) < OF(key_of_bits)(p);
    const U taken = (U)(q ^ ((p ^ q) & ((U)take_b - 1)));
    memcpy(y, &taken, sizeof taken);
    *i += 1 - take_b;
    *j += take_b;
}

/* Merges CHAINS parts of the path, each CHAIN elements long, in an interleaved loop: their steps are independent
 * of each other. Reads nothing after a[CHAINS * CHAIN] and b[CHAINS * CHAIN], even if the inputs are not sorted.
 * Returns the number of elements taken from a. */
INLINE size_t OF(chains)(bool numbers, const T *a, const T *b, T *y) {
    size_t i[CHAINS], j[CHAINS];
    for (size_t c = 0; c < CHAINS; c++) {
        i[c] = c ? OF(split)(a, c * CHAIN, b, c * CHAIN, c * CHAIN) : 0;
        j[c] = c * CHAIN - i[c];
    }
    for (size_t s = 0; s < CHAIN; s++)
        for (size_t c = 0; c < CHAINS; c++) OF(step)(numbers, a, b, &i[c], &j[c], y + c * CHAIN + s);
    return i[CHAINS - 1];
}

static size_t OF(merge_numbers)(const T *a, const T *b, T *y) { return OF(chains)(true, a, b, y); }
static size_t OF(merge_chains)(const T *a, const T *b, T *y) { return OF(chains)(false, a, b, y); }

/* Returns true if x contains no NaN: NaNs are last. */
static bool OF(ends_in_number)(const T *x, size_t n) { return !IS_FLOAT || n == 0 || OF(key_at)(x, n - 1) != (U)-1; }

/* Computes y[d..end) of the merge. */
static void OF(merge_part)(const void *first, size_t na, const void *second, size_t nb, size_t d, size_t end,
                           void *result) {
    const T *a = first, *b = second;
    T *y = result;
    const bool numbers = OF(ends_in_number)(a, na) && OF(ends_in_number)(b, nb);
    size_t i = OF(split)(a, na, b, nb, d), j = d - i;
    while (end - d >= CHAINS * CHAIN && na - i >= CHAINS * CHAIN && nb - j >= CHAINS * CHAIN) {
        i += numbers ? OF(merge_numbers)(a + i, b + j, y + d) : OF(merge_chains)(a + i, b + j, y + d);
        d += CHAINS * CHAIN;
        j = d - i;
    }
    for (; d < end && i < na && j < nb; d++) OF(step)(false, a, b, &i, &j, y + d);
    for (; d < end && i < na; d++) y[d] = a[i++];
    for (; d < end; d++) y[d] = b[j++];
}
