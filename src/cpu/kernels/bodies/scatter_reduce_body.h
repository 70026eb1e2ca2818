/* Body of cpu/kernels/scatter_reduce.c for keys of one width. The includer defines KEY (an unsigned integer) and
 * OF(name). */

static unsigned OF(survey)(const void *keys, size_t first, size_t end, uint64_t last) {
    const KEY *const k = keys;
    const KEY most = (KEY)last;
    KEY above = 0, falls = 0;
    for (size_t i = first; i < end; i++) above |= k[i] > most;
    for (size_t i = first + (first == 0); i < end; i++) falls |= k[i] < k[i - 1];
    return (unsigned)above | (unsigned)falls << 1;
}

/* Uses two tables, because consecutive increments of one counter depend on each other. */
static bool OF(count)(const void *keys, size_t n, uint64_t last, sort_digit digit, size_t *counts) {
    const KEY mask = (KEY)((1U << digit.bits) - 1), most = (KEY)last;
    const unsigned shift = digit.shift;
    uint32_t tables[2][SCATTER_BUCKETS_MAX];
    KEY above = 0;
    for (int t = 0; t < 2; t++) memset(tables[t], 0, sizeof **tables << digit.bits);
    for (size_t first = 0; first < n; first += BLOCK) {
        const KEY *const k = (const KEY *)keys + first;
        const size_t block = n - first < BLOCK ? n - first : BLOCK;
        for (size_t i = 0; i < block; i++) above |= k[i] > most;
        for (size_t i = 0; i + 2 <= block; i += 2) {
            tables[0][k[i] >> shift & mask]++;
            tables[1][k[i + 1] >> shift & mask]++;
        }
        if (block % 2) tables[0][k[block - 1] >> shift & mask]++;
    }
    for (size_t b = 0; b < (size_t)1 << digit.bits; b++) counts[b] += tables[0][b] + tables[1][b];
    return above;
}

/* Distributes values of `size` bytes. `numbers` (the values are positions) and `keep` (also write the keys) are
 * constants. The inner loop ends when a line is full, so that it has all of its variables in registers. */
INLINE void OF(move_in_lines)(size_t size, bool numbers, bool keep, const scatter_part *p) {
    const KEY *const keys = p->keys;
    const KEY mask = (KEY)((1U << p->digit.bits) - 1);
    const unsigned shift = p->digit.shift;
    const size_t n = p->n, number = p->first;
    const char *const values = p->values;
    char *const lines = p->lines, *const key_lines = lines + (SCATTER_LINE * size << p->digit.bits);
    uint32_t slots[SCATTER_BUCKETS_MAX]; /* of the next elements */
    for (uint32_t b = 0; b >> p->digit.bits == 0; b++)
        slots[b] = b * SCATTER_LINE + (uint32_t)(p->next[b] % SCATTER_LINE);
    for (size_t i = 0; i < n; i++) {
        size_t bucket;
        uint32_t slot;
        do {
            bucket = (size_t)(keys[i] >> shift & mask);
            slot = slots[bucket];
            if (numbers && size == 4)
                *(uint32_t *)(void *)(lines + slot * size) = (uint32_t)(number + i);
            else if (numbers)
                *(uint64_t *)(void *)(lines + slot * size) = number + i;
            else
                memcpy(lines + slot * size, values + i * size, size);
            if (keep) *(uint16_t *)(void *)(key_lines + slot * sizeof(uint16_t)) = (uint16_t)keys[i];
            slots[bucket] = ++slot;
        } while (slot % SCATTER_LINE != 0 && ++i < n);
        if (slot % SCATTER_LINE != 0) break;
        slots[bucket] = slot - SCATTER_LINE;
        put_line(size, lines, bucket, p->next[bucket], SCATTER_LINE, p->to_values);
        if (keep) put_line(sizeof(uint16_t), key_lines, bucket, p->next[bucket], SCATTER_LINE, p->to_keys);
        p->next[bucket] = (p->next[bucket] / SCATTER_LINE + 1) * SCATTER_LINE;
    }
    for (size_t b = 0; b < (size_t)1 << p->digit.bits; b++) {
        const size_t end = slots[b] % SCATTER_LINE;
        if (p->next[b] % SCATTER_LINE == end) continue;
        put_line(size, lines, b, p->next[b], end, p->to_values);
        if (keep) put_line(sizeof(uint16_t), key_lines, b, p->next[b], end, p->to_keys);
        p->next[b] = p->next[b] / SCATTER_LINE * SCATTER_LINE + end;
    }
    stream_fence();
}

INLINE void OF(move)(size_t size, bool numbers, bool keep, const scatter_part *p) {
    const KEY *const keys = p->keys;
    const KEY mask = (KEY)((1U << p->digit.bits) - 1);
    char *const to = p->to_values;
    if (p->lines) {
        OF(move_in_lines)(size, numbers, keep, p);
        return;
    }
    for (size_t i = 0; i < p->n; i++) {
        const size_t slot = p->next[keys[i] >> p->digit.shift & mask]++;
        if (numbers && size == 4)
            *(uint32_t *)(void *)(to + slot * size) = (uint32_t)(p->first + i);
        else if (numbers)
            *(uint64_t *)(void *)(to + slot * size) = p->first + i;
        else
            memcpy(to + slot * size, (const char *)p->values + i * size, size);
        if (keep) p->to_keys[slot] = (uint16_t)keys[i];
    }
}

/* Instances with constant arguments. */
#define MOVE(name, size, numbers, keep) \
    static void OF(name)(const scatter_part *p) { OF(move)(size, numbers, keep, p); }
MOVE(values_1, 1, false, false)
MOVE(values_2, 2, false, false)
MOVE(values_4, 4, false, false)
MOVE(values_8, 8, false, false)
MOVE(pairs_1, 1, false, true)
MOVE(pairs_2, 2, false, true)
MOVE(pairs_4, 4, false, true)
MOVE(pairs_8, 8, false, true)
MOVE(numbers_4, 4, true, false)
MOVE(numbers_8, 8, true, false)

static const scatter_kernel OF(KERNEL) = {
    OF(survey),
    OF(count),
    {OF(values_1), OF(values_2), OF(values_4), OF(values_8)},
    {OF(pairs_1), OF(pairs_2), OF(pairs_4), OF(pairs_8)},
    {NULL, NULL, OF(numbers_4), OF(numbers_8)},
};

#undef KEY
#undef OF
#undef MOVE
