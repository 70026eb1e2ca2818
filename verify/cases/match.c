/* weft_match_count (parameters 0 to 3) and weft_match_list (4 to 6) of u8. Patterns are cut out of an array of the
 * case's kind. In some of them a letter's case is flipped or a byte is random. In one case of four all patterns have
 * one length. The flags and the range of positions also vary with match_case.turn. */
#include "verify/match.h"
#include "core/order.h"

#include <string.h>

enum { LIST = 4, PARAMETERS = 7, TEXT = 4000, CAPACITY = 3000 };

/* Number of patterns, and length of the longest. */
static const struct {
    size_t count, longest;
} SETS[PARAMETERS] = {{4, 4}, {30, 3}, {5, WEFT_PATTERN_BYTES_MAX}, {200, 12}, {3, 1}, {6, 40}, {90, 6}};

typedef struct made {
    uint64_t offsets[201];
    unsigned char bytes[5 * WEFT_PATTERN_BYTES_MAX + 200 * 12];
} made;

static uint64_t draw(const match_case *c, uint64_t i) {
    return input_random(c->turn * PARAMETERS + (uint64_t)c->parameter, i) >> 8;
}

static weft_patterns patterns_of(const match_case *c, made *m) {
    const size_t count = SETS[c->parameter].count, longest = SETS[c->parameter].longest;
    const bool alike = draw(c, UINT64_C(1) << 35) % 4 == 0; /* all of one length */
    unsigned char text[TEXT];
    input_fill(c->kind, WEFT_U8, c->seed * MATCH_INPUTS, TEXT, text);
    m->offsets[0] = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t random = draw(c, i);
        const size_t length = alike ? longest : 1 + random % longest, from = random / 512 % (TEXT - longest);
        unsigned char *const pattern = m->bytes + m->offsets[i];
        memcpy(pattern, text + (random >> 40 & 1 ? from : from % 64), length);
        if (random >> 41 & 1) pattern[length - 1] ^= 0x20;
        if ((random >> 42) % 16 == 0) pattern[0] = (unsigned char)(random >> 48);
        m->offsets[i + 1] = m->offsets[i] + length;
    }
    return (weft_patterns){count, m->offsets, m->bytes};
}

static unsigned flags_of(const match_case *c) { return (unsigned)(draw(c, UINT64_C(1) << 32) % 4); }

/* Sets the range of positions: a part of the text in one case of three, else all of it. */
static void range_of(const match_case *c, size_t *first, size_t *end) {
    const uint64_t random = draw(c, UINT64_C(1) << 33);
    const bool part = random % 3 == 0 && c->n > 0;
    *first = part ? random / 3 % c->n : 0;
    *end = part ? *first + (random >> 32) % (c->n - *first + 1) : c->n;
}

static size_t capacity_of(const match_case *c) { return draw(c, UINT64_C(1) << 34) % 4 ? CAPACITY : 5; }

static size_t out_bytes(const match_case *c) { return c->dtype == WEFT_U8 ? sizeof(uint64_t) : 0; }

/* Returns the number of 8-byte values of the output. A list has the total, the positions, and the numbers of the
 * patterns, two of which use one value. */
static size_t values(const match_case *c) {
    return c->parameter < LIST ? SETS[c->parameter].count : 1 + CAPACITY + CAPACITY / 2;
}

static size_t parts(const match_case *c, const void *out, match_part parts[MATCH_PARTS]) {
    const size_t numbers = c->parameter < LIST ? values(c) : 1 + CAPACITY;
    (void)out;
    parts[0] = (match_part){0, sizeof(uint64_t), numbers};
    parts[1] = (match_part){numbers * sizeof(uint64_t), sizeof(uint32_t), 2 * (values(c) - numbers)};
    return 2;
}

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    made m;
    const weft_patterns patterns = patterns_of(c, &m);
    uint64_t *const to = out;
    size_t first, end;
    range_of(c, &first, &end);
    if (c->parameter < LIST) return weft_match_count(ctx, c->n, inputs[0], first, end, &patterns, flags_of(c), to);
    return weft_match_list(ctx, c->n, inputs[0], first, end, &patterns, flags_of(c), capacity_of(c), to + 1,
                           (uint32_t *)(to + 1 + CAPACITY), to);
}

static void tell(const match_case *c, char text[100]) {
    size_t first, end;
    range_of(c, &first, &end);
    snprintf(text, 100, "%zu patterns at [%zu, %zu), flags %u", SETS[c->parameter].count, first, end, flags_of(c));
}

const match_shape match_match = {.inputs = 1,
                                 .parameters = PARAMETERS,
                                 .accumulates = 1,
                                 .values = values,
                                 .out_bytes = out_bytes,
                                 .parts = parts,
                                 .call = call,
                                 .tell = tell};
