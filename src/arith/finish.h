/* The last steps of the statistics, computed from the complete sums (ORDER.md 3.3, 4). */
#ifndef WEFT_ARITH_FINISH_H
#define WEFT_ARITH_FINISH_H

#include "arith/bits.h"

WEFT_ARITH double weft_finish_mean(double sum, uint64_t n) { return sum / (double)n; }

WEFT_ARITH double weft_finish_variance(double squares, uint64_t n, uint64_t ddof) {
    return squares / (double)(n - ddof);
}

/* Returns the factor to scale the elements by before their squares are summed again, or 1 if `squares` is final. A
 * NaN returns a factor other than 1; summing again gives a NaN again. */
WEFT_ARITH double weft_norm2_scale(double squares) {
    if (squares >= WEFT_NORM2_LOW && squares <= WEFT_NORM2_HIGH) return 1.0;
    return squares < WEFT_NORM2_LOW ? WEFT_NORM2_UP : WEFT_NORM2_DOWN;
}

/* Returns the norm. `root` is the square root of the sum of squares of the elements times `scale`. */
WEFT_ARITH double weft_finish_norm2(double root, double scale) {
    if (scale == 1.0) return root;
    return root * (scale == WEFT_NORM2_UP ? WEFT_NORM2_DOWN : WEFT_NORM2_UP);
}

#endif
