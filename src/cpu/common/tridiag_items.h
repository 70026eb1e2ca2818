/* Work items of the solvers of systems with bands, and addresses in their arrays. */
#ifndef WEFT_CPU_TRIDIAG_ITEMS_H
#define WEFT_CPU_TRIDIAG_ITEMS_H

#include "cpu/runtime/parallel.h"

/* One item of a step of the solver. Threads are numbered from 0. */
typedef void tridiag_item(const void *step, size_t i, size_t thread);

typedef struct tridiag_items {
    const void *step;
    tridiag_item *item;
    bool alone;
} tridiag_items;

static void tridiag_run_item(void *items, size_t i) {
    const tridiag_items *s = items;
    s->item(s->step, i, s->alone ? 0 : (size_t)cpu_thread_number());
}

/* Runs item(step, i, thread) for i < count. `bytes`: size of the rows of all items. */
static inline void tridiag_for_each(int threads, size_t count, size_t bytes, tridiag_item *item, const void *step) {
    const int used = cpu_threads_for(threads, bytes);
    tridiag_items items = {step, item, used == 1};
    cpu_parallel_for(used, count, PARALLEL_RANGES, tridiag_run_item, &items);
}

/* Returns the address of element `index` of p, or NULL if p is NULL. */
static inline void *tridiag_at(const void *p, size_t index, size_t size) {
    return p ? (char *)p + index * size : NULL;
}

#endif
