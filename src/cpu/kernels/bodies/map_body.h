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

/* Evaluates a block whose leaves are at `at`. Returns the address of its results: `to`, or the last step's register
 * if `to` is NULL. */
INLINE const T *OF(run_steps)(const map_call *c, const T *const *at, size_t n, void *workspace, T *to) {
    const map_step *const last = c->steps + c->step_count - 1;
    T *const results = to ? to : OF(block)(workspace, last->to);
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
        const T *at[MAP_LEAVES];
        OF(fetch)(c, first + done, part, workspace, at);
        const T *results = OF(run_steps)(c, at, part, workspace, use == MAP_REDUCE ? to : NULL);
        if (use == MAP_STORE) OF(store)(results, part, to);
        if (use == MAP_STREAM) OF(store_past_caches)(results, part, &past_caches);
    }
    if (use == MAP_STREAM) stream_end(&past_caches);
}

/* ------------------------------------------------------------------------------------ views */

/* Fills n elements with a leaf from `position` on, along a dimension whose elements have the distance `distance`. */
INLINE void OF(load)(const map_leaf *leaf, ptrdiff_t position, ptrdiff_t distance, size_t n, T *restrict to) {
    enum { SIGNED_COMES = 1, UNSIGNED_COMES = 1, FLOAT_COMES = FROM_FLOATS };
    const char *const x = (const char *)leaf->p + position;
    const uint64_t index = leaf->value.u64 + (uint64_t)position;
    if (leaf->kind == LEAF_INDEX)
        for (size_t l = 0; l < n; l++) to[l] = (T)(index + l * (uint64_t)distance);
    if (leaf->kind != LEAF_ARRAY) return;
    if (distance == (ptrdiff_t)weft_dtype_size(leaf->dtype)) {
        OF(convert)(leaf->dtype, x, n, to);
        return;
    }
    switch (leaf->dtype) {
#define TYPE(ID, name, ctype, kind, npy)                                                   \
    case WEFT_##ID:                                                                        \
        for (size_t l = 0; l < n; l++)                                                     \
            to[l] = kind##_COMES ? (T) * (const ctype *)(x + (ptrdiff_t)l * distance) : 0; \
        break;
#include "core/types.def"
    default: break;
    }
}

/* fetch for a block of views that starts at *p, which is moved past the block. Arrays of type T are read in place
 * where n elements are adjacent. */
static void OF(fetch_views)(const map_views_call *v, map_position *p, size_t n, void *workspace, const T **at) {
    const map_call *const c = v->map;
    const map_dimension *const inner = &v->dimensions[v->count - 1];
    size_t segment;
    for (size_t done = 0; done < n; done += segment) {
        segment = map_segment(v, p, n - done);
        for (size_t k = 0; k < c->leaf_count; k++) {
            const map_leaf *leaf = &c->leaves[k];
            T *const own = OF(block)(workspace, c->register_count + k);
            const bool in_place = leaf->kind == LEAF_ARRAY && leaf->dtype == c->dtype && segment == n &&
                                  inner->x[k] == (ptrdiff_t)sizeof(T);
            at[k] = in_place ? (const T *)((const char *)leaf->p + p->x[k]) : own;
            if (!in_place) OF(load)(leaf, p->x[k], inner->x[k], segment, own + done);
        }
        map_advance(v, p, segment);
    }
}

/* Writes n results to the values from *p on. */
static void OF(store_views)(const map_views_call *v, map_position *p, const T *restrict from, size_t n) {
    const ptrdiff_t distance = v->dimensions[v->count - 1].out;
    size_t segment;
    for (size_t done = 0; done < n; done += segment) {
        char *const to = (char *)v->map->out + p->out;
        segment = map_segment(v, p, n - done);
        if (distance == (ptrdiff_t)sizeof(T))
            OF(store)(from + done, segment, (T *)to);
        else
            for (size_t l = 0; l < segment; l++) *(T *)(to + (ptrdiff_t)l * distance) = STORED(from[done + l]);
        map_advance(v, p, segment);
    }
}

static void OF(evaluate_views)(const map_views_call *v, map_use use, size_t first, size_t n, void *workspace) {
    const size_t row = v->dimensions[v->count - 1].n;
    map_position p;
    stream past_caches;
    size_t part;
    map_seek(v, first, &p);
    if (use == MAP_STREAM) stream_begin(&past_caches, (T *)v->map->out + first);
    for (size_t done = 0; done < n; done += part) {
        const size_t most = row < LANES ? LANES : map_segment(v, &p, LANES); /* long rows: not past the end of one */
        const T *at[MAP_LEAVES];
        map_position to = p;
        part = n - done < most ? n - done : most;
        OF(fetch_views)(v, &p, part, workspace, at);
        const T *results = OF(run_steps)(v->map, at, part, workspace, NULL);
        if (use == MAP_STORE) OF(store_views)(v, &to, results, part);
        if (use == MAP_STREAM) OF(store_past_caches)(results, part, &past_caches);
    }
    if (use == MAP_STREAM) stream_end(&past_caches);
}

#undef LANES
#undef T
#undef OF
#undef FROM_FLOATS
#undef STORED
