/* weft_convolve2d and weft_correlate2d on a GPU, by the direct method (ORDER.md 15.5).
 *
 * A block computes a tile of results and holds the values that they need, its window, in shared memory. Where the
 * window is not inside the array it contains the border. A warp computes ROWS rows, of which a thread has one vector
 * of 16 bytes each. A vector of the window is loaded once for all rows of a thread: the row of the window is row r -
 * j1 of result row r for the tap row j1, so that, from the last row of the window to the first, the tap row of each
 * result ascends. Filters of many rows are applied in several passes, which keep the results in registers. */
#include "arith/border.h"
#include "core/order.h"
#include "cuda/convolve/convolve_elements.cuh"
#include "cuda/runtime/arrays.h"

#include <string.h>

#define TILE_WARPS 8
#define TILE_THREADS (32 * TILE_WARPS)
#define TILE_SHARED (48 << 10) /* most bytes of shared memory */
#define TILE_TAP_ROWS 8        /* rows of taps per pass, from which on a warp computes several rows of results */

static const char NAME[] = "convolve2d";

extern __shared__ __align__(16) unsigned char dynamic_shared[];

/* Pairs are numbers of rows and of columns; lengths and distances are in values. */
struct convolve2d_params {
    const void *x, *h;
    void *y;
    int64_t n[2], x_row, x_matrix, first[2], count[2];
    int64_t period[2]; /* of the border (weft_border_index) */
    int m[2];
    int halo;     /* values before a tile in a row of the window, and values of a row of taps; full vectors */
    int width;    /* values of a row of the window */
    int tap_rows; /* most rows of taps per pass */
    uint32_t tiles_down, tiles_across;
    bool correlate, x_aligned, y_aligned; /* aligned to full complex numbers */
    alignas(16) unsigned char fill[16];   /* one value */
};

/* ----------------------------------------------------------------------------------- border */

/* Returns element [i1, i2] of the extended matrix x. */
template <typename E>
static __device__ __forceinline__ E extended(const convolve2d_params &j, const E *x, int64_t i1, int64_t i2) {
    const int64_t row = weft_border_index(i1, j.n[0], j.period[0]);
    const int64_t column = weft_border_index(i2, j.n[1], j.period[1]);
    if (row < 0 || column < 0) return *(const E *)j.fill;
    return element(x, row * j.x_row + column, j.x_aligned);
}

/* Copies a part of the extended matrix. A thread copies one element. */
template <typename E>
static __global__ void __launch_bounds__(TILE_THREADS) extend_kernel(const convolve2d_params j) {
    const uint32_t block = blockIdx.x / j.tiles_across, row = block % j.tiles_down, matrix = block / j.tiles_down;
    const int64_t column = (int64_t)(blockIdx.x % j.tiles_across) * TILE_THREADS + threadIdx.x;
    if (column >= j.count[1]) return;
    put((E *)j.y, ((uint64_t)matrix * j.count[0] + row) * j.count[1] + column, j.y_aligned,
        extended(j, (const E *)j.x + matrix * j.x_matrix, j.first[0] + row, j.first[1] + column));
}

/* ----------------------------------------------------------------------------------- window */

/* Loads `rows` rows of a window that begins at element [i1, i2] of the extended matrix x. inside: all of it is in x.
 */
template <typename E>
static __device__ __forceinline__ void load_window(const convolve2d_params &j, const E *x, int64_t i1, int64_t i2,
                                                   int rows, bool inside, E *window) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int r = warp; r < rows; r += TILE_WARPS) {
        E *to = window + r * j.width;
        if (inside) {
            const E *from = x + (i1 + r) * j.x_row + i2;
#pragma unroll 4
            for (int k = lane; k < j.width; k += 32) to[k] = element(from, k, j.x_aligned);
        } else {
            for (int k = lane; k < j.width; k += 32) to[k] = extended(j, x, i1 + r, i2 + k);
        }
    }
}

static __device__ __forceinline__ float conjugate(float h) { return h; }
static __device__ __forceinline__ double conjugate(double h) { return h; }
template <typename T> static __device__ __forceinline__ number<T> conjugate(number<T> h) {
    return number<T>{h.re, -h.im};
}

/* Loads the rows of taps, those of h' if the call is a correlation. */
template <typename E> static __device__ __forceinline__ void load_taps(const convolve2d_params &j, E *taps) {
    for (int i = threadIdx.x; i < j.m[0] * j.m[1]; i += TILE_THREADS) {
        const int at = i / j.m[1] * j.halo + i % j.m[1];
        taps[at] = j.correlate ? conjugate(element((const E *)j.h, j.m[0] * j.m[1] - 1 - i, false))
                               : element((const E *)j.h, i, false);
    }
}

/* ------------------------------------------------------------------------------------- tiles */

/* Applies `count` rows of taps. own: the vector of the thread in the first row of its part of the window, which has
 * ROWS + count - 1 rows. */
template <typename E, int ROWS>
static __device__ __forceinline__ void add_tap_rows(const convolve2d_params &j, const E *own, const E *taps,
                                                    int count, vector<E> (&c)[ROWS]) {
    constexpr int VECTOR = vector<E>::LENGTH;
    for (int w = ROWS + count - 2; w >= 0; w--) {
        const E *x = own + w * j.width, *h = taps + (count - 1 - w) * j.halo; /* of result row 0 */
        vector<E> upper = *(const vector<E> *)x;
        for (int k = 0; k < j.m[1]; k += VECTOR) {
            x -= VECTOR;
            const vector<E> lower = *(const vector<E> *)x;
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const int row = r + count - 1 - w;
                if (row >= 0 && row < count)
                    add_taps(upper, lower, *(const vector<E> *)(h + r * j.halo + k), j.m[1] - k, c[r]);
            }
            upper = lower;
        }
    }
}

template <typename E>
static __device__ __forceinline__ void store_vector(const convolve2d_params &j, E *y, int64_t columns, vector<E> c) {
    constexpr int VECTOR = vector<E>::LENGTH;
#pragma unroll
    for (int e = 0; e < VECTOR; e++) c.e[e] = canonical(c.e[e]);
    if (columns >= VECTOR && (uintptr_t)y % 16 == 0) {
        put_vector(y, c);
        return;
    }
#pragma unroll
    for (int e = 0; e < VECTOR; e++)
        if (e < columns) put(y, e, j.y_aligned, c.e[e]);
}

template <typename E, int ROWS>
static __global__ void __launch_bounds__(TILE_THREADS, 3) tile_kernel(const convolve2d_params j) {
    constexpr int VECTOR = vector<E>::LENGTH, TILE_ROWS = TILE_WARPS * ROWS, TILE_COLUMNS = 32 * VECTOR;
    E *window = (E *)dynamic_shared, *taps = window + (TILE_ROWS + j.tap_rows - 1) * j.width;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint32_t block = blockIdx.x / j.tiles_across, matrix = block / j.tiles_down;
    const int64_t row = (int64_t)(block % j.tiles_down) * TILE_ROWS;
    const int64_t column = (int64_t)(blockIdx.x % j.tiles_across) * TILE_COLUMNS;
    const E *x = (const E *)j.x + matrix * j.x_matrix;
    const int64_t i1 = j.first[0] + row, i2 = j.first[1] + column - j.halo;
    const bool inside = i1 >= j.m[0] - 1 && i1 + TILE_ROWS <= j.n[0] && i2 >= 0 && i2 + j.width <= j.n[1];
    vector<E> c[ROWS];
    for (int r = 0; r < ROWS; r++)
        for (int e = 0; e < VECTOR; e++) c[r].e[e] = zero(E());
    load_taps(j, taps);
    for (int k = 0; k < j.m[0]; k += j.tap_rows) {
        const int count = j.m[0] - k < j.tap_rows ? j.m[0] - k : j.tap_rows;
        if (k > 0) __syncthreads();
        load_window(j, x, i1 - (k + count - 1), i2, TILE_ROWS + count - 1, inside, window);
        __syncthreads();
        add_tap_rows(j, window + warp * ROWS * j.width + j.halo + lane * VECTOR, taps + k * j.halo, count, c);
    }
    const int64_t mine = column + lane * VECTOR;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int64_t to = row + warp * ROWS + r;
        if (to < j.count[0] && mine < j.count[1])
            store_vector(j, (E *)j.y + (matrix * j.count[0] + to) * j.count[1] + mine, j.count[1] - mine, c[r]);
    }
}

/* --------------------------------------------------------------------------------- launches */

static weft_status launch(const gpu *g, void (*kernel)(convolve2d_params), uint64_t blocks, unsigned shared_bytes,
                          const convolve2d_params &j, weft_error *error) {
    RETURN_IF(blocks > INT32_MAX, WEFT_INVALID, "%s: too many values for one call on a GPU: %llu blocks", NAME,
              (unsigned long long)blocks);
    kernel<<<(unsigned)blocks, TILE_THREADS, shared_bytes, g->stream>>>(j);
    CUDA_TRY(cudaGetLastError(), NAME);
    return WEFT_OK;
}

static uint32_t tiles(int64_t count, int64_t tile) { return (uint32_t)((count - 1) / tile + 1); }

template <typename E>
static weft_status extend(const gpu *g, uint64_t matrices, convolve2d_params &j, weft_error *error) {
    j.tiles_across = tiles(j.count[1], TILE_THREADS);
    j.tiles_down = (uint32_t)j.count[0];
    return launch(g, extend_kernel<E>, matrices * j.tiles_down * j.tiles_across, 0, j, error);
}

template <typename E>
static weft_status convolve(const gpu *g, uint64_t matrices, convolve2d_params &j, weft_error *error) {
    constexpr int VECTOR = vector<E>::LENGTH;
    j.halo = (j.m[1] + VECTOR - 1) / VECTOR * VECTOR;
    j.width = 32 * VECTOR + j.halo;
    const int row_bytes = j.width * (int)sizeof(E), tap_bytes = j.m[0] * j.halo * (int)sizeof(E);
    const int fit = (TILE_SHARED - tap_bytes) / row_bytes, wanted = j.m[0] < TILE_TAP_ROWS ? j.m[0] : TILE_TAP_ROWS;
    const int rows = fit >= 4 * TILE_WARPS + wanted - 1 ? 4 : 1, left = fit - rows * TILE_WARPS + 1;
    j.tap_rows = j.m[0] < left ? j.m[0] : left;
    j.tiles_down = tiles(j.count[0], rows * TILE_WARPS);
    j.tiles_across = tiles(j.count[1], 32 * VECTOR);
    const unsigned shared_bytes = (unsigned)((rows * TILE_WARPS + j.tap_rows - 1) * row_bytes + tap_bytes);
    return launch(g, rows == 4 ? tile_kernel<E, 4> : tile_kernel<E, 1>, matrices * j.tiles_down * j.tiles_across,
                  shared_bytes, j, error);
}

template <typename E>
static weft_status run(const gpu *g, const convolve2d_call *c, convolve2d_params &j, weft_error *error) {
    return c->h ? convolve<E>(g, c->matrices, j, error) : extend<E>(g, c->matrices, j, error);
}

weft_status cuda_convolve2d(void *state, const convolve2d_call *c, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    const size_t value = cuda_type_bytes(c->dtype) * (c->is_complex ? 2 : 1);
    const size_t span = (c->matrices - 1) * c->x_matrix + (c->n[0] - 1) * c->x_row + c->n[1];
    void *scratch;
    gpu_array arrays[] = {{"x", c->x, span * value, ARRAY_IN, false, NULL},
                          {"h", c->h, c->h ? c->m[0] * c->m[1] * value : 0, ARRAY_IN, false, NULL},
                          {"y", c->y, c->matrices * c->count[0] * c->count[1] * value, ARRAY_OUT, false, NULL}};
    RETURN_IF_ERROR(arrays_copy_in(g, NAME, arrays, 3, 0, &scratch, error));
    convolve2d_params j;
    memset(&j, 0, sizeof j);
    j.x = arrays[0].at;
    j.h = arrays[1].at;
    j.y = arrays[2].at;
    j.x_row = (int64_t)c->x_row;
    j.x_matrix = (int64_t)c->x_matrix;
    for (int k = 0; k < 2; k++) {
        j.n[k] = (int64_t)c->n[k];
        j.m[k] = (int)c->m[k];
        j.first[k] = c->first[k];
        j.count[k] = (int64_t)c->count[k];
        if (c->border != WEFT_BORDER_FILL) j.period[k] = c->border == WEFT_BORDER_WRAP ? j.n[k] : 2 * j.n[k];
    }
    j.correlate = c->correlate;
    j.x_aligned = (uintptr_t)j.x % value == 0;
    j.y_aligned = (uintptr_t)j.y % value == 0;
    if (c->border == WEFT_BORDER_FILL) memcpy(j.fill, c->fill, value);
    if (c->is_complex)
        RETURN_IF_ERROR(c->dtype == WEFT_F32 ? run<number<float>>(g, c, j, error)
                                             : run<number<double>>(g, c, j, error));
    else
        RETURN_IF_ERROR(c->dtype == WEFT_F32 ? run<float>(g, c, j, error) : run<double>(g, c, j, error));
    return arrays_copy_out(g, NAME, arrays, 3, error);
}
