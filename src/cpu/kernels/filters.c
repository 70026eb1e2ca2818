/* The kernels of weft_top_k: which elements pass a threshold; compiled once for each level. */
#include "cpu/kernels/vectors.h"

#define BODY "cpu/kernels/filters_body.h"
#include "cpu/kernels/each_type.h"

const filter_kernels LEVELED(cpu_filters) = {
    .filter =
        {
#define TYPE(ID, name, ctype, kind, npy) [WEFT_##ID] = filter_##name,
#include "core/types.def"
        },
};
