/* Topic time-blocking: several sweeps of a stencil
 * while a layer is in the block
 *
 * Topic laplace computes ten sweeps in ten passes over memory. Its faster
 * kernels read each point once per sweep, so memory is the limit. To go
 * further, a pass must compute several sweeps. `two-sweeps` of topic
 * laplace does so for small bricks, but a brick and its margin in three
 * directions are mostly margin. Here a block has a tile of 32 x 32 points
 * and moves through the box, layer by layer. It keeps three layers of each
 * sweep. So there is a margin only in x and y.
 *
 * The problem is that of topic laplace, with the same order of additions:
 * ten sweeps on a box of n points. The work is 6 operations per point and
 * sweep, and the ceiling is that of ten passes, 2 n elements each. With D
 * sweeps per pass there are 10 / D passes. Each writes n elements and reads
 * n elements times (32 / (32 - 2 D))^2, because a block needs D more points
 * on each side than it writes. Points that two blocks need are usually in a
 * cache.
 *
 *     D                                     1      2      5
 *     points of a block that it writes      30^2   28^2   22^2
 *     points computed per point written     1.14   1.31   2.12
 *     passes over memory                    10     5      2
 */
#include "climb.h"

#include <algorithm>

namespace {

constexpr unsigned SWEEPS = 10, SIDE = 32;

/* Point (i, j, k) is at i + nx (j + ny k). */
struct box {
    size_t nx, ny, nz;
    __host__ __device__ size_t at(size_t i, size_t j, size_t k) const {
        return i + nx * (j + ny * k);
    }
    __host__ __device__ bool inside(size_t i, size_t j, size_t k) const {
        return i > 0 && i + 1 < nx && j > 0 && j + 1 < ny && k > 0 &&
               k + 1 < nz;
    }
    __host__ __device__ size_t size() const { return nx * ny * nz; }
};

/* Returns the mean of six neighbours, whose sum is given. */
template <class T> __host__ __device__ T mean(T six) {
    return six * ((T)1 / (T)6);
}

/* Returns the new value of the point at u. Its neighbours in y are `row`
 * elements away and those in z `layer`. */
template <class T>
__host__ __device__ T relax(const T *u, size_t row, size_t layer) {
    return mean(((((u[-1] + u[1]) + *(u - row)) + u[row]) + *(u - layer)) +
                u[layer]);
}

/* Runs `sweeps` sweeps from u to v, using `spare` in between, by calls of
 * sweep(from, to). */
template <class T, class SWEEP>
static void repeat(unsigned sweeps, const T *u, T *spare, T *v,
                   SWEEP sweep) {
    const T *from = u;
    for (unsigned left = sweeps; left > 0; left--) {
        T *const to = left % 2 == 1 ? v : spare;
        sweep(from, to);
        from = to;
    }
}

template <class T>
static std::vector<T> order_of_sweeps(unsigned sweeps, box g,
                                      std::vector<T> u) {
    std::vector<T> v(u);
    for (; sweeps > 0; sweeps--) {
        ladder_in_parts(g.nz, [&](size_t first, size_t end) {
            for (size_t k = std::max<size_t>(first, 1);
                 k < end && k + 1 < g.nz; k++)
                for (size_t j = 1; j + 1 < g.ny; j++)
                    for (size_t i = 1; i + 1 < g.nx; i++)
                        v[g.at(i, j, k)] =
                            relax(&u[g.at(i, j, k)], g.nx, g.nx * g.ny);
        });
        u.swap(v);
    }
    return u;
}

/* Rung one-deep: one sweep per pass
 *
 * Thread (x, y) of the block owns one column of the box. It keeps three
 * points of it in registers: below, here and above. At each step it reads
 * the next point, and the three move by one. It puts the middle one in
 * shared memory, where its neighbours in x and y read it after a barrier.
 * The threads at the edge of the tile only supply their points. So the
 * block writes 30 x 30 columns, and adjacent tiles overlap.
 *
 * Threads outside the box must reach the barriers, so they do not return
 * early.
 */
template <class T, unsigned DEEP, unsigned HALO>
__global__ void __launch_bounds__(SIDE *SIDE)
    relax_deep(box g, const T *u, T *v) {
    __shared__ T layer[DEEP][SIDE][SIDE];
    constexpr unsigned OUT = SIDE - 2 * HALO;
    const unsigned x = threadIdx.x, y = threadIdx.y;
    /* A column before the first has a number that wraps, above nx or ny. */
    const size_t i = (size_t)blockIdx.x * OUT + x - HALO;
    const size_t j = (size_t)blockIdx.y * OUT + y - HALO;
    const bool there = i < g.nx && j < g.ny;
    const bool inner = x > 0 && x + 1 < SIDE && y > 0 && y + 1 < SIDE;
    const bool mine = there && x >= HALO && x < SIDE - HALO && y >= HALO &&
                      y < SIDE - HALO;
    /* Element d: after d sweeps */
    T below[DEEP] = {}, here[DEEP] = {}, above[DEEP] = {};
    for (size_t k = 0; k < g.nz + DEEP; k++) {
        T next = there && k < g.nz ? u[g.at(i, j, k)] : (T)0;
#pragma unroll
        for (unsigned d = 0; d < DEEP; d++) {
            /* `next` is the point of layer k - d after d sweeps. It becomes
             * that of layer k - d - 1 after d + 1. */
            below[d] = here[d], here[d] = above[d], above[d] = next;
            layer[d][y][x] = here[d];
            __syncthreads();
            next = here[d];
            if (inner && k > d && g.inside(i, j, k - d - 1)) {
                T sum = layer[d][y][x - 1] + layer[d][y][x + 1];
                sum = (sum + layer[d][y - 1][x]) + layer[d][y + 1][x];
                next = mean((sum + below[d]) + above[d]);
            }
            if (DEEP == 1) __syncthreads();
        }
        if (mine && k >= DEEP) v[g.at(i, j, k - DEEP)] = next;
    }
}

template <unsigned DEEP, unsigned HALO = DEEP, class T>
static void deep(box g, const T *u, T *spare, T *v) {
    constexpr unsigned OUT = SIDE - 2 * HALO;
    const dim3 blocks((unsigned)blocks_for<size_t>(g.nx, OUT),
                      (unsigned)blocks_for<size_t>(g.ny, OUT));
    const dim3 block(SIDE, SIDE);
    repeat(SWEEPS / DEEP, u, spare, v, [=](const T *from, T *to) {
        relax_deep<T, DEEP, HALO><<<blocks, block>>>(g, from, to);
    });
}

/* Rung two-deep: two sweeps per pass
 *
 * The kernel is that of `one-deep` with another number. When the point of
 * layer k arrives, the thread computes layer k - 1 after one sweep, and
 * from it layer k - 2 after two sweeps, which it writes. The values after
 * one sweep exist only in registers and in shared memory.
 *
 * After d sweeps, the values of the d outermost columns of the tile are
 * wrong, since their neighbours belong to another block. So a block writes
 * only the columns that are two or more from the edge.
 *
 * Each sweep has its own layer in shared memory. With two or more of them,
 * one barrier per sweep is enough: between two stores to one layer there is
 * a barrier of another layer, and all reads of the first are before it.
 */

/* Rung five-deep: five sweeps per pass
 *
 * There are only two passes over memory. But a block computes 1024 points
 * to write 484, and there are five barriers per layer. The limit is no
 * longer memory. The best number of sweeps depends on the GPU. weft
 * measures its variants on the machine (`weft tune laplace`).
 */

/* Faulty rung narrow-halo: a margin of one column for two sweeps
 *
 * The tiles overlap by one column on each side, as for one sweep. The block
 * writes columns whose neighbours had no value of the first sweep. In a box
 * that fits in one tile, the kernel is right. In larger boxes, the errors
 * form a grid of lines, which are hard to see in a plot of a smooth
 * function.
 */

/* Rung weft: weft_laplace, an operation of this library
 *
 * weft computes up to four sweeps per pass. A thread has several rows of 16
 * bytes. Neighbours in x come from shuffles, and most neighbours in y are
 * the thread's own. All sweeps of a layer are exchanged at once, so a layer
 * takes one barrier. The bits are the same as with one sweep at a time
 * (ORDER.md 7).
 */
template <class T>
static weft_status weft_relax(weft_context *ctx, weft_dtype dtype, box g,
                              const T *u, T *v) {
    return weft_laplace(ctx, dtype, g.nx, g.ny, g.nz, SWEEPS, u, v, NULL);
}

/* Exercises
 *
 * 1. For D = 1, 2, ..., 8, compute the elements that are read and written
 *    per point and sweep. Which D is best if no cache serves the overlap?
 * 2. Why does `one-deep` need two barriers per layer, and `two-deep` only
 *    two for two sweeps?
 * 3. Let a tile be 64 x 16. How many points are computed per point written
 *    for D = 2? Which direction should be long?
 * 4. How many registers and how much shared memory does `five-deep` need
 *    for f64? How many blocks fit on a multiprocessor?
 */

/* Climbing the rungs. */
static box box_of(size_t n) {
    size_t side = 1;
    while ((side + 1) * (side + 1) * (side + 1) <= n) side++;
    const size_t nx = side * side * side == n ? side : side + side / 4 + 1;
    return {nx, side, n / (nx * side)};
}

template <class T> static void climb_as(climb &c) {
    const box g = box_of(c.n);
    const std::vector<T> values = ladder_values<T>(g.size(), 1);
    const std::vector<T> last = order_of_sweeps(SWEEPS, g, values);
    const T *const u = c.input(values);
    T *const spare = c.output<T>(values.size());
    T *const v = c.output<T>(values.size());
    c.work(2.0 * SWEEPS * (double)(values.size() * sizeof(T)),
           6.0 * SWEEPS * (double)values.size());

    const ladder_claim right = [&] { return c.holds(v, last); };
    c.rung("one-deep", right, [=] { deep<1>(g, u, spare, v); });
    c.rung("two-deep", right, [=] { deep<2>(g, u, spare, v); });
    c.faulty("narrow-halo", right, [=] { deep<2, 1>(g, u, spare, v); },
             {.least = 16000});
    c.rung("five-deep", right, [=] { deep<5>(g, u, spare, v); });
    const ladder_claim as_specified = [&] {
        std::vector<T> expected(values.size());
        c.specified(weft_relax(c.ref(), c.dtype, g, values.data(),
                               expected.data()));
        return c.holds(v, expected);
    };
    c.weft("weft", as_specified, [=, &c](weft_context *ctx) {
        return weft_relax(ctx, c.dtype, g, u, v);
    });
}

} // namespace

void climb_time_blocking(climb &c) {
    if (c.dtype == WEFT_F64) return climb_as<double>(c);
    climb_as<float>(c);
}
