#include "cli/nearest.h"

#include <string.h>

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Edits (a letter more, less or other, two letters swapped) that make `a` of `b`: the restricted
 * Damerau-Levenshtein distance, by rows. Names too long for the rows are far from everything. */
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
            now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], before[j - 2] + 1);
        }
        size_t *const spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[n];
}

const char *nearest_name(const char *name, const char *(*at)(size_t i), size_t count) {
    const char *nearest = NULL;
    size_t distance = strlen(name) < 4 ? 2 : 3;
    for (size_t i = 0; i < count; i++) {
        const size_t d = edit_distance(name, at(i));
        if (d >= distance) continue;
        distance = d;
        nearest = at(i);
    }
    return nearest;
}
