/* Functions used by every command: errors, contexts, options and numbers. */
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/progress.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cli_error(const char *command, const char *format, ...) {
    va_list args;
    progress_end();
    va_start(args, format);
    fprintf(stderr, command ? "weft %s: " : "weft: ", command);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

void cli_warn_of_gpu(const char *command, const cli_options *options) {
    const char *const why = weft_last_error(NULL);
    if (*why && !options->quiet) cli_error(command, "warning: %s; computing on the CPU", why);
}

int cli_open(const char *command, const cli_options *options, weft_context **ctx) {
    const weft_status status = weft_open(ctx, options->device ? options->device : "auto");
    if (status != WEFT_OK) {
        cli_error(command, "%s", weft_last_error(NULL));
        return status == WEFT_INVALID ? CLI_USAGE : CLI_FAILED;
    }
    if (!options->device || strcmp(options->device, "auto") == 0) cli_warn_of_gpu(command, options);
    if (*weft_tune_warning(*ctx) && !options->quiet) cli_error(command, "warning: %s", weft_tune_warning(*ctx));
    if (weft_set_threads(*ctx, options->threads) == WEFT_OK && weft_set_memory(*ctx, options->memory) == WEFT_OK) {
        if (!options->mpi)
            progress_watch(*ctx, options,
                           command); /* not with --mpi: cancelling one rank would leave the others waiting */
        return CLI_DONE;
    }
    cli_error(command, "--threads %d: %s", options->threads, weft_last_error(*ctx));
    weft_close(*ctx);
    *ctx = NULL;
    return CLI_FAILED;
}

int cli_next_option(int argc, char **argv) {
    struct option list[2 * OPTION_COUNT + 1];
    char letters[2 * OPTION_COUNT + 2];
    option_table(argv[0], list, letters);
    opterr = 0;
    const int option = getopt_long(argc, argv, letters, list, NULL);
    if (option != '?' && option != ':') return option;
    const char *text = argv[optind - 1];
    const char short_option[] = {'-', (char)optopt, '\0'};
    if (optopt && strncmp(text, "--", 2) != 0) text = short_option;
    if (option == ':')
        cli_error(argv[0], "option %s requires an argument", text);
    else if (optopt && strchr(text, '='))
        cli_error(argv[0], "option %s does not accept an argument", text);
    else
        cli_error(argv[0], "unknown option %s; see 'weft help %s'", text, argv[0]);
    return '?';
}

/* Parses an integer, written as digits or with an exponent: 1e8. */
static bool read_whole(const char *text, long long *value) {
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    if (*text && !*end) return strspn(text, "-0123456789") == strlen(text) && errno == 0;
    if (strspn(text, "-+.0123456789eE") != strlen(text)) return false;
    const double number = strtod(text, &end);
    if (*end || end == text || !(fabs(number) < 0x1p63) || number != floor(number)) return false;
    *value = (long long)number;
    return true;
}

bool cli_number(const char *command, const char *option, const char *text, long long low, long long high,
                long long *value) {
    if (read_whole(text, value) && *value >= low && *value <= high) return true;
    cli_error(command, "%s %s: expected an integer from %lld to %lld", option, text, low, high);
    return false;
}
