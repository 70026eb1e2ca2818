/* Twiddles from the Taylor series, in pairs of f64 whose sum is accurate to about 100 bits (T. Dekker, Numer. Math.
 * 18, 1971). This is far more than correct rounding requires. */
#include "ref/common/twiddle.h"

#include <math.h>
#include <stdint.h>

/* hi + lo, where hi is the sum rounded to f64. */
typedef struct pair {
    double hi, lo;
} pair;

static pair two_sum(double a, double b) {
    const double s = a + b, t = s - a;
    return (pair){s, (a - (s - t)) + (b - t)};
}

static pair add(pair a, pair b) {
    const pair s = two_sum(a.hi, b.hi), t = two_sum(a.lo, b.lo), u = two_sum(s.hi, s.lo + t.hi);
    return two_sum(u.hi, u.lo + t.lo);
}

static pair multiply(pair a, pair b) {
    const double p = a.hi * b.hi;
    return two_sum(p, fma(a.hi, b.hi, -p) + (a.hi * b.lo + a.lo * b.hi));
}

static pair divide(pair a, double d) {
    const double q = a.hi / d;
    return two_sum(q, (fma(-q, d, a.hi) + a.lo) / d);
}

/* Returns x - x^3/3! + ... for first = x, at = 1, and 1 - x^2/2! + ... for first = 1, at = 0. x must be at most
 * pi/4. */
static pair series(pair first, double at, pair x) {
    const pair square = multiply(x, x);
    pair sum = {0, 0}, term = first;
    while (fabs(term.hi) > 0x1p-120) {
        sum = add(sum, term);
        at += 2;
        term = divide(multiply(term, square), -at * (at - 1));
    }
    return sum;
}

/* Returns v(k) 2^64: the 64 binary digits of k in reverse order. */
static uint64_t mirrored(uint64_t k) {
    uint64_t v = 0;
    for (int digit = 0; digit < 64; digit++, k >>= 1) v = v << 1 | (k & 1);
    return v;
}

/* Computes the twiddle. v is the angle in units of pi. If v >= 1/2, the angle is reduced by pi/2: T[k] = -i T[k -
 * 1]. If it is then greater than 1/4, sine and cosine are exchanged, at the distance from 1/2. */
static void twiddle(size_t k, pair *re, pair *im) {
    const pair pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
    const uint64_t half = UINT64_C(1) << 63, quarter = half / 2;
    uint64_t v = mirrored(k);
    const int turned = v >= half;
    if (turned) v -= half;
    const int beyond = v > quarter;
    if (beyond) v = half - v;
    const pair x = multiply(pi, (pair){(double)v * 0x1p-64, 0}); /* exact: v has at most 53 significant digits */
    pair sine = series(x, 1, x), cosine = series((pair){1, 0}, 0, x);
    if (beyond) {
        const pair other = sine;
        sine = cosine;
        cosine = other;
    }
    *re = turned ? (pair){0 - sine.hi, 0 - sine.lo} : cosine;
    *im = turned ? (pair){0 - cosine.hi, 0 - cosine.lo} : (pair){0 - sine.hi, 0 - sine.lo};
}

/* Returns the nearest f32. Rounding hi alone could round a tie in the wrong direction; lo decides which number is
 * nearer. */
static float nearest_f32(pair v) {
    const float near = (float)v.hi;
    const double rest = v.hi - (double)near; /* exact */
    const float other = nextafterf(near, rest > 0 ? INFINITY : -INFINITY);
    const double half = ((double)other - (double)near) / 2;
    if (rest == 0 || rest != half) return near;
    return (v.lo > 0) == (rest > 0) && v.lo != 0 ? other : near;
}

void ref_twiddle_f32(size_t k, float *re, float *im) {
    pair c, s;
    twiddle(k, &c, &s);
    *re = nearest_f32(c);
    *im = nearest_f32(s);
}

void ref_twiddle_f64(size_t k, double *re, double *im) {
    pair c, s;
    twiddle(k, &c, &s);
    *re = c.hi;
    *im = s.hi;
}
