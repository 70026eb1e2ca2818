/* Compares a matrix product with that of a plain loop. */
#ifndef WEFT_CLI_MATMUL_CHECK_H
#define WEFT_CLI_MATMUL_CHECK_H

#include "weft.h"

#include <stdbool.h>
#include <stdio.h>

/* A matrix of f32 or f64. Element (i, j) has index i * row_step + j * column_step. */
typedef struct check_matrix {
    const void *p;
    size_t row_step, column_step;
} check_matrix;

/* The product C = A B. A is m x k, B is k x n. */
typedef struct check_product {
    weft_dtype dtype;
    size_t m, n, k;
    check_matrix a, b, c;
} check_product;

/* Largest accepted value of check_error. */
#define CHECK_PASS 1e-6

/* Returns the Euclidean norm of the difference between C and the product of a plain loop (one thread, f64 sums),
 * divided by the norm of that product; 0 for an empty product. Returns a negative number if memory cannot be
 * allocated.
 */
double check_error(const check_product *p);

/* Prints the first `most` entries whose relative error exceeds CHECK_PASS, with their indices, and the number of all
 * such entries. */
void check_print(const check_product *p, FILE *out, int most);

#endif
