/* The maps of a row (ORDER.md 9.2) for one type. The includer sets REAL, FMA and OF(name). */

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
} LEVELS;

/* Returns the index of element i of the row, numbered in the direction of the recurrence. */
static size_t OF(index)(const LEVELS *l, size_t i) {
    return l->row * l->call->n + (l->call->reverse ? l->call->n - 1 - i : i);
}

static REAL OF(element)(const LEVELS *l, const void *array, size_t i) {
    return ((const REAL *)array)[OF(index)(l, i)];
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

/* Fills the levels of a row, which are stored consecutively. */
static void OF(fill_levels)(LEVELS *l) {
    size_t n = l->call->n / WEFT_SCAN_GROUP;
    for (size_t g = 0; g < n; g++) l->level[1][g] = OF(map_of_group)(l, g);
    for (size_t k = 1; k < WEFT_SCAN_LEVELS; k++) {
        l->level[k + 1] = l->level[k] + n;
        n /= WEFT_SCAN_GROUP;
        for (size_t g = 0; g < n; g++)
            l->level[k + 1][g] = OF(scan_group)(l->level[k] + g * WEFT_SCAN_GROUP, WEFT_SCAN_GROUP);
    }
}

/* Allocates the levels of a row: n/16 + n/256 + ... maps. */
static weft_status OF(make_levels)(const recurrence_call *c, LEVELS *l, weft_error *error) {
    MAP *maps = malloc((c->n / (WEFT_SCAN_GROUP - 1) + 1) * sizeof *maps);
    RETURN_IF(!maps, WEFT_OUT_OF_MEMORY, "cannot allocate host memory for the recurrence of %zu elements", c->n);
    *l = (LEVELS){.call = c, .level = {NULL, maps}};
    return WEFT_OK;
}
