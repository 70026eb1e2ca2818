/* Compares states of exact sums with MPFR, which reads the number of a state from its saved bytes (ORDER.md 30.2).
 * Any split of the terms into states, merged in any order, and the specification must give the same bytes and the
 * bits of weft_reduce and weft_dot. */
#include "tests/oracle/oracle.h"

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

enum { BITS = 4500, MOST = 3001, KINDS = 7, PARTS = 9 };
enum { INTEGER_AT = 48, INTEGER_BYTES = 544, POINT = 2176 };
enum { SUM, MEAN, NORM1, NORM2, DOT, RESULTS };
static const char *const NAMES[] = {"sum", "mean", "norm1", "norm2", "dot"};
static const weft_op OPS[] = {WEFT_SUM, WEFT_MEAN, WEFT_NORM1, WEFT_NORM2, WEFT_SUM};

typedef unsigned char saved[WEFT_EXACT_BYTES];

static weft_context *ctx, *ref;
static weft_dtype dtype;
static double x[MOST], y[MOST]; /* arrays of either type */

static uint64_t state;

static uint64_t draw(uint64_t below) { return (input_random(state++, 3) >> 11) % below; }

/* Returns a number with an exponent in [from, to] and up to 53 bits. */
static double scaled(long from, long to) {
    const double m = 0.5 + (double)(input_random(state++, 4) >> 11) * 0x1p-54;
    return (draw(2) ? m : -m) * ldexp(1, (int)(from + (long)draw((uint64_t)(to - from + 1))));
}

static double element(int kind) {
    const long low = dtype == WEFT_F32 ? -148 : -1073, high = dtype == WEFT_F32 ? 128 : 1023;
    switch (kind) {
    case 0: return scaled(-3, 3);
    case 1: return scaled(low, high);
    case 2: return scaled(low, low + 60);
    case 3: return scaled(high - 2, high);
    case 4: return draw(2) ? 0.0 : -0.0;
    case 5: return -0.0;
    default: return draw(60) ? scaled(-20, 20) : draw(3) ? (double)INFINITY : draw(2) ? (double)NAN : -0.0;
    }
}

static void put(double *array, size_t i, double v) {
    if (dtype == WEFT_F32)
        ((float *)(void *)array)[i] = (float)v;
    else
        array[i] = v;
}

static double get(const double *array, size_t i) {
    return dtype == WEFT_F32 ? (double)((const float *)(const void *)array)[i] : array[i];
}

static const void *from(const double *array, size_t i) { return (const char *)array + i * weft_dtype_size(dtype); }

/* ------------------------------------------------------------------------------------ states */

static weft_exact_state state_of(weft_context *on, int what, size_t first, size_t n) {
    weft_exact_state s = {{0}};
    EXPECT_STATUS(on,
                  what == DOT ? weft_exact_add_dot(on, dtype, n, from(x, first), from(y, first), &s)
                              : weft_exact_add(on, OPS[what], dtype, n, from(x, first), &s),
                  WEFT_OK);
    return s;
}

static void save(const weft_exact_state *s, unsigned char *bytes) {
    EXPECT_STATUS(NULL, weft_exact_save(s, sizeof(saved), bytes), WEFT_OK);
}

/* Returns the sum of up to PARTS parts: some are added to one state, the others have states that are saved, and
 * loaded and merged in a random order. */
static weft_exact_state merged(int what, size_t n) {
    size_t cuts[PARTS + 1] = {0};
    saved bytes[PARTS];
    weft_exact_state s;
    for (size_t p = 1; p < PARTS; p++) cuts[p] = cuts[p - 1] + draw(n - cuts[p - 1] + 1);
    cuts[PARTS] = n;
    for (size_t p = 0; p < PARTS; p++) {
        s = state_of(p % 2 ? ref : ctx, what, cuts[p], cuts[p + 1] - cuts[p]);
        save(&s, bytes[p]);
    }
    memset(&s, 0, sizeof s);
    for (size_t left = PARTS; left > 0; left--) {
        const size_t p = draw(left);
        weft_exact_state part;
        EXPECT_STATUS(NULL, weft_exact_load(sizeof(saved), bytes[p], &part), WEFT_OK);
        EXPECT_STATUS(NULL, weft_exact_merge(&part, &s), WEFT_OK);
        memcpy(bytes[p], bytes[left - 1], sizeof(saved));
    }
    return s;
}

/* ------------------------------------------------------------------------------------- truth */

/* Reads the number of a state from its bytes. */
static void read_number(mpfr_t number, const unsigned char *bytes) {
    mpz_t integer, modulus;
    mpz_init(integer);
    mpz_init(modulus);
    mpz_import(integer, INTEGER_BYTES, -1, 1, -1, 0, bytes + INTEGER_AT);
    mpz_setbit(modulus, 8 * INTEGER_BYTES);
    if (bytes[INTEGER_AT + INTEGER_BYTES - 1] >> 7) mpz_sub(integer, integer, modulus);
    mpfr_set_z_2exp(number, integer, -POINT, MPFR_RNDN);
    mpz_clear(integer);
    mpz_clear(modulus);
}

/* Adds the finite terms. Returns true if they are all terms. */
static bool add_terms(mpfr_t total, int what, size_t n) {
    mpfr_t term;
    bool finite = true;
    mpfr_init2(term, 106);
    mpfr_set_zero(total, 1);
    for (size_t i = 0; i < n; i++) {
        const double v = get(x, i);
        const double a = what == NORM1 ? fabs(v) : v, b = what == NORM2 ? v : what == DOT ? get(y, i) : 1;
        finite = finite && isfinite(a) && isfinite(b);
        if (!isfinite(a) || !isfinite(b)) continue;
        mpfr_set_d(term, a, MPFR_RNDN);
        mpfr_mul_d(term, term, b, MPFR_RNDN);
        mpfr_add(total, total, term, MPFR_RNDN);
    }
    mpfr_clear(term);
    return finite;
}

/* Compares the number of a state, and the sum rounded to either type, with MPFR. */
static void compare_with_truth(int what, size_t n, const weft_exact_state *s, const unsigned char *bytes) {
    mpfr_t total, number;
    double wide = 0;
    float narrow = 0;
    mpfr_inits2(BITS, total, number, (mpfr_ptr)NULL);
    const bool finite = add_terms(total, what, n);
    read_number(number, bytes);
    EXPECT(mpfr_equal_p(total, number) != 0, "%s, n = %zu: the number of the state is wrong", NAMES[what], n);
    EXPECT_STATUS(NULL, weft_exact_value(WEFT_SUM, WEFT_F64, s, &wide), WEFT_OK);
    EXPECT_STATUS(NULL, weft_exact_value(WEFT_SUM, WEFT_F32, s, &narrow), WEFT_OK);
    if (finite) {
        const double wanted = mpfr_get_d(total, MPFR_RNDN);
        const float wanted_narrow = mpfr_get_flt(total, MPFR_RNDN);
        EXPECT(wide == wanted, "%s as f64: %a, wanted %a", NAMES[what], wide, wanted);
        EXPECT(narrow == wanted_narrow, "%s as f32: %a, wanted %a", NAMES[what], (double)narrow,
               (double)wanted_narrow);
    }
    mpfr_clears(total, number, (mpfr_ptr)NULL);
}

/* ------------------------------------------------------------------------------------- checks */

/* Checks that a state has the value of the call for the whole array. */
static void compare_with_call(int what, size_t n, const weft_exact_state *s) {
    double called[1] = {0}, found[1] = {0};
    EXPECT_STATUS(ctx,
                  what == DOT ? weft_dot(ctx, dtype, WEFT_EXACT_SUM, n, x, y, called)
                              : weft_reduce(ctx, OPS[what], dtype, WEFT_EXACT_SUM, n, x, called),
                  WEFT_OK);
    EXPECT_STATUS(NULL, weft_exact_value(OPS[what], dtype, s, found), WEFT_OK);
    EXPECT(memcmp(called, found, weft_dtype_size(dtype)) == 0, "%s, n = %zu: %a of the state, %a of the call",
           NAMES[what], n, get(found, 0), get(called, 0));
}

static void check(int kind, size_t n) {
    saved whole, specified, of_parts;
    for (size_t i = 0; i < n; i++) put(x, i, element(kind));
    for (size_t i = 0; i < n; i++) put(y, i, element(draw(8) ? kind : 0));
    for (int what = 0; what < RESULTS; what++) {
        const weft_exact_state s = state_of(ctx, what, 0, n), by_ref = state_of(ref, what, 0, n);
        const weft_exact_state parts = merged(what, n);
        save(&s, whole);
        save(&by_ref, specified);
        save(&parts, of_parts);
        EXPECT(memcmp(whole, specified, sizeof whole) == 0, "%s of kind %d, n = %zu: other bytes than ref",
               NAMES[what], kind, n);
        EXPECT(memcmp(whole, of_parts, sizeof whole) == 0, "%s of kind %d, n = %zu: other bytes than its parts",
               NAMES[what], kind, n);
        EXPECT(memcmp(&s, &parts, sizeof s) == 0, "%s of kind %d, n = %zu: other words than its parts", NAMES[what],
               kind, n);
        compare_with_call(what, n, &parts);
        compare_with_truth(what, n, &parts, of_parts);
    }
}

int main(int argc, char **argv) {
    static const size_t sizes[] = {1, 2, 7, 64, 500, MOST};
    static const weft_dtype dtypes[] = {WEFT_F32, WEFT_F64};
    ctx = oracle_open(argc, argv);
    EXPECT_STATUS(NULL, weft_open(&ref, "ref"), WEFT_OK);
    for (int t = 0; t < 2; t++) {
        dtype = dtypes[t];
        for (int kind = 0; kind < KINDS; kind++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) check(kind, sizes[s]);
    }
    weft_close(ctx);
    weft_close(ref);
    return expect_end();
}
