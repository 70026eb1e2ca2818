/* Writes JSON to standard output, with all separators: "{"a": 1, "b": [2, 3]}". A value outside an object or an array
 * ends with a newline. `key` is the name of the member of an object, NULL for an element of an array. */
#ifndef WEFT_CLI_JSON_H
#define WEFT_CLI_JSON_H

#include "cli/io/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Begin an object or an array. json_end ends the innermost one. */
void json_begin_object(const char *key);
void json_begin_array(const char *key);
void json_end(void);

/* Writes a string; NULL is null. Invalid UTF-8 becomes U+FFFD. */
void json_text(const char *key, const char *text);
/* Writes n bytes as a string with one character per byte. */
void json_bytes(const char *key, const unsigned char *bytes, size_t n);
void json_bool(const char *key, bool value);
void json_integer(const char *key, int64_t value);
void json_count(const char *key, uint64_t value);
/* Writes a number with `decimals` digits after the point. */
void json_fixed(const char *key, int decimals, double value);
/* Writes a number with `digits` significant digits. */
void json_rounded(const char *key, int digits, double value);
/* Writes text that is JSON already. */
void json_literal(const char *key, const char *text);
/* Writes a value of any type exactly (value_json). */
void json_value(const char *key, weft_dtype dtype, const value *v);
/* Writes n values as an array. */
void json_values(const char *key, weft_dtype dtype, size_t n, const void *data);

/* Begins the object of a command: {"command": ... */
void json_begin_command(const char *command);
/* Ends it with the members "device", "order" and "seconds". */
void json_end_command(const char *device, double seconds);

#endif
