/* Test inputs. Element i of an array is a function of (kind, type, seed, i). It is computed with integer arithmetic
 * only, so it is identical on every machine. */
#ifndef WEFT_TESTS_INPUTS_H
#define WEFT_TESTS_INPUTS_H

#include "weft.h"

#include <stdbool.h>

typedef enum input_kind {
#define INPUT(ID, name, domain, random, large, text) INPUT_##ID,
#include "verify/inputs.def"
    INPUT_COUNT
} input_kind;

const char *input_name(input_kind kind);
/* Return true if there is such an input of this type; if more seeds test more; if it is also used at the largest
 * sizes. */
bool input_fits(input_kind kind, weft_dtype dtype);
bool input_is_random(input_kind kind);
bool input_is_large(input_kind kind);

/* Writes n elements to x. */
void input_fill(input_kind kind, weft_dtype dtype, uint64_t seed, size_t n, void *x);

/* Returns number `i` of the stream `seed` (the output function of S. Vigna's SplitMix64, applied to a counter). */
uint64_t input_random(uint64_t seed, uint64_t i);

#endif
