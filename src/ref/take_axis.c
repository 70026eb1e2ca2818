/* The definition of weft_take_axis (ORDER.md 32.6). */
#include "core/indices.h"
#include "ref/common/array.h"
#include "ref/common/view_offsets.h"
#include "ref/ref.h"

#include <string.h>

/* Returns the index at p, sign-extended: a negative one then is greater than every length. */
static uint64_t index_at(const take_axis_call *c, const void *p) {
    return ref_integer((array){c->index_dtype, p}, 0);
}

static weft_status check_range(const take_axis_call *c, weft_error *error) {
    size_t n = 1;
    for (size_t k = 0; k < c->indices_count; k++) n *= c->indices[k].n;
    for (size_t i = 0; i < n; i++) {
        const uint64_t index =
            index_at(c, (const char *)c->first_index + ref_offset_x(c->indices_count, c->indices, i));
        if (index >= c->m) return indices_fail(error, c->index_dtype, i, index, c->m);
    }
    return WEFT_OK;
}

/* Copies element number i of y, in the order of the dimensions. */
static void take(const take_axis_call *c, size_t i) {
    ptrdiff_t in_x = 0, in_index = 0, in_y = 0;
    for (size_t k = c->count; k-- > 0; i /= c->dimensions[k].n) {
        const ptrdiff_t own = (ptrdiff_t)(i % c->dimensions[k].n);
        in_x += own * c->dimensions[k].x;
        in_index += own * c->dimensions[k].index;
        in_y += own * c->dimensions[k].y;
    }
    const uint64_t index = index_at(c, (const char *)c->index + in_index);
    if (index < c->m)
        memcpy((char *)c->y + in_y, (const char *)c->x + in_x + (ptrdiff_t)index * c->stride, c->element);
}

weft_status ref_take_axis(void *state, const take_axis_call *c, weft_error *error) {
    size_t n = 1;
    (void)state;
    if (c->range == WEFT_RANGE_ERROR) RETURN_IF_ERROR(check_range(c, error));
    for (size_t k = 0; k < c->count; k++) n *= c->dimensions[k].n;
    for (size_t i = 0; i < n; i++) take(c, i);
    return WEFT_OK;
}
