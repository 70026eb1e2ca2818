/* Calls with sources on a GPU: the bits of the calls in memory, from pinned and pageable memory and through
 * callbacks, for chunks of many sizes; on a stream of the caller's; after a failure. Then their speed, compared with
 * copies of pinned memory alone and with the same calls on host arrays, which copy and compute in turn. A time
 * fails nothing. Exits with 77 without a GPU. */
#include "tests/cuda/gpu_check.cuh"

#include <chrono>
#include <errno.h>

static weft_context *cpu;

/* ------------------------------------------------------------------------------- same bits */

/* Reads from an array, at most an odd number of bytes at a time. */
struct feed {
    const char *p;
    size_t bytes, at, fails;
};

static ptrdiff_t read_feed(void *self, void *to, size_t bytes) {
    feed *f = (feed *)self;
    const size_t left = f->bytes - f->at, taken = std::min({bytes, left, (size_t)1000003});
    if (f->at >= f->fails) {
        errno = EIO;
        return -1;
    }
    memcpy(to, f->p + f->at, taken);
    f->at += taken;
    return (ptrdiff_t)taken;
}

static int rewind_feed(void *self) {
    ((feed *)self)->at = 0;
    return 0;
}

/* The ways in which an array gets to the GPU. */
enum way { PINNED, PAGEABLE, CALLED, WAYS };

struct input {
    weft_channel channel;
    feed f;
    weft_source source;
    input(way w, weft_dtype dtype, size_t n, const void *pinned, const void *pageable) {
        const size_t bytes = n * weft_dtype_size(dtype);
        f = {(const char *)pageable, bytes, 0, SIZE_MAX};
        source = weft_source_memory(&channel, dtype, n, w == PINNED ? pinned : pageable);
        if (w == CALLED) source = {dtype, n, read_feed, rewind_feed, NULL, &f};
    }
};

static const size_t N = 5000077;
static float *pinned_x, *pinned_y, *pinned_z, *pinned_s;
static std::vector<float> x, y, factors, expected, found;

static void check_folds(way w) {
    for (weft_op op : {WEFT_SUM, WEFT_PROD, WEFT_MIN, WEFT_ARGMAX, WEFT_MEAN, WEFT_NORM2, WEFT_COUNT_NONZERO}) {
        uint64_t a = 0, b = 0;
        input in(w, WEFT_F32, N, pinned_x, x.data());
        OK(weft_reduce(cpu, op, WEFT_F32, WEFT_DEFAULT, N, x.data(), &a));
        OK(weft_reduce_source(gpu, op, WEFT_DEFAULT, &in.source, &b));
        CHECK(a == b);
    }
    for (weft_dtype accumulate : {WEFT_DEFAULT, WEFT_F64}) {
        uint64_t a = 0, b = 0;
        input left(w, WEFT_F32, N, pinned_x, x.data()), right(w, WEFT_F32, N, pinned_y, y.data());
        OK(weft_dot(cpu, WEFT_F32, accumulate, N, x.data(), y.data(), &a));
        OK(weft_dot_source(gpu, accumulate, &left.source, &right.source, &b));
        CHECK(a == b);
        input in(w, WEFT_F32, N, pinned_x, x.data());
        OK(weft_variance(cpu, WEFT_F32, accumulate, N, 1, x.data(), &a));
        OK(weft_variance_source(gpu, accumulate, 1, &in.source, &b));
        CHECK(a == b);
    }
}

static void check_counts(way w) {
    const float low = -1, high = 1;
    uint64_t a[9], b[9];
    input in(w, WEFT_F32, N, pinned_x, x.data()), text(w, WEFT_U8, N, pinned_x, x.data());
    OK(weft_histogram_even(cpu, WEFT_F32, N, x.data(), 9, &low, &high, a));
    OK(weft_histogram_even_source(gpu, &in.source, 9, &low, &high, b));
    CHECK(memcmp(a, b, sizeof a) == 0);
    const uint64_t offsets[] = {0, 1, 3, 6};
    const weft_patterns patterns = {3, offsets, "\0\x80\x3f\xc0\0\0"};
    OK(weft_match_count(cpu, N, x.data(), 0, N, &patterns, WEFT_MATCH_BYTES, a));
    OK(weft_match_count_source(gpu, &text.source, &patterns, WEFT_MATCH_BYTES, b));
    CHECK(memcmp(a, b, 3 * sizeof *a) == 0);
}

static bool right(const float *z) { return memcmp(z, expected.data(), N * sizeof(float)) == 0; }

static void check_scans(way w) {
    const float start = 0.75f;
    for (weft_op op : {WEFT_SUM, WEFT_MAX})
        for (weft_scan_kind kind : {WEFT_INCLUSIVE, WEFT_EXCLUSIVE})
            for (const float *init : {(const float *)NULL, &start})
                for (float *z : {pinned_z, found.data()}) {
                    weft_channel out;
                    input in(w, WEFT_F32, N, pinned_x, x.data());
                    const weft_sink sink = weft_sink_memory(&out, N * sizeof(float), z);
                    OK(weft_scan(cpu, op, kind, WEFT_F32, WEFT_DEFAULT, N, x.data(), init, expected.data()));
                    memset(z, 0x5a, N * sizeof(float));
                    OK(weft_scan_source(gpu, op, kind, WEFT_DEFAULT, &in.source, init, &sink));
                    CHECK(right(z));
                }
}

static void check_maps(way w) {
    weft_expr *expr;
    OK(weft_expr_compile(cpu, "x*y - i/3", &expr));
    const weft_binding arrays[] = {{"x", WEFT_F32, x.data(), NULL}, {"y", WEFT_F32, y.data(), NULL}};
    for (int scans = 0; scans < 2; scans++) {
        weft_channel out;
        input a(w, WEFT_F32, N, pinned_x, x.data()), b(w, WEFT_F32, N, pinned_y, y.data());
        const weft_source_binding sources[] = {{"x", &a.source, WEFT_DEFAULT, NULL},
                                               {"y", &b.source, WEFT_DEFAULT, NULL}};
        const weft_sink sink = weft_sink_memory(&out, N * sizeof(float), pinned_z);
        memset(pinned_z, 0x5a, N * sizeof(float));
        if (scans) {
            OK(weft_map_scan(cpu, WEFT_SUM, WEFT_INCLUSIVE, expr, WEFT_F32, WEFT_DEFAULT, N, arrays, 2, NULL,
                             expected.data()));
            OK(weft_map_scan_source(gpu, WEFT_SUM, WEFT_INCLUSIVE, expr, WEFT_F32, WEFT_DEFAULT, sources, 2, NULL,
                                    &sink));
        } else {
            OK(weft_map(cpu, expr, WEFT_F32, N, arrays, 2, expected.data()));
            OK(weft_map_source(gpu, expr, WEFT_F32, sources, 2, &sink));
        }
        CHECK(right(pinned_z));
    }
    weft_expr_free(expr);
}

/* Factors around 1, so that what is far back counts; f64 from pageable memory or through callbacks. */
static void check_recurrences(way w) {
    const float start = 0.75f;
    for (const float *init : {(const float *)NULL, &start}) {
        weft_channel out;
        input s(w, WEFT_F32, N, pinned_s, factors.data()), u(w, WEFT_F32, N, pinned_x, x.data());
        const weft_sink sink = weft_sink_memory(&out, N * sizeof(float), pinned_z);
        OK(weft_recurrence(cpu, WEFT_FORWARD, WEFT_F32, 1, N, factors.data(), x.data(), init, expected.data()));
        memset(pinned_z, 0x5a, N * sizeof(float));
        OK(weft_recurrence_source(gpu, &s.source, &u.source, init, &sink));
        CHECK(right(pinned_z));
    }
    const std::vector<double> wide_s(factors.begin(), factors.end()), wide_u(x.begin(), x.end());
    std::vector<double> want(N), got(N);
    weft_channel out;
    input s(w, WEFT_F64, N, wide_s.data(), wide_s.data()), u(w, WEFT_F64, N, wide_u.data(), wide_u.data());
    const weft_sink sink = weft_sink_memory(&out, N * sizeof(double), got.data());
    OK(weft_recurrence(cpu, WEFT_FORWARD, WEFT_F64, 1, N, wide_s.data(), wide_u.data(), NULL, want.data()));
    OK(weft_recurrence_source(gpu, &s.source, &u.source, NULL, &sink));
    CHECK(memcmp(got.data(), want.data(), N * sizeof(double)) == 0);
}

/* The least memory, an odd amount, the default, and what takes the array in one piece. */
static void check_bits() {
    for (size_t memory : {(size_t)262144, (size_t)12345678, (size_t)0, (size_t)1 << 30})
        for (int w = 0; w < WAYS; w++) {
            OK(weft_set_memory(gpu, memory));
            check_folds((way)w);
            check_scans((way)w);
            check_counts((way)w);
            check_maps((way)w);
            check_recurrences((way)w);
        }
    puts("the bits are those of the calls in memory");
}

/* A source that fails amid copies, and the same call on a stream of the caller's. */
static void check_failures() {
    float sum, want;
    cudaStream_t stream;
    input in(CALLED, WEFT_F32, N, pinned_x, x.data());
    in.f.fails = N * 2;
    OK(weft_set_memory(gpu, 1 << 22));
    CHECK(weft_reduce_source(gpu, WEFT_SUM, WEFT_DEFAULT, &in.source, &sum) == WEFT_IO);
    weft_channel out;
    const weft_sink small = weft_sink_memory(&out, N, pinned_z);
    input again(PINNED, WEFT_F32, N, pinned_x, x.data());
    CHECK(weft_scan_source(gpu, WEFT_SUM, WEFT_INCLUSIVE, WEFT_DEFAULT, &again.source, NULL, &small) == WEFT_IO);
    CUDA_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(weft_set_stream(gpu, stream));
    input whole(PINNED, WEFT_F32, N, pinned_x, x.data());
    OK(weft_reduce(cpu, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, N, x.data(), &want));
    OK(weft_reduce_source(gpu, WEFT_SUM, WEFT_DEFAULT, &whole.source, &sum));
    CHECK(memcmp(&sum, &want, sizeof sum) == 0);
    OK(weft_set_stream(gpu, NULL));
    CUDA_OK(cudaStreamDestroy(stream));
    OK(weft_set_memory(gpu, 0));
}

/* ---------------------------------------------------------------------------------- speed */

static const size_t LONG = (size_t)1 << 29;

/* GB/s of the best of three, where `bytes` go each way. */
template <class Work> static double rate(double bytes, Work work) {
    double best = 0;
    for (int i = 0; i < 3; i++) {
        const auto start = std::chrono::steady_clock::now();
        work();
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        best = std::max(best, bytes / took.count() / 1e9);
    }
    return best;
}

/* Copies alone, as fast as they go: in, out, or both at a time. */
static double copy_rate(float *a, float *b, bool in, bool out) {
    const size_t piece = (size_t)64 << 20, bytes = LONG * sizeof(float);
    cudaStream_t streams[2];
    char *device[2];
    for (int i = 0; i < 2; i++) {
        CUDA_OK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
        CUDA_OK(cudaMalloc(&device[i], piece));
    }
    const double found_rate = rate((double)bytes, [&] {
        for (size_t at = 0; at < bytes; at += piece) {
            if (in) CUDA_OK(cudaMemcpyAsync(device[0], (char *)a + at, piece, cudaMemcpyDefault, streams[0]));
            if (out) CUDA_OK(cudaMemcpyAsync((char *)b + at, device[1], piece, cudaMemcpyDefault, streams[1]));
        }
        for (cudaStream_t s : streams) CUDA_OK(cudaStreamSynchronize(s));
    });
    for (int i = 0; i < 2; i++) {
        CUDA_OK(cudaStreamDestroy(streams[i]));
        CUDA_OK(cudaFree(device[i]));
    }
    return found_rate;
}

static void tell(const char *what, size_t memory, double overlapped, double in_turn, double copies) {
    printf("%-22s %5zu MiB %8.1f GB/s, %5.1f %% of copies (%.1f)", what, memory >> 20, overlapped,
           100 * overlapped / copies, copies);
    if (in_turn > 0) printf(", %.2f x in turn (%.1f)", overlapped / in_turn, in_turn);
    putchar('\n');
}

static void measure_sums(const char *what, const float *a, size_t memory, double copies) {
    const double bytes = (double)LONG * sizeof(float);
    float v, w;
    const double in_turn = rate(bytes, [&] { OK(weft_reduce(gpu, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, LONG, a, &v)); });
    const double overlapped = rate(bytes, [&] {
        weft_channel in;
        const weft_source source = weft_source_memory(&in, WEFT_F32, LONG, a);
        OK(weft_reduce_source(gpu, WEFT_SUM, WEFT_DEFAULT, &source, &w));
    });
    CHECK(memcmp(&v, &w, sizeof v) == 0);
    tell(what, memory, overlapped, in_turn, copies);
}

static void measure_dot(const float *a, const float *b, size_t memory, double copies) {
    const double bytes = 2.0 * (double)LONG * sizeof(float);
    float v, w;
    const double in_turn = rate(bytes, [&] { OK(weft_dot(gpu, WEFT_F32, WEFT_DEFAULT, LONG, a, b, &v)); });
    const double overlapped = rate(bytes, [&] {
        weft_channel in, other;
        const weft_source left = weft_source_memory(&in, WEFT_F32, LONG, a),
                          right = weft_source_memory(&other, WEFT_F32, LONG, b);
        OK(weft_dot_source(gpu, WEFT_DEFAULT, &left, &right, &w));
    });
    CHECK(memcmp(&v, &w, sizeof v) == 0);
    tell("dot, pinned", memory, overlapped, in_turn, copies);
}

static void measure_scan(const char *what, const float *a, float *b, size_t memory, double copies) {
    const double bytes = (double)LONG * sizeof(float);
    const size_t sampled = LONG - LONG / 16;
    const double in_turn =
        rate(bytes, [&] { OK(weft_scan(gpu, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F32, WEFT_DEFAULT, LONG, a, NULL, b)); });
    const std::vector<float> want(b + sampled, b + LONG);
    const double overlapped = rate(bytes, [&] {
        weft_channel in, out;
        const weft_source source = weft_source_memory(&in, WEFT_F32, LONG, a);
        const weft_sink sink = weft_sink_memory(&out, LONG * sizeof(float), b);
        OK(weft_scan_source(gpu, WEFT_SUM, WEFT_INCLUSIVE, WEFT_DEFAULT, &source, NULL, &sink));
    });
    CHECK(memcmp(want.data(), b + sampled, want.size() * sizeof(float)) == 0);
    tell(what, memory, overlapped, in_turn, copies);
}

static void measure_match(const float *a, size_t memory, double copies) {
    const uint64_t offsets[] = {0, 4, 8, 12, 16};
    const weft_patterns patterns = {4, offsets, "the data warp gp"};
    uint64_t v[4], w[4];
    const size_t n = LONG * sizeof(float);
    const double in_turn =
        rate((double)n, [&] { OK(weft_match_count(gpu, n, a, 0, n, &patterns, WEFT_MATCH_BYTES, v)); });
    const double overlapped = rate((double)n, [&] {
        weft_channel in;
        const weft_source source = weft_source_memory(&in, WEFT_U8, n, a);
        OK(weft_match_count_source(gpu, &source, &patterns, WEFT_MATCH_BYTES, w));
    });
    CHECK(memcmp(v, w, sizeof v) == 0);
    tell("match, pinned", memory, overlapped, in_turn, copies);
}

/* `in turn` of pageable memory is CUDA's own copy of it. */
static void measure() {
    float *a, *b;
    OK(weft_alloc(gpu, WEFT_PINNED, LONG * sizeof(float), (void **)&a));
    OK(weft_alloc(gpu, WEFT_PINNED, LONG * sizeof(float), (void **)&b));
    for (size_t i = 0; i < LONG; i++) a[i] = x[i % N], b[i] = y[i % N];
    std::vector<float> pageable(a, a + LONG), pageable_out(LONG);
    const double in = copy_rate(a, b, true, false), out = copy_rate(a, b, false, true);
    const double both = copy_rate(a, b, true, true);
    printf("pinned copies: in %.1f, out %.1f, both at a time %.1f GB/s each way\n", in, out, both);
    for (size_t i = 0; i < LONG; i++) b[i] = y[i % N];
    for (size_t memory : {(size_t)64 << 20, (size_t)512 << 20}) {
        OK(weft_set_memory(gpu, memory));
        measure_sums("sum, pinned", a, memory, in);
        measure_sums("sum, pageable", pageable.data(), memory, in);
        measure_dot(a, b, memory, in);
        measure_match(a, memory, in);
    }
    for (size_t memory : {(size_t)64 << 20, (size_t)512 << 20}) {
        OK(weft_set_memory(gpu, memory));
        measure_scan("scan, pinned", a, b, memory, both);
        measure_scan("scan, pageable", pageable.data(), pageable_out.data(), memory, both);
    }
    OK(weft_set_memory(gpu, 0));
    for (float *p : {a, b}) OK(weft_free(gpu, WEFT_PINNED, p));
}

int main() {
    if (weft_open(&gpu, "cuda") != WEFT_OK) {
        printf("skipped: %s\n", weft_last_error(NULL));
        return 77;
    }
    OK(weft_open(&cpu, "cpu"));
    x = mixed(N, 21);
    y = mixed(N, 22);
    expected.resize(N);
    found.resize(N);
    factors.resize(N);
    for (size_t i = 0; i < N; i++) factors[i] = 1 + (float)((int)(i * 2654435761u >> 16 & 0xff) - 128) * 0x1p-16f;
    for (float **p : {&pinned_x, &pinned_y, &pinned_z, &pinned_s})
        OK(weft_alloc(gpu, WEFT_PINNED, N * sizeof(float), (void **)p));
    memcpy(pinned_x, x.data(), N * sizeof(float));
    memcpy(pinned_y, y.data(), N * sizeof(float));
    memcpy(pinned_s, factors.data(), N * sizeof(float));
    check_bits();
    check_failures();
    measure();
    for (float *p : {pinned_x, pinned_y, pinned_z, pinned_s}) OK(weft_free(gpu, WEFT_PINNED, p));
    weft_close(cpu);
    weft_close(gpu);
    puts("ok");
    return 0;
}
