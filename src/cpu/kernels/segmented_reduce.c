/* Kernels of weft_segmented_reduce (ORDER.md 8); compiled once per instruction set level. Long segments use the
 * kernel of weft_reduce; the kernels here reduce short segments, for which it has too much overhead. */
#include "cpu/kernels/tree.h"

enum {
    FEW = 32,  /* for operators of free order, a plain loop is as fast up to this number of elements */
    SHORT = 16 /* maximum number of elements of segments that are reduced in groups */
};

INLINE size_t length_of(const uint64_t *offsets, size_t s) { return (size_t)(offsets[s + 1] - offsets[s]); }

#define BODY "cpu/kernels/bodies/segmented_unordered_body.h"
#include "cpu/kernels/bodies/each_type.h"

#define REAL float
#define VECTOR vector_f32
#define OWN_TYPE WEFT_F32
#define LANE uint32_t
#define MEMBER f32
#define OF(name) name##_f32
#include "cpu/kernels/bodies/segmented_tree_body.h"

#define REAL double
#define VECTOR vector_f64
#define OWN_TYPE WEFT_F64
#define LANE uint64_t
#define MEMBER f64
#define OF(name) name##_f64
#include "cpu/kernels/bodies/segmented_tree_body.h"

static void sums_f32(const segment_params *params, const uint64_t *offsets, size_t count, size_t longest, void *out) {
    segments_f32(STEP_ADD, false, WEFT_F32, params, offsets, count, longest, out);
}
static void sums_f64(const segment_params *params, const uint64_t *offsets, size_t count, size_t longest, void *out) {
    segments_f64(STEP_ADD, false, WEFT_F64, params, offsets, count, longest, out);
}
static void sums_f32_in_f64(const segment_params *params, const uint64_t *offsets, size_t count, size_t longest,
                            void *out) {
    segments_f64(STEP_ADD, false, WEFT_F32, params, offsets, count, longest, out);
}
static void products_f32(const segment_params *params, const uint64_t *offsets, size_t count, size_t longest,
                         void *out) {
    segments_f32(STEP_MULTIPLY, false, WEFT_F32, params, offsets, count, longest, out);
}
static void products_f64(const segment_params *params, const uint64_t *offsets, size_t count, size_t longest,
                         void *out) {
    segments_f64(STEP_MULTIPLY, false, WEFT_F64, params, offsets, count, longest, out);
}
static void products_f32_in_f64(const segment_params *params, const uint64_t *offsets, size_t count, size_t longest,
                                void *out) {
    segments_f64(STEP_MULTIPLY, false, WEFT_F32, params, offsets, count, longest, out);
}

/* Means, for weft_scatter_reduce. */
#define TYPE(ID, name, ctype, kind, npy)                                                                          \
    static void means_##name(const segment_params *params, const uint64_t *offsets, size_t count, size_t longest, \
                             void *out) {                                                                         \
        segments_f64(STEP_ADD, true, WEFT_##ID, params, offsets, count, longest, out);                            \
    }
#include "core/types.def"

#define OF_INTEGERS(kernel)                                                                                   \
    [WEFT_I8] = kernel##_i8, [WEFT_I16] = kernel##_i16, [WEFT_I32] = kernel##_i32, [WEFT_I64] = kernel##_i64, \
    [WEFT_U8] = kernel##_u8, [WEFT_U16] = kernel##_u16, [WEFT_U32] = kernel##_u32, [WEFT_U64] = kernel##_u64

const segment_kernels LEVELED(cpu_segments) = {
    .reduce =
        {
            [WEFT_SUM] = {OF_INTEGERS(sums), [WEFT_F32] = sums_f32, [WEFT_F64] = sums_f64},
            [WEFT_PROD] = {OF_INTEGERS(products), [WEFT_F32] = products_f32, [WEFT_F64] = products_f64},
            [WEFT_MIN] = {OF_INTEGERS(minima), [WEFT_F32] = minima_f32, [WEFT_F64] = minima_f64},
            [WEFT_MAX] = {OF_INTEGERS(maxima), [WEFT_F32] = maxima_f32, [WEFT_F64] = maxima_f64},
            [WEFT_AND] = {OF_INTEGERS(ands)},
            [WEFT_OR] = {OF_INTEGERS(ors)},
            [WEFT_XOR] = {OF_INTEGERS(xors)},
        },
    .sum_f32_in_f64 = sums_f32_in_f64,
    .prod_f32_in_f64 = products_f32_in_f64,
    .mean = {OF_INTEGERS(means), [WEFT_F32] = means_f32, [WEFT_F64] = means_f64},
};
