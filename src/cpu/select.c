/* weft_select, weft_select_indices and weft_partition on the CPU. A thread takes the next part, marks and counts
 * the elements to keep, and waits for its turn. Then it reads how many elements the parts before keep, and copies
 * its own, which are still in its cache. Memory is therefore read once. A partition counts all kept elements first,
 * because the remaining elements are written after them. */
#include "core/compare.h"
#include "cpu/common/selection_parts.h"
#include "cpu/runtime/cpu.h"
#include "cpu/runtime/relay.h"

#include <string.h>

typedef struct selection {
    const select_call *call;
    const selection_kernels *kernels;
    comparator comparator;
    size_t part;       /* elements per part, except the last */
    size_t size;       /* bytes of an element */
    size_t kept;       /* elements kept by the parts before the one whose turn it is */
    atomic_size_t all; /* partition: number of elements kept in all parts, once counted */
} selection;

static size_t elements_of(const selection *j, size_t i) {
    const size_t left = j->call->n - i * j->part;
    return left < j->part ? left : j->part;
}

/* Marks the elements to keep of part i; returns their number. */
static size_t mark(const selection *j, size_t i, uint64_t *bits) {
    const select_call *c = j->call;
    const size_t n = elements_of(j, i), first = i * j->part;
    if (c->by_flags)
        j->kernels->nonzero(c->flags + first, n, bits);
    else
        j->kernels->compare[cpu_selection_type(c->dtype)](&j->comparator, (const char *)c->x + first * j->size, n,
                                                          bits);
    return j->kernels->count(bits, selection_words(n));
}

/* Inverts the marks of n elements. */
static void turn(uint64_t *bits, size_t n) {
    for (size_t w = 0; w < selection_words(n); w++) bits[w] = ~bits[w];
    if (n % 64) bits[n / 64] &= ~(UINT64_MAX << n % 64);
}

static void count_part(void *state, size_t i, relay *turns) {
    selection *j = state;
    uint64_t bits[SELECTION_WORDS];
    (void)turns;
    atomic_fetch_add(&j->all, mark(j, i, bits));
}

static void select_part(void *state, size_t i, relay *turns) {
    selection *j = state;
    const select_call *c = j->call;
    const size_t n = elements_of(j, i), first = i * j->part, words = selection_words(n);
    const weft_dtype type = cpu_selection_type(c->dtype);
    char *y = c->y;
    uint64_t bits[SELECTION_WORDS];
    const size_t marked = mark(j, i, bits);
    relay_wait(turns, i);
    const size_t before = j->kept;
    j->kept += marked;
    relay_pass(turns, i);
    if (c->kind == SELECT_INDICES) {
        j->kernels->indices(first, bits, words, (uint64_t *)c->y + before);
        return;
    }
    const char *x = (const char *)c->x + first * j->size;
    j->kernels->compact[type](x, bits, marked, y + before * j->size);
    if (c->kind != SELECT_PARTITION) return;
    turn(bits, n);
    j->kernels->compact[type](x, bits, n - marked, y + (j->all + first - before) * j->size);
}

weft_status cpu_select(void *state, const select_call *c, weft_error *error) {
    const cpu_context *ctx = state;
    selection j = {.call = c, .kernels = ctx->level->selections, .size = weft_dtype_size(c->dtype)};
    const selection_parts parts = cpu_selection_parts(ctx, c->n, j.size);
    (void)error;
    j.part = parts.elements;
    if (!c->by_flags) j.comparator = weft_comparator(c->comparison, c->dtype, j.size, c->value);
    cpu_plan_regions(c->kind == SELECT_PARTITION ? 2 : 1);
    if (c->kind == SELECT_PARTITION) relay_run(parts.threads, parts.count, count_part, &j);
    relay_run(parts.threads, parts.count, select_part, &j);
    *c->count = j.kept;
    return WEFT_OK;
}
