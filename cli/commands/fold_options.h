/* Options of the operations that combine elements: scan and the segmented operations. */
#ifndef WEFT_CLI_FOLD_OPTIONS_H
#define WEFT_CLI_FOLD_OPTIONS_H

#include "weft.h"

#include <stdbool.h>

/* Parses an operator. Prints the error and returns false if `text` is not one. */
bool folds_operator(const char *command, const char *text, weft_op *op);
/* Parses the type of a scan's results: f64, i64 or u64. */
bool folds_accumulate(const char *command, const char *text, weft_dtype *accumulate);

/* Return CLI_DONE if a reduction, or a scan, of elements of `dtype` can accumulate in `accumulate`. Otherwise return
 * the exit code and, if `speaks` is true, print the error. All other errors of operator and type are left to the
 * library's call. */
int folds_check_reduce(const char *command, bool speaks, weft_op op, weft_dtype dtype, weft_dtype accumulate);
int folds_check_scan(const char *command, bool speaks, weft_context *ctx, weft_op op, weft_dtype dtype,
                     weft_dtype accumulate);

#endif
