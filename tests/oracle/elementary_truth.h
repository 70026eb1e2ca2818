/* What MPFR (L. Fousse et al., ACM Trans. Math. Softw. 33, 2007) says of the elementary functions, to 160 bits. */
#ifndef WEFT_TESTS_ORACLE_ELEMENTARY_TRUTH_H
#define WEFT_TESTS_ORACLE_ELEMENTARY_TRUTH_H

#include "tests/oracle/elementary_lanes.h"

/* How far `found` is from the exact value, in units of the last place of f64 (f32) at the exact value; infinite when
 * one of them is a NaN or infinite and the other is not the same. */
double truth_error_f64(elementary function, double x, double found);
double truth_error_f32(elementary function, float x, float found);
double truth_pow_error_f64(double x, double y, double found);
double truth_pow_error_f32(float x, float y, float found);

#endif
