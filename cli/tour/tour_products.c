/* Section on matrix products: the classic square one and a rectangular one, compared with a plain loop. Every value
 * is compared. */
#include "cli/commands/matmul_check.h"
#include "cli/tour/tour.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 275, TALL = 80, INNER = 48, WIDE = 128 };

/* glibc's rand() after srand(1), divided by RAND_MAX: r[i] = r[i - 3] + r[i - 31] (its TYPE_3). A copy is included so
 * that the known answers below are valid with every C library. */
typedef struct classic_random {
    uint32_t r[31];
    unsigned at;
} classic_random;

static uint32_t step(classic_random *g) {
    const unsigned i = g->at++ % 31;
    return g->r[i] += g->r[(i + 28) % 31];
}

static void start(classic_random *g) {
    int64_t word = 1;
    g->at = 34; /* words 31 to 33 equal words 0 to 2 */
    for (int i = 0; i < 31; i++) {
        g->r[i] = (uint32_t)word;
        word = 16807 * word % 2147483647;
    }
    for (int i = 0; i < 310; i++) step(g);
}

static float share(classic_random *g) { return (float)(step(g) >> 1) / (float)2147483647; }

/* --------------------------------------------------------------------------- on every machine */

typedef struct product {
    const char *what;
    weft_layout layout;
    weft_dtype accumulate;
    size_t m, n, k;
    const float *a, *b;
    float *found, *other;
    double error;
    bool same;
} product;

static weft_status multiply(const product *p, weft_context *ctx, float *c) {
    const bool rows = p->layout == WEFT_ROW_MAJOR;
    return weft_matmul(ctx, p->layout, WEFT_NO_TRANSPOSE, WEFT_NO_TRANSPOSE, WEFT_F32, p->accumulate, p->m, p->n,
                       p->k, NULL, p->a, rows ? p->k : p->m, p->b, rows ? p->n : p->k, NULL, c, rows ? p->n : p->m);
}

static check_matrix matrix(const product *p, const float *x, size_t rows, size_t columns) {
    const bool by_rows = p->layout == WEFT_ROW_MAJOR;
    return (check_matrix){x, by_rows ? columns : 1, by_rows ? 1 : rows};
}

static bool run_product(tour *t, product *p) {
    p->same = true;
    for (int i = 0; i < t->count; i++) {
        tour_machine *m = &t->machines[i];
        if (multiply(p, m->ctx, i ? p->other : p->found) != WEFT_OK) return tour_machine_failed(m);
        if (i == 0) continue;
        const bool same = memcmp(p->found, p->other, p->m * p->n * sizeof *p->found) == 0;
        t->compared++;
        t->different += !same;
        p->same = p->same && same;
    }
    const check_product check = {WEFT_F32,
                                 p->m,
                                 p->n,
                                 p->k,
                                 matrix(p, p->a, p->m, p->k),
                                 matrix(p, p->b, p->k, p->n),
                                 matrix(p, p->found, p->m, p->n)};
    p->error = check_error(&check);
    const bool passed = p->error >= 0 && p->error <= CHECK_PASS;
    t->compared++;
    t->different += !passed;
    printf("    %-44s %9.1e  %-6s  %s\n", p->what, p->error, passed ? "passed" : "FAILED", tour_mark(t, p->same));
    if (!passed) check_print(&check, stdout, 10);
    return true;
}

/* ------------------------------------------------------------------------------- the products */

static double trace(const float *c) {
    double sum = 0;
    for (size_t i = 0; i < SIDE; i++) sum += (double)c[i * SIDE + i];
    return sum;
}

/* Computes the square product of NVIDIA's simpleCUBLAS sample, whose trace is known to be 18823.839317. */
static bool classic_product(tour *t, float *a, float *b, float *found, float *other) {
    classic_random g;
    start(&g);
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
        a[i] = share(&g);
        b[i] = share(&g);
        (void)share(&g); /* the value of C, which is not read since beta = 0 */
    }
    product p = {"275 x 275 times 275 x 275, by columns, f32",
                 WEFT_COLUMN_MAJOR,
                 WEFT_DEFAULT,
                 SIDE,
                 SIDE,
                 SIDE,
                 a,
                 b,
                 found,
                 other,
                 0,
                 true};
    if (!run_product(t, &p)) return false;
    const double narrow = trace(found);
    p.what = "the same, summed in f64";
    p.accumulate = WEFT_F64;
    if (!run_product(t, &p)) return false;
    const bool right = fabs(trace(found) - 18823.839317) < 1e-3 && fabs(narrow - 18823.839317) < 1e-2;
    t->compared++;
    t->different += !right;
    printf("    its trace: %.4f in f32, %.4f in f64; known: 18823.8393; right: %s\n", narrow, trace(found),
           tour_mark(t, right));
    return true;
}

static bool rectangular_product(tour *t, float *a, float *b, float *found, float *other) {
    tour_fill_uniform((size_t)TALL * INNER, a);
    tour_fill_uniform((size_t)INNER * WIDE, b);
    product p = {"80 x 48 times 48 x 128, by rows, f32",
                 WEFT_ROW_MAJOR,
                 WEFT_DEFAULT,
                 TALL,
                 WIDE,
                 INNER,
                 a,
                 b,
                 found,
                 other,
                 0,
                 true};
    return run_product(t, &p);
}

bool tour_products(tour *t) {
    const size_t most = (size_t)SIDE * SIDE;
    float *workspace = malloc(4 * most * sizeof *workspace);
    tour_heading(t, "9  Matrix products, compared with a plain loop with f64 sums");
    if (!workspace) {
        cli_error("tour", "cannot allocate memory for four matrices of %d x %d", SIDE, SIDE);
        return false;
    }
    printf("\n    %-44s %9s  %-6s  %s\n", "", "error", "<1e-6", "same bits");
    const bool done = classic_product(t, workspace, workspace + most, workspace + 2 * most, workspace + 3 * most) &&
                      rectangular_product(t, workspace, workspace + most, workspace + 2 * most, workspace + 3 * most);
    free(workspace);
    return done;
}
