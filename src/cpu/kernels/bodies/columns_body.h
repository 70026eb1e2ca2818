/* Reduction of the columns of rows of T in the type ACC. The includer defines T, ACC, LANES (of the order, or any
 * power of two if the order is free), NAME(name), and for the operator NAME(combine), NAME(load), which starts a
 * value with an element x, and NAME(step), which adds x to a value. Both have the element y of the second operand of
 * products; for other operators it is equal to x. */

enum { NAME(value_bytes) = sizeof(ACC) };

/* Returns the second operand of row r, from `column` on: x if there is none. */
INLINE const T *NAME(factors)(column_rows rows, size_t r, size_t column, const T *x) {
    return rows.y ? (const T *)(const void *)rows.y[r] + (rows.repeats ? 0 : column) : x;
}

/* Prefetches `width` columns of row r. */
INLINE void NAME(prefetch)(column_rows rows, size_t r, size_t column, size_t width) {
    const size_t at = column * sizeof(T);
    NO_UNROLL
    for (size_t b = 0; b < width * sizeof(T); b += 64) {
        __builtin_prefetch(rows.x[r] + at + b);
        if (rows.y && !rows.repeats) __builtin_prefetch(rows.y[r] + at + b);
    }
}

/* Reduces `width` columns, a constant unless it is small, from `column` on. */
INLINE void NAME(columns)(weft_op op, column_rows rows, size_t n, size_t column, size_t width, ACC *restrict lanes,
                          ACC *out) {
    size_t used = n < LANES ? n : LANES; /* the lanes after them have no element */
    for (size_t r = 0; r < used; r++) {
        const T *const x = (const T *)(const void *)rows.x[r] + column, *const y = NAME(factors)(rows, r, column, x);
        NO_UNROLL
        for (size_t b = 0; b < width * sizeof(T); b += 64) __builtin_prefetch((const char *)(x + width) + b);
        NO_UNROLL
        for (size_t k = 0; k < width; k++) lanes[r * width + k] = NAME(load)(op, x[k], y[rows.repeats ? 0 : k]);
    }
    for (size_t r = used; r < n; r++) {
        const T *const x = (const T *)(const void *)rows.x[r] + column, *const y = NAME(factors)(rows, r, column, x);
        const size_t next = r + ROWS_AHEAD < n ? r + ROWS_AHEAD : r;
        ACC *const lane = lanes + r % LANES * width;
        NAME(prefetch)(rows, next, column, width);
        NO_UNROLL
        for (size_t k = 0; k < width; k++) lane[k] = NAME(step)(op, lane[k], x[k], y[rows.repeats ? 0 : k]);
    }
    while (used > 1) {
        const size_t half = (size_t)1 << (63 - __builtin_clzll(used - 1)); /* half <= used - 1 < 2 half */
        for (size_t i = half * width; i < used * width; i++)
            lanes[i - half * width] = NAME(combine)(op, lanes[i - half * width], lanes[i]);
        used = half;
    }
    memcpy(out, lanes, width * sizeof *out);
}

/* Adds `count` rows to the sums of a part of the columns, or starts them with the first one. Prefetches the same part
 * of the rows `next`. count and width are constants unless they are small. */
INLINE void NAME(add_rows)(weft_op op, bool first, column_rows rows, column_rows next, size_t count, size_t column,
                           size_t width, ACC *restrict sums) {
    const T *x[ROWS_TOGETHER], *y[ROWS_TOGETHER];
    for (size_t i = 0; i < count; i++) {
        x[i] = (const T *)(const void *)rows.x[i] + column;
        y[i] = NAME(factors)(rows, i, column, x[i]);
        NAME(prefetch)(next, i, column, width);
    }
    NO_UNROLL
    for (size_t k = 0; k < width; k++) {
        const size_t of_y = rows.repeats ? 0 : k;
        ACC sum = first ? NAME(load)(op, x[0][k], y[0][of_y]) : NAME(step)(op, sums[k], x[0][k], y[0][of_y]);
        for (size_t i = 1; i < count; i++) sum = NAME(step)(op, sum, x[i][k], y[i][of_y]);
        sums[k] = sum;
    }
}

/* Calls add_rows for all whole parts of the columns. Returns the number of columns in them. */
INLINE size_t NAME(add_parts)(weft_op op, bool first, column_rows rows, column_rows next, size_t count, size_t column,
                              size_t width, ACC *sums) {
    const size_t part = ROWS_PART_BYTES / sizeof(T);
    size_t k = 0;
    for (; k + part <= width; k += part) {
        if (first)
            NAME(add_rows)(op, true, rows, next, count, column + k, part, sums + k);
        else
            NAME(add_rows)(op, false, rows, next, count, column + k, part, sums + k);
    }
    return k;
}

/* Reduces the rows of one lane: rows 0, LANES, ... of n. Those of the lane that is read next are rows 0, LANES, ...
 * of the next_n rows `next`. */
INLINE void NAME(lane)(weft_op op, column_rows rows, size_t n, column_rows next, size_t next_n, size_t column,
                       size_t width, ACC *sums) {
    for (size_t r = 0; r < n; r += ROWS_TOGETHER * LANES) {
        const char *x[ROWS_TOGETHER], *y[ROWS_TOGETHER], *x_ahead[ROWS_TOGETHER], *y_ahead[ROWS_TOGETHER];
        size_t count = 0;
        for (; count < ROWS_TOGETHER && r + count * LANES < n; count++) {
            const size_t after = r + (ROWS_TOGETHER + count) * LANES, first = count * LANES;
            const size_t of_next = first < next_n ? first : 0;
            x[count] = rows.x[r + first];
            x_ahead[count] = after < n ? rows.x[after] : next.x[of_next];
            if (rows.y) y[count] = rows.y[r + first];
            if (rows.y) y_ahead[count] = after < n ? rows.y[after] : next.y[of_next];
        }
        const column_rows taken = {x, rows.y ? y : NULL, rows.repeats};
        const column_rows ahead = {x_ahead, rows.y ? y_ahead : NULL, rows.repeats};
        const size_t together = count == ROWS_TOGETHER ? ROWS_TOGETHER : count >= 2 ? 2 : 1;
        size_t done = 0; /* columns to which `together` rows have been added */
        if (together == ROWS_TOGETHER)
            done = NAME(add_parts)(op, r == 0, taken, ahead, ROWS_TOGETHER, column, width, sums);
        if (together == 2) done = NAME(add_parts)(op, r == 0, taken, ahead, 2, column, width, sums);
        for (size_t i = 0; i < count; i++) {
            const size_t k = i < together ? done : 0;
            if (k < width) NAME(add_rows)
            (op, r == 0 && i == 0, column_rows_from(taken, i), column_rows_from(ahead, i), 1, column + k, width - k,
             sums + k);
        }
    }
}

/* Reduces `width` columns lane by lane. The lanes of a tree by halves that are combined first are adjacent if the
 * bits of their numbers are reversed. n must be at least 2 LANES. */
INLINE void NAME(wide_columns)(weft_op op, column_rows rows, size_t n, size_t column, size_t width, ACC *stack,
                               ACC *out) {
    size_t height = 0, lane = 0;
    for (size_t c = 0; c < LANES; c++) {
        size_t next = lane, bit = LANES / 2;
        for (; next & bit; bit /= 2) next -= bit;
        next += bit; /* 0 after the last lane, where bit is 0 */
        NAME(lane)
        (op, column_rows_from(rows, lane), n - lane, column_rows_from(rows, next), n - next, column, width,
         stack + height * width);
        height++;
        for (size_t done = c; done & 1; done >>= 1) {
            height--;
            for (size_t k = 0; k < width; k++)
                stack[(height - 1) * width + k] =
                    NAME(combine)(op, stack[(height - 1) * width + k], stack[height * width + k]);
        }
        lane = next;
    }
    memcpy(out, stack, width * sizeof *out);
}

INLINE void NAME(tile)(weft_op op, column_rows rows, size_t n, size_t columns, ACC *out) {
    const size_t most = ROWS_LANE_BYTES / sizeof(ACC) / LANES, widest = ROWS_LANE_BYTES / sizeof(ACC) / ROWS_STACK;
    ACC lanes[ROWS_LANE_BYTES / sizeof(ACC)];
    size_t column = 0, width;
    if (n >= 2 * LANES)
        for (; columns - column >= ROWS_WIDE_BYTES / sizeof(T); column += width) {
            width = columns - column < widest ? columns - column : widest;
            NAME(wide_columns)(op, rows, n, column, width, lanes, out + column);
        }
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
