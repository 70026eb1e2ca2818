/* weft sort X.npy -o Y.npy, optionally with values V.npy that are permuted with the keys; weft argsort X.npy -o
 * I.npy.
 */
#include "cli/cli.h"
#include "cli/commands/sort_axis.h"
#include "cli/commands/sort_runs.h"
#include "cli/io/file.h"
#include "cli/io/json.h"
#include "cli/io/npy/npy.h"
#include "cli/io/value.h"
#include "cli/operations.h"
#include "cli/ranks.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* State of one call: the input arrays and the result. */
typedef struct params {
    const cli_options *options;
    const sort_request *request;
    npy_array x, values;
    ranks ranks;
    void *y, *sorted_values;
    weft_dtype type; /* element type of y */
    double seconds;
} params;

/* -------------------------------------------------------------------------------- options */

static bool read_index(const char *text, weft_dtype *index) {
    *index = strcmp(text, weft_dtype_name(WEFT_U32)) == 0 ? WEFT_U32 : WEFT_U64;
    if (strcmp(text, weft_dtype_name(*index)) == 0) return true;
    cli_error("argsort", "--index %s: expected u32 or u64", text);
    return false;
}

static bool read_option(int option, sort_request *r) {
    switch (option) {
    case 'd': r->order = WEFT_DESCENDING; return true;
    case 'i': return read_index(optarg, &r->index);
    case 'x': return axes_read(r->command, optarg, 1, &r->along);
    case 'v': r->values_from = optarg; return true;
    case 'w': r->values_to = optarg; return true;
    case 'o': r->along.to = optarg; return true;
    default: return false;
    }
}

static bool check_request(const cli_options *options, const sort_request *r) {
    const bool dash = r->along.to && strcmp(r->along.to, "-") == 0,
               values_dash = r->values_to && strcmp(r->values_to, "-") == 0;
    if (!r->along.to)
        cli_error(r->command, "%s: option -o FILE.npy is required: the file for the result (- for standard output)",
                  r->from);
    else if (!r->values_from != !r->values_to)
        cli_error(r->command, "--values and --values-out must be used together: %s is missing",
                  r->values_from ? "--values-out" : "--values");
    else if (r->values_from && r->along.text)
        cli_error(r->command, "--values cannot be combined with --axis");
    else if (dash && values_dash)
        cli_error(r->command, "only one of the two arrays can be written to standard output");
    else if (r->values_from && strcmp(r->from, "-") == 0 && strcmp(r->values_from, "-") == 0)
        cli_error(r->command, "only one of the two arrays can be read from standard input");
    else
        return file_takes_result(options, r->command, "-o", r->along.to) &&
               file_takes_result(options, r->command, "--values-out", r->values_to);
    return false;
}

static bool read_request(const cli_options *options, int argc, char **argv, sort_request *r) {
    for (int option; (option = cli_next_option(argc, argv)) != -1;)
        if (!read_option(option, r)) return false;
    r->from = argv[optind];
    if (argc - optind == 1) return check_request(options, r);
    cli_error(argv[0], "%d files given, 1 expected; see 'weft help %s'", argc - optind, argv[0]);
    return false;
}

/* -------------------------------------------------------------------------------- running */

static bool failed(const char *command, const char *path, const char *why) {
    cli_error(command, "%s: %s", path, why);
    return false;
}

static bool read_files(params *j) {
    const sort_request *r = j->request;
    npy_error error;
    if (!npy_read(r->from, &j->x, &error)) return failed(r->command, r->from, error.message);
    if (!r->values_from) return true;
    if (!npy_read(r->values_from, &j->values, &error)) return failed(r->command, r->values_from, error.message);
    if (j->values.n == j->x.n) return true;
    cli_error(r->command, "%s has %zu elements and %s has %zu: both must have the same length", r->from, j->x.n,
              r->values_from, j->values.n);
    return false;
}

static bool allocate_slices(params *j) {
    const size_t size = weft_dtype_size(j->type), n = ranks_count(&j->ranks, j->x.n);
    const size_t bytes = n * weft_dtype_size(j->values.dtype); /* the size of the values that were read */
    j->y = n <= SIZE_MAX / size ? malloc(n ? n * size : 1) : NULL;
    j->sorted_values = malloc(bytes ? bytes : 1);
    if (j->y && j->sorted_values) return true;
    cli_error(j->request->command, "%s: cannot allocate memory for the %zu values of the result", j->request->from,
              n);
    return false;
}

static bool compute(weft_context *ctx, params *j) {
    const sort_request *r = j->request;
    const weft_dtype dtype = j->x.dtype;
    const size_t n = j->x.n;
    weft_status status;
    const double start = cli_seconds();
    if (j->ranks.d)
        status = ranks_sort(&j->ranks, dtype, r->order, n, j->x.data, j->y);
    else if (r->indices)
        status = weft_argsort(ctx, r->order, dtype, r->index, n, j->x.data, j->y);
    else if (r->values_from)
        status = weft_sort_pairs(ctx, r->order, dtype, n, j->x.data, weft_dtype_size(j->values.dtype), j->values.data,
                                 j->y, j->sorted_values);
    else
        status = weft_sort(ctx, r->order, dtype, n, j->x.data, j->y);
    j->seconds = cli_seconds() - start;
    if (status == WEFT_OK || !ranks_first(&j->ranks)) return status == WEFT_OK;
    return failed(r->command, r->from, j->ranks.d ? ranks_last_error(&j->ranks) : weft_last_error(ctx));
}

static bool write_files(const params *j) {
    const sort_request *r = j->request;
    npy_error error;
    if (j->ranks.d) return ranks_write(&j->ranks, r->command, r->along.to, j->type, &j->x, j->y) == CLI_DONE;
    if (!npy_write(r->along.to, j->type, &j->x.shape, j->y, &error))
        return failed(r->command, r->along.to, error.message);
    if (!r->values_to || npy_write(r->values_to, j->values.dtype, &j->values.shape, j->sorted_values, &error))
        return true;
    return failed(r->command, r->values_to, error.message);
}

static void print_json(const params *j, const char *device) {
    const sort_request *r = j->request;
    json_begin_command(r->command);
    json_text("file", r->from);
    json_text("output", r->along.to);
    if (r->values_from) {
        json_text("values", r->values_from);
        json_text("values_output", r->values_to);
    }
    json_bool("descending", r->order == WEFT_DESCENDING);
    json_text("dtype", weft_dtype_name(j->x.dtype));
    json_count("n", j->x.n);
    json_text("result", weft_dtype_name(j->type));
    json_end_command(device, j->seconds);
}

/* Sorts keys that are larger than the permitted memory. There must be no values. */
static int sort_stream(weft_context *ctx, params *j) {
    const sort_request *r = j->request;
    stream s;
    int code = stream_open(&s, r->command, j->options, &r->from, 1, 2);
    if (code == CLI_DONE) {
        j->x = s.inputs[0].npy.array;
        j->type = j->x.dtype;
        const double start = cli_seconds();
        code = stream_write_to(&s, r->along.to, j->type, &j->x.shape) ? sort_runs(&s, ctx, r->order) : CLI_FAILED;
        j->seconds = cli_seconds() - start;
    }
    stream_close(&s);
    return code;
}

static int sort_in_memory(weft_context *ctx, params *j) {
    bool done = ranks_agree(&j->ranks, read_files(j)) == CLI_DONE;
    if (done) {
        j->type = j->request->indices ? j->request->index : j->x.dtype;
        done = ranks_agree(&j->ranks, allocate_slices(j)) == CLI_DONE && compute(ctx, j) && write_files(j);
    }
    free(j->y);
    free(j->sorted_values);
    return done ? CLI_DONE : CLI_FAILED;
}

static int run(const cli_options *options, int argc, char **argv, bool indices) {
    weft_context *ctx;
    sort_request r = {.command = argv[0], .indices = indices, .index = WEFT_U64};
    params j = {.options = options, .request = &r};
    if (!read_request(options, argc, argv, &r)) return CLI_USAGE;
    if (r.along.text) return sort_axis(options, &r, argc, argv);
    if (options->mpi && r.values_from) {
        cli_error(r.command, "--values cannot be combined with --mpi");
        return CLI_USAGE;
    }
    if (!ranks_read(options, r.command, (char *[]){argv[optind], (char *)r.along.to}, 2)) return CLI_USAGE;
    int code = ranks_open(&j.ranks, r.command, options, &ctx);
    if (code != CLI_DONE) return code;
    const bool streamed = !j.ranks.d && !indices && !r.values_from && stream_wanted(options, r.from, 2);
    code = (streamed ? sort_stream : sort_in_memory)(ctx, &j);
    if (code == CLI_DONE && options->json && ranks_first(&j.ranks)) print_json(&j, weft_device(ctx));
    npy_free(&j.x);
    npy_free(&j.values);
    ranks_close(&j.ranks);
    weft_close(ctx);
    return code;
}

int command_sort(const cli_options *options, int argc, char **argv) { return run(options, argc, argv, false); }
int command_argsort(const cli_options *options, int argc, char **argv) { return run(options, argc, argv, true); }

/* ------------------------------------------------------------------------- for tour and bench */

weft_status example_sort(const operation *o, weft_context *ctx, const operands *in, value *out, weft_dtype *type) {
    (void)o, (void)out;
    *type = in->dtype;
    return weft_sort(ctx, WEFT_ASCENDING, in->dtype, in->n, in->x, in->to);
}

weft_status example_argsort(const operation *o, weft_context *ctx, const operands *in, value *out, weft_dtype *type) {
    (void)o, (void)out;
    *type = WEFT_U32;
    return weft_argsort(ctx, WEFT_ASCENDING, in->dtype, *type, in->n, in->x, in->to);
}
