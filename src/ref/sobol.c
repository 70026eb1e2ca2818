/* The definition of weft_sobol (ORDER.md 24). */
#include "ref/common/sobol.h"
#include "core/order.h"
#include "ref/common/array.h"
#include "ref/common/philox.h"
#include "ref/ref.h"

/* -------------------------------------------------------------------------- 24.1 directions */

typedef struct line {
    int degree, inner;
    uint64_t m[13];
} line;
static const line LINES[] = {
#define DIRECTIONS(degree, inner, ...) {degree, inner, {__VA_ARGS__}},
#include "core/sobol.def"
};
_Static_assert(sizeof LINES / sizeof *LINES + 1 == WEFT_SOBOL_DIMENSIONS, "weft.h and sobol.def");

/* Computes v[k] of coordinate j for k = 1 ... 64. */
static void directions_of(size_t j, uint64_t v[WEFT_SOBOL_BITS + 1]) {
    for (int k = 1; k <= WEFT_SOBOL_BITS; k++) {
        if (j == 0) {
            v[k] = UINT64_C(1) << (WEFT_SOBOL_BITS - k);
            continue;
        }
        const line *const p = &LINES[j - 1];
        const int s = p->degree;
        if (k <= s) {
            v[k] = p->m[k - 1] << (WEFT_SOBOL_BITS - k);
            continue;
        }
        v[k] = v[k - s] ^ v[k - s] >> s;
        for (int l = 1; l < s; l++)
            if (p->inner >> (s - 1 - l) & 1) v[k] ^= v[k - l];
    }
}

/* ------------------------------------------------------------------------------- 24.2 words */

static uint64_t word_of(const uint64_t *v, uint64_t i) {
    const uint64_t gray = i ^ i / 2;
    uint64_t word = 0;
    for (int k = 1; k <= WEFT_SOBOL_BITS; k++)
        if (gray >> (k - 1) & 1) word ^= v[k];
    return word;
}

/* -------------------------------------------------------------------------- 24.3 scrambling */

static uint32_t reversed(uint32_t x) {
    uint32_t y = 0;
    for (int k = 0; k < 32; k++) y |= (x >> k & 1) << (31 - k);
    return y;
}

static uint32_t nested(uint32_t x, uint32_t addend, uint32_t factor) {
    uint32_t y = reversed(x);
    y ^= y * 0x3d20adea;
    y = (y + addend) * (factor | 1);
    y ^= y * 0x05526c56;
    y ^= y * 0x53a22864;
    return reversed(y);
}

static uint32_t mixed(uint32_t x) {
    x = (x ^ x >> 16) * 0x85ebca6b;
    x = (x ^ x >> 13) * 0xc2b2ae35;
    return x ^ x >> 16;
}

static uint64_t key_of(uint64_t seed, uint64_t stream, size_t j) {
    const uint64_t block = WEFT_SOBOL_BLOCKS + j;
    const uint32_t counter[4] = {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)stream,
                                 (uint32_t)(stream >> 32)};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t words[WEFT_BLOCK_WORDS];
    ref_philox(counter, key, words);
    return (uint64_t)words[1] << 32 | words[0];
}

static uint64_t scrambled(weft_scrambling scrambling, uint64_t word, uint64_t key) {
    if (scrambling == WEFT_UNSCRAMBLED) return word;
    if (scrambling == WEFT_DIGITAL_SHIFT) return word ^ key;
    const uint32_t high = nested((uint32_t)(word >> 32), (uint32_t)(key >> 32), (uint32_t)key);
    const uint32_t own = mixed(high ^ (uint32_t)key), low = nested((uint32_t)word, own, own >> 16);
    return (uint64_t)high << 32 | low;
}

uint64_t ref_sobol_word(weft_scrambling scrambling, uint64_t seed, uint64_t stream, size_t j, uint64_t i) {
    uint64_t v[WEFT_SOBOL_BITS + 1];
    directions_of(j, v);
    return scrambled(scrambling, word_of(v, i), key_of(seed, stream, j));
}

/* ------------------------------------------------------------------------------------------ */

weft_status ref_sobol(void *state, const sobol_call *c, weft_error *error) {
    const size_t size = weft_dtype_size(c->dtype);
    (void)state, (void)error;
    for (size_t j = 0; j < c->dimensions; j++) {
        uint64_t v[WEFT_SOBOL_BITS + 1];
        const uint64_t key = key_of(c->seed, c->stream, j);
        directions_of(j, v);
        for (size_t k = 0; k < c->n; k++) {
            const uint64_t word = scrambled(c->scrambling, word_of(v, c->first + k), key);
            const double x = size == 4 ? (double)(word >> 40) / 0x1p24 : (double)(word >> 11) / 0x1p53;
            ref_store_real(c->dtype, x, (char *)c->out + (k * c->dimensions + j) * size);
        }
    }
    return WEFT_OK;
}
