/* Progress and cancellation of one call (weft_set_progress). The calling thread calls progress_poll between chunks
 * of work; the callback runs only there. Header only, so that a plugin needs no symbol of the library. */
#ifndef WEFT_CORE_WATCH_H
#define WEFT_CORE_WATCH_H

#include "core/error.h"

#include <stdbool.h>
#include <time.h>

typedef struct weft_watch {
    weft_progress *callback; /* or NULL */
    void *user;
    uint64_t done, total; /* units of work of the outermost call; total is 0 while unknown */
    int64_t last;         /* time of the last call of the callback, in nanoseconds of a monotonic clock */
    int depth;            /* nesting depth of calls on this thread: a call with sources makes further calls */
    bool called;          /* the callback was called during the outermost call */
    bool in_regions;      /* `done` counts regions of the backend "cpu" */
    int cancelled;        /* set once by the calling thread, read by all threads of the call */
} weft_watch;

enum { PROGRESS_INTERVAL = 50 * 1000 * 1000 }; /* minimum time between two calls of the callback, in nanoseconds */

static inline bool progress_cancelled(const weft_watch *w) {
    return __atomic_load_n(&w->cancelled, __ATOMIC_RELAXED);
}

/* Not inlined, so that calls without a callback need no memory for the time. */
static __attribute__((noinline, unused)) int64_t progress_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline void progress_call(weft_watch *w, int64_t now) {
    w->last = now;
    w->called = true;
    if (w->callback(w->user, w->done, w->total) != 0) __atomic_store_n(&w->cancelled, 1, __ATOMIC_RELAXED);
}

static inline bool progress_is_due(const weft_watch *w) {
    return w->callback && progress_clock() - w->last >= PROGRESS_INTERVAL;
}

/* Calls the callback if it is due. Returns true if the call is cancelled. Must run on the calling thread. */
static inline bool progress_poll(weft_watch *w) {
    if (!w->callback || progress_cancelled(w)) return progress_cancelled(w);
    const int64_t now = progress_clock();
    if (now - w->last >= PROGRESS_INTERVAL) progress_call(w, now);
    return progress_cancelled(w);
}

static inline weft_status progress_refuse(weft_error *error) {
    return weft_fail(error, WEFT_CANCELLED, "the progress callback cancelled the call");
}

/* Returns the watch of the innermost call on this thread, or NULL (call.c). */
weft_watch *context_watch(void);

/* Begins a call. Unless this fails, progress_end must be called. */
static inline weft_status progress_begin(weft_watch *w, weft_error *error) {
    if (w->depth == 0) {
        w->done = w->total = 0;
        w->called = w->in_regions = false;
        w->cancelled = 0;
    }
    if (progress_poll(w)) return progress_refuse(error);
    w->depth++;
    return WEFT_OK;
}

/* Sets the total units of work, if this is the outermost call and no total is set. */
static inline void progress_plan(weft_watch *w, uint64_t total) {
    if (w->depth == 1 && w->total == 0) w->total = total;
}

/* Adds `units` to the completed work, if this is the outermost call. */
static inline void progress_advance(weft_watch *w, uint64_t units) {
    if (w->depth != 1) return;
    w->done = w->total && w->total - w->done < units ? w->total : w->done + units;
}

enum { PROGRESS_REGION = 1 << 16 }; /* units of work of a region */

/* Sets the total work to `regions` regions, if this is the outermost call and no total is set. */
static inline void progress_plan_regions(weft_watch *w, uint64_t regions) {
    if (w->depth != 1 || w->total) return;
    w->total = regions * PROGRESS_REGION;
    w->in_regions = true;
}

/* Reports that the fraction `part`, from 0 to 1, of a region is done. The region began at `before` units. */
static inline void progress_inside_region(weft_watch *w, uint64_t before, double part) {
    const uint64_t done = before + (uint64_t)(part * PROGRESS_REGION);
    if (w->depth == 1 && w->in_regions && done > w->done) w->done = done < w->total ? done : w->total;
}

/* Ends a call. Returns `status`, or WEFT_CANCELLED if status is WEFT_OK but the call was cancelled. Calls the
 * callback a last time with the final count if the outermost call succeeded and the callback was called before. */
static inline weft_status progress_end(weft_watch *w, weft_status status, weft_error *error) {
    w->depth--;
    if (w->depth == 0 && w->called && status == WEFT_OK && !progress_cancelled(w)) {
        if (w->total) w->done = w->total;
        progress_call(w, progress_clock());
    }
    return status == WEFT_OK && progress_cancelled(w) ? progress_refuse(error) : status;
}

#endif
