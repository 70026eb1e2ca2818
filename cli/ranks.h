/* weft --mpi: this process is one of the ranks that `mpirun -n N weft --mpi ...` started. Each maps its file, works
 * on its slice, and writes its slice of the result. What libweft_dist gives is loaded when it is asked for, so that
 * the command needs no MPI. Without --mpi these functions do what one process does. */
#ifndef WEFT_CLI_RANKS_H
#define WEFT_CLI_RANKS_H

#include "cli/cli.h"
#include "cli/io/npy.h"
#include "cli/operations.h"
#include "weft_dist.h"

/* The functions of libweft_dist.so that the command calls. */
typedef struct ranks_library {
#define FUNCTION(name) __typeof__(&weft_dist_##name) name;
#include "cli/ranks.def"
} ranks_library;

typedef struct ranks {
    weft_dist *d; /* NULL without --mpi */
    ranks_library library;
} ranks;

/* Whether the command of that name works with --mpi; prints the error. */
bool ranks_can(const char *command);
/* Whether ranks can read and write these files, which standard input and output are not; prints the error. */
bool ranks_read(const cli_options *options, const char *command, char *const *files, int count);

/* cli_open, and with --mpi the other ranks; those of one machine take its GPUs in turn, unless one is named. On
 * failure *ctx is NULL. ranks_close must be called in any case, before the context is closed. */
int ranks_open(ranks *r, const char *command, const cli_options *options, weft_context **ctx);
void ranks_close(ranks *r);

/* CLI_DONE when it is fine on all ranks; a rank where it is not has told why. */
int ranks_agree(const ranks *r, bool fine);
/* Whether this is the process that speaks for all. */
bool ranks_first(const ranks *r);
/* This process's share of n elements. */
size_t ranks_count(const ranks *r, size_t n);
const char *ranks_last_error(const ranks *r);

/* Runs an operation on this rank's slice of in->x and in->y, which are whole arrays; in->to is a slice. */
weft_status ranks_apply(const ranks *r, const operation *operation, const operands *in, value *out, weft_dtype *type);
/* The same, or sort with keys alone, where in->x and in->y are this rank's slices too. */
weft_status ranks_apply_slices(const ranks *r, const operation *operation, const operands *in, weft_slice slice,
                               value *out, weft_dtype *type);
/* Whether ranks_apply_slices can do it. */
bool ranks_spread(const char *operation);
/* Sorts x[0..n), the whole array; `sorted` is a slice. */
weft_status ranks_sort(const ranks *r, weft_dtype dtype, weft_order_of_sort order, size_t n, const void *x,
                       void *sorted);

/* weft_price of all ranks together. */
weft_status ranks_price(const ranks *r, const weft_option *option, const weft_simulation *simulation,
                        weft_valuation *valuation);

/* All ranks write their slices to one .npy file, which is there in whole or not at all: as many elements as x has,
 * in its shape. Returns the exit code after the error was printed. */
int ranks_write(const ranks *r, const char *command, const char *path, weft_dtype dtype, const npy_array *x,
                const void *slice);

#endif
