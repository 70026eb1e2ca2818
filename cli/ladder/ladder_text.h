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
} ladder_rung_text;

typedef struct ladder_topic_text {
    const char *name, *title;
    const char *types; /* separated by spaces; the default is first */
    size_t executor_n, gpu_n;
    const ladder_rung_text *rungs;
    size_t rung_count;
    const char *words;
} ladder_topic_text;

extern const ladder_topic_text LADDER_TOPICS[];
extern const size_t LADDER_TOPIC_COUNT;

#endif
