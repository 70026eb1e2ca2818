/* Reduction of the columns of rows of T in the type ACC. The includer defines T, ACC, LANES (of the order, or any
 * power of two if the order is free), NAME(name), and NAME(load) and NAME(combine) for the operator. */

enum { NAME(value_bytes) = sizeof(ACC) };

/* Reduces `width` columns, a constant unless it is small, from `column` on. */
INLINE void NAME(columns)(weft_op op, const char *const *rows, size_t n, size_t column, size_t width, ACC *lanes,
                          ACC *out) {
    size_t used = n < LANES ? n : LANES; /* the lanes after them have no element */
    for (size_t r = 0; r < used; r++) {
        const T *const x = (const T *)(const void *)rows[r] + column;
        NO_UNROLL
        for (size_t k = 0; k < width; k++) lanes[r * width + k] = NAME(load)(op, x[k]);
    }
    for (size_t r = used; r < n; r++) {
        const T *const x = (const T *)(const void *)rows[r] + column;
        ACC *const lane = lanes + r % LANES * width;
        const char *const ahead = rows[r + ROWS_AHEAD < n ? r + ROWS_AHEAD : r] + column * sizeof(T);
        NO_UNROLL
        for (size_t b = 0; b < width * sizeof(T); b += 64) __builtin_prefetch(ahead + b);
        NO_UNROLL
        for (size_t k = 0; k < width; k++) lane[k] = NAME(combine)(op, lane[k], NAME(load)(op, x[k]));
    }
    while (used > 1) {
        const size_t half = (size_t)1 << (63 - __builtin_clzll(used - 1)); /* half <= used - 1 < 2 half */
        for (size_t i = half * width; i < used * width; i++)
            lanes[i - half * width] = NAME(combine)(op, lanes[i - half * width], lanes[i]);
        used = half;
    }
    memcpy(out, lanes, width * sizeof *out);
}

INLINE void NAME(tile)(weft_op op, const char *const *rows, size_t n, size_t columns, ACC *out) {
    const size_t most = ROWS_LANE_BYTES / sizeof(ACC) / LANES;
    ACC lanes[ROWS_LANE_BYTES / sizeof(ACC)];
    size_t column = 0;
    for (; columns - column >= most; column += most) NAME(columns)(op, rows, n, column, most, lanes, out + column);
    for (; columns - column >= 16; column += 16) NAME(columns)(op, rows, n, column, 16, lanes, out + column);
    if (column < columns) NAME(columns)(op, rows, n, column, columns - column, lanes, out + column);
}

/* Combines the tiles in adjacent pairs (ORDER.md 2.4), in place. */
INLINE void NAME(pairs)(weft_op op, ACC *values, size_t tiles, size_t columns) {
    for (; tiles > 1; tiles = tiles / 2 + tiles % 2) {
        for (size_t t = 0; t < tiles / 2; t++)
            for (size_t k = 0; k < columns; k++)
                values[t * columns + k] =
                    NAME(combine)(op, values[2 * t * columns + k], values[(2 * t + 1) * columns + k]);
        if (tiles % 2) memcpy(values + tiles / 2 * columns, values + (tiles - 1) * columns, columns * sizeof *values);
    }
}

#undef ACC
#undef LANES
#undef NAME
