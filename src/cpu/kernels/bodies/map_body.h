/* Body of cpu/kernels/map.c for formulas that are evaluated in T. FROM_FLOATS: 1 if operands may be floats.
 * STORED(v): the value that is stored for a result v.
 *
 * A thread's workspace contains a block of MAP_BLOCK bytes for each register, then one for each leaf. Array leaves
 * of type T are read in place. */
#define LANES (MAP_BLOCK / sizeof(T))

INLINE T *OF(block)(void *workspace, size_t number) { return (T *)workspace + number * LANES; }

/* Computes to[l] = op(a[l], b[l], c[l]). `to` must differ from a, b and c. */
INLINE void OF(lanes)(map_op op, size_t n, T *restrict to, const T *a, const T *b, const T *c) {
    for (size_t l = 0; l < n; l++) to[l] = OF(weft_map)(op, a[l], b[l], c[l]);
}

static void OF(run_step)(map_op op, size_t n, T *to, const T *a, const T *b, const T *c) {
    switch (op) {
#define OPERATOR(ID, text, operands, domain) \
    case MAP_##ID:                           \
        OF(lanes)(MAP_##ID, n, to, a, b, c); \
        break;
#define FUNCTION(ID, name, operands, domain) \
    case MAP_##ID:                           \
        OF(lanes)(MAP_##ID, n, to, a, b, c); \
        break;
#include "formula/formula.def"
    default: break;
    }
}

/* ------------------------------------------------------------------------------------ leaves */

/* Converts elements of another type to T. */
static void OF(convert)(weft_dtype dtype, const void *x, size_t n, T *restrict to) {
    enum { SIGNED_COMES = 1, UNSIGNED_COMES = 1, FLOAT_COMES = FROM_FLOATS };
    switch (dtype) {
#define TYPE(ID, name, ctype, kind, npy)                                                    \
    case WEFT_##ID:                                                                         \
        for (size_t l = 0; l < n; l++) to[l] = kind##_COMES ? (T)((const ctype *)x)[l] : 0; \
        break;
#include "core/types.def"
    default: break;
    }
}

/* Fills the blocks of LEAF_VALUE leaves, which are constant during the call. */
static void OF(begin)(const map_call *c, void *workspace) {
    for (size_t k = 0; k < c->leaf_count; k++) {
        T *const to = OF(block)(workspace, c->register_count + k);
        if (c->leaves[k].kind != LEAF_VALUE) continue;
        const T v = OF(leaf_value)(&c->leaves[k]);
        for (size_t l = 0; l < LANES; l++) to[l] = v;
    }
}

/* Sets at[k] to the address of elements [first, first + n) of leaf k. */
INLINE void OF(fetch)(const map_call *c, size_t first, size_t n, void *workspace, const T **at) {
    for (size_t k = 0; k < c->leaf_count; k++) {
        const map_leaf *leaf = &c->leaves[k];
        T *const own = OF(block)(workspace, c->register_count + k);
        const void *elements;
        at[k] = own;
        if (leaf->kind == LEAF_INDEX)
            for (size_t l = 0; l < n; l++) own[l] = (T)(leaf->value.u64 + first + l);
        if (leaf->kind != LEAF_ARRAY) continue;
        elements = (const char *)leaf->p + first * weft_dtype_size(leaf->dtype);
        if (leaf->dtype == c->dtype)
            at[k] = elements;
        else
            OF(convert)(leaf->dtype, elements, n, own);
    }
}

/* ------------------------------------------------------------------------------------ blocks */

INLINE const T *OF(operand)(const T *const *at, void *workspace, unsigned number) {
    return number < MAP_REGISTERS ? OF(block)(workspace, number) : at[number - MAP_REGISTERS];
}

/* Evaluates a block. Returns the address of its results: `to`, or the last step's register if `to` is NULL. */
INLINE const T *OF(run_block)(const map_call *c, size_t first, size_t n, void *workspace, T *to) {
    const map_step *const last = c->steps + c->step_count - 1;
    const T *at[MAP_LEAVES];
    T *const results = to ? to : OF(block)(workspace, last->to);
    OF(fetch)(c, first, n, workspace, at);
    for (const map_step *s = c->steps; s <= last; s++) OF(run_step)
    ((map_op)s->op, n, s == last ? results : OF(block)(workspace, s->to), OF(operand)(at, workspace, s->a),
     OF(operand)(at, workspace, s->b), OF(operand)(at, workspace, s->c));
    return results;
}

INLINE void OF(store)(const T *restrict from, size_t n, T *restrict to) {
    for (size_t l = 0; l < n; l++) to[l] = STORED(from[l]);
}

/* Writes results with nontemporal stores, at most STREAM_BLOCK bytes at a time. */
INLINE void OF(store_past_caches)(const T *from, size_t n, stream *s) {
    const size_t most = STREAM_BLOCK / sizeof(T);
    for (size_t l = 0; l < n; l += most) {
        const size_t part = n - l < most ? n - l : most;
        OF(store)(from + l, part, stream_address(s));
        stream_put(s, part * sizeof(T));
    }
}

static void OF(evaluate)(const map_call *c, map_use use, size_t first, size_t n, void *workspace, void *out) {
    stream past_caches;
    if (use == MAP_STREAM) stream_begin(&past_caches, out);
    for (size_t done = 0; done < n; done += LANES) {
        const size_t part = n - done < LANES ? n - done : LANES;
        T *const to = (T *)out + done;
        const T *results = OF(run_block)(c, first + done, part, workspace, use == MAP_REDUCE ? to : NULL);
        if (use == MAP_STORE) OF(store)(results, part, to);
        if (use == MAP_STREAM) OF(store_past_caches)(results, part, &past_caches);
    }
    if (use == MAP_STREAM) stream_end(&past_caches);
}

#undef LANES
#undef T
#undef OF
#undef FROM_FLOATS
#undef STORED
