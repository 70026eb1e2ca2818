#include "cli/tour/closed_form.h"

#include <math.h>
#include <stdbool.h>

static double probability(double x) { return 0.5 * erfc(-x * sqrt(0.5)); }

/* Returns the price of an option on an asset whose logarithm is normally distributed. */
static double log_normal_price(const weft_option *o, double mean, double deviation) {
    const double discount = exp(-o->rate * o->maturity), forward = exp(mean + 0.5 * deviation * deviation);
    const double d2 = (mean - log(o->strike)) / deviation, d1 = d2 + deviation;
    switch (o->payoff) {
    case WEFT_CALL: return discount * (forward * probability(d1) - o->strike * probability(d2));
    case WEFT_PUT: return discount * (o->strike * probability(-d2) - forward * probability(-d1));
    case WEFT_DIGITAL_CALL: return discount * probability(d2);
    case WEFT_DIGITAL_PUT: return discount * probability(-d2);
    default: return NAN;
    }
}

double closed_form(const weft_option *o, const weft_simulation *s) {
    const double n = (double)s->steps, v = o->volatility[0];
    const bool geometric = o->observed == WEFT_OBSERVE_GEOMETRIC;
    const double mean_time = o->maturity * (geometric ? (n + 1) / (2 * n) : 1);
    const double variance_time = o->maturity * (geometric ? (n + 1) * (2 * n + 1) / (6 * n * n) : 1);
    if (o->assets != 1 || o->weights || s->scheme != WEFT_EXACT || o->barrier != WEFT_NO_BARRIER || v == 0)
        return NAN;
    if (o->observed != WEFT_OBSERVE_END && !geometric) return NAN;
    return log_normal_price(o, log(o->start[0]) + (o->rate - 0.5 * v * v) * mean_time, v * sqrt(variance_time));
}
