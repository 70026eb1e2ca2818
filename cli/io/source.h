/* Bytes of an input file or of standard input: mapped, or read as far as they are needed. */
#ifndef WEFT_CLI_SOURCE_H
#define WEFT_CLI_SOURCE_H

#include "cli/io/npy/npy.h"

#include <sys/stat.h>

/* Bytes [0, bytes) of the file are at p. If `mapped` is true, these are all bytes of the file. Otherwise more may be
 * read from fd. */
typedef struct source {
    int fd;
    bool mapped;
    unsigned char *p;
    size_t bytes, capacity;
} source;

/* Opens the file at `path`, or standard input for "-", and gets its state. Returns false and writes a sentence to
 * `error` if it cannot be opened. source_close must be called in any case. */
bool source_open(const char *path, source *s, struct stat *st, npy_error *error);
/* Returns true if `path` is a regular file, whose size is known. */
bool source_is_ordinary(const char *path);
/* Opens the file and maps it if possible, that is, if it is a regular file read from its beginning. */
bool source_map(const char *path, source *s, npy_error *error);
void source_close(source *s);

/* Reads until `wanted` bytes are available or the file ends; `s->bytes` is then the number of available bytes. */
bool source_want(source *s, size_t wanted, npy_error *error);
/* Reads to the end of the file. */
bool source_read_all(source *s, npy_error *error);

#endif
