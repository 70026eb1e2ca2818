/* Arrays of 2^32 + 17 bytes on a GPU, compared with the CPU: where an index, an offset or a count is cut to 32
 * bits, the results differ after the first 2^32. Reductions, scans and sorts of as many are in gpu_memory, gpu_scan
 * and gpu_sort. Exits with 77 without a GPU. */
#include "tests/cuda/gpu_check.cuh"

static const size_t N = ((size_t)1 << 32) + 17, EIGHTS = 8 * (N + 7), CAPACITY = 9 * (N + 7); /* bytes of outputs */
static weft_context *cpu;

/* On the GPU and in host memory: bytes without a pattern, and runs of about a thousand equal ones. */
static uint8_t *mixed_bytes, *runs, *out, *host_mixed, *host_runs, *expected, *found;

static __global__ void fill_kernel(size_t n, uint8_t *mixed, uint8_t *run) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        const uint64_t h = (i + 1) * 0x9e3779b97f4a7c15u;
        mixed[i] = (uint8_t)((h ^ h >> 29) >> 17);
        run[i] = (uint8_t)(i / 1009 * 37);
    }
}

/* Checks that the result of the GPU is that of the CPU. */
static void compare(const char *what, const void *device, size_t bytes) {
    CUDA_OK(cudaMemcpy(found, device, bytes, cudaMemcpyDefault));
    const bool same = memcmp(found, expected, bytes) == 0;
    printf("%-32s %s\n", what, same ? "agrees" : "DIFFERS");
    fflush(stdout);
    CHECK(same);
}

template <class T> static T value_at(const void *device) {
    T v;
    CUDA_OK(cudaMemcpy(&v, device, sizeof v, cudaMemcpyDefault));
    return v;
}

/* ------------------------------------------------------------------------ select and the like */

/* call(context, x, y, count): y has `bytes` for each element that was kept. */
template <class CALL>
static void kept(const char *what, const uint8_t *x, const uint8_t *host_x, size_t bytes, CALL call) {
    uint64_t count = 0;
    OK(call(cpu, host_x, expected, &count));
    OK(call(gpu, x, out, (uint64_t *)(out + CAPACITY)));
    CHECK(value_at<uint64_t>(out + CAPACITY) == count);
    compare(what, out, count * bytes);
}

static void test_select() {
    static const uint8_t value = 7;
    kept("select", mixed_bytes, host_mixed, 1, [](weft_context *ctx, const void *x, void *y, uint64_t *count) {
        return weft_select_if(ctx, WEFT_GT, WEFT_U8, N, x, &value, y, count);
    });
    kept("select, indices", mixed_bytes, host_mixed, 8,
         [](weft_context *ctx, const void *x, void *y, uint64_t *count) {
             return weft_select_indices_if(ctx, WEFT_EQ, WEFT_U8, N, x, &value, (uint64_t *)y, count);
         });
    kept("unique", runs, host_runs, 1, [](weft_context *ctx, const void *x, void *y, uint64_t *count) {
        return weft_unique(ctx, WEFT_U8, N, x, y, count);
    });
    kept("run lengths", runs, host_runs, 8, [](weft_context *ctx, const void *x, void *y, uint64_t *count) {
        return weft_run_length(ctx, WEFT_U8, N, x, (uint8_t *)y + EIGHTS, (uint64_t *)y, count);
    });
    OK(weft_partition_if(cpu, WEFT_GT, WEFT_U8, N, host_mixed, &value, expected, (uint64_t *)found));
    OK(weft_partition_if(gpu, WEFT_GT, WEFT_U8, N, mixed_bytes, &value, out, (uint64_t *)(out + CAPACITY)));
    compare("partition", out, N);
}

/* ---------------------------------------------------------------------------------- segments */

static void test_segments() {
    const uint64_t offsets[] = {0, 5, (uint64_t)1 << 31, ((uint64_t)1 << 32) - 1, ((uint64_t)1 << 32) + 3, N};
    OK(weft_segmented_reduce(cpu, WEFT_SUM, WEFT_U8, WEFT_DEFAULT, N, host_mixed, 5, offsets, expected));
    OK(weft_segmented_reduce(gpu, WEFT_SUM, WEFT_U8, WEFT_DEFAULT, N, mixed_bytes, 5, offsets, out));
    compare("segmented sum", out, 5 * sizeof(uint64_t));
    OK(weft_segmented_scan(cpu, WEFT_XOR, WEFT_INCLUSIVE, WEFT_U8, WEFT_DEFAULT, N, host_mixed, 5, offsets,
                           expected));
    OK(weft_segmented_scan(gpu, WEFT_XOR, WEFT_INCLUSIVE, WEFT_U8, WEFT_DEFAULT, N, mixed_bytes, 5, offsets, out));
    compare("segmented scan", out, N);
}

/* ------------------------------------------------------------------------------------- views */

static weft_view matrix(weft_dtype dtype, size_t rows, size_t columns, const uint8_t *data) {
    const size_t shape[] = {rows, columns};
    weft_view v;
    OK(weft_view_of(dtype, 2, shape, data, &v));
    return v;
}

/* Rows of 2^16 bytes, of which the last byte is also the first one of the next row: 2^32 + 2^16 elements. */
static const size_t WIDTH = (size_t)1 << 16;
static weft_view overlapping_rows(const uint8_t *x) {
    weft_view v = matrix(WEFT_U8, WIDTH + 1, WIDTH, x);
    v.stride[0] = WIDTH - 1;
    return v;
}

/* call(context, x, y) */
template <class CALL> static void agree(const char *what, size_t bytes, CALL call) {
    OK(call(cpu, host_mixed, expected));
    OK(call(gpu, mixed_bytes, out));
    compare(what, out, bytes);
}

static void test_views() {
    agree("copy, reversed", N, [](weft_context *ctx, const uint8_t *x, uint8_t *y) {
        weft_view from = matrix(WEFT_U8, 1, N, x + N - 1), to = matrix(WEFT_U8, 1, N, y);
        from.stride[1] = -1;
        return weft_copy_view(ctx, &from, &to);
    });
    agree("copy, transposed", WIDTH * (WIDTH + 1), [](weft_context *ctx, const uint8_t *x, uint8_t *y) {
        weft_view from = overlapping_rows(x), to = matrix(WEFT_U8, WIDTH, WIDTH + 1, y);
        std::swap(from.shape[0], from.shape[1]);
        std::swap(from.stride[0], from.stride[1]);
        return weft_copy_view(ctx, &from, &to);
    });
    for (const int axis : {0, 1}) {
        const size_t rows = axis ? WIDTH + 1 : 1, columns = axis ? 1 : WIDTH;
        agree(axis ? "sums of rows" : "sums of columns", rows * columns * sizeof(uint64_t),
              [&](weft_context *ctx, const uint8_t *x, uint8_t *y) {
                  const weft_view from = overlapping_rows(x), to = matrix(WEFT_U64, rows, columns, y);
                  return weft_reduce_axes(ctx, WEFT_SUM, WEFT_DEFAULT, &from, 1, &axis, &to);
              });
        agree(axis ? "scans of rows" : "scans of columns", WIDTH * (WIDTH + 1),
              [&](weft_context *ctx, const uint8_t *x, uint8_t *y) {
                  const weft_view from = overlapping_rows(x), to = matrix(WEFT_U8, WIDTH + 1, WIDTH, y);
                  return weft_scan_axis(ctx, WEFT_XOR, WEFT_INCLUSIVE, WEFT_DEFAULT, &from, axis, NULL, &to);
              });
    }
    agree("scans of two columns", N / 2 * 2, [](weft_context *ctx, const uint8_t *x, uint8_t *y) {
        const weft_view from = matrix(WEFT_U8, N / 2, 2, x), to = matrix(WEFT_U8, N / 2, 2, y);
        return weft_scan_axis(ctx, WEFT_XOR, WEFT_INCLUSIVE, WEFT_DEFAULT, &from, 0, NULL, &to);
    });
}

/* ------------------------------------------------------------------------- counting, finding */

static void test_counts() {
    static const uint8_t lower = 3, upper = 253;
    OK(weft_histogram_even(cpu, WEFT_U8, N, host_mixed, 25, &lower, &upper, (uint64_t *)expected));
    OK(weft_histogram_even(gpu, WEFT_U8, N, mixed_bytes, 25, &lower, &upper, (uint64_t *)out));
    compare("histogram", out, 25 * sizeof(uint64_t));
    OK(weft_top_k(cpu, WEFT_LARGEST, WEFT_U8, N, host_runs, 100, expected + 1024, (uint64_t *)expected));
    OK(weft_top_k(gpu, WEFT_LARGEST, WEFT_U8, N, runs, 100, out + 1024, (uint64_t *)out));
    compare("top k", out, 100 * sizeof(uint64_t));
}

/* A word across position 2^32 and one at the end. */
static void test_match() {
    static const uint64_t offsets[] = {0, 4, 12};
    static const weft_patterns patterns = {2, offsets, "weftwarp-end"};
    enum { CAPACITY = 1 << 16 };
    uint64_t *const positions = (uint64_t *)out;
    uint32_t *const numbers = (uint32_t *)(positions + CAPACITY);
    uint64_t *const total = (uint64_t *)(numbers + CAPACITY), all;
    memcpy(host_mixed + ((size_t)1 << 32) - 2, "weft", 4);
    memcpy(host_mixed + N - 8, "warp-end", 8);
    upload(mixed_bytes + ((size_t)1 << 32) - 64, host_mixed + ((size_t)1 << 32) - 64, 64 + 17);
    OK(weft_match_count(cpu, N, host_mixed, 0, N, &patterns, WEFT_MATCH_BYTES, (uint64_t *)expected));
    OK(weft_match_count(gpu, N, mixed_bytes, 0, N, &patterns, WEFT_MATCH_BYTES, (uint64_t *)out));
    compare("match, counts", out, 2 * sizeof(uint64_t));
    OK(weft_match_list(cpu, N, host_mixed, 0, N, &patterns, WEFT_MATCH_BYTES, CAPACITY, (uint64_t *)expected,
                       (uint32_t *)found, &all));
    OK(weft_match_list(gpu, N, mixed_bytes, 0, N, &patterns, WEFT_MATCH_BYTES, CAPACITY, positions, numbers, total));
    CHECK(all >= 2 && all <= CAPACITY && value_at<uint64_t>(total) == all);
    compare("match, list", positions, all * sizeof *positions);
    CHECK(value_at<uint64_t>(positions + all - 1) == N - 8);
    CHECK(value_at<uint64_t>(positions + all - 2) == ((uint64_t)1 << 32) - 2);
}

/* ------------------------------------------------------------------------------------ sorted */

static void test_sorted() {
    std::vector<uint8_t> queries(256);
    for (size_t i = 0; i < 256; i++) queries[i] = (uint8_t)i;
    OK(weft_sort(gpu, WEFT_ASCENDING, WEFT_U8, N, mixed_bytes, runs));
    CUDA_OK(cudaMemcpy(host_runs, runs, N, cudaMemcpyDefault));
    for (weft_side side : {WEFT_LEFT, WEFT_RIGHT}) {
        OK(weft_search_sorted(cpu, side, WEFT_U8, N, host_runs, 256, queries.data(), (uint64_t *)expected));
        OK(weft_search_sorted(gpu, side, WEFT_U8, N, runs, 256, queries.data(), (uint64_t *)out));
        compare("search", out, 256 * sizeof(uint64_t));
    }
    OK(weft_merge(cpu, WEFT_U8, N - 999, host_runs, 999, host_runs + N - 999, expected));
    OK(weft_merge(gpu, WEFT_U8, N - 999, runs, 999, runs + N - 999, out));
    compare("merge", out, N);
}

/* ---------------------------------------------------------------------------------- formulas */

static void test_formulas() {
    const weft_binding host = {"x", WEFT_U8, host_mixed, NULL}, device = {"x", WEFT_U8, mixed_bytes, NULL};
    weft_expr *on_cpu, *on_gpu;
    OK(weft_expr_compile(cpu, "(x + 1) * i", &on_cpu));
    OK(weft_expr_compile(gpu, "(x + 1) * i", &on_gpu));
    OK(weft_map_reduce(cpu, WEFT_SUM, on_cpu, WEFT_U64, WEFT_DEFAULT, N, &host, 1, expected));
    OK(weft_map_reduce(gpu, WEFT_SUM, on_gpu, WEFT_U64, WEFT_DEFAULT, N, &device, 1, out));
    compare("sum of a formula", out, sizeof(uint64_t));
    uint64_t *values;
    CUDA_OK(cudaMalloc(&values, N * sizeof *values));
    OK(weft_map(gpu, on_gpu, WEFT_U64, N, &device, 1, values));
    OK(weft_reduce(gpu, WEFT_SUM, WEFT_U64, WEFT_DEFAULT, N, values, out));
    compare("a formula", out, sizeof(uint64_t));
    OK(weft_map_scan(gpu, WEFT_SUM, WEFT_INCLUSIVE, on_gpu, WEFT_U64, WEFT_DEFAULT, N, &device, 1, NULL, values));
    compare("scan of a formula", values + N - 1, sizeof(uint64_t));
    CUDA_OK(cudaFree(values));
    weft_expr_free(on_cpu);
    weft_expr_free(on_gpu);
}

/* The last samples of many, and these by themselves. */
static void test_random() {
    static const uint32_t lower = 0, upper = 999999999;
    const uint64_t first = ((uint64_t)1 << 40) + 3, few = 100003;
    OK(weft_random_integers(cpu, WEFT_U32, 5, 6, first + N - few, few, &lower, &upper, expected));
    OK(weft_random_integers(gpu, WEFT_U32, 5, 6, first, N, &lower, &upper, out));
    compare("random integers", (uint32_t *)out + N - few, few * sizeof(uint32_t));
}

/* The last points of many, and these by themselves. */
static void test_sobol() {
    const uint64_t first = ((uint64_t)1 << 40) + 2, few = 10007, axes = 5, points = 2 * N / axes;
    OK(weft_sobol(cpu, WEFT_OWEN, WEFT_F32, 5, 6, axes, first + points - few, few, expected));
    OK(weft_sobol(gpu, WEFT_OWEN, WEFT_F32, 5, 6, axes, first, points, out));
    compare("Sobol points", (float *)out + (points - few) * axes, few * axes * sizeof(float));
}

/* v = v' + u with u of 1, 0, -1, 0, ...: sums that f32 has, whose scan is tested elsewhere. */
static __global__ void steps_kernel(size_t n, float *s, float *u) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        s[i] = 1;
        u[i] = i % 2 ? 0.0f : i % 4 ? -1.0f : 1.0f;
    }
}

/* Counts the words that differ. */
static __global__ void differ_kernel(size_t n, const uint32_t *x, const uint32_t *y, unsigned long long *count) {
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        if (x[i] != y[i]) atomicAdd(count, 1ull);
}

static void test_recurrence() {
    float *s, *u;
    CUDA_OK(cudaMalloc(&s, N * sizeof *s));
    CUDA_OK(cudaMalloc(&u, N * sizeof *u));
    steps_kernel<<<1024, 256>>>(N, s, u);
    CUDA_OK(cudaDeviceSynchronize());
    OK(weft_recurrence(gpu, WEFT_FORWARD, WEFT_F32, 1, N, s, u, NULL, s));
    OK(weft_scan(gpu, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F32, WEFT_DEFAULT, N, u, NULL, u));
    CUDA_OK(cudaMemset(out, 0, sizeof(unsigned long long)));
    differ_kernel<<<1024, 256>>>(N, (const uint32_t *)s, (const uint32_t *)u, (unsigned long long *)out);
    CUDA_OK(cudaDeviceSynchronize());
    CHECK(value_at<uint64_t>(out) == 0);
    printf("%-32s agrees with a scan\n", "recurrence");
    CUDA_OK(cudaFree(s));
    CUDA_OK(cudaFree(u));
}

int main() {
    size_t left, all;
    if (weft_open(&gpu, "cuda") != WEFT_OK) {
        printf("skipped: %s\n", last());
        return 77;
    }
    CUDA_OK(cudaMemGetInfo(&left, &all));
    for (uint8_t **p : {&host_mixed, &host_runs, &expected, &found})
        *p = (uint8_t *)malloc(p == &expected ? CAPACITY : N + WIDTH);
    if (left < 20 * N || !host_mixed || !host_runs || !expected || !found) {
        puts("skipped: cannot allocate memory for arrays of 2^32 elements");
        return 77;
    }
    OK(weft_open(&cpu, "cpu"));
    CUDA_OK(cudaMalloc(&mixed_bytes, N));
    CUDA_OK(cudaMalloc(&runs, N));
    CUDA_OK(cudaMalloc(&out, CAPACITY + 8));
    fill_kernel<<<1024, 256>>>(N, mixed_bytes, runs);
    CUDA_OK(cudaMemcpy(host_mixed, mixed_bytes, N, cudaMemcpyDefault));
    CUDA_OK(cudaMemcpy(host_runs, runs, N, cudaMemcpyDefault));
    test_select();
    test_segments();
    test_views();
    test_counts();
    test_match();
    test_sorted();
    test_formulas();
    test_random();
    test_sobol();
    test_recurrence();
    for (uint8_t *p : {mixed_bytes, runs, out}) CUDA_OK(cudaFree(p));
    for (uint8_t *p : {host_mixed, host_runs, expected, found}) free(p);
    weft_close(cpu);
    weft_close(gpu);
    return 0;
}
