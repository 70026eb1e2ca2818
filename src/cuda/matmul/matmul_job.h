/* What the launches of a product are told. */
#ifndef WEFT_CUDA_MATMUL_JOB_H
#define WEFT_CUDA_MATMUL_JOB_H

#include <stdint.h>

/* A factor as lanes and terms: rows of op(A), or columns of op(B), by k. */
struct matmul_factor {
    const void *p;
    uint64_t ld, stride;
    bool across;  /* a term's lanes lie side by side, and terms are ld apart; else a lane's terms do */
    bool vectors; /* 16-byte loads are aligned */
};

struct matmul_job {
    matmul_factor a, b;
    void *c;
    uint64_t ldc, stride_c;
    bool vectors_c;
    uint64_t m, n, k, part; /* part: terms of one (ORDER.md 13.2) */
    uint32_t parts;
    uint64_t items; /* products */
    uint64_t row_tiles, column_tiles;
    double alpha, beta;
    void *sums;   /* of the parts: m x n for each, product after product; NULL: the chains end in C */
    bool resumed; /* the chains go on from the sums */
};

#endif
