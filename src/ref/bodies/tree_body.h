/* The body of ref/common/tree.c. The includer sets REAL, TERMS and the functions' names. */

/* Reduces elements first .. first+count-1. Each lane reduces its column. The upper half of the lanes is then
 * combined with the lower half until one lane is left. */
static REAL TILE(const TERMS *t, size_t first, size_t count) {
    const size_t lanes = WEFT_LANES(weft_dtype_size(t->x.dtype));
    REAL lane[WEFT_LANES_MAX];
    for (size_t l = 0; l < lanes; l++) lane[l] = t->identity;
    for (size_t i = 0; i < count; i++) lane[i % lanes] = t->step(t, lane[i % lanes], first + i);
    for (size_t width = lanes / 2; width > 0; width /= 2)
        for (size_t l = 0; l < width; l++) lane[l] = t->combine(lane[l], lane[l + width]);
    return lane[0];
}

/* Reduces tiles first .. first+tiles-1 of n elements. Adjacent tiles are combined in pairs, level by level; a
 * tile without a partner moves up unchanged. Equivalently, the left part is the largest power of two less than
 * `tiles`. */
static REAL FOLD(const TERMS *t, size_t n, size_t first, size_t tiles) {
    const size_t tile = WEFT_TILE(weft_dtype_size(t->x.dtype));
    if (tiles == 1) return TILE(t, first * tile, n - first * tile < tile ? n - first * tile : tile);
    size_t left = 1;
    while (left * 2 < tiles) left *= 2;
    const REAL a = FOLD(t, n, first, left);
    const REAL b = FOLD(t, n, first + left, tiles - left);
    return t->combine(a, b);
}

REAL TREE(const TERMS *t, size_t n) {
    const size_t tile = WEFT_TILE(weft_dtype_size(t->x.dtype));
    return FOLD(t, n, 0, (n - 1) / tile + 1);
}

#undef REAL
#undef TERMS
#undef TILE
#undef FOLD
#undef TREE
