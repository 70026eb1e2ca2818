/* Division by the length of a dimension, as a multiplication. */
#ifndef WEFT_CUDA_VIEW_LENGTH_H
#define WEFT_CUDA_VIEW_LENGTH_H

#include <stdint.h>

/* The length n of a dimension. i / n = (i * multiplier / 2^32) >> shift for i < 2^31 and n >= 2. */
typedef struct view_length {
    uint32_t n, multiplier, shift;
} view_length;

#endif
