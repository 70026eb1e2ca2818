#include "verify/bins.h"

#include "core/types.h"
#include "verify/sorted.h"

#include <math.h>
#include <string.h>

static double real(weft_dtype dtype, const void *x) {
    return dtype == WEFT_F32 ? (double)*(const float *)x : *(const double *)x;
}

static uint64_t bits_of_real(weft_dtype dtype, double v) {
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
        return (bin_bounds){bits_of_real(dtype, reals[turn % 6].lower), bits_of_real(dtype, reals[turn % 6].upper)};
    if (turn % 5 < 4) return integers[turn % 5];
    return type_is_signed(dtype) ? (bin_bounds){sign, sign - 1} : (bin_bounds){0, 2 * sign - 1};
}

/* Sets *b to two elements of the array in ascending order. Returns false if they are not a valid range. */
static bool found_bounds(const match_case *c, size_t bins, bin_bounds *b) {
    uint64_t pair[2] = {0}, bits[2] = {0};
    const size_t size = weft_dtype_size(c->dtype);
    input_fill(c->kind, c->dtype, c->seed * MATCH_INPUTS, 2, pair);
    for (size_t i = 0; i < 2; i++) memcpy(&bits[i], (char *)pair + i * size, size);
    const bool ascend = sorted_key(c->dtype, pair, 0) < sorted_key(c->dtype, pair, 1);
    *b = ascend ? (bin_bounds){bits[0], bits[1]} : (bin_bounds){bits[1], bits[0]};
    if (bits[0] == bits[1]) return false;
    if (!type_is_float(c->dtype)) return true;
    const double width = real(c->dtype, &b->upper) - real(c->dtype, &b->lower);
    return width > 0 && isfinite(width) && isfinite((double)bins / width);
}

bin_bounds bins_bounds(const match_case *c, size_t bins) {
    bin_bounds b;
    if (c->turn % 3 == 0 && found_bounds(c, bins, &b)) return b;
    return fixed_bounds(c->dtype, c->turn / 3);
}

size_t bins_edges(const match_case *c, size_t n, void *to) {
    const size_t size = weft_dtype_size(c->dtype);
    char *const x = to;
    size_t count = 0;
    input_fill(c->turn % 2 ? c->kind : INPUT_PATTERNS, c->dtype, c->seed * MATCH_INPUTS, n, x);
    input_fill(INPUT_PATTERNS, c->dtype, c->seed + 99, 2, x + (n - 1) * size);
    if (!sorted_sort(c->dtype, n + 1, x)) return 0;
    for (size_t i = 0; i <= n; i++) {
        const bool nan = type_is_float(c->dtype) && isnan(real(c->dtype, x + i * size));
        const bool zero = type_is_float(c->dtype) && count && real(c->dtype, x + i * size) == 0 &&
                          real(c->dtype, x + (count - 1) * size) == 0;
        if (nan || zero || (count && memcmp(x + i * size, x + (count - 1) * size, size) == 0)) continue;
        memmove(x + count++ * size, x + i * size, size);
    }
    if (count >= 2) return count;
    const bin_bounds b = fixed_bounds(c->dtype, 0);
    memcpy(x, &b.lower, size);
    memcpy(x + size, &b.upper, size);
    return 2;
}
