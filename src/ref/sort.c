/* The definition of weft_sort and of the sorts with values: keys and values are moved to the order of
 * ref_order_of. */
#include "ref/common/sort_order.h"
#include "ref/ref.h"

#include <stdlib.h>
#include <string.h>

/* Sets to[i] = from[order[i]]. Uses a copy, since `from` and `to` may be the same memory. */
static void move(const size_t *order, size_t n, size_t size, const void *from, char *copy, void *to) {
    for (size_t i = 0; i < n; i++) memcpy(copy + i * size, (const char *)from + order[i] * size, size);
    memcpy(to, copy, n * size);
}

weft_status ref_sort(void *state, const sort_call *c, weft_error *error) {
    const sort_order o = {{c->dtype, c->keys}, c->order == WEFT_DESCENDING, c->first_bit, c->bits};
    const size_t size = weft_dtype_size(c->dtype), widest = c->value_bytes > size ? c->value_bytes : size;
    (void)state;
    size_t *order = ref_order_of(&o, c->n);
    char *copy = order ? malloc(c->n * widest) : NULL;
    if (copy) {
        move(order, c->n, size, c->keys, copy, c->sorted_keys);
        if (c->value_bytes) move(order, c->n, c->value_bytes, c->values, copy, c->sorted_values);
    }
    free(order);
    RETURN_IF(!copy, WEFT_OUT_OF_MEMORY, "cannot allocate host memory for the sort of %zu keys", c->n);
    free(copy);
    return WEFT_OK;
}
