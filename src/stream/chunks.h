/* Reads the elements of one or several sources chunk by chunk. A thread reads the next chunk while the caller works
 * on the current one. */
#ifndef WEFT_STREAM_CHUNKS_H
#define WEFT_STREAM_CHUNKS_H

#include "stream/transfer.h"

#include <pthread.h>

enum { CHUNKS_SOURCES = 64 }; /* maximum number of variables of a formula */

/* One source. Its thread fills the buffers in turn; the caller empties them. */
typedef struct reader {
    const weft_source *source;
    const char *name; /* name in error messages */
    bool viewed;      /* chunks are used in place: there are no buffers and no thread */
    char *next;       /* next chunk of a pinned array that a GPU copies directly, without a thread; else NULL */
    weft_fpmode mode; /* that of the caller, for the functions of the source */
    unsigned depth;   /* number of buffers */
    char *buffer[TRANSFER_INPUTS];
    size_t bytes[TRANSFER_INPUTS]; /* bytes in each buffer */
    size_t size, capacity;         /* bytes of an element, and of a buffer */
    size_t columns;                /* elements of a row */
    uint64_t left;                 /* maximum number of remaining bytes of the source */
    bool ended;                    /* no data follows that of the buffers */
    int fault;                     /* errno if the source failed, else 0 */
    unsigned filled, emptied;
    bool stopped, started;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    /* Used on a GPU only: */
    char *image[TRANSFER_INPUTS]; /* copy of each buffer in GPU memory */
    transfer copies[TRANSFER_INPUTS];
    unsigned sent; /* number of buffers whose copies have been started */
} reader;

/* If `columns` is not NULL, source i delivers rows of columns[i] elements; elements below then means rows. */
typedef struct chunks {
    weft_context *ctx;
    const size_t *columns;
    int count;
    size_t elements; /* elements of each chunk except the last */
    uint64_t first;  /* number of elements before the current chunk */
    size_t n;        /* elements of the current chunk; 0 after the last */
    const void *x[CHUNKS_SOURCES];
    reader readers[CHUNKS_SOURCES];
    transfer work[2]; /* work on this chunk and on the previous one, for a timeline */
    unsigned worked;
} chunks;

/* Sets *elements to the number of elements of a chunk: `unit` times the largest power of `factor` within two limits.
 * It is at most 2^22 (on a GPU 2^24). `bytes` bytes per element fit in the context's memory. */
weft_status chunks_elements(weft_context *ctx, size_t unit, size_t factor, size_t bytes, size_t *elements);

/* Begin and end a call with sources: they check the context and update its progress. chunks_leave restores the
 * caller's floating-point mode. */
weft_status chunks_enter(weft_context *ctx);
weft_status chunks_leave(weft_context *ctx, weft_fpmode mode, weft_status status);

/* Evaluates `call`, an expression, in weft's floating-point mode between chunks_enter and chunks_leave. Returns its
 * status. The functions of sources and sinks are called in the caller's mode. */
#define RETURN_STREAMED(ctx, call)                          \
    do {                                                    \
        RETURN_IF_ERROR(chunks_enter(ctx));                 \
        const weft_fpmode saved_mode = weft_fpmode_enter(); \
        return chunks_leave(ctx, saved_mode, (call));       \
    } while (0)

/* Check a source, or a sink, of a call. */
weft_status chunks_check(weft_context *ctx, const char *name, const weft_source *source);
weft_status chunks_check_sink(weft_context *ctx, const char *name, const weft_sink *sink);

/* Starts to read sources that have been checked. `names` must remain valid. The caller sets p->ctx and p->columns,
 * and must call chunks_close even after a failure. */
weft_status chunks_open(chunks *p, weft_context *ctx, int count, const weft_source *const *sources,
                        const char *const *names, size_t elements);
/* Advances to the next chunk: p->n elements of each source at p->x, in memory of the context's device. */
weft_status chunks_next(chunks *p);
void chunks_close(chunks *p);

/* Rewinds a source to its first element. Must be called between chunks_close and chunks_open. `why` completes the
 * error message. */
weft_status chunks_rewind(weft_context *ctx, const char *name, const weft_source *source, const char *why);

/* Returns a context for calls on small arrays in host memory: `ctx` itself, or for a GPU a context of the reference
 * backend, because a call on a GPU would take longer than the computation. Both return the same bits. */
weft_status chunks_combiner(weft_context *ctx, weft_context **combiner);

#endif
