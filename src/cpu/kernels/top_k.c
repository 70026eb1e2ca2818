/* Kernels of weft_top_k, which find the elements that pass a threshold; compiled once per instruction set level. */
#include "cpu/kernels/vectors.h"

enum { FILTER_GROUP = 16 }; /* elements of a block of which one may be a candidate */

#define BODY "cpu/kernels/bodies/top_k_body.h"
#include "cpu/kernels/bodies/each_half.h"
#include "cpu/kernels/bodies/each_type.h"

const filter_kernels LEVELED(cpu_filters) = {
    .filter =
        {
#define TYPE(ID, name, ctype, kind, npy) [WEFT_##ID] = filter_##name,
#define HALF(ID, name, npy) [WEFT_##ID] = filter_##name,
#include "core/halves.def"
#include "core/types.def"
        },
    .bound =
        {
#define TYPE(ID, name, ctype, kind, npy) [WEFT_##ID] = bound_##name,
#define HALF(ID, name, npy) [WEFT_##ID] = bound_##name,
#include "core/halves.def"
#include "core/types.def"
        },
};
