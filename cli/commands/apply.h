/* Applies one operation to the arrays of .npy files: the verbs sum ... norminf, variance and dot. */
#ifndef WEFT_CLI_APPLY_H
#define WEFT_CLI_APPLY_H

#include "cli/cli.h"
#include "cli/operations.h"

/* Reads the operation's files argv[optind..argc), runs it on the device of the options and prints the value. Only
 * accumulate and ddof of `in` are used. Returns the exit code. */
int apply_operation(const cli_options *options, const operation *operation, operands in, int argc, char **argv);

/* Calls apply_operation for an operation whose only option is --accumulate, which is read from argv. */
int apply_plainly(const cli_options *options, const operation *operation, int argc, char **argv);

/* Reads the argument of --accumulate. Prints the error and returns false unless it is f64. */
bool apply_accumulate(const char *command, const char *text, weft_dtype *accumulate);

#endif
