/* build/bench_gpu_grid: weft_laplace, weft_laplace_solve and weft_heat on a GPU compared with straightforward
 * kernels. Laplace's equation: one thread per point and one pass over memory per sweep. Heat equation: one thread per
 * line and the Thomas algorithm. */
#include "gpu_compared.cuh"

#include <math.h>
#include <string>

#define SWEEPS 10
#define STEPS 10
#define POINTS ((size_t)1 << 30) /* points of the largest grid, f32 */

static char *u, *v, *p, *q; /* the input, weft's result, and the peer's two grids */
static void *out;

/* ------------------------------------------------------------------------------------- inputs */

/* Fills with uniform values in [-1, 1). */
template <class T> static __global__ void fill_kernel(T *to, size_t n) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        uint64_t h = i * 0x9e3779b97f4a7c15u;
        h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
        to[i] = (T)((double)(int32_t)(h >> 32) * 0x1p-31);
    }
}

/* Fills with 1 on the faces and 0 inside. */
template <class T> static __global__ void shell_kernel(T *to, int n) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), j = (int)blockIdx.y, k = (int)blockIdx.z;
    if (i >= n) return;
    const bool face = i == 0 || i == n - 1 || j == 0 || j == n - 1 || k == 0 || k == n - 1;
    to[i + (size_t)n * (j + (size_t)n * k)] = face ? (T)1 : (T)0;
}

template <class T> static void fill(size_t n) { fill_kernel<<<4096, 256, 0, stream>>>((T *)u, n); }
template <class T> static void fill_shell(int n) {
    shell_kernel<<<dim3((unsigned)(n + 255) / 256, (unsigned)n, (unsigned)n), 256, 0, stream>>>((T *)u, n);
}

template <class T> static weft_dtype dtype_of() { return sizeof(T) == 4 ? WEFT_F32 : WEFT_F64; }

/* Returns the largest difference between weft's result and the peer's. */
template <class T> static double greatest_difference(const void *peer, size_t n) {
    const weft_binding names[] = {{"x", dtype_of<T>(), v, NULL}, {"y", dtype_of<T>(), peer, NULL}};
    weft_expr *e;
    ok(weft_expr_compile(ctx, "abs(x - y)", &e));
    ok(weft_map_reduce(ctx, WEFT_MAX, e, dtype_of<T>(), WEFT_DEFAULT, n, names, 2, out));
    weft_expr_free(e);
    return (double)value_at<T>(out);
}

/* ------------------------------------------------------------------------------------ laplace */

template <class T> static __global__ void sweep_kernel(const T *from, T *to, int n) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), j = (int)(blockIdx.y * blockDim.y + threadIdx.y),
              k = (int)(blockIdx.z * blockDim.z + threadIdx.z);
    const size_t row = (size_t)n, layer = row * row, at = i + j * row + k * layer;
    if (i >= n || j >= n || k >= n) return;
    if (i == 0 || i == n - 1 || j == 0 || j == n - 1 || k == 0 || k == n - 1)
        to[at] = from[at];
    else
        to[at] =
            (from[at - 1] + from[at + 1] + from[at - row] + from[at + row] + from[at - layer] + from[at + layer]) *
            (T)(1 / 6.0);
}

template <class T> static work plain_sweeps(int n, dim3 block) {
    const dim3 grid((n + block.x - 1) / block.x, (n + block.y - 1) / block.y, (n + block.z - 1) / block.z);
    return [=] {
        for (int s = 0; s < SWEEPS; s++)
            sweep_kernel<T><<<grid, block, 0, stream>>>((T *)(s == 0 ? u : s % 2 ? p : q), (T *)(s % 2 ? q : p), n);
    };
}

/* Returns the sweeps with the fastest block shape. */
template <class T> static work best_sweeps(int n) {
    work best;
    double least = INFINITY, seconds[2];
    for (const dim3 &block : {dim3(32, 8, 1), dim3(64, 4, 1), dim3(128, 2, 1), dim3(32, 4, 2), dim3(16, 4, 4)}) {
        const work w = plain_sweeps<T>(n, block);
        take_turns(w, work(), seconds);
        if (seconds[0] < least) best = w;
        least = std::min(least, seconds[0]);
    }
    return best;
}

template <class T> static void laplace_row(int edge) {
    const size_t n = (size_t)edge, points = n * n * n;
    const std::string name = "laplace " + std::to_string(edge) + "^3 " + weft_dtype_name(dtype_of<T>());
    fill<T>(points);
    row(
        name.c_str(), measure{(double)points * SWEEPS, "Gpoint/s", 0, NULL},
        [=] { ok(weft_laplace(ctx, dtype_of<T>(), n, n, n, SWEEPS, u, v, NULL)); }, "a thread a point",
        best_sweeps<T>(edge));
    expect(greatest_difference<T>(SWEEPS % 2 ? p : q, points) == 0, "Laplace's grids");
}

/* Solves from faces of 1 to a residual of 1e-6. With `compared`, compares with weft's own over-relaxation. */
template <class T> static void solve_row(int edge, bool compared) {
    const size_t n = (size_t)edge;
    const std::string name = "multigrid " + std::to_string(edge) + "^3 " + weft_dtype_name(dtype_of<T>());
    const auto solved = [=](weft_laplace_method method) {
        const size_t most = method == WEFT_MULTIGRID ? 50 : 5000; /* an upper bound far above the needed number */
        return [=] {
            size_t done;
            double residual;
            ok(weft_laplace_solve(ctx, method, dtype_of<T>(), n, n, n, 0, 1e-6, most, u, v, &done, &residual));
            expect(residual <= 1e-6, "a solution's residual is above the tolerance");
        };
    };
    fill_shell<T>(edge);
    row(name.c_str(), measure{(double)(n * n * n), "Gpoint/s", 0, NULL}, solved(WEFT_MULTIGRID), "weft's SOR",
        compared ? work(solved(WEFT_SOR)) : work());
}

/* --------------------------------------------------------------------------------------- heat */

/* Solves backward Euler's (2 + lambda) w[i] - w[i-1] - w[i+1] = lambda w[i] along lines of n points with stride
 * `step`. r contains the reciprocals of the pivots. */
template <class T>
static __global__ void thomas_kernel(const T *from, T *to, const T *r, T lambda, size_t lines, int n, size_t step) {
    const size_t line = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (line >= lines) return;
    const size_t first = line % step + line / step * step * n;
    T w = 0;
    for (int i = 0; i < n; i++) {
        w = (lambda * from[first + i * step] + w) * r[i];
        to[first + i * step] = w;
    }
    for (int i = n - 2; i >= 0; i--) {
        w = to[first + i * step] + r[i] * w;
        to[first + i * step] = w;
    }
}

/* Runs the peer on grids with n points along each axis. In one dimension there are many lines. */
template <class T> static work plain_heat(int dimensions, int n, size_t points) {
    static T *pivots;
    std::vector<T> r((size_t)n);
    for (int i = 0; i < n; i++) r[(size_t)i] = 1 / (3 - (i ? r[(size_t)i - 1] : 0));
    ok(cudaFree(pivots));
    ok(cudaMalloc((void **)&pivots, r.size() * sizeof(T)));
    ok(cudaMemcpy(pivots, r.data(), r.size() * sizeof(T), cudaMemcpyHostToDevice));
    const size_t lines = points / (size_t)n;
    return [=] {
        for (int s = 0; s < STEPS; s++) {
            size_t step = 1;
            for (int axis = 0; axis < dimensions; axis++, step *= (size_t)n)
                thomas_kernel<T><<<(unsigned)((lines + 127) / 128), 128, 0, stream>>>(
                    (T *)(s || axis ? p : u), (T *)p, pivots, (T)1, lines, n, step);
        }
    };
}

template <class T> static void heat_row(int dimensions, int edge, weft_heat_method method) {
    static const double lambda[] = {1, 1, 1};
    const size_t n = (size_t)edge, shape[] = {n, n, n};
    const size_t points = dimensions == 1 ? (size_t)1 << 26 : dimensions == 2 ? n * n : n * n * n;
    const size_t batch_size = dimensions == 1 ? points / n : 1;
    const bool euler = method == WEFT_BACKWARD_EULER;
    const double updates = (double)points * STEPS, bytes = updates * 2 * sizeof(T) * dimensions;
    const std::string name = "heat " +
                             (dimensions == 1 ? "lines of " + std::to_string(edge)
                                              : std::to_string(edge) + "^" + std::to_string(dimensions)) +
                             " " + weft_dtype_name(dtype_of<T>()) + (euler ? "" : ", C.-N.");
    fill<T>(points);
    row(
        name.c_str(), measure{updates, "Gpoint/s", bytes, &copying},
        [=] {
            ok(weft_heat(ctx, method, dtype_of<T>(), (size_t)dimensions, shape, batch_size, lambda, STEPS, u, v));
        },
        "Thomas, a thread a line", euler ? plain_heat<T>(dimensions, edge, points) : work());
    if (euler) expect(greatest_difference<T>(p, points) < 1e-4, "the heat equation's grids");
}

int main(void) {
    open_gpu();
    for (char **grid : {&u, &v, &p, &q}) ok(cudaMalloc((void **)grid, POINTS * sizeof(float)));
    ok(cudaMalloc(&out, 256));
    find_ceilings(u, v, (size_t)1 << 30);
    laplace_row<float>(1024);
    laplace_row<float>(512);
    laplace_row<float>(255);
    laplace_row<double>(512);
    solve_row<double>(129, true);
    solve_row<double>(257, true);
    solve_row<double>(513, false);
    solve_row<float>(513, false);
    for (weft_heat_method method : {WEFT_BACKWARD_EULER, WEFT_CRANK_NICOLSON}) {
        heat_row<float>(1, 128, method);
        heat_row<float>(1, 512, method);
        heat_row<float>(2, 4096, method);
        heat_row<float>(3, 512, method);
        heat_row<double>(3, 256, method);
    }
    for (void *grid : {(void *)u, (void *)v, (void *)p, (void *)q, out}) ok(cudaFree(grid));
    weft_close(ctx);
    return 0;
}
