/* weft_merge on the CPU: y is cut in parts, and the merge path (O. Green, R. McColl, D. Bader, ICS 2012) tells where
 * in a and b each begins. */
#include "core/fpmode.h"
#include "cpu/vectors.h"

enum {
    CHAINS = 4,
    CHAIN = 256,
    ALONE_BYTES = 1 << 18, /* so little is merged sooner by the calling thread than by waking others */
    PART_ELEMENTS = 1 << 16
};

#define BODY "cpu/merge_body.h"
#include "cpu/each_type.h"

typedef void merge_part(const void *a, size_t na, const void *b, size_t nb, size_t d, size_t end, void *y);

weft_status cpu_merge(void *state, const merge_call *c, weft_error *error) {
    static merge_part *const parts_of[DTYPES] = {
#define TYPE(ID, name, ctype, kind, npy) [WEFT_##ID] = merge_part_##name,
#include "core/types.def"
    };
    const cpu_context *ctx = state;
    const size_t n = c->na + c->nb;
    const int threads = n * weft_dtype_size(c->dtype) < ALONE_BYTES || !cpu_may_use_threads() ? 1 : ctx->threads;
    const size_t part = threads == 1 ? n : PART_ELEMENTS, parts = (n - 1) / part + 1;
    (void)error;
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        const weft_fpmode mode = weft_fpmode_enter();
#pragma omp for schedule(static)
        for (size_t i = 0; i < parts; i++) {
            const size_t end = n - i * part < part ? n : (i + 1) * part;
            parts_of[c->dtype](c->a, c->na, c->b, c->nb, i * part, end, c->y);
        }
        weft_fpmode_leave(mode);
    }
    return WEFT_OK;
}
