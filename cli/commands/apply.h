/* One operation on the arrays of .npy files: what the verbs sum ... norminf, variance and dot do. */
#ifndef WEFT_CLI_APPLY_H
#define WEFT_CLI_APPLY_H

#include "cli/cli.h"
#include "cli/operations.h"

/* Reads the operation's files, runs it on the device of the options and prints the value; of `in` only
 * accumulate and ddof are used. argv[optind..argc) are the files. Returns the exit code. */
int apply_operation(const cli_options *options, const operation *operation, operands in, int argc, char **argv);

/* The same for an operation that has no option but --accumulate, which it takes from argv. */
int apply_plainly(const cli_options *options, const operation *operation, int argc, char **argv);

/* Reads what stands after --accumulate; prints the error and returns false unless it is f64. */
bool apply_accumulate(const char *command, const char *text, weft_dtype *accumulate);

#endif
