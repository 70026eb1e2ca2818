/* Parameters of one launch of a kernel of weft_tridiag, and the geometry of such launches. */
#ifndef WEFT_CUDA_TRIDIAG_PARAMS_H
#define WEFT_CUDA_TRIDIAG_PARAMS_H

#include "core/order.h"

#include <stdint.h>

#define TRIDIAG_CHUNK WEFT_TRIDIAG_CHUNK
#define TRIDIAG_BASE WEFT_TRIDIAG_BASE
#define TRIDIAG_BASE_LEVELS 6 /* levels of cyclic reduction: 2^5 rows */

/* Tuning parameters. WARP_ROWS: maximum rows of a system that a warp solves. THREADS: threads of blocks whose warps
 * are independent. BLOCK_THREADS: maximum threads of a block that solves one system. GATHER_THREADS: maximum threads
 * of a block that solves interleaved systems. LONG_THREADS: threads of the kernels of long systems. SIDE: maximum
 * number of interleaved systems per block where rows are not adjacent. */
#define TRIDIAG_WARP_ROWS (TRIDIAG_CHUNK * 32)
#define TRIDIAG_THREADS 128
#define TRIDIAG_BLOCK_THREADS(element_bytes) (1024 / (element_bytes))
#define TRIDIAG_GATHER_THREADS(element_bytes) (2048 / (element_bytes))
#define TRIDIAG_LONG_THREADS 128
#define TRIDIAG_SIDE 8

/* An array of a call, or of separators. If `constant` is true, all elements have one value, in f32 or f64 as the
 * element type requires. */
typedef struct tridiag_lines {
    const void *p;
    uint64_t step, line;
    bool constant;
    float f32;
    double f64;
} tridiag_lines;

typedef struct tridiag_params {
    tridiag_lines a, b, c, d;
    void *x; /* has the step and line of d */
    uint64_t systems, n, chunks;
    bool periodic, begins, ends; /* begins, ends: `a` of the first row, or `c` of the last, is 0 */
    bool vectors;     /* vector access to adjacent rows: every line begins, and its last chunk ends, on 16 bytes */
    uint32_t side;    /* number of systems per block at a time, or lanes per system in a warp */
    uint32_t lanes;   /* lanes of a warp that solve the separators of a system of a block */
    uint64_t *faults; /* minimum of the faults that tridiag_report encodes, or NULL */
    uint64_t full_n;  /* rows of the caller's systems */
    uint64_t scale;   /* number of the caller's rows that a row of this level represents */
    uint64_t first;   /* index, in its level, of row 0 */
    tridiag_lines before; /* constant: x of the separator before chunk 0, if the system is not periodic */
    void *head;           /* if not NULL, receives l, c and d of the first row */
    void *out_a, *out_b, *out_c, *out_d; /* separators: element chunk * out_step + system * out_line */
    uint64_t out_step, out_line;
} tridiag_params;

/* Return the kernels by template arguments. */
const void *tridiag_short_kernel(bool f32);
const void *tridiag_warp_kernel(bool f32, bool constant);
const void *tridiag_block_kernel(bool f32, bool adjacent);
const void *tridiag_reduce_kernel(bool f32, bool adjacent);
const void *tridiag_expand_kernel(bool f32, bool adjacent);
const void *tridiag_singular_kernel(void);

#endif
