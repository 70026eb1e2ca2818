/* weft receipt OPERATION ARGUMENT...: runs an operation and prints a receipt of it. */
#include "cli/commands/receipt.h"
#include "cli/io/input.h"
#include "cli/io/json.h"
#include "cli/options.h"

#include <stdlib.h>

int receipt_run(const cli_options *options, const verb *verb, int argc, char **argv, record_mode mode) {
    cli_options own = *options;
    npy_error error = {""};
    own.json = true;
    optind = 0; /* getopt starts again */
    record_start(mode);
    int code = record_print(&error) ? CLI_DONE : CLI_FAILED;
    if (code == CLI_DONE) {
        code = verb->run(&own, argc, argv);
        if (!record_printed(&error)) code = CLI_FAILED;
    }
    if (*error.message) cli_error(verb->name, "%s", error.message);
    return code;
}

static void print_files(const char *key, const record_files *list) {
    json_begin_array(key);
    for (size_t i = 0; i < list->count; i++) {
        json_begin_object(NULL);
        json_text("file", list->files[i].name);
        json_text("sha256", list->files[i].sha256);
        json_end();
    }
    json_end();
}

/* Prints the receipt of the call. `words` are its arguments after the operation. */
static void print_receipt(const char *operation, int count, char **words) {
    const record *const r = record_get();
    json_begin_object(NULL);
    json_integer("receipt", RECEIPT_FORMAT);
    json_text("version", weft_version());
    json_integer("order", weft_order_version());
    json_text("device", r->device);
    json_text("command", operation);
    json_begin_array("arguments");
    for (int i = 0; i < count; i++) json_text(NULL, words[i]);
    json_end();
    json_begin_object("format");
    for (size_t i = 0; i < RECEIPT_FORMAT_OPTIONS; i++)
        if (input_text(RECEIPT_FORMATS[i])) json_text(RECEIPT_FORMATS[i], input_text(RECEIPT_FORMATS[i]));
    json_end();
    print_files("inputs", &r->inputs);
    print_files("outputs", &r->outputs);
    json_literal("result", r->printed);
    json_end();
}

int command_receipt(const cli_options *options, int argc, char **argv) {
    if (argc < 2) {
        cli_error(argv[0], "an operation is missing; see 'weft help receipt'");
        return CLI_USAGE;
    }
    const verb *const verb = verb_find(argv[1]);
    if (!verb) return CLI_USAGE;
    if (!verb_is_operation(verb)) {
        cli_error(argv[0], "%s: expected an operation; 'weft help' lists them", argv[1]);
        return CLI_USAGE;
    }
    if (!input_ready(verb->name, options->quiet)) return CLI_USAGE;
    argv[1] = (char *)verb->name;
    char **const words = calloc((size_t)argc, sizeof *words); /* getopt changes the order of argv */
    int code = words ? CLI_DONE : CLI_FAILED;
    for (int i = 0; words && i < argc - 2; i++) words[i] = argv[i + 2];
    if (code == CLI_DONE)
        code = receipt_run(options, verb, argc - 1, argv + 1, RECORD_KEEP);
    else
        cli_error(argv[0], "cannot allocate memory for the arguments");
    if (code == CLI_DONE) print_receipt(verb->name, argc - 2, words);
    record_free();
    free(words);
    return code;
}
