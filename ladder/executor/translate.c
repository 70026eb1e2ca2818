#include "translate.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct translation {
    const char *name, *text;
    const char *written; /* start of the text that is not yet in `out` */
    FILE *out;
} translation;

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }
static bool starts(const char *at, const char *word) { return strncmp(at, word, strlen(word)) == 0; }
static const char *skip_spaces(const char *at) { return at + strspn(at, " \t\r\n"); }
static const char *skip_word(const char *at) {
    while (is_word(*at)) at++;
    return at;
}

/* Returns the end of the comment, string or character that begins at `at`, or `at` if none does. A quotation mark
 * between digits separates them. */
static const char *skip_quoted(const translation *t, const char *at) {
    if (starts(at, "//")) return at + strcspn(at, "\n");
    if (starts(at, "/*")) {
        const char *const end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if (*at != '"' && (*at != '\'' || (at > t->text && is_word(at[-1])))) return at;
    const char quote = *at;
    for (at++; *at && *at != quote && *at != '\n'; at++)
        if (*at == '\\' && at[1]) at++;
    return *at ? at + 1 : at;
}

/* Writes the text up to `end`, and skips the text up to `next`. */
static void write_until(translation *t, const char *end, const char *next) {
    fwrite(t->written, 1, (size_t)(end - t->written), t->out);
    t->written = next;
}

/* Writes a directive by which the compiler names the lines of the file. */
static void write_line(const translation *t, int line) {
    fprintf(t->out, "#line %d \"", line);
    for (const char *c = t->name; *c; c++) fprintf(t->out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    fputs("\"\n", t->out);
}

static int line_of(const translation *t, const char *at) {
    int line = 1;
    for (const char *c = t->text; c < at; c++) line += *c == '\n';
    return line;
}

/* Returns the start of the kernel's name, with its template arguments, that ends at `end`, or NULL. */
static const char *kernel_before(const translation *t, const char *end) {
    const char *at = end;
    if (at > t->written && at[-1] == '>') {
        int depth = 0;
        do {
            at--;
            depth += *at == '>' ? 1 : *at == '<' ? -1 : 0;
        } while (depth > 0 && at > t->written && *at != ';');
        if (depth > 0) return NULL;
    }
    const char *const name_end = at;
    while (at > t->written && is_word(at[-1])) at--;
    if (at == name_end) return NULL;
    while (at > t->written + 2 && at[-1] == ':' && at[-2] == ':' && is_word(at[-3]))
        for (at -= 2; at > t->written && is_word(at[-1]);) at--;
    return at;
}

/* Translates the launch whose <<< is at `at`. Returns the end of what it has translated, or NULL. The compiler
 * deduces template arguments that are not written from a call. */
static const char *launch(translation *t, const char *at) {
    const char *end = at, *const close = strstr(at, ">>>");
    while (end > t->written && isspace((unsigned char)end[-1])) end--;
    const char *const kernel = kernel_before(t, end), *const open = close ? skip_spaces(close + 3) : "";
    if (!kernel || *open != '(') return NULL;
    const char *const first = skip_spaces(open + 1);
    const bool is_template = memchr(kernel, '<', (size_t)(end - kernel)), is_empty = *first == ')';
    const int name = (int)(end - kernel);
    write_until(t, kernel, is_empty ? first + 1 : open + 1);
    fprintf(t->out, "emulated::launch(emulated::geometry(%.*s), ", (int)(close - at - 3), at + 3);
    if (is_template)
        fprintf(t->out, "%.*s", name, kernel);
    else
        fprintf(t->out, "[=](auto... arguments) { %.*s(arguments...); }", name, kernel);
    fputs(is_empty ? ")" : ", ", t->out);
    return t->written;
}

/* Translates extern __shared__ T name[]; at `at`. In a function it becomes a constant. Outside, a macro replaces it,
 * because the executor counts a read of a variable as an access to shared memory. */
static const char *dynamic(translation *t, const char *at) {
    const char *type = skip_spaces(at + strlen("extern __shared__"));
    if (starts(type, "__align__(") && strchr(type, ')')) type = skip_spaces(strchr(type, ')') + 1);
    const char *const bracket = type + strcspn(type, "[;(){}=");
    const char *end = bracket;
    while (end > type && isspace((unsigned char)end[-1])) end--;
    const char *name = end;
    while (name > type && is_word(name[-1])) name--;
    if (name == type || name == end || *bracket != '[' || *skip_spaces(bracket + 1) != ']') return at + 1;
    const char *const last = strchr(bracket, ']') + 1, *const next =
                                                           *skip_spaces(last) == ';' ? skip_spaces(last) + 1 : last;
    const int type_length = (int)(name - type), name_length = (int)(end - name);
    const bool in_function = at > t->text && at[-1] != '\n';
    write_until(t, at, next);
    if (in_function) {
        fprintf(t->out, "%.*s*const %.*s = (%.*s*)emulated::dynamic_shared();", type_length, type, name_length, name,
                type_length, type);
    } else {
        fprintf(t->out, "\n#define %.*s ((%.*s*)emulated::dynamic_shared())\n", name_length, name, type_length, type);
        write_line(t, line_of(t, next));
    }
    return next;
}

/* Translates __device__ at the start of a line if a variable follows, whose declaration has no parentheses. */
static const char *variable(translation *t, const char *at) {
    const char *const end = at + strlen("__device__ "), *const stop = end + strcspn(end, "(){};");
    if (*stop != ';') return end;
    write_until(t, at, end);
    fputs("WEFT_DEVICE_VARIABLE ", t->out);
    return end;
}

static const char *translate_at(translation *t, const char *at) {
    const bool at_line = at == t->text || at[-1] == '\n';
    const char *const past_quoted = skip_quoted(t, at);
    if (past_quoted != at) return past_quoted;
    if (starts(at, "<<<")) return launch(t, at);
    if (starts(at, "extern __shared__")) return dynamic(t, at);
    if (at_line && starts(at, "__device__ ")) return variable(t, at);
    if (at_line && starts(at, "static __device__ ")) return variable(t, at + strlen("static "));
    return is_word(*at) ? skip_word(at) : at + 1;
}

char *executor_translate(const char *name, const char *text, char *error, size_t error_size) {
    char *made = NULL;
    size_t size = 0;
    translation t = {name, text, text, open_memstream(&made, &size)};
    if (!t.out) {
        snprintf(error, error_size, "%s: there is not enough memory", name);
        return NULL;
    }
    write_line(&t, 1);
    for (const char *at = text; *at;) {
        const char *const next = translate_at(&t, at);
        if (!next) {
            snprintf(error, error_size, "%s:%d: expected a launch: kernel<<<blocks, threads>>>(arguments)", name,
                     line_of(&t, at));
            (void)fclose(t.out);
            free(made);
            return NULL;
        }
        at = next;
    }
    fputs(t.written, t.out);
    if (fclose(t.out) == 0) return made;
    free(made);
    snprintf(error, error_size, "%s: there is not enough memory", name);
    return NULL;
}
