/* Option --axis of the reductions and of scan, which work along axes of an array. */
#ifndef WEFT_CLI_ALONG_AXES_H
#define WEFT_CLI_ALONG_AXES_H

#include "cli/io/produce.h"
#include "cli/operations.h"

/* Arguments of the options. */
typedef struct axes_request {
    const char *text; /* argument of --axis; NULL: not given */
    size_t count;
    int axes[WEFT_DIMENSIONS_MAX];
    bool keepdims;
    const char *to; /* argument of -o; NULL: the result is printed */
} axes_request;

/* Reads the argument of --axis: at most `most` integers separated by commas. Prints the error and returns false if it
 * is something else. */
bool axes_read(const char *command, const char *text, size_t most, axes_request *r);

/* produce_begin for a call with --axis on `count` files, whose arrays it needs whole in the memory of one process. */
int axes_begin(production *p, const cli_options *options, int argc, char **argv, int count, const char *to);

/* Checks that an array of this shape has each axis of the request and that none is named twice. `name` is that of the
 * array in messages. Prints the error and returns false otherwise. */
bool axes_check(const char *command, const axes_request *r, const char *name, const npy_shape *shape);

/* Returns the number of an axis of an array with `rank` dimensions, which has it. */
size_t axes_number(int axis, size_t rank);

/* Sets *v to the array: in Fortran order, its first axis has the smallest stride. `name` is that of the array in
 * messages. Prints the error and returns false if it has too many dimensions. */
bool axes_view_of(const char *command, const char *name, const npy_array *array, weft_view *v);
/* axes_view_of for the array of file i. */
bool axes_array(const production *p, int i, weft_view *v);
/* axes_array for the only file. Also returns false, after printing the error, if it has not the axes of the request.
 */
bool axes_view(const production *p, const axes_request *r, weft_view *v);

/* Sets the views of two arrays and the shape to which both are broadcast. Prints the error and returns false if they
 * have not one type, or if there is no such shape. */
bool axes_pair(const production *p, weft_view *x, weft_view *y, npy_shape *common);

/* Sets *v to an array without gaps that receives the result. Prints the error and returns false if its shape does not
 * fit in memory. */
bool axes_result_view(const production *p, weft_dtype dtype, const npy_shape *shape, void *values, weft_view *v);

/* weft OPERATION X.npy --axis LIST [--keepdims] [-o Y.npy], for reductions and variance, and with a second file for
 * dot. `in` has their parameters. */
int axes_reduce(const cli_options *options, const operation *operation, const operands *in, const axes_request *r,
                int argc, char **argv);

#endif
