/* weft_scatter_reduce and weft_scatter_count on the CPU (ORDER.md 25).
 *
 * The elements are moved to a list in which those of a target are consecutive, in the order of their rows: a stable
 * distribution by the index. The segments of the list are then reduced as by weft_segmented_reduce. If x has several
 * columns, row numbers are moved instead of elements (cpu/common/scatter_rows.c). The method that makes the list does
 * not affect the result:
 *
 *   - ASCENDING, if the indices ascend: x is the list.
 *   - ONE_PASS, for up to 2^SCATTER_BITS_MAX targets: one distribution.
 *   - TWO_PASSES, for the square of that: a distribution by the high digit of the index. One thread then distributes
 *     each bucket, which fits in a cache, by the low digit and reduces it. All threads process each longer bucket.
 *   - SORT, for more targets: a radix sort. */
#include "core/indices.h"
#include "cpu/common/scatter.h"
#include "cpu/common/sort_passes.h"

#include <stdatomic.h>
#include <string.h>

enum {
    ALONE = 1 << 16,       /* below this number of elements, starting threads costs more than it gains */
    CHUNK = 1 << 14,       /* minimum elements of a chunk of a distribution */
    AT_ONCE = 1 << 16,     /* indices that a thread reads between two checks for cancellation */
    BLOCK = 1 << 11,       /* indices that stay in the first cache */
    BUCKET = 1 << 16,      /* maximum elements of a bucket that one thread processes */
    BUCKET_GOAL = 1 << 15, /* mean number of elements of a bucket, from which the length of the high digit follows */
    MOVED_AT_ONCE = 1 << 24, /* elements that a thread moves between two checks for cancellation */
    SPLIT_BYTES = 16,        /* maximum of a row whose columns are reduced one after the other */
    STREAM_BYTES = 1 << 19   /* minimum bytes of a chunk for nontemporal stores */
};

/* The keys are the indices, or a copy in which m is written for indices out of range. */
typedef struct params {
    scatter s;
    const scatter_reduce_call *c;
    const void *keys;
    size_t key_bytes;  /* 4 or 8; of the elements of a bucket: 2 */
    uint64_t last;     /* greatest index in range; 0 if there is none */
    bool none;         /* m is 0 */
    atomic_size_t bad; /* least position of an index out of range; n: none was found */
    atomic_bool falls; /* an index is less than the one before it */
    uint64_t *offsets;
    void *keys_to; /* normalized keys, of to_key_bytes */
    size_t to_key_bytes;
    size_t value_bytes, chunks; /* bytes of a moved value: an element, or the number of a row */
    size_t *next;               /* SCATTER_BUCKETS_MAX for each chunk */
    char *lines;
    size_t line_bytes; /* of the buffers of a chunk */
    sort_digit digit;
    const void *from_keys, *from_values; /* from_values is NULL if numbers of rows are moved */
    void *to_values;
    uint16_t *to_keys;
    size_t n; /* number of elements to distribute */
    /* Two passes. */
    char *buckets;    /* memory of the threads */
    uint64_t *starts; /* of the buckets */
    const void *bucket_values;
    const uint16_t *bucket_keys;
    segment_kernel *reduce;
    kernel *whole;
} params;

static inline uint64_t key_at(size_t width, const void *keys, size_t i) {
    return width == 4 ? ((const uint32_t *)keys)[i] : ((const uint64_t *)keys)[i];
}

static const scatter_kernel *kernel_of(const params *j) {
    return j->s.ctx->level->scatters->width[j->key_bytes == 2 ? 0 : j->key_bytes == 4 ? 1 : 2];
}

static const void *at(const void *p, size_t bytes) { return bytes ? (const char *)p + bytes : p; }

static size_t end_of(size_t first, size_t step, size_t n) { return n - first < step ? n : first + step; }

static void for_parts(const params *j, size_t n, void (*body)(void *self, size_t part)) {
    cpu_parallel_for(j->s.threads, ceil_div(n, AT_ONCE), PARALLEL_RANGES, body, (void *)j);
}

/* --------------------------------------------------------------------------------- indices */

/* Finds the first index out of range in a block that has one. */
static void note_bad(params *j, size_t i) {
    while (key_at(j->key_bytes, j->keys, i) <= j->last && !j->none) i++;
    size_t known = atomic_load(&j->bad);
    while (i < known && !atomic_compare_exchange_weak(&j->bad, &known, i)) {
    }
}

static void survey_part(void *self, size_t part) {
    params *j = self;
    const size_t end = end_of(part * AT_ONCE, AT_ONCE, j->n);
    unsigned all = 0;
    for (size_t i = part * AT_ONCE; i < end; i += BLOCK) {
        const unsigned found = kernel_of(j)->survey(j->keys, i, end_of(i, BLOCK, end), j->last);
        if ((found & 1) && !(all & 1)) note_bad(j, i);
        all |= found;
    }
    if (all & 2) j->falls = true;
}

static weft_status survey_indices(params *j, weft_error *error) {
    if (j->none && j->n) note_bad(j, 0);
    if (!j->none) for_parts(j, j->n, survey_part);
    const size_t bad = j->bad;
    if (cpu_cancelled() || bad == j->n || j->c->range == WEFT_RANGE_SKIP) return WEFT_OK;
    return indices_fail(error, j->c->index_dtype, bad, key_at(j->key_bytes, j->keys, bad), j->c->m);
}

/* Writes keys of 4 or 8 bytes, m for indices out of range. */
static inline __attribute__((always_inline)) void normalize(const params *j, size_t width, size_t to_width,
                                                            size_t first, size_t end) {
    for (size_t i = first; i < end; i++) {
        const uint64_t index = key_at(width, j->keys, i), key = index > j->last ? j->c->m : index;
        if (to_width == 4)
            ((uint32_t *)j->keys_to)[i] = (uint32_t)key;
        else
            ((uint64_t *)j->keys_to)[i] = key;
    }
}

static void normalize_part(void *self, size_t part) {
    params *j = self;
    const size_t first = part * AT_ONCE, end = end_of(first, AT_ONCE, j->n);
    if (j->key_bytes == 4)
        normalize(j, 4, 4, first, end);
    else if (j->to_key_bytes == 4)
        normalize(j, 8, 4, first, end);
    else
        normalize(j, 8, 8, first, end);
}

/* --------------------------------------------------------------------------------- offsets */

/* Writes the offsets of the targets whose first key is in the part, and of targets without keys before them. */
static void find_offsets(void *self, size_t part) {
    const params *j = self;
    const uint64_t m = j->c->m;
    const size_t first = part * AT_ONCE, end = end_of(first, AT_ONCE, j->n);
    uint64_t target = first ? key_at(j->key_bytes, j->from_keys, first - 1) + 1 : 0;
    for (size_t i = first; i < end; i++) {
        const uint64_t key = key_at(j->key_bytes, j->from_keys, i);
        while (target <= key && target <= m) j->offsets[target++] = i;
    }
    if (end == j->n)
        while (target <= m) j->offsets[target++] = j->n;
}

static void offsets_of_sorted(params *j) {
    if (j->n)
        for_parts(j, j->n, find_offsets);
    else
        memset(j->offsets, 0, (j->c->m + 1) * sizeof *j->offsets);
}

/* ---------------------------------------------------------------------------- distribution */

static size_t chunk_begin(const params *j, size_t chunk) {
    const size_t size = j->n / j->chunks, rest = j->n % j->chunks;
    return chunk * size + (chunk < rest ? chunk : rest);
}

static void count_chunk(void *self, size_t chunk) {
    const params *j = self;
    const size_t end = chunk_begin(j, chunk + 1);
    size_t *const counts = j->next + chunk * SCATTER_BUCKETS_MAX;
    memset(counts, 0, sizeof *counts << j->digit.bits);
    for (size_t first = chunk_begin(j, chunk), n; first < end && !cpu_cancelled(); first += n) {
        n = end_of(first, MOVED_AT_ONCE, end) - first;
        kernel_of(j)->count(at(j->from_keys, first * j->key_bytes), n, j->digit, counts);
    }
}

static void move_chunk(void *self, size_t chunk) {
    const params *j = self;
    const scatter_kernel *k = kernel_of(j);
    void (*const *const moves)(const scatter_part *) = j->to_keys       ? k->pairs
                                                       : j->from_values ? k->values
                                                                        : k->numbers;
    const size_t end = chunk_begin(j, chunk + 1);
    scatter_part part = {.digit = j->digit,
                         .next = j->next + chunk * SCATTER_BUCKETS_MAX,
                         .lines = j->lines ? j->lines + chunk * j->line_bytes : NULL,
                         .to_values = j->to_values,
                         .to_keys = j->to_keys};
    for (part.first = chunk_begin(j, chunk); part.first < end && !cpu_cancelled(); part.first += part.n) {
        part.n = end_of(part.first, MOVED_AT_ONCE, end) - part.first;
        part.keys = at(j->from_keys, part.first * j->key_bytes);
        part.values = j->from_values ? at(j->from_values, part.first * j->value_bytes) : NULL;
        moves[__builtin_ctzll(j->value_bytes)](&part);
    }
}

/* Distributes j->n elements by j->digit. Writes the starts of the first `count` buckets; a bucket after the last one
 * starts at its end. */
static void distribute(params *j, uint64_t *starts, size_t count) {
    const size_t buckets = (size_t)1 << j->digit.bits;
    size_t start = 0;
    j->chunks = (size_t)max_u64(1, min_u64(j->n / CHUNK, (uint64_t)j->s.threads));
    cpu_parallel_for((int)j->chunks, j->chunks, PARALLEL_RANGES, count_chunk, j);
    if (cpu_cancelled()) return;
    for (size_t b = 0; b < buckets; b++) {
        if (b < count) starts[b] = start;
        for (size_t chunk = 0; chunk < j->chunks; chunk++) {
            size_t *const next = &j->next[chunk * SCATTER_BUCKETS_MAX + b];
            const size_t n = *next;
            *next = start;
            start += n;
        }
    }
    for (size_t b = buckets; b < count; b++) starts[b] = start;
    cpu_parallel_for((int)j->chunks, j->chunks, PARALLEL_RANGES, move_chunk, j);
}

/* ------------------------------------------------------------------------------- reduction */

/* Reduces the elements of `count` targets from `first` on, whose offsets in x are `offsets`, with all threads. */
static weft_status reduce_list(const params *j, const void *x, size_t n, const uint64_t *offsets, size_t first,
                               size_t count, weft_error *error) {
    const segmented_call call = {.name = "scatter_reduce",
                                 .op = j->c->op,
                                 .dtype = j->c->dtype,
                                 .result = j->s.type,
                                 .n = n,
                                 .x = x,
                                 .y = (char *)j->s.reduced + first * weft_dtype_size(j->s.type),
                                 .source = SEGMENTS_BY_OFFSETS,
                                 .segments = count,
                                 .offsets = offsets};
    if (cpu_cancelled()) return WEFT_OK;
    return cpu_segmented(j->s.ctx, &call, error);
}

/* ------------------------------------------------------------------------------ two passes */

enum { LOW_MAX = SCATTER_BUCKETS_MAX };

static size_t bucket_bytes(const params *j) {
    return round_up(BUCKET * j->value_bytes + (LOW_MAX + 1) * (sizeof(uint64_t) + sizeof(uint32_t)), CPU_ALIGNMENT);
}

static size_t bucket_targets(const params *j, size_t bucket) {
    const size_t first = bucket << j->digit.shift;
    return first < j->c->m ? end_of(first, (size_t)1 << j->digit.shift, j->c->m) - first : 0;
}

/* Stores the offsets of a bucket's targets in the whole list, from which scatter_store finds the empty ones. */
static void note_offsets(const params *j, size_t bucket, const uint64_t *offsets, size_t targets) {
    const size_t first = bucket << j->digit.shift;
    if (!j->c->init) return;
    for (size_t t = 0; t < targets; t++) j->offsets[first + t] = j->starts[bucket] + offsets[t];
    if (first + targets == j->c->m) j->offsets[j->c->m] = j->starts[bucket] + offsets[targets];
}

/* Distributes n elements by the low digit, in a cache. next[d] is the position of the next element of digit d. `size`
 * is a constant. */
static inline __attribute__((always_inline)) void move_low(size_t size, const uint16_t *keys, const char *values,
                                                           size_t n, uint32_t mask, uint32_t *next, char *to) {
    for (size_t i = 0; i < n; i++) memcpy(to + next[keys[i] & mask]++ * size, values + i * size, size);
}

/* Processes a bucket that fits in a cache. */
static void do_bucket(void *self, size_t bucket) {
    const params *j = self;
    const size_t n = j->starts[bucket + 1] - j->starts[bucket];
    const size_t low = (size_t)1 << j->digit.shift, targets = bucket_targets(j, bucket);
    const uint32_t mask = (uint32_t)low - 1;
    char *const to = j->buckets + (size_t)cpu_thread_number() * bucket_bytes(j);
    uint64_t *const offsets = (void *)(to + BUCKET * j->value_bytes);
    uint32_t *const next = (void *)(offsets + LOW_MAX + 1);
    const uint16_t *const keys = j->bucket_keys + j->starts[bucket];
    const char *const values = at(j->bucket_values, j->starts[bucket] * j->value_bytes);
    if (n > BUCKET || !targets) return;
    memset(next, 0, low * sizeof *next);
    for (size_t i = 0; i < n; i++) next[keys[i] & mask]++;
    uint32_t start = 0;
    for (size_t t = 0; t < low; t++) {
        const uint32_t count = next[t];
        offsets[t] = next[t] = start;
        start += count;
    }
    offsets[low] = start;
    switch (j->value_bytes) {
    case 1: move_low(1, keys, values, n, mask, next, to); break;
    case 2: move_low(2, keys, values, n, mask, next, to); break;
    case 4: move_low(4, keys, values, n, mask, next, to); break;
    default: move_low(8, keys, values, n, mask, next, to); break;
    }
    note_offsets(j, bucket, offsets, targets);
    j->reduce(&(segment_params){to, j->whole}, offsets, targets, SIZE_MAX,
              (char *)j->s.reduced + (bucket << j->digit.shift) * weft_dtype_size(j->s.type));
}

/* Processes a bucket with all threads. `big` describes it. */
static weft_status do_long_bucket(params *big, size_t bucket, void *list, weft_error *error) {
    uint64_t offsets[LOW_MAX + 1] = {0};
    const size_t begin = big->starts[bucket], targets = bucket_targets(big, bucket);
    const unsigned shift = big->digit.shift;
    if (!targets) return WEFT_OK;
    params low = *big;
    low.n = big->starts[bucket + 1] - begin;
    low.from_keys = big->bucket_keys + begin;
    low.key_bytes = sizeof *big->bucket_keys;
    low.from_values = at(big->bucket_values, begin * big->value_bytes);
    low.to_values = list;
    low.to_keys = NULL;
    low.digit = (sort_digit){0, shift};
    distribute(&low, offsets, targets + 1);
    if (cpu_cancelled()) return WEFT_OK;
    note_offsets(big, bucket, offsets, targets);
    return reduce_list(big, list, low.n, offsets, bucket << shift, targets, error);
}

static weft_status two_passes(params *j, unsigned bits, unsigned top, void *list, weft_error *error) {
    const size_t buckets = (size_t)1 << top;
    j->digit = (sort_digit){bits - top, top};
    distribute(j, j->starts, buckets + 1);
    if (cpu_cancelled()) return WEFT_OK;
    j->bucket_keys = j->to_keys;
    j->bucket_values = j->to_values;
    j->reduce = cpu_segment_kernel(j->s.ctx, j->c->op, j->c->dtype, j->s.type, &j->whole);
    cpu_parallel_for(j->s.threads, buckets, PARALLEL_IN_ORDER, do_bucket, j);
    for (size_t b = 0; b < buckets && !cpu_cancelled(); b++)
        if (j->starts[b + 1] - j->starts[b] > BUCKET) RETURN_IF_ERROR(do_long_bucket(j, b, list, error));
    return WEFT_OK;
}

/* ------------------------------------------------------------------------------------ sort */

/* Sorts j->keys_to with the values. Returns the values. */
static void *sort(params *j, void *keys_spare, void *values_to, void *values_spare, void *words) {
    sort_params params = {.kernel = j->s.ctx->level->sorts->width[j->key_bytes == 4 ? 2 : 3],
                          .rule = {0, 0, 0, UINT64_MAX},
                          .window = UINT64_MAX,
                          .n = j->n,
                          .keys = {j->key_bytes, j->keys_to, j->keys_to, keys_spare},
                          .values = {j->value_bytes, j->from_values, values_to, values_spare},
                          .chunks = (size_t)max_u64(1, min_u64(j->n / CHUNK, (uint64_t)j->s.threads)),
                          .all = words,
                          .any = (uint64_t *)words + j->s.threads,
                          .next = j->next,
                          .lines = (unsigned char *)j->lines};
    cpu_sort_passes(&params);
    return values_to;
}

/* ---------------------------------------------------------------------------------- counts */

typedef struct counting {
    const params *j;
    uint64_t *counts; /* of each part; or NULL: atomic additions to the result */
    size_t parts;
} counting;

static inline __attribute__((always_inline)) void count_keys(const counting *k, size_t width, size_t part) {
    const params *j = k->j;
    const size_t m = j->c->m, end = (size_t)(((unsigned __int128)(part + 1) * j->n) / k->parts);
    uint64_t *const counts = k->counts ? k->counts + part * m : j->c->counts;
    if (k->counts) memset(counts, 0, m * sizeof *counts);
    for (size_t i = (size_t)(((unsigned __int128)part * j->n) / k->parts); i < end && !cpu_cancelled();) {
        const size_t stop = end_of(i, AT_ONCE, end);
        for (; i < stop; i++) {
            const uint64_t key = key_at(width, j->keys, i);
            if (key > j->last) continue;
            if (k->counts)
                counts[key]++;
            else
                __atomic_fetch_add(&counts[key], 1, __ATOMIC_RELAXED);
        }
    }
}

static void count_part(void *self, size_t part) {
    const counting *k = self;
    if (k->j->key_bytes == 4)
        count_keys(k, 4, part);
    else
        count_keys(k, 8, part);
}

/* Adds up the counts of the parts, or clears the result before atomic additions. */
static void add_counts(void *self, size_t range) {
    const counting *k = self;
    const size_t m = k->j->c->m, end = end_of(range * AT_ONCE, AT_ONCE, m);
    uint64_t *const to = k->j->c->counts;
    memset(to + range * AT_ONCE, 0, (end - range * AT_ONCE) * sizeof *to);
    for (size_t p = 0; k->counts && p < k->parts; p++)
        for (size_t i = range * AT_ONCE; i < end; i++) to[i] += k->counts[p * m + i];
}

static weft_status count(params *j, weft_error *error) {
    const size_t m = j->c->m;
    counting k = {j, NULL, (size_t)j->s.threads};
    const bool own = m <= ALONE || m <= j->n / k.parts; /* the counts of all parts need at most 8 bytes per index */
    if (own) {
        void *workspace;
        RETURN_IF_ERROR(cpu_workspace(j->s.ctx, k.parts * m * sizeof *k.counts, &workspace, error));
        k.counts = workspace;
        cpu_parallel_for(j->s.threads, k.parts, PARALLEL_RANGES, count_part, &k);
    }
    cpu_parallel_for(j->s.threads, ceil_div(m, AT_ONCE), PARALLEL_RANGES, add_counts, &k);
    if (!own && !j->none) {
        k.parts = ceil_div(j->n, AT_ONCE);
        cpu_parallel_for(j->s.threads, k.parts, PARALLEL_RANGES, count_part, &k);
    }
    return WEFT_OK;
}

/* ------------------------------------------------------------------------------------ call */

typedef enum method { ASCENDING, ONE_PASS, TWO_PASSES, SORT } method;

/* Offsets of the arrays in the workspace. */
typedef struct plan {
    method method;
    unsigned bits, top;    /* bits of the keys, and of the high digit of two passes */
    bool normalize, split; /* split: each column is reduced as an array of its own */
    size_t bytes;          /* of the workspace */
    size_t offsets, reduced, keys, keys_spare, list, list_spare, next, lines, words, starts, buckets, rows;
    size_t column, column_reduced;
} plan;

/* Returns the offset of a further array of n elements in the workspace. */
static size_t reserve(plan *p, size_t n, size_t size) {
    const size_t offset = p->bytes;
    p->bytes += round_up(n * size, CPU_ALIGNMENT);
    return offset;
}

static unsigned bits_of(uint64_t v) { return v ? 64 - (unsigned)__builtin_clzll(v) : 1; }

/* Returns the number of bits of the high digit, for buckets of about BUCKET_GOAL elements. */
static unsigned top_bits(unsigned bits, size_t n) {
    const unsigned goal = bits_of(n / BUCKET_GOAL), least = bits > SCATTER_BITS_MAX ? bits - SCATTER_BITS_MAX : 1;
    const unsigned most = SCATTER_BITS_MAX;
    return goal < least ? least : goal > most ? most : goal;
}

static plan make_plan(params *j) {
    const scatter_reduce_call *c = j->c;
    const bool bad = j->bad < j->n, in_order = !bad && !j->falls;
    const uint64_t greatest = bad ? c->m : c->m - 1;
    plan p = {.bits = bits_of(greatest)};
    p.split = c->columns > 1 && c->columns * weft_dtype_size(c->dtype) <= SPLIT_BYTES && !in_order;
    const bool one_column = c->columns == 1 || p.split;
    p.method = in_order                                       ? ASCENDING
               : p.bits <= SCATTER_BITS_MAX                   ? ONE_PASS
               : one_column && p.bits <= 2 * SCATTER_BITS_MAX ? TWO_PASSES
                                                              : SORT;
    p.top = top_bits(p.bits, j->n);
    j->value_bytes = one_column ? weft_dtype_size(c->dtype) : j->n <= UINT32_MAX ? 4 : 8;
    j->to_key_bytes = j->key_bytes == 4 || greatest <= UINT32_MAX ? 4 : 8;
    p.normalize = bad || p.method == SORT;
    j->s.type = c->op == WEFT_MEAN ? WEFT_F64 : c->result;
    const bool stores = c->init || j->s.type != c->result, sorts = p.method == SORT, twice = p.method == TWO_PASSES;
    p.offsets = reserve(&p, c->m + 1, sizeof(uint64_t));
    p.reduced = stores ? reserve(&p, c->m * c->columns, weft_dtype_size(j->s.type)) : SIZE_MAX;
    if (p.normalize) p.keys = reserve(&p, j->n, j->to_key_bytes);
    if (p.method != ASCENDING) {
        const size_t chunks = (size_t)j->s.threads;
        const unsigned bits = !twice ? p.bits : p.top > p.bits - p.top ? p.top : p.bits - p.top;
        j->line_bytes = sorts ? 2 * SORT_LINES_BYTES : SCATTER_LINE * (j->value_bytes + 2 * twice) << bits;
        p.next = reserve(&p, chunks * SCATTER_BUCKETS_MAX, sizeof *j->next);
        p.list = reserve(&p, j->n, j->value_bytes);
        p.lines = reserve(&p, chunks, j->line_bytes);
        if (sorts || twice) p.list_spare = reserve(&p, j->n, j->value_bytes);
        if (sorts || twice) p.keys_spare = reserve(&p, j->n, sorts ? j->to_key_bytes : sizeof *j->to_keys);
        if (sorts) p.words = reserve(&p, 2 * chunks, sizeof(uint64_t));
        if (twice) p.starts = reserve(&p, SCATTER_BUCKETS_MAX + 1, sizeof *j->starts);
        if (twice) p.buckets = reserve(&p, chunks, bucket_bytes(j));
    }
    if (p.split) p.column = reserve(&p, j->n, weft_dtype_size(c->dtype));
    if (p.split) p.column_reduced = reserve(&p, c->m, weft_dtype_size(j->s.type));
    if (!one_column) p.rows = reserve(&p, 1, scatter_rows_workspace(&j->s));
    return p;
}

/* Returns true if chunks are long enough for nontemporal stores. */
static bool streams(const params *j) {
    return j->n / (size_t)j->s.threads * (j->value_bytes + j->key_bytes) >= STREAM_BYTES;
}

/* Writes the results before the last step to `reduced`. */
static weft_status run(params *j, const plan *p, char *w, void *reduced, weft_error *error) {
    const scatter_reduce_call *c = j->c;
    const void *list = NULL;
    method method = p->method;
    j->s.offsets = j->offsets = (void *)(w + p->offsets);
    j->s.reduced = reduced;
    if (p->normalize) {
        j->keys_to = w + p->keys;
        for_parts(j, j->n, normalize_part);
        j->keys = j->keys_to;
        j->key_bytes = j->to_key_bytes;
        j->last = UINT64_MAX >> (64 - 8 * j->key_bytes);
        j->none = false;
        j->falls = false;
        for_parts(j, j->n, survey_part);
        if (!j->falls) method = ASCENDING;
    }
    if (cpu_cancelled()) return WEFT_OK;
    j->from_keys = j->keys;
    j->from_values = c->columns == 1 ? c->x : NULL;
    if (method == ASCENDING) {
        offsets_of_sorted(j);
        list = j->from_values;
    } else {
        j->next = (void *)(w + p->next);
        j->lines = streams(j) ? w + p->lines : NULL;
        j->to_values = w + p->list;
        j->digit = (sort_digit){0, p->bits};
        list = j->to_values;
    }
    if (method == TWO_PASSES) {
        j->to_keys = (void *)(w + p->keys_spare);
        j->starts = (void *)(w + p->starts);
        j->buckets = w + p->buckets;
        return two_passes(j, p->bits, p->top, w + p->list_spare, error);
    }
    if (method == ONE_PASS) distribute(j, j->offsets, c->m + 1);
    if (method == SORT) {
        list = sort(j, w + p->keys_spare, w + p->list, w + p->list_spare, w + p->words);
        if (!cpu_cancelled()) offsets_of_sorted(j);
    }
    if (cpu_cancelled()) return WEFT_OK;
    if (c->columns == 1) return reduce_list(j, list, j->n, j->offsets, 0, c->m, error);
    scatter_reduce_rows(&j->s, list, j->value_bytes, w + p->rows);
    return WEFT_OK;
}

/* ------------------------------------------------------------------------------ few columns */

/* The elements of a column, or its results, to copy. */
typedef struct column {
    const params *j;
    const char *from;
    char *to;
    size_t n, size, from_stride, to_stride;
} column;

/* Copies elements first ... end - 1. `size` is a constant. */
static inline __attribute__((always_inline)) void copy_elements(const column *k, size_t size, size_t first,
                                                                size_t end) {
    for (size_t i = first; i < end; i++)
        memcpy(k->to + i * k->to_stride * size, k->from + i * k->from_stride * size, size);
}

static void copy_part(void *self, size_t part) {
    const column *k = self;
    const size_t first = part * AT_ONCE, end = end_of(first, AT_ONCE, k->n);
    switch (k->size) {
    case 1: copy_elements(k, 1, first, end); break;
    case 2: copy_elements(k, 2, first, end); break;
    case 4: copy_elements(k, 4, first, end); break;
    default: copy_elements(k, 8, first, end); break;
    }
}

static void copy_column(const params *j, column k) {
    cpu_parallel_for(j->s.threads, ceil_div(k.n, AT_ONCE), PARALLEL_RANGES, copy_part, &k);
}

/* Reduces each column as an array of its own. */
static weft_status run_columns(params *j, const plan *p, char *w, weft_error *error) {
    const scatter_reduce_call *c = j->c;
    const size_t size = weft_dtype_size(c->dtype), result = weft_dtype_size(j->s.type);
    char *const x = w + p->column, *const reduced = w + p->column_reduced;
    scatter_reduce_call one = *c;
    one.columns = 1;
    one.x = x;
    j->s.offsets = (void *)(w + p->offsets);
    j->s.reduced = p->reduced == SIZE_MAX ? c->out : w + p->reduced;
    for (size_t k = 0; k < c->columns && !cpu_cancelled(); k++) {
        params of_column = *j;
        of_column.c = &one;
        copy_column(j, (column){j, (const char *)c->x + k * size, x, j->n, size, c->columns, 1});
        RETURN_IF_ERROR(run(&of_column, p, w, reduced, error));
        copy_column(j, (column){j, reduced, (char *)j->s.reduced + k * result, c->m, result, 1, c->columns});
    }
    return WEFT_OK;
}

weft_status cpu_scatter_reduce(void *state, const scatter_reduce_call *c, weft_error *error) {
    cpu_context *ctx = state;
    const uint64_t end = indices_end(c->index_dtype, c->m);
    params j = {.s = {.ctx = ctx, .c = c},
                .c = c,
                .keys = c->index,
                .key_bytes = weft_dtype_size(c->index_dtype),
                .last = end ? end - 1 : 0,
                .none = end == 0,
                .bad = c->n,
                .n = c->n};
    j.s.threads = (c->n + c->m) >= ALONE / max_u64(1, c->columns) ? ctx->threads : 1;
    cpu_plan_regions(c->counts ? 3 : 8);
    RETURN_IF_ERROR(survey_indices(&j, error));
    if (c->m == 0 || c->columns == 0 || cpu_cancelled()) return WEFT_OK;
    if (c->counts) return count(&j, error);
    void *workspace;
    const plan p = make_plan(&j);
    RETURN_IF_ERROR(cpu_workspace(ctx, p.bytes, &workspace, error));
    char *const w = workspace;
    if (p.split)
        RETURN_IF_ERROR(run_columns(&j, &p, w, error));
    else
        RETURN_IF_ERROR(run(&j, &p, w, p.reduced == SIZE_MAX ? c->out : w + p.reduced, error));
    if (!cpu_cancelled()) scatter_store(&j.s);
    return WEFT_OK;
}
