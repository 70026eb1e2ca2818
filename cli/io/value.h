/* Converts values to text and back: decimal, hexadecimal bits, JSON. */
#ifndef WEFT_CLI_VALUE_H
#define WEFT_CLI_VALUE_H

#include "weft.h"

#include <stdbool.h>
#include <stdio.h>

/* A value of any element type, as written by a weft function. */
typedef union value {
#define TYPE(ID, name, ctype, kind, npy) ctype name;
#include "core/types.def"
#define HALF(ID, name, npy) uint16_t name;
#include "core/halves.def"
} value;

typedef struct value_string {
    char text[40];
} value_string;

/* Returns the shortest decimal digits that convert back to the same value of the type; inf, -inf, nan, -0. Integers
 * below 10^16 are written without an exponent. */
value_string value_decimal(weft_dtype dtype, const value *v);
/* Returns all bits in hexadecimal: "0x41c00000". */
value_string value_bits(weft_dtype dtype, const value *v);
/* Returns the text of value_decimal, in quotes if JSON cannot represent the number. */
value_string value_json(weft_dtype dtype, const value *v);

/* Parses a value of the type: decimal digits with a sign; for floats also a point, an exponent, inf and nan. Returns
 * false if there is anything before or after it, and for numbers out of the type's range. */
bool value_parse(weft_dtype dtype, const char *text, value *v);
/* Writes the type's range as text: "-128 to 127". */
void value_range(weft_dtype dtype, char *text, size_t size);

/* Return the value of an f16 or bf16 with these bits. */
double value_of_f16(uint16_t bits);
double value_of_bf16(uint16_t bits);

/* Returns true if a precedes b in the order of `weft sort`: -0 before +0, NaNs last. All NaNs are equal. */
bool value_before(double a, double b);

#endif
