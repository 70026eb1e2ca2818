/* Properties of the machine. */
#ifndef WEFT_CPU_MACHINE_H
#define WEFT_CPU_MACHINE_H

#include "weft.h"

/* Returns the CPU quota of this process's cgroups in cores, rounded up; 0 if there is none. `root` is put before
 * every path that is read: "", except in tests. */
int cpu_quota(const char *root);
/* Returns the number of cores that this process may use: those of its affinity mask, limited by the quota. */
int cpu_cores(void);
/* Returns the default number of threads: OMP_NUM_THREADS if set, else cpu_cores. */
int cpu_default_threads(void);
/* Fills in the properties of the processor, its caches and the memory. */
void cpu_describe_machine(weft_device_info *info);
/* Returns the size of the level 2 cache of a core, or 0 if the C library does not know it. */
size_t cpu_level2_bytes(void);

#endif
