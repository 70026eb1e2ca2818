#include "tests/oracle/elementary_truth.h"

#include <math.h>
#include <mpfr.h>

enum { BITS = 160 };

typedef struct format {
    int digits, least; /* least: exponent of the least normal number */
    double greatest;
} format;

static const format f64 = {53, -1022, 0x1.fffffffffffffp1023}, f32 = {24, -126, 0x1.fffffep127};

/* Sets `unit` to one unit in the last place of a format at t, which must not be 0. */
static void set_unit(mpfr_t unit, const mpfr_t t, format f) {
    long exponent = (long)mpfr_get_exp(t) - 1;
    if (exponent < f.least) exponent = f.least;
    mpfr_set_ui_2exp(unit, 1, exponent - f.digits + 1, MPFR_RNDN);
}

/* Returns the error of `found`. If it is infinite, the exact value must exceed all finite numbers. */
static double error_of(const mpfr_t exact, double found, format f) {
    if (mpfr_nan_p(exact) || found != found) return mpfr_nan_p(exact) && found != found ? 0 : INFINITY;
    if (mpfr_zero_p(exact) || mpfr_inf_p(exact)) return mpfr_cmp_d(exact, found) == 0 ? 0 : INFINITY;
    if (isinf(found)) return mpfr_cmp_d(exact, copysign(f.greatest, found)) * found > 0 ? 0 : INFINITY;
    mpfr_t unit, distance;
    mpfr_inits2(BITS, unit, distance, (mpfr_ptr)0);
    set_unit(unit, exact, f);
    mpfr_sub_d(distance, exact, found, MPFR_RNDN);
    mpfr_div(distance, distance, unit, MPFR_RNDN);
    const double error = fabs(mpfr_get_d(distance, MPFR_RNDN));
    mpfr_clears(unit, distance, (mpfr_ptr)0);
    return error;
}

/* Sets `density` to that of the normal distribution at x. */
static void set_density(mpfr_t density, double x) {
    mpfr_t pi;
    mpfr_init2(pi, BITS);
    mpfr_const_pi(pi, MPFR_RNDN);
    mpfr_mul_2ui(pi, pi, 1, MPFR_RNDN);
    mpfr_rec_sqrt(pi, pi, MPFR_RNDN);
    mpfr_set_d(density, x, MPFR_RNDN);
    mpfr_sqr(density, density, MPFR_RNDN);
    mpfr_div_si(density, density, -2, MPFR_RNDN);
    mpfr_exp(density, density, MPFR_RNDN);
    mpfr_mul(density, density, pi, MPFR_RNDN);
    mpfr_clear(pi);
}

/* Returns the error of a quantile. One step of Newton's method from `found` gives the exact quantile with many more
 * digits than needed. */
static double probit_error(double p, double found, format f) {
    if (!(p > 0 && p < 1)) {
        const double exact = p == 0 ? -INFINITY : p == 1 ? INFINITY : NAN;
        return found == exact || (exact != exact && found != found) ? 0 : INFINITY;
    }
    if (p == 0.5 || found == 0 || isinf(found)) return p == 0.5 && found == 0 ? 0 : INFINITY;
    mpfr_t step, tail, density;
    mpfr_inits2(BITS, step, tail, density, (mpfr_ptr)0);
    const double size = p < 0.5 ? -found : found; /* the quantile of 1 - tail */
    mpfr_set_d(tail, p, MPFR_RNDN);
    if (p > 0.5) mpfr_ui_sub(tail, 1, tail, MPFR_RNDN);
    mpfr_sqrt_ui(step, 2, MPFR_RNDN);
    mpfr_d_div(step, size, step, MPFR_RNDN);
    mpfr_erfc(step, step, MPFR_RNDN);
    mpfr_div_2ui(step, step, 1, MPFR_RNDN);
    mpfr_sub(step, step, tail, MPFR_RNDN);
    set_density(density, size);
    mpfr_div(step, step, density, MPFR_RNDN);
    mpfr_add_d(step, step, size, MPFR_RNDN);
    const double error = error_of(step, size, f);
    mpfr_clears(step, tail, density, (mpfr_ptr)0);
    return error;
}

static double error_at(elementary function, double x, double found, format f) {
    static int (*const exact[ELEMENTARY_COUNT])(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t) = {[ELEMENTARY_exp] = mpfr_exp,
                                                                                      [ELEMENTARY_log] = mpfr_log,
                                                                                      [ELEMENTARY_sin] = mpfr_sin,
                                                                                      [ELEMENTARY_cos] = mpfr_cos,
                                                                                      [ELEMENTARY_erf] = mpfr_erf};
    if (function == ELEMENTARY_probit) return probit_error(x, found, f);
    mpfr_t t;
    mpfr_init2(t, BITS);
    mpfr_set_d(t, x, MPFR_RNDN);
    exact[function](t, t, MPFR_RNDN);
    const double error = error_of(t, found, f);
    mpfr_clear(t);
    return error;
}

static double pow_error_at(double x, double y, double found, format f) {
    mpfr_t t, power;
    mpfr_inits2(BITS, t, power, (mpfr_ptr)0);
    mpfr_set_d(t, x, MPFR_RNDN);
    mpfr_set_d(power, y, MPFR_RNDN);
    mpfr_pow(t, t, power, MPFR_RNDN);
    const double error = error_of(t, found, f);
    mpfr_clears(t, power, (mpfr_ptr)0);
    return error;
}

double truth_error_f64(elementary function, double x, double found) { return error_at(function, x, found, f64); }
double truth_error_f32(elementary function, float x, float found) {
    return error_at(function, (double)x, (double)found, f32);
}
double truth_pow_error_f64(double x, double y, double found) { return pow_error_at(x, y, found, f64); }
double truth_pow_error_f32(float x, float y, float found) {
    return pow_error_at((double)x, (double)y, (double)found, f32);
}
