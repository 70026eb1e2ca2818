/* Options of the operations that fold elements: scan and the segmented ones. */
#ifndef WEFT_CLI_FOLD_OPTIONS_H
#define WEFT_CLI_FOLD_OPTIONS_H

#include "weft.h"

#include <stdbool.h>

/* The operator that `text` names, or the error and false. */
bool folds_operator(const char *command, const char *text, weft_op *op);
/* The type of a scan's results: f64, i64 or u64. */
bool folds_accumulate(const char *command, const char *text, weft_dtype *accumulate);

/* CLI_DONE if a reduction, or a scan, of elements of `dtype` can accumulate in that type; else the exit code, and
 * with `speaks` the error is printed. What else may be wrong with operator and type is left to the call itself. */
int folds_check_reduce(const char *command, bool speaks, weft_op op, weft_dtype dtype, weft_dtype accumulate);
int folds_check_scan(const char *command, bool speaks, weft_context *ctx, weft_op op, weft_dtype dtype,
                     weft_dtype accumulate);

#endif
