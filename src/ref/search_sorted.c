/* The definition of weft_search_sorted (ORDER.md 12.4): the number of elements that are less than the query, or not
 * greater. It is found by bisection, since these elements come first. */
#include "ref/common/total_order.h"
#include "ref/ref.h"

static size_t position(const search_sorted_call *c, size_t query) {
    const array sorted = {c->dtype, c->sorted}, queries = {c->dtype, c->queries};
    size_t low = 0, high = c->n; /* the position is in [low, high] */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const bool before = c->side == WEFT_LEFT ? ref_is_less(sorted, middle, queries, query)
                                                 : !ref_is_less(queries, query, sorted, middle);
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

weft_status ref_search_sorted(void *state, const search_sorted_call *c, weft_error *error) {
    (void)state, (void)error;
    for (size_t i = 0; i < c->m; i++) c->positions[i] = position(c, i);
    return WEFT_OK;
}
