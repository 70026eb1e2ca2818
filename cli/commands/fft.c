/* weft fft X.npy -o Y.npy */
#include "cli/io/json.h"
#include "cli/io/numbers.h"
#include "cli/io/value.h"
#include "cli/operations.h"

#include <stdlib.h>

/* State of one call: the request, the input array and the result. */
typedef struct params {
    const char *from, *to;
    bool inverse, real;
    npy_array x;
    size_t n, batch; /* of the transforms */
    npy_shape shape; /* of the result */
    void *y;
    double seconds;
} params;

static bool read_request(const cli_options *options, int argc, char **argv, params *j) {
    for (int option; (option = cli_next_option(argc, argv)) != -1;) {
        if (option == '?') return false;
        if (option == 'i') j->inverse = true;
        if (option == 'r') j->real = true;
        if (option == 'o') j->to = optarg;
    }
    j->from = argv[optind];
    if (argc - optind == 1) return numbers_output(options, "fft", j->to);
    cli_error("fft", "%d files given, 1 expected; see 'weft help fft'", argc - optind);
    return false;
}

static weft_fft_kind kind_of(const params *j) {
    if (j->real) return j->inverse ? WEFT_C2R : WEFT_R2C;
    return j->inverse ? WEFT_C2C_INVERSE : WEFT_C2C;
}

static bool result_is_complex(const params *j) { return kind_of(j) != WEFT_C2R; }

/* Finds the shape of the result. The transforms are along the last axis, so only that dimension changes. */
static bool find_shape(params *j) {
    const npy_shape *shape = &j->x.shape;
    const bool to_real = kind_of(j) == WEFT_C2R;
    if (j->x.flat || shape->rank == 0) {
        cli_error("fft", "%s: %s: expected an array in C order with at least 1 dimension", j->from,
                  shape->rank == 0 ? "is a single value" : "is in Fortran order");
        return false;
    }
    if (j->real && to_real != j->x.is_complex) {
        cli_error("fft", "%s: has %s elements: --real%s requires %s elements", j->from,
                  j->x.is_complex ? "complex" : "real", to_real ? " --inverse" : "", to_real ? "complex" : "real");
        return false;
    }
    const size_t last = shape->dimensions[shape->rank - 1];
    j->n = !to_real || last == 0 ? last : last == 1 ? 1 : 2 * (last - 1);
    if (j->n == 0 || (j->n & (j->n - 1)) != 0) {
        cli_error("fft", "%s: its last axis has %zu elements: expected %s", j->from, last,
                  to_real ? "a power of two plus one" : "a power of two");
        return false;
    }
    j->batch = j->x.n / last;
    j->shape = *shape;
    j->shape.dimensions[shape->rank - 1] = kind_of(j) == WEFT_R2C ? j->n / 2 + 1 : j->n;
    return true;
}

static int compute(weft_context *ctx, params *j) {
    if (!j->real && !numbers_to_complex("fft", j->from, &j->x)) return CLI_FAILED;
    const size_t last = j->shape.dimensions[j->shape.rank - 1];
    j->y = numbers_allocate("fft", &j->x, result_is_complex(j), j->batch * last);
    if (!j->y) return CLI_FAILED;
    const double start = cli_seconds();
    const weft_status status = weft_fft(ctx, kind_of(j), j->x.dtype, j->batch, j->n, j->x.data, j->y);
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
    json_count("n", j->n);
    json_count("batch", j->batch);
    json_text("result", numbers_type(j->x.dtype, result_is_complex(j)));
    json_end_command(device, j->seconds);
}

static int run(weft_context *ctx, const cli_options *options, params *j) {
    npy_error error;
    if (!numbers_read("fft", j->from, &j->x) || !find_shape(j)) return CLI_FAILED;
    const int code = compute(ctx, j);
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
