/* Section on option prices: the classic double digital and options with closed forms, with identical paths on every
 * machine; then the classic with many paths, and its time. */
#include "cli/tour/tour.h"

#include <math.h>
#include <stdio.h>

static const double ONES[] = {1, 1}, TENTHS[] = {0.1, 0.1}, HALF[] = {1, 0.5, 0.5, 1}, HUNDRED = 100, FIFTH = 0.2;

static weft_option classic(void) {
    return (weft_option){.size = sizeof(weft_option),
                         .payoff = WEFT_CORRIDOR,
                         .width = 0.1,
                         .rate = 0.05,
                         .maturity = 1,
                         .assets = 2,
                         .start = ONES,
                         .volatility = TENTHS,
                         .correlation = HALF};
}

static weft_option on_one_asset(weft_payoff payoff, weft_observed observed) {
    return (weft_option){.size = sizeof(weft_option),
                         .payoff = payoff,
                         .observed = observed,
                         .strike = 100,
                         .rate = 0.05,
                         .maturity = 1,
                         .assets = 1,
                         .start = &HUNDRED,
                         .volatility = &FIFTH};
}

/* Prices the option on every machine. It is right if it is within 4 standard errors of the exact price. */
static bool row(tour *t, const char *what, const weft_option *o, const weft_simulation *s, double exact) {
    weft_valuation found = {.size = sizeof found}, other = found;
    char value[60];
    bool same = true;
    for (int i = 0; i < t->count; i++) {
        const tour_machine *m = &t->machines[i];
        if (weft_price(m->ctx, o, s, i ? &other : &found) != WEFT_OK) return tour_machine_failed(m);
        if (i == 0) continue;
        t->compared++;
        if (other.price == found.price && other.standard_error == found.standard_error) continue;
        t->different++;
        same = false;
    }
    snprintf(value, sizeof value, "%.6f +- %.6f", found.price, found.standard_error);
    tour_known(t, what, value, tour_expect(t, fabs(found.price - exact) <= 4 * found.standard_error), same);
    return true;
}

static bool known_prices(tour *t, uint64_t paths) {
    const weft_option digital = classic(), call = on_one_asset(WEFT_CALL, WEFT_OBSERVE_END),
                      asian = on_one_asset(WEFT_CALL, WEFT_OBSERVE_GEOMETRIC);
    weft_simulation s = {
        .size = sizeof s, .dtype = WEFT_F64, .scheme = WEFT_EULER, .steps = 100, .paths = paths, .seed = 1};
    printf("    %-48s %-30s %5s  %s\n", "known answers", "", "right", "same");
    if (!row(t, "double digital, 100 Euler steps: 0.417901501389", &digital, &s, 0.417901501389)) return false;
    s.dtype = WEFT_F32;
    if (!row(t, "the same in f32, width 0.1f: 0.417909388526", &digital, &s, 0.417909388526)) return false;
    s = (weft_simulation){.size = sizeof(weft_simulation),
                          .dtype = WEFT_F64,
                          .steps = 1,
                          .paths = paths,
                          .seed = 1,
                          .antithetic = 1,
                          .control = 1};
    if (!row(t, "call, antithetic and controlled: 10.450584", &call, &s, 10.450583572)) return false;
    s = (weft_simulation){.size = sizeof(weft_simulation), .dtype = WEFT_F64, .steps = 50, .paths = paths, .seed = 1};
    return row(t, "geometric Asian call, 50 dates: 5.641058", &asian, &s, 5.641058128);
}

static bool many_paths(tour *t, uint64_t paths) {
    const weft_option digital = classic();
    const weft_simulation s = {
        .size = sizeof s, .dtype = WEFT_F32, .scheme = WEFT_EULER, .steps = 100, .paths = paths, .seed = 1};
    weft_valuation v = {.size = sizeof v}, first = v;
    printf("\n    the double digital in f32, %llu paths\n", (unsigned long long)paths);
    for (int i = 0; i < t->count; i++) {
        const tour_machine *m = &t->machines[i];
        if (!m->shown) continue;
        const double begun = cli_seconds();
        if (weft_price(m->ctx, &digital, &s, &v) != WEFT_OK) return tour_machine_failed(m);
        const double seconds = cli_seconds() - begun;
        if (i == 0) first = v;
        const bool same = tour_expect(t, v.price == first.price && v.standard_error == first.standard_error);
        printf("    %-20s %.8f +- %.8f  %12.3f ms  same: %s\n", m->label, v.price, v.standard_error, 1000 * seconds,
               tour_mark(t, same));
    }
    return true;
}

bool tour_price(tour *t) {
    tour_heading(t, "10  Option prices by Monte Carlo simulation");
    printf("\n  Right: within 4 standard errors of the exact price.\n\n");
    return known_prices(t, 2048 + t->n / 10000) && many_paths(t, 2048 + t->n / 100);
}
