/* Transforms of 2^k values, up to 2^25, on a GPU compared with the CPU: every division into passes, with wide and
 * narrow blocks; of m 2^k values with odd m that have kernels of their own; and of products of small primes that take
 * several passes. That short ones equal the specification is the agreement suite's work. Exits with 77 without a GPU.
 */
#include "tests/cuda/gpu_check.cuh"

enum { LOG_MAX = 25, MIXED_MAX = 5120 };

/* Compares `batch` transforms of n values. */
template <class T> static void test_length(weft_context *cpu, weft_fft_kind kind, size_t n, size_t batch) {
    const weft_dtype dtype = sizeof(T) == 4 ? WEFT_F32 : WEFT_F64;
    const size_t values = batch * 2 * (n + 1), bytes = values * sizeof(T);
    std::vector<T> x(values), expected(values), found(values);
    T *device_x, *device_y;
    OK(weft_random(cpu, WEFT_NORMAL, dtype, (uint64_t)n, 0, 0, values, 0, 1, x.data()));
    CUDA_OK(cudaMalloc(&device_x, bytes));
    CUDA_OK(cudaMalloc(&device_y, bytes));
    upload(device_x, x.data(), bytes);
    upload(device_y, expected.data(), bytes);
    OK(weft_fft(cpu, kind, dtype, batch, n, x.data(), expected.data()));
    OK(weft_fft(gpu, kind, dtype, batch, n, device_x, device_y));
    OK(weft_copy(gpu, bytes, device_y, found.data()));
    if (memcmp(found.data(), expected.data(), bytes) != 0)
        fprintf(stderr, "kind %d, f%zu, %zu transforms of %zu values differ\n", (int)kind, 8 * sizeof(T), batch, n);
    CHECK(memcmp(found.data(), expected.data(), bytes) == 0);
    CUDA_OK(cudaFree(device_x));
    CUDA_OK(cudaFree(device_y));
}

/* Transforms of m 2^k values: one, and as many as leave a block incomplete. */
static void test_mixed(weft_context *cpu) {
    for (size_t m :
         {3, 5, 7, 9, 15, 25, 27, 45, 49, 75, 81, 125, 225, 243, 343, 375, 625, 729, 1155, 1331, 2187, 2401, 3125})
        for (size_t n = m; n <= MIXED_MAX; n *= 2)
            for (size_t batch : {1, 2, 300}) {
                test_length<float>(cpu, WEFT_C2C, n, batch);
                test_length<double>(cpu, WEFT_C2C, n, batch);
                if (batch == 2) test_length<float>(cpu, WEFT_C2C_INVERSE, n, batch);
                if (batch == 2) test_length<double>(cpu, WEFT_C2C_INVERSE, n, batch);
            }
}

/* A longer one that has a kernel of phases; one array may take passes. */
template <class T> static void test_phases(weft_context *cpu, size_t n) {
    if (n <= MIXED_MAX) return;
    test_length<T>(cpu, WEFT_C2C, n, 1);
    test_length<T>(cpu, WEFT_C2C, n, 301);
    test_length<T>(cpu, WEFT_C2C_INVERSE, n, 150);
}

static void test_long_phases(weft_context *cpu) {
#define FFT_PHASES(M, LOG, ...) test_phases<float>(cpu, (size_t)M << LOG);
#include "cuda/fft/fft_phases_f32.def"
#define FFT_PHASES(M, LOG, ...) test_phases<double>(cpu, (size_t)M << LOG);
#include "cuda/fft/fft_phases_f64.def"
}

/* Passes with constant products: each of fft_fixed_radices.def is in one of these lengths. */
static void test_passes(weft_context *cpu) {
    for (size_t n : {6561,  9000,  9375,  10125,  11025,  11250,  12005,  15000,  16807,  18225,   27000,   30375,
                     35721, 50625, 59049, 100000, 117649, 140625, 390625, 531441, 823543, 1953125, 4782969, 9765625})
        for (size_t batch : {1, 3}) {
            test_length<float>(cpu, WEFT_C2C, n, batch);
            test_length<double>(cpu, WEFT_C2C_INVERSE, n, batch);
            if (batch == 3 || n > 1000000) continue;
            test_length<float>(cpu, WEFT_C2C_INVERSE, n, batch);
            test_length<double>(cpu, WEFT_C2C, n, batch);
        }
}

int main() {
    weft_context *cpu;
    if (weft_open(&gpu, "cuda") != WEFT_OK) {
        printf("skipped: %s\n", weft_last_error(NULL));
        return 77;
    }
    OK(weft_open(&cpu, "cpu"));
    for (int log = 0; log <= LOG_MAX; log++) {
        const size_t n = (size_t)1 << log;
        for (weft_fft_kind kind : {WEFT_C2C, WEFT_R2C, WEFT_C2R}) {
            test_length<float>(cpu, kind, n, 1);
            test_length<double>(cpu, kind, n, 1);
        }
        if (log <= LOG_MAX - 3) test_length<float>(cpu, WEFT_C2C_INVERSE, n, 5);
        if (log <= LOG_MAX - 3) test_length<double>(cpu, WEFT_C2R, n, 5);
    }
    test_mixed(cpu);
    test_long_phases(cpu);
    test_passes(cpu);
    weft_close(cpu);
    weft_close(gpu);
    puts("ok");
    return 0;
}
