/* Exercise rounds: the ten rounds of Philox
 *
 * Philox4x32-10 turns a counter of four words and a key of two words into
 * four random words. Write the round and the loop of ten rounds. A round
 * computes, from the words x, y, z, w and the key k0, k1:
 *
 *     (high0, low0) = 0xd2511f53 * x
 *     (high1, low1) = 0xcd9e8d57 * z
 *     x, y, z, w = high1 ^ y ^ k0, low1, high0 ^ w ^ k1, low0
 *
 * `high` and `low` are the upper and the lower 32 bits of a product.
 *
 * Before each round but the first, k0 increases by 0x9e3779b9 and k1 by
 * 0xbb67ae85. A thread computes the words of one counter and key. The check
 * contains the published words for three counters.
 *
 * Hint: 0xd2511f53 and x have 32 bits, and so has their product, unless one
 * is converted to `unsigned long long` first. `__umulhi(a, b)` returns the
 * upper 32 bits of the product.
 *
 * Hint: A new word may be needed as an old one: compute both products
 * before you change x or z.
 *
 * Hint: The counter of 0 with the key 0 gives 6627e8d5 e169c58d bc57ac4c
 * 9b00dbd8. After 7 rounds it is 5f6fb709 0d893f64 4f121f81 4f730a48.
 *
 * Sizes: 1 2 3 31 33 255 256 257 10007; 16777216 on a GPU
 */
#include <cuda_runtime.h>

const unsigned THREADS = 128;

__device__ uint4 one_round(uint4 x, uint2 key) {
    /* Blank: a round; a uint4 has the words x, y, z and w, and a uint2
     * has x and y */
    const unsigned long long a = (unsigned long long)0xd2511f53 * x.x;
    const unsigned long long b = (unsigned long long)0xcd9e8d57 * x.z;
    return {(unsigned)(b >> 32) ^ x.y ^ key.x, (unsigned)b,
            (unsigned)(a >> 32) ^ x.w ^ key.y, (unsigned)a};
    /* End of blank: return x; */
}

__device__ uint4 philox(uint4 x, uint2 key) {
    /* Blank: ten rounds, with their keys */
    for (int round = 0; round < 10; round++) {
        x = one_round(x, key);
        key.x += 0x9e3779b9;
        key.y += 0xbb67ae85;
    }
    /* End of blank */
    return x;
}

/* Element i has the words 4 i to 4 i + 3 of `counters` and `words`, and 2 i
 * and 2 i + 1 of `keys`. */
__global__ void fill(size_t n, const unsigned *counters,
                     const unsigned *keys, unsigned *words) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) return;
    const unsigned *const c = counters + 4 * i, *const k = keys + 2 * i;
    const uint4 x = philox({c[0], c[1], c[2], c[3]}, {k[0], k[1]});
    words[4 * i] = x.x;
    words[4 * i + 1] = x.y;
    words[4 * i + 2] = x.z;
    words[4 * i + 3] = x.w;
}

void solve(size_t n, const unsigned *counters, const unsigned *keys,
           unsigned *words) {
    const unsigned blocks = (unsigned)((n + THREADS - 1) / THREADS);
    fill<<<blocks, THREADS>>>(n, counters, keys, words);
}

/* Check */
#include "climb.h"

void solve(size_t n, const unsigned *counters, const unsigned *keys,
           unsigned *words);

/* The results that random123 publishes: four words of the counter, two of
 * the key, four of the result. */
static const unsigned KNOWN[3][10] = {
    {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
    {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff,
     0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
    {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0,
     0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};

void check_exercise(climb &c) {
    const std::vector<unsigned> numbers =
        ladder_values<unsigned>(6 * c.n, c.seed);
    std::vector<unsigned> counters(4 * c.n), keys(2 * c.n);
    std::vector<unsigned> expected(4 * c.n);
    for (size_t i = 0; i < c.n; i++) {
        unsigned x[4], k[2];
        for (size_t j = 0; j < 6; j++)
            (j < 4 ? x[j] : k[j - 4]) =
                i < 3 ? KNOWN[i][j]
                      : (numbers[6 * i + j] + 1000u) * 2654435761u;
        memcpy(&counters[4 * i], x, sizeof x);
        memcpy(&keys[2 * i], k, sizeof k);
        for (int round = 0; round < 10; round++) {
            const uint64_t a = (uint64_t)0xd2511f53 * x[0];
            const uint64_t b = (uint64_t)0xcd9e8d57 * x[2];
            x[0] = (unsigned)(b >> 32) ^ x[1] ^ k[0], x[1] = (unsigned)b;
            x[2] = (unsigned)(a >> 32) ^ x[3] ^ k[1], x[3] = (unsigned)a;
            k[0] += 0x9e3779b9, k[1] += 0xbb67ae85;
        }
        memcpy(&expected[4 * i], i < 3 ? &KNOWN[i][6] : x, sizeof x);
    }
    const unsigned *const from = c.input(counters);
    const unsigned *const key = c.input(keys);
    unsigned *const words = c.output<unsigned>(4 * c.n);
    c.work(40.0 * (double)c.n, 0);
    c.rung(
        "rounds", [&] { return c.holds(words, expected); },
        [&] { solve(c.n, from, key, words); });
}
