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

bool file_put(const file_writer *w, const void *data, size_t bytes, npy_error *error) {
    const char *p = data;
    while (bytes) {
        const ssize_t put = write(w->descriptor, p, bytes < SSIZE_MAX ? bytes : SSIZE_MAX);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return npy_fail(error, "cannot be written: %s", strerror(errno));
        p += put;
        bytes -= (size_t)put;
    }
    return true;
}

/* mkstemp gives a file to its owner alone; this one is to be like any other. */
static bool take_usual_mode(int fd) {
    const mode_t mask = umask(0);
    umask(mask);
    return fchmod(fd, 0666 & ~mask) == 0;
}

/* Of the files that are being written, the one begun last: a command writes one after the other. */
static char *volatile unfinished;

void file_abandon(void) {
    if (unfinished) unlink(unfinished);
}

bool file_is_output(const char *path) { return path && strcmp(path, "-") == 0; }

static void forget(file_writer *w) {
    unfinished = NULL;
    free(w->target);
    free(w->temporary);
    *w = (file_writer){.descriptor = -1};
}

static bool begin_beside(file_writer *w, const char *path, npy_error *error) {
    w->target = strdup(path);
    w->temporary = malloc(strlen(path) + sizeof ".XXXXXX");
    if (w->target && w->temporary) {
        sprintf(w->temporary, "%s.XXXXXX", path);
        w->descriptor = mkstemp(w->temporary);
        if (w->descriptor >= 0) {
            unfinished = w->temporary;
            return true;
        }
    }
    npy_fail(error, "cannot be made: %s", strerror(errno));
    forget(w);
    return false;
}

/* A pipe or a device: there is nothing to rename. */
static bool begin_directly(file_writer *w, const char *path, npy_error *error) {
    w->descriptor = open(path, O_WRONLY | O_CLOEXEC);
    return w->descriptor >= 0 || npy_fail(error, "cannot be opened: %s", strerror(errno));
}

bool file_begin(file_writer *w, const char *path, npy_error *error) {
    struct stat st;
    char target[PATH_MAX];
    *w = (file_writer){.descriptor = STDOUT_FILENO};
    if (strcmp(path, "-") == 0) return true;
    if (stat(path, &st) != 0) return begin_beside(w, path, error);
    if (S_ISDIR(st.st_mode)) return npy_fail(error, "is a directory");
    if (!S_ISREG(st.st_mode)) return begin_directly(w, path, error);
    /* A link stays; what it points to is replaced. */
    if (!realpath(path, target)) return npy_fail(error, "cannot be examined: %s", strerror(errno));
    return begin_beside(w, target, error);
}

/* close may be the first to tell that something was not written. */
bool file_end(file_writer *w, bool keep, npy_error *error) {
    bool kept = keep;
    if (kept && w->target && (!take_usual_mode(w->descriptor) || fsync(w->descriptor) != 0))
        kept = npy_fail(error, "cannot be written: %s", strerror(errno));
    if (w->descriptor != STDOUT_FILENO && close(w->descriptor) != 0 && kept)
        kept = npy_fail(error, "cannot be written: %s", strerror(errno));
    if (kept && w->target && rename(w->temporary, w->target) != 0)
        kept = npy_fail(error, "cannot be made: %s", strerror(errno));
    if (!kept && w->temporary) unlink(w->temporary);
    forget(w);
    return kept;
}

static bool put_all(const file_writer *w, const file_source *source, npy_error *error) {
    for (file_part piece;;) {
        if (!source->next(source->self, &piece, error)) return false;
        if (piece.bytes == 0) return true;
        if (!file_put(w, piece.data, piece.bytes, error)) return false;
    }
}

bool file_write_from(const char *path, const file_source *source, npy_error *error) {
    file_writer w;
    if (!file_begin(&w, path, error)) return false;
    const bool put = put_all(&w, source, error);
    return file_end(&w, put, error) && put;
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
