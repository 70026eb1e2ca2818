/* Body of the kernels in cpu/kernels/sort_vectors.c. The includer defines KEY (an unsigned integer), OF(name),
 * LANES_LOG2 (of a vector of keys), MASK (of its lanes) and the instructions.
 *
 * Vectorized quicksort of ranks (B. Bramas, A novel hybrid quicksort algorithm vectorized using AVX-512 on Intel
 * Skylake, 2017): each vector is compared with the pivot and compressed to both sides. One side stays in the array,
 * the other is written to a second array of equal size, so nothing is copied back. A range that fits in the
 * registers is sorted there: first its columns, then the columns are merged by bitonic merges. */

#define LANES (1 << LANES_LOG2)
#define LEAF (ROWS_MAX * LANES)

/* --------------------------------------------------------------------------------- registers */

INLINE MASK OF(first_lanes)(size_t count) { return (MASK)((UINT32_C(1) << count) - 1); }

#define EXCHANGE(i, j)                                   \
    {                                                    \
        const __m512i least = UNSIGNED(min)(v[i], v[j]); \
        v[j] = UNSIGNED(max)(v[i], v[j]);                \
        v[i] = least;                                    \
    }
INLINE void OF(sort_columns)(__m512i *v, int rows) {
    if (rows == 16) {
        NETWORK_16(EXCHANGE)
    } else {
        NETWORK_8(EXCHANGE)
    }
}

/* Sorts columns that are bitonic. */
INLINE void OF(merge_columns)(__m512i *v, int rows) {
#pragma GCC unroll 4
    for (int far = rows / 2; far; far /= 2)
#pragma GCC unroll 16
        for (int i = 0; i < rows; i++)
            if (!(i & far)) EXCHANGE(i, i + far)
}

/* Returns lane numbers: l ^ bits in lane l. */
INLINE __m512i OF(partners)(unsigned bits) {
    KEY lanes[LANES];
    for (unsigned l = 0; l < LANES; l++) lanes[l] = l ^ bits;
    return _mm512_loadu_si512(lanes);
}

INLINE MASK OF(lanes_with)(unsigned bit) {
    MASK lanes = 0;
    for (unsigned l = 0; l < LANES; l++) lanes = (MASK)(lanes | (l & bit ? UINT32_C(1) << l : 0));
    return lanes;
}

/* Returns the maximum of a and b in lanes `upper`, the minimum in the other lanes. */
INLINE __m512i OF(part)(MASK upper, __m512i a, __m512i b) {
    return EACH(mask_mov)(UNSIGNED(min)(a, b), upper, UNSIGNED(max)(a, b));
}

/* First step of a bitonic merge: compares row i of each column with row rows - 1 - i of the column whose number
 * differs in `bits`. */
INLINE void OF(compare_reversed)(__m512i *v, int rows, unsigned bits, unsigned top) {
    const __m512i partners = OF(partners)(bits);
    const MASK upper = OF(lanes_with)(top);
#pragma GCC unroll 8
    for (int i = 0; i < rows / 2; i++) {
        const __m512i a = v[i], b = v[rows - 1 - i];
        v[i] = OF(part)(upper, a, EACH(permutexvar)(partners, b));
        v[rows - 1 - i] = OF(part)(upper, b, EACH(permutexvar)(partners, a));
    }
}

INLINE void OF(compare_at_distance)(__m512i *v, int rows, unsigned bit) {
    const __m512i partners = OF(partners)(bit);
    const MASK upper = OF(lanes_with)(bit);
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++) v[i] = OF(part)(upper, v[i], EACH(permutexvar)(partners, v[i]));
}

/* Exchanges bit `bit` of the row number with bit `bit` of the lane number. */
INLINE void OF(turn)(__m512i *v, int rows, int bit) {
    KEY low[LANES], high[LANES];
    for (int l = 0; l < LANES; l++) {
        low[l] = (KEY)(l & bit ? LANES + (l ^ bit) : l);
        high[l] = (KEY)(l & bit ? LANES + l : l | bit);
    }
    const __m512i lows = _mm512_loadu_si512(low), highs = _mm512_loadu_si512(high);
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
        if (!(i & bit)) {
            const __m512i a = v[i], b = v[i + bit];
            v[i] = EACH(permutex2var)(a, lows, b);
            v[i + bit] = EACH(permutex2var)(a, highs, b);
        }
}

/* ------------------------------------------------------------------------------------- leaves */

/* Sorts up to rows * LANES ranks, rows = 1 << rows_log2 a constant. Column bit k of the merges is lane bit LANE(k),
 * chosen so that the final exchanges of row bits with lane bits leave the ranks in order. */
#define LANE(k) (1U << ((k) + turns) % LANES_LOG2)
INLINE void OF(sort_leaf)(const KEY *ranks, size_t n, KEY *to, const int rows_log2) {
    enum { NONE = -1 };
    const int rows = 1 << rows_log2, turns = rows_log2 < LANES_LOG2 ? rows_log2 : LANES_LOG2;
    __m512i v[ROWS_MAX];
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++) {
        const size_t at = (size_t)i * LANES, left = n > at ? lesser(n - at, LANES) : 0;
        v[i] = EACH(mask_loadu)(EACH(set1)(NONE), OF(first_lanes)(left), ranks + at);
    }
    OF(sort_columns)(v, rows);
#pragma GCC unroll 4
    for (int k = 0; k < LANES_LOG2; k++) {
        unsigned bits = 0;
#pragma GCC unroll 4
        for (int j = 0; j <= k; j++) bits |= LANE(j);
        OF(compare_reversed)(v, rows, bits, LANE(k));
#pragma GCC unroll 4
        for (int j = k - 1; j >= 0; j--) OF(compare_at_distance)(v, rows, LANE(j));
        OF(merge_columns)(v, rows);
    }
#pragma GCC unroll 4
    for (int b = 0; b < turns; b++) OF(turn)(v, rows, 1 << b);
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++) {
        const size_t row = (size_t)(i >> turns | (i & ((1 << turns) - 1)) << (rows_log2 - turns));
        const size_t at = row * LANES, left = n > at ? lesser(n - at, LANES) : 0;
        EACH(mask_storeu)(to + at, OF(first_lanes)(left), v[i]);
    }
}
static void OF(sort_leaf_8)(const KEY *ranks, size_t n, KEY *to) { OF(sort_leaf)(ranks, n, to, 3); }
static void OF(sort_leaf_16)(const KEY *ranks, size_t n, KEY *to) { OF(sort_leaf)(ranks, n, to, 4); }

/* ---------------------------------------------------------------------------------- quicksort */

INLINE __m512i OF(median)(__m512i a, __m512i b, __m512i c) {
    return UNSIGNED(max)(UNSIGNED(min)(a, b), UNSIGNED(min)(UNSIGNED(max)(a, b), c));
}

/* Returns a pivot: the median of three lanes of the pseudo-medians (medians of three medians of three) of nine
 * vectors. Their positions are multiples of the golden section, modulo 1, at which patterns in the keys are unlikely
 * to have extreme values. */
INLINE KEY OF(pivot)(const KEY *x, size_t n) {
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
    __m512i v[9];
    KEY m[LANES];
    for (uint64_t i = 0; i < 9; i++) {
        const uint64_t fraction = (i + 1) * golden >> 32, starts = n - LANES + 1;
        v[i] = _mm512_loadu_si512(x + (starts >> 32) * fraction + ((starts & UINT32_MAX) * fraction >> 32));
    }
    _mm512_storeu_si512(
        m, OF(median)(OF(median)(v[0], v[1], v[2]), OF(median)(v[3], v[4], v[5]), OF(median)(v[6], v[7], v[8])));
    const KEY a = m[0], b = m[LANES / 3], c = m[2 * LANES / 3], least = a < b ? a : b, most = a < b ? b : a;
    return c < least ? least : c < most ? c : most;
}

/* Returns the middle of the range of values, rounded up if they differ. Halving the range leaves a single value
 * after at most as many steps as a key has bits, for all inputs. */
static KEY OF(middle)(const KEY *x, size_t n) {
    KEY least = x[0], most = x[0];
    for (size_t i = 1; i < n; i++) {
        least = x[i] < least ? x[i] : least;
        most = x[i] > most ? x[i] : most;
    }
    return least + (most - least) / 2 + (most > least);
}

/* Moves the chosen lanes to the front; the other lanes are arbitrary. Merges with v itself: merging with zero or
 * another register would add a dependency, possibly on the preceding compression. */
INLINE __m512i OF(compress)(MASK chosen, __m512i v) { return EACH(mask_compress)(v, chosen, v); }

/* Partitions n ranks: those below the pivot (low_stays) or all others stay at x; the rest is written to y, which
 * has capacity n. Returns the number of ranks below the pivot. Stores whole vectors: the positions after the valid
 * lanes have already been read, or are free. */
INLINE size_t OF(split)(KEY *x, size_t n, KEY pivot, KEY *y, const bool low_stays) {
    const __m512i p = EACH(set1)((long long)pivot);
    KEY *stay = x, *go = y;
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        const __m512i v = _mm512_loadu_si512(x + i);
        const MASK below = BELOW(v, p), stays = low_stays ? below : (MASK)~below;
        const size_t count = (size_t)__builtin_popcount(stays);
        _mm512_storeu_si512(stay, OF(compress)(stays, v));
        _mm512_storeu_si512(go, OF(compress)((MASK)~stays, v));
        stay += count;
        go += LANES - count;
    }
    const MASK last = OF(first_lanes)(n - i);
    const __m512i v = EACH(maskz_loadu)(last, x + i);
    const MASK below = BELOW(v, p), stays = (MASK)(last & (low_stays ? below : (MASK)~below));
    const size_t count = (size_t)__builtin_popcount(stays);
    EACH(mask_storeu)(stay, OF(first_lanes)(count), OF(compress)(stays, v));
    EACH(mask_storeu)(go, OF(first_lanes)(n - i - count), OF(compress)((MASK)(last & ~stays), v));
    stay += count;
    return low_stays ? (size_t)(stay - x) : n - (size_t)(stay - x);
}

/* Sorts n ranks at x. The result is written to x, or, with `across`, to y, which has capacity n. On the path to a
 * leaf, the first `patience` pivots come from samples, later ones are middles of the range. */
static void OF(quicksort)(KEY *x, size_t n, KEY *y, bool across, int patience) {
    while (n > LEAF) {
        const KEY pivot = patience-- > 0 ? OF(pivot)(x, n) : OF(middle)(x, n);
        const size_t low = across ? OF(split)(x, n, pivot, y, false) : OF(split)(x, n, pivot, y, true);
        KEY *const high_x = across ? x : y, *const high_y = across ? y + low : x + low;
        if (low > 0) OF(quicksort)(across ? y : x, low, across ? x + (n - low) : y + (n - low), false, patience);
        n -= low;
        x = high_x;
        y = high_y;
        across = true;
        if (low > 0) continue;
        /* The pivot is the least rank. Ranks equal to it are in place after they are split off. */
        const size_t equal = pivot == (KEY)-1 ? n : OF(split)(x, n, (KEY)(pivot + 1), y, false);
        if (equal == n && pivot == (KEY)-1) memcpy(y, x, n * sizeof *x);
        y += equal;
        n -= equal;
    }
    (n > LEAF / 2 ? OF(sort_leaf_16) : OF(sort_leaf_8))(x, n, across ? y : x);
}

/* Returns a few more steps than perfect halving would take. */
static int OF(patience)(size_t n) { return 66 - __builtin_clzll(n / LEAF | 1); }

/* ------------------------------------------------------------------------------- keys and ranks */

static void OF(ranks)(const weft_sort_rule *rule, const KEY *keys, size_t n, KEY *ranks) {
    const weft_sort_rule r = *rule;
    for (size_t i = 0; i < n; i++) ranks[i] = OF(rank)(r, keys[i]);
}

static void OF(keys)(const weft_sort_rule *rule, KEY *ranks, size_t n) {
    const weft_sort_rule r = *rule;
    for (size_t i = 0; i < n; i++) ranks[i] = OF(weft_sort_key)((KEY)r.fold, (KEY)r.xor_mask, (KEY)r.add, ranks[i]);
}

static size_t OF(count_nans)(const weft_sort_rule *rule, const KEY *keys, size_t n) {
    const weft_sort_rule r = *rule;
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += OF(rank)(r, keys[i]) > (KEY)r.greatest;
    return count;
}

static size_t OF(rank_all)(const weft_sort_rule *rule, const void *keys, size_t n, void *ranks) {
    const KEY *const x = keys;
    const size_t numbers = n - OF(count_nans)(rule, x, n);
    KEY *number = ranks, *nan = number + numbers;
    if (numbers == n) OF(ranks)(rule, x, n, ranks);
    for (size_t i = 0; numbers < n && i < n; i++) {
        const KEY rank = OF(rank)(*rule, x[i]);
        if (rank > (KEY)rule->greatest)
            *nan++ = x[i];
        else
            *number++ = rank;
    }
    return numbers;
}

static void OF(finish)(const weft_sort_rule *rule, void *ranks, size_t n, void *other) {
    OF(quicksort)(ranks, n, other, false, OF(patience)(n));
    OF(keys)(rule, ranks, n);
}

/* ------------------------------------------------------------------------------------ buckets */

static void OF(choose)(const weft_sort_rule *rule, const void *keys, size_t n, void *workspace, size_t count,
                       void *splitters) {
    enum { PER_BUCKET = SORT_SAMPLE / 2 };
    KEY *const sample = workspace, *const chosen = splitters;
    const size_t taken = PER_BUCKET * (count + 1);
    for (size_t i = 0; i < taken; i++) sample[i] = OF(rank)(*rule, ((const KEY *)keys)[n / taken * i]);
    OF(quicksort)(sample, taken, sample + taken, false, OF(patience)(taken));
    for (size_t i = 0; i < count; i++) chosen[i] = sample[PER_BUCKET * (i + 1)];
}

/* Partitions as quicksort does, with the middle splitter as the pivot. */
static void OF(part_across)(KEY *x, size_t n, KEY *y, bool across, size_t count, const KEY *splitters,
                            size_t *sizes) {
    if (count == 0) {
        if (across) memcpy(y, x, n * sizeof *x);
        *sizes = n;
        return;
    }
    const size_t middle = count / 2, above = count - middle - 1;
    const KEY pivot = splitters[middle];
    const size_t low = across ? OF(split)(x, n, pivot, y, false) : OF(split)(x, n, pivot, y, true), high = n - low;
    OF(part_across)(across ? y : x, low, across ? x + high : y + high, false, middle, splitters, sizes);
    OF(part_across)
    (across ? x : y, high, across ? y + low : x + low, true, above, splitters + middle + 1, sizes + middle + 1);
}

static void OF(part_all)(void *ranks, size_t n, void *other, size_t count, const void *splitters, size_t *sizes) {
    OF(part_across)(ranks, n, other, true, count, splitters, sizes);
}

static const sort_vector_kernel OF(KERNEL) = {OF(rank_all), OF(choose), OF(part_all), OF(finish)};

#undef KEY
#undef OF
#undef LANES_LOG2
#undef LANES
#undef LEAF
#undef LANE
#undef MASK
#undef EACH
#undef UNSIGNED
#undef BELOW
#undef EXCHANGE
