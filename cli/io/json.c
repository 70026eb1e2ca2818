#include "cli/io/json.h"
#include "cli/io/record.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 8 };

/* The open objects and arrays: how each ends, and the number of its values so far. */
static struct {
    char end;
    size_t count;
} open_values[DEPTH_MAX];
static size_t depth;

/* ------------------------------------------------------------------------------- strings */

/* Returns the length of the UTF-8 sequence at p, 0 if it is invalid. p must be terminated by a 0. */
static size_t utf8_length(const unsigned char *p) {
    const size_t length = p[0] < 0x80                   ? 1
                          : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
                          : (p[0] & 0xf0) == 0xe0       ? 3
                          : p[0] >= 0xf0 && p[0] < 0xf5 ? 4
                                                        : 0;
    for (size_t i = 1; i < length; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0)) return 0;
    if ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] >= 0x90)) return 0;
    return length;
}

static void write_string(const char *text) {
    putchar('"');
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        const size_t length = utf8_length(p);
        if (length == 0)
            fputs("\\ufffd", stdout);
        else if (*p < 0x20 || *p == 0x7f)
            printf("\\u%04x", *p);
        else {
            if (*p == '"' || *p == '\\') putchar('\\');
            fwrite(p, 1, length, stdout);
        }
        p += length ? length : 1;
    }
    putchar('"');
}

/* ------------------------------------------------------------------------------- structure */

/* Writes the separator before a value, and its key. */
static void begin_value(const char *key) {
    if (depth > 0 && open_values[depth - 1].count++ > 0) fputs(", ", stdout);
    if (!key) return;
    write_string(key);
    fputs(": ", stdout);
}

static void begin(const char *key, char start, char end) {
    assert(depth < DEPTH_MAX);
    begin_value(key);
    putchar(start);
    open_values[depth].end = end;
    open_values[depth++].count = 0;
}

void json_begin_object(const char *key) { begin(key, '{', '}'); }
void json_begin_array(const char *key) { begin(key, '[', ']'); }

void json_end(void) {
    assert(depth > 0);
    putchar(open_values[--depth].end);
    if (depth == 0) putchar('\n');
}

/* -------------------------------------------------------------------------------- values */

void json_literal(const char *key, const char *text) {
    begin_value(key);
    fputs(text, stdout);
}

void json_text(const char *key, const char *text) {
    if (!text) {
        json_literal(key, "null");
        return;
    }
    begin_value(key);
    write_string(text);
}

void json_bytes(const char *key, const unsigned char *bytes, size_t n) {
    begin_value(key);
    putchar('"');
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = bytes[i];
        const bool plain = c >= ' ' && c < 0x7f && c != '"' && c != '\\';
        printf(plain ? "%c" : "\\u%04x", c);
    }
    putchar('"');
}

void json_bool(const char *key, bool value) { json_literal(key, value ? "true" : "false"); }

void json_integer(const char *key, int64_t value) {
    begin_value(key);
    printf("%" PRId64, value);
}

void json_count(const char *key, uint64_t value) {
    begin_value(key);
    printf("%" PRIu64, value);
}

void json_fixed(const char *key, int decimals, double value) {
    begin_value(key);
    printf("%.*f", decimals, value);
}

void json_rounded(const char *key, int digits, double value) {
    begin_value(key);
    printf("%.*g", digits, value);
}

void json_value(const char *key, weft_dtype dtype, const value *v) { json_literal(key, value_json(dtype, v).text); }

void json_values(const char *key, weft_dtype dtype, size_t n, const void *data) {
    const size_t size = weft_dtype_size(dtype);
    json_begin_array(key);
    for (size_t i = 0; i < n; i++) {
        value v;
        memcpy(&v, (const char *)data + i * size, size);
        json_value(NULL, dtype, &v);
    }
    json_end();
}

/* ------------------------------------------------------------------------------ commands */

void json_begin_command(const char *command) {
    json_begin_object(NULL);
    json_text("command", command);
}

void json_end_command(const char *device, double seconds) {
    if (!record_device(device)) {
        json_text("device", device);
        json_integer("order", weft_order_version());
        json_fixed("seconds", 9, seconds);
    }
    json_end();
}
