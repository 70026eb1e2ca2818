/* Normals by Box and Muller's method in f32, and their exponentials (ORDER.md 19.4). */
#ifndef WEFT_REF_NORMAL_FAST_H
#define WEFT_REF_NORMAL_FAST_H

#include <stddef.h>
#include <stdint.h>

/* Returns normal j, 0 to 3, of a block's words. */
float ref_normal_fast(const uint32_t words[4], size_t j);

/* Returns the exponential of y. */
float ref_exp_fast(float y);

#endif
