/* build/bench_gpu_tridiag [--json]: weft_tridiag, weft_tridiag_pivot, weft_pentadiag and weft_block_tridiag on a GPU
 * compared with cuSPARSE and with a plain copy of as many bytes, in one run. Arrays are in device memory; f32, unless
 * a row says f64; times are medians of CUDA events. Without cuSPARSE its columns are empty. The matrices of rows with
 * pivoting need exchanges of rows.
 */
#include "weft.h"

#include <algorithm>
#include <cuda_runtime.h>
#ifdef WEFT_BENCH_CUSPARSE
#include <cusparse.h>
#endif
#include <functional>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <vector>

#define ROUNDS 10
#define ROWS ((size_t)1 << 26)      /* rows of all systems together */
#define LONG_ROWS ((size_t)1 << 24) /* rows of one system */

typedef std::function<void()> work;

static weft_context *ctx;
static cudaStream_t stream;
static bool json, first_row = true;
static float *a, *b, *c, *d, *x, *e, *f; /* e, f: of pentadiagonal systems */
static uint64_t *singular;
static double copy_speed; /* bytes per second, counting reads and writes */

static void stop(const char *what, const char *why) {
    fprintf(stderr, "bench_gpu_tridiag: %s: %s\n", what, why);
    exit(1);
}
static void ok(weft_status status) {
    if (status != WEFT_OK) stop("weft", weft_last_error(ctx));
}
static void ok(cudaError_t fault) {
    if (fault != cudaSuccess) stop("CUDA", cudaGetErrorString(fault));
}

/* ------------------------------------------------------------------------------- measuring */

/* Returns the seconds of one call: the median of several rounds, each timed by two events around several calls. */
static double seconds(const work &w) {
    enum { CALLS = 4 };
    cudaEvent_t start, end;
    std::vector<double> times;
    ok(cudaEventCreate(&start));
    ok(cudaEventCreate(&end));
    for (int round = -1; round < ROUNDS; round++) { /* the first one warms up */
        float ms;
        ok(cudaEventRecord(start, stream));
        for (int i = 0; i < CALLS; i++) w();
        ok(cudaEventRecord(end, stream));
        ok(cudaEventSynchronize(end));
        ok(cudaEventElapsedTime(&ms, start, end));
        if (round >= 0) times.push_back(ms / 1e3 / CALLS);
    }
    ok(cudaEventDestroy(start));
    ok(cudaEventDestroy(end));
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

/* Measures a row. `bytes` is the number of bytes that must be read and written for one row of a system. */
static void row(const char *name, size_t n, size_t rows, double bytes, const work &weft, const char *peer_name,
                const work &peer) {
    const double own = seconds(weft), other = peer ? seconds(peer) : 0;
    const double share = bytes * (double)rows / own / copy_speed;
    if (json)
        printf("%s  {\"name\": \"%s\", \"n\": %zu, \"systems\": %zu, \"ms\": %.5f, \"peer_name\": \"%s\", "
               "\"peer_ms\": %.5f, \"ratio\": %.4f, \"of_copy\": %.4f}",
               first_row ? "" : ",\n", name, n, rows / n, 1e3 * own, peer_name, 1e3 * other, other / own, share);
    else
        printf("%-34s %9zu %9zu %8.3f ms %6.1f %% of copy  %-28s %8.3f ms %6.2fx\n", name, n, rows / n, 1e3 * own,
               100 * share, peer_name, 1e3 * other, other / own);
    first_row = false;
    fflush(stdout);
}

/* ------------------------------------------------------------------------------------ inputs */

/* Fills with uniform values in [low, low + 1). */
template <class T> static __global__ void fill_kernel(T *values, size_t n, T low, uint32_t seed) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        uint64_t h = (i + seed) * 0x9e3779b97f4a7c15u;
        h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
        values[i] = low + (T)(h >> 40) * (T)0x1p-24;
    }
}

/* Fills the arrays with values of a type; the diagonal is from `diagonal` to diagonal + 1. */
template <class T> static void fill_all(T diagonal) {
    const size_t n = ROWS * sizeof(float) / sizeof(T);
    fill_kernel<T><<<4096, 256, 0, stream>>>((T *)a, n, -1, 1);
    fill_kernel<T><<<4096, 256, 0, stream>>>((T *)b, n, diagonal, 2);
    fill_kernel<T><<<4096, 256, 0, stream>>>((T *)c, n, -1, 3);
    fill_kernel<T><<<4096, 256, 0, stream>>>((T *)d, n, 0, 4);
    fill_kernel<T><<<4096, 256, 0, stream>>>((T *)x, n, 0, 4);
    fill_kernel<T><<<4096, 256, 0, stream>>>((T *)e, n, (T)-0.5, 5);
    fill_kernel<T><<<4096, 256, 0, stream>>>((T *)f, n, (T)-0.5, 6);
    ok(cudaStreamSynchronize(stream));
}

static void fill(void) { fill_all(3.0f); }

/* ------------------------------------------------------------------------------------- calls */

static work weft_arrays(size_t systems, size_t n, size_t step, size_t line) {
    return [=] {
        ok(weft_tridiag(ctx, WEFT_OPEN_ENDS, WEFT_F32, systems, n, weft_lines{a, step, line},
                        weft_lines{b, step, line}, weft_lines{c, step, line}, weft_lines{d, step, line}, x,
                        singular));
    };
}

static work weft_constants(size_t systems, size_t n, size_t step, size_t line) {
    return [=] {
        const float off = -1, diagonal = 3;
        ok(weft_tridiag(ctx, WEFT_OPEN_ENDS, WEFT_F32, systems, n, weft_lines{&off, 0, 0},
                        weft_lines{&diagonal, 0, 0}, weft_lines{&off, 0, 0}, weft_lines{d, step, line}, x, singular));
    };
}

static work weft_pivot(weft_dtype dtype, size_t systems, size_t n, size_t step, size_t line) {
    return [=] {
        ok(weft_tridiag_pivot(ctx, WEFT_OPEN_ENDS, dtype, systems, n, weft_lines{a, step, line},
                              weft_lines{b, step, line}, weft_lines{c, step, line}, weft_lines{d, step, line}, x,
                              singular));
    };
}

static work weft_five_diagonals(size_t systems, size_t n, size_t step, size_t line) {
    return [=] {
        ok(weft_pentadiag(ctx, WEFT_OPEN_ENDS, WEFT_F32, systems, n, weft_lines{e, step, line},
                          weft_lines{a, step, line}, weft_lines{b, step, line}, weft_lines{c, step, line},
                          weft_lines{f, step, line}, weft_lines{d, step, line}, x, singular));
    };
}

/* The blocks are at a, b and c: `rows` of k x k values each. */
static work weft_blocks(size_t k, size_t systems, size_t n, size_t step, size_t line) {
    return [=] {
        ok(weft_block_tridiag(ctx, WEFT_OPEN_ENDS, WEFT_F32, k, systems, n, weft_lines{a, step, line},
                              weft_lines{b, step, line}, weft_lines{c, step, line}, weft_lines{d, step, line}, x,
                              singular));
    };
}

#ifdef WEFT_BENCH_CUSPARSE
static cusparseHandle_t sparse;
static void *buffer;

static void hold(size_t bytes) {
    static size_t held;
    if (bytes <= held) return;
    ok(cudaFree(buffer));
    ok(cudaMalloc(&buffer, bytes));
    held = bytes;
}

static void ok(cusparseStatus_t status) {
    if (status != CUSPARSE_STATUS_SUCCESS) stop("cuSPARSE", cusparseGetErrorString(status));
}

static work peer_strided(int systems, int n) {
    size_t bytes;
    ok(cusparseSgtsv2StridedBatch_bufferSizeExt(sparse, n, a, b, c, x, systems, n, &bytes));
    hold(bytes);
    return [=] { ok(cusparseSgtsv2StridedBatch(sparse, n, a, b, c, x, systems, n, buffer)); };
}

/* algorithm: 0 without pivoting, 1 LU factorization with pivoting, 2 QR factorization */
static work peer_interleaved(int algorithm, int systems, int n) {
    size_t bytes;
    ok(cusparseSgtsvInterleavedBatch_bufferSizeExt(sparse, algorithm, n, a, b, c, x, systems, &bytes));
    hold(bytes);
    return [=] { ok(cusparseSgtsvInterleavedBatch(sparse, algorithm, n, a, b, c, x, systems, buffer)); };
}

static work peer_five_diagonals(int systems, int n) {
    size_t bytes;
    ok(cusparseSgpsvInterleavedBatch_bufferSizeExt(sparse, 0, n, e, a, b, c, f, x, systems, &bytes));
    hold(bytes);
    return [=] { ok(cusparseSgpsvInterleavedBatch(sparse, 0, n, e, a, b, c, f, x, systems, buffer)); };
}

static work peer_one(int n) {
    size_t bytes;
    ok(cusparseSgtsv2_nopivot_bufferSizeExt(sparse, n, 1, a, b, c, x, n, &bytes));
    hold(bytes);
    return [=] { ok(cusparseSgtsv2_nopivot(sparse, n, 1, a, b, c, x, n, buffer)); };
}

static work peer_pivot(int n) {
    size_t bytes;
    ok(cusparseSgtsv2_bufferSizeExt(sparse, n, 1, a, b, c, x, n, &bytes));
    hold(bytes);
    return [=] { ok(cusparseSgtsv2(sparse, n, 1, a, b, c, x, n, buffer)); };
}

static work peer_pivot_f64(int n) {
    double *const lower = (double *)a, *const middle = (double *)b, *const upper = (double *)c,
                  *const y = (double *)x;
    size_t bytes;
    ok(cusparseDgtsv2_bufferSizeExt(sparse, n, 1, lower, middle, upper, y, n, &bytes));
    hold(bytes);
    return [=] { ok(cusparseDgtsv2(sparse, n, 1, lower, middle, upper, y, n, buffer)); };
}

static void open_peer(void) {
    ok(cusparseCreate(&sparse));
    ok(cusparseSetStream(sparse, stream));
}
#else
static work peer_strided(int, int) { return nullptr; }
static work peer_interleaved(int, int, int) { return nullptr; }
static work peer_five_diagonals(int, int) { return nullptr; }
static work peer_one(int) { return nullptr; }
static work peer_pivot(int) { return nullptr; }
static work peer_pivot_f64(int) { return nullptr; }
static void open_peer(void) {}
#endif

/* Rows of weft_tridiag_pivot. The peers that solve many systems require interleaved systems, and overwrite a, b, c.
 */
static void measure_pivoting(void) {
    static const size_t lengths[] = {128, 512, 2048};
    for (size_t n : lengths) {
        const size_t systems = ROWS / n;
        fill_all(-0.5f);
        row("tridiag_pivot adjacent rows", n, ROWS, 20, weft_pivot(WEFT_F32, systems, n, 1, n),
            "gtsvInterleavedBatch, LU", peer_interleaved(1, (int)systems, (int)n));
        fill_all(-0.5f);
        row("tridiag_pivot interleaved systems", n, ROWS, 20, weft_pivot(WEFT_F32, systems, n, systems, 1),
            "gtsvInterleavedBatch, QR", peer_interleaved(2, (int)systems, (int)n));
    }
    fill_all(-0.5f);
    row("tridiag_pivot one system", LONG_ROWS, LONG_ROWS, 20, weft_pivot(WEFT_F32, 1, LONG_ROWS, 1, LONG_ROWS),
        "gtsv2", peer_pivot((int)LONG_ROWS));
    row("tridiag_pivot one short system", 1000, 1000, 20, weft_pivot(WEFT_F32, 1, 1000, 1, 1000), "gtsv2",
        peer_pivot(1000));
    fill_all(-0.5);
    row("tridiag_pivot one system, f64", LONG_ROWS, LONG_ROWS, 40, weft_pivot(WEFT_F64, 1, LONG_ROWS, 1, LONG_ROWS),
        "gtsv2, f64", peer_pivot_f64((int)LONG_ROWS));
}

/* Rows of pentadiagonal systems have 28 bytes, block rows 4 (3 k k + 2 k). */
static void measure_bands(void) {
    static const size_t lengths[] = {64, 128, 1024};
    for (size_t n : lengths) {
        const size_t systems = LONG_ROWS / n;
        fill();
        row("pentadiag, interleaved", n, LONG_ROWS, 28, weft_five_diagonals(systems, n, systems, 1),
            "gpsvInterleavedBatch", peer_five_diagonals((int)systems, (int)n));
        row("pentadiag, adjacent", n, LONG_ROWS, 28, weft_five_diagonals(systems, n, 1, n), "-", nullptr);
    }
    row("pentadiag, one system", LONG_ROWS, LONG_ROWS, 28, weft_five_diagonals(1, LONG_ROWS, 1, LONG_ROWS), "-",
        nullptr);
    for (size_t k = 2; k <= 4; k++) {
        const size_t rows = LONG_ROWS / (k * k);
        const double bytes = 4.0 * (double)(3 * k * k + 2 * k);
        const std::string name = std::to_string(k) + " x " + std::to_string(k) + " blocks";
        for (size_t n : {32, 64})
            row(name.c_str(), n, rows / n * n, bytes, weft_blocks(k, rows / n, n, 1, n), "-", nullptr);
        row((name + ", one system").c_str(), rows, rows, bytes, weft_blocks(k, 1, rows, 1, rows), "-", nullptr);
    }
}

static void measure(void) {
    static const size_t lengths[] = {128, 512, 2048};
    const double moved = 2.0 * ROWS * sizeof(float);
    copy_speed =
        moved / seconds([] { ok(cudaMemcpyAsync(x, d, ROWS * sizeof(float), cudaMemcpyDeviceToDevice, stream)); });
    if (!json) printf("a plain copy runs at %.0f GB/s, reads and writes counted\n", 1e-9 * copy_speed);
    for (size_t n : lengths) {
        const size_t systems = ROWS / n;
        fill();
        row("adjacent rows", n, ROWS, 20, weft_arrays(systems, n, 1, n), "gtsv2StridedBatch",
            peer_strided((int)systems, (int)n));
        fill();
        row("interleaved systems", n, ROWS, 20, weft_arrays(systems, n, systems, 1), "gtsvInterleavedBatch",
            peer_interleaved(0, (int)systems, (int)n));
        fill();
        row("constant coefficients", n, ROWS, 8, weft_constants(systems, n, 1, n), "-", nullptr);
        row("interleaved, constant", n, ROWS, 8, weft_constants(systems, n, systems, 1), "-", nullptr);
    }
    fill();
    row("one system", LONG_ROWS, LONG_ROWS, 20, weft_arrays(1, LONG_ROWS, 1, LONG_ROWS), "gtsv2_nopivot",
        peer_one((int)LONG_ROWS));
    measure_bands();
    fill();
    row("one of few rows", 1000, 1000, 20, weft_arrays(1, 1000, 1, 1000), "gtsv2_nopivot", peer_one(1000));
    measure_pivoting();
}

int main(int argc, char **argv) {
    json = argc > 1 && strcmp(argv[1], "--json") == 0;
    if (weft_open(&ctx, "cuda") != WEFT_OK) stop("weft", weft_last_error(NULL));
    ok(cudaStreamCreate(&stream));
    ok(weft_set_stream(ctx, stream));
    for (float **array : {&a, &b, &c, &d, &x, &e, &f}) ok(cudaMalloc(array, ROWS * sizeof(float)));
    ok(cudaMalloc(&singular, sizeof *singular));
    open_peer();
    if (json) printf("{\"rows\": [\n");
    measure();
    if (json) printf("\n]}\n");
    weft_close(ctx);
    return 0;
}
