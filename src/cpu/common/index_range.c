#include "cpu/common/index_range.h"

#include "core/types.h"
#include "cpu/common/planes.h"
#include "cpu/runtime/parallel.h"

#include <stdatomic.h>
#include <string.h>

enum {
    PART = 1 << 14,  /* indices of a work item */
    BLOCK = 1 << 11, /* indices that stay in the first cache */
    WORDS = 1 << 13  /* words of a map in a work item */
};

typedef struct search {
    const index_array *a;
    view_dimension line; /* the last dimension */
    size_t n;            /* number of all indices */
    atomic_size_t bad;   /* least number of an index out of range that was found, or SIZE_MAX */
} search;

static uint64_t read_index(size_t bytes, const char *p) {
    return bytes == 4 ? *(const uint32_t *)(const void *)p : *(const uint64_t *)(const void *)p;
}

/* Returns the address of index i. */
static const char *address_of(const search *s, size_t i) {
    const ptrdiff_t of_line = s->a->count > 1 ? views_x(s->a->count - 1, s->a->dimensions, i / s->line.n) : 0;
    return (const char *)s->a->first + of_line + (ptrdiff_t)(i % s->line.n) * s->line.x;
}

/* Replaces *bad by i if that is less. */
static void note_bad(search *s, size_t i) {
    size_t known = atomic_load(&s->bad);
    while (i < known && !atomic_compare_exchange_weak(&s->bad, &known, i)) {
    }
}

/* Returns true if one of n indices is out of range. A constant distance makes a loop with vectors. */
static inline __attribute__((always_inline)) bool has_bad_of(size_t bytes, uint64_t end, size_t n, const char *p,
                                                             ptrdiff_t distance) {
    unsigned bad = 0;
    if (bytes == 4 && end > UINT32_MAX) return false;
    if (bytes == 4)
        for (size_t i = 0; i < n; i++)
            bad |= *(const uint32_t *)(const void *)(p + (ptrdiff_t)i * distance) >= (uint32_t)end;
    else
        for (size_t i = 0; i < n; i++) bad |= *(const uint64_t *)(const void *)(p + (ptrdiff_t)i * distance) >= end;
    return bad;
}

static bool has_bad(const index_array *a, size_t n, const char *p, ptrdiff_t distance) {
    if (a->bytes == 4 && distance == 4) return has_bad_of(4, a->end, n, p, 4);
    if (a->bytes == 8 && distance == 8) return has_bad_of(8, a->end, n, p, 8);
    return has_bad_of(a->bytes, a->end, n, p, distance);
}

static void search_part(void *self, size_t part) {
    search *s = self;
    const size_t end = (size_t)min_u64(s->n, (part + 1) * PART);
    for (size_t i = part * PART, n; i < end; i += n) {
        const char *p = address_of(s, i);
        n = (size_t)min_u64(min_u64(BLOCK, end - i), s->line.n - i % s->line.n);
        if (!has_bad(s->a, n, p, s->line.x)) continue;
        for (; read_index(s->a->bytes, p) < s->a->end; i++) p += s->line.x;
        note_bad(s, i);
        return;
    }
}

/* Sets the line and the number of all indices. */
static search search_of(const index_array *a) {
    search s = {.a = a, .n = 1, .bad = SIZE_MAX};
    s.line = a->count > 0 ? a->dimensions[a->count - 1] : (view_dimension){1, 0, 0};
    for (size_t k = 0; k < a->count; k++) s.n *= a->dimensions[k].n;
    return s;
}

size_t cpu_find_bad_index(int threads, const index_array *a, uint64_t *bits) {
    search s = search_of(a);
    cpu_parallel_for(threads, (size_t)ceil_div(s.n, PART), PARALLEL_RANGES, search_part, &s);
    if (s.bad < s.n) *bits = read_index(a->bytes, address_of(&s, s.bad));
    return s.bad;
}

/* -------------------------------------------------------------------------------- equal indices */

typedef _Atomic uint64_t map_word;

/* Indices that name slots, and a map of the slots that are named. */
typedef struct marks {
    search s;
    map_word *map;
    size_t words;
    bool alone;        /* no other thread uses the map */
    atomic_bool equal; /* a slot was named twice */
} marks;

static void clear_part(void *self, size_t part) {
    marks *m = self;
    const size_t first = part * WORDS;
    memset((void *)(m->map + first), 0, (size_t)min_u64(WORDS, m->words - first) * sizeof *m->map);
}

/* Sets the bit of a slot. Returns its old value. */
static inline bool mark(marks *m, uint64_t slot) {
    map_word *const word = &m->map[slot / 64];
    const uint64_t bit = UINT64_C(1) << slot % 64;
    if (!m->alone) return (atomic_fetch_or_explicit(word, bit, memory_order_relaxed) & bit) != 0;
    const uint64_t old = atomic_load_explicit(word, memory_order_relaxed);
    atomic_store_explicit(word, old | bit, memory_order_relaxed);
    return (old & bit) != 0;
}

/* Marks the slots of the indices [i, end). Returns the number of the first one whose slot was marked, or `end`. */
static size_t mark_indices(marks *m, size_t i, size_t end) {
    const index_array *const a = m->s.a;
    const view_dimension line = m->s.line;
    for (size_t n; i < end; i += n) {
        const size_t in_line = i % line.n;
        const ptrdiff_t of_line = a->count > 1 ? views_y(a->count - 1, a->dimensions, i / line.n) : 0;
        const char *p = address_of(&m->s, i);
        uint64_t slot = (uint64_t)of_line + in_line * (uint64_t)line.y;
        n = (size_t)min_u64(end - i, line.n - in_line);
        for (size_t k = 0; k < n; k++, p += line.x, slot += (uint64_t)line.y) {
            const uint64_t index = read_index(a->bytes, p);
            if (index < a->end && mark(m, slot + index)) return i + k;
        }
    }
    return end;
}

static void mark_part(void *self, size_t part) {
    marks *m = self;
    const size_t end = (size_t)min_u64(m->s.n, (part + 1) * PART);
    if (!m->equal && mark_indices(m, part * PART, end) < end) m->equal = true;
}

static uint64_t slot_of(const search *s, size_t i) {
    return (uint64_t)views_y(s->a->count, s->a->dimensions, i) + read_index(s->a->bytes, address_of(s, i));
}

static bool is_in_range(const search *s, size_t i) { return read_index(s->a->bytes, address_of(s, i)) < s->a->end; }

bool cpu_find_equal_indices(int threads, const index_array *a, size_t slots, uint64_t *map, index_pair *found) {
    marks m = {.s = search_of(a), .map = (map_word *)map, .words = ceil_div(slots, 64), .alone = threads == 1};
    cpu_parallel_for(threads, ceil_div(m.words, WORDS), PARALLEL_RANGES, clear_part, &m);
    cpu_parallel_for(threads, ceil_div(m.s.n, PART), PARALLEL_RANGES, mark_part, &m);
    if (!m.equal || cpu_cancelled()) return false;
    memset(map, 0, m.words * sizeof *map);
    *found = (index_pair){.second = mark_indices(&m, 0, m.s.n)};
    while (!is_in_range(&m.s, found->first) || slot_of(&m.s, found->first) != slot_of(&m.s, found->second))
        found->first++;
    found->bits = read_index(a->bytes, address_of(&m.s, found->second));
    return true;
}
