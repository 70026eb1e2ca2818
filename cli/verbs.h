/* Table of the command's verbs, and their help texts. */
#ifndef WEFT_CLI_VERBS_H
#define WEFT_CLI_VERBS_H

#include "cli/cli.h"

#include <stdio.h>

typedef struct verb {
    const char *name, *operands, *summary;
    const char *text, *examples; /* `examples` may contain one %s, which is replaced by the name */
    int (*run)(const cli_options *options, int argc, char **argv);
} verb;

/* Returns the verb of that name, or NULL after printing an error that suggests one. */
const verb *verb_find(const char *name);
bool verb_is_operation(const verb *verb);

/* Print the output of `weft help` and of `weft help NAME`. */
void verb_overview(FILE *out);
void verb_help(FILE *out, const verb *verb);

#endif
