/* weft bench --mpi: how operations scale with the number of ranks. */
#ifndef WEFT_CLI_SCALING_H
#define WEFT_CLI_SCALING_H

#include "cli/cli.h"
#include "cli/operations.h"

/* Measures these operations, or with count 0 some, on 1, 2, 4, ... and all of the ranks that mpirun started: n
 * elements (0: by device) on all of them together, and as many on each as the share of one among all. Prints the
 * table, and draws it as SVG where `plot` is a file's name. Returns the exit code, after the error was printed. */
int scaling_bench(const cli_options *options, size_t n, const operation *const *operations, size_t count,
                  const char *plot);

#endif
