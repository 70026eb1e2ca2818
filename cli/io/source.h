/* The bytes of an input file, or of standard input: mapped, or read as far as they are needed. */
#ifndef WEFT_CLI_SOURCE_H
#define WEFT_CLI_SOURCE_H

#include "cli/io/npy.h"

#include <sys/stat.h>

/* Bytes [0, bytes) of the file are at p. `mapped`: all bytes of the file. Otherwise more may come from fd. */
typedef struct source {
    int fd;
    bool mapped;
    unsigned char *p;
    size_t bytes, capacity;
} source;

/* Opens the file at `path`, or standard input for "-", and examines it. source_close is due in any case; returns
 * false and leaves a sentence in `error` when it cannot be opened. */
bool source_open(const char *path, source *s, struct stat *st, npy_error *error);
/* Whether it is an ordinary file, whose size is known. */
bool source_is_ordinary(const char *path);
/* Opens it and maps what can be mapped: an ordinary file that is read from its beginning. */
bool source_map(const char *path, source *s, npy_error *error);
void source_close(source *s);

/* Reads until `wanted` bytes are there or the file ends; `s->bytes` says which. */
bool source_want(source *s, size_t wanted, npy_error *error);
/* Reads to the end of the file. */
bool source_read_all(source *s, npy_error *error);

#endif
