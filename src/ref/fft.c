/* The definition of weft_fft (ORDER.md 14). */
#include "ref/common/array.h"
#include "ref/common/twiddle.h"
#include "ref/ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RADIX_MOST = 97 };

static bool is_power_of_two(size_t n) { return (n & (n - 1)) == 0; }

static size_t odd_part(size_t n) {
    while (n % 2 == 0) n /= 2;
    return n;
}

/* Returns the largest prime factor of an odd number n > 1. */
static size_t largest_factor(size_t n) {
    for (size_t p = 3; p * p <= n; p += 2)
        while (n > p && n % p == 0) n /= p;
    return n;
}

/* Returns m(f): the binary digits of f in reverse order. n is 2^k and f < n. */
static size_t mirrored(size_t f, size_t n) {
    size_t m = 0;
    for (; n > 1; n /= 2, f /= 2) m = 2 * m + f % 2;
    return m;
}

/* f32 uses functions of f64. */
#define REAL double
#define FMA fma
#define DTYPE WEFT_F64
#define OF(name) name##_f64
#include "ref/bodies/butterflies_body.h"

#include "ref/bodies/fft_body.h"
#undef REAL
#undef FMA
#undef DTYPE
#undef OF

#define REAL float
#define FMA fmaf
#define DTYPE WEFT_F32
#define OF(name) name##_f32
#include "ref/bodies/butterflies_body.h"

#include "ref/bodies/fft_body.h"

weft_status ref_fft(void *state, const fft_call *c, weft_error *error) {
    (void)state;
    return c->dtype == WEFT_F32 ? fft_f32(c, error) : fft_f64(c, error);
}

weft_status ref_fft_blocks(void *state, const fft_blocks_call *c, weft_error *error) {
    (void)state;
    return c->dtype == WEFT_F32 ? blocks_f32(c, error) : blocks_f64(c, error);
}
