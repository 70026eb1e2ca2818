/* Rows of bench/gpu_peers.cu, which includes this file: copies of rows by index compared with Thrust and with a plain
 * kernel. */

/* Writes the numbers below n, a power of two, in an order without runs. */
static __global__ void permutation_kernel(uint32_t *index, size_t n) {
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        uint64_t h = i * 0x9e3779b97f4a7c15u & (n - 1);
        h ^= h >> 7;
        index[i] = (uint32_t)(h * 0xd1342543de82ef95u & (n - 1));
    }
}

/* Copies rows of `words` words of 16 bytes, a word by each thread. */
template <bool SCATTER>
static __global__ void rows_kernel(const uint4 *x, const uint32_t *index, size_t n, unsigned words, uint4 *y) {
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x; k < n * words; k += stride) {
        const size_t here = k, there = (size_t)index[k / words] * words + k % words;
        y[SCATTER ? there : here] = x[SCATTER ? here : there];
    }
}

/* Copies n elements of f32 in random order. */
static void measure_gather(size_t n, const void *x, void *y) {
    const auto on_stream = thrust::cuda::par_nosync.on(stream);
    const float *const from = (const float *)x;
    float *const to = (float *)y;
    uint32_t *index;
    ok(cudaMalloc(&index, n * sizeof *index));
    permutation_kernel<<<4096, 256, 0, stream>>>(index, n);
    ok(cudaGetLastError());
    const auto move = [=](decltype(weft_gather) *function, weft_range range) {
        ok(function(ctx, range, WEFT_F32, WEFT_U32, n, 1, n, x, index, y));
    };
    const auto thrust_gather = [=] { thrust::gather(on_stream, index, index + n, from, to); };
    rate(
        "gather f32", n, 12.0 * (double)n, [=] { move(weft_gather, WEFT_RANGE_ERROR); }, "Thrust", thrust_gather);
    rate(
        "gather f32 skip", n, 12.0 * (double)n, [=] { move(weft_gather, WEFT_RANGE_SKIP); }, "Thrust", thrust_gather);
    rate(
        "scatter f32", n, 12.0 * (double)n, [=] { move(weft_scatter, WEFT_RANGE_ERROR); }, "Thrust",
        [=] { thrust::scatter(on_stream, from, from + n, index, to); });
    ok(weft_synchronize(ctx));
    ok(cudaFree(index));
}

/* Copies rows of 64 elements of f32, n elements in all, in random order. */
static void measure_gather_rows(size_t n, const void *x, void *y) {
    enum { COLUMNS = 64, WORDS = COLUMNS / 4 };
    const size_t rows = n / COLUMNS;
    const double bytes = 8.0 * (double)n + 4.0 * (double)rows;
    uint32_t *index;
    ok(cudaMalloc(&index, rows * sizeof *index));
    permutation_kernel<<<4096, 256, 0, stream>>>(index, rows);
    ok(cudaGetLastError());
    const auto move = [=](decltype(weft_gather) *function) {
        ok(function(ctx, WEFT_RANGE_ERROR, WEFT_F32, WEFT_U32, rows, COLUMNS, rows, x, index, y));
    };
    rate(
        "gather 64 f32", n, bytes, [=] { move(weft_gather); }, "kernel",
        [=] {
            rows_kernel<false><<<8192, 256, 0, stream>>>((const uint4 *)x, index, rows, WORDS, (uint4 *)y);
            ok(cudaGetLastError());
        });
    rate(
        "scatter 64 f32", n, bytes, [=] { move(weft_scatter); }, "kernel",
        [=] {
            rows_kernel<true><<<8192, 256, 0, stream>>>((const uint4 *)x, index, rows, WORDS, (uint4 *)y);
            ok(cudaGetLastError());
        });
    ok(weft_synchronize(ctx));
    ok(cudaFree(index));
}
