/* The definition of weft_partition (docs/ops/partition.md). */
#include "ref/common/selected.h"

void ref_partition(const select_call *c) {
    size_t done = 0;
    for (size_t i = 0; i < c->n; i++)
        if (ref_is_kept(c, i)) ref_put(c, i, done++);
    *c->count = done;
    for (size_t i = 0; i < c->n; i++)
        if (!ref_is_kept(c, i)) ref_put(c, i, done++);
}
