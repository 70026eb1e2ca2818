/* Kinds of element types, and arithmetic on sizes. Contains no arithmetic on elements, so that the specification
 * (src/ref) may include it. In CUDA, host code only. */
#ifndef WEFT_CORE_TYPES_H
#define WEFT_CORE_TYPES_H

#include "weft.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum type_kind { KIND_SIGNED, KIND_UNSIGNED, KIND_FLOAT } type_kind;

/* Returns true for f32 and f64. */
static inline bool type_is_float(weft_dtype dtype) { return dtype == WEFT_F32 || dtype == WEFT_F64; }

/* Returns true for the floats of 16 bits, which some operations support. */
static inline bool type_is_half(weft_dtype dtype) { return dtype == WEFT_F16 || dtype == WEFT_BF16; }

/* Returns true for all floats: f16, bf16, f32 and f64. */
static inline bool type_is_real(weft_dtype dtype) { return type_is_float(dtype) || type_is_half(dtype); }

/* Returns f32 for f16 and bf16, whose values it has; all other types are returned unchanged. */
static inline weft_dtype type_widened(weft_dtype dtype) { return type_is_half(dtype) ? WEFT_F32 : dtype; }

/* Returns the bits of +Inf of a float type, or 0 for an integer type. */
static inline uint64_t type_infinity(weft_dtype dtype) {
    switch (dtype) {
    case WEFT_F16: return 0x7c00;
    case WEFT_BF16: return 0x7f80;
    case WEFT_F32: return UINT32_C(0x7f800000);
    case WEFT_F64: return UINT64_C(0x7ff0000000000000);
    default: return 0;
    }
}

/* Returns true for i8, i16, i32 and i64. */
static inline bool type_is_signed(weft_dtype dtype) { return dtype >= WEFT_I8 && dtype <= WEFT_I64; }

/* Returns true for u8, u16, u32 and u64. */
static inline bool type_is_unsigned(weft_dtype dtype) { return dtype >= WEFT_U8 && dtype <= WEFT_U64; }

/* The functions below accept size_t and uint64_t. */
static inline uint64_t min_u64(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline uint64_t max_u64(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Returns a * b, or the largest size_t if the product exceeds it. */
static inline size_t saturated_product(size_t a, size_t b) {
    size_t product;
    return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product;
}

/* Returns n / size, rounded up. size must not be 0. */
/* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): the analyzer does not know the call structs' preconditions */
static inline uint64_t ceil_div(uint64_t n, uint64_t size) { return n / size + (n % size != 0); }

/* Returns the smallest multiple of `size` that is not less than n. size must not be 0. */
static inline uint64_t round_up(uint64_t n, uint64_t size) { return ceil_div(n, size) * size; }

#endif
