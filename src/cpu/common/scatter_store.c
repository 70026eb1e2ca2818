/* The last step of weft_scatter_reduce: initial values (ORDER.md 25.2), and means as f32. */
#include "arith/bits.h"
#include "cpu/common/scatter.h"

enum { STORED_AT_ONCE = 1 << 14 };

#define BODY "cpu/common/scatter_store_body.h"
#include "cpu/kernels/bodies/each_type.h"

static void store_part(void *self, size_t part) {
    static void (*const stores[DTYPES])(const scatter *, size_t, size_t) = {
#define TYPE(ID, name, ctype, kind, npy) [WEFT_##ID] = store_##name,
#include "core/types.def"
    };
    const scatter *s = self;
    const size_t first = part * STORED_AT_ONCE, all = s->c->m * s->c->columns;
    const size_t end = all - first < STORED_AT_ONCE ? all : first + STORED_AT_ONCE;
    if (s->c->init) {
        stores[s->type](s, first, end);
    } else {
        const double *const means = s->reduced;
        for (size_t i = first; i < end; i++) ((float *)s->c->out)[i] = weft_canonical_f32((float)means[i]);
    }
}

void scatter_store(const scatter *s) {
    if (s->reduced == s->c->out) return;
    cpu_parallel_for(s->threads, ceil_div(s->c->m * s->c->columns, STORED_AT_ONCE), PARALLEL_RANGES, store_part,
                     (void *)s);
}
