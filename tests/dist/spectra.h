/* Tests transforms of one array that is divided. */
#ifndef TESTS_DIST_SPECTRA_H
#define TESTS_DIST_SPECTRA_H

#include "tests/dist/world.h"

/* few: only the cases that are fast on an emulated GPU. */
void check_spectra(world *w, bool few);

#endif
