/* Tests searching words in texts: the rules of ORDER.md 22 and known results as literal expectations, and random
 * texts over a small alphabet compared with memmem, in pieces of various kinds. */
#include "core/order.h"
#include "tests/oracle/oracle.h"

#include <inttypes.h>
#include <stdlib.h>

enum { TEXT = 20000, WORDS_MAX = WEFT_PATTERNS_MAX, LISTED = 3 * TEXT };
static weft_context *ctx;
static unsigned char text[TEXT + 1];
static uint64_t counts[WORDS_MAX], other[WORDS_MAX], positions[LISTED];
static uint32_t numbers[LISTED];

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Words as a weft_patterns. */
typedef struct word_list {
    uint64_t offsets[WORDS_MAX + 1];
    unsigned char bytes[WORDS_MAX * 8 + 40 * WEFT_PATTERN_BYTES_MAX];
    size_t count;
} word_list;
static word_list words;

static void clear(void) { words.count = words.offsets[0] = 0; }

static void add(const void *word, size_t length) {
    memcpy(words.bytes + words.offsets[words.count], word, length);
    words.offsets[words.count + 1] = words.offsets[words.count] + length;
    words.count++;
}

static weft_patterns all(void) { return (weft_patterns){words.count, words.offsets, words.bytes}; }

static size_t length_of(size_t i) { return words.offsets[i + 1] - words.offsets[i]; }

/* --------------------------------------------------------------------------------- literals */

/* Checks the counts in the n bytes at t. `list` contains the words, terminated by NULL; `expected` their counts. */
static void are(const char *t, size_t n, unsigned flags, const char *const *list, const uint64_t *expected) {
    clear();
    for (size_t i = 0; list[i]; i++) add(list[i], strlen(list[i]));
    const weft_patterns p = all();
    EXPECT_STATUS(ctx, weft_match_count(ctx, n, t, 0, n, &p, flags, counts), WEFT_OK);
    for (size_t i = 0; i < p.count; i++)
        EXPECT(counts[i] == expected[i], "\"%s\" is counted %" PRIu64 " times in \"%.*s\", and occurs %" PRIu64,
               list[i], counts[i], (int)n, t, expected[i]);
}

#define ARE(t, flags, expected, ...) \
    are(t, sizeof t - 1, flags, (const char *const[]){__VA_ARGS__, NULL}, (const uint64_t[]){NUMBERS expected})
#define NUMBERS(...) __VA_ARGS__

static void literals(void) {
    ARE("aaaaaaa", 0, (7, 6, 5, 4, 3, 1, 0), "a", "aa", "aaa", "aaaa", "aaaaa", "aaaaaaa", "aaaaaaaa");
    ARE("abababab", 0, (4, 3, 3, 1), "ab", "aba", "abab", "abababab");
    ARE("the data of the warp", 0, (2, 1, 1, 2, 0), "the", "data", "warp", "the", "text");
    ARE("xxxA", 0, (1, 1), "xxA", "A");
    ARE("", 0, (0), "a");
    ARE("The THE tHe the", WEFT_FOLD_CASE, (4, 4, 4), "the", "THE", "tHE");
    ARE("The THE tHe the", WEFT_MATCH_BYTES, (1, 1, 0), "the", "THE", "tHE");
    ARE("@`[{^~", WEFT_FOLD_CASE, (1, 1, 1, 1), "@", "`", "[", "{");
    ARE("\xc1\xe1", WEFT_FOLD_CASE, (1, 1), "\xc1", "\xe1");
    ARE("cat cats scat _cat cat_ 9cat cat9 cat.", WEFT_WHOLE_WORD, (2, 0), "cat", "at");
    ARE("cat", WEFT_WHOLE_WORD, (1, 0), "cat", "ca");
    ARE("a\xc3\xa9t\xe9 -- --", WEFT_WHOLE_WORD, (1, 2, 1), "a", "--", "t");
    ARE("Cat CAT catcat", WEFT_WHOLE_WORD | WEFT_FOLD_CASE, (2, 1), "cat", "CATcat");
}

static void zeros_and_ends(void) {
    memset(text, 0, 300);
    memset(text + 300, 0xff, 300);
    clear();
    add("\0", 1);
    add("\xff\xff\xff\xff\xff", 5);
    add("\0\xff", 2);
    add(text, WEFT_PATTERN_BYTES_MAX);
    weft_patterns p = all();
    EXPECT_STATUS(ctx, weft_match_count(ctx, 600, text, 0, 600, &p, 0, counts), WEFT_OK);
    EXPECT(counts[0] == 300 && counts[1] == 296 && counts[2] == 1 && counts[3] == 45, "zeros and 0xff");
    /* A word at the very end of texts of every length, and one byte longer than the text. */
    memset(text, '-', TEXT);
    for (size_t n = 1; n < 700; n++) {
        clear();
        memcpy(text + n - 1, "needle", 6);
        for (size_t length = 1; length <= 6; length++) add("needle", length);
        p = all();
        EXPECT_STATUS(ctx, weft_match_count(ctx, n, text, 0, n, &p, 0, counts), WEFT_OK);
        EXPECT(counts[0] == 1 && counts[1] == 0 && counts[5] == 0, "cut at %zu bytes", n);
        EXPECT_STATUS(ctx, weft_match_count(ctx, n + 5, text, 0, n + 5, &p, 0, counts), WEFT_OK);
        EXPECT(counts[1] == 1 && counts[3] == 1 && counts[5] == 1, "at the end of %zu bytes", n + 5);
        EXPECT_STATUS(ctx, weft_match_count(ctx, n + 5, text, n, n + 5, &p, 0, counts), WEFT_OK);
        EXPECT(counts[5] == 0, "a position before the first one");
        memset(text + n - 1, '-', 6);
    }
}

/* --------------------------------------------------------------------------------- random */

static bool is_word(unsigned char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static void lower(unsigned char *t, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (t[i] >= 'A' && t[i] <= 'Z') t[i] = (unsigned char)(t[i] + 32);
}

/* Counts by memmem, in lower-case copies if case is ignored. */
static uint64_t expected(size_t n, size_t word, unsigned flags) {
    static unsigned char in[TEXT + 1], pattern[WEFT_PATTERN_BYTES_MAX];
    const size_t length = length_of(word);
    uint64_t found = 0;
    memcpy(in, text, n);
    memcpy(pattern, words.bytes + words.offsets[word], length);
    if (flags & WEFT_FOLD_CASE) lower(in, n), lower(pattern, length);
    for (const unsigned char *p = in; (p = memmem(p, n - (size_t)(p - in), pattern, length)) != NULL; p++) {
        const bool alone = !(p > in && is_word(p[-1])) && !(p + length < in + n && is_word(p[length]));
        found += alone || !(flags & WEFT_WHOLE_WORD);
    }
    return found;
}

static void make(uint64_t seed, size_t n, size_t count, size_t longest) {
    static const char letters[] = "aAbB .aab";
    for (size_t i = 0; i < n; i++) text[i] = (unsigned char)letters[input_random(seed, i) >> 8 & 7];
    clear();
    for (size_t i = 0; i < count; i++) {
        const uint64_t r = input_random(seed + 1, i) >> 8;
        const size_t length = 1 + r % (longest < n ? longest : n);
        add(text + r / 512 % (n - length + 1), length);
    }
}

/* Checks that the list is ordered and complete, and that it agrees with the counts. */
static void check_list(size_t n, unsigned flags) {
    const weft_patterns p = all();
    uint64_t total = 0, sum = 0;
    memset(other, 0, sizeof other);
    EXPECT_STATUS(ctx, weft_match_list(ctx, n, text, 0, n, &p, flags, LISTED, positions, numbers, &total), WEFT_OK);
    for (size_t i = 0; i < p.count; i++) sum += counts[i];
    EXPECT(total == sum, "%" PRIu64 " listed, %" PRIu64 " counted", total, sum);
    for (size_t i = 0; i < total && i < LISTED; i++) {
        const size_t position = positions[i], word = numbers[i];
        if (!EXPECT(word < p.count && position + length_of(word) <= n, "match %zu is of no word or position", i))
            return;
        other[word]++;
        EXPECT(i == 0 || positions[i - 1] < position || (positions[i - 1] == position && numbers[i - 1] < word),
               "match %zu is out of order", i);
        EXPECT((flags & WEFT_FOLD_CASE) ||
                   memcmp(text + position, words.bytes + words.offsets[word], length_of(word)) == 0,
               "word %zu is not at %zu", word, position);
    }
    EXPECT(total > LISTED || memcmp(other, counts, p.count * sizeof *counts) == 0, "the list has other counts");
    positions[3] = numbers[3] = 77;
    EXPECT_STATUS(ctx, weft_match_list(ctx, n, text, 0, n, &p, flags, 3, positions, numbers, &total), WEFT_OK);
    EXPECT(total == sum && positions[3] == 77 && numbers[3] == 77, "of a list of three");
}

/* Checks that pieces give identical counts, each with the bytes around it that the header requires. */
static void check_pieces(size_t n, unsigned flags, size_t piece) {
    const weft_patterns p = all();
    memset(other, 0, sizeof other);
    for (size_t at = 0; at < n; at += piece) {
        static uint64_t some[WORDS_MAX];
        const size_t before = at > 0, end = n - at < piece ? n : at + piece;
        const size_t after = n - end < WEFT_PATTERN_BYTES_MAX ? n - end : WEFT_PATTERN_BYTES_MAX;
        EXPECT_STATUS(ctx,
                      weft_match_count(ctx, before + end - at + after, text + at - before, before, before + end - at,
                                       &p, flags, some),
                      WEFT_OK);
        for (size_t i = 0; i < p.count; i++) other[i] += some[i];
    }
    EXPECT(memcmp(other, counts, p.count * sizeof *counts) == 0, "pieces of %zu of %zu bytes, %zu words", piece, n,
           p.count);
}

static void random_texts(void) {
    static const struct {
        size_t n, count, longest;
    } shapes[] = {{1, 1, 1},    {64, 4, 3},     {67, 5, 4},     {5000, 4, 4},   {4096, 9, 2},
                  {700, 40, 5}, {3000, 3, 256}, {9001, 150, 7}, {TEXT, 2, 200}, {513, 32, 4}};
    for (size_t s = 0; s < COUNT(shapes); s++)
        for (unsigned flags = 0; flags < 4; flags++) {
            const size_t n = shapes[s].n;
            make(100 * s + flags, n, shapes[s].count, shapes[s].longest);
            const weft_patterns p = all();
            EXPECT_STATUS(ctx, weft_match_count(ctx, n, text, 0, n, &p, flags, counts), WEFT_OK);
            for (size_t i = 0; i < p.count; i++)
                EXPECT(counts[i] == expected(n, i, flags),
                       "word %zu of shape %zu, flags %u: %" PRIu64 ", and memmem %" PRIu64, i, s, flags, counts[i],
                       expected(n, i, flags));
            check_list(n, flags);
            check_pieces(n, flags, n / 3 + 1);
            check_pieces(n, flags, 97);
        }
}

/* ------------------------------------------------------------------------------ long texts */

/* Long enough to be divided into tiles of several chunks on a GPU. */
enum { LONG = 300007 };
static unsigned char long_text[LONG];

static void counted(const unsigned char *t, size_t n, unsigned flags, const uint64_t *truth, const char *what) {
    const weft_patterns p = all();
    uint64_t total = 0, sum = 0;
    EXPECT_STATUS(ctx, weft_match_count(ctx, n, t, 0, n, &p, flags, counts), WEFT_OK);
    for (size_t i = 0; i < p.count; i++) {
        EXPECT(counts[i] == truth[i], "%s, %zu bytes, word %zu: %" PRIu64 ", expected %" PRIu64, what, n, i,
               counts[i], truth[i]);
        sum += truth[i];
    }
    EXPECT_STATUS(ctx, weft_match_list(ctx, n, t, 0, n, &p, flags, LISTED, positions, numbers, &total), WEFT_OK);
    EXPECT(total == sum, "%s, %zu bytes: %" PRIu64 " listed, expected %" PRIu64, what, n, total, sum);
    for (size_t i = 1; i < total && i < LISTED; i++)
        if (!EXPECT(positions[i - 1] < positions[i] ||
                        (positions[i - 1] == positions[i] && numbers[i - 1] < numbers[i]),
                    "%s, %zu bytes: match %zu is out of order", what, n, i))
            return;
}

/* Checks texts and words of one letter: every word occurs at every position where it fits, whatever prefixes the
 * words share. */
static void one_letter(size_t n, size_t shortest, size_t longest) {
    uint64_t truth[16];
    clear();
    for (size_t m = shortest; m <= longest; m++) {
        add(long_text, m);
        truth[m - shortest] = n < m ? 0 : n - m + 1;
    }
    counted(long_text + 1, n, 0, truth, "one letter");
}

/* Checks words of `length` bytes across every boundary of groups of 16 bytes, warps and chunks. Words begin at
 * multiples of an odd distance, in upper or lower case. A word of "x" of equal length never occurs. */
static void across_seams(size_t n, size_t length, unsigned flags) {
    const size_t distance = 509; /* prime, so that all positions modulo 16, 512 and 2048 occur */
    uint64_t truth[2] = {0, 0};
    memset(long_text, '.', n);
    for (size_t at = 0; at + length <= n; at += distance) {
        const bool upper = at / distance % 3 == 0;
        memcpy(long_text + at, upper ? "NEEDLEWORKS" : "needleworks", length);
        truth[0] += !upper || (flags & WEFT_FOLD_CASE);
    }
    clear();
    add("needleworks", length);
    add("xxxxxxxxxxx", length);
    counted(long_text, n, flags, truth, "seams");
}

/* Checks a word that begins at the last searched position, extends past it, and crosses a chunk of 2048 bytes. */
static void at_the_last_position(size_t length) {
    memset(long_text, '.', 5000);
    for (size_t end = 2030; end < 2066; end++) {
        memcpy(long_text + end - 1, "needleworks", length);
        clear();
        add("needleworks", length);
        const weft_patterns p = all();
        for (int alone = 0; alone < 2; alone++) {
            const size_t first = alone ? end - 1 : 0;
            EXPECT_STATUS(ctx, weft_match_count(ctx, 5000, long_text, first, end, &p, 0, counts), WEFT_OK);
            EXPECT(counts[0] == 1, "%zu bytes at position %zu, the last of those from %zu on", length, end - 1,
                   first);
        }
        memset(long_text + end - 1, '.', length);
    }
}

static void long_texts(void) {
    for (size_t length = 1; length <= 11; length++) at_the_last_position(length);
    memset(long_text, 'a', LONG);
    for (size_t m = 1; m <= 8; m++) {
        one_letter(LISTED / 4, m, m + 3);
        one_letter(m + 2, m, m + 3);
    }
    one_letter(LONG - 1, 4, 4);
    for (size_t length = 1; length <= 11; length++)
        for (unsigned flags = 0; flags < 4; flags++) across_seams(LONG - length, length, flags);
}

/* Searches for the largest number of words: the numbers from 0 on, in a text of some of them. */
static void many_words(void) {
    char word[8];
    size_t n = 0;
    clear();
    for (size_t i = 0; i < WORDS_MAX; i++) {
        const int length = snprintf(word, sizeof word, "%zu", i);
        add(word, (size_t)length);
    }
    for (size_t i = 0; i < 300; i++) n += (size_t)sprintf((char *)text + n, "%zu ", i * 37 % WORDS_MAX);
    const weft_patterns p = all();
    EXPECT_STATUS(ctx, weft_match_count(ctx, n, text, 0, n, &p, WEFT_WHOLE_WORD, counts), WEFT_OK);
    uint64_t sum = 0;
    for (size_t i = 0; i < WORDS_MAX; i++) sum += counts[i];
    EXPECT(sum == 300 && counts[37] == 1 && counts[38] == 0, "%" PRIu64 " of 300 numbers", sum);
    EXPECT_STATUS(ctx, weft_match_count(ctx, n, text, 0, n, &p, 0, counts), WEFT_OK);
    for (size_t i = 0; i < WORDS_MAX; i += 271) EXPECT(counts[i] == expected(n, i, 0), "number %zu", i);
}

int main(int argc, char **argv) {
    ctx = oracle_open(argc, argv);
    literals();
    zeros_and_ends();
    random_texts();
    many_words();
    long_texts();
    weft_close(ctx);
    return expect_end();
}
