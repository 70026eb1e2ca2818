/* Body of the sorting kernels in cpu/kernels/sort.c. The includer defines KEY, the unsigned integer of the key
 * width, and OF(name). */

INLINE KEY OF(code)(weft_sort_rule rule, KEY key) {
    const KEY rank = OF(rank)(rule, key);
    return rank > (KEY)rule.greatest ? (KEY)-1 : rank;
}

static void OF(codes)(const weft_sort_rule *rule, const void *keys, size_t n, uint64_t *codes) {
    for (size_t i = 0; i < n; i++) codes[i] = OF(code)(*rule, ((const KEY *)keys)[i]);
}

/* Works on blocks, because compilers do not vectorize a loop that both computes and combines codes. */
static void OF(survey)(const weft_sort_rule *rule, const void *keys, size_t n, uint64_t window, uint64_t *all,
                       uint64_t *any) {
    const weft_sort_rule r = *rule;
    const KEY *const x = keys;
    const KEY wanted = (KEY)window;
    KEY every = (KEY)-1, some = 0, block[BLOCK];
    for (size_t i = 0; i < n && (some & ~every & wanted) != wanted; i += BLOCK) {
        const size_t count = lesser(n - i, BLOCK);
        for (size_t j = 0; j < count; j++) block[j] = OF(code)(r, x[i + j]);
        for (size_t j = 0; j < count; j++) {
            every &= block[j];
            some |= block[j];
        }
    }
    *all = every;
    *any = some;
}

INLINE void OF(digits)(const weft_sort_rule *rule, sort_digit digit, const KEY *keys, size_t n, uint16_t *digits) {
    const weft_sort_rule r = *rule;
    const KEY mask = (KEY)((1U << digit.bits) - 1);
    for (size_t j = 0; j < n; j++) digits[j] = (uint16_t)((KEY)(OF(code)(r, keys[j]) >> digit.shift) & mask);
}

static void OF(count_chunk)(const weft_sort_rule *rule, sort_digit digit, const KEY *keys, size_t n, size_t *counts) {
    const size_t buckets = (size_t)1 << digit.bits;
    uint32_t tables[TABLES][SORT_BUCKETS_MAX];
    uint16_t digits[BLOCK];
    for (int t = 0; t < TABLES; t++) memset(tables[t], 0, buckets * sizeof *tables[t]);
    for (size_t i = 0; i < n; i += BLOCK) {
        const size_t block = lesser(n - i, BLOCK), whole = block - block % TABLES;
        OF(digits)(rule, digit, keys + i, block, digits);
        for (size_t j = 0; j < whole; j += TABLES)
            for (size_t t = 0; t < TABLES; t++) tables[t][digits[j + t]]++;
        for (size_t j = whole; j < block; j++) tables[0][digits[j]]++;
    }
    for (size_t b = 0; b < buckets; b++)
        for (int t = 0; t < TABLES; t++) counts[b] += tables[t][b];
}

static void OF(count)(const weft_sort_rule *rule, sort_digit digit, const void *keys, size_t n, size_t *counts) {
    memset(counts, 0, sizeof *counts << digit.bits);
    for (size_t i = 0; i < n; i += COUNTED_AT_ONCE)
        OF(count_chunk)(rule, digit, (const KEY *)keys + i, lesser(n - i, COUNTED_AT_ONCE), counts);
}

/* Scatters keys or values. `value_bytes` (0: no values), `keep` (write the keys) and `streams` are constants. */
INLINE void OF(scatter)(size_t value_bytes, bool keep, bool streams, const weft_sort_rule *rule, sort_digit digit,
                        const sort_part *part, size_t *next, void *keys_out, void *values_out) {
    const KEY *const keys = part->keys;
    const char *const values = part->values;
    sort_lines key_lines, value_lines;
    uint16_t digits[BLOCK];
    uint64_t indices[BLOCK];
    if (streams) {
        lines_begin(&key_lines, sizeof *keys, part->lines, keys_out, next, digit);
        lines_begin(&value_lines, value_bytes, part->lines + LINES_BYTES, values_out, next, digit);
    }
    for (size_t i = 0; i < part->n; i += BLOCK) {
        const size_t block = lesser(part->n - i, BLOCK);
        const char *const from =
            values ? values + i * value_bytes : indices_of(value_bytes, part->first + i, block, indices);
        OF(digits)(rule, digit, keys + i, block, digits);
        for (size_t j = 0; j < block; j++) {
            const size_t slot = next[digits[j]]++;
            if (streams && keep) lines_put(&key_lines, sizeof *keys, digits[j], slot, &keys[i + j]);
            if (!streams && keep) ((KEY *)keys_out)[slot] = keys[i + j];
            if (streams && value_bytes) lines_put(&value_lines, value_bytes, digits[j], slot, from + j * value_bytes);
            if (!streams && value_bytes)
                memcpy((char *)values_out + slot * value_bytes, from + j * value_bytes, value_bytes);
        }
    }
    if (streams && keep) lines_end(&key_lines, sizeof *keys, next, digit);
    if (streams && value_bytes) lines_end(&value_lines, value_bytes, next, digit);
}

/* Instances of the body with constant arguments. */
#define SCATTER(name, value_bytes, keep)                                                                    \
    static void OF(name)(const weft_sort_rule *rule, sort_digit digit, const sort_part *part, size_t *next, \
                         void *keys_out, void *values_out) {                                                \
        if (part->lines)                                                                                    \
            OF(scatter)(value_bytes, keep, true, rule, digit, part, next, keys_out, values_out);            \
        else                                                                                                \
            OF(scatter)(value_bytes, keep, false, rule, digit, part, next, keys_out, values_out);           \
    }
SCATTER(scatter_keys, 0, true)
SCATTER(scatter_1, 1, true)
SCATTER(scatter_2, 2, true)
SCATTER(scatter_4, 4, true)
SCATTER(scatter_8, 8, true)
SCATTER(scatter_16, 16, true)
SCATTER(scatter_only_4, 4, false)
SCATTER(scatter_only_8, 8, false)

static const sort_kernel OF(KERNEL) = {
    OF(codes),
    OF(survey),
    OF(count),
    {OF(scatter_keys), OF(scatter_1), OF(scatter_2), OF(scatter_4), OF(scatter_8), OF(scatter_16), OF(scatter_only_4),
     OF(scatter_only_8)},
};

#undef KEY
#undef OF
#undef SCATTER
