/* Every operation once, on arrays that several threads share, for tests of how calls run rather than of what they
 * compute. */
#ifndef WEFT_TESTS_EVERY_H
#define WEFT_TESTS_EVERY_H

#include "weft.h"

enum { EVERY_N = 200003 }; /* elements of the arrays */

/* Number of operations, and the name of each. */
size_t every_count(void);
const char *every_name(size_t operation);

/* Fills the inputs. Must be called first. */
void every_prepare(void);

/* Runs one operation and sets *bits to a hash of all that it wrote. */
weft_status every_run(weft_context *ctx, size_t operation, uint64_t *bits);

#endif
