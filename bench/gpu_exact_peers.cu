/* build/bench_gpu_exact: exact sums of segments and targets compared with weft's ordered sums (docs/ops/exact.md). */
#include "gpu_compared.cuh"

#include <string>

#define BYTES ((size_t)1 << 30) /* of the elements */

static void *x, *y;

/* Fills with uniform values in [-1, 1). */
template <class T> static __global__ void fill_kernel(T *to, size_t n) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        uint64_t h = i * 0x9e3779b97f4a7c15u;
        h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
        to[i] = (T)((double)(int64_t)h * 0x1p-63);
    }
}

static __global__ void offsets_kernel(uint64_t *to, size_t segments, size_t length) {
    const size_t s = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (s <= segments) to[s] = s * length;
}

static __global__ void index_kernel(uint32_t *to, size_t n, uint32_t targets) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        to[i] = (uint32_t)((i + 7) * 0x9e3779b97f4a7c15u >> 32) % targets;
}

template <class T> static weft_dtype dtype_of() { return sizeof(T) == 4 ? WEFT_F32 : WEFT_F64; }

/* Segments of equal length. */
template <class T> static void segments_row(size_t length) {
    const size_t segments = BYTES / sizeof(T) / length, n = segments * length;
    uint64_t *offsets;
    ok(cudaMalloc(&offsets, (segments + 1) * sizeof *offsets));
    offsets_kernel<<<(unsigned)(segments / 256 + 1), 256, 0, stream>>>(offsets, segments, length);
    const auto sums = [=](weft_dtype accumulate) {
        ok(weft_segmented_reduce(ctx, WEFT_SUM, dtype_of<T>(), accumulate, n, x, segments, offsets, y));
    };
    row((std::string(weft_dtype_name(dtype_of<T>())) + " segments of " + std::to_string(length)).c_str(),
        reads((double)(n * sizeof(T))), [=] { sums(WEFT_EXACT_SUM); }, "weft, ordered", [=] { sums(WEFT_DEFAULT); });
    ok(cudaFree(offsets));
}

/* Elements with random targets. */
template <class T> static void targets_row(uint32_t targets) {
    const size_t n = BYTES / sizeof(T) / 4;
    uint32_t *index;
    ok(cudaMalloc(&index, n * sizeof *index));
    index_kernel<<<4096, 256, 0, stream>>>(index, n, targets);
    const auto sums = [=](weft_dtype accumulate) {
        ok(weft_scatter_reduce(ctx, WEFT_SUM, WEFT_RANGE_ERROR, dtype_of<T>(), accumulate, WEFT_U32, n, 1, targets, x,
                               index, NULL, y));
    };
    row((std::string(weft_dtype_name(dtype_of<T>())) + ", " + std::to_string(targets) + " targets").c_str(),
        reads((double)(n * (sizeof(T) + sizeof *index))), [=] { sums(WEFT_EXACT_SUM); }, "weft, ordered",
        [=] { sums(WEFT_DEFAULT); });
    ok(cudaFree(index));
}

template <class T> static void rows() {
    fill_kernel<<<4096, 256, 0, stream>>>((T *)x, BYTES / sizeof(T));
    for (size_t length : {16, 100, 10000, 1000000}) segments_row<T>(length);
    for (uint32_t targets : {1u << 4, 1u << 10, 1u << 16, 1u << 22}) targets_row<T>(targets);
}

int main(void) {
    open_gpu();
    ok(cudaMalloc(&x, BYTES));
    ok(cudaMalloc(&y, BYTES));
    find_ceilings(x, y, BYTES);
    rows<float>();
    rows<double>();
    ok(cudaFree(x));
    ok(cudaFree(y));
    weft_close(ctx);
    return 0;
}
