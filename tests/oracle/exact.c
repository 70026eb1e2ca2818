/* Compares minima, maxima, indices, bits, counts and integer sums with loops of a different design than the
 * specification's: they compare keys that are 128-bit integers, not floats. */
#include "core/types.h"
#include "tests/oracle/oracle.h"

#include <inttypes.h>

typedef __int128 key;

static uint64_t bits_of(weft_dtype dtype, const void *x, size_t i) {
    const size_t size = weft_dtype_size(dtype);
    uint64_t bits = 0;
    memcpy(&bits, (const char *)x + i * size, size);
    return bits;
}

static bool is_nan(weft_dtype dtype, uint64_t bits) {
    if (dtype == WEFT_F32) return (bits & 0x7fffffff) > 0x7f800000;
    return dtype == WEFT_F64 && (bits & INT64_MAX) > UINT64_C(0x7ff0000000000000);
}

/* Returns a key that increases with the element: -1 for -0, 0 for +0. */
static key key_of(weft_dtype dtype, uint64_t bits) {
    const int width = (int)weft_dtype_size(dtype) * 8;
    const uint64_t sign = UINT64_C(1) << (width - 1);
    if (type_is_float(dtype)) return bits & sign ? -1 - (key)(bits ^ sign) : (key)bits;
    return type_is_signed(dtype) && (bits & sign) ? (key)bits - ((key)1 << width) : (key)bits;
}

typedef struct truth {
    size_t argmin, argmax;
    uint64_t min, max, and, or, xor, count, sum, prod;
} truth;

static uint64_t canonical(weft_dtype dtype, uint64_t bits) {
    if (!is_nan(dtype, bits)) return bits;
    return dtype == WEFT_F32 ? 0x7fc00000 : UINT64_C(0x7ff8000000000000);
}

static truth compute(weft_dtype dtype, size_t n, const void *x) {
    truth t = {.and = UINT64_MAX, .prod = 1};
    bool nan = false;
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = bits_of(dtype, x, i);
        const key k = key_of(dtype, bits);
        if (!nan && k < key_of(dtype, bits_of(dtype, x, t.argmin))) t.argmin = i;
        if (!nan && k > key_of(dtype, bits_of(dtype, x, t.argmax))) t.argmax = i;
        if (!nan && is_nan(dtype, bits)) {
            nan = true;
            t.argmin = t.argmax = i;
        }
        t.and &= bits;
        t.or |= bits;
        t.xor ^= bits;
        t.count += type_is_float(dtype) ? (k != 0 && k != -1) : k != 0;
        t.sum += (uint64_t)k;
        t.prod *= (uint64_t)k;
    }
    t.min = canonical(dtype, bits_of(dtype, x, t.argmin));
    t.max = canonical(dtype, bits_of(dtype, x, t.argmax));
    return t;
}

static void check(weft_context *ctx, weft_op op, weft_dtype dtype, size_t n, const void *x, input_kind kind,
                  uint64_t wanted, size_t bytes) {
    uint64_t found = 0;
    if (!EXPECT_STATUS(ctx, weft_reduce(ctx, op, dtype, WEFT_DEFAULT, n, x, &found), WEFT_OK)) return;
    if (bytes < 8) wanted &= (UINT64_C(1) << 8 * bytes) - 1;
    EXPECT(found == wanted, "%s of %s, n = %zu, input %s: 0x%" PRIx64 ", wanted 0x%" PRIx64, weft_op_name(op),
           weft_dtype_name(dtype), n, input_name(kind), found, wanted);
}

static void check_array(weft_context *ctx, weft_dtype dtype, size_t n, const void *x, input_kind kind) {
    const truth t = compute(dtype, n, x);
    const size_t size = weft_dtype_size(dtype);
    check(ctx, WEFT_MIN, dtype, n, x, kind, t.min, size);
    check(ctx, WEFT_MAX, dtype, n, x, kind, t.max, size);
    check(ctx, WEFT_ARGMIN, dtype, n, x, kind, t.argmin, 8);
    check(ctx, WEFT_ARGMAX, dtype, n, x, kind, t.argmax, 8);
    check(ctx, WEFT_ANY, dtype, n, x, kind, t.count > 0, 1);
    check(ctx, WEFT_ALL, dtype, n, x, kind, t.count == n, 1);
    check(ctx, WEFT_COUNT_NONZERO, dtype, n, x, kind, t.count, 8);
    if (type_is_float(dtype)) return;
    check(ctx, WEFT_AND, dtype, n, x, kind, t.and, size);
    check(ctx, WEFT_OR, dtype, n, x, kind, t.or, size);
    check(ctx, WEFT_XOR, dtype, n, x, kind, t.xor, size);
    check(ctx, WEFT_SUM, dtype, n, x, kind, t.sum, 8);
    check(ctx, WEFT_PROD, dtype, n, x, kind, t.prod, 8);
}

int main(int argc, char **argv) {
    static uint64_t x[20557];
    static const size_t sizes[] = {1, 2, 3, 127, 128, 4097, 20557};
    weft_context *ctx = oracle_open(argc, argv);
    for (int d = WEFT_I8; d <= WEFT_F64; d++)
        for (int k = 0; k < INPUT_COUNT; k++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                for (uint64_t seed = 1; seed <= 4; seed++) {
                    if (!input_fits((input_kind)k, (weft_dtype)d)) continue;
                    input_fill((input_kind)k, (weft_dtype)d, seed, sizes[s], x);
                    check_array(ctx, (weft_dtype)d, sizes[s], x, (input_kind)k);
                }
    weft_close(ctx);
    return expect_end();
}
