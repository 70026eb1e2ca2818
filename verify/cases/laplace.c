/* weft_laplace and weft_laplace_solve. The parameter selects the number of sweeps, or over-relaxation, or multigrid.
 * The shape of the grid, in place or not, and whether the change or residual is computed vary with match_case.turn.
 * The output is the grid, followed by the change or residual. */
#include "core/types.h"
#include "verify/match.h"

#include <string.h>

static const size_t WIDTHS[] = {3, 5, 130, 16, 1, 33, 4, 124, 257, 64, 2, 12};
static const size_t HEIGHTS[] = {3, 31, 4, 9, 29, 3, 1, 5, 17, 34, 60, 2};
/* Edges of grids that are coarsened repeatedly: odd and even, and numbers that soon become even or odd. */
static const size_t EDGES[] = {3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 17, 18, 20, 33, 2, 65};
static const size_t SWEEPS[][4] = {{1, 2, 1, 0}, {3, 4, 5, 3}, {9, 6, 8, 13}, {1, 2, 5, 11}, {1, 0, 2, 3}};
enum { SOR = 3, MULTIGRID = 4 }; /* parameters */

typedef struct grid {
    size_t nx, ny, nz, sweeps;
    bool in_place, change;
} grid;

static grid grid_of(const match_case *c) {
    const uint64_t r = input_random(c->turn, (uint64_t)c->parameter);
    grid g = {.in_place = r >> 8 & 1, .change = r >> 9 & 1};
    const bool solves = c->parameter >= SOR;
    g.nx = min_u64(solves ? EDGES[r % 16] : WIDTHS[r % 12], c->n);
    g.ny = g.nx ? min_u64(solves ? EDGES[(r >> 16) % 16] : HEIGHTS[(r >> 16) % 12], c->n / g.nx) : 0;
    g.nz = g.ny ? c->n / (g.nx * g.ny) : 0;
    g.sweeps = SWEEPS[c->parameter][(r >> 32) % 4];
    return g;
}

static size_t points(const grid *g) { return g->nx * g->ny * g->nz; }

static size_t out_bytes(const match_case *c) {
    const bool is_float = type_is_float(c->dtype);
    return is_float ? weft_dtype_size(c->dtype) : 0;
}

static size_t values(const match_case *c) {
    const grid g = grid_of(c);
    return points(&g) + 4;
}

/* Returns the offset of the change of the last sweep. */
static size_t change_at(const match_case *c, const grid *g, const void *out) {
    const size_t bytes = points(g) * weft_dtype_size(c->dtype);
    return bytes + (8 - ((uintptr_t)out + bytes) % 8) % 8;
}

static size_t parts(const match_case *c, const void *out, match_part parts[MATCH_PARTS]) {
    const grid g = grid_of(c);
    parts[0] = (match_part){0, out_bytes(c), points(&g)};
    parts[1] = (match_part){change_at(c, &g, out), sizeof(double), 1};
    return 2;
}

/* omega is 0, which selects the best factor, if the number of sweeps is odd, otherwise 1.3. */
static weft_status solve(const match_case *c, weft_context *ctx, const grid *g, const void *u, void *out,
                         void *after) {
    const weft_laplace_method method = c->parameter == SOR ? WEFT_SOR : WEFT_MULTIGRID;
    const double omega = g->sweeps % 2 ? 0 : 1.3;
    double residual = 0;
    const weft_status status = weft_laplace_solve(ctx, method, c->dtype, g->nx, g->ny, g->nz, omega, 0, g->sweeps, u,
                                                  out, NULL, g->change ? &residual : NULL);
    if (status != WEFT_OK || !g->change) return status;
    return weft_copy(ctx, sizeof residual, &residual, after);
}

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    const grid g = grid_of(c);
    const size_t bytes = points(&g) * weft_dtype_size(c->dtype);
    void *const after = (char *)out + change_at(c, &g, out);
    if (g.in_place) {
        const weft_status status = weft_copy(ctx, bytes, inputs[0], out);
        if (status != WEFT_OK) return status;
    }
    const void *const u = g.in_place ? out : inputs[0];
    if (c->parameter >= SOR) return solve(c, ctx, &g, u, out, after);
    return weft_laplace(ctx, c->dtype, g.nx, g.ny, g.nz, g.sweeps, u, out, g.change ? after : NULL);
}

static void tell(const match_case *c, char text[100]) {
    const grid g = grid_of(c);
    static const char *const what[] = {[SOR] = " of over-relaxation", [MULTIGRID] = " of multigrid"};
    snprintf(text, 100, "%zu x %zu x %zu, %zu sweeps%s%s%s", g.nx, g.ny, g.nz, g.sweeps,
             c->parameter >= SOR ? what[c->parameter] : "", g.in_place ? ", in place" : "",
             g.change ? ", change" : "");
}

const match_shape match_laplace = {.inputs = 1,
                                   .parameters = 5,
                                   .accumulates = 1,
                                   .values = values,
                                   .out_bytes = out_bytes,
                                   .parts = parts,
                                   .call = call,
                                   .tell = tell};
