/* Test inputs: element i of an array is a function of (kind, type, seed, i) made with integer
 * arithmetic alone, so it is the same on every machine. */
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
/* Whether there is such an input of this type; whether more seeds show more; whether it is taken at
 * the largest sizes too. */
bool input_fits(input_kind kind, weft_dtype dtype);
bool input_is_random(input_kind kind);
bool input_is_large(input_kind kind);

/* Writes n elements at x. */
void input_fill(input_kind kind, weft_dtype dtype, uint64_t seed, size_t n, void *x);

/* Number `i` of the stream `seed` (the output function of S. Vigna's SplitMix64, on a counter). */
uint64_t input_random(uint64_t seed, uint64_t i);

#endif
