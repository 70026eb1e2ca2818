/* Declarations shared by the files of the `weft` command: the options that every command takes, the commands, and the
 * functions that print errors and open contexts. Command `name` is the function command_<name> in cli/commands,
 * cli/bench, cli/ladder or cli/tour. */
#ifndef WEFT_CLI_CLI_H
#define WEFT_CLI_CLI_H

#include "weft.h"

#include <getopt.h>
#include <stdbool.h>
#include <time.h>

/* Exit codes of the process; every command returns one of them. */
enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/* Global options, accepted before or after the command's name. main removes them from argv. */
typedef struct cli_options {
    const char *device; /* as passed to weft_open; NULL if --device was not given */
    int threads;        /* number of threads; 0: the library's default */
    size_t memory;      /* bytes; larger files are read in chunks. 0 if --memory was not given */
    bool json, quiet, bits;
    bool mpi; /* this process is one of the ranks of an MPI job, which divide the work among them */
} cli_options;

/* Entry point of each command. argv[0] is the command's name, followed by its own options and operands. optind is set
 * so that getopt can start. Returns the exit code. */
#define COMMAND(name, operands, summary, text, examples) \
    int command_##name(const cli_options *options, int argc, char **argv);
#define VIEW_COMMAND(name, operands, summary, text, examples) COMMAND(name, operands, summary, text, examples)
#include "cli/commands.def"
/* command_<stem> for each operation, and command_reduce for the operators of weft_reduce. argv[0] is the operation's
 * name. */
int command_reduce(const cli_options *options, int argc, char **argv);
#define CALL(stem, form, reads, passes, writes, help) \
    int command_##stem(const cli_options *options, int argc, char **argv);
#include "core/ops.def"

/* Prints "weft COMMAND: sentence" and a newline on stderr. If `command` is NULL, prints "weft: sentence". */
__attribute__((format(printf, 2, 3))) void cli_error(const char *command, const char *format, ...);

/* Opens the device of `options` ("auto" if they name none) with their number of threads. Returns CLI_DONE. On
 * failure, prints the error, sets *ctx to NULL and returns the exit code. */
int cli_open(const char *command, const cli_options *options, weft_context **ctx);

/* Must be called right after weft_open("auto") succeeded. If it chose the CPU although there is a GPU, prints the
 * reason. Prints nothing if there is no such reason, or with --quiet. */
void cli_warn_of_gpu(const char *command, const cli_options *options);

/* Calls getopt_long for the command argv[0] and its options in cli/commands.def. Returns the option's key, -1 at the
 * end (optind is then the first operand), or '?' after printing the error. */
int cli_next_option(int argc, char **argv);

/* Reads the argument `text` of `option`: an integer in [low, high], written as 1000 or 1e3. Prints the error and
 * returns false if it is not one. */
bool cli_number(const char *command, const char *option, const char *text, long long low, long long high,
                long long *value);

/* Returns the seconds of a monotonic clock. */
static inline double cli_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
