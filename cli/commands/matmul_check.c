#include "cli/commands/matmul_check.h"

#include <math.h>
#include <stdlib.h>

static double element(weft_dtype dtype, const check_matrix *x, size_t i, size_t j) {
    const size_t at = i * x->row_step + j * x->column_step;
    return dtype == WEFT_F32 ? (double)((const float *)x->p)[at] : ((const double *)x->p)[at];
}

/* Computes row i of the product by a plain loop. */
static void plain_row(const check_product *p, size_t i, double *row) {
    for (size_t j = 0; j < p->n; j++) row[j] = 0;
    for (size_t l = 0; l < p->k; l++) {
        const double a = element(p->dtype, &p->a, i, l);
        for (size_t j = 0; j < p->n; j++) row[j] += a * element(p->dtype, &p->b, l, j);
    }
}

double check_error(const check_product *p) {
    double difference = 0, norm = 0;
    double *row = malloc((p->n ? p->n : 1) * sizeof *row);
    if (!row) return -1;
    for (size_t i = 0; i < p->m; i++) {
        plain_row(p, i, row);
        for (size_t j = 0; j < p->n; j++) {
            const double d = element(p->dtype, &p->c, i, j) - row[j];
            difference += d * d;
            norm += row[j] * row[j];
        }
    }
    free(row);
    return difference == 0 ? 0 : sqrt(difference / norm);
}

void check_print(const check_product *p, FILE *out, int most) {
    double *row = malloc((p->n ? p->n : 1) * sizeof *row);
    size_t count = 0;
    for (size_t i = 0; row && i < p->m; i++) {
        plain_row(p, i, row);
        for (size_t j = 0; j < p->n; j++) {
            const double found = element(p->dtype, &p->c, i, j);
            if (fabs(found - row[j]) <= CHECK_PASS * fabs(row[j])) continue;
            if (count++ < (size_t)most)
                fprintf(out, "  C[%zu, %zu] = %.9g, a plain loop gives %.9g\n", i, j, found, row[j]);
        }
    }
    fprintf(out, "  %zu of %zu entries have a relative difference greater than %g\n", count, p->m * p->n, CHECK_PASS);
    free(row);
}
