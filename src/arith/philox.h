/* Philox4x32 (J. Salmon, M. Moraes, R. Dror, D. Shaw, SC 2011): 128 random bits from a counter and a key. */
#ifndef WEFT_ARITH_PHILOX_H
#define WEFT_ARITH_PHILOX_H

#include "arith/arith.h"

typedef struct weft_philox_block {
    uint32_t v[4];
} weft_philox_block;

/* One round: words 0 and 2 are multiplied, and the halves of the products are exchanged with words 1 and 3. */
WEFT_ARITH weft_philox_block weft_philox_round(weft_philox_block x, uint32_t key0, uint32_t key1) {
    const uint64_t a = UINT64_C(0xd2511f53) * x.v[0], b = UINT64_C(0xcd9e8d57) * x.v[2];
    weft_philox_block y;
    y.v[0] = (uint32_t)(b >> 32) ^ x.v[1] ^ key0;
    y.v[1] = (uint32_t)b;
    y.v[2] = (uint32_t)(a >> 32) ^ x.v[3] ^ key1;
    y.v[3] = (uint32_t)a;
    return y;
}

/* Returns the block of a counter and a key after `rounds` rounds. Their words are ordered from low to high. */
WEFT_ARITH weft_philox_block weft_philox_of(int rounds, uint64_t counter_low, uint64_t counter_high, uint64_t key) {
    uint32_t key0 = (uint32_t)key, key1 = (uint32_t)(key >> 32);
    weft_philox_block x;
    x.v[0] = (uint32_t)counter_low;
    x.v[1] = (uint32_t)(counter_low >> 32);
    x.v[2] = (uint32_t)counter_high;
    x.v[3] = (uint32_t)(counter_high >> 32);
    for (int round = 0; round < rounds; round++) {
        x = weft_philox_round(x, key0, key1);
        key0 += UINT32_C(0x9e3779b9);
        key1 += UINT32_C(0xbb67ae85);
    }
    return x;
}

/* Returns the block of Philox4x32-10. */
WEFT_ARITH weft_philox_block weft_philox(uint64_t counter_low, uint64_t counter_high, uint64_t key) {
    return weft_philox_of(10, counter_low, counter_high, key);
}

#endif
