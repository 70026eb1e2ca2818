/* The definition of weft_match_count and weft_match_list (ORDER.md 22). */
#include "ref/ref.h"

#include <string.h>

static bool is_word_byte(unsigned char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

static bool equal(const match_call *c, unsigned char a, unsigned char b) {
    if (c->fold_case && a >= 'A' && a <= 'Z') a = (unsigned char)(a - 'A' + 'a');
    if (c->fold_case && b >= 'A' && b <= 'Z') b = (unsigned char)(b - 'A' + 'a');
    return a == b;
}

static bool occurs(const match_call *c, size_t pattern, size_t p) {
    const unsigned char *const bytes = c->bytes + c->offsets[pattern];
    const size_t length = c->offsets[pattern + 1] - c->offsets[pattern];
    if (length > c->n - p) return false;
    for (size_t i = 0; i < length; i++)
        if (!equal(c, c->text[p + i], bytes[i])) return false;
    if (!c->whole_word) return true;
    const bool word_before = p > 0 && is_word_byte(c->text[p - 1]);
    const bool word_after = p + length < c->n && is_word_byte(c->text[p + length]);
    return !word_before && !word_after;
}

static void list(const match_call *c, size_t pattern, size_t p) {
    const uint64_t at = (*c->total)++;
    if (at >= c->capacity) return;
    c->positions[at] = p;
    c->numbers[at] = (uint32_t)pattern;
}

weft_status ref_match(void *state, const match_call *c, weft_error *error) {
    (void)state, (void)error;
    if (c->counts)
        memset(c->counts, 0, c->patterns * sizeof *c->counts);
    else
        *c->total = 0;
    for (size_t p = c->first; p < c->end; p++)
        for (size_t pattern = 0; pattern < c->patterns; pattern++) {
            if (!occurs(c, pattern, p)) continue;
            if (c->counts)
                c->counts[pattern]++;
            else
                list(c, pattern, p);
        }
    return WEFT_OK;
}
