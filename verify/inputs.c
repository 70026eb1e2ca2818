/* An element is generated as a bit pattern, then stored in 1, 2, 4 or 8 bytes. Kinds with a special element (a NaN,
 * an infinity, a zero) are generated in two steps: all elements, then the special one. */
#include "verify/inputs.h"
#include "core/byte_order.h"
#include "core/types.h"

enum { FLOATS, INTEGERS, BOTH };

static const struct {
    const char *name;
    int domain;
    bool random, large;
} KINDS[] = {
#define INPUT(ID, name, domain, random, large, text) {#name, domain, random, large},
#include "verify/inputs.def"
};

const char *input_name(input_kind kind) { return KINDS[kind].name; }
bool input_is_random(input_kind kind) { return KINDS[kind].random; }
bool input_is_large(input_kind kind) { return KINDS[kind].large; }

static bool is_real(weft_dtype dtype) { return type_is_float(dtype) || type_is_half(dtype); }

bool input_fits(input_kind kind, weft_dtype dtype) {
    return KINDS[kind].domain == BOTH || (KINDS[kind].domain == FLOATS) == is_real(dtype);
}

uint64_t input_random(uint64_t seed, uint64_t i) {
    uint64_t z = seed * UINT64_C(0xd1342543de82ef95) + (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* ---------------------------------------------------------------------------------- floats */

/* A binary format: digits after the binary point, and the exponent's bias. */
typedef struct format {
    int digits, bias, sign; /* sign: the number of the sign bit */
    int spread;             /* exponents of MIXED are -spread to spread */
    int huge, tiny;         /* exponents whose squares exceed the range of f64, or near the limits of the format */
} format;

static const format F16 = {10, 15, 15, 8, 15, -14}, BF16 = {7, 127, 15, 10, 120, -126};
static const format F32 = {23, 127, 31, 20, 120, -126}, F64 = {52, 1023, 63, 40, 700, -700};

static const format *format_of(weft_dtype dtype) {
    return dtype == WEFT_F16 ? &F16 : dtype == WEFT_BF16 ? &BF16 : dtype == WEFT_F32 ? &F32 : &F64;
}

static uint64_t mask(int bits) { return (UINT64_C(1) << bits) - 1; }

/* Returns +-1.digits * 2^exponent. Exponent bias + 1 gives infinities and NaN, -bias subnormals. */
static uint64_t assemble(const format *f, bool negative, int exponent, uint64_t digits) {
    return (uint64_t)negative << f->sign | (uint64_t)(exponent + f->bias) << f->digits | (digits & mask(f->digits));
}

static bool coin(uint64_t r) { return r >> 63; }

static uint64_t mixed(const format *f, uint64_t r, int low, int high) {
    const int exponent = low + (int)(r >> 53) % (high - low + 1);
    return assemble(f, r & 1, exponent, r >> 1);
}

/* Returns k * 2^(-digits-1) for a random k below 2^(digits+1), by normalizing k. */
static uint64_t uniform(const format *f, uint64_t r) {
    uint64_t k = r >> (63 - f->digits);
    int exponent = -1;
    if (k == 0) return 0;
    for (; !(k >> f->digits); k <<= 1) exponent--;
    return assemble(f, false, exponent, k);
}

/* Returns 1 + u or 1 - u with u at most 2^-8. */
static uint64_t near_one(const format *f, uint64_t r) {
    const uint64_t small = (r >> 2) & mask(f->digits > 8 ? f->digits - 8 : 0);
    if (r & 2) return assemble(f, coin(r), 0, small);
    return assemble(f, coin(r), -1, small << 1 | mask(7) << (f->digits - 7));
}

static uint64_t not_a_number(const format *f, uint64_t r) {
    const uint64_t payload = (r >> 1) & mask(f->digits);
    return assemble(f, coin(r), f->bias + 1, payload ? payload : 1);
}

static uint64_t tie(const format *f, uint64_t r) {
    const uint64_t choices[] = {assemble(f, true, 1, 0), assemble(f, true, 0, 0), 0, assemble(f, false, 0, 0),
                                assemble(f, false, 1, 0)};
    return choices[(r >> 32) % 5];
}

/* Returns a factor of FUSED_TIES. Let u be the last digit of 1. A lane starts at 1 + u and adds products (1 + u)(1 -
 * u) u/2, that is u/2 - u^3/2, which leave it unchanged if they are fused. If the sum is first rounded to more
 * digits, it is a tie, and a tie is rounded to 1 + 2u. `second` selects the second factor. Each lane has its own
 * sign. */
static uint64_t fused_tie(const format *f, bool second, uint64_t seed, size_t i) {
    const size_t lanes = f->digits == 23 ? 128 : 64;
    const bool negative = input_random(seed >> 1, i % lanes) & 1 & !second;
    if (i % (32 * lanes) < lanes) return assemble(f, negative, 0, second ? 0 : 1);
    return second ? assemble(f, false, -f->digits - 2, mask(f->digits) - 1) : assemble(f, negative, 0, 1);
}

static uint64_t float_bits(const format *f, input_kind kind, uint64_t seed, size_t i) {
    const uint64_t r = input_random(seed, i);
    switch (kind) {
    case INPUT_UNIFORM: return uniform(f, r);
    case INPUT_NEAR_ONE: return near_one(f, r);
    case INPUT_PATTERNS: return f->digits == 23 ? r >> 32 : r;
    case INPUT_TIES: return tie(f, r);
    case INPUT_SIGNED_ZEROS: return assemble(f, coin(r), -f->bias, 0);
    case INPUT_NEGATIVE_ZEROS: return assemble(f, true, -f->bias, 0);
    case INPUT_ZEROS:
    case INPUT_LONE: return 0;
    case INPUT_EQUAL: return mixed(f, input_random(seed, 0), -f->spread, f->spread);
    case INPUT_CANCEL:
        return mixed(f, input_random(seed, i / 2), -f->spread, f->spread) ^ assemble(f, i & 1, -f->bias, 0);
    case INPUT_FUSED_TIES: return fused_tie(f, seed & 1, seed, i);
    case INPUT_SUBNORMAL: return assemble(f, coin(r), -f->bias, r);
    case INPUT_LARGEST: return assemble(f, coin(r), f->bias, mask(f->digits));
    case INPUT_HUGE_SQUARES: return mixed(f, r, f->huge - 5, f->huge);
    case INPUT_TINY_SQUARES: return mixed(f, r, f->tiny, f->tiny + 5);
    default: return mixed(f, r, -f->spread, f->spread);
    }
}

/* ------------------------------------------------------------------------------ integers */

static uint64_t integer_bits(int width, input_kind kind, uint64_t seed, size_t i) {
    const uint64_t r = input_random(seed, i), sign = UINT64_C(1) << (width - 1);
    const uint64_t extremes[] = {sign, sign - 1, 0, 1, ~UINT64_C(0)};
    switch (kind) {
    case INPUT_TIES: return (r >> 32) % 5 - 2;
    case INPUT_ZEROS:
    case INPUT_LONE: return 0;
    case INPUT_EQUAL: return input_random(seed, 0);
    case INPUT_HOLE: return r | 1;
    case INPUT_EXTREMES: return extremes[(r >> 32) % 5];
    case INPUT_SMALL: return (r >> 32) % 100 - 50;
    default: return r;
    }
}

/* -------------------------------------------------------------------------------- arrays */

static uint64_t load(const void *x, size_t i, size_t size) { return bits_load((const char *)x + i * size, size); }

static void store(void *x, size_t i, size_t size, uint64_t bits) { bits_store((char *)x + i * size, size, bits); }

static void shuffle(void *x, size_t n, size_t size, uint64_t seed) {
    for (size_t i = n; i > 1; i--) {
        const size_t j = input_random(~seed, i) % i;
        const uint64_t a = load(x, i - 1, size), b = load(x, j, size);
        store(x, i - 1, size, b);
        store(x, j, size, a);
    }
}

/* Stores the special elements of a kind. n must be at least 1. */
static void plant(const format *f, input_kind kind, uint64_t seed, size_t n, size_t size, void *x) {
    const uint64_t r = input_random(seed + 1, n);
    const uint64_t infinity = assemble(f, false, f->bias + 1, 0);
    const uint64_t negative = assemble(f, true, f->bias + 1, 0);
    switch (kind) {
    case INPUT_NAN_FIRST: store(x, 0, size, not_a_number(f, r)); break;
    case INPUT_NAN_LAST: store(x, n - 1, size, not_a_number(f, r)); break;
    case INPUT_NAN_ONE: store(x, r % n, size, not_a_number(f, r)); break;
    case INPUT_NAN_MANY:
        for (size_t i = r % 5; i < n; i += 5) store(x, i, size, not_a_number(f, input_random(r, i)));
        break;
    case INPUT_INF_ONE: store(x, r % n, size, coin(r) ? infinity : negative); break;
    case INPUT_INF_BOTH:
        store(x, n - 1 - n / 7, size, negative);
        store(x, n / 5, size, infinity);
        break;
    case INPUT_CANCEL: shuffle(x, n, size, seed); break;
    case INPUT_LONE: store(x, r % n, size, mixed(f, r, -f->spread, f->spread)); break;
    case INPUT_HOLE: store(x, r % n, size, coin(r) ? 0 : assemble(f, true, -f->bias, 0)); break;
    default: break;
    }
}

void input_fill(input_kind kind, weft_dtype dtype, uint64_t seed, size_t n, void *x) {
    const size_t size = weft_dtype_size(dtype);
    const format *f = format_of(dtype);
    for (size_t i = 0; i < n; i++)
        store(x, i, size, is_real(dtype) ? float_bits(f, kind, seed, i) : integer_bits((int)size * 8, kind, seed, i));
    if (n == 0) return;
    const uint64_t r = input_random(seed + 1, n);
    if (is_real(dtype))
        plant(f, kind, seed, n, size, x);
    else if (kind == INPUT_LONE)
        store(x, r % n, size, UINT64_C(1) << (r >> 32) % (size * 8));
    else if (kind == INPUT_HOLE)
        store(x, r % n, size, 0);
}
