/* The canonical tree (ORDER.md 2) over vectors of REAL, float or double. The includer defines REAL, VECTOR (of
 * REAL), FUSED (fused multiply-add of REAL), OWN_TYPE (its dtype) and OF(name). Every function is inlined with a
 * constant element type and step, so that each kernel is a loop of its own. */
#define WIDTH (sizeof(VECTOR) / sizeof(REAL))

/* Converts `columns` vectors of elements to REAL in a plain loop, which compilers vectorize for every type. Types
 * that load() reads directly are left alone. */
INLINE void OF(convert)(weft_dtype dtype, const char *x, size_t columns, REAL *converted) {
    (void)x, (void)columns, (void)converted;
#define TYPE(ID, name, ctype, kind, npy)                              \
    if (dtype == WEFT_##ID && dtype != OWN_TYPE && dtype != WEFT_F32) \
        for (size_t i = 0; i < columns * WIDTH; i++) converted[i] = (REAL)((const ctype *)(const void *)x)[i];
#include "core/types.def"
}

/* Returns vector k of the elements at x, which convert() has processed. */
INLINE VECTOR OF(load)(weft_dtype dtype, const char *x, const REAL *converted, size_t k) {
    VECTOR v;
    if (dtype == OWN_TYPE)
        memcpy(&v, x + k * sizeof v, sizeof v);
    else if (dtype == WEFT_F32)
        v = (VECTOR)widened_f32(x + k * sizeof v / 2);
    else
        memcpy(&v, converted + k * WIDTH, sizeof v);
    return v;
}

/* Returns fma(x, y, z) in each lane. If the product is exact, a separate addition rounds once, as fma does. */
INLINE VECTOR OF(multiply_add)(bool exact, VECTOR x, VECTOR y, VECTOR z) {
    if (exact && !FMA_INSTRUCTION) return z + x * y;
    for (size_t l = 0; l < WIDTH; l++) z[l] = FUSED(x[l], y[l], z[l]);
    return z;
}

/* Returns lane + x. A fused multiply-add by 1 has the same bits. If elements are converted, it is faster on CPUs
 * whose units for additions also convert. */
INLINE VECTOR OF(add)(weft_dtype dtype, VECTOR lane, VECTOR x) {
    if (dtype == OWN_TYPE || !FMA_INSTRUCTION) return lane + x;
    return OF(multiply_add)(false, x, 1 - (VECTOR){0}, lane);
}

INLINE VECTOR OF(enter)(step how, weft_dtype dtype, VECTOR lane, VECTOR x, VECTOR y, REAL parameter) {
    const bool exact = sizeof(REAL) == 8 && exact_products(dtype);
    switch (how) {
    case STEP_ADD: return OF(add)(dtype, lane, x);
    case STEP_MULTIPLY: return lane * x;
    case STEP_MAGNITUDE:
        for (size_t l = 0; l < WIDTH; l++) x[l] = (REAL)__builtin_fabs(x[l]);
        return OF(add)(dtype, lane, x);
    case STEP_SQUARE: x *= parameter; return OF(multiply_add)(exact, x, x, lane);
    case STEP_DEVIATION: x -= parameter; return OF(multiply_add)(false, x, x, lane);
    case STEP_PRODUCT: return OF(multiply_add)(exact, x, y, lane);
    case STEP_DIFFERENCE: x -= y; return OF(multiply_add)(false, x, x, lane);
    }
    return lane;
}

/* Adds `rows` rows to `columns` vectors of lanes, which stay in registers. */
INLINE void OF(go_down)(step how, weft_dtype dtype, const char *x, const char *y, REAL parameter, bool prefetch,
                        size_t rows, size_t columns, VECTOR *lanes) {
    const size_t size = element_bytes(dtype), row = WEFT_LANES(size) * size, bytes = columns * WIDTH * size;
    REAL converted_x[COLUMN_VECTORS_MAX * WIDTH], converted_y[COLUMN_VECTORS_MAX * WIDTH];
    VECTOR lane[COLUMN_VECTORS_MAX];
#pragma GCC unroll 16
    for (size_t k = 0; k < columns; k++) lane[k] = lanes[k];
    for (size_t r = 0; r < rows; r++, x += row, y += row) {
        if (prefetch && !has_y(how)) prefetch_after(x, bytes);
        OF(convert)(dtype, x, columns, converted_x);
        if (has_y(how)) OF(convert)(dtype, y, columns, converted_y);
#pragma GCC unroll 16
        for (size_t k = 0; k < columns; k++) {
            const VECTOR v = OF(load)(dtype, x, converted_x, k);
            const VECTOR w = has_y(how) ? OF(load)(dtype, y, converted_y, k) : v;
            lane[k] = OF(enter)(how, dtype, lane[k], v, w, parameter);
        }
    }
#pragma GCC unroll 16
    for (size_t k = 0; k < columns; k++) lanes[k] = lane[k];
}

INLINE REAL OF(combine)(step how, REAL a, REAL b) { return how == STEP_MULTIPLY ? a * b : a + b; }

/* Combines the lanes (ORDER.md 2.3): first whole vectors, then the lanes of the remaining vector. */
INLINE REAL OF(combine_lanes)(step how, size_t vectors, VECTOR *lanes) {
    for (size_t width = vectors / 2; width > 0; width /= 2)
        for (size_t k = 0; k < width; k++)
            lanes[k] = how == STEP_MULTIPLY ? lanes[k] * lanes[k + width] : lanes[k] + lanes[k + width];
    REAL lane[WIDTH];
    memcpy(lane, lanes, sizeof lane);
#pragma GCC unroll 4
    for (size_t width = WIDTH / 2; width > 0; width /= 2)
        for (size_t l = 0; l < width; l++) lane[l] = OF(combine)(how, lane[l], lane[l + width]);
    return lane[0];
}

/* Adds the elements of an incomplete row. The last vector is padded with zeros; lanes without an element are restored
 * afterwards, because fma(0, 0, -0) would change them. */
INLINE void OF(partial_row)(step how, weft_dtype dtype, const char *x, const char *y, REAL parameter, size_t count,
                            VECTOR *lanes) {
    const size_t size = element_bytes(dtype), bytes = WIDTH * size;
    for (; count >= WIDTH; count -= WIDTH, x += bytes, y += bytes, lanes++)
        OF(go_down)(how, dtype, x, y, parameter, false, 1, 1, lanes);
    if (count == 0) return;
    char filled_x[WIDTH * sizeof(uint64_t)] = {0}, filled_y[WIDTH * sizeof(uint64_t)] = {0};
    REAL before[WIDTH], after[WIDTH];
    memcpy(before, lanes, sizeof before);
    x = memcpy(filled_x, x, count * size);
    y = has_y(how) ? memcpy(filled_y, y, count * size) : x;
    OF(go_down)(how, dtype, x, y, parameter, false, 1, 1, lanes);
    memcpy(after, lanes, sizeof after);
    for (size_t l = 0; l < WIDTH; l++) after[l] = l < count ? after[l] : before[l];
    memcpy(lanes, after, sizeof after);
}

/* Reduces elements first .. first + count - 1 of a chunk, which are one tile: full rows and, in the last tile, an
 * incomplete one. */
INLINE REAL OF(tile)(step how, weft_dtype dtype, const reduce_chunk *p, size_t first, size_t count) {
    const size_t size = element_bytes(dtype), row = WEFT_LANES(size), vectors = row / WIDTH, rows = count / row;
    const size_t columns = vectors < COLUMN_VECTORS_MAX ? vectors : COLUMN_VECTORS_MAX;
    const char *x = (const char *)p->x + first * size;
    const char *y = has_y(how) ? (const char *)p->y + first * size : x;
    VECTOR lanes[WEFT_LANES_MAX / WIDTH];
    for (size_t k = 0; k < vectors; k++) lanes[k] = (how == STEP_MULTIPLY ? (REAL)1 : (REAL)-0.0) - (VECTOR){0};
    const REAL parameter = (REAL)p->parameter;
    for (size_t k = 0; k < vectors && rows > 0; k += columns) {
        const size_t at = k * WIDTH * size;
        OF(go_down)(how, dtype, x + at, y + at, parameter, p->prefetch, rows, columns, lanes + k);
    }
    const size_t done = rows * row;
    if (count > done) OF(partial_row)(how, dtype, x + done * size, y + done * size, parameter, count - done, lanes);
    return OF(combine_lanes)(how, vectors, lanes);
}

/* Reduces a chunk: combines its tiles in adjacent pairs, level by level, with a binary counter. waiting[k]
 * contains the value of 2^k tiles if bit k of `done`, the number of finished tiles, is set. At the end the remaining
 * values are combined from the right, so that odd ones go to the next level unchanged. */
INLINE REAL OF(tree)(step how, weft_dtype dtype, const reduce_chunk *p) {
    const size_t tile = WEFT_TILE(element_bytes(dtype));
    REAL waiting[64], value = 0;
    size_t done = 0;
    for (size_t first = 0; first < p->n; first += tile, done++) {
        const size_t left = p->n - first; /* the count of a full tile is a constant: its lanes stay in registers */
        value = left < tile ? OF(tile)(how, dtype, p, first, left) : OF(tile)(how, dtype, p, first, tile);
        int k = 0;
        for (; done >> k & 1; k++) value = OF(combine)(how, waiting[k], value);
        waiting[k] = value;
    }
    int k = __builtin_ctzll(done);
    /* cppcheck-suppress uninitvar ; p->n >= 1, so `done` is not 0 */
    value = waiting[k];
    while (done >> ++k)
        if (done >> k & 1) value = OF(combine)(how, waiting[k], value);
    return value;
}

#undef WIDTH
#undef REAL
#undef VECTOR
#undef FUSED
#undef OWN_TYPE
#undef OF
