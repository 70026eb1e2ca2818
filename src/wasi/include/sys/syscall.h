/* System calls for WASI: none. */
#ifndef WEFT_WASI_SYSCALL_H
#define WEFT_WASI_SYSCALL_H

#include <errno.h>

#define SYS_futex 0

static inline long syscall(long number, ...) {
    (void)number;
    errno = ENOSYS;
    return -1;
}

#endif
