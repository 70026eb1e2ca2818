/* Tests scans of arrays that are divided. */
#ifndef TESTS_DIST_SCANS_H
#define TESTS_DIST_SCANS_H

#include "tests/dist/world.h"

/* Scans of n elements of several types. */
void check_scans(world *w, size_t n);
/* Scans of more than 16^6 elements. */
void check_long_scans(world *w);

#endif
