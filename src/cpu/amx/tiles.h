/* The tile registers of AMX: a register has 16 rows of 64 bytes. TILE_ names are macros, since the number of a
 * register is part of an instruction. With WEFT_EMULATED_AMX, they are plain C. */
#ifndef WEFT_CPU_AMX_TILES_H
#define WEFT_CPU_AMX_TILES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { TILE_LANES = 16, TILE_TERMS = 64, TILE_BYTES = TILE_LANES * TILE_TERMS };

#ifdef WEFT_EMULATED_AMX

typedef union tile_register {
    int8_t bytes[TILE_LANES][TILE_TERMS];
    int32_t words[TILE_LANES][TILE_LANES];
} tile_register;
static _Thread_local tile_register emulated_tiles[8];

static inline void emulated_load(tile_register *to, const void *from, size_t stride) {
    for (size_t i = 0; i < TILE_LANES; i++) memcpy(to->bytes[i], (const char *)from + i * stride, TILE_TERMS);
}

static inline void emulated_store(const tile_register *from, void *to, size_t stride) {
    for (size_t i = 0; i < TILE_LANES; i++) memcpy((char *)to + i * stride, from->bytes[i], TILE_TERMS);
}

/* Adds the products of a's bytes (row i, term t) and b's (row t / 4, byte 4 j + t % 4) to c's words (i, j). */
static inline void emulated_multiply(tile_register *c, const tile_register *a, const tile_register *b) {
    for (size_t i = 0; i < TILE_LANES; i++)
        for (size_t t = 0; t < TILE_TERMS; t++)
            for (size_t j = 0; j < TILE_LANES; j++) c->words[i][j] += a->bytes[i][t] * b->bytes[t / 4][4 * j + t % 4];
}

#define TILE_START() memset(emulated_tiles, 85, sizeof emulated_tiles)
#define TILE_END() ((void)0)
#define TILE_ZERO(number) memset(&emulated_tiles[number], 0, sizeof(tile_register))
#define TILE_LOAD(number, from, stride) emulated_load(&emulated_tiles[number], from, stride)
#define TILE_STORE(number, to, stride) emulated_store(&emulated_tiles[number], to, stride)
#define TILE_MULTIPLY(c, a, b) emulated_multiply(&emulated_tiles[c], &emulated_tiles[a], &emulated_tiles[b])

#else

#include <immintrin.h>

/* Operand of LDTILECFG: all eight registers have all rows and bytes. */
typedef struct tile_shapes {
    uint8_t palette, start_row, unused[14];
    uint16_t bytes[16];
    uint8_t rows[16];
} tile_shapes;
static const tile_shapes TILE_SHAPES __attribute__((aligned(64))) = {
    .palette = 1,
    .bytes = {64, 64, 64, 64, 64, 64, 64, 64},
    .rows = {16, 16, 16, 16, 16, 16, 16, 16},
};

/* Some compilers do not know that the instructions read and write memory: no access moves across these two. */
#define TILE_START()                       \
    do {                                   \
        __asm__ volatile("" ::: "memory"); \
        _tile_loadconfig(&TILE_SHAPES);    \
    } while (0)
#define TILE_END()                         \
    do {                                   \
        _tile_release();                   \
        __asm__ volatile("" ::: "memory"); \
    } while (0)
#define TILE_ZERO(number) _tile_zero(number)
#define TILE_LOAD(number, from, stride) _tile_loadd(number, from, stride)
#define TILE_STORE(number, to, stride) _tile_stored(number, to, stride)
#define TILE_MULTIPLY(c, a, b) _tile_dpbssd(c, a, b)

#endif

#endif
