/* The elements of one source, or of several side by side, piece by piece: a thread reads the next piece while the
 * caller works on the one before. */
#ifndef WEFT_STREAM_PIECES_H
#define WEFT_STREAM_PIECES_H

#include "stream/transfer.h"

#include <pthread.h>

enum { PIECES_SOURCES = 64 }; /* names of a formula, at most */

/* One source. Its thread fills the buffers in turn; the caller empties them. */
typedef struct reader {
    const weft_source *source;
    const char *name; /* in messages */
    bool viewed;      /* pieces are used where they lie: there are no buffers, and no thread */
    char *next; /* of an array that a GPU copies by itself: what follows, and then there is no thread; else NULL */
    unsigned depth; /* how many buffers there are */
    char *buffer[TRANSFER_INPUTS];
    size_t bytes[TRANSFER_INPUTS]; /* that are in each */
    size_t size, room;             /* bytes of an element and of a buffer */
    uint64_t left;                 /* bytes of the source, at most */
    bool ended;                    /* nothing follows what is in the buffers */
    int fault;                     /* errno where the source failed, else 0 */
    unsigned filled, emptied;
    bool stopped, started;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    /* On a GPU: */
    char *image[TRANSFER_INPUTS]; /* of each buffer */
    transfer copies[TRANSFER_INPUTS];
    unsigned sent; /* buffers whose copies have begun */
} reader;

typedef struct pieces {
    weft_context *ctx;
    int count;
    size_t elements; /* of each piece but the last */
    uint64_t first;  /* elements before the piece at hand */
    size_t n;        /* of the piece at hand; 0 behind the last */
    const void *x[PIECES_SOURCES];
    reader readers[PIECES_SOURCES];
    transfer work[2]; /* on this piece and on the one before, for a timeline */
    unsigned worked;
} pieces;

/* How many elements a piece has: `unit` times the largest power of `factor` that gives at most 2^22 (on a GPU
 * 2^24) and for which `bytes` for each of them are no more than the context's memory. */
weft_status pieces_elements(weft_context *ctx, size_t unit, size_t factor, size_t bytes, size_t *elements);

/* The first and the last thing of a call with sources: checks of its context, and its progress. */
weft_status pieces_enter(weft_context *ctx);
weft_status pieces_leave(weft_context *ctx, weft_status status);

/* Runs `call`, an expression, between the two, and returns its status. */
#define STREAMED(ctx, call)               \
    do {                                  \
        FORWARD(pieces_enter(ctx));       \
        return pieces_leave(ctx, (call)); \
    } while (0)

/* What must hold of each of a call's sources. */
weft_status pieces_check(weft_context *ctx, const char *name, const weft_source *source);
weft_status pieces_check_sink(weft_context *ctx, const char *name, const weft_sink *sink);

/* Begins with sources that have been checked; their names must last. pieces_close is due in any case. */
weft_status pieces_open(pieces *p, weft_context *ctx, int count, const weft_source *const *sources,
                        const char *const *names, size_t elements);
/* On to the next piece: p->n elements of each source at p->x, which is memory of the context's device. */
weft_status pieces_next(pieces *p);
void pieces_close(pieces *p);

/* Back to the first element. Between pieces_close and pieces_open. */
weft_status pieces_rewind(weft_context *ctx, const char *name, const weft_source *source, const char *why);

/* A context for calls on a few values in host memory: the same one; or, since a GPU takes longer to be asked than
 * such a call lasts, one of the specification, which gives the same bits. */
weft_status pieces_joins(weft_context *ctx, weft_context **joins);

#endif
