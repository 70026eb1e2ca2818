/* The formats of input files besides .npy: raw elements and a column of a table, for every command that reads
 * arrays. */
#ifndef WEFT_CLI_INPUT_H
#define WEFT_CLI_INPUT_H

#include "weft.h"

#include <stdbool.h>

typedef enum input_format { INPUT_NPY, INPUT_RAW, INPUT_COLUMN } input_format;

typedef struct input_settings {
    const char *command; /* for warnings; NULL: none are printed */
    input_format format; /* of files whose names do not end in .npy */
    weft_dtype dtype;    /* of raw elements, or of the column's */
    const char *column;  /* its name or number */
    bool missing_is_nan; /* an empty field */
} input_settings;

/* Names of the options, the last is NULL; each has a value. */
extern const char *const INPUT_OPTIONS[];
/* Takes an option; prints the error and returns false if it cannot. */
bool input_option(const char *name, const char *text);
/* Checks the options together, for this command; prints the error. With `quiet` no warnings follow. */
bool input_ready(const char *command, bool quiet);

const input_settings *input_get(void);
/* The format of the file at `path`. */
input_format input_format_of(const char *path);
/* Prints a warning about the file. */
__attribute__((format(printf, 2, 3))) void input_warn(const char *path, const char *format, ...);

#endif
