/* Inputs of test programs. */
#ifndef WEFT_TESTS_VALUES_H
#define WEFT_TESTS_VALUES_H

#include "weft.h"

#include <stdint.h>

/* Stores n pseudorandom values from `least` to `most` of type f32 or f64. */
static inline void store_values(weft_dtype dtype, size_t n, uint32_t seed, double least, double most, void *x) {
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        const double value = least + (most - least) * (seed * 0x1p-32);
        if (dtype == WEFT_F64)
            ((double *)x)[i] = value;
        else
            ((float *)x)[i] = (float)value;
    }
}

#endif
