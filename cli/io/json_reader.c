#include "cli/io/json_reader.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Stores the error that `expected` does not follow, unless there is one. Returns false. */
__attribute__((format(printf, 2, 3))) static bool fail(json_reader *r, const char *format, ...) {
    char expected[80];
    va_list args;
    if (*r->problem) return false;
    va_start(args, format);
    vsnprintf(expected, sizeof expected, format, args);
    va_end(args);
    snprintf(r->problem, sizeof r->problem, "byte %td: expected %s", r->at - r->text, expected);
    return false;
}

static void skip(json_reader *r) { r->at += strspn(r->at, " \t\r\n"); }

bool json_read_if(json_reader *r, char c) {
    skip(r);
    if (*r->problem || *r->at != c) return false;
    r->at++;
    return true;
}

bool json_read(json_reader *r, char c) { return json_read_if(r, c) || fail(r, "'%c'", c); }

bool json_read_member(json_reader *r, bool first, const char *name) {
    const size_t length = strlen(name);
    if (!first && !json_read(r, ',')) return false;
    skip(r);
    if (*r->problem || *r->at != '"' || strncmp(r->at + 1, name, length) != 0 || r->at[length + 1] != '"')
        return fail(r, "the member \"%s\"", name);
    r->at += length + 2;
    return json_read(r, ':');
}

/* ---------------------------------------------------------------------------------- values */

/* Reads an escape sequence of json.c: \" \\ and \u followed by four digits. Appends its character to *to. */
static bool read_escape(json_reader *r, char **to) {
    unsigned code = 0;
    r->at++;
    if (*r->at == '"' || *r->at == '\\') {
        *(*to)++ = *r->at++;
        return true;
    }
    if (*r->at != 'u' || strspn(r->at + 1, "0123456789abcdef") < 4 || sscanf(r->at + 1, "%4x", &code) != 1 ||
        code == 0)
        return fail(r, "\\\", \\\\ or \\u with four digits");
    r->at += 5;
    if (code < 0x80) {
        *(*to)++ = (char)code;
        return true;
    }
    if (code >= 0x800) *(*to)++ = (char)(0xe0 | code >> 12);
    *(*to)++ = (char)(code >= 0x800 ? 0x80 | (code >> 6 & 0x3f) : 0xc0 | code >> 6);
    *(*to)++ = (char)(0x80 | (code & 0x3f));
    return true;
}

/* Reads the characters of a string up to its final quotation mark. */
static bool read_characters(json_reader *r, char *to) {
    while (*r->at != '"') {
        if ((unsigned char)*r->at < ' ') return fail(r, "the end of a string");
        if (*r->at != '\\')
            *to++ = *r->at++;
        else if (!read_escape(r, &to))
            return false;
    }
    r->at++;
    *to = '\0';
    return true;
}

char *json_read_string(json_reader *r) {
    if (!json_read(r, '"')) return NULL;
    char *const text = malloc(strlen(r->at) + 1);
    if (!text) {
        fail(r, "enough memory for a string");
        return NULL;
    }
    if (read_characters(r, text)) return text;
    free(text);
    return NULL;
}

bool json_read_integer(json_reader *r, int64_t *value) {
    char *end;
    skip(r);
    if (*r->problem) return false;
    errno = 0;
    *value = strtoll(r->at, &end, 10);
    if (end == r->at || errno != 0 || strchr(".eE", *end)) return fail(r, "an integer");
    r->at = end;
    return true;
}

/* Returns the end of the string that starts at p, or NULL. */
static const char *after_string(const char *p) {
    for (p++; *p && *p != '"'; p++)
        if (*p == '\\' && p[1]) p++;
    return *p ? p + 1 : NULL;
}

/* Copies a value without white space between tokens. */
static bool read_tokens(json_reader *r, char *to) {
    const char *const start = r->at;
    size_t depth = 0;
    while (*r->at && (depth > 0 || !strchr(",]}", *r->at))) {
        const char *const end = *r->at == '"' ? after_string(r->at) : r->at + 1;
        if (!end) break;
        if (strchr("{[", *r->at)) depth++;
        if (strchr("}]", *r->at)) depth--;
        if (!strchr(" \t\r\n", *r->at)) {
            memcpy(to, r->at, (size_t)(end - r->at));
            to += end - r->at;
        }
        r->at = end;
    }
    *to = '\0';
    return (depth == 0 && r->at > start && *r->at != '"') || fail(r, "a value");
}

char *json_read_text(json_reader *r) {
    skip(r);
    char *const text = *r->problem ? NULL : malloc(strlen(r->at) + 1);
    if (text && read_tokens(r, text)) return text;
    free(text);
    return NULL;
}

bool json_read_end(json_reader *r) {
    skip(r);
    return *r->at == '\0' ? !*r->problem : fail(r, "the end of the file");
}
