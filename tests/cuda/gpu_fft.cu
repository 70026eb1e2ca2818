/* Transforms of every length up to 2^25 on a GPU compared with the CPU: every division into passes, with wide and
 * narrow blocks. That short ones equal the specification is the agreement suite's work. Exits with 77 without a GPU.
 */
#include "tests/cuda/gpu_check.cuh"

enum { LOG_MAX = 25 };

/* Compares `batch` transforms of 2^log numbers. */
template <class T> static void test_length(weft_context *cpu, weft_fft_kind kind, int log, size_t batch) {
    const weft_dtype dtype = sizeof(T) == 4 ? WEFT_F32 : WEFT_F64;
    const size_t n = (size_t)1 << log, values = batch * 2 * (n + 1), bytes = values * sizeof(T);
    std::vector<T> x(values), expected(values), found(values);
    T *device_x, *device_y;
    OK(weft_random(cpu, WEFT_NORMAL, dtype, (uint64_t)log, 0, 0, values, 0, 1, x.data()));
    CUDA_OK(cudaMalloc(&device_x, bytes));
    CUDA_OK(cudaMalloc(&device_y, bytes));
    upload(device_x, x.data(), bytes);
    upload(device_y, expected.data(), bytes);
    OK(weft_fft(cpu, kind, dtype, batch, n, x.data(), expected.data()));
    OK(weft_fft(gpu, kind, dtype, batch, n, device_x, device_y));
    OK(weft_copy(gpu, bytes, device_y, found.data()));
    if (memcmp(found.data(), expected.data(), bytes) != 0)
        fprintf(stderr, "kind %d, f%zu, %zu transforms of 2^%d differ\n", (int)kind, 8 * sizeof(T), batch, log);
    CHECK(memcmp(found.data(), expected.data(), bytes) == 0);
    CUDA_OK(cudaFree(device_x));
    CUDA_OK(cudaFree(device_y));
}

int main() {
    weft_context *cpu;
    if (weft_open(&gpu, "cuda") != WEFT_OK) {
        printf("skipped: %s\n", weft_last_error(NULL));
        return 77;
    }
    OK(weft_open(&cpu, "cpu"));
    for (int log = 0; log <= LOG_MAX; log++) {
        for (weft_fft_kind kind : {WEFT_C2C, WEFT_R2C, WEFT_C2R}) {
            test_length<float>(cpu, kind, log, 1);
            test_length<double>(cpu, kind, log, 1);
        }
        if (log <= LOG_MAX - 3) test_length<float>(cpu, WEFT_C2C_INVERSE, log, 5);
        if (log <= LOG_MAX - 3) test_length<double>(cpu, WEFT_C2R, log, 5);
    }
    weft_close(cpu);
    weft_close(gpu);
    puts("ok");
    return 0;
}
