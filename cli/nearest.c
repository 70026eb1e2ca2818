#include "cli/nearest.h"

#include <string.h>

static bool same_letter(char a, char b) { return a == b || ((a == '-' || a == '_') && (b == '-' || b == '_')); }

bool same_name(const char *a, const char *b) {
    while (*a && same_letter(*a, *b)) a++, b++;
    return *a == *b;
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Returns the restricted Damerau-Levenshtein distance of `a` and `b`, computed by rows: the number of letters
 * inserted, deleted or replaced and of pairs swapped. Returns a large value if a name is too long for the rows. */
static size_t edit_distance(const char *a, const char *b) {
    enum { MOST = 32 };
    size_t rows[3][MOST + 1];
    const size_t n = strlen(b);
    if (n > MOST || strlen(a) > MOST) return MOST;
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= n; j++) before[j] = last[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        now[0] = i;
        for (size_t j = 1; j <= n; j++) {
            now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + !same_letter(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]))
                now[j] = least(now[j], before[j - 2] + 1);
        }
        size_t *const spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[n];
}

static bool same_digits(const char *a, const char *b) {
    static const char digits[] = "0123456789";
    for (;; a++, b++) {
        a += strcspn(a, digits);
        b += strcspn(b, digits);
        if (*a != *b) return false;
        if (!*a) return true;
    }
}

/* Returns true if `name`, one edit from `text`, results from it by swapping two letters, inserting a missing letter
 * or removing a doubled one. */
static bool one_slip(const char *text, const char *name) {
    const size_t length = strlen(text), other = strlen(name);
    size_t at = 0;
    if (length < other) return length > 1;
    while (text[at] && same_letter(text[at], name[at])) at++;
    if (length == other) return text[at] == name[at + 1];
    return at > 0 && text[at] == text[at - 1];
}

/* Returns the number of edits from `text` to `name`, or 0 if it is not a misspelling of it. */
static size_t misspelled(const char *text, const char *name) {
    const size_t length = strlen(text), edits = edit_distance(text, name);
    if (!same_digits(text, name)) return 0;
    if (length <= 5) return edits == 1 && one_slip(text, name) ? edits : 0;
    return edits <= (length < 8 ? 1 : 2) ? edits : 0;
}

const char *nearest_name(const char *name, const char *(*at)(size_t i), size_t count) {
    const char *nearest = NULL;
    size_t distance = 3;
    for (size_t i = 0; i < count; i++) {
        const size_t edits = misspelled(name, at(i));
        if (edits == 0 || edits > distance) continue;
        nearest = edits < distance ? at(i) : NULL;
        distance = edits;
    }
    return nearest;
}
