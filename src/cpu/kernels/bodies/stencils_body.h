/* One row of a sweep in REAL arithmetic (ORDER.md 7.1), named ROW; included once for each type. NOT_A_NUMBER is the
 * NaN that is stored. */
static void ROW(size_t n, const void *middle, const void *south, const void *north, const void *below,
                const void *above, void *to) {
    const REAL *restrict m = middle, *restrict s = south, *restrict r = north, *restrict b = below,
                         *restrict a = above;
    REAL *restrict v = to;
    memcpy(v, m, sizeof *v);
    for (size_t i = 1; i + 1 < n; i++) {
        const REAL mean = (((((m[i - 1] + m[i + 1]) + s[i]) + r[i]) + b[i]) + a[i]) * ((REAL)1 / 6);
        v[i] = mean == mean ? mean : NOT_A_NUMBER;
    }
    memcpy(v + n - 1, m + n - 1, sizeof *v);
}
#undef REAL
#undef NOT_A_NUMBER
#undef ROW
