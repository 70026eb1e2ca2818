/* Sums, products and sums of magnitudes (ORDER.md 3.1, 3.3); compiled once per instruction set level. */
#include "cpu/kernels/tree.h"

static void sum_f32(const reduce_chunk *p, partial *out) { out->f32 = tree_f32(STEP_ADD, WEFT_F32, p); }
static void prod_f32(const reduce_chunk *p, partial *out) { out->f32 = tree_f32(STEP_MULTIPLY, WEFT_F32, p); }

static void prod_f32_in_f64(const reduce_chunk *p, partial *out) { out->f64 = tree_f64(STEP_MULTIPLY, WEFT_F32, p); }
static void prod_f64(const reduce_chunk *p, partial *out) { out->f64 = tree_f64(STEP_MULTIPLY, WEFT_F64, p); }

#define TYPE(ID, name, ctype, kind, npy)                                   \
    static void sum_##name##_in_f64(const reduce_chunk *p, partial *out) { \
        out->f64 = tree_f64(STEP_ADD, WEFT_##ID, p);                       \
    }
#include "core/types.def"

#define TYPE(ID, name, ctype, kind, npy)                                 \
    static void magnitudes_##name(const reduce_chunk *p, partial *out) { \
        out->f64 = tree_f64(STEP_MAGNITUDE, WEFT_##ID, p);               \
    }
#include "core/types.def"

const sum_kernels LEVELED(cpu_sums) = {
    .sum_f32 = sum_f32,
    .prod_f32 = prod_f32,
    .prod_f64 = {[WEFT_F32] = prod_f32_in_f64, [WEFT_F64] = prod_f64},
    .sum_f64 =
        {
#define TYPE(ID, name, ctype, kind, npy) [WEFT_##ID] = sum_##name##_in_f64,
#include "core/types.def"
        },
    .magnitudes_f64 =
        {
#define TYPE(ID, name, ctype, kind, npy) [WEFT_##ID] = magnitudes_##name,
#include "core/types.def"
        },
};
