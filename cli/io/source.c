#include "cli/io/source.h"
#include "cli/io/npy/npy_header.h"
#include "cli/io/record.h"
#include "cli/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FIRST_CHUNK = 1 << 16 };

bool source_open(const char *path, source *s, struct stat *st, npy_error *error) {
    const bool standard = strcmp(path, "-") == 0;
    *s = (source){.fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)};
    if (s->fd < 0) return npy_fail(error, "cannot be opened: %s", strerror(errno));
    if (fstat(s->fd, st) != 0) return npy_fail(error, "cannot be examined: %s", strerror(errno));
    if (S_ISDIR(st->st_mode)) return npy_fail(error, "is a directory: expected a .npy file");
    return record_input(path, s->fd, error);
}

bool source_is_ordinary(const char *path) {
    struct stat st;
    return (strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &st) : stat(path, &st)) == 0 && S_ISREG(st.st_mode);
}

bool source_map(const char *path, source *s, npy_error *error) {
    struct stat st = {0};
    if (!source_open(path, s, &st, error)) return false;
    if (!S_ISREG(st.st_mode) || st.st_size <= 0 || lseek(s->fd, 0, SEEK_CUR) != 0) return true;
    if ((uintmax_t)st.st_size > PTRDIFF_MAX)
        return npy_fail(error, "is too large for the address space of this machine");
    void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, s->fd, 0);
    if (p == MAP_FAILED) return true;
    *s = (source){.fd = s->fd, .mapped = true, .p = p, .bytes = (size_t)st.st_size};
    return true;
}

void source_close(source *s) {
    if (s->fd > STDIN_FILENO) close(s->fd);
    if (s->mapped)
        munmap(s->p, s->bytes);
    else
        free(s->p);
}

/* Doubles the buffer, up to `wanted` bytes. */
static bool grow(source *s, size_t wanted, npy_error *error) {
    size_t capacity = s->capacity < FIRST_CHUNK ? FIRST_CHUNK : s->capacity > wanted / 2 ? wanted : s->capacity * 2;
    void *p = realloc(s->p, capacity);
    if (!p) return npy_fail(error, "cannot allocate memory for %zu bytes of it", capacity);
    s->p = p;
    s->capacity = capacity;
    return true;
}

bool source_want(source *s, size_t wanted, npy_error *error) {
    while (!s->mapped && s->bytes < wanted) {
        if (s->bytes == s->capacity && !grow(s, wanted, error)) return false;
        const size_t capacity = s->capacity < wanted ? s->capacity - s->bytes : wanted - s->bytes;
        const ssize_t got = read(s->fd, s->p + s->bytes, capacity < SSIZE_MAX ? capacity : SSIZE_MAX);
        if (got < 0 && errno == EINTR && !signals_caught()) continue;
        if (got < 0) return npy_fail(error, "cannot be read: %s", strerror(errno));
        if (got == 0) break;
        s->bytes += (size_t)got;
    }
    return true;
}

bool source_read_all(source *s, npy_error *error) {
    if (!source_want(s, PTRDIFF_MAX, error)) return false;
    return s->bytes < PTRDIFF_MAX || npy_fail(error, "is too large for the address space of this machine");
}
