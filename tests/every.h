/* Runs every operation once on arrays shared by several threads, for tests of how calls are executed rather than of
 * their results. */
#ifndef WEFT_TESTS_EVERY_H
#define WEFT_TESTS_EVERY_H

#include "weft.h"

enum { EVERY_N = 200003, EVERY_MAX = 100 }; /* number of elements of the arrays; maximum of every_count() */

/* Return the number of operations and the name of each. */
size_t every_count(void);
const char *every_name(size_t operation);

/* Fills the inputs. Must be called first. */
void every_prepare(void);

/* Runs one operation and sets *bits to a hash of everything it wrote. */
weft_status every_run(weft_context *ctx, size_t operation, uint64_t *bits);

#endif
