/* Parts of an array that depend on the state left by the parts before them. Threads take the parts in order. Each
 * thread does the work that is independent of the state, waits for its turn, reads the state and updates it for the
 * next part, and then finishes its part. Only the short middle section is sequential. The part size and the
 * assignment of parts to threads do not change the results. */
#ifndef WEFT_CPU_RELAY_H
#define WEFT_CPU_RELAY_H

#include "cpu/runtime/parallel.h"

#include <stdatomic.h>

/* turn: number of the part whose thread may access the shared state. */
typedef struct relay {
    atomic_size_t turn;
} relay;

/* Calls part(self, i, turns) for each i < parts, started in ascending order, on several threads. Either every call
 * must wait for its turn and pass it on, or none. If the call is cancelled, no further parts start, so no thread
 * waits for ever. */
void relay_run(int threads, size_t parts, void (*part)(void *self, size_t i, relay *turns), void *self);

void relay_wait(relay *turns, size_t i);
void relay_pass(relay *turns, size_t i);

#endif
