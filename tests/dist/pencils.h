/* Tests transforms of arrays of which one or two axes are divided. */
#ifndef TESTS_DIST_PENCILS_H
#define TESTS_DIST_PENCILS_H

#include "tests/dist/world.h"

/* few: only the cases that are fast on an emulated GPU. */
void check_pencils(world *w, bool few);

#endif
