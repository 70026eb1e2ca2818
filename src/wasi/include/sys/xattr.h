/* Extended attributes of files for WASI, which has none. */
#ifndef WEFT_WASI_XATTR_H
#define WEFT_WASI_XATTR_H

#include <errno.h>
#include <sys/types.h>

static inline ssize_t getxattr(const char *path, const char *name, void *value, size_t bytes) {
    return (void)path, (void)name, (void)value, (void)bytes, errno = ENOTSUP, -1;
}
static inline int fsetxattr(int descriptor, const char *name, const void *value, size_t bytes, int flags) {
    return (void)descriptor, (void)name, (void)value, (void)bytes, (void)flags, errno = ENOTSUP, -1;
}
static inline int fremovexattr(int descriptor, const char *name) {
    return (void)descriptor, (void)name, errno = ENOTSUP, -1;
}

#endif
