/* Checks of the indices of weft_scatter_reduce, weft_gather, weft_scatter, weft_take_axis and weft_put_axis. Header
 * only, so that a plugin needs no symbol of the library. */
#ifndef WEFT_CORE_INDICES_H
#define WEFT_CORE_INDICES_H

#include "core/error.h"

#include <stdbool.h>

/* Returns the number of indices from 0 on that are in range and have a value in the type: an index, read as an
 * unsigned number of its width, is in range if it is less. A negative index then is too great. */
static inline uint64_t indices_end(weft_dtype dtype, uint64_t m) {
    const uint64_t most = dtype == WEFT_I32   ? UINT64_C(1) << 31
                          : dtype == WEFT_U32 ? UINT64_C(1) << 32
                          : dtype == WEFT_I64 ? UINT64_C(1) << 63
                                              : UINT64_MAX;
    return m < most ? m : most;
}

/* Writes the index with the bits `bits` in decimal. */
static inline void indices_text(weft_dtype dtype, uint64_t bits, char text[32]) {
    if (dtype == WEFT_I32)
        snprintf(text, 32, "%ld", (long)(int32_t)(uint32_t)bits);
    else if (dtype == WEFT_I64)
        snprintf(text, 32, "%lld", (long long)bits);
    else
        snprintf(text, 32, "%llu", (unsigned long long)bits);
}

/* Returns index[i], sign-extended: a negative index then is greater than every number of targets. */
static inline uint64_t indices_at(weft_dtype dtype, const void *index, size_t i) {
    switch (dtype) {
    case WEFT_I32: return (uint64_t)(int64_t)((const int32_t *)index)[i];
    case WEFT_U32: return ((const uint32_t *)index)[i];
    default: return ((const uint64_t *)index)[i];
    }
}

/* Returns the first of the n positions whose index is not one of 0, ..., m - 1; n if there is none. */
static inline size_t indices_find(weft_dtype dtype, size_t n, const void *index, uint64_t m) {
    const uint64_t end = indices_end(dtype, m);
    size_t i = 0;
    while (i < n && indices_at(dtype, index, i) < end) i++;
    return i;
}

/* Writes the message for index[i], which is out of range and has the bits `bits`. */
static inline weft_status indices_fail(weft_error *error, weft_dtype dtype, uint64_t i, uint64_t bits, uint64_t m) {
    char text[32];
    indices_text(dtype, bits, text);
    if (m == 0)
        return weft_fail(error, WEFT_INVALID, "index[%llu] is %s, but there are no targets", (unsigned long long)i,
                         text);
    return weft_fail(error, WEFT_INVALID, "index[%llu] is %s: expected 0 to %llu", (unsigned long long)i, text,
                     (unsigned long long)(m - 1));
}

/* Writes the message of the operation `name` for index[first] and index[second], which are equal and have the bits
 * `bits`. */
static inline weft_status indices_fail_equal(weft_error *error, const char *name, weft_dtype dtype, uint64_t first,
                                             uint64_t second, uint64_t bits) {
    char text[32];
    indices_text(dtype, bits, text);
    return weft_fail(error, WEFT_INVALID, "index[%llu] and index[%llu] are %s: %s requires different indices",
                     (unsigned long long)first, (unsigned long long)second, text, name);
}

#endif
