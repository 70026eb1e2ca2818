/* Checks that weft_histogram and weft_histogram_axis share. Defined in api/histogram.c. */
#ifndef WEFT_CORE_HISTOGRAM_CHECKS_H
#define WEFT_CORE_HISTOGRAM_CHECKS_H

#include "core/check.h"

/* Checks the element type and the number of bins. */
weft_status check_bins(const histogram_call *c, weft_error *error);

/* Checks that the edges are accessible and do not overlap the counts. */
weft_status check_edges_memory(const weft_context *ctx, const histogram_call *c, const range *counts,
                               weft_error *error);

/* Checks that the edges ascend, unless the backend does so. */
weft_status check_edges_values(const weft_context *ctx, const histogram_call *c, weft_error *error);

/* Checks the bounds of even bins, and sets those of the call. */
weft_status check_even_bounds(const weft_context *ctx, histogram_call *c, const void *lower, const void *upper,
                              weft_error *error);

#endif
