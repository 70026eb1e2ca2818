/* Bounds and edges of bins, for the cases of histograms. */
#ifndef WEFT_VERIFY_BINS_H
#define WEFT_VERIFY_BINS_H

#include "verify/match.h"

typedef struct bin_bounds {
    uint64_t lower, upper; /* begin with the bytes of an element; for f16 and bf16, of an f32 */
} bin_bounds;

/* Returns bounds for `bins` bins of equal width: one of several ranges that split every kind of input, or two
 * elements of the array. */
bin_bounds bins_bounds(const match_case *c, size_t bins);

/* Writes n + 1 elements of an array of the case's kind to x, f32 for f16 and bf16, which are sorted, distinct and
 * without NaN. Elements that are left out make it fewer, but at least 2. Returns their number, or 0 without memory.
 */
size_t bins_edges(const match_case *c, size_t n, void *x);

#endif
