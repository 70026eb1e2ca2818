#include "cpu/relay.h"

#include "core/fpmode.h"

#include <sched.h>

enum { LOOKS = 1000 }; /* at whose turn it is, before the core is offered to others */

void relay_run(int threads, size_t parts, void (*part)(void *job, size_t i, relay *turns), void *job) {
    relay turns = {.next = 0, .turn = 0};
    (void)threads; /* unless compiled with OpenMP */
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        const weft_fpmode mode = weft_fpmode_enter();
        for (size_t i; (i = atomic_fetch_add(&turns.next, 1)) < parts;) part(job, i, &turns);
        weft_fpmode_leave(mode);
    }
}

/* Parts are taken in order, so the thread of the part before is at work, unless other processes have its
 * core: then this thread's is soon offered to them. */
void relay_wait(relay *turns, size_t i) {
    for (int looks = 0; atomic_load_explicit(&turns->turn, memory_order_acquire) != i; looks++)
        if (looks > LOOKS) sched_yield();
}

void relay_pass(relay *turns, size_t i) { atomic_store_explicit(&turns->turn, i + 1, memory_order_release); }
