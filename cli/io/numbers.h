/* Functions shared by fft, convolve and matmul: arrays of real or complex numbers, and the output file. */
#ifndef WEFT_CLI_NUMBERS_H
#define WEFT_CLI_NUMBERS_H

#include "cli/cli.h"
#include "cli/io/npy/npy.h"

/* Reads an array of f32, f64 or complex elements. Prints the error and returns false on failure. */
bool numbers_read(const char *command, const char *path, npy_array *a);

/* Converts a real array to complex elements in memory that it owns. Leaves a complex array unchanged. */
bool numbers_to_complex(const char *command, const char *path, npy_array *a);

/* Returns a view of numbers with one more axis for the parts if they are complex. */
weft_view numbers_with_parts(weft_view v, bool is_complex);

/* Checks that -o was given, and that it is not standard output when --json prints there. */
bool numbers_output(const cli_options *options, const char *command, const char *to);

/* Allocates memory for `count` elements, at least one. Prints the error and returns NULL on failure. */
void *numbers_allocate(const char *command, const npy_array *like, bool is_complex, size_t count);

/* Returns the type's name: "f32" or "complex f32". */
const char *numbers_type(weft_dtype dtype, bool is_complex);

#endif
