/* Dot products and sums of squares (ORDER.md 3.3, 4, 5); compiled once per instruction set level. */
#include "cpu/kernels/tree.h"

static void dot_f32(const reduce_chunk *p, partial *out) { out->f32 = tree_f32(STEP_PRODUCT, WEFT_F32, p); }
static void dot_f32_in_f64(const reduce_chunk *p, partial *out) { out->f64 = tree_f64(STEP_PRODUCT, WEFT_F32, p); }
static void dot_f64(const reduce_chunk *p, partial *out) { out->f64 = tree_f64(STEP_PRODUCT, WEFT_F64, p); }

#define TYPE(ID, name, ctype, kind, npy)                              \
    static void squares_##name(const reduce_chunk *p, partial *out) { \
        out->f64 = tree_f64(STEP_SQUARE, WEFT_##ID, p);               \
    }
#include "core/types.def"

#define TYPE(ID, name, ctype, kind, npy)                                 \
    static void deviations_##name(const reduce_chunk *p, partial *out) { \
        out->f64 = tree_f64(STEP_DEVIATION, WEFT_##ID, p);               \
    }
#include "core/types.def"

static void differences_f32(const reduce_chunk *p, partial *out) {
    out->f64 = tree_f64(STEP_DIFFERENCE, WEFT_F32, p);
}
static void differences_f64(const reduce_chunk *p, partial *out) {
    out->f64 = tree_f64(STEP_DIFFERENCE, WEFT_F64, p);
}

const product_kernels LEVELED(cpu_products) = {
    .dot_f32 = dot_f32,
    .dot_f64 = {[WEFT_F32] = dot_f32_in_f64, [WEFT_F64] = dot_f64},
    .differences_f64 = {[WEFT_F32] = differences_f32, [WEFT_F64] = differences_f64},
    .squares_f64 =
        {
#define TYPE(ID, name, ctype, kind, npy) [WEFT_##ID] = squares_##name,
#include "core/types.def"
        },
    .deviations_f64 =
        {
#define TYPE(ID, name, ctype, kind, npy) [WEFT_##ID] = deviations_##name,
#include "core/types.def"
        },
};
