#include "tests/oracle/oracle.h"

#include <math.h>
#include <stdlib.h>

weft_context *oracle_open(int argc, char **argv) {
    weft_context *ctx;
    const char *device = argc > 1 ? argv[1] : "ref";
    if (weft_open(&ctx, device) == WEFT_OK) return ctx;
    printf("%s: %s\n", device, weft_last_error(NULL));
    exit(1);
}

/* The digits of f16 and bf16, and the exponent of their least number. */
static int digits_of(weft_dtype dtype) { return dtype == WEFT_F16 ? 11 : 8; }
static int least_of(weft_dtype dtype) { return dtype == WEFT_F16 ? -24 : -133; }

static double half_value(weft_dtype dtype, uint16_t bits) {
    const int one = 1 << (digits_of(dtype) - 1), field = (bits & 0x7fff) / one, fraction = bits % one;
    const double finite = ldexp(field ? one + fraction : fraction, least_of(dtype) + (field ? field - 1 : 0));
    const double v = field < 0x7fff / one ? finite : fraction ? (double)NAN : (double)INFINITY;
    return bits >> 15 ? -v : v;
}

/* Returns the bits of v >= 0. */
static uint16_t half_magnitude(weft_dtype dtype, double v) {
    const int digits = digits_of(dtype), least = least_of(dtype), infinity = 0x7fff >> (digits - 1) << (digits - 1);
    int unit = least;
    if (isinf(v)) return (uint16_t)infinity;
    while (ldexp(v, -unit) >= (double)(1 << digits)) unit++;
    const int bits = (unit - least) * (1 << (digits - 1)) + (int)rint(ldexp(v, -unit)); /* rounds to nearest even */
    return (uint16_t)(bits < infinity ? bits : infinity);
}

void oracle_store(weft_dtype dtype, double v, void *out) {
    const uint32_t nan32 = 0x7fc00000;
    const uint64_t nan64 = UINT64_C(0x7ff8000000000000);
    const float narrow = isnan(v) ? 0 : (float)v;
    uint16_t half = dtype == WEFT_F16 ? 0x7e00 : 0x7fc0;
    if (dtype == WEFT_F32)
        memcpy(out, isnan(v) ? (const void *)&nan32 : &narrow, sizeof narrow);
    else if (dtype == WEFT_F64)
        memcpy(out, isnan(v) ? (const void *)&nan64 : &v, sizeof v);
    else {
        if (!isnan(v)) half = (uint16_t)(half_magnitude(dtype, fabs(v)) | (signbit(v) ? 0x8000 : 0));
        memcpy(out, &half, sizeof half);
    }
}

wide oracle_element(weft_dtype dtype, const void *x, size_t i) {
    if (dtype == WEFT_F16 || dtype == WEFT_BF16) return (wide)half_value(dtype, ((const uint16_t *)x)[i]);
#define TYPE(ID, name, ctype, kind, npy) \
    if (dtype == WEFT_##ID) return (wide)((const ctype *)x)[i];
#include "core/types.def"
    return 0;
}

double oracle_factor(size_t n, double epsilon) { return (39 + log2((double)n / 4096)) * epsilon / 2; }
