/* Section on tridiagonal systems and the heat equation: the classic implicit steps, whose exact results are known, a
 * plate, and a step of many rods of different temperatures. */
#include "cli/tour/tour.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 128 };

/* Solves one step, -x[i-1] + 3 x[i] - x[i+1] = u[i], on every machine. */
static bool step(tour *t, size_t systems, const float *u, float *found, float *other, bool *same) {
    static const float off = -1, diagonal = 3;
    const weft_lines outer = {&off, 0, 0}, middle = {&diagonal, 0, 0};
    uint64_t singular;
    *same = true;
    for (int i = 0; i < t->count; i++) {
        const tour_machine *m = &t->machines[i];
        float *const x = i ? other : found;
        if (weft_tridiag(m->ctx, WEFT_OPEN_ENDS, WEFT_F32, systems, ROWS, outer, middle, outer,
                         (weft_lines){u, 1, ROWS}, x, &singular) != WEFT_OK)
            return tour_machine_failed(m);
        if (i == 0) continue;
        t->compared++;
        if (memcmp(found, other, systems * ROWS * sizeof *found) == 0) continue;
        t->different++;
        *same = false;
    }
    return true;
}

static void print_row(tour *t, const char *what, const char *value, bool right, bool same) {
    t->compared++;
    t->different += !right;
    printf("    %-48s %-30s %5s  %s\n", what, value, tour_mark(t, right), tour_mark(t, same));
}

/* Starts with 1 everywhere. After one step x[i] = 1 - (r^(i+1) + r^(n-i)) / (1 + r^(n+1)), r = (3 - sqrt 5) / 2.
 * After two steps x[0] = 1 / sqrt 5. */
static bool classic_steps(tour *t) {
    const double r = (3 - sqrt(5)) / 2;
    float u[ROWS], x[ROWS], other[ROWS];
    double error = 0;
    char value[60];
    bool same;
    for (int i = 0; i < ROWS; i++) u[i] = 1;
    if (!step(t, 1, u, x, other, &same)) return false;
    for (int i = 0; i < ROWS; i++)
        error = fmax(error, fabs((double)x[i] - (1 - (pow(r, i + 1) + pow(r, ROWS - i)) / (1 + pow(r, ROWS + 1)))));
    snprintf(value, sizeof value, "x[0] %.7f, off by %.1e", (double)x[0], error);
    print_row(t, "a step of the heat equation, 128 rows, f32", value, error < 3e-7, same);
    memcpy(u, x, sizeof u);
    if (!step(t, 1, u, x, other, &same)) return false;
    error = fabs((double)x[0] - 1 / sqrt(5));
    snprintf(value, sizeof value, "x[0] %.7f, 1/sqrt(5)", (double)x[0]);
    print_row(t, "the second step", value, error < 3e-7, same);
    return true;
}

/* Checks the conservation of heat, except for the flow at the ends: sum u = sum x + x[0] + x[n-1]. */
static bool many_steps(tour *t, size_t systems, float *u, float *x, float *other) {
    double error = 0;
    char what[60], value[60];
    bool same;
    tour_fill_uniform(systems * ROWS, u);
    if (!step(t, systems, u, x, other, &same)) return false;
    for (size_t s = 0; s < systems; s++) {
        double rest = (double)x[s * ROWS] + (double)x[s * ROWS + ROWS - 1];
        for (size_t i = s * ROWS; i < (s + 1) * ROWS; i++) rest += (double)x[i] - (double)u[i];
        error = fmax(error, fabs(rest));
    }
    snprintf(what, sizeof what, "%zu rods of random temperatures", systems);
    snprintf(value, sizeof value, "heat kept within %.1e", error);
    print_row(t, what, value, error < 1e-4, same);
    return true;
}

/* Runs weft_heat on every machine. */
static bool heat(tour *t, weft_heat_method method, size_t dimensions, size_t steps, const float *u, float *found,
                 float *other, bool *same) {
    static const size_t shape[] = {ROWS, ROWS};
    static const double lambda[] = {1, 1};
    const size_t bytes = (dimensions == 1 ? ROWS : ROWS * ROWS) * sizeof *u;
    *same = true;
    for (int i = 0; i < t->count; i++) {
        const tour_machine *m = &t->machines[i];
        float *const x = i ? other : found;
        if (weft_heat(m->ctx, method, WEFT_F32, dimensions, shape, 1, lambda, steps, u, x) != WEFT_OK)
            return tour_machine_failed(m);
        if (i == 0) continue;
        t->compared++;
        if (memcmp(found, other, bytes) == 0) continue;
        t->different++;
        *same = false;
    }
    return true;
}

/* Runs the two steps in one call of weft_heat; then a plate whose sine waves decay at a known rate. */
static bool steps_in_time(tour *t) {
    enum { STEPS = 10 };
    static float u[ROWS * ROWS], found[ROWS * ROWS], other[ROWS * ROWS];
    const double angle = acos(-1) / (ROWS + 1), mu = 2 - 2 * cos(5 * angle);
    const double rate = pow((2 - mu) / (2 + mu), 2 * STEPS);
    double sum = 0, error = 0;
    char value[60];
    bool same;
    for (int i = 0; i < ROWS; i++) u[i] = 1;
    if (!heat(t, WEFT_BACKWARD_EULER, 1, 2, u, found, other, &same)) return false;
    for (int i = 0; i < ROWS; i++) sum += (double)found[i];
    snprintf(value, sizeof value, "sum %.4f, 125.8695", sum);
    print_row(t, "both in one call of weft_heat", value, fabs(sum - 125.869504832) < 1e-4, same);
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < ROWS; x++) u[y * ROWS + x] = (float)(sin(5 * angle * (x + 1)) * sin(5 * angle * (y + 1)));
    if (!heat(t, WEFT_CRANK_NICOLSON, 2, STEPS, u, found, other, &same)) return false;
    for (int i = 0; i < ROWS * ROWS; i++) {
        const double off = fabs((double)found[i] - rate * (double)u[i]);
        if (off > error) error = off;
    }
    snprintf(value, sizeof value, "off by %.1e", error);
    print_row(t, "waves of a plate, 10 steps, times 0.74", value, error < 1e-6, same);
    return true;
}

bool tour_tridiag(tour *t) {
    const size_t systems = t->n / (100 * ROWS) + 1, bytes = systems * ROWS * sizeof(float);
    float *u = malloc(bytes), *x = calloc(1, bytes), *other = malloc(bytes);
    bool done = u && x && other;
    tour_heading(t, "8  Tridiagonal systems");
    printf("\n    %-48s %-30s %5s  %s\n", "known answers", "", "right", "same");
    if (done)
        done = classic_steps(t) && steps_in_time(t) && many_steps(t, systems, u, x, other);
    else
        cli_error("tour", "cannot allocate memory for %zu systems; try --quick", systems);
    free(u);
    free(x);
    free(other);
    return done;
}
