/* Sorting files that are larger than the memory. */
#ifndef WEFT_CLI_SORT_RUNS_H
#define WEFT_CLI_SORT_RUNS_H

#include "cli/io/streamed.h"

/* Sorts the array in the stream to its output, which has been begun. Returns the exit code. */
int sort_runs(stream *s, weft_context *ctx, weft_order_of_sort order);

#endif
