/* Declarations shared by the files of `weft ladder`: machines, and the results of a topic on one machine. */
#ifndef WEFT_CLI_LADDER_CLIMB_H
#define WEFT_CLI_LADDER_CLIMB_H

#include "cli/cli.h"
#include "cli/io/npy/npy.h"
#include "cli/ladder/ladder_text.h"
#include "ladder/ladder.h"

enum { LADDER_RUNGS_MAX = 64, LADDER_MACHINES = 2 };

/* Results of one topic on one machine. */
typedef struct ladder_result {
    const ladder_topic_text *topic;
    const ladder_machine_info *machine;
    size_t n;
    const char *dtype;
    size_t count;
    struct ladder_outcome {
        const ladder_rung_text *text;
        ladder_row row; /* its strings point to text->name and to `said` */
        char said[600];
    } rungs[LADDER_RUNGS_MAX];
} ladder_result;

/* Loads the machine "executor" or "cuda". Returns false and writes a sentence to `error` if it is not available. */
bool ladder_machine_load(const char *which, ladder_machine_info *info, char *error, size_t error_size);

/* Loads a machine from a file. */
bool ladder_machine_open(const char *path, ladder_machine_info *info, char *error, size_t error_size);
/* Writes the path of a file of the ladder: in $WEFT_PLUGIN_DIR if set, otherwise in the directory that libweft.so was
 * loaded from. There it is in the subdirectory weft if installed, or next to libweft.so in a build tree. */
void ladder_path(const char *name, char *path, size_t size);
/* Returns the path of libweft.so, or "" if it is not known. */
const char *ladder_weft_path(void);

/* Returns the fraction of the ceiling that a rung reaches, 0 to 1; 0 if it was not timed. On the executor, it is the
 * number of needed bytes divided by the number of moved bytes. */
double ladder_share(const ladder_result *r, size_t i);

void ladder_print(const ladder_result *r);
void ladder_print_json(const ladder_result *r);

/* Keeps the accesses of a rung, prints them, and draws them as an SVG file. */
void ladder_accesses_keep(const ladder_row *row);
void ladder_accesses_print(void);
bool ladder_accesses_write(const char *path, npy_error *error);

/* Draws the chart of the rungs as an SVG file. Returns false and writes a sentence to `error` on failure. */
bool ladder_chart_write(const char *path, const ladder_result *r, npy_error *error);

#endif
