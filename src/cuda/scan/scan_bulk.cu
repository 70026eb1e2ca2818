/* Scans by bulk copies (scan_bulk.cuh): which operators and types use them, and their launch. */
#include "cuda/scan/scan_bulk.cuh"
#include "cuda/scan/scan_kernels.h"
#include "cuda/scan/scan_ops.cuh"

/* Tuning: for fewer elements, the blocks of scan.cuh, which do not stay resident, are as fast or faster. */
#define BULK_LEAST (240 * SCAN_TILE)

/* Elements from which scans of 8-byte elements use one warp for the totals. Shared memory has capacity for seven
 * stages of 8-byte elements; with two warps the number of stages must be even. Two warps are faster where a block has
 * few tiles. */
#define BULK_LONG ((size_t)1 << 23)

template <class Op, int TURNS> static scan_launch launch_of() {
    return scan_launch{(const void *)scan_bulk_kernel<Op, TURNS>, sizeof(bulk_shared<Op, TURNS>), 0};
}

template <class Op> static scan_launch launch_of_8_bytes(const scan_call *c) {
    return c->n < BULK_LONG ? launch_of<Op, 2>() : launch_of<Op, 1>();
}

static scan_launch sum_kernel(const scan_call *c) {
    switch (c->dtype) {
    case WEFT_F32: return launch_of<scan_sum<float, float, float>, 2>();
    case WEFT_F64: return launch_of_8_bytes<scan_sum<double, double, double>>(c);
    case WEFT_I32:
    case WEFT_U32: return launch_of<scan_sum<uint32_t, uint32_t, uint32_t>, 2>();
    case WEFT_I64:
    case WEFT_U64: return launch_of_8_bytes<scan_sum<uint64_t, uint64_t, uint64_t>>(c);
    default: return scan_launch{NULL, 0, 0};
    }
}

/* Extremes of 8-byte elements are not among them: one warp cannot compute the totals fast enough. */
static scan_launch extreme_kernel(weft_dtype dtype) {
    switch (dtype) {
    case WEFT_F32: return launch_of<scan_min<float>, 2>();
    case WEFT_I32:
    case WEFT_U32: return launch_of<scan_min<uint32_t>, 2>();
    default: return scan_launch{NULL, 0, 0};
    }
}

static scan_launch kernel_of(const scan_call *c) {
    if (c->op == WEFT_SUM && c->dtype == c->result) return sum_kernel(c);
    if (c->op == WEFT_MIN || c->op == WEFT_MAX) return extreme_kernel(c->dtype);
    return scan_launch{NULL, 0, 0};
}

weft_status gpu_scan_bulk(const gpu *g, const scan_call *c, scan_params *j, bool *launched, weft_error *error) {
    const scan_launch kernel = kernel_of(c);
    *launched = false;
    if (!kernel.kernel || c->n < BULK_LEAST || !g->has_sm_90 || kernel.shared_bytes > g->shared_bytes ||
        ((uintptr_t)j->x | (uintptr_t)j->y) % 16)
        return WEFT_OK;
    *launched = true;
    const uint64_t tiles = (j->n - 1) / SCAN_TILE + 1;
    const uint32_t blocks = tiles < (uint64_t)g->multiprocessors ? (uint32_t)tiles : (uint32_t)g->multiprocessors;
    void *arguments[] = {j};
    RETURN_IF_ERROR(gpu_allow_shared(g, kernel.kernel, "scan", error));
    CUDA_TRY(
        cudaLaunchKernel(kernel.kernel, dim3(blocks), dim3(BULK_THREADS), arguments, kernel.shared_bytes, g->stream),
        "scan");
    return WEFT_OK;
}
