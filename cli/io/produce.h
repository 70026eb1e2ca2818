/* What the commands share that make arrays of the arrays in .npy files. */
#ifndef WEFT_CLI_PRODUCE_H
#define WEFT_CLI_PRODUCE_H

#include "cli/cli.h"
#include "cli/io/npy.h"

enum { PRODUCE_FILES = 2 };

/* One call of such a command. */
typedef struct production {
    const cli_options *options;
    const char *command;
    char **files; /* the operands, and what was read from them */
    int count;
    bool prints; /* without -o the result is printed; set before produce_begin or produce_open */
    npy_array in[PRODUCE_FILES];
    weft_context *ctx;
    double start, seconds; /* of the library's call */
} production;

/* Checks the operands, of which there must be `count`, and that `to` is given if it must be; reads the files; opens
 * the context. Returns CLI_DONE, or the exit code after the error was printed. produce_end is due in any case. */
int produce_begin(production *p, const cli_options *options, int argc, char **argv, int count, const char *to);
/* The same in two steps: all but the files; the files. */
int produce_open(production *p, const cli_options *options, int argc, char **argv, int count, const char *to);
int produce_read(production *p);
/* Whether the two files have elements of one type; prints the error. */
bool produce_one_type(const production *p);
/* Memory for n values of the result; prints the error and returns NULL when there is none. */
void *produce_room(const production *p, size_t n, size_t size);
/* Around the library's call: takes the time; what became of it, the error printed. */
void produce_start(production *p);
int produce_done(production *p, weft_status status);
/* Writes a result, or prints it one value a line where `to` is NULL and no JSON is printed. Returns the exit code. */
int produce_write(const production *p, const char *to, weft_dtype dtype, const npy_shape *shape, const void *data);
/* Prints what every --json object has: the command, its files, `to` unless it is NULL, n; and how every object ends.
 */
void produce_json_begin(const production *p, const char *to);
/* A member with n values. */
void produce_json_list(const char *name, weft_dtype dtype, size_t n, const void *data);
void produce_json_end(const production *p);
void produce_end(production *p);

#endif
