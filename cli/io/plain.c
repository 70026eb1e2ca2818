#include "cli/io/plain.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static double sum(size_t n, const float *x) {
    float s = 0;
    for (size_t i = 0; i < n; i++) s += x[i];
    return (double)s;
}

static double product(size_t n, const float *x) {
    float p = 1;
    for (size_t i = 0; i < n; i++) p *= x[i];
    return (double)p;
}

static double minimum(size_t n, const float *x) {
    float m = x[0];
    for (size_t i = 1; i < n; i++)
        if (x[i] < m) m = x[i];
    return (double)m;
}

static double maximum(size_t n, const float *x) {
    float m = x[0];
    for (size_t i = 1; i < n; i++)
        if (x[i] > m) m = x[i];
    return (double)m;
}

static double index_of_minimum(size_t n, const float *x) {
    size_t at = 0;
    for (size_t i = 1; i < n; i++)
        if (x[i] < x[at]) at = i;
    return (double)at;
}

static double index_of_maximum(size_t n, const float *x) {
    size_t at = 0;
    for (size_t i = 1; i < n; i++)
        if (x[i] > x[at]) at = i;
    return (double)at;
}

static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double bits_and(size_t n, const float *x) {
    uint32_t b = UINT32_MAX;
    for (size_t i = 0; i < n; i++) b &= bits_of(x[i]);
    return b;
}

static double bits_or(size_t n, const float *x) {
    uint32_t b = 0;
    for (size_t i = 0; i < n; i++) b |= bits_of(x[i]);
    return b;
}

static double bits_xor(size_t n, const float *x) {
    uint32_t b = 0;
    for (size_t i = 0; i < n; i++) b ^= bits_of(x[i]);
    return b;
}

/* any and all stop as soon as the answer is known, as a plain loop would. */
static double any(size_t n, const float *x) {
    for (size_t i = 0; i < n; i++)
        if (x[i] != 0) return 1;
    return 0;
}

static double all(size_t n, const float *x) {
    for (size_t i = 0; i < n; i++)
        if (x[i] == 0) return 0;
    return 1;
}

static double count_nonzero(size_t n, const float *x) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += x[i] != 0;
    return (double)count;
}

static double mean(size_t n, const float *x) { return sum(n, x) / (double)n; }

static double norm1(size_t n, const float *x) {
    float s = 0;
    for (size_t i = 0; i < n; i++) s += fabsf(x[i]);
    return (double)s;
}

static double norm2(size_t n, const float *x) {
    float s = 0;
    for (size_t i = 0; i < n; i++) s += x[i] * x[i];
    return sqrt((double)s);
}

static double norminf(size_t n, const float *x) {
    float m = 0;
    for (size_t i = 0; i < n; i++)
        if (fabsf(x[i]) > m) m = fabsf(x[i]);
    return (double)m;
}

static double variance(size_t n, const float *x) {
    const float m = (float)mean(n, x);
    float s = 0;
    for (size_t i = 0; i < n; i++) s += (x[i] - m) * (x[i] - m);
    return (double)s / (double)n;
}

static double dot(size_t n, const float *x, const float *y) {
    float s = 0;
    for (size_t i = 0; i < n; i++) s += x[i] * y[i];
    return (double)s;
}

double plain_loop(const operation *operation, size_t n, const float *x, const float *y) {
    if (operation_is(operation, "variance")) return variance(n, x);
    if (operation_is(operation, "dot")) return dot(n, x, y);
    switch (operation->op) {
    case WEFT_SUM: return sum(n, x);
    case WEFT_PROD: return product(n, x);
    case WEFT_MIN: return minimum(n, x);
    case WEFT_MAX: return maximum(n, x);
    case WEFT_ARGMIN: return index_of_minimum(n, x);
    case WEFT_ARGMAX: return index_of_maximum(n, x);
    case WEFT_AND: return bits_and(n, x);
    case WEFT_OR: return bits_or(n, x);
    case WEFT_XOR: return bits_xor(n, x);
    case WEFT_ANY: return any(n, x);
    case WEFT_ALL: return all(n, x);
    case WEFT_COUNT_NONZERO: return count_nonzero(n, x);
    case WEFT_MEAN: return mean(n, x);
    case WEFT_NORM1: return norm1(n, x);
    case WEFT_NORM2: return norm2(n, x);
    case WEFT_NORMINF: return norminf(n, x);
    }
    return 0;
}

void plain_scan_f32(size_t n, const float *x, float *y) {
    float s = 0;
    for (size_t i = 0; i < n; i++) y[i] = s += x[i];
}

void plain_scan_f64(size_t n, const double *x, double *y) {
    double s = 0;
    for (size_t i = 0; i < n; i++) y[i] = s += x[i];
}

void plain_recurrence_f64(size_t n, const double *s, const double *u, double *v) {
    double value = 0;
    for (size_t i = 0; i < n; i++) v[i] = value = s[i] * value + u[i];
}
