/* Mapped memory for WASI, which has none: a mapping is memory of the heap, into which a file is read. Pages have no
 * protection. */
#ifndef WEFT_WASI_MMAN_H
#define WEFT_WASI_MMAN_H

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define PROT_NONE 0
#define PROT_READ 1
#define PROT_WRITE 2
#define MAP_PRIVATE 2
#define MAP_ANONYMOUS 0x20
#define MAP_FAILED ((void *)-1)
#define MADV_DONTNEED 4
#define MADV_HUGEPAGE 14
#define MFD_CLOEXEC 0

/* `address` must be NULL, and the mapping private. */
static inline void *mmap(void *address, size_t bytes, int protection, int flags, int descriptor, off_t offset) {
    enum { PAGE = 4096 };
    (void)address, (void)protection;
    if (bytes == 0 || bytes > (size_t)-1 - PAGE) return errno = EINVAL, MAP_FAILED;
    char *const p = aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
    size_t got = 0;
    if (!p) return errno = ENOMEM, MAP_FAILED;
    while (!(flags & MAP_ANONYMOUS) && got < bytes) {
        const ssize_t more = pread(descriptor, p + got, bytes - got, offset + (off_t)got);
        if (more < 0) return free(p), MAP_FAILED;
        if (more == 0) break;
        got += (size_t)more;
    }
    memset(p + got, 0, bytes - got);
    return p;
}
static inline int munmap(void *p, size_t bytes) { return (void)bytes, free(p), 0; }
static inline int mprotect(void *p, size_t bytes, int protection) {
    return (void)p, (void)bytes, (void)protection, 0;
}
static inline int madvise(void *p, size_t bytes, int advice) { return (void)p, (void)bytes, (void)advice, 0; }

/* A file of the folder TMPDIR that has no name any more, in place of one in memory. */
static inline int memfd_create(const char *name, unsigned flags) {
    const char *const folder = getenv("TMPDIR");
    char path[PATH_MAX];
    (void)flags;
    snprintf(path, sizeof path, "%s/%s.XXXXXX", folder && *folder ? folder : "/tmp", name);
    const int descriptor = mkstemp(path);
    if (descriptor >= 0) unlink(path);
    return descriptor;
}

#endif
