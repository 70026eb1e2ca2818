/* Threads of the backend "cpu". All work that runs on more than one thread goes through this file.
 *
 * A region is `count` numbered items that several threads share. The calling thread always takes part. Threads of a
 * process-wide pool join while items are left. A region therefore completes without any pool thread: if a thread
 * cannot be created, if another call uses the pool, or if other processes occupy the cores, fewer threads process
 * all items. The number of threads and the assignment of items to threads do not change the results.
 *
 * If the context has an executor (weft_set_executor), its tasks replace the pool threads. The calling thread takes
 * part after the executor has returned. */
#ifndef WEFT_CPU_PARALLEL_H
#define WEFT_CPU_PARALLEL_H

#include "cpu/runtime/cpu.h"

/* State of one thread of a region. */
typedef struct parallel parallel;

/* Order in which items are assigned. */
typedef enum parallel_order {
    PARALLEL_RANGES,  /* each thread starts in its own range and then takes items of other ranges */
    PARALLEL_IN_ORDER /* all threads take items in ascending order */
} parallel_order;

/* Runs work(self, p) on the calling thread and on at most threads - 1 others; returns when all of them have
 * returned. With an executor, runs it in at most `threads` tasks. `work` must obtain the items from parallel_next. If
 * the call is cancelled (weft_set_progress), items may be skipped. An item of a one-thread region may start
 * multi-thread regions; an item of any other region may start only one-thread regions. */
void cpu_parallel(int threads, size_t count, parallel_order order, void (*work)(void *self, parallel *p), void *self);

/* Assigns the next unclaimed item to the calling thread. Returns false if no item is left or the call is
 * cancelled. */
bool parallel_next(parallel *p, size_t *item);

/* Runs body(self, item) for every item, as cpu_parallel does. */
void cpu_parallel_for(int threads, size_t count, parallel_order order, void (*body)(void *self, size_t item),
                      void *self);

/* Returns the number of threads for work on `bytes` bytes: at most `most`, and 1 if starting a second thread costs
 * more than it gains. Two calls with equal arguments can return different numbers. Therefore parts and workspace that
 * depend on the number must use one result.
 *
 * An operation that reads or writes more than 8 bytes per nanosecond passes a fraction of its bytes, for example half
 * of them in a transform. One that computes for longer passes a multiple. A search passes 8 bytes for each query, a
 * matrix product half a byte for each product of two elements, and a reduction by index 2 bytes for each element. */
int cpu_threads_for(int most, size_t bytes);

/* Returns the number of threads for a reduction of `bytes` bytes, which one thread reads from its caches at 100 bytes
 * per nanosecond. */
int cpu_threads_for_reading(int most, size_t bytes);

/* Returns the number of the calling thread, or of its task of the executor, in its region: at most threads - 1.
 * Threads that work on the region at the same time have different numbers. Outside a region it is 0. */
int cpu_thread_number(void);

/* Returns true if the call is cancelled. On the thread that made the call, invokes the callback if it is due. For
 * loops that can run longer than a few milliseconds between two items. */
bool cpu_cancelled(void);

/* Sets the number of regions of the call, from which its progress is computed. */
void cpu_plan_regions(size_t regions);

#endif
