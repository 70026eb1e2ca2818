/* weft show FILE.npy: summarizes an array in one pass over a file of any size. */
#include "cli/io/json.h"
#include "cli/io/streamed.h"
#include "cli/io/value.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES = 1 << 20, SHOWN = 5 };

typedef struct summary {
    weft_dtype dtype;
    size_t size;
    uint64_t n; /* elements so far */
    uint64_t nans;
    bool any;                        /* there was an element that is not NaN */
    value min, max;                  /* of all elements that are not NaN */
    value first[SHOWN], last[SHOWN]; /* element i is stored in last[i % SHOWN] */
} summary;

/* ------------------------------------------------------------------------------- summary */

#define IS_NAN_SIGNED(x) false
#define IS_NAN_UNSIGNED(x) false
#define IS_NAN_FLOAT(x) isnan(x)
#define BEFORE_SIGNED(a, b) ((a) < (b))
#define BEFORE_UNSIGNED(a, b) ((a) < (b))
#define BEFORE_FLOAT(a, b) value_before(a, b)

/* Adds the f16 or bf16 with these bits. */
static void add_half(summary *s, double (*value_of)(uint16_t), uint16_t bits) {
    const double x = value_of(bits);
    if (isnan(x)) {
        s->nans++;
        return;
    }
    if (!s->any || value_before(x, value_of(s->min.f16))) s->min.f16 = bits;
    if (!s->any || value_before(value_of(s->max.f16), x)) s->max.f16 = bits;
    s->any = true;
}

/* Adds n elements at p, which must be aligned. */
static void add_range(summary *s, size_t n, const void *p) {
    switch (s->dtype) {
#define TYPE(ID, name, ctype, kind, npy)                                   \
    case WEFT_##ID:                                                        \
        for (size_t i = 0; i < n; i++) {                                   \
            const ctype x = ((const ctype *)p)[i];                         \
            if (IS_NAN_##kind(x)) {                                        \
                s->nans++;                                                 \
                continue;                                                  \
            }                                                              \
            if (!s->any || BEFORE_##kind(x, s->min.name)) s->min.name = x; \
            if (!s->any || BEFORE_##kind(s->max.name, x)) s->max.name = x; \
            s->any = true;                                                 \
        }                                                                  \
        break;
#include "core/types.def"
#define HALF(ID, name, npy)                                                                    \
    case WEFT_##ID:                                                                            \
        for (size_t i = 0; i < n; i++) add_half(s, value_of_##name, ((const uint16_t *)p)[i]); \
        break;
#include "core/halves.def"
    default: break;
    }
}

static void add(summary *s, size_t n, const char *p) {
    add_range(s, n, p);
    for (size_t i = 0; i < n && s->n + i < SHOWN; i++) memcpy(&s->first[s->n + i], p + i * s->size, s->size);
    for (size_t i = n < SHOWN ? 0 : n - SHOWN; i < n; i++)
        memcpy(&s->last[(s->n + i) % SHOWN], p + i * s->size, s->size);
    s->n += n;
}

static bool read_part(stream_input *in, char *buffer, size_t bytes) {
    for (size_t got = 0; got < bytes;) {
        const ptrdiff_t more = in->source.read(in->source.self, buffer + got, bytes - got);
        if (more <= 0) return false;
        got += (size_t)more;
    }
    return true;
}

static bool read_all(stream_input *in, summary *s, char *buffer) {
    const uint64_t n = in->npy.array.n, most = BUFFER_BYTES / s->size;
    while (s->n < n) {
        const size_t part = (size_t)(n - s->n < most ? n - s->n : most);
        if (!read_part(in, buffer, part * s->size)) return false;
        add(s, part, buffer);
    }
    return true;
}

/* ------------------------------------------------------------------------------ printing */

static uint64_t shown(const summary *s) { return s->n < SHOWN ? s->n : SHOWN; }

static const value *last_value(const summary *s, uint64_t i) { return &s->last[(s->n - shown(s) + i) % SHOWN]; }

static void print_bound(const cli_options *options, const char *name, const summary *s, const value *v) {
    printf("%-9s %s%s%s\n", name, s->any ? value_decimal(s->dtype, v).text : "none",
           options->bits && s->any ? " " : "", options->bits && s->any ? value_bits(s->dtype, v).text : "");
}

static void print_text(const cli_options *options, const npy_array *a, const summary *s) {
    printf("type      %s\nshape     %s%s\nelements  %zu\n", weft_dtype_name(s->dtype),
           npy_text_of_shape(&a->given).text, a->fortran ? " in Fortran order" : "", a->n);
    printf("first    ");
    for (uint64_t i = 0; i < shown(s); i++) printf(" %s", value_decimal(s->dtype, &s->first[i]).text);
    printf("\nlast     ");
    for (uint64_t i = 0; i < shown(s); i++) printf(" %s", value_decimal(s->dtype, last_value(s, i)).text);
    putchar('\n');
    print_bound(options, "min", s, &s->min);
    print_bound(options, "max", s, &s->max);
    printf("NaN       %llu\n", (unsigned long long)s->nans);
}

static void print_json(const char *path, const npy_array *a, const summary *s) {
    json_begin_command("show");
    json_text("file", path);
    json_text("dtype", weft_dtype_name(s->dtype));
    json_begin_array("shape");
    for (size_t i = 0; i < a->given.rank && i < NPY_RANK; i++) json_count(NULL, a->given.dimensions[i]);
    json_end();
    json_bool("fortran_order", a->fortran);
    json_count("n", a->n);
    json_begin_array("first");
    for (uint64_t i = 0; i < shown(s); i++) json_value(NULL, s->dtype, &s->first[i]);
    json_end();
    json_begin_array("last");
    for (uint64_t i = 0; i < shown(s); i++) json_value(NULL, s->dtype, last_value(s, i));
    json_end();
    json_literal("min", s->any ? value_json(s->dtype, &s->min).text : "null");
    json_literal("max", s->any ? value_json(s->dtype, &s->max).text : "null");
    json_count("nan", s->nans);
    json_end();
}

/* ---------------------------------------------------------------------------- the command */

static int show(const cli_options *options, stream *in) {
    const npy_array *a = &in->inputs[0].npy.array;
    summary s = {.dtype = a->dtype, .size = weft_dtype_size(a->dtype)};
    char *buffer = malloc(BUFFER_BYTES);
    if (!buffer) {
        cli_error("show", "cannot allocate a buffer of %d bytes", BUFFER_BYTES);
        return CLI_FAILED;
    }
    const int code = stream_end(in, NULL, read_all(&in->inputs[0], &s, buffer) ? WEFT_OK : WEFT_IO);
    free(buffer);
    if (code != CLI_DONE) return code;
    if (options->json)
        print_json(in->inputs[0].path, a, &s);
    else
        print_text(options, a, &s);
    return CLI_DONE;
}

int command_show(const cli_options *options, int argc, char **argv) {
    stream in;
    if (cli_next_option(argc, argv) != -1) return CLI_USAGE;
    if (argc - optind != 1) {
        cli_error(argv[0], "%d files given, 1 expected; see 'weft help show'", argc - optind);
        return CLI_USAGE;
    }
    int code = stream_open(&in, "show", options, (const char *const *)argv + optind, 1, 1);
    if (code == CLI_DONE) code = show(options, &in);
    stream_close(&in);
    return code;
}
