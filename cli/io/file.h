/* Files that are there in whole or not at all. */
#ifndef WEFT_CLI_FILE_H
#define WEFT_CLI_FILE_H

#include "cli/cli.h"
#include "cli/io/npy.h"

#include <limits.h>
#include <sys/stat.h>

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
    unsigned long long bytes; /* of all pieces */
} file_source;

/* A file that is being written. */
typedef struct file_writer {
    int descriptor;
    char *target;    /* name that `temporary` gets at the end; NULL: the target is written directly */
    char *temporary; /* in the target's folder */
    bool replaces;   /* there is a file called `target`, of this state */
    struct stat replaced;
} file_writer;

/* Begins the file at `path`, or standard output for "-", which will get `bytes` bytes. An ordinary file is written
 * under a temporary name next to it, readable by its owner alone, if its file system has so much space. Symbolic
 * links stay; their target is written, whether or not it exists. Returns true if file_end is due; else there is a
 * sentence in `error`. */
bool file_begin(file_writer *w, const char *path, unsigned long long bytes, npy_error *error);
bool file_put(const file_writer *w, const void *data, size_t bytes, npy_error *error);
/* With `keep`: brings the file to the disk and renames it to its target, whose owner, group, mode and access list it
 * takes as far as it may; nobody gains access. Without `keep`, or after a failure, the temporary file is removed and
 * the target stays as it was. */
bool file_end(file_writer *w, bool keep, npy_error *error);

/* Makes a temporary file, readable by its owner alone, that a signal that ends the process removes until
 * file_release. Its name is `name`, where a file of that name is emptied; or, with `unique`, `name` ends in XXXXXX,
 * which is replaced. Returns the descriptor, or -1 and sets errno. One at a time. */
int file_make_temporary(char *name, bool unique);
void file_release(void);

/* Follows `path` while it is a symbolic link, up to a name that is none and need not exist. */
bool file_follow_links(const char *path, char target[PATH_MAX], npy_error *error);
/* Gives the new file the access rights of the one at `path`, whose state is `old`, that it will replace. */
bool file_keep_access(int descriptor, const char *path, const struct stat *old);
/* Gives the new file, which is its owner's alone, the mode of any other new file. */
bool file_take_usual_mode(int descriptor);
/* Whether the file system of an open file has space for so many bytes more. */
bool file_has_space(int descriptor, unsigned long long bytes, npy_error *error);

/* Whether `path`, which may be NULL, is "-": standard output. */
bool file_is_output(const char *path);
/* Whether the binary result that `option` names may go to `to`, which may be NULL: prints the error if it is standard
 * output, where that is a terminal or JSON is printed. */
bool file_takes_result(const cli_options *options, const char *command, const char *option, const char *to);

/* Writes the parts one after another to the file at `path`, or to standard output for "-", as file_begin and file_end
 * do. Returns false and leaves a sentence in `error` when that fails. */
bool file_write(const char *path, const file_part *parts, size_t count, npy_error *error);
/* Writes the pieces of a source. */
bool file_write_from(const char *path, const file_source *source, npy_error *error);

#endif
