/* weft_dist_match_count. A rank counts the matches that begin in its slice. Matches far from the slice's ends are
 * found in the rank's own text. For the first position and the last ones the bytes around them are fetched from
 * other ranks, from several of them if their slices are short. */
#include "dist/dist.h"

#include <stdlib.h>
#include <string.h>

enum {
    REACH = WEFT_PATTERN_BYTES_MAX + 1, /* bytes after a position that decide about a match: a pattern and one more */
    AROUND = 2 * REACH + 1
};

static extent within(const weft_dist *d, uint64_t first, uint64_t end) {
    const uint64_t total = dist_total(d);
    return (extent){first > 0 ? first - 1 : 0, end + REACH < total ? end + REACH : total};
}

static bool is_long(const weft_dist *d, int rank) { return d->begin[rank + 1] - d->begin[rank] > REACH; }

/* Returns the first of the last positions of a slice. All positions of a slice of at most REACH bytes are last
 * ones. */
static uint64_t tail(const weft_dist *d, int rank) {
    return is_long(d, rank) ? d->begin[rank + 1] - REACH : d->begin[rank];
}

static extent around_first(const weft_dist *d, int rank, size_t size) {
    const uint64_t begin = d->begin[rank];
    (void)size;
    return is_long(d, rank) ? within(d, begin, begin) : (extent){begin, begin};
}

static extent around_last(const weft_dist *d, int rank, size_t size) {
    const uint64_t begin = d->begin[rank], end = d->begin[rank + 1];
    (void)size;
    return begin < end ? within(d, tail(d, rank), end) : (extent){begin, begin};
}

typedef struct matching {
    weft_dist *d;
    const unsigned char *text;
    size_t n;
    const weft_patterns *patterns;
    unsigned flags;
    uint64_t *sums, *counts;
} matching;

/* Adds to m->sums the matches at positions [first, end) of the whole text. `text` contains its bytes `e`. */
static weft_status add_matches(const matching *m, const void *text, extent e, uint64_t first, uint64_t end) {
    if (first >= end) return WEFT_OK;
    RETURN_IF_ERROR(
        dist_took(m->d, weft_match_count(m->d->ctx, (size_t)(e.end - e.first), text, (size_t)(first - e.first),
                                         (size_t)(end - e.first), m->patterns, m->flags, m->counts)));
    for (size_t i = 0; i < m->patterns->count; i++) m->sums[i] += m->counts[i];
    return WEFT_OK;
}

static weft_status count_matches(const matching *m, const void *first, const void *last) {
    const weft_dist *const d = m->d;
    const uint64_t begin = dist_first(d), end = d->begin[d->rank + 1], middle = tail(d, d->rank);
    /* Every rank checks the patterns, even if its slice is empty. */
    RETURN_IF_ERROR(dist_took(m->d, weft_match_count(d->ctx, 0, NULL, 0, 0, m->patterns, m->flags, m->counts)));
    if (middle > begin) {
        RETURN_IF_ERROR(add_matches(m, first, around_first(d, d->rank, 1), begin, begin + 1));
        RETURN_IF_ERROR(add_matches(m, m->text, (extent){begin, end}, begin + 1, middle));
    }
    return add_matches(m, last, around_last(d, d->rank, 1), middle, end);
}

static weft_status run_match(const matching *m, uint64_t *counts) {
    weft_dist *const d = m->d;
    weft_error *error = &d->error;
    unsigned char first[AROUND], last[AROUND];
    weft_status status = WEFT_OK;
    if (!m->sums || !m->counts)
        status = weft_fail(error, WEFT_OUT_OF_MEMORY, "cannot allocate memory for the counts of %zu patterns",
                           m->patterns->count);
    RETURN_IF_ERROR(dist_fetch(d, 1, around_first, m->text, first));
    RETURN_IF_ERROR(dist_fetch(d, 1, around_last, m->text, last));
    if (status == WEFT_OK) status = count_matches(m, first, last);
    RETURN_IF_ERROR(dist_agree(d, status));
    return d->line.add(d, m->sums, counts, m->patterns->count, "adding counts");
}

/* Checks the arguments that this file reads. weft_match_count checks the others. */
static weft_status check_match(const matching *m, const uint64_t *counts) {
    weft_error *error = &m->d->error;
    const weft_patterns *const p = m->patterns;
    RETURN_IF(!p, WEFT_INVALID, "patterns is NULL");
    RETURN_IF(!counts, WEFT_INVALID, "counts is NULL");
    RETURN_IF(p->count == 0 || p->count > WEFT_PATTERNS_MAX, WEFT_INVALID,
              "invalid number of patterns %zu: expected 1 to %d", p->count, WEFT_PATTERNS_MAX);
    RETURN_IF(!p->offsets || !p->bytes, WEFT_INVALID, "patterns->%s is NULL", p->offsets ? "bytes" : "offsets");
    return dist_check_array(m->d, "text", m->text, m->n, 1);
}

/* Returns a hash of the offsets and bytes of the patterns. The order of the offsets is checked by
 * weft_match_count. */
static uint64_t hash_patterns(const weft_patterns *p) {
    uint64_t hash = dist_hash(DIST_HASH, p->offsets, (p->count + 1) * sizeof *p->offsets);
    return p->offsets[p->count] <= (uint64_t)p->count * WEFT_PATTERN_BYTES_MAX
               ? dist_hash(hash, p->bytes, p->offsets[p->count])
               : hash;
}

weft_status weft_dist_match_count(weft_dist *d, weft_slice slice, const void *text, const weft_patterns *patterns,
                                  unsigned flags, uint64_t *counts) {
    if (!d) return WEFT_INVALID;
    matching m = {.d = d, .text = text, .n = slice.count, .patterns = patterns, .flags = flags};
    const weft_status checked = check_match(&m, counts);
    const agreed list[] = {{"the number of patterns", AS_NUMBER, checked == WEFT_OK ? patterns->count : 0},
                           {"the patterns' hash", AS_BITS, checked == WEFT_OK ? hash_patterns(patterns) : 0},
                           {"the flags", AS_NUMBER, flags}};
    RETURN_IF_ERROR(dist_begin(d, "match_count", list, 3, slice, checked));
    m.sums = calloc(patterns->count, sizeof *m.sums);
    m.counts = calloc(patterns->count, sizeof *m.counts);
    const weft_status ran = run_match(&m, counts);
    free(m.sums);
    free(m.counts);
    return ran;
}
