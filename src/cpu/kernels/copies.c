/* Kernels that copy two dimensions of an array; compiled once per instruction set level. */
#include "cpu/common/planes.h"
#include "cpu/kernels/half_blocks.h"
#include "cpu/kernels/stream.h"

enum {
    PANEL_BYTES = 512,     /* bytes of a row of x that a transposition reads before it reads the next row */
    STRIP_BYTES = 256,     /* bytes of a row of y that it writes together */
    PREFETCHED_BYTES = 64, /* distance of what is prefetched in a row of x */
    BLOCK = 64             /* elements that are converted at a time */
};

/* Copies with nontemporal stores. */
INLINE void copy_streaming(unsigned char *y, const unsigned char *x, size_t bytes) {
    const size_t foreign = (uintptr_t)y % VECTOR_BYTES, part = foreign ? VECTOR_BYTES - foreign : 0;
    _Alignas(VECTOR_BYTES) unsigned char held[VECTOR_BYTES];
    size_t i = part < bytes ? part : bytes;
    memcpy(y, x, i);
    for (; i + VECTOR_BYTES <= bytes; i += VECTOR_BYTES) {
        memcpy(held, x + i, VECTOR_BYTES);
        stream_vector(y + i, held);
    }
    memcpy(y + i, x + i, bytes - i);
}

static void copy_rows(size_t bytes, const view_dimension *rows, const char *x, char *y, bool streams) {
    for (size_t r = 0; r < rows->n; r++, x += rows->x, y += rows->y) {
        if (streams)
            copy_streaming((unsigned char *)y, (const unsigned char *)x, bytes);
        else
            memcpy(y, x, bytes);
    }
}

/* Converts n elements, of which x may be at the end of y: a block is read before its results are written. */
#define WIDEN(name)                                                                     \
    INLINE void widen_block_##name(size_t count, const char *x, float *y) {             \
        uint16_t bits[BLOCK];                                                           \
        float values[BLOCK];                                                            \
        memcpy(bits, x, count * sizeof *bits);                                          \
        widen_##name(count, bits, values);                                              \
        memcpy(y, values, count * sizeof *values);                                      \
    }                                                                                   \
    static void widen_array_##name(size_t n, const char *x, float *y) {                 \
        size_t i = 0;                                                                   \
        for (; i + BLOCK <= n; i += BLOCK) widen_block_##name(BLOCK, x + 2 * i, y + i); \
        if (i < n) widen_block_##name(n - i, x + 2 * i, y + i);                         \
    }
WIDEN(f16)
WIDEN(bf16)

#define LANE uint8_t
#define SQUARE_BYTES 16
#define OF(name) name##_8
#include "cpu/kernels/bodies/copies_body.h"

#define LANE uint16_t
#define SQUARE_BYTES 16
#define OF(name) name##_16
#include "cpu/kernels/bodies/copies_body.h"

#define LANE uint32_t
#define SQUARE_BYTES VECTOR_BYTES
#define OF(name) name##_32
#include "cpu/kernels/bodies/copies_body.h"

#define LANE uint64_t
#define SQUARE_BYTES VECTOR_BYTES
#define OF(name) name##_64
#include "cpu/kernels/bodies/copies_body.h"

/* Copies elements of 16 bytes, for which a row of a strip is a vector already. */
static void transpose_plane_128(const view_dimension *rows, const view_dimension *columns, const char *x, char *y,
                                bool streams) {
    enum { SIZE = 16, PANEL = PANEL_BYTES / SIZE, STRIP = STRIP_BYTES / SIZE };
    (void)streams;
    for (size_t row = 0; row < rows->n; row += PANEL)
        for (size_t first = 0; first < columns->n; first += STRIP) {
            const size_t end = columns->n - first < STRIP ? columns->n : first + STRIP;
            const size_t last = rows->n - row < PANEL ? rows->n : row + PANEL;
            for (size_t r = row; r < last; r++)
                for (size_t c = first; c < end; c++)
                    memcpy(y + (ptrdiff_t)r * rows->y + c * SIZE, x + r * SIZE + (ptrdiff_t)c * columns->x, SIZE);
        }
}

const copy_kernels LEVELED(cpu_copies) = {
    copy_rows,
    {transpose_plane_8, transpose_plane_16, transpose_plane_32, transpose_plane_64, transpose_plane_128},
    widen_array_f16,
    widen_array_bf16,
    stream_fence};
