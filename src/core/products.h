/* Checks and calls that weft_matmul, weft_matmul_stack and weft_matmul_complex share. */
#ifndef WEFT_CORE_PRODUCTS_H
#define WEFT_CORE_PRODUCTS_H

#include "core/check.h"

/* Checks the types of a product. Sets *chains to the type of its sums. */
weft_status check_product_types(weft_dtype dtype, weft_dtype accumulate, weft_dtype *chains, weft_error *error);

/* Reads alpha or beta from p, a double for f64 and a float for all other types; `none` is the value for p = NULL. */
weft_status read_product_scalar(const char *name, weft_dtype dtype, const void *p, double none, double *value,
                                weft_error *error);

/* Calls the backend, if there is something to compute. Sets the members of a call that alpha, beta and the lengths
 * decide: k = 0 if alpha = 0, the type of the sums then, and the terms of a part. */
weft_status run_product(weft_context *ctx, matmul_call *call, weft_error *error);

/* Fails unless the last two axes of three views are matrices that can be multiplied, and the other axes of A and B
 * can be broadcast to those of C. */
weft_status check_stack(const weft_view *a, const weft_view *b, const weft_view *c, weft_error *error);

/* Computes the products of stacks that have been checked. C has elements. `first` has the types, alpha and beta. */
weft_status run_stack(weft_context *ctx, const matmul_call *first, const weft_view *a, const weft_view *b,
                      const weft_view *c, weft_error *error);

/* Computes a product of f16 or bf16 whose type of sums is f32, for run_product. */
weft_status half_product(weft_context *ctx, const matmul_call *call, weft_error *error);

#endif
