/* Division of an array into parts for selections and runs. A part fits in the caches of a core. Its length is a
 * multiple of 64 elements, except the last. */
#ifndef WEFT_CPU_SELECTION_PARTS_H
#define WEFT_CPU_SELECTION_PARTS_H

#include "core/types.h"
#include "cpu/runtime/cpu.h"

enum { SELECTION_WORDS = 1024 }; /* maximum number of mask words per part */

typedef struct selection_parts {
    size_t elements, count; /* elements per part; number of parts */
    int threads;
} selection_parts;

selection_parts cpu_selection_parts(const cpu_context *ctx, size_t n, size_t size);

static inline size_t selection_words(size_t n) { return (n + 63) / 64; }

/* Returns the type that selects the kernel: the signed integer type of equal size, or the float type. */
static inline weft_dtype cpu_selection_type(weft_dtype dtype) {
    return type_is_unsigned(dtype) ? (weft_dtype)(dtype - WEFT_U8 + WEFT_I8) : dtype;
}

#endif
