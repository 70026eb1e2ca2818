/* Compares names typed by the user, and finds the name that a misspelled one was probably meant to be. */
#ifndef WEFT_CLI_NEAREST_H
#define WEFT_CLI_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

/* Returns true if the names are equal. '-' and '_' are the same character. */
bool same_name(const char *a, const char *b);

/* Returns the one of the `count` names at(0), at(1), ... that `name` is probably a misspelling of. Returns NULL if
 * there is none, or if two are equally close. The digits of both names must be equal. Names of at most 5 letters must
 * differ by one slip (two letters swapped, one left out, one doubled), since other changes give other words: sqrt is
 * not a misspelling of sort. Longer names may differ by one edit, those of at least 8 letters by two. */
const char *nearest_name(const char *name, const char *(*at)(size_t i), size_t count);

#endif
