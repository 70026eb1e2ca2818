/* Tests reductions, variances and dot products of f16 and bf16: types, errors, and values whose bits a second
 * rounding, an overflow, a subnormal number or a NaN would change. The expected values follow from the definitions.
 * Usage: api_half_reductions DEVICE. */
#include "tests/expect.h"

#include <math.h>
#include <stdlib.h>

enum { MANY = 1 << 17, FEW = 40 };

static weft_context *ctx;
static uint16_t x[MANY];

/* Bits of f16 and bf16. */
typedef struct format {
    weft_dtype dtype;
    const char *name;
    uint16_t one, above_one, largest, infinity, nan, other_nan, least, minus_zero;
} format;
static const format FORMATS[] = {
    {WEFT_F16, "f16", 0x3c00, 0x3c01, 0x7bff, 0x7c00, 0x7e00, 0xfc01, 0x0001, 0x8000},
    {WEFT_BF16, "bf16", 0x3f80, 0x3f81, 0x7f7f, 0x7f80, 0x7fc0, 0xff81, 0x0001, 0x8000},
};

static uint64_t reduced(weft_op op, const format *f, weft_dtype accumulate, size_t n) {
    uint64_t out = 0;
    EXPECT_STATUS(ctx, weft_reduce(ctx, op, f->dtype, accumulate, n, x, &out), WEFT_OK);
    return out;
}

static void expect_bits(const format *f, const char *what, uint64_t found, uint64_t expected) {
    EXPECT(found == expected, "%s of %s: %#llx, expected %#llx", what, f->name, (unsigned long long)found,
           (unsigned long long)expected);
}

static uint32_t bits_of(float v) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static void types(const format *f) {
    weft_dtype result = WEFT_DEFAULT;
    uint64_t out;
    EXPECT(weft_reduce_result(WEFT_SUM, f->dtype, WEFT_DEFAULT, &result) == WEFT_OK && result == f->dtype, "%s",
           f->name);
    EXPECT(weft_reduce_result(WEFT_MEAN, f->dtype, WEFT_F32, &result) == WEFT_OK && result == WEFT_F32, "%s",
           f->name);
    EXPECT(weft_reduce_result(WEFT_NORM2, f->dtype, WEFT_F64, &result) == WEFT_OK && result == WEFT_F64, "%s",
           f->name);
    EXPECT(weft_reduce_result(WEFT_ARGMAX, f->dtype, WEFT_DEFAULT, &result) == WEFT_OK && result == WEFT_U64, "%s",
           f->name);
#define REFUSED(op, accumulate, words) \
    EXPECT_ERROR(ctx, weft_reduce(ctx, op, f->dtype, accumulate, 3, x, &out), WEFT_UNSUPPORTED, words)
    REFUSED(WEFT_SUM, WEFT_EXACT_SUM, "16 cannot accumulate in exact");
    REFUSED(WEFT_SUM, WEFT_I64, "16 cannot accumulate in i64");
    REFUSED(WEFT_SUM, f->dtype, "16 cannot accumulate in");
    REFUSED(WEFT_MAX, WEFT_F32, "16 cannot accumulate in f32");
    REFUSED(WEFT_XOR, WEFT_DEFAULT, "xor requires integer elements, not");
    EXPECT_ERROR(ctx, weft_variance(ctx, f->dtype, WEFT_EXACT_SUM, 3, 0, x, &out), WEFT_UNSUPPORTED,
                 "16 cannot accumulate in exact");
    EXPECT_ERROR(ctx, weft_reduce(ctx, (weft_op)16, f->dtype, WEFT_DEFAULT, 3, x, &out), WEFT_INVALID,
                 "invalid op 16");
    EXPECT_ERROR(ctx, weft_reduce(ctx, WEFT_MIN, f->dtype, WEFT_DEFAULT, 0, x, &out), WEFT_EMPTY,
                 "min of 0 elements is undefined");
    EXPECT_ERROR(ctx, weft_dot(ctx, f->dtype, WEFT_EXACT_SUM, 3, x, x, &out), WEFT_UNSUPPORTED,
                 "16 cannot accumulate in exact");
    EXPECT_ERROR(ctx, weft_reduce(ctx, WEFT_SUM, f->dtype, WEFT_DEFAULT, 3, (char *)x + 1, &out), WEFT_INVALID,
                 "not aligned to its 2-byte elements");
}

static void empty(const format *f) {
    expect_bits(f, "the sum of nothing", reduced(WEFT_SUM, f, WEFT_DEFAULT, 0), 0);
    expect_bits(f, "the product of nothing", reduced(WEFT_PROD, f, WEFT_DEFAULT, 0), f->one);
    expect_bits(f, "the product of nothing in f32", reduced(WEFT_PROD, f, WEFT_F32, 0), bits_of(1));
    expect_bits(f, "the norm of nothing", reduced(WEFT_NORM2, f, WEFT_DEFAULT, 0), 0);
    expect_bits(f, "all of nothing", reduced(WEFT_ALL, f, WEFT_DEFAULT, 0), 1);
}

/* Sums that exceed the range of the type, or need more digits than it has, are computed in f32. */
static void sums(const format *f) {
    for (size_t i = 0; i < FEW; i++) x[i] = f->largest;
    if (f->dtype == WEFT_F16) {
        expect_bits(f, "a sum above the range", reduced(WEFT_SUM, f, WEFT_DEFAULT, 2), f->infinity);
        expect_bits(f, "a sum above the range, in f32", reduced(WEFT_SUM, f, WEFT_F32, 2), bits_of(2 * 65504.0F));
        x[1] = (uint16_t)(f->largest | 0x8000);
        x[2] = f->one;
        x[0] = 0x7bff;
        expect_bits(f, "a sum with cancellation", reduced(WEFT_SUM, f, WEFT_DEFAULT, 3), f->one);
    }
    for (size_t i = 0; i < FEW; i++) x[i] = f->minus_zero;
    expect_bits(f, "a sum of negative zeros", reduced(WEFT_SUM, f, WEFT_DEFAULT, FEW), f->minus_zero);
    for (size_t i = 0; i < FEW; i++) x[i] = f->least;
    expect_bits(f, "a sum of subnormal numbers", reduced(WEFT_SUM, f, WEFT_DEFAULT, FEW), FEW);
    expect_bits(f, "the mean of subnormal numbers", reduced(WEFT_MEAN, f, WEFT_DEFAULT, FEW), f->least);
    expect_bits(f, "nonzero numbers", reduced(WEFT_COUNT_NONZERO, f, WEFT_DEFAULT, FEW), FEW);
}

static void special(const format *f) {
    for (size_t i = 0; i < FEW; i++) x[i] = f->one;
    x[FEW - 2] = (uint16_t)(f->infinity | 0x8000);
    expect_bits(f, "the minimum", reduced(WEFT_MIN, f, WEFT_DEFAULT, FEW), f->infinity | 0x8000U);
    expect_bits(f, "the greatest magnitude", reduced(WEFT_NORMINF, f, WEFT_DEFAULT, FEW), f->infinity);
    x[FEW - 2] = 0;
    x[FEW - 1] = f->minus_zero;
    expect_bits(f, "the minimum of zeros", reduced(WEFT_MIN, f, WEFT_DEFAULT, FEW), f->minus_zero);
    expect_bits(f, "its index", reduced(WEFT_ARGMIN, f, WEFT_DEFAULT, FEW), FEW - 1);
    x[7] = f->other_nan;
    for (int op = WEFT_SUM; op <= WEFT_NORMINF; op++) {
        if (op >= WEFT_ARGMIN && op <= WEFT_COUNT_NONZERO) continue;
        expect_bits(f, "a reduction with a NaN", reduced((weft_op)op, f, WEFT_DEFAULT, FEW), f->nan);
    }
    expect_bits(f, "the index of a NaN", reduced(WEFT_ARGMAX, f, WEFT_DEFAULT, FEW), 7);
}

/* Results that are evaluated in f64 are rounded to the type of the elements once. The mean is above the middle of 1
 * and the next number by 2^-17 units. Rounded to f32 it is at the middle, from which the even number is 1. */
static void rounded_once(const format *f) {
    uint64_t variance = 0;
    for (size_t i = 0; i < MANY; i++) x[i] = i < MANY / 2 - 1 ? f->one : f->above_one;
    expect_bits(f, "a mean", reduced(WEFT_MEAN, f, WEFT_DEFAULT, MANY), f->above_one);
    expect_bits(f, "a mean in f32", reduced(WEFT_MEAN, f, WEFT_F32, MANY),
                bits_of(f->dtype == WEFT_F16 ? 1 + 0x1p-11F : 1 + 0x1p-8F));
    for (size_t i = 0; i < 4; i++) x[i] = i % 2 ? f->one : (uint16_t)(f->one | 0x8000);
    EXPECT_STATUS(ctx, weft_variance(ctx, f->dtype, WEFT_DEFAULT, 4, 0, x, &variance), WEFT_OK);
    expect_bits(f, "a variance", variance, f->one);
}

/* Elements that are two apart: as f32 they would be other numbers. */
static void apart(const format *f) {
    const size_t shape[] = {FEW};
    uint16_t out = 0;
    const int axis = 0;
    weft_view vx, vy;
    for (size_t i = 0; i < 2 * FEW; i++) x[i] = i % 2 ? f->nan : f->one;
    EXPECT_STATUS(NULL, weft_view_of(f->dtype, 1, shape, x, &vx), WEFT_OK);
    EXPECT_STATUS(NULL, weft_view_of(f->dtype, 0, shape, &out, &vy), WEFT_OK);
    vx.stride[0] = 4;
    EXPECT_STATUS(ctx, weft_reduce_axes(ctx, WEFT_PROD, WEFT_DEFAULT, &vx, 1, &axis, &vy), WEFT_OK);
    expect_bits(f, "a product of elements with gaps", out, f->one);
}

static uint64_t dot(const format *f, weft_dtype accumulate, size_t n, const uint16_t *y) {
    uint64_t out = 0;
    EXPECT_STATUS(ctx, weft_dot(ctx, f->dtype, accumulate, n, x, y, &out), WEFT_OK);
    return out;
}

/* Products are not rounded to the type of the elements: (1 + u)^2 - 1 is 2 u + u^2 in f32. */
static void products(const format *f) {
    uint16_t y[FEW];
    const float u = f->dtype == WEFT_F16 ? 0x1p-10F : 0x1p-7F;
    expect_bits(f, "a dot product of nothing", dot(f, WEFT_DEFAULT, 0, y), 0);
    x[0] = y[0] = f->above_one;
    x[1] = f->one;
    y[1] = (uint16_t)(f->one | 0x8000);
    expect_bits(f, "a dot product in f32", dot(f, WEFT_F32, 2, y), bits_of(2 * u + u * u));
    expect_bits(f, "a dot product", dot(f, WEFT_DEFAULT, 2, y), f->dtype == WEFT_F16 ? 0x1800 : 0x3c80);
    for (size_t i = 0; i < FEW; i++) x[i] = f->minus_zero, y[i] = f->one;
    expect_bits(f, "a dot product of negative zeros", dot(f, WEFT_DEFAULT, FEW, y), f->minus_zero);
    x[7] = f->other_nan;
    expect_bits(f, "a dot product with a NaN", dot(f, WEFT_DEFAULT, FEW, y), f->nan);
}

int main(int argc, char **argv) {
    if (!EXPECT_STATUS(NULL, weft_open(&ctx, argc > 1 ? argv[1] : "cpu"), WEFT_OK)) return 1;
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++) {
        const format *const f = &FORMATS[i];
        types(f);
        empty(f);
        sums(f);
        special(f);
        rounded_once(f);
        apart(f);
        products(f);
    }
    weft_close(ctx);
    return expect_end();
}
