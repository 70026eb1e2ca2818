/* Files that are there in whole or not at all. */
#ifndef WEFT_CLI_FILE_H
#define WEFT_CLI_FILE_H

#include "cli/npy.h"

/* A piece of what is to be written. */
typedef struct file_part {
    const void *data;
    size_t bytes;
} file_part;

/* What is to be written, piece by piece: `next` gives the next one, of 0 bytes at the end; or it returns false and
 * leaves a sentence in `error`. A piece must last until the next one is asked for. */
typedef struct file_source {
    bool (*next)(void *self, file_part *piece, npy_error *error);
    void *self;
} file_source;

/* A file that is being written. */
typedef struct file_writer {
    int descriptor;
    char *target;    /* what `temporary` is renamed to; NULL: it is written to directly */
    char *temporary; /* beside the target */
} file_writer;

/* Begins the file at `path`, or standard output for "-": beside it, where it is to be an ordinary file. file_end is
 * due when it returns true; else there is a sentence in `error`. */
bool file_begin(file_writer *w, const char *path, npy_error *error);
bool file_put(const file_writer *w, const void *data, size_t bytes, npy_error *error);
/* With `keep`: brings the file to the disk and under its name. Without, or when that fails, nothing is left of it,
 * and the file that was there before stays. */
bool file_end(file_writer *w, bool keep, npy_error *error);

/* Removes what file_begin has begun and file_end has not ended: for a process that ends at once, in a signal handler.
 */
void file_abandon(void);

/* Whether `path`, which may be NULL, is "-": standard output. */
bool file_is_output(const char *path);

/* Writes the parts one behind another to the file at `path`, or to standard output for "-": beside it, brought to the
 * disk, and renamed to it; what is no ordinary file (a pipe, a device) is written to. Returns false and leaves a
 * sentence in `error` when it could not be; then the file is what it was. */
bool file_write(const char *path, const file_part *parts, size_t count, npy_error *error);
/* The same of what a source gives. */
bool file_write_from(const char *path, const file_source *source, npy_error *error);

#endif
