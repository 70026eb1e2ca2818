/* Words of the coordinates of Sobol points. */
#ifndef WEFT_REF_SOBOL_H
#define WEFT_REF_SOBOL_H

#include "weft.h"

/* Returns the 64-bit word of coordinate j of point i, scrambled (ORDER.md 24.1 to 24.3). */
uint64_t ref_sobol_word(weft_scrambling scrambling, uint64_t seed, uint64_t stream, size_t j, uint64_t i);

#endif
