/* What the files of libweft_dist share. A call begins with dist_begin, where all ranks learn what all were asked for,
 * and a step that can fail on one rank alone ends with dist_agree: so ranks go on together or return together. */
#ifndef WEFT_DIST_DIST_H
#define WEFT_DIST_DIST_H

#include <mpi.h>

#include "core/error.h"
#include "core/order.h"
#include "weft_dist.h"

#include <stdbool.h>

enum {
    AGREED_MAX = 8, /* arguments of a call that all ranks must agree on */
    NAME_BYTES = 24,
    ROOTS_MAX = 128, /* roots of a slice: a rising and a falling staircase of subtrees, and a ragged tile */
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

struct weft_dist {
    weft_context *ctx;
    MPI_Comm comm;
    int rank, size;
    bool ends_mpi, broken;
    record *records;       /* of all ranks */
    uint64_t *begin;       /* of the call's slices: rank r has elements begin[r] to begin[r + 1] - 1 */
    MPI_Request *requests; /* two for each rank */
    MPI_Status *statuses;  /* of these */
    extent *in, *out;      /* bytes that come from each rank, and that go to it */
    size_t halo;           /* planes that laplace brings on either side */
    int *counts, *places;  /* of what each rank gives to an allgather */
    uint64_t *roots;       /* what they gave: ROOTS_MAX for each rank */
    char ragged[2][TILE_BYTES_MAX];
    weft_error error;
};

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

/* Whether n elements of `size` bytes can lie at p. */
weft_status dist_check_array(weft_dist *d, const char *name, const void *p, size_t n, size_t size);
/* Whether two arrays share no byte. */
weft_status dist_check_apart(weft_dist *d, const char *a_name, const void *a, size_t a_bytes, const char *b_name,
                             const void *b, size_t b_bytes);
/* What a call of libweft returned, its sentence taken over. */
weft_status dist_took(weft_dist *d, weft_status status);
/* The hash FNV-1a of bytes, going on from `hash`; starts from DIST_HASH. */
#define DIST_HASH UINT64_C(0xcbf29ce484222325)
uint64_t dist_hash(uint64_t hash, const void *bytes, size_t count);

static inline uint64_t dist_first(const weft_dist *d) { return d->begin[d->rank]; }
static inline uint64_t dist_total(const weft_dist *d) { return d->begin[d->size]; }

/* What MPI returned: WEFT_OK, or the weft_dist is dead. */
weft_status dist_mpi(weft_dist *d, int code, const char *doing);

/* ----------------------------------------------------------------------------- exchange */

/* Moves bytes d->out[r] of `from` to each rank r, and what rank r sends to bytes d->in[r] of `to`. */
weft_status dist_move(weft_dist *d, const void *from, void *to);

/* What a rank wants, as every rank can tell. */
typedef extent wanted(const weft_dist *d, int rank, size_t size);

/* Brings the elements of `size` bytes that this rank wants to `to`, out of all ranks' slices; `from` is its own. */
weft_status dist_fetch(weft_dist *d, size_t size, wanted *wants, const void *from, void *to);

/* A reduction once its arguments have been agreed on; n of the slice are at x. */
weft_status dist_reduce_agreed(weft_dist *d, weft_op op, weft_dtype dtype, weft_dtype accumulate, size_t n,
                               const void *x, void *out);

#endif
