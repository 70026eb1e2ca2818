#include "cpu/parallel.h"

#include "core/copy.h"
#include "core/fpmode.h"
#include "core/watch.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    CREWS = 16,               /* calls that can use threads of the pool at the same time */
    RANGES_MAX = 64,          /* of a region */
    CLAIMS = 64,              /* a thread claims its range's items in about as many steps */
    STACK_BYTES = 1 << 20,    /* of a thread; the largest frame of a kernel has 140 KiB */
    SPIN = 30 * 1000,         /* nanoseconds that a thread waits before it sleeps */
    LOOKS = 16,               /* at what is waited for, between two looks at the clock */
    PREEMPTED = 100 * 1000,   /* nanoseconds between those that only a thread without its core needs */
    CROWDED = 100 * 1000000,  /* nanoseconds after that in which nobody waits without sleeping */
    REFUSED = 1000 * 1000000, /* nanoseconds until a thread is asked for again, after one was refused */
    LINE = 64
};

/* ------------------------------------------------------------------------------------ regions */

/* Items next, next + 1, ... of a range, up to its end, have not been claimed. */
typedef struct cursor {
    _Alignas(LINE) atomic_size_t next;
    size_t end;
} cursor;

typedef struct region {
    void (*work)(void *job, parallel *p);
    void *job;
    size_t count, grain; /* items; how many are claimed at a time */
    size_t threads;      /* at most so many work on the region */
    size_t ranges;
    cursor *cursors;
    weft_watch *watch; /* NULL: the call has no callback */
    uint64_t done;     /* units of the call's work, before the region */
} region;

struct parallel {
    region *region;
    bool calling;            /* the thread that called */
    size_t first, exhausted; /* range that it starts in; ranges in which it found none left */
    size_t at, stop;         /* items that it has claimed */
};

static _Thread_local int thread_number;
static _Thread_local weft_watch *watch_of_region; /* of a thread of the pool */
static _Thread_local int depth;                   /* regions that the thread is inside */

int cpu_thread_number(void) { return thread_number; }

/* The watch of the call that the thread works for, if that has a callback. */
static weft_watch *own_watch(void) {
    weft_watch *const watch = thread_number ? watch_of_region : context_watch();
    return watch && watch->callback ? watch : NULL;
}

/* Whether the region is one of the call's, and not one inside those. */
static bool counts(void) { return thread_number == 0 && depth == 1; }

static void set_cursors(region *r, cursor *cursors, size_t ranges) {
    const size_t count = r->count;
    r->ranges = ranges;
    r->cursors = cursors;
    for (size_t i = 0; i < ranges; i++) {
        atomic_store_explicit(&cursors[i].next, count / ranges * i + count % ranges * i / ranges,
                              memory_order_relaxed);
        if (i) cursors[i - 1].end = atomic_load_explicit(&cursors[i].next, memory_order_relaxed);
    }
    cursors[ranges - 1].end = count;
}

/* Share of the region's items that are done; with several threads a lower bound, all claimed ones except `grain` for
 * each thread. */
static double share_done(const parallel *p) {
    const region *const r = p->region;
    if (r->threads == 1) return (double)p->at / (double)r->count;
    const size_t in_hand = r->threads * r->grain;
    size_t claimed = r->count;
    for (size_t i = 0; i < r->ranges; i++) {
        const size_t next = atomic_load_explicit(&r->cursors[i].next, memory_order_relaxed);
        if (next < r->cursors[i].end) claimed -= r->cursors[i].end - next;
    }
    return claimed > in_hand ? (double)(claimed - in_hand) / (double)r->count : 0;
}

static bool is_cancelled(const parallel *p) {
    weft_watch *const w = p->region->watch;
    if (!w) return false;
    if (!p->calling || !progress_is_due(w)) return progress_cancelled(w);
    if (depth == 1) progress_inside_region(w, p->region->done, share_done(p));
    return progress_poll(w);
}

static bool claim(parallel *p) {
    region *const r = p->region;
    for (; p->exhausted < r->ranges; p->exhausted++) {
        cursor *const c = &r->cursors[(p->first + p->exhausted) % r->ranges];
        if (atomic_load_explicit(&c->next, memory_order_relaxed) >= c->end) continue;
        const size_t at = atomic_fetch_add_explicit(&c->next, r->grain, memory_order_relaxed);
        if (at >= c->end) continue;
        p->at = at;
        p->stop = c->end - at < r->grain ? c->end : at + r->grain;
        return true;
    }
    return false;
}

bool parallel_next(parallel *p, size_t *item) {
    if (is_cancelled(p) || (p->at == p->stop && !claim(p))) return false;
    *item = p->at++;
    return true;
}

/* -------------------------------------------------------------------------------------- waiting */

/* Until when threads sleep at once, since other processes use the cores. */
static _Atomic int64_t crowded_until;

static void pause_core(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Waits a short time while *word is `value`. Returns whether it has changed. */
static bool spin(const atomic_uint *word, unsigned value) {
    int64_t now = progress_clock(), last = now;
    const int64_t end = now + SPIN;
    if (now < atomic_load_explicit(&crowded_until, memory_order_relaxed)) return false;
    for (; now < end; last = now, now = progress_clock()) {
        if (now - last > PREEMPTED) {
            atomic_store_explicit(&crowded_until, now + CROWDED, memory_order_relaxed);
            return false;
        }
        for (int i = 0; i < LOOKS; i++) {
            if (atomic_load_explicit(word, memory_order_acquire) != value) return true;
            pause_core();
        }
    }
    return false;
}

/* Sleeps while *word is `value`, at most `limit` unless that is NULL. May return early. */
static void sleep_on(atomic_uint *word, unsigned value, const struct timespec *limit) {
    (void)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, limit, NULL, 0);
}

static void wake(atomic_uint *word, int threads) {
    (void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, threads, NULL, NULL, 0);
}

/* ---------------------------------------------------------------------------------------- crews */

/* Threads that work on one region at a time. The gate has the number of threads that may still join the region, times
 * PLACE, and the number of those at work; and WAITING while the thread that called sleeps until these have left. */
enum { PLACE = 1 << 16, AT_WORK = PLACE - 1 };
static const unsigned WAITING = 1u << 31;

/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): members of different threads have own lines */
typedef struct crew {
    atomic_bool taken;               /* by a call */
    _Alignas(LINE) atomic_uint call; /* number of the region; counts up when one begins */
    atomic_int sleepers;
    atomic_bool stopped; /* its threads are to end */
    _Alignas(LINE) atomic_uint gate;
    _Alignas(LINE) region region;
    int places; /* of the region, when it began */
    int workers, room;
    pthread_t *threads;  /* `workers` of them; there is room for `room` */
    atomic_uint started; /* workers that have begun */
    int64_t refused;     /* when a thread could not be created, or 0 */
    cursor cursors[RANGES_MAX];
} crew;

static crew crews[CREWS];
static atomic_int all_workers; /* of all crews */
static int cores, default_threads;
static pid_t owner; /* the process whose threads these are */

static void work_in_region(crew *c, size_t number) {
    parallel p = {.region = &c->region, .first = number % c->region.ranges};
    watch_of_region = c->region.watch;
    c->region.work(c->region.job, &p);
    watch_of_region = NULL;
    thread_number = 0;
}

/* Takes part in the region if it needs one more thread. */
static void join_region(crew *c, size_t number) {
    unsigned gate = atomic_load_explicit(&c->gate, memory_order_relaxed);
    while ((gate & ~WAITING) >= PLACE)
        if (atomic_compare_exchange_weak_explicit(&c->gate, &gate, gate - PLACE + 1, memory_order_acquire,
                                                  memory_order_relaxed)) {
            thread_number = c->places - (int)(gate / PLACE) + 1;
            work_in_region(c, number);
            const unsigned before = atomic_fetch_sub_explicit(&c->gate, 1, memory_order_acq_rel);
            if ((before & AT_WORK) == 1 && before & WAITING) wake(&c->gate, 1);
            return;
        }
}

/* More threads than cores take the cores from one another while they wait. */
static bool may_spin(void) { return atomic_load_explicit(&all_workers, memory_order_relaxed) < cores; }

static void wait_for_call(crew *c, unsigned seen) {
    if (may_spin() && spin(&c->call, seen)) return;
    atomic_fetch_add(&c->sleepers, 1);
    sleep_on(&c->call, seen, NULL);
    atomic_fetch_sub(&c->sleepers, 1);
}

static void *serve(void *self) {
    crew *const c = self;
    const size_t number = atomic_fetch_add(&c->started, 1) + 1;
    (void)weft_fpmode_enter();
    unsigned seen = atomic_load(&c->call) - 1;
    while (!atomic_load(&c->stopped)) {
        const unsigned call = atomic_load(&c->call);
        if (call == seen) {
            wait_for_call(c, seen);
            continue;
        }
        seen = call;
        join_region(c, number);
    }
    return NULL;
}

/* --------------------------------------------------------------------------- creating, ending */

/* The C library refuses a stack that has no room for the program's thread-local variables. */
static int create(pthread_t *thread, crew *c) {
    pthread_attr_t attributes;
    int fault = pthread_attr_init(&attributes);
    if (fault) return fault;
    fault = pthread_attr_setstacksize(&attributes, STACK_BYTES);
    if (!fault) fault = pthread_create(thread, &attributes, serve, c);
    pthread_attr_destroy(&attributes);
    return fault == EINVAL ? pthread_create(thread, NULL, serve, c) : fault;
}

/* Workers block signals, which are for the program's threads, except those that a thread's own instruction causes: a
 * program may handle them, for example SIGBUS for a mapped file that was truncated. */
static bool add_worker(crew *c) {
    static const int own[] = {SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
    sigset_t blocked, before;
    if (c->workers == c->room) {
        const int room = c->room ? 2 * c->room : 8;
        pthread_t *const more = realloc(c->threads, (size_t)room * sizeof *more);
        if (!more) return false;
        c->threads = more;
        c->room = room;
    }
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&blocked, own[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    const int fault = create(&c->threads[c->workers], c);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (fault) return false;
    c->workers++;
    atomic_fetch_add(&all_workers, 1);
    return true;
}

/* Without asking for more threads than there are cores, unless a call by itself wants them. */
static void grow(crew *c, int workers) {
    const int most = workers > cores - 1 ? workers : cores - 1;
    if (c->workers >= workers || (c->refused && progress_clock() - c->refused < REFUSED)) return;
    c->refused = 0;
    while (c->workers < workers && atomic_load(&all_workers) < most)
        if (!add_worker(c)) {
            c->refused = progress_clock();
            return;
        }
}

/* In a child process: the threads are the parent's. */
static void forget(void) {
    for (crew *c = crews; c < crews + CREWS; c++) {
        atomic_store(&c->taken, false);
        atomic_store(&c->sleepers, 0);
        atomic_store(&c->gate, 0);
        atomic_store(&c->started, 0);
        c->workers = 0;
        c->refused = 0;
    }
    atomic_store(&all_workers, 0);
    thread_number = 0;
    owner = getpid();
}

static void begin(void) {
    cores = cpu_cores();
    default_threads = cpu_default_threads();
    owner = getpid();
    pthread_atfork(NULL, NULL, forget);
}

/* When the process ends, or the library is unloaded. A crew that is at work then is left alone. */
__attribute__((destructor)) static void end(void) {
    if (owner != getpid()) return;
    for (crew *c = crews; c < crews + CREWS; c++) {
        if (atomic_exchange(&c->taken, true)) continue;
        atomic_store(&c->stopped, true);
        atomic_fetch_add(&c->call, 1);
        wake(&c->call, INT_MAX);
        for (int i = 0; i < c->workers; i++) pthread_join(c->threads[i], NULL);
        free(c->threads);
        c->threads = NULL;
    }
}

static pthread_once_t begun = PTHREAD_ONCE_INIT;

/* A crew with at least one worker, or NULL. */
static crew *take_crew(int workers) {
    for (crew *c = crews; c < crews + CREWS; c++) {
        if (atomic_load_explicit(&c->taken, memory_order_relaxed) || atomic_exchange(&c->taken, true)) continue;
        grow(c, workers);
        if (c->workers) return c;
        atomic_store(&c->taken, false);
        return NULL;
    }
    return NULL;
}

/* ---------------------------------------------------------------------------------------- calls */

static void begin_region(crew *c) {
    atomic_store_explicit(&c->gate, (unsigned)c->places * PLACE, memory_order_release);
    atomic_fetch_add(&c->call, 1);
    const int sleepers = atomic_load(&c->sleepers);
    if (sleepers > 0) wake(&c->call, c->places);
}

/* Lets no more threads join, and waits until those that did have left. Calls the callback meanwhile. */
static void end_region(crew *c, const parallel *p) {
    static const struct timespec interval = {0, PROGRESS_INTERVAL};
    unsigned gate = atomic_fetch_and(&c->gate, AT_WORK) & AT_WORK;
    while (gate & AT_WORK) {
        if (!may_spin() || !spin(&c->gate, gate)) {
            gate = atomic_fetch_or(&c->gate, WAITING) | WAITING;
            if (gate & AT_WORK) sleep_on(&c->gate, gate, c->region.watch ? &interval : NULL);
            (void)is_cancelled(p);
        }
        gate = atomic_load(&c->gate);
    }
}

static void run_together(crew *c, int threads) {
    parallel p = {.region = &c->region, .calling = true};
    c->places = c->workers < threads - 1 ? c->workers : threads - 1;
    begin_region(c);
    c->region.work(c->region.job, &p);
    end_region(c, &p);
}

void cpu_parallel(int threads, size_t count, parallel_order order, void (*work)(void *job, parallel *p), void *job) {
    weft_watch *const watch = own_watch();
    if (count == 0 || (watch && progress_cancelled(watch))) return;
    pthread_once(&begun, begin);
    depth++;
    const size_t at_once = (size_t)threads < count ? (size_t)threads : count;
    const size_t ranges = order == PARALLEL_IN_ORDER ? 1 : at_once < RANGES_MAX ? at_once : RANGES_MAX;
    const uint64_t before = watch && counts() ? watch->done : 0;
    const size_t grain = order == PARALLEL_IN_ORDER ? 1 : count / (at_once * CLAIMS) + 1;
    crew *const c = at_once > 1 ? take_crew((int)at_once - 1) : NULL;
    if (c) {
        c->region = (region){.work = work,
                             .job = job,
                             .count = count,
                             .grain = grain,
                             .threads = at_once,
                             .watch = watch,
                             .done = before};
        set_cursors(&c->region, c->cursors, ranges);
        run_together(c, (int)at_once);
        atomic_store_explicit(&c->taken, false, memory_order_release);
    } else {
        cursor all;
        region alone = {.count = count, .grain = count, .threads = 1, .watch = watch, .done = before};
        set_cursors(&alone, &all, 1);
        work(job, &(parallel){.region = &alone, .calling = thread_number == 0});
    }
    if (watch && counts()) progress_inside_region(watch, before, 1);
    depth--;
}

typedef struct each {
    void (*body)(void *job, size_t item);
    void *job;
} each;

static void run_each(void *job, parallel *p) {
    const each *const e = job;
    for (size_t i; parallel_next(p, &i);) e->body(e->job, i);
}

void cpu_parallel_for(int threads, size_t count, parallel_order order, void (*body)(void *job, size_t item),
                      void *job) {
    cpu_parallel(threads, count, order, run_each, &(each){body, job});
}

/* ------------------------------------------------------------------------------------- progress */

bool cpu_cancelled(void) {
    weft_watch *const watch = own_watch();
    if (!watch) return false;
    return thread_number == 0 ? progress_poll(watch) : progress_cancelled(watch);
}

void cpu_plan_regions(size_t regions) {
    weft_watch *const watch = own_watch();
    if (watch && thread_number == 0 && depth == 0) progress_plan_regions(watch, regions);
}

/* ---------------------------------------------------------------------------------------- copies */

enum { COPIED_AT_ONCE = 1 << 20 }; /* bytes */

typedef struct copy {
    char *to;
    const char *from;
    size_t bytes;
} copy;

static void copy_part(void *self, size_t i) {
    const copy *c = self;
    const size_t at = i * COPIED_AT_ONCE, left = c->bytes - at;
    memcpy(c->to + at, c->from + at, left < COPIED_AT_ONCE ? left : COPIED_AT_ONCE);
}

void weft_copy_on_threads(void *to, const void *from, size_t bytes) {
    pthread_once(&begun, begin);
    cpu_parallel_for(default_threads, bytes / COPIED_AT_ONCE + (bytes % COPIED_AT_ONCE != 0), PARALLEL_RANGES,
                     copy_part, &(copy){to, from, bytes});
}
