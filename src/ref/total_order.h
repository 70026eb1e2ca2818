/* The order of ORDER.md 12.1: by value, -0 < +0, NaN behind all. */
#ifndef WEFT_REF_TOTAL_ORDER_H
#define WEFT_REF_TOTAL_ORDER_H

#include "ref/array.h"

/* Whether x[i] is less than y[j]; both are of one type. */
bool ref_is_less(array x, size_t i, array y, size_t j);
/* out[j] = x[i], every bit of it. */
void ref_move(array x, size_t i, void *out, size_t j);

#endif
