/* Texts of the ladder's topics, available without loading a machine. ladder/source.py generates the tables from the
 * sources of the topics. */
#ifndef WEFT_CLI_LADDER_TEXT_H
#define WEFT_CLI_LADDER_TEXT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ladder_rung_text {
    const char *name, *idea;
    bool faulty;        /* wrong on purpose */
    const char *source; /* source text, including the explanation above it */
    /* A file of this rung alone: a comment, blocks of the topic by index, -1 after the last one, and the end. */
    const char *head;
    const int *blocks;
    const char *end;
} ladder_rung_text;

typedef struct ladder_exercise_text {
    const char *name, *title;
    const char *check; /* name of the check's function */
    const char *start; /* file to complete */
    const char *const *hints;
    size_t hint_count;
    const size_t *sizes; /* on the executor */
    size_t size_count, gpu_n;
} ladder_exercise_text;

typedef struct ladder_topic_text {
    const char *name, *stem, *title;
    const char *types; /* separated by spaces; the default is first */
    size_t executor_n, gpu_n;
    const ladder_rung_text *rungs;
    size_t rung_count;
    const char *const *blocks; /* parts of the source, of which the files of rungs consist */
    const ladder_exercise_text *exercises;
    size_t exercise_count;
    const char *words;
} ladder_topic_text;

extern const ladder_topic_text LADDER_TOPICS[];
extern const size_t LADDER_TOPIC_COUNT;

#endif
