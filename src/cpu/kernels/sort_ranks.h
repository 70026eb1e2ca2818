/* Ranks of keys (arith/sort_code.h), in a form that compilers vectorize. */
#ifndef WEFT_CPU_SORT_RANKS_H
#define WEFT_CPU_SORT_RANKS_H

#include "cpu/kernels/vectors.h"

INLINE size_t lesser(size_t a, size_t b) { return a < b ? a : b; }

/* Keys of 8 bits are always integers: there is no folding, and all ones is not a special code. */
INLINE uint8_t rank_8(weft_sort_rule rule, uint8_t key) { return (uint8_t)(key ^ rule.xor_mask); }
INLINE uint16_t rank_16(weft_sort_rule rule, uint16_t key) {
    return weft_sort_rank_16((uint16_t)rule.fold, (uint16_t)rule.xor_mask, (uint16_t)rule.add, key);
}
INLINE uint32_t rank_32(weft_sort_rule rule, uint32_t key) {
    return weft_sort_rank_32((uint32_t)rule.fold, (uint32_t)rule.xor_mask, (uint32_t)rule.add, key);
}
INLINE uint64_t rank_64(weft_sort_rule rule, uint64_t key) {
    return weft_sort_rank_64(rule.fold, rule.xor_mask, rule.add, key);
}

#endif
