/* The definition of weft_matmul with WEFT_EXACT_SUM (ORDER.md 31). */
#include "ref/common/array.h"
#include "ref/matmul.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 integer;
__extension__ typedef unsigned __int128 magnitude;

/* ------------------------------------------------------------------------------- real numbers */

/* A real number: an integer in two's complement, lowest word first, times 2^UNIT. Every product alpha * s or beta * c
 * of finite f64 is a multiple of 2^UNIT and has a magnitude below 2^(32 WORDS + UNIT - 1). */
enum { WORDS = 208, UNIT = -3400 };
typedef struct real {
    uint32_t word[WORDS];
} real;

/* Adds m * 2^exponent, or subtracts it. */
static void add(real *x, bool negative, magnitude m, int exponent) {
    size_t i = (size_t)(exponent - UNIT) / 32;
    const unsigned shift = (unsigned)(exponent - UNIT) % 32;
    uint64_t bits = (uint64_t)(uint32_t)m << shift;
    int64_t carry = 0;
    for (; i < WORDS; i++) {
        const int64_t part = (int64_t)(uint32_t)bits;
        carry += (int64_t)x->word[i] + (negative ? -part : part);
        x->word[i] = (uint32_t)carry;
        carry = carry < 0 ? -1 : carry >> 32;
        m >>= 32;
        bits = (bits >> 32) + ((uint64_t)(uint32_t)m << shift);
    }
}

static bool bit(const real *x, int i) { return i >= 0 && x->word[i / 32] >> i % 32 & 1; }

/* Returns -1, +0 or 1. */
static double sign_of(const real *x) {
    if (x->word[WORDS - 1] >> 31) return -1;
    for (size_t i = 0; i < WORDS; i++)
        if (x->word[i] != 0) return 1;
    return 0;
}

/* Returns x rounded once to `digits` bits, or to a multiple of 2^least if that is coarser. */
static double rounded(real x, int digits, int least) {
    const bool negative = x.word[WORDS - 1] >> 31;
    uint64_t kept = 0;
    bool rest = false;
    if (negative) { /* the magnitude: all bits inverted, plus 1 */
        for (size_t i = 0; i < WORDS; i++) x.word[i] = ~x.word[i];
        add(&x, false, 1, UNIT);
    }
    int top = 32 * WORDS - 1;
    while (top >= 0 && !bit(&x, top)) top--;
    if (top < 0) return 0.0;
    const int last =
        top - digits + 1 > least - UNIT ? top - digits + 1 : least - UNIT; /* the lowest bit that is kept */
    for (int i = top; i >= last; i--) kept = 2 * kept + bit(&x, i);
    for (int i = 0; i < last - 1; i++) rest |= bit(&x, i);
    if (last > 0 && bit(&x, last - 1) && (rest || kept & 1)) kept++;
    return ldexp(negative ? -(double)kept : (double)kept, last + UNIT);
}

/* ------------------------------------------------------------------------------------- lines */

/* A row of op(A) or a column of op(B). */
typedef struct line {
    const matmul_operand *x;
    size_t item, number;
    bool row;
    int exponent;   /* e or f of 31.1 */
    bool special;   /* contains an infinity or a NaN */
    int64_t *terms; /* a' or b' of 31.1 */
} line;

static double element(const matmul_call *c, const line *s, size_t l) {
    const size_t i = s->row ? s->number : l, j = s->row ? l : s->number;
    const size_t at = s->x->transposed ? j * s->x->ld + i : i * s->x->ld + j;
    return ref_real((array){c->dtype, s->x->p}, s->item * s->x->stride + at);
}

/* Returns BITS of ORDER.md 31. */
static int bits_of(const matmul_call *c) { return c->dtype == WEFT_F32 ? 24 : c->dtype == WEFT_F64 ? 53 : 13; }

static void read_line(const matmul_call *c, line *s) {
    double most = 0;
    s->special = false;
    for (size_t l = 0; l < c->k; l++) {
        const double v = fabs(element(c, s, l));
        s->special |= !isfinite(v);
        if (v > most) most = v;
    }
    (void)frexp(s->special ? 0 : most, &s->exponent);
    for (size_t l = 0; l < c->k && !s->special; l++)
        s->terms[l] = (int64_t)nearbyint(ldexp(element(c, s, l), bits_of(c) - s->exponent));
}

/* ----------------------------------------------------------------------------------- an element */

/* A finite f64 as digits * 2^unit. */
typedef struct split {
    bool negative;
    uint64_t digits;
    int unit;
} split;

static split split_of(double v) {
    int exponent;
    const double digits = ldexp(frexp(v, &exponent), 53);
    return (split){v < 0, (uint64_t)fabs(digits), exponent - 53};
}

/* Adds factor * s to x (31.2). The sum of 2^20 products of integers below 2^53 is below 2^126. */
static void add_products(const matmul_call *c, const line *a, const line *b, double factor, real *x) {
    const split by = split_of(factor);
    const int unit = by.unit + a->exponent + b->exponent - 2 * bits_of(c);
    for (size_t l = 0; l < c->k;) {
        const size_t first = l;
        integer sum = 0;
        for (; l < c->k && l - first < (size_t)1 << 20; l++) sum += (integer)a->terms[l] * b->terms[l];
        const magnitude m = (magnitude)(sum < 0 ? -sum : sum);
        add(x, (sum < 0) != by.negative, (magnitude)(uint64_t)m * by.digits, unit);
        add(x, (sum < 0) != by.negative, (m >> 64) * by.digits, unit + 64);
    }
}

/* Returns s of a special element (31.4). */
static double special_sum(const matmul_call *c, const line *a, const line *b) {
    double sum = 0;
    for (size_t l = 0; l < c->k; l++) {
        const double u = element(c, a, l), v = element(c, b, l);
        if (!isfinite(u) || !isfinite(v)) sum += u * v;
    }
    return sum;
}

/* Returns the class of v: NaN, an infinity, a zero, or 1 with the sign of v. */
static double class_of(double v) { return isfinite(v) && v != 0 ? copysign(1, v) : v; }

/* Returns the result for the value `before` of C. */
static double result(const matmul_call *c, const line *a, const line *b, double before) {
    const bool special = a->special || b->special;
    real x = {{0}};
    if (!special && isfinite(c->alpha) && isfinite(c->beta) && isfinite(before)) {
        const split beta = split_of(c->beta), old = split_of(before);
        add_products(c, a, b, c->alpha, &x);
        add(&x, beta.negative != old.negative, (magnitude)beta.digits * old.digits, beta.unit + old.unit);
        return rounded(x, ref_digits(c->dtype), ref_least(c->dtype));
    }
    if (!special) add_products(c, a, b, 1, &x);
    const double s = special ? special_sum(c, a, b) : sign_of(&x);
    const double product = class_of(c->alpha) * class_of(s);
    return c->beta == 0 ? product : product + class_of(c->beta) * class_of(before);
}

static void run_item(const matmul_call *c, line *rows, line *columns) {
    for (size_t i = 0; i < c->m; i++) read_line(c, &rows[i]);
    for (size_t j = 0; j < c->n; j++) read_line(c, &columns[j]);
    for (size_t i = 0; i < c->m; i++)
        for (size_t j = 0; j < c->n; j++) {
            const size_t at = rows[i].item * c->stride_c + i * c->ldc + j;
            const double before = c->beta == 0 ? 0 : ref_real((array){c->dtype, c->c}, at);
            ref_store_real(c->dtype, result(c, &rows[i], &columns[j], before),
                           (char *)c->c + at * weft_dtype_size(c->dtype));
        }
}

weft_status ref_matmul_exact(const matmul_call *c, weft_error *error) {
    line *lines = calloc(c->m + c->n, sizeof *lines);
    int64_t *terms = calloc((c->m + c->n) * c->k, sizeof *terms);
    for (size_t item = 0; lines && terms && item < c->batch; item++) {
        for (size_t i = 0; i < c->m + c->n; i++) {
            const bool row = i < c->m;
            lines[i] = (line){row ? &c->a : &c->b, item, row ? i : i - c->m, row, 0, false, terms + i * c->k};
        }
        run_item(c, lines, lines + c->m);
    }
    const bool complete = lines && terms;
    free(lines);
    free(terms);
    return complete ? WEFT_OK
                    : weft_fail(error, WEFT_OUT_OF_MEMORY, "no memory for the integers of an exact product");
}
