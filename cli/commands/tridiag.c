/* weft tridiag A B C D.npy -o X.npy, and weft tridiag_pivot with the same operands: solve tridiagonal systems without
 * and with pivoting. The diagonals may be constants. */
#include "cli/cli.h"
#include "cli/io/file.h"
#include "cli/io/json.h"
#include "cli/io/npy/npy.h"
#include "cli/io/value.h"
#include "cli/operations.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPERANDS = 4, RIGHT = OPERANDS - 1 };

/* One of the two commands. */
typedef struct solver {
    const char *name;
    weft_status (*run)(weft_context *ctx, weft_boundary boundary, weft_dtype dtype, size_t systems, size_t n,
                       weft_lines a, weft_lines b, weft_lines c, weft_lines d, void *x, uint64_t *singular);
    const char *unsafe; /* reason of a large residual */
    const char *failed; /* why a system has no finite solution */
} solver;

static const solver TRIDIAG = {"tridiag", weft_tridiag,
                               "elimination without pivoting is not safe for this matrix; use 'weft tridiag_pivot'",
                               " without pivoting"};
static const solver TRIDIAG_PIVOT = {"tridiag_pivot", weft_tridiag_pivot,
                                     "the rows differ in scale, or the columns do", ""};

/* Values of the options. */
typedef struct request {
    const solver *solver;
    char **operands; /* file names or numbers */
    const char *to;  /* NULL: the solution is not written */
    bool periodic, check;
} request;

typedef struct params {
    const cli_options *options;
    const request *request;
    npy_array arrays[OPERANDS]; /* empty for an operand that is a number */
    value numbers[OPERANDS];
    weft_lines lines[OPERANDS];
    weft_dtype dtype;
    size_t systems, n;
    void *x;
    double residual, error, seconds; /* residual and error: with --check */
} params;

/* -------------------------------------------------------------------------------- options */

static bool read_request(const cli_options *options, int argc, char **argv, request *r) {
    for (int option; (option = cli_next_option(argc, argv)) != -1;) {
        if (option == '?') return false;
        if (option == 'o') r->to = optarg;
        r->periodic = r->periodic || option == 'p';
        r->check = r->check || option == 'c';
    }
    r->operands = argv + optind;
    if (argc - optind != OPERANDS)
        cli_error(argv[0], "%d operands given, 4 expected (a, b, c and d); see 'weft help %s'", argc - optind,
                  argv[0]);
    else if (!r->to && !r->check)
        cli_error(argv[0], "%s: option -o X.npy is required: the file for the solution (- for standard output)",
                  r->operands[RIGHT]);
    else if (file_is_output(r->to) && r->check)
        cli_error(argv[0], "--check cannot be combined with -o -: both write to standard output");
    else
        return file_takes_result(options, argv[0], "-o", r->to);
    return false;
}

/* ------------------------------------------------------------------------------- the systems */

static bool read_array(params *j, int i) {
    npy_error error;
    const char *name = j->request->operands[i];
    npy_array *a = &j->arrays[i];
    if (!npy_read(name, a, &error))
        cli_error(j->request->solver->name, "%s: %s", name, error.message);
    else if (a->dtype != WEFT_F32 && a->dtype != WEFT_F64)
        cli_error(j->request->solver->name, "%s: has elements of type %s: expected f32 or f64", name,
                  weft_dtype_name(a->dtype));
    else if (a->flat)
        cli_error(j->request->solver->name,
                  "%s: is in Fortran order: expected C order, in which each row is a system", name);
    else
        return true;
    return false;
}

/* Reads the right-hand sides. The last dimension is the rows of a system. */
static bool read_right_side(params *j) {
    const npy_array *d = &j->arrays[RIGHT];
    if (!read_array(j, RIGHT)) return false;
    const size_t rank = d->shape.rank;
    j->dtype = d->dtype;
    j->n = rank ? d->shape.dimensions[rank - 1] : 1;
    j->systems = j->n ? d->n / j->n : 0;
    j->lines[RIGHT] = (weft_lines){d->data, 1, j->n};
    return true;
}

static bool same_shape(const npy_shape *a, const npy_shape *b) {
    return a->rank == b->rank && memcmp(a->dimensions, b->dimensions, a->rank * sizeof *a->dimensions) == 0;
}

/* Reads a diagonal: a number, an array with the shape of d, or one row for all systems. */
static bool read_coefficients(params *j, int i) {
    const char *name = j->request->operands[i];
    const npy_array *a = &j->arrays[i], *d = &j->arrays[RIGHT];
    if (value_parse(j->dtype, name, &j->numbers[i])) {
        j->lines[i] = (weft_lines){&j->numbers[i], 0, 0};
        return true;
    }
    if (!read_array(j, i)) return false;
    const bool one = a->shape.rank == 1 && a->n == j->n;
    j->lines[i] = (weft_lines){a->data, 1, one ? 0 : j->n};
    if (a->dtype != j->dtype)
        cli_error(j->request->solver->name,
                  "%s has elements of type %s and %s of type %s: both must have the same type", name,
                  weft_dtype_name(a->dtype), j->request->operands[RIGHT], weft_dtype_name(j->dtype));
    else if (!one && !same_shape(&a->shape, &d->shape))
        cli_error(j->request->solver->name,
                  "%s has %zu elements: it must have the shape of %s, %zu systems of %zu rows, or of one row", name,
                  a->n, j->request->operands[RIGHT], j->systems, j->n);
    else
        return true;
    return false;
}

/* ------------------------------------------------------------------------------- the residual */

static long double element(const params *j, const void *p, size_t i) {
    return j->dtype == WEFT_F32 ? (long double)((const float *)p)[i] : (long double)((const double *)p)[i];
}

static long double entry(const params *j, int k, size_t system, size_t row) {
    return element(j, j->lines[k].p, system * j->lines[k].line + row * j->lines[k].step);
}

static long double greater(long double a, long double b) { return b > a || isnan(b) ? b : a; }

/* Returns the maximum over all rows of |a x[i-1] + b x[i] + c x[i+1] - d| / (|a x[i-1]| + |b x[i]| + |c x[i+1]| +
 * |d|). Writes d - A x to `rest`, which has the dtype of d. */
static double residual(const params *j, void *rest) {
    long double most = 0;
    const size_t n = j->n;
    const bool periodic = j->request->periodic;
    for (size_t s = 0; s < j->systems; s++)
        for (size_t i = 0; i < n; i++) {
            const size_t up = s * n + (i ? i : n) - 1, down = s * n + (i + 1 < n ? i + 1 : 0);
            const long double a = i || periodic ? entry(j, 0, s, i) * element(j, j->x, up) : 0;
            const long double b = entry(j, 1, s, i) * element(j, j->x, s * n + i);
            const long double c = i + 1 < n || periodic ? entry(j, 2, s, i) * element(j, j->x, down) : 0;
            const long double d = entry(j, RIGHT, s, i), r = d - (a + b + c);
            if (r != 0) most = greater(most, fabsl(r) / (fabsl(a) + fabsl(b) + fabsl(c) + fabsl(d)));
            if (j->dtype == WEFT_F32)
                ((float *)rest)[s * n + i] = (float)r;
            else
                ((double *)rest)[s * n + i] = (double)r;
        }
    return (double)most;
}

/* Returns the maximum over all systems of max |e| / max |x|. */
static double relative_size(const params *j, const void *e) {
    long double most = 0;
    for (size_t s = 0; s < j->systems; s++) {
        long double error = 0, solution = 0;
        for (size_t i = s * j->n; i < (s + 1) * j->n; i++) {
            error = greater(error, fabsl(element(j, e, i)));
            solution = greater(solution, fabsl(element(j, j->x, i)));
        }
        if (error != 0) most = greater(most, error / solution);
    }
    return (double)most;
}

/* Computes the residual. Estimates the error of x by a step of iterative refinement, that is, by the solution for the
 * right-hand sides d - A x. */
static bool check(weft_context *ctx, params *j) {
    const char *name = j->request->operands[RIGHT];
    const size_t size = weft_dtype_size(j->dtype), all = j->arrays[RIGHT].n;
    const weft_boundary boundary = j->request->periodic ? WEFT_PERIODIC : WEFT_OPEN_ENDS;
    uint64_t singular;
    void *const rest = malloc(all ? all * size : 1);
    weft_status status = WEFT_OK;
    if (rest) {
        j->residual = residual(j, rest);
        status = j->request->solver->run(ctx, boundary, j->dtype, j->systems, j->n, j->lines[0], j->lines[1],
                                         j->lines[2], (weft_lines){rest, 1, j->n}, rest, &singular);
        j->error = relative_size(j, rest);
    }
    free(rest);
    if (!rest)
        cli_error(j->request->solver->name, "%s: cannot allocate memory for the %zu values of the residual", name,
                  all);
    else if (status != WEFT_OK)
        cli_error(j->request->solver->name, "%s: %s", name, weft_last_error(ctx));
    return rest && status == WEFT_OK;
}

/* Warns if the residual is larger than rounding explains, and if at least half of the solution's digits are wrong. */
static void warn(const params *j) {
    enum { RESIDUAL_EPS = 1024 };
    const char *name = j->request->operands[RIGHT];
    const double eps = j->dtype == WEFT_F32 ? 0x1p-23 : 0x1p-52, most = RESIDUAL_EPS * eps;
    if (!(j->residual <= most))
        cli_error(j->request->solver->name, "%s: warning: the residual %.2g exceeds %.2g: %s", name, j->residual,
                  most, j->request->solver->unsafe);
    if (!(j->error * j->error <= eps))
        cli_error(j->request->solver->name,
                  "%s: warning: the solution is off by about %.2g of its largest value; the matrix is nearly "
                  "singular",
                  name, j->error);
}

/* -------------------------------------------------------------------------------- running */

static bool solve(weft_context *ctx, params *j) {
    const char *name = j->request->operands[RIGHT];
    const size_t size = weft_dtype_size(j->dtype), all = j->arrays[RIGHT].n;
    uint64_t singular = UINT64_MAX;
    j->x = malloc(all ? all * size : 1);
    if (!j->x) {
        cli_error(j->request->solver->name, "%s: cannot allocate memory for the %zu values of the solution", name,
                  all);
        return false;
    }
    const double start = cli_seconds();
    const weft_status status =
        j->request->solver->run(ctx, j->request->periodic ? WEFT_PERIODIC : WEFT_OPEN_ENDS, j->dtype, j->systems,
                                j->n, j->lines[0], j->lines[1], j->lines[2], j->lines[RIGHT], j->x, &singular);
    j->seconds = cli_seconds() - start;
    if (status != WEFT_OK)
        cli_error(j->request->solver->name, "%s: %s", name, weft_last_error(ctx));
    else if (singular != UINT64_MAX)
        cli_error(j->request->solver->name, "%s: system %zu has no finite solution%s: row %zu", name,
                  (size_t)singular / j->n, j->request->solver->failed, (size_t)singular % j->n);
    else
        return true;
    return false;
}

static void print(const params *j, const char *device) {
    const value found = {.f64 = j->residual}, error = {.f64 = j->error};
    if (!j->options->json) {
        if (j->request->check) printf("residual %.2g\nerror %.2g\n", j->residual, j->error);
        return;
    }
    json_begin_command(j->request->solver->name);
    json_text("file", j->request->operands[RIGHT]);
    json_text("dtype", weft_dtype_name(j->dtype));
    json_count("systems", j->systems);
    json_count("n", j->n);
    json_bool("periodic", j->request->periodic);
    if (j->request->check) {
        json_value("residual", WEFT_F64, &found);
        json_value("error", WEFT_F64, &error);
    }
    json_end_command(device, j->seconds);
}

static int run(weft_context *ctx, params *j) {
    npy_error error;
    bool good = read_right_side(j);
    for (int i = 0; i < RIGHT && good; i++) good = read_coefficients(j, i);
    if (!good || !solve(ctx, j) || (j->request->check && !check(ctx, j))) return CLI_FAILED;
    if (j->request->to && !npy_write(j->request->to, j->dtype, &j->arrays[RIGHT].shape, j->x, &error)) {
        cli_error(j->request->solver->name, "%s: %s", j->request->to, error.message);
        return CLI_FAILED;
    }
    print(j, weft_device(ctx));
    if (j->request->check) warn(j);
    return CLI_DONE;
}

static int run_command(const solver *s, const cli_options *options, int argc, char **argv) {
    weft_context *ctx;
    request r = {.solver = s};
    params j = {.options = options, .request = &r};
    if (!read_request(options, argc, argv, &r)) return CLI_USAGE;
    int code = cli_open(s->name, options, &ctx);
    if (code != CLI_DONE) return code;
    code = run(ctx, &j);
    free(j.x);
    for (int i = 0; i < OPERANDS; i++) npy_free(&j.arrays[i]);
    weft_close(ctx);
    return code;
}

int command_tridiag(const cli_options *options, int argc, char **argv) {
    return run_command(&TRIDIAG, options, argc, argv);
}

int command_tridiag_pivot(const cli_options *options, int argc, char **argv) {
    return run_command(&TRIDIAG_PIVOT, options, argc, argv);
}

/* ------------------------------------------------------------------------- for tour and bench */

/* Solves systems of 128 rows with constant coefficients, as in heat conduction. Elements after the last complete
 * system are not used. */
static weft_status example(const solver *s, weft_context *ctx, const operands *in, weft_dtype *type) {
    enum { ROWS = 128 };
    static const double f64[] = {-1, 3, -1};
    static const float f32[] = {-1, 3, -1};
    const bool single = in->dtype == WEFT_F32;
    const size_t systems = in->n < ROWS ? 1 : in->n / ROWS, rows = in->n < ROWS ? in->n : ROWS;
    weft_lines k[3] = {{NULL, 0, 0}, {NULL, 0, 0}, {NULL, 0, 0}};
    uint64_t singular;
    for (int i = 0; i < 3; i++) k[i].p = single ? (const void *)&f32[i] : &f64[i];
    *type = in->dtype;
    return s->run(ctx, WEFT_OPEN_ENDS, in->dtype, systems, rows, k[0], k[1], k[2], (weft_lines){in->x, 1, rows},
                  in->to, &singular);
}

weft_status example_tridiag(const operation *o, weft_context *ctx, const operands *in, value *out, weft_dtype *type) {
    (void)o, (void)out;
    return example(&TRIDIAG, ctx, in, type);
}

weft_status example_tridiag_pivot(const operation *o, weft_context *ctx, const operands *in, value *out,
                                  weft_dtype *type) {
    (void)o, (void)out;
    return example(&TRIDIAG_PIVOT, ctx, in, type);
}
