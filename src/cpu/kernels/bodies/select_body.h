/* Body of cpu/kernels/select.c for one element type. The includer defines T and OF(name), and IS_FLOAT for
 * floats. */

/* Returns the marks of up to 64 elements that satisfy the comparison. */
INLINE uint64_t OF(compare_block)(const comparator *c, const T *x, size_t n) {
    const uint8_t less = c->less, equal = c->equal, greater = c->greater, others = c->others;
    uint8_t truths[WORD] = {0};
    T value;
    bits_store(&value, sizeof value, c->value);
    for (size_t i = 0; i < n; i++) {
#ifdef IS_FLOAT
        const T v = x[i];
#else
        const T v = (T)(x[i] ^ (T)c->xor_mask);
#endif
        truths[i] = (((v < value) & less) | ((v == value) & equal) | ((v > value) & greater)) ^ others;
    }
    return gather_bits(truths);
}

static void OF(compare)(const comparator *c, const void *at, size_t n, uint64_t *bits) {
    const T *x = at;
    for (; n >= WORD; n -= WORD, x += WORD) *bits++ = OF(compare_block)(c, x, WORD);
    if (n) *bits = OF(compare_block)(c, x, n);
}

/* Returns the marks of up to 64 elements that differ from the element before them. */
INLINE uint64_t OF(heads_block)(const T *x, size_t n) {
    uint8_t truths[WORD] = {0};
    for (size_t i = 0; i < n; i++) {
        const T before = *(x + i - 1), v = x[i];
#ifdef IS_FLOAT
        truths[i] = (before != v) & ((before == before) | (v == v));
#else
        truths[i] = before != v;
#endif
    }
    return gather_bits(truths);
}

static void OF(heads)(const void *at, size_t n, bool first, uint64_t *bits) {
    const T *x = at;
    if (n == 0) return;
    const size_t head = n < WORD ? n : WORD;
    if (first) /* x[0] has no predecessor */
        *bits++ = OF(heads_block)(x + 1, head - 1) << 1 | 1;
    else
        *bits++ = OF(heads_block)(x, head);
    x += head;
    n -= head;
    for (; n >= WORD; n -= WORD, x += WORD) *bits++ = OF(heads_block)(x, WORD);
    if (n) *bits = OF(heads_block)(x, n);
}

#ifndef IS_FLOAT

/* Copies the marked elements of a block one by one: fast if they are few. */
INLINE T *OF(pick)(const T *x, uint64_t bits, T *y) {
    for (; bits; bits &= bits - 1) *y++ = x[__builtin_ctzll(bits)];
    return y;
}

#if PRESS_LANES(1) > 1

/* Copies the marked elements with PRESS_LANES lanes at a time. Each store writes all lanes; the next store
 * overwrites those that were not marked. */
INLINE T *OF(press)(const T *x, uint64_t bits, T *y) {
    enum { LANES = PRESS_LANES(sizeof(T)) };
    typedef T elements __attribute__((vector_size(LANES * sizeof(T)), aligned(1), may_alias));
    for (int i = 0; i < WORD; i += LANES) {
        const unsigned marks = bits >> i & ((1U << LANES) - 1);
        const PRESSED v = __builtin_convertvector(*(const elements *)(x + i), PRESSED);
        *(elements *)y = __builtin_convertvector(PRESS_WIDE(v, marks), elements);
        y += __builtin_popcount(marks);
    }
    return y;
}

#else

/* Copies the marked elements without branches: every element is written, and overwritten by the next one unless it
 * is marked. */
INLINE T *OF(press)(const T *x, uint64_t bits, T *y) {
    for (int i = 0; i < WORD; i++) {
        *y = x[i];
        y += bits >> i & 1;
    }
    return y;
}

#endif

/* Copies all marked elements. `press` writes at most 64 elements, so it is only used while at least 64 outputs
 * remain. The last block of the array, which may be incomplete, never uses it. */
static void OF(compact)(const void *from, const uint64_t *bits, size_t marked, void *to) {
    enum { FEW = 6 };
    const T *x = from;
    T *y = to, *const end = y + marked;
    for (; y < end; x += WORD, bits++) {
        const int count = __builtin_popcountll(*bits);
        if (end - y < WORD || count <= FEW) {
            y = OF(pick)(x, *bits, y);
        } else if (count == WORD) {
            memcpy(y, x, WORD * sizeof *x);
            y += WORD;
        } else {
            y = OF(press)(x, *bits, y);
        }
    }
}

#endif

#undef T
#undef OF
#undef IS_FLOAT
#undef PRESSED
#undef PRESS_WIDE
