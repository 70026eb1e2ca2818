/* weft convolve X.npy H.npy -o Y.npy */
#include "cli/commands/along_axes.h"
#include "cli/io/json.h"
#include "cli/io/numbers.h"
#include "cli/io/value.h"
#include "cli/operations.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char *const MODES[] = {"full", "same", "valid"}; /* in the order of weft_convolve_mode */
enum { MODE_COUNT = sizeof MODES / sizeof *MODES };

/* State of one call: the request, the input arrays and the result. */
typedef struct params {
    const char *files[2], *to;
    int mode;
    bool correlate;
    axes_request along; /* no text: both arrays have one dimension, or images */
    const char *border; /* argument of --border; NULL: not given. Else the arrays have images */
    weft_border extended;
    double fill;
    npy_array arrays[2]; /* x and h */
    size_t n, m;         /* lengths along the axis, or elements of an image and of its filter */
    npy_shape shape;     /* of the result */
    void *y;
    size_t count; /* its number of elements */
    double seconds;
} params;

static bool read_mode(const char *text, int *mode) {
    for (*mode = 0; *mode < MODE_COUNT; ++*mode)
        if (strcmp(text, MODES[*mode]) == 0) return true;
    cli_error("convolve", "--mode %s: expected full, same or valid", text);
    return false;
}

static bool read_border(const char *text, params *j) {
    char *end;
    j->border = text;
    j->extended = strcmp(text, "wrap") == 0        ? WEFT_BORDER_WRAP
                  : strcmp(text, "symmetric") == 0 ? WEFT_BORDER_SYMMETRIC
                                                   : WEFT_BORDER_FILL;
    if (j->extended != WEFT_BORDER_FILL) return true;
    j->fill = strtod(text, &end);
    if (end != text && *end == '\0') return true;
    cli_error("convolve", "--border %s: expected wrap, symmetric or a number", text);
    return false;
}

static bool read_option(int option, params *j) {
    switch (option) {
    case 'm': return read_mode(optarg, &j->mode);
    case 'c': j->correlate = true; return true;
    case 'x': return axes_read("convolve", optarg, 1, &j->along);
    case 'b': return read_border(optarg, j);
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
    if (j->along.text && j->border) {
        cli_error("convolve", "--axis and --border cannot be combined");
        return false;
    }
    for (int i = 0; i < 2; i++) j->files[i] = argv[optind + i];
    if (strcmp(j->files[0], "-") == 0 && strcmp(j->files[1], "-") == 0) {
        cli_error("convolve", "-: only one of the two arrays can be read from standard input");
        return false;
    }
    return numbers_output(options, "convolve", j->to);
}

/* Checks the number of dimensions of array i. */
static bool check_rank(const params *j, int i) {
    const size_t rank = j->arrays[i].given.rank, least = j->border ? 2 : 1;
    const size_t most = j->border && i == 1 ? 2 : j->along.text || j->border ? WEFT_DIMENSIONS_MAX - 1 : 1;
    if (rank >= least && rank <= most) return true;
    if (most == 1)
        cli_error("convolve", "%s: has %zu dimensions: expected 1, or option --axis", j->files[i], rank);
    else if (least == most)
        cli_error("convolve", "%s: has %zu dimension%s: expected 2", j->files[i], rank, rank == 1 ? "" : "s");
    else
        cli_error("convolve", "%s: has %zu dimension%s: expected %zu to %zu", j->files[i], rank, rank == 1 ? "" : "s",
                  least, most);
    return false;
}

static bool read_arrays(params *j) {
    npy_array *x = &j->arrays[0], *h = &j->arrays[1];
    for (int i = 0; i < 2; i++)
        if (!numbers_read("convolve", j->files[i], &j->arrays[i]) || !check_rank(j, i)) return false;
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

/* Computes the number of elements of the result. Returns an exit status. */
static int count_elements(params *j) {
    if (npy_count(&j->shape, &j->count)) return CLI_DONE;
    cli_error("convolve", "the result of shape %s does not fit in memory", npy_text_of_shape(&j->shape).text);
    return CLI_FAILED;
}

/* Finds the lengths along the axis and the shape of the result. */
static int find_shape(params *j) {
    const npy_shape *x = &j->arrays[0].given, *h = &j->arrays[1].given;
    if (!axes_check("convolve", &j->along, j->files[0], x)) return CLI_USAGE;
    if (h->rank != 1 && h->rank != x->rank) {
        cli_error("convolve", "%s: has %zu dimensions: expected 1, or %zu as %s has", j->files[1], h->rank, x->rank,
                  j->files[0]);
        return CLI_FAILED;
    }
    const size_t along = axes_number(j->along.axes[0], x->rank);
    j->n = x->dimensions[along];
    j->m = h->dimensions[h->rank == 1 ? 0 : along];
    j->shape = *x;
    j->shape.dimensions[along] = count_values(j->mode, j->n, j->m);
    return count_elements(j);
}

/* Finds the shape of images that are convolved. */
static int find_image_shape(params *j) {
    const npy_shape *x = &j->arrays[0].given, *h = &j->arrays[1].given;
    j->shape = *x;
    j->n = j->m = 1;
    for (size_t k = 0; k < 2; k++) {
        const size_t axis = x->rank - 2 + k, n = x->dimensions[axis], m = h->dimensions[k];
        j->shape.dimensions[axis] = j->mode == WEFT_SAME ? n : count_values(j->mode, n, m);
        j->n *= n;
        j->m *= m;
    }
    return count_elements(j);
}

static weft_status convolve(weft_context *ctx, const params *j) {
    const npy_array *x = &j->arrays[0], *h = &j->arrays[1];
    const weft_field field = x->is_complex ? WEFT_COMPLEX : WEFT_REAL;
    weft_view from, by, to;
    npy_view(x, &from);
    npy_view(h, &by);
    const weft_status status = weft_view_of(x->dtype, j->shape.rank, j->shape.dimensions, j->y, &to);
    if (status != WEFT_OK) return status;
    from = numbers_with_parts(from, x->is_complex);
    by = numbers_with_parts(by, x->is_complex);
    to = numbers_with_parts(to, x->is_complex);
    if (j->border) {
        const double fill[2] = {j->fill, 0};
        const float narrow[2] = {(float)j->fill, 0};
        return (j->correlate ? weft_correlate2d : weft_convolve2d)(ctx, (weft_convolve_mode)j->mode, j->extended,
                                                                   x->dtype == WEFT_F64 ? (const void *)fill : narrow,
                                                                   field, &from, &by, &to);
    }
    return (j->correlate ? weft_correlate_axis : weft_convolve_axis)(ctx, (weft_convolve_mode)j->mode, field, &from,
                                                                     j->along.axes[0], &by, &to);
}

static int compute(weft_context *ctx, params *j) {
    const npy_array *x = &j->arrays[0];
    j->y = numbers_allocate("convolve", x, x->is_complex, j->count);
    if (!j->y) return CLI_FAILED;
    const double start = cli_seconds();
    const weft_status status = convolve(ctx, j);
    j->seconds = cli_seconds() - start;
    if (status == WEFT_OK) return CLI_DONE;
    cli_error("convolve", "%s: %s", j->files[0], weft_last_error(ctx));
    return CLI_FAILED;
}

static void print_json(const params *j, const char *device) {
    const npy_array *x = &j->arrays[0];
    json_begin_command("convolve");
    json_text("file", j->files[0]);
    json_text("file2", j->files[1]);
    json_text("output", j->to);
    json_text("mode", MODES[j->mode]);
    json_bool("correlate", j->correlate);
    if (j->along.text) json_integer("axis", j->along.axes[0]);
    if (j->border) json_text("border", j->border);
    json_count("n", j->n);
    json_count("m", j->m);
    json_count("values", j->count);
    json_text("result", numbers_type(x->dtype, x->is_complex));
    json_end_command(device, j->seconds);
}

static int run(weft_context *ctx, const cli_options *options, params *j) {
    npy_error error;
    if (!read_arrays(j)) return CLI_FAILED;
    int code = j->border ? find_image_shape(j) : find_shape(j);
    if (code == CLI_DONE) code = compute(ctx, j);
    if (code != CLI_DONE) return code;
    const npy_array *x = &j->arrays[0];
    if (!npy_write_numbers(j->to, x->dtype, x->is_complex, &j->shape, j->y, &error)) {
        cli_error("convolve", "%s: %s", j->to, error.message);
        return CLI_FAILED;
    }
    if (options->json) print_json(j, weft_device(ctx));
    return CLI_DONE;
}

int command_convolve(const cli_options *options, int argc, char **argv) {
    weft_context *ctx;
    params j = {.mode = WEFT_FULL, .along = {.count = 1}};
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
