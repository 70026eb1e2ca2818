/* Functions shared by the commands random and sobol: samples are generated and written in chunks, so that a file may
 * be larger than memory. */
#ifndef WEFT_CLI_SAMPLE_FILE_H
#define WEFT_CLI_SAMPLE_FILE_H

#include "cli/cli.h"

#include <stdint.h>

typedef struct sample_options {
    bool counted; /* --n was given */
    uint64_t n, seed, stream, first;
    weft_dtype dtype; /* WEFT_DEFAULT if not given */
    const char *to;
} sample_options;

/* Reads one option with its argument. Prints the error and returns false if the argument is invalid. */
bool sample_option(const char *command, int option, const char *text, sample_options *o);
/* Returns true if all required options were given. `what` names the samples in the error message. */
bool sample_options_suffice(const cli_options *options, const char *command, const char *what,
                            const sample_options *o);

/* Samples to generate and write. */
typedef struct sample_file {
    const sample_options *options;
    size_t dimensions; /* coordinates per sample, which is then a point and a row of the array; 0: a sample is a
                          number */
    /* Generates samples first ... first + n - 1. */
    weft_status (*make)(const void *self, weft_context *ctx, uint64_t first, size_t n, void *out);
    const void *self;
} sample_file;

/* Opens the context, generates the samples and writes them. Returns the exit code. `device` and the time are outputs
 * for a command that prints them afterwards. */
int sample_file_write(const cli_options *options, const char *command, const sample_file *file, char device[32],
                      double *seconds);

/* Prints the end of the JSON object, from "output" on. */
void sample_file_json(const sample_options *o, const char *device, double seconds);

#endif
