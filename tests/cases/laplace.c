/* weft_laplace: the parameter chooses the number of sweeps; the shape of the grid, in place or not, and whether the
 * change is wanted are taken in turn. The output is the grid and, behind it, the change. */
#include "tests/match.h"

#include <string.h>

static const size_t WIDTHS[] = {3, 5, 130, 16, 1, 33, 4, 124, 257, 64, 2, 12};
static const size_t HEIGHTS[] = {3, 31, 4, 9, 29, 3, 1, 5, 17, 34, 60, 2};
static const size_t SWEEPS[][4] = {{1, 2, 1, 0}, {3, 4, 5, 3}, {9, 6, 8, 13}};

typedef struct grid {
    size_t nx, ny, nz, sweeps;
    bool in_place, change;
} grid;

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static grid grid_of(const match_case *c) {
    const uint64_t r = input_random(c->turn, (uint64_t)c->parameter);
    grid g = {.in_place = r >> 8 & 1, .change = r >> 9 & 1};
    g.nx = least(WIDTHS[r % 12], c->n);
    g.ny = g.nx ? least(HEIGHTS[(r >> 16) % 12], c->n / g.nx) : 0;
    g.nz = g.ny ? c->n / (g.nx * g.ny) : 0;
    g.sweeps = SWEEPS[c->parameter][(r >> 32) % 4];
    return g;
}

static size_t points(const grid *g) { return g->nx * g->ny * g->nz; }

static size_t out_bytes(const match_case *c) {
    const bool is_float = c->dtype == WEFT_F32 || c->dtype == WEFT_F64;
    return is_float ? weft_dtype_size(c->dtype) : 0;
}

static size_t values(const match_case *c) {
    const grid g = grid_of(c);
    return points(&g) + 4;
}

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    const grid g = grid_of(c);
    const size_t bytes = points(&g) * weft_dtype_size(c->dtype);
    const uintptr_t behind = ((uintptr_t)out + bytes + 7) / 8 * 8;
    if (g.in_place) {
        const weft_status status = weft_copy(ctx, bytes, inputs[0], out);
        if (status != WEFT_OK) return status;
    }
    return weft_laplace(ctx, c->dtype, g.nx, g.ny, g.nz, g.sweeps, g.in_place ? out : inputs[0], out,
                        g.change ? (double *)behind : NULL);
}

static void tell(const match_case *c, char text[100]) {
    const grid g = grid_of(c);
    snprintf(text, 100, "%zu x %zu x %zu, %zu sweeps%s%s", g.nx, g.ny, g.nz, g.sweeps, g.in_place ? ", in place" : "",
             g.change ? ", change" : "");
}

const match_shape match_laplace = {.inputs = 1,
                                   .parameters = 3,
                                   .accumulates = 1,
                                   .values = values,
                                   .out_bytes = out_bytes,
                                   .call = call,
                                   .tell = tell};
