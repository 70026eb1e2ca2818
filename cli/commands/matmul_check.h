/* A product beside what a plain loop gives. */
#ifndef WEFT_CLI_MATMUL_CHECK_H
#define WEFT_CLI_MATMUL_CHECK_H

#include "weft.h"

#include <stdbool.h>
#include <stdio.h>

/* A matrix of f32 or f64: element (i, j) is number i * row_step + j * column_step. */
typedef struct check_matrix {
    const void *p;
    size_t row_step, column_step;
} check_matrix;

/* C = A B, A m x k. */
typedef struct check_product {
    weft_dtype dtype;
    size_t m, n, k;
    check_matrix a, b, c;
} check_product;

/* The pass mark for the error below. */
#define CHECK_PASS 1e-6

/* Euclidean norm of C less the product of a plain loop (one thread, f64 sums), as a share of that product's norm; 0
 * for nothing. Negative when there was no memory. */
double check_error(const check_product *p);

/* Prints the first `most` entries that differ by more than CHECK_PASS of themselves, with their places, and how many
 * there are. */
void check_print(const check_product *p, FILE *out, int most);

#endif
