/* Exercise own: many tridiagonal systems,
 * interleaved, with a thread for each
 *
 * There are `systems` systems of `rows` equations each:
 * a x[r - 1] + b x[r] + c x[r + 1] = d. Row r of system s is at
 * r * systems + s in all arrays, so that adjacent threads access adjacent
 * elements. The a of the first row and the c of the last row are arbitrary
 * numbers that belong to no unknown. `spare` has the size of x. Both
 * contain arbitrary bytes.
 *
 * Solve each system by elimination (L. Thomas). The results are compared
 * bit for bit, so the order is given:
 *
 *     row 0:              c' = c / b
 *                         d' = d / b
 *     the rows after it:  e = b - a * c'[r - 1]
 *                         c' = c / e
 *                         d' = (d - a * d'[r - 1]) / e
 *     the last row:       x = d'
 *     upwards:            x = d' - c' * x[r + 1]
 *
 * Each operation is rounded: use no fmaf. All points for traffic need a
 * thread that keeps the values of the previous row in registers.
 *
 * Hint: Store c' in `spare` and d' in x on the way down. On the way up,
 * replace d' by x.
 *
 * Hint: Thread s begins at element s, and the next row is `systems`
 * elements later. There may be more threads than systems.
 *
 * Hint: The loop upwards begins with the last row but one. An index without
 * a sign is never less than 0: `for (size_t r = rows - 1; r-- > 0;)` runs
 * from rows - 2 to 0.
 *
 * Sizes: 1 2 31 63 64 65 127 129 1000; 262166 on a GPU
 */
#include <cuda_runtime.h>

/* Blank: a kernel */
const unsigned THREADS = 64;

__global__ void eliminate(size_t systems, size_t rows, const float *a,
                          const float *b, const float *c, const float *d,
                          float *x, float *spare) {
    const size_t s = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (s >= systems) return;
    float above = c[s] / b[s], value = d[s] / b[s];
    spare[s] = above;
    x[s] = value;
    for (size_t r = 1; r < rows; r++) {
        const size_t at = r * systems + s;
        const float own = a[at], pivot = b[at] - own * above;
        above = c[at] / pivot;
        value = (d[at] - own * value) / pivot;
        spare[at] = above;
        x[at] = value;
    }
    for (size_t r = rows - 1; r-- > 0;) {
        const size_t at = r * systems + s;
        value = x[at] - spare[at] * value;
        x[at] = value;
    }
}
/* End of blank */

void solve(size_t systems, size_t rows, const float *a, const float *b,
           const float *c, const float *d, float *x, float *spare) {
    /* Blank: its launch */
    const unsigned blocks = (unsigned)((systems + THREADS - 1) / THREADS);
    eliminate<<<blocks, THREADS>>>(systems, rows, a, b, c, d, x, spare);
    /* End of blank */
}

/* Check */
#include "climb.h"

void solve(size_t systems, size_t rows, const float *a, const float *b,
           const float *c, const float *d, float *x, float *spare);

void check_exercise(climb &k) {
    const size_t systems = k.n, rows = k.n % 31 + 1, all = systems * rows;
    const std::vector<float> left = ladder_values<float>(all, k.seed);
    const std::vector<float> right =
        ladder_values<float>(all, k.seed + 100);
    const std::vector<float> values =
        ladder_values<float>(all, k.seed + 200);
    std::vector<float> diagonal = ladder_values<float>(all, k.seed + 300);
    std::vector<float> above(all), solution(all);
    /* Greater than the sum of the others */
    for (float &v : diagonal) v += 3.5f;
    for (size_t i = 0; i < all; i++) {
        if (i < systems) {
            above[i] = right[i] / diagonal[i];
            solution[i] = values[i] / diagonal[i];
            continue;
        }
        const float pivot = diagonal[i] - left[i] * above[i - systems];
        above[i] = right[i] / pivot;
        solution[i] = (values[i] - left[i] * solution[i - systems]) / pivot;
    }
    for (size_t i = all - systems; i-- > 0;)
        solution[i] = solution[i] - above[i] * solution[i + systems];
    const float *const a = k.input(left), *const b = k.input(diagonal);
    const float *const c = k.input(right), *const d = k.input(values);
    float *const x = k.output<float>(all);
    float *const spare = k.output<float>(all);
    /* A row reads a, b, c, d, c' and d', and writes c', d' and x. The first
     * reads no a, and the last no c' and d'. */
    k.work(4.0 * (double)systems * (9.0 * (double)rows - 4),
           8.0 * (double)all);
    k.rung(
        "own", [&] { return k.holds(x, solution); },
        [&] { solve(systems, rows, a, b, c, d, x, spare); });
}
