/* The specification's operations, one file each. */
#ifndef WEFT_REF_REF_H
#define WEFT_REF_REF_H

#include "core/backend.h"

weft_status ref_reduce(void *state, const reduce_call *call, weft_error *error);
weft_status ref_variance(void *state, const variance_call *call, weft_error *error);
weft_status ref_dot(void *state, const dot_call *call, weft_error *error);
weft_status ref_scan(void *state, const scan_call *call, weft_error *error);
weft_status ref_sort(void *state, const sort_call *call, weft_error *error);
weft_status ref_argsort(void *state, const argsort_call *call, weft_error *error);

#endif
