/* The table of cases: element types x sizes x input kinds x seeds. On each pair of arrays every operation,
 * accumulate type and parameter is tested. The arrays are generated once for all operations. */
#include "core/order.h"
#include "core/types.h"
#include "verify/match.h"
#include "verify/memory.h"

#include <string.h>

const match_operation MATCH_OPERATIONS[] = {
#define REDUCE(ID, name, domain, result, empty, help) {#name, WEFT_##ID, &match_reduce},
#define CALL(stem, form, reads, passes, writes, help) {#stem, (weft_op)0, &match_##stem},
#define VIEW(stem) {#stem, (weft_op)0, &match_##stem},
#include "core/ops.def"
#define COMPOSED(stem) {#stem, (weft_op)0, &match_##stem},
#include "verify/composed.def"
};
const size_t MATCH_OPERATION_COUNT = sizeof MATCH_OPERATIONS / sizeof *MATCH_OPERATIONS;

static const weft_dtype DTYPES[] = {
#define HALF(ID, name, npy) WEFT_##ID,
#include "core/halves.def"
#define TYPE(ID, name, ctype, kind, npy) WEFT_##ID,
#include "core/types.def"
};

const weft_dtype MATCH_ACCUMULATES[] = {WEFT_DEFAULT, WEFT_F64, WEFT_EXACT_SUM, WEFT_I64, WEFT_U64, WEFT_F32};

#define LENGTH(array) (sizeof(array) / sizeof *(array))

size_t match_each(const match_case *c) { return c->n; }

const match_operation *match_find(const char *name) {
    for (size_t i = 0; i < MATCH_OPERATION_COUNT; i++)
        if (strcmp(MATCH_OPERATIONS[i].name, name) == 0) return &MATCH_OPERATIONS[i];
    return NULL;
}

static const char *const LEVELS[MATCH_LEVELS] = {"tiny", "quick", "full", "golden"};

const char *match_level_name(match_level level) { return LEVELS[level]; }

bool match_read_level(const char *text, match_level *level) {
    for (*level = MATCH_TINY; *level < MATCH_GOLDEN; ++*level)
        if (strcmp(text, LEVELS[*level]) == 0) return true;
    return false;
}

/* ------------------------------------------------------------------------------------ sizes */

/* n = tiles * tile + lanes * lane + elements, and the levels that test this size. */
typedef struct size {
    int tiles, lanes, elements;
    unsigned levels;
} size;

enum {
    T = 1 << MATCH_TINY,
    Q = 1 << MATCH_QUICK,
    F = 1 << MATCH_FULL,
    G = 1 << MATCH_GOLDEN,
    ALL = T | Q | F | G,
    MOST = Q | F,
    SIXTEENS = 1 << MATCH_LEVELS, /* for array outputs only: sizes around powers of 16 */
};

static const size SIZES[] = {
    {0, 0, 0, ALL},       /* no elements */
    {0, 0, 1, ALL},       /* one element, every other lane empty */
    {0, 0, 2, MOST},      /* */
    {0, 0, 3, ALL},       /* less than a vector of any machine */
    {0, 0, 15, MOST},     /* 16 - 1 */
    {0, 0, 17, MOST},     /* 16 + 1 */
    {0, 1, -1, ALL},      /* a row minus one */
    {0, 1, 0, MOST},      /* a row */
    {0, 1, 1, ALL},       /* a row plus one */
    {0, 5, 7, ALL},       /* rows and a remainder */
    {1, 0, -1, ALL},      /* a tile minus one */
    {1, 0, 0, ALL},       /* a tile */
    {1, 0, 1, ALL},       /* a tile plus one: the first combination of tiles */
    {2, 0, 0, MOST},      /* */
    {2, 0, 1, ALL},       /* three tiles: a tile without a partner */
    {3, 0, 5, ALL},       /* four tiles, the last one short */
    {5, 0, 77, ALL},      /* six tiles: a pair without a partner */
    {7, 0, 0, MOST},      /* nodes without a partner on two levels */
    {8, 0, -1, MOST},     /* a full tree, its last tile short */
    {8, 0, 1, T | MOST},  /* a full tree and one more tile */
    {13, 3, 1, MOST},     /* */
    {16, 0, 0, MOST},     /* */
    {64, 0, 1, T | MOST}, /* */
    {100, 3, 9, MOST},    /* */
    {0, 0, 999983, MOST}, /* a prime near 10^6 */
    {0, 0, 16777219, F},  /* beyond the integers that f32 represents exactly */
    {0, 0, 16, SIXTEENS | ALL},
    {0, 0, 17, SIXTEENS | ALL},
    {0, 0, 31, SIXTEENS | ALL},
    {0, 0, 255, SIXTEENS | ALL},
    {0, 0, 256, SIXTEENS | ALL},
    {0, 0, 257, SIXTEENS | ALL},
    {0, 0, 273, SIXTEENS | ALL},
    {0, 0, 4095, SIXTEENS | MOST},
    {0, 0, 4096, SIXTEENS | MOST},
    {0, 0, 4097, SIXTEENS | ALL},
    {0, 0, 3 * 4096 + 5, SIXTEENS | MOST},
    {0, 0, 16383, SIXTEENS | MOST},
    {0, 0, 16385, SIXTEENS | MOST},
    {0, 0, 65535, SIXTEENS | MOST},
    {0, 0, 65536, SIXTEENS | MOST},
    {0, 0, 65537, SIXTEENS | T | MOST},
    {0, 0, 262143, SIXTEENS | MOST},
    {0, 0, 262145, SIXTEENS | MOST},
    {0, 0, 1048577, SIXTEENS | MOST},
};

static size_t elements(const size *s, size_t element_bytes) {
    const long long n =
        (long long)s->tiles * WEFT_TILE(element_bytes) + (long long)s->lanes * WEFT_LANES(element_bytes);
    return (size_t)(n + s->elements);
}

/* Up to `small` elements every kind is tested with `seeds` seeds; up to `medium` elements every kind once. */
typedef struct amount {
    size_t small, medium;
    uint64_t seeds;
} amount;

static const amount AMOUNTS[] = {
    [MATCH_TINY] = {5000, 15000, 2},
    [MATCH_QUICK] = {15000, 60000, 8},
    [MATCH_FULL] = {70000, 1000000, 16},
    [MATCH_GOLDEN] = {5000, 15000, 4},
};

static uint64_t seeds(match_level level, size_t n, input_kind kind) {
    const amount *a = &AMOUNTS[level];
    if (n > a->medium && !input_is_large(kind)) return 0;
    return input_is_random(kind) && n <= a->small ? a->seeds : 1;
}

/* -------------------------------------------------------------------------------------- walk */

typedef struct walk {
    match_level level;
    const match_operation *only;
    const match_visitor *visitor;
    memory_array arrays[MATCH_INPUTS];
    bool sixteens; /* a size for operations with array outputs only */
    double done, all;
    unsigned long long count;
} walk;

/* Returns true if the case is tested. The specification of an operation with an array output costs as much as a
 * hundred sums. For these, only one in three cases with long inputs is tested, and at the quick level only two of
 * eight seeds. */
static bool is_taken(const walk *w, const match_case *c) {
    enum { LONG = 5000, SEEDS = 2 };
    const match_shape *shape = c->operation->shape;
    const bool in_turn = (c->turn / 8 + (uint64_t)c->parameter + (uint64_t)c->accumulate) % 3 == 0;
    if (type_is_half(c->dtype) && !shape->halves) return false;
    if (shape->values && w->level == MATCH_QUICK && c->seed > SEEDS) return false;
    if (shape->values && c->n > LONG && w->level != MATCH_GOLDEN && !in_turn) return false;
    return shape->out_bytes(c) != 0;
}

static bool visit_operation(walk *w, match_case *c, const void *const *inputs) {
    const match_shape *shape = c->operation->shape;
    const bool half = type_is_half(c->dtype);
    const int accumulates = half && shape->accumulates > 1 ? MATCH_ACCUMULATE_COUNT : shape->accumulates;
    for (int a = 0; a < accumulates; a++) {
        c->accumulate = MATCH_ACCUMULATES[a];
        if (c->accumulate == WEFT_F64 && c->dtype != WEFT_F32 && !half) continue;
        for (c->parameter = 0; c->parameter < shape->parameters; c->parameter++)
            if (is_taken(w, c) && !w->visitor->visit(w->visitor->self, c, inputs)) return false;
    }
    return true;
}

/* Generates the arrays of a case and visits every operation on them. */
static bool visit_inputs(walk *w, match_case *c) {
    const void *inputs[MATCH_INPUTS];
    const unsigned long long number = w->count++;
    if (w->visitor->number && !w->visitor->number(w->visitor->self, number)) return true;
    c->offset = (match_offset)(number % OFFSETS);
    c->turn = input_random((uint64_t)c->dtype * INPUT_COUNT + (uint64_t)c->kind, c->n) / 2 + c->seed;
    for (int i = 0; i < MATCH_INPUTS; i++) {
        void *x = memory_at(&w->arrays[i], c->offset, c->n, weft_dtype_size(c->dtype));
        input_fill(c->kind, c->dtype, c->seed * MATCH_INPUTS + (uint64_t)i, c->n, x);
        inputs[i] = x;
    }
    c->operation = NULL;
    c->accumulate = WEFT_DEFAULT;
    if (w->visitor->inputs && !w->visitor->inputs(w->visitor->self, c, inputs)) return false;
    for (size_t i = 0; i < MATCH_OPERATION_COUNT; i++) {
        c->operation = &MATCH_OPERATIONS[i];
        if (w->sixteens && !c->operation->shape->values) continue;
        if ((!w->only || w->only == c->operation) && !visit_operation(w, c, inputs)) return false;
    }
    return true;
}

/* Returns true if the size is tested at this level and by the selected operation. */
static bool is_visited(const walk *w, const size *s) {
    const bool useful = !(s->levels & SIXTEENS) || !w->only || w->only->shape->values;
    return useful && (s->levels >> w->level & 1);
}

/* Returns true if the selected operation, or any operation, supports the type. */
static bool is_supported(const walk *w, weft_dtype dtype) {
    return !type_is_half(dtype) || !w->only || w->only->shape->halves;
}

/* Visits one element type and size. With `count_only`, only adds up the work. */
static bool visit_size(walk *w, weft_dtype dtype, size_t n, bool count_only) {
    match_case c = {.dtype = dtype, .n = n};
    for (int kind = 0; kind < INPUT_COUNT; kind++) {
        c.kind = (input_kind)kind;
        const uint64_t last = input_fits(c.kind, dtype) ? seeds(w->level, n, c.kind) : 0;
        for (c.seed = 1; c.seed <= last; c.seed++) {
            const double work = (double)n + 1000;
            if (count_only) {
                w->all += work;
                continue;
            }
            if (!visit_inputs(w, &c)) return false;
            w->done += work;
            if (w->visitor->progress) w->visitor->progress(w->visitor->self, w->done, w->all);
        }
    }
    return true;
}

/* Visits the floats first, which are last in types.def, because most faults affect them. */
static bool visit_all(walk *w, bool count_only) {
    for (size_t d = LENGTH(DTYPES); d-- > 0;)
        for (size_t s = 0; s < LENGTH(SIZES); s++) {
            w->sixteens = SIZES[s].levels & SIXTEENS;
            if (is_supported(w, DTYPES[d]) && is_visited(w, &SIZES[s]) &&
                !visit_size(w, DTYPES[d], elements(&SIZES[s], weft_dtype_size(DTYPES[d])), count_only))
                return false;
        }
    return true;
}

static size_t most_bytes(match_level level) {
    size_t most = 0;
    for (size_t s = 0; s < LENGTH(SIZES); s++) {
        const size_t bytes = elements(&SIZES[s], sizeof(float)) * sizeof(double);
        if (SIZES[s].levels >> level & 1 && bytes > most) most = bytes;
    }
    return most;
}

bool match_walk(match_level level, const match_operation *only, const match_visitor *visitor) {
    walk w = {.level = level, .only = only, .visitor = visitor};
    bool ready = true;
    for (int i = 0; i < MATCH_INPUTS; i++) ready = memory_map(&w.arrays[i], most_bytes(level)) && ready;
    if (ready) {
        visit_all(&w, true);
        visit_all(&w, false);
    }
    for (int i = 0; i < MATCH_INPUTS; i++) memory_unmap(&w.arrays[i]);
    return ready;
}
