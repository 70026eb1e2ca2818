/* weft_dist_scan. Prefixes are made of the totals of aligned blocks of 16^k elements (docs/ORDER.md 6.3), and the
 * scan of a block that starts where its own length divides the place is weft_scan's with what stands before it as
 * initial value. So each rank computes the totals of the greatest such blocks in its slice, which are O(log n), all
 * ranks get all totals, and each goes through its slice once more with the prefixes that the totals give. The joining
 * is weft_scan's too, of 16 values or fewer. */
#include "dist/blocks.h"

#include <stdlib.h>
#include <string.h>

enum {
    GROUP = WEFT_SCAN_GROUP,
    LEVELS = WEFT_SCAN_LEVELS,
    PIECE = 65536 /* elements that are scanned at a time for their total: 16^4 */
};

typedef struct scanning {
    weft_dist *d;
    weft_op op;
    weft_scan_kind kind;
    weft_dtype dtype, accumulate, result;
    const char *x;
    char *y;
    const void *init;
    char *room;               /* for what is scanned for its total alone */
    uint64_t *totals;         /* of all ranks' blocks, a value of the result's type in each */
    uint64_t own[BLOCKS_MAX]; /* those of this rank's */
} scanning;

static weft_status scan_inclusive(const scanning *s, weft_dtype dtype, weft_dtype accumulate, size_t n, const void *x,
                                  const void *init, void *y) {
    return dist_took(s->d, weft_scan(s->d->ctx, s->op, WEFT_INCLUSIVE, dtype, accumulate, n, x, init, y));
}

/* Values of the result's type, one behind another. */
static void *value_at(const scanning *s, const void *values, size_t i) {
    return (char *)values + i * weft_dtype_size(s->result);
}

/* ---------------------------------------------------------------------------------- blocks */

/* The total of the block of 16^level elements at x: the last value of its scan, or that of its 16 parts' totals. */
static weft_status find_total(const scanning *s, const char *x, unsigned level, void *total) {
    const size_t n = (size_t)block_of(level);
    uint64_t parts[GROUP], sums[GROUP];
    if (n <= PIECE) {
        FORWARD(scan_inclusive(s, s->dtype, s->accumulate, n, x, NULL, s->room));
        memcpy(total, value_at(s, s->room, n - 1), weft_dtype_size(s->result));
        return WEFT_OK;
    }
    for (size_t i = 0; i < GROUP; i++)
        FORWARD(find_total(s, x + i * (n / GROUP) * weft_dtype_size(s->dtype), level - 1, value_at(s, parts, i)));
    FORWARD(scan_inclusive(s, s->result, WEFT_DEFAULT, GROUP, parts, NULL, sums));
    memcpy(total, value_at(s, sums, GROUP - 1), weft_dtype_size(s->result));
    return WEFT_OK;
}

static weft_status find_totals(scanning *s) {
    weft_error *error = &s->d->error;
    const uint64_t begin = dist_first(s->d), end = s->d->begin[s->d->rank + 1];
    size_t count = 0;
    RETURN_IF(!s->room || !s->totals, WEFT_OUT_OF_MEMORY, "no memory for the totals of a scan");
    for (uint64_t at = begin; at < end; count++) {
        const unsigned level = level_at(at, end);
        FORWARD(find_total(s, s->x + (at - begin) * weft_dtype_size(s->dtype), level, &s->own[count]));
        at += block_of(level);
    }
    return WEFT_OK;
}

/* -------------------------------------------------------------------------------- prefixes */

/* What stands before a place: of each level the totals of the blocks behind the last full group. */
typedef struct prefix {
    uint64_t values[LEVELS][GROUP]; /* of the result's type, one behind another */
    size_t count[LEVELS];
} prefix;

static weft_status put_behind(const scanning *s, prefix *p, unsigned level, const void *total) {
    const size_t size = weft_dtype_size(s->result);
    uint64_t value = 0, sums[GROUP];
    memcpy(&value, total, size);
    for (;; level++) {
        memcpy(value_at(s, p->values[level], p->count[level]), &value, size);
        if (++p->count[level] < GROUP) return WEFT_OK;
        FORWARD(scan_inclusive(s, s->result, WEFT_DEFAULT, GROUP, p->values[level], NULL, sums));
        memcpy(&value, value_at(s, sums, GROUP - 1), size);
        p->count[level] = 0;
    }
}

/* The prefix at the start of the group of elements that is under way: the initial value of what comes from there on;
 * *carry is NULL when there is nothing before it. */
static weft_status find_carry(const scanning *s, const prefix *p, uint64_t *room, const void **carry) {
    uint64_t sums[GROUP];
    *carry = s->init;
    for (unsigned level = LEVELS - 1; level > 0; level--) {
        const size_t count = p->count[level];
        if (count == 0) continue;
        FORWARD(scan_inclusive(s, s->result, WEFT_DEFAULT, count, p->values[level], *carry, sums));
        memcpy(room, value_at(s, sums, count - 1), weft_dtype_size(s->result));
        *carry = room;
    }
    return WEFT_OK;
}

/* Puts the totals of the blocks that make [at, end) of a slice ending at `stop` behind the prefix. */
static weft_status put_blocks(const scanning *s, prefix *p, uint64_t at, uint64_t end, uint64_t stop,
                              const uint64_t **totals) {
    while (at < end) {
        const unsigned level = level_at(at, stop);
        FORWARD(put_behind(s, p, level, (*totals)++));
        at += block_of(level);
    }
    return WEFT_OK;
}

/* -------------------------------------------------------------------------------- a slice */

/* Elements [at, end) within one group, of which `before` stand in the prefix: they are scanned with these. */
static weft_status scan_in_group(const scanning *s, const prefix *p, uint64_t at, uint64_t end, const void *carry,
                                 const uint64_t *totals) {
    const size_t before = p->count[0], n = (size_t)(end - at);
    uint64_t x[GROUP], y[GROUP];
    memcpy(x, p->values[0], before * weft_dtype_size(s->result));
    for (size_t i = 0; i < n; i++) memcpy(value_at(s, x, before + i), &totals[i], weft_dtype_size(s->result));
    FORWARD(dist_took(s->d, weft_scan(s->d->ctx, s->op, s->kind, s->result, WEFT_DEFAULT, before + n, x, carry, y)));
    memcpy(value_at(s, s->y, at - dist_first(s->d)), value_at(s, y, before), n * weft_dtype_size(s->result));
    return WEFT_OK;
}

/* Elements [at, end), of which the whole slice ends at `stop`: their results, and their totals behind the prefix. */
static weft_status scan_piece(const scanning *s, prefix *p, uint64_t at, uint64_t end, uint64_t stop,
                              const uint64_t **totals) {
    const size_t place = (size_t)(at - dist_first(s->d));
    uint64_t room;
    const void *carry;
    FORWARD(find_carry(s, p, &room, &carry));
    if (at % GROUP)
        FORWARD(scan_in_group(s, p, at, end, carry, *totals));
    else
        FORWARD(
            dist_took(s->d, weft_scan(s->d->ctx, s->op, s->kind, s->dtype, s->accumulate, (size_t)(end - at),
                                      s->x + place * weft_dtype_size(s->dtype), carry, value_at(s, s->y, place))));
    return put_blocks(s, p, at, end, stop, totals);
}

/* The last value of a full group, inclusive, is the prefix behind the group, which levels above tell. */
static weft_status scan_slice(const scanning *s, prefix *p) {
    const uint64_t begin = dist_first(s->d), stop = s->d->begin[s->d->rank + 1];
    const uint64_t *totals = s->own;
    for (uint64_t at = begin, end; at < stop; at = end) {
        uint64_t room;
        const void *carry;
        end = piece_end(at, stop);
        FORWARD(scan_piece(s, p, at, end, stop, &totals));
        if (s->kind == WEFT_EXCLUSIVE || end % GROUP) continue;
        FORWARD(find_carry(s, p, &room, &carry));
        memcpy(value_at(s, s->y, (size_t)(end - begin) - 1), carry, weft_dtype_size(s->result));
    }
    return WEFT_OK;
}

static weft_status scan_behind_others(const scanning *s) {
    weft_dist *const d = s->d;
    prefix p = {.count = {0}};
    const uint64_t *totals = s->totals;
    for (int r = 0; r < d->rank; r++)
        FORWARD(put_blocks(s, &p, d->begin[r], d->begin[r + 1], d->begin[r + 1], &totals));
    return scan_slice(s, &p);
}

/* -------------------------------------------------------------------------------- the call */

static weft_status gather_totals(scanning *s) {
    weft_dist *const d = s->d;
    int place = 0;
    for (int r = 0; r < d->size; r++) {
        d->counts[r] = count_blocks(d->begin[r], d->begin[r + 1]);
        d->places[r] = place;
        place += d->counts[r];
    }
    return dist_mpi(d,
                    MPI_Allgatherv(s->own, d->counts[d->rank], MPI_UINT64_T, s->totals, d->counts, d->places,
                                   MPI_UINT64_T, d->comm),
                    "gathering totals");
}

static weft_status run_scan(scanning *s) {
    FORWARD(dist_agree(s->d, find_totals(s)));
    FORWARD(gather_totals(s));
    return dist_agree(s->d, scan_behind_others(s));
}

static weft_status check_scan(scanning *s, size_t n) {
    weft_dist *const d = s->d;
    FORWARD(dist_took(d, weft_scan(d->ctx, s->op, s->kind, s->dtype, s->accumulate, 0, NULL, NULL, NULL)));
    const size_t size_x = weft_dtype_size(s->dtype), size_y = weft_dtype_size(s->result);
    FORWARD(dist_check_array(d, "x", s->x, n, size_x));
    FORWARD(dist_check_array(d, "y", s->y, n, size_y));
    if (s->x == s->y && s->dtype == s->result) return WEFT_OK;
    return dist_check_apart(d, "y", s->y, n * size_y, "x", s->x, n * size_x);
}

weft_status weft_dist_scan(weft_dist *d, weft_op op, weft_scan_kind kind, weft_dtype dtype, weft_dtype accumulate,
                           weft_slice slice, const void *x, const void *init, void *y) {
    if (!d) return WEFT_INVALID;
    scanning s = {
        .d = d, .op = op, .kind = kind, .dtype = dtype, .accumulate = accumulate, .x = x, .y = y, .init = init};
    s.result = accumulate == WEFT_DEFAULT ? dtype : accumulate;
    const weft_status status = check_scan(&s, slice.count);
    uint64_t start = 0;
    if (init && status == WEFT_OK) memcpy(&start, init, weft_dtype_size(s.result));
    const agreed list[] = {{"the operator", AS_OPERATOR, op},
                           {"the type", AS_TYPE, dtype},
                           {"the accumulate type", AS_TYPE, accumulate},
                           {"exclusive", AS_NUMBER, kind},
                           {"the number of initial values", AS_NUMBER, init != NULL},
                           {"the initial value", AS_BITS, start}};
    FORWARD(dist_begin(d, "scan", list, 6, slice, status));
    const size_t widest = sizeof(uint64_t);
    s.room = malloc((slice.count < PIECE ? slice.count + 1 : PIECE) * widest);
    s.totals = malloc((size_t)d->size * BLOCKS_MAX * sizeof *s.totals);
    const weft_status ran = run_scan(&s);
    free(s.room);
    free(s.totals);
    return ran;
}
