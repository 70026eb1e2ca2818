/* The definition of selections by flags and by comparison (docs/ops/select.md). */
#include "ref/common/selected.h"
#include "ref/ref.h"

weft_status ref_select(void *state, const select_call *c, weft_error *error) {
    (void)state, (void)error;
    if (c->kind == SELECT_PARTITION) {
        ref_partition(c);
        return WEFT_OK;
    }
    *c->count = 0;
    for (size_t i = 0; i < c->n; i++)
        if (ref_is_kept(c, i)) ref_put(c, i, (*c->count)++);
    return WEFT_OK;
}
