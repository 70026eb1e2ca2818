/* Nontemporal stores of long results. An ordinary store first reads its cache line, which for a scan is a third of
 * the memory traffic; and a result longer than the caches would be evicted before it is used. Results are written
 * to a buffer, from which whole vectors are stored to aligned addresses. */
#ifndef WEFT_CPU_STREAM_H
#define WEFT_CPU_STREAM_H

#include "cpu/kernels/vectors.h"

enum { STREAM_BLOCK = 2048 }; /* maximum bytes per stream_put */

typedef struct stream {
    unsigned char *to; /* aligned to VECTOR_BYTES */
    size_t held;       /* bytes in the buffer */
    size_t foreign;    /* the first bytes at `to` that do not belong to this result */
    _Alignas(VECTOR_BYTES) unsigned char buffer[VECTOR_BYTES + STREAM_BLOCK];
} stream;

typedef long long stream_lanes __attribute__((vector_size(VECTOR_BYTES), may_alias));

/* Stores a vector with a nontemporal store; both addresses must be aligned. Uses compiler built-ins, because
 * immintrin.h takes longer to compile than most of the files that include this one. */
INLINE void stream_vector(unsigned char *to, const unsigned char *from) {
#if !defined(__x86_64__)
    memcpy(to, from, VECTOR_BYTES);
#elif defined(__clang__)
    __builtin_nontemporal_store(*(const stream_lanes *)from, (stream_lanes *)to);
#elif VECTOR_BYTES == 64
    __builtin_ia32_movntdq512((stream_lanes *)to, *(const stream_lanes *)from);
#elif VECTOR_BYTES == 32
    __builtin_ia32_movntdq256((stream_lanes *)to, *(const stream_lanes *)from);
#else
    __builtin_ia32_movntdq((stream_lanes *)to, *(const stream_lanes *)from);
#endif
}

/* Orders nontemporal stores before all later stores, which the hardware does not guarantee. */
INLINE void stream_fence(void) {
#if defined(__x86_64__)
    __builtin_ia32_sfence();
#endif
}

/* Copies a whole result; from and to must have equal offsets modulo VECTOR_BYTES. The caller must order the stores
 * before later ones. */
INLINE void stream_copy(void *to, const void *from, size_t bytes) {
    unsigned char *y = to;
    const unsigned char *x = from;
    const size_t foreign = (uintptr_t)y % VECTOR_BYTES, part = foreign ? VECTOR_BYTES - foreign : 0;
    size_t i = part < bytes ? part : bytes;
    memcpy(y, x, i);
    for (; i + VECTOR_BYTES <= bytes; i += VECTOR_BYTES) stream_vector(y + i, x + i);
    memcpy(y + i, x + i, bytes - i);
}

INLINE void stream_begin(stream *s, void *y) {
    s->foreign = s->held = (uintptr_t)y % VECTOR_BYTES;
    s->to = (unsigned char *)y - s->held;
}

/* Returns the address for the next results. */
INLINE void *stream_address(stream *s) { return s->buffer + s->held; }

/* Appends `bytes` bytes that have been written to stream_address. */
INLINE void stream_put(stream *s, size_t bytes) {
    const size_t held = s->held + bytes, whole = held / VECTOR_BYTES * VECTOR_BYTES;
    size_t i = 0;
    if (s->foreign && whole) {
        memcpy(s->to + s->foreign, s->buffer + s->foreign, VECTOR_BYTES - s->foreign);
        s->foreign = 0;
        i = VECTOR_BYTES;
    }
    for (; i < whole; i += VECTOR_BYTES) stream_vector(s->to + i, s->buffer + i);
    memcpy(s->buffer, s->buffer + whole, VECTOR_BYTES);
    s->to += whole;
    s->held = held - whole;
}

/* Writes the remaining bytes. The caller must order the stores before later ones. */
INLINE void stream_flush(const stream *s) {
    memcpy(s->to + s->foreign, s->buffer + s->foreign, s->held - s->foreign);
}

INLINE void stream_end(const stream *s) {
    stream_flush(s);
    stream_fence();
}

#endif
