/* Tests states of exact sums: every argument that is refused, with its message, and that nothing is written then; the
 * sums of special terms; the words and bytes of ORDER.md 30.2. The argument is the device's name. */
#include "tests/expect.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { WORDS = 141, DIGITS = 136, NANS = 136, PLUS, MINUS, OTHERS, COUNT };
static const weft_exact_state EMPTY = {{0}};
static weft_context *ctx;
static const double x[] = {1, 1e100, -1e100, 0x1p-1074};
static const float narrow[] = {1, 1e30F, -1e30F, 0x1p-149F};

static void *shifted(const void *p, size_t bytes) { return (char *)(uintptr_t)p + bytes; }

static weft_exact_state state_of(size_t n, const double *terms) {
    weft_exact_state state = EMPTY;
    EXPECT_STATUS(ctx, weft_exact_add(ctx, WEFT_SUM, WEFT_F64, n, terms, &state), WEFT_OK);
    return state;
}

static bool same(const weft_exact_state *a, const weft_exact_state *b) {
    return memcmp(a->word, b->word, sizeof a->word) == 0;
}

static double rounded(weft_op op, const weft_exact_state *state) {
    double value = -1;
    EXPECT_STATUS(NULL, weft_exact_value(op, WEFT_F64, state, &value), WEFT_OK);
    return value;
}

#define EXPECT_VALUE(found, wanted) expect_value(found, wanted, __LINE__)
static void expect_value(double found, double wanted, int line) {
    EXPECT(memcmp(&found, &wanted, sizeof found) == 0, "line %d: %a in place of %a", line, found, wanted);
}

/* ------------------------------------------------------------------------------- refusals */

static void adding(void) {
    weft_exact_state state = state_of(4, x);
    const weft_exact_state before = state;
#define REFUSED(op, dtype, n, p, s, status, words) \
    EXPECT_ERROR(ctx, weft_exact_add(ctx, op, dtype, n, p, s), status, words)
    REFUSED(WEFT_PROD, WEFT_F64, 4, x, &state, WEFT_UNSUPPORTED, "prod of f64 cannot accumulate in exact");
    REFUSED(WEFT_SUM, WEFT_I32, 4, x, &state, WEFT_UNSUPPORTED, "sum of i32 cannot accumulate in exact");
    REFUSED((weft_op)16, WEFT_F64, 4, x, &state, WEFT_INVALID, "invalid op 16");
    REFUSED(WEFT_SUM, WEFT_DEFAULT, 4, x, &state, WEFT_INVALID, "invalid dtype 0");
    REFUSED(WEFT_SUM, WEFT_F64, 4, NULL, &state, WEFT_INVALID, "x is NULL");
    REFUSED(WEFT_SUM, WEFT_F64, 4, shifted(x, 4), &state, WEFT_INVALID, "x is at");
    REFUSED(WEFT_SUM, WEFT_F64, SIZE_MAX / 8, x, &state, WEFT_INVALID, "do not fit in memory");
    REFUSED(WEFT_SUM, WEFT_F64, 4, x, NULL, WEFT_INVALID, "state is NULL");
    REFUSED(WEFT_SUM, WEFT_F64, 0, NULL, NULL, WEFT_INVALID, "state is NULL");
    REFUSED(WEFT_SUM, WEFT_F64, 1, x, shifted(&state, 4), WEFT_INVALID, "not aligned to its 8-byte words");
    REFUSED(WEFT_SUM, WEFT_F64, 1, &state.word[140], &state, WEFT_INVALID, "state (1128 bytes at");
#undef REFUSED
#define REFUSED(dtype, n, p, q, s, status, words) \
    EXPECT_ERROR(ctx, weft_exact_add_dot(ctx, dtype, n, p, q, s), status, words)
    REFUSED(WEFT_U8, 4, x, x, &state, WEFT_UNSUPPORTED, "dot of u8 cannot accumulate in exact");
    REFUSED(WEFT_F64, 4, NULL, x, &state, WEFT_INVALID, "x is NULL");
    REFUSED(WEFT_F64, 4, x, NULL, &state, WEFT_INVALID, "y is NULL");
    REFUSED(WEFT_F64, 4, x, x, NULL, WEFT_INVALID, "state is NULL");
    REFUSED(WEFT_F64, 1, x, &state, &state, WEFT_INVALID, "overlaps y");
#undef REFUSED
    EXPECT_STATUS(ctx, weft_exact_add(NULL, WEFT_SUM, WEFT_F64, 4, x, &state), WEFT_INVALID);
    EXPECT_STATUS(ctx, weft_exact_add_dot(NULL, WEFT_F64, 4, x, x, &state), WEFT_INVALID);
    EXPECT_STATUS(ctx, weft_exact_add(ctx, WEFT_NORM2, WEFT_F32, 0, NULL, &state), WEFT_OK);
    EXPECT(same(&state, &before), "a call that was refused, or without terms, has changed the state");
}

static void without_context(void) {
    unsigned char bytes[WEFT_EXACT_BYTES], copy[WEFT_EXACT_BYTES];
    weft_exact_state state = state_of(4, x);
    const weft_exact_state before = state;
    double value = 77;
#define REFUSED(call, status, words) EXPECT_ERROR(NULL, call, status, words)
    REFUSED(weft_exact_merge(NULL, &state), WEFT_INVALID, "from is NULL");
    REFUSED(weft_exact_merge(&state, NULL), WEFT_INVALID, "into is NULL");
    REFUSED(weft_exact_merge(shifted(&state, 1), &state), WEFT_INVALID, "from is at");
    REFUSED(weft_exact_value(WEFT_MAX, WEFT_F64, &state, &value), WEFT_UNSUPPORTED, "max of f64");
    REFUSED(weft_exact_value(WEFT_SUM, WEFT_I64, &state, &value), WEFT_UNSUPPORTED, "sum of i64");
    REFUSED(weft_exact_value((weft_op)-1, WEFT_F64, &state, &value), WEFT_INVALID, "invalid op -1");
    REFUSED(weft_exact_value(WEFT_SUM, WEFT_F64, NULL, &value), WEFT_INVALID, "state is NULL");
    REFUSED(weft_exact_value(WEFT_SUM, WEFT_F64, &state, NULL), WEFT_INVALID, "out is NULL");
    REFUSED(weft_exact_value(WEFT_MEAN, WEFT_F64, &EMPTY, &value), WEFT_EMPTY, "mean of 0 terms is undefined");
    REFUSED(weft_exact_save(NULL, sizeof bytes, bytes), WEFT_INVALID, "state is NULL");
    REFUSED(weft_exact_save(&state, sizeof bytes, NULL), WEFT_INVALID, "bytes is NULL");
    REFUSED(weft_exact_save(&state, 591, bytes), WEFT_INVALID, "size is 591: the bytes of an exact sum are 592");
    REFUSED(weft_exact_load(593, bytes, &state), WEFT_INVALID, "size is 593");
    REFUSED(weft_exact_load(0, bytes, &state), WEFT_INVALID, "size is 0");
    REFUSED(weft_exact_load(sizeof bytes, NULL, &state), WEFT_INVALID, "bytes is NULL");
    EXPECT_STATUS(NULL, weft_exact_save(&state, sizeof bytes, bytes), WEFT_OK);
    REFUSED(weft_exact_load(sizeof bytes, bytes, NULL), WEFT_INVALID, "state is NULL");
    REFUSED(weft_exact_load(sizeof bytes, bytes, shifted(&state, 2)), WEFT_INVALID, "state is at");
#define REFUSED_BYTE(at, v, words)                     \
    memcpy(copy, bytes, sizeof bytes), copy[at] = (v); \
    REFUSED(weft_exact_load(sizeof copy, copy, &state), WEFT_INVALID, words)
    REFUSED_BYTE(1, 'E', "they begin with 77 45 78 73 instead of \"wexs\"");
    REFUSED_BYTE(4, 2, "an exact sum of version 2: expected version 1");
    REFUSED_BYTE(6, 0x51, "an exact sum of 593 bytes: expected 592");
    REFUSED_BYTE(15, 0x80, "it has -9223372036854775804 terms");
    REFUSED_BYTE(8, 0, "word 139 counts 1 of 0 terms");
    REFUSED_BYTE(16, 5, "word 136 counts 5 of 4 terms");
    REFUSED_BYTE(40, 2, "byte 40 is 2 instead of 1");
    REFUSED_BYTE(40, 0, "all its terms are -0.0, but its value is not zero");
    REFUSED_BYTE(48 + 4 * 134, 1, "its magnitude is 2^2112 or more");
    REFUSED_BYTE(WEFT_EXACT_BYTES - 1, 0xff, "its magnitude is 2^2112 or more");
    EXPECT(same(&state, &before), "a call that was refused has changed the state");
    EXPECT_VALUE(value, 77);
}

/* Words that are not those of a sum. */
static void words(void) {
    const weft_exact_state one = state_of(1, x);
    weft_exact_state state;
    double value;
#define REFUSED_WORD(at, v, words)     \
    state = one, state.word[at] = (v); \
    REFUSED(weft_exact_value(WEFT_SUM, WEFT_F64, &state, &value), WEFT_INVALID, words)
    REFUSED_WORD(0, INT64_C(1) << 62, "word 0 is 4611686018427387904, which is not less than 2^62 in magnitude");
    REFUSED_WORD(135, -(INT64_C(1) << 62), "word 135 is -4611686018427387904");
    REFUSED_WORD(135, INT64_MIN, "word 135 is -9223372036854775808");
    REFUSED_WORD(134, 1, "its magnitude is 2^2112 or more");
    REFUSED_WORD(135, -1, "its magnitude is 2^2112 or more");
    REFUSED_WORD(COUNT, -1, "it has -1 terms");
    REFUSED_WORD(NANS, -1, "word 136 counts -1 of 1 terms");
    REFUSED_WORD(MINUS, 2, "word 138 counts 2 of 1 terms");
    state = one, state.word[NANS] = state.word[PLUS] = 1;
    REFUSED(weft_exact_value(WEFT_SUM, WEFT_F64, &state, &value), WEFT_INVALID,
            "2 of its 1 terms are infinities or NaN");
    state = one, state.word[COUNT] = INT64_MAX;
    weft_exact_state full = state;
    REFUSED(weft_exact_merge(&one, &full), WEFT_INVALID,
            "the exact sums of 9223372036854775807 and 1 terms have more than 2^63 - 1 terms together");
    EXPECT_ERROR(ctx, weft_exact_add(ctx, WEFT_SUM, WEFT_F64, 1, x, &full), WEFT_INVALID, "2^63 - 1 terms together");
    EXPECT(same(&full, &state), "a call that was refused has changed the state");
    full.word[COUNT]--;
    EXPECT_STATUS(NULL, weft_exact_merge(&one, &full), WEFT_OK);
    EXPECT(full.word[COUNT] == INT64_MAX, "%lld terms", (long long)full.word[COUNT]);
}

/* --------------------------------------------------------------------------------- results */

/* The sum of f32 and f64 elements, magnitudes, squares and products in one state. */
static void mixed(void) {
    weft_exact_state state = EMPTY, sum = EMPTY;
    float single = 0;
    EXPECT_VALUE(rounded(WEFT_SUM, &state), 0.0);
    EXPECT_STATUS(ctx, weft_exact_add(ctx, WEFT_MEAN, WEFT_F32, 4, narrow, &state), WEFT_OK);
    EXPECT_STATUS(ctx, weft_exact_add(ctx, WEFT_NORM1, WEFT_F64, 3, x, &state), WEFT_OK);
    EXPECT_STATUS(ctx, weft_exact_add_dot(ctx, WEFT_F64, 1, x + 1, x + 2, &state), WEFT_OK);
    EXPECT_STATUS(ctx, weft_exact_add(ctx, WEFT_NORM2, WEFT_F64, 1, x + 1, &state), WEFT_OK);
    /* 1 + 2^-149 + 1 + 2e100 - (1e100)^2 + (1e100)^2 */
    EXPECT_VALUE(rounded(WEFT_SUM, &state), 2e100);
    EXPECT_VALUE(rounded(WEFT_MEAN, &state), 2e100 / 9);
    EXPECT_STATUS(NULL, weft_exact_value(WEFT_SUM, WEFT_F32, &state, &single), WEFT_OK);
    EXPECT(isinf(single) && single > 0, "2e100 as f32 is %g", (double)single);
    const double back[] = {-1e100, -1e100, -2};
    EXPECT_STATUS(ctx, weft_exact_add(ctx, WEFT_SUM, WEFT_F64, 3, back, &state), WEFT_OK);
    EXPECT_VALUE(rounded(WEFT_SUM, &state), 0x1p-149);
    EXPECT_VALUE(rounded(WEFT_NORM2, &state), sqrt(0x1p-149));
    EXPECT(state.word[COUNT] == 12, "%lld terms", (long long)state.word[COUNT]);
    unsigned char value[9];
    EXPECT_STATUS(NULL, weft_exact_value(WEFT_SUM, WEFT_F64, &state, value + 1), WEFT_OK); /* not aligned */
    memcpy(&sum, &state, sizeof sum);
    EXPECT_STATUS(NULL, weft_exact_merge(&sum, &sum), WEFT_OK);
    EXPECT_VALUE(rounded(WEFT_SUM, &sum), 0x1p-148);
    EXPECT(sum.word[COUNT] == 24, "%lld terms", (long long)sum.word[COUNT]);
}

static int calls;
static int cancel_last(void *user, uint64_t done, uint64_t total) {
    (void)user;
    return ++calls == 2 && done == total;
}

/* A call that is cancelled when its work is done does not change the state. */
static void cancelled(void) {
    weft_exact_state state = state_of(4, x);
    const weft_exact_state before = state;
    calls = 0;
    EXPECT_STATUS(ctx, weft_set_progress(ctx, cancel_last, NULL), WEFT_OK);
    EXPECT_STATUS(ctx, weft_exact_add(ctx, WEFT_SUM, WEFT_F64, 4, x, &state), WEFT_CANCELLED);
    calls = 0;
    EXPECT_STATUS(ctx, weft_set_progress(ctx, cancel_last, NULL), WEFT_OK);
    EXPECT_STATUS(ctx, weft_exact_add_dot(ctx, WEFT_F64, 4, x, x, &state), WEFT_CANCELLED);
    EXPECT_STATUS(ctx, weft_set_progress(ctx, NULL, NULL), WEFT_OK);
    EXPECT(same(&state, &before), "a cancelled call has changed the state");
}

static void special(void) {
    const double infinity = HUGE_VAL, zeros[] = {-0.0, -0.0}, below[] = {-1, 0.5},
                 infinities[] = {HUGE_VAL, -HUGE_VAL};
    const double not_a_number[] = {(double)NAN};
    weft_exact_state state = state_of(2, zeros);
    EXPECT_VALUE(rounded(WEFT_SUM, &state), -0.0);
    EXPECT_VALUE(rounded(WEFT_NORM2, &state), -0.0);
    EXPECT(state.word[OTHERS] == 0, "%lld", (long long)state.word[OTHERS]);
    EXPECT_STATUS(NULL, weft_exact_merge(&EMPTY, &state), WEFT_OK);
    EXPECT_VALUE(rounded(WEFT_MEAN, &state), -0.0);
    state = state_of(2, below);
    EXPECT_VALUE(rounded(WEFT_SUM, &state), -0.5);
    EXPECT(isnan(rounded(WEFT_NORM2, &state)), "the root of -0.5 is a number");
    weft_exact_state other = state_of(1, infinities);
    EXPECT(other.word[OTHERS] == 1 && other.word[PLUS] == 1, "%lld", (long long)other.word[OTHERS]);
    EXPECT_STATUS(NULL, weft_exact_merge(&other, &state), WEFT_OK);
    EXPECT_VALUE(rounded(WEFT_SUM, &state), infinity);
    EXPECT_VALUE(rounded(WEFT_NORM2, &other), infinity);
    other = state_of(1, infinities + 1);
    EXPECT_VALUE(rounded(WEFT_MEAN, &other), -infinity);
    EXPECT(isnan(rounded(WEFT_NORM2, &other)), "the root of -Inf is a number");
    EXPECT_STATUS(NULL, weft_exact_merge(&state, &other), WEFT_OK);
    EXPECT(isnan(rounded(WEFT_SUM, &other)), "Inf - Inf is a number");
    other = state_of(1, not_a_number);
    EXPECT(isnan(rounded(WEFT_MEAN, &other)), "NaN is a number");
}

/* Adding words merges states, also negative ones, before carries are propagated. */
static void added_words(void) {
    weft_exact_state sum = EMPTY, wanted = EMPTY, tidy = EMPTY;
    for (int part = 0; part < 1000; part++) {
        const double terms[] = {-1e-300 * part, 1e300, -1.5 - part};
        const weft_exact_state state = state_of(3, terms);
        for (int i = 0; i < WORDS; i++) sum.word[i] += state.word[i];
        EXPECT_STATUS(NULL, weft_exact_merge(&state, &wanted), WEFT_OK);
    }
    EXPECT_VALUE(rounded(WEFT_SUM, &sum), rounded(WEFT_SUM, &wanted));
    EXPECT(!same(&sum, &wanted), "the sum of the words has no carries");
    EXPECT_STATUS(NULL, weft_exact_merge(&sum, &tidy), WEFT_OK);
    EXPECT(same(&tidy, &wanted), "the words differ");
}

/* The bytes of -1.5 + 2^-1074. */
static void bytes(void) {
    const double terms[] = {-1.5, 0x1p-1074};
    const weft_exact_state state = state_of(2, terms);
    weft_exact_state back;
    unsigned char found[WEFT_EXACT_BYTES], wanted[WEFT_EXACT_BYTES] = {'w', 'e', 'x', 's', 1, 0, 0x50, 2, 2};
    wanted[40] = 1;
    /* -1.5 2^2176 + 2^1102 = 2^2176 (-2 + 0.5) + 2^1102 */
    wanted[48 + 1102 / 8] = 1 << 1102 % 8;
    wanted[48 + 2175 / 8] = 1 << 2175 % 8;
    memset(wanted + 48 + 2176 / 8, 0xff, sizeof wanted - 48 - 2176 / 8);
    wanted[48 + 2176 / 8] = 0xfe;
    EXPECT_STATUS(NULL, weft_exact_save(&state, sizeof found, found), WEFT_OK);
    for (int i = 0; i < WEFT_EXACT_BYTES; i++)
        EXPECT(found[i] == wanted[i], "byte %d is %02x in place of %02x", i, found[i], wanted[i]);
    EXPECT_STATUS(NULL, weft_exact_load(sizeof found, found, &back), WEFT_OK);
    EXPECT(same(&back, &state), "the words of the loaded state differ");
}

int main(int argc, char **argv) {
    if (weft_open(&ctx, argc > 1 ? argv[1] : "cpu") != WEFT_OK) return puts(weft_last_error(NULL)), 1;
    adding();
    without_context();
    words();
    mixed();
    cancelled();
    special();
    added_words();
    bytes();
    weft_close(ctx);
    return expect_end();
}
