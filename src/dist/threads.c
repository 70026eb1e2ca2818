/* Transport between ranks that are threads of one process, each with a weft_dist of its own. Data moves through
 * their shared memory. Every thread posts the address of its data and waits at a barrier. Each thread copies the
 * data that it needs. All threads wait at the barrier again before any data may change. */
#include "dist/dist.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 1024 };

typedef struct hall {
    pthread_barrier_t barrier;
    atomic_int members; /* number of members that have not been closed */
    struct {
        const void *bytes;
        const weft_dist *d;
    } posted[]; /* indexed by rank */
} hall;

static void meet(const weft_dist *d) { (void)pthread_barrier_wait(&((hall *)d->line_state)->barrier); }

static void post(const weft_dist *d, const void *bytes) {
    hall *const h = d->line_state;
    h->posted[d->rank].bytes = bytes;
    h->posted[d->rank].d = d;
    meet(d);
}

static const void *posted(const weft_dist *d, int rank) { return ((const hall *)d->line_state)->posted[rank].bytes; }

/* ---------------------------------------------------------------------------- transport */

static weft_status gather(weft_dist *d, const void *own, void *all, const int *counts, const int *offsets,
                          const char *doing) {
    (void)doing;
    post(d, own);
    for (int r = 0; r < d->size; r++)
        if (counts[r]) memcpy((char *)all + offsets[r], posted(d, r), (size_t)counts[r]);
    meet(d);
    return WEFT_OK;
}

static void add_ranks(const weft_dist *d, int ranks, uint64_t *sums, size_t n) {
    memset(sums, 0, n * sizeof *sums);
    for (int r = 0; r < ranks; r++)
        for (size_t i = 0; i < n; i++) sums[i] += ((const uint64_t *)posted(d, r))[i];
}

static weft_status add(weft_dist *d, const uint64_t *own, uint64_t *all, size_t n, const char *doing) {
    (void)doing;
    post(d, own);
    add_ranks(d, d->size, all, n);
    meet(d);
    return WEFT_OK;
}

static weft_status add_before(weft_dist *d, const uint64_t *own, uint64_t *before, size_t n, const char *doing) {
    (void)doing;
    post(d, own);
    add_ranks(d, d->rank, before, n);
    meet(d);
    return WEFT_OK;
}

static weft_status deal(weft_dist *d, const uint64_t *own, uint64_t *all, const char *doing) {
    (void)doing;
    post(d, own);
    for (int r = 0; r < d->size; r++) all[r] = ((const uint64_t *)posted(d, r))[d->rank];
    meet(d);
    return WEFT_OK;
}

/* Copies all data that this rank receives, before it returns. */
static weft_status begin_move(weft_dist *d, const void *from, void *to) {
    const hall *const h = d->line_state;
    post(d, from);
    for (int r = 0; r < d->size; r++) {
        const extent out = h->posted[r].d->out[d->rank];
        if (out.first < out.end)
            memcpy((char *)to + d->in[r].first, (const char *)posted(d, r) + out.first,
                   (size_t)(out.end - out.first));
    }
    return WEFT_OK;
}

static weft_status end_move(weft_dist *d) {
    meet(d);
    return WEFT_OK;
}

/* Decrements the number of members. The last member frees the hall. */
static void leave(hall *h) {
    if (atomic_fetch_sub(&h->members, 1) > 1) return;
    (void)pthread_barrier_destroy(&h->barrier);
    free(h);
}

static void close_line(weft_dist *d) { leave(d->line_state); }

/* ------------------------------------------------------------------------------ opening */

/* Opening is a collective call: every rank takes part, on a thread of its own. The threads wait for the lock of the
 * gate until all threads have been started. */
typedef struct gate {
    pthread_mutex_t lock;
    bool open;
} gate;

typedef struct opening {
    weft_dist *d;
    weft_context *ctx;
    gate *gate;
    pthread_t thread;
    weft_status status;
} opening;

static void *open_rank(void *p) {
    opening *const o = p;
    (void)pthread_mutex_lock(&o->gate->lock);
    const bool open = o->gate->open;
    (void)pthread_mutex_unlock(&o->gate->lock);
    if (open) o->status = dist_open(o->d, o->ctx);
    return NULL;
}

static weft_status open_ranks(opening *list, int count) {
    weft_error *error = dist_thread_error();
    gate g = {.open = false};
    int started = 0;
    (void)pthread_mutex_init(&g.lock, NULL);
    (void)pthread_mutex_lock(&g.lock);
    for (int r = 0; r < count; r++) list[r].gate = &g;
    while (started < count && pthread_create(&list[started].thread, NULL, open_rank, &list[started]) == 0) started++;
    g.open = started == count;
    (void)pthread_mutex_unlock(&g.lock);
    for (int r = 0; r < started; r++) (void)pthread_join(list[r].thread, NULL);
    (void)pthread_mutex_destroy(&g.lock);
    RETURN_IF(started < count, WEFT_OUT_OF_MEMORY, "cannot start a thread for rank %d of %d", started, count);
    if (list[0].status != WEFT_OK) *error = list[0].d->error;
    return list[0].status;
}

static weft_dist *make_rank(hall *h, int rank, int count) {
    weft_dist *const d = calloc(1, sizeof *d);
    if (!d) return NULL;
    d->rank = rank;
    d->size = count;
    d->line = (transport){gather, add, add_before, deal, begin_move, end_move, close_line};
    d->line_state = h;
    atomic_fetch_add(&h->members, 1);
    return d;
}

/* Creates and opens all ranks. The caller must hold one member of the hall, so that a failure does not free it
 * early. */
static weft_status make_and_open(weft_dist **d, weft_context *const *ctx, int count, hall *h, opening *list) {
    weft_error *error = dist_thread_error();
    weft_status status = WEFT_OK;
    for (int r = 0; r < count && status == WEFT_OK; r++) {
        d[r] = make_rank(h, r, count);
        list[r] = (opening){.d = d[r], .ctx = ctx[r]};
        if (!d[r])
            status = weft_fail(error, WEFT_OUT_OF_MEMORY, "cannot allocate memory for rank %d of %d", r, count);
    }
    if (status == WEFT_OK) status = open_ranks(list, count);
    for (int r = 0; r < count && status != WEFT_OK; r++) {
        weft_dist_close(d[r]);
        d[r] = NULL;
    }
    return status;
}

weft_status weft_dist_open_threads(weft_dist **d, weft_context *const *ctx, int count) {
    weft_error *error = dist_thread_error();
    RETURN_IF(!d, WEFT_INVALID, "d is NULL");
    RETURN_IF(count < 1 || count > THREADS_MAX, WEFT_INVALID, "invalid number of ranks %d: expected 1 to %d", count,
              THREADS_MAX);
    for (int r = 0; r < count; r++) d[r] = NULL;
    RETURN_IF(!ctx, WEFT_INVALID, "ctx is NULL");
    for (int r = 0; r < count; r++)
        for (int other = 0; other < r; other++)
            RETURN_IF(ctx[r] && ctx[r] == ctx[other], WEFT_INVALID,
                      "ranks %d and %d have the same context: each rank requires its own", other, r);
    hall *const h = calloc(1, sizeof *h + (size_t)count * sizeof h->posted[0]);
    opening *const list = calloc((size_t)count, sizeof *list);
    if (!h || !list || pthread_barrier_init(&h->barrier, NULL, (unsigned)count) != 0) {
        free(h);
        free(list);
        return weft_fail(error, WEFT_OUT_OF_MEMORY, "cannot allocate memory for %d ranks", count);
    }
    atomic_init(&h->members, 1);
    const weft_status status = make_and_open(d, ctx, count, h, list);
    leave(h);
    free(list);
    if (status == WEFT_OK) error->message[0] = '\0';
    return status;
}
