/* weft block_tridiag A B C D.npy -o X.npy, weft pentadiag E A B C F D.npy -o X.npy: solve block-tridiagonal and
 * pentadiagonal systems. */
#include "cli/cli.h"
#include "cli/io/file.h"
#include "cli/io/json.h"
#include "cli/io/npy/npy.h"
#include "cli/io/value.h"
#include "cli/operations.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPERANDS_MAX = 6 };

/* Values of the options. */
typedef struct request {
    const char *command;
    char **operands; /* file names or, for pentadiag, numbers */
    size_t count;    /* number of operands; the last one is the right-hand sides */
    const char *to;
    bool blocks, periodic;
} request;

typedef struct params {
    const cli_options *options;
    const request *request;
    npy_array arrays[OPERANDS_MAX]; /* empty for an operand that is a number */
    value numbers[OPERANDS_MAX];
    weft_lines lines[OPERANDS_MAX];
    weft_dtype dtype;
    size_t block, systems, n;
    void *x;
    double seconds;
} params;

/* -------------------------------------------------------------------------------- options */

static bool read_request(const cli_options *options, int argc, char **argv, request *r) {
    for (int option; (option = cli_next_option(argc, argv)) != -1;) {
        if (option == '?') return false;
        if (option == 'o') r->to = optarg;
        r->periodic = r->periodic || option == 'p';
    }
    r->operands = argv + optind;
    if ((size_t)(argc - optind) != r->count)
        cli_error(argv[0], "%d operands given, %zu expected (%s); see 'weft help %s'", argc - optind, r->count,
                  r->blocks ? "a, b, c and d" : "e, a, b, c, f and d", argv[0]);
    else if (!r->to)
        cli_error(argv[0], "%s: option -o X.npy is required: the file for the solution (- for standard output)",
                  r->operands[r->count - 1]);
    else
        return file_takes_result(options, argv[0], "-o", r->to);
    return false;
}

/* ------------------------------------------------------------------------------- the systems */

static bool read_array(params *j, size_t i) {
    npy_error error;
    const char *name = j->request->operands[i], *command = j->request->command;
    npy_array *a = &j->arrays[i];
    if (!npy_read(name, a, &error))
        cli_error(command, "%s: %s", name, error.message);
    else if (a->dtype != WEFT_F32 && a->dtype != WEFT_F64)
        cli_error(command, "%s: has elements of type %s: expected f32 or f64", name, weft_dtype_name(a->dtype));
    else if (a->flat)
        cli_error(command, "%s: is in Fortran order: expected C order, in which each row is a system", name);
    else
        return true;
    return false;
}

/* Reads the right-hand sides. The last dimension is the rows of a system or, with blocks, the rows of a block; the
 * dimension before it is then the block rows. */
static bool read_right_side(params *j) {
    const request *r = j->request;
    const size_t i = r->count - 1;
    const npy_array *d = &j->arrays[i];
    if (!read_array(j, i)) return false;
    const size_t rank = d->shape.rank, inner = r->blocks ? 2 : 1;
    j->dtype = d->dtype;
    if (r->blocks && (rank < 2 || d->shape.dimensions[rank - 1] < 2 || d->shape.dimensions[rank - 1] > 4)) {
        cli_error(r->command, "%s: expected the shape (..., n, k) with blocks of k = 2, 3 or 4 rows", r->operands[i]);
        return false;
    }
    j->block = r->blocks ? d->shape.dimensions[rank - 1] : 1;
    j->n = rank >= inner ? d->shape.dimensions[rank - inner] : 1;
    j->systems = j->n ? d->n / j->n / j->block : 0;
    j->lines[i] = (weft_lines){d->data, 1, j->n};
    return true;
}

/* Returns true if the array has the dimensions of d from dimension `first` on, followed by k for blocks. */
static bool has_shape(const params *j, const npy_shape *a, size_t first) {
    const npy_shape *d = &j->arrays[j->request->count - 1].shape;
    const size_t rest = d->rank - first, blocks = j->request->blocks;
    return a->rank == rest + blocks &&
           memcmp(a->dimensions, d->dimensions + first, rest * sizeof *a->dimensions) == 0 &&
           (!blocks || a->dimensions[rest] == j->block);
}

/* Reads coefficients: a number, one block, an array with the shape of d (blocks: and one more dimension of k), or
 * such an array for one system, which all use. */
static bool read_coefficients(params *j, size_t i) {
    const request *r = j->request;
    const char *name = r->operands[i], *right = r->operands[r->count - 1];
    const npy_array *a = &j->arrays[i];
    const size_t rank = j->arrays[r->count - 1].shape.rank;
    if (!r->blocks && value_parse(j->dtype, name, &j->numbers[i])) {
        j->lines[i] = (weft_lines){&j->numbers[i], 0, 0};
        return true;
    }
    if (!read_array(j, i)) return false;
    const bool one_block = r->blocks && has_shape(j, &a->shape, rank - 1);
    const bool one_system = rank > 1 && has_shape(j, &a->shape, rank - (r->blocks ? 2 : 1));
    j->lines[i] = (weft_lines){a->data, one_block ? 0 : 1, one_block || one_system ? 0 : j->n};
    if (a->dtype != j->dtype)
        cli_error(r->command, "%s has elements of type %s and %s of type %s: both must have the same type", name,
                  weft_dtype_name(a->dtype), right, weft_dtype_name(j->dtype));
    else if (!one_block && !one_system && !has_shape(j, &a->shape, 0))
        cli_error(r->command, "%s has %zu elements: its shape must be that of %s%s, for all systems or for one", name,
                  a->n, right, r->blocks ? " and one more dimension of k" : "");
    else
        return true;
    return false;
}

/* -------------------------------------------------------------------------------- running */

static bool solve(weft_context *ctx, params *j) {
    const request *r = j->request;
    const weft_lines *l = j->lines;
    const char *name = r->operands[r->count - 1];
    const size_t size = weft_dtype_size(j->dtype), all = j->arrays[r->count - 1].n;
    const weft_boundary boundary = r->periodic ? WEFT_PERIODIC : WEFT_OPEN_ENDS;
    uint64_t singular = UINT64_MAX;
    j->x = malloc(all ? all * size : 1);
    if (!j->x) {
        cli_error(r->command, "%s: cannot allocate memory for the %zu values of the solution", name, all);
        return false;
    }
    const double start = cli_seconds();
    const weft_status status = r->blocks ? weft_block_tridiag(ctx, boundary, j->dtype, j->block, j->systems, j->n,
                                                              l[0], l[1], l[2], l[3], j->x, &singular)
                                         : weft_pentadiag(ctx, boundary, j->dtype, j->systems, j->n, l[0], l[1], l[2],
                                                          l[3], l[4], l[5], j->x, &singular);
    j->seconds = cli_seconds() - start;
    if (status != WEFT_OK)
        cli_error(r->command, "%s: %s", name, weft_last_error(ctx));
    else if (singular != UINT64_MAX)
        cli_error(r->command, "%s: system %zu has no finite solution without pivoting: %srow %zu", name,
                  (size_t)singular / j->n, r->blocks ? "block " : "", (size_t)singular % j->n);
    else
        return true;
    return false;
}

static void print(const params *j, const char *device) {
    if (!j->options->json) return;
    json_begin_command(j->request->command);
    json_text("file", j->request->operands[j->request->count - 1]);
    json_text("dtype", weft_dtype_name(j->dtype));
    json_count("systems", j->systems);
    json_count("n", j->n);
    if (j->request->blocks) json_count("block", j->block);
    json_bool("periodic", j->request->periodic);
    json_end_command(device, j->seconds);
}

static int run(weft_context *ctx, params *j) {
    const request *r = j->request;
    npy_error error;
    bool good = read_right_side(j);
    for (size_t i = 0; i + 1 < r->count && good; i++) good = read_coefficients(j, i);
    if (!good || !solve(ctx, j)) return CLI_FAILED;
    if (!npy_write(r->to, j->dtype, &j->arrays[r->count - 1].shape, j->x, &error)) {
        cli_error(r->command, "%s: %s", r->to, error.message);
        return CLI_FAILED;
    }
    print(j, weft_device(ctx));
    return CLI_DONE;
}

static int command(const cli_options *options, int argc, char **argv, request r) {
    weft_context *ctx;
    params j = {.options = options, .request = &r};
    if (!read_request(options, argc, argv, &r)) return CLI_USAGE;
    int code = cli_open(r.command, options, &ctx);
    if (code != CLI_DONE) return code;
    code = run(ctx, &j);
    free(j.x);
    for (size_t i = 0; i < r.count; i++) npy_free(&j.arrays[i]);
    weft_close(ctx);
    return code;
}

int command_block_tridiag(const cli_options *options, int argc, char **argv) {
    return command(options, argc, argv, (request){.command = "block_tridiag", .count = 4, .blocks = true});
}

int command_pentadiag(const cli_options *options, int argc, char **argv) {
    return command(options, argc, argv, (request){.command = "pentadiag", .count = 6});
}

/* ------------------------------------------------------------------------- for tour and bench */

/* Solve systems with constant coefficients: of 64 block rows of 2 for diffusion with a coupling, and of 128 rows for
 * a beam. Elements after the last complete system are not used. */
weft_status example_block_tridiag(const operation *o, weft_context *ctx, const operands *in, value *out,
                                  weft_dtype *type) {
    enum { ROWS = 64, BLOCK = 2, MATRIX = BLOCK * BLOCK };
    static const double f64[3][MATRIX] = {{-1, 0, 0, -1}, {3, 0.5, -0.5, 3}, {-1, 0, 0, -1}};
    static const float f32[3][MATRIX] = {{-1, 0, 0, -1}, {3, 0.5f, -0.5f, 3}, {-1, 0, 0, -1}};
    const size_t all = in->n / BLOCK, rows = all < ROWS ? all : ROWS, systems = rows ? all / rows : 0;
    weft_lines k[3] = {{NULL, 0, 0}, {NULL, 0, 0}, {NULL, 0, 0}};
    uint64_t singular;
    (void)o, (void)out;
    for (int i = 0; i < 3; i++) k[i].p = in->dtype == WEFT_F32 ? (const void *)f32[i] : f64[i];
    *type = in->dtype;
    return weft_block_tridiag(ctx, WEFT_OPEN_ENDS, in->dtype, BLOCK, systems, rows, k[0], k[1], k[2],
                              (weft_lines){in->x, 1, rows}, in->to, &singular);
}

weft_status example_pentadiag(const operation *o, weft_context *ctx, const operands *in, value *out,
                              weft_dtype *type) {
    enum { ROWS = 128, DIAGONALS = 5 };
    static const double f64[] = {1, -4, 7, -4, 1};
    static const float f32[] = {1, -4, 7, -4, 1};
    const size_t rows = in->n < ROWS ? in->n : ROWS, systems = rows ? in->n / rows : 0;
    weft_lines k[DIAGONALS];
    uint64_t singular;
    (void)o, (void)out;
    for (int i = 0; i < DIAGONALS; i++)
        k[i] = (weft_lines){in->dtype == WEFT_F32 ? (const void *)&f32[i] : &f64[i], 0, 0};
    *type = in->dtype;
    return weft_pentadiag(ctx, WEFT_OPEN_ENDS, in->dtype, systems, rows, k[0], k[1], k[2], k[3], k[4],
                          (weft_lines){in->x, 1, rows}, in->to, &singular);
}
