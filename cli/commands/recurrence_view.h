/* Parts of `weft recurrence` for whole arrays and along an axis. */
#ifndef WEFT_CLI_RECURRENCE_VIEW_H
#define WEFT_CLI_RECURRENCE_VIEW_H

#include "cli/commands/along_axes.h"

/* Values of the command line. */
typedef struct recurrence_request {
    bool reverse;
    axes_request along;           /* no text: along the last axis of arrays of one shape */
    const char *init, *s, *u, *v; /* text of the initial value, and file names */
} recurrence_request;

/* Reads the initial value, of the type of the arrays. Returns CLI_DONE, or CLI_USAGE after printing the error. */
int recurrence_read_init(const recurrence_request *r, weft_dtype dtype, value *init);

/* `weft recurrence` with --axis. */
int recurrence_axis(const cli_options *options, const recurrence_request *r, int argc, char **argv);

#endif
