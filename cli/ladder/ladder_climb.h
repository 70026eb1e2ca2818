/* What the files of `weft ladder` share: machines, and what came of a topic on one. */
#ifndef WEFT_CLI_LADDER_CLIMB_H
#define WEFT_CLI_LADDER_CLIMB_H

#include "cli/cli.h"
#include "cli/io/npy.h"
#include "cli/ladder/ladder_text.h"
#include "ladder/ladder.h"

enum { LADDER_RUNGS_MAX = 64, LADDER_MACHINES = 2 };

/* One topic on one machine. */
typedef struct ladder_result {
    const ladder_topic_text *topic;
    const ladder_machine_info *machine;
    size_t n;
    const char *dtype;
    size_t count;
    struct ladder_outcome {
        const ladder_rung_text *text;
        ladder_row row; /* its strings are text->name and the next member */
        char said[600];
    } rungs[LADDER_RUNGS_MAX];
} ladder_result;

/* Loads the machine "executor" or "cuda". Returns false, with a sentence in `error`, when it is not there. */
bool ladder_machine_load(const char *which, ladder_machine_info *info, char *error, size_t error_size);

/* A rung's share of the ceiling, 0 to 1; 0 where it was not timed. On the executor it is that of the needed bytes in
 * those that were moved. */
double ladder_share(const ladder_result *r, size_t i);

void ladder_print(const ladder_result *r);
void ladder_print_json(const ladder_result *r);

/* Writes the staircase as an SVG file. Returns false and leaves a sentence in `error`. */
bool ladder_chart_write(const char *path, const ladder_result *r, npy_error *error);

#endif
