/* Clock, medians, options and errors of the benchmarks of a CPU. */
#ifndef WEFT_BENCH_CPU_TIMING_H
#define WEFT_BENCH_CPU_TIMING_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Returns true if `name` is the value of an option --only, or if there is no such option. */
static inline bool selected(const char *name, int argc, char **argv) {
    bool any = false;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--only") != 0) continue;
        if (strcmp(argv[i + 1], name) == 0) return true;
        any = true;
    }
    return !any;
}

/* Prints the program, what failed and why, and ends the program. */
static inline _Noreturn void stop(const char *what, const char *why) {
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, why);
    exit(1);
}

#endif
