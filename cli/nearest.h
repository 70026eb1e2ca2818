/* Names that a user types: equality, and what a mistyped name was probably meant to be. */
#ifndef WEFT_CLI_NEAREST_H
#define WEFT_CLI_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

/* Returns true if the names are equal, '-' and '_' being the same character. */
bool same_name(const char *a, const char *b);

/* The one of the `count` names at(0), at(1), ... that `name` is probably a misspelling of. NULL when there is none,
 * or when two are as near as each other. The digits of both are the same, and names of up to 5 letters differ by one
 * slip (two letters swapped, one left out, one doubled), since other changes make other words: sqrt is no misspelling
 * of sort. Longer names differ by one edit, from 8 letters on by two. */
const char *nearest_name(const char *name, const char *(*at)(size_t i), size_t count);

#endif
