/* weft bench --mpi: how operations scale with the number of ranks. */
#ifndef WEFT_CLI_SCALING_H
#define WEFT_CLI_SCALING_H

#include "cli/cli.h"
#include "cli/operations.h"

/* Measures the operations, or a default selection if `count` is 0, on 1, 2, 4, ... and all of the ranks that mpirun
 * started. Strong scaling: n elements (0: a default by device) on all active ranks together. Weak scaling: on each
 * active rank, n divided by the number of all ranks. Prints the table and, if `plot` is not NULL, draws it as SVG to
 * that file. Returns the exit code; an error has been printed. */
int scaling_bench(const cli_options *options, size_t n, const operation *const *operations, size_t count,
                  const char *plot);

#endif
