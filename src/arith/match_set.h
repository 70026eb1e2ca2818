/* The patterns of weft_match_count in the form that both backends search for (ORDER.md 22): one block of words that
 * can be copied to a GPU.
 *
 * The class of a pattern is the number of its bytes in its key: all bytes up to four, the first one in the lowest
 * bits, and zeros after them. A bucket of keys lists the numbers of the patterns to compare, in ascending order.
 *
 * The filter is a bitmap that excludes positions at which no pattern can begin. It has two forms. It contains the
 * keys of all classes, and every position is looked up once for each class. Or, if all patterns are long enough, it
 * contains the `stride` grams, all of one length, that begin at the first `stride` bytes of each pattern. Then only
 * every stride-th position is looked up, once: wherever a pattern begins, one of these positions is the start of
 * such a gram (S. Wu, U. Manber, A fast algorithm for multi-pattern searching, TR-94-17, University of Arizona,
 * 1994). */
#ifndef WEFT_ARITH_MATCH_SET_H
#define WEFT_ARITH_MATCH_SET_H

#include "arith/arith.h"

#include <stddef.h>

#define WEFT_MATCH_CLASSES 4
#define WEFT_MATCH_FILTER_LOG2_MIN 11
#define WEFT_MATCH_FILTER_LOG2_MAX 18
/* Maximum number of patterns of four bytes for which their grams of three bytes are rare in a text. */
#define WEFT_MATCH_FEW_TRIGRAMS 128

typedef struct weft_match_set {
    uint32_t patterns, bytes_of_patterns;
    uint32_t fold_case, whole_word;
    uint32_t class_count, classes[WEFT_MATCH_CLASSES]; /* classes that occur, in ascending order */
    uint32_t stride;                                   /* 1, 2 or 4 */
    uint32_t gram_count, grams[WEFT_MATCH_CLASSES];    /* lengths of the grams to look up, in bytes */
    uint32_t buckets_log2, filter_log2;
    const uint32_t *starts;  /* patterns + 1 offsets of the patterns in `bytes` */
    const uint32_t *keys;    /* key of each pattern, with lower-case letters if case is folded */
    const uint32_t *masks;   /* significant bits: text begins with the pattern only if (text ^ key) & mask is 0 */
    const uint32_t *filter;  /* 2^filter_log2 bits */
    const uint32_t *buckets; /* 2^buckets_log2 + 1 offsets of the buckets in `entries` */
    const uint32_t *entries; /* numbers of patterns */
    const unsigned char *bytes;
} weft_match_set;

/* ------------------------------------------------------------------------------ comparing */

WEFT_ARITH uint32_t weft_match_is_letter(uint32_t c) { return ((c | 0x20) - 'a') < 26; }

WEFT_ARITH uint32_t weft_match_is_word_byte(uint32_t c) {
    return weft_match_is_letter(c) || (c - '0') < 10 || c == '_';
}

WEFT_ARITH uint32_t weft_match_fold(const weft_match_set *s, uint32_t c) {
    return s->fold_case && weft_match_is_letter(c) ? c | 0x20 : c;
}

/* Folds four bytes at once: A to Z get bit 5 set. Sums of seven bits do not carry into the next byte. */
WEFT_ARITH uint32_t weft_match_fold_four(const weft_match_set *s, uint32_t x) {
    const uint32_t low = x & 0x7f7f7f7fu, from_a = low + 0x3f3f3f3fu, after_z = low + 0x25252525u;
    return s->fold_case ? x | (from_a & ~after_z & ~x & 0x80808080u) >> 2 : x;
}

WEFT_ARITH uint32_t weft_match_class_mask(uint32_t some_class) { return 0xffffffffu >> (32 - 8 * some_class); }

WEFT_ARITH uint32_t weft_match_hash(uint32_t key) { return key * 0x9e3779b1u; }

/* Mask of the bits that the filter ignores. If case is folded, bytes that differ only in bit 5 are equal in the
 * filter. */
WEFT_ARITH uint32_t weft_match_filter_fold(const weft_match_set *s) { return s->fold_case ? 0x20202020u : 0; }

/* Factor of the hash of a gram of `gram` bytes. The product shifts the bytes after the gram out. */
WEFT_ARITH uint32_t weft_match_filter_factor(uint32_t gram) { return 0x9e3779b1u << (32 - 8 * gram) % 32; }

/* Shift of the hash. The top bits of the product are the index of a word of the filter. The first byte selects the
 * bit in it. */
WEFT_ARITH uint32_t weft_match_filter_shift(const weft_match_set *s) { return 32 + 5 - s->filter_log2; }

/* Returns 1 if the pattern occurs at p. Its key must be that of the text at p. */
WEFT_ARITH uint32_t weft_match_rest(const weft_match_set *s, uint32_t pattern, const unsigned char *text, size_t n,
                                    size_t p) {
    const uint32_t start = s->starts[pattern], length = s->starts[pattern + 1] - start;
    if (length > n - p) return 0;
    for (uint32_t i = WEFT_MATCH_CLASSES; i < length; i++)
        if (weft_match_fold(s, text[p + i]) != s->bytes[start + i]) return 0;
    if (!s->whole_word) return 1;
    return !(p > 0 && weft_match_is_word_byte(text[p - 1])) &&
           !(p + length < n && weft_match_is_word_byte(text[p + length]));
}

/* --------------------------------------------------------------- all patterns at one position */

/* The remaining entries of the buckets to search, one bucket for each class. */
typedef struct weft_match_cursor {
    uint32_t at[WEFT_MATCH_CLASSES], end[WEFT_MATCH_CLASSES], key[WEFT_MATCH_CLASSES];
} weft_match_cursor;

WEFT_ARITH weft_match_cursor weft_match_begin(const weft_match_set *s, uint32_t four) {
    const uint32_t x = weft_match_fold_four(s, four);
    weft_match_cursor c = {{0}, {0}, {0}};
    for (uint32_t i = 0; i < s->class_count; i++) {
        const uint32_t key = x & weft_match_class_mask(s->classes[i]);
        const uint32_t bucket = weft_match_hash(key) >> (32 - s->buckets_log2);
        c.key[i] = key;
        c.at[i] = s->buckets[bucket];
        c.end[i] = s->buckets[bucket + 1];
    }
    return c;
}

WEFT_ARITH uint32_t weft_match_class(const weft_match_set *s, uint32_t pattern) {
    const uint32_t length = s->starts[pattern + 1] - s->starts[pattern];
    return length < WEFT_MATCH_CLASSES ? length : WEFT_MATCH_CLASSES;
}

/* Returns the next pattern that occurs at p, in the order of their numbers, or s->patterns if there is none. */
WEFT_ARITH uint32_t weft_match_next(const weft_match_set *s, weft_match_cursor *c, const unsigned char *text,
                                    size_t n, size_t p) {
    for (;;) {
        uint32_t pattern = s->patterns, least = 0;
        for (uint32_t i = 0; i < s->class_count; i++)
            if (c->at[i] < c->end[i] && s->entries[c->at[i]] < pattern) {
                pattern = s->entries[c->at[i]];
                least = i;
            }
        if (pattern == s->patterns) return pattern;
        c->at[least]++;
        if (weft_match_class(s, pattern) == s->classes[least] && s->keys[pattern] == c->key[least] &&
            weft_match_rest(s, pattern, text, n, p))
            return pattern;
    }
}

/* ------------------------------------------------------------------------- making one (host) */

/* Selects the grams to look up, and at which positions: each class at every position; or, if may_stride is set and
 * all patterns have at least three bytes, a gram of one length. Depending on the shortest pattern, that gram is
 * looked up at every position (three bytes; also four if there are more than WEFT_MATCH_FEW_TRIGRAMS patterns), at
 * every second one (four to six bytes) or at every fourth one (seven or more). */
static inline void weft_match_plan_grams(weft_match_set *s, uint32_t shortest, int may_stride) {
    const int one = may_stride && shortest >= 3, many = s->patterns > WEFT_MATCH_FEW_TRIGRAMS;
    s->stride = !one || shortest == 3 || (shortest == 4 && many) ? 1 : shortest < 7 ? 2 : 4;
    s->gram_count = one ? 1 : s->class_count;
    memcpy(s->grams, s->classes, sizeof s->grams);
    if (one)
        s->grams[0] = shortest - s->stride + 1 < WEFT_MATCH_CLASSES ? shortest - s->stride + 1 : WEFT_MATCH_CLASSES;
    const size_t all = (size_t)s->patterns * s->stride;
    s->filter_log2 = WEFT_MATCH_FILTER_LOG2_MIN;
    while (s->filter_log2 < WEFT_MATCH_FILTER_LOG2_MAX && (size_t)1 << s->filter_log2 < 128 * all) s->filter_log2++;
}

/* Returns a set without its tables. may_stride permits grams of one length in place of all classes, and positions
 * that are not looked up. */
static inline weft_match_set weft_match_plan(size_t patterns, const uint64_t *offsets, int fold_case, int whole_word,
                                             int may_stride) {
    weft_match_set s;
    memset(&s, 0, sizeof s);
    s.patterns = (uint32_t)patterns;
    s.bytes_of_patterns = (uint32_t)(offsets[patterns] - offsets[0]);
    s.fold_case = fold_case != 0;
    s.whole_word = whole_word != 0;
    for (s.buckets_log2 = 1; (size_t)1 << s.buckets_log2 < patterns; s.buckets_log2++) {
    }
    uint32_t has[WEFT_MATCH_CLASSES + 1] = {0}, shortest = UINT32_MAX;
    for (size_t i = 0; i < patterns; i++) {
        const uint32_t length = (uint32_t)(offsets[i + 1] - offsets[i]);
        has[length < WEFT_MATCH_CLASSES ? length : WEFT_MATCH_CLASSES] = 1;
        if (length < shortest) shortest = length;
    }
    for (uint32_t k = 1; k <= WEFT_MATCH_CLASSES; k++)
        if (has[k]) s.classes[s.class_count++] = k;
    weft_match_plan_grams(&s, shortest, may_stride);
    return s;
}

/* Returns the number of words of the block with the tables. */
static inline size_t weft_match_words(const weft_match_set *s) {
    return 4 * (size_t)s->patterns + 2 + ((size_t)1 << s->filter_log2) / 32 + ((size_t)1 << s->buckets_log2) +
           (s->bytes_of_patterns + 3) / 4;
}

/* Sets the addresses of the tables in a block at `workspace`, in host or GPU memory. */
static inline void weft_match_position(weft_match_set *s, const uint32_t *workspace) {
    s->starts = workspace;
    s->keys = s->starts + s->patterns + 1;
    s->masks = s->keys + s->patterns;
    s->filter = s->masks + s->patterns;
    s->buckets = s->filter + ((size_t)1 << s->filter_log2) / 32;
    s->entries = s->buckets + ((size_t)1 << s->buckets_log2) + 1;
    s->bytes = (const unsigned char *)(s->entries + s->patterns);
}

static inline uint32_t weft_match_bucket(const weft_match_set *s, uint32_t pattern) {
    return weft_match_hash(s->keys[pattern]) >> (32 - s->buckets_log2);
}

static inline void weft_match_fill_keys(const weft_match_set *s, uint32_t *keys, uint32_t *masks) {
    for (uint32_t i = 0; i < s->patterns; i++) {
        keys[i] = masks[i] = 0;
        for (uint32_t k = 0; k < weft_match_class(s, i); k++) {
            const uint32_t c = s->bytes[s->starts[i] + k], either = s->fold_case && weft_match_is_letter(c);
            keys[i] |= c << 8 * k;
            masks[i] |= (either ? 0xdfu : 0xffu) << 8 * k;
        }
    }
}

/* Adds to the filter the gram of a pattern that begins at its byte `at`. Bytes after the gram are ignored. */
static inline void weft_match_add_gram(const weft_match_set *s, uint32_t pattern, uint32_t at, uint32_t *filter) {
    const uint32_t gram = s->gram_count == 1 ? s->grams[0] : weft_match_class(s, pattern);
    uint32_t x = 0;
    for (uint32_t k = 0; k < gram; k++) x |= (uint32_t)s->bytes[s->starts[pattern] + at + k] << 8 * k;
    x |= weft_match_filter_fold(s);
    filter[x * weft_match_filter_factor(gram) >> weft_match_filter_shift(s)] |= 1u << x % 32;
}

static inline void weft_match_fill_filter(const weft_match_set *s, uint32_t *filter) {
    memset(filter, 0, ((size_t)1 << s->filter_log2) / 8);
    for (uint32_t i = 0; i < s->patterns; i++)
        for (uint32_t at = 0; at < s->stride; at++) weft_match_add_gram(s, i, at, filter);
}

/* Counts the patterns of each bucket, then inserts them from the last to the first. */
static inline void weft_match_fill_buckets(const weft_match_set *s, uint32_t *buckets, uint32_t *entries) {
    const uint32_t count = 1u << s->buckets_log2;
    memset(buckets, 0, (count + 1) * sizeof *buckets);
    for (uint32_t i = 0; i < s->patterns; i++) buckets[weft_match_bucket(s, i)]++;
    for (uint32_t b = 1; b <= count; b++) buckets[b] += buckets[b - 1];
    for (uint32_t i = s->patterns; i-- > 0;) entries[--buckets[weft_match_bucket(s, i)]] = i;
}

/* Fills the block at `workspace`, to which weft_match_position must have set the tables. */
static inline void weft_match_fill(const weft_match_set *s, uint32_t *workspace, const uint64_t *offsets,
                                   const unsigned char *bytes) {
    unsigned char *const own = (unsigned char *)workspace + (s->bytes - (const unsigned char *)workspace);
    for (uint32_t i = 0; i <= s->patterns; i++) workspace[i] = (uint32_t)(offsets[i] - offsets[0]);
    for (uint32_t i = 0; i < s->bytes_of_patterns; i++)
        own[i] = (unsigned char)weft_match_fold(s, bytes[offsets[0] + i]);
    weft_match_fill_keys(s, workspace + (s->keys - workspace), workspace + (s->masks - workspace));
    weft_match_fill_filter(s, workspace + (s->filter - workspace));
    weft_match_fill_buckets(s, workspace + (s->buckets - workspace), workspace + (s->entries - workspace));
}

#endif
