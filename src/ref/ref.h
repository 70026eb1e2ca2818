/* The specification's operations, one file for each. */
#ifndef WEFT_REF_REF_H
#define WEFT_REF_REF_H

#include "core/backend.h"

#define BACKEND(stem) weft_status ref_##stem(void *state, const stem##_call *call, weft_error *error);
#include "core/ops.def"

/* Computes the values of a formula, in memory that the caller must free. */
weft_status ref_map_values(const map_call *call, void **values, weft_error *error);
/* Reduces the values of a formula. */
weft_status ref_map_reduce(void *state, const reduce_call *call, weft_error *error);
/* Scans the values of a formula. */
weft_status ref_map_scan(void *state, const scan_call *call, weft_error *error);

#endif
