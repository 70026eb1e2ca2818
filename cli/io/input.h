/* Input formats other than .npy, for every command that reads arrays: raw elements, and one column of a table. */
#ifndef WEFT_CLI_INPUT_H
#define WEFT_CLI_INPUT_H

#include "weft.h"

#include <stdbool.h>

typedef enum input_format { INPUT_NPY, INPUT_RAW, INPUT_COLUMN } input_format;

typedef struct input_settings {
    const char *command; /* for warnings; NULL: none are printed */
    input_format format; /* format of files whose names do not end in .npy */
    weft_dtype dtype;    /* element type of raw files and of the column */
    const char *column;  /* name or number of the column */
    bool missing_is_nan; /* an empty field is read as NaN */
} input_settings;

/* Reads the option `name`: raw, column, as or missing. Returns false after printing the error if its argument is
 * invalid. */
bool input_option(const char *name, const char *text);
/* Returns the argument of that option, or NULL if it was not given. */
const char *input_text(const char *name);
/* Checks the combination of the options for this command. Returns false after printing the error. With `quiet`, no
 * warnings are printed later. */
bool input_ready(const char *command, bool quiet);

const input_settings *input_get(void);
/* Returns the format of the file at `path`. */
input_format input_format_of(const char *path);
/* Prints a warning about the file. */
__attribute__((format(printf, 2, 3))) void input_warn(const char *path, const char *format, ...);

#endif
