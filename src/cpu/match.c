/* weft_match_count and weft_match_list on the CPU. The text is split into parts, which threads take in order. In
 * each part, a kernel marks the positions of a block where a pattern may begin, and every marked position is
 * verified. Few short patterns, which their first bytes identify completely, are counted without this
 * verification. */
#include "core/types.h"
#include "cpu/runtime/parallel.h"

#include <string.h>

enum {
    PART_BYTES = 1 << 17, /* a part has at least this many bytes: smaller parts cost more than they gain */
    PARTS_A_THREAD = 8,
    AHEAD = WEFT_MATCH_CLASSES - 1 /* bytes after a position that kernels read */
};

typedef struct plan {
    const match_call *call;
    const match_kernels *kernels;
    weft_match_set set;
    bool all_short; /* count_short handles all patterns */
    int threads;
    size_t parts, part; /* number of parts; positions per part */
} plan;

/* Destination of a part's matches: counts, or a list, where `at` is the index of the next match. */
typedef struct sink {
    uint64_t *counts;
    uint64_t at;
    bool write;
} sink;

/* --------------------------------------------------------------------------------- a part */

static uint32_t four_at(const match_call *c, size_t position) {
    uint32_t four = 0;
    for (size_t k = 0; k < WEFT_MATCH_CLASSES && position + k < c->n; k++)
        four |= (uint32_t)c->text[position + k] << 8 * k;
    return four;
}

static void look_at(const plan *p, size_t position, sink *to) {
    const match_call *const c = p->call;
    weft_match_cursor cursor = weft_match_begin(&p->set, four_at(c, position));
    for (uint32_t i; (i = weft_match_next(&p->set, &cursor, c->text, c->n, position)) < p->set.patterns; to->at++) {
        if (to->counts) to->counts[i]++;
        if (!to->write || to->at >= c->capacity) continue;
        c->positions[to->at] = position;
        c->numbers[to->at] = i;
    }
}

/* Marks `count` positions of a block. Near the end of the text, reads a zero-padded copy. */
static void mark(const plan *p, size_t first, size_t count, uint64_t *bits) {
    const size_t positions = round_up(count, MATCH_POSITIONS), n = p->call->n - first;
    const unsigned char *text = p->call->text + first;
    unsigned char copy[MATCH_BLOCK + AHEAD];
    if (n < positions + AHEAD) {
        memcpy(copy, text, n);
        memset(copy + n, 0, positions + AHEAD - n);
        text = copy;
    }
    p->kernels->mark(&p->set, text, positions, bits);
    if (count % MATCH_POSITIONS) bits[count / MATCH_POSITIONS] &= (UINT64_C(1) << count % MATCH_POSITIONS) - 1;
}

static void search(const plan *p, size_t first, size_t end, sink *to) {
    uint64_t bits[MATCH_BLOCK / MATCH_POSITIONS];
    for (size_t count; first < end && !cpu_cancelled(); first += count) {
        count = end - first < MATCH_BLOCK ? end - first : MATCH_BLOCK;
        mark(p, first, count, bits);
        for (size_t i = 0; i < count; i += MATCH_POSITIONS)
            for (uint64_t left = bits[i / MATCH_POSITIONS]; left; left &= left - 1)
                look_at(p, first + i + (size_t)__builtin_ctzll(left), to);
    }
}

static void search_part(const plan *p, size_t part, sink *to) {
    const size_t first = p->call->first + part * p->part;
    const size_t end = p->call->end - first < p->part ? p->call->end : first + p->part;
    size_t counted = 0;
    if (to->counts && p->all_short && p->call->n - first > AHEAD) {
        const size_t inside = p->call->n - first - AHEAD;
        counted = (end - first < inside ? end - first : inside) / MATCH_POSITIONS * MATCH_POSITIONS;
        p->kernels->count_short(&p->set, p->call->text + first, counted, to->counts);
    }
    search(p, first + counted, end, to);
}

/* ------------------------------------------------------------------------------- all parts */

/* Results per part: counts of each pattern, or the start of its section of the list. */
typedef struct output {
    const plan *plan;
    uint64_t *values;
    bool write;
} output;

static void count_part(void *self, size_t i) {
    const output *o = self;
    sink to = {.counts = o->values + i * o->plan->set.patterns};
    search_part(o->plan, i, &to);
}

static void count_all(const plan *p, uint64_t *counts) {
    const size_t patterns = p->set.patterns;
    memset(counts, 0, p->parts * patterns * sizeof *counts);
    cpu_plan_regions(1);
    cpu_parallel_for(p->threads, p->parts, PARALLEL_IN_ORDER, count_part, &(output){p, counts, false});
    memset(p->call->counts, 0, patterns * sizeof *counts);
    for (size_t i = 0; i < p->parts; i++)
        for (size_t k = 0; k < patterns; k++) p->call->counts[k] += counts[i * patterns + k];
}

static void list_part(void *self, size_t i) {
    const output *o = self;
    sink to = {.at = o->write ? o->values[i] : 0, .write = o->write};
    search_part(o->plan, i, &to);
    o->values[i] = to.at;
}

/* Writes the list in two passes: the first counts the matches of each part, from which the starts of the sections
 * follow. A text of one part needs only one pass. */
static void list_all(const plan *p, uint64_t *totals) {
    uint64_t total = 0;
    totals[0] = 0;
    cpu_plan_regions(p->parts == 1 ? 1 : 2);
    for (int write = p->parts == 1; write < 2 && !cpu_cancelled(); write++) {
        cpu_parallel_for(p->threads, p->parts, PARALLEL_IN_ORDER, list_part, &(output){p, totals, write});
        for (size_t i = 0; i < p->parts && !write; i++) {
            const uint64_t matches = totals[i];
            totals[i] = total;
            total += matches;
        }
    }
    *p->call->total = totals[p->parts - 1];
}

static void cut(plan *p, int threads) {
    const size_t positions = p->call->end - p->call->first, most = positions / PART_BYTES;
    p->threads = most > 1 ? threads : 1;
    p->parts = p->threads == 1 ? 1 : (size_t)p->threads * PARTS_A_THREAD;
    if (p->parts > most) p->parts = most ? most : 1;
    p->part = ceil_div(positions, p->parts);
}

weft_status cpu_match(void *state, const match_call *c, weft_error *error) {
    cpu_context *ctx = state;
    plan p = {.call = c, .kernels = ctx->level->matches};
    void *workspace;
    p.set = weft_match_plan(c->patterns, c->offsets, c->fold_case, c->whole_word, false);
    cut(&p, ctx->threads);
    const size_t tables = weft_match_words(&p.set) * sizeof(uint32_t);
    const size_t totals = p.parts * (c->counts ? c->patterns : 1) * sizeof(uint64_t);
    RETURN_IF_ERROR(cpu_workspace(ctx, totals + tables, &workspace, error));
    uint32_t *const block = (uint32_t *)((char *)workspace + totals);
    weft_match_position(&p.set, block);
    weft_match_fill(&p.set, block, c->offsets, c->bytes);
    p.all_short = c->patterns <= p.kernels->few && !c->whole_word;
    for (size_t i = 0; i < c->patterns; i++)
        p.all_short = p.all_short && c->offsets[i + 1] - c->offsets[i] <= WEFT_MATCH_CLASSES;
    if (c->counts)
        count_all(&p, workspace);
    else
        list_all(&p, workspace);
    return WEFT_OK;
}
