/* weft_exact_...: states of exact sums (ORDER.md 30.2). */
#include "arith/exact.h"
#include "core/check.h"
#include "core/exact_ops.h"

#include <inttypes.h>
#include <string.h>

_Static_assert(sizeof((weft_exact_state *)NULL)->word == WEFT_EXACT_WORDS * sizeof(int64_t), "the words of a state");

enum {
    WORD_BITS = 62,  /* words of the caller are less than 2^62: those of 2^30 states, added */
    TOP_DIGIT = 134, /* this digit and the next one are copies of the sign: the sum is less than 2^2112 */
    VERSION = 1,     /* of the bytes */
    VERSION_AT = 4,  /* after the four letters */
    SIZE_AT = 6,
    COUNTERS_AT = 8,
    DIGITS_AT = 48
};
static const char LETTERS[] = {'w', 'e', 'x', 's'};
/* The counters, in the order of the bytes. */
static const int COUNTERS[] = {EXACT_COUNT, EXACT_NANS, EXACT_PLUS, EXACT_MINUS, EXACT_OTHERS};
enum { COUNTERS_SAVED = sizeof COUNTERS / sizeof *COUNTERS };

_Static_assert(DIGITS_AT == COUNTERS_AT + 8 * COUNTERS_SAVED, "digits follow the counters");
_Static_assert(WEFT_EXACT_BYTES == DIGITS_AT + 4 * WEFT_EXACT_DIGITS, "and are the last bytes");

/* ---------------------------------------------------------------------------------- words */

/* Checks that words are those of a sum, and gives them the values that weft writes. */
static weft_status tidy(const char *name, int64_t *words, weft_error *error) {
    const int64_t most = INT64_C(1) << WORD_BITS;
    for (int i = 0; i < WEFT_EXACT_DIGITS; i++)
        RETURN_IF(words[i] <= -most || words[i] >= most, WEFT_INVALID,
                  "%s is not an exact sum: word %d is %" PRId64 ", which is not less than 2^%d in magnitude", name, i,
                  words[i], WORD_BITS);
    const int64_t count = words[EXACT_COUNT];
    RETURN_IF(count < 0, WEFT_INVALID, "%s is not an exact sum: it has %" PRId64 " terms", name, count);
    for (int i = EXACT_NANS; i < EXACT_COUNT; i++)
        RETURN_IF(words[i] < 0 || words[i] > count, WEFT_INVALID,
                  "%s is not an exact sum: word %d counts %" PRId64 " of %" PRId64 " terms", name, i, words[i],
                  count);
    const uint64_t special = (uint64_t)words[EXACT_NANS] + (uint64_t)words[EXACT_PLUS] + (uint64_t)words[EXACT_MINUS];
    RETURN_IF(special > (uint64_t)count, WEFT_INVALID,
              "%s is not an exact sum: %" PRIu64 " of its %" PRId64 " terms are infinities or NaN", name, special,
              count);
    weft_exact_tidy(words);
    const int64_t negative = words[WEFT_EXACT_DIGITS - 1], filled = negative ? 0xffffffff : 0;
    RETURN_IF((negative != 0 && negative != -1) || words[TOP_DIGIT] != filled, WEFT_INVALID,
              "%s is not an exact sum: its magnitude is 2^2112 or more", name);
    RETURN_IF(!words[EXACT_OTHERS] && !weft_exact_is_zero(words), WEFT_INVALID,
              "%s is not an exact sum: all its terms are -0.0, but its value is not zero", name);
    return WEFT_OK;
}

static weft_status check_address(const char *name, const weft_exact_state *state, weft_error *error) {
    RETURN_IF(!state, WEFT_INVALID, "%s is NULL", name);
    RETURN_IF((uintptr_t)state % sizeof(int64_t) != 0, WEFT_INVALID,
              "%s is at %p, which is not aligned to its %zu-byte words", name, (const void *)state, sizeof(int64_t));
    return check_host_value(name, state, error);
}

/* Copies the words of a state of the caller. */
static weft_status get(const char *name, const weft_exact_state *state, int64_t *words, weft_error *error) {
    RETURN_IF_ERROR(check_address(name, state, error));
    memcpy(words, state->word, sizeof state->word);
    return tidy(name, words, error);
}

/* Adds `part` to `words`. Both were checked. */
static weft_status add_words(const int64_t *part, int64_t *words, weft_error *error) {
    RETURN_IF(words[EXACT_COUNT] > INT64_MAX - part[EXACT_COUNT], WEFT_INVALID,
              "the exact sums of %" PRId64 " and %" PRId64 " terms have more than 2^63 - 1 terms together",
              words[EXACT_COUNT], part[EXACT_COUNT]);
    for (int i = 0; i < WEFT_EXACT_WORDS; i++) words[i] += part[i];
    return tidy("the total", words, error);
}

weft_status weft_exact_merge(const weft_exact_state *from, weft_exact_state *into) {
    weft_error *error = context_thread_error();
    int64_t part[WEFT_EXACT_WORDS], words[WEFT_EXACT_WORDS];
    RETURN_IF_ERROR(get("from", from, part, error));
    RETURN_IF_ERROR(get("into", into, words, error));
    RETURN_IF_ERROR(add_words(part, words, error));
    memcpy(into->word, words, sizeof words);
    return WEFT_OK;
}

/* --------------------------------------------------------------------------------- adding */

/* Computes the words of a state with further terms: products, or those of `op`. */
static weft_status add(weft_context *ctx, weft_op op, exact_call *c, const weft_exact_state *state, int64_t *words,
                       weft_error *error) {
    const bool products = c->terms == EXACT_PRODUCTS;
    int64_t part[WEFT_EXACT_WORDS];
    range from_x, from_y = {0}, to;
    weft_dtype result;
    RETURN_IF_ERROR(products ? check_exact("dot", true, c->dtype, &result, error)
                             : check_whole_type(op, c->dtype, WEFT_EXACT_SUM, &result, error));
    if (!products) c->terms = exact_terms_of(op);
    RETURN_IF_ERROR(check_array(ctx, "x", c->x, c->n, weft_dtype_size(c->dtype), &from_x, error));
    if (products) RETURN_IF_ERROR(check_array(ctx, "y", c->y, c->n, weft_dtype_size(c->dtype), &from_y, error));
    RETURN_IF_ERROR(get("state", state, words, error));
    RETURN_IF_ERROR(check_array(ctx, "state", state, WEFT_EXACT_WORDS, sizeof(int64_t), &to, error));
    RETURN_IF_ERROR(check_apart(&to, &from_x, error));
    RETURN_IF_ERROR(check_apart(&to, &from_y, error));
    if (c->n == 0) return WEFT_OK;
    c->state = part;
    RETURN_IF_ERROR(ctx->backend->exact(ctx->state, c, error));
    weft_exact_tidy(part); /* EXACT_OTHERS may exceed the number of terms */
    return add_words(part, words, error);
}

static weft_status guarded_add(weft_context *ctx, weft_op op, exact_call *c, const weft_exact_state *state,
                               int64_t *words) {
    RETURN_GUARDED(ctx, add(ctx, op, c, state, words, error));
}

/* Changes the state after the last step that can fail or be cancelled. */
static weft_status add_to(weft_context *ctx, weft_op op, exact_call *c, weft_exact_state *state) {
    int64_t words[WEFT_EXACT_WORDS];
    RETURN_IF_ERROR(guarded_add(ctx, op, c, state, words));
    /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): the call above fails if the state is NULL */
    memcpy(state->word, words, sizeof words);
    return WEFT_OK;
}

weft_status weft_exact_add(weft_context *ctx, weft_op op, weft_dtype dtype, size_t n, const void *x,
                           weft_exact_state *state) {
    exact_call call = {.dtype = dtype, .n = n, .x = x};
    return add_to(ctx, op, &call, state);
}

weft_status weft_exact_add_dot(weft_context *ctx, weft_dtype dtype, size_t n, const void *x, const void *y,
                               weft_exact_state *state) {
    exact_call call = {.terms = EXACT_PRODUCTS, .dtype = dtype, .n = n, .x = x, .y = y};
    return add_to(ctx, WEFT_SUM, &call, state);
}

/* -------------------------------------------------------------------------------- rounding */

weft_status weft_exact_value(weft_op op, weft_dtype dtype, const weft_exact_state *state, void *out) {
    weft_error *error = context_thread_error();
    int64_t words[WEFT_EXACT_WORDS];
    weft_dtype result;
    RETURN_IF_ERROR(check_whole_type(op, dtype, WEFT_EXACT_SUM, &result, error));
    RETURN_IF_ERROR(get("state", state, words, error));
    RETURN_IF(!out, WEFT_INVALID, "out is NULL");
    RETURN_IF_ERROR(check_host_value("out", out, error));
    RETURN_IF(op == WEFT_MEAN && words[EXACT_COUNT] == 0, WEFT_EMPTY, "mean of 0 terms is undefined");
    /* The root of a number below zero is a NaN. */
    if (op == WEFT_NORM2 && (words[WEFT_EXACT_DIGITS - 1] < 0 || words[EXACT_MINUS])) words[EXACT_NANS] = 1;
    const bool narrow = dtype == WEFT_F32;
    const uint64_t bits = weft_exact_finish(words, exact_finish_of(op), narrow);
    const uint32_t low = (uint32_t)bits;
    memcpy(out, narrow ? (const void *)&low : &bits, weft_dtype_size(dtype));
    return WEFT_OK;
}

/* ----------------------------------------------------------------------------------- bytes */

/* Write and read a number of `bytes` bytes, the lowest first. */
static void put_number(uint64_t v, int bytes, unsigned char *to) {
    for (int i = 0; i < bytes; i++) to[i] = (unsigned char)(v >> 8 * i);
}

static uint64_t get_number(int bytes, const unsigned char *from) {
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++) v |= (uint64_t)from[i] << 8 * i;
    return v;
}

static weft_status check_bytes(size_t size, const void *bytes, weft_error *error) {
    RETURN_IF(size != WEFT_EXACT_BYTES, WEFT_INVALID, "size is %zu: the bytes of an exact sum are %d", size,
              WEFT_EXACT_BYTES);
    RETURN_IF(!bytes, WEFT_INVALID, "bytes is NULL");
    return check_host_value("bytes", bytes, error);
}

weft_status weft_exact_save(const weft_exact_state *state, size_t size, void *bytes) {
    weft_error *error = context_thread_error();
    int64_t words[WEFT_EXACT_WORDS];
    unsigned char to[WEFT_EXACT_BYTES];
    RETURN_IF_ERROR(get("state", state, words, error));
    RETURN_IF_ERROR(check_bytes(size, bytes, error));
    memcpy(to, LETTERS, sizeof LETTERS);
    put_number(VERSION, 2, to + VERSION_AT);
    put_number(WEFT_EXACT_BYTES, 2, to + SIZE_AT);
    for (int i = 0; i < COUNTERS_SAVED; i++) put_number((uint64_t)words[COUNTERS[i]], 8, to + COUNTERS_AT + 8 * i);
    for (int i = 0; i < WEFT_EXACT_DIGITS; i++) put_number((uint64_t)words[i], 4, to + DIGITS_AT + 4 * i);
    memcpy(bytes, to, sizeof to);
    return WEFT_OK;
}

static weft_status check_header(const unsigned char *from, weft_error *error) {
    const unsigned version = (unsigned)get_number(2, from + VERSION_AT),
                   size = (unsigned)get_number(2, from + SIZE_AT);
    RETURN_IF(memcmp(from, LETTERS, sizeof LETTERS) != 0, WEFT_INVALID,
              "the bytes are not an exact sum: they begin with %02x %02x %02x %02x instead of \"wexs\"", from[0],
              from[1], from[2], from[3]);
    RETURN_IF(version != VERSION, WEFT_INVALID, "the bytes are an exact sum of version %u: expected version %d",
              version, VERSION);
    RETURN_IF(size != WEFT_EXACT_BYTES, WEFT_INVALID, "the bytes are an exact sum of %u bytes: expected %d", size,
              WEFT_EXACT_BYTES);
    return WEFT_OK;
}

weft_status weft_exact_load(size_t size, const void *bytes, weft_exact_state *state) {
    weft_error *error = context_thread_error();
    const unsigned char *const from = bytes;
    int64_t words[WEFT_EXACT_WORDS];
    RETURN_IF_ERROR(check_bytes(size, bytes, error));
    RETURN_IF_ERROR(check_address("state", state, error));
    RETURN_IF_ERROR(check_header(from, error));
    for (int i = 0; i < COUNTERS_SAVED; i++) words[COUNTERS[i]] = (int64_t)get_number(8, from + COUNTERS_AT + 8 * i);
    for (int i = 0; i < WEFT_EXACT_DIGITS; i++) words[i] = (int64_t)get_number(4, from + DIGITS_AT + 4 * i);
    words[WEFT_EXACT_DIGITS - 1] = (int32_t)words[WEFT_EXACT_DIGITS - 1];
    const int64_t others = words[EXACT_OTHERS];
    RETURN_IF_ERROR(tidy("the sum of the bytes", words, error));
    RETURN_IF(words[EXACT_OTHERS] != others, WEFT_INVALID,
              "the sum of the bytes is not an exact sum: byte 40 is %" PRId64 " instead of %" PRId64, others,
              words[EXACT_OTHERS]);
    memcpy(state->word, words, sizeof words);
    return WEFT_OK;
}
