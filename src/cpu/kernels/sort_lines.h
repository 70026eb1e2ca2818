/* Moving elements past the caches. Those of a bucket are gathered in a line of 64 bytes, which is written whole:
 * element by element, each would first have its line read, and hundreds of lines in turn would stay in no cache. */
#ifndef WEFT_CPU_SORT_LINES_H
#define WEFT_CPU_SORT_LINES_H

#include "cpu/kernels/stream.h"

enum { LINE_BYTES = SORT_LINE_BYTES, LINES_BYTES = SORT_LINES_BYTES };

typedef struct sort_lines {
    unsigned char *lines; /* one for each bucket; a byte has the place in it that it is to have in memory's lines */
    unsigned char *out;
    size_t first[SORT_BUCKETS_MAX]; /* where each bucket began: what lies before in its line is not its own */
} sort_lines;

INLINE void lines_begin(sort_lines *l, size_t bytes, unsigned char *lines, void *out, const size_t *next,
                        sort_digit digit) {
    l->lines = lines;
    l->out = out;
    if (bytes) memcpy(l->first, next, sizeof *next << digit.bits);
}

/* Writes the bytes from `begin`, or the line's start, to `end`, which is not behind the line's. */
INLINE void lines_write_part(const unsigned char *line, unsigned char *begin, unsigned char *end) {
    unsigned char *const start = end - 1 - (uintptr_t)(end - 1) % LINE_BYTES;
    if (begin < start) begin = start;
    memcpy(begin, line + (uintptr_t)begin % LINE_BYTES, (size_t)(end - begin));
}

/* The element goes to l->out + place * bytes, which is aligned to `bytes`. */
INLINE void lines_put(sort_lines *l, size_t bytes, size_t bucket, size_t place, const void *element) {
    unsigned char *const end = l->out + (place + 1) * bytes, *const line = l->lines + bucket * LINE_BYTES;
    memcpy(line + (uintptr_t)(end - bytes) % LINE_BYTES, element, bytes);
    if ((uintptr_t)end % LINE_BYTES != 0) return;
    if (place + 1 - l->first[bucket] >= LINE_BYTES / bytes)
        for (size_t i = 0; i < LINE_BYTES; i += VECTOR_BYTES) stream_vector(end - LINE_BYTES + i, line + i);
    else
        lines_write_part(line, l->out + l->first[bucket] * bytes, end);
}

/* Writes what is left in the lines. */
INLINE void lines_end(const sort_lines *l, size_t bytes, const size_t *next, sort_digit digit) {
    for (size_t b = 0; b < (size_t)1 << digit.bits; b++) {
        unsigned char *const end = l->out + next[b] * bytes;
        if (next[b] > l->first[b] && (uintptr_t)end % LINE_BYTES != 0)
            lines_write_part(l->lines + b * LINE_BYTES, l->out + l->first[b] * bytes, end);
    }
    stream_fence();
}

#endif
