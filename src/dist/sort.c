/* weft_dist_sort: each rank sorts its slice; the places where the sorted slices must be cut so that rank r gets the
 * elements that belong into its slice are found exactly, by bisection over the keys' codes (W. Frazer, A. McKellar's
 * samplesort, J. ACM 17, 1970, with exact splitters as in D. Cheng et al., 2006); each element travels once, and what
 * has come is merged (ascending), or sorted again. Parts come in the order of the ranks, and both are stable, so the
 * whole is. */
#include "arith/sort_code.h"
#include "dist/dist.h"

#include <stdlib.h>
#include <string.h>

typedef struct sorting {
    weft_dist *d;
    weft_dtype dtype;
    weft_order_of_sort order;
    weft_sort_rule rule;
    size_t n, size;
    const char *run; /* the slice, sorted */
    /* For each border between ranks, in d->roots: */
    uint64_t *low, *high; /* the code of the element behind the border is in [low, high] */
    uint64_t *here, *all; /* elements up to a code, of this rank, of all */
    uint64_t *less;       /* elements of this rank that are less than the border's code, at last: where to cut */
} sorting;

/* ------------------------------------------------------------------------------------ codes */

static uint64_t load(const sorting *s, size_t i) {
    uint8_t v8;
    uint16_t v16;
    uint32_t v32;
    uint64_t v64;
    const char *const p = s->run + i * s->size;
    switch (s->size) {
    case 1: return memcpy(&v8, p, 1), v8;
    case 2: return memcpy(&v16, p, 2), v16;
    case 4: return memcpy(&v32, p, 4), v32;
    default: return memcpy(&v64, p, 8), v64;
    }
}

static uint64_t code_at(const sorting *s, size_t i) {
    const weft_sort_rule *const r = &s->rule;
    const uint64_t ones = UINT64_MAX >> (64 - 8 * s->size), key = load(s, i);
    const uint64_t rank =
        s->size == 8
            ? weft_sort_rank_64(r->fold, r->flip, r->add, key)
            : weft_sort_rank_32((uint32_t)r->fold, (uint32_t)r->flip, (uint32_t)r->add, (uint32_t)key) & ones;
    return rank > r->greatest ? ones : rank;
}

/* Elements of the sorted slice whose code is at most `code`. */
static uint64_t count_up_to(const sorting *s, uint64_t code) {
    size_t low = 0, high = s->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (code_at(s, middle) <= code)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---------------------------------------------------------------------------------- borders */

static weft_status add_up(const sorting *s, const uint64_t *here, uint64_t *all) {
    return dist_mpi(s->d, MPI_Allreduce(here, all, s->d->size, MPI_UINT64_T, MPI_SUM, s->d->comm), "adding counts");
}

/* The least codes up to which there are at least as many elements as before each border. */
static weft_status bisect(const sorting *s) {
    const weft_dist *const d = s->d;
    const unsigned bits = 8 * (unsigned)s->size;
    for (int r = 0; r < d->size; r++) {
        s->low[r] = 0;
        s->high[r] = UINT64_MAX >> (64 - bits);
    }
    for (unsigned step = 0; step < bits; step++) {
        for (int r = 0; r < d->size; r++) s->here[r] = count_up_to(s, s->low[r] + (s->high[r] - s->low[r]) / 2);
        FORWARD(add_up(s, s->here, s->all));
        for (int r = 0; r < d->size; r++) {
            const uint64_t middle = s->low[r] + (s->high[r] - s->low[r]) / 2;
            if (s->all[r] >= d->begin[r])
                s->high[r] = middle;
            else if (s->low[r] < s->high[r])
                s->low[r] = middle + 1;
        }
    }
    return WEFT_OK;
}

/* Where this rank's sorted slice is cut: s->less[r] of its elements come before the slice of rank r. Of elements
 * that are equal to the one at a border those of lower ranks come first. */
static weft_status find_cuts(const sorting *s) {
    weft_dist *const d = s->d;
    FORWARD(bisect(s));
    for (int r = 0; r < d->size; r++) {
        s->less[r] = s->high[r] ? count_up_to(s, s->high[r] - 1) : 0;
        s->here[r] = count_up_to(s, s->high[r]) - s->less[r];
    }
    FORWARD(add_up(s, s->less, s->all));
    memset(s->low, 0, (size_t)d->size * sizeof *s->low); /* what rank 0 finds before it */
    FORWARD(dist_mpi(d, MPI_Exscan(s->here, s->low, d->size, MPI_UINT64_T, MPI_SUM, d->comm), "adding counts"));
    for (int r = 0; r < d->size; r++) {
        const uint64_t wanted = d->begin[r] - s->all[r], before = d->rank ? s->low[r] : 0;
        const uint64_t rest = wanted > before ? wanted - before : 0;
        s->less[r] += rest < s->here[r] ? rest : s->here[r];
    }
    return WEFT_OK;
}

/* Sends each rank what belongs to it; parts arrive in the order of the ranks. */
static weft_status deal_out(const sorting *s, void *to) {
    weft_dist *const d = s->d;
    uint64_t place = 0;
    for (int r = 0; r < d->size; r++) {
        const uint64_t end = r + 1 < d->size ? s->less[r + 1] : s->n;
        d->out[r] = (extent){s->less[r] * s->size, end * s->size};
        s->here[r] = end - s->less[r];
    }
    FORWARD(dist_mpi(d, MPI_Alltoall(s->here, 1, MPI_UINT64_T, s->all, 1, MPI_UINT64_T, d->comm), "telling counts"));
    for (int r = 0; r < d->size; r++) {
        d->in[r] = (extent){place, place + s->all[r] * s->size};
        place = d->in[r].end;
    }
    return dist_move(d, s->run, to);
}

/* --------------------------------------------------------------------------------- the call */

static weft_status sort_slice(const sorting *s, const void *keys, void *sorted) {
    if (s->n == 0) return WEFT_OK;
    return dist_took(s->d, weft_sort(s->d->ctx, s->dtype, s->order, s->n, keys, sorted));
}

/* The parts that came, two neighbours at a time, from one array to the other; d->in are their places. */
static weft_status merge_neighbours(const sorting *s, int parts, const char *from, char *to) {
    extent *const in = s->d->in;
    for (int k = 0; k < parts; k += 2) {
        const extent a = in[k], b = k + 1 < parts ? in[k + 1] : (extent){a.end, a.end};
        FORWARD(dist_took(s->d, weft_merge(s->d->ctx, s->dtype, (size_t)(a.end - a.first) / s->size, from + a.first,
                                           (size_t)(b.end - b.first) / s->size, from + b.first, to + a.first)));
        in[k / 2] = (extent){a.first, b.end};
    }
    return WEFT_OK;
}

/* Brings what came in order; weft_merge knows ascending arrays. */
static weft_status order_parts(const sorting *s, char *room, char *sorted) {
    char *from = sorted, *to = room;
    if (s->n == 0) return WEFT_OK;
    if (s->order == WEFT_DESCENDING) return sort_slice(s, sorted, sorted);
    for (int parts = s->d->size; parts > 1; parts = (parts + 1) / 2) {
        FORWARD(merge_neighbours(s, parts, from, to));
        char *const spare = from;
        from = to;
        to = spare;
    }
    if (from != sorted) memcpy(sorted, from, s->n * s->size);
    return WEFT_OK;
}

static weft_status run_sort(sorting *s, const void *keys, char *room, void *sorted) {
    weft_error *error = &s->d->error;
    if (!room)
        return dist_agree(s->d, weft_fail(error, WEFT_OUT_OF_MEMORY, "no memory for a copy of %zu keys", s->n));
    FORWARD(dist_agree(s->d, sort_slice(s, keys, room)));
    s->run = room;
    FORWARD(find_cuts(s));
    FORWARD(deal_out(s, sorted));
    return dist_agree(s->d, order_parts(s, room, sorted));
}

weft_status weft_dist_sort(weft_dist *d, weft_dtype dtype, weft_order_of_sort order, weft_slice slice,
                           const void *keys, void *sorted) {
    if (!d) return WEFT_INVALID;
    const size_t size = weft_dtype_size(dtype);
    const agreed list[] = {{"the type", AS_TYPE, dtype}, {"descending", AS_NUMBER, order}};
    weft_status status = dist_took(d, weft_sort(d->ctx, dtype, order, 0, NULL, NULL));
    if (status == WEFT_OK) status = dist_check_array(d, "keys", keys, slice.count, size);
    if (status == WEFT_OK) status = dist_check_array(d, "sorted", sorted, slice.count, size);
    if (status == WEFT_OK && keys != sorted)
        status = dist_check_apart(d, "sorted", sorted, slice.count * size, "keys", keys, slice.count * size);
    FORWARD(dist_begin(d, "sort", list, 2, slice, status));
    const size_t ranks = (size_t)d->size;
    sorting s = {.d = d, .dtype = dtype, .order = order, .n = slice.count, .size = size};
    s.rule = weft_sort_rule_of(8 * (unsigned)size, dtype == WEFT_F32 || dtype == WEFT_F64,
                               dtype >= WEFT_I8 && dtype <= WEFT_I64, order == WEFT_DESCENDING);
    s.low = d->roots;
    s.high = s.low + ranks;
    s.here = s.high + ranks;
    s.all = s.here + ranks;
    s.less = s.all + ranks;
    char *const room = malloc(slice.count ? slice.count * size : 1);
    const weft_status ran = run_sort(&s, keys, room, sorted);
    free(room);
    return ran;
}
