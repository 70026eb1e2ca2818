/* weft fft X.npy -o Y.npy */
#include "cli/commands/along_axes.h"
#include "cli/io/json.h"
#include "cli/io/numbers.h"
#include "cli/io/value.h"
#include "cli/operations.h"

#include <limits.h>
#include <stdlib.h>

/* State of one call: the request, the input array and the result. */
typedef struct params {
    const char *from, *to;
    bool inverse, real;
    long long length; /* of the real values of --real --inverse; 0: not given */
    axes_request along;
    npy_array x;
    npy_shape shape; /* of the result */
    size_t count;    /* its number of elements */
    void *y;
    double seconds;
} params;

static bool read_request(const cli_options *options, int argc, char **argv, params *j) {
    const char *axes = "-1";
    for (int option; (option = cli_next_option(argc, argv)) != -1;) {
        if (option == '?') return false;
        if (option == 'i') j->inverse = true;
        if (option == 'r') j->real = true;
        if (option == 'x') axes = optarg;
        if (option == 'n' && !cli_number("fft", "--length", optarg, 1, LLONG_MAX, &j->length)) return false;
        if (option == 'o') j->to = optarg;
    }
    j->from = argv[optind];
    if (j->length && !(j->real && j->inverse)) {
        cli_error("fft", "--length requires --real and --inverse");
        return false;
    }
    if (argc - optind == 1) {
        const size_t most = WEFT_DIMENSIONS_MAX - 1; /* the parts of complex numbers are one more */
        return axes_read("fft", axes, most, &j->along) && numbers_output(options, "fft", j->to);
    }
    cli_error("fft", "%d files given, 1 expected; see 'weft help fft'", argc - optind);
    return false;
}

static weft_fft_kind kind_of(const params *j) {
    if (j->real) return j->inverse ? WEFT_C2R : WEFT_R2C;
    return j->inverse ? WEFT_C2C_INVERSE : WEFT_C2C;
}

static bool result_is_complex(const params *j) { return kind_of(j) != WEFT_C2R; }

/* Checks the length along axis number `number` of the request, and sets that of the result. */
static bool find_length(params *j, size_t number) {
    const int axis = j->along.axes[number];
    size_t *const length = &j->shape.dimensions[axis < 0 ? (size_t)axis + j->shape.rank : (size_t)axis];
    const size_t given = *length;
    const bool last = number + 1 == j->along.count, to_real = last && kind_of(j) == WEFT_C2R;
    size_t n = given;
    if (to_real && given > 0) n = j->length ? (size_t)j->length : given == 1 ? 1 : 2 * (given - 1);
    *length = last && kind_of(j) == WEFT_R2C ? n / 2 + 1 : n;
    if (given == 0)
        cli_error("fft", "%s: has 0 elements along axis %d: at least 1 is required", j->from, axis);
    else if (to_real && n / 2 + 1 != given)
        cli_error("fft", "%s: has %zu elements along axis %d: --length %zu requires %zu", j->from, given, axis, n,
                  n / 2 + 1);
    else
        return true;
    return false;
}

/* Finds the shape of the result, which differs from that of the array along the last axis of the request. */
static int find_shape(params *j) {
    const bool to_real = kind_of(j) == WEFT_C2R;
    j->shape = j->x.given;
    if (j->shape.rank == 0 || j->shape.rank >= WEFT_DIMENSIONS_MAX) {
        cli_error("fft", "%s: has %zu dimensions: expected 1 to %d", j->from, j->shape.rank, WEFT_DIMENSIONS_MAX - 1);
        return CLI_FAILED;
    }
    if (j->real && to_real != j->x.is_complex) {
        cli_error("fft", "%s: has %s elements: --real%s requires %s elements", j->from,
                  j->x.is_complex ? "complex" : "real", to_real ? " --inverse" : "", to_real ? "complex" : "real");
        return CLI_FAILED;
    }
    if (!axes_check("fft", &j->along, j->from, &j->shape)) return CLI_USAGE;
    for (size_t a = 0; a < j->along.count; a++)
        if (!find_length(j, a)) return CLI_FAILED;
    j->count = 1;
    for (size_t k = 0; k < j->shape.rank; k++) j->count *= j->shape.dimensions[k];
    return CLI_DONE;
}

static weft_status transform(weft_context *ctx, params *j) {
    weft_view from, to;
    npy_view(&j->x, &from);
    const weft_status status = weft_view_of(j->x.dtype, j->shape.rank, j->shape.dimensions, j->y, &to);
    if (status != WEFT_OK) return status;
    from = numbers_with_parts(from, j->x.is_complex);
    to = numbers_with_parts(to, result_is_complex(j));
    return weft_fft_axes(ctx, kind_of(j), &from, j->along.count, j->along.axes, &to);
}

static int compute(weft_context *ctx, params *j) {
    if (!j->real && !numbers_to_complex("fft", j->from, &j->x)) return CLI_FAILED;
    j->y = numbers_allocate("fft", &j->x, result_is_complex(j), j->count);
    if (!j->y) return CLI_FAILED;
    const double start = cli_seconds();
    const weft_status status = transform(ctx, j);
    j->seconds = cli_seconds() - start;
    if (status == WEFT_OK) return CLI_DONE;
    cli_error("fft", "%s: %s", j->from, weft_last_error(ctx));
    return CLI_FAILED;
}

static void print_json(const params *j, const char *device) {
    static const char *const names[] = {"c2c", "c2c_inverse", "r2c", "c2r"};
    json_begin_command("fft");
    json_text("file", j->from);
    json_text("output", j->to);
    json_text("kind", names[kind_of(j)]);
    json_begin_array("axis");
    for (size_t a = 0; a < j->along.count; a++) json_integer(NULL, j->along.axes[a]);
    json_end();
    json_text("result", numbers_type(j->x.dtype, result_is_complex(j)));
    json_end_command(device, j->seconds);
}

static int run(weft_context *ctx, const cli_options *options, params *j) {
    npy_error error;
    if (!numbers_read("fft", j->from, &j->x)) return CLI_FAILED;
    int code = find_shape(j);
    if (code == CLI_DONE) code = compute(ctx, j);
    if (code != CLI_DONE) return code;
    if (!npy_write_numbers(j->to, j->x.dtype, result_is_complex(j), &j->shape, j->y, &error)) {
        cli_error("fft", "%s: %s", j->to, error.message);
        return CLI_FAILED;
    }
    if (options->json) print_json(j, weft_device(ctx));
    return CLI_DONE;
}

int command_fft(const cli_options *options, int argc, char **argv) {
    weft_context *ctx;
    params j = {0};
    if (!read_request(options, argc, argv, &j)) return CLI_USAGE;
    int code = cli_open("fft", options, &ctx);
    if (code != CLI_DONE) return code;
    code = run(ctx, options, &j);
    free(j.y);
    npy_free(&j.x);
    weft_close(ctx);
    return code;
}

/* ------------------------------------------------------------------------- for tour and bench */

/* Transforms the array as complex values; their number is the largest power of two that fits. */
weft_status example_fft(const operation *o, weft_context *ctx, const operands *in, value *out, weft_dtype *type) {
    size_t n = 1;
    (void)o, (void)out;
    while (n <= in->n / 4) n *= 2;
    *type = in->dtype;
    return weft_fft(ctx, WEFT_C2C, in->dtype, in->n < 2 ? 0 : 1, n, in->x, in->to);
}
