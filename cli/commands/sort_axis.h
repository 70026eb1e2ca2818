/* Parts of `weft sort` and `weft argsort` for whole arrays and along an axis. */
#ifndef WEFT_CLI_SORT_AXIS_H
#define WEFT_CLI_SORT_AXIS_H

#include "cli/commands/along_axes.h"

/* Values of the options. File names are NULL if not given. */
typedef struct sort_request {
    const char *command;
    bool indices; /* argsort: the result is the indices of the sorted elements */
    weft_order_of_sort order;
    weft_dtype index;
    axes_request along; /* no text: the whole array is sorted */
    const char *from, *values_from, *values_to;
} sort_request;

/* `weft sort` and `weft argsort` with --axis. */
int sort_axis(const cli_options *options, const sort_request *r, int argc, char **argv);

#endif
