/* The body of ref/recurrence.c for one type. The includer sets REAL, DTYPE, FMA and OF(name). */

#define MAP OF(map)
#define LEVELS OF(levels)

/* The map w -> s w + u. */
typedef struct MAP {
    REAL s, u;
} MAP;

/* level[k], k >= 1: the maps of the full groups of level k - 1. */
typedef struct LEVELS {
    const recurrence_call *call;
    size_t row;
    MAP *level[WEFT_SCAN_LEVELS + 1];
    REAL init;
} LEVELS;

static REAL OF(element)(const LEVELS *l, const void *array, size_t i) {
    return ((const REAL *)array)[place(l->call, l->row, i)];
}

/* Computes one step of the loop. */
static REAL OF(step)(const LEVELS *l, size_t i, REAL v) {
    return FMA(OF(element)(l, l->call->s, i), v, OF(element)(l, l->call->u, i));
}

static REAL OF(times)(REAL a, REAL b) { return isnan(a * b) ? 0 : a * b; }

static REAL OF(apply)(MAP m, REAL w) { return w == 0 && isinf(m.s) ? m.u : FMA(m.s, w, m.u); }

static MAP OF(then)(MAP a, MAP b) { return (MAP){OF(times)(a.s, b.s), OF(apply)(b, a.u)}; }

/* Returns the map of 16 elements (ORDER.md 9.2). */
static MAP OF(map_of_group)(const LEVELS *l, size_t group) {
    const size_t first = group * WEFT_SCAN_GROUP;
    MAP m = {OF(element)(l, l->call->s, first), OF(step)(l, first, 0)};
    for (size_t i = first + 1; i < first + WEFT_SCAN_GROUP; i++) {
        m.s *= OF(element)(l, l->call->s, i);
        m.u = OF(step)(l, i, m.u);
    }
    if (isnan(m.s)) m.s = 0;
    return m;
}

/* Returns G(m, d): m[0..d) of a group, combined by doubling distances. */
static MAP OF(scan_group)(const MAP *m, size_t d) {
    MAP w[WEFT_SCAN_GROUP];
    memcpy(w, m, d * sizeof *m);
    for (size_t distance = 1; distance < WEFT_SCAN_GROUP; distance *= 2)
        for (size_t j = d; j-- > distance;) w[j] = OF(then)(w[j - distance], w[j]);
    return w[d - 1];
}

/* Returns B_k(j). */
static REAL OF(before)(const LEVELS *l, size_t k, size_t j) {
    if (j == 0) return l->init;
    const size_t group = j / WEFT_SCAN_GROUP, d = j % WEFT_SCAN_GROUP;
    const REAL w = OF(before)(l, k + 1, group);
    return d ? OF(apply)(OF(scan_group)(l->level[k] + group * WEFT_SCAN_GROUP, d), w) : w;
}

/* Fills the levels of a row, which are stored consecutively. */
static void OF(totals)(LEVELS *l) {
    size_t n = l->call->n / WEFT_SCAN_GROUP;
    for (size_t g = 0; g < n; g++) l->level[1][g] = OF(map_of_group)(l, g);
    for (size_t k = 1; k < WEFT_SCAN_LEVELS; k++) {
        l->level[k + 1] = l->level[k] + n;
        n /= WEFT_SCAN_GROUP;
        for (size_t g = 0; g < n; g++)
            l->level[k + 1][g] = OF(scan_group)(l->level[k] + g * WEFT_SCAN_GROUP, WEFT_SCAN_GROUP);
    }
}

/* Returns the map of all elements in c->map. */
static void OF(give_map)(const LEVELS *l) {
    size_t k = 0;
    for (size_t n = l->call->n; n > 1; n /= WEFT_SCAN_GROUP) k++;
    l->call->map[0] = l->call->map[1] = 0;
    memcpy(&l->call->map[0], &l->level[k]->s, sizeof(REAL));
    memcpy(&l->call->map[1], &l->level[k]->u, sizeof(REAL));
}

/* Solves a row. In place, v is s or u; element i is not used again after v[i] has been stored. */
static void OF(one_row)(LEVELS *l) {
    const recurrence_call *c = l->call;
    REAL v = 0;
    l->init = c->init ? ((const REAL *)c->init)[l->row] : 0;
    OF(totals)(l);
    if (c->map) OF(give_map)(l);
    for (size_t i = 0; i < c->n; i++) {
        if (i % WEFT_SCAN_GROUP == 0) v = OF(before)(l, 1, i / WEFT_SCAN_GROUP);
        v = OF(step)(l, i, v);
        ref_store_real(DTYPE, v, (REAL *)c->v + place(c, l->row, i));
    }
}

static weft_status OF(all_rows)(const recurrence_call *c, weft_error *error) {
    /* n/16 + n/256 + ... */
    MAP *maps = malloc((c->n / (WEFT_SCAN_GROUP - 1) + 1) * sizeof *maps);
    RETURN_IF(!maps, WEFT_OUT_OF_MEMORY, "cannot allocate host memory for the recurrence of %zu elements", c->n);
    LEVELS l = {.call = c, .level = {NULL, maps}};
    for (l.row = 0; l.row < c->rows; l.row++) OF(one_row)(&l);
    free(maps);
    return WEFT_OK;
}

#undef REAL
#undef DTYPE
#undef FMA
#undef OF
#undef MAP
#undef LEVELS
