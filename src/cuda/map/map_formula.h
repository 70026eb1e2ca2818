/* What a kernel that a formula was compiled to is told; such a kernel is made by map_text.cu. */
#ifndef WEFT_CUDA_MAP_FORMULA_H
#define WEFT_CUDA_MAP_FORMULA_H

#include "cuda/reduce/job.h"
#include "cuda/scan/scan_job.h"
#include "formula/formula.h"

/* A leaf as of element 0 of the launch: where its array begins, its value, or the index. */
typedef union formula_operand {
    const void *array;
    float f32;
    double f64;
    uint64_t u64;
} formula_operand;

/* Of a job a map has n, out and vectors: whether all arrays are aligned for vector loads, and out for stores. A scan
 * has no x, and vectors means the same. */
typedef struct formula_job {
    union {
        job j;
        scan_job scan;
    };
    formula_operand operands[MAP_LEAVES];
} formula_job;

/* Threads of a block of a map, which has rows of a vector for each of them. */
#define FORMULA_THREADS 256

/* Bytes that a vector of V elements is aligned to; pointers that are loaded through must be, too. */
#define FORMULA_ALIGNMENT(bytes) ((bytes) < 16 ? (bytes) : 16)

#endif
