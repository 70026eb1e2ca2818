/* Parts of an array that depend on what the parts before them have left. Threads take the parts in order; each does
 * what it can alone, waits for its turn, takes what was left and leaves its own for the next, and then has all it
 * needs. So only the short middle goes one thread after the other. How large parts are and which thread takes which
 * is free. */
#ifndef WEFT_CPU_RELAY_H
#define WEFT_CPU_RELAY_H

#include "cpu/parallel.h"

#include <stdatomic.h>

/* The thread that has part number `turn` may use what the parts before it have left. */
typedef struct relay {
    atomic_size_t turn;
} relay;

/* Calls part(job, i, turns) for each i < parts, in this order, on several threads. Either every call waits for its
 * turn and passes it on, or none. When the call is cancelled no further parts begin, so that nobody waits for ever.
 */
void relay_run(int threads, size_t parts, void (*part)(void *job, size_t i, relay *turns), void *job);

void relay_wait(relay *turns, size_t i);
void relay_pass(relay *turns, size_t i);

#endif
