/* What options are worth by a formula, for the drawing of how a simulation comes near it. */
#ifndef WEFT_CLI_CLOSED_FORM_H
#define WEFT_CLI_CLOSED_FORM_H

#include "weft.h"

/* The price of calls, puts and digital options on one asset at maturity, or on its geometric mean, without a barrier
 * and by exact steps (F. Black, M. Scholes, Journal of Political Economy 81, 1973). NaN for all others. */
double closed_form(const weft_option *option, const weft_simulation *simulation);

#endif
