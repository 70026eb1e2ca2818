/* A path in REAL arithmetic, float or double. Included once for each. FUSED is fma of REAL. */

/* State of a path after a number of its steps. */
typedef struct OF(walk) {
    REAL log[WEFT_ASSETS_MAX], price[WEFT_ASSETS_MAX];
    REAL basket, sum, sum_of_logs, highest, lowest;
} OF(walk);

static REAL OF(basket)(const price_call *c, const REAL *price) {
    REAL worth = (REAL)c->weights[0] * price[0];
    for (size_t i = 1; i < c->assets; i++) worth = FUSED((REAL)c->weights[i], price[i], worth);
    return worth;
}

static void OF(begin)(const price_call *c, const price_leg *leg, OF(walk) * w) {
    for (size_t i = 0; i < c->assets; i++) {
        w->price[i] = (REAL)leg->start[i];
        w->log[i] = 0;
    }
    w->basket = w->highest = w->lowest = OF(basket)(c, w->price);
    w->sum = w->sum_of_logs = 0;
}

static void OF(step)(const price_call *c, const price_leg *leg, uint64_t p, uint64_t step, OF(walk) * w) {
    for (size_t i = 0; i < c->assets; i++) {
        REAL x = (REAL)leg->drift[i];
        for (size_t j = 0; j <= i; j++)
            x = FUSED((REAL)leg->loading[i][j], (REAL)normal(c, p, step * c->assets + j), x);
        w->log[i] = w->log[i] + x;
        if (c->scheme == WEFT_EXACT)
            w->price[i] = (REAL)leg->start[i] * (REAL)ref_exp((double)w->log[i]);
        else
            w->price[i] = FUSED(w->price[i], x, w->price[i]);
    }
    w->basket = OF(basket)(c, w->price);
    w->sum = w->sum + w->basket;
    w->sum_of_logs = w->sum_of_logs + w->log[0];
    if (w->basket > w->highest) w->highest = w->basket;
    if (w->basket < w->lowest) w->lowest = w->basket;
}

static REAL OF(geometric)(const price_call *c, const price_leg *leg, const OF(walk) * w) {
    return (REAL)leg->start[0] * (REAL)ref_exp((double)(w->sum_of_logs / (REAL)c->steps));
}

static REAL OF(observed)(const price_call *c, const price_leg *leg, const OF(walk) * w) {
    switch (c->observed) {
    case WEFT_OBSERVE_MEAN: return w->sum / (REAL)c->steps;
    case WEFT_OBSERVE_GEOMETRIC: return OF(geometric)(c, leg, w);
    case WEFT_OBSERVE_HIGHEST: return w->highest;
    case WEFT_OBSERVE_LOWEST: return w->lowest;
    default: return w->basket;
    }
}

static bool OF(alive)(const price_call *c, const OF(walk) * w) {
    const bool above = w->highest >= (REAL)c->level, below = w->lowest <= (REAL)c->level;
    switch (c->barrier) {
    case WEFT_UP_AND_OUT: return !above;
    case WEFT_UP_AND_IN: return above;
    case WEFT_DOWN_AND_OUT: return !below;
    case WEFT_DOWN_AND_IN: return below;
    default: return true;
    }
}

static bool OF(is_within)(const price_call *c, const OF(walk) * w) {
    for (size_t i = 0; i < c->assets; i++) {
        const REAL off = w->price[i] - (REAL)c->centre[i], width = (REAL)c->width[i];
        if (!(off < width && -off < width)) return false;
    }
    return true;
}

/* Returns a - b, or 0 if that is negative. */
static REAL OF(excess)(REAL a, REAL b) { return a - b < 0 ? 0 : a - b; }

static REAL OF(pays)(const price_call *c, const price_leg *leg, const OF(walk) * w) {
    const REAL a = OF(observed)(c, leg, w), strike = (REAL)c->strike;
    if (!OF(alive)(c, w)) return 0;
    switch (c->payoff) {
    case WEFT_CALL: return OF(excess)(a, strike);
    case WEFT_PUT: return OF(excess)(strike, a);
    case WEFT_DIGITAL_CALL: return a > strike;
    case WEFT_DIGITAL_PUT: return a < strike;
    case WEFT_FLOATING_CALL: return OF(excess)(w->basket, a);
    case WEFT_FLOATING_PUT: return OF(excess)(a, w->basket);
    default: return OF(is_within)(c, w);
    }
}

static REAL OF(control)(const price_call *c, const price_leg *leg, const OF(walk) * w) {
    const REAL mean = OF(geometric)(c, leg, w), strike = (REAL)c->strike;
    if (c->control == CONTROL_END) return w->basket;
    return c->payoff == WEFT_CALL ? OF(excess)(mean, strike) : OF(excess)(strike, mean);
}

/* Computes the value of path p and of its control: the weighted sums over its legs. */
static void OF(path)(const price_call *c, uint64_t p, double *value, double *control) {
    OF(walk) w = {.basket = 0};
    for (size_t k = 0; k < c->legs; k++) {
        const price_leg *leg = &c->leg[k];
        OF(begin)(c, leg, &w);
        for (uint64_t step = 0; step < c->steps; step++) OF(step)(c, leg, p, step, &w);
        const double v = (double)OF(pays)(c, leg, &w), u = (double)OF(control)(c, leg, &w);
        *value = k == 0 ? leg->weight * v : fma(leg->weight, v, *value);
        *control = k == 0 ? leg->weight * u : fma(leg->weight, u, *control);
    }
}

#undef REAL
#undef FUSED
#undef OF
