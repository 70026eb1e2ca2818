/* weft_dist: the operations of weft on arrays that are distributed over the ranks of an MPI communicator.
 *
 * A result has the bits that one process computes for the whole array, for any number of ranks and any partition of
 * the array. The functions are in a library of their own, libweft_dist.so, which exists if weft was built with MPI.
 * Docs: docs/guide/dist.md.
 *
 *     #include <mpi.h>
 *     #include <weft_dist.h>
 *
 *     weft_context *ctx;
 *     weft_dist *d;
 *     double total;
 *     weft_open(&ctx, "cpu");
 *     weft_dist_open(&d, ctx, MPI_COMM_WORLD);
 *     weft_dist_reduce(d, WEFT_SUM, WEFT_F64, WEFT_DEFAULT, weft_slice_of(n), x, &total); // on every rank
 *
 * Conventions, in addition to those of weft.h.
 *   - Every call is collective: all ranks of the communicator must make it, in the same order.
 *   - An array is the concatenation of the slices of rank 0, 1, 2, ... A slice may have any length, 0 included.
 *   - All arguments except slices and pointers must be equal on all ranks. If they differ, or if the arguments of one
 *     rank are invalid, every rank returns the same status and a message that names the rank and the values. Nothing
 *     has been written then. A rank therefore never waits for a rank that has failed.
 *   - Arrays may be in host memory or, on a rank with a CUDA context, in the memory of its GPU. Single values, edges,
 *     bounds and counts are in host memory. A single result is written on every rank. All results are complete on
 *     return.
 *   - WEFT_DEVICE_LOST means that MPI, NCCL or a GPU reported an error. The weft_dist is then unusable, and all later
 *     calls return WEFT_DEVICE_LOST.
 *   - While a call runs, it uses the context exclusively. One thread at a time may use a weft_dist. */
#ifndef WEFT_DIST_H
#define WEFT_DIST_H

#include "weft.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_dist weft_dist;

/* ------------------------------------------------------------------------------ opening */

/* Opens a weft_dist on a context of this rank. Collective. <mpi.h> must be included before this header. The
 * communicator is duplicated and stays the caller's; errors in the duplicate are returned. On failure *d is NULL and
 * weft_dist_last_error(NULL) returns the reason. Returns WEFT_INVALID if MPI_COMM_WORLD has one rank and PMI_SIZE,
 * OMPI_COMM_WORLD_SIZE or SLURM_STEP_NUM_TASKS says that several processes were started: the launcher then belongs to
 * another MPI library. */
#ifdef MPI_VERSION
WEFT_API weft_status weft_dist_open(weft_dist **d, weft_context *ctx, MPI_Comm comm);
#endif
/* Opens a weft_dist as weft_dist_open does, with a communicator of Fortran (an MPI_Fint). */
WEFT_API weft_status weft_dist_open_fortran(weft_dist **d, weft_context *ctx, int comm);
/* Opens a weft_dist as weft_dist_open does, on all ranks of the job, for a program that does not call MPI itself.
 * Starts MPI if it is not started; weft_dist_close then ends it. */
WEFT_API weft_status weft_dist_open_world(weft_dist **d, weft_context *ctx);

/* Opens `count` ranks that are threads of this process, without MPI: sets d[r] to rank r on ctx[r], 0 <= r < count.
 * Each rank must have a context of its own; the contexts may be of different CPUs and GPUs or of the same one. After
 * this call each rank must make its calls from a thread of its own. */
WEFT_API weft_status weft_dist_open_threads(weft_dist **d, weft_context *const *ctx, int count);

/* Gets the number of this process among the processes of the job on the same machine. A program can choose its GPU by
 * it, for example "cuda:N" with N = *rank modulo the number of GPUs. Starts MPI if it is not started, as
 * weft_dist_open_world does. */
WEFT_API weft_status weft_dist_local_rank(int *rank);

/* Closes a weft_dist, but not its context, which must be closed later. Collective if it uses MPI. NULL is allowed. */
WEFT_API void weft_dist_close(weft_dist *d);

/* Return the number of this rank, from 0, and the number of ranks. */
WEFT_API int weft_dist_rank(const weft_dist *d);
WEFT_API int weft_dist_size(const weft_dist *d);

/* Returns how blocks of arrays move between ranks:
 *   "by NCCL"              from GPU to GPU: NCCL was found when weft was built, is available now, and every rank has
 *                          a GPU of its own
 *   "through host memory"  some rank has a GPU, and NCCL is not used
 *   "within host memory"   no rank has a GPU */
WEFT_API const char *weft_dist_blocks(const weft_dist *d);

/* Returns the error message of the last failed call, equal on all ranks, or "". NULL: that of this thread's last
 * failed call without a weft_dist. Valid until the next call. */
WEFT_API const char *weft_dist_last_error(const weft_dist *d);

/* Combines the statuses of the caller's own steps, which may fail on some ranks only. Returns WEFT_OK if every rank
 * passes WEFT_OK. Otherwise returns, on all ranks, the status of the first rank that does not, with its message
 * `sentence` (NULL: none). */
WEFT_API weft_status weft_dist_agree(weft_dist *d, weft_status status, const char *sentence);

/* ------------------------------------------------------------------------------- slices */

#define WEFT_NOT_GIVEN UINT64_MAX

/* The part of an array that belongs to this rank. The values given for offset and total are checked: a gap, an
 * overlap or a wrong sum is an error on all ranks. */
typedef struct weft_slice {
    size_t count;    /* number of elements of this rank */
    uint64_t offset; /* index of its first element in the whole array; WEFT_NOT_GIVEN: after the previous rank */
    uint64_t total;  /* number of elements of the whole array; WEFT_NOT_GIVEN: the sum of the counts */
} weft_slice;

/* Returns a slice of `count` elements that follow those of the previous rank. */
WEFT_API weft_slice weft_slice_of(size_t count);
/* Returns part `which`, from 0, of `total` elements that are divided evenly into `parts` parts. Each of the first
 * total % parts parts has one element more. */
WEFT_API weft_slice weft_slice_share(uint64_t total, int parts, int which);
/* Returns the part of this rank when `total` elements are divided evenly among all ranks. */
WEFT_API weft_slice weft_dist_share(const weft_dist *d, uint64_t total);

/* --------------------------------------------------------------------------- operations */

/* Each function below does what the function of weft.h with the corresponding name does, on the whole array. x, y,
 * ... are the slices of this rank. Parameters, statuses, special values and order clauses are those in weft.h, with
 * the differences stated here. Memory that "stays in the weft_dist" is kept for later calls until it is closed. */
WEFT_API weft_status weft_dist_reduce(weft_dist *d, weft_op op, weft_dtype dtype, weft_dtype accumulate,
                                      weft_slice slice, const void *x, void *out);
WEFT_API weft_status weft_dist_variance(weft_dist *d, weft_dtype dtype, weft_dtype accumulate, weft_slice slice,
                                        size_t ddof, const void *x, void *out);
WEFT_API weft_status weft_dist_dot(weft_dist *d, weft_dtype dtype, weft_dtype accumulate, weft_slice slice,
                                   const void *x, const void *y, void *out);
/* y gets this rank's slice of the result. For sums and products of f16 and bf16, up to 2^20 prefixes in f32 stay in
 * the weft_dist. */
WEFT_API weft_status weft_dist_scan(weft_dist *d, weft_op op, weft_scan_kind kind, weft_dtype dtype,
                                    weft_dtype accumulate, weft_slice slice, const void *x, const void *init,
                                    void *y);
/* Computes the recurrence of one row. v gets this rank's slice of the result; v == s or v == u is allowed. If v is s
 * or u, a GPU needs memory for a block of 16^k elements of the slice, which stays in the weft_dist. */
WEFT_API weft_status weft_dist_recurrence(weft_dist *d, weft_direction direction, weft_dtype dtype, weft_slice slice,
                                          const void *s, const void *u, const void *init, void *v);
/* Sweeps a grid that is distributed along z. The slice counts planes of nx * ny points; its total is the number of
 * planes of the whole grid. u and v are the planes of this rank; v == u is allowed. Two copies of these planes, with
 * up to 8 planes (f64: 6) more on either side, and 24 planes stay in the weft_dist. */
WEFT_API weft_status weft_dist_laplace(weft_dist *d, weft_dtype dtype, size_t nx, size_t ny, weft_slice planes,
                                       size_t sweeps, const void *u, void *v);
/* Solves systems that are distributed over the ranks. The slice counts systems; the lines are those of the systems of
 * this rank, each system as a whole. */
WEFT_API weft_status weft_dist_tridiag(weft_dist *d, weft_boundary boundary, weft_dtype dtype, weft_slice systems,
                                       size_t n, weft_lines a, weft_lines b, weft_lines c, weft_lines rhs, void *x,
                                       uint64_t *singular);
/* Solves one system whose rows are distributed over the ranks. The slice counts rows. rhs and x are the rows of this
 * rank, contiguous; x == rhs is allowed. Each of a, b and c is either the slice of this rank, {p, 1, 0}, or one value
 * for all rows, {p, 0, 0}, in host memory and equal on all ranks. A quarter of the size of a slice stays in the
 * weft_dist. Each factor of 16 in the number of rows adds messages of a few values. */
WEFT_API weft_status weft_dist_tridiag_rows(weft_dist *d, weft_boundary boundary, weft_dtype dtype, weft_slice rows,
                                            weft_lines a, weft_lines b, weft_lines c, const void *rhs, void *x,
                                            uint64_t *singular);
/* Computes C = alpha A B + beta C for contiguous row-major matrices: A is m x k, B k x n, C m x n. `rows` is this
 * rank's slice of the m rows of A and C. Each rank has the rows of B that weft_dist_share(d, k) returns. Every rank
 * receives all of B, a block of rows at a time. These rows and the sums of the rank's block of C stay in the
 * weft_dist; with WEFT_EXACT_SUM, all of B. alpha, beta and accumulate: as for weft_matmul. */
WEFT_API weft_status weft_dist_matmul(weft_dist *d, weft_dtype dtype, weft_dtype accumulate, weft_slice rows,
                                      size_t n, size_t k, const void *alpha, const void *a, const void *b,
                                      const void *beta, void *c);
/* Computes C = alpha A B + beta C for contiguous row-major blocks: A is m x k, B k x n, C m x n. The R ranks form a
 * grid: rank r is in row r / across and column r % across of the grid. `across` must divide R.
 *   rows     this rank's slice of the m rows of A and C; equal on all ranks of a row of the grid
 *   columns  this rank's slice of the n columns of B and C; equal on all ranks of a column of the grid
 *   a        block of A: the rows `rows`, of each the elements weft_slice_share(k, across, r % across)
 *   b        block of B: the rows weft_slice_share(k, R / across, r / across), of each the columns `columns`
 *   c        block of C: the rows `rows`, of each the columns `columns`
 * The memory of a rank decreases with R. The data sent to a rank decreases with the square root of R if the grid is
 * about square. With WEFT_EXACT_SUM, the weft_dist keeps the whole rows of A and columns of B of the rank's block of
 * C.
 */
WEFT_API weft_status weft_dist_matmul_blocks(weft_dist *d, weft_dtype dtype, weft_dtype accumulate, size_t across,
                                             weft_slice rows, weft_slice columns, size_t k, const void *alpha,
                                             const void *a, const void *b, const void *beta, void *c);
/* Transforms arrays that are distributed over the ranks. The slice counts arrays of n values; this rank has whole
 * arrays, contiguous as for weft_fft. */
WEFT_API weft_status weft_dist_fft(weft_dist *d, weft_fft_kind kind, weft_dtype dtype, weft_slice arrays, size_t n,
                                   const void *x, void *y);

/* How the ranks divide the complex side of weft_dist_fft_axes and weft_dist_fft_values, the spectrum: y of a forward
 * transform, x of an inverse one. */
typedef enum weft_spectrum {
    WEFT_SPECTRUM_NATURAL = 0,   /* as the other side */
    WEFT_SPECTRUM_TRANSPOSED = 1 /* along other axes, which saves an exchange of all values */
} weft_spectrum;

/* Transforms arrays along all of their axes, as weft_fft_axes does. Each array is divided among the ranks. The R
 * ranks form a grid: rank r is in row r / across and column r % across of the grid. `across` must divide R.
 *   across  1: each rank has a range of planes, because one axis is divided. Otherwise each rank has a pencil,
 *           because two axes are divided. This requires three axes
 *   batch   number of arrays. Each rank has its blocks of all of them, one after another
 *   axes    2 or 3: number of axes of an array
 *   shape   the lengths of an array, at least 1, in host memory. For WEFT_R2C and WEFT_C2R, those of the real
 *           numbers; the last axis of their spectrum has n/2 + 1 complex numbers
 *   x, y    contiguous blocks, whose last axis varies fastest. y == x is allowed for the complex kinds, in memory
 *           for the larger of the two blocks. Otherwise they must not overlap
 * The rows of the grid divide an axis of n numbers into parts weft_slice_share(n, R / across, r / across), and the
 * columns of the grid into parts weft_slice_share(n, across, r % across):
 *   transposed spectrum                 axis 1 by the rows and axis 2 by the columns of the grid
 *   natural spectrum, and other arrays  axis 0 by the rows and axis 1 by the columns of the grid
 * All values are exchanged once (planes) or twice (pencils), and once more if the spectrum is natural. Two copies
 * of the complex values of this rank's largest block stay in the weft_dist. If blocks move through host memory, two
 * more stay there. A single rank only needs the memory of weft_fft_axes. */
WEFT_API weft_status weft_dist_fft_axes(weft_dist *d, weft_fft_kind kind, weft_spectrum spectrum, weft_dtype dtype,
                                        size_t across, size_t batch, size_t axes, const size_t *shape, const void *x,
                                        void *y);

/* Transforms one array of n complex values that is distributed over the ranks. n must be a power of two.
 *   kind      WEFT_C2C or WEFT_C2C_INVERSE; others are WEFT_UNSUPPORTED
 *   spectrum  a natural spectrum has the same slices as the array. A transposed one is a matrix of n/n1 rows and n1
 *             columns, where n1 = 2^floor(log2(n)/2): value (i, j) is that of the frequency i n1 + j. A rank has the
 *             columns that weft_dist_share(d, n1) returns, as contiguous rows. This saves one exchange
 *   values    this rank's slice of the array: x of a forward transform, y of an inverse one
 *   x, y      y == x is allowed, in memory for the larger of the two parts. Otherwise they must not overlap
 * All values are exchanged twice, and once more if the spectrum is natural. Two copies of this rank's part stay in
 * the weft_dist, and two more if blocks move through host memory. A CPU also keeps factors of the size of the part,
 * for the last two lengths or divisions, and a GPU those of n/4 complex values. With fewer than 256 values, every
 * rank computes the whole transform. */
WEFT_API weft_status weft_dist_fft_values(weft_dist *d, weft_fft_kind kind, weft_spectrum spectrum, weft_dtype dtype,
                                          weft_slice values, const void *x, void *y);

/* Convolve or correlate a distributed signal x with a filter h.
 *   slice  counts values of x, of n values on all ranks together. The filter must not be longer: m <= n
 *   h      all m taps, in host memory and equal on all ranks
 *   y      result i is written by the rank that has value i of x, so y has as many results as x has values. With
 *          WEFT_FULL the last rank has m - 1 more. With WEFT_VALID there are no results from n - m + 1 on, so the
 *          last ranks have fewer
 * A rank copies the values of other ranks that it needs to host memory: m - 1 values for up to 64 taps, else blocks
 * (docs/spec/ORDER.md 15.3) at both ends of its slice. Blocks that cross a border are computed on both sides of
 * it. */
WEFT_API weft_status weft_dist_convolve(weft_dist *d, weft_convolve_mode mode, weft_dtype dtype, weft_field field,
                                        weft_slice slice, const void *x, size_t m, const void *h, void *y);
WEFT_API weft_status weft_dist_correlate(weft_dist *d, weft_convolve_mode mode, weft_dtype dtype, weft_field field,
                                         weft_slice slice, const void *x, size_t m, const void *h, void *y);
WEFT_API weft_status weft_dist_histogram(weft_dist *d, weft_dtype dtype, weft_slice slice, const void *x, size_t bins,
                                         const void *edges, uint64_t *counts);
WEFT_API weft_status weft_dist_histogram_even(weft_dist *d, weft_dtype dtype, weft_slice slice, const void *x,
                                              size_t bins, const void *lower, const void *upper, uint64_t *counts);

/* Reduces rows that are distributed over the ranks. The slice counts rows; x and index are those of this rank. Each
 * rank gets the results of the targets that weft_dist_share(d, m) returns: out has `columns` values for each of them.
 * init has the initial values of these targets, or is NULL on all ranks; init == out is allowed. Each row is sent to
 * the rank that has its target, through host memory. During the call a rank has copies of the rows that it sends and
 * of those that it receives. If the order of the elements is free (docs/spec/ORDER.md 3) and there are fewer targets
 * than rows per rank, a rank sends and receives one row for each target instead. The message for an index out of
 * range states its position in the whole array. */
WEFT_API weft_status weft_dist_scatter_reduce(weft_dist *d, weft_op op, weft_range range, weft_dtype dtype,
                                              weft_dtype accumulate, weft_dtype index_dtype, weft_slice rows,
                                              size_t columns, size_t m, const void *x, const void *index,
                                              const void *init, void *out);
/* Counts the indices of all ranks. Every rank gets all m counts, in host memory. */
WEFT_API weft_status weft_dist_scatter_count(weft_dist *d, weft_range range, weft_dtype index_dtype, weft_slice rows,
                                             size_t m, const void *index, uint64_t *counts);

/* Write this rank's slice of the samples first, first + 1, ... of the stream. */
WEFT_API weft_status weft_dist_random(weft_dist *d, weft_distribution distribution, weft_dtype dtype, uint64_t seed,
                                      uint64_t stream, uint64_t first, weft_slice slice, double a, double b,
                                      void *out);
WEFT_API weft_status weft_dist_random_integers(weft_dist *d, weft_dtype dtype, uint64_t seed, uint64_t stream,
                                               uint64_t first, weft_slice slice, const void *lower, const void *upper,
                                               void *out);

/* Evaluate a formula. `formula` is text, as for weft_expr_compile; its `i` is the index in the whole array. Bound
 * arrays are slices; bound scalars must be equal on all ranks. weft_dist_map_reduce stores the values of this rank's
 * slice in memory of its device. */
WEFT_API weft_status weft_dist_map(weft_dist *d, const char *formula, weft_dtype dtype, weft_slice slice,
                                   const weft_binding *bindings, size_t count, void *out);
WEFT_API weft_status weft_dist_map_reduce(weft_dist *d, weft_op op, const char *formula, weft_dtype dtype,
                                          weft_dtype accumulate, weft_slice slice, const weft_binding *bindings,
                                          size_t count, void *out);

/* Counts matches in the text that is the concatenation of the slices. Finds matches across the borders of slices. */
WEFT_API weft_status weft_dist_match_count(weft_dist *d, weft_slice slice, const void *text,
                                           const weft_patterns *patterns, unsigned flags, uint64_t *counts);

/* Computes the price of an option. The paths are divided among the ranks. All ranks must pass equal arguments. The
 * valuation has the bits of weft_price on one rank. */
WEFT_API weft_status weft_dist_price(weft_dist *d, const weft_option *option, const weft_simulation *simulation,
                                     weft_valuation *valuation);

/* Sorts the whole array. This rank receives the elements of the sorted array at the positions of its slice, so every
 * element is sent at most once. sorted == keys is allowed. Two copies of the slice stay in the weft_dist, in addition
 * to the scratch memory of weft_sort. */
WEFT_API weft_status weft_dist_sort(weft_dist *d, weft_order_of_sort order, weft_dtype dtype, weft_slice slice,
                                    const void *keys, void *sorted);

#ifdef __cplusplus
}
#endif
#endif
