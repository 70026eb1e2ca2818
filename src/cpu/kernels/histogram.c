/* Bins of elements (ORDER.md 11); compiled once per instruction set level. */
#include "cpu/kernels/vectors.h"

enum {
    SEARCH_GROUP = 8,
    TABLES = 4,          /* tables that consecutive elements use in turn */
    COUNTED = 16,        /* elements whose increments are one step of count_even */
    LAG = 128,           /* elements between the computation of a bin and its increment */
    SMALL_BINS = 1 << 30 /* maximum number of bins for conversions by way of int32_t */
};

/* Signed integer to which vectors of f64 are converted with one instruction. */
#ifdef __AVX512DQ__
typedef int64_t truncated;
#else
typedef int32_t truncated;
#endif

/* Increments COUNTED counters. */
INLINE void count_at(uint32_t *const *counter) {
#pragma GCC unroll 16
    for (size_t k = 0; k < COUNTED; k++) ++*counter[k];
}

#define BODY "cpu/kernels/bodies/histogram_body.h"
#include "cpu/kernels/bodies/each_type.h"

const histogram_kernels LEVELED(cpu_histograms) = {
    .bins =
        {
#define TYPE(ID, name, ctype, kind, npy) [WEFT_##ID] = bins_##name,
#include "core/types.def"
        },
    .count_even =
        {
#define TYPE(ID, name, ctype, kind, npy) [WEFT_##ID] = count_even_##name,
#include "core/types.def"
        },
    .keys =
        {
#define TYPE(ID, name, ctype, kind, npy) [WEFT_##ID] = keys_##name,
#include "core/types.def"
        },
};
