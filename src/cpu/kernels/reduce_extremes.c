/* Minimum, maximum and largest magnitude (ORDER.md 3.2, 3.3); compiled once per instruction set level. */
#include "cpu/kernels/vectors.h"

enum { BLOCK = 1 << 12 };

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
