/* Exercise own: sweeps of Jacobi's iteration in a
 * box, with a kernel of your own
 *
 * The box has nx * ny * nz points, and point (i, j, k) is at
 * i + nx * (j + ny * k). In a sweep, each point inside becomes the mean of
 * its six neighbours of the sweep before, all at once. The points of the
 * six faces keep their values. The sum and the mean are rounded, and the
 * results are compared bit for bit, so the order is given. The neighbour
 * whose j is less by 1 is u[j - 1]:
 *
 *     sum = ((((u[i - 1] + u[i + 1]) + u[j - 1]) + u[j + 1]) + u[k - 1])
 *           + u[k + 1]
 *     new = sum * (1.0f / 6.0f)
 *
 * Compute `sweeps` sweeps, 1 or more, from u to v. u must keep its values.
 * `spare` has capacity for a box. It contains arbitrary bytes, and so does
 * v. The three sides of the box may differ. A box with ny = 1 has only
 * faces.
 *
 * Hint: A thread for each point: it needs the indices i, j and k, and a
 * test that the point exists.
 *
 * Hint: A point is inside if i > 0, i + 1 < nx, and in the same way for j
 * and k. The point of a face must be copied, because the next sweep reads
 * it.
 *
 * Hint: No sweep may write the array that it reads. The sweeps write to
 * `spare` and to v in turn, so that the last writes to v. With `left`
 * sweeps left, this one writes to v if `left` is odd.
 *
 * Sizes: 1 8 60 100 500 1000 5000 12000; 17173512 on a GPU
 */
#include <cuda_runtime.h>

/* Blank: a kernel */
__global__ void relax(size_t nx, size_t ny, size_t nz, const float *u,
                      float *v) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t j = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    const size_t k = (size_t)blockIdx.z * blockDim.z + threadIdx.z;
    if (i >= nx || j >= ny || k >= nz) return;
    const size_t layer = nx * ny, p = i + nx * (j + ny * k);
    const bool inside =
        i > 0 && i + 1 < nx && j > 0 && j + 1 < ny && k > 0 && k + 1 < nz;
    if (!inside) {
        v[p] = u[p];
        return;
    }
    const float six =
        ((((u[p - 1] + u[p + 1]) + u[p - nx]) + u[p + nx]) + u[p - layer]) +
        u[p + layer];
    v[p] = six * (1.0f / 6.0f);
}
/* End of blank */

void solve(size_t nx, size_t ny, size_t nz, unsigned sweeps, const float *u,
           float *spare, float *v) {
    /* Blank: the launches of all sweeps */
    const dim3 block(32, 4, 2);
    const dim3 blocks((unsigned)((nx + 31) / 32), (unsigned)((ny + 3) / 4),
                      (unsigned)((nz + 1) / 2));
    const float *from = u;
    for (unsigned left = sweeps; left > 0; left--) {
        float *const to = left % 2 ? v : spare;
        relax<<<blocks, block>>>(nx, ny, nz, from, to);
        from = to;
    }
    /* End of blank */
}

/* Check */
#include "climb.h"

void solve(size_t nx, size_t ny, size_t nz, unsigned sweeps, const float *u,
           float *spare, float *v);

void check_exercise(climb &c) {
    size_t side = 1;
    while ((side + 1) * (side + 1) * (side + 1) <= c.n) side++;
    const size_t nx = 2 * side + 3, ny = side, nz = c.n / (nx * ny) + 2;
    const size_t layer = nx * ny;
    const unsigned sweeps = (unsigned)(side % 4 + 1);
    const std::vector<float> start =
        ladder_values<float>(layer * nz, c.seed);
    std::vector<float> old = start, next = start;
    for (unsigned sweep = 0; sweep < sweeps; sweep++) {
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
        old.swap(next);
    }
    const float *const u = c.input(start);
    float *const spare = c.output<float>(start.size());
    float *const v = c.output<float>(start.size());
    /* Points inside have six reads and a write, the
     * others a read and a write. */
    const double inside =
        ny > 2 && nz > 2 ? (double)((nx - 2) * (ny - 2) * (nz - 2)) : 0;
    c.work(4.0 * sweeps * (2 * (double)start.size() + 5 * inside),
           6.0 * sweeps * inside);
    c.rung(
        "own", [&] { return c.holds(v, old); },
        [&] { solve(nx, ny, nz, sweeps, u, spare, v); });
}
