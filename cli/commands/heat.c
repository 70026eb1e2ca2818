/* weft heat U0.npy -o U.npy: time steps of the heat equation. */
#include "cli/bench/measure.h"
#include "cli/io/file.h"
#include "cli/io/json.h"
#include "cli/io/npy/npy.h"
#include "cli/io/picture.h"
#include "cli/io/value.h"
#include "cli/nearest.h"
#include "cli/operations.h"
#include "cli/progress.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    AXES_MAX = 3,
    PARTS = 20 /* the steps are divided into this many calls */,
    LOOKS = 100 /* number of calls with a history */
};
static const long long STEPS_MOST = 1000000000000;

/* Values of the options. */
typedef struct request {
    const char *from, *to; /* file names; `to` may be NULL */
    size_t steps, dimensions;
    double lambda[AXES_MAX];
    size_t lambda_count;
    weft_heat_method method;
    const char *picture, *history; /* file names, or NULL */
} request;

typedef struct params {
    const cli_options *options;
    const request *request;
    npy_array u;
    size_t dimensions, shape[AXES_MAX], batch;
    double lambda[AXES_MAX];
    void *grids; /* in device memory */
    value largest;
    double looks[2 * (LOOKS + 1)]; /* pairs: number of steps, and the largest |u| after them */
    size_t look_count;
    double seconds;
} params;

/* -------------------------------------------------------------------------------- options */

/* Reads one number, or one for each axis, separated by commas. */
static bool read_lambda(char *text, request *r) {
    char *rest = text;
    r->lambda_count = 0;
    while (rest) {
        char *const comma = strchr(rest, ',');
        value v;
        if (comma) *comma = '\0';
        if (r->lambda_count == AXES_MAX || !value_parse(WEFT_F64, rest, &v) || !(v.f64 > 0)) {
            cli_error("heat",
                      "--lambda %s: expected a number greater than 0, or one for each of up to 3 axes (1,1,2)", rest);
            return false;
        }
        if (!(v.f64 >= 0x1p-60 && v.f64 <= 0x1p60)) {
            cli_error("heat", "--lambda %s: expected a number from 2^-60 to 2^60", rest);
            return false;
        }
        r->lambda[r->lambda_count++] = v.f64;
        rest = comma ? comma + 1 : NULL;
    }
    return true;
}

static bool read_method(const char *text, request *r) {
    r->method = same_name(text, "crank-nicolson") ? WEFT_CRANK_NICOLSON : WEFT_BACKWARD_EULER;
    if (r->method == WEFT_CRANK_NICOLSON || same_name(text, "backward-euler")) return true;
    cli_error("heat", "--method %s: expected backward-euler or crank-nicolson", text);
    return false;
}

static bool read_option(int option, request *r) {
    long long number = 0;
    switch (option) {
    case 's':
        if (!cli_number("heat", "--steps", optarg, 0, STEPS_MOST, &number)) return false;
        r->steps = (size_t)number;
        return true;
    case 'd':
        if (!cli_number("heat", "--dimensions", optarg, 1, AXES_MAX, &number)) return false;
        r->dimensions = (size_t)number;
        return true;
    case 'l': return read_lambda(optarg, r);
    case 'm': return read_method(optarg, r);
    case 'o': r->to = optarg; return true;
    case 'p': r->picture = optarg; return true;
    case 'h': r->history = optarg; return true;
    default: return false;
    }
}

static bool writes_to_output(const request *r) {
    return file_is_output(r->to) || file_is_output(r->picture) || file_is_output(r->history);
}

static bool read_request(const cli_options *options, int argc, char **argv, request *r) {
    for (int option; (option = cli_next_option(argc, argv)) != -1;)
        if (!read_option(option, r)) return false;
    r->from = argv[optind];
    if (argc - optind != 1)
        cli_error("heat", "%d files given, 1 expected; see 'weft help heat'", argc - optind);
    else if (options->json && writes_to_output(r))
        cli_error("heat", "--json cannot be combined with an output file named -: both write to standard output");
    else
        return file_takes_result(options, "heat", "-o", r->to) &&
               file_takes_result(options, "heat", "--png", r->picture);
    return false;
}

/* ------------------------------------------------------------------------------- the grids */

/* Interprets the last dimensions of the array as those of a grid; x is the last one. */
static bool shape_grids(params *j) {
    const request *r = j->request;
    const size_t rank = j->u.shape.rank, *dimensions = j->u.shape.dimensions;
    j->dimensions = r->dimensions ? r->dimensions : rank;
    if (j->dimensions < 1 || j->dimensions > AXES_MAX || j->dimensions > rank)
        cli_error(
            "heat",
            "%s: the array has %zu dimension%s: --dimensions must give the number of dimensions of a grid, 1 to 3",
            r->from, rank, rank == 1 ? "" : "s");
    else if (r->lambda_count != 1 && r->lambda_count != j->dimensions)
        cli_error("heat", "--lambda: %zu numbers given, %zu expected, one for each axis", r->lambda_count,
                  j->dimensions);
    else {
        j->batch = 1;
        for (size_t i = 0; i < rank - j->dimensions; i++) j->batch *= dimensions[i];
        for (size_t i = 0; i < j->dimensions; i++) {
            j->shape[i] = dimensions[rank - 1 - i];
            j->lambda[i] = r->lambda[r->lambda_count == 1 ? 0 : i];
        }
        return true;
    }
    return false;
}

static bool read_grids(params *j) {
    npy_error error = {""};
    const char *from = j->request->from;
    if (!npy_read(from, &j->u, &error))
        cli_error("heat", "%s: %s", from, error.message);
    else if (j->u.dtype != WEFT_F32 && j->u.dtype != WEFT_F64)
        cli_error("heat", "%s: has elements of type %s: expected f32 or f64", from, weft_dtype_name(j->u.dtype));
    else if (j->u.flat)
        cli_error("heat", "%s: is in Fortran order: expected C order", from);
    else if (j->request->picture && (j->u.n == 0 || j->u.shape.rank < 2))
        cli_error("heat", "--png: %s has 1 dimension: a picture requires at least 2", from);
    else
        return shape_grids(j);
    return false;
}

/* -------------------------------------------------------------------------------- running */

static double real_of(weft_dtype dtype, const value *v) { return dtype == WEFT_F32 ? (double)v->f32 : v->f64; }

static weft_status look(weft_context *ctx, params *j, size_t done) {
    const weft_status status =
        weft_reduce(ctx, WEFT_NORMINF, j->u.dtype, WEFT_DEFAULT, j->u.n, j->grids, &j->largest);
    j->looks[2 * j->look_count] = (double)done;
    j->looks[2 * j->look_count++ + 1] = real_of(j->u.dtype, &j->largest);
    return status;
}

/* Divides the steps into several calls, so that progress can be shown. The division does not change any bit. */
static weft_status step(weft_context *ctx, params *j) {
    const request *r = j->request;
    const size_t parts = r->history ? LOOKS : PARTS, part = (r->steps + parts - 1) / parts;
    weft_status status = r->history ? look(ctx, j, 0) : WEFT_OK;
    for (size_t done = 0; status == WEFT_OK && done < r->steps;) {
        const size_t left = r->steps - done, now = left < part ? left : part;
        progress_at((double)done, (double)r->steps);
        status = weft_heat(ctx, r->method, j->u.dtype, j->dimensions, j->shape, j->batch, j->lambda, now, j->grids,
                           j->grids);
        done += now;
        if (status == WEFT_OK && r->history) status = look(ctx, j, done);
    }
    return status;
}

static weft_status step_on_device(weft_context *ctx, params *j) {
    weft_status status = measure_upload(ctx, j->u.n * weft_dtype_size(j->u.dtype), j->u.data, &j->grids);
    const double start = cli_seconds();
    if (status == WEFT_OK) status = step(ctx, j);
    if (status == WEFT_OK) status = weft_synchronize(ctx);
    j->seconds = cli_seconds() - start;
    if (status == WEFT_OK && !j->request->history) status = look(ctx, j, j->request->steps);
    return status;
}

static void print(const params *j, const char *device) {
    const weft_dtype dtype = j->u.dtype;
    if (j->options->json) {
        json_begin_command("heat");
        json_text("file", j->request->from);
        json_text("dtype", weft_dtype_name(dtype));
        json_count("dimensions", j->dimensions);
        json_count("batch", j->batch);
        json_count("steps", j->request->steps);
        json_value("largest", dtype, &j->largest);
        json_text("bits", value_bits(dtype, &j->largest).text);
        json_end_command(device, j->seconds);
        return;
    }
    FILE *out = writes_to_output(j->request) ? stderr : stdout;
    fprintf(out, "%zu steps, largest |u| %s%s%s\n", j->request->steps, value_decimal(dtype, &j->largest).text,
            j->options->bits ? "  " : "", j->options->bits ? value_bits(dtype, &j->largest).text : "");
}

/* ------------------------------------------------------------------------------- results */

/* Draws the last two dimensions; of more dimensions, the middle one of these planes. */
static bool write_picture(const params *j, const char *grids) {
    const size_t rank = j->u.shape.rank, width = j->u.shape.dimensions[rank - 1];
    const size_t height = j->u.shape.dimensions[rank - 2], plane = width * height;
    const char *first = grids + j->u.n / plane / 2 * plane * weft_dtype_size(j->u.dtype);
    npy_error error = {""};
    if (picture_write(j->request->picture, j->u.dtype, width, height, first, &error)) return true;
    cli_error("heat", "%s: %s", j->request->picture, error.message);
    return false;
}

static bool write_history(const params *j) {
    npy_error error = {""};
    if (drawing_write(j->request->history, j->look_count, j->looks, "steps", "largest |u|", &error)) return true;
    cli_error("heat", "%s: %s", j->request->history, error.message);
    return false;
}

/* Copies the grids back to host memory and writes them to their files. */
static bool write_grids(weft_context *ctx, const params *j) {
    const request *r = j->request;
    const size_t bytes = j->u.n * weft_dtype_size(j->u.dtype);
    npy_error error = {""};
    void *const host = malloc(bytes ? bytes : 1);
    bool good = false;
    if (!host)
        cli_error("heat", "%s: cannot allocate %zu bytes for the result", r->from, bytes);
    else if (weft_copy(ctx, bytes, j->grids, host) != WEFT_OK)
        cli_error("heat", "%s: %s", r->from, weft_last_error(ctx));
    else if (r->to && !npy_write(r->to, j->u.dtype, &j->u.shape, host, &error))
        cli_error("heat", "%s: %s", r->to, error.message);
    else
        good = !r->picture || write_picture(j, host);
    free(host);
    return good;
}

static int run(weft_context *ctx, params *j) {
    const request *r = j->request;
    progress_start(j->options, "heat");
    const weft_status status = step_on_device(ctx, j);
    progress_end();
    if (status != WEFT_OK) {
        cli_error("heat", "%s: %s", r->from, weft_last_error(ctx));
        return CLI_FAILED;
    }
    if ((r->to || r->picture) && !write_grids(ctx, j)) return CLI_FAILED;
    if (r->history && !write_history(j)) return CLI_FAILED;
    print(j, weft_device(ctx));
    return CLI_DONE;
}

int command_heat(const cli_options *options, int argc, char **argv) {
    weft_context *ctx;
    request r = {.steps = 1, .lambda = {1}, .lambda_count = 1};
    params j = {.options = options, .request = &r};
    if (!read_request(options, argc, argv, &r)) return CLI_USAGE;
    int code = cli_open("heat", options, &ctx);
    if (code != CLI_DONE) return code;
    code = read_grids(&j) ? run(ctx, &j) : CLI_FAILED;
    weft_free(ctx, WEFT_DEVICE, j.grids);
    npy_free(&j.u);
    weft_close(ctx);
    return code;
}

/* ------------------------------------------------------------------------- for tour and bench */

/* Runs two steps on lines of 128 points. Elements after the last complete line are not used. */
weft_status example_heat(const operation *o, weft_context *ctx, const operands *in, value *out, weft_dtype *type) {
    enum { POINTS = 128 };
    static const double lambda = 1;
    const size_t points = in->n < POINTS ? in->n : POINTS, lines = in->n < POINTS ? 1 : in->n / POINTS;
    (void)o, (void)out;
    *type = in->dtype;
    return weft_heat(ctx, WEFT_BACKWARD_EULER, in->dtype, 1, &points, lines, &lambda, 2, in->x, in->to);
}
