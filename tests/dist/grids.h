/* Tests matrix products, by rows and by blocks, on random partitions. */
#ifndef TESTS_DIST_GRIDS_H
#define TESTS_DIST_GRIDS_H

#include "tests/dist/world.h"

/* few: only the cases that are fast on an emulated GPU. */
void check_products(world *w, bool few);

#endif
