/* Measurements and checks of `weft tune`. */
#ifndef WEFT_CLI_TUNE_H
#define WEFT_CLI_TUNE_H

#include "cli/cli.h"

#include <stddef.h>
#include <stdint.h>

/* A problem on which the variants of a tunable are measured. Its arrays are in device memory. */
typedef struct tune_problem {
    weft_context *ctx;
    weft_tunable tunable;
    size_t edge;      /* of the grid or the matrices, in elements */
    char text[64];    /* for example "512 x 512 x 512 points, 12 sweeps" */
    const char *unit; /* of 10^9 per second, for example "GFLOP/s" */
    double work;      /* per run, in these units */
    void *in, *out;
    size_t bytes; /* of each array */
} tune_problem;

/* Returns true if there is a problem for the operation. */
bool tune_can(const char *operation);

/* Creates a problem of the given edge; 0 means the default of the device. On failure the error message is in the
 * context. Returns WEFT_OUT_OF_MEMORY if host memory cannot be allocated. tune_problem_close must be called in any
 * case. */
weft_status tune_problem_open(tune_problem *p, weft_context *ctx, const weft_tunable *tunable, size_t edge);
/* Runs the problem once and waits until it is complete. `p` is a tune_problem. */
weft_status tune_problem_run(void *p);
/* Computes a hash of all bits of the result and their positions. */
weft_status tune_problem_hash(const tune_problem *p, uint64_t *hash);
void tune_problem_close(tune_problem *p);

/* Options of the agreement suite, with the meaning that they have in `weft verify`. */
typedef struct tune_check_options {
    const char *level;
    size_t every;
} tune_check_options;

/* Runs the agreement suite of an operation once for each variant number, up to the largest number of variants of its
 * tunables. Prints the differences. *answers receives the number of compared results. */
bool tune_check(const cli_options *options, const char *command, weft_context *ctx, const char *operation,
                const tune_check_options *check, size_t *answers);

#endif
