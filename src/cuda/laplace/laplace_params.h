/* Parameters of one pass of the Laplace kernel. */
#ifndef WEFT_CUDA_LAPLACE_PARAMS_H
#define WEFT_CUDA_LAPLACE_PARAMS_H

#include <stdint.h>

#define LAPLACE_STAGES 4 /* planes in shared memory; all but one are being copied */

struct laplace_params {
    const void *from;
    void *to;
    uint64_t nx, ny, nz;
    int64_t planes; /* planes that a block writes */
    bool vectors;   /* rows begin on 16-byte boundaries in both grids */
};

#endif
