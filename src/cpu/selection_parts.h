/* How selections and runs cut an array: in parts that fit in the caches of a core, of a multiple of 64 elements but
 * for the last. */
#ifndef WEFT_CPU_SELECTION_PARTS_H
#define WEFT_CPU_SELECTION_PARTS_H

#include "cpu/cpu.h"

enum { SELECTION_WORDS = 1024 }; /* of a part's bits, at most */

typedef struct selection_parts {
    size_t elements, count; /* of a part; of parts */
    int threads;
} selection_parts;

selection_parts cpu_selection_parts(const cpu_context *ctx, size_t n, size_t size);

static inline size_t selection_words(size_t n) { return (n + 63) / 64; }

/* What the kernels go by: the signed integer type of that size, or the float. */
static inline weft_dtype cpu_selection_type(weft_dtype dtype) {
    return dtype >= WEFT_U8 && dtype <= WEFT_U64 ? (weft_dtype)(dtype - WEFT_U8 + WEFT_I8) : dtype;
}

#endif
