/* Reference values of the elementary functions by MPFR (L. Fousse et al., ACM Trans. Math. Softw. 33, 2007), with 160
 * bits. */
#ifndef WEFT_TESTS_ORACLE_ELEMENTARY_TRUTH_H
#define WEFT_TESTS_ORACLE_ELEMENTARY_TRUTH_H

#include "tests/oracle/elementary_lanes.h"

/* Return the error of `found` in units in the last place of f64 (f32) at the exact value. The error is infinite if
 * one of the two is NaN or infinite and the other is not equal to it. */
double truth_error_f64(elementary function, double x, double found);
double truth_error_f32(elementary function, float x, float found);
double truth_pow_error_f64(double x, double y, double found);
double truth_pow_error_f32(float x, float y, float found);

#endif
