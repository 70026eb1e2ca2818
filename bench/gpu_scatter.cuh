/* Rows of bench/gpu_peers.cu, which includes this file: sums of elements with the same index compared with atomic
 * additions, whose bits differ from run to run. */

static __global__ void targets_kernel(uint32_t *index, size_t n, uint32_t m) {
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        index[i] = (uint32_t)(((i + 7) * 0x9e3779b97f4a7c15u >> 32) % m);
}

static __global__ void add_kernel(const float *x, const uint32_t *index, size_t n, float *sums) {
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&sums[index[i]], x[i]);
}

static void measure_scatter(size_t n, uint32_t m, const char *name, const void *x, void *y) {
    uint32_t *index;
    ok(cudaMalloc(&index, n * sizeof *index));
    targets_kernel<<<4096, 256, 0, stream>>>(index, n, m);
    ok(cudaGetLastError());
    rate(
        name, n, 8.0 * (double)n,
        [=] {
            ok(weft_scatter_reduce(ctx, WEFT_SUM, WEFT_RANGE_SKIP, WEFT_F32, WEFT_DEFAULT, WEFT_U32, n, 1, m, x,
                                   index, NULL, y));
        },
        "atomicAdd",
        [=] {
            ok(cudaMemsetAsync(y, 0, m * sizeof(float), stream));
            add_kernel<<<4096, 256, 0, stream>>>((const float *)x, index, n, (float *)y);
            ok(cudaGetLastError());
        });
    ok(weft_synchronize(ctx));
    ok(cudaFree(index));
}
