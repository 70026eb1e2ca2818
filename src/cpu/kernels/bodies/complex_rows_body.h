/* Operations on rows of adjacent complex numbers, for one type of their parts; included after
 * cpu/kernels/bodies/complex_body.h. They have the bits of the steps of cpu/kernels/map.c. */

INLINE VECTOR OF(operation)(complex_op op, VECTOR x, VECTOR y) {
    switch (op) {
    case COMPLEX_ADD: return x + y;
    case COMPLEX_SUBTRACT: return x - y;
    default: return OF(multiply)(x, y);
    }
}

/* Computes `n` parts, two for each number. `out` may be x or y. */
INLINE void OF(operate)(complex_op op, const REAL *x, const REAL *y, size_t n, REAL *out) {
    size_t l = 0;
    for (; l + WIDTH <= n; l += WIDTH)
        OF(store)(out + l, OF(canonical)(OF(operation)(op, OF(load)(x + l), OF(load)(y + l))));
    if (l == n) return;
    VECTOR of_x = {0}, of_y = {0};
    memcpy(&of_x, x + l, (n - l) * sizeof(REAL));
    memcpy(&of_y, y + l, (n - l) * sizeof(REAL));
    const VECTOR values = OF(canonical)(OF(operation)(op, of_x, of_y));
    memcpy(out + l, &values, (n - l) * sizeof(REAL));
}

/* Computes a row of `n` parts; with `past_caches`, which is else NULL, with nontemporal stores. */
static void OF(operate_row)(complex_op op, const REAL *x, const REAL *y, size_t n, REAL *out, stream *past_caches) {
    const size_t most = past_caches ? STREAM_BLOCK / sizeof(REAL) : n;
    for (size_t l = 0; l < n; l += most) {
        const size_t part = n - l < most ? n - l : most;
        REAL *const to = past_caches ? stream_address(past_caches) : out + l;
        switch (op) {
        case COMPLEX_ADD: OF(operate)(COMPLEX_ADD, x + l, y + l, part, to); break;
        case COMPLEX_SUBTRACT: OF(operate)(COMPLEX_SUBTRACT, x + l, y + l, part, to); break;
        default: OF(operate)(COMPLEX_MULTIPLY, x + l, y + l, part, to);
        }
        if (past_caches) stream_put(past_caches, part * sizeof(REAL));
    }
}
