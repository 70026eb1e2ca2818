/* weft matmul A.npy B.npy -o C.npy */
#include "cli/commands/matmul_check.h"
#include "cli/commands/reduce_options.h"
#include "cli/io/file.h"
#include "cli/io/json.h"
#include "cli/io/numbers.h"
#include "cli/io/value.h"
#include "cli/operations.h"

#include <stdlib.h>
#include <string.h>

enum { A, B, FACTORS, MOST_PRINTED = 10 };

/* Values of the options. */
typedef struct request {
    weft_dtype accumulate;
    bool transpose[FACTORS], check;
    const char *from[FACTORS], *to;
} request;

/* A factor. The last two axes of the view are the rows and the columns of op() of its matrices. */
typedef struct factor {
    npy_array array;
    void *copy; /* numbers of a stack in Fortran order, in C order */
    weft_view view;
    bool vector;
} factor;

typedef struct params {
    const cli_options *options;
    const request *request;
    factor f[FACTORS];
    size_t m, n, k;
    npy_shape stack, shape; /* axes of C before those of the matrices; shape of the file of C */
    size_t count;           /* numbers of C */
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

static bool check_elements(const request *r, int which, const npy_array *x) {
    const size_t most = WEFT_DIMENSIONS_MAX - (size_t)x->is_complex;
    const char *const type = numbers_type(x->dtype, x->is_complex);
    if (x->dtype != WEFT_F32 && x->dtype != WEFT_F64 && !is_half(x->dtype))
        cli_error("matmul", "%s: has elements of type %s: expected f32, f64, f16, bf16 or complex", r->from[which],
                  type);
    else if (r->check && (is_half(x->dtype) || x->is_complex))
        cli_error("matmul", "%s: has elements of type %s: --check supports f32 and f64", r->from[which], type);
    else if (x->given.rank == 0 || x->given.rank > most)
        cli_error("matmul", "%s: has %zu dimensions: expected 1 (a vector) to %zu", r->from[which], x->given.rank,
                  most);
    else if (r->check && x->given.rank > 2)
        cli_error("matmul", "%s: has %zu dimensions: --check supports 1 and 2", r->from[which], x->given.rank);
    else
        return true;
    return false;
}

/* Exchanges the rows and the columns of the matrices. */
static void transpose(weft_view *v) {
    const size_t row = v->dimensions - 2, column = v->dimensions - 1, rows = v->shape[row];
    const ptrdiff_t down = v->stride[row];
    v->shape[row] = v->shape[column], v->stride[row] = v->stride[column];
    v->shape[column] = rows, v->stride[column] = down;
}

/* Interprets a vector as a row on the left side and as a column on the right side. */
static void view_factor(const request *r, int which, factor *f) {
    weft_view *const v = &f->view;
    npy_view(&f->array, v);
    f->vector = v->dimensions == 1;
    if (f->vector) {
        v->dimensions = 2;
        v->shape[1] = 1, v->stride[1] = v->stride[0];
        if (which == A) transpose(v);
    } else if (r->transpose[which])
        transpose(v);
}

/* Determines the lengths, and the shape of C. Vectors do not contribute a dimension to it. */
static bool find_shape(params *j) {
    const request *const r = j->request;
    const weft_view *const a = &j->f[A].view, *const b = &j->f[B].view;
    npy_shape of_b = j->f[B].array.given;
    j->m = a->shape[a->dimensions - 2], j->k = a->shape[a->dimensions - 1], j->n = b->shape[b->dimensions - 1];
    if (j->k != b->shape[b->dimensions - 2]) {
        cli_error("matmul",
                  "%s is %zu x %zu and %s is %zu x %zu: the columns of the first must equal the rows of the second",
                  r->from[A], j->m, j->k, r->from[B], b->shape[b->dimensions - 2], j->n);
        return false;
    }
    j->stack = j->f[A].array.given;
    j->stack.rank = a->dimensions - 2, of_b.rank = b->dimensions - 2;
    if (!npy_broadcast(&j->stack, &of_b)) {
        cli_error("matmul", "%s has shape %s and %s has shape %s: the stacks cannot be broadcast to one shape",
                  r->from[A], npy_text_of_shape(&j->f[A].array.given).text, r->from[B],
                  npy_text_of_shape(&j->f[B].array.given).text);
        return false;
    }
    j->shape = j->stack;
    if (!j->f[A].vector) j->shape.dimensions[j->shape.rank++] = j->m;
    if (!j->f[B].vector) j->shape.dimensions[j->shape.rank++] = j->n;
    return true;
}

static bool read_factors(params *j) {
    npy_error error;
    const request *r = j->request;
    const npy_array *const a = &j->f[A].array, *const b = &j->f[B].array;
    for (int i = 0; i < FACTORS; i++) {
        if (!npy_read_numbers(r->from[i], &j->f[i].array, &error)) {
            cli_error("matmul", "%s: %s", r->from[i], error.message);
            return false;
        }
        if (!check_elements(r, i, &j->f[i].array)) return false;
        view_factor(r, i, &j->f[i]);
    }
    if (a->dtype == b->dtype && a->is_complex == b->is_complex) return find_shape(j);
    cli_error("matmul", "%s has elements of type %s and %s of type %s: both must have the same type", r->from[A],
              numbers_type(a->dtype, a->is_complex), r->from[B], numbers_type(b->dtype, b->is_complex));
    return false;
}

/* -------------------------------------------------------------------------------- running */

static check_matrix matrix_of(const factor *f) {
    const size_t size = weft_dtype_size(f->view.dtype);
    return (check_matrix){f->view.data, (size_t)f->view.stride[0] / size, (size_t)f->view.stride[1] / size};
}

static int check(params *j) {
    const factor *a = &j->f[A], *b = &j->f[B];
    const check_product p = {a->array.dtype, j->m, j->n, j->k, matrix_of(a), matrix_of(b), {j->c, j->n, 1}};
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

/* Copies a stack in Fortran order, in whose matrices no two elements are adjacent. Complex matrices may be so. */
static bool make_adjacent(weft_context *ctx, factor *f) {
    weft_view *const v = &f->view, copy;
    if (!f->array.fortran || v->dimensions == 2 || f->array.is_complex) return true;
    f->copy = numbers_allocate("matmul", &f->array, false, f->array.n);
    if (!f->copy) return false;
    if (weft_view_of(v->dtype, v->dimensions, v->shape, f->copy, &copy) == WEFT_OK &&
        weft_copy_view(ctx, v, &copy) == WEFT_OK) {
        *v = copy;
        return true;
    }
    cli_error("matmul", "%s", weft_last_error(ctx));
    return false;
}

static weft_status multiply(weft_context *ctx, const params *j) {
    const npy_array *const x = &j->f[A].array;
    const weft_dtype accumulate = j->request->accumulate;
    npy_shape shape = j->stack;
    weft_view c;
    shape.dimensions[shape.rank++] = j->m;
    shape.dimensions[shape.rank++] = j->n;
    const weft_status status = weft_view_of(x->dtype, shape.rank, shape.dimensions, j->c, &c);
    if (status != WEFT_OK) return status;
    if (!x->is_complex) return weft_matmul_stack(ctx, accumulate, NULL, &j->f[A].view, &j->f[B].view, NULL, &c);
    const weft_view a = numbers_with_parts(j->f[A].view, true), b = numbers_with_parts(j->f[B].view, true);
    c = numbers_with_parts(c, true);
    return weft_matmul_complex(ctx, accumulate, WEFT_NO_CONJUGATE, WEFT_NO_CONJUGATE, NULL, &a, &b, NULL, &c);
}

static bool allocate_product(params *j) {
    const npy_array *const x = &j->f[A].array;
    const bool fits = npy_count(&j->shape, &j->count);
    if (!fits)
        cli_error("matmul", "cannot allocate memory for a product of shape %s", npy_text_of_shape(&j->shape).text);
    j->c = fits ? numbers_allocate("matmul", x, x->is_complex, j->count) : NULL;
    return j->c;
}

static int compute(weft_context *ctx, params *j) {
    if (!make_adjacent(ctx, &j->f[A]) || !make_adjacent(ctx, &j->f[B]) || !allocate_product(j)) return CLI_FAILED;
    const double start = cli_seconds();
    const weft_status status = multiply(ctx, j);
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
    json_text("dtype", numbers_type(j->f[A].array.dtype, j->f[A].array.is_complex));
    json_count("m", j->m);
    json_count("n", j->n);
    json_count("k", j->k);
    if (j->stack.rank > 0) {
        json_begin_array("stack");
        for (size_t k = 0; k < j->stack.rank; k++) json_count(NULL, j->stack.dimensions[k]);
        json_end();
    }
    if (j->request->check) json_rounded("error", 3, j->error);
    json_end_command(device, j->seconds);
}

static bool write_product(const params *j) {
    const npy_array *const x = &j->f[A].array;
    npy_error error;
    if (npy_write_numbers(j->request->to, x->dtype, x->is_complex, &j->shape, j->c, &error)) return true;
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
    for (int i = 0; i < FACTORS; i++) {
        free(j.f[i].copy);
        npy_free(&j.f[i].array);
    }
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
