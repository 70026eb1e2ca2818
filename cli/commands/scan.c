/* weft scan X.npy -o Y.npy: prefix scan of an array. */
#include "cli/commands/reduce_options.h"
#include "cli/commands/scan_axis.h"
#include "cli/io/file.h"
#include "cli/io/json.h"
#include "cli/io/npy/npy.h"
#include "cli/io/streamed.h"
#include "cli/operations.h"
#include "cli/ranks.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* State of one call: the input array and the result. */
typedef struct params {
    const cli_options *options;
    const scan_request *request;
    npy_array x;
    ranks ranks;
    void *y; /* this process's slice of the result */
    weft_dtype type;
    double seconds;
} params;

static const operation *scan(void) { return operation_find("scan", strlen("scan")); }

/* -------------------------------------------------------------------------------- options */

static bool read_option(int option, scan_request *r) {
    switch (option) {
    case 'p': return reduce_options_op("scan", optarg, &r->in.op);
    case 'a': return reduce_options_type("scan", optarg, HALF_SCAN_TYPES, &r->in.accumulate);
    case 'e': r->in.kind = WEFT_EXCLUSIVE; return true;
    case 'i': r->init = optarg; return true;
    case 'x': return axes_read("scan", optarg, 1, &r->along);
    case 'o': r->along.to = optarg; return true;
    default: return false;
    }
}

static bool read_request(const cli_options *options, int argc, char **argv, scan_request *r) {
    for (int option; (option = cli_next_option(argc, argv)) != -1;)
        if (!read_option(option, r)) return false;
    r->from = argv[optind];
    if (argc - optind != 1)
        cli_error(argv[0], "%d files given, 1 expected; see 'weft help scan'", argc - optind);
    else if (!r->along.to)
        cli_error(argv[0], "%s: option -o Y.npy is required: the file for the result (- for standard output)",
                  r->from);
    else
        return file_takes_result(options, argv[0], "-o", r->along.to);
    return false;
}

/* -------------------------------------------------------------------------------- running */

int scan_read_init(const scan_request *r, weft_dtype type, value *init) {
    char range[80];
    if (!r->init || value_parse(type, r->init, init)) return CLI_DONE;
    value_range(type, range, sizeof range);
    cli_error("scan", "--init %s: expected a value of type %s (%s), the type of the result", r->init,
              weft_dtype_name(type), range);
    return CLI_USAGE;
}

static int compute(weft_context *ctx, params *j) {
    operands in = j->request->in;
    value init, none;
    const size_t n = ranks_count(&j->ranks, j->x.n);
    const size_t size = weft_dtype_size(j->type);
    in.dtype = j->x.dtype;
    in.n = j->x.n;
    in.x = j->x.data;
    in.init = j->request->init ? &init : NULL;
    int code = scan_read_init(j->request, j->type, &init);
    if (code != CLI_DONE) return code;
    j->y = n <= SIZE_MAX / size ? malloc(n ? n * size : 1) : NULL;
    in.to = j->y;
    if (!j->y) cli_error("scan", "%s: cannot allocate memory for the %zu values of the result", j->request->from, n);
    code = ranks_agree(&j->ranks, j->y != NULL);
    if (code != CLI_DONE) return code;
    const double start = cli_seconds();
    const weft_status status = j->ranks.d ? ranks_apply(&j->ranks, scan(), &in, &none, &j->type)
                                          : operation_run(scan(), ctx, &in, &none, &j->type);
    j->seconds = cli_seconds() - start;
    if (status == WEFT_OK) return CLI_DONE;
    if (ranks_first(&j->ranks))
        cli_error("scan", "%s: %s", j->request->from,
                  j->ranks.d ? ranks_last_error(&j->ranks) : weft_last_error(ctx));
    return CLI_FAILED;
}

static void print_json(const params *j, const char *device) {
    json_begin_command("scan");
    json_text("file", j->request->from);
    json_text("output", j->request->along.to);
    json_text("op", weft_op_name(j->request->in.op));
    json_bool("exclusive", j->request->in.kind == WEFT_EXCLUSIVE);
    json_text("dtype", weft_dtype_name(j->x.dtype));
    json_count("n", j->x.n);
    json_text("result", weft_dtype_name(j->type));
    json_end_command(device, j->seconds);
}

static int check_accumulate(weft_context *ctx, const params *j) {
    const operands *in = &j->request->in;
    return reduce_options_check_scan("scan", ranks_first(&j->ranks), ctx, in->op, j->x.dtype, in->accumulate);
}

static int compute_and_write(weft_context *ctx, params *j) {
    npy_error error;
    int code = check_accumulate(ctx, j);
    if (code == CLI_DONE) code = compute(ctx, j);
    if (code != CLI_DONE) return code;
    if (j->ranks.d) {
        if (ranks_write(&j->ranks, "scan", j->request->along.to, j->type, &j->x, j->y) != CLI_DONE) return CLI_FAILED;
    } else if (!npy_write(j->request->along.to, j->type, &j->x.shape, j->y, &error)) {
        cli_error("scan", "%s: %s", j->request->along.to, error.message);
        return CLI_FAILED;
    }
    if (j->options->json && ranks_first(&j->ranks)) print_json(j, weft_device(ctx));
    return CLI_DONE;
}

static int scan_in_memory(weft_context *ctx, params *j) {
    npy_error error;
    const bool read = npy_read(j->request->from, &j->x, &error);
    if (!read) cli_error("scan", "%s: %s", j->request->from, error.message);
    const int code = ranks_agree(&j->ranks, read);
    if (code != CLI_DONE) return code;
    j->type = j->request->in.accumulate == WEFT_DEFAULT ? j->x.dtype : j->request->in.accumulate;
    return compute_and_write(ctx, j);
}

/* ------------------------------------------------------------------------- chunk by chunk */

static int stream_to_file(weft_context *ctx, params *j, stream *s) {
    const scan_request *r = j->request;
    value init;
    int code = check_accumulate(ctx, j);
    if (code == CLI_DONE) code = scan_read_init(r, j->type, &init);
    if (code != CLI_DONE) return code;
    if (!stream_write_to(s, r->along.to, j->type, &j->x.shape)) return CLI_FAILED;
    const double start = cli_seconds();
    const weft_status status = weft_scan_source(ctx, r->in.op, r->in.kind, r->in.accumulate, &s->inputs[0].source,
                                                r->init ? &init : NULL, &s->sink);
    j->seconds = cli_seconds() - start;
    return stream_end(s, ctx, status);
}

static int scan_stream(weft_context *ctx, params *j) {
    stream s;
    int code = stream_open(&s, "scan", j->options, &j->request->from, 1, 1);
    if (code == CLI_DONE) {
        j->x = s.inputs[0].npy.array;
        j->type = j->request->in.accumulate == WEFT_DEFAULT ? j->x.dtype : j->request->in.accumulate;
        code = stream_to_file(ctx, j, &s);
    }
    stream_close(&s);
    if (code == CLI_DONE && j->options->json) print_json(j, weft_device(ctx));
    return code;
}

/* ---------------------------------------------------------------------------- the command */

int command_scan(const cli_options *options, int argc, char **argv) {
    weft_context *ctx;
    scan_request r = {0};
    params j = {.options = options, .request = &r};
    if (!read_request(options, argc, argv, &r)) return CLI_USAGE;
    if (r.along.text) return scan_axis(options, &r, argc, argv);
    if (!ranks_read(options, argv[0], (char *[]){argv[optind], (char *)r.along.to}, 2)) return CLI_USAGE;
    int code = ranks_open(&j.ranks, "scan", options, &ctx);
    if (code != CLI_DONE) return code;
    if (!j.ranks.d && stream_wanted(options, r.from, 1))
        code = scan_stream(ctx, &j);
    else
        code = scan_in_memory(ctx, &j);
    free(j.y);
    npy_free(&j.x);
    ranks_close(&j.ranks);
    weft_close(ctx);
    return code;
}

/* ------------------------------------------------------------------------- for tour and bench */

weft_status example_scan(const operation *o, weft_context *ctx, const operands *in, value *out, weft_dtype *type) {
    (void)o, (void)out;
    *type = in->accumulate == WEFT_DEFAULT ? in->dtype : in->accumulate;
    return weft_scan(ctx, in->op, in->kind, in->dtype, in->accumulate, in->n, in->x, in->init, in->to);
}
