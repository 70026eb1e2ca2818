/* The word of a coordinate of a Sobol point. */
#ifndef WEFT_REF_SOBOL_H
#define WEFT_REF_SOBOL_H

#include "weft.h"

/* Of coordinate j of point i, of 64 bits, scrambled (ORDER.md 24.1 to 24.3). */
uint64_t ref_sobol_word(weft_scrambling scrambling, uint64_t seed, uint64_t stream, size_t j, uint64_t i);

#endif
