/* Bins of elements (ORDER.md 11); compiled once per instruction set level. */
#include "cpu/kernels/vectors.h"

enum { SEARCH_GROUP = 8, F64_LANES = VECTOR_BYTES / 8 };

typedef int64_t vector_i64 __attribute__((vector_size(VECTOR_BYTES)));
typedef uint32_t vector_u32 __attribute__((vector_size(VECTOR_BYTES / 2)));

INLINE vector_i64 splat_i64(int64_t v) { return v - (vector_i64){0}; }
INLINE vector_f64 splat_f64(double v) { return v - (vector_f64){0}; }

#define BODY "cpu/kernels/bodies/histogram_body.h"
#include "cpu/kernels/bodies/each_type.h"

const histogram_kernels LEVELED(cpu_histograms) = {
    .bins =
        {
#define TYPE(ID, name, ctype, kind, npy) [WEFT_##ID] = bins_##name,
#include "core/types.def"
        },
    .keys =
        {
#define TYPE(ID, name, ctype, kind, npy) [WEFT_##ID] = keys_##name,
#include "core/types.def"
        },
};
