#include "cpu/runtime/relay.h"

#include <sched.h>

enum { LOOKS = 1000 }; /* polls of the turn before the core is yielded */

/* Arguments of run_part. */
typedef struct runner {
    relay turns;
    void (*part)(void *self, size_t i, relay *turns);
    void *self;
} runner;

static void run_part(void *self, size_t i) {
    runner *r = self;
    r->part(r->self, i, &r->turns);
}

void relay_run(int threads, size_t parts, void (*part)(void *self, size_t i, relay *turns), void *self) {
    runner r = {.turns = {.turn = 0}, .part = part, .self = self};
    cpu_parallel_for(threads, parts, PARALLEL_IN_ORDER, run_part, &r);
}

/* Parts are taken in order, so the thread of the part before is running unless other processes occupy its core. In
 * that case this thread soon yields its own core. */
void relay_wait(relay *turns, size_t i) {
    for (int looks = 0; atomic_load_explicit(&turns->turn, memory_order_acquire) != i; looks++)
        if (looks > LOOKS) sched_yield();
}

void relay_pass(relay *turns, size_t i) { atomic_store_explicit(&turns->turn, i + 1, memory_order_release); }
