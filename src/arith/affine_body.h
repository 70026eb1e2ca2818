/* The body of arith/affine.h for type REAL. The includer sets REAL, FUSED (its fused multiply-add) and OF(name). */

static inline REAL OF(affine_real)(uint64_t bits) {
    REAL v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static inline uint64_t OF(affine_bits)(REAL v) {
    uint64_t bits = 0;
    memcpy(&bits, &v, sizeof v);
    return bits;
}

static inline REAL OF(affine_or_zero)(REAL v) { return v != v ? 0 : v; }

static inline REAL OF(affine_apply)(REAL s, REAL u, REAL w) { return w == 0 && isinf(s) ? u : FUSED(s, w, u); }

/* Returns the map that applies a, then b. */
static inline affine OF(affine_then)(affine a, affine b) {
    const REAL s = OF(affine_real)(b.s);
    const affine both = {OF(affine_bits)(OF(affine_or_zero)(OF(affine_real)(a.s) * s)),
                         OF(affine_bits)(OF(affine_apply)(s, OF(affine_real)(b.u), OF(affine_real)(a.u)))};
    return both;
}

/* Returns the map of a full group of elements: U by the loop that starts from +0, S as the product of all s. */
static inline affine OF(affine_of_elements)(const affine *elements) {
    REAL product = OF(affine_real)(elements[0].s), value = 0;
    for (size_t i = 0; i < WEFT_SCAN_GROUP; i++) {
        const REAL s = OF(affine_real)(elements[i].s);
        if (i > 0) product = product * s;
        value = FUSED(s, value, OF(affine_real)(elements[i].u));
    }
    const affine map = {OF(affine_bits)(OF(affine_or_zero)(product)), OF(affine_bits)(value)};
    return map;
}

/* Returns G of the first `count` maps of a group: the last value of a scan by doubling distances. */
static inline affine OF(affine_of_maps)(const affine *maps, size_t count) {
    affine v[WEFT_SCAN_GROUP];
    memcpy(v, maps, count * sizeof *v);
    for (size_t w = 1; w < WEFT_SCAN_GROUP; w *= 2)
        for (size_t j = count; j-- > w;) v[j] = OF(affine_then)(v[j - w], v[j]);
    return v[count - 1];
}

static inline uint64_t OF(affine_apply_maps)(const affine *maps, size_t count, uint64_t value) {
    const affine map = OF(affine_of_maps)(maps, count);
    return OF(affine_bits)(OF(affine_apply)(OF(affine_real)(map.s), OF(affine_real)(map.u), OF(affine_real)(value)));
}

#undef REAL
#undef FUSED
#undef OF
