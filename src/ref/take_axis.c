/* The definition of weft_take_axis (ORDER.md 32.6) and weft_put_axis (32.7). */
#include "core/indices.h"
#include "ref/common/array.h"
#include "ref/common/view_offsets.h"
#include "ref/ref.h"

#include <stdlib.h>
#include <string.h>

/* Returns the index at p, sign-extended: a negative one then is greater than every length. */
static uint64_t index_at(const take_axis_call *c, const void *p) {
    return ref_integer((array){c->index_dtype, p}, 0);
}

/* Returns index number i of all. */
static uint64_t index_of(const take_axis_call *c, size_t i) {
    return index_at(c, (const char *)c->first_index + ref_offset_x(c->indices_count, c->indices, i));
}

static size_t count_indices(const take_axis_call *c) {
    size_t n = 1;
    for (size_t k = 0; k < c->indices_count; k++) n *= c->indices[k].n;
    return n;
}

static weft_status check_range(const take_axis_call *c, weft_error *error) {
    for (size_t i = 0; i < count_indices(c); i++)
        if (index_of(c, i) >= c->m) return indices_fail(error, c->index_dtype, i, index_of(c, i), c->m);
    return WEFT_OK;
}

/* Returns the slot that index number i names, or SIZE_MAX if it is out of range. */
static size_t slot_of(const take_axis_call *c, size_t i) {
    const uint64_t index = index_of(c, i);
    return index < c->m ? (size_t)ref_offset_y(c->indices_count, c->indices, i) + (size_t)index : SIZE_MAX;
}

/* Fails at the first index that names the slot of one before it. `seen` has an element for each slot, initially 0. */
static weft_status check_different(const take_axis_call *c, unsigned char *seen, weft_error *error) {
    for (size_t i = 0; i < count_indices(c); i++) {
        const size_t slot = slot_of(c, i);
        size_t first = 0;
        if (slot == SIZE_MAX || !seen[slot]++) continue;
        while (slot_of(c, first) != slot) first++;
        return indices_fail_equal(error, "put_axis", c->index_dtype, first, i, index_of(c, i));
    }
    return WEFT_OK;
}

static weft_status check_slots(const take_axis_call *c, weft_error *error) {
    if (c->slots == 0) return WEFT_OK;
    unsigned char *const seen = calloc(c->slots, 1);
    RETURN_IF(!seen, WEFT_OUT_OF_MEMORY, "cannot allocate %zu bytes", c->slots);
    const weft_status status = check_different(c, seen, error);
    free(seen);
    return status;
}

/* Copies element number i, in the order of the dimensions. */
static void move(const take_axis_call *c, size_t i) {
    ptrdiff_t in_table = 0, in_index = 0, in_list = 0;
    for (size_t k = c->count; k-- > 0; i /= c->dimensions[k].n) {
        const ptrdiff_t own = (ptrdiff_t)(i % c->dimensions[k].n);
        in_table += own * c->dimensions[k].table;
        in_index += own * c->dimensions[k].index;
        in_list += own * c->dimensions[k].list;
    }
    const uint64_t index = index_at(c, (const char *)c->index + in_index);
    if (index >= c->m) return;
    char *const of_table = (char *)c->table + in_table + (ptrdiff_t)index * c->stride;
    char *const of_list = (char *)c->list + in_list;
    memcpy(c->put ? of_table : of_list, c->put ? of_list : of_table, c->element);
}

weft_status ref_take_axis(void *state, const take_axis_call *c, weft_error *error) {
    size_t n = 1;
    (void)state;
    if (c->range == WEFT_RANGE_ERROR) RETURN_IF_ERROR(check_range(c, error));
    RETURN_IF_ERROR(check_slots(c, error));
    for (size_t k = 0; k < c->count; k++) n *= c->dimensions[k].n;
    for (size_t i = 0; i < n; i++) move(c, i);
    return WEFT_OK;
}
