/* Exercise own: z = a x + y, with one kernel for five types
 *
 * `solve` is called with arrays of float, of double, of int, of long long
 * and of unsigned short. Write one kernel, `template <class T> __global__
 * void ...`, and the body of `launch`, which starts it for any of these
 * types. Each type computes in its own precision: the elements of double
 * must not be rounded to float on the way, and the products of long long
 * need more than 32 bits. A float result is the product, rounded, plus y,
 * rounded.
 *
 * Hint: `template <class T>` precedes the kernel as it precedes `launch`.
 * The parameters of type float, float * and const float * become T, T * and
 * const T *.
 *
 * Hint: In a call `kernel<<<blocks, threads>>>(n, a, x, y, z)` the compiler
 * finds T from the arguments.
 *
 * Hint: Every variable that holds an element or a product has type T.
 *
 * Sizes: 1 2 31 32 33 255 256 257 1000 10007; 16777216 on a GPU
 */
#include <cuda_runtime.h>

/* Blank: a kernel for any type T */
template <class T>
__global__ void scale_and_add(size_t n, T a, const T *x, const T *y, T *z) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const T product = a * x[i];
    z[i] = product + y[i];
}
/* End of blank */

template <class T>
static void launch(size_t n, T a, const T *x, const T *y, T *z) {
    /* Blank: its launch */
    scale_and_add<<<(unsigned)((n + 255) / 256), 256>>>(n, a, x, y, z);
    /* End of blank */
}

void solve(size_t n, float a, const float *x, const float *y, float *z) {
    launch(n, a, x, y, z);
}
void solve(size_t n, double a, const double *x, const double *y,
           double *z) {
    launch(n, a, x, y, z);
}
void solve(size_t n, int a, const int *x, const int *y, int *z) {
    launch(n, a, x, y, z);
}
void solve(size_t n, long long a, const long long *x, const long long *y,
           long long *z) {
    launch(n, a, x, y, z);
}
void solve(size_t n, unsigned short a, const unsigned short *x,
           const unsigned short *y, unsigned short *z) {
    launch(n, a, x, y, z);
}

/* Check */
#include "climb.h"

void solve(size_t n, float a, const float *x, const float *y, float *z);
void solve(size_t n, double a, const double *x, const double *y, double *z);
void solve(size_t n, int a, const int *x, const int *y, int *z);
void solve(size_t n, long long a, const long long *x, const long long *y,
           long long *z);
void solve(size_t n, unsigned short a, const unsigned short *x,
           const unsigned short *y, unsigned short *z);

/* The arrays of one type. */
template <class T> struct data {
    T a;
    std::vector<T> expected;
    const T *x, *y;
    T *z;

    data(climb &c, T factor, const std::vector<T> &xs,
         const std::vector<T> &ys)
        : a(factor), expected(c.n) {
        for (size_t i = 0; i < c.n; i++)
            expected[i] = (T)((T)(a * xs[i]) + ys[i]);
        x = c.input(xs);
        y = c.input(ys);
        z = c.output<T>(c.n);
    }
    void run(size_t n) const { solve(n, a, x, y, z); }
};

/* Returns whole numbers of n elements, multiplied by `scale`. */
template <class T>
static std::vector<T> wide(size_t n, unsigned seed, T scale) {
    std::vector<T> values;
    for (const int v : ladder_values<int>(n, seed))
        values.push_back((T)((T)v * scale));
    return values;
}

void check_exercise(climb &c) {
    const size_t n = c.n;
    const unsigned s = c.seed;
    const data<float> f(c, 0.3f, ladder_values<float>(n, s),
                        ladder_values<float>(n, s + 1));
    const data<double> d(c, 0.3, ladder_values<double>(n, s),
                         ladder_values<double>(n, s + 1));
    const data<int> w(c, 70001, wide(n, s, 29), wide(n, s + 1, 100003));
    const data<long long> l(c, 12345678901ll, wide(n, s, 300007ll),
                            wide(n, s + 1, 1ll << 40));
    const data<unsigned short> u(c, 7, wide<unsigned short>(n, s, 61),
                                 wide<unsigned short>(n, s + 1, 3));
    c.work(3.0 * (4 + 8 + 4 + 8 + 2) * (double)n, 0);
    const ladder_claim right = [&] {
        std::string said = c.holds(f.z, f.expected);
        if (!said.empty()) return "float: " + said;
        if (!(said = c.holds(d.z, d.expected)).empty())
            return "double: " + said;
        if (!(said = c.holds(w.z, w.expected)).empty())
            return "int: " + said;
        if (!(said = c.holds(l.z, l.expected)).empty())
            return "long long: " + said;
        return (said = c.holds(u.z, u.expected)).empty()
                   ? said
                   : "unsigned short: " + said;
    };
    c.rung("own", right,
           [&] { f.run(n), d.run(n), w.run(n), l.run(n), u.run(n); });
}
