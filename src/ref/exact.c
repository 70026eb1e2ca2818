/* The definition of exact sums (ORDER.md 30): weft_reduce, weft_variance, weft_dot and weft_map_reduce with
 * WEFT_EXACT_SUM. */
#include "ref/common/array.h"
#include "ref/ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

/* An integer in two's complement, 32 bits per digit, the lowest first: the sum times 2^WEFT_EXACT_POINT. */
typedef struct big {
    uint32_t digit[WEFT_EXACT_DIGITS];
} big;

/* Adds sign * m * 2^exponent, for m < 2^128. Digits beyond those of m change only as long as there is a carry. */
static void add(big *b, bool negative, wide m, int exponent) {
    const int at = exponent + WEFT_EXACT_POINT;
    uint32_t digit[6] = {0};
    uint64_t carry = negative;
    for (int bit = 0; bit < 128 && m >> bit; bit++)
        if (m >> bit & 1) digit[(at % 32 + bit) / 32] |= UINT32_C(1) << (at + bit) % 32;
    for (int i = at / 32; i < WEFT_EXACT_DIGITS && (i < at / 32 + 6 || carry != negative); i++) {
        const uint32_t added = i < at / 32 + 6 ? digit[i - at / 32] : 0;
        carry += (uint64_t)b->digit[i] + (negative ? ~added : added);
        b->digit[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static bool is_negative(const big *b) { return b->digit[WEFT_EXACT_DIGITS - 1] >> 31; }

/* Returns -1, 0 or 1: the order of two sums that are not negative. */
static int compare(const big *a, const big *b) {
    for (int i = WEFT_EXACT_DIGITS - 1; i >= 0; i--)
        if (a->digit[i] != b->digit[i]) return a->digit[i] < b->digit[i] ? -1 : 1;
    return 0;
}

static void negate(big *b) {
    uint64_t carry = 1;
    for (int i = 0; i < WEFT_EXACT_DIGITS; i++, carry >>= 32)
        b->digit[i] = (uint32_t)(carry += (uint32_t)~b->digit[i]);
}

/* Adds a * factor. a must not be negative. */
static void add_multiple(big *b, const big *a, uint64_t factor) {
    for (int i = 0; i < WEFT_EXACT_DIGITS; i++)
        if (a->digit[i]) add(b, false, (wide)factor * a->digit[i], 32 * i - WEFT_EXACT_POINT);
}

/* Subtracts a^2. a must not be negative. */
static void subtract_square(big *b, const big *a) {
    for (int i = 0; i < WEFT_EXACT_DIGITS; i++)
        for (int k = 0; a->digit[i] && k < WEFT_EXACT_DIGITS; k++)
            if (a->digit[k]) add(b, true, (wide)a->digit[i] * a->digit[k], 32 * (i + k) - 2 * WEFT_EXACT_POINT);
}

/* Splits a finite |x| into an integer and a power of two. */
static uint64_t significand_of(double x, int *exponent) {
    const double fraction = frexp(fabs(x), exponent);
    *exponent -= 53;
    return (uint64_t)ldexp(fraction, 53);
}

/* The terms that are not numbers, and the sum of the others. */
typedef struct sum {
    big total;
    uint64_t nans, plus, minus, others;
} sum;

/* Adds x y. With y = 1 the term is x. */
static void add_product(sum *s, double x, double y) {
    const bool negative = signbit(x) != signbit(y);
    int at_x, at_y;
    const double product = x * y; /* only its class is used: it is exact for 0, Inf and NaN operands */
    if (isnan(x) || isnan(y) || ((isinf(x) || isinf(y)) && isnan(product))) {
        s->nans++;
    } else if (isinf(x) || isinf(y)) {
        negative ? s->minus++ : s->plus++;
    } else {
        const uint64_t a = significand_of(x, &at_x), b = significand_of(y, &at_y);
        /* A power of two that both have is removed, so that the lowest bit of the term has a digit. */
        wide m = (wide)a * b;
        int exponent = at_x + at_y;
        for (; m && !(m & 1); exponent++) m >>= 1;
        if (m) add(&s->total, negative, m, exponent);
        if (m || !negative) s->others++;
    }
}

static sum add_terms(const exact_call *c, exact_terms terms) {
    const array x = {c->dtype, c->x}, y = {c->dtype, c->y};
    sum s;
    memset(&s, 0, sizeof s);
    for (size_t i = 0; i < c->n; i++) {
        const double v = ref_real(x, i);
        switch (terms) {
        case EXACT_VALUES: add_product(&s, v, 1); break;
        case EXACT_MAGNITUDES: add_product(&s, fabs(v), 1); break;
        case EXACT_SQUARES: add_product(&s, v, v); break;
        case EXACT_PRODUCTS: add_product(&s, v, ref_real(y, i)); break;
        }
    }
    return s;
}

/* Returns the order of f(value) and the sum: f(v) is v, v n, v^2 or v n (n - ddof). The value is
 * (k + half / 2) 2^exponent. */
static int compare_value(const exact_call *c, const big *total, uint64_t k, bool half, int exponent) {
    const wide value = 2 * (wide)k + half;
    const wide factor = c->finish == EXACT_ROOT ? value : c->finish == EXACT_TOTAL ? 1 : c->n;
    big b, multiple;
    memset(&b, 0, sizeof b);
    memset(&multiple, 0, sizeof multiple);
    add(&b, false, value * factor, c->finish == EXACT_ROOT ? 2 * (exponent - 1) : exponent - 1);
    if (c->finish != EXACT_VARIANCE) return compare(&b, total);
    add_multiple(&multiple, &b, c->n - c->ddof);
    return compare(&multiple, total);
}

/* Sets *k and *exponent to the number of the type that has these bits. */
static void split(weft_dtype dtype, uint64_t bits, uint64_t *k, int *exponent) {
    const int width = dtype == WEFT_F32 ? 23 : 52, bias = dtype == WEFT_F32 ? 127 : 1023;
    const int biased = (int)(bits >> width);
    *k = (bits & ((UINT64_C(1) << width) - 1)) | (uint64_t)(biased > 0) << width;
    *exponent = (biased > 0 ? biased : 1) - bias - width;
}

/* Returns the bits of the number of the type that is nearest to the sum, its mean or root, or to a variance. They are
 * those of the greatest number that is not above, or of the next one. */
static uint64_t nearest(const exact_call *c, const big *total) {
    uint64_t low = 0, high = c->dtype == WEFT_F32 ? 0x7f800000 : UINT64_C(0x7ff0000000000000), k;
    int exponent;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        split(c->dtype, middle, &k, &exponent);
        if (compare_value(c, total, k, false, exponent) <= 0)
            low = middle;
        else
            high = middle;
    }
    split(c->dtype, low, &k, &exponent);
    const int halfway = compare_value(c, total, k, true, exponent);
    return halfway < 0 || (halfway == 0 && low % 2 == 1) ? low + 1 : low;
}

static uint64_t result_bits(const exact_call *c, const sum *s) {
    const uint64_t sign = c->dtype == WEFT_F32 ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
    const uint64_t infinity = c->dtype == WEFT_F32 ? 0x7f800000 : UINT64_C(0x7ff0000000000000);
    const big zero = {{0}};
    big total = s->total;
    const bool negative = is_negative(&total);
    if (s->nans || (s->plus && s->minus)) return c->dtype == WEFT_F32 ? WEFT_NAN_F32 : WEFT_NAN_F64;
    if (s->plus || s->minus) return s->minus ? infinity | sign : infinity;
    if (compare(&total, &zero) == 0) return s->others ? 0 : sign;
    if (negative) negate(&total);
    return nearest(c, &total) | (negative ? sign : 0);
}

/* Returns the bits of (n S2 - S1^2) / (n (n - ddof)), S1 the sum of the elements and S2 that of their squares. */
static uint64_t variance_bits(const exact_call *c) {
    sum s1 = add_terms(c, EXACT_VALUES);
    const sum s2 = add_terms(c, EXACT_SQUARES);
    const big zero = {{0}};
    big spread = zero;
    if (s1.nans || s1.plus || s1.minus) return c->dtype == WEFT_F32 ? WEFT_NAN_F32 : WEFT_NAN_F64;
    if (is_negative(&s1.total)) negate(&s1.total);
    add_multiple(&spread, &s2.total, c->n);
    subtract_square(&spread, &s1.total);
    return compare(&spread, &zero) == 0 ? 0 : nearest(c, &spread);
}

static void store_state(const sum *s, uint64_t n, int64_t *state) {
    for (int i = 0; i < WEFT_EXACT_DIGITS; i++) state[i] = s->total.digit[i];
    if (is_negative(&s->total)) state[WEFT_EXACT_DIGITS - 1] -= INT64_C(1) << 32;
    state[EXACT_NANS] = (int64_t)s->nans;
    state[EXACT_PLUS] = (int64_t)s->plus;
    state[EXACT_MINUS] = (int64_t)s->minus;
    state[EXACT_OTHERS] = (int64_t)s->others;
    state[EXACT_COUNT] = (int64_t)n;
}

/* Sums the values of a formula. */
static weft_status sum_formula(void *state, const exact_call *call, weft_error *error) {
    exact_call of_values = *call;
    void *values;
    RETURN_IF_ERROR(ref_map_values(call->map, &values, error));
    of_values.x = values;
    of_values.map = NULL;
    const weft_status status = ref_exact(state, &of_values, error);
    free(values);
    return status;
}

weft_status ref_exact(void *state, const exact_call *call, weft_error *error) {
    const weft_dtype word = call->dtype == WEFT_F32 ? WEFT_U32 : WEFT_U64;
    if (call->map) return sum_formula(state, call, error);
    if (call->finish == EXACT_VARIANCE) {
        ref_store_integer(word, variance_bits(call), call->out);
        return WEFT_OK;
    }
    const sum s = add_terms(call, call->terms);
    if (call->out)
        ref_store_integer(word, result_bits(call, &s), call->out);
    else
        store_state(&s, call->n, call->state);
    return WEFT_OK;
}
