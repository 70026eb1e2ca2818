/* The radix sort of the emulated GPU, in place of CUB's: a stable sort by the bits first_bit to last_bit - 1 of the
 * codes of keys. Like CUB's, it fails if the caller states less scratch memory than it asked for. */
#include "cuda/runtime/gpu.h"
#include "cuda/sort/sort_params.h"

#include <algorithm>
#include <numeric>
#include <string.h>
#include <vector>

enum { SCRATCH = 256 };

static uint64_t rank_of(const weft_sort_rule &r, uint64_t key) {
    return weft_sort_rank_64(r.fold, r.xor_mask, r.add, key);
}
static uint64_t rank_of(const weft_sort_rule &r, uint16_t key) {
    return weft_sort_rank_16((uint16_t)r.fold, (uint16_t)r.xor_mask, (uint16_t)r.add, key);
}
template <class Key> static uint64_t rank_of(const weft_sort_rule &r, Key key) {
    return (Key)weft_sort_rank_32((uint32_t)r.fold, (uint32_t)r.xor_mask, (uint32_t)r.add, key);
}

template <class Key> static cudaError_t sort(sort_params *j) {
    if (!j->scratch) {
        j->scratch_bytes = SCRATCH;
        return cudaSuccess;
    }
    if (j->scratch_bytes < SCRATCH || j->keys[0] == j->keys[1]) return cudaErrorInvalidValue;
    const uint64_t mask = j->last_bit < 64 ? (1ull << j->last_bit) - 1 : ~0ull;
    const Key *const keys = (const Key *)j->keys[0];
    std::vector<size_t> order(j->n);
    std::vector<uint64_t> codes(j->n);
    std::iota(order.begin(), order.end(), 0);
    for (size_t i = 0; i < j->n; i++) {
        const uint64_t rank = rank_of(j->rule, keys[i]);
        codes[i] = ((rank > j->rule.greatest ? ~0ull : rank) & mask) >> j->first_bit;
    }
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return codes[a] < codes[b]; });
    for (size_t i = 0; i < j->n; i++) {
        ((Key *)j->keys[1])[i] = keys[order[i]];
        if (j->value_bytes)
            memcpy((char *)j->values[1] + i * j->value_bytes, (const char *)j->values[0] + order[i] * j->value_bytes,
                   j->value_bytes);
    }
    j->keys_at = j->values_at = 1;
    return cudaSuccess;
}

cudaError_t cuda_sort_8(sort_params *j) { return sort<uint8_t>(j); }
cudaError_t cuda_sort_16(sort_params *j) { return sort<uint16_t>(j); }
cudaError_t cuda_sort_32(sort_params *j) { return sort<uint32_t>(j); }
cudaError_t cuda_sort_64(sort_params *j) { return sort<uint64_t>(j); }
