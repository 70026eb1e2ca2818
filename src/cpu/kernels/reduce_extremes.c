/* Minimum, maximum and largest magnitude (ORDER.md 3.2, 3.3); compiled once per instruction set level. */
#include "cpu/kernels/vectors.h"

enum {
    BLOCK = 1 << 12, /* elements that are searched if an index is requested */
    ROW_VECTORS = 4  /* vectors that are compared at a time */
};

/* CHOOSES(type): GCC makes one instruction for the greater elements of two vectors from a loop over the lanes. Clang
 * makes it from a comparison and a selection by bits. COMPARES(type): the level can compare vectors. Only 64-bit
 * elements may lack these instructions. */
#if defined(__clang__)
#define CHOOSES(type) 0
#elif defined(__AVX512F__)
#define CHOOSES(type) 1
#else
#define CHOOSES(type) (sizeof(type) < 8)
#endif
#if defined(__x86_64__) && !defined(__SSE4_2__)
#define COMPARES(type) (sizeof(type) < 8)
#else
#define COMPARES(type) 1
#endif

#define BODY "cpu/kernels/bodies/extremes_body.h"
#include "cpu/kernels/bodies/each_type.h"

const extreme_kernels LEVELED(cpu_extremes) = {
    .lowest =
        {
#define TYPE(ID, name, ctype, kind, npy) [WEFT_##ID] = lowest_##name,
#include "core/types.def"
        },
    .highest =
        {
#define TYPE(ID, name, ctype, kind, npy) [WEFT_##ID] = highest_##name,
#include "core/types.def"
        },
    .magnitude =
        {
#define TYPE(ID, name, ctype, kind, npy) [WEFT_##ID] = magnitude_##name,
#include "core/types.def"
        },
};
