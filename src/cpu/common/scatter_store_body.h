/* Body of cpu/common/scatter_store.c for one type (cpu/kernels/bodies/each_type.h): the initial value combined with
 * the reduction of the elements (ORDER.md 25.2). */

static inline T OF(with_init)(weft_op op, T a, T b) {
#if IS_FLOAT
    const U min_a = OF(weft_min_key)(a), min_b = OF(weft_min_key)(b);
    const U max_a = OF(weft_max_key)(a), max_b = OF(weft_max_key)(b);
    switch (op) {
    case WEFT_SUM: return OF(weft_canonical)(a + b);
    case WEFT_PROD: return OF(weft_canonical)(a * b);
    case WEFT_MIN: return OF(weft_from_key)(min_b < min_a ? min_b : min_a);
    default: return OF(weft_from_key)(max_b > max_a ? max_b : max_a);
    }
#else
    switch (op) {
    case WEFT_SUM: return (T)((uint64_t)a + (uint64_t)b);
    case WEFT_PROD: return (T)((uint64_t)a * (uint64_t)b);
    case WEFT_MIN: return b < a ? b : a;
    case WEFT_MAX: return b > a ? b : a;
    case WEFT_AND: return (T)(a & b);
    case WEFT_OR: return (T)(a | b);
    default: return (T)(a ^ b);
    }
#endif
}

static void OF(store)(const scatter *s, size_t first, size_t end) {
    const T *const init = s->c->init, *const reduced = s->reduced;
    T *const out = s->c->out;
    size_t target = first / s->c->columns, left = s->c->columns - first % s->c->columns;
    for (size_t i = first; i < end; i++) {
        if (s->offsets[target] == s->offsets[target + 1])
            out[i] = init[i];
        else
            out[i] = OF(with_init)(s->c->op, init[i], reduced[i]);
        if (--left == 0) {
            target++;
            left = s->c->columns;
        }
    }
}
