/* weft_laplace: the sequence of passes over memory, and their launches (ORDER.md 7). */
#include "core/types.h"
#include "cuda/laplace/laplace_kernel.cuh"
#include "cuda/reduce/tree.cuh"
#include "cuda/runtime/arrays.h"

enum { ROUNDS_MAX = 16, CHUNKS_MAX = 1024, SWEEPS_MAX = 4 };

/* ------------------------------------------------------------------------------- the change */

template <class T> struct differences : sum_operator<double> {
    static constexpr int INPUTS = 2;
    typedef T element;
    __device__ explicit differences(const reduce_params &) {}
    __device__ double step(double lane, T x, T y) const {
        const double d = (double)x - (double)y;
        return fma(d, d, lane);
    }
};

static kernel differences_kernel(weft_dtype dtype) {
    return kernel{dtype == WEFT_F32 ? (const void *)tree_kernel<differences<float>>
                                    : (const void *)tree_kernel<differences<double>>,
                  KERNEL_TREE};
}

/* Computes the root mean square of v - u, both in device memory. */
static weft_status measure(gpu *g, const laplace_call *l, const void *u, const void *v, weft_error *error) {
    call c;
    const uint64_t points = l->nx * l->ny * l->nz;
    RETURN_IF_ERROR(call_begin(&c, g, "laplace", l->dtype, WEFT_F64, points, v, u, l->change, error));
    c.j.finish = FINISH_ROOT_MEAN;
    RETURN_IF_ERROR(call_run(&c, differences_kernel(l->dtype), error));
    return call_end(&c, error);
}

/* -------------------------------------------------------------------------------- one pass */

static __device__ __forceinline__ uint4 *laplace_shared() {
    extern __shared__ uint4 dynamic[];
    return dynamic;
}

typedef struct laplace_launch {
    void (*kernel)(laplace_params);
    size_t shared_bytes;
    uint32_t threads, tile; /* rows per block */
    uint32_t blocks;        /* resident blocks per multiprocessor */
} laplace_launch;

/* Kernels of one variant, for passes of 1, 2, ... sweeps (laplace_f32.def, laplace_f64.def). */
typedef struct laplace_variant {
    int sweeps; /* maximum per pass */
    laplace_launch launches[SWEEPS_MAX];
} laplace_variant;

template <class A, int T, int WARPS, int ROWS, int BLOCKS> static laplace_launch launch_of() {
    typedef laplace_pass<A, T, WARPS, ROWS> pass;
    return laplace_launch{laplace_kernel<pass, BLOCKS>, sizeof(laplace_memory<pass>), pass::THREADS, pass::TILE,
                          BLOCKS};
}

/* Returns a variant. Entries for more than SWEEPS sweeps are not instantiated: they repeat the kernel of SWEEPS. */
template <class A, int WARPS, int ROWS, int PAIR, int ONE, int SWEEPS> static laplace_variant variant_of() {
    constexpr int THIRD = SWEEPS < 3 ? SWEEPS : 3, FOURTH = SWEEPS < 4 ? SWEEPS : 4;
    return laplace_variant{SWEEPS,
                           {launch_of<A, 1, WARPS, ROWS, PAIR>(), launch_of<A, 2, WARPS, ROWS, PAIR>(), launch_of < A,
                            THIRD, WARPS, ROWS, THIRD < 3 ? PAIR : ONE > (), launch_of < A, FOURTH, WARPS, ROWS,
                            FOURTH < 3 ? PAIR : ONE > ()}};
}

static const laplace_variant *variant_numbered(weft_dtype dtype, size_t number) {
    static const laplace_variant f32[] = {
#define VARIANT(warps, rows, pair, one, sweeps) variant_of<float, warps, rows, pair, one, sweeps>(),
#include "cuda/laplace/laplace_f32.def"
    };
    static const laplace_variant f64[] = {
#define VARIANT(warps, rows, pair, one, sweeps) variant_of<double, warps, rows, pair, one, sweeps>(),
#include "cuda/laplace/laplace_f64.def"
    };
    return dtype == WEFT_F32 ? &f32[number] : &f64[number];
}

size_t cuda_laplace_shared(weft_dtype dtype, size_t variant) {
    const laplace_variant *v = variant_numbered(dtype, variant);
    return v->launches[v->sweeps - 1].shared_bytes;
}

/* Returns the chosen variant, or if none was chosen the first one whose shared memory fits in a block. */
static const laplace_variant *variant_chosen(const gpu *g, weft_dtype dtype) {
    size_t number = g->chosen[dtype == WEFT_F32 ? TUNE_LAPLACE_F32 : TUNE_LAPLACE_F64].variant;
    while (cuda_laplace_shared(dtype, number) > g->shared_bytes) number++;
    return variant_numbered(dtype, number);
}

/* Returns the number of planes per block. A block also steps over T planes on either side of its own, so many short
 * chunks are slow; few long ones leave multiprocessors idle while the last blocks end. The number returned has the
 * fewest steps in all rounds of blocks, of at most ROUNDS_MAX. */
static int64_t planes_of_block(const gpu *g, const laplace_launch *launch, int sweeps, uint64_t tiles, uint64_t nz) {
    const uint64_t resident = (uint64_t)g->multiprocessors * launch->blocks, rims = 2 * (uint64_t)sweeps;
    const uint64_t most = min_u64(min_u64(ROUNDS_MAX * resident / tiles + 1, CHUNKS_MAX), nz);
    uint64_t best = nz, fewest = UINT64_MAX;
    for (uint64_t chunks = 1; chunks <= most && (chunks == 1 || nz / chunks > rims); chunks++) {
        const uint64_t planes = (nz - 1) / chunks + 1, rounds = (tiles * chunks - 1) / resident + 1;
        const uint64_t steps = rounds * (planes + rims);
        if (steps < fewest) fewest = steps, best = planes;
    }
    return (int64_t)best;
}

static weft_status run_pass(const gpu *g, const laplace_call *l, int sweeps, const void *from, void *to,
                            weft_error *error) {
    const int element = (int)cuda_type_bytes(l->dtype), v = 16 / element, rim = (sweeps + v - 1) / v * v;
    const laplace_launch launch = variant_chosen(g, l->dtype)->launches[sweeps - 1];
    const uint64_t tiles_x = (l->nx - 1) / (uint64_t)(32 * v - 2 * rim) + 1;
    const uint64_t tiles_y = (l->ny - 1) / (uint64_t)(launch.tile - 2 * sweeps) + 1;
    RETURN_IF(tiles_y > 65535 || tiles_x > INT32_MAX, WEFT_INVALID,
              "laplace of a grid of %zu x %zu x %zu points: a GPU supports at most %llu points in y", l->nx, l->ny,
              l->nz, 65535ull * (launch.tile - 2 * sweeps));
    laplace_params j = {from, to, l->nx, l->ny, l->nz, planes_of_block(g, &launch, sweeps, tiles_x * tiles_y, l->nz),
                        false};
    j.vectors = ((uintptr_t)from | (uintptr_t)to) % 16 == 0 && l->nx % (uint64_t)v == 0;
    const dim3 grid((unsigned)tiles_x, (unsigned)tiles_y, (unsigned)((l->nz - 1) / (uint64_t)j.planes + 1));
    void (*const kernel)(laplace_params) = launch.kernel;
    RETURN_IF_ERROR(gpu_allow_shared(g, (const void *)kernel, "laplace", error));
    kernel<<<grid, launch.threads, launch.shared_bytes, g->stream>>>(j);
    CUDA_TRY(cudaGetLastError(), "laplace");
    return WEFT_OK;
}

/* ------------------------------------------------------------------------------- the passes */

/* Runs the passes. The last one writes v, the one before it the scratch grid, and so on alternately. In place with an
 * odd number of passes, u is first copied to the scratch grid. The measured sweep is a pass of its own, so that its
 * input and its output both exist. */
static weft_status run_passes(gpu *g, const laplace_call *l, const void *u, void *v, void *scratch,
                              weft_error *error) {
    const bool measured = l->change != NULL;
    const size_t together = (size_t)variant_chosen(g, l->dtype)->sweeps;
    size_t sweeps = l->sweeps - measured, passes = (sweeps + together - 1) / together + measured;
    const void *from = u;
    if (u == v && passes % 2 == 1) {
        const size_t bytes = l->nx * l->ny * l->nz * cuda_type_bytes(l->dtype);
        CUDA_TRY(cudaMemcpyAsync(scratch, u, bytes, cudaMemcpyDeviceToDevice, g->stream), "laplace");
        from = scratch;
    }
    for (; passes > 0; passes--) {
        const size_t others = passes - measured;
        const size_t now = others ? (sweeps + others - 1) / others : 1;
        void *const to = passes % 2 ? v : scratch;
        RETURN_IF_ERROR(run_pass(g, l, (int)now, from, to, error));
        sweeps -= others ? now : 0;
        if (passes == 1 && measured) RETURN_IF_ERROR(measure(g, l, from, to, error));
        from = to;
    }
    return WEFT_OK;
}

static weft_status without_sweeps(gpu *g, const laplace_call *l, const void *u, void *v, weft_error *error) {
    const size_t bytes = l->nx * l->ny * l->nz * cuda_type_bytes(l->dtype);
    if (u != v) CUDA_TRY(cudaMemcpyAsync(v, u, bytes, cudaMemcpyDeviceToDevice, g->stream), "laplace");
    if (!l->change) return WEFT_OK;
    call c;
    RETURN_IF_ERROR(call_begin(&c, g, "laplace", l->dtype, WEFT_F64, 1, v, NULL, l->change, error));
    return call_store(&c, 0, error);
}

weft_status cuda_laplace(void *state, const laplace_call *l, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    const size_t bytes = l->nx * l->ny * l->nz * cuda_type_bytes(l->dtype);
    gpu_array grids[] = {{"u", l->u, bytes, l->u == l->v ? ARRAY_BOTH : ARRAY_IN, false, NULL},
                         {"v", l->v, bytes, ARRAY_OUT, false, NULL}};
    const int first = l->u == l->v ? 0 : 1, count = first + 1; /* in place there is one array */
    const bool two_passes = l->sweeps > (size_t)variant_chosen(g, l->dtype)->sweeps || (l->change && l->sweeps > 1);
    void *scratch;
    RETURN_IF_ERROR(
        arrays_copy_in(g, "laplace", grids, count, l->sweeps && (two_passes || !first) ? bytes : 0, &scratch, error));
    const void *u = grids[0].at;
    void *v = grids[first].at;
    RETURN_IF_ERROR(l->sweeps ? run_passes(g, l, u, v, scratch, error) : without_sweeps(g, l, u, v, error));
    return arrays_copy_out(g, "laplace", grids, count, error);
}
