#include "verify/bins.h"

#include "arith/halves.h"
#include "core/byte_order.h"
#include "core/types.h"
#include "verify/sorted.h"

#include <math.h>
#include <string.h>

static double real(weft_dtype dtype, const void *x) {
    return dtype == WEFT_F32 ? (double)*(const float *)x : *(const double *)x;
}

/* Returns a number that begins with the bytes of an element. */
static uint64_t element_of_real(weft_dtype dtype, double v) {
    const float narrow = (float)v;
    uint64_t bits = 0;
    if (dtype == WEFT_F32)
        memcpy(&bits, &narrow, sizeof narrow);
    else
        memcpy(&bits, &v, sizeof v);
    return bits;
}

/* Returns one of several ranges that split every kind of input. */
static bin_bounds fixed_bounds(weft_dtype dtype, uint64_t turn) {
    static const struct {
        double lower, upper;
    } reals[] = {{0, 1}, {-1000000, 1000000}, {-1e38, 1e38}, {-0.0, 1e-40}, {-2, 2}, {0.1, 0.7}};
    static const bin_bounds integers[] = {{0, 127}, {1, 3}, {0, 1}, {17, 100}};
    const uint64_t sign = UINT64_C(1) << (8 * weft_dtype_size(dtype) - 1);
    if (type_is_float(dtype))
        return (bin_bounds){element_of_real(dtype, reals[turn % 6].lower),
                            element_of_real(dtype, reals[turn % 6].upper)};
    bin_bounds b = type_is_signed(dtype) ? (bin_bounds){sign, sign - 1} : (bin_bounds){0, 2 * sign - 1};
    if (turn % 5 < 4) b = integers[turn % 5];
    bits_store(&b.lower, weft_dtype_size(dtype), b.lower);
    bits_store(&b.upper, weft_dtype_size(dtype), b.upper);
    return b;
}

/* Fills x with n elements of the type of edges. Those of f16 and bf16 have values of these types, or any of f32. */
static void fill(const match_case *c, input_kind kind, uint64_t seed, size_t n, void *x) {
    const weft_dtype dtype = type_widened(c->dtype);
    const bool widen = dtype != c->dtype && c->turn / 4 % 2;
    input_fill(kind, widen ? c->dtype : dtype, seed, n, x);
    for (size_t i = n; widen && i-- > 0;) {
        const uint16_t bits = (uint16_t)bits_load((const char *)x + i * sizeof bits, sizeof bits);
        const float value = c->dtype == WEFT_F16 ? weft_from_bits_f16(bits) : weft_from_bits_bf16(bits);
        memcpy((char *)x + i * sizeof value, &value, sizeof value);
    }
}

/* Sets *b to two elements of the array in ascending order. Returns false if they are not a valid range. */
static bool found_bounds(const match_case *c, size_t bins, bin_bounds *b) {
    uint64_t pair[2] = {0}, bits[2] = {0};
    const weft_dtype dtype = type_widened(c->dtype);
    const size_t size = weft_dtype_size(dtype);
    fill(c, c->kind, c->seed * MATCH_INPUTS, 2, pair);
    for (size_t i = 0; i < 2; i++) memcpy(&bits[i], (char *)pair + i * size, size);
    const bool ascend = sorted_key(dtype, pair, 0) < sorted_key(dtype, pair, 1);
    *b = ascend ? (bin_bounds){bits[0], bits[1]} : (bin_bounds){bits[1], bits[0]};
    if (bits[0] == bits[1]) return false;
    if (!type_is_float(dtype)) return true;
    const double width = real(dtype, &b->upper) - real(dtype, &b->lower);
    return width > 0 && isfinite(width) && isfinite((double)bins / width);
}

bin_bounds bins_bounds(const match_case *c, size_t bins) {
    bin_bounds b;
    if (c->turn % 3 == 0 && found_bounds(c, bins, &b)) return b;
    return fixed_bounds(type_widened(c->dtype), c->turn / 3);
}

size_t bins_edges(const match_case *c, size_t n, void *to) {
    const weft_dtype dtype = type_widened(c->dtype);
    const size_t size = weft_dtype_size(dtype);
    char *const x = to;
    size_t count = 0;
    fill(c, c->turn % 2 ? c->kind : INPUT_PATTERNS, c->seed * MATCH_INPUTS, n, x);
    fill(c, INPUT_PATTERNS, c->seed + 99, 2, x + (n - 1) * size);
    if (!sorted_sort(dtype, n + 1, x)) return 0;
    for (size_t i = 0; i <= n; i++) {
        const bool nan = type_is_float(dtype) && isnan(real(dtype, x + i * size));
        const bool zero = type_is_float(dtype) && count && real(dtype, x + i * size) == 0 &&
                          real(dtype, x + (count - 1) * size) == 0;
        if (nan || zero || (count && memcmp(x + i * size, x + (count - 1) * size, size) == 0)) continue;
        memmove(x + count++ * size, x + i * size, size);
    }
    if (count >= 2) return count;
    const bin_bounds b = fixed_bounds(dtype, 0);
    memcpy(x, &b.lower, size);
    memcpy(x + size, &b.upper, size);
    return 2;
}
