/* weft_dist_scan. Prefixes consist of the totals of aligned blocks of 16^k elements (ORDER.md 6.3). If a block
 * starts at a multiple of its own length, its scan is weft_scan with the prefix before it as initial value. Each
 * rank computes the totals of the largest such blocks in its slice, of which there are O(log n). All ranks gather
 * all totals. Each rank then scans its slice with the prefixes derived from these totals. weft_scan also combines
 * the totals, at most 256 values at a time, on the host. Sums and products of f16 and bf16 are computed in f32, a
 * chunk of a slice at a time, and rounded when they are written.
 *
 * The slice is read twice: no rank can write before it has the totals of all lower ranks, and these are complete
 * only after those ranks have read their whole slices. */
#include "core/parts.h"
#include "core/reals.h"
#include "core/types.h"
#include "dist/blocks.h"

#include <stdlib.h>
#include <string.h>

enum { GROUP = WEFT_SCAN_GROUP, LEVELS = WEFT_SCAN_LEVELS, TILE = GROUP * GROUP * GROUP };
enum { CHUNK_LEVEL = 5, PREFIXES = 2 /* number of the workspace for prefixes that are rounded */ };

typedef struct scanning {
    weft_dist *d;
    weft_op op;
    weft_scan_kind kind;
    weft_dtype dtype, accumulate, result; /* result: type of the prefixes */
    weft_dtype written;                   /* type of y: `result`, or f16 or bf16 if the prefixes are f32 */
    const char *x;
    char *y;
    const void *init;
    float start;              /* the initial value of prefixes that are rounded */
    uint64_t *totals;         /* totals of all ranks' blocks, one value of type `result` in each */
    uint64_t own[BLOCKS_MAX]; /* totals of this rank's blocks */
} scanning;

static weft_status scan_inclusive(const scanning *s, weft_dtype dtype, weft_dtype accumulate, size_t n, const void *x,
                                  const void *init, void *y) {
    weft_dist *const d = s->d;
    return dist_took_host(d, weft_scan(d->host, s->op, WEFT_INCLUSIVE, dtype, accumulate, n, x, init, y));
}

/* Returns the address of value i in an array of type `result`. */
static void *value_at(const scanning *s, const void *values, size_t i) {
    return (char *)values + i * weft_dtype_size(s->result);
}

static void *result_at(const scanning *s, size_t i) { return s->y + i * weft_dtype_size(s->written); }

/* Stores a prefix as a result. */
static void store_result(const scanning *s, const void *value, void *out) {
    float prefix;
    if (s->written == s->result) {
        memcpy(out, value, weft_dtype_size(s->result));
    } else {
        memcpy(&prefix, value, sizeof prefix);
        store_real(s->written, (double)prefix, out);
    }
}

/* ---------------------------------------------------------------------------------- blocks */

/* Computes a total whose value does not depend on the order of its elements by weft_reduce. Integer totals keep the
 * low bytes of its 64-bit result. */
static weft_status find_free_total(const scanning *s, size_t n, const char *x, void *total) {
    uint64_t value = 0;
    RETURN_IF_ERROR(dist_took(s->d, weft_reduce(s->d->ctx, s->op, s->dtype, WEFT_DEFAULT, n, x, &value)));
    memcpy(total, &value, weft_dtype_size(s->result));
    return WEFT_OK;
}

/* Computes the total of a block smaller than a tile, which is the last value of its inclusive scan. */
static weft_status find_small_total(const scanning *s, size_t n, const char *x, void *total) {
    uint64_t elements[GROUP * GROUP], sums[GROUP * GROUP];
    RETURN_IF_ERROR(dist_copy(s->d, n * weft_dtype_size(s->dtype), x, elements));
    RETURN_IF_ERROR(scan_inclusive(s, s->dtype, s->accumulate, n, elements, NULL, sums));
    memcpy(total, value_at(s, sums, n - 1), weft_dtype_size(s->result));
    return WEFT_OK;
}

/* Computes the total of n elements, where n is a power of 16 and at least TILE. Each pass replaces 16^3 elements by
 * one total, so the next pass has n / 16^3 elements. The passes write alternately to buffers 0 and 1. */
static weft_status find_tiled_total(const scanning *s, size_t n, const char *x, void *total) {
    weft_dist *const d = s->d;
    const size_t size = weft_dtype_size(s->result);
    weft_dtype dtype = s->dtype;
    for (size_t turn = 0; n >= TILE; turn++, n /= TILE, dtype = s->result) {
        char *y;
        RETURN_IF_ERROR(dist_workspace(d, turn % 2, n / TILE * size, &y));
        RETURN_IF_ERROR(dist_took(d, weft_part_scan_totals(d->ctx, s->op, dtype, s->result, n / TILE, x, y)));
        x = y;
    }
    uint64_t left[GROUP * GROUP], sums[GROUP * GROUP];
    RETURN_IF_ERROR(dist_copy(d, n * size, x, left));
    RETURN_IF_ERROR(scan_inclusive(s, s->result, WEFT_DEFAULT, n, left, NULL, sums));
    memcpy(total, value_at(s, sums, n - 1), size);
    return WEFT_OK;
}

static weft_status find_total(const scanning *s, const char *x, unsigned level, void *total) {
    const size_t n = (size_t)block_of(level);
    const bool is_free = !type_is_real(s->dtype) || s->op == WEFT_MIN || s->op == WEFT_MAX;
    if (n < TILE) return find_small_total(s, n, x, total);
    return is_free ? find_free_total(s, n, x, total) : find_tiled_total(s, n, x, total);
}

static weft_status find_totals(scanning *s) {
    weft_error *error = &s->d->error;
    const uint64_t begin = dist_first(s->d), end = s->d->begin[s->d->rank + 1];
    size_t count = 0;
    RETURN_IF(!s->totals, WEFT_OUT_OF_MEMORY, "cannot allocate memory for the totals of a scan");
    for (uint64_t at = begin; at < end; count++) {
        const unsigned level = level_at(at, end);
        RETURN_IF_ERROR(find_total(s, s->x + (at - begin) * weft_dtype_size(s->dtype), level, &s->own[count]));
        at += block_of(level);
    }
    return WEFT_OK;
}

/* -------------------------------------------------------------------------------- prefixes */

/* Prefix of a position: for each level, the totals of the blocks after the last full group of that level. */
typedef struct prefix {
    uint64_t values[LEVELS][GROUP]; /* values of type `result`, stored consecutively */
    size_t count[LEVELS];
} prefix;

static weft_status put_after(const scanning *s, prefix *p, unsigned level, const void *total) {
    const size_t size = weft_dtype_size(s->result);
    uint64_t value = 0, sums[GROUP];
    memcpy(&value, total, size);
    for (;; level++) {
        memcpy(value_at(s, p->values[level], p->count[level]), &value, size);
        if (++p->count[level] < GROUP) return WEFT_OK;
        RETURN_IF_ERROR(scan_inclusive(s, s->result, WEFT_DEFAULT, GROUP, p->values[level], NULL, sums));
        memcpy(&value, value_at(s, sums, GROUP - 1), size);
        p->count[level] = 0;
    }
}

/* Computes the prefix at the start of the current group of elements, which is the initial value of a scan from
 * there. Sets *carry to `value`, or to s->init if no block precedes the group (NULL: no initial value). */
static weft_status find_carry(const scanning *s, const prefix *p, uint64_t *value, const void **carry) {
    uint64_t sums[GROUP];
    *carry = s->init;
    for (unsigned level = LEVELS - 1; level > 0; level--) {
        const size_t count = p->count[level];
        if (count == 0) continue;
        RETURN_IF_ERROR(scan_inclusive(s, s->result, WEFT_DEFAULT, count, p->values[level], *carry, sums));
        memcpy(value, value_at(s, sums, count - 1), weft_dtype_size(s->result));
        *carry = value;
    }
    return WEFT_OK;
}

/* Appends to the prefix the totals of the blocks that cover [at, end) of a slice ending at `stop`. */
static weft_status put_blocks(const scanning *s, prefix *p, uint64_t at, uint64_t end, uint64_t stop,
                              const uint64_t **totals) {
    while (at < end) {
        const unsigned level = level_at(at, stop);
        RETURN_IF_ERROR(put_after(s, p, level, (*totals)++));
        at += block_of(level);
    }
    return WEFT_OK;
}

/* -------------------------------------------------------------------------------- a slice */

/* Scans elements [at, end), which must be within one group. Elements of the group that precede `at` are already in
 * the prefix. They are scanned again with the new ones. */
static weft_status scan_in_group(const scanning *s, const prefix *p, uint64_t at, uint64_t end, const void *carry,
                                 const uint64_t *totals) {
    const size_t before = p->count[0], n = (size_t)(end - at);
    uint64_t x[GROUP], y[GROUP], results[GROUP];
    memcpy(x, p->values[0], before * weft_dtype_size(s->result));
    for (size_t i = 0; i < n; i++) memcpy(value_at(s, x, before + i), &totals[i], weft_dtype_size(s->result));
    weft_dist *const d = s->d;
    RETURN_IF_ERROR(
        dist_took_host(d, weft_scan(d->host, s->op, s->kind, s->result, WEFT_DEFAULT, before + n, x, carry, y)));
    const size_t size = weft_dtype_size(s->written);
    for (size_t i = 0; i < n; i++) store_result(s, value_at(s, y, before + i), (char *)results + i * size);
    return dist_copy(d, n * size, results, result_at(s, at - dist_first(d)));
}

/* Scans n elements from element `offset` of the slice on, which must be the first one of a group. */
static weft_status scan_elements(const scanning *s, size_t offset, size_t n, const void *carry, void *y) {
    const char *const x = s->x + offset * weft_dtype_size(s->dtype);
    return dist_took(s->d, weft_scan(s->d->ctx, s->op, s->kind, s->dtype, s->accumulate, n, x, carry, y));
}

/* Scans elements [at, end) in f32 and rounds the prefixes, a chunk at a time. `before` is the prefix before `at`. The
 * inclusive result of the last element of a chunk is the prefix after it, except after the last chunk. */
static weft_status scan_rounded(const scanning *s, const prefix *before, uint64_t at, uint64_t end) {
    weft_dist *const d = s->d;
    prefix p = *before;
    char *prefixes;
    const void *carry;
    uint64_t value, total, last;
    RETURN_IF_ERROR(dist_workspace(d, PREFIXES, min_u64(end - at, block_of(CHUNK_LEVEL)) * sizeof(float), &prefixes));
    RETURN_IF_ERROR(find_carry(s, &p, &value, &carry));
    for (size_t n; at < end; at += n) {
        const size_t offset = at - dist_first(d);
        n = min_u64(end - at, block_of(CHUNK_LEVEL));
        const bool more = at + n < end;
        RETURN_IF_ERROR(scan_elements(s, offset, n, carry, prefixes));
        if (more) RETURN_IF_ERROR(find_total(s, s->x + offset * weft_dtype_size(s->dtype), CHUNK_LEVEL, &total));
        RETURN_IF_ERROR(
            dist_took(d, weft_part_convert(d->ctx, n, s->result, prefixes, s->written, result_at(s, offset))));
        if (!more) return WEFT_OK;
        RETURN_IF_ERROR(put_after(s, &p, CHUNK_LEVEL, &total));
        RETURN_IF_ERROR(find_carry(s, &p, &value, &carry));
        store_result(s, carry, &last);
        if (s->kind == WEFT_INCLUSIVE)
            RETURN_IF_ERROR(dist_copy(d, weft_dtype_size(s->written), &last, result_at(s, offset + n - 1)));
    }
    return WEFT_OK;
}

/* Scans elements [at, end) of a slice ending at `stop`, and appends their totals to the prefix. */
static weft_status scan_part(const scanning *s, prefix *p, uint64_t at, uint64_t end, uint64_t stop,
                             const uint64_t **totals) {
    const size_t offset = (size_t)(at - dist_first(s->d));
    uint64_t value;
    const void *carry;
    RETURN_IF_ERROR(find_carry(s, p, &value, &carry));
    if (at % GROUP)
        RETURN_IF_ERROR(scan_in_group(s, p, at, end, carry, *totals));
    else if (s->written != s->result)
        RETURN_IF_ERROR(scan_rounded(s, p, at, end));
    else
        RETURN_IF_ERROR(scan_elements(s, offset, (size_t)(end - at), carry, result_at(s, offset)));
    return put_blocks(s, p, at, end, stop, totals);
}

/* Result of the last element of a full group, which is derived from the prefix and not from the scan of the
 * chunk. */
typedef struct ending {
    uint64_t value;
    size_t offset;
} ending;

/* Scans the chunks of the slice one after the other. The inclusive result of the last element of a full group is the
 * prefix after that group, derived from the levels above. These results are written after all chunks have been
 * scanned. */
static weft_status scan_slice(const scanning *s, prefix *p) {
    const uint64_t begin = dist_first(s->d), stop = s->d->begin[s->d->rank + 1];
    const uint64_t *totals = s->own;
    ending endings[BLOCKS_MAX];
    size_t count = 0;
    for (uint64_t at = begin, end; at < stop; at = end) {
        uint64_t value;
        const void *carry;
        end = part_end(at, stop);
        RETURN_IF_ERROR(scan_part(s, p, at, end, stop, &totals));
        if (s->kind == WEFT_EXCLUSIVE || end % GROUP) continue;
        RETURN_IF_ERROR(find_carry(s, p, &value, &carry));
        store_result(s, carry, &endings[count].value);
        endings[count++].offset = (size_t)(end - begin) - 1;
    }
    for (size_t i = 0; i < count; i++)
        RETURN_IF_ERROR(
            dist_copy(s->d, weft_dtype_size(s->written), &endings[i].value, result_at(s, endings[i].offset)));
    return WEFT_OK;
}

static weft_status scan_after_others(const scanning *s) {
    weft_dist *const d = s->d;
    prefix p = {.count = {0}};
    const uint64_t *totals = s->totals;
    for (int r = 0; r < d->rank; r++)
        RETURN_IF_ERROR(put_blocks(s, &p, d->begin[r], d->begin[r + 1], d->begin[r + 1], &totals));
    return scan_slice(s, &p);
}

/* -------------------------------------------------------------------------------- the call */

static weft_status gather_totals(scanning *s) {
    weft_dist *const d = s->d;
    for (int r = 0; r < d->size; r++) d->counts[r] = count_blocks(d->begin[r], d->begin[r + 1]) * (int)sizeof *s->own;
    return dist_gather_parts(d, s->own, s->totals, "gathering totals");
}

static weft_status run_alone(const scanning *s) {
    weft_dist *const d = s->d;
    return dist_took(
        d, weft_scan(d->ctx, s->op, s->kind, s->dtype, s->accumulate, (size_t)dist_total(d), s->x, s->init, s->y));
}

static weft_status run_scan(scanning *s) {
    weft_dist *const d = s->d;
    if (d->size == 1) return dist_finish(d, run_alone(s));
    if (type_is_half(s->written) && (s->op == WEFT_SUM || s->op == WEFT_PROD)) {
        s->accumulate = s->result = WEFT_F32;
        if (s->init) s->start = load_half(s->written, s->init);
        if (s->init) s->init = &s->start;
    }
    RETURN_IF_ERROR(dist_agree(d, find_totals(s)));
    RETURN_IF_ERROR(gather_totals(s));
    return dist_finish(d, scan_after_others(s));
}

static weft_status check_scan(scanning *s, size_t n) {
    weft_dist *const d = s->d;
    RETURN_IF_ERROR(dist_took(d, weft_scan(d->ctx, s->op, s->kind, s->dtype, s->accumulate, 0, NULL, NULL, NULL)));
    const size_t size_x = weft_dtype_size(s->dtype), size_y = weft_dtype_size(s->result);
    RETURN_IF_ERROR(dist_check_array(d, "x", s->x, n, size_x));
    RETURN_IF_ERROR(dist_check_array(d, "y", s->y, n, size_y));
    if (s->x == s->y && s->dtype == s->result) return WEFT_OK;
    return dist_check_apart(d, "y", s->y, n * size_y, "x", s->x, n * size_x);
}

weft_status weft_dist_scan(weft_dist *d, weft_op op, weft_scan_kind kind, weft_dtype dtype, weft_dtype accumulate,
                           weft_slice slice, const void *x, const void *init, void *y) {
    if (!d) return WEFT_INVALID;
    scanning s = {
        .d = d, .op = op, .kind = kind, .dtype = dtype, .accumulate = accumulate, .x = x, .y = y, .init = init};
    s.result = s.written = accumulate == WEFT_DEFAULT ? dtype : accumulate;
    const weft_status status = check_scan(&s, slice.count);
    uint64_t start = 0;
    if (init && status == WEFT_OK) memcpy(&start, init, weft_dtype_size(s.result));
    const agreed list[] = {{"op", AS_OPERATOR, op},
                           {"dtype", AS_TYPE, dtype},
                           {"accumulate", AS_TYPE, accumulate},
                           {"exclusive", AS_NUMBER, kind},
                           {"the number of initial values", AS_NUMBER, init != NULL},
                           {"the initial value", AS_BITS, start}};
    RETURN_IF_ERROR(dist_begin(d, "scan", list, 6, slice, status));
    s.totals = malloc((size_t)d->size * BLOCKS_MAX * sizeof *s.totals);
    const weft_status ran = run_scan(&s);
    free(s.totals);
    return ran;
}
