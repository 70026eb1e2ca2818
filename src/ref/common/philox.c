/* J. Salmon, M. Moraes, R. Dror and D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011, section 3.3. */
#include "ref/common/philox.h"

void ref_philox_of(uint32_t rounds, const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
    for (int i = 0; i < 4; i++) out[i] = counter[i];
    for (uint32_t round = 0; round < rounds; round++) {
        const uint64_t left = (uint64_t)out[0] * 0xd2511f53, right = (uint64_t)out[2] * 0xcd9e8d57;
        const uint32_t key0 = key[0] + round * 0x9e3779b9, key1 = key[1] + round * 0xbb67ae85;
        out[0] = (uint32_t)(right >> 32) ^ out[1] ^ key0;
        out[2] = (uint32_t)(left >> 32) ^ out[3] ^ key1;
        out[1] = (uint32_t)right;
        out[3] = (uint32_t)left;
    }
}

void ref_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
    ref_philox_of(10, counter, key, out);
}
