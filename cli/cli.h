/* What the files of the `weft` command share: the options that every command takes, the commands,
 * and how a failure is told. A command is one file cli/<name>.c with one function command_<name>. */
#ifndef WEFT_CLI_CLI_H
#define WEFT_CLI_CLI_H

#include "weft.h"

#include <getopt.h>
#include <stdbool.h>
#include <time.h>

/* Exit codes, which are also what a command returns. */
enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/* Options that are taken before or after the command's name; main has removed them from argv. */
typedef struct cli_options {
    const char *device; /* as weft_open takes it; NULL when --device was not given */
    int threads;        /* 0: the library's default */
    size_t memory;      /* bytes; larger files are read in pieces. 0 when --memory was not given */
    bool json, quiet, bits;
    bool mpi; /* this process is one of the ranks of an MPI job, which share the work */
} cli_options;

/* Every command. argv[0] is the command's name, then its own options and operands; optind is set so
 * that getopt can start. Returns the exit code. */
#define COMMAND(name, operands, summary, text) int command_##name(const cli_options *options, int argc, char **argv);
#include "cli/commands.def"
/* One verb for each line of core/ops.def: argv[0] is the operation. */
int command_reduce(const cli_options *options, int argc, char **argv);
int command_variance(const cli_options *options, int argc, char **argv);
int command_laplace(const cli_options *options, int argc, char **argv);
int command_recurrence(const cli_options *options, int argc, char **argv);
int command_tridiag(const cli_options *options, int argc, char **argv);
int command_heat(const cli_options *options, int argc, char **argv);
int command_scan(const cli_options *options, int argc, char **argv);
int command_select(const cli_options *options, int argc, char **argv);
int command_partition(const cli_options *options, int argc, char **argv);
int command_unique(const cli_options *options, int argc, char **argv);
int command_run_length(const cli_options *options, int argc, char **argv);
int command_segmented_reduce(const cli_options *options, int argc, char **argv);
int command_segmented_scan(const cli_options *options, int argc, char **argv);
int command_reduce_by_key(const cli_options *options, int argc, char **argv);
int command_histogram(const cli_options *options, int argc, char **argv);
int command_top_k(const cli_options *options, int argc, char **argv);
int command_merge(const cli_options *options, int argc, char **argv);
int command_search_sorted(const cli_options *options, int argc, char **argv);
int command_matmul(const cli_options *options, int argc, char **argv);
int command_fft(const cli_options *options, int argc, char **argv);
int command_convolve(const cli_options *options, int argc, char **argv);
int command_sort(const cli_options *options, int argc, char **argv);
int command_argsort(const cli_options *options, int argc, char **argv);
int command_random(const cli_options *options, int argc, char **argv);
int command_sobol(const cli_options *options, int argc, char **argv);
int command_price(const cli_options *options, int argc, char **argv);
int command_match(const cli_options *options, int argc, char **argv);
int command_map(const cli_options *options, int argc, char **argv);
int command_map_scan(const cli_options *options, int argc, char **argv);
int command_map_reduce(const cli_options *options, int argc, char **argv);
int command_dot(const cli_options *options, int argc, char **argv);

/* Prints "weft COMMAND: sentence" and a newline on stderr. `command` may be NULL: "weft: sentence". */
__attribute__((format(printf, 2, 3))) void cli_error(const char *command, const char *format, ...);

/* Opens the context that the options ask for ("auto" when they name no device) with its threads.
 * Returns CLI_DONE, or the exit code after the error was printed; then *ctx is NULL. */
int cli_open(const char *command, const cli_options *options, weft_context **ctx);

/* Prints the reason why weft_open("auto"), which has just succeeded, took the CPU although there is a GPU; nothing
 * when there is no such reason, or with --quiet. */
void cli_warn_of_gpu(const char *command, const cli_options *options);

/* getopt_long for a command's own options. A name of one letter is a short option too; all others are long only.
 * Returns the option's `val`, -1 at the end (then optind is the first operand), or '?' after the error was printed.
 */
int cli_next_option(int argc, char **argv, const struct option *list);

/* Reads a whole number in [low, high], 1000 or 1e3, that stands after `option`; prints the error and returns
 * false when it is none. */
bool cli_number(const char *command, const char *option, const char *text, long long low, long long high,
                long long *value);

/* Returns the seconds of a monotonic clock. */
static inline double cli_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
