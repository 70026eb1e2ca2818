/* Samples that are made and written piece by piece, so that a file may be larger than memory: what the commands
 * random and sobol share. */
#ifndef WEFT_CLI_SAMPLE_FILE_H
#define WEFT_CLI_SAMPLE_FILE_H

#include "cli/cli.h"

#include <stdint.h>

typedef struct sample_options {
    bool counted; /* --n was given */
    uint64_t n, seed, stream, first;
    weft_dtype dtype; /* WEFT_DEFAULT: not given */
    const char *to;
} sample_options;

/* Their entries in a command's list of options, which sample_option reads. Capital letters are left to the command.
 */
#define SAMPLE_OPTIONS                                                                       \
    {"n", required_argument, NULL, 'n'}, {"seed", required_argument, NULL, 's'},             \
        {"stream", required_argument, NULL, 't'}, {"first", required_argument, NULL, 'f'},   \
        {"dtype", required_argument, NULL, 'y'}, {"output", required_argument, NULL, 'o'}, { \
        "o", required_argument, NULL, 'o'                                                    \
    }

/* Takes an option with its text; prints the error and returns false when it cannot. */
bool sample_option(const char *command, int option, const char *text, sample_options *o);
/* Whether all that is needed was given. `what` are the samples, in an error. */
bool sample_options_suffice(const cli_options *options, const char *command, const char *what,
                            const sample_options *o);

/* What is written. */
typedef struct sample_file {
    const sample_options *options;
    size_t dimensions; /* of a sample that is a point, a row of the array; 0: a sample is a number */
    /* Makes samples first ... first + n - 1. */
    weft_status (*make)(const void *self, weft_context *ctx, uint64_t first, size_t n, void *out);
    const void *self;
} sample_file;

/* Opens the context, makes the samples and writes them. Returns the exit code; the device's name and the time taken
 * are for a command that goes on to print them. */
int sample_file_write(const cli_options *options, const char *command, const sample_file *file, char device[32],
                      double *seconds);

/* Prints the end of the JSON object, from "output" on. */
void sample_file_json(const sample_options *o, const char *device, double seconds);

#endif
