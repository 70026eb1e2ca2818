/* Kernels of weft_scan_axis for columns (ORDER.md 6); compiled once per instruction set level. A vector contains
 * adjacent columns of a row, and 16 rows are a group of each column. */
#include "cpu/common/planes.h"
#include "cpu/kernels/scan_values.h"
#include "cpu/kernels/stream.h"

enum { PREFETCHED_BYTES = 512 }; /* distance in a row of what is prefetched; after its end follows the next group */

#define BODY "cpu/kernels/bodies/scan_columns_body.h"
#include "cpu/kernels/bodies/each_accumulator.h"

#define SCAN(field, ID, accumulator, how, result)                                                        \
    static void begin_##field##_##ID(const scan_params *params, size_t n, size_t columns, void *state) { \
        begin_columns_##accumulator(COMBINE_##how, WEFT_##ID, WEFT_##result, params, n, columns, state); \
    }                                                                                                    \
    static void scan_##field##_##ID(const scan_params *params, const scan_columns *c, void *state) {     \
        scan_columns_##accumulator(COMBINE_##how, WEFT_##ID, WEFT_##result, params, c, state);           \
    }
#include "cpu/kernels/scan.def"

const scan_column_kernels LEVELED(cpu_scan_columns) = {
#define SCAN(field, ID, accumulator, how, result)                                                        \
    .field[WEFT_##ID] = {columns_width_##accumulator, columns_bytes_##accumulator, begin_##field##_##ID, \
                         scan_##field##_##ID},
#include "cpu/kernels/scan.def"
};
