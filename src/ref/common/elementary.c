/* The definition of the elementary functions, in the order of ORDER.md 18. frexp, ldexp and floor are exact, or
 * round once. */
#include "ref/common/elementary.h"
#include "core/elementary.h"
#include "core/order.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* high + low, where |low| is much smaller than |high|. */
typedef struct sum {
    double high, low;
} sum;

static double nan_f64(void) {
    const uint64_t bits = WEFT_NAN_F64;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Returns a + b, rounded, and the rounding error. Exact for |a| >= |b| (T. Dekker, Numer. Math. 18, 1971). */
static sum fast_sum(double a, double b) {
    const double s = a + b;
    return (sum){s, (a - s) + b};
}

#define POLYNOMIAL(coefficients, x) \
    horner((const double[]){coefficients}, sizeof((const double[]){coefficients}) / sizeof(double), x)

static double horner(const double *c, size_t n, double x) {
    double value = c[0];
    for (size_t i = 1; i < n; i++) value = fma(value, x, c[i]);
    return value;
}

/* ----------------------------------------------------------------------- 18.2 exp, 18.3 log */

static double exp_of_sum(double a, double low) {
    const double n = fma(a, WEFT_LOG2_E, WEFT_ROUNDER) - WEFT_ROUNDER;
    const sum r = fast_sum(fma(n, -WEFT_LN2_HIGH, a), fma(n, -WEFT_LN2_LOW, low));
    const sum one = fast_sum(1, r.high);
    const double curve = fma(r.low, one.high, r.high * r.high * POLYNOMIAL(WEFT_EXP_Q, r.high));
    return ldexp(one.high + (one.low + curve), (int)n);
}

/* Returns 0 or infinity if a is beyond the bounds. */
static double exp_of_clamped_sum(double a, double low) {
    if (a < WEFT_EXP_LEAST) return 0;
    if (a > WEFT_EXP_GREATEST) return INFINITY;
    return exp_of_sum(a, low);
}

double ref_exp(double x) { return x != x ? nan_f64() : exp_of_clamped_sum(x, 0); }

/* Splits x = 2^n (1 + f), sqrt(1/2) <= 1 + f < sqrt 2. Returns n. */
static double split(double x, double *f) {
    int n;
    double m = frexp(x, &n);
    if (m < WEFT_SQRT_HALF) {
        m *= 2;
        n--;
    }
    *f = m - 1;
    return n;
}

double ref_log(double x) {
    if (x == 0) return -INFINITY;
    if (x != x || x < 0) return nan_f64();
    if (x == INFINITY) return x;
    double f;
    const double n = split(x, &f), s = f / (2 + f), z = s * s;
    const sum whole = fast_sum(n * WEFT_LN2_HIGH, f);
    const double curve = fma(z, POLYNOMIAL(WEFT_LOG_Q, z), 0.5 * f * f);
    const double low = fma(s, curve, fma(n, WEFT_LN2_LOW, whole.low));
    return whole.high + fma(-0.5 * f, f, low);
}

/* --------------------------------------------------------------------------------- 18.4 pow */

static sum log_as_sum(double x) {
    double f;
    const double n = split(x, &f);
    const sum below = fast_sum(2, f);
    const double inverse = 1 / below.high, s = f * inverse;
    const double s_low = fma(-s, below.low, fma(-s, below.high, f)) * inverse;
    const double z = s * s, z_low = fma(2 * s, s_low, fma(s, s, -z));
    sum w = fast_sum(WEFT_POW_TWO_THIRDS_HIGH, z * POLYNOMIAL(WEFT_POW_Q, z));
    w.low += WEFT_POW_TWO_THIRDS_LOW;
    const double t = z * w.high, t_low = fma(z, w.high, -t) + fma(z, w.low, z_low * w.high);
    sum u = fast_sum(2, t);
    u.low += t_low;
    const double l = s * u.high, l_low = fma(s, u.high, -l) + fma(s, u.low, s_low * u.high);
    const sum whole = fast_sum(n * WEFT_LN2_HIGH, l);
    return fast_sum(whole.high, whole.low + fma(n, WEFT_LN2_LOW, l_low));
}

/* Returns x^y. x must be positive and finite. */
static double power(double x, double y) {
    const sum l = log_as_sum(x);
    if (y > WEFT_POW_GREATEST) y = WEFT_POW_GREATEST;
    if (y < -WEFT_POW_GREATEST) y = -WEFT_POW_GREATEST;
    const double product = y * l.high;
    return exp_of_clamped_sum(product, fma(y, l.low, fma(y, l.high, -product)));
}

double ref_pow(double x, double y) {
    if (x == 1 || y == 0) return 1;
    if (x != x || y != y) return nan_f64();
    const bool whole = floor(y) == y, odd = whole && fabs(y) < 0x1p53 && floor(y / 2) != y / 2;
    double size;
    if (x == 0 || isinf(x))
        size = (x == 0) == (y < 0) ? INFINITY : 0;
    else if (x < 0 && !whole)
        return nan_f64();
    else
        size = power(fabs(x), y);
    return signbit(x) && odd ? -size : size;
}

/* ---------------------------------------------------------------------- 18.5 erf, 18.6 probit */

double ref_erf(double x) {
    if (x != x) return nan_f64();
    double size = fabs(x);
    if (size < 1) {
        size = fma(size, POLYNOMIAL(WEFT_ERF_P, size * size), size);
    } else {
        if (size > WEFT_ERF_GREATEST) size = WEFT_ERF_GREATEST;
        size = 1 - exp_of_sum(POLYNOMIAL(WEFT_ERF_G, size - 1), 0);
    }
    return signbit(x) ? -size : size;
}

double ref_probit(double p) {
    if (p != p || p < 0 || p > 1) return nan_f64();
    const double tail = p < 0.5 ? p : 1 - p, q = fabs(p - 0.5);
    double size;
    if (q <= WEFT_PROBIT_MIDDLE) {
        const double z = q * q, t = WEFT_PROBIT_MIDDLE * WEFT_PROBIT_MIDDLE - z;
        const double ratio = POLYNOMIAL(WEFT_PROBIT_A, t) / POLYNOMIAL(WEFT_PROBIT_B, t);
        size = fma(q, WEFT_SQRT_2PI_HIGH, q * fma(z, ratio, WEFT_SQRT_2PI_LOW));
    } else if (tail == 0) {
        size = INFINITY;
    } else {
        const double r = sqrt(-ref_log(tail)), near = r - 1.6, far = r - 5;
        const double ratio = r <= 5 ? POLYNOMIAL(WEFT_PROBIT_C, near) / POLYNOMIAL(WEFT_PROBIT_D, near)
                                    : POLYNOMIAL(WEFT_PROBIT_E, far) / POLYNOMIAL(WEFT_PROBIT_F, far);
        size = fma(r, WEFT_SQRT_2, -ratio);
    }
    return p < 0.5 ? -size : size;
}

/* --------------------------------------------------------------------------- 18.7 sin, cos */

/* x = quadrant pi/2 + r. Only the last two bits of `quadrant` are significant. */
typedef struct angle {
    unsigned quadrant;
    sum r;
} angle;

static angle near_angle(double x) {
    const double n = fma(x, WEFT_TWO_OVER_PI, WEFT_ROUNDER) - WEFT_ROUNDER;
    const double part = n * WEFT_HALF_PI_2;
    const sum first = fast_sum(fma(-n, WEFT_HALF_PI_1, x), -part);
    const double low = fma(-n, WEFT_HALF_PI_3, first.low - fma(n, WEFT_HALF_PI_2, -part));
    return (angle){(unsigned)n, fast_sum(first.high, low)};
}

/* Returns 32 binary digits of 2/pi, the first of which has the weight 2^-(first - 63). */
static uint64_t two_over_pi(int first) {
    static const uint64_t words[] = {WEFT_TWO_OVER_PI_DIGITS};
    uint64_t digits = 0;
    for (int i = first; i < first + 32; i++) digits = digits << 1 | (words[i / 64] >> (63 - i % 64) & 1);
    return digits;
}

/* Reduces the argument by long multiplication with digits of 32 bits. The product is x = m 2^e times the 192 binary
 * digits of 2/pi from weight 2^(1 - e) on, without whole turns. Its first two bits are the quadrant. The next 126
 * bits are the position in it. */
static angle far_angle(double x) {
    int e;
    const uint64_t m = (uint64_t)ldexp(frexp(x, &e), 53);
    uint64_t digits[6] = {0}; /* most significant first */
    for (int i = 5; i >= 0; i--) {
        const uint64_t factor = two_over_pi(e - 53 + 62 + 32 * i);
        uint64_t carry = 0;
        for (int k = i, half = 0; k >= 0; k--, half++) {
            const uint64_t part = half < 2 ? (m >> 32 * half & UINT32_MAX) * factor : 0;
            const uint64_t total = digits[k] + (part & UINT32_MAX) + (carry & UINT32_MAX);
            digits[k] = total & UINT32_MAX;
            carry = (total >> 32) + (part >> 32) + (carry >> 32);
        }
    }
    angle v = {(unsigned)(digits[0] >> 30), {0, 0}};
    for (int i = 0; i < 4; i++) digits[i] = (digits[i] << 2 | (i < 3 ? digits[i + 1] >> 30 : 0)) & UINT32_MAX;
    const bool beyond = digits[0] >> 31; /* in the upper half: use the distance from the next quadrant */
    for (int i = 3, borrow = 0; beyond && i >= 0; i--) {
        const uint64_t digit = digits[i] + (uint64_t)borrow;
        digits[i] = (0 - digit) & UINT32_MAX;
        borrow = digit != 0;
    }
    v.quadrant += beyond;
    const sum upper = fast_sum((double)digits[0] * 0x1p-32, (double)digits[1] * 0x1p-64);
    const sum lower = fast_sum((double)digits[2] * 0x1p-96, (double)digits[3] * 0x1p-128);
    sum position = fast_sum(upper.high, lower.high);
    position.low += upper.low + lower.low;
    const double r = position.high * WEFT_HALF_PI_HIGH;
    v.r = fast_sum(r, fma(position.high, WEFT_HALF_PI_HIGH, -r) +
                          fma(position.high, WEFT_HALF_PI_LOW, position.low * WEFT_HALF_PI_HIGH));
    if (beyond) v.r = (sum){-v.r.high, -v.r.low};
    return v;
}

static double sine(sum r) {
    const double z = r.high * r.high;
    return r.high + fma(r.high * z, POLYNOMIAL(WEFT_SIN_S, z), fma(-0.5 * z, r.low, r.low));
}

static double cosine(sum r) {
    const double z = r.high * r.high;
    const sum one = fast_sum(1, -0.5 * z);
    return one.high + (one.low + fma(z * z, POLYNOMIAL(WEFT_COS_C, z), -(r.high * r.low)));
}

/* Returns the sine of |x| plus `further` quadrants. x must be finite. */
static double sine_further(double x, unsigned further) {
    const angle v = fabs(x) <= WEFT_NEAR ? near_angle(fabs(x)) : far_angle(fabs(x));
    const unsigned quadrant = v.quadrant + further;
    const double size = quadrant % 2 ? cosine(v.r) : sine(v.r);
    return quadrant / 2 % 2 ? -size : size;
}

double ref_sin(double x) {
    if (x != x || isinf(x)) return nan_f64();
    return signbit(x) ? -sine_further(x, 0) : sine_further(x, 0);
}

double ref_cos(double x) { return x != x || isinf(x) ? nan_f64() : sine_further(x, 1); }
