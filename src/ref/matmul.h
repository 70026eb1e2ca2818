/* Steps of weft_matmul's definition that a product in stages also uses. */
#ifndef WEFT_REF_MATMUL_H
#define WEFT_REF_MATMUL_H

#include "core/backend.h"

/* Returns the chain of element (i, j) of product `item` over the terms of a part, continued from s. */
double ref_matmul_chain(const matmul_call *c, size_t item, size_t i, size_t j, size_t part, double s);

/* Returns the sum of a part of the terms. */
typedef double (*sum_of_part)(const void *from, size_t part);

/* Stores element (i, j) of product `item` from the sums of its parts. Adjacent parts are added in pairs; a part
 * without a partner moves up unchanged (ORDER.md 2.4). */
void ref_matmul_store(const matmul_call *c, size_t item, size_t i, size_t j, sum_of_part sum, const void *from);

/* Computes a product with WEFT_EXACT_SUM (ORDER.md 31). k >= 1. */
weft_status ref_matmul_exact(const matmul_call *c, weft_error *error);

#endif
