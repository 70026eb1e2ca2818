/* Exercise own: tiles copied to shared memory while the one before is used
 *
 * Write a kernel and its launch that reverses each tile of 512 numbers:
 * y[k * 512 + i] = x[k * 512 + 511 - i]. The elements after the last whole
 * tile do not change their order: y[i] = x[i]. A block processes several
 * tiles, with two buffers in shared memory: while it uses one, the next
 * tile is copied into the other one by `__pipeline_memcpy_async`. n is any
 * number from 1 on. x and y begin at a multiple of 16 bytes.
 *
 * Hint: 128 threads copy a tile, each one part of 16 bytes: four adjacent
 * numbers. `__pipeline_memcpy_async(to, from, 16)` needs addresses that are
 * multiples of 16, so declare the buffer with `__align__(16)`.
 *
 * Hint: In each step: start the copy of the next tile of this block, if
 * there is one, `__pipeline_commit()`, then `__pipeline_wait_prior(1)`,
 * which waits for all groups but the last one.
 *
 * Hint: A thread waits for its own copies only, and reads what others have
 * copied. So a barrier is needed before the tile is used, and one after it,
 * before the buffer is filled again.
 *
 * Hint: The rest, n % 512 numbers, is copied by one block in the usual way.
 *
 * Sizes: 1 31 511 512 513 1023 1024 1500 5000 10007; 67108864 on a GPU
 */
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

/* Blank: a kernel */
const unsigned THREADS = 128, TILE = 4 * THREADS;

__device__ void start_tile(const int *x, int *tile) {
    __pipeline_memcpy_async(tile + 4 * threadIdx.x, x + 4 * threadIdx.x,
                            16);
}

__global__ void reverse_tiles(size_t n, const int *x, int *y) {
    __shared__ __align__(16) int buffer[2][TILE];
    const size_t tiles = n / TILE;
    unsigned now = 0;
    if (blockIdx.x < tiles)
        start_tile(x + (size_t)blockIdx.x * TILE, buffer[now]);
    __pipeline_commit();
    for (size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const size_t next = tile + gridDim.x;
        if (next < tiles) start_tile(x + next * TILE, buffer[1 - now]);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        for (unsigned i = threadIdx.x; i < TILE; i += THREADS)
            y[tile * TILE + i] = buffer[now][TILE - 1 - i];
        __syncthreads();
        now = 1 - now;
    }
    if (blockIdx.x > 0) return;
    for (size_t i = tiles * TILE + threadIdx.x; i < n; i += THREADS)
        y[i] = x[i];
}
/* End of blank */

void solve(size_t n, const int *x, int *y) {
    /* Blank: its launch */
    const size_t blocks = n / (4 * TILE) + 1;
    reverse_tiles<<<(unsigned)(blocks < 1024 ? blocks : 1024), THREADS>>>(
        n, x, y);
    /* End of blank */
}

/* Check */
#include "climb.h"

void solve(size_t n, const int *x, int *y);

void check_exercise(climb &c) {
    const size_t TILE = 512;
    const std::vector<int> values = ladder_values<int>(c.n, c.seed);
    std::vector<int> expected(values);
    for (size_t i = 0; i < c.n / TILE * TILE; i++)
        expected[i] = values[i / TILE * TILE + TILE - 1 - i % TILE];
    const int *const x = c.input(values);
    int *const y = c.output<int>(c.n);
    c.work(8.0 * (double)c.n, 0);
    c.rung(
        "own", [&] { return c.holds(y, expected); },
        [&] { solve(c.n, x, y); });
}
