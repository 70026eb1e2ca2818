/* Kernels of weft_search_sorted (ORDER.md 12.4); compiled once per instruction set level. */
#include "cpu/kernels/vectors.h"

enum { SEARCH_GROUP = 8 };

#define BODY "cpu/kernels/bodies/search_sorted_body.h"
#include "cpu/kernels/bodies/each_half.h"
#include "cpu/kernels/bodies/each_type.h"

const search_kernels LEVELED(cpu_searches) = {
    .search =
        {
#define TYPE(ID, name, ctype, kind, npy) [WEFT_##ID] = search_##name,
#define HALF(ID, name, npy) [WEFT_##ID] = search_##name,
#include "core/halves.def"
#include "core/types.def"
        },
};
