/* Kernels of selections and runs; compiled once per instruction set level. Vector code marks the elements to keep,
 * 64 at a time, in bit masks. One loop per element size copies the marked elements. */
#include "arith/halves.h"
#include "core/compare.h"
#include "cpu/kernels/marked.h"

static void nonzero(const uint8_t *flags, size_t n, uint64_t *bits) {
    uint8_t truths[WORD] = {0};
    for (; n >= WORD; n -= WORD, flags += WORD, bits++) {
        for (int i = 0; i < WORD; i++) truths[i] = flags[i] != 0;
        *bits = gather_bits(truths);
    }
    if (n == 0) return;
    memset(truths, 0, sizeof truths);
    for (size_t i = 0; i < n; i++) truths[i] = flags[i] != 0;
    *bits = gather_bits(truths);
}

static size_t count(const uint64_t *bits, size_t words) {
    size_t marked = 0;
    for (size_t w = 0; w < words; w++) marked += (size_t)__builtin_popcountll(bits[w]);
    return marked;
}

static void indices(size_t first, const uint64_t *bits, size_t words, uint64_t *y) {
    for (size_t w = 0; w < words; w++, first += WORD)
        for (uint64_t left = bits[w]; left; left &= left - 1) *y++ = first + (size_t)__builtin_ctzll(left);
}

static void distances(const uint64_t *bits, size_t words, uint64_t *y) {
    size_t last = 0;
    bool any = false;
    for (size_t w = 0; w < words; w++)
        for (uint64_t left = bits[w]; left; left &= left - 1) {
            const size_t i = w * WORD + (size_t)__builtin_ctzll(left);
            if (any) *y++ = i - last;
            any = true;
            last = i;
        }
}

#define T int8_t
#define OF(name) name##_i8
#define PRESSED press_u32
#define PRESS_WIDE press_lanes_u32
#include "cpu/kernels/bodies/select_body.h"

#define T int16_t
#define OF(name) name##_i16
#define PRESSED press_u32
#define PRESS_WIDE press_lanes_u32
#include "cpu/kernels/bodies/select_body.h"

#define T int32_t
#define OF(name) name##_i32
#define PRESSED press_u32
#define PRESS_WIDE press_lanes_u32
#include "cpu/kernels/bodies/select_body.h"

#define T int64_t
#define OF(name) name##_i64
#define PRESSED press_u64
#define PRESS_WIDE press_lanes_u64
#include "cpu/kernels/bodies/select_body.h"

#define T float
#define OF(name) name##_f32
#define IS_FLOAT
#include "cpu/kernels/bodies/select_body.h"

#define T double
#define OF(name) name##_f64
#define IS_FLOAT
#include "cpu/kernels/bodies/select_body.h"

/* Returns the marks of up to 64 f16 or bf16 that satisfy the comparison. */
INLINE uint64_t compare_block_of_halves(const comparator *c, const uint16_t *x, size_t n) {
    const int16_t first = c->first_key, last = c->last_key;
    const uint8_t others = c->others;
    uint8_t truths[WORD] = {0};
    for (size_t i = 0; i < n; i++) {
        const int16_t key = weft_key_half(x[i]);
        truths[i] = ((key >= first) & (key <= last)) ^ others;
    }
    return gather_bits(truths);
}

static void compare_halves(const comparator *c, const void *at, size_t n, uint64_t *bits) {
    const uint16_t *x = at;
    for (; n >= WORD; n -= WORD, x += WORD) *bits++ = compare_block_of_halves(c, x, WORD);
    if (n) *bits = compare_block_of_halves(c, x, n);
}

const selection_kernels LEVELED(cpu_selections) = {
    .nonzero = nonzero,
    .compare = {[WEFT_I8] = compare_i8,
                [WEFT_I16] = compare_i16,
                [WEFT_I32] = compare_i32,
                [WEFT_I64] = compare_i64,
                [WEFT_F32] = compare_f32,
                [WEFT_F64] = compare_f64,
                [WEFT_F16] = compare_halves,
                [WEFT_BF16] = compare_halves},
    .heads = {[WEFT_I8] = heads_i8,
              [WEFT_I16] = heads_i16,
              [WEFT_I32] = heads_i32,
              [WEFT_I64] = heads_i64,
              [WEFT_F32] = heads_f32,
              [WEFT_F64] = heads_f64},
    .count = count,
    .compact = {[WEFT_I8] = compact_i8,
                [WEFT_I16] = compact_i16,
                [WEFT_I32] = compact_i32,
                [WEFT_I64] = compact_i64,
                [WEFT_F32] = compact_i32,
                [WEFT_F64] = compact_i64,
                [WEFT_F16] = compact_i16,
                [WEFT_BF16] = compact_i16},
    .indices = indices,
    .distances = distances,
};
