/* Exercise planes: a sweep in which a block keeps a plane in shared memory
 *
 * One sweep of the topic: a point inside the box becomes the mean of its
 * six neighbours, and a point of a face keeps its value. Point (i, j, k) is
 * at i + nx * (j + ny * k). The order is given. Here u[j - 1] is the
 * neighbour whose j is less by 1:
 *
 *     sum = ((((u[i - 1] + u[i + 1]) + u[j - 1]) + u[j + 1]) + u[k - 1])
 *           + u[k + 1]
 *     new = sum * (1.0f / 6.0f)
 *
 * A block of 32 x 8 threads goes through the box layer by layer. A thread
 * keeps its three points of the column in registers: `below`, `here` and
 * `above`. The neighbours in x and y are points of other threads, so the
 * block stores its points of the layer in `plane`, with a border of the
 * points around them. `plane[y][x]` with x = threadIdx.x + 1 and
 * y = threadIdx.y + 1 is the point of a thread.
 *
 * Write the part of the loop that fills `plane`, and computes and stores
 * the new value.
 *
 * Hint: Each thread that has a point stores `here`. Threads at the four
 * sides of the block also store the point next to theirs outside of the
 * block, if the box has one. They read it from u.
 *
 * Hint: One barrier separates the stores from the reads of other threads.
 * Another separates these reads from the stores of the next layer. Threads
 * without a point must reach both.
 *
 * Hint: `inner` is true if the point is on none of the four faces in x and
 * y. Test the first and the last layer, too.
 *
 * Sizes: 1 60 100 500 1000 5000 20000; 16777216 on a GPU
 */
#include <cuda_runtime.h>

const unsigned ACROSS = 32, DOWN = 8;

__global__ void relax(size_t nx, size_t ny, size_t nz, const float *u,
                      float *v) {
    __shared__ float plane[DOWN + 2][ACROSS + 2];
    const unsigned x = threadIdx.x + 1, y = threadIdx.y + 1;
    const size_t i = (size_t)blockIdx.x * ACROSS + threadIdx.x;
    const size_t j = (size_t)blockIdx.y * DOWN + threadIdx.y;
    const bool has = i < nx && j < ny;
    const bool inner = i > 0 && i + 1 < nx && j > 0 && j + 1 < ny;
    float below = 0, here = 0, above = has ? u[i + nx * j] : 0;
    for (size_t k = 0; k < nz; k++) {
        const size_t p = i + nx * (j + ny * k);
        below = here;
        here = above;
        above = has && k + 1 < nz ? u[p + nx * ny] : 0;
        /* Blank: fill the plane, compute and store v[p] */
        if (has) {
            plane[y][x] = here;
            if (x == 1 && i > 0) plane[y][0] = u[p - 1];
            if (x == ACROSS && i + 1 < nx) plane[y][ACROSS + 1] = u[p + 1];
            if (y == 1 && j > 0) plane[0][x] = u[p - nx];
            if (y == DOWN && j + 1 < ny) plane[DOWN + 1][x] = u[p + nx];
        }
        __syncthreads();
        float mean = here;
        if (inner && k > 0 && k + 1 < nz) {
            const float four =
                ((plane[y][x - 1] + plane[y][x + 1]) + plane[y - 1][x]) +
                plane[y + 1][x];
            mean = ((four + below) + above) * (1.0f / 6.0f);
        }
        if (has) v[p] = mean;
        __syncthreads();
        /* End of blank */
    }
}

void solve(size_t nx, size_t ny, size_t nz, const float *u, float *v) {
    const dim3 blocks((unsigned)((nx + ACROSS - 1) / ACROSS),
                      (unsigned)((ny + DOWN - 1) / DOWN));
    relax<<<blocks, dim3(ACROSS, DOWN)>>>(nx, ny, nz, u, v);
}

/* Check */
#include "climb.h"

void solve(size_t nx, size_t ny, size_t nz, const float *u, float *v);

void check_exercise(climb &c) {
    size_t side = 1;
    while ((side + 1) * (side + 1) * (side + 1) <= c.n) side++;
    const size_t nx = 2 * side + 3, ny = side, nz = c.n / (nx * ny) + 2;
    const size_t layer = nx * ny;
    const std::vector<float> old = ladder_values<float>(layer * nz, c.seed);
    std::vector<float> next = old;
    for (size_t k = 1; k + 1 < nz; k++)
        for (size_t j = 1; j + 1 < ny; j++)
            for (size_t i = 1; i + 1 < nx; i++) {
                const float *const at = &old[i + nx * (j + ny * k)];
                next[i + nx * (j + ny * k)] =
                    (((((at[-1] + at[1]) + *(at - nx)) + at[nx]) +
                      *(at - layer)) +
                     at[layer]) *
                    (1.0f / 6.0f);
            }
    const float *const u = c.input(old);
    float *const v = c.output<float>(old.size());
    /* Each point is read and written, and points next to a block are read
     * by this block, too. */
    const size_t border = 2 * (ny * ((nx - 1) / 32) + nx * ((ny - 1) / 8));
    c.work(4.0 * (double)(2 * old.size() + border * nz),
           6.0 * (double)old.size());
    c.rung(
        "planes", [&] { return c.holds(v, next); },
        [&] { solve(nx, ny, nz, u, v); });
}
