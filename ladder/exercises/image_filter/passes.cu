/* Exercise passes: a filter in two passes, with mirrored borders
 *
 * A filter whose taps are a product of a column and a row, f[r] f[s], is
 * applied in two passes: first along the rows, then along the columns of
 * the result. Both use the same five taps: c(i, j) = the sum of
 * a(i, j + k - 2) f[k], k = 0 ... 4, and b(i, j) = the sum of
 * c(i + k - 2, j) f[k]. Each sum starts with 0 and adds the products in
 * turn, by `fmaf`. The image is mirrored at its borders, without a
 * repetition of the border itself: element -1 is element 1, element -2 is
 * element 2, and element n is element n - 2. Both sides are 3 or more.
 * Write the function `mirrored` and the two loops.
 *
 * Hint: With i = position + k - 2, which is -2 or more: if i < 0 take -i,
 * and if i >= n take 2 (n - 1) - i.
 *
 * Hint: In `size_t`, -1 is a large number. Convert to `long long` first, or
 * compare before you subtract.
 *
 * Hint: The second pass reads what the first one has written for other
 * rows. They are two kernels, and the second one starts when the first one
 * has ended.
 *
 * Sizes: 9 12 13 100 255 257 1000 4001 10007; 33554432 on a GPU
 */
#include <cuda_runtime.h>
#include <math.h>

const unsigned WIDTH = 32, HEIGHT = 4;

struct taps {
    float f[5];
};

/* Returns position + k - 2, mirrored into 0 ... n - 1, for k = 0 ... 4. */
__device__ size_t mirrored(size_t position, unsigned k, size_t n) {
    /* Blank: the mirrored position */
    const long long i = (long long)(position + k) - 2;
    const long long last = (long long)n - 1;
    return (size_t)(i < 0 ? -i : i > last ? 2 * last - i : i);
    /* End of blank: return position; */
}

__global__ void along_rows(size_t rows, size_t columns, const float *a,
                           taps t, float *c) {
    const size_t i = (size_t)blockIdx.y * HEIGHT + threadIdx.y;
    const size_t j = (size_t)blockIdx.x * WIDTH + threadIdx.x;
    if (i >= rows || j >= columns) return;
    float sum = 0;
    /* Blank: add the five products along the row */
    for (unsigned k = 0; k < 5; k++)
        sum = fmaf(a[i * columns + mirrored(j, k, columns)], t.f[k], sum);
    /* End of blank */
    c[i * columns + j] = sum;
}

__global__ void along_columns(size_t rows, size_t columns, const float *c,
                              taps t, float *b) {
    const size_t i = (size_t)blockIdx.y * HEIGHT + threadIdx.y;
    const size_t j = (size_t)blockIdx.x * WIDTH + threadIdx.x;
    if (i >= rows || j >= columns) return;
    float sum = 0;
    /* Blank: add the five products along the column */
    for (unsigned k = 0; k < 5; k++)
        sum = fmaf(c[mirrored(i, k, rows) * columns + j], t.f[k], sum);
    /* End of blank */
    b[i * columns + j] = sum;
}

void solve(size_t rows, size_t columns, const float *a, taps t, float *c,
           float *b) {
    const dim3 tiles((unsigned)((columns + WIDTH - 1) / WIDTH),
                     (unsigned)((rows + HEIGHT - 1) / HEIGHT));
    along_rows<<<tiles, dim3(WIDTH, HEIGHT)>>>(rows, columns, a, t, c);
    along_columns<<<tiles, dim3(WIDTH, HEIGHT)>>>(rows, columns, c, t, b);
}

/* Check */
#include "climb.h"

#include <math.h>

struct taps {
    float f[5];
};
void solve(size_t rows, size_t columns, const float *a, taps t, float *c,
           float *b);

/* Returns an image filtered along elements that are `stride` apart, of
 * lines of `length` elements. */
static std::vector<float> filtered(const std::vector<float> &a,
                                   size_t stride, size_t length, taps t) {
    std::vector<float> to(a.size());
    for (size_t at = 0; at < a.size(); at++) {
        const size_t i = at / stride % length, begin = at - i * stride;
        for (size_t k = 0; k < 5; k++) {
            const size_t from = i + k < 2 ? 2 - i - k : i + k - 2;
            to[at] = fmaf(
                a[begin + (from < length ? from : 2 * (length - 1) - from) *
                              stride],
                t.f[k], to[at]);
        }
    }
    return to;
}

void check_exercise(climb &c) {
    /* At most n points, in the proportion 1 : 2 or, for an odd n, 2 : 1;
     * both sides are 3 or more. */
    size_t small = 3;
    while (2 * (small + 1) * (small + 1) <= c.n) small++;
    const size_t rows = c.n % 2 ? c.n / small : small, columns = c.n / rows;
    const std::vector<float> values =
        ladder_values<float>(rows * columns, c.seed);
    const std::vector<float> numbers =
        ladder_values<float>(5, c.seed + 100);
    taps t;
    for (size_t k = 0; k < 5; k++) t.f[k] = numbers[k];
    const std::vector<float> expected =
        filtered(filtered(values, 1, columns, t), columns, rows, t);
    const float *const a = c.input(values);
    float *const between = c.output<float>(values.size());
    float *const b = c.output<float>(values.size());
    c.work(4.0 * 12.0 * (double)values.size(),
           20.0 * (double)values.size());
    c.rung(
        "passes", [&] { return c.holds(b, expected); },
        [&] { solve(rows, columns, a, t, between, b); });
}
