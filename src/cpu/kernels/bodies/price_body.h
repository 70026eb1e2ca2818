/* Simulates LANES paths at a time in REAL arithmetic, float or double; included once for each. FUSED is fma of
 * REAL. */

/* LANES values, one per path. */
typedef REAL OF(lanes)[LANES];

/* State of the simulations of one leg. `walk`: the prices, or, for exact steps, the logarithms of their ratio to
 * the start. */
typedef struct OF(course) {
    OF(lanes) walk[WEFT_ASSETS_MAX], price[WEFT_ASSETS_MAX];
    OF(lanes) basket, sum, sum_of_logs, highest, lowest;
} OF(course);

/* Source of the paths' normals: the four words of a Philox block in turn, or its four fast normals, or the
 * coordinates of Sobol points. */
typedef struct OF(source) {
    uint64_t first, drawn;
    uint32_t words[4][LANES];
    float fast[4][LANES];
} OF(source);

static void OF(draw_fast)(const price_call *c, OF(source) * s, REAL *normals) {
    if (s->drawn % 4 == 0) normals_fast(s->first, s->drawn / 4, c->seed, s->fast);
    const float *const z = s->fast[s->drawn++ % 4];
    for (size_t l = 0; l < LANES; l++) normals[l] = (REAL)z[l];
}

static void OF(draw)(const price_call *c, const price_points *points, OF(source) * s, REAL *normals) {
    if (c->sobol)
        draw_points(points, s->first, s->drawn, s->words[s->drawn % 4]);
    else if (s->drawn % 4 == 0)
        draw_words(s->first, s->drawn / 4, c->seed, s->words);
    const uint32_t *words = s->words[s->drawn++ % 4];
    for (size_t l = 0; l < LANES; l++) normals[l] = (REAL)weft_price_normal(words[l]);
}

/* ----------------------------------------------------------------------------------- steps */

static void OF(set)(REAL *lanes, REAL value) {
    for (size_t l = 0; l < LANES; l++) lanes[l] = value;
}

static void OF(weigh_basket)(const price_call *c, OF(course) * w) {
    for (size_t l = 0; l < LANES; l++) w->basket[l] = (REAL)c->weights[0] * w->price[0][l];
    for (size_t i = 1; i < c->assets; i++)
        for (size_t l = 0; l < LANES; l++) w->basket[l] = FUSED((REAL)c->weights[i], w->price[i][l], w->basket[l]);
}

static void OF(find_prices)(const price_call *c, const price_leg *leg, OF(course) * w) {
    for (size_t i = 0; i < c->assets; i++) {
        const REAL start = (REAL)leg->start[i];
        for (size_t l = 0; l < LANES; l++)
            w->price[i][l] = c->scheme == WEFT_EULER ? w->walk[i][l] : start * OF(weft_exp)(w->walk[i][l]);
    }
    OF(weigh_basket)(c, w);
}

static void OF(begin)(const price_call *c, const price_leg *leg, OF(course) * w) {
    for (size_t i = 0; i < c->assets; i++) {
        OF(set)(w->price[i], (REAL)leg->start[i]);
        OF(set)(w->walk[i], c->scheme == WEFT_EULER ? (REAL)leg->start[i] : 0);
    }
    OF(weigh_basket)(c, w);
    memcpy(w->highest, w->basket, sizeof w->basket);
    memcpy(w->lowest, w->basket, sizeof w->basket);
    OF(set)(w->sum, 0);
    OF(set)(w->sum_of_logs, 0);
}

static void OF(move)(const price_call *c, const price_leg *leg, OF(lanes) * normals, OF(course) * w) {
    OF(lanes) x;
    for (size_t i = 0; i < c->assets; i++) {
        REAL *const walk = w->walk[i];
        OF(set)(x, (REAL)leg->drift[i]);
        for (size_t j = 0; j <= i; j++)
            for (size_t l = 0; l < LANES; l++) x[l] = FUSED((REAL)leg->loading[i][j], normals[j][l], x[l]);
        if (c->scheme == WEFT_EULER)
            for (size_t l = 0; l < LANES; l++) walk[l] = FUSED(walk[l], x[l], walk[l]);
        else
            for (size_t l = 0; l < LANES; l++) walk[l] = walk[l] + x[l];
    }
}

/* Returns true if the payoff depends on the prices on all dates, not only on the last one. */
static bool OF(looks_on_the_way)(const price_call *c) {
    return c->barrier != WEFT_NO_BARRIER ||
           (c->observed != WEFT_OBSERVE_END && c->observed != WEFT_OBSERVE_GEOMETRIC);
}

static void OF(look)(const price_call *c, const price_leg *leg, OF(course) * w) {
    OF(find_prices)(c, leg, w);
    for (size_t l = 0; l < LANES; l++) {
        const REAL b = w->basket[l];
        w->sum[l] = w->sum[l] + b;
        w->highest[l] = b > w->highest[l] ? b : w->highest[l];
        w->lowest[l] = b < w->lowest[l] ? b : w->lowest[l];
    }
}

/* Simulates all steps of all legs. */
static void OF(walk)(const price_call *c, const price_points *points, uint64_t first, OF(course) * courses) {
    OF(lanes) normals[WEFT_ASSETS_MAX];
    OF(source) source = {.first = first};
    const bool looks = OF(looks_on_the_way)(c);
    for (size_t k = 0; k < c->legs; k++) OF(begin)(c, &c->leg[k], &courses[k]);
    for (size_t step = 0; step < c->steps; step++) {
        for (size_t j = 0; j < c->assets; j++)
            if (c->fast)
                OF(draw_fast)(c, &source, normals[j]);
            else
                OF(draw)(c, points, &source, normals[j]);
        for (size_t k = 0; k < c->legs; k++) {
            OF(course) *const w = &courses[k];
            OF(move)(c, &c->leg[k], normals, w);
            for (size_t l = 0; l < LANES; l++) w->sum_of_logs[l] = w->sum_of_logs[l] + w->walk[0][l];
            if (looks) OF(look)(c, &c->leg[k], w);
        }
    }
    for (size_t k = 0; k < c->legs && !looks; k++) OF(find_prices)(c, &c->leg[k], &courses[k]);
}

/* --------------------------------------------------------------------------------- payoffs */

static void OF(find_geometric)(const price_call *c, const price_leg *leg, const OF(course) * w, REAL *mean) {
    const REAL start = (REAL)leg->start[0], steps = (REAL)c->steps;
    for (size_t l = 0; l < LANES; l++) mean[l] = start * OF(weft_exp)(w->sum_of_logs[l] / steps);
}

static void OF(observe)(const price_call *c, const price_leg *leg, const OF(course) * w, REAL *a) {
    const REAL steps = (REAL)c->steps;
    switch (c->observed) {
    case WEFT_OBSERVE_MEAN:
        for (size_t l = 0; l < LANES; l++) a[l] = w->sum[l] / steps;
        break;
    case WEFT_OBSERVE_GEOMETRIC: OF(find_geometric)(c, leg, w, a); break;
    case WEFT_OBSERVE_HIGHEST: memcpy(a, w->highest, sizeof w->highest); break;
    case WEFT_OBSERVE_LOWEST: memcpy(a, w->lowest, sizeof w->lowest); break;
    default: memcpy(a, w->basket, sizeof w->basket); break;
    }
}

/* Sets the payoff to 0 on paths that the barrier knocks out or does not knock in. */
static void OF(bar)(const price_call *c, const OF(course) * w, REAL *pays) {
    const REAL level = (REAL)c->level;
    const bool up = c->barrier == WEFT_UP_AND_OUT || c->barrier == WEFT_UP_AND_IN;
    const bool in = c->barrier == WEFT_UP_AND_IN || c->barrier == WEFT_DOWN_AND_IN;
    for (size_t l = 0; l < LANES; l++) {
        const bool reached = up ? w->highest[l] >= level : w->lowest[l] <= level;
        pays[l] = reached == in ? pays[l] : 0;
    }
}

static void OF(find_within)(const price_call *c, const OF(course) * w, REAL *pays) {
    OF(set)(pays, 1);
    for (size_t i = 0; i < c->assets; i++) {
        const REAL centre = (REAL)c->centre[i], width = (REAL)c->width[i];
        for (size_t l = 0; l < LANES; l++) {
            const REAL off = w->price[i][l] - centre;
            pays[l] = ((off < width) & (-off < width)) ? pays[l] : 0;
        }
    }
}

/* Computes the payoff of a call on a with strike k. */
static void OF(exceed)(const REAL *a, const REAL *k, REAL *pays) {
    for (size_t l = 0; l < LANES; l++) pays[l] = OF(weft_excess)(a[l], k[l]);
}

static void OF(find_pays)(const price_call *c, const price_leg *leg, const OF(course) * w, REAL *pays) {
    OF(lanes) a, strike;
    OF(observe)(c, leg, w, a);
    OF(set)(strike, (REAL)c->strike);
    switch (c->payoff) {
    case WEFT_CALL: OF(exceed)(a, strike, pays); break;
    case WEFT_PUT: OF(exceed)(strike, a, pays); break;
    case WEFT_DIGITAL_CALL:
        for (size_t l = 0; l < LANES; l++) pays[l] = a[l] > strike[l];
        break;
    case WEFT_DIGITAL_PUT:
        for (size_t l = 0; l < LANES; l++) pays[l] = a[l] < strike[l];
        break;
    case WEFT_FLOATING_CALL: OF(exceed)(w->basket, a, pays); break;
    case WEFT_FLOATING_PUT: OF(exceed)(a, w->basket, pays); break;
    default: OF(find_within)(c, w, pays); break;
    }
    if (c->barrier != WEFT_NO_BARRIER) OF(bar)(c, w, pays);
}

static void OF(find_control)(const price_call *c, const price_leg *leg, const OF(course) * w, REAL *pays) {
    OF(lanes) mean, strike;
    if (c->control == CONTROL_END) {
        memcpy(pays, w->basket, sizeof w->basket);
        return;
    }
    OF(find_geometric)(c, leg, w, mean);
    OF(set)(strike, (REAL)c->strike);
    OF(exceed)(c->payoff == WEFT_CALL ? mean : strike, c->payoff == WEFT_CALL ? strike : mean, pays);
}

/* Adds the weighted payoff of leg k to the values; leg 0 initializes them. */
static void OF(enter)(size_t k, double weight, const REAL *pays, double *values) {
    for (size_t l = 0; l < LANES; l++)
        values[l] = k == 0 ? weight * (double)pays[l] : fma_f64(weight, (double)pays[l], values[l]);
}

static void OF(paths)(const price_call *c, const price_points *points, uint64_t first, size_t n, double *v,
                      double *controls) {
    OF(course) courses[PRICE_LEGS_MAX];
    OF(lanes) pays;
    for (size_t row = 0; row < n; row += LANES) {
        OF(walk)(c, points, first + row, courses);
        for (size_t k = 0; k < c->legs; k++) {
            const price_leg *const leg = &c->leg[k];
            OF(find_pays)(c, leg, &courses[k], pays);
            OF(enter)(k, leg->weight, pays, v + row);
            if (c->control == CONTROL_NONE) continue;
            OF(find_control)(c, leg, &courses[k], pays);
            OF(enter)(k, leg->weight, pays, controls + row);
        }
    }
}

#undef REAL
#undef FUSED
#undef OF
