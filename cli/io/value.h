/* Values as text: decimal, hexadecimal bits, JSON. */
#ifndef WEFT_CLI_VALUE_H
#define WEFT_CLI_VALUE_H

#include "weft.h"

#include <stdbool.h>
#include <stdio.h>

/* A value of any element type, as a weft function writes it. */
typedef union value {
#define TYPE(ID, name, ctype, kind, npy) ctype name;
#include "core/types.def"
} value;

typedef struct value_string {
    char text[40];
} value_string;

/* The shortest decimal digits that read back to the same value of the type; inf, -inf, nan, -0. Whole
 * numbers below 10^16 are written out. */
value_string value_decimal(weft_dtype dtype, const value *v);
/* All the bits, "0x41c00000". */
value_string value_bits(weft_dtype dtype, const value *v);
/* As value_decimal, in quotes where JSON has no such number. */
value_string value_json(weft_dtype dtype, const value *v);

/* Reads a value of the type: decimal digits with a sign, for floats also a point, an exponent, inf and nan.
 * False for anything else before or behind it, and for numbers that the type does not reach. */
bool value_parse(weft_dtype dtype, const char *text, value *v);
/* The type's least and greatest value in words: "-128 to 127". */
void value_range(weft_dtype dtype, char *text, size_t size);

/* Returns true if a comes before b in the order of `weft sort`: -0 before +0, and NaNs, which are equal to one
 * another, last. */
bool value_before(double a, double b);

/* A C string as a JSON string. Bytes that are not UTF-8 become U+FFFD. */
void json_string(FILE *out, const char *text);

#endif
