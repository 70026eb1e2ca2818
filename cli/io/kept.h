/* What the verbs of selections and runs share: an array is read, some of it is kept and written to files. */
#ifndef WEFT_CLI_KEPT_H
#define WEFT_CLI_KEPT_H

#include "cli/cli.h"
#include "cli/io/npy.h"

/* One call. */
typedef struct kept {
    const char *command, *from;
    const cli_options *options;
    weft_context *ctx;
    npy_array x;
    uint64_t count;
    double seconds;
} kept;

/* Opens the device and reads the array; prints the error unless it returns CLI_DONE. kept_close in any case. */
int kept_open(kept *k, const char *command, const cli_options *options, const char *from);
void kept_close(kept *k);

/* Room for n values of `size` bytes, or NULL after an error. */
void *kept_room(const kept *k, size_t n, size_t size);
/* Tells of a call that failed; CLI_DONE when it did not. */
int kept_status(const kept *k, weft_status status);
/* Writes n values as a flat array; prints the error and returns false when it cannot. */
bool kept_write(const kept *k, const char *to, weft_dtype type, size_t n, const void *data);

/* The one operand of the command, or NULL after an error. */
const char *kept_operand(int argc, char **argv);
/* Tells that an output is missing. `option` is as in "-o Y.npy". */
void kept_output_missing(const char *command, const char *option);
/* False after an error: standard output is asked for twice. */
bool kept_check_output(const cli_options *options, const char *command, const char *option, const char *to);

/* The JSON object: its beginning up to "file", a name more, and its end. */
void kept_json_begin(const kept *k);
void kept_json_name(const char *key, const char *name);
void kept_json_end(const kept *k);

#endif
