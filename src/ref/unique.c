/* The definition of weft_unique (docs/ops/unique.md). */
#include "ref/common/selected.h"

#include <string.h>

void ref_unique(const run_length_call *c) {
    const size_t size = weft_dtype_size(c->dtype);
    size_t runs = 0;
    for (size_t i = 0; i < c->n; i++)
        if (ref_begins_run(c, i)) memcpy((char *)c->values + runs++ * size, (const char *)c->x + i * size, size);
    *c->count = runs;
}
