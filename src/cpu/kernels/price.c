/* Paths of weft_price (ORDER.md 21), LANES at a time: each step of the simulation is a plain loop over them, which
 * compilers vectorize. Compiled once per instruction set level. */
#include "arith/price.h"
#include "arith/fast_normals.h"
#include "arith/sobol.h"
#include "cpu/kernels/vectors.h"

enum { LANES = WEFT_LANES(8) };

/* Generates the words of Philox block number `block` of LANES paths. `rounds` is a constant. */
WEFT_ARITH void draw_words_of(int rounds, uint64_t first, uint64_t block, uint64_t seed, uint32_t words[4][LANES]) {
    for (size_t l = 0; l < LANES; l++) {
        const weft_philox_block b = weft_philox_of(rounds, first + l, block, seed);
        for (size_t k = 0; k < 4; k++) words[k][l] = b.v[k];
    }
}

static void draw_words(uint64_t first, uint64_t block, uint64_t seed, uint32_t words[4][LANES]) {
    draw_words_of(10, first, block, seed, words);
}

/* Generates the four normals of normal_fast that block number `block` of LANES paths makes. */
static void normals_fast(uint64_t first, uint64_t block, uint64_t seed, float normals[4][LANES]) {
    uint32_t words[4][LANES];
    draw_words_of(WEFT_FAST_ROUNDS, first, block, seed, words);
    for (size_t k = 0; k < 4; k += 2)
        for (size_t l = 0; l < LANES; l++) {
            const weft_pair z = weft_fast_pair(words[k][l], words[k + 1][l]);
            normals[k][l] = z.first;
            normals[k + 1][l] = z.second;
        }
}

/* Generates the words of coordinate j of LANES points: from one point to the next, one bit of the Gray code
 * changes. */
static void draw_points(const price_points *p, uint64_t first, size_t j, uint32_t words[LANES]) {
    const uint64_t *const v = p->directions + j * p->bits, gray = first ^ first >> 1;
    const uint32_t key_high = (uint32_t)(p->keys[j] >> 32), key_low = (uint32_t)p->keys[j];
    uint64_t word = 0;
    for (unsigned b = 0; b < p->bits; b++) word ^= (0 - (gray >> b & 1)) & v[b];
    for (size_t l = 0; l < LANES; l++) {
        words[l] = (uint32_t)(word >> 32);
        word ^= v[__builtin_ctzll(~(first + l))];
    }
    for (size_t l = 0; l < LANES; l++) words[l] = weft_nested_scramble(words[l], key_high, key_low);
}

#define REAL float
#define FUSED fma_f32
#define OF(name) name##_f32
#include "cpu/kernels/bodies/price_body.h"

#define REAL double
#define FUSED fma_f64
#define OF(name) name##_f64
#include "cpu/kernels/bodies/price_body.h"

const price_kernels LEVELED(cpu_prices) = {.f32 = paths_f32, .f64 = paths_f64};
