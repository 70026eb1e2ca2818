/* The body of netlib.c for one type. The includer sets REAL, DTYPE, FORTRAN(name) and OF(name). All arguments are
 * those of the reference BLAS and LAPACK (https://www.netlib.org/lapack): Fortran passes them by address. */

/* Returns the address of element i of a vector of n elements with the increment `step`, which may be negative. */
static size_t OF(offset)(int n, int step, int i) {
    return (size_t)(step < 0 ? (i - n + 1) * (ptrdiff_t)step : i * (ptrdiff_t)step);
}

/* Returns the elements of a vector as an array, which the caller frees. */
static REAL *OF(packed)(int n, const REAL *x, int step) {
    REAL *array = allocate(n > 0 ? (size_t)n : 0, sizeof *array);
    for (int i = 0; i < n; i++) array[i] = x[OF(offset)(n, step, i)];
    return array;
}

static REAL OF(reduced)(weft_op op, int n, const REAL *x, int step) {
    REAL result = 0;
    REAL *array = OF(packed)(n, x, step);
    if (n > 0) require(weft_reduce(ctx, op, DTYPE, WEFT_DEFAULT, (size_t)n, array, &result));
    free(array);
    return result;
}

REAL FORTRAN(asum)(const int *n, const REAL *x, const int *incx);
REAL FORTRAN(asum)(const int *n, const REAL *x, const int *incx) {
    count_call("asum");
    return *incx > 0 ? OF(reduced)(WEFT_NORM1, *n, x, *incx) : 0;
}

REAL FORTRAN(nrm2)(const int *n, const REAL *x, const int *incx);
REAL FORTRAN(nrm2)(const int *n, const REAL *x, const int *incx) {
    count_call("nrm2");
    return OF(reduced)(WEFT_NORM2, *n, x, *incx);
}

REAL FORTRAN(dot)(const int *n, const REAL *x, const int *incx, const REAL *y, const int *incy);
REAL FORTRAN(dot)(const int *n, const REAL *x, const int *incx, const REAL *y, const int *incy) {
    REAL result = 0;
    REAL *a = OF(packed)(*n, x, *incx), *b = OF(packed)(*n, y, *incy);
    count_call("dot");
    if (*n > 0) require(weft_dot(ctx, DTYPE, WEFT_DEFAULT, (size_t)*n, a, b, &result));
    free(a);
    free(b);
    return result;
}

void FORTRAN(gemm)(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                   const REAL *alpha, const REAL *a, const int *lda, const REAL *b, const int *ldb, const REAL *beta,
                   REAL *c, const int *ldc);
void FORTRAN(gemm)(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                   const REAL *alpha, const REAL *a, const int *lda, const REAL *b, const int *ldb, const REAL *beta,
                   REAL *c, const int *ldc) {
    count_call("gemm");
    require(weft_matmul(ctx, WEFT_COLUMN_MAJOR, transpose_of(transa), transpose_of(transb), DTYPE, WEFT_DEFAULT,
                        (size_t)*m, (size_t)*n, (size_t)*k, alpha, a, (size_t)*lda, b, (size_t)*ldb, beta, c,
                        (size_t)*ldc));
}

void FORTRAN(gemv)(const char *trans, const int *m, const int *n, const REAL *alpha, const REAL *a, const int *lda,
                   const REAL *x, const int *incx, const REAL *beta, REAL *y, const int *incy);
void FORTRAN(gemv)(const char *trans, const int *m, const int *n, const REAL *alpha, const REAL *a, const int *lda,
                   const REAL *x, const int *incx, const REAL *beta, REAL *y, const int *incy) {
    const weft_transpose op = transpose_of(trans);
    const int rows = op == WEFT_TRANSPOSE ? *n : *m, terms = op == WEFT_TRANSPOSE ? *m : *n;
    count_call("gemv");
    if (rows == 0 || terms == 0) return; // BLAS leaves y unchanged
    REAL *from = OF(packed)(terms, x, *incx), *to = OF(packed)(rows, y, *incy);
    require(weft_matmul(ctx, WEFT_COLUMN_MAJOR, op, WEFT_NO_TRANSPOSE, DTYPE, WEFT_DEFAULT, (size_t)rows, 1,
                        (size_t)terms, alpha, a, (size_t)*lda, from, (size_t)terms, beta, to, (size_t)rows));
    for (int i = 0; i < rows; i++) y[OF(offset)(rows, *incy, i)] = to[i];
    free(from);
    free(to);
}

void FORTRAN(pttrf)(const int *n, REAL *d, REAL *e, int *info); // LAPACK's own

/* Solves the positive definite systems by weft_tridiag. The test also checks the factors, which are LAPACK's. */
void FORTRAN(ptsv)(const int *n, const int *nrhs, REAL *d, REAL *e, REAL *b, const int *ldb, int *info);
void FORTRAN(ptsv)(const int *n, const int *nrhs, REAL *d, REAL *e, REAL *b, const int *ldb, int *info) {
    count_call("ptsv");
    *info = *n < 0 ? -1 : *nrhs < 0 ? -2 : *ldb < (*n > 1 ? *n : 1) ? -6 : 0;
    if (*info != 0 || *n == 0) return;
    const size_t rows = (size_t)*n, size = rows * sizeof(REAL);
    REAL *diagonal = allocate(rows, sizeof(REAL)), *lower = allocate(rows + 1, sizeof(REAL));
    uint64_t singular;
    memcpy(diagonal, d, size);
    memcpy(lower + 1, e, size - sizeof(REAL)); // lower[i] is a of row i, lower[i + 1] is c
    FORTRAN(pttrf)(n, d, e, info);
    if (*info == 0)
        require(weft_tridiag(ctx, WEFT_OPEN_ENDS, DTYPE, (size_t)*nrhs, rows, (weft_lines){lower, 1, 0},
                             (weft_lines){diagonal, 1, 0}, (weft_lines){lower + 1, 1, 0},
                             (weft_lines){b, 1, (size_t)*ldb}, b, &singular));
    free(diagonal);
    free(lower);
}

void FORTRAN(gttrf)(const int *n, REAL *dl, REAL *d, REAL *du, REAL *du2, int *pivots, int *info); // LAPACK's own

/* Returns the number that LAPACK gives a singular matrix: that of the first pivot that is 0 in its order, from 1. */
static int OF(first_zero)(int n, REAL *dl, REAL *d, REAL *du) {
    REAL *second = allocate((size_t)n, sizeof(REAL));
    int *pivots = allocate((size_t)n, sizeof *pivots), info;
    FORTRAN(gttrf)(&n, dl, d, du, second, pivots, &info);
    free(second);
    free(pivots);
    return info;
}

/* Solves general systems by weft_tridiag_pivot, which decides whether the matrix is singular. */
void FORTRAN(gtsv)(const int *n, const int *nrhs, REAL *dl, REAL *d, REAL *du, REAL *b, const int *ldb, int *info);
void FORTRAN(gtsv)(const int *n, const int *nrhs, REAL *dl, REAL *d, REAL *du, REAL *b, const int *ldb, int *info) {
    count_call("gtsv");
    *info = *n < 0 ? -1 : *nrhs < 0 ? -2 : *ldb < (*n > 1 ? *n : 1) ? -7 : 0;
    if (*info != 0 || *n == 0) return;
    const size_t rows = (size_t)*n;
    REAL *lower = allocate(rows, sizeof(REAL)), *upper = allocate(rows, sizeof(REAL));
    uint64_t singular;
    memcpy(lower + 1, dl, (rows - 1) * sizeof(REAL));
    memcpy(upper, du, (rows - 1) * sizeof(REAL));
    require(weft_tridiag_pivot(ctx, WEFT_OPEN_ENDS, DTYPE, (size_t)*nrhs, rows, (weft_lines){lower, 1, 0},
                               (weft_lines){d, 1, 0}, (weft_lines){upper, 1, 0}, (weft_lines){b, 1, (size_t)*ldb}, b,
                               &singular));
    if (singular != UINT64_MAX) *info = OF(first_zero)(*n, dl, d, du);
    free(lower);
    free(upper);
}

#undef REAL
#undef DTYPE
#undef FORTRAN
#undef OF
