/* Parts of the kernels of exact matrix products (ORDER.md 31): exponents of lines, factors that make integers of
 * their elements, and the elements of C from integers. */
#ifndef WEFT_CPU_MATMUL_EXACT_PARTS_H
#define WEFT_CPU_MATMUL_EXACT_PARTS_H

#include "arith/exact_product.h"
#include "cpu/kernels/vectors.h"

enum { EXACT_COLUMNS_MAX = 32 }; /* columns of a tile of f32 */

enum { EXACT_WIDTH = VECTOR_BYTES / sizeof(double) };

/* Returns a b + s, which must be exact. */
INLINE vector_f64 exact_term(vector_f64 a, vector_f64 b, vector_f64 s) {
    for (size_t l = 0; l < EXACT_WIDTH; l++) s[l] = FMA_INSTRUCTION ? fma_f64(a[l], b[l], s[l]) : a[l] * b[l] + s[l];
    return s;
}

/* Returns the multiple of 2^log nearest to x, |x| < 2^(log + 51). */
INLINE double nearest_multiple(double x, int log) {
    const double large = 0x3p51 * weft_power_of_two(log);
    return (x + large) - large;
}

/* --------------------------------------------------------------------------------------- exponents */

#define FIND_EXPONENTS(name, WORD)                                                                                 \
    static void matmul_find_exponents_##name(const void *from, size_t ld, bool across, size_t lanes, size_t terms, \
                                             uint64_t *magnitudes, int *to) {                                      \
        const WORD *x = from;                                                                                      \
        const WORD mask = (WORD)-1 >> 1;                                                                           \
        WORD *greatest = (WORD *)magnitudes;                                                                       \
        memset(greatest, 0, lanes * sizeof *greatest);                                                             \
        for (size_t t = 0; across && t < terms; t++)                                                               \
            for (size_t l = 0; l < lanes; l++) {                                                                   \
                const WORD v = (WORD)(x[t * ld + l] & mask);                                                       \
                greatest[l] = v > greatest[l] ? v : greatest[l];                                                   \
            }                                                                                                      \
        for (size_t l = 0; !across && l < lanes; l++) {                                                            \
            WORD most = 0;                                                                                         \
            for (size_t t = 0; t < terms; t++) {                                                                   \
                const WORD v = (WORD)(x[l * ld + t] & mask);                                                       \
                most = v > most ? v : most;                                                                        \
            }                                                                                                      \
            greatest[l] = most;                                                                                    \
        }                                                                                                          \
        for (size_t l = 0; l < lanes; l++) to[l] = weft_exact_exponent_##name(greatest[l]);                        \
    }

/* Sets factors by which the elements of `lanes` lanes become integers: 2^(digits - exponent) = first * second. They
 * are 0 for special lanes, which are not used, and for missing ones. */
INLINE void find_factors(const int *exponents, size_t lanes, size_t width, int digits, double *first,
                         double *second) {
    for (size_t l = 0; l < width; l++) {
        const bool valid = l < lanes && exponents[l] != WEFT_EXACT_SPECIAL;
        const int power = valid ? digits - exponents[l] : 0, half = power / 2;
        first[l] = valid ? weft_power_of_two(half) : 0;
        second[l] = weft_power_of_two(power - half);
    }
}

/* Return the address of the lanes from `lane` on. */
INLINE const char *exact_lane(const void *from, size_t bytes, size_t ld, bool across, size_t lane) {
    return (const char *)from + (across ? lane : lane * ld) * bytes;
}

/* ----------------------------------------------------------------------------------------- the end */

/* Adds d * 2^shift to x, two's complement. |d| is an integer below 2^53. */
INLINE void exact_add(uint64_t x[3], double d, unsigned shift) {
    const uint64_t v = (uint64_t)(int64_t)d, sign = 0 - (v >> 63);
    const unsigned word = shift / 64, bits = shift % 64;
    uint64_t carry = 0;
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t low = i < word ? 0 : i == word ? v << bits : sign << bits;
        const uint64_t high = i <= word || bits == 0 ? 0 : (i == word + 1 ? v : sign) >> (64 - bits);
        const uint64_t part = x[i] + carry, sum = part + (low | high);
        carry = (uint64_t)(part < carry) + (uint64_t)(sum < part);
        x[i] = sum;
    }
}

/* Returns the sum of d[w] * 2^shift[w]. */
INLINE weft_exact exact_integer(const double *d, size_t step, size_t count, const unsigned *shift) {
    weft_exact x = {0};
    for (size_t w = 0; w < count; w++) exact_add(x.w, d[w * step], shift[w]);
    x.negative = x.w[2] >> 63;
    uint64_t carry = x.negative;
    for (size_t i = 0; i < 3 && x.negative; i++) {
        x.w[i] = ~x.w[i] + carry;
        carry = carry && x.w[i] == 0;
    }
    return x;
}

/* Returns an element of C from its integer, if alpha or beta may be any value. */
static uint64_t exact_element(double alpha, double beta, weft_exact *x, double c, int digits) {
    if (weft_is_finite(alpha) && weft_is_finite(beta) && weft_is_finite(c))
        return weft_exact_end(x, alpha, beta, c, digits);
    const double s = weft_exact_length(x) == 0 ? 0 : x->negative ? -1 : 1;
    return weft_bits_of(weft_exact_not_finite(alpha, s, beta, c), digits);
}

/* Returns the integer chain + multiple, of which `multiple` is a multiple of 2^log, times 2^exponent. */
INLINE weft_exact chain_integer(double chain, double multiple, unsigned log, int exponent) {
    const unsigned shifts[] = {0, log};
    const double parts[] = {chain, multiple * weft_power_of_two(-(int)log)};
    weft_exact x = exact_integer(parts, 1, 2, shifts);
    x.exponent = exponent;
    return x;
}

/* Sets row i of C from its integers chain[j] + multiple[j] of `width` columns, of which `columns` exist. Multiples
 * are those of 2^log. Without alpha and beta, the integer is rounded to odd and then to f32 (weft_sum_to_odd): f64
 * has more than two bits more than f32, and the exponents of all results are normal in f64. */
INLINE void exact_finish_row_f32(double alpha, double beta, int row_exponent, const int *column_exponents,
                                 size_t columns, size_t width, const double *chain, const double *multiple,
                                 unsigned log, float *to) {
    const bool plain = alpha == 1 && beta == 0;
    int one_by_one = columns < width;
    float value[EXACT_COLUMNS_MAX];
    for (size_t j = 0; j < columns; j++) one_by_one |= column_exponents[j] == WEFT_EXACT_SPECIAL;
    for (size_t j = 0; j < width && plain; j++) {
        const int column = j < columns && column_exponents[j] != WEFT_EXACT_SPECIAL ? column_exponents[j] : 0;
        value[j] = (float)(weft_sum_to_odd(multiple[j], chain[j]) * weft_power_of_two(row_exponent + column - 48));
    }
    if (plain && one_by_one == 0) memcpy(to, value, width * sizeof *to);
    for (size_t j = 0; j < columns && (!plain || one_by_one != 0); j++) {
        if (column_exponents[j] == WEFT_EXACT_SPECIAL) continue;
        if (!plain) {
            weft_exact x = chain_integer(chain[j], multiple[j], log, row_exponent + column_exponents[j] - 48);
            value[j] = weft_from_bits_f32((uint32_t)exact_element(alpha, beta, &x, beta == 0 ? 0 : to[j], 24));
        }
        to[j] = value[j];
    }
}

#endif
