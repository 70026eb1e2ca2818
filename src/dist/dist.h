/* Declarations shared by the files of libweft_dist. Every operation begins with dist_begin, in which all ranks
 * exchange and compare their arguments. A step that can fail on one rank alone ends with dist_agree. Therefore
 * either all ranks continue or all ranks return one common status.
 *
 * Ranks are processes of MPI (mpi.c) or threads of one process (threads.c). Small data moves from host memory to
 * host memory. Blocks move from GPU memory to GPU memory by NCCL (nccl.c) if every rank has a GPU of its own. */
#ifndef WEFT_DIST_DIST_H
#define WEFT_DIST_DIST_H

#include "core/error.h"
#include "core/order.h"
#include "core/types.h"
#include "weft_dist.h"

#include <stdbool.h>

enum {
    AGREED_MAX = 8, /* maximum number of arguments of a call that all ranks must agree on */
    NAME_BYTES = 24,
    ROOTS_MAX = 128, /* maximum number of roots of a slice: ascending, then descending levels, and a ragged tile */
    ROOT_VALUES = 5, /* maximum number of values of a root: a simulation has five sums */
    WORKSPACES = 5,
    TILE_BYTES_MAX = WEFT_TILE(8) * 8
};

_Static_assert(TILE_BYTES_MAX >= WEFT_TILE(4) * 4, "a tile of any type");

/* Data that every rank sends to all others at the start of a call. */
typedef struct record {
    char name[NAME_BYTES]; /* name of the call */
    uint64_t values[AGREED_MAX];
    uint64_t count, offset, total, status;
} record;

/* Range [first, end) of elements of the whole array, or of bytes. */
typedef struct extent {
    uint64_t first, end;
} extent;

/* Communication between ranks, from host memory to host memory. `doing` completes the error message of a failure. */
typedef struct transport {
    /* Sends counts[rank] bytes of `own` to all ranks. On every rank the bytes of rank r are stored at all +
     * offsets[r]. */
    weft_status (*gather)(weft_dist *d, const void *own, void *all, const int *counts, const int *offsets,
                          const char *doing);
    /* add: all[i] is the sum of own[i] over all ranks. add_before: before[i] is the sum of own[i] over the lower
     * ranks, 0 on rank 0. */
    weft_status (*add)(weft_dist *d, const uint64_t *own, uint64_t *all, size_t n, const char *doing);
    weft_status (*add_before)(weft_dist *d, const uint64_t *own, uint64_t *before, size_t n, const char *doing);
    /* All-to-all exchange of one number per pair of ranks: all[r] is the number that rank r has for this rank. */
    weft_status (*deal)(weft_dist *d, const uint64_t *own, uint64_t *all, const char *doing);
    /* Starts to send bytes d->out[r] of `from` to each rank r, and to receive bytes d->in[r] of `to` from it. Other
     * work and other calls of the transport may run until end_move. Until then from, d->out and d->in must not
     * change. */
    weft_status (*begin_move)(weft_dist *d, const void *from, void *to);
    weft_status (*end_move)(weft_dist *d);
    void (*close)(weft_dist *d); /* NULL while the transport is not open */
} transport;

/* Buffer in memory of the context's device, or in pinned memory. It grows on demand and is kept until
 * dist_release. */
typedef struct workspace {
    char *at;
    size_t bytes;
} workspace;

struct weft_dist {
    weft_context *ctx;
    weft_context *host; /* for small computations on host data: ctx itself, or a CPU context if ctx is a GPU's */
    transport line;
    void *line_state;      /* state of the transport */
    struct blocks *blocks; /* state of NCCL; NULL: blocks move through host memory */
    char *moving;          /* destination of the staged data, which end_move copies there */
    int rank, size;
    bool broken, gpus;     /* gpus: the context of at least one rank is not a CPU's */
    record *records;       /* records of all ranks */
    uint64_t *begin;       /* slices of the call: rank r has elements begin[r] to begin[r + 1] - 1 */
    extent *in, *out;      /* byte ranges received from each rank, and sent to each rank */
    const void *call;      /* data of the running call, read by its functions of type `wanted` */
    int *statuses;         /* statuses of all ranks */
    int *counts, *offsets; /* size and offset, in bytes, of the contribution of each rank to a gather */
    uint64_t *roots;       /* gathered data: ROOTS_MAX * ROOT_VALUES numbers for each rank */
    workspace workspaces[WORKSPACES], near,
        far; /* near, far: host memory for data that leaves a GPU and that arrives */
    char ragged[2][TILE_BYTES_MAX];
    weft_error error;
};

/* Opens `d` on a context. The rank, size and transport of `d` must be set. If `ctx` is NULL on any rank, the call
 * fails on all ranks. After a failure dist_release frees what was opened (open.c). */
weft_status dist_open(weft_dist *d, weft_context *ctx);
void dist_release(weft_dist *d);
/* Returns this thread's error, for failures without a weft_dist. */
weft_error *dist_thread_error(void);

/* ----------------------------------------------------------------------------- agreeing */

/* Format of an argument's value in an error message. */
typedef enum agreed_kind { AS_NUMBER, AS_OPERATOR, AS_TYPE, AS_BITS } agreed_kind;

typedef struct agreed {
    const char *name;
    agreed_kind kind;
    uint64_t value;
} agreed;

/* Exchanges the call's name, arguments, slices and statuses between all ranks. `status` is the result of this rank's
 * own checks; its error message is in d->error. Returns WEFT_OK on all ranks, with d->begin set, or one status and
 * one message on all ranks. */
weft_status dist_begin(weft_dist *d, const char *name, const agreed *list, size_t count, weft_slice slice,
                       weft_status status);
/* Returns WEFT_OK if `status` is WEFT_OK on all ranks; otherwise the status and message of the first rank that
 * failed. */
weft_status dist_agree(weft_dist *d, weft_status status);

/* Waits until this rank's device has finished its work, then calls dist_agree. */
weft_status dist_finish(weft_dist *d, weft_status status);

/* Fails unless p is an aligned address, not NULL, of n elements of `size` bytes. n = 0 is always accepted. */
weft_status dist_check_array(weft_dist *d, const char *name, const void *p, size_t n, size_t size);
/* Fails if the two arrays share a byte. */
weft_status dist_check_apart(weft_dist *d, const char *a_name, const void *a, size_t a_bytes, const char *b_name,
                             const void *b, size_t b_bytes);
/* Fails unless the ranks can form a grid with `across` ranks per row. */
weft_status dist_check_grid(weft_dist *d, size_t across);
/* Returns `status`, the result of a call of libweft on d->ctx. Copies its error message to d->error. */
weft_status dist_took(weft_dist *d, weft_status status);
/* Returns `status`, the result of a call of libweft on d->host. Copies its error message to d->error. */
weft_status dist_took_host(weft_dist *d, weft_status status);
/* Fails if p is memory that only a GPU can read. */
weft_status dist_check_host(weft_dist *d, const char *name, const void *p);
/* Returns the FNV-1a hash of `count` bytes, continued from `hash`. The first call passes DIST_HASH. */
#define DIST_HASH UINT64_C(0xcbf29ce484222325)
uint64_t dist_hash(uint64_t hash, const void *bytes, size_t count);

static inline uint64_t dist_first(const weft_dist *d) { return d->begin[d->rank]; }
static inline uint64_t dist_total(const weft_dist *d) { return d->begin[d->size]; }

/* ----------------------------------------------------------------------------- tiles */

/* Returns the whole aligned tiles that begin in the slice. Only the last tile of the array may be short. Elements
 * before these tiles belong to a tile of a lower rank. */
static inline extent dist_whole_tiles(const weft_dist *d, int rank, size_t tile) {
    const uint64_t begin = d->begin[rank], end = d->begin[rank + 1], up = round_up(begin, tile);
    const uint64_t first = up < end ? up : end, down = end == dist_total(d) ? end : end / tile * tile;
    return (extent){first, down > first ? down : first};
}

/* Returns the tile that begins in the slice of `rank` and ends in another slice, or an empty range. */
static inline extent dist_ragged_tile(const weft_dist *d, int rank, size_t tile) {
    const uint64_t start = dist_whole_tiles(d, rank, tile).end, end = d->begin[rank + 1], total = dist_total(d);
    if (start == end) return (extent){start, start};
    return (extent){start, total - start < tile ? total : start + tile};
}

/* ----------------------------------------------------------------------------- exchange */

/* Gathers `bytes` bytes from every rank. */
weft_status dist_gather(weft_dist *d, const void *own, void *all, size_t bytes, const char *doing);
/* Gathers d->counts[r] bytes from each rank r, stored consecutively in the order of the ranks. */
weft_status dist_gather_parts(weft_dist *d, const void *own, void *all, const char *doing);

/* Copies between any two kinds of memory. The copy is complete on return. */
weft_status dist_copy(weft_dist *d, size_t bytes, const void *from, void *to);
/* Provides buffer `number` with at least `bytes` bytes in memory of the context's device. Growing it discards its
 * contents. */
weft_status dist_workspace(weft_dist *d, size_t number, size_t bytes, char **at);

/* Provides at least `bytes` bytes of pinned host memory, valid until the next move. */
weft_status dist_host_workspace(weft_dist *d, size_t bytes, const char **at);

/* Moves data between the memory of the ranks' devices: dist_move at once, the other two in two steps. Between begin
 * and end, work on other memory may run and ranks may call dist_agree. A rank that has begun a move must end it,
 * even after a failure. */
weft_status dist_move(weft_dist *d, const void *from, void *to);
weft_status dist_begin_move(weft_dist *d, const void *from, void *to);
weft_status dist_end_move(weft_dist *d);

/* Returns the elements that `rank` needs. All ranks must compute the same result for a given rank. */
typedef extent wanted(const weft_dist *d, int rank, size_t size);

/* Sets d->in and d->out so that each rank receives the elements, of `size` bytes each, that `extent_of` returns for
 * it. */
void dist_wish(weft_dist *d, size_t size, wanted *extent_of);
/* Copies the elements that `extent_of` returns for this rank to `to`, in host memory. Intended for small amounts of
 * data. `from` is this rank's slice, in any memory. */
weft_status dist_fetch(weft_dist *d, size_t size, wanted *extent_of, const void *from, void *to);

/* ----------------------------------------------------------------------------- operations */

/* Reduces the array after all ranks have agreed on the arguments. x contains the n elements of this rank's slice. */
weft_status dist_reduce_agreed(weft_dist *d, weft_op op, weft_dtype dtype, weft_dtype accumulate, size_t n,
                               const void *x, void *out);

#endif
