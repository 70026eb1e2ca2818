/* Reading an element of any type, one at a time: the specification's only way to its input. */
#ifndef WEFT_REF_ARRAY_H
#define WEFT_REF_ARRAY_H

#include "core/order.h"
#include "weft.h"

#include <stdbool.h>

typedef struct array {
    weft_dtype dtype;
    const void *p;
} array;

/* Element i as f64: exact, but for integers past 2^53, which round to nearest even. */
double ref_real(array x, size_t i);
/* Element i of an integer array, sign-extended to 64 bits. */
uint64_t ref_integer(array x, size_t i);

bool ref_is_float(weft_dtype dtype);
bool ref_is_signed(weft_dtype dtype);

/* Stores v as an element of `dtype`: a float rounded to it, a NaN as the canonical one. */
void ref_store_real(weft_dtype dtype, double v, void *out);
/* Stores the low bits of v. */
void ref_store_integer(weft_dtype dtype, uint64_t v, void *out);

#endif
