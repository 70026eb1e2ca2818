#include "ref/common/array.h"
#include "core/types.h"

#include <math.h>
#include <string.h>

int ref_digits(weft_dtype dtype) {
    return dtype == WEFT_F16 ? 11 : dtype == WEFT_BF16 ? 8 : dtype == WEFT_F32 ? 24 : 53;
}

int ref_least(weft_dtype dtype) {
    return dtype == WEFT_F16 ? -24 : dtype == WEFT_BF16 ? -133 : dtype == WEFT_F32 ? -149 : -1074;
}

/* Returns the value of an f16 or bf16. A NaN may become any NaN. */
static double half_value(weft_dtype dtype, unsigned bits) {
    const int digits = ref_digits(dtype), field = (int)(bits & 0x7fff) >> (digits - 1);
    const int one = 1 << (digits - 1), fraction = (int)bits & (one - 1);
    double v = ldexp(field ? fraction + one : fraction, ref_least(dtype) + (field ? field - 1 : 0));
    if (field == 0x7fff >> (digits - 1)) v = fraction ? (double)NAN : (double)INFINITY;
    return bits >> 15 ? -v : v;
}

/* Returns the bits of v, rounded to f16 or bf16. */
static uint16_t half_bits(weft_dtype dtype, double v) {
    const int digits = ref_digits(dtype), least = ref_least(dtype), one = 1 << (digits - 1);
    const int infinity = 0x7fff >> (digits - 1) << (digits - 1);
    int exponent, bits = infinity;
    if (isnan(v)) return dtype == WEFT_F16 ? WEFT_NAN_F16 : WEFT_NAN_BF16;
    if (isfinite(v)) {
        (void)frexp(v, &exponent);
        const int unit = v == 0 || exponent - digits < least ? least : exponent - digits;
        bits = (int)nearbyint(ldexp(fabs(v), -unit)) + (unit - least) * one;
        if (bits > infinity) bits = infinity;
    }
    return (uint16_t)(bits | (signbit(v) ? 0x8000 : 0));
}

double ref_real(array x, size_t i) {
    if (type_is_half(x.dtype)) return half_value(x.dtype, ((const uint16_t *)x.p)[i]);
    if (x.dtype == WEFT_F32) return ((const float *)x.p)[i];
    if (x.dtype == WEFT_F64) return ((const double *)x.p)[i];
    const uint64_t v = ref_integer(x, i);
    return type_is_signed(x.dtype) ? (double)(int64_t)v : (double)v;
}

uint64_t ref_integer(array x, size_t i) {
    switch (x.dtype) {
    case WEFT_I8: return (uint64_t)((const int8_t *)x.p)[i];
    case WEFT_I16: return (uint64_t)((const int16_t *)x.p)[i];
    case WEFT_I32: return (uint64_t)((const int32_t *)x.p)[i];
    case WEFT_I64: return (uint64_t)((const int64_t *)x.p)[i];
    case WEFT_U8: return ((const uint8_t *)x.p)[i];
    case WEFT_U16: return ((const uint16_t *)x.p)[i];
    case WEFT_U32: return ((const uint32_t *)x.p)[i];
    case WEFT_U64: return ((const uint64_t *)x.p)[i];
    default: return 0;
    }
}

void ref_store_real(weft_dtype dtype, double v, void *out) {
    const float rounded = (float)v;
    const uint16_t half = type_is_half(dtype) ? half_bits(dtype, v) : 0;
    const uint32_t nan32 = WEFT_NAN_F32;
    const uint64_t nan64 = WEFT_NAN_F64;
    if (type_is_half(dtype))
        memcpy(out, &half, sizeof half);
    else if (dtype == WEFT_F32)
        memcpy(out, v != v ? (const void *)&nan32 : &rounded, sizeof rounded);
    else
        memcpy(out, v != v ? (const void *)&nan64 : &v, sizeof v);
}

void ref_store_integer(weft_dtype dtype, uint64_t v, void *out) {
    const uint8_t v8 = (uint8_t)v;
    const uint16_t v16 = (uint16_t)v;
    const uint32_t v32 = (uint32_t)v;
    switch (weft_dtype_size(dtype)) {
    case 1: memcpy(out, &v8, sizeof v8); break;
    case 2: memcpy(out, &v16, sizeof v16); break;
    case 4: memcpy(out, &v32, sizeof v32); break;
    default: memcpy(out, &v, sizeof v); break;
    }
}
