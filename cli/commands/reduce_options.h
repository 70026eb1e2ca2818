/* Arguments of --op and --accumulate of the operations that combine elements. */
#ifndef WEFT_CLI_REDUCE_OPTIONS_H
#define WEFT_CLI_REDUCE_OPTIONS_H

#include "weft.h"

#include <stdbool.h>

/* Parses an operator. Prints the error and returns false if `text` is not one. */
bool reduce_options_op(const char *command, const char *text, weft_op *op);
/* Parse the argument of --accumulate: f64 or exact for sums; f64, i64 or u64 for the type of a scan. Print the error
 * and return false if `text` is another word. */
bool reduce_options_sums(const char *command, const char *text, weft_dtype *accumulate);
bool reduce_options_type(const char *command, const char *text, weft_dtype *accumulate);

/* Sets *accumulate and returns true if `text` is "exact". */
bool reduce_options_exact(const char *text, weft_dtype *accumulate);

/* Return CLI_DONE if a reduction, or a scan, of elements of `dtype` can accumulate in `accumulate`. Otherwise return
 * the exit code and, if `speaks` is true, print the error. All other errors of operator and type are left to the
 * library's call. */
int reduce_options_check_reduce(const char *command, bool speaks, weft_op op, weft_dtype dtype,
                                weft_dtype accumulate);
int reduce_options_check_scan(const char *command, bool speaks, weft_context *ctx, weft_op op, weft_dtype dtype,
                              weft_dtype accumulate);

#endif
