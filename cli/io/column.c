#include "cli/io/column.h"

#include "cli/io/npy/npy_header.h"
#include "cli/io/value.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ELEMENTS = 1 << 12, SHOWN = 40 };

typedef struct table {
    const char *at, *end;
    char separator;
    size_t line; /* line of the next field, starting at 1 */
    char *field; /* the last field read: its text without quotes, terminated by 0 */
    size_t length, capacity;
    bool last; /* the field was the last of its record */
    npy_error *error;
} table;

/* --------------------------------------------------------------------------------- fields */

static bool put(table *t, char c) {
    if (t->length + 1 >= t->capacity) {
        const size_t capacity = t->capacity ? 2 * t->capacity : 256;
        char *field = realloc(t->field, capacity);
        if (!field) return npy_fail(t->error, "cannot allocate memory for a field of line %zu", t->line);
        t->field = field;
        t->capacity = capacity;
    }
    t->field[t->length++] = c;
    t->field[t->length] = '\0';
    return true;
}

static bool at_line_end(const table *t) {
    return t->at == t->end || *t->at == '\n' || (*t->at == '\r' && (t->at + 1 == t->end || t->at[1] == '\n'));
}

/* Reads the rest of a quoted field after the opening quote, including the closing one. Two quotes stand for one quote
 * of the text. */
static bool read_quoted(table *t) {
    const size_t first = t->line;
    for (;; t->at++) {
        if (t->at == t->end) return npy_fail(t->error, "line %zu has an unterminated quote", first);
        if (*t->at == '"') {
            t->at++;
            if (t->at == t->end || *t->at != '"') return true;
        }
        t->line += *t->at == '\n';
        if (!put(t, *t->at)) return false;
    }
}

static bool is_blank(const table *t, char c) { return c == ' ' || (c == '\t' && t->separator != '\t'); }

static void trim(table *t) {
    size_t first = 0;
    while (t->length > 0 && is_blank(t, t->field[t->length - 1])) t->length--;
    while (first < t->length && is_blank(t, t->field[first])) first++;
    memmove(t->field, t->field + first, t->length - first);
    t->length -= first;
    t->field[t->length] = '\0';
}

/* Reads a field and the separator or line end after it. */
static bool read_field(table *t) {
    t->length = 0;
    if (!put(t, '\0')) return false; /* terminates an empty field too */
    t->length = 0;
    while (t->at < t->end && is_blank(t, *t->at)) t->at++;
    if (t->at < t->end && *t->at == '"') {
        t->at++;
        if (!read_quoted(t)) return false;
        while (t->at < t->end && is_blank(t, *t->at)) t->at++;
        if (!at_line_end(t) && *t->at != t->separator)
            return npy_fail(t->error, "line %zu has text after a closing quote", t->line);
    }
    for (; !at_line_end(t) && *t->at != t->separator; t->at++)
        if (!put(t, *t->at)) return false;
    trim(t);
    t->last = at_line_end(t);
    if (t->at < t->end && *t->at == '\r') t->at++;
    if (t->at < t->end) t->at++;
    return true;
}

/* --------------------------------------------------------------------------------- header */

/* Returns the first of tab, comma and semicolon that occurs in the first line. */
static char find_separator(const table *t) {
    const char *newline = memchr(t->at, '\n', (size_t)(t->end - t->at));
    const size_t length = (size_t)((newline ? newline : t->end) - t->at);
    if (memchr(t->at, '\t', length)) return '\t';
    return memchr(t->at, ',', length) || !memchr(t->at, ';', length) ? ',' : ';';
}

/* Returns the column number, starting at 1, if the text consists of digits. Returns 0 for any other text. */
static size_t read_number(const char *text) {
    value v;
    return strspn(text, "0123456789") == strlen(text) && value_parse(WEFT_U64, text, &v) ? (size_t)v.u64 : 0;
}

/* Result of searching the header for the column. */
typedef struct header {
    size_t fields;
    size_t named, number; /* number of the field with that name, and of the field with that number; 0: none */
    bool twice;           /* two fields have the name */
    bool is_value;        /* the field of that number can be parsed as an element */
    char names[160];      /* the first names, for the error message */
} header;

static void add_name(header *h, const char *name) {
    const size_t used = strlen(h->names), length = strlen(name);
    if (used + length + sizeof ", ..." >= sizeof h->names) {
        if (used + sizeof ", ..." <= sizeof h->names && (used < 3 || strcmp(h->names + used - 3, "...") != 0))
            memcpy(h->names + used, ", ...", sizeof ", ...");
        return;
    }
    if (used >= 3 && strcmp(h->names + used - 3, "...") == 0) return;
    if (used) memcpy(h->names + used, ", ", 3);
    memcpy(h->names + strlen(h->names), name, length + 1);
}

static bool read_header(table *t, const input_settings *settings, header *h) {
    const size_t number = read_number(settings->column);
    value v;
    do {
        if (!read_field(t)) return false;
        h->fields++;
        if (strcmp(t->field, settings->column) == 0) {
            h->twice = h->named != 0;
            h->named = h->fields;
        }
        if (h->fields == number) {
            h->number = number;
            h->is_value = value_parse(WEFT_F64, t->field, &v);
        }
        add_name(h, t->field);
    } while (!t->last);
    t->line++;
    return true;
}

/* Sets *column to the number of the column. */
static bool find_column(const char *path, table *t, const input_settings *settings, size_t *column, size_t *fields) {
    header h = {.names = ""};
    if (!read_header(t, settings, &h)) return false;
    *fields = h.fields;
    *column = h.named ? h.named : h.number;
    if (h.twice)
        return npy_fail(t->error, "its header has two columns \"%.*s\": select one by its number", SHOWN,
                        settings->column);
    if (*column == 0)
        return npy_fail(t->error, "has no column \"%.*s\": its header has %zu columns: %s", SHOWN, settings->column,
                        h.fields, h.names);
    if (!h.named && h.is_value)
        input_warn(path, "its first line is read as the header but has a number in column %zu", *column);
    return true;
}

/* -------------------------------------------------------------------------------- elements */

typedef struct elements {
    char *data;
    size_t n, capacity, size;
} elements;

static bool add_element(elements *e, const value *v, npy_error *error) {
    if (e->n == e->capacity) {
        const size_t capacity = e->capacity ? 2 * e->capacity : FIRST_ELEMENTS;
        char *data = capacity <= SIZE_MAX / e->size ? realloc(e->data, capacity * e->size) : NULL;
        if (!data) return npy_fail(error, "cannot allocate memory for %zu elements", capacity);
        e->data = data;
        e->capacity = capacity;
    }
    memcpy(e->data + e->n++ * e->size, v, e->size);
    return true;
}

/* Parses the last field read, which is on line `line`. */
static bool read_value(const table *t, size_t line, const input_settings *settings, value *v) {
    char range[80];
    if (t->length == 0 && settings->missing_is_nan) return value_parse(settings->dtype, "nan", v);
    if (t->length == 0)
        return npy_fail(t->error, "line %zu, column \"%.*s\": the field is empty%s", line, SHOWN, settings->column,
                        settings->dtype >= WEFT_F32 ? " (--missing nan reads it as NaN)" : "");
    if (strlen(t->field) == t->length && value_parse(settings->dtype, t->field, v)) return true;
    value_range(settings->dtype, range, sizeof range);
    return npy_fail(t->error, "line %zu, column \"%.*s\": \"%.*s\" is not a value of type %s (%s)", line, SHOWN,
                    settings->column, SHOWN, t->field, weft_dtype_name(settings->dtype), range);
}

/* Reads a record. It must have as many fields as the header; one of them is the element. */
static bool read_record(table *t, size_t column, size_t fields, const input_settings *settings, elements *e) {
    const size_t line = t->line;
    size_t count = 0;
    value v = {0};
    do {
        const size_t line_of_field = t->line;
        if (!read_field(t)) return false;
        if (++count == column && !read_value(t, line_of_field, settings, &v)) return false;
    } while (!t->last);
    t->line++;
    if (count != fields)
        return npy_fail(t->error, "line %zu has %zu fields, but the header has %zu", line, count, fields);
    return add_element(e, &v, t->error);
}

/* Skips a line without characters, unless it is the empty field of a table with one column. */
static bool skip_empty_line(table *t, size_t fields) {
    if (fields == 1 || !at_line_end(t)) return false;
    if (*t->at == '\r') t->at++;
    if (t->at < t->end) t->at++;
    t->line++;
    return true;
}

static bool read_elements(const char *path, table *t, const input_settings *settings, elements *e) {
    size_t column, fields;
    if (!find_column(path, t, settings, &column, &fields)) return false;
    while (t->at < t->end)
        if (!skip_empty_line(t, fields) && !read_record(t, column, fields, settings, e)) return false;
    return true;
}

bool column_read(const char *path, const unsigned char *text, size_t bytes, const input_settings *settings,
                 npy_array *a, npy_error *error) {
    static const char mark[] = "\xef\xbb\xbf"; /* UTF-8 byte order mark, which some programs write first */
    const bool marked = bytes >= 3 && memcmp(text, mark, 3) == 0;
    table t = {
        .at = (const char *)text + (marked ? 3 : 0), .end = (const char *)text + bytes, .line = 1, .error = error};
    elements e = {.size = weft_dtype_size(settings->dtype)};
    if (t.at == t.end) return npy_fail(error, "is empty: the first line must be a header");
    if (bytes >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        return npy_fail(error, "is text in UTF-16: convert it to UTF-8");
    t.separator = find_separator(&t);
    const bool read = read_elements(path, &t, settings, &e);
    free(t.field);
    if (!read) {
        free(e.data);
        return false;
    }
    *a = (npy_array){.n = e.n, .dtype = settings->dtype, .shape = {1, {e.n}}, .given = {1, {e.n}}, .owned = e.data};
    a->data = e.data ? e.data : (const char *)"";
    return true;
}
