/* Every verb of the command as a table, and what the command says about them. */
#ifndef WEFT_CLI_VERBS_H
#define WEFT_CLI_VERBS_H

#include "cli/cli.h"

#include <stdio.h>

typedef struct verb {
    const char *name, *operands, *summary;
    const char *text; /* may contain one %s, the name */
    int (*run)(const cli_options *options, int argc, char **argv);
} verb;

/* The verb of that name, or NULL after an error that suggests one. */
const verb *verb_find(const char *name);

/* What `weft help` and `weft help NAME` print. */
void verb_overview(FILE *out);
void verb_help(FILE *out, const verb *verb);

#endif
