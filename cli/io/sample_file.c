#include "cli/io/sample_file.h"
#include "cli/io/json.h"

#include "cli/io/file.h"
#include "cli/io/npy/npy_header.h"
#include "cli/io/value.h"
#include "cli/progress.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 1 << 24 };
static const uint64_t SAMPLES_MOST = UINT64_C(1) << 63; /* of a stream */

/* -------------------------------------------------------------------------------- options */

/* Parses an integer, which may have an exponent: 1e8. */
static bool read_whole(const char *command, const char *option, const char *text, uint64_t *number) {
    value v;
    if (value_parse(WEFT_U64, text, &v)) {
        *number = v.u64;
        return true;
    }
    if (value_parse(WEFT_F64, text, &v) && v.f64 >= 0 && v.f64 < 0x1p64 && v.f64 == (double)(uint64_t)v.f64) {
        *number = (uint64_t)v.f64;
        return true;
    }
    cli_error(command, "%s %s: expected an integer from 0 to 18446744073709551615", option, text);
    return false;
}

static bool read_type(const char *command, const char *text, weft_dtype *dtype) {
    for (*dtype = WEFT_I8; *dtype <= WEFT_BF16; (*dtype)++)
        if (strcmp(text, weft_dtype_name(*dtype)) == 0) return true;
    cli_error(command, "--dtype %s: unknown type", text);
    return false;
}

bool sample_option(const char *command, int option, const char *text, sample_options *o) {
    switch (option) {
    case 'n': o->counted = true; return read_whole(command, "--n", text, &o->n);
    case 's': return read_whole(command, "--seed", text, &o->seed);
    case 't': return read_whole(command, "--stream", text, &o->stream);
    case 'f': return read_whole(command, "--first", text, &o->first);
    case 'y': return read_type(command, text, &o->dtype);
    default: o->to = text; return true;
    }
}

bool sample_options_suffice(const cli_options *options, const char *command, const char *what,
                            const sample_options *o) {
    if (!o->counted)
        cli_error(command, "option --n N is required: the number of %s", what);
    else if (!o->to)
        cli_error(command, "option -o FILE.npy is required: the file for the %s (- for standard output)", what);
    else if (o->first > SAMPLES_MOST || o->n > SAMPLES_MOST - o->first)
        cli_error(command, "--first %llu --n %llu: out of range: expected %s 0 to %llu", (unsigned long long)o->first,
                  (unsigned long long)o->n, what, (unsigned long long)SAMPLES_MOST - 1);
    else
        return file_takes_result(options, command, "-o", o->to);
    return false;
}

/* -------------------------------------------------------------------------------- writing */

/* State of generating and writing: `made` samples are finished. */
typedef struct run {
    const sample_file *file;
    weft_context *ctx;
    uint64_t made;
    size_t size, capacity; /* bytes per sample; samples per chunk */
    void *chunk;
    bool begun; /* the header has been returned */
    unsigned char header[NPY_HEADER_CAPACITY];
} run;

static weft_status make(const run *w, uint64_t first, size_t n) {
    return w->file->make(w->file->self, w->ctx, first, n, w->chunk);
}

static size_t format_header(const run *w, unsigned char header[NPY_HEADER_CAPACITY]) {
    const npy_shape shape = {w->file->dimensions ? 2 : 1, {(size_t)w->file->options->n, w->file->dimensions}};
    return npy_format_header(w->file->options->dtype, false, &shape, header);
}

static bool next_chunk(void *self, file_part *chunk, npy_error *error) {
    run *w = self;
    const sample_options *o = w->file->options;
    const uint64_t left = o->n - w->made;
    const size_t n = left < w->capacity ? (size_t)left : w->capacity;
    if (!w->begun) {
        *chunk = (file_part){w->header, format_header(w, w->header), 1};
        return w->begun = true;
    }
    if (make(w, o->first + w->made, n) != WEFT_OK) return npy_fail(error, "%s", weft_last_error(w->ctx));
    *chunk = (file_part){w->chunk, n * w->size, weft_dtype_size(o->dtype)};
    w->made += n;
    progress_at((double)w->made, (double)o->n);
    return true;
}

/* Generates the last sample before the output file is created, so that errors of the library are reported first. */
static weft_status try_last(const run *w) {
    const sample_options *o = w->file->options;
    if (o->n == 0) return make(w, o->first, 0);
    return make(w, o->first > UINT64_MAX - (o->n - 1) ? UINT64_MAX : o->first + (o->n - 1), 1);
}

/* Returns the size of header and samples, or the largest number if that overflows. */
static unsigned long long bytes_of_file(const run *w) {
    unsigned char header[NPY_HEADER_CAPACITY];
    unsigned long long bytes;
    return __builtin_mul_overflow(w->file->options->n, w->size, &bytes) ||
                   __builtin_add_overflow(bytes, format_header(w, header), &bytes)
               ? ULLONG_MAX
               : bytes;
}

static int write_samples(const cli_options *options, const char *command, run *w) {
    npy_error error;
    if (try_last(w) != WEFT_OK) {
        cli_error(command, "%s", weft_last_error(w->ctx));
        return CLI_FAILED;
    }
    progress_start(options, command);
    const file_source chunks = {next_chunk, w, bytes_of_file(w)};
    const bool written = file_write_from(w->file->options->to, &chunks, &error);
    progress_end();
    if (!written) {
        cli_error(command, "%s: %s", w->file->options->to, error.message);
        return CLI_FAILED;
    }
    return CLI_DONE;
}

int sample_file_write(const cli_options *options, const char *command, const sample_file *file, char device[32],
                      double *seconds) {
    run w = {.file = file};
    int code = cli_open(command, options, &w.ctx);
    w.size = weft_dtype_size(file->options->dtype) * (file->dimensions ? file->dimensions : 1);
    w.capacity = CHUNK_BYTES / w.size;
    w.chunk = malloc(CHUNK_BYTES);
    if (code == CLI_DONE && !w.chunk) {
        cli_error(command, "cannot allocate %d bytes for samples", (int)CHUNK_BYTES);
        code = CLI_FAILED;
    }
    if (code == CLI_DONE) {
        const double start = cli_seconds();
        code = write_samples(options, command, &w);
        *seconds = cli_seconds() - start;
        snprintf(device, 32, "%s", weft_device(w.ctx));
    }
    free(w.chunk);
    weft_close(w.ctx);
    return code;
}

void sample_file_json(const sample_options *o, const char *device, double seconds) {
    json_text("output", o->to);
    json_text("dtype", weft_dtype_name(o->dtype));
    json_count("n", (uint64_t)o->n);
    json_count("seed", (uint64_t)o->seed);
    json_count("stream", (uint64_t)o->stream);
    json_count("first", (uint64_t)o->first);
    json_end_command(device, seconds);
}
