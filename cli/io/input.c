#include "cli/io/input.h"

#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static input_settings settings = {.dtype = WEFT_DEFAULT};
static struct { const char *raw, *as, *missing; /* arguments as given */ } texts;

static bool read_type(const char *option, const char *text) {
    for (settings.dtype = WEFT_I8; settings.dtype <= WEFT_F64; settings.dtype++)
        if (strcmp(text, weft_dtype_name(settings.dtype)) == 0) return true;
    cli_error(NULL, "--%s %s: expected one of i8, i16, i32, i64, u8, u16, u32, u64, f32, f64", option, text);
    return false;
}

bool input_option(const char *name, const char *text) {
    if (strcmp(name, "column") == 0) {
        settings.column = text;
        settings.format = INPUT_COLUMN;
        return true;
    }
    if (strcmp(name, "missing") == 0) {
        texts.missing = text;
        settings.missing_is_nan = strcmp(text, "nan") == 0;
        if (!settings.missing_is_nan) cli_error(NULL, "--missing %s: expected nan", text);
        return settings.missing_is_nan;
    }
    if (strcmp(name, "raw") == 0) {
        texts.raw = text;
        settings.format = INPUT_RAW;
    } else {
        texts.as = text;
    }
    return read_type(name, text);
}

static bool reads_arrays(const char *command) {
    static const char *const others[] = {"verify",  "bench",  "tune",  "devices", "ladder", "help",
                                         "version", "random", "sobol", "price",   "match",  "check"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(command, others[i]) == 0) return false;
    return true;
}

bool input_ready(const char *command, bool quiet) {
    const char *const given = texts.raw         ? "--raw"
                              : settings.column ? "--column"
                              : texts.as        ? "--as"
                              : texts.missing   ? "--missing"
                                                : NULL;
    settings.command = quiet ? NULL : command;
    if (given && !reads_arrays(command))
        cli_error(command, "%s: this command does not read arrays", given);
    else if (texts.raw && settings.column)
        cli_error(command, "--raw cannot be combined with --column");
    else if ((texts.as || texts.missing) && !settings.column)
        cli_error(command, "%s requires --column", texts.as ? "--as" : "--missing");
    else if (texts.missing && settings.dtype != WEFT_DEFAULT && settings.dtype < WEFT_F32)
        cli_error(command, "--missing nan: type %s has no NaN: use --as f32 or --as f64",
                  weft_dtype_name(settings.dtype));
    else {
        if (settings.dtype == WEFT_DEFAULT) settings.dtype = WEFT_F64;
        return true;
    }
    return false;
}

const char *input_text(const char *name) {
    if (strcmp(name, "raw") == 0) return texts.raw;
    if (strcmp(name, "column") == 0) return settings.column;
    return strcmp(name, "as") == 0 ? texts.as : texts.missing;
}

const input_settings *input_get(void) { return &settings; }

input_format input_format_of(const char *path) {
    const size_t length = strlen(path);
    return length >= 4 && strcmp(path + length - 4, ".npy") == 0 ? INPUT_NPY : settings.format;
}

void input_warn(const char *path, const char *format, ...) {
    char sentence[256];
    va_list args;
    if (!settings.command) return;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    cli_error(settings.command, "%s: warning: %s", path, sentence);
}
