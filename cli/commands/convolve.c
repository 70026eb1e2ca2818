/* weft convolve X.npy H.npy -o Y.npy */
#include "cli/io/json.h"
#include "cli/io/numbers.h"
#include "cli/io/value.h"
#include "cli/operations.h"

#include <stdlib.h>
#include <string.h>

static const char *const MODES[] = {"full", "same", "valid"}; /* in the order of weft_convolve_mode */
enum { MODE_COUNT = sizeof MODES / sizeof *MODES };

/* State of one call: the request, the input arrays and the result. */
typedef struct params {
    const char *files[2], *to;
    int mode;
    bool correlate;
    npy_array arrays[2]; /* x and h */
    void *y;
    size_t count;
    double seconds;
} params;

static bool read_mode(const char *text, int *mode) {
    for (*mode = 0; *mode < MODE_COUNT; ++*mode)
        if (strcmp(text, MODES[*mode]) == 0) return true;
    cli_error("convolve", "--mode %s: expected full, same or valid", text);
    return false;
}

static bool read_option(int option, params *j) {
    switch (option) {
    case 'm': return read_mode(optarg, &j->mode);
    case 'c': j->correlate = true; return true;
    case 'o': j->to = optarg; return true;
    default: return false;
    }
}

static bool read_request(const cli_options *options, int argc, char **argv, params *j) {
    for (int option; (option = cli_next_option(argc, argv)) != -1;)
        if (!read_option(option, j)) return false;
    if (argc - optind != 2) {
        cli_error("convolve", "%d %s given, 2 expected; see 'weft help convolve'", argc - optind,
                  argc - optind == 1 ? "file" : "files");
        return false;
    }
    for (int i = 0; i < 2; i++) j->files[i] = argv[optind + i];
    if (strcmp(j->files[0], "-") == 0 && strcmp(j->files[1], "-") == 0) {
        cli_error("convolve", "-: only one of the two arrays can be read from standard input");
        return false;
    }
    return numbers_output(options, "convolve", j->to);
}

static bool read_arrays(params *j) {
    npy_array *x = &j->arrays[0], *h = &j->arrays[1];
    for (int i = 0; i < 2; i++) {
        if (!numbers_read("convolve", j->files[i], &j->arrays[i])) return false;
        if (j->arrays[i].shape.rank == 1 && !j->arrays[i].flat) continue;
        cli_error("convolve", "%s: has %zu dimensions: expected 1", j->files[i], j->arrays[i].shape.rank);
        return false;
    }
    if (x->dtype != h->dtype) {
        cli_error("convolve", "%s has elements of type %s and %s of type %s: both must have the same precision",
                  j->files[0], numbers_type(x->dtype, x->is_complex), j->files[1],
                  numbers_type(h->dtype, h->is_complex));
        return false;
    }
    if (x->is_complex == h->is_complex) return true;
    return numbers_to_complex("convolve", j->files[0], x) && numbers_to_complex("convolve", j->files[1], h);
}

static size_t count_values(int mode, size_t n, size_t m) {
    const size_t longer = n < m ? m : n, shorter = n < m ? n : m;
    if (shorter == 0) return 0; /* the library rejects empty arrays */
    return mode == WEFT_FULL ? longer + (shorter - 1) : mode == WEFT_SAME ? longer : longer - shorter + 1;
}

static int compute(weft_context *ctx, params *j) {
    const npy_array *x = &j->arrays[0], *h = &j->arrays[1];
    j->count = count_values(j->mode, x->n, h->n);
    j->y = numbers_allocate("convolve", x, x->is_complex, j->count);
    if (!j->y) return CLI_FAILED;
    const double start = cli_seconds();
    const weft_status status = (j->correlate ? weft_correlate : weft_convolve)(
        ctx, (weft_convolve_mode)j->mode, x->dtype, x->is_complex ? WEFT_COMPLEX : WEFT_REAL, x->n, x->data, h->n,
        h->data, j->y);
    j->seconds = cli_seconds() - start;
    if (status == WEFT_OK) return CLI_DONE;
    cli_error("convolve", "%s: %s", j->files[0], weft_last_error(ctx));
    return CLI_FAILED;
}

static void print_json(const params *j, const char *device) {
    const npy_array *x = &j->arrays[0], *h = &j->arrays[1];
    json_begin_command("convolve");
    json_text("file", j->files[0]);
    json_text("file2", j->files[1]);
    json_text("output", j->to);
    json_text("mode", MODES[j->mode]);
    json_bool("correlate", j->correlate);
    json_count("n", x->n);
    json_count("m", h->n);
    json_count("values", j->count);
    json_text("result", numbers_type(x->dtype, x->is_complex));
    json_end_command(device, j->seconds);
}

static int run(weft_context *ctx, const cli_options *options, params *j) {
    npy_error error;
    if (!read_arrays(j)) return CLI_FAILED;
    const int code = compute(ctx, j);
    if (code != CLI_DONE) return code;
    const npy_array *x = &j->arrays[0];
    const npy_shape shape = {1, {j->count}};
    if (!npy_write_numbers(j->to, x->dtype, x->is_complex, &shape, j->y, &error)) {
        cli_error("convolve", "%s: %s", j->to, error.message);
        return CLI_FAILED;
    }
    if (options->json) print_json(j, weft_device(ctx));
    return CLI_DONE;
}

int command_convolve(const cli_options *options, int argc, char **argv) {
    weft_context *ctx;
    params j = {.mode = WEFT_FULL};
    if (!read_request(options, argc, argv, &j)) return CLI_USAGE;
    int code = cli_open("convolve", options, &ctx);
    if (code != CLI_DONE) return code;
    code = run(ctx, options, &j);
    free(j.y);
    npy_free(&j.arrays[0]);
    npy_free(&j.arrays[1]);
    weft_close(ctx);
    return code;
}

/* ------------------------------------------------------------------------- for tour and bench */

/* Convolves x with a short filter: the first values of y. */
weft_status example_convolve(const operation *o, weft_context *ctx, const operands *in, value *out,
                             weft_dtype *type) {
    enum { TAPS = 11 };
    (void)o, (void)out;
    *type = in->dtype;
    return weft_convolve(ctx, WEFT_SAME, in->dtype, WEFT_REAL, in->n, in->x, in->n < TAPS ? in->n : TAPS, in->y,
                         in->to);
}
