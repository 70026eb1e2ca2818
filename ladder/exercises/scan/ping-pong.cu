/* Exercise ping-pong: the scan of a tile with two buffers
 *
 * A block scans a tile of 256 floats by the method of Hillis and Steele: at
 * the distances d = 1, 2, 4, ..., 128, every y[t] with t >= d becomes
 * y[t - d] + y[t], for all t at once. Each tile is scanned alone, so y[256]
 * is x[256] again. The last tile may be shorter.
 *
 * Use the two arrays of `tile` in turn: a step reads one of them and writes
 * the other. Then a step needs only one barrier. Write the load and the
 * steps. The sums are rounded, so this order is required: the results are
 * compared bit for bit.
 *
 * Hint: Elements with t < d do not change in a step. They must be copied,
 * because the next step reads the other array.
 *
 * Hint: `now` is the number of the array that is read, and `!now` that of
 * the other. Exchange them after each step. The last line reads the array
 * that was written last.
 *
 * Hint: One barrier is needed between the load and the first step, and one
 * between two steps.
 *
 * Hint: Threads after the end of x load 0. They must not return, because
 * all threads must reach the barriers.
 *
 * Sizes: 1 2 31 32 33 129 255 256 257 1000 20011; 67108864 on a GPU
 */
#include <cuda_runtime.h>

const unsigned THREADS = 256;

__global__ void scan_tiles(size_t n, const float *x, float *y) {
    __shared__ float tile[2][THREADS];
    const unsigned t = threadIdx.x;
    const size_t i = (size_t)blockIdx.x * THREADS + t;
    unsigned now = 0;
    /* Blank: load the tile and scan it */
    tile[now][t] = i < n ? x[i] : 0;
    __syncthreads();
    for (unsigned d = 1; d < THREADS; d *= 2) {
        tile[!now][t] =
            t >= d ? tile[now][t - d] + tile[now][t] : tile[now][t];
        now = !now;
        __syncthreads();
    }
    /* End of blank */
    if (i < n) y[i] = tile[now][t];
}

void solve(size_t n, const float *x, float *y) {
    /* Blank: a block for each tile */
    const unsigned blocks = (unsigned)((n + THREADS - 1) / THREADS);
    scan_tiles<<<blocks, THREADS>>>(n, x, y);
    /* End of blank */
}

/* Check */
#include "climb.h"

void solve(size_t n, const float *x, float *y);

void check_exercise(climb &c) {
    const std::vector<float> values = ladder_values<float>(c.n, c.seed);
    std::vector<float> sums = values;
    for (size_t first = 0; first < c.n; first += 256) {
        const size_t m = c.n - first < 256 ? c.n - first : 256;
        for (size_t d = 1; d < m; d *= 2)
            for (size_t t = m; t-- > d;)
                sums[first + t] = sums[first + t - d] + sums[first + t];
    }
    const float *const x = c.input(values);
    float *const y = c.output<float>(c.n);
    c.work(8.0 * (double)c.n, (double)c.n);
    c.rung(
        "ping-pong", [&] { return c.holds(y, sums); },
        [&] { solve(c.n, x, y); });
}
