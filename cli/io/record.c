#include "cli/io/record.h"
#include "cli/io/npy/npy_header.h"
#include "verify/sha256.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert((int)RECORD_HASH == (int)SHA256_TEXT, "the size of a hash");

static record recorded;
static char *output_name; /* of the output that is being written */
static struct {
    int standard_output;
    FILE *file;
} redirected = {-1, NULL};

void record_start(record_mode mode) { recorded.mode = mode; }
const record *record_get(void) { return &recorded; }

/* ---------------------------------------------------------------------------------- files */

/* Computes the hash of a whole file without moving its position. */
static bool hash_file(int descriptor, char text[RECORD_HASH], npy_error *error) {
    enum { CHUNK = 1 << 18 };
    sha256 s;
    unsigned char *const chunk = malloc(CHUNK);
    ssize_t got = chunk ? 1 : -1;
    sha256_begin(&s);
    for (off_t at = 0; got > 0; at += got) {
        do got = pread(descriptor, chunk, CHUNK, at);
        while (got < 0 && errno == EINTR);
        if (got > 0) sha256_add(&s, chunk, (size_t)got);
    }
    sha256_end(&s, text);
    free(chunk);
    return got == 0 || npy_fail(error, "cannot be read: %s", strerror(errno));
}

bool record_add(record_files *list, const char *name, int descriptor, npy_error *error) {
    struct stat st;
    if (strcmp(name, "-") == 0 || fstat(descriptor, &st) != 0 || !S_ISREG(st.st_mode))
        return npy_fail(error, "a receipt requires a regular file");
    record_file *const files = realloc(list->files, (list->count + 1) * sizeof *files);
    if (files) list->files = files;
    char *const copy = files ? strdup(name) : NULL;
    if (!copy) return npy_fail(error, "cannot allocate memory for its name");
    list->files[list->count].name = copy;
    return hash_file(descriptor, list->files[list->count++].sha256, error);
}

void record_free_files(record_files *list) {
    for (size_t i = 0; i < list->count; i++) free(list->files[i].name);
    free(list->files);
    *list = (record_files){NULL, 0};
}

bool record_input(const char *name, int descriptor, npy_error *error) {
    if (recorded.mode == RECORD_OFF) return true;
    for (size_t i = 0; i < recorded.inputs.count; i++)
        if (strcmp(recorded.inputs.files[i].name, name) == 0) return true;
    return record_add(&recorded.inputs, name, descriptor, error);
}

bool record_output_begin(const char *name, npy_error *error) {
    struct stat st;
    if (recorded.mode == RECORD_OFF) return true;
    if (strcmp(name, "-") == 0 || (stat(name, &st) == 0 && !S_ISREG(st.st_mode)))
        return npy_fail(error, "a receipt requires a regular file");
    free(output_name);
    output_name = strdup(name);
    return output_name || npy_fail(error, "cannot allocate memory for its name");
}

bool record_output_end(int descriptor, npy_error *error) {
    return recorded.mode == RECORD_OFF || record_add(&recorded.outputs, output_name, descriptor, error);
}

/* -------------------------------------------------------------------------------- printing */

bool record_device(const char *device) {
    snprintf(recorded.device, sizeof recorded.device, "%s", device);
    return recorded.mode != RECORD_OFF;
}

bool record_print(npy_error *error) {
    fflush(stdout);
    redirected.file = tmpfile();
    redirected.standard_output = redirected.file ? dup(STDOUT_FILENO) : -1;
    return (redirected.standard_output >= 0 && dup2(fileno(redirected.file), STDOUT_FILENO) >= 0) ||
           npy_fail(error, "standard output cannot be redirected: %s", strerror(errno));
}

/* Returns the contents of the file without the final newline, or NULL. */
static char *read_text(FILE *file) {
    const long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *const text = size >= 0 ? calloc((size_t)size + 1, 1) : NULL;
    rewind(file);
    if (text && fread(text, 1, (size_t)size, file) == (size_t)size) {
        if (size > 0 && text[size - 1] == '\n') text[size - 1] = '\0';
        return text;
    }
    free(text);
    return NULL;
}

bool record_printed(npy_error *error) {
    const bool flushed = fflush(stdout) == 0;
    const bool restored = dup2(redirected.standard_output, STDOUT_FILENO) >= 0;
    close(redirected.standard_output);
    recorded.printed = flushed && restored ? read_text(redirected.file) : NULL;
    fclose(redirected.file);
    return recorded.printed || npy_fail(error, "the printed text cannot be read: %s", strerror(errno));
}

void record_free(void) {
    record_free_files(&recorded.inputs);
    record_free_files(&recorded.outputs);
    free(recorded.printed);
    free(output_name);
    output_name = NULL;
    recorded = (record){.mode = RECORD_OFF};
}
