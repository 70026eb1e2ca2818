/* weft --mpi: this process is one of the ranks started by `mpirun -n N weft --mpi ...`. Each rank maps its file,
 * processes its slice and writes its slice of the result. libweft_dist is loaded on demand, so the command does not
 * require MPI. Without --mpi these functions do the work of a single process. */
#ifndef WEFT_CLI_RANKS_H
#define WEFT_CLI_RANKS_H

#include "cli/cli.h"
#include "cli/io/npy/npy.h"
#include "cli/operations.h"
#include "weft_dist.h"

/* Functions of libweft_dist.so that the command calls. */
typedef struct ranks_library {
#define FUNCTION(name) __typeof__(&weft_dist_##name) name;
#include "cli/ranks.def"
} ranks_library;

typedef struct ranks {
    weft_dist *d; /* NULL without --mpi */
    ranks_library library;
} ranks;

/* Returns true if the command of that name supports --mpi. Prints the error otherwise. */
bool ranks_can(const char *command);
/* Returns true if ranks can read and write these files: none may be standard input or output. Prints the error
 * otherwise. */
bool ranks_read(const cli_options *options, const char *command, char *const *files, int count);

/* Calls cli_open and, with --mpi, connects to the other ranks. The ranks of one machine are assigned its GPUs in
 * turn, unless --device names one. On failure, *ctx is NULL. ranks_close must be called in any case, before the
 * context is closed. */
int ranks_open(ranks *r, const char *command, const cli_options *options, weft_context **ctx);
void ranks_close(ranks *r);

/* Returns CLI_DONE if `fine` is true on all ranks. A rank where it is false must already have printed the error. */
int ranks_agree(const ranks *r, bool fine);
/* Returns true for the rank that prints for all of them. */
bool ranks_first(const ranks *r);
/* Returns the number of elements of this rank's slice of n elements. */
size_t ranks_count(const ranks *r, size_t n);
const char *ranks_last_error(const ranks *r);

/* Runs an operation on this rank's slice of in->x and in->y, which are whole arrays. in->to receives a slice. */
weft_status ranks_apply(const ranks *r, const operation *operation, const operands *in, value *out, weft_dtype *type);
/* Runs an operation, or sort with keys only. in->x, in->y and in->to are this rank's slices. */
weft_status ranks_apply_slices(const ranks *r, const operation *operation, const operands *in, weft_slice slice,
                               value *out, weft_dtype *type);
/* Returns true if ranks_apply_slices supports the operation. */
bool ranks_spread(const char *operation);
/* Sorts the whole array x[0..n). `sorted` receives this rank's slice. */
weft_status ranks_sort(const ranks *r, weft_dtype dtype, weft_order_of_sort order, size_t n, const void *x,
                       void *sorted);

/* Calls weft_price on all ranks together. */
weft_status ranks_price(const ranks *r, const weft_option *option, const weft_simulation *simulation,
                        weft_valuation *valuation);

/* Writes the slices of all ranks to one .npy file, which appears complete or not at all. It has the shape of x.
 * Returns the exit code; the error has been printed. */
int ranks_write(const ranks *r, const char *command, const char *path, weft_dtype dtype, const npy_array *x,
                const void *slice);

#endif
