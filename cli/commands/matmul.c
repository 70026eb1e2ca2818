/* weft matmul A.npy B.npy -o C.npy */
#include "cli/commands/matmul_check.h"
#include "cli/commands/reduce_options.h"
#include "cli/io/file.h"
#include "cli/io/json.h"
#include "cli/io/npy/npy.h"
#include "cli/io/value.h"
#include "cli/operations.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { A, B, FACTORS, MOST_PRINTED = 10 };

/* Values of the options. */
typedef struct request {
    weft_dtype accumulate;
    bool transpose[FACTORS], check;
    const char *from[FACTORS], *to;
} request;

/* A factor in the layout of its file: rows of `width` elements. `transposed` is true if op() of the factor is the
 * transpose of that. */
typedef struct factor {
    npy_array array;
    size_t rows, columns, width; /* rows and columns of op() */
    bool transposed, vector;
} factor;

typedef struct params {
    const cli_options *options;
    const request *request;
    factor f[FACTORS];
    void *c;
    double seconds, error; /* error: with --check */
} params;

/* -------------------------------------------------------------------------------- options */

static bool read_transpose(const char *text, request *r) {
    r->transpose[A] = strcmp(text, "a") == 0 || strcmp(text, "ab") == 0;
    r->transpose[B] = strcmp(text, "b") == 0 || strcmp(text, "ab") == 0;
    if (r->transpose[A] || r->transpose[B]) return true;
    cli_error("matmul", "--transpose %s: expected a, b or ab", text);
    return false;
}

static bool read_option(int option, request *r) {
    switch (option) {
    case 'a': return reduce_options_type("matmul", optarg, SUM_TYPES, &r->accumulate);
    case 't': return read_transpose(optarg, r);
    case 'c': r->check = true; return true;
    case 'o': r->to = optarg; return true;
    default: return false;
    }
}

static bool read_request(const cli_options *options, int argc, char **argv, request *r) {
    for (int option; (option = cli_next_option(argc, argv)) != -1;)
        if (!read_option(option, r)) return false;
    const bool both = argc - optind == FACTORS;
    for (int i = 0; i < FACTORS && both; i++) r->from[i] = argv[optind + i];
    if (!both)
        cli_error(argv[0], "%d files given, 2 expected; see 'weft help matmul'", argc - optind);
    else if (!r->to && !r->check)
        cli_error(argv[0], "%s: option -o C.npy is required: the file for the product (- for standard output)",
                  r->from[A]);
    else if (strcmp(r->from[A], "-") == 0 && strcmp(r->from[B], "-") == 0)
        cli_error(argv[0], "-: only one of the two arrays can be read from standard input");
    else if (file_is_output(r->to) && r->check)
        cli_error(argv[0], "--check cannot be combined with -o -: both write to standard output");
    else
        return file_takes_result(options, argv[0], "-o", r->to);
    return false;
}

/* -------------------------------------------------------------------------------- factors */

static bool is_half(weft_dtype dtype) { return dtype == WEFT_F16 || dtype == WEFT_BF16; }

/* Interprets a vector as a row on the left side and as a column on the right side. */
static bool shape_factor(const request *r, int which, factor *f) {
    const npy_array *x = &f->array;
    const npy_shape *s = &x->given;
    if (x->dtype != WEFT_F32 && x->dtype != WEFT_F64 && !is_half(x->dtype)) {
        cli_error("matmul", "%s: has elements of type %s: expected f32, f64, f16 or bf16", r->from[which],
                  weft_dtype_name(x->dtype));
        return false;
    }
    if (is_half(x->dtype) && r->check) {
        cli_error("matmul", "%s: has elements of type %s: --check supports f32 and f64", r->from[which],
                  weft_dtype_name(x->dtype));
        return false;
    }
    if (s->rank != 1 && s->rank != 2) {
        cli_error("matmul", "%s: has %zu dimensions: expected 2 (a matrix) or 1 (a vector)", r->from[which], s->rank);
        return false;
    }
    f->vector = s->rank == 1;
    f->rows = f->vector ? (which == A ? 1 : s->dimensions[0]) : s->dimensions[0];
    f->columns = f->vector ? (which == A ? s->dimensions[0] : 1) : s->dimensions[1];
    f->transposed = x->fortran && !f->vector;
    f->width = f->transposed ? f->rows : f->columns;
    if (r->transpose[which] && !f->vector) {
        const size_t rows = f->rows;
        f->rows = f->columns;
        f->columns = rows;
        f->transposed = !f->transposed;
    }
    return true;
}

static bool read_factors(params *j) {
    npy_error error;
    const request *r = j->request;
    for (int i = 0; i < FACTORS; i++) {
        if (!npy_read(r->from[i], &j->f[i].array, &error)) {
            cli_error("matmul", "%s: %s", r->from[i], error.message);
            return false;
        }
        if (!shape_factor(r, i, &j->f[i])) return false;
    }
    const factor *a = &j->f[A], *b = &j->f[B];
    if (a->array.dtype != b->array.dtype)
        cli_error("matmul", "%s has elements of type %s and %s of type %s: both must have the same type", r->from[A],
                  weft_dtype_name(a->array.dtype), r->from[B], weft_dtype_name(b->array.dtype));
    else if (a->columns != b->rows)
        cli_error("matmul",
                  "%s is %zu x %zu and %s is %zu x %zu: the columns of the first must equal the rows of the second",
                  r->from[A], a->rows, a->columns, r->from[B], b->rows, b->columns);
    else
        return true;
    return false;
}

/* -------------------------------------------------------------------------------- running */

static check_matrix steps_of(const factor *f) {
    return (check_matrix){f->array.data, f->transposed ? 1 : f->width, f->transposed ? f->width : 1};
}

static int check(params *j) {
    const factor *a = &j->f[A], *b = &j->f[B];
    const check_product p = {a->array.dtype, a->rows,     b->columns,           a->columns,
                             steps_of(a),    steps_of(b), {j->c, b->columns, 1}};
    j->error = check_error(&p);
    if (j->error < 0) {
        cli_error("matmul", "cannot allocate memory for a row of %zu values", p.n);
        return CLI_FAILED;
    }
    const bool passed = j->error <= CHECK_PASS;
    if (!j->options->json)
        printf("%s: the relative Euclidean norm of the difference to a plain loop is %.3g, the pass mark %g\n",
               passed ? "passed" : "FAILED", j->error, CHECK_PASS);
    if (!passed) check_print(&p, j->options->json ? stderr : stdout, MOST_PRINTED);
    return passed ? CLI_DONE : CLI_FAILED;
}

static int compute(weft_context *ctx, params *j) {
    const factor *a = &j->f[A], *b = &j->f[B];
    const weft_dtype dtype = a->array.dtype;
    size_t bytes;
    if (__builtin_mul_overflow(a->rows, b->columns, &bytes) ||
        __builtin_mul_overflow(bytes, weft_dtype_size(dtype), &bytes) || !(j->c = malloc(bytes ? bytes : 1))) {
        cli_error("matmul", "cannot allocate memory for the product of %zu x %zu values", a->rows, b->columns);
        return CLI_FAILED;
    }
    const double start = cli_seconds();
    const weft_status status =
        weft_matmul(ctx, WEFT_ROW_MAJOR, (weft_transpose)a->transposed, (weft_transpose)b->transposed, dtype,
                    j->request->accumulate, a->rows, b->columns, a->columns, NULL, a->array.data, a->width,
                    b->array.data, b->width, NULL, j->c, b->columns);
    j->seconds = cli_seconds() - start;
    if (status == WEFT_OK) return j->request->check ? check(j) : CLI_DONE;
    cli_error("matmul", "%s: %s", j->request->from[A], weft_last_error(ctx));
    return CLI_FAILED;
}

static void print_json(const params *j, const char *device) {
    json_begin_command("matmul");
    json_text("file", j->request->from[A]);
    json_text("file2", j->request->from[B]);
    json_text("output", j->request->to);
    json_text("dtype", weft_dtype_name(j->f[A].array.dtype));
    json_count("m", j->f[A].rows);
    json_count("n", j->f[B].columns);
    json_count("k", j->f[A].columns);
    if (j->request->check) json_rounded("error", 3, j->error);
    json_end_command(device, j->seconds);
}

/* Writes C. Its shape consists of the dimensions of the factors without the common one. Vectors do not contribute a
 * dimension. */
static bool write_product(const params *j) {
    npy_error error;
    npy_shape shape = {0};
    if (!j->f[A].vector) shape.dimensions[shape.rank++] = j->f[A].rows;
    if (!j->f[B].vector) shape.dimensions[shape.rank++] = j->f[B].columns;
    if (npy_write(j->request->to, j->f[A].array.dtype, &shape, j->c, &error)) return true;
    cli_error("matmul", "%s: %s", j->request->to, error.message);
    return false;
}

static int run(weft_context *ctx, params *j) {
    const int code = compute(ctx, j);
    if (code != CLI_DONE) return code;
    if (j->request->to && !write_product(j)) return CLI_FAILED;
    if (j->options->json) print_json(j, weft_device(ctx));
    return CLI_DONE;
}

int command_matmul(const cli_options *options, int argc, char **argv) {
    weft_context *ctx;
    request r = {0};
    params j = {.options = options, .request = &r};
    if (!read_request(options, argc, argv, &r)) return CLI_USAGE;
    int code = cli_open("matmul", options, &ctx);
    if (code != CLI_DONE) return code;
    code = read_factors(&j) ? run(ctx, &j) : CLI_FAILED;
    free(j.c);
    for (int i = 0; i < FACTORS; i++) npy_free(&j.f[i].array);
    weft_close(ctx);
    return code;
}

/* ------------------------------------------------------------------------- for tour and bench */

/* Multiplies x, as a matrix of 64 columns, by the first 64 x 64 elements of y. */
weft_status example_matmul(const operation *o, weft_context *ctx, const operands *in, value *out, weft_dtype *type) {
    enum { SIDE = 64 };
    const size_t side = in->n < (size_t)SIDE * SIDE ? 1 : SIDE;
    (void)o, (void)out;
    *type = in->dtype;
    return weft_matmul(ctx, WEFT_ROW_MAJOR, WEFT_NO_TRANSPOSE, WEFT_NO_TRANSPOSE, in->dtype, in->accumulate,
                       in->n / side, side, side, NULL, in->x, side, in->y, side, NULL, in->to, side);
}
