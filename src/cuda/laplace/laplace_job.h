/* What one pass of the Laplace kernel is told. */
#ifndef WEFT_CUDA_LAPLACE_JOB_H
#define WEFT_CUDA_LAPLACE_JOB_H

#include <stdint.h>

#define LAPLACE_STAGES 4 /* planes of shared memory, all but one on their way */

struct laplace_job {
    const void *from;
    void *to;
    uint64_t nx, ny, nz;
    int64_t planes; /* that a block writes */
    bool vectors;   /* rows begin on 16-byte boundaries in both grids */
};

#endif
