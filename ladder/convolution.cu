/* Topic convolution: y[i] = the sum of s[i + j] f[5 - j],
 * j = -5 ... 5, for n numbers
 *
 * A filter of 11 taps moves along a signal. It smooths or sharpens the
 * signal, or adds an echo. Elements outside the signal count as 0. Each
 * element of the signal is used for 11 adjacent outputs, and the kernel
 * should read it from memory only once. The work is 22 n operations in 11
 * steps. The traffic is 2 n elements.
 *
 * A long filter is faster with Fourier transforms, because their work grows
 * with the logarithm of its length. `transform` shows the method. For 11
 * taps it is not yet faster.
 *
 * Order: the direct rungs start with 0 and add for j = -5, -4, ..., 5. They
 * use fused multiply-adds, and all give the same bits. `transform` rounds
 * other intermediate results and has its own order.
 */
#include "climb.h"

#include <algorithm>
#include <limits>
#include <math.h>

constexpr unsigned THREADS = 256, TAPS = 11, REACH = TAPS / 2;

/* The filter in reverse, as it is applied along the signal: f[k] multiplies
 * the signal's element i - 5 + k. */
template <class T> struct taps { T f[TAPS]; };

template <class T>
__host__ __device__ T element(size_t n, const T *s, size_t i) {
    return i < n ? s[i] : (T)0;
}

template <class T>
static std::vector<T> order_of_taps(const std::vector<T> &s,
                                    const taps<T> &filter) {
    std::vector<T> y(s.size());
    ladder_in_parts(y.size(), [&](size_t i, size_t end) {
        for (; i < end; i++)
            for (size_t k = 0; k < TAPS; k++)
                y[i] = fma(element(s.size(), s.data(), i + k - REACH),
                           filter.f[k], y[i]);
    });
    return y;
}

/* Rung one-output: a thread for each output
 *
 * Each thread traverses the filter. Filter and signal are both in memory,
 * so there are two reads per multiplication. A single test detects elements
 * outside the signal: i - 5 is computed in `size_t`, where -1 is larger
 * than any n.
 */
template <class T>
__global__ void convolve_one_output(size_t n, const T *s, const T *f,
                                    T *y) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) return;
    T sum = 0;
    for (unsigned k = 0; k < TAPS; k++)
        sum = fma(element(n, s, i + k - REACH), f[k], sum);
    y[i] = sum;
}

template <class T>
static void one_output(size_t n, const T *s, const T *f, T *y) {
    const unsigned blocks = (unsigned)blocks_for<size_t>(n, THREADS);
    convolve_one_output<<<blocks, THREADS>>>(n, s, f, y);
}

/* Faulty rung no-edges: the test for the ends is forgotten
 *
 * The first five outputs read before the signal, and the last five read
 * after it. These addresses are usually valid, so the GPU reports no error.
 * Only the ends of the result are wrong. This rung runs only on the
 * executor, which checks every access.
 */
template <class T>
__global__ void convolve_without_edges(size_t n, const T *s, const T *f,
                                       T *y) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) return;
    T sum = 0;
    for (unsigned k = 0; k < TAPS; k++)
        sum = fma(s[i + k - REACH], f[k], sum);
    y[i] = sum;
}

template <class T>
static void no_edges(size_t n, const T *s, const T *f, T *y) {
    const unsigned blocks = (unsigned)blocks_for<size_t>(n, THREADS);
    convolve_without_edges<<<blocks, THREADS>>>(n, s, f, y);
}

/* Rung arguments: the filter among the kernel's arguments
 *
 * All threads read the same tap at the same time. Constant memory is made
 * for this access: one read serves a warp. The arguments of a kernel are in
 * constant memory. Every GPU allows 4 KiB of arguments, and a struct may
 * contain an array. For larger filters, use `__constant__` and
 * `cudaMemcpyToSymbol`. The loop has a fixed number of iterations, so the
 * compiler can compute every address.
 */
template <class T>
__global__ void convolve_by_arguments(size_t n, const T *s, taps<T> filter,
                                      T *y) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) return;
    T sum = 0;
    for (unsigned k = 0; k < TAPS; k++)
        sum = fma(element(n, s, i + k - REACH), filter.f[k], sum);
    y[i] = sum;
}

template <class T>
static void arguments(size_t n, const T *s, const taps<T> &filter, T *y) {
    const unsigned blocks = (unsigned)blocks_for<size_t>(n, THREADS);
    convolve_by_arguments<<<blocks, THREADS>>>(n, s, filter, y);
}

/* Rung shared: the block's part of the signal in shared memory
 *
 * 256 outputs need 256 + 10 elements. Each thread loads one element, and
 * the first ten threads load another one. Elements outside the signal are
 * zeros. After a barrier, no thread needs a test. An element is read from
 * memory 1.04 times instead of 11 times.
 *
 * This was much faster on the GPUs of the original texts, which had no
 * cache for these reads. An H200 has such a cache. There `arguments` takes
 * 0.073 ms for 2^24 elements of f32, and this rung takes 0.089 ms. Before
 * you use a known method, find out why it was fast.
 */
template <class T>
__device__ void load_part(size_t n, const T *s, size_t first, T *part,
                          unsigned count) {
    for (unsigned t = threadIdx.x; t < count; t += THREADS)
        part[t] = element(n, s, first + t - REACH);
    __syncthreads();
}

template <class T>
__global__ void convolve_in_shared(size_t n, const T *s, taps<T> filter,
                                   T *y) {
    __shared__ T part[THREADS + TAPS - 1];
    const size_t first = (size_t)blockIdx.x * THREADS;
    load_part(n, s, first, part, THREADS + TAPS - 1);
    T sum = 0;
    for (unsigned k = 0; k < TAPS; k++)
        sum = fma(part[threadIdx.x + k], filter.f[k], sum);
    if (first + threadIdx.x < n) y[first + threadIdx.x] = sum;
}

template <class T>
static void shared(size_t n, const T *s, const taps<T> &filter, T *y) {
    const unsigned blocks = (unsigned)blocks_for<size_t>(n, THREADS);
    convolve_in_shared<<<blocks, THREADS>>>(n, s, filter, y);
}

/* Faulty rung seams: each block with its own 256 elements
 *
 * A block that loads only the elements of its own outputs uses zeros for
 * the elements of the adjacent blocks. At each border between two blocks,
 * five outputs on either side are wrong. These are 4 % of the outputs, and
 * they are difficult to see in a plot of the result.
 */
template <class T>
__global__ void convolve_with_seams(size_t n, const T *s, taps<T> filter,
                                    T *y) {
    __shared__ T part[THREADS];
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    part[threadIdx.x] = element(n, s, i);
    __syncthreads();
    T sum = 0;
    for (unsigned k = 0; k < TAPS; k++)
        sum =
            fma(element<T>(THREADS, part, threadIdx.x + k - (size_t)REACH),
                filter.f[k], sum);
    if (i < n) y[i] = sum;
}

template <class T>
static void seams(size_t n, const T *s, const taps<T> &filter, T *y) {
    const unsigned blocks = (unsigned)blocks_for<size_t>(n, THREADS);
    convolve_with_seams<<<blocks, THREADS>>>(n, s, filter, y);
}

/* Rung four-outputs: four adjacent outputs per thread
 *
 * Four adjacent outputs need only 14 elements. Computed one by one, they
 * would read 44. A thread reads the 14 elements into registers and computes
 * its four outputs from them. So each multiplication takes a third of a
 * read of shared memory instead of a whole one.
 *
 * Thread t begins at word 4 t, so the threads of a warp access each bank in
 * groups of four. An even number of outputs per thread causes such
 * conflicts, and an odd number does not.
 */
template <class T>
__global__ void convolve_four_outputs(size_t n, const T *s, taps<T> filter,
                                      T *y) {
    constexpr unsigned EACH = 4, PART = EACH * THREADS + TAPS - 1;
    __shared__ T part[PART];
    const size_t first = (size_t)blockIdx.x * EACH * THREADS;
    const size_t mine = first + threadIdx.x * EACH;
    load_part(n, s, first, part, PART);
    T near[EACH + TAPS - 1];
    for (unsigned k = 0; k < EACH + TAPS - 1; k++)
        near[k] = part[threadIdx.x * EACH + k];
    for (unsigned o = 0; o < EACH; o++) {
        T sum = 0;
        for (unsigned k = 0; k < TAPS; k++)
            sum = fma(near[o + k], filter.f[k], sum);
        if (mine + o < n) y[mine + o] = sum;
    }
}

template <class T>
static void four_outputs(size_t n, const T *s, const taps<T> &filter,
                         T *y) {
    const unsigned blocks = (unsigned)blocks_for<size_t>(n, 4 * THREADS);
    convolve_four_outputs<<<blocks, THREADS>>>(n, s, filter, y);
}

/* Rung transform: Fourier transforms of 256 points
 *
 * The transform of a convolution is the product of the transforms. But a
 * transform gives a circular convolution: in a block of 256, the end wraps
 * around to the beginning. So a block loads 256 elements, and the first ten
 * of them belong to the previous block. It discards the first ten results,
 * which contain the wrapped end. So each block has 246 outputs. This method
 * is called overlap-save. The classic program uses a single block, with 6
 * zeros for the wrapped part. For 50 elements and 11 taps it needs a length
 * of at least 55.
 *
 * 128 threads compute one butterfly each and then wait at a barrier. They
 * do this eight times. The results of the forward transform are in
 * bit-reversed order, and the inverse transform takes them in this order.
 * The product is element by element, so no reordering is needed. The
 * transform of the filter is computed once, by the same code. It is divided
 * by 256, the factor of an inverse transform.
 *
 * Order: forward, half = 128, 64, ..., 1: the pair (a, b) at a distance of
 * half becomes a + b and (a - b) w. Then the product with the transform of
 * the filter. Inverse, half = 1, 2, ..., 128: a + b conj(w) and a - b
 * conj(w). A product of complex numbers is (x u - y v, x v + y u). Each of
 * the two parts rounds three times.
 */
constexpr unsigned POINTS = 256, PAIRS = POINTS / 2;
constexpr unsigned OUTPUTS = POINTS - (TAPS - 1);

template <class T> struct complex_number { T x, y; };
template <class T>
__host__ __device__ complex_number<T> times(complex_number<T> a,
                                            complex_number<T> b) {
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

/* An array of 256 complex numbers. */
template <class T> struct points {
    T x[POINTS], y[POINTS];
    __host__ __device__ complex_number<T> at(unsigned p) const {
        return {x[p], y[p]};
    }
    __host__ __device__ void put(unsigned p, complex_number<T> v) {
        x[p] = v.x, y[p] = v.y;
    }
};

/* Computes butterfly t of the 128 with pairs `half` apart. w[k] is exp(-2
 * pi i k / 256). */
template <class T>
__host__ __device__ void butterfly(points<T> *z, unsigned t, unsigned half,
                                   const complex_number<T> *w) {
    const unsigned k = t % half, p = t / half * 2 * half + k;
    const complex_number<T> a = z->at(p), b = z->at(p + half);
    const complex_number<T> d = {a.x - b.x, a.y - b.y};
    z->put(p, {a.x + b.x, a.y + b.y});
    z->put(p + half, times(d, w[k * (PAIRS / half)]));
}
template <class T>
__host__ __device__ void butterfly_back(points<T> *z, unsigned t,
                                        unsigned half,
                                        const complex_number<T> *w) {
    const unsigned k = t % half, p = t / half * 2 * half + k;
    const complex_number<T> f = w[k * (PAIRS / half)], a = z->at(p);
    const complex_number<T> b = times(z->at(p + half), {f.x, -f.y});
    z->put(p, {a.x + b.x, a.y + b.y});
    z->put(p + half, {a.x - b.x, a.y - b.y});
}

template <class T>
__device__ void transform(points<T> *z, const complex_number<T> *w) {
    for (unsigned half = PAIRS; half > 0; half /= 2) {
        __syncthreads();
        butterfly(z, threadIdx.x, half, w);
    }
    __syncthreads();
}
template <class T>
__device__ void transform_back(points<T> *z, const complex_number<T> *w) {
    for (unsigned half = 1; half < POINTS; half *= 2) {
        __syncthreads();
        butterfly_back(z, threadIdx.x, half, w);
    }
    __syncthreads();
}

/* Computes the filter's transform of length 256: the taps, beginning with
 * f[0], and then zeros. */
template <class T>
__global__ void transform_filter(taps<T> filter, const complex_number<T> *w,
                                 points<T> *spectrum) {
    __shared__ points<T> z;
    for (unsigned p = threadIdx.x; p < POINTS; p += PAIRS)
        z.put(p, {p < TAPS ? filter.f[TAPS - 1 - p] / POINTS : (T)0, 0});
    transform(&z, w);
    for (unsigned p = threadIdx.x; p < POINTS; p += PAIRS)
        spectrum->put(p, z.at(p));
}

/* Block b computes the `outputs` outputs that begin at b * outputs. They
 * are the last of its 256 results. */
template <class T>
__global__ void
convolve_by_transform(size_t n, const T *s, const complex_number<T> *w,
                      const points<T> *spectrum, unsigned outputs, T *y) {
    __shared__ points<T> z;
    const size_t first = (size_t)blockIdx.x * outputs;
    const unsigned skipped = POINTS - outputs;
    for (unsigned p = threadIdx.x; p < POINTS; p += PAIRS)
        z.put(p, {element(n, s, first + p + REACH - skipped), 0});
    transform(&z, w);
    for (unsigned p = threadIdx.x; p < POINTS; p += PAIRS)
        z.put(p, times(z.at(p), spectrum->at(p)));
    transform_back(&z, w);
    for (unsigned p = threadIdx.x; p < POINTS; p += PAIRS)
        if (p >= skipped && first + p - skipped < n)
            y[first + p - skipped] = z.x[p];
}

template <class T>
static void by_transform(size_t n, const T *s, const taps<T> &filter,
                         const complex_number<T> *w, points<T> *spectrum,
                         unsigned outputs, T *y) {
    transform_filter<<<1, PAIRS>>>(filter, w, spectrum);
    const unsigned blocks = (unsigned)blocks_for<size_t>(n, outputs);
    convolve_by_transform<<<blocks, PAIRS>>>(n, s, w, spectrum, outputs, y);
}

/* Computes exp(-2 pi i k / 256), k = 0 ... 127: repeated square roots,
 * beginning with -1, and then products. */
template <class T> static std::vector<complex_number<T>> roots() {
    std::vector<complex_number<double>> w(PAIRS, {1, 0});
    complex_number<double> root = {0, -1}; /* exp(-2 pi i / 4) */
    for (unsigned k = PAIRS / 2; k > 0; k /= 2) {
        for (unsigned i = 0; i < PAIRS; i++)
            if (i & k) w[i] = times(w[i], root);
        const double half = sqrt((1 + root.x) / 2);
        root = {half, root.y / (2 * half)};
    }
    std::vector<complex_number<T>> rounded;
    for (const auto &v : w) rounded.push_back({(T)v.x, (T)v.y});
    return rounded;
}

template <class T>
static std::vector<T>
order_of_transform(const std::vector<T> &s, const taps<T> &filter,
                   const std::vector<complex_number<T>> &w) {
    const auto forward = [&](points<T> *z) {
        for (unsigned half = PAIRS; half > 0; half /= 2)
            for (unsigned t = 0; t < PAIRS; t++)
                butterfly(z, t, half, w.data());
    };
    points<T> spectrum = {};
    for (unsigned p = 0; p < TAPS; p++)
        spectrum.x[p] = filter.f[TAPS - 1 - p] / POINTS;
    forward(&spectrum);
    std::vector<T> y(s.size());
    const auto block = [&](size_t first) {
        points<T> z;
        for (unsigned p = 0; p < POINTS; p++)
            z.put(p, {element(s.size(), s.data(), first + p - REACH), 0});
        forward(&z);
        for (unsigned p = 0; p < POINTS; p++)
            z.put(p, times(z.at(p), spectrum.at(p)));
        for (unsigned half = 1; half < POINTS; half *= 2)
            for (unsigned t = 0; t < PAIRS; t++)
                butterfly_back(&z, t, half, w.data());
        for (unsigned o = 0; o < OUTPUTS && first + o < s.size(); o++)
            y[first + o] = z.x[o + TAPS - 1];
    };
    ladder_in_parts(blocks_for<size_t>(s.size(), OUTPUTS),
                    [&](size_t b, size_t end) {
                        for (; b < end; b++) block(b * OUTPUTS);
                    });
    return y;
}

/* Faulty rung wrapped: all 256 results of a block are used
 *
 * The blocks of 256 elements do not overlap, and all of their results are
 * used. The beginning of each block contains the wrapped end of the same
 * block. The missing step is the padding. In the classic program, the
 * padding is a separate function.
 */
template <class T>
static void wrapped(size_t n, const T *s, const taps<T> &filter,
                    const complex_number<T> *w, points<T> *spectrum, T *y) {
    by_transform(n, s, filter, w, spectrum, POINTS, y);
}

/* Rung known-answers: fifty values of the classic program
 *
 * The data are 50 elements of signal and then 11 of filter, from `rand()`.
 * The 1st, 26th and 50th value of the convolution are known, and so is the
 * sum of all values. The rung computes them directly and by `transform`.
 */
static std::string known_answers(climb &c) {
    const std::vector<int> numbers = ladder_gnu_rand(50 + TAPS);
    std::vector<double> signal(50), y(50);
    taps<double> filter;
    for (size_t i = 0; i < 50; i++) signal[i] = numbers[i] / 2147483647.0;
    for (unsigned k = 0; k < TAPS; k++)
        filter.f[TAPS - 1 - k] = numbers[50 + k] / 2147483647.0;
    const double *const s = c.input(signal);
    const complex_number<double> *const w = c.input(roots<double>());
    points<double> *const spectrum = c.output<points<double>>(1);
    double *const to = c.output<double>(y.size()), sums[2];
    for (int way = 0; way < 2; way++) {
        if (way == 0) shared(y.size(), s, filter, to);
        if (way == 1)
            by_transform(y.size(), s, filter, w, spectrum, OUTPUTS, to);
        c.fetch(y.data(), to, y.size() * sizeof y[0]);
        sums[way] = 0;
        for (const double v : y) sums[way] += v;
        if (!(fabs(y[0] - 1.499435505) < 1e-6 &&
              fabs(y[25] - 0.916361498) < 1e-6 &&
              fabs(y[49] - 0.813535299) < 1e-6 &&
              fabs(sums[way] - 89.638196955) < 1e-5))
            return "not the classic program's values";
    }
    char text[160];
    snprintf(text, sizeof text,
             "y[0] = %.9f, y[25] = %.9f, y[49] = %.9f; sums %.9f and %.9f",
             y[0], y[25], y[49], sums[0], sums[1]);
    return text;
}

/* Rung weft: weft_convolve, an operation of this library
 *
 * Filters of up to 64 taps are applied directly, and longer ones by
 * transforms of blocks. The choice depends only on the lengths (ORDER.md
 * 15). `weft_convolve` computes all n + 10 values. The rungs above compute
 * the n values in the middle.
 */
template <class T>
static weft_status weft_filter(weft_context *ctx, weft_dtype dtype,
                               size_t n, const T *s, const T *f, T *y) {
    return weft_convolve(ctx, WEFT_FULL, dtype, WEFT_REAL, n, s, TAPS, f,
                         y);
}

/* Rung cufft: cuFFT, NVIDIA's library of transforms,
 * for the whole signal at once
 *
 * This is the classic program. It loads cuFFT from the CUDA toolkit, if it
 * is installed. Signal and filter are padded with zeros to one length, and
 * the filter is rotated so that its middle is at 0. Both are transformed
 * and multiplied. The product is divided by the length and transformed
 * back.
 *
 * cuFFT is fast for lengths without a prime factor above 7, so the program
 * takes the next such length. In the classic program it is 56. Each of the
 * three transforms traverses the device memory several times. The blocks of
 * `transform` read the signal once. cuFFT does not state its order. So the
 * result must only be as close to the direct sums as rounding allows.
 */
#if !defined WEFT_EXECUTOR && __has_include(<cufft.h>)
#include <cufft.h>
#include <memory>

/* Rotates x so that element `middle` is at 0. The elements before it move
 * to the end. */
template <class T>
__global__ void fill_up(size_t n, const T *x, size_t middle, size_t length,
                        T *filled) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < length) filled[i] = element(n, x, (i + middle) % length);
}

template <class T>
__global__ void multiply_spectra(size_t count, T by,
                                 const complex_number<T> *f,
                                 complex_number<T> *s) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < count) s[i] = times(times(s[i], f[i]), {by, 0});
}

/* cuFFT's functions, and its plans for one length. */
template <class T> struct vendor_transforms {
    typedef cufftResult (*plan_call)(cufftHandle *, int, cufftType, int);
    typedef cufftResult (*forward_call)(cufftHandle, T *,
                                        complex_number<T> *);
    typedef cufftResult (*back_call)(cufftHandle, complex_number<T> *, T *);
    static constexpr bool SINGLE = sizeof(T) == sizeof(float);
    const ladder_library cufft{"libcufft.so"};
    const size_t length;
    cufftHandle forward, back;

    explicit vendor_transforms(size_t length_) : length(length_) {
        const plan_call plan = cufft.call<plan_call>("cufftPlan1d");
        const int number = (int)length;
        check(plan(&forward, number, SINGLE ? CUFFT_R2C : CUFFT_D2Z, 1));
        check(plan(&back, number, SINGLE ? CUFFT_C2R : CUFFT_Z2D, 1));
    }
    void there(T *x, complex_number<T> *z) const {
        const char *const name = SINGLE ? "cufftExecR2C" : "cufftExecD2Z";
        check(cufft.call<forward_call>(name)(forward, x, z));
    }
    void and_back(complex_number<T> *z, T *x) const {
        const char *const name = SINGLE ? "cufftExecC2R" : "cufftExecZ2D";
        check(cufft.call<back_call>(name)(back, z, x));
    }
    static void check(cufftResult result) {
        if (result != CUFFT_SUCCESS)
            throw std::runtime_error("cuFFT failed");
    }
};

template <class T>
static void by_cufft(size_t n, const T *s, const T *f, size_t length,
                     T *filled, complex_number<T> *spectra, T *y) {
    static std::unique_ptr<const vendor_transforms<T>> transforms;
    if (!transforms || transforms->length != length)
        transforms = std::make_unique<const vendor_transforms<T>>(length);
    const size_t count = length / 2 + 1;
    const unsigned blocks = (unsigned)blocks_for<size_t>(length, THREADS);
    fill_up<<<blocks, THREADS>>>((size_t)TAPS, f, (size_t)REACH, length,
                                 filled);
    transforms->there(filled, spectra + count);
    fill_up<<<blocks, THREADS>>>(n, s, (size_t)0, length, filled);
    transforms->there(filled, spectra);
    multiply_spectra<<<blocks, THREADS>>>(count, 1 / (T)length,
                                          spectra + count, spectra);
    transforms->and_back(spectra, filled);
    CUDA_CHECK(cudaMemcpyAsync(y, filled, n * sizeof(T),
                               cudaMemcpyDeviceToDevice));
}
#else
template <class T>
static void by_cufft(size_t, const T *, const T *, size_t, T *,
                     complex_number<T> *, T *) {
    throw ladder_absent("this build had no cufft.h");
}
#endif

/* Returns the smallest length that is at least `least` and has no prime
 * factor above 7. */
static size_t smooth_length(size_t least) {
    for (size_t length = least;; length++) {
        size_t rest = length;
        for (const size_t factor : {2, 3, 5, 7})
            while (rest % factor == 0) rest /= factor;
        if (rest == 1) return length;
    }
}

/* Exercises
 *
 * 1. Count the reads of memory and of shared memory of each rung in the
 *    table of the executor. Which ratio is 11? Which ratio is 44 to 14?
 * 2. Change `four-outputs` to five outputs. How do the bank conflicts
 *    change? How must `load_part` change?
 * 3. Count 10 operations per butterfly, and 22 n for 11 taps. From how many
 *    taps on does the transform take less work?
 * 4. With a real signal, half of the work of each butterfly is on zeros.
 *    Let a block transform two parts of the signal, one as x and one as y.
 *    Why are the two results separate at the end?
 * 5. What is y[0] in the circular convolution of 50 elements without
 *    padding?
 */

/* Climbing the rungs. */

/* Checks that every value is as close to the expected one as the rounding
 * of a transform allows. */
template <class T>
static std::string is_near(const std::vector<T> &y,
                           const std::vector<T> &right) {
    double largest = 0, error = 0;
    for (size_t i = 0; i < y.size(); i++) {
        largest = std::max(largest, fabs((double)right[i]));
        error = std::max(error, fabs((double)y[i] - (double)right[i]));
    }
    return error <= 64 * std::numeric_limits<T>::epsilon() *
                        std::max(largest, 1.0)
               ? ""
               : "too far from the taps' sums";
}

/* Runs the rung cufft on the topic's data: s and f on the device, y is the
 * output, `sums` are the expected values. */
template <class T>
static void climb_cufft(climb &c, const T *s, const T *f, T *y,
                        const std::vector<T> &sums) {
    const size_t n = c.n, length = smooth_length(n + TAPS - 1);
    T *const filled = c.output<T>(length);
    complex_number<T> *const spectra =
        c.output<complex_number<T>>(2 * (length / 2 + 1));
    const ladder_claim near = [&] {
        std::vector<T> got(n);
        c.fetch(got.data(), y, n * sizeof(T));
        return is_near(got, sums);
    };
    c.rung("cufft", near,
           [=] { by_cufft(n, s, f, length, filled, spectra, y); },
           {.most = (size_t)1 << 30, .gpu_only = true});
}

template <class T> static void climb_as(climb &c) {
    const size_t n = c.n;
    const std::vector<T> signal = ladder_values<T>(n, 1);
    const std::vector<T> filter = ladder_values<T>(TAPS, 2);
    taps<T> along;
    std::copy(filter.rbegin(), filter.rend(), along.f);
    const std::vector<complex_number<T>> turns = roots<T>();
    const T *const s = c.input(signal), *const forward = c.input(filter);
    const T *const f = c.input(std::vector<T>(along.f, along.f + TAPS));
    const complex_number<T> *const w = c.input(turns);
    points<T> *const spectrum = c.output<points<T>>(1);
    T *const y = c.output<T>(n), *const full = c.output<T>(n + TAPS - 1);
    c.work(2.0 * (double)(n * sizeof(T)), 2.0 * TAPS * (double)n);

    const std::vector<T> sums = order_of_taps(signal, along);
    const ladder_claim right = [&] { return c.holds(y, sums); };
    const ladder_claim transformed = [&] {
        const std::vector<T> expected =
            order_of_transform(signal, along, turns);
        const std::string said = c.holds(y, expected);
        return said.empty() ? is_near(expected, sums) : said;
    };
    c.rung("one-output", right, [=] { one_output(n, s, f, y); });
    c.faulty("no-edges", right, [=] { no_edges(n, s, f, y); },
             {.executor_only = true});
    c.rung("arguments", right, [=] { arguments(n, s, along, y); });
    c.rung("shared", right, [=] { shared(n, s, along, y); });
    c.faulty("seams", right, [=] { seams(n, s, along, y); },
             {.least = THREADS + 1});
    c.rung("four-outputs", right, [=] { four_outputs(n, s, along, y); });
    c.rung("transform", transformed,
           [=] { by_transform(n, s, along, w, spectrum, OUTPUTS, y); });
    c.faulty("wrapped", transformed,
             [=] { wrapped(n, s, along, w, spectrum, y); });
    c.lesson("known-answers", [&] { return known_answers(c); });

    const ladder_claim as_specified = [&] {
        std::vector<T> expected(n + TAPS - 1);
        c.specified(weft_filter(c.ref(), c.dtype, n, signal.data(),
                                filter.data(), expected.data()));
        return c.holds(full, expected);
    };
    c.weft("weft", as_specified, [=, &c](weft_context *ctx) {
        return weft_filter(ctx, c.dtype, n, s, forward, full);
    });
    climb_cufft(c, s, forward, y, sums);
}

void climb_convolution(climb &c) {
    if (c.dtype == WEFT_F64) return climb_as<double>(c);
    climb_as<float>(c);
}
