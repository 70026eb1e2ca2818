/* Reads one element of any type. The specification accesses its input arrays only through these functions. */
#ifndef WEFT_REF_ARRAY_H
#define WEFT_REF_ARRAY_H

#include "core/order.h"
#include "weft.h"

typedef struct array {
    weft_dtype dtype;
    const void *p;
} array;

/* Return the digits of a float type, and the exponent of its least subnormal number. */
int ref_digits(weft_dtype dtype);
int ref_least(weft_dtype dtype);

/* Returns element i as f64. Integers beyond 2^53 are rounded to nearest even; all other values are exact. */
double ref_real(array x, size_t i);
/* Returns element i of an integer array, sign-extended to 64 bits. */
uint64_t ref_integer(array x, size_t i);

/* Stores v as an element of `dtype`. A float is rounded to it, and a NaN becomes the canonical NaN. */
void ref_store_real(weft_dtype dtype, double v, void *out);
/* Stores the low bits of v. */
void ref_store_integer(weft_dtype dtype, uint64_t v, void *out);

#endif
