/* Stages of a product whose terms are distributed over calls (matmul_stage). */
#include "ref/common/array.h"
#include "ref/matmul.h"
#include "ref/ref.h"

#include <string.h>

/* The sums of the parts of element (i, j), which are stored between the calls. */
typedef struct stored_sums {
    const matmul_stage_call *call;
    size_t i, j;
} stored_sums;

static void *sum_at(const stored_sums *s, size_t part) {
    const matmul_call *c = &s->call->product;
    return (char *)s->call->step.sums + ((part * c->m + s->i) * c->n + s->j) * weft_dtype_size(c->accumulate);
}

static double stored_sum(const void *from, size_t part) {
    const stored_sums *s = from;
    return ref_real((array){s->call->product.accumulate, sum_at(s, part)}, 0);
}

/* Computes the chains of the parts. Stores the sums unchanged: a NaN keeps its bits. */
static void run_chains(const stored_sums *s) {
    const matmul_call *c = &s->call->product;
    for (size_t part = 0; part <= (c->k - 1) / c->part; part++) {
        const double before = s->call->step.stage == MATMUL_GO_ON ? stored_sum(s, part) : 0;
        const double sum = ref_matmul_chain(c, 0, s->i, s->j, part, before);
        const float narrow = (float)sum;
        const bool f32 = c->accumulate == WEFT_F32;
        memcpy(sum_at(s, part), f32 ? (const void *)&narrow : &sum, f32 ? sizeof narrow : sizeof sum);
    }
}

weft_status ref_matmul_stage(void *state, const matmul_stage_call *call, weft_error *error) {
    const matmul_call *c = &call->product;
    (void)state, (void)error;
    for (size_t i = 0; i < c->m; i++)
        for (size_t j = 0; j < c->n; j++) {
            const stored_sums s = {call, i, j};
            if (call->step.stage == MATMUL_END)
                ref_matmul_store(c, 0, i, j, stored_sum, &s);
            else
                run_chains(&s);
        }
    return WEFT_OK;
}
