/* weft_dist: weft's operations on arrays that are spread over the ranks of an MPI communicator, with the bits that
 * one process computes, whatever the number of ranks and however the array is cut. A library of its own,
 * libweft_dist.so, which is there when weft was built with MPI. Docs: docs/guide/dist.md.
 *
 *     #include <mpi.h>
 *     #include <weft_dist.h>
 *
 *     weft_dist *d;
 *     double total;
 *     weft_open(&ctx, "cpu");
 *     weft_dist_open(&d, ctx, MPI_COMM_WORLD);
 *     weft_dist_reduce(d, WEFT_SUM, WEFT_F64, WEFT_DEFAULT, weft_slice_of(n), x, &total); // on every rank
 *
 * Manners, beside those of weft.h.
 *   - Every call is collective: all ranks of the communicator make it, in the same order.
 *   - An array is the slices of rank 0, 1, 2, ... one behind another; a slice may have any length, none too.
 *   - All arguments but slices and pointers are the same on all ranks. Where they are not, or where one rank's own
 *     are wrong, every rank gets the same status and a sentence that names the rank and the values, and nothing has
 *     been written. So no rank waits for one that has failed.
 *   - Arrays may be in host memory or, on a rank whose context is of a GPU, in that GPU's; single values, edges,
 * bounds and counts are in host memory. A single result is written on every rank. All is complete on return.
 *   - WEFT_DEVICE_LOST means here that MPI, NCCL or a GPU reported a fault: the weft_dist is dead, and all later
 * calls say so.
 *   - The context belongs to the weft_dist's calls while they run; one thread at a time. */
#ifndef WEFT_DIST_H
#define WEFT_DIST_H

#include "weft.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_dist weft_dist;

/* ------------------------------------------------------------------------------ opening */

/* Opens on a context of this rank. The communicator is duplicated and stays the caller's; faults in it are returned.
 * Collective. On failure *d is NULL and weft_dist_last_error(NULL) has the reason. With <mpi.h> included first.
 * WEFT_INVALID where MPI_COMM_WORLD has one rank and PMI_SIZE, OMPI_COMM_WORLD_SIZE or SLURM_STEP_NUM_TASKS says that
 * several processes were started: then the launcher is not that of the MPI library. */
#ifdef MPI_VERSION
WEFT_API weft_status weft_dist_open(weft_dist **d, weft_context *ctx, MPI_Comm comm);
#endif
/* The same with a communicator of Fortran, an MPI_Fint. */
WEFT_API weft_status weft_dist_open_fortran(weft_dist **d, weft_context *ctx, int comm);
/* The same on all ranks of the job, for a program that makes no call of MPI itself: MPI is started when it is not,
 * and then ended by weft_dist_close. */
WEFT_API weft_status weft_dist_open_world(weft_dist **d, weft_context *ctx);

/* Ranks that are threads of this process, without MPI: d[r], which it sets, is rank r on ctx[r], r < count. Contexts
 * are of different CPUs or GPUs or of the same, and each its rank's own. From then on every rank's calls come from a
 * thread of its own, as those of other ranks come from other processes. */
WEFT_API weft_status weft_dist_open_threads(weft_dist **d, weft_context *const *ctx, int count);

/* The number of this process among those of the job on the same machine, by which it can choose its GPU: for example
 * "cuda:N", N the number modulo that of the GPUs. MPI is started when it is not, as by weft_dist_open_world. */
WEFT_API weft_status weft_dist_local_rank(int *rank);

/* Before the context is closed, which stays open. With MPI collective. NULL is allowed. */
WEFT_API void weft_dist_close(weft_dist *d);

WEFT_API int weft_dist_rank(const weft_dist *d);
WEFT_API int weft_dist_size(const weft_dist *d);

/* How blocks of arrays go from rank to rank: "by NCCL", from GPU to GPU, when NCCL was there when weft was built and
 * is there now, and every rank has a GPU of its own; "through host memory"; or, where no rank has a GPU, "within host
 * memory". */
WEFT_API const char *weft_dist_blocks(const weft_dist *d);

/* The sentence for the last call that failed, the same on all ranks, or "". With NULL: for this thread's last call
 * without a weft_dist. Valid until the next call. */
WEFT_API const char *weft_dist_last_error(const weft_dist *d);

/* For the caller's own steps, which may fail on some ranks: WEFT_OK when every rank says so; else, on all ranks, the
 * status of the first that does not, and its sentence (NULL: none). */
WEFT_API weft_status weft_dist_agree(weft_dist *d, weft_status status, const char *sentence);

/* ------------------------------------------------------------------------------- slices */

#define WEFT_NOT_GIVEN UINT64_MAX

/* This rank's part of an array. What is given of offset and total is checked: a gap, an overlap and a wrong sum are
 * refused on all ranks. */
typedef struct weft_slice {
    size_t count;    /* elements of this rank */
    uint64_t offset; /* of its first element in the whole array, or WEFT_NOT_GIVEN: behind the rank before */
    uint64_t total;  /* elements of the whole array, or WEFT_NOT_GIVEN: the sum of the counts */
} weft_slice;

/* `count` elements behind those of the rank before. */
WEFT_API weft_slice weft_slice_of(size_t count);
/* Part `which` of `total` elements that are cut evenly in `parts`, the first ones one more. */
WEFT_API weft_slice weft_slice_share(uint64_t total, int parts, int which);
/* The part of this rank among those of all. */
WEFT_API weft_slice weft_dist_share(const weft_dist *d, uint64_t total);

/* --------------------------------------------------------------------------- operations */

/* As the function of weft.h with the same name, on the whole array; x, y, ... are this rank's slices. */
WEFT_API weft_status weft_dist_reduce(weft_dist *d, weft_op op, weft_dtype dtype, weft_dtype accumulate,
                                      weft_slice slice, const void *x, void *out);
WEFT_API weft_status weft_dist_variance(weft_dist *d, weft_dtype dtype, weft_dtype accumulate, weft_slice slice,
                                        size_t ddof, const void *x, void *out);
WEFT_API weft_status weft_dist_dot(weft_dist *d, weft_dtype dtype, weft_dtype accumulate, weft_slice slice,
                                   const void *x, const void *y, void *out);
/* y has the rank's slice of the result. */
WEFT_API weft_status weft_dist_scan(weft_dist *d, weft_op op, weft_scan_kind kind, weft_dtype dtype,
                                    weft_dtype accumulate, weft_slice slice, const void *x, const void *init,
                                    void *y);
/* One row. v has the rank's slice of the result; v == s or v == u is allowed. Where v is on s
 * or u, a GPU needs memory for a block of 16^k elements of the slice, which stays in the weft_dist. */
WEFT_API weft_status weft_dist_recurrence(weft_dist *d, weft_dtype dtype, weft_direction direction, weft_slice slice,
                                          const void *s, const void *u, const void *init, void *v);
/* The slice is of planes of nx * ny points, of which the whole grid has `total`: the grid is cut across z, and u and
 * v are slabs. v may be u. Two copies of the slab, with up to 8 planes (f64: 6) more on either side, and 24 planes
 * stay in the weft_dist. */
WEFT_API weft_status weft_dist_laplace(weft_dist *d, weft_dtype dtype, size_t nx, size_t ny, weft_slice planes,
                                       size_t sweeps, const void *u, void *v);
/* The slice is of systems: the rank's lines are those of its own systems, whole ones. */
WEFT_API weft_status weft_dist_tridiag(weft_dist *d, weft_dtype dtype, weft_boundary boundary, weft_slice systems,
                                       size_t n, weft_lines a, weft_lines b, weft_lines c, weft_lines rhs, void *x,
                                       uint64_t *singular);
/* One system, whose rows are spread: the slice is of rows, and rhs and x are the rank's, without gaps; x may be rhs.
 * a, b and c are likewise slices, {p, 1, 0}, or one number for all rows, {p, 0, 0}, in host memory and the same on
 * all ranks. A quarter of a slice more stays in the weft_dist, and a few values travel for each factor 16 of the
 * number of rows. */
WEFT_API weft_status weft_dist_tridiag_rows(weft_dist *d, weft_dtype dtype, weft_boundary boundary, weft_slice rows,
                                            weft_lines a, weft_lines b, weft_lines c, const void *rhs, void *x,
                                            uint64_t *singular);
/* C = alpha A B + beta C of row-major matrices without gaps: A is m x k, B k x n, C m x n. `rows` is this rank's
 * slice of the m rows of A and C. Of B each rank has the rows that weft_dist_share(d, k) gives it; all of B visits
 * every rank, some rows at a time. These and the sums of the rank's block of C stay in the weft_dist. alpha, beta: as
 * of weft_matmul. */
WEFT_API weft_status weft_dist_matmul(weft_dist *d, weft_dtype dtype, weft_dtype accumulate, weft_slice rows,
                                      size_t n, size_t k, const void *alpha, const void *a, const void *b,
                                      const void *beta, void *c);
/* The same by blocks: R ranks are a grid, rank r in its row r / across and its column r % across, where `across`
 * divides R. A rank has the block of C of its `rows` and `columns`, which are those of all ranks in its row of the
 * grid, and in its column; of A the same rows, of each the elements that weft_slice_share(k, across, r % across)
 * gives; of B the rows of weft_slice_share(k, R / across, r / across), of each the same columns. Blocks have no gaps.
 * What a rank holds falls with R, and what it is sent with its square root where the grid is about square. */
WEFT_API weft_status weft_dist_matmul_blocks(weft_dist *d, weft_dtype dtype, weft_dtype accumulate, size_t across,
                                             weft_slice rows, weft_slice columns, size_t k, const void *alpha,
                                             const void *a, const void *b, const void *beta, void *c);
/* The slice is of arrays of n values: the rank's are whole ones, one behind another, as of weft_fft. */
WEFT_API weft_status weft_dist_fft(weft_dist *d, weft_dtype dtype, weft_fft_kind kind, weft_slice arrays, size_t n,
                                   const void *x, void *y);
/* The slice is of the signal x, of n values on all ranks together, and no shorter than the filter: n >= m. All m taps
 * are in host memory, and the same on all ranks. Result i is written by the rank that has value i: y has as many
 * results as x has values; with WEFT_FULL, m - 1 more on the last rank; with WEFT_VALID none from result n - m + 1
 * on, so that the last ranks have fewer. A rank brings the values that it lacks into host memory: with up to 64 taps
 * m - 1 of them, else some blocks (docs/spec/ORDER.md 15.3) at either end of its slice. Blocks that a border cuts are
 * computed on both sides of it. */
WEFT_API weft_status weft_dist_convolve(weft_dist *d, weft_dtype dtype, weft_field field, weft_convolve_mode mode,
                                        weft_slice slice, const void *x, size_t m, const void *h, void *y);
WEFT_API weft_status weft_dist_correlate(weft_dist *d, weft_dtype dtype, weft_field field, weft_convolve_mode mode,
                                         weft_slice slice, const void *x, size_t m, const void *h, void *y);
WEFT_API weft_status weft_dist_histogram(weft_dist *d, weft_dtype dtype, weft_slice slice, const void *x, size_t bins,
                                         const void *edges, uint64_t *counts);
WEFT_API weft_status weft_dist_histogram_even(weft_dist *d, weft_dtype dtype, weft_slice slice, const void *x,
                                              size_t bins, const void *lower, const void *upper, uint64_t *counts);

/* Samples first, first + 1, ... of the stream, the rank's slice of them. */
WEFT_API weft_status weft_dist_random(weft_dist *d, weft_distribution distribution, weft_dtype dtype, uint64_t seed,
                                      uint64_t stream, uint64_t first, weft_slice slice, double a, double b,
                                      void *out);
WEFT_API weft_status weft_dist_random_integers(weft_dist *d, weft_dtype dtype, uint64_t seed, uint64_t stream,
                                               uint64_t first, weft_slice slice, const void *lower, const void *upper,
                                               void *out);

/* The formula is text, as weft_expr_compile takes it; its `i` counts through the whole array. Bound arrays are
 * slices, bound scalars the same on all ranks. map_reduce holds the values of this rank's slice in memory of its
 * device. */
WEFT_API weft_status weft_dist_map(weft_dist *d, const char *formula, weft_dtype dtype, weft_slice slice,
                                   const weft_binding *bindings, size_t count, void *out);
WEFT_API weft_status weft_dist_map_reduce(weft_dist *d, weft_op op, const char *formula, weft_dtype dtype,
                                          weft_dtype accumulate, weft_slice slice, const weft_binding *bindings,
                                          size_t count, void *out);

/* The text is the slices one behind another; words are found across their borders too. */
WEFT_API weft_status weft_dist_match_count(weft_dist *d, weft_slice slice, const void *text,
                                           const weft_patterns *patterns, unsigned flags, uint64_t *counts);

/* The price by simulation. Paths are dealt out to the ranks, which must all have the same arguments; the valuation is
 * that of weft_price on one of them, bit for bit. */
WEFT_API weft_status weft_dist_price(weft_dist *d, const weft_option *option, const weft_simulation *simulation,
                                     weft_valuation *valuation);

/* The rank gets as many keys of the sorted array as it gave, at the same places: every element travels once. Two
 * copies of the slice stay in the weft_dist, beside what weft_sort holds. sorted == keys is allowed. */
WEFT_API weft_status weft_dist_sort(weft_dist *d, weft_dtype dtype, weft_order_of_sort order, weft_slice slice,
                                    const void *keys, void *sorted);

#ifdef __cplusplus
}
#endif
#endif
