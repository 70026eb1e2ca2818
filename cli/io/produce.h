/* Functions shared by the commands that compute arrays from arrays in .npy files. */
#ifndef WEFT_CLI_PRODUCE_H
#define WEFT_CLI_PRODUCE_H

#include "cli/cli.h"
#include "cli/io/npy/npy.h"

enum { PRODUCE_FILES = 2 };

/* State of one call of such a command. */
typedef struct production {
    const cli_options *options;
    const char *command;
    char **files; /* the operands, and the arrays read from them */
    int count;
    bool prints; /* the result is printed if there is no -o; set before produce_begin or produce_open */
    npy_array in[PRODUCE_FILES];
    weft_context *ctx;
    double start, seconds; /* of the library's call */
} production;

/* Checks that there are `count` operands and that `to` is given if it is required, reads the files and opens the
 * context. Returns CLI_DONE, or the exit code after printing the error. produce_end must be called in any case. */
int produce_begin(production *p, const cli_options *options, int argc, char **argv, int count, const char *to);
/* produce_begin in two steps: produce_open does everything except reading the files, which produce_read does. */
int produce_open(production *p, const cli_options *options, int argc, char **argv, int count, const char *to);
int produce_read(production *p);
/* Returns true if both files have the same element type. Prints the error otherwise. */
bool produce_one_type(const production *p);
/* Returns true if file i is sorted in the order of `weft sort` (ORDER.md): ascending, -0 before +0, NaNs last.
 * Otherwise prints the first element that is out of order and returns false. */
bool produce_is_sorted(const production *p, int i);
/* Allocates memory for n values of the result. Prints the error and returns NULL on failure. */
void *produce_allocate(const production *p, size_t n, size_t size);
/* Called before and after the library's call. produce_start starts the timer. produce_done stops it, prints the error
 * if `status` is not WEFT_OK, and returns the exit code. */
void produce_start(production *p);
int produce_done(production *p, weft_status status);
/* Writes a result to `to`. If `to` is NULL, prints it with one value per line, unless JSON is printed. Returns the
 * exit code. */
int produce_write(const production *p, const char *to, weft_dtype dtype, const npy_shape *shape, const void *data);
/* Prints the members that every --json object begins with: the command, its files, `to` unless it is NULL, and n.
 * produce_json_end prints those that every object ends with. */
void produce_json_begin(const production *p, const char *to);
void produce_json_end(const production *p);
void produce_end(production *p);

#endif
