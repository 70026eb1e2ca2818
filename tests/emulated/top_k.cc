/* The selection of the emulated GPU from one array, in place of the kernels that use CUB. Like a sort of CUB, it
 * fails if the caller states less scratch memory than it asked for. */
#include "cuda/top_k/device_top_k.h"

#include "arith/sort_code.h"
#include "core/types.h"

#include <algorithm>
#include <numeric>
#include <string.h>
#include <vector>

enum { SCRATCH = 256 };

static uint64_t code_of(const top_k_call *c, const weft_sort_rule &r, size_t i) {
    const size_t size = weft_dtype_size(c->dtype);
    uint64_t rank, wide = 0;
    uint32_t word = 0;
    memcpy(&wide, (const char *)c->x + i * size, size);
    word = (uint32_t)wide;
    rank = size == 8   ? weft_sort_rank_64(r.fold, r.xor_mask, r.add, wide)
           : size == 2 ? weft_sort_rank_16((uint16_t)r.fold, (uint16_t)r.xor_mask, (uint16_t)r.add, (uint16_t)word)
                       : weft_sort_rank_32((uint32_t)r.fold, (uint32_t)r.xor_mask, (uint32_t)r.add, word);
    return rank > r.greatest ? UINT64_MAX : rank;
}

weft_status gpu_top_k_array(gpu *, const top_k_call *c, void *scratch, size_t *bytes, weft_error *error) {
    const size_t size = weft_dtype_size(c->dtype);
    const weft_sort_rule rule = weft_sort_rule_of(8 * (unsigned)size, type_infinity(c->dtype),
                                                  type_is_signed(c->dtype), c->extreme == WEFT_LARGEST);
    std::vector<size_t> order(c->n);
    if (!scratch) {
        *bytes = SCRATCH;
        return WEFT_OK;
    }
    if (*bytes < SCRATCH) return weft_fail(error, WEFT_INTERNAL, "%zu bytes of scratch memory", *bytes);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return code_of(c, rule, a) < code_of(c, rule, b); });
    for (size_t i = 0; i < c->k; i++) {
        memcpy((char *)c->values + i * size, (const char *)c->x + order[i] * size, size);
        if (c->indices) c->indices[i] = order[i];
    }
    return WEFT_OK;
}
