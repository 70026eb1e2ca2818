/* Topic image-filter: a filter of 5 x 5 taps over an
 * image of n points (2-D convolution)
 *
 * Each point of the result is the sum of the 25 points around it,
 * multiplied by the taps of the filter. Such filters smooth or sharpen an
 * image and find its edges, and the layers of a neural network consist of
 * them. Points outside the image count as 0.
 *
 * The work is 50 operations per point, and the minimum traffic is one read
 * and one write. But each point of the image is used for 25 results. The
 * lesson is where these 25 uses read it from: global memory and its caches,
 * shared memory with a halo, or registers. The second lesson is arithmetic:
 * a filter that is a product of a column and a row takes two passes of 5
 * taps, and not 25.
 *
 * Order, unless a rung states another one: the sum starts with 0 and adds
 * the rows from top to bottom, each from left to right, by fused
 * multiply-adds. Points outside the image are added as 0. So most rungs
 * give the same bits.
 */
#include "climb.h"

#include <math.h>

namespace {

/* Size of a block, and of its part of the output */
constexpr unsigned WIDTH = 32, HEIGHT = 8, THREADS = WIDTH * HEIGHT;
constexpr unsigned REACH = 2, TAPS = 2 * REACH + 1, HALO = 2 * REACH;

template <class T> struct image {
    size_t rows, columns;
    const T *at;

    /* Returns a point. -1 as a size_t is larger than any index, so one
     * comparison tests both sides. */
    __host__ __device__ T point(size_t i, size_t j) const {
        return i < rows && j < columns ? at[i * columns + j] : (T)0;
    }
};

/* Launches a block of WIDTH x HEIGHT threads for each
 * WIDTH x `height` outputs. */
template <class T, class KERNEL, class... MORE>
static void for_tiles(KERNEL kernel, unsigned height, image<T> a,
                      MORE... more) {
    const dim3 tiles((unsigned)blocks_for<size_t>(a.columns, WIDTH),
                     (unsigned)blocks_for<size_t>(a.rows, height));
    kernel<<<tiles, dim3(WIDTH, HEIGHT)>>>(a, more...);
}

template <class T>
static std::vector<T> order_of_taps(image<T> a,
                                    const std::vector<T> &taps) {
    std::vector<T> b(a.rows * a.columns);
    ladder_in_parts(a.rows, [&](size_t i, size_t end) {
        for (; i < end; i++)
            for (size_t j = 0; j < a.columns; j++) {
                T sum = 0;
                for (size_t r = 0; r < TAPS; r++)
                    for (size_t s = 0; s < TAPS; s++)
                        sum = fma(a.point(i + r - REACH, j + s - REACH),
                                  taps[r * TAPS + s], sum);
                b[i * a.columns + j] = sum;
            }
    });
    return b;
}

/* Rung one-output: a thread for each output
 *
 * The taps are in global memory. So there are two reads per multiplication,
 * and two comparisons for the borders. The reads of a warp are adjacent,
 * and most of them hit a cache: the 25 points of a thread are also those of
 * its neighbours.
 */
template <class T>
__global__ void filter_one_output(image<T> a, const T *taps, T *b) {
    const size_t j = (size_t)blockIdx.x * WIDTH + threadIdx.x;
    const size_t i = (size_t)blockIdx.y * HEIGHT + threadIdx.y;
    if (i >= a.rows || j >= a.columns) return;
    T sum = 0;
    for (unsigned r = 0; r < TAPS; r++)
        for (unsigned s = 0; s < TAPS; s++) {
            const T v = a.point(i + r - REACH, j + s - REACH);
            sum = fma(v, taps[r * TAPS + s], sum);
        }
    b[i * a.columns + j] = sum;
}

/* Faulty rung wrapped: only the position in the array is tested
 *
 * The test asks whether the point is in the array, and not whether it is in
 * the row. To the left of a row is the end of the row above it, so the left
 * and the right border of the image affect each other. The result looks
 * right, except for two columns at each side.
 */
template <class T>
__global__ void filter_wrapped(image<T> a, const T *taps, T *b) {
    const size_t j = (size_t)blockIdx.x * WIDTH + threadIdx.x;
    const size_t i = (size_t)blockIdx.y * HEIGHT + threadIdx.y;
    if (i >= a.rows || j >= a.columns) return;
    T sum = 0;
    for (unsigned r = 0; r < TAPS; r++)
        for (unsigned s = 0; s < TAPS; s++) {
            const size_t at = (i + r - REACH) * a.columns + j + s - REACH;
            const T v = at < a.rows * a.columns ? a.at[at] : (T)0;
            sum = fma(v, taps[r * TAPS + s], sum);
        }
    b[i * a.columns + j] = sum;
}

/* Rung constant: the taps in constant memory
 *
 * All threads of a warp read the same tap at the same time. Constant memory
 * has a cache for this: one read serves all lanes, and a multiplication can
 * use it directly as an operand. `__constant__` declares a variable of the
 * file, 64 KiB in all. The program sets it by `cudaMemcpyToSymbol`, and
 * kernels that start later see it.
 */
__constant__ float constant_f32[TAPS * TAPS];
__constant__ double constant_f64[TAPS * TAPS];

template <class T> __device__ T constant_tap(unsigned k);
template <> __device__ float constant_tap<float>(unsigned k) {
    return constant_f32[k];
}
template <> __device__ double constant_tap<double>(unsigned k) {
    return constant_f64[k];
}

static void set_constant(const std::vector<float> &taps) {
    CUDA_CHECK(
        cudaMemcpyToSymbol(constant_f32, taps.data(), sizeof constant_f32));
}
static void set_constant(const std::vector<double> &taps) {
    CUDA_CHECK(
        cudaMemcpyToSymbol(constant_f64, taps.data(), sizeof constant_f64));
}

template <class T> __global__ void filter_constant(image<T> a, T *b) {
    const size_t j = (size_t)blockIdx.x * WIDTH + threadIdx.x;
    const size_t i = (size_t)blockIdx.y * HEIGHT + threadIdx.y;
    if (i >= a.rows || j >= a.columns) return;
    T sum = 0;
    for (unsigned r = 0; r < TAPS; r++)
        for (unsigned s = 0; s < TAPS; s++) {
            const T v = a.point(i + r - REACH, j + s - REACH);
            sum = fma(v, constant_tap<T>(r * TAPS + s), sum);
        }
    b[i * a.columns + j] = sum;
}

/* Rung shared: the tile and its halo in shared memory
 *
 * A block computes 32 x 8 outputs. It needs these points and two more on
 * each side, the halo: 36 x 12 points. The 256 threads load the 432 points
 * in two steps. Points outside the image are stored as 0, so the 25 reads
 * after the barrier need no test.
 *
 *     h h h h h h h h
 *     h h h h h h h h
 *     h h o o o o h h      o: an output, h: the halo
 *     h h o o o o h h
 *     h h h h h h h h
 *     h h h h h h h h
 *
 * The block reads 1.7 times as many points as it computes. A taller tile
 * has a smaller share of halo, as in `registers`.
 */
template <class T, unsigned ROWS>
__device__ void load_tile(image<T> a, size_t row, size_t column,
                          T tile[][WIDTH + HALO]) {
    const unsigned t = threadIdx.y * WIDTH + threadIdx.x;
    for (unsigned k = t; k < (ROWS + HALO) * (WIDTH + HALO); k += THREADS) {
        const unsigned r = k / (WIDTH + HALO), s = k % (WIDTH + HALO);
        tile[r][s] = a.point(row + r - REACH, column + s - REACH);
    }
    __syncthreads();
}

template <class T> __global__ void filter_shared(image<T> a, T *b) {
    __shared__ T tile[HEIGHT + HALO][WIDTH + HALO];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const size_t row = (size_t)blockIdx.y * HEIGHT;
    const size_t column = (size_t)blockIdx.x * WIDTH;
    load_tile<T, HEIGHT>(a, row, column, tile);
    T sum = 0;
    for (unsigned r = 0; r < TAPS; r++)
        for (unsigned s = 0; s < TAPS; s++) {
            const T tap = constant_tap<T>(r * TAPS + s);
            sum = fma(tile[y + r][x + s], tap, sum);
        }
    const size_t i = row + y, j = column + x;
    if (i < a.rows && j < a.columns) b[i * a.columns + j] = sum;
}

/* Faulty rung no-halo: each block with its own points only
 *
 * Points outside of the tile count as 0, as if each tile were an image of
 * its own. The result has visible lines at the seams between the tiles. A
 * test with an image of 32 x 8 points or less does not find this.
 */
template <class T> __global__ void filter_without_halo(image<T> a, T *b) {
    __shared__ T tile[HEIGHT][WIDTH];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const size_t i = (size_t)blockIdx.y * HEIGHT + y;
    const size_t j = (size_t)blockIdx.x * WIDTH + x;
    tile[y][x] = a.point(i, j);
    __syncthreads();
    T sum = 0;
    for (unsigned r = 0; r < TAPS; r++)
        for (unsigned s = 0; s < TAPS; s++) {
            const unsigned q = y + r - REACH, p = x + s - REACH;
            const T v = q < HEIGHT && p < WIDTH ? tile[q][p] : (T)0;
            sum = fma(v, constant_tap<T>(r * TAPS + s), sum);
        }
    if (i < a.rows && j < a.columns) b[i * a.columns + j] = sum;
}

/* Faulty rung one-load: each thread loads one point, and the tile has more
 * points than threads
 *
 * The 256 threads load the first 256 of 432 points. The others are what an
 * earlier block has left in shared memory. The executor reports the read of
 * a word that no thread of the block has written.
 */
template <class T> __global__ void filter_one_load(image<T> a, T *b) {
    __shared__ T tile[HEIGHT + HALO][WIDTH + HALO];
    const unsigned x = threadIdx.x, y = threadIdx.y, t = y * WIDTH + x;
    const size_t row = (size_t)blockIdx.y * HEIGHT;
    const size_t column = (size_t)blockIdx.x * WIDTH;
    const unsigned q = t / (WIDTH + HALO), p = t % (WIDTH + HALO);
    tile[q][p] = a.point(row + q - REACH, column + p - REACH);
    __syncthreads();
    T sum = 0;
    for (unsigned r = 0; r < TAPS; r++)
        for (unsigned s = 0; s < TAPS; s++) {
            const T tap = constant_tap<T>(r * TAPS + s);
            sum = fma(tile[y + r][x + s], tap, sum);
        }
    const size_t i = row + y, j = column + x;
    if (i < a.rows && j < a.columns) b[i * a.columns + j] = sum;
}

/* Rung registers: four outputs per thread, one below the other
 *
 * `shared` reads shared memory once per multiplication. Here a thread
 * computes four outputs of a column, from 8 rows of 5 points. It reads a
 * point into a register and uses it for all outputs that need it, up to
 * four. So there are 40 reads for 100 multiplications. The tile has 32 x 32
 * outputs, and the block reads 1.27 times as many points.
 *
 * The loops have a fixed number of iterations, so the four sums are
 * registers, and the condition is evaluated when the kernel is compiled.
 * Each output still adds its rows from top to bottom.
 */
constexpr unsigned EACH = 4, TALL = EACH * HEIGHT;

template <class T> __global__ void filter_registers(image<T> a, T *b) {
    __shared__ T tile[TALL + HALO][WIDTH + HALO];
    const unsigned x = threadIdx.x, y = threadIdx.y * EACH;
    const size_t row = (size_t)blockIdx.y * TALL;
    const size_t column = (size_t)blockIdx.x * WIDTH;
    load_tile<T, TALL>(a, row, column, tile);
    T sum[EACH] = {};
#pragma unroll
    for (unsigned q = 0; q < EACH + HALO; q++)
#pragma unroll
        for (unsigned s = 0; s < TAPS; s++) {
            const T v = tile[y + q][x + s];
#pragma unroll
            for (unsigned k = 0; k < EACH; k++)
                if (q >= k && q - k < TAPS) {
                    const T tap = constant_tap<T>((q - k) * TAPS + s);
                    sum[k] = fma(v, tap, sum[k]);
                }
        }
    const size_t i = row + y, j = column + x;
    for (unsigned k = 0; k < EACH; k++)
        if (i + k < a.rows && j < a.columns)
            b[(i + k) * a.columns + j] = sum[k];
}

/* Rung separable: five taps along the rows, then five along the columns
 *
 * The filter of this topic is a product: tap (r, s) is g[r] g[s]. Then the
 * filter can be applied to the rows, and its result to the columns, with 10
 * multiplications per point instead of 25. But the result of the first pass
 * is written to memory and read again, so the traffic is twice the minimum.
 * Only filters of rank 1 can be separated, for example that of Gauss.
 *
 * Order: first u[i][j] starts with 0 and adds g[0] a[i][j - 2], ..., g[4]
 * a[i][j + 2]. Then b[i][j] starts with 0 and adds g[0] u[i - 2][j], ...,
 * g[4] u[i + 2][j]. The bits differ from those of `one-output`.
 */
template <class T> struct factor { T g[TAPS]; };

template <class T>
__global__ void filter_rows(image<T> a, factor<T> f, T *u) {
    const size_t j = (size_t)blockIdx.x * WIDTH + threadIdx.x;
    const size_t i = (size_t)blockIdx.y * HEIGHT + threadIdx.y;
    if (i >= a.rows || j >= a.columns) return;
    T sum = 0;
    for (unsigned s = 0; s < TAPS; s++)
        sum = fma(a.point(i, j + s - REACH), f.g[s], sum);
    u[i * a.columns + j] = sum;
}

template <class T>
__global__ void filter_columns(image<T> u, factor<T> f, T *b) {
    const size_t j = (size_t)blockIdx.x * WIDTH + threadIdx.x;
    const size_t i = (size_t)blockIdx.y * HEIGHT + threadIdx.y;
    if (i >= u.rows || j >= u.columns) return;
    T sum = 0;
    for (unsigned r = 0; r < TAPS; r++)
        sum = fma(u.point(i + r - REACH, j), f.g[r], sum);
    b[i * u.columns + j] = sum;
}

template <class T>
static void separable(image<T> a, factor<T> f, T *u, T *b) {
    for_tiles(filter_rows<T>, HEIGHT, a, f, u);
    for_tiles(filter_columns<T>, HEIGHT, image<T>{a.rows, a.columns, u}, f,
              b);
}

template <class T>
static std::vector<T> order_of_passes(image<T> a, factor<T> f) {
    std::vector<T> u(a.rows * a.columns), b(u.size());
    const image<T> between = {a.rows, a.columns, u.data()};
    for (int pass = 0; pass < 2; pass++)
        ladder_in_parts(a.rows, [&](size_t i, size_t end) {
            for (; i < end; i++)
                for (size_t j = 0; j < a.columns; j++) {
                    T sum = 0;
                    for (size_t k = 0; k < TAPS; k++) {
                        const size_t by = k - REACH;
                        const T point = pass == 0
                                            ? a.point(i, j + by)
                                            : between.point(i + by, j);
                        sum = fma(point, f.g[k], sum);
                    }
                    (pass == 0 ? u : b)[i * a.columns + j] = sum;
                }
        });
    return b;
}

/* Rung both-passes: the two passes in one kernel
 *
 * A block loads a tile with its halo, as in `registers`. It applies the
 * first pass to all 36 rows of the tile, and stores the result in a second
 * array in shared memory. After a barrier it applies the second pass. The
 * image is read and written once. The first pass also computes rows of the
 * halo, which other blocks compute too.
 *
 * Order: that of `separable`. In rows outside the image the first pass
 * computes zeros, because all points are 0.
 */
template <class T>
__global__ void filter_both(image<T> a, factor<T> f, T *b) {
    __shared__ T tile[TALL + HALO][WIDTH + HALO], u[TALL + HALO][WIDTH];
    const unsigned x = threadIdx.x;
    const size_t row = (size_t)blockIdx.y * TALL;
    const size_t column = (size_t)blockIdx.x * WIDTH;
    load_tile<T, TALL>(a, row, column, tile);
    for (unsigned y = threadIdx.y; y < TALL + HALO; y += HEIGHT) {
        T sum = 0;
        for (unsigned s = 0; s < TAPS; s++)
            sum = fma(tile[y][x + s], f.g[s], sum);
        u[y][x] = sum;
    }
    __syncthreads();
    for (unsigned y = threadIdx.y; y < TALL; y += HEIGHT) {
        T sum = 0;
        for (unsigned r = 0; r < TAPS; r++)
            sum = fma(u[y + r][x], f.g[r], sum);
        const size_t i = row + y, j = column + x;
        if (i < a.rows && j < a.columns) b[i * a.columns + j] = sum;
    }
}

/* Exercises
 *
 * 1. How many points does a block of 32 x 8 outputs read per output for a
 *    filter of 3 x 3, 5 x 5 and 15 x 15 taps? How many for 32 x 32 outputs?
 *    Check the column `read` of the executor.
 * 2. Points outside the image are often replaced by the nearest point of
 *    the border. Change `point`. Which rungs need no other change?
 * 3. Write a kernel in which a thread keeps 5 rows of 5 points in registers
 *    and moves down the image: it then reads 5 new points per output.
 * 4. Is the filter 0 -1 0 / -1 5 -1 / 0 -1 0 separable? Of how many
 *    separable filters is it a sum?
 * 5. From how many taps on would a Fourier transform be faster? See rung
 *    `transform` of topic convolution.
 */

/* Climbing the rungs. */
template <class T> static void climb_as(climb &c) {
    size_t rows = 1; /* sides in the proportion 5 : 8 */
    while ((rows + 1) * (rows + 1) <= 5 * c.n / 8) rows++;
    const size_t columns = c.n / rows;
    const std::vector<T> values = ladder_values<T>(rows * columns, 1);
    const factor<T> f = {{(T)0.0625, (T)0.25, (T)0.375, (T)0.2, (T)0.1}};
    std::vector<T> taps;
    for (const T g : f.g)
        for (const T h : f.g) taps.push_back(g * h);
    set_constant(taps);
    const image<T> here = {rows, columns, values.data()};
    const image<T> a = {rows, columns, c.input(values)};
    const T *const t = c.input(taps);
    T *const u = c.output<T>(values.size());
    T *const b = c.output<T>(values.size());
    c.work(2.0 * (double)(values.size() * sizeof(T)),
           2.0 * TAPS * TAPS * (double)values.size());

    const ladder_claim right = [&] {
        return c.holds(b, order_of_taps(here, taps));
    };
    const ladder_claim two_passes = [&] {
        return c.holds(b, order_of_passes(here, f));
    };
    c.rung("one-output", right,
           [=] { for_tiles(filter_one_output<T>, HEIGHT, a, t, b); });
    c.faulty("wrapped", right,
             [=] { for_tiles(filter_wrapped<T>, HEIGHT, a, t, b); },
             {.least = 100});
    c.rung("constant", right,
           [=] { for_tiles(filter_constant<T>, HEIGHT, a, b); });
    c.rung("shared", right,
           [=] { for_tiles(filter_shared<T>, HEIGHT, a, b); });
    c.faulty("no-halo", right,
             [=] { for_tiles(filter_without_halo<T>, HEIGHT, a, b); },
             {.least = 1000});
    c.faulty("one-load", right,
             [=] { for_tiles(filter_one_load<T>, HEIGHT, a, b); });
    c.rung("registers", right,
           [=] { for_tiles(filter_registers<T>, TALL, a, b); });
    c.work(2.0 * (double)(values.size() * sizeof(T)),
           4.0 * TAPS * (double)values.size());
    c.rung("separable", two_passes, [=] { separable(a, f, u, b); });
    c.rung("both-passes", two_passes,
           [=] { for_tiles(filter_both<T>, TALL, a, f, b); });
}

} // namespace

void climb_image_filter(climb &c) {
    if (c.dtype == WEFT_F64) return climb_as<double>(c);
    climb_as<float>(c);
}
