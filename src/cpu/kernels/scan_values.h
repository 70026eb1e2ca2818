/* Operators of scans. */
#ifndef WEFT_CPU_SCAN_VALUES_H
#define WEFT_CPU_SCAN_VALUES_H

#include "cpu/kernels/half_blocks.h"

/* Operators that combine two values. Minimum and AND are computed as maximum and OR, with the bits of all elements
 * and results XORed with `xor_mask`. The maximum compares signed values, so `xor_mask` also inverts the sign bit of
 * unsigned elements. The maximum of floats is that of integer keys in the total order of ORDER.md 1.4. For every
 * `xor_mask`, the greatest key is NaN. */
typedef enum combine { COMBINE_ADD, COMBINE_MULTIPLY, COMBINE_OR, COMBINE_XOR, COMBINE_MAXIMUM } combine;

#endif
