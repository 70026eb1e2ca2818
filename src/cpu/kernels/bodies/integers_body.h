/* Body of cpu/kernels/reduce_integers.c for one type (cpu/kernels/bodies/each_type.h). The order of operations does
 * not affect the results, so plain loops suffice, which compilers vectorize. Blocks of 2^15 elements are summed and
 * counted in narrow integers, of which a vector contains more. */

#if !IS_FLOAT

static void OF(sum)(const reduce_chunk *p, partial *out) {
    const T *x = p->x;
    uint64_t total = 0;
    for (size_t first = 0; first < p->n; first += BLOCK) {
        const size_t end = p->n - first < BLOCK ? p->n : first + BLOCK;
        TOTAL block = 0;
        for (size_t i = first; i < end; i++) block += (TOTAL)(WIDE)x[i];
        total += (uint64_t)(WIDE)block;
    }
    out->u64 = total;
}

static void OF(prod)(const reduce_chunk *p, partial *out) {
    const T *x = p->x;
    uint64_t product = 1;
    for (size_t i = 0; i < p->n; i++) product *= (uint64_t)(WIDE)x[i];
    out->u64 = product;
}

static void OF(dot)(const reduce_chunk *p, partial *out) {
    const T *x = p->x, *y = p->y;
    uint64_t total = 0;
    for (size_t i = 0; i < p->n; i++) total += (uint64_t)(WIDE)x[i] * (uint64_t)(WIDE)y[i];
    out->u64 = total;
}

#endif

/* Comparing as numbers is also right for floats: a NaN is not zero, -0.0 is zero. */
static void OF(nonzeros)(const reduce_chunk *p, partial *out) {
    const T *x = p->x;
    uint64_t total = 0;
    for (size_t first = 0; first < p->n; first += BLOCK) {
        const size_t end = p->n - first < BLOCK ? p->n : first + BLOCK;
        COUNT block = 0;
        for (size_t i = first; i < end; i++) block = (COUNT)(block + (x[i] != 0));
        total += block;
    }
    out->u64 = total;
}
