/* Closed-form option prices, for the drawing of a simulation's convergence. */
#ifndef WEFT_CLI_CLOSED_FORM_H
#define WEFT_CLI_CLOSED_FORM_H

#include "weft.h"

/* Returns the price of a call, put or digital option on one asset at maturity, or on its geometric mean, without a
 * barrier and with exact steps (F. Black, M. Scholes, Journal of Political Economy 81, 1973). Returns NaN for all
 * other options. */
double closed_form(const weft_option *option, const weft_simulation *simulation);

#endif
