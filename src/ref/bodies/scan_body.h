/* The body of the floating-point scans in ref/scan.c. The includer sets REAL and the functions' names. */

/* The levels of ORDER.md 6.2: level[0] contains the elements, level[k + 1] the totals of the full groups of
 * level[k]. */
typedef struct LEVELS {
    REAL *level[WEFT_SCAN_LEVELS];
    REAL (*combine)(REAL a, REAL b);
    REAL init;
} LEVELS;

static REAL ADD(REAL a, REAL b) { return a + b; }
static REAL MUL(REAL a, REAL b) { return a * b; }

/* Returns G(v, d): v[0..d) of a group, combined by doubling distances. */
static REAL GROUP(const LEVELS *s, const REAL *v, size_t d) {
    REAL w[WEFT_SCAN_GROUP];
    memcpy(w, v, d * sizeof *v);
    for (size_t distance = 1; distance < WEFT_SCAN_GROUP; distance *= 2)
        for (size_t j = d; j-- > distance;) w[j] = s->combine(w[j - distance], w[j]);
    return w[d - 1];
}

/* Returns P_k(i). */
static REAL PREFIX(const LEVELS *s, size_t k, size_t i) {
    if (i == 0) return s->init;
    const size_t group = i / WEFT_SCAN_GROUP, d = i % WEFT_SCAN_GROUP;
    const REAL before = PREFIX(s, k + 1, group);
    return d ? s->combine(before, GROUP(s, s->level[k] + group * WEFT_SCAN_GROUP, d)) : before;
}

/* Fills the levels above the elements. All levels are stored consecutively. */
static void TOTALS(LEVELS *s, size_t n) {
    for (size_t k = 0; k + 1 < WEFT_SCAN_LEVELS; k++) {
        s->level[k + 1] = s->level[k] + n;
        n /= WEFT_SCAN_GROUP;
        for (size_t g = 0; g < n; g++)
            s->level[k + 1][g] = GROUP(s, s->level[k] + g * WEFT_SCAN_GROUP, WEFT_SCAN_GROUP);
    }
}

static weft_status SCAN(const scan_call *c, array x, weft_error *error) {
    const bool sum = c->op == WEFT_SUM;
    /* n + n/16 + n/256 + ... */
    REAL *values = malloc((c->n + c->n / (WEFT_SCAN_GROUP - 1) + 1) * sizeof *values);
    RETURN_IF(!values, WEFT_OUT_OF_MEMORY, "cannot allocate host memory for the scan of %zu elements", c->n);
    LEVELS s = {.level = {values}, .combine = sum ? ADD : MUL, .init = sum ? (REAL)-0.0 : (REAL)1};
    for (size_t i = 0; i < c->n; i++) values[i] = (REAL)ref_real(x, i);
    if (c->init) s.init = (REAL)ref_real((array){c->result, c->init}, 0);
    TOTALS(&s, c->n);
    for (size_t i = first_prefix(c); i < c->n + first_prefix(c); i++)
        ref_store_real(c->result, PREFIX(&s, 0, i), result_at(c, i));
    if (c->kind == WEFT_EXCLUSIVE && sum && !c->init)
        ref_store_real(c->result, 0, result_at(c, 0)); /* the empty sum */
    free(values);
    return WEFT_OK;
}

#undef REAL
#undef ADD
#undef MUL
#undef SCAN
#undef LEVELS
#undef GROUP
#undef PREFIX
#undef TOTALS
