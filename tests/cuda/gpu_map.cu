/* Formulas on a GPU in both ways, interpreted and compiled at run time: the bits of the CPU, for arrays that are
 * aligned and not, in place, at the edges of blocks and tiles, and while a stream is captured. Exits with 77 without
 * a GPU. */
#include "tests/cuda/gpu_check.cuh"

#include <string>

static const char *const FORMULAS[] = {"x + y", "a*x^2 + y*x + i", "x < y ? x : -y", "exp(x) - sin(y)", "x/y", "i*a"};
static const size_t SIZES[] = {1, 3, 255, 4095, 4096, 4097, 65536, 1000003};
static const weft_op OPS[] = {WEFT_SUM, WEFT_MEAN, WEFT_NORM2, WEFT_MIN, WEFT_ARGMAX, WEFT_COUNT_NONZERO};
static const double A = 0.3;
/* Scans: several chunks of values that are interpreted, and blocks of several tiles. */
static const size_t LONG = 9000011;

/* A formula and what its names stand for. */
struct bound {
    weft_expr *expr;
    weft_binding bindings[3];
    size_t count;
};

static bound bind(weft_context *ctx, const char *formula, weft_dtype dtype, const void *x, const void *y) {
    const weft_binding all[] = {{"x", dtype, x, NULL}, {"y", dtype, y, NULL}, {"a", WEFT_F64, NULL, &A}};
    bound f = {NULL, {}, 0};
    OK(weft_expr_compile(ctx, formula, &f.expr));
    for (const weft_binding &b : all)
        for (size_t v = 0; v < weft_expr_variable_count(f.expr); v++)
            if (strcmp(weft_expr_variable(f.expr, v), b.name) == 0) f.bindings[f.count++] = b;
    return f;
}

/* The values on ctx, whose memory x, y and out are; `in_place`: out already has x. */
static void map(weft_context *ctx, const char *formula, weft_dtype dtype, size_t n, const void *x, const void *y,
                bool in_place, void *out) {
    const bound f = bind(ctx, formula, dtype, in_place ? out : x, y);
    OK(weft_map(ctx, f.expr, dtype, n, f.bindings, f.count, out));
    weft_expr_free(f.expr);
}

static void reduce(weft_context *ctx, weft_op op, const char *formula, weft_dtype dtype, size_t n, const void *x,
                   const void *y, void *out) {
    const bound f = bind(ctx, formula, dtype, x, y);
    OK(weft_map_reduce(ctx, op, f.expr, dtype, WEFT_DEFAULT, n, f.bindings, f.count, out));
    weft_expr_free(f.expr);
}

/* `op` of the values so far; where `wide`, of f32 in f64. */
static void scan(weft_context *ctx, weft_op op, weft_scan_kind kind, const char *formula, weft_dtype dtype, bool wide,
                 size_t n, const void *x, const void *y, void *out) {
    const bound f = bind(ctx, formula, dtype, x, y);
    OK(weft_map_scan(ctx, op, kind, f.expr, dtype, wide ? WEFT_F64 : WEFT_DEFAULT, n, f.bindings, f.count, NULL,
                     out));
    weft_expr_free(f.expr);
}

/* Two arrays and a result on the GPU, each `shift` elements after an aligned address. */
struct arrays {
    char *x, *y, *out;
};

static arrays upload_all(const std::vector<double> &x, const std::vector<double> &y, size_t bytes, size_t shift) {
    arrays at;
    char **const parts[] = {&at.x, &at.y, &at.out};
    for (char **part : parts) {
        CUDA_OK(cudaMalloc(part, (x.size() + 16) * 8));
        *part += shift * bytes;
    }
    upload(at.x, x.data(), x.size() * 8);
    upload(at.y, y.data(), y.size() * 8);
    return at;
}

static void free_all(const arrays &at, size_t bytes, size_t shift) {
    for (char *part : {at.x, at.y, at.out}) CUDA_OK(cudaFree(part - shift * bytes));
}

static void check_maps(weft_context *cpu, const char *formula, weft_dtype dtype, size_t n, const arrays &at,
                       const std::vector<double> &x, const std::vector<double> &y) {
    const size_t bytes = n * weft_dtype_size(dtype);
    std::vector<char> expected(bytes), found(bytes);
    map(cpu, formula, dtype, n, x.data(), y.data(), false, expected.data());
    for (const bool in_place : {false, true}) {
        if (in_place) upload(at.out, x.data(), bytes);
        map(gpu, formula, dtype, n, at.x, at.y, in_place, at.out);
        OK(weft_synchronize(gpu));
        CUDA_OK(cudaMemcpy(found.data(), at.out, bytes, cudaMemcpyDefault));
        CHECK(memcmp(found.data(), expected.data(), bytes) == 0);
    }
}

static void check_reductions(weft_context *cpu, const char *formula, weft_dtype dtype, size_t n, const arrays &at,
                             const std::vector<double> &x, const std::vector<double> &y) {
    for (const weft_op op : OPS) {
        uint64_t expected = 0, found = 0;
        reduce(cpu, op, formula, dtype, n, x.data(), y.data(), &expected);
        reduce(gpu, op, formula, dtype, n, at.x, at.y, &found);
        if (expected != found) fprintf(stderr, "%s of %s, n = %zu\n", weft_op_name(op), formula, n);
        CHECK(expected == found);
    }
}

static void check_scan(weft_context *cpu, weft_op op, weft_scan_kind kind, const char *formula, weft_dtype dtype,
                       bool wide, bool in_place, size_t n, const arrays &at, const std::vector<double> &x,
                       const std::vector<double> &y) {
    const size_t size = wide ? sizeof(double) : weft_dtype_size(dtype), bytes = n * size;
    char *const out = at.out + (size - (uintptr_t)at.out % size) % size; /* aligned to its own elements */
    std::vector<char> expected(bytes), found(bytes);
    scan(cpu, op, kind, formula, dtype, wide, n, x.data(), y.data(), expected.data());
    if (in_place) upload(out, x.data(), bytes);
    scan(gpu, op, kind, formula, dtype, wide, n, in_place ? out : at.x, at.y, out);
    OK(weft_synchronize(gpu));
    CUDA_OK(cudaMemcpy(found.data(), out, bytes, cudaMemcpyDefault));
    if (memcmp(found.data(), expected.data(), bytes) != 0)
        fprintf(stderr, "scan by %s of %s, n = %zu\n", weft_op_name(op), formula, n);
    CHECK(memcmp(found.data(), expected.data(), bytes) == 0);
}

static void check_scans(weft_context *cpu, const char *formula, weft_dtype dtype, size_t n, const arrays &at,
                        const std::vector<double> &x, const std::vector<double> &y) {
    check_scan(cpu, WEFT_SUM, WEFT_INCLUSIVE, formula, dtype, false, false, n, at, x, y);
    check_scan(cpu, WEFT_SUM, WEFT_EXCLUSIVE, formula, dtype, false, true, n, at, x, y);
    check_scan(cpu, WEFT_MAX, WEFT_INCLUSIVE, formula, dtype, false, true, n, at, x, y);
    if (dtype == WEFT_F32) check_scan(cpu, WEFT_SUM, WEFT_INCLUSIVE, formula, dtype, true, false, n, at, x, y);
}

static void check_all(weft_context *cpu, weft_dtype dtype) {
    const size_t most = LONG, bytes = weft_dtype_size(dtype);
    std::vector<double> x(most), y(most);
    const std::vector<float> of_x = mixed(most, 1), of_y = mixed(most, 2);
    for (size_t i = 0; i < most && dtype == WEFT_F64; i++) x[i] = of_x[i], y[i] = of_y[i];
    if (dtype == WEFT_F32) {
        memcpy(x.data(), of_x.data(), most * sizeof(float));
        memcpy(y.data(), of_y.data(), most * sizeof(float));
    }
    for (const size_t shift : {0, 1}) {
        const arrays at = upload_all(x, y, bytes, shift);
        for (const char *formula : FORMULAS)
            for (const size_t n : SIZES) {
                check_maps(cpu, formula, dtype, n, at, x, y);
                check_reductions(cpu, formula, dtype, n, at, x, y);
                check_scans(cpu, formula, dtype, n, at, x, y);
            }
        check_scans(cpu, FORMULAS[1], dtype, LONG, at, x, y);
        free_all(at, bytes, shift);
    }
}

/* A captured launch of a formula runs again with its graph, also after many others were compiled. */
static void check_capture(weft_context *cpu) {
    const size_t n = 100000, bytes = n * sizeof(float);
    const std::vector<float> of_x = mixed(n, 3);
    std::vector<double> x(n), y(n);
    std::vector<float> expected(n), found(n);
    memcpy(x.data(), of_x.data(), bytes);
    const arrays at = upload_all(x, y, sizeof(float), 0);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t run;
    CUDA_OK(cudaStreamCreate(&stream));
    OK(weft_set_stream(gpu, stream));
    map(gpu, "x*x - 3", WEFT_F32, n, at.x, at.y, false, at.out);
    CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    map(gpu, "x*x - 3", WEFT_F32, n, at.x, at.y, false, at.out);
    CUDA_OK(cudaStreamEndCapture(stream, &graph));
    CUDA_OK(cudaGraphInstantiate(&run, graph, 0));
    for (int i = 0; i < 100; i++) {
        std::string formula = "x";
        for (int k = 0; k < i; k++) formula += k % 2 ? " + x" : "*x";
        map(gpu, formula.c_str(), WEFT_F32, 100, at.x, at.y, false, at.out);
    }
    CUDA_OK(cudaGraphLaunch(run, stream));
    CUDA_OK(cudaStreamSynchronize(stream));
    CUDA_OK(cudaMemcpy(found.data(), at.out, bytes, cudaMemcpyDefault));
    map(cpu, "x*x - 3", WEFT_F32, n, x.data(), y.data(), false, expected.data());
    CHECK(memcmp(found.data(), expected.data(), bytes) == 0);
    OK(weft_set_stream(gpu, NULL));
    CUDA_OK(cudaGraphExecDestroy(run));
    CUDA_OK(cudaGraphDestroy(graph));
    CUDA_OK(cudaStreamDestroy(stream));
    free_all(at, sizeof(float), 0);
}

static bool has_nvrtc(void) {
    weft_device_info info = {};
    info.size = sizeof info;
    OK(weft_describe_device(1, &info));
    return info.nvrtc_version > 0;
}

int main() {
    weft_context *cpu;
    if (weft_open(&gpu, "cuda") != WEFT_OK) {
        printf("skipped: %s\n", weft_last_error(NULL));
        return 77;
    }
    weft_close(gpu);
    OK(weft_open(&cpu, "cpu"));
    for (const char *use : {"0", "1"}) {
        if (*use == '1' && !has_nvrtc()) {
            puts("NVRTC was not found: formulas were compared interpreted only");
            break;
        }
        setenv("WEFT_NVRTC", use, 1);
        OK(weft_open(&gpu, "cuda"));
        check_all(cpu, WEFT_F32);
        check_all(cpu, WEFT_F64);
        check_capture(cpu);
        weft_close(gpu);
    }
    setenv("WEFT_NVRTC", "always", 1);
    gpu = NULL;
    CHECK(weft_open(&gpu, "cuda") == WEFT_INVALID);
    weft_close(cpu);
    puts("ok");
    return 0;
}
