/* External sort for files that are larger than the permitted memory. */
#ifndef WEFT_CLI_SORT_RUNS_H
#define WEFT_CLI_SORT_RUNS_H

#include "cli/io/streamed.h"

/* Sorts the array of the stream to its output file, which must have been begun. Returns the exit code. */
int sort_runs(stream *s, weft_context *ctx, weft_order_of_sort order);

#endif
