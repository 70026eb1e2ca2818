/* The definition of the elementary functions (ORDER.md 18). The result for f32 is that for f64, rounded. */
#ifndef WEFT_REF_ELEMENTARY_H
#define WEFT_REF_ELEMENTARY_H

double ref_exp(double x);
double ref_log(double x);
double ref_sin(double x);
double ref_cos(double x);
double ref_pow(double x, double y);
double ref_erf(double x);
double ref_probit(double p);

#endif
