/* weft_heat: for each axis in turn, one pass that computes the right-hand sides, and the launches of weft_tridiag
 * along the lines (ORDER.md 23). */
#include "arith/heat.h"
#include "cuda/runtime/arrays.h"

enum {
    THREADS = 128,
    WARP = 32,
    CHUNK = 1024, /* points of a row per warp and iteration */
    BLOCKS_A_MULTIPROCESSOR = 16
};

/* ------------------------------------------------------------------------------------ kernels */

static __device__ float fused(float x, float y, float z) { return __fmaf_rn(x, y, z); }
static __device__ double fused(double x, double y, double z) { return __fma_rn(x, y, z); }

/* Returns the right-hand side at point i of the row described by `row`. */
template <class T>
static __device__ __forceinline__ T side(const weft_heat_pass &p, const weft_heat_row &row, const T *u, uint64_t i) {
    const uint64_t position = p.neighbour_axis ? row.position[p.neighbour_axis] : i,
                   step = p.from.step[p.neighbour_axis];
    const T before = position ? u[i - step] : (T)0, after = position + 1 < p.n[p.neighbour_axis] ? u[i + step] : (T)0;
    return (T)p.ratio * fused((T)p.centre, u[i], before + after);
}

/* A warp processes chunks of rows, and a lane every 32nd point of a chunk, so that all accesses are to adjacent
 * points. Reads each value of u once or three times, mostly from the caches. */
template <class T>
static __global__ void __launch_bounds__(THREADS) heat_pass(const weft_heat_pass p, const T *from, T *to) {
    const uint64_t chunks = (p.n[0] - 1) / CHUNK + 1, items = p.n[1] * p.n[2] * p.batch * chunks;
    const uint64_t warps = (uint64_t)gridDim.x * (THREADS / WARP);
    for (uint64_t item = (uint64_t)blockIdx.x * (THREADS / WARP) + threadIdx.x / WARP; item < items; item += warps) {
        const weft_heat_row row = weft_heat_find_row(&p, item / chunks);
        const T *const u = from + row.from;
        T *const d = to + row.to;
        const uint64_t first = item % chunks * CHUNK, end = p.n[0] - first < CHUNK ? p.n[0] : first + CHUNK;
        for (uint64_t i = first + threadIdx.x % WARP; i < end; i += WARP) {
            if (p.use == WEFT_HEAT_COPY)
                d[i] = u[i];
            else if (p.use == WEFT_HEAT_SCALE)
                d[i] = (T)p.centre * u[i];
            else
                d[i] = side(p, row, u, i);
        }
    }
}

/* ------------------------------------------------------------------------------------ launches */

static weft_status launch(const gpu *g, bool f32, const weft_heat_pass &p, const void *from, void *to,
                          weft_error *error) {
    const uint64_t items = p.n[1] * p.n[2] * p.batch * ((p.n[0] - 1) / CHUNK + 1);
    const uint64_t blocks = (items - 1) / (THREADS / WARP) + 1;
    const uint64_t most = (uint64_t)g->multiprocessors * BLOCKS_A_MULTIPROCESSOR;
    const unsigned grid = (unsigned)(blocks < most ? blocks : most);
    if (f32)
        heat_pass<float><<<grid, THREADS, 0, g->stream>>>(p, (const float *)from, (float *)to);
    else
        heat_pass<double><<<grid, THREADS, 0, g->stream>>>(p, (const double *)from, (double *)to);
    CUDA_TRY(cudaGetLastError(), "heat");
    return WEFT_OK;
}

/* Common to the sweeps of a call: coefficients of each axis, right-hand sides, and workspace of the solver. */
typedef struct stepper {
    gpu *g;
    const heat_call *c;
    bool f32, doubled;
    float off_f32, diagonal_f32[WEFT_AXES_MAX];
    double off_f64, diagonal_f64[WEFT_AXES_MAX];
    char *d, *scratch;
} stepper;

/* Returns the systems along an axis, with right-hand sides in d and solutions in x. */
static tridiag_call systems_of(const stepper *s, size_t axis, void *x) {
    const heat_call *c = s->c;
    const size_t n = c->n[axis], systems = weft_heat_points(c->n, c->batch) / n;
    const weft_lines off_diagonal = {s->f32 ? (const void *)&s->off_f32 : &s->off_f64, 0, 0};
    const weft_lines middle = {s->f32 ? (const void *)&s->diagonal_f32[axis] : &s->diagonal_f64[axis], 0, 0};
    const weft_lines d = {s->d, axis ? systems : 1, axis ? 1 : n};
    const tridiag_call call = {c->dtype, false, systems, n, off_diagonal, middle, off_diagonal, d, x, NULL};
    return call;
}

/* Before the first sweep the grids are in u; after it they are in v, in the layout of the axis swept last. */
static weft_status run_steps(const stepper *s, const void *u, void *v, weft_error *error) {
    const heat_call *c = s->c;
    const weft_heat_layout own = weft_heat_layout_of(c->n, c->batch, 0);
    weft_heat_pass p = {{c->n[0], c->n[1], c->n[2]}, c->batch, own, own, WEFT_HEAT_COPY, 0, 0, 0};
    const void *from = u;
    for (size_t step = 0; step < c->steps; step++)
        for (size_t axis = 0; axis < c->dimensions; axis++) {
            weft_heat_plan(&p, s->f32, s->doubled, c->dimensions, c->lambda, axis);
            const bool last = step + 1 == c->steps && axis + 1 == c->dimensions;
            const bool away = last && !weft_heat_same_layout(&p.to, &own);
            RETURN_IF_ERROR(launch(s->g, s->f32, p, from, s->d, error));
            const tridiag_call systems = systems_of(s, axis, away ? s->d : v);
            RETURN_IF_ERROR(gpu_tridiag_solve(s->g, &systems, s->scratch, error));
            from = v;
            p.from = p.to;
            if (away) {
                p.use = WEFT_HEAT_COPY;
                p.to = own;
                RETURN_IF_ERROR(launch(s->g, s->f32, p, s->d, v, error));
            }
        }
    return WEFT_OK;
}

/* ------------------------------------------------------------------------------------- a call */

enum { ALIGNMENT = 256 };

static void set_coefficients(stepper *s) {
    s->off_f64 = s->off_f32 = -1;
    for (size_t axis = 0; axis < s->c->dimensions; axis++) {
        s->diagonal_f64[axis] = weft_heat_diagonal(s->f32, s->doubled, s->c->lambda[axis]);
        s->diagonal_f32[axis] = (float)s->diagonal_f64[axis];
    }
}

/* Returns the workspace of the solver in bytes, the maximum over all axes. */
static size_t solver_bytes(const stepper *s) {
    size_t most = 0;
    for (size_t axis = 0; axis < s->c->dimensions; axis++) {
        const tridiag_call systems = systems_of(s, axis, NULL);
        const size_t bytes = gpu_tridiag_scratch(&systems);
        if (bytes > most) most = bytes;
    }
    return most;
}

weft_status cuda_heat(void *state, const heat_call *c, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    const size_t bytes = weft_heat_points(c->n, c->batch) * cuda_type_bytes(c->dtype);
    const size_t aligned = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    stepper s = {g, c, c->dtype == WEFT_F32, c->method == WEFT_CRANK_NICOLSON, 0, {0}, 0, {0}, NULL, NULL};
    gpu_array arrays[] = {{"u", c->u, bytes, ARRAY_IN, false, NULL}, {"v", c->v, bytes, ARRAY_OUT, false, NULL}};
    void *scratch;
    set_coefficients(&s);
    RETURN_IF_ERROR(arrays_copy_in(g, "heat", arrays, 2, aligned + solver_bytes(&s), &scratch, error));
    s.d = (char *)scratch;
    s.scratch = s.d + aligned;
    if (c->steps == 0 && arrays[0].at != arrays[1].at)
        CUDA_TRY(cudaMemcpyAsync(arrays[1].at, arrays[0].at, bytes, cudaMemcpyDeviceToDevice, g->stream), "heat");
    RETURN_IF_ERROR(run_steps(&s, arrays[0].at, arrays[1].at, error));
    return arrays_copy_out(g, "heat", arrays, 2, error);
}
