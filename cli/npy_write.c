/* Writing .npy: header and elements to a stream, which is a temporary file beside the one that is wanted. */
#include "cli/npy.h"
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

static bool write_array(int fd, weft_dtype dtype, const npy_shape *shape, const void *data, npy_error *error) {
    unsigned char header[NPY_HEADER_ROOM];
    const size_t length = npy_format_header(dtype, shape, header);
    size_t bytes = weft_dtype_size(dtype);
    for (size_t i = 0; i < shape->rank; i++) bytes *= shape->dimensions[i];
    return write_bytes(fd, header, length, error) && write_bytes(fd, data, bytes, error);
}

/* close, which may be the first to tell that something was not written. */
static bool close_file(int fd, bool written, npy_error *error) {
    if (close(fd) == 0 || !written) return written;
    return npy_fail(error, "cannot be written: %s", strerror(errno));
}

/* A pipe or a device: there is nothing to rename. */
static bool write_stream(const char *path, weft_dtype dtype, const npy_shape *shape, const void *data,
                         npy_error *error) {
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return npy_fail(error, "cannot be opened: %s", strerror(errno));
    return close_file(fd, write_array(fd, dtype, shape, data, error), error);
}

/* mkstemp gives a file to its owner alone; this one is to be like any other. */
static bool take_usual_mode(int fd) {
    const mode_t mask = umask(0);
    umask(mask);
    return fchmod(fd, 0666 & ~mask) == 0;
}

static bool write_beside(const char *path, weft_dtype dtype, const npy_shape *shape, const void *data,
                         npy_error *error) {
    char temporary[PATH_MAX];
    const int length = snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    if (length < 0 || (size_t)length >= sizeof temporary) return npy_fail(error, "the name is too long");
    const int fd = mkstemp(temporary);
    if (fd < 0) return npy_fail(error, "cannot be made: %s", strerror(errno));
    bool written = write_array(fd, dtype, shape, data, error);
    if (written && (!take_usual_mode(fd) || fsync(fd) != 0))
        written = npy_fail(error, "cannot be written: %s", strerror(errno));
    written = close_file(fd, written, error);
    if (written && rename(temporary, path) != 0) written = npy_fail(error, "cannot be made: %s", strerror(errno));
    if (!written) unlink(temporary);
    return written;
}

bool npy_write(const char *path, weft_dtype dtype, const npy_shape *shape, const void *data, npy_error *error) {
    struct stat st;
    char target[PATH_MAX];
    if (strcmp(path, "-") == 0) return write_array(STDOUT_FILENO, dtype, shape, data, error);
    if (stat(path, &st) != 0) return write_beside(path, dtype, shape, data, error);
    if (S_ISDIR(st.st_mode)) return npy_fail(error, "is a directory");
    if (!S_ISREG(st.st_mode)) return write_stream(path, dtype, shape, data, error);
    /* A link stays; what it points to is replaced. */
    if (!realpath(path, target)) return npy_fail(error, "cannot be examined: %s", strerror(errno));
    return write_beside(target, dtype, shape, data, error);
}
