/* States of exact sums on a GPU (ORDER.md 30): many threads add to a state by atomic additions of integers. */
#ifndef WEFT_CUDA_EXACT_STATE_CUH
#define WEFT_CUDA_EXACT_STATE_CUH

#include "arith/exact.h"

static __device__ __forceinline__ void add_to_word(int64_t *word, int64_t v) {
    if (v) atomicAdd((unsigned long long *)word, (unsigned long long)v);
}

static __device__ __forceinline__ void add_term(int64_t *state, const weft_exact_term &t) {
    if (t.counter >= 0)
        add_to_word(&state[t.counter], 1);
    else
        for (int i = 0; i < WEFT_EXACT_TERM_DIGITS; i++) add_to_word(&state[t.first + i], t.digit[i]);
}

/* Adds the state of the block, with one step of carries so that its words are less than 2^34, to that of the call.
 * Called by all threads of a block of at least WEFT_EXACT_WORDS. */
static __device__ void add_state(const int64_t *state, int64_t *all) {
    const uint32_t i = threadIdx.x;
    if (i >= WEFT_EXACT_WORDS) return;
    int64_t v = state[i];
    if (i < WEFT_EXACT_DIGITS - 1) v &= 0xffffffff;
    if (i > 0 && i < WEFT_EXACT_DIGITS) v += state[i - 1] >> 32;
    add_to_word(&all[i], v);
}

#endif
