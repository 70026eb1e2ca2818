/* weft recurrence S.npy U.npy -o V.npy: computes a linear recurrence from two arrays, row by row. */
#include "cli/commands/recurrence_view.h"
#include "cli/io/file.h"
#include "cli/io/json.h"
#include "cli/io/npy/npy.h"
#include "cli/io/streamed.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* State of one call: the input arrays and the result. */
typedef struct params {
    const cli_options *options;
    const recurrence_request *request;
    npy_array s, u;
    size_t rows, n;
    void *init, *v;
    double seconds;
} params;

/* -------------------------------------------------------------------------------- options */

static bool read_request(const cli_options *options, int argc, char **argv, recurrence_request *r) {
    for (int option; (option = cli_next_option(argc, argv)) != -1;) {
        if (option == '?') return false;
        if (option == 'r') r->reverse = true;
        if (option == 'x' && !axes_read(argv[0], optarg, 1, &r->along)) return false;
        if (option == 'i') r->init = optarg;
        if (option == 'o') r->v = optarg;
    }
    const int count = argc - optind;
    r->s = argv[optind];
    r->u = count == 2 ? argv[optind + 1] : NULL;
    if (count != 2)
        cli_error(argv[0], "%d %s given, 2 expected; see 'weft help recurrence'", count,
                  count == 1 ? "file" : "files");
    else if (strcmp(r->s, "-") == 0 && strcmp(r->u, "-") == 0)
        cli_error(argv[0], "-: only one of the two arrays can be read from standard input");
    else if (!r->v)
        cli_error(argv[0], "%s: option -o V.npy is required: the file for the result (- for standard output)", r->s);
    else
        return file_takes_result(options, argv[0], "-o", r->v);
    return false;
}

/* --------------------------------------------------------------------------------- arrays */

static bool read_array(const char *path, npy_array *a) {
    npy_error error;
    const bool read = npy_read(path, a, &error);
    if (!read) cli_error("recurrence", "%s: %s", path, error.message);
    return read;
}

static bool check_order(const char *path, const npy_array *a) {
    if (a->flat) cli_error("recurrence", "%s: is in Fortran order: expected C order", path);
    return !a->flat;
}

static bool same_shape(const npy_shape *a, const npy_shape *b) {
    return a->rank == b->rank && memcmp(a->dimensions, b->dimensions, a->rank * sizeof *a->dimensions) == 0;
}

/* Checks that the arrays match, and finds the rows, which are along the last axis. */
static bool check_pair(params *j) {
    const recurrence_request *r = j->request;
    if (!check_order(r->s, &j->s) || !check_order(r->u, &j->u)) return false;
    if (j->s.dtype != j->u.dtype)
        cli_error("recurrence", "%s has elements of type %s and %s of type %s: both must have the same type", r->s,
                  weft_dtype_name(j->s.dtype), r->u, weft_dtype_name(j->u.dtype));
    else if (!same_shape(&j->s.shape, &j->u.shape))
        cli_error("recurrence", "%s has the shape %s and %s %s: both must have the same shape", r->s,
                  npy_text_of_shape(&j->s.shape).text, r->u, npy_text_of_shape(&j->u.shape).text);
    else {
        j->n = j->s.shape.rank ? j->s.shape.dimensions[j->s.shape.rank - 1] : 1;
        j->rows = j->n ? j->s.n / j->n : 0;
        return true;
    }
    return false;
}

int recurrence_read_init(const recurrence_request *r, weft_dtype dtype, value *init) {
    char range[80];
    if (value_parse(dtype, r->init, init)) return CLI_DONE;
    value_range(dtype, range, sizeof range);
    cli_error("recurrence", "--init %s: expected a value of type %s (%s), the type of the arrays", r->init,
              weft_dtype_name(dtype), range);
    return CLI_USAGE;
}

/* Stores the initial value for every row. */
static int make_init(params *j) {
    value v;
    const weft_dtype dtype = j->s.dtype;
    const size_t size = weft_dtype_size(dtype);
    if (!j->request->init) return CLI_DONE;
    const int code = recurrence_read_init(j->request, dtype, &v);
    if (code != CLI_DONE) return code;
    j->init = malloc(j->rows ? j->rows * size : 1);
    if (!j->init) {
        cli_error("recurrence", "%s: cannot allocate memory for the initial values of %zu rows", j->request->s,
                  j->rows);
        return CLI_FAILED;
    }
    for (size_t i = 0; i < j->rows; i++) memcpy((char *)j->init + i * size, &v, size);
    return CLI_DONE;
}

/* -------------------------------------------------------------------------------- running */

static int compute(weft_context *ctx, params *j) {
    const operation *const recurrence = operation_find("recurrence", strlen("recurrence"));
    const size_t size = weft_dtype_size(j->s.dtype);
    value none;
    weft_dtype type;
    const int code = make_init(j);
    if (code != CLI_DONE) return code;
    j->v = malloc(j->s.n ? j->s.n * size : 1);
    if (!j->v) {
        cli_error("recurrence", "%s: cannot allocate memory for the %zu values of the result", j->request->s, j->s.n);
        return CLI_FAILED;
    }
    const operands in = {.dtype = j->s.dtype,
                         .direction = j->request->reverse ? WEFT_REVERSE : WEFT_FORWARD,
                         .rows = j->rows,
                         .n = j->rows ? j->n : 0, /* without --rows, the operands are one row */
                         .x = j->s.data,
                         .y = j->u.data,
                         .init = j->init,
                         .to = j->v};
    const double start = cli_seconds();
    const weft_status status = operation_run(recurrence, ctx, &in, &none, &type);
    j->seconds = cli_seconds() - start;
    if (status == WEFT_OK) return CLI_DONE;
    cli_error("recurrence", "%s: %s", j->request->s, weft_last_error(ctx));
    return CLI_FAILED;
}

static void print_json(const params *j, const char *device) {
    json_begin_command("recurrence");
    json_text("file", j->request->s);
    json_text("file2", j->request->u);
    json_text("output", j->request->v);
    json_bool("reverse", j->request->reverse);
    json_text("dtype", weft_dtype_name(j->s.dtype));
    json_count("rows", j->rows);
    json_count("n", j->n);
    json_end_command(device, j->seconds);
}

static int compute_and_write(weft_context *ctx, params *j) {
    npy_error error;
    const int code = compute(ctx, j);
    if (code != CLI_DONE) return code;
    if (!npy_write(j->request->v, j->s.dtype, &j->s.shape, j->v, &error)) {
        cli_error("recurrence", "%s: %s", j->request->v, error.message);
        return CLI_FAILED;
    }
    if (j->options->json) print_json(j, weft_device(ctx));
    return CLI_DONE;
}

static int recurrence_in_memory(weft_context *ctx, params *j) {
    const recurrence_request *r = j->request;
    if (!read_array(r->s, &j->s) || !read_array(r->u, &j->u) || !check_pair(j)) return CLI_FAILED;
    return compute_and_write(ctx, j);
}

/* ------------------------------------------------------------------------- chunk by chunk */

static int stream_row(weft_context *ctx, params *j, stream *s) {
    const int code = make_init(j);
    if (code != CLI_DONE) return code;
    if (!stream_write_to(s, j->request->v, j->s.dtype, &j->s.shape)) return CLI_FAILED;
    const double start = cli_seconds();
    const weft_status status =
        weft_recurrence_source(ctx, &s->inputs[0].source, &s->inputs[1].source, j->rows ? j->init : NULL, &s->sink);
    j->seconds = cli_seconds() - start;
    const int ended = stream_end(s, ctx, status);
    if (ended == CLI_DONE && j->options->json) print_json(j, weft_device(ctx));
    return ended;
}

/* Loads all rows into memory, because several rows are processed at a time. */
static int load_rows(weft_context *ctx, params *j, stream *s) {
    npy_array *const arrays[] = {&j->s, &j->u};
    for (int i = 0; i < 2; i++) {
        npy_error error;
        if (npy_load(&s->inputs[i].npy, arrays[i], &error)) continue;
        cli_error("recurrence", "%s: %s", s->inputs[i].path, error.message);
        return CLI_FAILED;
    }
    return compute_and_write(ctx, j);
}

static int recurrence_stream(weft_context *ctx, params *j) {
    stream s;
    int code = stream_open(&s, "recurrence", j->options, (const char *[]){j->request->s, j->request->u}, 2, 1);
    if (code == CLI_DONE) {
        j->s = s.inputs[0].npy.array;
        j->u = s.inputs[1].npy.array;
        code = !check_pair(j) ? CLI_FAILED : j->rows > 1 ? load_rows(ctx, j, &s) : stream_row(ctx, j, &s);
    }
    stream_close(&s);
    return code;
}

/* ---------------------------------------------------------------------------- the command */

int command_recurrence(const cli_options *options, int argc, char **argv) {
    weft_context *ctx;
    recurrence_request r = {0};
    params j = {.options = options, .request = &r};
    if (!read_request(options, argc, argv, &r)) return CLI_USAGE;
    if (r.along.text) return recurrence_axis(options, &r, argc, argv);
    int code = cli_open("recurrence", options, &ctx);
    if (code != CLI_DONE) return code;
    const bool streams = !r.reverse && (stream_wanted(options, r.s, 1) || stream_wanted(options, r.u, 1));
    code = streams ? recurrence_stream(ctx, &j) : recurrence_in_memory(ctx, &j);
    free(j.v);
    free(j.init);
    npy_free(&j.s);
    npy_free(&j.u);
    weft_close(ctx);
    return code;
}

/* ------------------------------------------------------------------------- for tour and bench */

weft_status example_recurrence(const operation *o, weft_context *ctx, const operands *in, value *out,
                               weft_dtype *type) {
    (void)o, (void)out;
    *type = in->dtype;
    return weft_recurrence(ctx, in->direction, in->dtype, in->rows ? in->rows : 1, in->n, in->x, in->y, in->init,
                           in->to);
}
