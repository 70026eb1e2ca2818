/* Parameters of a kernel compiled for a formula; map_text.cu generates such kernels. */
#ifndef WEFT_CUDA_MAP_FORMULA_H
#define WEFT_CUDA_MAP_FORMULA_H

#include "cuda/map/map_layout.h"
#include "cuda/reduce/reduce_params.h"
#include "cuda/scan/scan_params.h"

/* A leaf at element 0 of the launch: the array's address, the value, or the index. */
typedef union formula_operand {
    const void *array;
    float f32;
    double f64;
    uint64_t u64;
} formula_operand;

/* A map uses j.n, j.out and j.vectors. `vectors` is true if all arrays are aligned for vector loads, and `out` for
 * vector stores. A scan has no x; its `vectors` has this meaning too. */
typedef struct formula_params {
    union {
        reduce_params j;
        scan_params scan;
        formula_views views;
    };
    formula_operand operands[MAP_LEAVES];
} formula_params;

/* Threads per block of a map; each computes one vector per row. */
#define FORMULA_THREADS 256

/* Alignment of a vector in bytes. Pointers for vector loads and stores must have it. */
#define FORMULA_ALIGNMENT(bytes) ((bytes) < 16 ? (bytes) : 16)

#endif
