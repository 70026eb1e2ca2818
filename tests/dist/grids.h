/* Products of matrices, by rows and by blocks, on random partitions. */
#ifndef TESTS_DIST_GRIDS_H
#define TESTS_DIST_GRIDS_H

#include "tests/dist/world.h"

/* few: those alone that take no time where a GPU is emulated. */
void check_products(world *w, bool few);

#endif
