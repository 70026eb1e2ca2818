/* Options of the operations that fold elements: scan and the segmented ones. */
#ifndef WEFT_CLI_FOLD_OPTIONS_H
#define WEFT_CLI_FOLD_OPTIONS_H

#include "weft.h"

#include <stdbool.h>

/* The operator that `text` names, or the error and false. */
bool folds_operator(const char *command, const char *text, weft_op *op);
/* The type of a scan's results: f64, i64 or u64. */
bool folds_accumulate(const char *command, const char *text, weft_dtype *accumulate);

#endif
