/* Integer matrix products by libcublasLt, which is loaded at run time if it is present. Integer sums are exact, so
 * that its algorithms cannot change a result. */
#ifndef WEFT_CUDA_CUBLASLT_H
#define WEFT_CUDA_CUBLASLT_H

#include "cuda/runtime/gpu.h"

#define CUBLASLT_WORKSPACE ((size_t)32 << 20)

/* `count` products: sums[r][c] = sum over t of a[r][t] * b[c][t]. The arrays are contiguous, product by product.
 * rows and columns must be multiples of 16, terms of 32. */
typedef struct int8_products {
    const int8_t *a, *b;
    int32_t *sums;
    uint64_t rows, columns, terms, count;
    void *workspace; /* CUBLASLT_WORKSPACE bytes in GPU memory, aligned to 256 */
} int8_products;

/* Starts the products on the context's stream. Sets *done to false if the library is absent, or has no algorithm:
 * then the caller must compute them. Returns WEFT_INVALID if the stream is being captured before the context's first
 * products. */
weft_status cublaslt_multiply(gpu *g, const int8_products *p, bool *done, weft_error *error);
/* Releases what the first products of the context have created. */
void cublaslt_close(gpu *g);

#endif
