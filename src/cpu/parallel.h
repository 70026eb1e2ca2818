/* Threads of the backend "cpu". This is the only place where work is spread over threads.
 *
 * A region is `count` numbered items that several threads share. The calling thread always takes part; threads of a
 * pool, which belongs to the process, join as long as items are left. So a region is complete without any of them:
 * where a thread cannot be created, where another call uses the pool, or where the cores are busy with other
 * processes, fewer threads do all of it. How many there are and which thread takes which item changes no bit. */
#ifndef WEFT_CPU_PARALLEL_H
#define WEFT_CPU_PARALLEL_H

#include "cpu/cpu.h"

/* A region as one of its threads sees it. */
typedef struct parallel parallel;

/* How items are given out. */
typedef enum parallel_order {
    PARALLEL_RANGES,  /* each thread starts in a range of its own, and helps with the others' when that is done */
    PARALLEL_IN_ORDER /* one after the other, ascending */
} parallel_order;

/* Runs work(job, p) on the calling thread and on at most threads - 1 others, and returns when all of them have. The
 * items of the region are those that parallel_next gives them. After a cancelled call's callback (weft_set_progress)
 * items may be left out. An item of a region of one thread may contain regions of several, an item of other regions
 * only regions of one thread. */
void cpu_parallel(int threads, size_t count, parallel_order order, void (*work)(void *job, parallel *p), void *job);

/* Gives an item that no other thread has got, and returns false when there is none. */
bool parallel_next(parallel *p, size_t *item);

/* cpu_parallel of a body for each item. */
void cpu_parallel_for(int threads, size_t count, parallel_order order, void (*body)(void *job, size_t item),
                      void *job);

/* Number of the calling thread among those of its region, from 0 (the thread that called) to threads - 1. */
int cpu_thread_number(void);

/* Whether the call is cancelled; asks the callback when that is due and this is the thread that called. For loops
 * that can last longer than some milliseconds between two items. */
bool cpu_cancelled(void);

/* Sets how many regions the call has, so that its progress is known. */
void cpu_plan_regions(size_t regions);

#endif
