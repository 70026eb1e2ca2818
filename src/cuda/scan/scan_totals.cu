/* The totals of a scan's tiles without the scan (ORDER.md 6.2), for arrays that are distributed over GPUs. The last
 * value of a group's scan by distances is the tree of its adjacent pairs. So is the total of a tile of 16^3 elements.
 *
 * A warp takes a tile, 16 bytes per thread and load. It combines pairs within the thread, then across the warp by
 * shuffles, then the results of successive loads. Traffic: memory is read once, and one value per tile is written. */
#include "cuda/runtime/arrays.h"
#include "cuda/scan/scan_ops.cuh"

#define WARP 32
#define BLOCK_WARPS 8

/* The tree of adjacent pairs over N values in registers. */
template <int N, class Op>
static __device__ __forceinline__ typename Op::value pairs(const Op &op, typename Op::value *v) {
#pragma unroll
    for (int w = N / 2; w >= 1; w /= 2)
#pragma unroll
        for (int i = 0; i < N / 2; i++)
            if (i < w) v[i] = op.combine(v[2 * i], v[2 * i + 1]);
    return v[0];
}

/* The tree of adjacent pairs over the lanes of a warp. Every lane returns its value. */
template <class Op>
static __device__ __forceinline__ typename Op::value pairs_of_lanes(const Op &op, typename Op::value v) {
#pragma unroll
    for (int w = 1; w < WARP; w *= 2) v = op.combine(v, __shfl_xor_sync(0xffffffffu, v, w));
    return v;
}

/* Order of a pair's operands: combine is commutative except for the bits of a NaN, so it does not matter which lane
 * of a pair comes first. */
template <class Op>
static __global__ void __launch_bounds__(BLOCK_WARPS *WARP)
    totals_kernel(const typename Op::element *x, uint64_t tiles, bool vectors, typename Op::result *y) {
    typedef typename Op::element T;
    typedef typename Op::value A;
    constexpr int OWN = 16 / sizeof(T), LOADS = SCAN_TILE / (OWN * WARP);
    const Op op{scan_params()};
    const uint64_t tile = (uint64_t)blockIdx.x * BLOCK_WARPS + threadIdx.x / WARP;
    if (tile >= tiles) return;
    const T *at = x + tile * SCAN_TILE + threadIdx.x % WARP * OWN;
    A load[LOADS];
#pragma unroll
    for (int l = 0; l < LOADS; l++) {
        alignas(16) T own[OWN];
        A v[OWN];
        if (vectors)
            *(float4 *)own = *(const float4 *)(at + l * OWN * WARP);
        else
#pragma unroll
            for (int i = 0; i < OWN; i++) own[i] = at[l * OWN * WARP + i];
#pragma unroll
        for (int i = 0; i < OWN; i++) v[i] = op.load(own[i]);
        load[l] = pairs<OWN>(op, v);
    }
#pragma unroll
    for (int l = 0; l < LOADS; l++) load[l] = pairs_of_lanes(op, load[l]);
    const A total = pairs<LOADS>(op, load);
    if (threadIdx.x % WARP == 0) y[tile] = op.store(total);
}

template <class Op>
static weft_status launch(const gpu *g, const scan_totals_call *c, const void *x, void *y, weft_error *error) {
    const uint64_t tiles = c->blocks;
    const unsigned blocks = (unsigned)((tiles - 1) / BLOCK_WARPS + 1);
    totals_kernel<Op><<<blocks, BLOCK_WARPS * WARP, 0, g->stream>>>((const typename Op::element *)x, tiles,
                                                                    (uintptr_t)x % 16 == 0, (typename Op::result *)y);
    CUDA_TRY(cudaGetLastError(), "scan");
    return WEFT_OK;
}

/* Launches for elements T, of which the totals are f32 or f64. */
template <template <class, class, class> class Op, class T>
static weft_status launch_of(const gpu *g, const scan_totals_call *c, const void *x, void *y, weft_error *error) {
    if (c->result == WEFT_F64) return launch<Op<T, double, double>>(g, c, x, y, error);
    return launch<Op<T, float, float>>(g, c, x, y, error);
}

/* Launches for floats only: totals of other types do not depend on an order. */
template <template <class, class, class> class Op>
static weft_status launch_for(const gpu *g, const scan_totals_call *c, const void *x, void *y, weft_error *error) {
    if (c->dtype == WEFT_F64) return launch<Op<double, double, double>>(g, c, x, y, error);
    if (c->dtype == WEFT_F16) return launch_of<Op, f16>(g, c, x, y, error);
    if (c->dtype == WEFT_BF16) return launch_of<Op, bf16>(g, c, x, y, error);
    return launch_of<Op, float>(g, c, x, y, error);
}

weft_status cuda_scan_totals(void *state, const scan_totals_call *c, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    gpu_array arrays[] = {{"x", c->x, c->blocks * SCAN_TILE * cuda_type_bytes(c->dtype), ARRAY_IN, false, NULL},
                          {"totals", c->totals, c->blocks * cuda_type_bytes(c->result), ARRAY_OUT, false, NULL}};
    void *none;
    RETURN_IF_ERROR(arrays_copy_in(g, "scan", arrays, 2, 0, &none, error));
    g->pending = true;
    RETURN_IF_ERROR(c->op == WEFT_SUM ? launch_for<scan_sum>(g, c, arrays[0].at, arrays[1].at, error)
                                      : launch_for<scan_product>(g, c, arrays[0].at, arrays[1].at, error));
    return arrays_copy_out(g, "scan", arrays, 2, error);
}
