/* weft ladder new, hint, and the list of exercises. */
#include "cli/io/file.h"
#include "cli/ladder/ladder_learner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int usage(const char *sentence) {
    cli_error("ladder", "%s", sentence);
    return CLI_USAGE;
}

/* Prints the text of a rung's file: the includes, the other blocks in an anonymous namespace, and the end. */
static void print_rung_file(FILE *out, const ladder_topic_text *topic, const ladder_rung_text *rung) {
    bool in_namespace = false;
    fputs(rung->head, out);
    for (const int *block = rung->blocks; *block >= 0; block++) {
        const char *const text = topic->blocks[*block];
        if (!in_namespace && !strstr(text, "#include")) {
            fputs("namespace {\n\n", out);
            in_namespace = true;
        }
        fputs(text, out);
    }
    if (!in_namespace) fputs("namespace {\n\n", out);
    fputs(rung->end, out);
}

int ladder_new(int count, char **operands) {
    ladder_part part;
    npy_error error;
    char *text = NULL;
    size_t size = 0;
    if (count != 2) return usage("new: expected TOPIC/EXERCISE or TOPIC/RUNG, and the name of the file to write");
    if (!ladder_find_part(operands[0], &part)) return CLI_USAGE;
    if (access(operands[1], F_OK) == 0) {
        cli_error("ladder", "%s exists already: choose another name", operands[1]);
        return CLI_FAILED;
    }
    FILE *const out = open_memstream(&text, &size);
    if (!out) return usage("there is not enough memory");
    if (part.exercise)
        fputs(part.exercise->start, out);
    else
        print_rung_file(out, part.topic, part.rung);
    if (fclose(out) != 0) return usage("there is not enough memory");
    const bool written = file_write(operands[1], &(file_part){text, size, 1}, 1, &error);
    free(text);
    if (written) return CLI_DONE;
    cli_error("ladder", "%s: %s", operands[1], error.message);
    return CLI_FAILED;
}

static void print_hint(const ladder_exercise_text *exercise, size_t i) {
    printf("Hint %zu of %zu: %s", i + 1, exercise->hint_count, exercise->hints[i]);
}

int ladder_hint(int count, char **operands, bool all) {
    ladder_part part;
    char error[600];
    long long number = 1;
    if (count < 1 || count > 2) return usage("hint: expected an exercise or a file, and the number of the hint");
    const char *const suffix = strrchr(operands[0], '.');
    if (suffix && strcmp(suffix, ".cu") == 0) {
        if (!learner_identify(operands[0], &part, error, sizeof error)) return usage(error);
    } else if (!ladder_find_part(operands[0], &part)) {
        return CLI_USAGE;
    }
    if (!part.exercise) {
        cli_error("ladder", "%s/%s is a rung: only exercises have hints", part.topic->name, part.rung->name);
        return CLI_USAGE;
    }
    const long long most = (long long)part.exercise->hint_count;
    if (count == 2 && !cli_number("ladder", "hint", operands[1], 1, most, &number)) return CLI_USAGE;
    if (!all) return print_hint(part.exercise, (size_t)number - 1), CLI_DONE;
    for (size_t i = 0; i < part.exercise->hint_count; i++) print_hint(part.exercise, i);
    return CLI_DONE;
}

void ladder_list_exercises(const ladder_topic_text *topic) {
    for (size_t t = 0; t < LADDER_TOPIC_COUNT; t++) {
        const ladder_topic_text *const listed = &LADDER_TOPICS[t];
        if (topic && topic != listed) continue;
        for (size_t i = 0; i < listed->exercise_count; i++) {
            char name[80];
            snprintf(name, sizeof name, "%s/%s", listed->name, listed->exercises[i].name);
            printf("  %-28s %s; %zu hints\n", name, listed->exercises[i].title, listed->exercises[i].hint_count);
        }
    }
    puts("\n'weft ladder new TOPIC/EXERCISE my.cu' begins one, and 'weft ladder try my.cu' checks it.");
}
