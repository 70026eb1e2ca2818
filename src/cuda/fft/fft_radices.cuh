/* The transform of p values, p an odd prime (ORDER.md 14.9). */
#ifndef WEFT_CUDA_FFT_RADICES_CUH
#define WEFT_CUDA_FFT_RADICES_CUH

#include "core/backend.h"
#include "cuda/fft/complex.cuh"

enum { RADIX_POINTS = FFT_RADIX_MOST / 2 + 1 };

/* C(j) and S(j), j < COUNT. */
template <typename T, int COUNT> struct radix_constants { T cosine[COUNT], sine[COUNT]; };

/* Transforms the p numbers v, and overwrites them; store(c, b) takes result c. P: p, or 0 for any p but 3. */
template <typename T, int P, int COUNT, typename Store>
static __device__ __forceinline__ void transform_points(const radix_constants<T, COUNT> &j, int any_p, number<T> *v,
                                                        Store store) {
    const int p = P ? P : any_p, half = p / 2;
    number<T> sum = v[0];
#pragma unroll
    for (int k = 1; k <= half; k++) {
        const number<T> a = v[k], b = v[p - k];
        v[k] = number<T>{a.re + b.re, a.im + b.im};
        v[p - k] = number<T>{a.re - b.re, a.im - b.im};
        sum = number<T>{sum.re + v[k].re, sum.im + v[k].im};
    }
    store(0, sum);
#pragma unroll
    for (int c = 1; c <= half; c++) {
        number<T> u = {fma(j.cosine[c], v[1].re, v[0].re), fma(j.cosine[c], v[1].im, v[0].im)};
        if (P == 3) {
            store(1, number<T>{fma(j.sine[1], v[2].im, u.re), fma(-j.sine[1], v[2].re, u.im)});
            store(2, number<T>{fma(-j.sine[1], v[2].im, u.re), fma(j.sine[1], v[2].re, u.im)});
            return;
        }
        number<T> d = {j.sine[c] * v[p - 1].re, j.sine[c] * v[p - 1].im};
#pragma unroll
        for (int k = 2; k <= half; k++) {
            const int angle = c * k % p, at = angle > half ? p - angle : angle;
            const T sine = angle > half ? -j.sine[at] : j.sine[at];
            u = number<T>{fma(j.cosine[at], v[k].re, u.re), fma(j.cosine[at], v[k].im, u.im)};
            d = number<T>{fma(sine, v[p - k].re, d.re), fma(sine, v[p - k].im, d.im)};
        }
        store(c, number<T>{u.re + d.im, u.im - d.re});
        store(p - c, number<T>{u.re - d.im, u.im + d.re});
    }
}

#endif
