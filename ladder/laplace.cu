/* Topic laplace: ten sweeps of Jacobi's iteration on a grid of n points
 *
 * The program computes the heat in a box. The points of the six faces keep
 * their values. In each sweep, every other point becomes the mean of its
 * six neighbours, all points at once. This is a stencil: seven threads read
 * each point, and the kernel should read it from memory only once. If n is
 * a cube, so is the box. Otherwise its three sides differ, and it has at
 * most n points: an index that is right only in a cube is found.
 *
 * The work is 6 operations per point and sweep: five additions and a
 * multiplication. A sweep is one step. The traffic is 2 n elements per
 * sweep, since the grid is read and the new grid is written. A kernel that
 * computes two sweeps per pass has half of this traffic. So it can exceed
 * 100 % of the ceiling.
 *
 * Order: ((((x- + x+) + y-) + y+) + z-) + z+, times 1/6 rounded. No product
 * can be fused with an addition. So all rungs, a loop on the CPU and weft
 * give the same bits, whatever the shape of the blocks. If the box is 0
 * inside, each sweep changes one more layer of points. The values of the
 * last layer decrease as 6^-sweeps. A GPU that flushes the smallest numbers
 * to zero is wrong from sweep 49 on.
 */
#include "climb.h"

#include <algorithm>
#include <math.h>
#include <type_traits>

constexpr unsigned SWEEPS = 10;

/* Point (i, j, k) is at i + row (j + ny k). A row has capacity for nx
 * points and `pad` more (see padded). */
struct box {
    size_t nx, ny, nz, pad = 0;
    __host__ __device__ size_t row() const { return nx + pad; }
    __host__ __device__ size_t layer() const { return row() * ny; }
    __host__ __device__ size_t at(size_t i, size_t j, size_t k) const {
        return i + row() * j + layer() * k;
    }
    __host__ __device__ bool has(size_t i, size_t j, size_t k) const {
        return i < nx && j < ny && k < nz;
    }
    __host__ __device__ bool inside(size_t i, size_t j, size_t k) const {
        return i > 0 && i + 1 < nx && j > 0 && j + 1 < ny && k > 0 &&
               k + 1 < nz;
    }
    __host__ __device__ size_t size() const { return layer() * nz; }
};

/* mean returns a new value from the sum of six neighbours. kept returns the
 * new value of a point on a face. Integers are 6^sweeps times the values,
 * so they need no division, and no operation rounds. */
template <class T> __host__ __device__ T mean(T six) {
    if constexpr (std::is_integral_v<T>) return six;
    return six * ((T)1 / (T)6);
}
template <class T> __host__ __device__ T kept(T u) {
    if constexpr (std::is_integral_v<T>) return 6 * u;
    return u;
}

/* Returns the new value of the point at u. Its neighbours in y are `row`
 * elements away and those in z `layer` elements. */
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
                            relax(&u[g.at(i, j, k)], g.row(), g.layer());
        });
        u.swap(v);
    }
    return u;
}

/* Rung columns: a thread for each column of the box
 *
 * This is the older of the two classic kernels. It has blocks of 16 x 8
 * threads over x and y. Each thread traverses the box in z. A warp accesses
 * two groups of 16 adjacent points. Each group is half of what one access
 * of 128 bytes can transfer.
 */
template <class T> __global__ void relax_columns(box g, const T *u, T *v) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t j = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= g.nx || j >= g.ny) return;
    for (size_t k = 0; k < g.nz; k++) {
        const size_t p = g.at(i, j, k);
        v[p] = g.inside(i, j, k) ? relax(u + p, g.row(), g.layer())
                                 : kept(u[p]);
    }
}

/* Returns the number of blocks of this shape over x and y. */
static dim3 over_layer(box g, dim3 block) {
    return dim3((unsigned)blocks_for<size_t>(g.nx, block.x),
                (unsigned)blocks_for<size_t>(g.ny, block.y));
}

template <class T>
static void columns_once(box g, dim3 block, const T *u, T *v) {
    relax_columns<<<over_layer(g, block), block>>>(g, u, v);
}

template <class T> static void columns(box g, const T *u, T *spare, T *v) {
    repeat(SWEEPS, u, spare, v, [=](const T *from, T *to) {
        columns_once(g, dim3(16, 8), from, to);
    });
}

/* Rung points: a thread for each point
 *
 * This is the newer classic kernel. It has blocks of 32 x 4 x 2, so there
 * are more threads, and each thread computes one point. It reads seven
 * points, and in the best case the caches serve six of these reads.
 *
 * A published solution counts seven floats per point, and so finds 1692
 * GB/s on a card of 900 GB/s. But reads that a cache serves do not come
 * from memory.
 */
template <class T> __global__ void relax_points(box g, const T *u, T *v) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t j = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    const size_t k = (size_t)blockIdx.z * blockDim.z + threadIdx.z;
    if (!g.has(i, j, k)) return;
    const size_t p = g.at(i, j, k);
    v[p] =
        g.inside(i, j, k) ? relax(u + p, g.row(), g.layer()) : kept(u[p]);
}

template <class T>
static void points_once(box g, dim3 block, const T *u, T *v) {
    const dim3 layer = over_layer(g, block);
    relax_points<<<dim3(layer.x, layer.y,
                        (unsigned)blocks_for<size_t>(g.nz, block.z)),
                   block>>>(g, u, v);
}

static const dim3 FLAT(32, 4, 2); /* shape of a block */

template <class T> static void points(box g, const T *u, T *spare, T *v) {
    repeat(SWEEPS, u, spare, v,
           [=](const T *from, T *to) { points_once(g, FLAT, from, to); });
}

/* Faulty rung in-place: one array for the old and the new grid
 *
 * u and v are the same array. So some neighbours of a point are from this
 * sweep and others from the previous sweep. This depends on the order of
 * the threads. The result is neither the iteration of Jacobi nor that of
 * Gauss and Seidel. It still converges to the same solution, so a test that
 * checks only the solution does not detect the error.
 */
template <class T> static void in_place(box g, const T *u, T *v) {
    CUDA_CHECK(cudaMemcpyAsync(v, u, g.size() * sizeof(T),
                               cudaMemcpyDeviceToDevice));
    for (unsigned sweep = 0; sweep < SWEEPS; sweep++)
        points_once(g, FLAT, v, v);
}

/* Faulty rung faces-forgotten: the kernel does not
 * write the faces of the new grid
 *
 * The faces do not change, so this kernel does not write them. But there
 * are two arrays, and nothing has written the faces of the second. From the
 * second sweep on, the kernel reads the previous contents of that memory.
 */
template <class T> __global__ void relax_insides(box g, const T *u, T *v) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t j = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    for (size_t k = 1; k + 1 < g.nz; k++)
        if (g.inside(i, j, k))
            v[g.at(i, j, k)] = relax(u + g.at(i, j, k), g.row(), g.layer());
}

template <class T>
static void faces_forgotten(box g, const T *u, T *spare, T *v) {
    const dim3 block(16, 8);
    repeat(SWEEPS, u, spare, v, [=](const T *from, T *to) {
        relax_insides<<<over_layer(g, block), block>>>(g, from, to);
    });
}

/* Rung registers: a thread keeps the points that it has read in registers
 *
 * In `columns` a thread reads each point of its column three times: as the
 * upper neighbour, as its own point, and as the lower neighbour. Here the
 * thread keeps the three points in registers. It moves them down by one at
 * each layer. This takes five reads per point. A block has 32 x 8 threads,
 * with a full warp in each row.
 */
template <class T>
__global__ void relax_in_registers(box g, const T *u, T *v) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t j = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= g.nx || j >= g.ny) return;
    T below = 0, here = u[g.at(i, j, 0)];
    for (size_t k = 0; k < g.nz; k++) {
        const size_t p = g.at(i, j, k);
        const T above = k + 1 < g.nz ? u[p + g.layer()] : here;
        v[p] = g.inside(i, j, k)
                   ? mean(((((u[p - 1] + u[p + 1]) + u[p - g.row()]) +
                            u[p + g.row()]) +
                           below) +
                          above)
                   : kept(here);
        below = here;
        here = above;
    }
}

template <class T> static void registers_once(box g, const T *u, T *v) {
    const dim3 block(32, 8);
    relax_in_registers<<<over_layer(g, block), block>>>(g, u, v);
}

template <class T>
static void registers(box g, const T *u, T *spare, T *v) {
    repeat(SWEEPS, u, spare, v,
           [=](const T *from, T *to) { registers_once(g, from, to); });
}

/* Rung shared: a layer in shared memory
 *
 * The neighbours in x and y are the points of other threads. Each thread
 * stores its point of the layer in shared memory. Threads at the edges of
 * the block also store the neighbour outside the block. After a barrier,
 * all threads read from shared memory. So a block reads each of its points
 * from memory once. Points at the edges are read by several blocks. Another
 * barrier precedes the stores of the next layer.
 *
 * Threads outside the grid do not return early, because all threads must
 * reach the barriers.
 */
constexpr unsigned ACROSS = 32, DOWN = 8;

/* Stores point (i, j, k), whose value is `here`, and the neighbours outside
 * the edges of the block. */
template <class T>
__device__ void put_layer(T (*tile)[ACROSS + 2], box g, const T *u,
                          size_t i, size_t j, size_t k, T here) {
    const unsigned x = threadIdx.x + 1, y = threadIdx.y + 1;
    const size_t p = g.at(i, j, k);
    if (!g.has(i, j, k)) return;
    tile[y][x] = here;
    if (x == 1 && i > 0) tile[y][0] = u[p - 1];
    if (x == ACROSS && i + 1 < g.nx) tile[y][ACROSS + 1] = u[p + 1];
    if (y == 1 && j > 0) tile[0][x] = u[p - g.row()];
    if (y == DOWN && j + 1 < g.ny) tile[DOWN + 1][x] = u[p + g.row()];
}

template <class T>
__global__ void relax_in_shared(box g, const T *u, T *v) {
    __shared__ T tile[DOWN + 2][ACROSS + 2];
    const unsigned x = threadIdx.x + 1, y = threadIdx.y + 1;
    const size_t i = (size_t)blockIdx.x * ACROSS + threadIdx.x;
    const size_t j = (size_t)blockIdx.y * DOWN + threadIdx.y;
    T below = 0, here = g.has(i, j, 0) ? u[g.at(i, j, 0)] : (T)0;
    for (size_t k = 0; k < g.nz; k++) {
        const T above = g.has(i, j, k + 1) ? u[g.at(i, j, k + 1)] : here;
        put_layer(tile, g, u, i, j, k, here);
        __syncthreads();
        if (g.inside(i, j, k)) {
            T sum = (tile[y][x - 1] + tile[y][x + 1]) + tile[y - 1][x];
            sum = ((sum + tile[y + 1][x]) + below) + above;
            v[g.at(i, j, k)] = mean(sum);
        } else if (g.has(i, j, k)) {
            v[g.at(i, j, k)] = kept(here);
        }
        __syncthreads();
        below = here;
        here = above;
    }
}

template <class T> static void shared(box g, const T *u, T *spare, T *v) {
    const dim3 block(ACROSS, DOWN);
    repeat(SWEEPS, u, spare, v, [=](const T *from, T *to) {
        relax_in_shared<<<over_layer(g, block), block>>>(g, from, to);
    });
}

/* Rung two-sweeps: two sweeps while the points are in shared memory
 *
 * All rungs before read the grid from memory ten times and write it ten
 * times. A block with 20 x 12 x 12 points in shared memory can compute 18 x
 * 10 x 10 points of the next sweep. From these it can compute 16 x 8 x 8
 * points of the sweep after that. This takes five passes over memory
 * instead of ten.
 *
 * The cost is that some points are read and computed by several blocks: a
 * block reads 2880 points for 1024 results. With such small bricks, the
 * cost is larger than the gain. On an H200 a sweep takes 0.94 ms, and in
 * `points` it takes 0.56 ms. In weft, a block moves through the box and
 * holds the points of several sweeps. It takes 0.21 ms. Topic time-blocking
 * shows how.
 *
 * In each sweep, points outside the grid are skipped, and points on a face
 * keep their value.
 */
constexpr unsigned WIDE = 16, HIGH = 8;

/* Size of a block's brick in one sweep: the points that the block writes,
 * and `margin` more on each side. */
template <unsigned margin> struct brick {
    static constexpr unsigned NX = WIDE + 2 * margin;
    static constexpr unsigned NY = HIGH + 2 * margin, POINTS = NX * NY * NY;
};

/* Calls what(p, i, j, k) for each point of the brick that is in the grid; p
 * is the point's position in the brick. */
template <unsigned margin, class WHAT>
__device__ void for_brick(box g, WHAT what) {
    for (unsigned p = threadIdx.x; p < brick<margin>::POINTS;
         p += blockDim.x) {
        const size_t i =
            (size_t)blockIdx.x * WIDE + p % brick<margin>::NX - margin;
        const size_t j = (size_t)blockIdx.y * HIGH +
                         p / brick<margin>::NX % brick<margin>::NY - margin;
        const size_t k = (size_t)blockIdx.z * HIGH +
                         p / brick<margin>::NX / brick<margin>::NY - margin;
        /* an i below 0 wraps to a number above nx */
        if (g.has(i, j, k)) what(p, i, j, k);
    }
}

/* Converts position p of a brick to the position in the brick whose margin
 * is greater by one. */
template <unsigned margin> __device__ unsigned in_wider(unsigned p) {
    const unsigned x = p % brick<margin>::NX;
    const unsigned y = p / brick<margin>::NX % brick<margin>::NY;
    const unsigned z = p / brick<margin>::NX / brick<margin>::NY;
    return x + 1 +
           brick<margin + 1>::NX *
               (y + 1 + brick<margin + 1>::NY * (z + 1));
}

/* Computes the new value of point p of the brick, from the wider brick of
 * the sweep before. */
template <unsigned margin, class T>
__device__ T relax_brick(bool inside, const T *before, unsigned p) {
    const T *const u = before + in_wider<margin>(p);
    return inside ? relax(u, brick<margin + 1>::NX,
                          brick<margin + 1>::NX * brick<margin + 1>::NY)
                  : kept(*u);
}

template <class T> __global__ void relax_twice(box g, const T *u, T *v) {
    __shared__ T old[brick<2>::POINTS], next[brick<1>::POINTS];
    for_brick<2>(g, [&](unsigned p, size_t i, size_t j, size_t k) {
        old[p] = u[g.at(i, j, k)];
    });
    __syncthreads();
    for_brick<1>(g, [&](unsigned p, size_t i, size_t j, size_t k) {
        next[p] = relax_brick<1>(g.inside(i, j, k), old, p);
    });
    __syncthreads();
    for_brick<0>(g, [&](unsigned p, size_t i, size_t j, size_t k) {
        v[g.at(i, j, k)] = relax_brick<0>(g.inside(i, j, k), next, p);
    });
}

template <class T>
static void two_sweeps(box g, const T *u, T *spare, T *v) {
    const dim3 blocks((unsigned)blocks_for<size_t>(g.nx, WIDE),
                      (unsigned)blocks_for<size_t>(g.ny, HIGH),
                      (unsigned)blocks_for<size_t>(g.nz, HIGH));
    repeat(SWEEPS / 2, u, spare, v, [=](const T *from, T *to) {
        relax_twice<<<blocks, 256>>>(g, from, to);
    });
}

/* Rung block-shapes: the time of each shape of a block
 *
 * The shape of a block changes no bit of the result, but it changes the
 * time. In a classic text the factor is three. There are three reasons. A
 * full warp should be in one row. Neighbours in y and z should be in the
 * same block, so that the cache contains them. There must be enough blocks
 * for all multiprocessors.
 *
 * The best shape is hard to predict. So a tuner runs each shape, compares
 * its result with the expected one, and measures its time. The tuner of the
 * course measured the whole process once. The same setting took 6.7 and 9.6
 * seconds, so the differences were noise. Here all shapes are measured in
 * turn, in five rounds. If the machine slows down for a while, it slows
 * down all shapes. The first shape is the classic one. It stays unless
 * another shape is at least 2 % faster in four of the five rounds. `weft
 * tune` chooses the variants of the library by the same rule.
 *
 * The output shows the median of the milliseconds per sweep, for blocks of
 * x * y threads in `columns` and of x * y * z threads in `points`.
 */
struct block_shape {
    const char *kernel;
    unsigned x, y, z; /* z = 0: over columns */
};
static const block_shape SHAPES[] = {
    {"columns", 16, 8, 0}, {"columns", 8, 8, 0},   {"columns", 16, 16, 0},
    {"columns", 32, 4, 0}, {"columns", 32, 8, 0},  {"columns", 32, 32, 0},
    {"columns", 64, 4, 0}, {"columns", 128, 2, 0}, {"points", 4, 4, 4},
    {"points", 8, 8, 8},   {"points", 16, 4, 4},   {"points", 16, 8, 8},
    {"points", 32, 4, 2},  {"points", 32, 8, 1},   {"points", 64, 2, 2},
};

static std::string name_of(const block_shape &s) {
    const std::string layer = std::string(s.kernel) + " " +
                              std::to_string(s.x) + "x" +
                              std::to_string(s.y);
    return s.z ? layer + "x" + std::to_string(s.z) : layer;
}

template <class T>
static void sweep_in_shape(const block_shape &s, box g, const T *u, T *v) {
    if (s.z)
        points_once(g, dim3(s.x, s.y, s.z), u, v);
    else
        columns_once(g, dim3(s.x, s.y), u, v);
}

/* Returns the side of a cube: the largest power of two from 4 to 256 for
 * which the cube has at most n points. */
static size_t side_of_cube(size_t n) {
    size_t side = 4;
    while (side < 256 && 8 * side * side * side <= n) side *= 2;
    return side;
}

/* Returns the least speedup of a shape over the first in the same round,
 * except for one round. */
static double gain_over(const std::vector<double> &first,
                        const std::vector<double> &times) {
    std::vector<double> gains;
    for (size_t round = 0; round < times.size(); round++)
        gains.push_back(first[round] / times[round]);
    std::sort(gains.begin(), gains.end());
    return gains[1];
}

static std::string block_shapes(climb &c) {
    const size_t side = side_of_cube(c.n), ROUNDS = 5;
    const size_t COUNT = sizeof SHAPES / sizeof *SHAPES;
    const box g = {side, side, side};
    const std::vector<float> values = ladder_values<float>(g.size(), 3);
    const std::vector<float> right = order_of_sweeps(1, g, values);
    const float *const u = c.input(values);
    float *const v = c.output<float>(g.size());
    std::vector<double> times[COUNT];
    for (const block_shape &s : SHAPES) {
        CUDA_CHECK(cudaMemset(v, 0, g.size() * sizeof *v));
        sweep_in_shape(s, g, u, v);
        const std::string wrong = c.holds(v, right);
        if (!wrong.empty())
            return "not the same bits from " + name_of(s) + ": " + wrong;
    }
    for (size_t round = 0; round < ROUNDS; round++)
        for (size_t k = 0; k < COUNT; k++)
            times[k].push_back(
                c.seconds_of([&] { sweep_in_shape(SHAPES[k], g, u, v); }));
    if (times[0][0] <= 0)
        return std::to_string(COUNT) + " shapes, the same bits from all; a "
                                       "run on a GPU gives times";
    std::string said;
    size_t best = 0;
    double most = 1.02;
    for (size_t k = 0; k < COUNT; k++) {
        const double gain = gain_over(times[0], times[k]);
        if (gain >= most) best = k, most = gain;
        std::sort(times[k].begin(), times[k].end());
        char text[64];
        snprintf(text, sizeof text, "%s %.3f, ", name_of(SHAPES[k]).c_str(),
                 1e3 * times[k][ROUNDS / 2]);
        said += text;
    }
    return said + "best: " + name_of(SHAPES[best]);
}

/* Rung padded: rows that begin at memory segments
 *
 * In rows of 256 floats, every row begins at a multiple of 128 bytes. A
 * warp then reads four full segments of 32 bytes. In rows of 255 floats,
 * most warps access a fifth segment. The solution is to allocate 256
 * elements per row and to use 255 of them. The number of unused elements is
 * a member of `box`. Its functions `at`, `row` and `layer` use it, so no
 * kernel changes.
 *
 * The output shows points per second for three boxes: a cube, a box that is
 * smaller by one point in each direction, and the smaller box with padded
 * rows.
 */
static double points_a_second(climb &c, box g, std::string *wrong) {
    const box dense = {g.nx, g.ny, g.nz};
    const std::vector<float> values = ladder_values<float>(dense.size(), 4);
    const std::vector<float> right = order_of_sweeps(1, dense, values);
    std::vector<float> wide(g.size()), got(g.size());
    const auto each = [&](auto what) {
        for (size_t p = 0; p < dense.size(); p++)
            what(p, g.at(p % g.nx, p / g.nx % g.ny, p / (g.nx * g.ny)));
    };
    each([&](size_t p, size_t at) { wide[at] = values[p]; });
    const float *const u = c.input(wide);
    float *const v = c.output<float>(g.size());
    /* The kernel also reads the unused elements */
    CUDA_CHECK(cudaMemset(v, 0, g.size() * sizeof *v));
    points_once(g, FLAT, u, v);
    c.fetch(got.data(), v, got.size() * sizeof got[0]);
    each([&](size_t p, size_t at) {
        if (memcmp(&got[at], &right[p], sizeof right[p]) != 0)
            *wrong = "not the same bits in rows of another length";
    });
    const double seconds =
        c.seconds_of([&] { points_once(g, FLAT, u, v); });
    return seconds > 0 ? (double)dense.size() / seconds : 0;
}

static std::string padded(climb &c) {
    const size_t side = side_of_cube(c.n), less = side - 1;
    std::string wrong;
    const double whole = points_a_second(c, {side, side, side}, &wrong);
    const double odd = points_a_second(c, {less, less, less}, &wrong);
    const double wide = points_a_second(c, {less, less, less, 1}, &wrong);
    if (!wrong.empty()) return wrong;
    char text[200];
    snprintf(text, sizeof text,
             "%zu^3 in rows of %zu: the same bits as in rows of %zu; 10^9 "
             "points a second: %.1f for %zu^3, %.1f for "
             "%zu^3, %.1f padded",
             less, side, less, 1e-9 * whole, side, 1e-9 * odd, less,
             1e-9 * wide);
    if (whole > 0) return text;
    return std::string(text, strcspn(text, ";")) +
           "; a run on a GPU gives times";
}

/* Rung operations: the operations that a profiler counts
 *
 * The course asks for the number of operations per point, to be counted by
 * NVIDIA's profiler:
 *
 *     ncu --metrics smsp__sass_thread_inst_executed_op_fadd_pred_on.sum,\
 *     smsp__sass_thread_inst_executed_op_fmul_pred_on.sum,dram__bytes.sum \
 *         weft ladder laplace --rung points
 *
 * The result, divided by the number of points inside the box, is 5
 * additions and 1 multiplication. dram__bytes, divided by the number of all
 * points, is 8 if every point is read from memory once. It is larger if the
 * caches do not contain every neighbour. A kernel that is a template can be
 * measured without a profiler. Its type argument can be a type that counts
 * its own operations.
 */
static __device__ unsigned long long ADDED, MULTIPLIED;

struct counted {
    float value;
    counted() = default;
    __host__ __device__ counted(float v) : value(v) {}
};
__host__ __device__ inline counted operator+(counted a, counted b) {
#if defined __CUDA_ARCH__ || defined WEFT_EXECUTOR
    atomicAdd(&ADDED, 1ull);
#endif
    return a.value + b.value;
}
__host__ __device__ inline counted operator*(counted a, counted b) {
#if defined __CUDA_ARCH__ || defined WEFT_EXECUTOR
    atomicAdd(&MULTIPLIED, 1ull);
#endif
    return a.value * b.value;
}
/* Computes only 1 / 6 */
__host__ __device__ inline counted operator/(counted a, counted b) {
    return a.value / b.value;
}

static std::string operations(climb &c) {
    const box g = {20, 18, 16};
    const double inside = 18 * 16 * 14;
    const std::vector<float> values = ladder_values<float>(g.size(), 5);
    unsigned long long added = 0, multiplied = 0;
    CUDA_CHECK(cudaMemcpyToSymbol(ADDED, &added, sizeof added));
    CUDA_CHECK(
        cudaMemcpyToSymbol(MULTIPLIED, &multiplied, sizeof multiplied));
    points_once(g, FLAT,
                c.input(std::vector<counted>(values.begin(), values.end())),
                c.output<counted>(g.size()));
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpyFromSymbol(&added, ADDED, sizeof added));
    CUDA_CHECK(
        cudaMemcpyFromSymbol(&multiplied, MULTIPLIED, sizeof multiplied));
    char text[120];
    snprintf(text, sizeof text,
             "%.3f additions and %.3f multiplications a point inside",
             (double)added / inside, (double)multiplied / inside);
    return added == 5 * inside && multiplied == inside
               ? text
               : std::string("not 5 and 1: ") + text;
}

/* Rung checksum: the classic problem in whole numbers
 *
 * The values are 1 on the faces and 0 inside. Consider a random walk that
 * moves to each neighbour with equal probability. After s sweeps, the value
 * of a point is the probability that the walk has reached a face after s
 * steps. This probability is a whole number divided by 6^s. If each sweep
 * multiplies by 6, the kernel of `registers` computes these whole numbers
 * without rounding. They are known: the sum over 64 x 64 x 64 points after
 * ten sweeps is 2829743923392.
 *
 * This test detects every wrong index except one kind. The problem is the
 * same in all directions, so swapped directions pass. For this reason the
 * other rungs use random numbers.
 */
static std::string checksum(climb &c) {
    const box g = {64, 64, 64};
    std::vector<int64_t> u(g.size());
    for (size_t p = 0; p < u.size(); p++)
        u[p] = !g.inside(p % 64, p / 64 % 64, p / 4096);
    int64_t *const v = c.output<int64_t>(u.size());
    int64_t *const spare = c.output<int64_t>(u.size());
    registers(g, c.input(u), spare, v);
    c.fetch(u.data(), v, u.size() * sizeof u[0]);
    int64_t sum = 0;
    for (const int64_t x : u) sum += x;
    if (sum != 2829743923392) return "not 2829743923392";
    char text[100];
    snprintf(text, sizeof text, "2829743923392 / 6^10; at the corner %.12f",
             (double)u[g.at(1, 1, 1)] / pow(6, SWEEPS));
    return text;
}

/* Rung change: the criterion to stop, in the same pass
 *
 * A solver stops when a sweep changes the values only a little. The measure
 * is the root of the mean square of the changes. The classic task asks for
 * it but has no solution. An extra kernel would read both grids again, 2 n
 * elements. But a thread of `registers` has the old and the new value of
 * each point in registers. It adds the squares of its column in f64. A warp
 * adds its lanes by shuffles, the block its warps, and one number per block
 * is written. A second launch, of one block, adds these. So the change
 * costs no pass over memory. `weft_laplace` does the same.
 *
 * If a program computed it in f32 and printed six decimals, every value
 * below 5e-7 would appear as 0. For the problem of `checksum` the value is
 * known: 0.010784171 at the tenth sweep.
 */
/* Adds the values of the 256 threads of a block of ACROSS x DOWN, and
 * stores the sum in *sum. */
__device__ inline void add_in_block(double v, double *sum) {
    __shared__ double of_warps[DOWN];
    for (unsigned d = ACROSS / 2; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x == 0) of_warps[threadIdx.y] = v;
    __syncthreads();
    if (threadIdx.x > 0 || threadIdx.y > 0) return;
    for (unsigned w = 1; w < DOWN; w++) v += of_warps[w];
    *sum = v;
}

template <class T>
__global__ void relax_and_measure(box g, const T *u, T *v, double *sums) {
    const size_t i = (size_t)blockIdx.x * ACROSS + threadIdx.x;
    const size_t j = (size_t)blockIdx.y * DOWN + threadIdx.y;
    const bool there = i < g.nx && j < g.ny;
    double squares = 0;
    T below = 0, here = there ? u[g.at(i, j, 0)] : (T)0;
    for (size_t k = 0; there && k < g.nz; k++) {
        const size_t p = g.at(i, j, k);
        const T above = k + 1 < g.nz ? u[p + g.layer()] : here;
        T next = here;
        if (g.inside(i, j, k))
            next = mean(((((u[p - 1] + u[p + 1]) + u[p - g.row()]) +
                          u[p + g.row()]) +
                         below) +
                        above);
        const double change = (double)next - (double)here;
        squares = fma(change, change, squares);
        v[p] = next;
        below = here;
        here = above;
    }
    add_in_block(squares, &sums[blockIdx.y * gridDim.x + blockIdx.x]);
}

static __global__ void add_squares(size_t count, const double *sums,
                                   double *sum) {
    double s = 0;
    for (size_t i = threadIdx.y * ACROSS + threadIdx.x; i < count;
         i += ACROSS * DOWN)
        s += sums[i];
    add_in_block(s, sum);
}

static std::string change(climb &c) {
    const box g = {64, 64, 64};
    const dim3 block(ACROSS, DOWN), blocks = over_layer(g, block);
    std::vector<double> u(g.size());
    for (size_t p = 0; p < u.size(); p++)
        u[p] = !g.inside(p % 64, p / 64 % 64, p / 4096);
    double *const spare = c.output<double>(u.size());
    double *const v = c.output<double>(u.size());
    double *const sums = c.output<double>(blocks.x * blocks.y);
    double *const sum = c.output<double>(1), squares = 0;
    repeat(SWEEPS - 1, c.input(u), spare, v,
           [=](const double *from, double *to) {
               registers_once(g, from, to);
           });
    relax_and_measure<<<blocks, block>>>(g, v, spare, sums);
    add_squares<<<1, block>>>((size_t)blocks.x * blocks.y, sums, sum);
    c.fetch(&squares, sum, sizeof squares);
    const std::string wrong = c.holds(spare, order_of_sweeps(SWEEPS, g, u));
    if (!wrong.empty()) return "not the values of ten sweeps: " + wrong;
    const double last = sqrt(squares / (double)u.size());
    if (!(fabs(last - 0.010784171) < 1e-9)) return "not 0.010784171";
    char text[100];
    snprintf(text, sizeof text, "the tenth sweep changes %.9f", last);
    return text;
}

/* Rung weft: weft_laplace, an operation of this library
 *
 * `weft_laplace` computes several sweeps per pass, on a GPU and on a CPU.
 * The bits are the same as with one sweep at a time (ORDER.md 7).
 */
template <class T>
static weft_status weft_relax(weft_context *ctx, weft_dtype dtype, box g,
                              const T *u, T *v) {
    return weft_laplace(ctx, dtype, g.nx, g.ny, g.nz, SWEEPS, u, v, NULL);
}

/* Exercises
 *
 * 1. Add 256 x 1 and 1 x 256 to `SHAPES`. How many bytes does a warp of
 *    each shape request, and how many of them does it use? (In the classic
 *    texts, both kernels were equally fast after tuning.)
 * 2. A warp reads 32 floats. How many segments of 32 bytes does it access
 *    if the first float is word 0, word 1 or word 8?
 * 3. For which sizes of bricks do three sweeps per pass read less than two?
 *    Which sizes fit in shared memory?
 * 4. Remove the test k + 1 < nz from `relax_in_registers`. What does the
 *    kernel read at the last layer? What detects it?
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
    c.rung("columns", right, [=] { columns(g, u, spare, v); });
    c.rung("points", right, [=] { points(g, u, spare, v); });
    c.faulty("in-place", right, [=] { in_place(g, u, v); }, {.least = 64});
    c.faulty("faces-forgotten", right,
             [=] { faces_forgotten(g, u, spare, v); });
    c.rung("registers", right, [=] { registers(g, u, spare, v); });
    c.rung("shared", right, [=] { shared(g, u, spare, v); });
    c.rung("two-sweeps", right, [=] { two_sweeps(g, u, spare, v); });
    c.lesson("block-shapes", [&] { return block_shapes(c); });
    c.lesson("padded", [&] { return padded(c); });
    c.lesson("operations", [&] { return operations(c); });
    c.lesson("checksum", [&] { return checksum(c); });
    c.lesson("change", [&] { return change(c); });

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

void climb_laplace(climb &c) {
    if (c.dtype == WEFT_F64) return climb_as<double>(c);
    climb_as<float>(c);
}
