/* Body of cpu/kernels/map.c for formulas that are evaluated in T. FROM_FLOATS: 1 if operands may be floats.
 * TO_HALVES: 1 if results may be stored as f16 or bf16. STORED(v): the value that is stored for a result v in T.
 * OPERATE_ROW, for floats: operate_row of cpu/kernels/bodies/complex_rows_body.h.
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

#if FROM_FLOATS
/* Convert n floats of 16 bits to T. */
#if TO_HALVES
#define HALF(ID, name, npy) \
    INLINE void OF(widen_##name)(size_t n, const uint16_t *restrict x, T *restrict to) { widen_##name(n, x, to); }
#else
#define HALF(ID, name, npy)                                                              \
    INLINE void OF(widen_##name)(size_t n, const uint16_t *restrict x, T *restrict to) { \
        for (size_t l = 0; l < n; l++) to[l] = (T)weft_from_bits_##name(x[l]);           \
    }
#endif
#include "core/halves.def"
#endif

/* Converts elements of another type to T. */
static void OF(convert)(weft_dtype dtype, const void *x, size_t n, T *restrict to) {
    enum { SIGNED_COMES = 1, UNSIGNED_COMES = 1, FLOAT_COMES = FROM_FLOATS };
    switch (dtype) {
#define TYPE(ID, name, ctype, kind, npy)                                                    \
    case WEFT_##ID:                                                                         \
        for (size_t l = 0; l < n; l++) to[l] = kind##_COMES ? (T)((const ctype *)x)[l] : 0; \
        break;
#include "core/types.def"
#if FROM_FLOATS
#define HALF(ID, name, npy)         \
    case WEFT_##ID:                 \
        OF(widen_##name)(n, x, to); \
        break;
#include "core/halves.def"
#endif
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

/* Writes n results as values of type `result`. The type does not change during a call. */
INLINE void OF(store)(weft_dtype result, const T *restrict from, size_t n, void *restrict to) {
    switch (result) {
#if TO_HALVES
#define HALF(ID, name, npy)         \
    case WEFT_##ID:                 \
        narrow_##name(n, from, to); \
        break;
#include "core/halves.def"
#endif
    default:
        for (size_t l = 0; l < n; l++) ((T *)to)[l] = STORED(from[l]);
    }
}

/* Writes results with nontemporal stores, at most STREAM_BLOCK bytes at a time. */
INLINE void OF(store_past_caches)(weft_dtype result, const T *from, size_t n, stream *s) {
    const size_t most = STREAM_BLOCK / sizeof(T), size = weft_dtype_size(result);
    for (size_t l = 0; l < n; l += most) {
        const size_t part = n - l < most ? n - l : most;
        OF(store)(result, from + l, part, stream_address(s));
        stream_put(s, part * size);
    }
}

static void OF(evaluate)(const map_call *c, map_use use, size_t first, size_t n, void *workspace, void *out) {
    const size_t size = weft_dtype_size(c->result);
    stream past_caches;
    if (use == MAP_STREAM) stream_begin(&past_caches, out);
    for (size_t done = 0; done < n; done += LANES) {
        const size_t part = n - done < LANES ? n - done : LANES;
        void *const to = (char *)out + done * size;
        const T *at[MAP_LEAVES];
        OF(fetch)(c, first + done, part, workspace, at);
        const T *results = OF(run_steps)(c, at, part, workspace, use == MAP_REDUCE ? to : NULL);
        if (use == MAP_STORE) OF(store)(c->result, results, part, to);
        if (use == MAP_STREAM) OF(store_past_caches)(c->result, results, part, &past_caches);
    }
    if (use == MAP_STREAM) stream_end(&past_caches);
}

/* ------------------------------------------------------------------------------------ views */

/* Copies a box of elements to `to`, row after row without gaps. The elements of a row have the distance `across`, the
 * rows `down`. Reads along the smaller distance. */
#define LOAD_BOX(ctype, value)                                                                           \
    if (across == 0)                                                                                     \
        for (size_t r = 0; r < b->rows; r++) {                                                           \
            const ctype element = *(const ctype *)(x + (ptrdiff_t)r * down);                             \
            for (size_t l = 0; l < b->columns; l++) to[r * b->columns + l] = value;                      \
        }                                                                                                \
    else if (across == (ptrdiff_t)sizeof(ctype))                                                         \
        for (size_t r = 0; r < b->rows; r++)                                                             \
            for (size_t l = 0; l < b->columns; l++) {                                                    \
                const ctype element = ((const ctype *)(x + (ptrdiff_t)r * down))[l];                     \
                to[r * b->columns + l] = value;                                                          \
            }                                                                                            \
    else if (across == 2 * (ptrdiff_t)sizeof(ctype)) /* one part of complex numbers */                   \
        for (size_t r = 0; r < b->rows; r++)                                                             \
            for (size_t l = 0; l < b->columns; l++) {                                                    \
                const ctype element = ((const ctype *)(x + (ptrdiff_t)r * down))[2 * l];                 \
                to[r * b->columns + l] = value;                                                          \
            }                                                                                            \
    else                                                                                                 \
        for (size_t l = 0; l < b->columns; l++)                                                          \
            for (size_t r = 0; r < b->rows; r++) {                                                       \
                const ctype element = *(const ctype *)(x + (ptrdiff_t)l * across + (ptrdiff_t)r * down); \
                to[r * b->columns + l] = value;                                                          \
            }
static void OF(load_box)(const map_leaf *leaf, const map_box *b, ptrdiff_t at, ptrdiff_t across, ptrdiff_t down,
                         T *restrict to) {
    enum { SIGNED_COMES = 1, UNSIGNED_COMES = 1, FLOAT_COMES = FROM_FLOATS };
    const char *const x = (const char *)leaf->p + at;
    switch (leaf->dtype) {
#define TYPE(ID, name, ctype, kind, npy)               \
    case WEFT_##ID:                                    \
        LOAD_BOX(ctype, kind##_COMES ? (T)element : 0) \
        break;
#include "core/types.def"
#if FROM_FLOATS
#define HALF(ID, name, npy)                                                                                     \
    case WEFT_##ID:                                                                                             \
        if (across == (ptrdiff_t)sizeof(uint16_t))                                                              \
            for (size_t r = 0; r < b->rows; r++)                                                                \
                OF(widen_##name)(b->columns, (const uint16_t *)(x + (ptrdiff_t)r * down), to + r * b->columns); \
        else                                                                                                    \
            LOAD_BOX(uint16_t, (T)weft_from_bits_##name(element))                                               \
        break;
#include "core/halves.def"
#endif
    default: break;
    }
}
#undef LOAD_BOX

/* Copies the parts of n adjacent complex numbers. */
INLINE void OF(split_parts)(size_t n, const T *restrict x, T *restrict re, T *restrict im) {
    for (size_t l = 0; l < n; l++) {
        re[l] = x[2 * l];
        im[l] = x[2 * l + 1];
    }
}

/* Copies the parts of the complex numbers in a box, which are adjacent in the rows. Prefetches to L2 the numbers
 * after each row, which in long rows are those of the next box. */
static void OF(load_parts)(const map_leaf *leaf, const map_box *b, ptrdiff_t at, ptrdiff_t down, T *restrict re,
                           T *restrict im) {
    enum { LINES = 2, NUMBERS = LINES * 64 / (2 * sizeof(T)) };
    const char *row = (const char *)leaf->p + at;
    for (size_t r = 0; r < b->rows; r++, row += down, re += b->columns, im += b->columns) {
        const T *const x = (const T *)row;
        size_t l = 0;
        for (; l + NUMBERS <= b->columns; l += NUMBERS) {
            for (size_t k = 0; k < LINES; k++)
                __builtin_prefetch((const char *)(x + 2 * (b->columns + l)) + 64 * k, 0, 2);
            OF(split_parts)(NUMBERS, x + 2 * l, re + l, im + l);
        }
        OF(split_parts)(b->columns - l, x + 2 * l, re + l, im + l);
    }
}

static void OF(number_box)(const map_leaf *leaf, const map_box *b, ptrdiff_t at, ptrdiff_t across, ptrdiff_t down,
                           T *restrict to) {
    for (size_t r = 0; r < b->rows; r++) {
        const uint64_t first = leaf->value.u64 + (uint64_t)at + r * (uint64_t)down;
        for (size_t l = 0; l < b->columns; l++) to[r * b->columns + l] = (T)(first + l * (uint64_t)across);
    }
}

/* Sets at[k] to the address of the elements of leaf k in a box. Arrays of type T are read in place if the elements
 * are adjacent; what a block contains already is not copied again. Both parts of complex numbers are copied at once.
 */
static void OF(fetch_box)(const map_views_call *v, const map_walk *w, const map_box *b, void *workspace,
                          map_filled *filled, const T **at) {
    const map_call *const c = v->map;
    for (size_t k = 0; k < c->leaf_count; k++) {
        const map_leaf *leaf = &c->leaves[k];
        const ptrdiff_t across = w->inner->x[k], down = w->outer->x[k];
        const ptrdiff_t first = w->x[k] + (ptrdiff_t)b->row * down + (ptrdiff_t)b->column * across;
        T *const own = OF(block)(workspace, c->register_count + k);
        const bool adjacent =
            across == (ptrdiff_t)sizeof(T) && (b->rows == 1 || down == (ptrdiff_t)b->columns * across);
        at[k] = own;
        if (leaf->kind == LEAF_VALUE) continue;
        if (leaf->kind == LEAF_ARRAY && leaf->dtype == c->dtype && adjacent) {
            at[k] = (const T *)((const char *)leaf->p + first);
            continue;
        }
        if (!map_is_filled(&filled[k], first, b)) {
            if (w->parts[k])
                OF(load_parts)(leaf, b, first, down, own, own + LANES);
            else
                (leaf->kind == LEAF_INDEX ? OF(number_box) : OF(load_box))(leaf, b, first, across, down, own);
            filled[k] = (map_filled){true, first, b->rows, b->columns};
        }
        if (w->parts[k]) k++, at[k] = own + LANES;
    }
}

/* Writes the results of a row of a box. `adjacent`: the distance `across` of its values is their size. */
INLINE void OF(store_row)(weft_dtype result, const T *restrict from, size_t n, char *row, ptrdiff_t across,
                          bool adjacent) {
    if (adjacent) {
        OF(store)(result, from, n, row);
        return;
    }
    switch (result) {
#if TO_HALVES
#define HALF(ID, name, npy)                                                                                     \
    case WEFT_##ID:                                                                                             \
        for (size_t l = 0; l < n; l++) *(uint16_t *)(row + (ptrdiff_t)l * across) = weft_round_##name(from[l]); \
        break;
#include "core/halves.def"
#endif
    default:
        for (size_t l = 0; l < n; l++) *(T *)(row + (ptrdiff_t)l * across) = STORED(from[l]);
    }
}

/* Writes the results of a box, or one part of them, `distance` bytes after the addresses of the values. */
static void OF(store_box)(const map_views_call *v, const map_walk *w, const map_box *b, ptrdiff_t distance,
                          const T *restrict from) {
    const ptrdiff_t across = w->inner->out, down = w->outer->out;
    char *const to =
        (char *)v->map->out + distance + w->out + (ptrdiff_t)b->row * down + (ptrdiff_t)b->column * across;
    const weft_dtype result = v->map->result;
    const bool adjacent = across == (ptrdiff_t)weft_dtype_size(result);
    for (size_t r = 0; r < b->rows; r++, from += b->columns)
        OF(store_row)(result, from, b->columns, to + (ptrdiff_t)r * down, across, adjacent);
}

/* Writes the parts of n complex results, each imaginary part after its real part. */
INLINE void OF(store_parts)(const T *restrict re, const T *restrict im, size_t n, T *restrict to) {
    for (size_t l = 0; l < n; l++) {
        to[2 * l] = STORED(re[l]);
        to[2 * l + 1] = STORED(im[l]);
    }
}

/* Writes the complex results of a box: adjacent ones at once, others part by part. */
static void OF(store_complex_box)(const map_views_call *v, const map_walk *w, const map_box *b, const T *restrict re,
                                  const T *restrict im) {
    const map_call *const c = v->map;
    const ptrdiff_t across = w->inner->out, down = w->outer->out;
    char *row = (char *)c->out + w->out + (ptrdiff_t)b->row * down + (ptrdiff_t)b->column * across;
    if (c->result != c->dtype || across != 2 * (ptrdiff_t)sizeof(T) || c->imaginary != (ptrdiff_t)sizeof(T)) {
        OF(store_box)(v, w, b, 0, re);
        OF(store_box)(v, w, b, c->imaginary, im);
        return;
    }
    for (size_t r = 0; r < b->rows; r++, row += down, re += b->columns, im += b->columns)
        OF(store_parts)(re, im, b->columns, (T *)row);
}

/* Writes complex results of type T with nontemporal stores. */
INLINE void OF(store_complex_past_caches)(const T *re, const T *im, size_t n, stream *s) {
    const size_t most = STREAM_BLOCK / (2 * sizeof(T));
    for (size_t l = 0; l < n; l += most) {
        const size_t part = n - l < most ? n - l : most;
        OF(store_parts)(re + l, im + l, part, stream_address(s));
        stream_put(s, part * 2 * sizeof(T));
    }
}

/* Writes the results of a box. `real`: those of the last step. */
INLINE void OF(store_results)(const map_views_call *v, map_use use, const map_walk *w, const map_box *b,
                              const T *real, void *workspace, stream *past_caches) {
    const map_call *const c = v->map;
    const size_t n = b->rows * b->columns;
    const T *const re = OF(block)(workspace, c->results[0]), *const im = OF(block)(workspace, c->results[1]);
    if (c->is_complex && use == MAP_STREAM)
        OF(store_complex_past_caches)(re, im, n, past_caches);
    else if (c->is_complex)
        OF(store_complex_box)(v, w, b, re, im);
    else if (use == MAP_STREAM)
        OF(store_past_caches)(c->result, real, n, past_caches);
    else
        OF(store_box)(v, w, b, 0, real);
}

#if FROM_FLOATS
/* Writes the values of an area that is one operation on complex numbers. */
static void OF(operate_area)(const map_views_call *v, map_use use, const map_area *area, const map_walk *w,
                             const complex_operation *o) {
    const char *const x = (const char *)v->map->leaves[o->x].p + w->x[o->x];
    const char *const y = (const char *)v->map->leaves[o->y].p + w->x[o->y];
    char *const out = (char *)v->map->out + w->out;
    stream past_caches;
    if (use == MAP_STREAM) stream_begin(&past_caches, out);
    for (ptrdiff_t r = 0; r < (ptrdiff_t)area->rows; r++)
        OPERATE_ROW(o->op, (const T *)(x + r * w->outer->x[o->x]), (const T *)(y + r * w->outer->x[o->y]),
                    2 * area->columns, (T *)(out + r * w->outer->out), use == MAP_STREAM ? &past_caches : NULL);
    if (use == MAP_STREAM) stream_end(&past_caches);
}
#endif

static void OF(evaluate_views)(const map_views_call *v, map_use use, const map_area *area, void *workspace) {
    map_filled filled[MAP_LEAVES];
    map_walk w;
    stream past_caches;
    map_begin_walk(v, area, &w);
#if FROM_FLOATS
    complex_operation operation;
    if (map_is_operation(v, &w, &operation)) {
        OF(operate_area)(v, use, area, &w, &operation);
        return;
    }
#endif
    for (size_t k = 0; k < v->map->leaf_count; k++) filled[k].valid = false;
    if (use == MAP_STREAM) stream_begin(&past_caches, (char *)v->map->out + w.out);
    for (map_box b = {0}; b.row < area->rows; b.row += area->box_rows)
        for (b.column = 0; b.column < area->columns; b.column += area->box_columns) {
            const T *at[MAP_LEAVES];
            b.rows = map_lesser(area->box_rows, area->rows - b.row);
            b.columns = map_lesser(area->box_columns, area->columns - b.column);
            OF(fetch_box)(v, &w, &b, workspace, filled, at);
            const T *results = OF(run_steps)(v->map, at, b.rows * b.columns, workspace, NULL);
            OF(store_results)(v, use, &w, &b, results, workspace, &past_caches);
        }
    if (use == MAP_STREAM) stream_end(&past_caches);
}

#undef LANES
#undef T
#undef OF
#undef FROM_FLOATS
#undef TO_HALVES
#undef STORED
#undef OPERATE_ROW
