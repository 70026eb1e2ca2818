/* Shared by the oracles: a type with much higher precision than the tested ones, and the tested device. */
#ifndef WEFT_TESTS_ORACLE_H
#define WEFT_TESTS_ORACLE_H

#include "tests/expect.h"
#include "verify/inputs.h"

/* 113 bits: its errors are far below the measured ones. */
#if defined(__SIZEOF_FLOAT128__)
typedef __float128 wide;
#else
typedef long double wide;
#endif

/* Opens the device named by argv, or "ref" if there is none. Exits the program on failure. */
weft_context *oracle_open(int argc, char **argv);

/* Returns element i of an array, exactly. */
wide oracle_element(weft_dtype dtype, const void *x, size_t i);

/* Stores v, which has the digits of f64 or fewer, as an element of a float type: rounded to nearest even. NaN becomes
 * the canonical NaN. */
void oracle_store(weft_dtype dtype, double v, void *out);

static inline wide oracle_magnitude(wide x) { return x < 0 ? -x : x; }

/* Returns (39 + log2(n / 4096)) * eps / 2, the factor of docs/ops/reduce.md "Accuracy". */
double oracle_factor(size_t n, double epsilon);

#endif
