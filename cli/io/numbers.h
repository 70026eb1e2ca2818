/* What fft and convolve share: arrays of real or complex numbers, and the file that is written. */
#ifndef WEFT_CLI_NUMBERS_H
#define WEFT_CLI_NUMBERS_H

#include "cli/cli.h"
#include "cli/io/npy.h"

/* Reads an array of f32, f64 or complex elements; prints the error and returns false when there is none. */
bool numbers_read(const char *command, const char *path, npy_array *a);

/* The elements of a real array as complex ones, in memory that it owns; nothing is done to a complex one. */
bool numbers_to_complex(const char *command, const char *path, npy_array *a);

/* Checks that -o was given, and not standard output where JSON goes there. */
bool numbers_output(const cli_options *options, const char *command, const char *to);

/* Memory for `count` elements, at least one. Prints the error and returns NULL when there is none. */
void *numbers_room(const char *command, const npy_array *like, bool is_complex, size_t count);

/* "f32" or "complex f32". */
const char *numbers_type(weft_dtype dtype, bool is_complex);

#endif
