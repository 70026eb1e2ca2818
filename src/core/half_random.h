/* Random samples of f16 and bf16, for weft_random. */
#ifndef WEFT_CORE_HALF_RANDOM_H
#define WEFT_CORE_HALF_RANDOM_H

#include "core/check.h"

/* Returns v rounded to a float type. */
double rounded_parameter(weft_dtype dtype, double v);

/* Computes samples of f16 or bf16. The arguments have been checked, and those of a uniform distribution rounded. */
weft_status half_samples(weft_context *ctx, const random_call *call, weft_error *error);

#endif
