/* Atomic file output: a file appears complete or not at all. */
#ifndef WEFT_CLI_FILE_H
#define WEFT_CLI_FILE_H

#include "cli/cli.h"
#include "cli/io/npy/npy.h"

#include <limits.h>
#include <sys/stat.h>

/* One chunk of the data to write. */
typedef struct file_part {
    const void *data;
    size_t bytes;
    size_t size; /* of an element of numbers, which are written in little-endian byte order; otherwise 1 */
} file_part;

/* Source of the data to write. `next` returns the next chunk in *chunk, which has 0 bytes at the end. On failure it
 * returns false and writes a sentence to `error`. A chunk must stay valid until the next call. */
typedef struct file_source {
    bool (*next)(void *self, file_part *chunk, npy_error *error);
    void *self;
    unsigned long long bytes; /* total of all chunks */
} file_source;

/* State of a file that is being written. */
typedef struct file_writer {
    int descriptor;
    char *target;    /* final name of `temporary`; NULL: the target is written directly */
    char *temporary; /* path of the temporary file, in the target's directory */
    bool replaces;   /* a file called `target` exists; `replaced` is its state */
    struct stat replaced;
} file_writer;

/* Begins writing `bytes` bytes to the file at `path`, or to standard output for "-". A regular file is written under
 * a temporary name in the target's directory, readable by its owner only; its file system must have enough free
 * space. A symbolic link is kept: its target is written, whether or not that exists. Returns true if file_end must be
 * called. Otherwise writes a sentence to `error`. */
bool file_begin(file_writer *w, const char *path, unsigned long long bytes, npy_error *error);
bool file_put(const file_writer *w, const void *data, size_t bytes, npy_error *error);
/* Writes the numbers of a chunk, on every machine in little-endian byte order. */
bool file_put_part(const file_writer *w, const file_part *chunk, npy_error *error);
/* If `keep` is true, flushes the file to disk and renames it to its target. It takes over the target's owner, group,
 * mode and access control list as far as permitted; no user gains access. If `keep` is false, or after a failure, the
 * temporary file is removed and the target stays unchanged. */
bool file_end(file_writer *w, bool keep, npy_error *error);

/* Creates a temporary file that is readable by its owner only. A signal that ends the process removes it, until
 * file_release is called. If `unique` is true, `name` must end in XXXXXX, which is replaced. Otherwise the file is
 * called `name`; an existing file is truncated. Returns the descriptor, or -1 and sets errno. At most one such file
 * can exist at a time. */
int file_make_temporary(char *name, bool unique);
void file_release(void);

/* Resolves symbolic links starting at `path`. `target` receives the first name that is not a link; it need not exist.
 */
bool file_follow_links(const char *path, char target[PATH_MAX], npy_error *error);
/* Copies the access rights of the file at `path`, whose state is `old`, to the new file that will replace it. */
bool file_keep_access(int descriptor, const char *path, const struct stat *old);
/* Gives the new file, so far readable by its owner only, the mode that files get by default. */
bool file_take_usual_mode(int descriptor);
/* Returns true if the file system of an open file has space for `bytes` more bytes. */
bool file_has_space(int descriptor, unsigned long long bytes, npy_error *error);

/* Returns true if `path` is "-" (standard output). `path` may be NULL. */
bool file_is_output(const char *path);
/* Returns true if the binary result of `option` may be written to `to`, which may be NULL. Prints the error if `to`
 * is standard output and that is a terminal or --json prints to it. */
bool file_takes_result(const cli_options *options, const char *command, const char *option, const char *to);

/* Writes the parts in sequence to the file at `path`, or to standard output for "-", by file_begin and file_end.
 * Returns false and writes a sentence to `error` on failure. */
bool file_write(const char *path, const file_part *parts, size_t count, npy_error *error);
/* Writes the chunks of a source in the way of file_write. */
bool file_write_from(const char *path, const file_source *source, npy_error *error);

#endif
