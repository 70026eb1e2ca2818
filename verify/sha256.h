/* SHA-256 (FIPS 180-4, 2015). */
#ifndef WEFT_TESTS_SHA256_H
#define WEFT_TESTS_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BLOCK = 64, SHA256_TEXT = 65 /* characters of a hash in hexadecimal, and the final 0 */ };

typedef struct sha256 {
    uint32_t state[8];
    uint64_t count; /* of the bytes so far */
    unsigned char block[SHA256_BLOCK];
} sha256;

void sha256_begin(sha256 *s);
void sha256_add(sha256 *s, const void *bytes, size_t count);
/* Writes the hash of all bytes. Nothing can be added after that. */
void sha256_end(sha256 *s, char text[SHA256_TEXT]);

#endif
