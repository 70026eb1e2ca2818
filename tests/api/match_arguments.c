/* Tests arguments that weft_match_count and weft_match_list reject: the error messages, and that nothing was written.
 * The argument is the device's name. */
#include "tests/expect.h"

#include <stdint.h>

enum { N = 100 };
static const unsigned char POISON = 0x5a;
static weft_context *ctx;
static char text[N];
static uint64_t out[N];
static uint32_t numbers[N];
static const uint64_t offsets[] = {0, 3, 7};
static const weft_patterns words = {2, offsets, "thedata"};

static void count(void) {
#define REFUSED(n, text, first, end, patterns, flags, counts, words) \
    EXPECT_ERROR(ctx, weft_match_count(ctx, n, text, first, end, patterns, flags, counts), WEFT_INVALID, words)
    static uint64_t falls[] = {0, 3, 2}, empty[] = {0, 3, 3, 4}, far[] = {0, 4, 261}, huge[] = {0, UINT64_MAX};
    EXPECT_ERROR(NULL, weft_match_count(NULL, N, text, 0, N, &words, 0, out), WEFT_INVALID, "ctx is NULL");
    REFUSED(N, NULL, 0, N, &words, 0, out, "text is NULL");
    REFUSED(SIZE_MAX, text, 0, N, &words, 0, out, "do not fit in memory");
    REFUSED(N, text, 0, N + 1, &words, 0, out,
            "first = 0, end = 101 in a text of 100 bytes: expected first <= end <= n");
    REFUSED(N, text, 5, 4, &words, 0, out, "first = 5, end = 4 in a text");
    REFUSED(N, text, 0, N, NULL, 0, out, "patterns is NULL");
    REFUSED(N, text, 0, N, &words, 4, out, "invalid flags 4: expected a combination of 1 and 2");
    REFUSED(N, text, 0, N, &words, 0, NULL, "counts is NULL");
    REFUSED(N, text, 0, N, &words, 0, (uint64_t *)((char *)out + 4), "counts is at");
    REFUSED(sizeof out, out, 0, N, &words, 0, out + 1, "counts (16 bytes at");
    REFUSED(N, text, 0, N, &((weft_patterns){0, offsets, "a"}), 0, out,
            "invalid number of patterns 0: expected 1 to 10000");
    REFUSED(N, text, 0, N, &((weft_patterns){10001, offsets, "a"}), 0, out, "number of patterns 10001");
    REFUSED(N, text, 0, N, &((weft_patterns){SIZE_MAX, offsets, "a"}), 0, out, "expected 1 to 10000");
    REFUSED(N, text, 0, N, &((weft_patterns){2, NULL, "a"}), 0, out, "patterns->offsets is NULL");
    REFUSED(N, text, 0, N, &((weft_patterns){2, offsets, NULL}), 0, out, "patterns->bytes is NULL");
    REFUSED(N, text, 0, N, &((weft_patterns){2, falls, "abc"}), 0, out,
            "patterns->offsets[1] is 3 and patterns->offsets[2] is 2: offsets must not decrease");
    REFUSED(N, text, 0, N, &((weft_patterns){3, empty, "abcd"}), 0, out,
            "pattern 1 is empty: a pattern must have 1 to 256");
    REFUSED(N, text, 0, N, &((weft_patterns){2, far, "abcd"}), 0, out,
            "pattern 1 has 257 bytes: a pattern must have 1 to 256");
    REFUSED(N, text, 0, N, &((weft_patterns){1, huge, "abcd"}), 0, out, "pattern 0 has 18446744073709551615 bytes");
#undef REFUSED
}

static void list(void) {
#define REFUSED(capacity, positions, numbers, total, words_of_it)                                          \
    EXPECT_ERROR(ctx, weft_match_list(ctx, N, text, 0, N, &words, 0, capacity, positions, numbers, total), \
                 WEFT_INVALID, words_of_it)
    REFUSED(4, NULL, numbers, out, "positions is NULL");
    REFUSED(4, out + 1, NULL, out, "numbers is NULL");
    REFUSED(4, out + 1, numbers, NULL, "total is NULL");
    REFUSED(4, out, numbers, out + 3, "total (8 bytes at");
    REFUSED(SIZE_MAX / 4, out, numbers, out, "positions: ");
    REFUSED(4, out, (uint32_t *)(out + 3), out + 9, "numbers (16 bytes at");
#undef REFUSED
}

static bool untouched(void) {
    for (size_t i = 0; i < sizeof out; i++)
        if (((const unsigned char *)out)[i] != POISON) return false;
    for (size_t i = 0; i < sizeof numbers; i++)
        if (((const unsigned char *)numbers)[i] != POISON) return false;
    return true;
}

static void what_is_allowed(void) {
    uint64_t total = 9;
    EXPECT_STATUS(ctx, weft_match_count(ctx, 0, NULL, 0, 0, &words, 3, out), WEFT_OK);
    EXPECT(out[0] == 0 && out[1] == 0, "counts of nothing");
    EXPECT_STATUS(ctx, weft_match_list(ctx, 10, "data, the ", 0, 10, &words, 0, 0, NULL, NULL, &total), WEFT_OK);
    EXPECT(total == 2, "%llu matches with capacity 0", (unsigned long long)total);
    static const uint64_t ends[] = {4, 7};
    EXPECT_STATUS(ctx, weft_match_count(ctx, 10, "data, the ", 6, 6, &((weft_patterns){1, ends, "    the"}), 0, out),
                  WEFT_OK);
    EXPECT(out[0] == 0, "no positions");
    EXPECT_STATUS(ctx, weft_match_count(ctx, 10, "data, the ", 6, 7, &((weft_patterns){1, ends, "    the"}), 0, out),
                  WEFT_OK);
    EXPECT(out[0] == 1, "offsets need not begin with 0");
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "cpu";
    if (weft_open(&ctx, device) != WEFT_OK) return puts(weft_last_error(NULL)), 1;
    memset(out, POISON, sizeof out);
    memset(numbers, POISON, sizeof numbers);
    count();
    list();
    EXPECT(untouched(), "a call that was refused has written");
    what_is_allowed();
    weft_close(ctx);
    return expect_end();
}
