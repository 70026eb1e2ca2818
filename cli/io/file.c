#include "cli/io/file.h"
#include "cli/io/npy/npy_header.h"
#include "cli/io/record.h"
#include "cli/signals.h"
#include "core/byte_order.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
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

bool file_put_part(const file_writer *w, const file_part *chunk, npy_error *error) {
    char part[1 << 14];
    const char *p = chunk->data;
    if (!is_big_endian() || chunk->size == 1) return file_put(w, p, chunk->bytes, error);
    for (size_t left = chunk->bytes, bytes; left > 0; left -= bytes, p += bytes) {
        bytes = left < sizeof part ? left : sizeof part;
        memcpy(part, p, bytes);
        bytes_reverse(part, bytes / chunk->size, chunk->size);
        if (!file_put(w, part, bytes, error)) return false;
    }
    return true;
}

/* ------------------------------------------------------------------- the temporary file */

/* Name of the temporary file. It is read by a signal handler, which may run in any thread. */
static char unfinished[PATH_MAX];
static enum { NONE, BEING_MADE, MADE } _Atomic state;

/* Removes the temporary file; called from a signal handler. */
static void abandon(void) {
    while (state == BEING_MADE) { /* another thread, which has blocked signals, is creating the file */
    }
    if (state == MADE) unlink(unfinished);
}

static int open_temporary(char *name, bool unique) {
    if (strlen(name) < sizeof unfinished)
        return unique ? mkostemp(name, O_CLOEXEC) : open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    errno = ENAMETOOLONG;
    return -1;
}

int file_make_temporary(char *name, bool unique) {
    sigset_t all, before;
    signals_cleanup(abandon);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    state = BEING_MADE;
    const int fd = open_temporary(name, unique);
    if (fd >= 0) memcpy(unfinished, name, strlen(name) + 1);
    state = fd >= 0 ? MADE : NONE;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return fd;
}

void file_release(void) { state = NONE; }

bool file_follow_links(const char *path, char target[PATH_MAX], npy_error *error) {
    enum { MOST_LINKS = 40 };
    char link[PATH_MAX];
    if (strlen(path) >= PATH_MAX) return npy_fail(error, "cannot be created: %s", strerror(ENAMETOOLONG));
    memcpy(target, path, strlen(path) + 1);
    for (int i = 0; i < MOST_LINKS; i++) {
        const ssize_t length = readlink(target, link, sizeof link);
        if (length < 0) return true;
        const char *slash = strrchr(target, '/');
        const size_t folder = slash && link[0] != '/' ? (size_t)(slash - target) + 1 : 0;
        if (folder + (size_t)length >= PATH_MAX) break;
        memcpy(target + folder, link, (size_t)length);
        target[folder + (size_t)length] = '\0';
    }
    return npy_fail(error, "cannot be created: %s", strerror(ELOOP));
}

bool file_has_space(int descriptor, unsigned long long bytes, npy_error *error) {
    struct statvfs system;
    if (fstatvfs(descriptor, &system) != 0 || system.f_blocks == 0)
        return true; /* the file system does not report its size */
    const unsigned long long available = (unsigned long long)system.f_bavail * system.f_frsize;
    return bytes <= available ||
           npy_fail(error, "requires %llu bytes, but its file system has %llu free", bytes, available);
}

/* ------------------------------------------------------------------------ access rights */

bool file_take_usual_mode(int fd) {
    const mode_t mask = umask(0);
    umask(mask);
    return fchmod(fd, 0666 & ~mask) == 0;
}

/* Copies the POSIX access control list of the replaced file, if it has one. Returns false if that failed. */
static bool keep_list(int fd, const char *path) {
    static const char name[] = "system.posix_acl_access";
    char list[4096];
    const ssize_t length = getxattr(path, name, list, sizeof list);
    if (length > 0 && fsetxattr(fd, name, list, (size_t)length, 0) == 0) return true;
    const bool none = length < 0 && errno != ERANGE;
    (void)fremovexattr(fd, name); /* a list that the directory gives to new files */
    return none;
}

/* If the group cannot be kept, neither the new group nor the members of the old group may gain access. Both group and
 * others then get the intersection of their permissions. */
bool file_keep_access(int descriptor, const char *path, const struct stat *old) {
    struct stat own;
    mode_t mode = old->st_mode & 0777;
    if (fstat(descriptor, &own) != 0) return false;
    const bool group = (own.st_uid == old->st_uid && own.st_gid == old->st_gid) ||
                       fchown(descriptor, old->st_uid, old->st_gid) == 0 ||
                       fchown(descriptor, (uid_t)-1, old->st_gid) == 0;
    if (!group) mode = (mode & 0700) | (mode & mode >> 3 & 07) * 011;
    if (!keep_list(descriptor, path)) mode &= 0700;
    return fchmod(descriptor, mode) == 0;
}

/* --------------------------------------------------------------------- begin and end */

bool file_is_output(const char *path) { return path && strcmp(path, "-") == 0; }

bool file_takes_result(const cli_options *options, const char *command, const char *option, const char *to) {
    if (!file_is_output(to)) return true;
    if (options->json)
        cli_error(command, "--json cannot be combined with %s -: both write to standard output", option);
    else if (isatty(STDOUT_FILENO))
        cli_error(
            command,
            "%s -: the result is binary and standard output is a terminal: %s must name a file, or standard output "
            "must be redirected",
            option, option);
    else
        return true;
    return false;
}

static void forget(file_writer *w) {
    file_release();
    free(w->target);
    free(w->temporary);
    *w = (file_writer){.descriptor = -1};
}

static void discard(file_writer *w) {
    if (w->descriptor != STDOUT_FILENO) close(w->descriptor);
    if (w->temporary) unlink(w->temporary);
    forget(w);
}

static bool begin_temporary(file_writer *w, const char *path, npy_error *error) {
    w->target = strdup(path);
    w->temporary = malloc(strlen(path) + sizeof ".XXXXXX");
    if (w->target && w->temporary) {
        sprintf(w->temporary, "%s.XXXXXX", path);
        w->descriptor = file_make_temporary(w->temporary, true);
        if (w->descriptor >= 0) return true;
    }
    npy_fail(error, "cannot be created: %s", strerror(errno));
    forget(w);
    return false;
}

/* Opens a pipe or a device, which is not renamed at the end. */
static bool begin_directly(file_writer *w, const char *path, npy_error *error) {
    w->descriptor = open(path, O_WRONLY | O_CLOEXEC);
    return w->descriptor >= 0 || npy_fail(error, "cannot be opened: %s", strerror(errno));
}

/* Begins a file in the folder for temporary files, which is only hashed. */
static bool begin_scratch(file_writer *w, npy_error *error) {
    const char *const folder = getenv("TMPDIR");
    char path[PATH_MAX - 16];
    const int length = snprintf(path, sizeof path, "%s/weft", folder && *folder ? folder : "/tmp");
    return (length < (int)sizeof path && begin_temporary(w, path, error)) ||
           npy_fail(error, "no temporary file can be created in the folder TMPDIR");
}

bool file_begin(file_writer *w, const char *path, unsigned long long bytes, npy_error *error) {
    char target[PATH_MAX];
    struct stat st;
    *w = (file_writer){.descriptor = STDOUT_FILENO};
    if (!record_output_begin(path, error)) return false;
    if (record_get()->mode == RECORD_DISCARD) return begin_scratch(w, error);
    if (strcmp(path, "-") == 0) return true;
    const bool exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode)) return npy_fail(error, "is a directory");
    if (exists && !S_ISREG(st.st_mode)) return begin_directly(w, path, error);
    if (!file_follow_links(path, target, error) || !begin_temporary(w, target, error)) return false;
    w->replaces = exists;
    if (exists) w->replaced = st;
    if (file_has_space(w->descriptor, bytes, error)) return true;
    discard(w);
    return false;
}

static bool finish_temporary(const file_writer *w, npy_error *error) {
    const bool fine =
        w->replaces ? file_keep_access(w->descriptor, w->target, &w->replaced) : file_take_usual_mode(w->descriptor);
    return (fine && fsync(w->descriptor) == 0) || npy_fail(error, "cannot be written: %s", strerror(errno));
}

/* Checks close, which may be the first call to report a write error. */
bool file_end(file_writer *w, bool keep, npy_error *error) {
    bool kept = keep;
    if (kept) kept = record_output_end(w->descriptor, error);
    const bool scratch = record_get()->mode == RECORD_DISCARD;
    if (kept && w->target && !scratch) kept = finish_temporary(w, error);
    if (w->descriptor != STDOUT_FILENO && close(w->descriptor) != 0 && kept)
        kept = npy_fail(error, "cannot be written: %s", strerror(errno));
    if (kept && w->target && !scratch && rename(w->temporary, w->target) != 0)
        kept = npy_fail(error, "cannot be created: %s", strerror(errno));
    if ((!kept || scratch) && w->temporary) unlink(w->temporary);
    forget(w);
    return kept;
}

static bool put_all(const file_writer *w, const file_source *source, npy_error *error) {
    for (file_part chunk;;) {
        if (!source->next(source->self, &chunk, error)) return false;
        if (chunk.bytes == 0) return true;
        if (!file_put_part(w, &chunk, error)) return false;
    }
}

bool file_write_from(const char *path, const file_source *source, npy_error *error) {
    file_writer w;
    if (!file_begin(&w, path, source->bytes, error)) return false;
    const bool put = put_all(&w, source, error);
    return file_end(&w, put, error) && put;
}

/* Remaining parts to write. */
typedef struct part_list {
    const file_part *next, *end;
} part_list;

static bool next_part(void *self, file_part *chunk, npy_error *error) {
    part_list *list = self;
    (void)error;
    while (list->next < list->end && list->next->bytes == 0) list->next++;
    *chunk = list->next < list->end ? *list->next++ : (file_part){NULL, 0, 1};
    return true;
}

bool file_write(const char *path, const file_part *parts, size_t count, npy_error *error) {
    part_list list = {parts, parts + count};
    unsigned long long bytes = 0;
    for (size_t i = 0; i < count; i++) bytes += parts[i].bytes;
    return file_write_from(path, &(file_source){next_part, &list, bytes}, error);
}
