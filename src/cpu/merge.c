/* weft_merge on the CPU. y is split into parts; the merge path (O. Green, R. McColl, D. Bader, ICS 2012) determines
 * where each part begins in a and b. */
#include "cpu/kernels/vectors.h"
#include "cpu/runtime/parallel.h"

enum { CHAINS = 4, CHAIN = 256, PART_ELEMENTS = 1 << 16 };

#define BODY "cpu/common/merge_body.h"
#include "cpu/kernels/bodies/each_half.h"
#include "cpu/kernels/bodies/each_type.h"

typedef void merge_part(const void *a, size_t na, const void *b, size_t nb, size_t d, size_t end, void *y);

typedef struct plan {
    const merge_call *call;
    merge_part *merge;
    size_t part; /* elements per part */
} plan;

static void run_part(void *self, size_t i) {
    const plan *p = self;
    const merge_call *c = p->call;
    const size_t n = c->na + c->nb, first = i * p->part, end = n - first < p->part ? n : first + p->part;
    p->merge(c->a, c->na, c->b, c->nb, first, end, c->y);
}

weft_status cpu_merge(void *state, const merge_call *c, weft_error *error) {
    static merge_part *const parts_of[ALL_DTYPES] = {
#define TYPE(ID, name, ctype, kind, npy) [WEFT_##ID] = merge_part_##name,
#define HALF(ID, name, npy) [WEFT_##ID] = merge_part_##name,
#include "core/halves.def"
#include "core/types.def"
    };
    const cpu_context *ctx = state;
    const size_t n = c->na + c->nb;
    const int threads = cpu_threads_for(ctx->threads, n * weft_dtype_size(c->dtype) / 2);
    plan p = {c, parts_of[c->dtype], PART_ELEMENTS};
    (void)error;
    cpu_plan_regions(1);
    cpu_parallel_for(threads, (n - 1) / p.part + 1, PARALLEL_RANGES, run_part, &p);
    return WEFT_OK;
}
