/* Normals on a GPU as its kernels make them (cuda/random/normals.cuh), against the quantile that is defined: of all
 * 2^32 words for f32, with what the table may be off by, and their exponentials; of numbers from all over (0, 1) for
 * f64. For normal_fast (cuda/random/fast_normals.cuh), the square roots of all numbers of their interval, and the
 * radii of all 2^32 words. Exits with 77 without a GPU. */
#include "tests/cuda/gpu_check.cuh"

#include "cuda/random/fast_normals.cuh"
#include "cuda/random/normals.cuh"

static const uint32_t PARTS = NORMAL_OCTAVES * NORMAL_PARTS;
static const uint64_t WORDS = UINT64_C(1) << 32, NUMBERS = UINT64_C(1) << 24;
enum { THREADS = 512 };

/* How many were wrong, and the first words (or numbers) of these; how many the table left in doubt. */
struct findings {
    unsigned long long wrong, off, doubts;
    unsigned long long some[8];
};

static __device__ void note(findings *f, unsigned long long *count, uint64_t what) {
    const unsigned long long position = atomicAdd(count, 1ull);
    if (position < 8) f->some[position] = what;
}

static __global__ void table_kernel(normal_part *table) {
    const uint32_t k = blockIdx.x * THREADS + threadIdx.x;
    if (k < PARTS) table[k] = make_part(k);
}

extern __shared__ __align__(16) unsigned char dynamic_shared[];

static __global__ void words_kernel(const normal_part *table, findings *f) {
    const near_normals near = copy_in_normals(table, NORMAL_OCTAVES, (normal_part *)dynamic_shared);
    const uint64_t stride = (uint64_t)gridDim.x * THREADS * 4;
    for (uint64_t first = ((uint64_t)blockIdx.x * THREADS + threadIdx.x) * 4; first < WORDS; first += stride) {
        const uint32_t w[4] = {(uint32_t)first, (uint32_t)first + 1, (uint32_t)first + 2, (uint32_t)first + 3};
        float z[4];
        four_normals(
            near, w, [](double y) { return y; }, z);
        for (int k = 0; k < 4; k++) {
            const double y = weft_probit_f64(middle_of_word(w[k])), approximation = near(w[k]);
            if (weft_bits_f32(z[k]) != weft_bits_f32((float)y)) note(f, &f->wrong, w[k]);
            if (isinf(approximation) || (float)fma(approximation, -NORMAL_ERROR, approximation) !=
                                            (float)fma(approximation, NORMAL_ERROR, approximation))
                atomicAdd(&f->doubts, 1ull);
            if (!isinf(approximation) && !(fabs(approximation - y) <= NORMAL_ERROR * fabs(y))) note(f, &f->off, w[k]);
        }
    }
}

/* The mean a and deviation b put results at every exponent of f32, infinities and zeros included. */
static __global__ void log_words_kernel(const normal_part *table, double a, double b, findings *f) {
    const near_normals near = copy_in_normals(table, NORMAL_OCTAVES, (normal_part *)dynamic_shared);
    const uint64_t stride = (uint64_t)gridDim.x * THREADS * 4;
    for (uint64_t first = ((uint64_t)blockIdx.x * THREADS + threadIdx.x) * 4; first < WORDS; first += stride) {
        const uint32_t w[4] = {(uint32_t)first, (uint32_t)first + 1, (uint32_t)first + 2, (uint32_t)first + 3};
        float z[4];
        four_log_normals(near, w, a, b, z);
        for (int k = 0; k < 4; k++) {
            const float x = (float)weft_exp_f64(fma(b, weft_probit_f64(middle_of_word(w[k])), a));
            if (weft_bits_f32(z[k]) != weft_bits_f32(x)) note(f, &f->wrong, w[k]);
        }
    }
}

/* Multiples of 2^-53 of every size, on both sides of 1/2. */
static __device__ double number(uint64_t i) {
    uint64_t z = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    const double p = (double)((z >> 11 | 1) >> (i % 4 == 0 ? z % 50 : 0) | 1) * 0x1p-53;
    return i % 8 == 0 ? 1 - p : p;
}

static __global__ void numbers_kernel(findings *f) {
    __shared__ double queues[THREADS / 32][NORMALS_QUEUE];
    const uint64_t stride = (uint64_t)gridDim.x * THREADS * 4;
    for (uint64_t first = ((uint64_t)blockIdx.x * THREADS + threadIdx.x) * 4; first < NUMBERS; first += stride) {
        double p[4], z[4];
        for (int k = 0; k < 4; k++) p[k] = number(first + k);
        four_quantiles(queues[threadIdx.x / 32], p, z);
        for (int k = 0; k < 4; k++)
            if (weft_bits_f64(z[k]) != weft_bits_f64(weft_probit_f64(p[k]))) note(f, &f->wrong, first + k);
    }
}

/* Compares fast_root with the instruction's correctly rounded form, for every f32 from 1/2 to 2^29. */
static __global__ void roots_kernel(findings *f) {
    const uint32_t end = weft_bits_f32(0x1p29f), stride = gridDim.x * THREADS;
    for (uint32_t bits = weft_bits_f32(0.5f) + blockIdx.x * THREADS + threadIdx.x; bits <= end; bits += stride) {
        const float x = weft_from_bits_f32(bits);
        if (weft_bits_f32(fast_root(x)) != weft_bits_f32(__fsqrt_rn(x))) note(f, &f->wrong, bits);
    }
}

/* Checks that the square of the radius of every word is in the interval of fast_root. */
static __global__ void radii_kernel(findings *f) {
    const uint64_t stride = (uint64_t)gridDim.x * THREADS;
    for (uint64_t v = (uint64_t)blockIdx.x * THREADS + threadIdx.x; v < WORDS; v += stride) {
        const float square = weft_fast_square((uint32_t)v);
        if (!(square >= 0.5f && square <= 0x1p29f)) note(f, &f->off, v);
    }
}

static void report(const char *what, const findings &f) {
    printf("%s: %llu wrong, %llu off, %llu in doubt\n", what, f.wrong, f.off, f.doubts);
    for (unsigned long long i = 0; i < 8 && i < f.wrong + f.off; i++) printf("  %llx\n", f.some[i]);
    CHECK(f.wrong == 0 && f.off == 0);
}

static void check_log_normals(const normal_part *table, int shared, findings *f) {
    static const double cases[][2] = {{0, 1}, {0.25, 0x1p-10}, {-88, 20}, {60, 1000}, {-1e6, 2e5}};
    for (const double(&c)[2] : cases) {
        memset(f, 0, sizeof *f);
        log_words_kernel<<<1024, THREADS, shared>>>(table, c[0], c[1], f);
        CUDA_OK(cudaGetLastError());
        CUDA_OK(cudaDeviceSynchronize());
        report("log-normal, f32", *f);
    }
}

int main() {
    if (weft_open(&gpu, "cuda") != WEFT_OK) {
        printf("skipped: %s\n", weft_last_error(NULL));
        return 77;
    }
    findings *f;
    normal_part *table;
    const int shared = (int)normal_table_bytes(NORMAL_OCTAVES);
    CUDA_OK(cudaMallocManaged(&f, sizeof *f));
    CUDA_OK(cudaMalloc(&table, (size_t)shared));
    CUDA_OK(cudaFuncSetAttribute((const void *)words_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    memset(f, 0, sizeof *f);
    table_kernel<<<(PARTS - 1) / THREADS + 1, THREADS>>>(table);
    words_kernel<<<1024, THREADS, shared>>>(table, f);
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaDeviceSynchronize());
    report("all words, f32", *f);
    CHECK(f->doubts < WORDS / 1000);
    CUDA_OK(
        cudaFuncSetAttribute((const void *)log_words_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    check_log_normals(table, shared, f);
    memset(f, 0, sizeof *f);
    numbers_kernel<<<1024, THREADS>>>(f);
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaDeviceSynchronize());
    report("numbers, f64", *f);
    memset(f, 0, sizeof *f);
    roots_kernel<<<1024, THREADS>>>(f);
    radii_kernel<<<1024, THREADS>>>(f);
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaDeviceSynchronize());
    report("radii of normal_fast", *f);
    CUDA_OK(cudaFree(f));
    CUDA_OK(cudaFree(table));
    weft_close(gpu);
    puts("ok");
    return 0;
}
