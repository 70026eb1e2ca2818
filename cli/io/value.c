#include "cli/io/value.h"
#include "core/byte_order.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { F16_FRACTION = 10, BF16_FRACTION = 7 }; /* bits */

/* Tries increasing numbers of digits until the text converts back to v. The command never calls setlocale, so the
 * decimal separator is a point. */
static value_string float_decimal(double v, int most_digits, bool is_float) {
    value_string s;
    if (isnan(v)) return (value_string){"nan"};
    if (isinf(v) && v < 0) return (value_string){"-inf"};
    if (isinf(v)) return (value_string){"inf"};
    int digits = 1;
    for (; digits < most_digits; digits++) {
        snprintf(s.text, sizeof s.text, "%.*g", digits, v);
        if ((is_float ? (double)strtof(s.text, NULL) : strtod(s.text, NULL)) == v) break;
    }
    if (fabs(v) >= 1 && fabs(v) < 1e16 && v == trunc(v))
        snprintf(s.text, sizeof s.text, "%.0f", v);
    else
        snprintf(s.text, sizeof s.text, "%.*g", digits, v);
    return s;
}

/* Returns the value of an f16 or bf16, whose fraction has `fraction` bits. */
static double half_value(unsigned bits, int fraction) {
    const unsigned one = 1U << fraction, field = (bits & 0x7fff) >> fraction, last = 0x7fff >> fraction;
    const int bias = (int)(last >> 1);
    double v = field ? ldexp(one + (bits & (one - 1)), (int)field - bias - fraction)
                     : ldexp(bits & (one - 1), 1 - bias - fraction);
    if (field == last) v = bits & (one - 1) ? (double)NAN : (double)INFINITY;
    return bits >> 15 ? -v : v;
}

double value_of_f16(uint16_t bits) { return half_value(bits, F16_FRACTION); }
double value_of_bf16(uint16_t bits) { return half_value(bits, BF16_FRACTION); }

/* Tries increasing numbers of digits until the text is closer to the value than to those next to it. */
static value_string half_decimal(unsigned bits, int fraction) {
    const double v = half_value(bits, fraction);
    value_string s;
    int digits = 0;
    if (!isfinite(v) || (v == trunc(v) && fabs(v) < 1e16)) return float_decimal(v, 17, false);
    const double gap = fabs(v) - fabs(half_value(bits - 1, fraction));
    do snprintf(s.text, sizeof s.text, "%.*g", ++digits, v);
    while (fabs(strtod(s.text, NULL) - v) >= gap / 2);
    return s;
}

static value_string signed_decimal(int64_t v) {
    value_string s;
    snprintf(s.text, sizeof s.text, "%" PRId64, v);
    return s;
}

static value_string unsigned_decimal(uint64_t v) {
    value_string s;
    snprintf(s.text, sizeof s.text, "%" PRIu64, v);
    return s;
}

value_string value_decimal(weft_dtype dtype, const value *v) {
    switch (dtype) {
    case WEFT_I8: return signed_decimal(v->i8);
    case WEFT_I16: return signed_decimal(v->i16);
    case WEFT_I32: return signed_decimal(v->i32);
    case WEFT_I64: return signed_decimal(v->i64);
    case WEFT_U8: return unsigned_decimal(v->u8);
    case WEFT_U16: return unsigned_decimal(v->u16);
    case WEFT_U32: return unsigned_decimal(v->u32);
    case WEFT_U64: return unsigned_decimal(v->u64);
    case WEFT_F32: return float_decimal((double)v->f32, 9, true);
    case WEFT_F64: return float_decimal(v->f64, 17, false);
    case WEFT_F16: return half_decimal(v->f16, F16_FRACTION);
    case WEFT_BF16: return half_decimal(v->bf16, BF16_FRACTION);
    default: break;
    }
    return (value_string){"?"};
}

value_string value_bits(weft_dtype dtype, const value *v) {
    value_string s;
    const size_t size = weft_dtype_size(dtype);
    const uint64_t bits = bits_load(v, size);
    snprintf(s.text, sizeof s.text, "0x%0*" PRIx64, (int)(2 * size), bits);
    return s;
}

value_string value_json(weft_dtype dtype, const value *v) {
    value_string plain = value_decimal(dtype, v), s = plain;
    const bool is_number = dtype == WEFT_F32    ? isfinite(v->f32)
                           : dtype == WEFT_F64  ? isfinite(v->f64)
                           : dtype == WEFT_F16  ? isfinite(value_of_f16(v->f16))
                           : dtype == WEFT_BF16 ? isfinite(value_of_bf16(v->bf16))
                                                : true;
    if (!is_number) snprintf(s.text, sizeof s.text, "\"%.30s\"", plain.text);
    return s;
}

/* -------------------------------------------------------------------------------- reading */

static unsigned bits_of_type(weft_dtype dtype) { return 8 * (unsigned)weft_dtype_size(dtype); }

static bool parse_signed(weft_dtype dtype, const char *text, value *v) {
    char *end;
    const int64_t most = INT64_MAX >> (64 - bits_of_type(dtype));
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    if (errno || *end || number > most || number < -most - 1) return false;
    bits_store(v, weft_dtype_size(dtype), (uint64_t)number);
    return true;
}

static bool parse_unsigned(weft_dtype dtype, const char *text, value *v) {
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (errno || *end || *text == '-' || number > UINT64_MAX >> (64 - bits_of_type(dtype))) return false;
    bits_store(v, weft_dtype_size(dtype), number);
    return true;
}

/* Parses a float. A number too small for the type is rounded, as in C. A number too large is rejected. */
static bool parse_float(weft_dtype dtype, const char *text, value *v) {
    char *end;
    const double number = dtype == WEFT_F32 ? (double)strtof(text, &end) : strtod(text, &end);
    const char *digits = text + strspn(text, "+-");
    if (*end || (isinf(number) && strcasecmp(digits, "inf") != 0 && strcasecmp(digits, "infinity") != 0))
        return false;
    if (dtype == WEFT_F32)
        v->f32 = (float)number;
    else
        v->f64 = number;
    return true;
}

/* Sets *bits to the f16 or bf16 nearest to v, of two the one whose last bit is 0. Returns false if v is too large. */
static bool parse_half(double v, int fraction, uint16_t *bits) {
    const unsigned infinity = 0x7fff >> fraction << fraction;
    const int least = 2 - (int)(infinity >> fraction) / 2 - 1; /* exponent of the least normal number */
    unsigned magnitude = infinity | (isnan(v) ? 1U << (fraction - 1) : 0);
    if (isfinite(v)) {
        const int above = v == 0 ? least : ilogb(v), exponent = above < least ? least : above;
        magnitude = (unsigned)(exponent - least) << fraction;
        magnitude += (unsigned)nearbyint(ldexp(fabs(v), fraction - exponent));
        if (magnitude >= infinity) return false;
    }
    *bits = (uint16_t)(magnitude | (signbit(v) ? 0x8000U : 0));
    return true;
}

bool value_before(double a, double b) {
    if (isnan(a) || isnan(b)) return isnan(b) && !isnan(a);
    return a < b || (a == b && signbit(a) && !signbit(b));
}

bool value_parse(weft_dtype dtype, const char *text, value *v) {
    *v = (value){0};
    if (!*text || isspace((unsigned char)*text)) return false;
    if (dtype == WEFT_F32 || dtype == WEFT_F64) return parse_float(dtype, text, v);
    if (dtype == WEFT_F16 || dtype == WEFT_BF16)
        return parse_float(WEFT_F64, text, v) &&
               parse_half(v->f64, dtype == WEFT_F16 ? F16_FRACTION : BF16_FRACTION, &v->f16);
    return dtype <= WEFT_I64 ? parse_signed(dtype, text, v) : parse_unsigned(dtype, text, v);
}

void value_range(weft_dtype dtype, char *text, size_t size) {
    const unsigned free_bits = 64 - bits_of_type(dtype);
    if (dtype == WEFT_F32 || dtype >= WEFT_F64)
        snprintf(text, size, "numbers up to %s, inf, nan",
                 dtype == WEFT_F32   ? "3.4028235e+38"
                 : dtype == WEFT_F64 ? "1.7976931348623157e+308"
                 : dtype == WEFT_F16 ? "65504"
                                     : "3.3895314e+38");
    else if (dtype <= WEFT_I64)
        snprintf(text, size, "%" PRId64 " to %" PRId64, INT64_MIN >> free_bits, INT64_MAX >> free_bits);
    else
        snprintf(text, size, "0 to %" PRIu64, UINT64_MAX >> free_bits);
}
