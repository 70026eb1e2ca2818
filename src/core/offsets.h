/* Checks of segment offsets. Header only, so that a plugin needs no symbol of the library. */
#ifndef WEFT_CORE_OFFSETS_H
#define WEFT_CORE_OFFSETS_H

#include "core/error.h"

#include <stdbool.h>

/* Returns true if [begin, end) is a valid segment of an array of n elements. */
static inline bool offsets_good(uint64_t begin, uint64_t end, uint64_t n) { return begin <= end && end <= n; }

/* Returns true if all segments given by offsets[0 .. segments] are valid. No array has 2^63 elements, so valid
 * offsets and differences are below 2^63, and wrapped differences have the sign bit set. The loop has no early
 * exit, so that compilers vectorize it. */
static inline bool offsets_all_good(const uint64_t *offsets, size_t segments, uint64_t n) {
    uint64_t signs = offsets[0];
    for (size_t s = 0; s < segments; s++)
        signs |= offsets[s + 1] | (offsets[s + 1] - offsets[s]) | (n - offsets[s + 1]);
    return signs >> 63 == 0;
}

/* Writes the message for the invalid segment s. */
static inline weft_status offsets_fail(weft_error *error, size_t s, uint64_t begin, uint64_t end, uint64_t n) {
    if (begin > end)
        return weft_fail(error, WEFT_INVALID,
                         "offsets[%zu] is %llu and offsets[%zu] is %llu: offsets must not decrease", s,
                         (unsigned long long)begin, s + 1, (unsigned long long)end);
    return weft_fail(error, WEFT_INVALID, "offsets[%zu] is %llu, but x has only %llu elements", s + 1,
                     (unsigned long long)end, (unsigned long long)n);
}

/* Finds the first invalid segment, of which there must be one, and writes its message. */
static inline weft_status offsets_fail_first(weft_error *error, const uint64_t *offsets, uint64_t n) {
    size_t s = 0;
    while (offsets_good(offsets[s], offsets[s + 1], n)) s++;
    return offsets_fail(error, s, offsets[s], offsets[s + 1], n);
}

#endif
