/* weft map FORMULA NAME=VALUE... -o Z.npy, weft map_scan FORMULA NAME=VALUE... -o Z.npy, and weft map_reduce OP
 * FORMULA NAME=VALUE... [--axis LIST [-o Y.npy]]: a value is a number or a file name. */
#include "cli/cli.h"
#include "cli/commands/axes_result.h"
#include "cli/commands/map_views.h"
#include "cli/commands/reduce_options.h"
#include "cli/io/file.h"
#include "cli/io/json.h"
#include "cli/io/npy/npy.h"
#include "cli/io/streamed.h"
#include "cli/io/value.h"
#include "cli/nearest.h"
#include "cli/operations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BINDINGS = 64, NAME_LENGTH = 64 };

/* Use of the formula's values. */
typedef enum map_use { STORED, REDUCED, SCANNED } map_use;

typedef struct request {
    const cli_options *options;
    map_use use;
    const char *command, *formula, *to;
    weft_op op;          /* of map_reduce and map_scan */
    weft_scan_kind kind; /* of map_scan; so are the next two members */
    const char *init;    /* text, or NULL */
    value before;        /* init's value */
    axes_request along;  /* of map_reduce */
    weft_dtype type, accumulate;
    bool type_given; /* --dtype was given */
    long long n;     /* for a formula without arrays; otherwise -1 */
    int count;
    char names[MOST_BINDINGS][NAME_LENGTH];
    const char *texts[MOST_BINDINGS]; /* after the '=' */
    npy_array arrays[MOST_BINDINGS];
    value scalars[MOST_BINDINGS];
    weft_binding bindings[MOST_BINDINGS];
    bool broadcasts; /* the arrays are broadcast to `shape`: with --axis, or if their shapes differ */
    npy_shape shape;
    const npy_array *first; /* first of the arrays, or NULL */
    weft_context *ctx;
    weft_expr *expr;
    bool streamed; /* the arrays are inputs of `stream`, in operand order */
    stream stream;
    weft_source_binding sources[MOST_BINDINGS];
    double seconds;
} request;

/* -------------------------------------------------------------------------------- options */

/* Reads the type of the evaluation. That of the values of map may also be f16 or bf16. */
static bool read_type(const char *text, request *r) {
    static const weft_dtype types[] = {WEFT_F32, WEFT_F64, WEFT_I32, WEFT_I64,
                                       WEFT_U32, WEFT_U64, WEFT_F16, WEFT_BF16};
    const size_t count = sizeof types / sizeof *types;
    for (size_t i = 0; i < (r->use == STORED ? count : count - 2); i++)
        if (strcmp(text, weft_dtype_name(types[i])) == 0) {
            r->type = types[i];
            return true;
        }
    cli_error(r->command, "--dtype %s: expected f32, f64, i32, i64, %s", text,
              r->use == STORED ? "u32, u64, f16 or bf16" : "u32 or u64");
    return false;
}

static bool read_option(const char *command, int option, request *r) {
    switch (option) {
    case 't': return read_type(optarg, r);
    case 'a': return reduce_options_type(command, optarg, r->use == REDUCED ? SUM_TYPES : SCAN_TYPES, &r->accumulate);
    case 'n': return cli_number(command, "--n", optarg, 0, 1LL << 48, &r->n);
    case 'o': r->to = r->along.to = optarg; return true;
    case 'x': return axes_read(command, optarg, WEFT_DIMENSIONS_MAX, &r->along);
    case 'k': r->along.keepdims = true; return true;
    case 'p': return reduce_options_op(command, optarg, &r->op);
    case 'e': r->kind = WEFT_EXCLUSIVE; return true;
    case 'i': r->init = optarg; return true;
    default: return false;
    }
}

static bool read_options(int argc, char **argv, request *r) {
    r->n = -1;
    for (int option; (option = cli_next_option(argc, argv)) != -1;)
        if (!read_option(argv[0], option, r)) return false;
    if (r->use != REDUCED || r->along.text || (!r->to && !r->along.keepdims)) return true;
    cli_error(r->command, "%s requires --axis: the result is one value", r->to ? "-o" : "--keepdims");
    return false;
}

static bool read_operator(request *r, const char *text) {
    for (int op = 0; strcmp(weft_op_name((weft_op)op), "unknown") != 0; op++)
        if (same_name(text, weft_op_name((weft_op)op))) {
            r->op = (weft_op)op;
            return true;
        }
    cli_error(r->command, "unknown operator %s: expected sum, mean, min, max, ... ('weft help' lists them)", text);
    return false;
}

/* Reads an operand: "x=FILE" or "a=2". */
static bool read_operand(request *r, const char *text) {
    const char *sign = strchr(text, '=');
    if (!sign || sign == text || (size_t)(sign - text) >= NAME_LENGTH) {
        cli_error(r->command, "%s: expected NAME=VALUE, where VALUE is a number or a file", text);
        return false;
    }
    if (r->count == MOST_BINDINGS) {
        cli_error(r->command, "%s: too many names: expected at most %d", text, (int)MOST_BINDINGS);
        return false;
    }
    memcpy(r->names[r->count], text, (size_t)(sign - text));
    r->texts[r->count++] = sign + 1;
    return true;
}

static bool read_operands(request *r, int count, char **operands) {
    const bool reduces = r->use == REDUCED;
    int at = 0;
    if (count < 1 + reduces) {
        cli_error(r->command, "argument %s is required; see 'weft help %s'", count < reduces ? "OP" : "FORMULA",
                  r->command);
        return false;
    }
    if (reduces && !read_operator(r, operands[at++])) return false;
    r->formula = operands[at++];
    while (at < count)
        if (!read_operand(r, operands[at++])) return false;
    if (!reduces && !r->to)
        cli_error(r->command, "option -o FILE.npy is required: the file for the result (- for standard output)");
    else
        return !r->to || file_takes_result(r->options, r->command, "-o", r->to);
    return false;
}

/* ------------------------------------------------------------------------------- bindings */

/* Reads a number in the first of these types that can represent it. */
static bool read_scalar(request *r, int i) {
    static const weft_dtype types[] = {WEFT_I64, WEFT_U64, WEFT_F64};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        if (!value_parse(types[t], r->texts[i], &r->scalars[i])) continue;
        r->bindings[i].dtype = types[t];
        r->bindings[i].scalar = &r->scalars[i];
        return true;
    }
    return false;
}

static void take_array(request *r, int i) {
    r->bindings[i].dtype = r->arrays[i].dtype;
    if (!r->first) r->first = &r->arrays[i];
}

/* Reports arrays that differ in shape or order, for a command that does not broadcast them. */
static void refuse_shapes(const request *r, const map_operands *operands) {
    const npy_shape_text first = npy_text_of_shape(&operands->arrays[0]->given);
    for (size_t i = 1; i < operands->count; i++) {
        const npy_shape_text other = npy_text_of_shape(&operands->arrays[i]->given);
        if (strcmp(first.text, other.text) == 0) continue;
        cli_error(r->command, "%s has shape %s and %s has shape %s: only map and map_reduce --axis broadcast them",
                  operands->texts[0], first.text, operands->texts[i], other.text);
        return;
    }
    cli_error(r->command, "the arrays have different orders in memory: only map and map_reduce --axis support this");
}

/* Checks the shapes of the arrays. Arrays of different shapes must be in memory, for map or along axes. */
static bool check_shapes(request *r) {
    const npy_array *arrays[MOST_BINDINGS];
    const char *texts[MOST_BINDINGS];
    map_operands operands = {r->command, 0, arrays, texts};
    for (int i = 0; i < r->count; i++) {
        if (r->bindings[i].scalar) continue;
        arrays[operands.count] = &r->arrays[i];
        texts[operands.count++] = r->texts[i];
    }
    if (!r->along.text && map_operands_alike(&operands)) return true;
    r->broadcasts = true;
    if (r->use != STORED && !r->along.text) {
        refuse_shapes(r, &operands);
        return false;
    }
    if (!map_operands_shape(&operands, &r->shape)) return false;
    if (!r->streamed) return true;
    cli_error(r->command, "the arrays have different shapes or orders in memory, which is not supported for arrays "
                          "that are larger than the permitted memory (--memory)");
    return false;
}

static bool read_array(request *r, int i) {
    npy_error error;
    if (!npy_read(r->texts[i], &r->arrays[i], &error)) {
        cli_error(r->command, "%s: %s", r->texts[i], error.message);
        return false;
    }
    r->bindings[i].array = r->arrays[i].data;
    take_array(r, i);
    return true;
}

/* Returns true if the values of a formula may have this type. */
static bool is_type_of_values(const request *r, weft_dtype dtype) {
    return weft_dtype_size(dtype) >= 4 || (r->use == STORED && (dtype == WEFT_F16 || dtype == WEFT_BF16));
}

/* Returns the type without --dtype: that of the arrays if they all have one that the values may have, otherwise f64.
 */
static weft_dtype type_of_arrays(const request *r) {
    if (!r->first || !is_type_of_values(r, r->first->dtype)) return WEFT_F64;
    for (int i = 0; i < r->count; i++)
        if (!r->bindings[i].scalar && r->bindings[i].dtype != r->first->dtype) return WEFT_F64;
    return r->first->dtype;
}

/* Reads the numbers. `paths` receives the file names. */
static int read_scalars(request *r, const char *paths[MOST_BINDINGS]) {
    int files = 0;
    for (int i = 0; i < r->count; i++) {
        r->bindings[i].name = r->names[i];
        if (read_scalar(r, i)) continue;
        r->streamed = r->streamed || stream_wanted(r->options, r->texts[i], 1);
        paths[files++] = r->texts[i];
    }
    return files;
}

static bool read_arrays(request *r) {
    for (int i = 0; i < r->count; i++)
        if (!r->bindings[i].scalar && !read_array(r, i)) return false;
    return check_shapes(r);
}

/* Returns the number of elements: that of each array, or of the shape to which they are broadcast. */
static size_t elements_of(const request *r) {
    size_t n = r->first->n;
    for (size_t k = 0; k < r->shape.rank && r->broadcasts; k++)
        n = k ? n * r->shape.dimensions[k] : r->shape.dimensions[k];
    return n;
}

/* Opens the arrays of a stream, and binds their sources to the formula's names. */
static bool open_arrays(request *r, const char *const *paths, int files) {
    if (stream_open(&r->stream, r->command, r->options, paths, files, 1) != CLI_DONE) return false;
    for (int i = 0, file = 0; i < r->count; i++) {
        const weft_binding *b = &r->bindings[i];
        r->sources[i] = (weft_source_binding){b->name, NULL, b->dtype, b->scalar};
        if (b->scalar) continue;
        const stream_input *in = &r->stream.inputs[file++];
        r->sources[i].source = &in->source;
        r->arrays[i] = in->npy.array;
        take_array(r, i);
    }
    return check_shapes(r);
}

static bool is_given(const request *r, const char *name) {
    for (int i = 0; i < r->count; i++)
        if (strcmp(r->names[i], name) == 0) return true;
    return false;
}

static bool is_in_formula(const request *r, const char *name) {
    const char *variable;
    for (size_t v = 0; (variable = weft_expr_variable(r->expr, v)); v++)
        if (strcmp(variable, name) == 0) return true;
    return false;
}

/* Checks that each name of the formula has exactly one value, and that no other name has one. */
static bool check_names(const request *r) {
    const char *name;
    for (int i = 0; i < r->count; i++) {
        bool twice = false;
        for (int k = 0; k < i; k++) twice = twice || strcmp(r->names[k], r->names[i]) == 0;
        if (!twice && is_in_formula(r, r->names[i])) continue;
        cli_error(r->command, twice ? "%s=%s: %s is given twice" : "%s=%s: the formula has no variable %s",
                  r->names[i], r->texts[i], r->names[i]);
        return false;
    }
    for (size_t v = 0; (name = weft_expr_variable(r->expr, v)); v++) {
        if (is_given(r, name)) continue;
        cli_error(r->command,
                  "%s=VALUE is required: the formula has the variable %s, and VALUE is a number or a file", name,
                  name);
        return false;
    }
    return true;
}

static int read_bindings(request *r) {
    const char *paths[MOST_BINDINGS];
    if (!check_names(r)) return CLI_USAGE;
    const int files = read_scalars(r, paths);
    if (files > 0 && r->n >= 0)
        cli_error(r->command, "--n %lld cannot be combined with the array %s", r->n, paths[0]);
    else if (files == 0 && r->n < 0)
        cli_error(r->command, "the number of elements is unknown: expected an array or --n N");
    else if (r->streamed && r->along.text) {
        cli_error(r->command,
                  "the arrays are larger than the permitted memory (--memory), and --axis needs them whole");
        return CLI_FAILED;
    } else if (!(r->streamed ? open_arrays(r, paths, files) : read_arrays(r)))
        return CLI_FAILED;
    else {
        if (r->first)
            r->n = (long long)elements_of(r);
        else
            r->shape = (npy_shape){1, {(size_t)r->n}};
        r->type_given = r->type != WEFT_DEFAULT;
        if (!r->type_given) r->type = type_of_arrays(r);
        return CLI_DONE;
    }
    return CLI_USAGE;
}

/* -------------------------------------------------------------------------------- running */

/* Prints the error of a call. An invalid formula or an unsupported type of evaluation or result is a usage error. */
static int told(request *r, weft_status status) {
    if (status == WEFT_OK) return CLI_DONE;
    const char *sentence = weft_last_error(r->ctx);
    if (status != WEFT_UNSUPPORTED)
        cli_error(r->command, "%s", sentence);
    else if (r->accumulate != WEFT_DEFAULT && strstr(sentence, "accumulate"))
        cli_error(r->command, "--accumulate %s: %s", weft_dtype_name(r->accumulate), sentence);
    else if (r->type_given)
        cli_error(r->command, "--dtype %s: %s", weft_dtype_name(r->type), sentence);
    else
        cli_error(r->command, "%s", sentence);
    return status == WEFT_INVALID || status == WEFT_UNSUPPORTED ? CLI_USAGE : CLI_FAILED;
}

/* Checks formula and types of a stream by a call on no elements, before any file is written. */
static int check_call(request *r) {
    const size_t count = (size_t)r->count;
    value out;
    weft_status status;
    if (r->use == STORED)
        status = weft_map(r->ctx, r->expr, r->type, 0, r->bindings, count, NULL);
    else if (r->use == REDUCED)
        status = weft_map_reduce(r->ctx, r->op, r->expr, r->type, r->accumulate, 0, r->bindings, count, &out);
    else
        status =
            weft_map_scan(r->ctx, r->op, r->kind, r->expr, r->type, r->accumulate, 0, r->bindings, count, NULL, NULL);
    return told(r, status == WEFT_EMPTY ? WEFT_OK : status);
}

static void print_json(const request *r) {
    json_begin_command(r->command);
    json_text("formula", r->formula);
    json_begin_object("bindings");
    for (int i = 0; i < r->count; i++) {
        if (r->bindings[i].scalar)
            json_value(r->names[i], r->bindings[i].dtype, &r->scalars[i]);
        else
            json_text(r->names[i], r->texts[i]);
    }
    json_end();
    json_text("dtype", weft_dtype_name(r->type));
    json_integer("n", r->n);
}

/* Returns the type of the values of map and map_scan. */
static weft_dtype result_type(const request *r) { return r->accumulate == WEFT_DEFAULT ? r->type : r->accumulate; }

/* Binds the arrays to the formula's names as views. */
static void bind_views(const request *r, weft_view views[MOST_BINDINGS], weft_view_binding bindings[MOST_BINDINGS]) {
    for (int i = 0; i < r->count; i++) {
        const weft_binding *b = &r->bindings[i];
        bindings[i] = (weft_view_binding){b->name, b->scalar ? NULL : &views[i], b->dtype, b->scalar};
        if (!b->scalar) npy_view(&r->arrays[i], &views[i]);
    }
}

static weft_status compute_broadcast(const request *r, void *out) {
    weft_view views[MOST_BINDINGS], to;
    weft_view_binding bindings[MOST_BINDINGS];
    const weft_status status = weft_view_of(r->type, r->shape.rank, r->shape.dimensions, out, &to);
    if (status != WEFT_OK) return status;
    bind_views(r, views, bindings);
    return weft_map_views(r->ctx, r->expr, r->type, bindings, (size_t)r->count, &to);
}

static weft_status compute(request *r, void *out) {
    if (r->broadcasts) return compute_broadcast(r, out);
    if (r->use == STORED) return weft_map(r->ctx, r->expr, r->type, (size_t)r->n, r->bindings, (size_t)r->count, out);
    return weft_map_scan(r->ctx, r->op, r->kind, r->expr, r->type, r->accumulate, (size_t)r->n, r->bindings,
                         (size_t)r->count, r->init ? &r->before : NULL, out);
}

static int map_to(request *r, void *out) {
    const npy_shape flat = {1, {(size_t)r->n}};
    npy_error error;
    const double start = cli_seconds();
    const int code = told(r, compute(r, out));
    r->seconds = cli_seconds() - start;
    if (code != CLI_DONE) return code;
    if (npy_write(r->to, result_type(r),
                  r->broadcasts ? &r->shape
                  : r->first    ? &r->first->shape
                                : &flat,
                  out, &error))
        return CLI_DONE;
    cli_error(r->command, "%s: %s", r->to, error.message);
    return CLI_FAILED;
}

static int map_in_memory(request *r) {
    const size_t n = (size_t)r->n, size = weft_dtype_size(result_type(r));
    void *out = n <= SIZE_MAX / size ? malloc(n ? n * size : 1) : NULL;
    if (!out) {
        cli_error(r->command, "cannot allocate memory for the %zu values of the result", n);
        return CLI_FAILED;
    }
    const int code = map_to(r, out);
    free(out);
    return code;
}

static weft_status compute_stream(request *r) {
    const size_t count = (size_t)r->count;
    if (r->use == STORED) return weft_map_source(r->ctx, r->expr, r->type, r->sources, count, &r->stream.sink);
    return weft_map_scan_source(r->ctx, r->op, r->kind, r->expr, r->type, r->accumulate, r->sources, count,
                                r->init ? &r->before : NULL, &r->stream.sink);
}

static int map_stream(request *r) {
    if (!stream_write_to(&r->stream, r->to, result_type(r), &r->first->shape)) return CLI_FAILED;
    const double start = cli_seconds();
    const weft_status status = compute_stream(r);
    r->seconds = cli_seconds() - start;
    return stream_end(&r->stream, r->ctx, status);
}

/* Reads the initial value. It has the result's type, which depends on the arrays. */
static bool read_init(request *r) {
    char range[80];
    const weft_dtype type = result_type(r);
    if (!r->init || value_parse(type, r->init, &r->before)) return true;
    value_range(type, range, sizeof range);
    cli_error(r->command, "--init %s: expected a value of type %s (%s), the type of the result", r->init,
              weft_dtype_name(type), range);
    return false;
}

/* Runs map or map_scan. */
static int run_map(request *r) {
    if (!read_init(r)) return CLI_USAGE;
    const int code = r->streamed ? map_stream(r) : map_in_memory(r);
    if (code != CLI_DONE || !r->options->json) return code;
    print_json(r);
    if (r->use == SCANNED) {
        json_text("op", weft_op_name(r->op));
        json_bool("exclusive", r->kind == WEFT_EXCLUSIVE);
        json_text("result", weft_dtype_name(result_type(r)));
    }
    json_text("output", r->to);
    json_end_command(weft_device(r->ctx), r->seconds);
    return CLI_DONE;
}

static int reduce_to(request *r, value *out) {
    const size_t count = (size_t)r->count;
    const double start = cli_seconds();
    const weft_status status =
        r->streamed
            ? weft_map_reduce_source(r->ctx, r->op, r->expr, r->type, r->accumulate, r->sources, count, out)
            : weft_map_reduce(r->ctx, r->op, r->expr, r->type, r->accumulate, (size_t)r->n, r->bindings, count, out);
    r->seconds = cli_seconds() - start;
    return r->streamed ? stream_end(&r->stream, r->ctx, status) : told(r, status);
}

static int run_map_reduce(request *r) {
    value out = {0};
    weft_dtype type = WEFT_DEFAULT;
    const int code = reduce_to(r, &out);
    if (code != CLI_DONE) return code;
    (void)weft_reduce_result(r->op, r->type, r->accumulate, &type);
    if (r->options->json) {
        print_json(r);
        json_text("op", weft_op_name(r->op));
        json_text("result", weft_dtype_name(type));
        json_value("value", type, &out);
        json_text("bits", value_bits(type, &out).text);
        json_end_command(weft_device(r->ctx), r->seconds);
        return CLI_DONE;
    }
    printf("%s", value_decimal(type, &out).text);
    if (r->options->bits) printf(" %s", value_bits(type, &out).text);
    putchar('\n');
    return CLI_DONE;
}

static weft_status compute_axes(const request *r, const axes_result *y, void *values) {
    weft_view views[MOST_BINDINGS], to;
    weft_view_binding bindings[MOST_BINDINGS];
    const weft_status status = weft_view_of(y->dtype, y->shape.rank, y->shape.dimensions, values, &to);
    if (status != WEFT_OK) return status;
    bind_views(r, views, bindings);
    return weft_map_reduce_axes(r->ctx, r->op, r->expr, r->type, r->accumulate, r->shape.rank, r->shape.dimensions,
                                bindings, (size_t)r->count, r->along.count, r->along.axes, &to);
}

/* Writes or prints the values of map_reduce along axes. */
static int give_axes(const request *r, const axes_result *y, const void *values) {
    npy_error error;
    if (r->to && !npy_write(r->to, y->dtype, &y->shape, values, &error)) {
        cli_error(r->command, "%s: %s", r->to, error.message);
        return CLI_FAILED;
    }
    if (r->options->json) {
        print_json(r);
        json_text("op", weft_op_name(r->op));
        axes_result_json_axes(&r->along);
        axes_result_json(&r->along, y, values);
        if (r->to) json_text("output", r->to);
        json_end_command(weft_device(r->ctx), r->seconds);
    } else if (!r->to)
        axes_result_print(y, r->options->bits, values);
    return CLI_DONE;
}

static int run_map_reduce_axes(request *r) {
    static const char name[] = "the array of values";
    axes_result y = {0};
    int code = check_call(r);
    if (code != CLI_DONE) return code;
    if (!axes_check(r->command, &r->along, name, &r->shape)) return CLI_USAGE;
    (void)weft_reduce_result(r->op, r->type, r->accumulate, &y.dtype);
    axes_result_reduce(&r->along, &r->shape, &y);
    if (!axes_result_fits(r->command, &r->along, name, &y)) return CLI_USAGE;
    void *const values = malloc(y.count ? y.count * weft_dtype_size(y.dtype) : 1);
    if (!values) {
        cli_error(r->command, "cannot allocate memory for the %zu values of the result", y.count);
        return CLI_FAILED;
    }
    const double start = cli_seconds();
    code = told(r, compute_axes(r, &y, values));
    r->seconds = cli_seconds() - start;
    if (code == CLI_DONE) code = give_axes(r, &y, values);
    free(values);
    return code;
}

static int run(request *r) {
    if (r->use != REDUCED) return run_map(r);
    return r->along.text ? run_map_reduce_axes(r) : run_map_reduce(r);
}

/* Compiles the formula. Its values must be real: the commands have arrays of real numbers only. */
static int compile(request *r) {
    const int code = told(r, weft_expr_compile(r->ctx, r->formula, &r->expr));
    if (code != CLI_DONE || !weft_expr_is_complex(r->expr)) return code;
    cli_error(r->command, "the values of %s are complex: expected real values", r->formula);
    return CLI_USAGE;
}

static int evaluate(const cli_options *options, int argc, char **argv, map_use use) {
    static request r; /* too large for the stack */
    r.options = options;
    r.use = use;
    r.command = argv[0];
    if (!read_options(argc, argv, &r) || !read_operands(&r, argc - optind, argv + optind)) return CLI_USAGE;
    int code = cli_open(r.command, options, &r.ctx);
    if (code == CLI_DONE) code = compile(&r);
    if (code == CLI_DONE) code = read_bindings(&r);
    if (code == CLI_DONE && r.streamed) code = check_call(&r);
    if (code == CLI_DONE) code = run(&r);
    for (int i = 0; i < r.count; i++) npy_free(&r.arrays[i]);
    if (r.streamed) stream_close(&r.stream);
    weft_expr_free(r.expr);
    weft_close(r.ctx);
    return code;
}

int command_map(const cli_options *options, int argc, char **argv) { return evaluate(options, argc, argv, STORED); }

int command_map_reduce(const cli_options *options, int argc, char **argv) {
    return evaluate(options, argc, argv, REDUCED);
}

int command_map_scan(const cli_options *options, int argc, char **argv) {
    return evaluate(options, argc, argv, SCANNED);
}

/* ------------------------------------------------------------------------- for tour and bench */

/* Computes the sum of two arrays, element by element. */
weft_status example_map(const operation *o, weft_context *ctx, const operands *in, value *out, weft_dtype *type) {
    const weft_binding bindings[] = {{"x", in->dtype, in->x, NULL}, {"y", in->dtype, in->y, NULL}};
    weft_expr *expr = NULL;
    (void)o, (void)out;
    *type = in->dtype;
    weft_status status = weft_expr_compile(ctx, "x + y", &expr);
    if (status == WEFT_OK) status = weft_map(ctx, expr, in->dtype, in->n, bindings, 2, in->to);
    weft_expr_free(expr);
    return status;
}

/* Computes the mean of a quadratic function of the elements. */
weft_status example_map_reduce(const operation *o, weft_context *ctx, const operands *in, value *out,
                               weft_dtype *type) {
    const weft_binding binding = {"x", in->dtype, in->x, NULL};
    weft_expr *expr = NULL;
    (void)o;
    operation_result_type(WEFT_MEAN, in, type);
    weft_status status = weft_expr_compile(ctx, "x^2 + 2*x + 3", &expr);
    if (status == WEFT_OK)
        status = weft_map_reduce(ctx, WEFT_MEAN, expr, in->dtype, in->accumulate, in->n, &binding, 1, out);
    weft_expr_free(expr);
    return status;
}

/* Computes the running sums of a quadratic function of the elements. */
weft_status example_map_scan(const operation *o, weft_context *ctx, const operands *in, value *out,
                             weft_dtype *type) {
    const weft_binding binding = {"x", in->dtype, in->x, NULL};
    weft_expr *expr = NULL;
    (void)o, (void)out;
    *type = in->dtype;
    weft_status status = weft_expr_compile(ctx, "x^2 + 2*x + 3", &expr);
    if (status == WEFT_OK)
        status = weft_map_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, expr, in->dtype, WEFT_DEFAULT, in->n, &binding, 1, NULL,
                               in->to);
    weft_expr_free(expr);
    return status;
}
