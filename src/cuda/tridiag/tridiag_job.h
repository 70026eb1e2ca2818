/* What one launch of a kernel of weft_tridiag is told, and the geometry of such launches. */
#ifndef WEFT_CUDA_TRIDIAG_JOB_H
#define WEFT_CUDA_TRIDIAG_JOB_H

#include "core/order.h"

#include <stdint.h>

#define TRIDIAG_CHUNK WEFT_TRIDIAG_CHUNK
#define TRIDIAG_BASE WEFT_TRIDIAG_BASE

/* Tuning. Rows of a system that a warp solves; threads of blocks whose warps work apart; threads of a block that
 * solves a system, and of one that solves systems that are side by side, at most; of the kernels of long systems; and
 * how many systems are side by side where rows are not adjacent. */
#define TRIDIAG_WARP_ROWS (TRIDIAG_CHUNK * 32)
#define TRIDIAG_THREADS 128
#define TRIDIAG_BLOCK_THREADS(element_bytes) (1024 / (element_bytes))
#define TRIDIAG_GATHER_THREADS(element_bytes) (2048 / (element_bytes))
#define TRIDIAG_LONG_THREADS 128
#define TRIDIAG_SIDE 8

/* An array of a call, or of separators. `constant`: one value for all, f32 or f64 as the elements are. */
typedef struct tridiag_lines {
    const void *p;
    uint64_t step, line;
    bool constant;
    float f32;
    double f64;
} tridiag_lines;

typedef struct tridiag_job {
    tridiag_lines a, b, c, d;
    void *x; /* in the distances of d */
    uint64_t systems, n, chunks;
    bool periodic, begins, ends; /* begins, ends: a of the first row, c of the last, are 0 */
    bool vectors;                /* rows are adjacent, and every line and the last chunk's end lie on 16 bytes */
    uint32_t side;               /* systems that a block takes at a time, or lanes of a system in a warp */
    uint64_t *faults;            /* the least of what report() makes, or NULL */
    uint64_t whole_n;            /* rows of the caller's systems */
    uint64_t scale;              /* of which a row here stands for so many */
    uint64_t first;              /* row of its level that row 0 is */
    tridiag_lines before; /* a constant: x of the separator before chunk 0, where the system does not go round */
    void *head;           /* where not NULL, l, c and d of the first row */
    void *out_a, *out_b, *out_c, *out_d; /* separators: element chunk * out_step + system * out_line */
    uint64_t out_step, out_line;
} tridiag_job;

/* The kernels, by what they were compiled for. */
const void *tridiag_short_kernel(bool f32);
const void *tridiag_warp_kernel(bool f32, bool constant);
const void *tridiag_block_kernel(bool f32, bool adjacent);
const void *tridiag_reduce_kernel(bool f32, bool adjacent);
const void *tridiag_expand_kernel(bool f32, bool adjacent);
const void *tridiag_singular_kernel(void);

#endif
