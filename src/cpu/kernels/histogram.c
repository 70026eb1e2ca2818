/* Bins of elements (ORDER.md 11); compiled once per instruction set level. */
#include "cpu/kernels/vectors.h"

enum {
    SEARCH_GROUP = 8,
    COUNTED = 16,        /* elements whose increments are one step of count_even */
    LAG = 128,           /* elements between the computation of a bin and its increment */
    SMALL_BINS = 1 << 30 /* maximum number of bins for conversions by way of int32_t */
};

/* Increments the counters of COUNTED bins, in four tables in turn. */
INLINE void count_bins(const uint32_t *bin, uint32_t *counters, size_t stride) {
    uint32_t *const a = counters, *const b = a + stride, *const c = b + stride, *const d = c + stride;
    for (size_t i = 0; i < COUNTED; i += 4) {
        a[bin[i]]++;
        b[bin[i + 1]]++;
        c[bin[i + 2]]++;
        d[bin[i + 3]]++;
    }
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
