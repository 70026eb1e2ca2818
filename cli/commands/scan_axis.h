/* Parts of `weft scan` for whole arrays and along an axis. */
#ifndef WEFT_CLI_SCAN_AXIS_H
#define WEFT_CLI_SCAN_AXIS_H

#include "cli/commands/axes.h"

/* Values of the options of `weft scan`. */
typedef struct scan_request {
    operands in;
    axes_request along;      /* no text: the whole array is scanned */
    const char *init, *from; /* text of the initial value, and the file with the array */
} scan_request;

/* Reads the initial value, of the type of the result. Returns CLI_DONE, or the exit code after printing the error. */
int scan_read_init(const scan_request *r, weft_dtype type, value *init);

/* `weft scan` with --axis. */
int scan_axis(const cli_options *options, const scan_request *r, int argc, char **argv);

#endif
