/* Stores the fastest variants that were measured on a device in a file in the user's cache directory.
 *
 *     weft tuning 1
 *     device NVIDIA H200
 *     version 0.1.0
 *     laplace f32 f32 16x3x1x1x3       operation, element type, accumulator type, variant
 *
 * Variant names belong to a release, and speed on one device does not predict speed on another. Therefore a file of
 * another release or device is not used. If any line is invalid, the whole file is not used. */
#include "core/context.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, FILE_BYTES = 8192, LINE_BYTES = 256, TUNABLES_MAX = 32 };
static const char FIRST_LINE[] = "weft tuning 1";

static const weft_tunable *list_of(const weft_context *ctx, size_t *count) {
    *count = 0;
    return ctx && ctx->backend->tunables ? ctx->backend->tunables(count) : NULL;
}

/* ---------------------------------------------------------------------------- the directory */

/* Finds the directory "weft" in $XDG_CACHE_HOME, else in ~/.cache. Relative paths in the environment are
 * ignored. */
static weft_status find_folder(char folder[PATH_BYTES], weft_error *error) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const bool has_cache = cache && *cache == '/';
    RETURN_IF(!has_cache && !(home && *home == '/'), WEFT_IO,
              "no folder for tuning files: neither XDG_CACHE_HOME nor HOME is an absolute path");
    const int length = has_cache ? snprintf(folder, PATH_BYTES, "%s/weft", cache)
                                 : snprintf(folder, PATH_BYTES, "%s/.cache/weft", home);
    RETURN_IF(length >= PATH_BYTES, WEFT_IO, "no folder for tuning files: the path of the cache folder is too long");
    return WEFT_OK;
}

/* Copies letters, digits and dots of the name; replaces every sequence of other characters between them by a
 * dash. */
static void plain_name(const char *name, char plain[128]) {
    static const char kept[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.";
    size_t length = 0;
    for (; *name && length < 127; name++) {
        const bool keep = strchr(kept, *name) != NULL;
        if (keep || (length && plain[length - 1] != '-')) plain[length++] = *name;
        if (!keep && length) plain[length - 1] = '-';
    }
    while (length && plain[length - 1] == '-') length--;
    plain[length] = '\0';
}

static weft_status find_file(const weft_context *ctx, char path[PATH_BYTES], weft_error *error) {
    char folder[PATH_BYTES], name[128], plain[128];
    RETURN_IF_ERROR(find_folder(folder, error));
    ctx->backend->model(ctx->state, name);
    plain_name(name, plain);
    const int length =
        snprintf(path, PATH_BYTES, "%s/tune-%s-%s.txt", folder, *plain ? plain : ctx->backend->name, weft_version());
    RETURN_IF(length >= PATH_BYTES, WEFT_IO, "no folder for tuning files: the path of the cache folder is too long");
    return WEFT_OK;
}

/* ---------------------------------------------------------------------------------- reading */

/* Parses one line of choices and sets the index of the chosen variant. */
static weft_status read_choice(const weft_context *ctx, const char *line, size_t choices[TUNABLES_MAX],
                               weft_error *error) {
    char operation[32], dtype[8], accumulate[8], variant[64], rest;
    size_t count;
    const weft_tunable *list = list_of(ctx, &count);
    RETURN_IF(sscanf(line, "%31s %7s %7s %63s %c", operation, dtype, accumulate, variant, &rest) != 4, WEFT_INVALID,
              "\"%.80s\" is not a line of four words", line);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].operation, operation) != 0 || strcmp(weft_dtype_name(list[i].dtype), dtype) != 0 ||
            strcmp(weft_dtype_name(list[i].accumulate), accumulate) != 0)
            continue;
        for (size_t v = 0; v < list[i].count; v++)
            if (strcmp(list[i].variants[v], variant) == 0) return choices[i] = v, WEFT_OK;
        return weft_fail(error, WEFT_INVALID, "%s of %s has no variant %s", operation, dtype, variant);
    }
    return weft_fail(error, WEFT_INVALID, "%s of %s in %s cannot be tuned", operation, dtype, accumulate);
}

/* Checks or parses line `number` of the file, starting at 1. */
static weft_status read_line(const weft_context *ctx, size_t number, const char *line, size_t choices[TUNABLES_MAX],
                             weft_error *error) {
    char expected[LINE_BYTES], name[128];
    if (number > 3) return read_choice(ctx, line, choices, error);
    ctx->backend->model(ctx->state, name);
    snprintf(expected, sizeof expected, "%s%s",
             number == 1   ? FIRST_LINE
             : number == 2 ? "device "
                           : "version ",
             number == 1   ? ""
             : number == 2 ? name
                           : weft_version());
    RETURN_IF(strcmp(line, expected) != 0, WEFT_INVALID, "found \"%.80s\", expected \"%.140s\"", line, expected);
    return WEFT_OK;
}

static weft_status read_text(const weft_context *ctx, char *text, size_t choices[TUNABLES_MAX], weft_error *error) {
    size_t number = 0;
    for (char *line = text, *end; *line; line = end + 1) {
        weft_error why = {.message = ""};
        end = strchr(line, '\n');
        number++;
        RETURN_IF(!end || end - line >= LINE_BYTES, WEFT_INVALID,
                  "line %zu is too long or does not end with a newline", number);
        *end = '\0';
        RETURN_IF(read_line(ctx, number, line, choices, &why) != WEFT_OK, WEFT_INVALID, "line %zu: %s", number,
                  why.message);
    }
    RETURN_IF(number < 3, WEFT_INVALID, "the file has %zu lines: expected at least 3", number);
    return WEFT_OK;
}

/* Reads the text of the file; "" if there is no file. */
static weft_status load(const char *path, char text[FILE_BYTES], weft_error *error) {
    text[0] = '\0';
    FILE *file = fopen(path, "re");
    if (!file && (errno == ENOENT || errno == ENOTDIR)) return WEFT_OK;
    RETURN_IF(!file, WEFT_IO, "%s", strerror(errno));
    const size_t length = fread(text, 1, FILE_BYTES, file);
    const bool failed = ferror(file);
    fclose(file);
    RETURN_IF(failed || length == FILE_BYTES || memchr(text, '\0', length), WEFT_IO, "the file is not a tuning file");
    text[length] = '\0';
    RETURN_IF(length == 0, WEFT_INVALID, "the file is empty");
    return WEFT_OK;
}

static weft_status choose_all(weft_context *ctx, const size_t choices[TUNABLES_MAX], weft_error *error) {
    size_t count;
    (void)list_of(ctx, &count);
    for (size_t i = 0; i < count; i++) RETURN_IF_ERROR(ctx->backend->choose(ctx->state, i, choices[i], false, error));
    return WEFT_OK;
}

static weft_status use_file(weft_context *ctx, const char *path, weft_error *error) {
    char text[FILE_BYTES];
    size_t choices[TUNABLES_MAX] = {0};
    RETURN_IF_ERROR(load(path, text, error));
    if (!*text) return WEFT_OK;
    RETURN_IF_ERROR(read_text(ctx, text, choices, error));
    return choose_all(ctx, choices, error);
}

void context_tune(weft_context *ctx) {
    static const size_t none[TUNABLES_MAX];
    const char *wanted = getenv("WEFT_TUNING");
    char path[PATH_BYTES];
    size_t count;
    weft_error why = {.message = ""};
    if (!list_of(ctx, &count) || (wanted && strcmp(wanted, "off") == 0)) return;
    if (find_folder(path, &why) != WEFT_OK || access(path, F_OK) != 0) return;
    if (find_file(ctx, path, &why) != WEFT_OK || use_file(ctx, path, &why) == WEFT_OK) return;
    (void)weft_fail(&ctx->tuning, WEFT_IO, "%.300s is ignored: %.200s", path, why.message);
    (void)choose_all(ctx, none, &why);
}

/* ---------------------------------------------------------------------------------- writing */

/* Creates the directory and its missing parents. */
static weft_status make_folder(char *folder, weft_error *error) {
    for (char *slash = strchr(folder + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash) *slash = '\0';
        RETURN_IF(mkdir(folder, 0700) != 0 && errno != EEXIST, WEFT_IO, "%.300s: %s", folder, strerror(errno));
        if (!slash) return WEFT_OK;
        *slash = '/';
    }
}

static bool write_choices(const weft_context *ctx, FILE *file) {
    char name[128];
    size_t count;
    const weft_tunable *list = list_of(ctx, &count);
    ctx->backend->model(ctx->state, name);
    fprintf(file, "%s\ndevice %s\nversion %s\n", FIRST_LINE, name, weft_version());
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%s %s %s %s\n", list[i].operation, weft_dtype_name(list[i].dtype),
                weft_dtype_name(list[i].accumulate), list[i].variants[ctx->backend->chosen(ctx->state, i)]);
    return fflush(file) == 0 && !ferror(file) && fsync(fileno(file)) == 0;
}

/* Writes a temporary file next to the target, then renames it, so that the target is replaced atomically. */
static weft_status save(const weft_context *ctx, weft_error *error) {
    char path[PATH_BYTES], folder[PATH_BYTES], temporary[PATH_BYTES + 16];
    size_t count;
    RETURN_IF(!list_of(ctx, &count), WEFT_UNSUPPORTED, "%s has no tunable operations", weft_device(ctx));
    RETURN_IF_ERROR(find_folder(folder, error));
    RETURN_IF_ERROR(find_file(ctx, path, error));
    RETURN_IF_ERROR(make_folder(folder, error));
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    const int descriptor = mkstemp(temporary);
    RETURN_IF(descriptor < 0, WEFT_IO, "%.300s: %s", temporary, strerror(errno));
    FILE *file = fdopen(descriptor, "w");
    bool good = file && write_choices(ctx, file);
    good = (file ? fclose(file) : close(descriptor)) == 0 && good;
    if (good && rename(temporary, path) == 0) return WEFT_OK;
    const int fault = errno;
    (void)unlink(temporary);
    return weft_fail(error, WEFT_IO, "%.300s: %s", path, strerror(fault));
}

static weft_status reset(weft_context *ctx, weft_error *error) {
    static const size_t none[TUNABLES_MAX];
    char path[PATH_BYTES];
    size_t count;
    RETURN_IF(!list_of(ctx, &count), WEFT_UNSUPPORTED, "%s has no tunable operations", weft_device(ctx));
    RETURN_IF_ERROR(find_file(ctx, path, error));
    RETURN_IF(unlink(path) != 0 && errno != ENOENT && errno != ENOTDIR, WEFT_IO, "%.300s: %s", path, strerror(errno));
    ctx->tuning.message[0] = '\0';
    return choose_all(ctx, none, error);
}

/* -------------------------------------------------------------------------------- the calls */

size_t weft_tune_count(const weft_context *ctx) {
    size_t count;
    (void)list_of(ctx, &count);
    return count;
}

const char *weft_tune_warning(const weft_context *ctx) { return ctx ? ctx->tuning.message : ""; }

static weft_status check_index(const weft_context *ctx, size_t index, weft_error *error) {
    size_t count;
    RETURN_IF(!list_of(ctx, &count) || index >= count, WEFT_INVALID,
              "tunable %zu does not exist: %s has %zu tunables, numbered from 0", index, weft_device(ctx), count);
    return WEFT_OK;
}

static weft_status describe(const weft_context *ctx, size_t index, weft_tunable *tunable, weft_error *error) {
    size_t count;
    RETURN_IF(!tunable, WEFT_INVALID, "weft_tune_describe: tunable is NULL");
    RETURN_IF_WRONG_SIZE("tunable", tunable, weft_tunable);
    RETURN_IF_ERROR(check_index(ctx, index, error));
    *tunable = list_of(ctx, &count)[index];
    tunable->chosen = ctx->backend->chosen(ctx->state, index);
    return WEFT_OK;
}

static weft_status choose(weft_context *ctx, size_t index, size_t variant, weft_error *error) {
    weft_tunable t = {.size = sizeof t};
    RETURN_IF_ERROR(describe(ctx, index, &t, error));
    RETURN_IF(variant >= t.count, WEFT_INVALID, "%s of %s has no variant %zu: it has %zu variants, numbered from 0",
              t.operation, weft_dtype_name(t.dtype), variant, t.count);
    return ctx->backend->choose(ctx->state, index, variant, true, error);
}

static weft_status file_of(const weft_context *ctx, char *path, size_t size, weft_error *error) {
    char found[PATH_BYTES];
    size_t count;
    RETURN_IF(!path, WEFT_INVALID, "weft_tune_file: path is NULL");
    RETURN_IF(!list_of(ctx, &count), WEFT_UNSUPPORTED, "%s has no tunable operations", weft_device(ctx));
    RETURN_IF_ERROR(find_file(ctx, found, error));
    RETURN_IF(strlen(found) >= size, WEFT_INVALID, "weft_tune_file: the path requires %zu bytes, but size is %zu",
              strlen(found) + 1, size);
    memcpy(path, found, strlen(found) + 1);
    return WEFT_OK;
}

weft_status weft_tune_describe(weft_context *ctx, size_t index, weft_tunable *tunable) {
    RETURN_GUARDED_SETUP(ctx, describe(ctx, index, tunable, error));
}

weft_status weft_tune_choose(weft_context *ctx, size_t index, size_t variant) {
    RETURN_GUARDED_SETUP(ctx, choose(ctx, index, variant, error));
}

weft_status weft_tune_save(weft_context *ctx) { RETURN_GUARDED_SETUP(ctx, save(ctx, error)); }

weft_status weft_tune_reset(weft_context *ctx) { RETURN_GUARDED_SETUP(ctx, reset(ctx, error)); }

weft_status weft_tune_file(weft_context *ctx, char *path, size_t size) {
    RETURN_GUARDED_SETUP(ctx, file_of(ctx, path, size, error));
}
