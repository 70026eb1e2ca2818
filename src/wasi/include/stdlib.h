/* Temporary files for WASI, whose C library has none. */
#ifndef WEFT_WASI_STDLIB_H
#define WEFT_WASI_STDLIB_H

#include <errno.h>
#include <fcntl.h>
#include_next <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Replaces the last six characters of the name by digits, so that no file has the name, and creates it. */
static inline int mkostemp(char *name, int flags) {
    enum { DIGITS = 6, TRIES = 1000000 };
    char *const digits = name + strlen(name) - DIGITS;
    for (int i = 0; i < TRIES; i++) {
        for (int j = DIGITS, rest = i; j-- > 0; rest /= 10) digits[j] = (char)('0' + rest % 10);
        const int descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | flags, 0600);
        if (descriptor >= 0 || errno != EEXIST) return descriptor;
    }
    return -1;
}
static inline int mkstemp(char *name) { return mkostemp(name, 0); }
static inline char *mkdtemp(char *name) { return (void)name, errno = ENOSYS, (char *)0; }

#endif
