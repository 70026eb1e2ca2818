/* Kernels of weft_scan (ORDER.md 6); compiled once per instruction set level. One body serves all operators: those
 * whose results do not depend on the order also use the canonical order. */
#include "cpu/common/scan_state.h"
#include "cpu/kernels/scan_values.h"
#include "cpu/kernels/stream.h"

#define BODY "cpu/kernels/bodies/scan_kernel_body.h"
#include "cpu/kernels/bodies/each_accumulator.h"

/* Kernels: the bodies with constant arguments. */
#define SCAN(field, ID, accumulator, how, result)                                                                   \
    static void begin_##field##_##ID(const scan_params *params, scan_state *s) {                                    \
        begin_##accumulator(COMBINE_##how, WEFT_##ID, WEFT_##result, params, s);                                    \
    }                                                                                                               \
    static void total_##field##_##ID(const scan_params *params, const void *x, size_t tiles, scan_totals *totals) { \
        totals_##accumulator(COMBINE_##how, WEFT_##ID, params, x, tiles, totals);                                   \
    }                                                                                                               \
    static void pass_##field##_##ID(const scan_totals *totals, size_t tiles, scan_state *s) {                       \
        pass_##accumulator(COMBINE_##how, totals, tiles, s);                                                        \
    }                                                                                                               \
    static void scan_##field##_##ID(const scan_params *params, const void *x, size_t n, scan_state *s, void *y) {   \
        scan_##accumulator(COMBINE_##how, WEFT_##ID, WEFT_##result, params, x, n, s, y);                            \
    }                                                                                                               \
    static void segments_##field##_##ID(const scan_params *params, const void *x, const uint64_t *offsets,          \
                                        size_t count, size_t longest, void *y) {                                    \
        segments_##accumulator(COMBINE_##how, WEFT_##ID, WEFT_##result, params, x, offsets, count, longest, y,      \
                               scan_##field##_##ID);                                                                \
    }
#include "cpu/kernels/scan.def"

const scan_kernels LEVELED(cpu_scans) = {
#define SCAN(field, ID, accumulator, how, result)                                                              \
    .field[WEFT_##ID] = {begin_##field##_##ID, total_##field##_##ID, pass_##field##_##ID, scan_##field##_##ID, \
                         segments_##field##_##ID},
#include "cpu/kernels/scan.def"
};
