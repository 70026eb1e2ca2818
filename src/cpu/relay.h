/* Parts of an array that depend on what the parts before them have left. Threads take the parts in order; each does
 * what it can alone, waits for its turn, takes what was left and leaves its own for the next, and then has all it
 * needs. So only the short middle goes one thread after the other. How large parts are and which thread takes which
 * is free. */
#ifndef WEFT_CPU_RELAY_H
#define WEFT_CPU_RELAY_H

#include <stdatomic.h>
#include <stddef.h>

/* A thread takes part `next`; whose turn it is may use what the parts before `turn` have left. */
typedef struct relay {
    atomic_size_t next, turn;
} relay;

/* Calls part(job, i, turns) for each i < parts. Either every call waits for its turn and passes it on, or none. */
void relay_run(int threads, size_t parts, void (*part)(void *job, size_t i, relay *turns), void *job);

void relay_wait(relay *turns, size_t i);
void relay_pass(relay *turns, size_t i);

#endif
/* Threads that take the parts of an array in order, and one after the other may use what the parts before have left:
 * the short serial middle of a scan. */
#ifndef WEFT_CPU_RELAY_H
#define WEFT_CPU_RELAY_H

#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

enum { RELAY_LOOKS = 1000 }; /* at whose turn it is, before the core is offered to others */

/* Both from 0. */
typedef struct relay {
    atomic_size_t next, turn;
} relay;

/* The next part for this thread. */
static inline size_t relay_take(relay *r) { return atomic_fetch_add(&r->next, 1); }

/* Parts are taken in order, so the thread of the part before is at work, unless other processes have its
 * core: then this thread's is soon offered to them. */
static inline void relay_wait(relay *r, size_t part) {
    for (int looks = 0; atomic_load_explicit(&r->turn, memory_order_acquire) != part; looks++)
        if (looks > RELAY_LOOKS) sched_yield();
}

static inline void relay_pass(relay *r, size_t part) {
    atomic_store_explicit(&r->turn, part + 1, memory_order_release);
}

#endif
