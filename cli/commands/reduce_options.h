/* Arguments of --op and --accumulate of the operations that combine elements. */
#ifndef WEFT_CLI_REDUCE_OPTIONS_H
#define WEFT_CLI_REDUCE_OPTIONS_H

#include "weft.h"

#include <stdbool.h>

/* Parses an operator. Prints the error and returns false if `text` is not one. */
bool reduce_options_op(const char *command, const char *text, weft_op *op);
/* Parses the argument of --accumulate, one of `types`, which end with WEFT_DEFAULT. Prints the error and returns
 * false if `text` is the name of none of them. */
bool reduce_options_type(const char *command, const char *text, const weft_dtype *types, weft_dtype *accumulate);
/* The types of sums, of sums of elements that may be f16 or bf16, and of scans. */
#define SUM_TYPES ((const weft_dtype[]){WEFT_F64, WEFT_EXACT_SUM, WEFT_DEFAULT})
#define HALF_SUM_TYPES ((const weft_dtype[]){WEFT_F32, WEFT_F64, WEFT_EXACT_SUM, WEFT_DEFAULT})
#define SCAN_TYPES ((const weft_dtype[]){WEFT_F64, WEFT_I64, WEFT_U64, WEFT_DEFAULT})
#define HALF_SCAN_TYPES ((const weft_dtype[]){WEFT_F32, WEFT_F64, WEFT_I64, WEFT_U64, WEFT_DEFAULT})

/* Return CLI_DONE if a reduction, or a scan, of elements of `dtype` can accumulate in `accumulate`. Otherwise return
 * the exit code and, if `speaks` is true, print the error. All other errors of operator and type are left to the
 * library's call. */
int reduce_options_check_reduce(const char *command, bool speaks, weft_op op, weft_dtype dtype,
                                weft_dtype accumulate);
int reduce_options_check_scan(const char *command, bool speaks, weft_context *ctx, weft_op op, weft_dtype dtype,
                              weft_dtype accumulate);

#endif
