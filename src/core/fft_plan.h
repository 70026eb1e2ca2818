/* Tables of the transforms whose length is not a power of two (ORDER.md 14.7 to 14.11). A context keeps those of the
 * last lengths. */
#ifndef WEFT_CORE_FFT_PLAN_H
#define WEFT_CORE_FFT_PLAN_H

#include "core/context.h"

enum { FFT_PASSES_MOST = 40, FFT_PRIMES_MOST = 16 }; /* 3^40 < 2^64; the product of the first 16 odd primes > 2^64 */

/* Plan of a complex transform of n values. */
typedef struct fft_plan {
    weft_dtype dtype;
    bool real;           /* also for a real transform of 2n values: tables + half contains c, t of 14.5, f <= n/2 */
    size_t n, m, length; /* n = m length; m is odd and length a power of two */
    size_t padded;       /* M of 14.10, or 0 for 14.8 */
    size_t passes;       /* of 14.8 */
    fft_radix radices[FFT_PASSES_MOST];
    size_t twiddles[FFT_PASSES_MOST]; /* of each pass: index of its factors in `tables`, in complex numbers */
    fft_points points[FFT_PRIMES_MOST];
    size_t factors;      /* index of W(q r, n) of 14.8, of g of 14.10 */
    size_t filter, half; /* index of H of 14.10; of c and t of 14.5 */
    char *tables;        /* device memory */
    size_t bytes;
    /* Calls of the backend for one transform, FFT_RADICES of all passes, in which only the arrays are missing: for a
     * transform, for its inverse, and for the inverse that is part of a real one (14.11). */
    fft_pass_call one[3];
    bool takes_one; /* the backend takes these calls; false if they have not been made */
} fft_plan;

/* Finds or makes the plan of n values; n is not a power of two. It remains valid during the call. */
weft_status fft_find_plan(weft_context *ctx, weft_dtype dtype, size_t n, bool real, fft_plan **plan,
                          weft_error *error);

/* Returns the address of complex number `index` of the tables. */
static inline const void *fft_table(const fft_plan *p, size_t index) {
    return p->tables + index * 2 * (p->dtype == WEFT_F32 ? sizeof(float) : sizeof(double));
}

/* Returns the factor 1 / divisor of an inverse, rounded to the type, or half of it (14.11). */
static inline double fft_scale(weft_dtype dtype, size_t divisor, bool half) {
    const double factor = 1 / (double)divisor;
    return (dtype == WEFT_F32 ? (double)(float)factor : factor) / (half ? 2 : 1);
}

/* Frees all plans. */
void fft_free_plans(weft_context *ctx);
/* Returns the bytes of all tables. */
size_t fft_plan_bytes(const weft_context *ctx);

#endif
