/* weft laplace: Jacobi sweeps over a 3-D array, over-relaxation or multigrid, until the number of sweeps or the
 * tolerance is reached. */
#include "cli/bench/measure.h"
#include "cli/io/file.h"
#include "cli/io/json.h"
#include "cli/io/npy/npy.h"
#include "cli/io/picture.h"
#include "cli/io/value.h"
#include "cli/operations.h"
#include "cli/progress.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOOK_EVERY = 10, /* sweeps between two checks of the tolerance; multigrid checks after each cycle */
    PATIENCE = 20,   /* checks without a lower residual after which the tolerance is considered unreachable */
    EDGE_MOST = 1 << 20
};
static const long long SWEEPS_MOST = 1000000000000;
static const size_t SWEEPS_DEFAULT = 10, SWEEPS_UNTIL = 1000000;

/* A solution method, and its names in messages. */
typedef struct way {
    const char *name, *step, *measure;
    bool solves; /* uses weft_laplace_solve, with `method` */
    weft_laplace_method method;
} way;

static const way WAYS[] = {{"jacobi", "sweeps", "change", false, WEFT_SOR},
                           {"sor", "sweeps", "residual", true, WEFT_SOR},
                           {"multigrid", "cycles", "residual", true, WEFT_MULTIGRID}};
enum { WAY_COUNT = sizeof WAYS / sizeof *WAYS };

/* Values of the options. */
typedef struct request {
    const char *from, *to; /* file names; `to` may be NULL */
    const way *way;
    double omega;        /* 0: the optimal one */
    bool counted;        /* the number of sweeps was given */
    size_t sweeps, edge; /* edge of the cube, or 0 */
    weft_dtype dtype;    /* of the cube */
    bool until;          /* a tolerance was given */
    double tolerance;
    const char *picture, *history; /* file names, or NULL */
    char axis;                     /* of the slice to draw: x, y or z; 0: the middle slice of z */
    size_t slice;
} request;

/* The grid and its progress. */
typedef struct params {
    const cli_options *options;
    const request *request;
    const char *name; /* name of the grid, for messages */
    npy_array u;      /* without data when the grid is a cube */
    void *cube;       /* in the context's host memory */
    void *grid;       /* in device memory */
    size_t done;
    double change; /* or residual */
    double least;  /* minimum of `change` over all checks */
    size_t since;  /* checks since that minimum */
    double seconds;
    double *looks; /* pairs: number of sweeps, and the change after them */
    size_t look_count;
} params;

/* -------------------------------------------------------------------------------- options */

static bool read_tolerance(const char *text, request *r) {
    value v;
    r->until = true;
    if (value_parse(WEFT_F64, text, &v) && v.f64 >= 0) {
        r->tolerance = v.f64;
        return true;
    }
    cli_error("laplace", "--tolerance %s: expected a number greater than or equal to 0", text);
    return false;
}

static bool read_way(const char *text, request *r) {
    for (const way *w = WAYS; w < WAYS + WAY_COUNT; w++)
        if (strcmp(text, w->name) == 0) {
            r->way = w;
            return true;
        }
    cli_error("laplace", "--method %s: expected jacobi, sor or multigrid", text);
    return false;
}

static bool read_omega(const char *text, request *r) {
    value v;
    if (value_parse(WEFT_F64, text, &v) && v.f64 > 0 && v.f64 < 2) {
        r->omega = v.f64;
        return true;
    }
    cli_error("laplace", "--omega %s: expected a number greater than 0 and less than 2", text);
    return false;
}

static bool read_dtype(const char *text, request *r) {
    r->dtype = strcmp(text, "f64") == 0 ? WEFT_F64 : WEFT_F32;
    if (strcmp(text, weft_dtype_name(r->dtype)) == 0) return true;
    cli_error("laplace", "--dtype %s: expected f32 or f64", text);
    return false;
}

static bool read_slice(const char *text, request *r) {
    const bool axis = (text[0] == 'x' || text[0] == 'y' || text[0] == 'z') && text[1] == '=';
    long long slice = 0;
    r->axis = text[0];
    if (!axis) {
        cli_error("laplace", "--slice %s: expected an axis and an index such as z=128", text);
        return false;
    }
    const bool good = cli_number("laplace", "--slice", text + 2, 0, EDGE_MOST, &slice);
    r->slice = (size_t)slice;
    return good;
}

static bool read_option(int option, request *r) {
    long long number = 0;
    switch (option) {
    case 's':
        if (!cli_number("laplace", "--sweeps", optarg, 0, SWEEPS_MOST, &number)) return false;
        r->sweeps = (size_t)number;
        r->counted = true;
        return true;
    case 'g':
        if (!cli_number("laplace", "--grid", optarg, 3, EDGE_MOST, &number)) return false;
        r->edge = (size_t)number;
        return true;
    case 't': return read_tolerance(optarg, r);
    case 'm': return read_way(optarg, r);
    case 'w': return read_omega(optarg, r);
    case 'd': return read_dtype(optarg, r);
    case 'o': r->to = optarg; return true;
    case 'p': r->picture = optarg; return true;
    case 'h': r->history = optarg; return true;
    case 'l': return read_slice(optarg, r);
    default: return false;
    }
}

static bool writes_to_output(const request *r) {
    return file_is_output(r->to) || file_is_output(r->picture) || file_is_output(r->history);
}

static bool read_request(const cli_options *options, int argc, char **argv, request *r) {
    for (int option; (option = cli_next_option(argc, argv)) != -1;)
        if (!read_option(option, r)) return false;
    r->from = argv[optind];
    if (!r->counted) r->sweeps = r->until ? SWEEPS_UNTIL : SWEEPS_DEFAULT;
    if (argc - optind != (r->edge ? 0 : 1))
        cli_error(argv[0], "%d files given, %s; see 'weft help laplace'", argc - optind,
                  r->edge ? "0 expected with --grid" : "1 expected");
    else if (r->omega > 0 && !r->way->solves)
        cli_error(argv[0], "--omega requires --method sor or multigrid");
    else if (r->axis && !r->picture)
        cli_error(argv[0], "--slice requires --png FILE, the file for the picture");
    else if (options->json && writes_to_output(r))
        cli_error(argv[0], "--json cannot be combined with an output file named -: both write to standard output");
    else
        return file_takes_result(options, argv[0], "-o", r->to) &&
               file_takes_result(options, argv[0], "--png", r->picture);
    return false;
}

/* ------------------------------------------------------------------------------- the grid */

/* Fills the classic initial grid: 1 on the faces, 0 inside. */
static void fill_cube(size_t n, weft_dtype dtype, void *u) {
    for (size_t k = 0, at = 0; k < n; k++)
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++, at++) {
                const bool face = i == 0 || i + 1 == n || j == 0 || j + 1 == n || k == 0 || k + 1 == n;
                if (dtype == WEFT_F32)
                    ((float *)u)[at] = face;
                else
                    ((double *)u)[at] = face;
            }
}

static bool make_cube(weft_context *ctx, params *j) {
    const size_t n = j->request->edge, size = weft_dtype_size(j->request->dtype);
    j->name = "--grid";
    j->u.dtype = j->request->dtype;
    j->u.n = n * n * n; /* at most 2^60 */
    j->u.shape = (npy_shape){3, {n, n, n}};
    if (weft_alloc(ctx, WEFT_PINNED, j->u.n * size, &j->cube) != WEFT_OK)
        cli_error("laplace", "--grid %zu: cannot allocate memory for %zu points of %zu bytes", n, j->u.n, size);
    else
        fill_cube(n, j->u.dtype, j->cube);
    return j->cube;
}

static bool read_grid(params *j) {
    npy_error error = {""};
    const char *from = j->name = j->request->from;
    if (!npy_read(from, &j->u, &error))
        cli_error("laplace", "%s: %s", from, error.message);
    else if (j->u.dtype != WEFT_F32 && j->u.dtype != WEFT_F64)
        cli_error("laplace", "%s: has elements of type %s: expected f32 or f64", from, weft_dtype_name(j->u.dtype));
    else if (j->u.shape.rank != 3)
        cli_error("laplace", "%s: has %zu dimension%s or is in Fortran order: expected 3 dimensions in C order", from,
                  j->u.shape.rank, j->u.shape.rank == 1 ? "" : "s");
    else if (j->u.n == 0)
        cli_error("laplace", "%s: the grid has no points", from);
    else
        return true;
    return false;
}

/* -------------------------------------------------------------------------------- running */

static bool reached(const params *j) {
    return j->request->until && j->done > 0 && j->change <= j->request->tolerance;
}

/* Returns true if the tolerance cannot be reached any more: `change` stagnates because of rounding, or it is NaN. */
static bool is_stuck(params *j) {
    if (!j->request->until) return false;
    j->since = j->change < j->least ? 0 : j->since + 1;
    if (j->since == 0) j->least = j->change;
    return isnan(j->change) || j->since >= PATIENCE;
}

/* Appends a point to the history. */
static bool remember(params *j) {
    double *const longer = realloc(j->looks, (j->look_count + 1) * 2 * sizeof *longer);
    if (!longer) return false;
    j->looks = longer;
    longer[2 * j->look_count] = (double)j->done;
    longer[2 * j->look_count++ + 1] = j->change;
    return true;
}

static weft_status advance(weft_context *ctx, const params *j, size_t sweeps, double *change) {
    const request *r = j->request;
    const size_t *n = j->u.shape.dimensions;
    if (!r->way->solves) return weft_laplace(ctx, j->u.dtype, n[2], n[1], n[0], sweeps, j->grid, j->grid, change);
    return weft_laplace_solve(ctx, r->way->method, j->u.dtype, n[2], n[1], n[0], r->omega, 0, sweeps, j->grid,
                              j->grid, NULL, change);
}

/* Divides the sweeps into several calls, so that progress can be shown. The division does not change any bit. */
static weft_status sweep(weft_context *ctx, params *j) {
    const request *r = j->request;
    const bool looks = r->until || r->history, cycles = r->way->solves && r->way->method == WEFT_MULTIGRID;
    const size_t step = cycles ? 1 : looks ? LOOK_EVERY : 8 * (1 + r->sweeps / 800);
    weft_status status = WEFT_OK;
    j->least = INFINITY;
    do {
        const size_t left = r->sweeps - j->done, now = left < step ? left : step;
        double *const change = looks || now == left ? &j->change : NULL;
        progress_at((double)j->done, (double)r->sweeps);
        status = advance(ctx, j, now, change);
        j->done += now;
        if (status == WEFT_OK && r->history && !remember(j)) status = WEFT_OUT_OF_MEMORY;
    } while (status == WEFT_OK && j->done < r->sweeps && !reached(j) && !is_stuck(j));
    return status;
}

static weft_status sweep_on_device(weft_context *ctx, params *j) {
    const size_t bytes = j->u.n * weft_dtype_size(j->u.dtype);
    weft_status status = measure_upload(ctx, bytes, j->cube ? j->cube : j->u.data, &j->grid);
    const double start = cli_seconds();
    if (status == WEFT_OK) status = sweep(ctx, j);
    if (status == WEFT_OK) status = weft_synchronize(ctx);
    j->seconds = cli_seconds() - start;
    return status;
}

static void print(const params *j, const char *device) {
    const value change = {.f64 = j->change};
    const way *w = j->request->way;
    if (j->options->json) {
        json_begin_command("laplace");
        json_begin_array("grid");
        for (int i = 0; i < 3; i++) json_count(NULL, j->u.shape.dimensions[i]);
        json_end();
        json_text("dtype", weft_dtype_name(j->u.dtype));
        json_text("method", w->name);
        json_count(w->step, j->done);
        json_value(w->measure, WEFT_F64, &change);
        json_text("bits", value_bits(WEFT_F64, &change).text);
        json_end_command(device, j->seconds);
        return;
    }
    FILE *out = writes_to_output(j->request) ? stderr : stdout;
    fprintf(out, "%zu %s, %s %s%s%s\n", j->done, w->step, w->measure, value_decimal(WEFT_F64, &change).text,
            j->options->bits ? "  " : "", j->options->bits ? value_bits(WEFT_F64, &change).text : "");
}

/* ------------------------------------------------------------------------------- results */

/* A plane of a slice: offset of its first element in the grid, its size, and its strides. */
typedef struct view {
    size_t first, width, height, across, down; /* strides in elements */
} view;

static bool find_view(const params *j, view *v) {
    const size_t nx = j->u.shape.dimensions[2], ny = j->u.shape.dimensions[1], nz = j->u.shape.dimensions[0];
    const char axis = j->request->axis ? j->request->axis : 'z';
    const size_t at = j->request->axis ? j->request->slice : nz / 2, n = axis == 'x' ? nx : axis == 'y' ? ny : nz;
    if (axis == 'x')
        *v = (view){at, ny, nz, nx, nx * ny};
    else if (axis == 'y')
        *v = (view){at * nx, nx, nz, 1, nx * ny};
    else
        *v = (view){at * nx * ny, nx, ny, 1, nx};
    if (at < n) return true;
    cli_error("laplace", "--slice %c=%zu: the grid has %zu points along %c, numbered from 0", axis, at, n, axis);
    return false;
}

static bool write_picture(const params *j, const char *grid) {
    const size_t size = weft_dtype_size(j->u.dtype);
    npy_error error = {""};
    view v;
    if (!find_view(j, &v)) return false;
    char *const plane = malloc(v.width * v.height * size);
    for (size_t y = 0; plane && y < v.height; y++)
        for (size_t x = 0; x < v.width; x++)
            memcpy(plane + (y * v.width + x) * size, grid + (v.first + x * v.across + y * v.down) * size, size);
    const bool good = plane && picture_write(j->request->picture, j->u.dtype, v.width, v.height, plane, &error);
    if (!good)
        cli_error("laplace", "%s: %s", j->request->picture,
                  plane ? error.message : "cannot allocate memory for the slice");
    free(plane);
    return good;
}

static bool write_history(const params *j) {
    npy_error error = {""};
    const way *w = j->request->way;
    const char *what = w->solves ? "residual (root mean square)" : "change of a sweep (root mean square)";
    if (drawing_write(j->request->history, j->look_count, j->looks, w->step, what, &error)) return true;
    cli_error("laplace", "%s: %s", j->request->history, error.message);
    return false;
}

/* Copies the grid back to host memory and writes it to its files. */
static bool write_grid(weft_context *ctx, const params *j) {
    const size_t bytes = j->u.n * weft_dtype_size(j->u.dtype);
    npy_error error = {""};
    void *const host = malloc(bytes);
    bool good = false;
    if (!host)
        cli_error("laplace", "%s: cannot allocate %zu bytes for the result", j->name, bytes);
    else if (weft_copy(ctx, bytes, j->grid, host) != WEFT_OK)
        cli_error("laplace", "%s: %s", j->name, weft_last_error(ctx));
    else if (j->request->to && !npy_write(j->request->to, j->u.dtype, &j->u.shape, host, &error))
        cli_error("laplace", "%s: %s", j->request->to, error.message);
    else
        good = !j->request->picture || write_picture(j, host);
    free(host);
    return good;
}

static bool write_files(weft_context *ctx, const params *j) {
    const request *r = j->request;
    return (!(r->to || r->picture) || write_grid(ctx, j)) && (!r->history || write_history(j));
}

static int run(weft_context *ctx, params *j) {
    view v;
    if (j->request->axis && !find_view(j, &v)) return CLI_USAGE; /* checked before the computation */
    progress_start(j->options, "laplace");
    const weft_status status = sweep_on_device(ctx, j);
    progress_end();
    if (status != WEFT_OK) {
        cli_error("laplace", "%s: %s", j->name,
                  *weft_last_error(ctx) ? weft_last_error(ctx) : "cannot allocate memory for the history");
        return CLI_FAILED;
    }
    if (!write_files(ctx, j)) return CLI_FAILED;
    print(j, weft_device(ctx));
    if (!j->request->until || reached(j)) return CLI_DONE;
    cli_error("laplace", "%s: the %s is %g after %zu %s; --tolerance %g was not reached%s", j->name,
              j->request->way->measure, j->change, j->done, j->request->way->step, j->request->tolerance,
              j->done < j->request->sweeps ? ", and the iteration does not converge further" : "");
    return CLI_FAILED;
}

int command_laplace(const cli_options *options, int argc, char **argv) {
    weft_context *ctx;
    request r = {.way = WAYS, .dtype = WEFT_F32};
    params j = {.options = options, .request = &r};
    if (!read_request(options, argc, argv, &r)) return CLI_USAGE;
    int code = cli_open("laplace", options, &ctx);
    if (code != CLI_DONE) return code;
    code = (r.edge ? make_cube(ctx, &j) : read_grid(&j)) ? run(ctx, &j) : CLI_FAILED;
    free(j.looks);
    weft_free(ctx, WEFT_DEVICE, j.grid);
    weft_free(ctx, WEFT_PINNED, j.cube);
    npy_free(&j.u);
    weft_close(ctx);
    return code;
}

/* ------------------------------------------------------------------------- for tour and bench */

/* Runs one sweep of the largest cube that the elements fill. */
weft_status example_laplace(const operation *o, weft_context *ctx, const operands *in, value *out, weft_dtype *type) {
    size_t edge = 1;
    (void)o, (void)out;
    while ((edge + 1) * (edge + 1) * (edge + 1) <= in->n) edge++;
    *type = in->dtype;
    return weft_laplace(ctx, in->dtype, edge, edge, in->n / (edge * edge), 1, in->x, in->to, NULL);
}
