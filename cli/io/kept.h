/* Functions shared by the commands select, partition, unique and run_length: read an array, keep part of it and write
 * that to files. */
#ifndef WEFT_CLI_KEPT_H
#define WEFT_CLI_KEPT_H

#include "cli/cli.h"
#include "cli/io/npy/npy.h"

/* State of one call of such a command. */
typedef struct kept {
    const char *command, *from;
    const cli_options *options;
    weft_context *ctx;
    npy_array x;
    uint64_t count;
    double seconds;
} kept;

/* Opens the device and reads the array. Prints the error unless it returns CLI_DONE. kept_close must be called in any
 * case. */
int kept_open(kept *k, const char *command, const cli_options *options, const char *from);
void kept_close(kept *k);

/* Allocates memory for n values of `size` bytes. Returns NULL after printing the error. */
void *kept_allocate(const kept *k, size_t n, size_t size);
/* Returns CLI_DONE if `status` is WEFT_OK. Otherwise prints the error and returns the exit code. */
int kept_status(const kept *k, weft_status status);
/* Writes n values as a one-dimensional array. Prints the error and returns false on failure. */
bool kept_write(const kept *k, const char *to, weft_dtype type, size_t n, const void *data);

/* Returns the only operand of the command, or NULL after printing the error. */
const char *kept_operand(int argc, char **argv);
/* Prints the error for a missing output. `option` is, for example, "-o Y.npy". */
void kept_output_missing(const char *command, const char *option);
/* Calls file_takes_result: returns false, after printing the error, if the binary result may not be written to `to`.
 */
bool kept_check_output(const cli_options *options, const char *command, const char *option, const char *to);

/* Print the beginning of the JSON object, up to the member "file", and its end. */
void kept_json_begin(const kept *k);
void kept_json_end(const kept *k);

#endif
