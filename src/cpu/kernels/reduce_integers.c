/* Operations on integers, bits and truth values (ORDER.md 1.5, 3.2); compiled once per instruction set level. */
#include "cpu/kernels/vectors.h"

enum { BLOCK = 1 << 15 };

#define BODY "cpu/kernels/bodies/integers_body.h"
#include "cpu/kernels/bodies/each_type.h"

/* Combines p->n bytes in 64-bit words. The last word is padded with the identity. */
INLINE uint64_t combine_words(uint64_t (*combine)(uint64_t, uint64_t), uint64_t identity, const reduce_chunk *p) {
    const char *x = p->x;
    uint64_t bits = identity, word = identity;
    for (size_t i = 0; i < p->n / sizeof word; i++) {
        memcpy(&word, x + i * sizeof word, sizeof word);
        bits = combine(bits, word);
    }
    word = identity;
    memcpy(&word, x + p->n / sizeof word * sizeof word, p->n % sizeof word);
    return combine(bits, word);
}

INLINE uint64_t and_words(uint64_t a, uint64_t b) { return a & b; }
INLINE uint64_t or_words(uint64_t a, uint64_t b) { return a | b; }
INLINE uint64_t xor_words(uint64_t a, uint64_t b) { return a ^ b; }

static void bits_and(const reduce_chunk *p, partial *out) { out->u64 = combine_words(and_words, UINT64_MAX, p); }
static void bits_or(const reduce_chunk *p, partial *out) { out->u64 = combine_words(or_words, 0, p); }
static void bits_xor(const reduce_chunk *p, partial *out) { out->u64 = combine_words(xor_words, 0, p); }

/* One kernel per integer type. */
#define OF_INTEGERS(kernel)                                                                                       \
    {                                                                                                             \
        [WEFT_I8] = kernel##_i8, [WEFT_I16] = kernel##_i16, [WEFT_I32] = kernel##_i32, [WEFT_I64] = kernel##_i64, \
        [WEFT_U8] = kernel##_u8, [WEFT_U16] = kernel##_u16, [WEFT_U32] = kernel##_u32, [WEFT_U64] = kernel##_u64  \
    }

const integer_kernels LEVELED(cpu_integers) = {
    .sum = OF_INTEGERS(sum),
    .prod = OF_INTEGERS(prod),
    .dot = OF_INTEGERS(dot),
    .nonzeros =
        {
#define TYPE(ID, name, ctype, kind, npy) [WEFT_##ID] = nonzeros_##name,
#include "core/types.def"
        },
    .bits_and = bits_and,
    .bits_or = bits_or,
    .bits_xor = bits_xor,
};
