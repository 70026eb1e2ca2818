/* Parameters of the kernels of a product. */
#ifndef WEFT_CUDA_MATMUL_PARAMS_H
#define WEFT_CUDA_MATMUL_PARAMS_H

#include <stdint.h>

/* A factor: rows of op(A), or columns of op(B). Both are called lines, of k terms each. */
struct matmul_factor {
    const void *p;
    uint64_t ld, stride;
    bool across;  /* the lines of a term are adjacent and terms are ld apart; otherwise the terms of a line are
                     adjacent */
    bool vectors; /* addresses are aligned for 16-byte loads */
};

struct matmul_params {
    matmul_factor a, b;
    void *c;
    uint64_t ldc, stride_c;
    bool vectors_c;
    uint64_t m, n, k, part; /* part: number of terms in a part (ORDER.md 13.2) */
    uint32_t parts;
    uint64_t items; /* number of products */
    uint64_t row_tiles, column_tiles;
    double alpha, beta;
    void *sums;   /* sums of the parts: m x n for each, product by product; NULL: the only part is written to C */
    bool resumed; /* the chains continue from `sums` */
};

#endif
