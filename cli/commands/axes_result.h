/* The array of results of a reduction along axes, which is printed or written to a file. */
#ifndef WEFT_CLI_AXES_RESULT_H
#define WEFT_CLI_AXES_RESULT_H

#include "cli/commands/along_axes.h"

typedef struct axes_result {
    weft_dtype dtype;
    npy_shape shape;
    size_t count; /* number of values */
} axes_result;

/* Sets the shape of the result of reducing an array of the shape `from`, which has the axes of the request. */
void axes_result_reduce(const axes_request *r, const npy_shape *from, axes_result *y);
/* Returns true if the values are written to a file, or are few enough to be printed. Prints the error otherwise.
 * `name` is that of the reduced array in messages. */
bool axes_result_fits(const char *command, const axes_request *r, const char *name, const axes_result *y);

/* Prints the values, with their bits if `bits` is true: a row along the last axis in each line, and an empty line
 * between matrices. An array of one dimension is printed with one value per line. */
void axes_result_print(const axes_result *y, bool bits, const char *values);

/* Print members of a JSON object: the axes; type, shape and, unless they are in a file, values of the result. */
void axes_result_json_axes(const axes_request *r);
void axes_result_json(const axes_request *r, const axes_result *y, const void *values);

#endif
