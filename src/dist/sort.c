/* weft_dist_sort: each rank sorts its slice. The sorted slices are cut at the exact positions at which rank r
 * receives the elements of its slice of the result. These are found by search over the keys' codes, one hexadecimal
 * digit at a time (W. Frazer, A. McKellar's samplesort, J. ACM 17, 1970, with exact splitters as in D. Cheng et al.,
 * 2006). Each element is moved once. The received parts are merged (ascending) or sorted again (descending). Parts
 * arrive in the order of the ranks, and both steps are stable, so the result is stable. */
#include "arith/sort_code.h"
#include "core/parts.h"
#include "core/types.h"
#include "dist/dist.h"

#include <string.h>

enum { DIGIT = 4, CODES = (1 << DIGIT) - 1 /* codes counted at a time for each border */ };

typedef struct sorting {
    weft_dist *d;
    weft_dtype dtype;
    weft_order_of_sort order;
    weft_sort_rule rule;
    size_t n, size;
    const char *run;    /* the sorted slice, in memory of this rank's device */
    const char *nearby; /* the sorted slice in host memory; NULL: it is in GPU memory, and the GPU searches it */
    /* One or more entries for each border between ranks, in d->roots: */
    uint64_t *low;        /* least possible code of the element after the border; finally the exact code */
    uint64_t *here, *all; /* numbers of elements up to each of CODES codes: of this rank, and of all ranks */
    uint64_t *less;       /* elements of this rank below the border's code; finally the position to cut at */
    uint64_t *codes;      /* codes to count */
    char *keys;           /* keys with these codes */
} sorting;

_Static_assert(ROOTS_MAX *ROOT_VALUES >= 4 * CODES + 3, "d->roots is large enough for the borders");

/* ------------------------------------------------------------------------------------ codes */

static uint64_t load(const sorting *s, size_t i) {
    uint8_t v8;
    uint16_t v16;
    uint32_t v32;
    uint64_t v64;
    const char *const p = s->nearby + i * s->size;
    switch (s->size) {
    case 1: return memcpy(&v8, p, 1), v8;
    case 2: return memcpy(&v16, p, 2), v16;
    case 4: return memcpy(&v32, p, 4), v32;
    default: return memcpy(&v64, p, 8), v64;
    }
}

/* Returns the rank of a key of `size` bytes. Only the low `size` bytes of the result are valid. */
static uint64_t rank_of(const weft_sort_rule *r, size_t size, uint64_t key) {
    if (size == 8) return weft_sort_rank_64(r->fold, r->xor_mask, r->add, key);
    if (size == 2)
        return weft_sort_rank_16((uint16_t)r->fold, (uint16_t)r->xor_mask, (uint16_t)r->add, (uint16_t)key);
    return weft_sort_rank_32((uint32_t)r->fold, (uint32_t)r->xor_mask, (uint32_t)r->add, (uint32_t)key);
}

static uint64_t code_at(const sorting *s, size_t i) {
    const weft_sort_rule *const r = &s->rule;
    const uint64_t ones = UINT64_MAX >> (64 - 8 * s->size);
    const uint64_t rank = rank_of(r, s->size, load(s, i)) & ones;
    return rank > r->greatest ? ones : rank;
}

/* Returns the number of elements of the sorted slice whose code is at most `code`. */
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

/* Returns a key of code `code`, or of the greatest code below it that a key has. */
static uint64_t key_of(const sorting *s, uint64_t code) {
    const weft_sort_rule *const r = &s->rule;
    const uint64_t ones = UINT64_MAX >> (64 - 8 * s->size), sign = (ones >> 1) + 1;
    const uint64_t rank = code < r->greatest || code == ones ? code : r->greatest;
    const uint64_t folded = ((rank - r->add) ^ r->xor_mask) & ones;
    return code == ones && r->greatest < ones ? ones : folded ^ (folded & sign ? r->fold : 0);
}

/* Sets counts[i] to the number of elements whose code is at most s->codes[i], by weft_search_sorted on the GPU. The
 * slice must be in ascending order. */
static weft_status count_on_device(const sorting *s, size_t count, uint64_t *counts) {
    weft_dist *const d = s->d;
    for (size_t i = 0; i < count; i++) {
        const uint64_t key = key_of(s, s->codes[i]);
        memcpy(s->keys + i * s->size, &key, s->size);
    }
    return dist_took(d, weft_search_sorted(d->ctx, WEFT_RIGHT, s->dtype, s->n, s->run, count, s->keys, counts));
}

/* Sets counts[i] to the number of elements of the sorted slice whose code is at most s->codes[i]. */
static weft_status count_codes(const sorting *s, size_t count, uint64_t *counts) {
    if (!s->nearby) return count_on_device(s, count, counts);
    for (size_t i = 0; i < count; i++) counts[i] = count_up_to(s, s->codes[i]);
    return WEFT_OK;
}

/* ---------------------------------------------------------------------------------- borders */

static weft_status add_up(const sorting *s, size_t count) {
    return s->d->line.add(s->d, s->here, s->all, count, "adding counts");
}

/* Finds for each border the least code such that at least as many elements as precede the border have that code or a
 * lower one. Proceeds from the highest digit to the lowest. */
static weft_status find_codes(const sorting *s) {
    weft_dist *const d = s->d;
    const size_t borders = (size_t)d->size;
    memset(s->low, 0, borders * sizeof *s->low);
    for (unsigned left = 8 * (unsigned)s->size; left > 0;) {
        left -= DIGIT;
        for (size_t i = 0; i < borders * CODES; i++) s->codes[i] = s->low[i / CODES] + ((i % CODES + 1) << left) - 1;
        RETURN_IF_ERROR(dist_agree(d, count_codes(s, borders * CODES, s->here)));
        RETURN_IF_ERROR(add_up(s, borders * CODES));
        for (size_t i = 0; i < borders * CODES; i++)
            if (s->all[i] < d->begin[i / CODES]) s->low[i / CODES] += UINT64_C(1) << left;
    }
    return WEFT_OK;
}

/* Sets s->here to the number of this rank's elements up to each border's code, and s->less to the number below
 * it. */
static weft_status count_at_borders(const sorting *s) {
    weft_dist *const d = s->d;
    const size_t borders = (size_t)d->size;
    for (size_t r = 0; r < borders; r++) s->codes[r] = s->low[r];
    RETURN_IF_ERROR(count_codes(s, borders, s->here));
    for (size_t r = 0; r < borders; r++) s->codes[r] = s->low[r] ? s->low[r] - 1 : 0;
    RETURN_IF_ERROR(count_codes(s, borders, s->less));
    for (size_t r = 0; r < borders; r++)
        if (s->low[r] == 0) s->less[r] = 0;
    return WEFT_OK;
}

/* Finds the positions to cut this rank's sorted slice at: s->less[r] of its elements come before the slice of rank
 * r. If elements are equal to the one at a border, those of lower ranks come first. */
static weft_status find_cuts(const sorting *s) {
    weft_dist *const d = s->d;
    const size_t borders = (size_t)d->size;
    RETURN_IF_ERROR(find_codes(s));
    RETURN_IF_ERROR(dist_agree(d, count_at_borders(s)));
    for (size_t r = 0; r < borders; r++) s->here[r] -= s->less[r];
    RETURN_IF_ERROR(d->line.add(d, s->less, s->all, borders, "adding counts"));
    RETURN_IF_ERROR(d->line.add_before(d, s->here, s->low, borders, "adding counts"));
    for (size_t r = 0; r < borders; r++) {
        const uint64_t wanted = d->begin[r] - s->all[r], before = s->low[r];
        const uint64_t rest = wanted > before ? wanted - before : 0;
        s->less[r] += rest < s->here[r] ? rest : s->here[r];
    }
    return WEFT_OK;
}

/* Sends each rank the elements of its slice of the result. Parts arrive in the order of the ranks. */
static weft_status deal_out(const sorting *s, void *to) {
    weft_dist *const d = s->d;
    uint64_t offset = 0;
    for (int r = 0; r < d->size; r++) {
        const uint64_t end = r + 1 < d->size ? s->less[r + 1] : s->n;
        d->out[r] = (extent){s->less[r] * s->size, end * s->size};
        s->here[r] = end - s->less[r];
    }
    RETURN_IF_ERROR(d->line.deal(d, s->here, s->all, "exchanging counts"));
    for (int r = 0; r < d->size; r++) {
        d->in[r] = (extent){offset, offset + s->all[r] * s->size};
        offset = d->in[r].end;
    }
    return dist_move(d, s->run, to);
}

/* --------------------------------------------------------------------------------- the call */

static weft_status sort_slice(const sorting *s, const void *keys, void *sorted) {
    if (s->n == 0) return WEFT_OK;
    return dist_took(s->d, weft_sort(s->d->ctx, s->order, s->dtype, s->n, keys, sorted));
}

/* Merges the `parts` parts in pairs of adjacent ones, from one array to the other. Updates d->in, which contains
 * their byte ranges. */
static weft_status merge_neighbours(const sorting *s, int parts, const char *from, char *to) {
    extent *const in = s->d->in;
    for (int k = 0; k < parts; k += 2) {
        const extent a = in[k], b = k + 1 < parts ? in[k + 1] : (extent){a.end, a.end};
        RETURN_IF_ERROR(
            dist_took(s->d, weft_merge(s->d->ctx, s->dtype, (size_t)(a.end - a.first) / s->size, from + a.first,
                                       (size_t)(b.end - b.first) / s->size, from + b.first, to + a.first)));
        in[k / 2] = (extent){a.first, b.end};
    }
    return WEFT_OK;
}

/* Merges the received parts (ascending order, required by weft_merge) or sorts them again (descending). Merge passes
 * alternate between the two buffers; the last one writes the caller's array. */
static weft_status order_parts(const sorting *s, char *from, char *to, char *sorted) {
    if (s->n == 0) return WEFT_OK;
    if (s->order == WEFT_DESCENDING) return sort_slice(s, from, sorted);
    if (s->d->size == 1) return dist_copy(s->d, s->n * s->size, from, sorted);
    for (int parts = s->d->size; parts > 1; parts = (parts + 1) / 2) {
        RETURN_IF_ERROR(merge_neighbours(s, parts, from, parts > 2 ? to : sorted));
        char *const spare = from;
        from = to;
        to = spare;
    }
    return WEFT_OK;
}

/* Provides two buffers of the device for the sorted slice and for the received elements. */
static weft_status hold_workspaces(sorting *s, char *workspaces[2]) {
    weft_dist *const d = s->d;
    weft_error *error = &d->error;
    weft_status status = WEFT_OK;
    for (size_t i = 0; i < 2 && status == WEFT_OK; i++) status = dist_workspace(d, i, s->n * s->size, &workspaces[i]);
    RETURN_IF(status == WEFT_OUT_OF_MEMORY, status, "cannot allocate memory for two copies of %zu keys", s->n);
    return status;
}

/* Sets s->nearby: NULL if the GPU searches the slice, which it does for ascending order. Otherwise the slice must be
 * in host memory, and is copied there if necessary. */
static weft_status exchange_nearby(sorting *s) {
    weft_dist *const d = s->d;
    const bool on_gpu = s->n && weft_part_device_only(d->ctx, s->run);
    s->nearby = on_gpu ? NULL : s->run;
    if (!on_gpu || s->order == WEFT_ASCENDING) return WEFT_OK;
    RETURN_IF_ERROR(dist_host_workspace(d, s->n * s->size, &s->nearby));
    return dist_copy(d, s->n * s->size, s->run, (char *)(uintptr_t)s->nearby);
}

static weft_status sort_and_hold(sorting *s, const void *keys, char *workspaces[2]) {
    RETURN_IF_ERROR(hold_workspaces(s, workspaces));
    RETURN_IF_ERROR(sort_slice(s, keys, workspaces[0]));
    s->run = workspaces[0];
    return exchange_nearby(s);
}

static weft_status run_sort(sorting *s, const void *keys, void *sorted) {
    weft_dist *const d = s->d;
    char *workspaces[2] = {NULL, NULL};
    if (d->size == 1) return dist_finish(d, sort_slice(s, keys, sorted));
    RETURN_IF_ERROR(dist_agree(d, sort_and_hold(s, keys, workspaces)));
    RETURN_IF_ERROR(find_cuts(s));
    RETURN_IF_ERROR(deal_out(s, workspaces[1]));
    return dist_finish(d, order_parts(s, workspaces[1], workspaces[0], sorted));
}

weft_status weft_dist_sort(weft_dist *d, weft_order_of_sort order, weft_dtype dtype, weft_slice slice,
                           const void *keys, void *sorted) {
    if (!d) return WEFT_INVALID;
    const size_t size = weft_dtype_size(dtype);
    const agreed list[] = {{"dtype", AS_TYPE, dtype}, {"descending", AS_NUMBER, order}};
    weft_status status = dist_took(d, weft_sort(d->ctx, order, dtype, 0, NULL, NULL));
    if (status == WEFT_OK) status = dist_check_array(d, "keys", keys, slice.count, size);
    if (status == WEFT_OK) status = dist_check_array(d, "sorted", sorted, slice.count, size);
    if (status == WEFT_OK && keys != sorted)
        status = dist_check_apart(d, "sorted", sorted, slice.count * size, "keys", keys, slice.count * size);
    RETURN_IF_ERROR(dist_begin(d, "sort", list, 2, slice, status));
    const size_t ranks = (size_t)d->size;
    sorting s = {.d = d, .dtype = dtype, .order = order, .n = slice.count, .size = size};
    s.rule =
        weft_sort_rule_of(8 * (unsigned)size, type_infinity(dtype), type_is_signed(dtype), order == WEFT_DESCENDING);
    s.low = d->roots;
    s.less = s.low + ranks;
    s.here = s.less + ranks;
    s.all = s.here + ranks * CODES;
    s.codes = s.all + ranks * CODES;
    s.keys = (char *)(s.codes + ranks * CODES);
    return run_sort(&s, keys, sorted);
}
