/* Philox4x32-10, and Philox4x32 with another number of rounds: returns four random words for a counter and a key. */
#ifndef WEFT_REF_PHILOX_H
#define WEFT_REF_PHILOX_H

#include <stdint.h>

void ref_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);
void ref_philox_of(uint32_t rounds, const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

#endif
