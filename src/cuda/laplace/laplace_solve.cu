/* weft_laplace_solve: sweeps of red-black over-relaxation, on the caller's grid or on each grid of a multigrid cycle
 * (ORDER.md 7.3 to 7.8).
 *
 * In every kernel a warp processes rows, and a thread points of a row. A launch is one colour of a sweep, or one step
 * between two grids. Traffic of a sweep: the grid is read twice and written once, in half lines. */
#include "arith/bits.h"
#include "arith/multigrid.h"
#include "cuda/reduce/tree.cuh"
#include "cuda/runtime/arrays.h"

enum { SOLVE_WARPS = 4, SOLVE_THREADS = 32 * SOLVE_WARPS, SOLVE_WAVES = 16, WORKSPACE_ALIGNMENT = 256 };

/* A grid of a cycle. For the first grid `e` is the caller's array, and `right` is NULL: it has no right-hand side. */
struct solve_grid {
    weft_axis x, y, z;
    void *e, *right;
};

/* ----------------------------------------------------------------------------------- rows */

/* Rows of a warp: those inside the grid, or all rows. */
struct solve_rows {
    uint64_t at, step, end, in_plane, first;

    __device__ solve_rows(const solve_grid &g, bool inside) {
        first = inside ? 1 : 0;
        in_plane = g.y.n - 2 * first;
        end = in_plane * (g.z.n - 2 * first);
        at = (uint64_t)blockIdx.x * SOLVE_WARPS + threadIdx.x / 32;
        step = (uint64_t)gridDim.x * SOLVE_WARPS;
    }
    __device__ bool any() const { return at < end; }
    __device__ void next() { at += step; }
    __device__ uint64_t j() const { return first + at % in_plane; }
    __device__ uint64_t k() const { return first + at / in_plane; }
};

static __device__ __forceinline__ uint64_t solve_index(const solve_grid &g, uint64_t i, uint64_t j, uint64_t k) {
    return i + g.x.n * (j + g.y.n * k);
}

static __device__ __forceinline__ float solve_canonical(float v) { return weft_canonical_f32(v); }
static __device__ __forceinline__ double solve_canonical(double v) { return weft_canonical_f64(v); }

/* Weighted sum of a point's six neighbours plus its right-hand side, and the sum of the weights. On the first grid
 * the weights are 1. */
template <class A> struct solve_equation { A around, weights; };

template <class A, bool FIRST>
static __device__ __forceinline__ solve_equation<A> equation_of(const solve_grid &g, uint64_t i, uint64_t j,
                                                                uint64_t k) {
    const uint64_t p = solve_index(g, i, j, k), row = g.x.n, plane = g.x.n * g.y.n;
    const A *const e = (const A *)g.e;
    if (FIRST) {
        const A five = (((e[p - 1] + e[p + 1]) + e[p - row]) + e[p + row]) + e[p - plane];
        return solve_equation<A>{five + e[p + plane], (A)6};
    }
    const A west = (A)weft_axis_before(g.x, i), east = (A)weft_axis_after(g.x, i);
    const A south = (A)weft_axis_before(g.y, j), north = (A)weft_axis_after(g.y, j);
    const A below = (A)weft_axis_before(g.z, k), above = (A)weft_axis_after(g.z, k);
    A sum = west * e[p - 1] + east * e[p + 1];
    sum = sum + south * e[p - row];
    sum = sum + north * e[p + row];
    sum = sum + below * e[p - plane];
    sum = sum + above * e[p + plane];
    return solve_equation<A>{sum + ((const A *)g.right)[p], ((west + east) + (south + north)) + (below + above)};
}

/* --------------------------------------------------------------------------------- kernels */

/* Relaxes the points of one colour: those with i + j + k even, or odd. */
template <class A, bool FIRST>
static __global__ void __launch_bounds__(SOLVE_THREADS)
    relax_kernel(const __grid_constant__ solve_grid g, A omega, uint32_t colour) {
    A *const e = (A *)g.e;
    for (solve_rows rows(g, true); rows.any(); rows.next()) {
        const uint64_t j = rows.j(), k = rows.k();
        for (uint64_t i = 1 + (1 + j + k + colour) % 2 + threadIdx.x % 32 * 2; i + 1 < g.x.n; i += 64) {
            const solve_equation<A> q = equation_of<A, FIRST>(g, i, j, k);
            const uint64_t p = solve_index(g, i, j, k);
            const A wanted = FIRST ? q.around * ((A)1 / 6) : q.around / q.weights;
            const A now = e[p] + omega * (wanted - e[p]);
            e[p] = FIRST ? solve_canonical(now) : now;
        }
    }
}

/* Computes the residual at all points; it is 0 on the faces. */
template <class A, bool FIRST>
static __global__ void __launch_bounds__(SOLVE_THREADS)
    find_residual_kernel(const __grid_constant__ solve_grid g, A *residual) {
    const A *const e = (const A *)g.e;
    for (solve_rows rows(g, false); rows.any(); rows.next()) {
        const uint64_t j = rows.j(), k = rows.k();
        const bool face = j == 0 || j + 1 == g.y.n || k == 0 || k + 1 == g.z.n;
        for (uint64_t i = threadIdx.x % 32; i < g.x.n; i += 32) {
            const uint64_t p = solve_index(g, i, j, k);
            A r = 0;
            if (!face && i > 0 && i + 1 < g.x.n) {
                const solve_equation<A> q = equation_of<A, FIRST>(g, i, j, k);
                r = FIRST ? q.around * ((A)1 / 6) - e[p] : q.around - q.weights * e[p];
            }
            residual[p] = r;
        }
    }
}

template <class A> static __device__ __forceinline__ A combine_three(weft_parts p, A x, A y, A z) {
    return ((A)p.before * x + (A)p.middle * y) + (A)p.after * z;
}

/* Restricts the residual to the right-hand side of the next grid: 27 points combined along y, then z, then x. */
template <class A>
static __global__ void __launch_bounds__(SOLVE_THREADS)
    restrict_kernel(const __grid_constant__ solve_grid g, const A *residual, const __grid_constant__ solve_grid next,
                    A scale) {
    for (solve_rows rows(next, true); rows.any(); rows.next()) {
        const uint64_t j = rows.j(), k = rows.k(), row = g.x.n, plane = g.x.n * g.y.n;
        const weft_parts along_y = weft_axis_parts(g.y, j), along_z = weft_axis_parts(g.z, k);
        const uint64_t cj = weft_axis_is_halved(g.y) ? 2 * j : j, ck = weft_axis_is_halved(g.z) ? 2 * k : k;
        for (uint64_t i = 1 + threadIdx.x % 32; i + 1 < next.x.n; i += 32) {
            const uint64_t p = solve_index(g, weft_axis_is_halved(g.x) ? 2 * i : i, cj, ck);
            A x[3], z[3];
            for (int a = 0; a < 3; a++) {
                for (int c = 0; c < 3; c++) {
                    const A *const r = residual + (p + (uint64_t)a - 1 + (uint64_t)c * plane - plane);
                    z[c] = combine_three<A>(along_y, *(r - row), *r, *(r + row));
                }
                x[a] = combine_three<A>(along_z, z[0], z[1], z[2]);
            }
            const A combined = combine_three<A>(weft_axis_parts(g.x, i), x[0], x[1], x[2]);
            ((A *)next.right)[solve_index(next, i, j, k)] = scale * combined;
        }
    }
}

/* Interpolation along one axis: for point i of this grid, the next grid's point at or before it (`at`). If i is
 * between two points, `weights` contains the weights of that point and of the one after it. */
struct solve_between {
    uint64_t at;
    bool two;
    weft_shares weights;

    __device__ solve_between(weft_axis a, uint64_t i) {
        const bool halved = weft_axis_is_halved(a);
        at = halved ? i / 2 : i;
        two = halved && i % 2;
        weights = weft_axis_shares(a, i);
    }
    template <class A> __device__ A combine(A here, A after) const {
        return two ? (A)weights.before * here + (A)weights.after * after : here;
    }
};

/* Adds the interpolated values of the next grid to those of this one: combined along y, then z, then x. */
template <class A>
static __global__ void __launch_bounds__(SOLVE_THREADS)
    correct_kernel(const __grid_constant__ solve_grid g, const __grid_constant__ solve_grid next) {
    const A *const from = (const A *)next.e;
    A *const e = (A *)g.e;
    for (solve_rows rows(g, true); rows.any(); rows.next()) {
        const uint64_t j = rows.j(), k = rows.k();
        const solve_between y(g.y, j), z(g.z, k);
        const uint64_t row = y.two ? next.x.n : 0, plane = z.two ? next.x.n * next.y.n : 0;
        for (uint64_t i = 1 + threadIdx.x % 32; i + 1 < g.x.n; i += 32) {
            const solve_between x(g.x, i);
            const uint64_t p = solve_index(next, x.at, y.at, z.at), column = x.two ? 1 : 0;
            A along_x[2];
            for (uint64_t a = 0; a < 2; a++) {
                const A *const v = from + (p + a * column);
                along_x[a] = z.combine<A>(y.combine<A>(v[0], v[row]), y.combine<A>(v[plane], v[plane + row]));
            }
            const uint64_t to = solve_index(g, i, j, k);
            e[to] = e[to] + x.combine<A>(along_x[0], along_x[1]);
        }
    }
}

template <class T> struct squares : sum_operator<double> {
    static constexpr int INPUTS = 1;
    typedef T element;
    __device__ explicit squares(const reduce_params &) {}
    __device__ double step(double lane, T x, T) const { return fma((double)x, (double)x, lane); }
};

/* ------------------------------------------------------------------------------- the grids */

template <class A> struct solver {
    gpu *g;
    const laplace_solve_call *call;
    solve_grid grids[WEFT_MULTIGRID_GRIDS];
    int count;
    A *residual; /* residual of the current grid */
};

static uint64_t points_of(const solve_grid &g) { return g.x.n * g.y.n * g.z.n; }
static bool has_inside(const solve_grid &g) { return g.x.n >= 3 && g.y.n >= 3 && g.z.n >= 3; }
static bool is_last(const solve_grid &g) {
    return !weft_axis_is_halved(g.x) && !weft_axis_is_halved(g.y) && !weft_axis_is_halved(g.z);
}
static size_t aligned(size_t bytes) {
    return (bytes + WORKSPACE_ALIGNMENT - 1) / WORKSPACE_ALIGNMENT * WORKSPACE_ALIGNMENT;
}

template <class A> static void make_grids(solver<A> *s) {
    const laplace_solve_call *c = s->call;
    solve_grid *g = s->grids;
    *g = solve_grid{{c->nx, 1, 1}, {c->ny, 1, 1}, {c->nz, 1, 1}, NULL, NULL};
    s->count = 1;
    if (c->method != WEFT_MULTIGRID || !has_inside(*g)) return;
    for (; !is_last(*g); g++, s->count++)
        g[1] = solve_grid{weft_axis_next(g->x), weft_axis_next(g->y), weft_axis_next(g->z), NULL, NULL};
}

/* Lays out the workspace at `workspace` and returns its size in bytes. If `workspace` is NULL, only computes the
 * size. */
template <class A> static size_t lay_out(solver<A> *s, char *workspace) {
    const bool needed = s->call->residual || s->count > 1;
    size_t at = needed ? aligned(points_of(s->grids[0]) * sizeof(A)) : 0;
    s->residual = (A *)workspace;
    for (solve_grid *g = s->grids + 1; g < s->grids + s->count; g++) {
        const size_t bytes = aligned(points_of(*g) * sizeof(A));
        g->e = workspace ? workspace + at : NULL;
        g->right = workspace ? workspace + at + bytes : NULL;
        at += 2 * bytes;
    }
    return at;
}

/* -------------------------------------------------------------------------------- launches */

/* Returns the number of blocks for `rows` rows, at most SOLVE_WAVES per multiprocessor. */
static unsigned blocks_for(const gpu *g, uint64_t rows) {
    const uint64_t wanted = (rows - 1) / SOLVE_WARPS + 1, most = (uint64_t)g->multiprocessors * SOLVE_WAVES;
    return (unsigned)(wanted < most ? wanted : most);
}

template <class A> static unsigned blocks_inside(const solver<A> *s, const solve_grid &g) {
    return blocks_for(s->g, (g.y.n - 2) * (g.z.n - 2));
}

template <class A> static weft_status relax(const solver<A> *s, const solve_grid &g, weft_error *error) {
    const A omega = (A)s->call->omega;
    if (!has_inside(g)) return WEFT_OK;
    const unsigned blocks = blocks_inside(s, g);
    for (uint32_t colour = 0; colour < 2; colour++) {
        if (g.right)
            relax_kernel<A, false><<<blocks, SOLVE_THREADS, 0, s->g->stream>>>(g, omega, colour);
        else
            relax_kernel<A, true><<<blocks, SOLVE_THREADS, 0, s->g->stream>>>(g, omega, colour);
        CUDA_TRY(cudaGetLastError(), "laplace_solve");
    }
    return WEFT_OK;
}

template <class A> static weft_status find_residual(const solver<A> *s, const solve_grid &g, weft_error *error) {
    const unsigned blocks = blocks_for(s->g, g.y.n * g.z.n);
    if (g.right)
        find_residual_kernel<A, false><<<blocks, SOLVE_THREADS, 0, s->g->stream>>>(g, s->residual);
    else
        find_residual_kernel<A, true><<<blocks, SOLVE_THREADS, 0, s->g->stream>>>(g, s->residual);
    CUDA_TRY(cudaGetLastError(), "laplace_solve");
    return WEFT_OK;
}

/* Sets up the problem on the grid that follows `g`: its right-hand side, and e = 0. */
template <class A> static weft_status restrict_to(const solver<A> *s, const solve_grid *g, weft_error *error) {
    const solve_grid &next = g[1];
    RETURN_IF_ERROR(find_residual(s, *g, error));
    restrict_kernel<A>
        <<<blocks_inside(s, next), SOLVE_THREADS, 0, s->g->stream>>>(*g, s->residual, next, g->right ? (A)4 : (A)24);
    CUDA_TRY(cudaGetLastError(), "laplace_solve");
    CUDA_TRY(cudaMemsetAsync(next.e, 0, points_of(next) * sizeof(A), s->g->stream), "laplace_solve");
    return WEFT_OK;
}

template <class A> static weft_status cycle(const solver<A> *s, weft_error *error) {
    for (int l = 0; l < s->count; l++) {
        RETURN_IF_ERROR(relax(s, s->grids[l], error));
        if (l + 1 < s->count) RETURN_IF_ERROR(restrict_to(s, &s->grids[l], error));
    }
    for (int l = s->count - 1; l >= 0; l--) {
        RETURN_IF_ERROR(relax(s, s->grids[l], error));
        if (l == 0) break;
        const solve_grid &wider = s->grids[l - 1];
        correct_kernel<A><<<blocks_inside(s, wider), SOLVE_THREADS, 0, s->g->stream>>>(wider, s->grids[l]);
        CUDA_TRY(cudaGetLastError(), "laplace_solve");
    }
    return WEFT_OK;
}

/* Computes the root mean square of the residual. */
template <class A> static weft_status measure(const solver<A> *s, weft_error *error) {
    call c;
    RETURN_IF_ERROR(find_residual(s, s->grids[0], error));
    RETURN_IF_ERROR(call_begin(&c, s->g, "laplace_solve", s->call->dtype, WEFT_F64, points_of(s->grids[0]),
                               s->residual, NULL, s->call->residual, error));
    c.j.finish = FINISH_ROOT_MEAN;
    RETURN_IF_ERROR(call_run(&c, kernel{(const void *)tree_kernel<squares<A>>, KERNEL_TREE}, error));
    return call_end(&c, error);
}

template <class A> static weft_status solve(gpu *g, const laplace_solve_call *l, weft_error *error) {
    solver<A> s = {g, l, {}, 0, NULL};
    void *workspace;
    make_grids(&s);
    const size_t bytes = points_of(s.grids[0]) * sizeof(A);
    gpu_array arrays[] = {{"u", l->u, bytes, l->u == l->v ? ARRAY_BOTH : ARRAY_IN, false, NULL},
                          {"v", l->v, bytes, ARRAY_OUT, false, NULL}};
    const int in_v = l->u == l->v ? 0 : 1; /* in place there is one array */
    if (l->residual) RETURN_IF_ERROR(gpu_refuse_capture(g, "laplace_solve", error));
    RETURN_IF_ERROR(arrays_copy_in(g, "laplace_solve", arrays, in_v + 1, lay_out(&s, NULL), &workspace, error));
    lay_out(&s, (char *)workspace);
    s.grids[0].e = arrays[in_v].at;
    if (in_v)
        CUDA_TRY(cudaMemcpyAsync(arrays[1].at, arrays[0].at, bytes, cudaMemcpyDeviceToDevice, g->stream),
                 "laplace_solve");
    for (size_t i = 0; i < l->sweeps; i++)
        RETURN_IF_ERROR(l->method == WEFT_MULTIGRID ? cycle(&s, error) : relax(&s, s.grids[0], error));
    if (l->residual) RETURN_IF_ERROR(measure(&s, error));
    return arrays_copy_out(g, "laplace_solve", arrays, in_v + 1, error);
}

weft_status cuda_laplace_solve(void *state, const laplace_solve_call *l, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    return l->dtype == WEFT_F32 ? solve<float>(g, l, error) : solve<double>(g, l, error);
}
