/* Processes, owners of files and properties of the machine for WASI, which has none. */
#ifndef WEFT_WASI_UNISTD_H
#define WEFT_WASI_UNISTD_H

#include <errno.h>
#include_next <unistd.h>

/* sysconf() does not know these numbers, and returns -1. */
#define _SC_LEVEL1_DCACHE_SIZE 10001
#define _SC_LEVEL2_CACHE_SIZE 10002
#define _SC_LEVEL3_CACHE_SIZE 10003

static inline int dup(int descriptor) { return (void)descriptor, errno = ENOSYS, -1; }
static inline int dup2(int from, int to) { return (void)from, (void)to, errno = ENOSYS, -1; }
static inline int pipe(int ends[2]) { return (void)ends, errno = ENOSYS, -1; }
static inline pid_t getppid(void) { return 0; }
static inline pid_t fork(void) { return errno = ENOSYS, -1; }
static inline int execvp(const char *path, char *const *words) { return (void)path, (void)words, errno = ENOSYS, -1; }
static inline int fchown(int descriptor, uid_t user, gid_t group) {
    return (void)descriptor, (void)user, (void)group, 0;
}
static inline int pause(void) { return errno = EINTR, -1; }

#endif
