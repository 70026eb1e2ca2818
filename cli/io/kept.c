#include "cli/io/kept.h"
#include "cli/io/file.h"
#include "cli/io/json.h"

#include <stdlib.h>

int kept_open(kept *k, const char *command, const cli_options *options, const char *from) {
    npy_error error;
    *k = (kept){.command = command, .from = from, .options = options};
    const int code = cli_open(command, options, &k->ctx);
    if (code != CLI_DONE || npy_read(from, &k->x, &error)) return code;
    cli_error(command, "%s: %s", from, error.message);
    return CLI_FAILED;
}

void kept_close(kept *k) {
    npy_free(&k->x);
    weft_close(k->ctx);
}

void *kept_allocate(const kept *k, size_t n, size_t size) {
    void *values = n <= SIZE_MAX / size ? malloc(n ? n * size : 1) : NULL;
    if (!values) cli_error(k->command, "%s: cannot allocate memory for the %zu values of the result", k->from, n);
    return values;
}

int kept_status(const kept *k, weft_status status) {
    if (status == WEFT_OK) return CLI_DONE;
    cli_error(k->command, "%s: %s", k->from, weft_last_error(k->ctx));
    return CLI_FAILED;
}

bool kept_write(const kept *k, const char *to, weft_dtype type, size_t n, const void *data) {
    npy_error error;
    const npy_shape shape = {1, {n}};
    if (npy_write(to, type, &shape, data, &error)) return true;
    cli_error(k->command, "%s: %s", to, error.message);
    return false;
}

const char *kept_operand(int argc, char **argv) {
    if (argc - optind == 1) return argv[optind];
    cli_error(argv[0], "%d files given, 1 expected; see 'weft help %s'", argc - optind, argv[0]);
    return NULL;
}

void kept_output_missing(const char *command, const char *option) {
    cli_error(command, "option %s is required: the file for the result (- for standard output)", option);
}

bool kept_check_output(const cli_options *options, const char *command, const char *option, const char *to) {
    return file_takes_result(options, command, option, to);
}

void kept_json_begin(const kept *k) {
    json_begin_command(k->command);
    json_text("file", k->from);
}

void kept_json_end(const kept *k) {
    json_text("dtype", weft_dtype_name(k->x.dtype));
    json_count("n", k->x.n);
    json_count("count", k->count);
    json_end_command(weft_device(k->ctx), k->seconds);
}
