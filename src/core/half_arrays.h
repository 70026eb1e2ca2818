/* Operations on f16 and bf16 that are computed in f32: their arrays are converted to f32 in scratch memory, and the
 * results are rounded. */
#ifndef WEFT_CORE_HALF_ARRAYS_H
#define WEFT_CORE_HALF_ARRAYS_H

#include "core/context.h"
#include "core/map_call.h"
#include "core/types.h"

/* The call that copies n elements of the type `from` at x to the type `to` at y. The types are f32 and f16 or bf16;
 * f32 is rounded once. */
typedef struct conversion {
    map_step step;
    map_leaf leaf;
    map_call map; /* contains addresses of the other members */
} conversion;

void set_conversion(conversion *c, size_t n, weft_dtype from, const void *x, weft_dtype to, void *y);

/* Converts n elements; n may be 0. */
weft_status half_convert(weft_context *ctx, size_t n, weft_dtype from, const void *x, weft_dtype to, void *y,
                         weft_error *error);

/* Run a call whose elements are f16 or bf16, of which all arguments have been checked. */
weft_status half_segmented(weft_context *ctx, const segmented_call *call, weft_error *error);
weft_status half_scatter_reduce(weft_context *ctx, const scatter_reduce_call *call, weft_error *error);
weft_status half_part_sum(weft_context *ctx, const part_sum_call *call, weft_error *error);
/* Converts at most 2^20 elements at a time. */
weft_status half_part_deviations(weft_context *ctx, const part_deviations_call *call, weft_error *error);

#endif
