/* The body of cpu/merge.c for one type. */
#include "cpu/key_body.h"

/* How many of the first d of y are of a[0..na): the merge path's crossing of diagonal d. */
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

/* One element more of a chain. */
INLINE void OF(step)(const T *a, const T *b, size_t *i, size_t *j, T *y) {
    const U p = OF(bits_at)(a, *i), q = OF(bits_at)(b, *j);
    const size_t take_b = OF(key_of_bits)(q) < OF(key_of_bits)(p);
    const U taken = (U)(q ^ ((p ^ q) & ((U)take_b - 1)));
    memcpy(y, &taken, sizeof taken);
    *i += 1 - take_b;
    *j += take_b;
}

/* CHAINS pieces of the path at a time, each CHAIN elements long: four steps that do not wait for one another. Nothing
 * behind a[CHAINS * CHAIN] and b[CHAINS * CHAIN] is read, in whatever order they are. Returns how many are of a. */
static size_t OF(merge_chains)(const T *a, const T *b, T *y) {
    size_t i[CHAINS], j[CHAINS];
    for (size_t c = 0; c < CHAINS; c++) {
        i[c] = c ? OF(split)(a, c * CHAIN, b, c * CHAIN, c * CHAIN) : 0;
        j[c] = c * CHAIN - i[c];
    }
    for (size_t s = 0; s < CHAIN; s++)
        for (size_t c = 0; c < CHAINS; c++) OF(step)(a, b, &i[c], &j[c], y + c * CHAIN + s);
    return i[CHAINS - 1];
}

/* y[d..end) of the whole merge. */
static void OF(merge_part)(const void *first, size_t na, const void *second, size_t nb, size_t d, size_t end,
                           void *result) {
    const T *a = first, *b = second;
    T *y = result;
    size_t i = OF(split)(a, na, b, nb, d), j = d - i;
    while (end - d >= CHAINS * CHAIN && na - i >= CHAINS * CHAIN && nb - j >= CHAINS * CHAIN) {
        i += OF(merge_chains)(a + i, b + j, y + d);
        d += CHAINS * CHAIN;
        j = d - i;
    }
    for (; d < end && i < na && j < nb; d++) OF(step)(a, b, &i, &j, y + d);
    for (; d < end && i < na; d++) y[d] = a[i++];
    for (; d < end; d++) y[d] = b[j++];
}
