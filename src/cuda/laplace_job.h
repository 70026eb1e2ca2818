/* What one pass of the Laplace kernel is told, and the geometry of its blocks. */
#ifndef WEFT_CUDA_LAPLACE_JOB_H
#define WEFT_CUDA_LAPLACE_JOB_H

#include <stdint.h>

/* Tuning. On an H200 1024^3 f32 go at 371, 657, 884, 854 * 10^9 points a second with 1, 2, 3, 4 sweeps together; with
 * 512 threads of 2 rows at 370, 517, 844, 695; with 128 of 4 rows at 370, 694, 733, 592. */
#define LAPLACE_THREADS 256
#define LAPLACE_WARPS (LAPLACE_THREADS / 32)
#define LAPLACE_ROWS 4                              /* of a thread */
#define LAPLACE_TILE (LAPLACE_WARPS * LAPLACE_ROWS) /* rows of a block */
#define LAPLACE_STAGES 4                            /* planes of shared memory, all but one on their way */
#define LAPLACE_TOGETHER 4                          /* sweeps of a pass, at most */

struct laplace_job {
    const void *from;
    void *to;
    uint64_t nx, ny, nz;
    int64_t planes; /* that a block writes */
    bool vectors;   /* rows begin on 16-byte boundaries in both grids */
};

#endif
