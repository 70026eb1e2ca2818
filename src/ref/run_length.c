/* The definition of weft_run_length (docs/ops/run_length.md). */
#include "ref/common/selected.h"
#include "ref/ref.h"

static void lengths(const run_length_call *c) {
    size_t run = 0, length = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (i > 0 && ref_begins_run(c, i)) {
            c->lengths[run++] = length;
            length = 0;
        }
        length++;
    }
    if (c->n > 0) c->lengths[run] = length;
}

weft_status ref_run_length(void *state, const run_length_call *c, weft_error *error) {
    (void)state, (void)error;
    ref_unique(c);
    if (c->lengths) lengths(c);
    return WEFT_OK;
}
