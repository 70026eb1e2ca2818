#include "cpu/runtime/parallel.h"

#include "core/copy.h"
#include "core/executor.h"
#include "core/fpmode.h"
#include "core/watch.h"
#include "cpu/runtime/machine.h"
#include "cpu/runtime/thread_count.h"

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
    CREWS = 16,               /* number of calls that can use pool threads concurrently */
    RANGES_MAX = 64,          /* ranges per region */
    CLAIMS = 64,              /* a thread claims the items of its range in about CLAIMS steps */
    STACK_BYTES = 1 << 20,    /* stack of a thread in bytes; sanitizers make frames of 140 KiB */
    LOOKS = 16,               /* polls of the awaited word between two clock reads */
    PREEMPTED = 100 * 1000,   /* nanoseconds between two clock reads from which a thread counts as preempted */
    CROWDED = 100 * 1000000,  /* nanoseconds without spinning after a preemption */
    REFUSED = 1000 * 1000000, /* nanoseconds without thread creation after a failed one */
    LINE = 64
};

/* ------------------------------------------------------------------------------------ regions */

/* Contiguous range of items: [next, end) has not been claimed. */
typedef struct cursor {
    _Alignas(LINE) atomic_size_t next;
    size_t end;
} cursor;

typedef struct region {
    void (*work)(void *self, parallel *p);
    void *self;
    size_t count, grain; /* number of items; items per claim */
    size_t threads;      /* maximum number of threads working on the region */
    size_t ranges;
    cursor *cursors;
    weft_watch *watch;  /* NULL: the call has no callback */
    uint64_t done;      /* units of work that the call had done before the region */
    const void *caller; /* address of `here` of the thread that made the call */
    int depth;          /* nesting depth of the region */
} region;

struct parallel {
    region *region;
    bool calling;            /* this is the thread that made the call */
    size_t first, exhausted; /* range to start in; number of ranges found empty */
    size_t at, stop;         /* claimed items: [at, stop) */
};

/* Work of a thread. All members are 0 outside regions. */
typedef struct position {
    int number;        /* number of the thread in its region */
    int depth;         /* nesting depth of regions; only regions of depth 1 count as progress */
    bool foreign;      /* another thread made the call */
    weft_watch *watch; /* that of the call; NULL: it has no callback */
} position;

static _Thread_local position here;

int cpu_thread_number(void) { return here.number; }

/* Returns the watch of the call that this thread works for, or NULL if it has no callback. */
static weft_watch *own_watch(void) {
    weft_watch *const watch = here.depth ? here.watch : context_watch();
    return watch && watch->callback ? watch : NULL;
}

/* Executes `work` on this thread, which continues its own work afterwards. `first` selects the range to start in. */
static void work_in_region(region *r, size_t number, size_t first) {
    const position before = here;
    const bool calling = r->caller == &here;
    here = (position){.number = (int)number, .depth = r->depth, .foreign = !calling, .watch = r->watch};
    r->work(r->self, &(parallel){.region = r, .calling = calling, .first = first % r->ranges});
    here = before;
}

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

/* Returns the completed fraction of the region. With several threads it is a lower bound: all claimed items except
 * `grain` per thread. */
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

/* Performs progress_poll. The callback may call weft with another context: it is outside the region. */
static bool poll_watch(weft_watch *w) {
    const position before = here;
    here = (position){0};
    const bool cancelled = progress_poll(w);
    here = before;
    return cancelled;
}

static bool is_cancelled(const parallel *p) {
    weft_watch *const w = p->region->watch;
    if (!w) return false;
    if (!p->calling || !progress_is_due(w)) return progress_cancelled(w);
    if (here.depth == 1) progress_inside_region(w, p->region->done, share_done(p));
    return poll_watch(w);
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

/* Time until which threads sleep without spinning, because other processes use the cores. */
static _Atomic int64_t crowded_until;

static void pause_core(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Spins for at most SPIN nanoseconds while *word == value. Returns true if *word has changed. */
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

/* Sleeps while *word == value, for at most *limit (NULL: no limit). May return early. */
static void sleep_on(atomic_uint *word, unsigned value, const struct timespec *limit) {
    (void)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, limit, NULL, 0);
}

static void wake(atomic_uint *word, int threads) {
    (void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, threads, NULL, NULL, 0);
}

/* ---------------------------------------------------------------------------------------- crews */

/* A crew is a set of threads that works on one region at a time. Its gate word contains the number of threads that
 * may still join the region, times JOINABLE, plus the number of threads at work. WAITING is set while the calling
 * thread sleeps until the threads at work have left. */
enum { JOINABLE = 1 << 16, AT_WORK = JOINABLE - 1 };
static const unsigned WAITING = 1u << 31;

/* Time in which sleeping threads join a region. */
typedef struct measured_wake {
    int64_t begin;       /* time before the threads were woken; 0: this region is not measured */
    _Atomic int64_t end; /* time at which the first thread joined, or 0 */
} measured_wake;

/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): members of different threads have own lines */
typedef struct crew {
    atomic_int taken; /* true: in use by a call. For an exchange of a bool, GCC 12 calls libatomic on RISC-V. */
    _Alignas(LINE) atomic_uint call; /* number of the region; incremented when a region starts */
    atomic_int sleepers;
    atomic_int core;     /* core of the calling thread at the start of the region */
    atomic_bool stopped; /* the threads must exit */
    _Alignas(LINE) atomic_uint gate;
    _Alignas(LINE) region region;
    int joinable;            /* number of threads that may join, at the start of the region */
    atomic_bool shares_core; /* a thread joined the region on the core of the calling thread */
    measured_wake wake;
    int workers, capacity;
    pthread_t *threads;  /* array of `workers` threads; its capacity is `capacity` */
    atomic_uint started; /* number of workers that have started */
    int64_t refused;     /* time of the last failed thread creation, or 0 */
    cursor cursors[RANGES_MAX];
} crew;

static crew crews[CREWS];
static atomic_int all_workers; /* workers of all crews */
static atomic_int callers;     /* number of regions that may use pool threads */
static int cores, default_threads;
static pid_t owner; /* process that owns the threads */

/* Measures this region if all threads of the crew sleep and the time of a wake is not known. */
static void begin_measuring(crew *c) {
    const bool needed = !thread_count_is_known() && atomic_load(&c->sleepers) == c->workers;
    c->wake.begin = needed ? progress_clock() : 0;
    if (needed) atomic_store_explicit(&c->wake.end, 0, memory_order_relaxed);
}

/* Ends the measurement of a region, which all threads have left at time `now`. If no thread has joined it, a wake
 * takes longer than the region. If a thread woke on the caller's core, the region is ignored: the two ran one after
 * the other. */
static void end_measuring(const crew *c, int64_t now) {
    const int64_t end = atomic_load_explicit(&c->wake.end, memory_order_relaxed);
    if (c->wake.begin && !atomic_load_explicit(&c->shares_core, memory_order_relaxed))
        thread_count_add_wake((end ? end : now) - c->wake.begin);
}

/* Returns true if this thread runs on the core on which the calling thread started the region. */
static bool shares_core(crew *c) {
    const int core = atomic_load_explicit(&c->core, memory_order_relaxed);
    return core >= 0 && sched_getcpu() == core;
}

/* Stores on which core, and in a measured region when, this thread joined the region. */
static void note_joining(crew *c) {
    int64_t none = 0;
    if (c->wake.begin) atomic_compare_exchange_strong(&c->wake.end, &none, progress_clock());
    if (shares_core(c)) atomic_store_explicit(&c->shares_core, true, memory_order_relaxed);
}

/* Joins the region if its gate still admits a thread. */
static void join_region(crew *c, size_t worker) {
    unsigned gate = atomic_load_explicit(&c->gate, memory_order_relaxed);
    while ((gate & ~WAITING) >= JOINABLE)
        if (atomic_compare_exchange_weak_explicit(&c->gate, &gate, gate - JOINABLE + 1, memory_order_acquire,
                                                  memory_order_relaxed)) {
            note_joining(c);
            work_in_region(&c->region, (size_t)c->joinable - gate / JOINABLE + 1, worker);
            const unsigned before = atomic_fetch_sub_explicit(&c->gate, 1, memory_order_acq_rel);
            if ((before & AT_WORK) == 1 && before & WAITING) wake(&c->gate, 1);
            return;
        }
}

/* Returns true if all workers can have a core. With more threads than cores, spinning threads would preempt each
 * other. */
static bool may_spin(void) { return atomic_load_explicit(&all_workers, memory_order_relaxed) < cores; }

/* Does not spin on the core of the calling thread, which would wait for this core. */
static void wait_for_call(crew *c, unsigned seen) {
    if (!shares_core(c) && may_spin() && spin(&c->call, seen)) return;
    atomic_fetch_add(&c->sleepers, 1);
    sleep_on(&c->call, seen, NULL);
    atomic_fetch_sub(&c->sleepers, 1);
}

static void *serve(void *self) {
    crew *const c = self;
    const size_t worker = atomic_fetch_add(&c->started, 1) + 1;
    (void)weft_fpmode_enter();
    unsigned seen = atomic_load(&c->call) - 1;
    while (!atomic_load(&c->stopped)) {
        const unsigned call = atomic_load(&c->call);
        if (call == seen) {
            wait_for_call(c, seen);
            continue;
        }
        seen = call;
        join_region(c, worker);
    }
    return NULL;
}

/* --------------------------------------------------------------------------- creating, ending */

/* Creates a thread. The C library rejects a stack size that is too small for the program's thread-local variables;
 * then the default size is used. */
static int create(pthread_t *thread, crew *c) {
    pthread_attr_t attributes;
    int fault = pthread_attr_init(&attributes);
    if (fault) return fault;
    fault = pthread_attr_setstacksize(&attributes, STACK_BYTES);
    if (!fault) fault = pthread_create(thread, &attributes, serve, c);
    pthread_attr_destroy(&attributes);
    return fault == EINVAL ? pthread_create(thread, NULL, serve, c) : fault;
}

/* Adds a worker to the crew. Workers block all signals, which are for the program's threads, except those caused by
 * an instruction of the thread itself: a program may handle them, for example SIGBUS for a mapped file that was
 * truncated. */
static bool add_worker(crew *c) {
    static const int own[] = {SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
    sigset_t blocked, before;
    if (c->workers == c->capacity) {
        const int capacity = c->capacity ? 2 * c->capacity : 8;
        pthread_t *const more = realloc(c->threads, (size_t)capacity * sizeof *more);
        if (!more) return false;
        c->threads = more;
        c->capacity = capacity;
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

/* Adds workers to the crew until it has `workers`. The pool has at most cores - 1 workers, or `workers` if
 * that is more. */
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

/* Resets the pool in a child process after fork(): the threads exist only in the parent. */
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
    atomic_store(&callers, 0);
    thread_count_forget();
    owner = getpid();
}

static void begin(void) {
    cores = cpu_cores();
    default_threads = cpu_default_threads();
    owner = getpid();
    pthread_atfork(NULL, NULL, forget);
}

/* Stops the threads when the process exits or the library is unloaded. A crew that is in use by a call is left
 * alone. */
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

static void begin_region(crew *c) {
    atomic_store_explicit(&c->core, sched_getcpu(), memory_order_relaxed);
    atomic_store_explicit(&c->shares_core, false, memory_order_relaxed);
    begin_measuring(c);
    atomic_store_explicit(&c->gate, (unsigned)c->joinable * JOINABLE, memory_order_release);
    atomic_fetch_add(&c->call, 1);
    const int sleepers = atomic_load(&c->sleepers);
    if (sleepers > 0) wake(&c->call, c->joinable);
}

/* Closes the gate and waits until all threads have left the region. Invokes the callback while waiting. Does not spin
 * if a thread at work may wait for this core. */
static void end_region(crew *c, const parallel *p) {
    static const struct timespec interval = {0, PROGRESS_INTERVAL};
    unsigned gate = atomic_fetch_and(&c->gate, AT_WORK) & AT_WORK;
    while (gate & AT_WORK) {
        const bool alone = !atomic_load_explicit(&c->shares_core, memory_order_relaxed);
        if (!alone || !may_spin() || !spin(&c->gate, gate)) {
            gate = atomic_fetch_or(&c->gate, WAITING) | WAITING;
            if (gate & AT_WORK) sleep_on(&c->gate, gate, c->region.watch ? &interval : NULL);
            (void)is_cancelled(p);
        }
        gate = atomic_load(&c->gate);
    }
}

static pthread_once_t begun = PTHREAD_ONCE_INIT;

/* Returns a free crew with at least one worker, or NULL. */
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

/* Executes a region on this thread, which has claimed all items. */
static void run_alone(region *r) {
    r->threads = 1;
    r->work(r->self, &(parallel){.region = r, .calling = !here.foreign, .stop = r->count});
}

static void run_on_crew(crew *c, int others, const region *r, size_t ranges) {
    c->region = *r;
    set_cursors(&c->region, c->cursors, ranges);
    c->joinable = c->workers < others ? c->workers : others;
    begin_region(c);
    parallel p = {.region = &c->region, .calling = true};
    r->work(r->self, &p);
    end_region(c, &p);
    const int64_t now = progress_clock();
    end_measuring(c, now);
    thread_count_end_region(now);
    atomic_store_explicit(&c->taken, false, memory_order_release);
}

/* Runs a region on pool threads. All calls together use at most one thread for each core, unless a call is set to
 * more. */
static void run_on_pool(region *r, size_t ranges) {
    const int calls = atomic_fetch_add(&callers, 1) + 1, threads = (int)r->threads;
    const int most = (threads > cores ? threads : cores) - calls, others = most < threads - 1 ? most : threads - 1;
    crew *const c = others > 0 ? take_crew(others) : NULL;
    if (c)
        run_on_crew(c, others, r, ranges);
    else
        run_alone(r);
    atomic_fetch_sub(&callers, 1);
}

/* Task of the executor. */
static void run_task(void *arg, size_t index) {
    const weft_fpmode mode = weft_fpmode_enter();
    work_in_region(arg, index, index);
    weft_fpmode_leave(mode);
}

/* The executor may execute other work on this thread: it is outside the region, in the mode of the caller. */
static void run_on_executor(const weft_executor *executor, weft_fpmode mode, region *r, size_t ranges) {
    const position before = here;
    cursor cursors[RANGES_MAX];
    set_cursors(r, cursors, ranges);
    r->caller = &here;
    here = (position){0};
    weft_fpmode_leave(mode);
    executor->run(executor->user, r->threads, run_task, r);
    (void)weft_fpmode_enter();
    here = before;
    r->work(r->self, &(parallel){.region = r, .calling = true});
}

static void run_together(region *r, parallel_order order) {
    const size_t ranges = order == PARALLEL_IN_ORDER ? 1 : r->threads < RANGES_MAX ? r->threads : RANGES_MAX;
    weft_fpmode mode;
    const weft_executor *const executor = context_executor(&mode);
    pthread_once(&begun, begin);
    r->grain = order == PARALLEL_IN_ORDER ? 1 : r->count / (r->threads * CLAIMS) + 1;
    if (executor)
        run_on_executor(executor, mode, r, ranges);
    else
        run_on_pool(r, ranges);
}

void cpu_parallel(int threads, size_t count, parallel_order order, void (*work)(void *self, parallel *p),
                  void *self) {
    weft_watch *const watch = own_watch();
    if (count == 0 || (watch && progress_cancelled(watch))) return;
    const position before = here;
    region r = {.work = work,
                .self = self,
                .count = count,
                .threads = (size_t)threads < count ? (size_t)threads : count,
                .watch = watch,
                .depth = before.depth + 1};
    here = (position){before.number, r.depth, before.foreign, watch};
    if (watch && r.depth == 1) r.done = watch->done;
    if (r.threads > 1)
        run_together(&r, order);
    else
        run_alone(&r);
    if (watch && r.depth == 1) progress_inside_region(watch, r.done, 1);
    here = before;
}

typedef struct each {
    void (*body)(void *self, size_t item);
    void *self;
} each;

static void run_each(void *self, parallel *p) {
    const each *const e = self;
    for (size_t i; parallel_next(p, &i);) e->body(e->self, i);
}

void cpu_parallel_for(int threads, size_t count, parallel_order order, void (*body)(void *self, size_t item),
                      void *self) {
    cpu_parallel(threads, count, order, run_each, &(each){body, self});
}

/* ------------------------------------------------------------------------------------- progress */

bool cpu_cancelled(void) {
    weft_watch *const watch = own_watch();
    if (!watch) return false;
    return here.foreign || !progress_is_due(watch) ? progress_cancelled(watch) : poll_watch(watch);
}

void cpu_plan_regions(size_t regions) {
    weft_watch *const watch = own_watch();
    if (watch && here.depth == 0) progress_plan_regions(watch, regions);
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

/* A thread whose context has an executor copies alone, because `run` is promised no more tasks than the context has
 * threads. */
void weft_copy_on_threads(void *to, const void *from, size_t bytes) {
    weft_fpmode mode;
    pthread_once(&begun, begin);
    cpu_parallel_for(context_executor(&mode) ? 1 : default_threads,
                     bytes / COPIED_AT_ONCE + (bytes % COPIED_AT_ONCE != 0), PARALLEL_RANGES, copy_part,
                     &(copy){to, from, bytes});
}
