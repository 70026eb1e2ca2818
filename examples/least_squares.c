/* The polynomial that fits points best, by normal equations: least_squares DEGREE < points.txt (lines of x and y)
 * A is m x p, of powers of x. A'A and A'y are two products; the small system is solved by Cholesky's method. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <weft.h>

enum { MOST = 12 }; /* columns */

/* Reads points into rows of powers (*a, row-major) and *y. */
static size_t read_points(FILE *file, size_t p, double **a, double **y) {
    size_t m = 0, capacity = 0;
    double x, value;
    *a = *y = NULL;
    while (fscanf(file, "%lf %lf", &x, &value) == 2) {
        if (m == capacity) {
            capacity = capacity > 0 ? 2 * capacity : 1024;
            *a = realloc(*a, capacity * p * sizeof **a);
            *y = realloc(*y, capacity * sizeof **y);
            if (*a == NULL || *y == NULL) exit((perror("least_squares"), 1));
        }
        double power = 1;
        for (size_t j = 0; j < p; j++, power *= x) (*a)[m * p + j] = power;
        (*y)[m++] = value;
    }
    return m;
}

/* Solves g c = r in place of r, g symmetric and positive definite, p x p. Returns 0 when it is not. */
static int cholesky(size_t p, double *g, double *r) {
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j <= i; j++) {
            double s = g[i * p + j];
            for (size_t k = 0; k < j; k++) s -= g[i * p + k] * g[j * p + k];
            if (i == j && !(s > 0)) return 0;
            g[i * p + j] = i == j ? sqrt(s) : s / g[j * p + j];
        }
    for (size_t i = 0; i < p; i++) {
        for (size_t k = 0; k < i; k++) r[i] -= g[i * p + k] * r[k];
        r[i] /= g[i * p + i];
    }
    for (size_t i = p; i-- > 0;) {
        for (size_t k = i + 1; k < p; k++) r[i] -= g[k * p + i] * r[k];
        r[i] /= g[i * p + i];
    }
    return 1;
}

int main(int argc, char **argv) {
    const size_t p = argc > 1 ? strtoull(argv[1], NULL, 10) + 1 : 0;
    if (p < 1 || p > MOST) return fprintf(stderr, "least_squares: DEGREE must be from 0 to %d\n", MOST - 1), 2;
    double *a, *y, gram[MOST * MOST], c[MOST];
    const size_t m = read_points(stdin, p, &a, &y);
    weft_context *ctx;
    if (weft_open(&ctx, "auto") != WEFT_OK) return fprintf(stderr, "least_squares: %s\n", weft_last_error(NULL)), 1;
    weft_status status = weft_matmul(ctx, WEFT_ROW_MAJOR, WEFT_TRANSPOSE, WEFT_NO_TRANSPOSE, WEFT_F64, WEFT_DEFAULT,
                                     p, p, m, NULL, a, p, a, p, NULL, gram, p);
    if (status == WEFT_OK)
        status = weft_matmul(ctx, WEFT_ROW_MAJOR, WEFT_TRANSPOSE, WEFT_NO_TRANSPOSE, WEFT_F64, WEFT_DEFAULT, p, 1, m,
                             NULL, a, p, y, 1, NULL, c, 1);
    if (status != WEFT_OK) return fprintf(stderr, "least_squares: %s\n", weft_last_error(ctx)), 1;
    if (!cholesky(p, gram, c)) return fprintf(stderr, "least_squares: %zu points do not determine it\n", m), 1;
    printf("%zu points:", m);
    for (size_t j = 0; j < p; j++) printf(" %+.6g x^%zu", c[j], j);
    putchar('\n');
    weft_close(ctx);
    free(a);
    free(y);
}
