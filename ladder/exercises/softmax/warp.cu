/* Exercise warp: a warp for each row of a softmax
 *
 * The lanes of a warp read adjacent elements of a row: lane l takes the
 * elements l, l + 32, ... The maximum m is that of all elements of the row.
 * Lane l starts with 0 and adds exp(x[l] - m), exp(x[l + 32] - m), ... Then
 * the sums of the lanes are added: for d = 16, 8, 4, 2, 1,
 * v[l] = v[l] + v[l xor d]. y[j] = exp(x[j] - m) / s. Write the two
 * functions that combine the lanes, and the three loops. Rows have any
 * length from 1 on, also less than 32. Elements may be -infinity, but at
 * least one of each row is finite.
 *
 * Hint: `__shfl_xor_sync(0xffffffff, v, d)` returns the v of the lane whose
 * number differs in the bit d. All lanes must call it, and then all have
 * the same result.
 *
 * Hint: A lane without an element must not change the result: its maximum
 * is -INFINITY, and its sum is 0.
 *
 * Hint: Do not put an exchange into an `if` or a loop that depends on the
 * lane.
 *
 * Sizes: 1 2 31 33 100 1000 4096 10007; 16777216 on a GPU
 */
#include <cuda_runtime.h>
#include <math.h>

const unsigned WARP = 32, THREADS = 128, ALL = 0xffffffffu;

/* exp(x), with the same bits on every machine; exp(-infinity) = 0. */
__device__ float exponential(float x) {
    /* 1.5 * 2^23: adding it leaves no bits for a fraction */
    const float rounder = 12582912;
    if (x < -104) x = -104;
    if (x > 89) x = 89;
    const float k = fmaf(x, 1.44269504f, rounder) - rounder;
    const float r = fmaf(k, -1.42860677e-6f, fmaf(k, -0.693145752f, x));
    float p = 1.0f / 5040;
    p = fmaf(p, r, 1.0f / 720);
    p = fmaf(p, r, 1.0f / 120);
    p = fmaf(p, r, 1.0f / 24);
    p = fmaf(p, r, 1.0f / 6);
    p = fmaf(p, r, 0.5f);
    p = fmaf(p, r, 1);
    return ldexpf(fmaf(p, r, 1), (int)k);
}

/* Returns the maximum of the lanes' v to all lanes. */
__device__ float maximum_of_warp(float v) {
    /* Blank: five exchanges */
    for (int d = 16; d > 0; d /= 2)
        v = fmaxf(v, __shfl_xor_sync(ALL, v, d));
    /* End of blank */
    return v;
}

/* Returns the sum of the lanes' v to all lanes. */
__device__ float sum_of_warp(float v) {
    /* Blank: five exchanges */
    for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(ALL, v, d);
    /* End of blank */
    return v;
}

__global__ void softmax(size_t rows, size_t columns, const float *x,
                        float *y) {
    const size_t row =
        (size_t)blockIdx.x * (THREADS / WARP) + threadIdx.x / WARP;
    const unsigned lane = threadIdx.x % WARP;
    if (row >= rows) return; /* the whole warp */
    x += row * columns;
    y += row * columns;
    /* Blank: the maximum, the sum, and the quotients of this row */
    float m = -INFINITY, s = 0;
    for (size_t j = lane; j < columns; j += WARP) m = fmaxf(m, x[j]);
    m = maximum_of_warp(m);
    for (size_t j = lane; j < columns; j += WARP)
        s += exponential(x[j] - m);
    s = sum_of_warp(s);
    for (size_t j = lane; j < columns; j += WARP)
        y[j] = exponential(x[j] - m) / s;
    /* End of blank */
}

void solve(size_t rows, size_t columns, const float *x, float *y) {
    const size_t each = THREADS / WARP;
    const unsigned blocks = (unsigned)((rows + each - 1) / each);
    softmax<<<blocks, THREADS>>>(rows, columns, x, y);
}

/* Check */
#include "climb.h"

#include <math.h>

void solve(size_t rows, size_t columns, const float *x, float *y);

static float exp_of(float x) {
    const float rounder = 12582912;
    x = x < -104 ? -104 : x > 89 ? 89 : x;
    const float k = fmaf(x, 1.44269504f, rounder) - rounder;
    const float r = fmaf(k, -1.42860677e-6f, fmaf(k, -0.693145752f, x));
    float p = 1.0f / 5040;
    for (const float f :
         {1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1.0f, 1.0f})
        p = fmaf(p, r, f);
    return ldexpf(p, (int)k);
}

void check_exercise(climb &c) {
    /* Rows of 1 to 157 elements, around 100 and around -200 in turn. */
    const size_t WARP = 32, columns = c.n < 157 ? c.n : c.n % 2 ? 157 : 20;
    const size_t rows = c.n / columns;
    std::vector<float> values =
        ladder_values<float>(rows * columns, c.seed);
    std::vector<float> expected(rows * columns);
    for (size_t i = 0; i < rows; i++) {
        float *const x = &values[i * columns];
        float *const y = &expected[i * columns];
        float m = -INFINITY, v[WARP] = {};
        for (size_t j = 0; j < columns; j++) {
            const bool masked = j + 1 < columns &&
                                (x[j] < -0.75f || (j == 0 && i % 3 == 0));
            x[j] = masked ? -INFINITY : fmaf(x[j], 20, i % 2 ? -200 : 100);
            m = fmaxf(m, x[j]);
        }
        for (size_t j = 0; j < columns; j++)
            v[j % WARP] += exp_of(x[j] - m);
        for (size_t d = WARP / 2; d > 0; d /= 2)
            for (size_t l = 0; l < d; l++) v[l] += v[l + d];
        for (size_t j = 0; j < columns; j++) y[j] = exp_of(x[j] - m) / v[0];
    }
    const float *const x = c.input(values);
    float *const y = c.output<float>(values.size());
    c.work(16.0 * (double)values.size(), 26.0 * (double)values.size());
    c.rung(
        "warp", [&] { return c.holds(y, expected); },
        [&] { solve(rows, columns, x, y); });
}
