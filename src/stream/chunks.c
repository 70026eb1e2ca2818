/* The thread of a reader and the caller share a ring of buffers. `filled` counts the buffers filled by the thread,
 * `emptied` those released by the caller. The mutex protects all data that both access. On a GPU the caller starts
 * to copy each buffer as soon as it is filled, so that copying the next chunk overlaps with the work on this one.
 * The buffer is released to the thread when its copy is complete. */
#include "stream/chunks.h"

#include "core/copy.h"
#include "stream/channel.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>

/* Maximum number of elements of a chunk. A scan's chunks have a power of 16 of elements. A GPU uses larger chunks,
 * because it waits for the host once per chunk. */
enum { MOST_ELEMENTS = 1 << 22, MOST_ON_A_GPU = 1 << 24 };

/* -------------------------------------------------------------------------------- the sizes */

weft_status chunks_elements(weft_context *ctx, size_t unit, size_t factor, size_t bytes, size_t *elements) {
    weft_error *error = &ctx->error;
    const size_t memory = buffer_memory(ctx);
    RETURN_IF(memory / bytes < unit, WEFT_INVALID,
              "%zu bytes of memory for buffers are too few: this call requires at least %zu", memory, unit * bytes);
    const size_t most = transfer_needed(ctx) ? MOST_ON_A_GPU : MOST_ELEMENTS;
    *elements = unit;
    while (*elements * factor <= most && memory / bytes / factor >= *elements) *elements *= factor;
    return WEFT_OK;
}

/* ------------------------------------------------------------------------------- the checks */

weft_status chunks_enter(weft_context *ctx) {
    RETURN_IF_ERROR(context_enter(ctx));
    const weft_fpmode mode = context_enter_mode(ctx);
    return context_leave(ctx, mode, context_begin(ctx));
}

weft_status chunks_leave(weft_context *ctx, weft_fpmode mode, weft_status status) {
    status = context_end(ctx, status);
    weft_fpmode_leave(mode);
    return status;
}

weft_status chunks_check(weft_context *ctx, const char *name, const weft_source *source) {
    weft_error *error = &ctx->error;
    RETURN_IF(!source, WEFT_INVALID, "the source %s is NULL", name);
    const size_t size = weft_dtype_size(source->dtype);
    RETURN_IF(size == 0, WEFT_INVALID, "the source %s: invalid dtype %d", name, (int)source->dtype);
    RETURN_IF(!source->read, WEFT_INVALID, "the source %s: read is NULL", name);
    RETURN_IF(source->n != WEFT_TO_THE_END && source->n > INT64_MAX / size, WEFT_INVALID,
              "the source %s: %" PRIu64 " elements of %zu bytes exceed 2^63 - 1 bytes", name, source->n, size);
    return WEFT_OK;
}

weft_status chunks_check_sink(weft_context *ctx, const char *name, const weft_sink *sink) {
    weft_error *error = &ctx->error;
    RETURN_IF(!sink || !sink->write, WEFT_INVALID, "the sink %s or its write function is NULL", name);
    return WEFT_OK;
}

/* ------------------------------------------------------------------- a reader, on its thread */

/* Fills a buffer from the address that the source's view returns. Returns the number of bytes. */
static size_t fill_from_view(const reader *r, char *buffer, size_t wanted, int *fault) {
    const void *from = wanted ? r->source->view(r->source->self, wanted) : NULL;
    if (wanted && !from) *fault = errno ? errno : EIO;
    if (!from) return 0;
    weft_copy_on_threads(buffer, from, wanted);
    return wanted;
}

/* Returns true if chunks of the source can be read in place by its view. */
static bool is_viewed(const weft_source *source) { return source->view && source->n != WEFT_TO_THE_END; }

/* Fills a buffer, or a part of it up to the end of the source. Returns the number of bytes. */
static size_t fill(const reader *r, char *buffer, int *fault) {
    const size_t wanted = r->left < r->capacity ? (size_t)r->left : r->capacity;
    size_t got = 0;
    if (is_viewed(r->source)) return fill_from_view(r, buffer, wanted, fault);
    while (got < wanted) {
        const ptrdiff_t more = r->source->read(r->source->self, buffer + got, wanted - got);
        if (more < 0) *fault = errno ? errno : EIO;
        if (more <= 0) break;
        got += (size_t)more;
    }
    return got;
}

/* Fills the next buffer. The mutex must be locked; it is released while the source is read. */
static void fill_next(reader *r) {
    const unsigned slot = r->filled % r->depth;
    int fault = 0;
    pthread_mutex_unlock(&r->mutex);
    const size_t got = fill(r, r->buffer[slot], &fault);
    pthread_mutex_lock(&r->mutex);
    r->left -= got;
    r->bytes[slot] = got;
    r->ended = got < r->capacity;
    r->fault = fault;
    r->filled++;
    pthread_cond_broadcast(&r->changed);
}

static void *read_ahead(void *self) {
    reader *r = self;
    weft_fpmode_leave(r->mode);
    pthread_mutex_lock(&r->mutex);
    while (!r->ended && !r->stopped) {
        if (r->filled - r->emptied == r->depth)
            pthread_cond_wait(&r->changed, &r->mutex);
        else
            fill_next(r);
    }
    pthread_mutex_unlock(&r->mutex);
    return NULL;
}

/* Starts the thread with all signals blocked, so that signals are delivered to the caller's threads. A system without
 * threads reports ENOSYS; next_buffer fills the buffers there. */
static weft_status start(reader *r, weft_error *error) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int fault = pthread_create(&r->thread, NULL, read_ahead, r);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    RETURN_IF(fault && fault != ENOSYS, WEFT_OUT_OF_MEMORY, "cannot start a thread to read the source %s: %s",
              r->name, strerror(fault));
    r->started = !fault;
    return WEFT_OK;
}

/* Allocates the GPU's copies of the buffers. */
static weft_status open_images(reader *r, weft_context *ctx) {
    for (unsigned i = 0; i < r->depth; i++) {
        RETURN_IF_ERROR(buffer_take(ctx, WEFT_DEVICE, r->capacity, (void **)&r->image[i]));
        RETURN_IF_ERROR(transfer_open(ctx, &r->copies[i]));
    }
    return WEFT_OK;
}

/* Selects how elements are obtained: in place; copied by the GPU from a pinned array without buffers; or from
 * buffers that the thread fills. These are pinned, so that a GPU copies from them at full speed. */
static weft_status open_ways(reader *r, weft_context *ctx) {
    const weft_source *source = r->source;
    memory_kind kind = MEMORY_PAGEABLE;
    if (is_viewed(source) && channel_is_array(source)) {
        const weft_channel *c = source->self;
        RETURN_IF_ERROR(transfer_memory_kind(ctx, c->memory, r->left, &kind));
        if (kind == MEMORY_PINNED) r->next = (char *)(uintptr_t)c->memory + c->at;
    }
    r->viewed = is_viewed(source) && (!transfer_needed(ctx) || kind == MEMORY_DEVICE);
    if (r->viewed) return WEFT_OK;
    if (transfer_needed(ctx)) RETURN_IF_ERROR(open_images(r, ctx));
    if (r->next) return WEFT_OK;
    for (unsigned i = 0; i < r->depth; i++)
        RETURN_IF_ERROR(buffer_take(ctx, WEFT_PINNED, r->capacity, (void **)&r->buffer[i]));
    return start(r, &ctx->error);
}

static weft_status open_reader(reader *r, weft_context *ctx, const weft_source *source, const char *name, size_t rows,
                               size_t columns) {
    const size_t size = weft_dtype_size(source->dtype);
    *r = (reader){.source = source,
                  .name = name,
                  .size = size,
                  .columns = columns,
                  .capacity = rows * columns * size,
                  .mode = ctx->mode,
                  .depth = transfer_inputs(ctx)};
    r->left = source->n == WEFT_TO_THE_END ? UINT64_MAX : source->n * size;
    pthread_mutex_init(&r->mutex, NULL);
    pthread_cond_init(&r->changed, NULL);
    return open_ways(r, ctx);
}

static void close_reader(reader *r, weft_context *ctx) {
    pthread_mutex_lock(&r->mutex);
    r->stopped = true;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->mutex);
    if (r->started) pthread_join(r->thread, NULL);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->mutex);
    for (unsigned i = 0; i < r->depth; i++) {
        transfer_close(ctx, &r->copies[i]);
        buffer_leave(ctx, WEFT_DEVICE, r->capacity, r->image[i]);
        if (!r->next) buffer_leave(ctx, WEFT_PINNED, r->capacity, r->buffer[i]);
    }
}

/* ----------------------------------------------------------------------- a reader's chunks */

/* Checks that a source ended without an error, after a complete element, and after the specified number of
 * elements. */
static weft_status check_end(const reader *r, uint64_t before, size_t bytes, weft_error *error) {
    const uint64_t n = before + bytes / r->size;
    RETURN_IF(r->fault == ECANCELED, WEFT_IO, "the source %s was cancelled after %" PRIu64 " elements", r->name, n);
    RETURN_IF(r->fault, WEFT_IO, "cannot read the source %s: %s", r->name, strerror(r->fault));
    RETURN_IF(bytes % r->size, WEFT_IO, "the source %s ends within an element, after %" PRIu64 " complete elements",
              r->name, n);
    RETURN_IF(r->source->n != WEFT_TO_THE_END && n < r->source->n, WEFT_IO,
              "the source %s ends after %" PRIu64 " of %" PRIu64 " elements", r->name, n, r->source->n);
    return WEFT_OK;
}

/* Fills the ring with addresses in the array, if a source is an array without a thread. */
static void point_into_array(reader *r) {
    for (; r->next && r->left > 0 && r->filled - r->emptied < r->depth; r->filled++) {
        const unsigned slot = r->filled % r->depth;
        r->bytes[slot] = r->left < r->capacity ? (size_t)r->left : r->capacity;
        r->buffer[slot] = r->next;
        r->next += r->bytes[slot];
        r->left -= r->bytes[slot];
    }
    if (r->next) r->ended = r->left == 0;
}

/* Waits for the next filled buffer, which belongs to the caller until it is emptied. The thread sets `ended` with
 * the last buffer. It may be one buffer ahead. */
static weft_status next_buffer(reader *r, uint64_t before, const void **x, size_t *n, weft_error *error) {
    pthread_mutex_lock(&r->mutex);
    while (r->filled == r->emptied && !r->ended) {
        if (r->started)
            pthread_cond_wait(&r->changed, &r->mutex);
        else
            fill_next(r);
    }
    const bool there = r->filled != r->emptied;
    const bool last = r->ended && r->filled - r->emptied <= 1;
    const unsigned slot = r->emptied % r->depth;
    const size_t bytes = there ? r->bytes[slot] : 0;
    pthread_mutex_unlock(&r->mutex);
    *x = r->buffer[slot];
    *n = bytes / r->size;
    return last && there ? check_end(r, before, bytes, error) : WEFT_OK;
}

/* Returns the next chunk in place. */
static weft_status next_view(reader *r, uint64_t before, const void **x, size_t *n, weft_error *error) {
    const size_t bytes = r->left < r->capacity ? (size_t)r->left : r->capacity;
    *n = bytes / r->size;
    *x = NULL;
    if (bytes == 0) return WEFT_OK;
    weft_fpmode_leave(r->mode);
    *x = r->source->view(r->source->self, bytes);
    (void)weft_fpmode_enter();
    if (!*x) r->fault = errno ? errno : EIO;
    r->left -= bytes;
    return *x ? WEFT_OK : check_end(r, before, 0, error);
}

/* Starts the copies of all filled buffers. */
static weft_status send(reader *r, weft_context *ctx) {
    pthread_mutex_lock(&r->mutex);
    const unsigned filled = r->filled;
    pthread_mutex_unlock(&r->mutex);
    for (; r->sent != filled; r->sent++) {
        const unsigned slot = r->sent % r->depth;
        if (r->bytes[slot])
            RETURN_IF_ERROR(
                transfer_begin(ctx, &r->copies[slot], WEFT_COPY_IN, r->bytes[slot], r->buffer[slot], r->image[slot]));
    }
    return WEFT_OK;
}

/* Returns the next chunk in memory of the context's device. `before` is the number of elements before it, *n that of
 * the chunk. */
static weft_status next_chunk(reader *r, weft_context *ctx, uint64_t before, const void **x, size_t *n) {
    if (r->viewed) return next_view(r, before, x, n, &ctx->error);
    point_into_array(r);
    RETURN_IF_ERROR(next_buffer(r, before, x, n, &ctx->error));
    if (!transfer_needed(ctx)) return WEFT_OK;
    RETURN_IF_ERROR(send(r, ctx));
    const unsigned slot = r->emptied % r->depth;
    *x = r->image[slot];
    return *n ? transfer_join(ctx, &r->copies[slot]) : WEFT_OK;
}

/* Returns the next chunk of whole rows, of which `before` rows have been read. */
static weft_status next_rows(reader *r, weft_context *ctx, uint64_t before, const void **x, size_t *n) {
    weft_error *error = &ctx->error;
    size_t elements = 0;
    RETURN_IF_ERROR(next_chunk(r, ctx, before * r->columns, x, &elements));
    *n = elements / r->columns;
    RETURN_IF(elements % r->columns, WEFT_IO, "the source %s ends within a row, after %" PRIu64 " complete rows",
              r->name, before + *n);
    return WEFT_OK;
}

/* Releases a buffer after its copy is complete. */
static weft_status empty_buffer(reader *r, weft_context *ctx) {
    if (r->viewed) return WEFT_OK;
    if (transfer_needed(ctx)) RETURN_IF_ERROR(transfer_wait(ctx, &r->copies[r->emptied % r->depth]));
    pthread_mutex_lock(&r->mutex);
    r->emptied += r->filled != r->emptied;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->mutex);
    return WEFT_OK;
}

/* -------------------------------------------------------------------------- several sources */

weft_status chunks_open(chunks *p, weft_context *ctx, int count, const weft_source *const *sources,
                        const char *const *names, size_t elements) {
    p->ctx = ctx;
    p->count = 0;
    p->elements = elements;
    p->first = 0;
    p->n = 0;
    p->worked = 0;
    if (sources[0]->n != WEFT_TO_THE_END) progress_plan(&ctx->watch, sources[0]->n);
    for (int i = 0; ctx->timeline && i < 2; i++) RETURN_IF_ERROR(transfer_open(ctx, &p->work[i]));
    for (int i = 0; i < count; i++) {
        p->count = i + 1;
        RETURN_IF_ERROR(
            open_reader(&p->readers[i], ctx, sources[i], names[i], elements, p->columns ? p->columns[i] : 1));
    }
    return WEFT_OK;
}

/* Marks in the timeline the start of the work on a chunk, and the end of the work on the previous one. */
static weft_status begin_work(chunks *p) {
    transfer *const work = &p->work[p->worked % 2];
    if (!work->state) return WEFT_OK;
    RETURN_IF_ERROR(transfer_wait(p->ctx, work));
    p->worked++;
    return transfer_begin(p->ctx, work, WEFT_WORK, 0, NULL, NULL);
}

static weft_status end_work(chunks *p) {
    transfer *const work = &p->work[(p->worked + 1) % 2];
    return p->worked && work->state ? transfer_join(p->ctx, work) : WEFT_OK;
}

static weft_status leave_chunk(chunks *p) {
    RETURN_IF_ERROR(end_work(p));
    for (int i = 0; i < p->count; i++) RETURN_IF_ERROR(empty_buffer(&p->readers[i], p->ctx));
    progress_advance(&p->ctx->watch, p->n);
    p->first += p->n;
    p->n = 0;
    return WEFT_OK;
}

weft_status chunks_next(chunks *p) {
    weft_error *error = &p->ctx->error;
    if (p->n) RETURN_IF_ERROR(leave_chunk(p));
    if (progress_poll(&p->ctx->watch)) return progress_refuse(error);
    for (int i = 0; i < p->count; i++) {
        size_t n;
        reader *r = &p->readers[i];
        RETURN_IF_ERROR(next_rows(r, p->ctx, p->first, &p->x[i], &n));
        if (i == 0) p->n = n;
        const uint64_t less = p->first + (n < p->n ? n : p->n);
        RETURN_IF(n != p->n, WEFT_INVALID, "%s has %" PRIu64 " %s and %s has more: both must have the same length",
                  n < p->n ? r->name : p->readers[0].name, less, p->columns ? "rows" : "elements",
                  n < p->n ? p->readers[0].name : r->name);
    }
    return p->n ? begin_work(p) : WEFT_OK;
}

/* Completes the timeline if all chunks were processed. After a failure, unfinished work has no end time and is
 * omitted. */
void chunks_close(chunks *p) {
    const weft_error kept = p->ctx->error;
    for (int i = 0; i < 2; i++) {
        if (p->n == 0 && p->work[i].state) (void)transfer_wait(p->ctx, &p->work[i]);
        transfer_close(p->ctx, &p->work[i]);
    }
    for (int i = 0; i < p->count; i++) close_reader(&p->readers[i], p->ctx);
    p->count = 0;
    p->ctx->error = kept;
}

weft_status chunks_combiner(weft_context *ctx, weft_context **combiner) {
    weft_error *error = &ctx->error;
    *combiner = ctx;
    if (!transfer_needed(ctx)) return WEFT_OK;
    if (!ctx->combiner)
        RETURN_IF(weft_open(&ctx->combiner, "ref") != WEFT_OK, WEFT_OUT_OF_MEMORY, "%s", weft_last_error(NULL));
    *combiner = ctx->combiner;
    return WEFT_OK;
}

weft_status chunks_rewind(weft_context *ctx, const char *name, const weft_source *source, const char *why) {
    weft_error *error = &ctx->error;
    RETURN_IF(!source->rewind, WEFT_INVALID, "the source %s cannot be rewound, but %s", name, why);
    weft_fpmode_leave(ctx->mode);
    const int fault = source->rewind(source->self);
    (void)weft_fpmode_enter();
    RETURN_IF(fault, WEFT_IO, "cannot rewind the source %s: %s", name, strerror(errno));
    return WEFT_OK;
}
