/* weft gather and weft scatter with --axis: elements by index along an axis. */
#ifndef WEFT_CLI_TAKE_AXIS_H
#define WEFT_CLI_TAKE_AXIS_H

#include "cli/commands/along_axes.h"
#include "cli/commands/index_file.h"

/* Values of the command line. */
typedef struct take_request {
    axes_request along;
    bool scatter;
    weft_range range;
    long long targets; /* -1: not given */
    const char *init;  /* file of the values before the call, or NULL */
    index_file *index;
} take_request;

int take_axis(const cli_options *options, const take_request *r, int argc, char **argv);

#endif
