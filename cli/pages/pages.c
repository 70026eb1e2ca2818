/* weft_pages TEMPLATE OUTPUT: copies the template, and replaces each line that consists of @NAME@ by the generated
 * lines of that name. */
#include "cli/pages/pages.h"

#include "weft.h"

#include <stdlib.h>
#include <string.h>

#define OPERATION(stem, operands, text, examples) \
    static const char operands_of_##stem[] = operands, text_of_##stem[] = text;
#include "cli/commands.def"

const page_command PAGE_COMMANDS[] = {
#define COMMAND(name, operands, summary, text, examples) {#name, operands, summary, text, false},
#include "cli/commands.def"
#define REDUCE(ID, name, domain, result, empty, help) {#name, operands_of_reduce, help, "", true},
#define CALL(stem, form, reads, passes, writes, help) {#stem, operands_of_##stem, help, text_of_##stem, true},
#include "core/ops.def"
#define VIEW_COMMAND(name, operands, summary, text, examples) {#name, operands, summary, text, true},
#include "cli/commands.def"
};
const size_t PAGE_COMMAND_COUNT = sizeof PAGE_COMMANDS / sizeof *PAGE_COMMANDS;

page_files page_argument_files(const char *argument) {
    if (strstr(argument, ".npy")) return FILES_NPY;
    if (strstr(argument, "FILE")) return FILES_ANY;
    return strcmp(argument, "DIR") == 0 ? FILES_DIRECTORIES : FILES_NONE;
}

page_files page_operand_files(const page_command *command) {
    char text[256];
    bool is_argument = false;
    snprintf(text, sizeof text, "%s", command->operands);
    for (char *word = strtok(text, " \n"); word; word = strtok(NULL, " \n")) {
        if (word[strspn(word, "[(")] == '-') {
            is_argument = word[strlen(word) - 1] != ']';
            continue;
        }
        const page_files files = is_argument ? FILES_NONE : page_argument_files(word);
        if (files != FILES_NONE) return files;
        is_argument = false;
    }
    return FILES_NONE;
}

const char *page_operand(const char *command) {
    static const struct {
        const char *command, *values;
    } operands[] = {
#define OPERAND(command, values) {command, values},
#include "cli/commands.def"
    };
    for (size_t i = 0; i < sizeof operands / sizeof *operands; i++)
        if (strcmp(operands[i].command, command) == 0) return operands[i].values;
    return "";
}

void page_print_brief(FILE *out, const cli_option *option, const char *special, const char *quote) {
    for (const char *c = option->help; *c && *c != ';'; c++) {
        if (*c == '\'') {
            fputs(quote, out);
            continue;
        }
        if (strchr(special, *c)) fputc('\\', out);
        fputc(*c, out);
    }
}

static void print_names(FILE *out) {
    for (size_t i = 0; i < PAGE_COMMAND_COUNT; i++) fprintf(out, "%s\n", PAGE_COMMANDS[i].name);
}

/* Returns the marker that `line` consists of, or NULL. */
static const page_marker *find_marker(const char *line) {
    static const page_marker names[] = {{"commands", print_names}, {0}};
    enum { LISTS = 5 };
    static const page_marker *const lists[LISTS] = {names, BASH_MARKERS, FISH_MARKERS, MAN_MARKERS, ZSH_MARKERS};
    const size_t length = strlen(line);
    if (length < 3 || line[0] != '@' || line[length - 2] != '@') return NULL;
    for (size_t i = 0; i < LISTS; i++)
        for (const page_marker *marker = lists[i]; marker->name; marker++)
            if (strlen(marker->name) == length - 3 && strncmp(marker->name, line + 1, length - 3) == 0) return marker;
    fprintf(stderr, "weft_pages: unknown marker %s", line);
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv) {
    FILE *in = argc == 3 ? fopen(argv[1], "r") : NULL, *out = in ? fopen(argv[2], "w") : NULL;
    if (!out) {
        fputs("weft_pages: expected two arguments, a template and a file that can be written\n", stderr);
        return EXIT_FAILURE;
    }
    for (char line[1024]; fgets(line, sizeof line, in);) {
        const page_marker *marker = find_marker(line);
        if (marker)
            marker->print(out);
        else
            fputs(line, out);
    }
    const bool complete = !ferror(in) && !ferror(out);
    const bool closed = fclose(out) == 0;
    fclose(in);
    return complete && closed ? EXIT_SUCCESS : EXIT_FAILURE;
}
