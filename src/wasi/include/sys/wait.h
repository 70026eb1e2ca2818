/* Child processes for WASI, which has none. */
#ifndef WEFT_WASI_WAIT_H
#define WEFT_WASI_WAIT_H

#include <errno.h>
#include <sys/types.h>

#define WIFEXITED(status) ((status) == 0)
#define WEXITSTATUS(status) (status)
#define WIFSIGNALED(status) ((status) != 0)
#define WTERMSIG(status) (status)

static inline pid_t waitpid(pid_t child, int *status, int options) {
    return (void)child, (void)status, (void)options, errno = ECHILD, -1;
}
static inline int kill(pid_t process, int number) { return (void)process, (void)number, errno = ENOSYS, -1; }

#endif
