/* Philox4x32 with precomputed round keys. As kernel parameters they are operands in constant memory. */
#ifndef WEFT_CUDA_WORDS_CUH
#define WEFT_CUDA_WORDS_CUH

#include "arith/philox.h"

struct round_keys {
    uint32_t key[10][2];
};

static round_keys round_keys_of(uint64_t seed) {
    round_keys keys;
    uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < 10; round++, key0 += UINT32_C(0x9e3779b9), key1 += UINT32_C(0xbb67ae85)) {
        keys.key[round][0] = key0;
        keys.key[round][1] = key1;
    }
    return keys;
}

/* Returns weft_philox_of(ROUNDS, low, high, seed), with at most 10 rounds. */
template <int ROUNDS = 10>
static __device__ __forceinline__ weft_philox_block philox_words(uint64_t low, uint64_t high,
                                                                 const round_keys &keys) {
    weft_philox_block x = {{(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high, (uint32_t)(high >> 32)}};
#pragma unroll
    for (int round = 0; round < ROUNDS; round++) x = weft_philox_round(x, keys.key[round][0], keys.key[round][1]);
    return x;
}

#endif
