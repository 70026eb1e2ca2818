/* Clock, medians and errors of the benchmarks of a CPU. */
#ifndef WEFT_BENCH_CPU_TIMING_H
#define WEFT_BENCH_CPU_TIMING_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Returns the time in seconds since an arbitrary start. */
static inline double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline int compare_times(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the times, count >= 1, and returns the median. */
static inline double median_of(double *times, int count) {
    qsort(times, (size_t)count, sizeof *times, compare_times);
    return times[count / 2];
}

/* Prints the program, what failed and why, and ends the program. */
static inline _Noreturn void stop(const char *what, const char *why) {
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, why);
    exit(1);
}

#endif
