/* Records what a call of a command reads, writes and prints, for `weft receipt` and `weft check`: the functions that
 * open files and print JSON call it. Without record_start, they behave as if this file did not exist. */
#ifndef WEFT_CLI_RECORD_H
#define WEFT_CLI_RECORD_H

#include "cli/io/npy/npy.h"

#include <stdbool.h>
#include <stddef.h>

enum { RECORD_HASH = 65 }; /* size of a SHA-256 in hexadecimal, with the final 0 */

typedef enum record_mode {
    RECORD_OFF,
    RECORD_KEEP,   /* output files are written as usual */
    RECORD_DISCARD /* output files are hashed, but not written */
} record_mode;

/* A file, by the name that the call used. */
typedef struct record_file {
    char *name;
    char sha256[RECORD_HASH];
} record_file;

typedef struct record_files {
    record_file *files;
    size_t count;
} record_files;

typedef struct record {
    record_mode mode;
    record_files inputs, outputs; /* each input once, with the contents that it had when it was first opened */
    char device[64];
    char *printed; /* the JSON object that the command printed, without the members of json_end_command; or NULL */
} record;

/* Starts recording: every input and output must be a regular file from here on. */
void record_start(record_mode mode);
/* Redirects standard output to a temporary file until record_printed, which stores what was printed. Both return
 * false and write a sentence to `error` on failure. */
bool record_print(npy_error *error);
bool record_printed(npy_error *error);
const record *record_get(void);
void record_free(void);

/* Adds a file to a list. Returns false and writes a sentence to `error` on failure. `descriptor` is the open file. */
bool record_add(record_files *list, const char *name, int descriptor, npy_error *error);
void record_free_files(record_files *list);

/* Called after the input `name` was opened. */
bool record_input(const char *name, int descriptor, npy_error *error);
/* Called before the output `name` is created, and when it is complete. */
bool record_output_begin(const char *name, npy_error *error);
bool record_output_end(int descriptor, npy_error *error);
/* Called with the device at the end of a command's JSON object. Returns true if the device, the order version and the
 * time must be omitted. */
bool record_device(const char *device);

#endif
