/* Kernels of weft_reduce_lanes, which reduce rows of lanes (ORDER.md 3.4). */
#ifndef WEFT_CPU_LANE_ROWS_H
#define WEFT_CPU_LANE_ROWS_H

#include "cpu/runtime/cpu.h"

enum { LANE_LEVELS = 64 }; /* of a binary counter of rows */

/* Input of a kernel: `rows` complete rows at x, then the row `tail`, or NULL; at least one row in all. `held` is
 * workspace for LANE_LEVELS rows of results; `to` receives one. */
typedef struct lane_rows {
    const void *x, *tail;
    size_t rows, lanes;
    bool prefetch; /* the array of the call is larger than a core's caches */
    void *held, *to;
} lane_rows;

typedef void lane_kernel(const lane_rows *p);

struct lane_kernels {
    lane_kernel *sum_f32, *prod_f32;
    lane_kernel *sum_f64[DTYPES], *prod_f64[DTYPES]; /* f32 and f64 elements only */
};

#endif
