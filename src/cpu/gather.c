/* weft_gather and weft_scatter on the CPU (ORDER.md 29). Threads take parts of the indices. All indices are checked
 * before a row is moved.
 *
 * scatter finds equal indices by marking the rows that they name in bit maps, one for each thread, so that no thread
 * waits for another: as many bits are set in one of the maps as there are indices in range if and only if no two are
 * equal. If the maps have many more bits than there are indices, one thread enters the indices in a hash table. */
#include "core/indices.h"
#include "core/types.h"
#include "cpu/common/index_range.h"
#include "cpu/runtime/parallel.h"

#include <stdatomic.h>
#include <string.h>

enum {
    PART = 1 << 14,       /* maximum indices of a work item */
    PART_BYTES = 1 << 19, /* bytes of the rows of a work item, unless a row is longer */
    MAPS_MAX = 8,         /* maximum number of maps. A map has at most as many bytes as it has indices */
    FEW = 1 << 9,         /* a map with more than this number of bits per index is slower than a hash table */
    WORDS = 1 << 13,      /* words of a map in a work item */
    AHEAD = 32            /* number of indices between a prefetch and the access */
};

typedef struct params {
    cpu_context *ctx;
    const gather_call *c;
    int threads;
    size_t index_bytes;   /* 4 or 8 */
    uint64_t end;         /* number of indices in range: indices_end */
    size_t part;          /* indices of a work item */
    atomic_size_t marked; /* number of indices in range */
    atomic_size_t named;  /* number of different ones */
    uint64_t *maps;       /* maps after each other, each of `words` words */
    size_t count, words;
} params;

static inline uint64_t index_at(const params *j, size_t width, size_t i) {
    return width == 4 ? ((const uint32_t *)j->c->index)[i] : ((const uint64_t *)j->c->index)[i];
}

static size_t end_of(size_t first, size_t step, size_t n) { return n - first < step ? n : first + step; }

/* ----------------------------------------------------------------------------------- range */

static weft_status check_range(const params *j, weft_error *error) {
    const view_dimension line = {j->c->n, (ptrdiff_t)j->index_bytes, 0};
    const index_array all = {j->index_bytes, j->end, 1, &line, j->c->index};
    uint64_t bits;
    if (j->c->range == WEFT_RANGE_SKIP) return WEFT_OK;
    const size_t bad = cpu_find_bad_index(j->threads, &all, &bits);
    if (bad == SIZE_MAX || cpu_cancelled()) return WEFT_OK;
    return indices_fail(error, j->c->index_dtype, bad, bits, j->c->m);
}

/* ------------------------------------------------------------------------------- different */

static weft_status fail_equal(const params *j, size_t first, size_t second, weft_error *error) {
    return indices_fail_equal(error, "scatter", j->c->index_dtype, first, second, index_at(j, j->index_bytes, first));
}

/* Sets the bits of the indices of [first, end) in range. Returns the number of these indices. */
static inline __attribute__((always_inline)) size_t mark(const params *j, size_t width, size_t first, size_t end,
                                                         uint64_t *map) {
    size_t marked = 0;
    for (size_t i = first; i < end; i++) {
        const uint64_t index = index_at(j, width, i);
        if (index >= j->end) continue;
        map[index / 64] |= UINT64_C(1) << index % 64;
        marked++;
    }
    return marked;
}

static size_t mark_indices(const params *j, size_t first, size_t end, uint64_t *map) {
    return j->index_bytes == 4 ? mark(j, 4, first, end, map) : mark(j, 8, first, end, map);
}

static void fill_map(void *self, size_t number) {
    params *j = self;
    const size_t n = j->c->n, size = ceil_div(n, j->count), last = end_of(min_u64(n, number * size), size, n);
    uint64_t *const map = j->maps + number * j->words;
    memset(map, 0, j->words * sizeof *map);
    for (size_t first = number * size; first < last && !cpu_cancelled(); first += PART)
        j->marked += mark_indices(j, first, end_of(first, PART, last), map);
}

/* Counts the bits of a part of the union of all maps. */
static void count_part(void *self, size_t part) {
    params *j = self;
    const size_t first = part * WORDS, end = end_of(first, WORDS, j->words);
    for (size_t number = 1; number < j->count; number++)
        for (size_t w = first; w < end; w++) j->maps[w] |= j->maps[number * j->words + w];
    j->named += j->ctx->level->selections->count(j->maps + first, end - first);
}

/* Finds the first two equal indices, of which there are some. */
static weft_status find_equal(const params *j, weft_error *error) {
    size_t first = 0, second = 0;
    memset(j->maps, 0, j->words * sizeof *j->maps);
    for (;; second++) {
        const uint64_t index = index_at(j, j->index_bytes, second);
        if (index >= j->end) continue;
        if (j->maps[index / 64] >> index % 64 & 1) break;
        j->maps[index / 64] |= UINT64_C(1) << index % 64;
    }
    while (index_at(j, j->index_bytes, first) != index_at(j, j->index_bytes, second)) first++;
    return fail_equal(j, first, second, error);
}

static weft_status check_by_maps(params *j, weft_error *error) {
    void *workspace;
    j->words = ceil_div(j->end, 64);
    j->count = max_u64(1, min_u64(min_u64(MAPS_MAX, (uint64_t)j->threads), j->c->n / (j->words * sizeof *j->maps)));
    RETURN_IF_ERROR(cpu_workspace(j->ctx, j->count * j->words * sizeof *j->maps, &workspace, error));
    j->maps = workspace;
    cpu_parallel_for(j->threads, j->count, PARALLEL_RANGES, fill_map, j);
    cpu_parallel_for(j->threads, ceil_div(j->words, WORDS), PARALLEL_RANGES, count_part, j);
    return j->named == j->marked || cpu_cancelled() ? WEFT_OK : find_equal(j, error);
}

/* Enters the positions of the indices in a hash table with linear probing. An empty slot is n. */
static weft_status check_by_table(const params *j, weft_error *error) {
    const size_t n = j->c->n;
    unsigned log = 1;
    void *workspace;
    while (n > (size_t)1 << (log - 1)) log++;
    const size_t slots = (size_t)1 << log;
    RETURN_IF_ERROR(cpu_workspace(j->ctx, slots * sizeof(size_t), &workspace, error));
    size_t *const table = workspace;
    for (size_t s = 0; s < slots; s++) table[s] = n;
    for (size_t i = 0; i < n; i++) {
        const uint64_t index = index_at(j, j->index_bytes, i);
        size_t s = (size_t)(index * UINT64_C(0x9e3779b97f4a7c15) >> (64 - log));
        if (index >= j->end) continue;
        for (; table[s] < n; s = (s + 1) % slots)
            if (index_at(j, j->index_bytes, table[s]) == index) return fail_equal(j, table[s], i, error);
        table[s] = i;
    }
    return WEFT_OK;
}

static weft_status check_different(params *j, weft_error *error) {
    if (j->end == 0) return WEFT_OK;
    return j->end / FEW > j->c->n ? check_by_table(j, error) : check_by_maps(j, error);
}

/* ------------------------------------------------------------------------------------ rows */

/* Moves the rows [first, end). `size` is row_bytes. Constant arguments make one loop for each size. */
static inline __attribute__((always_inline)) void move(const params *j, bool scatter, size_t width, size_t size,
                                                       size_t first, size_t end) {
    const gather_call *c = j->c;
    char *const out = c->out;
    const char *const x = c->x, *const indexed = scatter ? out : x;
    for (size_t i = first; i < end; i++) {
        const uint64_t index = index_at(j, width, i), next = index_at(j, width, i + AHEAD < end ? i + AHEAD : i);
        if (next < j->end && scatter) __builtin_prefetch(indexed + next * size, 1);
        if (next < j->end && !scatter) __builtin_prefetch(indexed + next * size, 0);
        if (index >= j->end) continue;
        if (scatter)
            memcpy(out + index * size, x + i * size, size);
        else
            memcpy(out + i * size, x + index * size, size);
    }
}

static inline __attribute__((always_inline)) void move_by(const params *j, bool scatter, size_t width, size_t first,
                                                          size_t end) {
    switch (j->c->row_bytes) {
    case 1: move(j, scatter, width, 1, first, end); break;
    case 2: move(j, scatter, width, 2, first, end); break;
    case 4: move(j, scatter, width, 4, first, end); break;
    case 8: move(j, scatter, width, 8, first, end); break;
    case 16: move(j, scatter, width, 16, first, end); break;
    default: move(j, scatter, width, j->c->row_bytes, first, end); break;
    }
}

static void move_part(void *self, size_t part) {
    const params *j = self;
    const size_t first = part * j->part, end = end_of(first, j->part, j->c->n);
    if (j->c->scatter && j->index_bytes == 4)
        move_by(j, true, 4, first, end);
    else if (j->c->scatter)
        move_by(j, true, 8, first, end);
    else if (j->index_bytes == 4)
        move_by(j, false, 4, first, end);
    else
        move_by(j, false, 8, first, end);
}

weft_status cpu_gather(void *state, const gather_call *c, weft_error *error) {
    cpu_context *ctx = state;
    params j = {.ctx = ctx,
                .c = c,
                .index_bytes = weft_dtype_size(c->index_dtype),
                .end = indices_end(c->index_dtype, c->m),
                .part = max_u64(1, min_u64(PART, PART_BYTES / max_u64(1, c->row_bytes)))};
    j.threads = cpu_threads_for(ctx->threads, saturated_product(c->n, j.index_bytes + c->row_bytes));
    cpu_plan_regions(c->scatter ? 4 : 2);
    RETURN_IF_ERROR(check_range(&j, error));
    if (c->scatter && !cpu_cancelled()) RETURN_IF_ERROR(check_different(&j, error));
    if (c->row_bytes && !cpu_cancelled())
        cpu_parallel_for(j.threads, ceil_div(c->n, j.part), PARALLEL_RANGES, move_part, &j);
    return WEFT_OK;
}
