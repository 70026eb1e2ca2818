#include "cli/file.h"
#include "cli/npy_header.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_bytes(int fd, const void *data, size_t bytes, npy_error *error) {
    const char *p = data;
    while (bytes) {
        const ssize_t put = write(fd, p, bytes < SSIZE_MAX ? bytes : SSIZE_MAX);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return npy_fail(error, "cannot be written: %s", strerror(errno));
        p += put;
        bytes -= (size_t)put;
    }
    return true;
}

static bool write_all(int fd, const file_source *source, npy_error *error) {
    for (file_part piece;;) {
        if (!source->next(source->self, &piece, error)) return false;
        if (piece.bytes == 0) return true;
        if (!write_bytes(fd, piece.data, piece.bytes, error)) return false;
    }
}

/* close, which may be the first to tell that something was not written. */
static bool close_file(int fd, bool written, npy_error *error) {
    if (close(fd) == 0 || !written) return written;
    return npy_fail(error, "cannot be written: %s", strerror(errno));
}

/* A pipe or a device: there is nothing to rename. */
static bool write_stream(const char *path, const file_source *source, npy_error *error) {
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return npy_fail(error, "cannot be opened: %s", strerror(errno));
    return close_file(fd, write_all(fd, source, error), error);
}

/* mkstemp gives a file to its owner alone; this one is to be like any other. */
static bool take_usual_mode(int fd) {
    const mode_t mask = umask(0);
    umask(mask);
    return fchmod(fd, 0666 & ~mask) == 0;
}

static bool write_beside(const char *path, const file_source *source, npy_error *error) {
    char temporary[PATH_MAX];
    const int length = snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    if (length < 0 || (size_t)length >= sizeof temporary) return npy_fail(error, "the name is too long");
    const int fd = mkstemp(temporary);
    if (fd < 0) return npy_fail(error, "cannot be made: %s", strerror(errno));
    bool written = write_all(fd, source, error);
    if (written && (!take_usual_mode(fd) || fsync(fd) != 0))
        written = npy_fail(error, "cannot be written: %s", strerror(errno));
    written = close_file(fd, written, error);
    if (written && rename(temporary, path) != 0) written = npy_fail(error, "cannot be made: %s", strerror(errno));
    if (!written) unlink(temporary);
    return written;
}

bool file_write_from(const char *path, const file_source *source, npy_error *error) {
    struct stat st;
    char target[PATH_MAX];
    if (strcmp(path, "-") == 0) return write_all(STDOUT_FILENO, source, error);
    if (stat(path, &st) != 0) return write_beside(path, source, error);
    if (S_ISDIR(st.st_mode)) return npy_fail(error, "is a directory");
    if (!S_ISREG(st.st_mode)) return write_stream(path, source, error);
    /* A link stays; what it points to is replaced. */
    if (!realpath(path, target)) return npy_fail(error, "cannot be examined: %s", strerror(errno));
    return write_beside(target, source, error);
}

/* Parts that are still to be written. */
typedef struct part_list {
    const file_part *next, *end;
} part_list;

static bool next_part(void *self, file_part *piece, npy_error *error) {
    part_list *list = self;
    (void)error;
    while (list->next < list->end && list->next->bytes == 0) list->next++;
    *piece = list->next < list->end ? *list->next++ : (file_part){NULL, 0};
    return true;
}

bool file_write(const char *path, const file_part *parts, size_t count, npy_error *error) {
    part_list list = {parts, parts + count};
    return file_write_from(path, &(file_source){next_part, &list}, error);
}
