/* Positions in a text where patterns may begin; compiled once per instruction set level.
 *
 * Few patterns are compared with the whole text. Four vectors, loaded one byte apart, contain the first to fourth
 * bytes of VECTOR_BYTES positions. A pattern may begin where none of them differs from its bytes. Four patterns at
 * a time share the loads. Many patterns are looked up in the filter of the set, once per pattern class, in loops
 * that compilers vectorize. */
#include "cpu/kernels/marked.h"

enum {
    FEW = VECTOR_BYTES,
    GROUP = 4,
    LANE_MAX = 255 /* positions that an 8-bit lane can count */
};

typedef uint8_t vector_u8 __attribute__((vector_size(VECTOR_BYTES)));

/* --------------------------------------------------------------------------------- few */

/* The first bytes of a group's patterns in all lanes, and the masks of their significant bits. */
typedef struct group {
    vector_u8 byte[GROUP][WEFT_MATCH_CLASSES], mask[GROUP][WEFT_MATCH_CLASSES];
} group;

/* Loads a group of patterns. An incomplete group repeats the last pattern. */
INLINE group load_group(const weft_match_set *set, uint32_t first) {
    group g;
    for (uint32_t j = 0; j < GROUP; j++) {
        const uint32_t i = first + j < set->patterns ? first + j : set->patterns - 1;
        for (int k = 0; k < WEFT_MATCH_CLASSES; k++) {
            g.byte[j][k] = (vector_u8){0} + (uint8_t)(set->keys[i] >> 8 * k);
            g.mask[j][k] = (vector_u8){0} + (uint8_t)(set->masks[i] >> 8 * k);
        }
    }
    return g;
}

/* The first to fourth bytes of VECTOR_BYTES positions. */
typedef struct window {
    vector_u8 byte[WEFT_MATCH_CLASSES];
} window;

INLINE window load_window(const unsigned char *text, int length) {
    window v;
    for (int k = 0; k < length; k++) memcpy(&v.byte[k], text + k, VECTOR_BYTES);
    /* cppcheck-suppress uninitvar ; only the first `length` bytes are set and used */
    return v;
}

/* Returns 255 in the lanes of positions where the first `length` bytes match pattern j of the group. */
INLINE vector_u8 begins(const group *g, int j, const window *v, int length, bool masked) {
    vector_u8 differs = {0};
    for (int k = 0; k < length; k++) {
        const vector_u8 bits = v->byte[k] ^ g->byte[j][k];
        differs |= masked ? bits & g->mask[j][k] : bits;
    }
    return (vector_u8)(differs == 0);
}

/* Counts the matches of a group in at most LANE_MAX vectors. */
INLINE void count_group(const weft_match_set *set, uint32_t first, const unsigned char *text, size_t n, int length,
                        bool masked, uint64_t *counts) {
    const group g = load_group(set, first);
    vector_u8 found[GROUP] = {{0}};
    for (size_t i = 0; i < n; i += VECTOR_BYTES) {
        const window v = load_window(text + i, length);
        for (int j = 0; j < GROUP; j++) found[j] -= begins(&g, j, &v, length, masked);
    }
    for (uint32_t j = 0; j < GROUP && first + j < set->patterns; j++)
        for (int lane = 0; lane < VECTOR_BYTES; lane++) counts[first + j] += found[j][lane];
}

INLINE void mark_group(const weft_match_set *set, uint32_t first, const unsigned char *text, size_t n, int length,
                       bool masked, uint8_t *truths) {
    const group g = load_group(set, first);
    for (size_t i = 0; i < n; i += VECTOR_BYTES) {
        const window v = load_window(text + i, length);
        vector_u8 truth;
        memcpy(&truth, truths + i, sizeof truth);
        for (int j = 0; j < GROUP; j++) truth |= begins(&g, j, &v, length, masked) & 1;
        memcpy(truths + i, &truth, sizeof truth);
    }
}

/* Masks are needed if patterns are of several classes, or if case is folded. */
static unsigned longest_class(const weft_match_set *set) { return set->classes[set->class_count - 1]; }

static bool is_masked(const weft_match_set *set) { return set->fold_case || set->class_count > 1; }

static void count_in_group(const weft_match_set *set, uint32_t first, const unsigned char *text, size_t n,
                           uint64_t *counts) {
    switch (2 * longest_class(set) + is_masked(set)) {
    case 2: count_group(set, first, text, n, 1, false, counts); break;
    case 3: count_group(set, first, text, n, 1, true, counts); break;
    case 4: count_group(set, first, text, n, 2, false, counts); break;
    case 5: count_group(set, first, text, n, 2, true, counts); break;
    case 6: count_group(set, first, text, n, 3, false, counts); break;
    case 7: count_group(set, first, text, n, 3, true, counts); break;
    case 8: count_group(set, first, text, n, 4, false, counts); break;
    default: count_group(set, first, text, n, 4, true, counts); break;
    }
}

static void mark_by_group(const weft_match_set *set, uint32_t first, const unsigned char *text, size_t n,
                          uint8_t *truths) {
    switch (2 * longest_class(set) + is_masked(set)) {
    case 2: mark_group(set, first, text, n, 1, false, truths); break;
    case 3: mark_group(set, first, text, n, 1, true, truths); break;
    case 4: mark_group(set, first, text, n, 2, false, truths); break;
    case 5: mark_group(set, first, text, n, 2, true, truths); break;
    case 6: mark_group(set, first, text, n, 3, false, truths); break;
    case 7: mark_group(set, first, text, n, 3, true, truths); break;
    case 8: mark_group(set, first, text, n, 4, false, truths); break;
    default: mark_group(set, first, text, n, 4, true, truths); break;
    }
}

static void count_short(const weft_match_set *set, const unsigned char *text, size_t positions, uint64_t *counts) {
    for (size_t n; positions > 0; positions -= n, text += n) {
        n = positions < LANE_MAX * VECTOR_BYTES ? positions : LANE_MAX * VECTOR_BYTES;
        for (uint32_t first = 0; first < set->patterns; first += GROUP) count_in_group(set, first, text, n, counts);
    }
}

static void mark_few(const weft_match_set *set, const unsigned char *text, size_t positions, uint64_t *bits) {
    uint8_t truths[MATCH_BLOCK] __attribute__((aligned(64)));
    memset(truths, 0, positions);
    for (uint32_t first = 0; first < set->patterns; first += GROUP)
        mark_by_group(set, first, text, positions, truths);
    for (size_t i = 0; i < positions; i += WORD) bits[i / WORD] = gather_bits(truths + i);
}

/* -------------------------------------------------------------------------------- many */

static void mark_many(const weft_match_set *set, const unsigned char *text, size_t positions, uint64_t *bits) {
    const uint32_t fold = weft_match_filter_fold(set), shift = weft_match_filter_shift(set);
    uint32_t four[WORD];
    uint8_t truths[WORD];
    for (; positions > 0; positions -= WORD, text += WORD, bits++) {
        for (int i = 0; i < WORD; i++)
            four[i] =
                (text[i] | (uint32_t)text[i + 1] << 8 | (uint32_t)text[i + 2] << 16 | (uint32_t)text[i + 3] << 24) |
                fold;
        memset(truths, 0, sizeof truths);
        for (uint32_t k = 0; k < set->gram_count; k++) {
            const uint32_t factor = weft_match_filter_factor(set->grams[k]);
            for (int i = 0; i < WORD; i++)
                truths[i] |= (uint8_t)(set->filter[four[i] * factor >> shift] >> four[i] % 32 & 1);
        }
        *bits = gather_bits(truths);
    }
}

static void mark(const weft_match_set *set, const unsigned char *text, size_t positions, uint64_t *bits) {
    (set->patterns <= FEW ? mark_few : mark_many)(set, text, positions, bits);
}

const match_kernels LEVELED(cpu_matches) = {.few = FEW, .count_short = count_short, .mark = mark};
