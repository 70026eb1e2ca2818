/* Software write combining for scatters. The elements of a bucket are collected in a 64-byte line, which is written
 * with nontemporal stores. Ordinary stores of single elements would first read each line from memory, and hundreds
 * of active lines would not stay in the caches. */
#ifndef WEFT_CPU_SORT_LINES_H
#define WEFT_CPU_SORT_LINES_H

#include "cpu/kernels/stream.h"

enum { LINE_BYTES = SORT_LINE_BYTES, LINES_BYTES = SORT_LINES_BYTES };

typedef struct sort_lines {
    unsigned char *lines; /* one per bucket; a byte has the offset that it has within its line of memory */
    unsigned char *out;
    /* First output index of each bucket. Earlier bytes in its line belong to another bucket. */
    size_t first[SORT_BUCKETS_MAX];
} sort_lines;

INLINE void lines_begin(sort_lines *l, size_t bytes, unsigned char *lines, void *out, const size_t *next,
                        sort_digit digit) {
    l->lines = lines;
    l->out = out;
    if (bytes) memcpy(l->first, next, sizeof *next << digit.bits);
}

/* Writes the bytes from `begin`, or from the start of the line if that is later, to `end`, which is at most the end
 * of the line. */
INLINE void lines_write_part(const unsigned char *line, unsigned char *begin, unsigned char *end) {
    unsigned char *const start = end - 1 - (uintptr_t)(end - 1) % LINE_BYTES;
    if (begin < start) begin = start;
    memcpy(begin, line + (uintptr_t)begin % LINE_BYTES, (size_t)(end - begin));
}

/* Stores an element for l->out + slot * bytes, an address that must be aligned to `bytes`. */
INLINE void lines_put(sort_lines *l, size_t bytes, size_t bucket, size_t slot, const void *element) {
    unsigned char *const end = l->out + (slot + 1) * bytes, *const line = l->lines + bucket * LINE_BYTES;
    memcpy(line + (uintptr_t)(end - bytes) % LINE_BYTES, element, bytes);
    if ((uintptr_t)end % LINE_BYTES != 0) return;
    if (slot + 1 - l->first[bucket] >= LINE_BYTES / bytes)
        for (size_t i = 0; i < LINE_BYTES; i += VECTOR_BYTES) stream_vector(end - LINE_BYTES + i, line + i);
    else
        lines_write_part(line, l->out + l->first[bucket] * bytes, end);
}

/* Writes the incomplete lines. */
INLINE void lines_end(const sort_lines *l, size_t bytes, const size_t *next, sort_digit digit) {
    for (size_t b = 0; b < (size_t)1 << digit.bits; b++) {
        unsigned char *const end = l->out + next[b] * bytes;
        if (next[b] > l->first[b] && (uintptr_t)end % LINE_BYTES != 0)
            lines_write_part(l->lines + b * LINE_BYTES, l->out + l->first[b] * bytes, end);
    }
    stream_fence();
}

#endif
