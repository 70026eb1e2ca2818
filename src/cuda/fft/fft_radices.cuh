/* The transform of p values, p an odd prime (ORDER.md 14.9). */
#ifndef WEFT_CUDA_FFT_RADICES_CUH
#define WEFT_CUDA_FFT_RADICES_CUH

#include "core/backend.h"
#include "cuda/fft/complex.cuh"

enum { RADIX_POINTS = FFT_RADIX_MOST / 2 + 1 };

/* C(j) and S(j), j < COUNT. */
template <typename T, int COUNT> struct radix_constants { T cosine[COUNT], sine[COUNT]; };

/* load(c) returns number c, and store(c, v) stores result c. P: p, or 0 for any p. */
template <typename T, int P, int COUNT, typename Load, typename Store>
static __device__ __forceinline__ void transform_points(const radix_constants<T, COUNT> &j, int any_p, Load load,
                                                        Store store) {
    const int p = P ? P : any_p, half = p / 2;
    number<T> s[P ? P / 2 + 1 : RADIX_POINTS], d[P ? P / 2 + 1 : RADIX_POINTS];
    const number<T> first = load(0);
    number<T> sum = first;
#pragma unroll
    for (int k = 1; k <= half; k++) {
        const number<T> a = load(k), b = load(p - k);
        s[k] = number<T>{a.re + b.re, a.im + b.im};
        d[k] = number<T>{a.re - b.re, a.im - b.im};
        sum = number<T>{sum.re + s[k].re, sum.im + s[k].im};
    }
    store(0, sum);
#pragma unroll
    for (int c = 1; c <= half; c++) {
        number<T> u = {fma(j.cosine[c], s[1].re, first.re), fma(j.cosine[c], s[1].im, first.im)};
        number<T> v = {j.sine[c] * d[1].re, j.sine[c] * d[1].im};
#pragma unroll
        for (int k = 2; k <= half; k++) {
            const int angle = c * k % p, at = angle > half ? p - angle : angle;
            const T sine = angle > half ? -j.sine[at] : j.sine[at];
            u = number<T>{fma(j.cosine[at], s[k].re, u.re), fma(j.cosine[at], s[k].im, u.im)};
            v = number<T>{fma(sine, d[k].re, v.re), fma(sine, d[k].im, v.im)};
        }
        store(c, number<T>{u.re + v.im, u.im - v.re});
        store(p - c, number<T>{u.re - v.im, u.im + v.re});
    }
}

#endif
