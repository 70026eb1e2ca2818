/* What the files of libweft_dist share. A call begins with dist_begin, where all ranks learn what all were asked for,
 * and a step that can fail on one rank alone ends with dist_agree: so ranks go on together or return together.
 *
 * Ranks are processes of MPI (mpi.c) or threads of one process (threads.c). What is small goes from host memory to
 * host memory; blocks go from one GPU's memory to another's by NCCL (nccl.c) where every rank has a GPU of its own.
 */
#ifndef WEFT_DIST_DIST_H
#define WEFT_DIST_DIST_H

#include "core/error.h"
#include "core/order.h"
#include "weft_dist.h"

#include <stdbool.h>

enum {
    AGREED_MAX = 8, /* arguments of a call that all ranks must agree on */
    NAME_BYTES = 24,
    ROOTS_MAX = 128, /* roots of a slice: a rising and a falling staircase of subtrees, and a ragged tile */
    ROOT_VALUES = 5, /* values of a root: sums of a simulation are so many */
    ROOMS = 5,
    TILE_BYTES_MAX = WEFT_TILE(8) * 8
};

_Static_assert(TILE_BYTES_MAX >= WEFT_TILE(4) * 4, "a tile of any type");

/* What every rank tells the others at the start of a call. */
typedef struct record {
    char name[NAME_BYTES]; /* of the call */
    uint64_t values[AGREED_MAX];
    uint64_t count, offset, total, status;
} record;

/* Elements [first, end) of the whole array, or bytes. */
typedef struct extent {
    uint64_t first, end;
} extent;

/* How ranks tell each other, from host memory to host memory. `doing` ends the sentence about a failure. */
typedef struct transport {
    /* Rank r gives counts[r] bytes, which all ranks find at places[r] of `all`. */
    weft_status (*gather)(weft_dist *d, const void *own, void *all, const int *counts, const int *places,
                          const char *doing);
    /* all[i] is the sum of all ranks' own[i]; of those of the ranks before this one, 0 on rank 0. */
    weft_status (*add)(weft_dist *d, const uint64_t *own, uint64_t *all, size_t n, const char *doing);
    weft_status (*add_before)(weft_dist *d, const uint64_t *own, uint64_t *before, size_t n, const char *doing);
    /* all[r] is the number that rank r has for this one. */
    weft_status (*deal)(weft_dist *d, const uint64_t *own, uint64_t *all, const char *doing);
    /* Bytes d->out[r] of `from` go to rank r, and what it sends comes to bytes d->in[r] of `to`. Begun, it may go on
     * beside other work, and other calls of the transport, until it is ended; from, d->out and d->in stay as they
     * are. */
    weft_status (*begin_move)(weft_dist *d, const void *from, void *to);
    weft_status (*end_move)(weft_dist *d);
    void (*close)(weft_dist *d); /* NULL while it is not open */
} transport;

/* Memory of the context's device, or pinned memory, that grows and stays. */
typedef struct room {
    char *at;
    size_t bytes;
} room;

struct weft_dist {
    weft_context *ctx;
    weft_context *host; /* where a few values are joined: ctx itself, or a CPU's where that is a GPU's */
    transport line;
    void *line_state;      /* of the transport */
    struct blocks *blocks; /* NCCL's; NULL: blocks go through host memory */
    char *moving;          /* where what is staged goes at the end of the move that has begun */
    int rank, size;
    bool broken, gpus;            /* gpus: some rank's context is not of a CPU */
    record *records;              /* of all ranks */
    uint64_t *begin;              /* of the call's slices: rank r has elements begin[r] to begin[r + 1] - 1 */
    extent *in, *out;             /* bytes that come from each rank, and that go to it */
    const void *call;             /* what a `wanted` has to know of the call that runs */
    int *statuses;                /* of all ranks */
    int *counts, *places;         /* of what each rank gives to a gather */
    uint64_t *roots;              /* what they gave: ROOTS_MAX * ROOT_VALUES for each rank */
    room rooms[ROOMS], near, far; /* near, far: host memory for what leaves a GPU and what comes to it */
    char ragged[2][TILE_BYTES_MAX];
    weft_error error;
};

/* Opens `d`, whose rank, size and transport are set, on a context, which may be NULL and is then refused on all ranks
 * (open.c). What of it is open is closed by dist_release. */
weft_status dist_open(weft_dist *d, weft_context *ctx);
void dist_release(weft_dist *d);
/* For failures without a weft_dist: this thread's. */
weft_error *dist_thread_error(void);

/* ----------------------------------------------------------------------------- agreeing */

/* How the value of an argument is told. */
typedef enum agreed_kind { AS_NUMBER, AS_OPERATOR, AS_TYPE, AS_BITS } agreed_kind;

typedef struct agreed {
    const char *name;
    agreed_kind kind;
    uint64_t value;
} agreed;

/* All ranks learn the call's name, arguments, slices and `status`, that of this rank's own checks, whose sentence is
 * in d->error. WEFT_OK on all, with d->begin set; or one status and sentence on all. */
weft_status dist_begin(weft_dist *d, const char *name, const agreed *list, size_t count, weft_slice slice,
                       weft_status status);
/* WEFT_OK when it is WEFT_OK on all ranks; else the status of the first rank where it is not, and its sentence. */
weft_status dist_agree(weft_dist *d, weft_status status);

/* dist_agree once this rank's device has done its work. */
weft_status dist_finish(weft_dist *d, weft_status status);

/* Whether n elements of `size` bytes can lie at p. */
weft_status dist_check_array(weft_dist *d, const char *name, const void *p, size_t n, size_t size);
/* Whether two arrays share no byte. */
weft_status dist_check_apart(weft_dist *d, const char *a_name, const void *a, size_t a_bytes, const char *b_name,
                             const void *b, size_t b_bytes);
/* What a call of libweft returned, its sentence taken over. */
weft_status dist_took(weft_dist *d, weft_status status);
/* The same of a call on d->host. */
weft_status dist_took_host(weft_dist *d, weft_status status);
/* Whether an array can be read here and not by a GPU alone. */
weft_status dist_check_host(weft_dist *d, const char *name, const void *p);
/* The hash FNV-1a of bytes, going on from `hash`; starts from DIST_HASH. */
#define DIST_HASH UINT64_C(0xcbf29ce484222325)
uint64_t dist_hash(uint64_t hash, const void *bytes, size_t count);

static inline uint64_t dist_first(const weft_dist *d) { return d->begin[d->rank]; }
static inline uint64_t dist_total(const weft_dist *d) { return d->begin[d->size]; }

/* ----------------------------------------------------------------------------- tiles */

/* The whole aligned tiles of a slice, which are short only where the array ends: what is before them belongs to ranks
 * before. */
static inline extent dist_whole_tiles(const weft_dist *d, int rank, size_t tile) {
    const uint64_t begin = d->begin[rank], end = d->begin[rank + 1], up = (begin + tile - 1) / tile * tile;
    const uint64_t first = up < end ? up : end, down = end == dist_total(d) ? end : end / tile * tile;
    return (extent){first, down > first ? down : first};
}

/* The tile that begins in a slice and ends in another. */
static inline extent dist_ragged_tile(const weft_dist *d, int rank, size_t tile) {
    const uint64_t start = dist_whole_tiles(d, rank, tile).end, end = d->begin[rank + 1], total = dist_total(d);
    if (start == end) return (extent){start, start};
    return (extent){start, total - start < tile ? total : start + tile};
}

/* ----------------------------------------------------------------------------- exchange */

/* Every rank gives as many bytes. */
weft_status dist_gather(weft_dist *d, const void *own, void *all, size_t bytes, const char *doing);
/* Rank r gives d->counts[r] bytes; they come one behind another. */
weft_status dist_gather_parts(weft_dist *d, const void *own, void *all, const char *doing);

/* Any memory to any other, complete on return. */
weft_status dist_copy(weft_dist *d, size_t bytes, const void *from, void *to);
/* Room for `bytes` in memory of the context's device. What it held is lost when it grows. */
weft_status dist_room(weft_dist *d, size_t number, size_t bytes, char **at);

/* Host memory, until the next move. */
weft_status dist_host_room(weft_dist *d, size_t bytes, const char **at);

/* The transport's move between memory of the ranks' devices, at once, or begun and ended: between the two, work on
 * other memory goes on beside it, and ranks may agree. A rank that has begun one ends it, whatever happens. */
weft_status dist_move(weft_dist *d, const void *from, void *to);
weft_status dist_begin_move(weft_dist *d, const void *from, void *to);
weft_status dist_end_move(weft_dist *d);

/* What a rank wants, as every rank can tell. */
typedef extent wanted(const weft_dist *d, int rank, size_t size);

/* Sets d->in and d->out so that this rank gets the elements of `size` bytes that it wants, out of all ranks' slices.
 */
void dist_wish(weft_dist *d, size_t size, wanted *wants);
/* Brings them to `to`, in host memory. Meant for a few elements; `from` is this rank's slice, anywhere. */
weft_status dist_fetch(weft_dist *d, size_t size, wanted *wants, const void *from, void *to);

/* ----------------------------------------------------------------------------- operations */

/* A reduction once its arguments have been agreed on; n of the slice are at x. */
weft_status dist_reduce_agreed(weft_dist *d, weft_op op, weft_dtype dtype, weft_dtype accumulate, size_t n,
                               const void *x, void *out);

#endif
