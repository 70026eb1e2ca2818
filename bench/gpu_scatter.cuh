/* Rows of bench/gpu_peers.cu, which includes this file: sums of rows with the same index compared with atomic
 * additions, whose bits differ from run to run. */

enum targets { UNIFORM, ZIPF, CONSTANT, ASCENDING };

static __global__ void targets_kernel(uint32_t *index, size_t n, uint32_t m, targets shape) {
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        const uint32_t random = (uint32_t)((i + 7) * 0x9e3779b97f4a7c15u >> 32);
        if (shape == UNIFORM) index[i] = random % m;
        if (shape == ZIPF) index[i] = min(m - 1, (uint32_t)(powf((float)m + 1, (float)random * 0x1p-32f) - 1));
        if (shape == CONSTANT) index[i] = m / 2;
        if (shape == ASCENDING) index[i] = (uint32_t)(i * m / n);
    }
}

static __global__ void add_kernel(const float *x, const uint32_t *index, size_t n, size_t columns, float *sums) {
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n * columns; i += stride)
        atomicAdd(&sums[index[i / columns] * columns + i % columns], x[i]);
}

/* Sums n rows of the first `columns` columns into m targets. GB/s of x, the indices and the sums, each moved once. */
static void measure_targets(const char *name, targets shape, size_t n, size_t columns, uint32_t m, const void *x,
                            void *y) {
    uint32_t *index;
    ok(cudaMalloc(&index, n * sizeof *index));
    targets_kernel<<<4096, 256, 0, stream>>>(index, n, m, shape);
    ok(cudaGetLastError());
    rate(
        name, n, 4.0 * (double)(n * columns + n + m * columns),
        [=] {
            ok(weft_scatter_reduce(ctx, WEFT_SUM, WEFT_RANGE_ERROR, WEFT_F32, WEFT_DEFAULT, WEFT_U32, n, columns, m,
                                   x, index, NULL, y));
        },
        "atomicAdd",
        [=] {
            ok(cudaMemsetAsync(y, 0, m * columns * sizeof(float), stream));
            add_kernel<<<4096, 256, 0, stream>>>((const float *)x, index, n, columns, (float *)y);
            ok(cudaGetLastError());
        });
    ok(weft_synchronize(ctx));
    ok(cudaFree(index));
}

static void measure_scatter(const void *x, void *y) {
    const size_t n = (size_t)1 << 26, rows = (size_t)1 << 21;
    measure_targets("scatter_reduce 2^4", UNIFORM, n, 1, 1 << 4, x, y);
    measure_targets("scatter_reduce 2^10", UNIFORM, n, 1, 1 << 10, x, y);
    measure_targets("scatter_reduce 2^16", UNIFORM, n, 1, 1 << 16, x, y);
    measure_targets("scatter_reduce 2^22", UNIFORM, n, 1, 1 << 22, x, y);
    measure_targets("scatter_reduce zipf 2^10", ZIPF, n, 1, 1 << 10, x, y);
    measure_targets("scatter_reduce zipf 2^22", ZIPF, n, 1, 1 << 22, x, y);
    measure_targets("scatter_reduce constant", CONSTANT, n, 1, 1 << 16, x, y);
    measure_targets("scatter_reduce ascending", ASCENDING, n, 1, 1 << 22, x, y);
    measure_targets("scatter_reduce 64 columns", UNIFORM, rows, 64, 1 << 17, x, y);
    measure_targets("scatter_reduce 64, ascending", ASCENDING, rows, 64, 1 << 17, x, y);
}
