/* Scheduling for WASI: one core, whose number is not known. */
#ifndef WEFT_WASI_SCHED_H
#define WEFT_WASI_SCHED_H

#include_next <sched.h>
#include <stdlib.h>

typedef int cpu_set_t;
#define CPU_ALLOC(cores) ((cpu_set_t *)malloc(sizeof(cpu_set_t)))
#define CPU_ALLOC_SIZE(cores) sizeof(cpu_set_t)
#define CPU_FREE(set) free(set)
#define CPU_COUNT_S(size, set) (*(set))

static inline int sched_getcpu(void) { return -1; }
static inline int sched_getaffinity(int process, size_t size, cpu_set_t *set) {
    (void)process, (void)size;
    *set = 1;
    return 0;
}

#endif
