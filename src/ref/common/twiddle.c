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

/* Computes the cosine and the sine of pi v, 0 <= v <= 1/2. From 1/4 on they are exchanged, at the distance from 1/2,
 * which is `rest`. */
static void first_quadrant(pair v, pair rest, pair *cosine, pair *sine) {
    const pair pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
    const int beyond = v.hi > 0.25;
    const pair x = multiply(pi, beyond ? rest : v);
    const pair s = series(x, 1, x), c = series((pair){1, 0}, 0, x);
    *cosine = beyond ? s : c;
    *sine = beyond ? c : s;
}

/* Computes U(k) of ORDER.md 14.1. v is the angle of T[k - k % 2] in units of -pi. The conversions are exact: v has at
 * most 53 significant digits. */
static void upright(size_t k, pair *re, pair *im) {
    const uint64_t half = UINT64_C(1) << 63, v = mirrored(k - k % 2);
    pair c, s;
    first_quadrant((pair){(double)v * 0x1p-64, 0}, (pair){(double)(half - v) * 0x1p-64, 0}, &c, &s);
    *re = k % 4 < 2 ? c : s;
    *im = k % 4 < 2 ? (pair){0 - s.hi, 0 - s.lo} : c;
}

/* Computes exp(-2 pi i a / b) = (-i)^q exp(-pi i r / (2 b)), where 4 a = q b + r. */
static void turn(uint64_t a, uint64_t b, pair *re, pair *im) {
    const uint64_t q = 4 * a / b, r = 4 * a % b;
    pair c, s;
    first_quadrant(divide((pair){(double)r / 2, 0}, (double)b), divide((pair){(double)(b - r) / 2, 0}, (double)b), &c,
                   &s);
    const pair minus_s = {0 - s.hi, 0 - s.lo}, minus_c = {0 - c.hi, 0 - c.lo};
    const pair parts[] = {c, minus_s, minus_c, s, c};
    *re = parts[q];
    *im = parts[q + 1];
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

void ref_turn_f32(uint64_t a, uint64_t b, float *re, float *im) {
    pair c, s;
    turn(a, b, &c, &s);
    *re = nearest_f32(c);
    *im = nearest_f32(s);
}

void ref_turn_f64(uint64_t a, uint64_t b, double *re, double *im) {
    pair c, s;
    turn(a, b, &c, &s);
    *re = c.hi;
    *im = s.hi;
}

/* Compute the scale and the slope of U = re + i im. */
static void slope_f32(pair re, pair im, float *scale, float *slope) {
    *scale = nearest_f32(re);
    *slope = nearest_f32(divide(im, (double)*scale));
}

static void slope_f64(pair re, pair im, double *scale, double *slope) {
    *scale = re.hi;
    *slope = divide(im, *scale).hi;
}

void ref_twiddle_f32(size_t k, float *scale, float *slope) {
    pair re, im;
    upright(k, &re, &im);
    slope_f32(re, im, scale, slope);
}

void ref_twiddle_f64(size_t k, double *scale, double *slope) {
    pair re, im;
    upright(k, &re, &im);
    slope_f64(re, im, scale, slope);
}

/* Computes U of ORDER.md 14.5. */
static void upright_of_pair(uint64_t f, uint64_t half, pair *re, pair *im) {
    pair w_re, w_im;
    turn(f, 2 * half, &w_re, &w_im);
    const int turned = 4 * f >= half;
    *re = turned ? (pair){0 - w_im.hi, 0 - w_im.lo} : w_re;
    *im = turned ? w_re : w_im;
}

void ref_half_f32(uint64_t f, uint64_t half, float *scale, float *slope) {
    pair re, im;
    upright_of_pair(f, half, &re, &im);
    slope_f32(re, im, scale, slope);
}

void ref_half_f64(uint64_t f, uint64_t half, double *scale, double *slope) {
    pair re, im;
    upright_of_pair(f, half, &re, &im);
    slope_f64(re, im, scale, slope);
}
