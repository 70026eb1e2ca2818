/* Section on Laplace's equation: the classic sweeps, whose sum is known exactly, and the solution. */
#include "cli/tour/tour.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EDGE = 64, POINTS = EDGE * EDGE * EDGE, SWEEPS = 10, CYCLES = 30 };

/* The initial grid, the result of the first machine, and that of another one. */
typedef struct grids {
    double start[POINTS], found[POINTS], other[POINTS];
} grids;

static bool is_face(int i, int j, int k) {
    return i == 0 || i + 1 == EDGE || j == 0 || j + 1 == EDGE || k == 0 || k + 1 == EDGE;
}

/* Returns x y + y z - 2 z x, which equals the mean of the six adjacent values everywhere. */
static double harmonic(int i, int j, int k) { return i * j + j * k - 2.0 * k * i; }

/* Fills the grid: on the faces 1 or the harmonic function, inside 0. */
static void fill(double *u, bool classic) {
    for (int k = 0, at = 0; k < EDGE; k++)
        for (int j = 0; j < EDGE; j++)
            for (int i = 0; i < EDGE; i++, at++) u[at] = !is_face(i, j, k) ? 0 : classic ? 1 : harmonic(i, j, k);
}

static bool same_bits(const void *a, const void *b, size_t bytes) { return memcmp(a, b, bytes) == 0; }

/* Runs sweeps or, if `cycles` is not NULL, the solver on every machine. */
static bool run(tour *t, grids *g, size_t *cycles, bool *same) {
    double residual;
    *same = true;
    for (int i = 0; i < t->count; i++) {
        const tour_machine *m = &t->machines[i];
        double *const v = i ? g->other : g->found;
        size_t done = 0;
        const weft_status status = cycles
                                       ? weft_laplace_solve(m->ctx, WEFT_MULTIGRID, WEFT_F64, EDGE, EDGE, EDGE, 0,
                                                            1e-9, CYCLES, g->start, v, &done, &residual)
                                       : weft_laplace(m->ctx, WEFT_F64, EDGE, EDGE, EDGE, SWEEPS, g->start, v, NULL);
        if (status != WEFT_OK) return tour_machine_failed(m);
        if (i == 0 && cycles) *cycles = done;
        if (i > 0)
            *same = tour_expect(t, same_bits(g->found, v, sizeof g->found) && (!cycles || done == *cycles)) && *same;
    }
    return true;
}

/* Runs the classic sweeps. 6^10 times the sum of the grid is an integer: the number of walks between grid points. */
static bool classic_sweeps(tour *t, grids *g) {
    static const long long walks = 2829743923392;
    char value[60];
    double sum;
    bool same;
    fill(g->start, true);
    if (!run(t, g, NULL, &same)) return false;
    const tour_machine *m = &t->machines[0];
    if (weft_reduce(m->ctx, WEFT_SUM, WEFT_F64, WEFT_DEFAULT, POINTS, g->found, &sum) != WEFT_OK)
        return tour_machine_failed(m);
    const long long counted = llround(sum * 60466176);
    snprintf(value, sizeof value, "sum %lld / 6^10", counted);
    tour_known(t, "10 sweeps from 1 on the faces, 64^3, f64", value, tour_expect(t, counted == walks), same);
    return true;
}

static bool solution(tour *t, grids *g) {
    char what[60], value[60];
    double error = 0;
    size_t cycles = 0;
    bool same;
    fill(g->start, false);
    if (!run(t, g, &cycles, &same)) return false;
    for (int k = 0, at = 0; k < EDGE; k++)
        for (int j = 0; j < EDGE; j++)
            for (int i = 0; i < EDGE; i++, at++) {
                const double off = fabs(g->found[at] - harmonic(i, j, k));
                if (off > error) error = off;
            }
    snprintf(what, sizeof what, "%zu cycles of multigrid find xy + yz - 2zx", cycles);
    snprintf(value, sizeof value, "off by %.1e of %d", error, EDGE * EDGE);
    tour_known(t, what, value, tour_expect(t, error < 1e-5), same);
    return true;
}

bool tour_laplace(tour *t) {
    grids *const g = malloc(sizeof *g);
    tour_heading(t, "12  Laplace's equation");
    printf("\n    %-48s %-30s %5s  %s\n", "known answers", "", "right", "same");
    const bool done = g && classic_sweeps(t, g) && solution(t, g);
    if (!g) cli_error("tour", "cannot allocate memory for grids of %d points", POINTS);
    free(g);
    return done;
}
