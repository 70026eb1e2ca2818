/* The order of ORDER.md 12.1: by value, with -0 < +0 and NaN after all numbers. */
#ifndef WEFT_REF_TOTAL_ORDER_H
#define WEFT_REF_TOTAL_ORDER_H

#include "ref/common/array.h"

#include <stdbool.h>

/* Returns true if x[i] is less than y[j]. Both must have one type. */
bool ref_is_less(array x, size_t i, array y, size_t j);
/* Copies x[i] to out[j], preserving every bit. */
void ref_move(array x, size_t i, void *out, size_t j);

#endif
