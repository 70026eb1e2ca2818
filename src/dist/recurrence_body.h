/* The maps of docs/ORDER.md 9.2 in REAL; the includer sets REAL, FUSED (its fused multiply-add) and OF(name). */

static REAL OF(real_of)(uint64_t bits) {
    REAL v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static uint64_t OF(bits_of)(REAL v) {
    uint64_t bits = 0;
    memcpy(&bits, &v, sizeof v);
    return bits;
}

static REAL OF(or_zero)(REAL v) { return v != v ? 0 : v; }

static REAL OF(apply)(REAL s, REAL u, REAL w) { return w == 0 && isinf(s) ? u : FUSED(s, w, u); }

/* One map after another. */
static affine OF(then)(affine a, affine b) {
    const REAL s = OF(real_of)(b.s);
    return (affine){OF(bits_of)(OF(or_zero)(OF(real_of)(a.s) * s)),
                    OF(bits_of)(OF(apply)(s, OF(real_of)(b.u), OF(real_of)(a.u)))};
}

/* The map of a full group of elements: the loop from +0, and the product. */
static affine OF(pass_elements)(const affine *elements) {
    REAL product = OF(real_of)(elements[0].s), value = 0;
    for (size_t i = 0; i < GROUP; i++) {
        const REAL s = OF(real_of)(elements[i].s);
        if (i > 0) product = product * s;
        value = FUSED(s, value, OF(real_of)(elements[i].u));
    }
    return (affine){OF(bits_of)(OF(or_zero)(product)), OF(bits_of)(value)};
}

/* G of the first `count` maps of a group: by distances, the last value. */
static affine OF(pass_maps)(const affine *maps, size_t count) {
    affine v[GROUP];
    memcpy(v, maps, count * sizeof *v);
    for (size_t w = 1; w < GROUP; w *= 2)
        for (size_t j = count; j-- > w;) v[j] = OF(then)(v[j - w], v[j]);
    return v[count - 1];
}

static uint64_t OF(apply_maps)(const affine *maps, size_t count, uint64_t value) {
    const affine map = OF(pass_maps)(maps, count);
    return OF(bits_of)(OF(apply)(OF(real_of)(map.s), OF(real_of)(map.u), OF(real_of)(value)));
}

#undef REAL
#undef FUSED
#undef OF
