/* Kernels of weft_scan (ORDER.md 6); compiled once per instruction set level. One body serves all operators: those
 * whose results do not depend on the order also use the canonical order. */
#include "cpu/common/scan_state.h"
#include "cpu/kernels/stream.h"
#include "cpu/kernels/vectors.h"

/* Operators that combine two values. Minimum and AND are computed as maximum and OR, with the bits of all elements
 * and results XORed with `xor_mask`. The maximum compares signed values, so `xor_mask` also inverts the sign bit of
 * unsigned elements. The maximum of floats is that of integer keys in the total order of ORDER.md 1.4. For every
 * `xor_mask`, the greatest key is NaN. */
typedef enum combine { COMBINE_ADD, COMBINE_MULTIPLY, COMBINE_OR, COMBINE_XOR, COMBINE_MAXIMUM } combine;

#define A float
#define LANE uint32_t
#define SIGNED_LANE int32_t
#define IS_FLOAT 1
#define OWN_TYPE WEFT_F32
#define MEMBER f32
#define OF(name) name##_f32
#include "cpu/kernels/bodies/scan_kernel_body.h"

#define A double
#define LANE uint64_t
#define SIGNED_LANE int64_t
#define IS_FLOAT 1
#define OWN_TYPE WEFT_F64
#define MEMBER f64
#define OF(name) name##_f64
#include "cpu/kernels/bodies/scan_kernel_body.h"

#define A uint8_t
#define LANE uint8_t
#define SIGNED_LANE int8_t
#define IS_FLOAT 0
#define OWN_TYPE WEFT_U8
#define MEMBER u8
#define OF(name) name##_u8
#include "cpu/kernels/bodies/scan_kernel_body.h"

#define A uint16_t
#define LANE uint16_t
#define SIGNED_LANE int16_t
#define IS_FLOAT 0
#define OWN_TYPE WEFT_U16
#define MEMBER u16
#define OF(name) name##_u16
#include "cpu/kernels/bodies/scan_kernel_body.h"

#define A uint32_t
#define LANE uint32_t
#define SIGNED_LANE int32_t
#define IS_FLOAT 0
#define OWN_TYPE WEFT_U32
#define KEYS_OF WEFT_F32
#define MEMBER u32
#define OF(name) name##_u32
#include "cpu/kernels/bodies/scan_kernel_body.h"

#define A uint64_t
#define LANE uint64_t
#define SIGNED_LANE int64_t
#define IS_FLOAT 0
#define OWN_TYPE WEFT_U64
#define KEYS_OF WEFT_F64
#define MEMBER u64
#define OF(name) name##_u64
#include "cpu/kernels/bodies/scan_kernel_body.h"

/* Kernels: the bodies with constant arguments. */
#define SCAN(field, ID, accumulator, how)                                                                           \
    static void begin_##field##_##ID(const scan_params *params, scan_state *s) {                                    \
        begin_##accumulator(COMBINE_##how, WEFT_##ID, params, s);                                                   \
    }                                                                                                               \
    static void total_##field##_##ID(const scan_params *params, const void *x, size_t tiles, scan_totals *totals) { \
        totals_##accumulator(COMBINE_##how, WEFT_##ID, params, x, tiles, totals);                                   \
    }                                                                                                               \
    static void pass_##field##_##ID(const scan_totals *totals, size_t tiles, scan_state *s) {                       \
        pass_##accumulator(COMBINE_##how, totals, tiles, s);                                                        \
    }                                                                                                               \
    static void scan_##field##_##ID(const scan_params *params, const void *x, size_t n, scan_state *s, void *y) {   \
        scan_##accumulator(COMBINE_##how, WEFT_##ID, params, x, n, s, y);                                           \
    }                                                                                                               \
    static void segments_##field##_##ID(const scan_params *params, const void *x, const uint64_t *offsets,          \
                                        size_t count, size_t longest, void *y) {                                    \
        segments_##accumulator(COMBINE_##how, WEFT_##ID, params, x, offsets, count, longest, y,                     \
                               scan_##field##_##ID);                                                                \
    }
#include "cpu/kernels/scan.def"

const scan_kernels LEVELED(cpu_scans) = {
#define SCAN(field, ID, accumulator, how)                                                                      \
    .field[WEFT_##ID] = {begin_##field##_##ID, total_##field##_##ID, pass_##field##_##ID, scan_##field##_##ID, \
                         segments_##field##_##ID},
#include "cpu/kernels/scan.def"
};
