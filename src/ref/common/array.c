#include "ref/common/array.h"
#include "core/types.h"

#include <string.h>

double ref_real(array x, size_t i) {
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
    const uint32_t nan32 = WEFT_NAN_F32;
    const uint64_t nan64 = WEFT_NAN_F64;
    if (dtype == WEFT_F32)
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
