/* A reader's thread and the caller share two buffers: `filled` counts those that the thread has filled, `emptied`
 * those that the caller is done with, and all that both look at is under the mutex. */
#include "stream/pieces.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>

enum { DEFAULT_MEMORY = 1 << 26, MOST_ELEMENTS = 1 << 22 };

/* -------------------------------------------------------------------------------- the sizes */

weft_status pieces_elements(weft_context *ctx, size_t unit, size_t factor, size_t bytes, size_t *elements) {
    weft_error *error = &ctx->error;
    const size_t memory = ctx->memory ? ctx->memory : DEFAULT_MEMORY;
    RETURN_IF(memory / bytes < unit, WEFT_INVALID, "%zu bytes of memory for buffers; this call needs %zu at least",
              memory, unit * bytes);
    *elements = unit;
    while (*elements * factor <= MOST_ELEMENTS && memory / bytes / factor >= *elements) *elements *= factor;
    return WEFT_OK;
}

/* ------------------------------------------------------------------------------- the checks */

weft_status pieces_check_context(weft_context *ctx) {
    FORWARD(context_enter(ctx));
    return context_leave(ctx, weft_fpmode_enter(), WEFT_OK);
}

weft_status pieces_check(weft_context *ctx, const char *name, const weft_source *source) {
    weft_error *error = &ctx->error;
    RETURN_IF(!source, WEFT_INVALID, "the source %s is NULL", name);
    const size_t size = weft_dtype_size(source->dtype);
    RETURN_IF(size == 0, WEFT_INVALID, "the source %s: %d is no element type", name, (int)source->dtype);
    RETURN_IF(!source->read, WEFT_INVALID, "the source %s has no function that reads", name);
    RETURN_IF(source->n != WEFT_TO_THE_END && source->n > INT64_MAX / size, WEFT_INVALID,
              "the source %s: %" PRIu64 " elements of %zu bytes are too many", name, source->n, size);
    return WEFT_OK;
}

weft_status pieces_check_sink(weft_context *ctx, const char *name, const weft_sink *sink) {
    weft_error *error = &ctx->error;
    RETURN_IF(!sink || !sink->write, WEFT_INVALID, "the sink %s is NULL, or has no function that writes", name);
    return WEFT_OK;
}

/* ------------------------------------------------------------------- a reader, on its thread */

/* Fills a buffer as far as the source goes, which is `left` bytes at most. Returns what it got. */
static size_t fill(const reader *r, char *buffer, uint64_t left, int *fault) {
    const size_t wanted = left < r->room ? (size_t)left : r->room;
    size_t got = 0;
    while (got < wanted) {
        const ptrdiff_t more = r->source->read(r->source->self, buffer + got, wanted - got);
        if (more < 0) *fault = errno ? errno : EIO;
        if (more <= 0) break;
        got += (size_t)more;
    }
    return got;
}

static void *read_ahead(void *self) {
    reader *r = self;
    uint64_t left = r->left;
    pthread_mutex_lock(&r->mutex);
    while (!r->ended && !r->stopped) {
        if (r->filled - r->emptied == 2) {
            pthread_cond_wait(&r->changed, &r->mutex);
            continue;
        }
        const unsigned slot = r->filled % 2;
        int fault = 0;
        pthread_mutex_unlock(&r->mutex);
        const size_t got = fill(r, r->buffer[slot], left, &fault);
        left -= got;
        pthread_mutex_lock(&r->mutex);
        r->bytes[slot] = got;
        r->ended = got < r->room;
        r->fault = fault;
        r->filled++;
        pthread_cond_broadcast(&r->changed);
    }
    pthread_mutex_unlock(&r->mutex);
    return NULL;
}

/* Signals are for the caller's threads. */
static weft_status start(reader *r, weft_error *error) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int fault = pthread_create(&r->thread, NULL, read_ahead, r);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    RETURN_IF(fault, WEFT_OUT_OF_MEMORY, "no thread to read the source %s: %s", r->name, strerror(fault));
    r->started = true;
    return WEFT_OK;
}

/* Whether pieces lie in memory already. */
static bool is_viewed(const weft_source *source) { return source->view && source->n != WEFT_TO_THE_END; }

/* Buffers are memory that a GPU copies from at full speed. */
static weft_status open_reader(reader *r, weft_context *ctx, const weft_source *source, const char *name,
                               size_t elements) {
    const size_t size = weft_dtype_size(source->dtype), room = elements * size;
    *r = (reader){.source = source, .name = name, .size = size, .room = room};
    r->left = source->n == WEFT_TO_THE_END ? UINT64_MAX : source->n * size;
    pthread_mutex_init(&r->mutex, NULL);
    pthread_cond_init(&r->changed, NULL);
    if (is_viewed(source)) return WEFT_OK;
    for (int i = 0; i < 2; i++) FORWARD(weft_alloc(ctx, WEFT_PINNED, room, (void **)&r->buffer[i]));
    return start(r, &ctx->error);
}

static void close_reader(reader *r, weft_context *ctx) {
    pthread_mutex_lock(&r->mutex);
    r->stopped = true;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->mutex);
    if (r->started) pthread_join(r->thread, NULL);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->mutex);
    for (int i = 0; i < 2; i++) pieces_free(ctx, r->buffer[i]);
}

/* ----------------------------------------------------------------------- a reader's pieces */

/* A source ends with its last element, and where it said. */
static weft_status check_end(const reader *r, uint64_t before, size_t bytes, weft_error *error) {
    const uint64_t n = before + bytes / r->size;
    RETURN_IF(r->fault == ECANCELED, WEFT_IO, "the source %s was cancelled after %" PRIu64 " elements", r->name, n);
    RETURN_IF(r->fault, WEFT_IO, "the source %s cannot be read: %s", r->name, strerror(r->fault));
    RETURN_IF(bytes % r->size, WEFT_IO, "the source %s ends within an element, after %" PRIu64 " whole ones", r->name,
              n);
    RETURN_IF(r->source->n != WEFT_TO_THE_END && n < r->source->n, WEFT_IO,
              "the source %s ends after %" PRIu64 " of %" PRIu64 " elements", r->name, n, r->source->n);
    return WEFT_OK;
}

/* Waits for the next buffer, which is the caller's until it is emptied. The thread sets `ended` with the last buffer,
 * and may be one ahead. */
static weft_status next_buffer(reader *r, uint64_t before, const void **x, size_t *n, weft_error *error) {
    pthread_mutex_lock(&r->mutex);
    while (r->filled == r->emptied && !r->ended) pthread_cond_wait(&r->changed, &r->mutex);
    const bool there = r->filled != r->emptied;
    const bool last = r->ended && r->filled - r->emptied <= 1;
    const unsigned slot = r->emptied % 2;
    const size_t bytes = there ? r->bytes[slot] : 0;
    pthread_mutex_unlock(&r->mutex);
    *x = r->buffer[slot];
    *n = bytes / r->size;
    return last && there ? check_end(r, before, bytes, error) : WEFT_OK;
}

/* The next piece where it lies. */
static weft_status next_view(reader *r, uint64_t before, const void **x, size_t *n, weft_error *error) {
    const size_t bytes = r->left < r->room ? (size_t)r->left : r->room;
    *n = bytes / r->size;
    *x = NULL;
    if (bytes == 0) return WEFT_OK;
    *x = r->source->view(r->source->self, bytes);
    if (!*x) r->fault = errno ? errno : EIO;
    r->left -= bytes;
    return *x ? WEFT_OK : check_end(r, before, 0, error);
}

static void empty_buffer(reader *r) {
    pthread_mutex_lock(&r->mutex);
    r->emptied += r->filled != r->emptied;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->mutex);
}

/* -------------------------------------------------------------------------- several sources */

weft_status pieces_open(pieces *p, weft_context *ctx, int count, const weft_source *const *sources,
                        const char *const *names, size_t elements) {
    p->ctx = ctx;
    p->count = 0;
    p->elements = elements;
    p->first = 0;
    p->n = 0;
    for (int i = 0; i < count; i++) {
        p->count = i + 1;
        FORWARD(open_reader(&p->readers[i], ctx, sources[i], names[i], elements));
    }
    return WEFT_OK;
}

weft_status pieces_next(pieces *p) {
    weft_error *error = &p->ctx->error;
    if (p->n)
        for (int i = 0; i < p->count; i++) empty_buffer(&p->readers[i]);
    p->first += p->n;
    for (int i = 0; i < p->count; i++) {
        const reader *r = &p->readers[i];
        size_t n = 0;
        FORWARD((is_viewed(r->source) ? next_view : next_buffer)(&p->readers[i], p->first, &p->x[i], &n, error));
        if (i == 0) p->n = n;
        const uint64_t less = p->first + (n < p->n ? n : p->n);
        RETURN_IF(n != p->n, WEFT_INVALID, "%s has %" PRIu64 " elements and %s has more; they must be of one length",
                  n < p->n ? r->name : p->readers[0].name, less, n < p->n ? p->readers[0].name : r->name);
    }
    return WEFT_OK;
}

void pieces_free(weft_context *ctx, void *buffer) {
    const weft_error kept = ctx->error;
    (void)weft_free(ctx, WEFT_PINNED, buffer);
    ctx->error = kept;
}

void pieces_close(pieces *p) {
    for (int i = 0; i < p->count; i++) close_reader(&p->readers[i], p->ctx);
    p->count = 0;
}

weft_status pieces_rewind(weft_context *ctx, const char *name, const weft_source *source, const char *why) {
    weft_error *error = &ctx->error;
    RETURN_IF(!source->rewind, WEFT_INVALID, "the source %s cannot be rewound, and %s", name, why);
    RETURN_IF(source->rewind(source->self) != 0, WEFT_IO, "the source %s cannot be rewound: %s", name,
              strerror(errno));
    return WEFT_OK;
}

weft_status pieces_write(weft_context *ctx, const weft_sink *sink, weft_dtype dtype, const void *from, size_t n) {
    weft_error *error = &ctx->error;
    RETURN_IF(sink->write(sink->self, from, n * weft_dtype_size(dtype)) != 0, WEFT_IO,
              "the result cannot be written: %s", strerror(errno));
    return WEFT_OK;
}
