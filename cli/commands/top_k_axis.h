/* Parts of `weft top_k` for whole arrays and along an axis. */
#ifndef WEFT_CLI_TOP_K_AXIS_H
#define WEFT_CLI_TOP_K_AXIS_H

#include "cli/commands/along_axes.h"

/* Values of the options. */
typedef struct top_k_request {
    long long k;
    bool k_given;
    weft_extreme extreme;
    const char *to, *indices_to;
    axes_request along; /* no text: selects from all elements */
} top_k_request;

/* Checks that k is at most n, the number of elements, or of those along the axis. Returns CLI_DONE, or the exit code
 * after printing the error. */
int top_k_check_count(const production *p, const top_k_request *r, size_t n);

/* `weft top_k` with --axis. */
int top_k_axis(const cli_options *options, const top_k_request *r, int argc, char **argv);

#endif
