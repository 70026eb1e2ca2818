/* The definition of weft_merge (ORDER.md 12.3). */
#include "ref/common/total_order.h"
#include "ref/ref.h"

weft_status ref_merge(void *state, const merge_call *c, weft_error *error) {
    const array a = {c->dtype, c->a}, b = {c->dtype, c->b};
    size_t i = 0, j = 0;
    (void)state, (void)error;
    while (i + j < c->na + c->nb) {
        const bool take_b = i == c->na || (j < c->nb && ref_is_less(b, j, a, i));
        ref_move(take_b ? b : a, take_b ? j : i, c->y, i + j);
        if (take_b)
            j++;
        else
            i++;
    }
    return WEFT_OK;
}
