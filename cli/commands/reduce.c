/* weft sum, prod, min, ... (one verb for each operator of weft_reduce), variance and dot: read one or two arrays and
 * print a value. */
#include "cli/commands/along_axes.h"
#include "cli/commands/reduce_options.h"
#include "cli/io/json.h"
#include "cli/io/npy/npy.h"
#include "cli/io/streamed.h"
#include "cli/operations.h"
#include "cli/ranks.h"

#include <stdio.h>
#include <string.h>

enum { MOST_FILES = 2, LANES_MAX = 1024 };

static bool read_files(const operation *operation, char **files, npy_array arrays[MOST_FILES]) {
    npy_error error;
    for (int i = 0; i < operation->inputs; i++) {
        if (npy_read(files[i], &arrays[i], &error)) continue;
        cli_error(operation->name, "%s: %s", files[i], error.message);
        return false;
    }
    return true;
}

/* Checks that two arrays have one type and length. */
static bool check_pair(const char *command, char **files, const npy_array *x, const npy_array *y) {
    if (x->dtype != y->dtype)
        cli_error(command, "%s has elements of type %s and %s of type %s: both must have the same type", files[0],
                  weft_dtype_name(x->dtype), files[1], weft_dtype_name(y->dtype));
    else if (x->n != y->n)
        cli_error(command, "%s has %zu elements and %s has %zu: both must have the same length", files[0], x->n,
                  files[1], y->n);
    else
        return true;
    return false;
}

typedef struct answer {
    const operation *operation;
    char **files;
    const operands *in;
    weft_dtype type;
    value value;
    const char *device;
    double seconds;
} answer;

static void print_text(const cli_options *options, const answer *a) {
    printf("%s", value_decimal(a->type, &a->value).text);
    if (options->bits) printf(" %s", value_bits(a->type, &a->value).text);
    putchar('\n');
}

static void print_json(const answer *a) {
    json_begin_command(a->operation->name);
    json_text("file", a->files[0]);
    if (a->operation->inputs == 2) json_text("file2", a->files[1]);
    json_text("dtype", weft_dtype_name(a->in->dtype));
    json_count("n", a->in->n);
    if (operation_is(a->operation, "variance")) json_count("ddof", a->in->ddof);
    if (a->in->lanes) json_count("lanes", a->in->lanes);
    json_text("result", weft_dtype_name(a->type));
    json_value("value", a->type, &a->value);
    json_text("bits", value_bits(a->type, &a->value).text);
    json_end_command(a->device, a->seconds);
}

static void print(const cli_options *options, const answer *a) {
    if (options->json)
        print_json(a);
    else
        print_text(options, a);
}

/* Returns the number of times that a stream of the arrays is read. An exact variance needs one pass. */
static int passes_of(const operation *operation, const operands *in) {
    return in->accumulate == WEFT_EXACT_SUM ? 1 : operation->passes;
}

/* Returns the operator whose result type applies: sum for dot, mean for variance. */
static weft_op rule_of(const operation *operation) {
    if (operation->inputs == 2) return WEFT_SUM;
    return operation_is(operation, "variance") ? WEFT_MEAN : operation->op;
}

/* Checks the options that depend on the array. */
static int check_options(const answer *a, const ranks *r, const operands *in) {
    const char *const name = a->operation->name;
    if (operation_is(a->operation, "variance") && in->n > 0 && in->ddof >= in->n) {
        if (ranks_first(r))
            cli_error(name, "%s: has %zu elements: a variance with --ddof %zu requires more", a->files[0], in->n,
                      in->ddof);
        return CLI_FAILED;
    }
    return reduce_options_check_reduce(name, ranks_first(r), rule_of(a->operation), in->dtype, in->accumulate);
}

static int run_and_print(const cli_options *options, weft_context *ctx, const ranks *r, answer *a) {
    const double start = cli_seconds();
    const weft_status status = r->d ? ranks_apply(r, a->operation, a->in, &a->value, &a->type)
                                    : operation_run(a->operation, ctx, a->in, &a->value, &a->type);
    a->seconds = cli_seconds() - start;
    a->device = weft_device(ctx);
    if (status != WEFT_OK && ranks_first(r))
        cli_error(a->operation->name, "%s: %s", a->files[0], r->d ? ranks_last_error(r) : weft_last_error(ctx));
    if (status != WEFT_OK) return CLI_FAILED;
    if (ranks_first(r)) print(options, a);
    return CLI_DONE;
}

/* ------------------------------------------------------------------------- chunk by chunk */

static weft_status run_on_sources(weft_context *ctx, const answer *a, const stream *s, void *out) {
    const weft_source *x = &s->inputs[0].source;
    const weft_dtype accumulate = a->in->accumulate;
    if (a->operation->inputs == 2) return weft_dot_source(ctx, accumulate, x, &s->inputs[1].source, out);
    if (operation_is(a->operation, "variance")) return weft_variance_source(ctx, accumulate, a->in->ddof, x, out);
    return weft_reduce_source(ctx, a->operation->op, accumulate, x, out);
}

static weft_dtype type_of_answer(const answer *a) {
    weft_dtype type = WEFT_DEFAULT;
    (void)weft_reduce_result(rule_of(a->operation), a->in->dtype, a->in->accumulate, &type);
    return type;
}

static int stream_and_print(const cli_options *options, weft_context *ctx, const ranks *r, operands *in, answer *a) {
    const operation *operation = a->operation;
    stream s;
    int code = stream_open(&s, operation->name, options, (const char *const *)a->files, operation->inputs,
                           passes_of(operation, in));
    if (code == CLI_DONE && operation->inputs == 2 &&
        !check_pair(operation->name, a->files, &s.inputs[0].npy.array, &s.inputs[1].npy.array))
        code = CLI_FAILED;
    if (code == CLI_DONE) {
        in->dtype = s.inputs[0].npy.array.dtype;
        in->n = s.inputs[0].npy.array.n;
        code = check_options(a, r, in);
    }
    if (code == CLI_DONE) {
        a->in = in;
        a->type = type_of_answer(a);
        a->device = weft_device(ctx);
        const double start = cli_seconds();
        code = stream_end(&s, ctx, run_on_sources(ctx, a, &s, &a->value));
        a->seconds = cli_seconds() - start;
    }
    stream_close(&s);
    if (code == CLI_DONE) print(options, a);
    return code;
}

static bool is_streamed(const cli_options *options, const operation *operation, const operands *in, char **files) {
    if (in->lanes) return false; /* there is no sum of a source by lanes */
    for (int i = 0; i < operation->inputs; i++)
        if (stream_wanted(options, files[i], passes_of(operation, in))) return true;
    return false;
}

static int read_and_print(const cli_options *options, weft_context *ctx, const ranks *r, operands *in, answer *a) {
    npy_array arrays[MOST_FILES] = {{0}, {0}};
    const bool read = read_files(a->operation, a->files, arrays) &&
                      (a->operation->inputs == 1 || check_pair(a->operation->name, a->files, &arrays[0], &arrays[1]));
    int code = ranks_agree(r, read);
    if (code == CLI_DONE) {
        in->dtype = arrays[0].dtype;
        in->n = arrays[0].n;
        in->x = arrays[0].data;
        in->y = arrays[1].data;
        a->in = in;
        code = check_options(a, r, in);
        if (code == CLI_DONE) code = run_and_print(options, ctx, r, a);
    }
    for (int i = 0; i < MOST_FILES; i++) npy_free(&arrays[i]);
    return code;
}

/* ---------------------------------------------------------------------------- the command */

static int apply(const cli_options *options, const operation *operation, operands in, int argc, char **argv) {
    char **files = argv + optind;
    const int count = argc - optind;
    if (count != operation->inputs) {
        cli_error(operation->name, "%d %s given, %d expected; see 'weft help %s'", count,
                  count == 1 ? "file" : "files", operation->inputs, operation->name);
        return CLI_USAGE;
    }
    if (!ranks_read(options, operation->name, files, count)) return CLI_USAGE;
    if (count == 2 && strcmp(files[0], "-") == 0 && strcmp(files[1], "-") == 0) {
        cli_error(operation->name, "-: only one of the two arrays can be read from standard input");
        return CLI_USAGE;
    }
    weft_context *ctx;
    answer a = {.operation = operation, .files = files};
    ranks r;
    int code = ranks_open(&r, operation->name, options, &ctx);
    if (code == CLI_DONE && !r.d && is_streamed(options, operation, &in, files))
        code = stream_and_print(options, ctx, &r, &in, &a);
    else if (code == CLI_DONE)
        code = read_and_print(options, ctx, &r, &in, &a);
    ranks_close(&r);
    weft_close(ctx);
    return code;
}

/* Values of the options. */
typedef struct request {
    operands in;
    axes_request along;
} request;

static bool read_option(const char *command, int option, request *r) {
    long long ddof = 0, lanes = 0;
    switch (option) {
    case 'a': return reduce_options_type(command, optarg, HALF_SUM_TYPES, &r->in.accumulate);
    case 'd':
        if (!cli_number(command, "--ddof", optarg, 0, INT64_MAX, &ddof)) return false;
        r->in.ddof = (size_t)ddof;
        return true;
    case 'l':
        if (!cli_number(command, "--lanes", optarg, 1, LANES_MAX, &lanes)) return false;
        r->in.lanes = (size_t)lanes;
        return true;
    case 'x': return axes_read(command, optarg, WEFT_DIMENSIONS_MAX, &r->along);
    case 'k': r->along.keepdims = true; return true;
    case 'o': r->along.to = optarg; return true;
    default: return false;
    }
}

/* Checks the options that --lanes excludes. */
static bool check_lanes(const char *command, const cli_options *options, const request *r) {
    const char *const other = r->along.text ? "--axis" : options->mpi ? "--mpi" : NULL;
    const bool exact = r->in.accumulate == WEFT_EXACT_SUM;
    if (!r->in.lanes) return true;
    if (strcmp(command, "sum") != 0 && strcmp(command, "prod") != 0)
        cli_error(command, "--lanes is an option of sum and prod");
    else if (other || exact)
        cli_error(command, "--lanes and %s exclude each other", other ? other : "--accumulate exact");
    else
        return true;
    return false;
}

static int read_and_apply(const cli_options *options, int argc, char **argv) {
    request r = {0};
    for (int option; (option = cli_next_option(argc, argv)) != -1;)
        if (!read_option(argv[0], option, &r)) return CLI_USAGE;
    const operation *const operation = operation_find(argv[0], strlen(argv[0]));
    if (!check_lanes(operation->name, options, &r)) return CLI_USAGE;
    if (r.along.text) return axes_reduce(options, operation, &r.in, &r.along, argc, argv);
    if (!r.along.keepdims && !r.along.to) return apply(options, operation, r.in, argc, argv);
    cli_error(argv[0], "%s requires --axis: the result is one value", r.along.to ? "-o" : "--keepdims");
    return CLI_USAGE;
}

int command_reduce(const cli_options *options, int argc, char **argv) { return read_and_apply(options, argc, argv); }
int command_variance(const cli_options *options, int argc, char **argv) {
    return read_and_apply(options, argc, argv);
}
int command_dot(const cli_options *options, int argc, char **argv) { return read_and_apply(options, argc, argv); }

/* ------------------------------------------------------------------------- for tour and bench */

weft_status example_reduce(const operation *o, weft_context *ctx, const operands *in, value *out, weft_dtype *type) {
    operation_result_type(o->op, in, type);
    if (in->lanes) return weft_reduce_lanes(ctx, o->op, in->dtype, in->accumulate, in->n, in->lanes, in->x, out);
    return weft_reduce(ctx, o->op, in->dtype, in->accumulate, in->n, in->x, out);
}

weft_status example_variance(const operation *o, weft_context *ctx, const operands *in, value *out,
                             weft_dtype *type) {
    (void)o;
    operation_result_type(WEFT_MEAN, in, type);
    return weft_variance(ctx, in->dtype, in->accumulate, in->n, in->ddof, in->x, out);
}

weft_status example_dot(const operation *o, weft_context *ctx, const operands *in, value *out, weft_dtype *type) {
    (void)o;
    operation_result_type(WEFT_SUM, in, type);
    return weft_dot(ctx, in->dtype, in->accumulate, in->n, in->x, in->y, out);
}
