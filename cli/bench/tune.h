/* What `weft tune` measures, and what it checks. */
#ifndef WEFT_CLI_TUNE_H
#define WEFT_CLI_TUNE_H

#include "cli/cli.h"

#include <stddef.h>
#include <stdint.h>

/* A problem to measure the variants of a tunable on: its arrays lie in the device's own memory. */
typedef struct tune_problem {
    weft_context *ctx;
    weft_tunable tunable;
    size_t edge;      /* of the grid or the matrices */
    char text[64];    /* "512 x 512 x 512 points, 12 sweeps" */
    const char *unit; /* of 10^9 in a second: "GFLOP/s" */
    double work;      /* of a run, in those units */
    void *in, *out;
    size_t bytes; /* of each */
} tune_problem;

/* Whether there is a problem for the operation. */
bool tune_can(const char *operation);

/* Makes the problem of an edge, 0 for the usual one of the device. A failure's sentence is in the context, but for
 * host memory: WEFT_OUT_OF_MEMORY. tune_problem_close is due in any case. */
weft_status tune_problem_open(tune_problem *p, weft_context *ctx, const weft_tunable *tunable, size_t edge);
/* Runs it once, and waits; `p` is a tune_problem. */
weft_status tune_problem_run(void *p);
/* A number made of all bits of the result, and of where they are. */
weft_status tune_problem_hash(const tune_problem *p, uint64_t *hash);
void tune_problem_close(tune_problem *p);

/* As those of `weft verify`. */
typedef struct tune_check_options {
    const char *level;
    size_t every;
} tune_check_options;

/* Runs the agreement suite of an operation once for each number up to its tunables' most variants, with the variants
 * of that number. Prints what is wrong. *answers: how many were compared. */
bool tune_check(const cli_options *options, const char *command, weft_context *ctx, const char *operation,
                const tune_check_options *check, size_t *answers);

#endif
