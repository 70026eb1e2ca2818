#include "cpu/common/index_range.h"

#include "core/types.h"
#include "cpu/common/planes.h"
#include "cpu/runtime/parallel.h"

#include <stdatomic.h>

enum {
    PART = 1 << 14, /* indices of a work item */
    BLOCK = 1 << 11 /* indices that stay in the first cache */
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

size_t cpu_find_bad_index(int threads, const index_array *a, uint64_t *bits) {
    search s = {.a = a, .n = 1, .bad = SIZE_MAX};
    s.line = a->count > 0 ? a->dimensions[a->count - 1] : (view_dimension){1, 0, 0};
    for (size_t k = 0; k < a->count; k++) s.n *= a->dimensions[k].n;
    cpu_parallel_for(threads, (size_t)ceil_div(s.n, PART), PARALLEL_RANGES, search_part, &s);
    if (s.bad < s.n) *bits = read_index(a->bytes, address_of(&s, s.bad));
    return s.bad;
}
