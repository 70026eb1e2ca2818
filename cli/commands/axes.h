/* Option --axis of the reductions and of scan, which work along axes of an array. */
#ifndef WEFT_CLI_AXES_H
#define WEFT_CLI_AXES_H

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

/* produce_begin for a call with --axis, which needs the whole array in the memory of one process. */
int axes_begin(production *p, const cli_options *options, int argc, char **argv, const char *to);

/* Sets *v to the array of the file: in Fortran order, its first axis has the smallest stride. Prints the error and
 * returns false if it has too many dimensions or not the axes of the request. */
bool axes_view(const production *p, const axes_request *r, weft_view *v);

/* Sets *v to an array without gaps that receives the result. Prints the error and returns false if its shape does not
 * fit in memory. */
bool axes_result_view(const production *p, weft_dtype dtype, const npy_shape *shape, void *values, weft_view *v);

/* weft OPERATION X.npy --axis LIST [--keepdims] [-o Y.npy], for reductions and variance. `in` has their parameters.
 */
int axes_reduce(const cli_options *options, const operation *operation, const operands *in, const axes_request *r,
                int argc, char **argv);

#endif
