#include "cli/io/produce.h"
#include "cli/io/file.h"
#include "cli/io/json.h"
#include "cli/io/value.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_dash(const char *path) { return strcmp(path, "-") == 0; }

static int check_operands(const production *p, int count, const char *to) {
    if (p->count != count)
        cli_error(p->command, "%d %s given, %d expected; see 'weft help %s'", p->count,
                  p->count == 1 ? "file" : "files", count, p->command);
    else if (count == 2 && is_dash(p->files[0]) && is_dash(p->files[1]))
        cli_error(p->command, "-: only one of the two arrays can be read from standard input");
    else if (!to && !p->prints)
        cli_error(p->command, "%s: option -o FILE.npy is required: the file for the result (- for standard output)",
                  p->files[0]);
    else
        return file_takes_result(p->options, p->command, "-o", to) ? CLI_DONE : CLI_USAGE;
    return CLI_USAGE;
}

int produce_open(production *p, const cli_options *options, int argc, char **argv, int count, const char *to) {
    p->options = options;
    p->command = argv[0];
    p->files = argv + optind;
    p->count = argc - optind;
    const int code = check_operands(p, count, to);
    return code == CLI_DONE ? cli_open(p->command, options, &p->ctx) : code;
}

int produce_read(production *p) {
    npy_error error;
    for (int i = 0; i < p->count; i++) {
        if (npy_read(p->files[i], &p->in[i], &error)) continue;
        cli_error(p->command, "%s: %s", p->files[i], error.message);
        return CLI_FAILED;
    }
    return CLI_DONE;
}

int produce_begin(production *p, const cli_options *options, int argc, char **argv, int count, const char *to) {
    const int code = produce_open(p, options, argc, argv, count, to);
    return code == CLI_DONE ? produce_read(p) : code;
}

bool produce_one_type(const production *p) {
    if (p->in[0].dtype == p->in[1].dtype) return true;
    cli_error(p->command, "%s has elements of type %s and %s of type %s: both must have the same type", p->files[0],
              weft_dtype_name(p->in[0].dtype), p->files[1], weft_dtype_name(p->in[1].dtype));
    return false;
}

/* Returns the index of the first element that precedes its predecessor in sort order, or n. */
static size_t first_fall(const npy_array *a) {
    enum { SIGNED_IS_FLOAT = false, UNSIGNED_IS_FLOAT = false, FLOAT_IS_FLOAT = true };
#define TYPE(ID, name, ctype, kind, npy)                                                                    \
    if (a->dtype == WEFT_##ID) {                                                                            \
        const ctype *const x = a->data;                                                                     \
        for (size_t i = 1; i < a->n; i++)                                                                   \
            if (kind##_IS_FLOAT ? value_before((double)x[i], (double)x[i - 1]) : x[i - 1] > x[i]) return i; \
    }
#include "core/types.def"
#define HALF(ID, name, npy)                                                               \
    if (a->dtype == WEFT_##ID) {                                                          \
        const uint16_t *const x = a->data;                                                \
        for (size_t i = 1; i < a->n; i++)                                                 \
            if (value_before(value_of_##name(x[i]), value_of_##name(x[i - 1]))) return i; \
    }
#include "core/halves.def"
    return a->n;
}

bool produce_is_sorted(const production *p, int i) {
    const npy_array *const a = &p->in[i];
    const size_t size = weft_dtype_size(a->dtype), at = first_fall(a);
    value before, fallen;
    if (at >= a->n) return true;
    memcpy(&before, (const char *)a->data + (at - 1) * size, size);
    memcpy(&fallen, (const char *)a->data + at * size, size);
    cli_error(p->command, "%s: is not sorted: element %zu is %s, but element %zu is %s", p->files[i], at - 1,
              value_decimal(a->dtype, &before).text, at, value_decimal(a->dtype, &fallen).text);
    return false;
}

void *produce_allocate(const production *p, size_t n, size_t size) {
    void *values = n <= SIZE_MAX / size ? malloc(n ? n * size : 1) : NULL;
    if (!values) cli_error(p->command, "%s: cannot allocate memory for the %zu values of the result", p->files[0], n);
    return values;
}

void produce_start(production *p) { p->start = cli_seconds(); }

int produce_done(production *p, weft_status status) {
    p->seconds = cli_seconds() - p->start;
    if (status == WEFT_OK) return CLI_DONE;
    cli_error(p->command, "%s: %s", p->files[0], weft_last_error(p->ctx));
    return CLI_FAILED;
}

static value value_at(weft_dtype dtype, const void *data, size_t i) {
    const size_t size = weft_dtype_size(dtype);
    value v = {0};
    memcpy(&v, (const char *)data + i * size, size);
    return v;
}

static void print_values(const production *p, weft_dtype dtype, size_t n, const void *data) {
    for (size_t i = 0; i < n; i++) {
        const value v = value_at(dtype, data, i);
        printf("%s%s%s\n", value_decimal(dtype, &v).text, p->options->bits ? " " : "",
               p->options->bits ? value_bits(dtype, &v).text : "");
    }
}

int produce_write(const production *p, const char *to, weft_dtype dtype, const npy_shape *shape, const void *data) {
    npy_error error;
    size_t n = 1;
    for (size_t i = 0; i < shape->rank; i++) n *= shape->dimensions[i];
    if (!to && !p->options->json) print_values(p, dtype, n, data);
    if (!to) return CLI_DONE;
    if (npy_write(to, dtype, shape, data, &error)) return CLI_DONE;
    cli_error(p->command, "%s: %s", to, error.message);
    return CLI_FAILED;
}

void produce_json_begin(const production *p, const char *to) {
    json_begin_command(p->command);
    json_text("file", p->files[0]);
    if (p->count == 2) json_text("file2", p->files[1]);
    if (to) json_text("output", to);
    json_text("dtype", weft_dtype_name(p->in[0].dtype));
    json_count("n", p->in[0].n);
}

void produce_json_end(const production *p) { json_end_command(weft_device(p->ctx), p->seconds); }

void produce_end(production *p) {
    for (int i = 0; i < PRODUCE_FILES; i++) npy_free(&p->in[i]);
    weft_close(p->ctx);
}
