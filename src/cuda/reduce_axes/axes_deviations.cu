/* Sums of squared deviations (ORDER.md 3.3 norm2, 4), and variances. */
#include "cuda/reduce_axes/reduce_axes.cuh"

/* Takes this thread's elements, which are in registers: packs t, t + `threads`, ... of `packs`. */
template <class Op, int OWN>
static __device__ __forceinline__ double reduce_held(const Op &op, uint32_t threads, uint32_t packs, double m,
                                                     const pack<typename Op::element, OWN> (&row)[VARIANCE_BATCH]) {
    double lane[OWN];
#pragma unroll
    for (int l = 0; l < OWN; l++) lane[l] = op.identity();
#pragma unroll
    for (uint32_t r = 0; r < VARIANCE_BATCH; r++)
        if ((threadIdx.x & (threads - 1)) + r * threads < packs)
#pragma unroll
            for (int l = 0; l < OWN; l++) lane[l] = op.step(lane[l], row[r].element[l], 0, m);
    return combine_lanes_of<OWN, 1>(op, (int)threads, lane);
}

/* Computes variances as short_rows_kernel does in two launches. The elements of a vector stay in the registers of its
 * threads, so that they are read once. */
template <class T>
static __global__ void __launch_bounds__(AXES_THREADS, short_blocks(1, AXES_OWN(sizeof(T)), sizeof(double)))
    variance_kernel(const __grid_constant__ axes_params a) {
    constexpr int OWN = AXES_OWN(sizeof(T));
    const axes_sum<T, double> sum(a.j);
    const axes_deviations<T> squares(a.j);
    const uint32_t threads = 1u << a.slots_log2, thread = threadIdx.x & (threads - 1), packs = (uint32_t)(a.n / OWN);
    for (uint64_t block = blockIdx.x; block < a.blocks; block += gridDim.x) {
        const uint64_t warp = (block * AXES_THREADS + threadIdx.x) / WARP;
        const uint64_t first = (warp * AXES_TILES << (5 - a.slots_log2)) + (threadIdx.x % WARP >> a.slots_log2);
        pack<T, OWN> row[AXES_TILES][VARIANCE_BATCH];
        int64_t to[AXES_TILES];
#pragma unroll
        for (int k = 0; k < AXES_TILES; k++) {
            const uint64_t vector = first + ((uint64_t)k << (5 - a.slots_log2));
            int64_t from = 0;
            to[k] = 0;
            if (vector < a.vectors) view_offsets(a.outer, vector, from, to[k]);
#pragma unroll
            for (uint32_t r = 0; r < VARIANCE_BATCH; r++)
                if (vector < a.vectors && thread + r * threads < packs)
                    row[k][r] = load_pack<T, OWN>((
                        const T *)(a.x + from + pack_offset(a, thread + r * threads, OWN * sizeof(T), a.run_stride)));
        }
        __syncwarp();
#pragma unroll
        for (int k = 0; k < AXES_TILES; k++) {
            const uint64_t vector = first + ((uint64_t)k << (5 - a.slots_log2));
            const uint32_t held = vector < a.vectors ? packs : 0;
            const double mean = weft_finish_mean(reduce_held(sum, threads, held, 0.0, row[k]), a.j.total);
            const double v = reduce_held(squares, threads, held, squares.prepare(mean), row[k]);
            if (thread == (uint32_t)k && held > 0) finish_vector(a, vector, a.y + to[k], v);
        }
    }
}

template <class T> static axes_launch variance_of() {
    axes_launch l = axes_launch();
    l.short_rows = variance_kernel<T>;
    l.own = AXES_OWN(sizeof(T));
    return l;
}

axes_launch cuda_axes_variance(weft_dtype dtype) {
#define TYPE(ID, name, ctype, kind, npy) \
    if (dtype == WEFT_##ID) return variance_of<ctype>();
#include "core/types.def"
#define HALF(ID, name, npy) \
    if (dtype == WEFT_##ID) return variance_of<name>();
#include "core/halves.def"
    return axes_launch();
}

template <class T> static axes_launch deviations_of() {
    return axes_launch_of<axes_deviations<T>, axes_sum<double, double>>();
}

axes_launch cuda_axes_deviations(weft_dtype dtype) {
#define TYPE(ID, name, ctype, kind, npy) \
    if (dtype == WEFT_##ID) return deviations_of<ctype>();
#include "core/types.def"
#define HALF(ID, name, npy) \
    if (dtype == WEFT_##ID) return deviations_of<name>();
#include "core/halves.def"
    return axes_launch();
}

axes_launch cuda_axes_rescaled_squares(void) {
    return axes_launch_of<axes_rescaled_squares, axes_sum<double, double>>();
}
