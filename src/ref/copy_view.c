/* The definition of weft_copy_view (ORDER.md 32.1). */
#include "ref/common/view_offsets.h"
#include "ref/ref.h"

#include <string.h>

weft_status ref_copy_view(void *state, const copy_view_call *c, weft_error *error) {
    (void)state, (void)error;
    size_t n = 1;
    for (size_t k = 0; k < c->count; k++) n *= c->dimensions[k].n;
    for (size_t i = 0; i < n; i++)
        memcpy((char *)c->y + ref_offset_y(c->count, c->dimensions, i),
               (const char *)c->x + ref_offset_x(c->count, c->dimensions, i), c->element);
    return WEFT_OK;
}
