/* weft segmented_reduce, segmented_scan and reduce_by_key: read files that divide an array into segments. */
#include "cli/commands/reduce_options.h"
#include "cli/io/file.h"
#include "cli/io/json.h"
#include "cli/io/npy/npy.h"
#include "cli/operations.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Values of the options. */
typedef struct request {
    operands in;
    const char *x, *offsets, *heads, *keys; /* file names; the last three are NULL if not given */
    const char *to, *keys_to;
} request;

/* State of one call: the input arrays and the result. */
typedef struct params {
    const char *command;
    const cli_options *options;
    const operation *operation;
    request r;
    npy_array x, cuts; /* cuts: the file of offsets, heads or keys */
    uint64_t *offsets; /* copy of the offsets as u64, if the file has another type */
    void *y, *unique_keys;
    uint64_t count; /* number of segments */
    weft_dtype type;
    double seconds;
} params;

static bool scans(const params *j) { return operation_is(j->operation, "segmented_scan"); }
static bool by_key(const params *j) { return operation_is(j->operation, "reduce_by_key"); }
static const char *cuts_of(const request *r) { return r->offsets ? r->offsets : r->heads ? r->heads : r->keys; }

/* -------------------------------------------------------------------------------- options */

static bool read_option(const char *command, int option, request *r) {
    switch (option) {
    case 'p': return reduce_options_op(command, optarg, &r->in.op);
    case 'a': return reduce_options_type(command, optarg, HALF_SUM_TYPES, &r->in.accumulate);
    case 'A': return reduce_options_type(command, optarg, HALF_SCAN_TYPES, &r->in.accumulate);
    case 'e': r->in.kind = WEFT_EXCLUSIVE; return true;
    case 's': r->offsets = optarg; return true;
    case 'h': r->heads = optarg; return true;
    case 'k': r->keys_to = optarg; return true;
    case 'o': r->to = optarg; return true;
    default: return false;
    }
}

static bool is_stream(const char *name) { return name && strcmp(name, "-") == 0; }

/* Checks that each required file is named, and that at most one is standard input. */
static bool check_files(const params *j) {
    const request *r = &j->r;
    if (!cuts_of(r))
        cli_error(j->command, "%s: option --offsets O.npy or --heads H.npy is required: the start of each segment",
                  r->x);
    else if (r->offsets && r->heads)
        cli_error(j->command, "--offsets %s cannot be combined with --heads %s", r->offsets, r->heads);
    else if (!r->to)
        cli_error(j->command, "%s: option -o Y.npy is required: the file for the result (- for standard output)",
                  r->x);
    else if (is_stream(r->x) && is_stream(cuts_of(r)))
        cli_error(j->command, "-: only one of the two arrays can be read from standard input");
    else if (is_stream(r->to) && is_stream(r->keys_to))
        cli_error(j->command, "-: only one of the two arrays can be written to standard output");
    else
        return file_takes_result(j->options, j->command, "-o", r->to) &&
               file_takes_result(j->options, j->command, "--keys-out", r->keys_to);
    return false;
}

static bool read_request(int argc, char **argv, params *j) {
    const int files = by_key(j) ? 2 : 1;
    for (int option; (option = cli_next_option(argc, argv)) != -1;)
        if (!read_option(j->command, option, &j->r)) return false;
    if (argc - optind != files) {
        cli_error(j->command, "%d %s given, %d expected; see 'weft help %s'", argc - optind,
                  argc - optind == 1 ? "file" : "files", files, j->command);
        return false;
    }
    j->r.x = argv[optind + files - 1];
    if (files == 2) j->r.keys = argv[optind];
    return check_files(j);
}

/* -------------------------------------------------------------------------------- reading */

/* Reads element i of an integer array. Returns false if it is negative. */
static bool offset_at(const npy_array *a, size_t i, uint64_t *offset) {
    *offset = 0;
#define TYPE(ID, name, ctype, kind, npy) \
    if (a->dtype == WEFT_##ID) *offset = (uint64_t)((const ctype *)a->data)[i];
#include "core/types.def"
    return a->dtype > WEFT_I64 || (int64_t)*offset >= 0;
}

/* Converts the offsets to u64. */
static bool take_offsets(params *j) {
    const npy_array *a = &j->cuts;
    const char *name = j->r.offsets;
    if (a->dtype >= WEFT_F32) {
        cli_error(j->command, "%s has elements of type %s: offsets must be integers", name,
                  weft_dtype_name(a->dtype));
        return false;
    }
    if (a->n == 0) {
        cli_error(j->command, "%s has no elements: the number of offsets must be the number of segments plus one",
                  name);
        return false;
    }
    j->count = j->r.in.segments = a->n - 1;
    j->r.in.offsets = a->data;
    if (a->dtype == WEFT_U64) return true;
    j->r.in.offsets = j->offsets = a->n <= SIZE_MAX / sizeof *j->offsets ? malloc(a->n * sizeof *j->offsets) : NULL;
    if (!j->offsets) {
        cli_error(j->command, "%s: cannot allocate memory for %zu offsets", name, a->n);
        return false;
    }
    for (size_t i = 0; i < a->n; i++)
        if (!offset_at(a, i, &j->offsets[i])) {
            cli_error(j->command, "%s: offset %zu is %" PRId64 ": offsets must not be negative", name, i,
                      (int64_t)j->offsets[i]);
            return false;
        }
    return true;
}

/* Checks that offsets ascend and that the last one is at most the number of elements. */
static bool check_offsets(const params *j) {
    const uint64_t *offsets = j->r.in.offsets;
    for (size_t i = 0; i <= j->r.in.segments; i++) {
        if (i > 0 && offsets[i] < offsets[i - 1])
            cli_error(j->command,
                      "%s: offset %zu, %" PRIu64 ", is less than offset %zu, %" PRIu64 ": offsets must not decrease",
                      j->r.offsets, i, offsets[i], i - 1, offsets[i - 1]);
        else if (offsets[i] > j->x.n)
            cli_error(j->command,
                      "%s: offset %zu, %" PRIu64 ", is greater than the length of %s, which has %zu elements",
                      j->r.offsets, i, offsets[i], j->r.x, j->x.n);
        else
            continue;
        return false;
    }
    return true;
}

static bool take_flags(params *j) {
    const npy_array *a = &j->cuts;
    if (j->r.heads && weft_dtype_size(a->dtype) != 1) {
        cli_error(j->command, "%s has elements of type %s: flags must have type u8 or bool", j->r.heads,
                  weft_dtype_name(a->dtype));
        return false;
    }
    if (a->n != j->x.n) {
        cli_error(j->command, "%s has %zu elements and %s has %zu: both must have the same length", cuts_of(&j->r),
                  a->n, j->r.x, j->x.n);
        return false;
    }
    j->r.in.heads = a->data;
    j->r.in.keys = a->data;
    j->r.in.key_type = a->dtype;
    return true;
}

static bool read_file(const char *command, const char *name, npy_array *a) {
    npy_error error;
    if (npy_read(name, a, &error)) return true;
    cli_error(command, "%s: %s", name, error.message);
    return false;
}

static bool read_arrays(params *j) {
    if (!read_file(j->command, j->r.x, &j->x) || !read_file(j->command, cuts_of(&j->r), &j->cuts)) return false;
    j->r.in.dtype = j->x.dtype;
    j->r.in.n = j->x.n;
    j->r.in.x = j->x.data;
    return j->r.offsets ? take_offsets(j) && check_offsets(j) : take_flags(j);
}

/* -------------------------------------------------------------------------------- running */

/* Allocates n zero values of a type. Returns NULL after printing the error. */
static void *new_array(const params *j, size_t n, size_t size) {
    void *p = calloc(n ? n : 1, size);
    if (!p) cli_error(j->command, "%s: cannot allocate memory for the %zu values of the result", j->r.x, n);
    return p;
}

static bool compute(weft_context *ctx, params *j) {
    operands *in = &j->r.in;
    const size_t values = j->r.offsets && !scans(j) ? in->segments : in->n;
    value none;
    if (!(j->y = new_array(j, values, sizeof(uint64_t)))) return false;
    if (by_key(j) && !(j->unique_keys = new_array(j, in->n, weft_dtype_size(in->key_type)))) return false;
    in->to = j->y;
    in->keys_to = j->unique_keys;
    if (!j->r.offsets) in->count = &j->count;
    const double start = cli_seconds();
    const weft_status status = operation_run(j->operation, ctx, in, &none, &j->type);
    j->seconds = cli_seconds() - start;
    if (status == WEFT_OK) return true;
    cli_error(j->command, "%s: %s", j->r.x, weft_last_error(ctx));
    return false;
}

static bool write_file(const char *command, const char *name, weft_dtype type, const npy_shape *shape,
                       const void *data) {
    npy_error error;
    if (npy_write(name, type, shape, data, &error)) return true;
    cli_error(command, "%s: %s", name, error.message);
    return false;
}

static bool write_arrays(const params *j) {
    const npy_shape flat = {1, {(size_t)j->count}};
    return write_file(j->command, j->r.to, j->type, scans(j) ? &j->x.shape : &flat, j->y) &&
           (!j->r.keys_to || write_file(j->command, j->r.keys_to, j->r.in.key_type, &flat, j->unique_keys));
}

static void print_json(const params *j, const char *device) {
    json_begin_command(j->command);
    json_text("file", j->r.x);
    json_text("cuts", cuts_of(&j->r));
    json_text("output", j->r.to);
    json_text("op", weft_op_name(j->r.in.op));
    if (scans(j)) json_bool("exclusive", j->r.in.kind == WEFT_EXCLUSIVE);
    json_text("dtype", weft_dtype_name(j->x.dtype));
    json_count("n", j->x.n);
    if (!scans(j) || j->r.offsets) json_count("segments", j->count);
    json_text("result", weft_dtype_name(j->type));
    json_end_command(device, j->seconds);
}

static int check_accumulate(weft_context *ctx, const params *j) {
    const operands *in = &j->r.in;
    if (scans(j)) return reduce_options_check_scan(j->command, true, ctx, in->op, in->dtype, in->accumulate);
    return reduce_options_check_reduce(j->command, true, in->op, in->dtype, in->accumulate);
}

static int run(const char *command, const cli_options *options, int argc, char **argv) {
    weft_context *ctx;
    params j = {.command = command, .options = options, .operation = operation_find(command, strlen(command))};
    if (!read_request(argc, argv, &j)) return CLI_USAGE;
    int code = cli_open(command, options, &ctx);
    if (code != CLI_DONE) return code;
    if (!read_arrays(&j)) code = CLI_FAILED;
    if (code == CLI_DONE) code = check_accumulate(ctx, &j);
    if (code == CLI_DONE && !(compute(ctx, &j) && write_arrays(&j))) code = CLI_FAILED;
    if (code == CLI_DONE && options->json) print_json(&j, weft_device(ctx));
    free(j.offsets);
    free(j.y);
    free(j.unique_keys);
    npy_free(&j.x);
    npy_free(&j.cuts);
    weft_close(ctx);
    return code;
}

int command_segmented_reduce(const cli_options *options, int argc, char **argv) {
    return run("segmented_reduce", options, argc, argv);
}
int command_segmented_scan(const cli_options *options, int argc, char **argv) {
    return run("segmented_scan", options, argc, argv);
}
int command_reduce_by_key(const cli_options *options, int argc, char **argv) {
    return run("reduce_by_key", options, argc, argv);
}

/* ------------------------------------------------------------------------- for tour and bench */

weft_status example_segmented_reduce(const operation *o, weft_context *ctx, const operands *in, value *out,
                                     weft_dtype *type) {
    (void)o, (void)out;
    operation_result_type(in->op, in, type);
    if (in->offsets)
        return weft_segmented_reduce(ctx, in->op, in->dtype, in->accumulate, in->n, in->x, in->segments, in->offsets,
                                     in->to);
    return weft_segmented_reduce_heads(ctx, in->op, in->dtype, in->accumulate, in->n, in->x, in->heads, in->to,
                                       in->count);
}

weft_status example_segmented_scan(const operation *o, weft_context *ctx, const operands *in, value *out,
                                   weft_dtype *type) {
    (void)o, (void)out;
    *type = in->accumulate == WEFT_DEFAULT ? in->dtype : in->accumulate;
    if (in->offsets)
        return weft_segmented_scan(ctx, in->op, in->kind, in->dtype, in->accumulate, in->n, in->x, in->segments,
                                   in->offsets, in->to);
    return weft_segmented_scan_heads(ctx, in->op, in->kind, in->dtype, in->accumulate, in->n, in->x, in->heads,
                                     in->to);
}

weft_status example_reduce_by_key(const operation *o, weft_context *ctx, const operands *in, value *out,
                                  weft_dtype *type) {
    (void)o, (void)out;
    operation_result_type(in->op, in, type);
    return weft_reduce_by_key(ctx, in->op, in->key_type, in->dtype, in->accumulate, in->n, in->keys, in->x,
                              in->keys_to, in->to, in->count);
}
