/* Number of threads of a call. parallel.c measures how long sleeping threads take to wake; thread_count.c derives
 * from it how much work a thread needs. */
#ifndef WEFT_CPU_THREAD_COUNT_H
#define WEFT_CPU_THREAD_COUNT_H

#include <stdbool.h>
#include <stdint.h>

enum { SPIN = 30 * 1000 }; /* nanoseconds that a thread spins before it sleeps */

/* Returns true if no further wakes need to be measured. */
bool thread_count_is_known(void);

/* Adds a measured wake: the nanoseconds from the start of a region until the first sleeping thread joined it. */
void thread_count_add_wake(int64_t nanoseconds);

/* Must be called when a region of pool threads has ended at time `now`. */
void thread_count_end_region(int64_t now);

/* Must be called in a child process after fork(). */
void thread_count_forget(void);

#endif
