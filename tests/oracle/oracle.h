/* What the oracles share: an arithmetic wide enough to be called exact, and a device to ask. */
#ifndef WEFT_TESTS_ORACLE_H
#define WEFT_TESTS_ORACLE_H

#include "tests/expect.h"
#include "verify/inputs.h"

/* 113 digits: its errors are far below those it measures. */
#if defined(__SIZEOF_FLOAT128__)
typedef __float128 wide;
#else
typedef long double wide;
#endif

/* Opens the device that argv names, "ref" when it names none. Exits the program when it cannot. */
weft_context *oracle_open(int argc, char **argv);

/* Element i of an array, exactly. */
wide oracle_element(weft_dtype dtype, const void *x, size_t i);

static inline wide oracle_magnitude(wide x) { return x < 0 ? -x : x; }

/* (39 + log2(n / 4096)) * eps / 2, the factor of docs/ops/reduce.md "Accuracy". */
double oracle_factor(size_t n, double epsilon);

#endif
