/* Limits of resources for WASI, which has none. */
#ifndef WEFT_WASI_RESOURCE_H
#define WEFT_WASI_RESOURCE_H

#include_next <sys/resource.h>

#define RLIM_INFINITY (~0ull)
#define RLIMIT_CORE 4
#define RLIMIT_AS 9
typedef unsigned long long rlim_t;
struct rlimit {
    rlim_t rlim_cur, rlim_max;
};

static inline int getrlimit(int resource, struct rlimit *limit) { return (void)resource, (void)limit, -1; }
static inline int setrlimit(int resource, const struct rlimit *limit) { return (void)resource, (void)limit, -1; }

#endif
