/* Byte order: elements in memory are in the order of the machine; files and hashes are little-endian on every
 * machine. An element has 1, 2, 4 or 8 bytes. */
#ifndef WEFT_CORE_BYTE_ORDER_H
#define WEFT_CORE_BYTE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool is_big_endian(void) { return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__; }

/* Returns the bits of the element of `size` bytes at p, which need not be aligned. */
static inline uint64_t bits_load(const void *p, size_t size) {
    uint64_t bits = 0;
    memcpy((char *)&bits + (is_big_endian() ? sizeof bits - size : 0), p, size);
    return bits;
}

/* Stores the lowest `size` bytes of bits as an element at p. */
static inline void bits_store(void *p, size_t size, uint64_t bits) {
    memcpy(p, (char *)&bits + (is_big_endian() ? sizeof bits - size : 0), size);
}

/* Returns the number whose little-endian bytes are the 8 bytes at p: the first one is the lowest. */
static inline uint64_t bytes_load(const void *p) {
    uint64_t bits;
    memcpy(&bits, p, sizeof bits);
    return is_big_endian() ? __builtin_bswap64(bits) : bits;
}

/* Reverses the bytes of each of n elements. */
static inline void bytes_reverse(void *elements, size_t n, size_t size) {
    unsigned char *p = (unsigned char *)elements;
    for (size_t i = 0; i < n; i++, p += size)
        for (size_t low = 0, high = size - 1; low < high; low++, high--) {
            const unsigned char byte = p[low];
            p[low] = p[high];
            p[high] = byte;
        }
}

#endif
