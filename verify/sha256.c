#include "verify/sha256.h"

#include <stdio.h>
#include <string.h>

enum { ROUNDS = 64, LENGTH_BYTES = 8 };

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t K[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotated(uint32_t x, int by) { return x >> by | x << (32 - by); }

/* Fills w with the 64 words that a block is extended to. */
static void extend(const unsigned char *block, uint32_t *w) {
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
               (uint32_t)block[4 * i + 3];
    for (int i = 16; i < ROUNDS; i++) {
        const uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (rotated(a, 7) ^ rotated(a, 18) ^ a >> 3) + w[i - 7] +
               (rotated(b, 17) ^ rotated(b, 19) ^ b >> 10);
    }
}

static void add_block(uint32_t *state, const unsigned char *block) {
    uint32_t w[ROUNDS], v[8]; /* v: the standard's a to h */
    extend(block, w);
    memcpy(v, state, sizeof v);
    for (int i = 0; i < ROUNDS; i++) {
        const uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        const uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        const uint32_t first =
            v[7] + (rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25)) + choice + K[i] + w[i];
        const uint32_t second = (rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22)) + majority;
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += first;
        v[0] = first + second;
    }
    for (int i = 0; i < 8; i++) state[i] += v[i];
}

void sha256_begin(sha256 *s) {
    /* The first 32 bits of the fractional parts of the square roots of the first 8 primes. */
    *s = (sha256){
        .state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void sha256_add(sha256 *s, const void *bytes, size_t count) {
    const unsigned char *from = bytes;
    while (count > 0) {
        const size_t held = (size_t)(s->count % SHA256_BLOCK), space = SHA256_BLOCK - held;
        const size_t taken = count < space ? count : space;
        memcpy(s->block + held, from, taken);
        s->count += taken;
        from += taken;
        count -= taken;
        if (taken == space) add_block(s->state, s->block);
    }
}

void sha256_end(sha256 *s, char text[SHA256_TEXT]) {
    const uint64_t bits = 8 * s->count;
    unsigned char length[LENGTH_BYTES], pad = 0x80;
    do {
        sha256_add(s, &pad, 1);
        pad = 0;
    } while (s->count % SHA256_BLOCK != SHA256_BLOCK - LENGTH_BYTES);
    for (int i = 0; i < LENGTH_BYTES; i++) length[i] = (unsigned char)(bits >> (56 - 8 * i));
    sha256_add(s, length, LENGTH_BYTES);
    for (int i = 0; i < 8; i++) snprintf(text + (ptrdiff_t)8 * i, 9, "%08x", (unsigned)s->state[i]);
}
