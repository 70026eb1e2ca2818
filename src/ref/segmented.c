/* The definition of weft_segmented_reduce, weft_segmented_scan and weft_reduce_by_key (ORDER.md 8). Each segment is
 * reduced or scanned separately. */
#include "core/offsets.h"
#include "core/types.h"
#include "ref/common/array.h"
#include "ref/ref.h"

#include <math.h>
#include <string.h>

static const void *element(const void *x, weft_dtype dtype, size_t i) {
    return (const char *)x + i * weft_dtype_size(dtype);
}

/* ------------------------------------------------------------------------ where segments end */

static bool equal_keys(array keys, size_t a, size_t b) {
    if (!type_is_float(keys.dtype)) return ref_integer(keys, a) == ref_integer(keys, b);
    const double p = ref_real(keys, a), q = ref_real(keys, b);
    return p == q || (isnan(p) && isnan(q));
}

/* Returns true if a segment begins at element i, by heads or keys. */
static bool begins(const segmented_call *c, size_t i) {
    const array keys = {c->key_dtype, c->keys};
    if (i == 0) return true;
    return c->source == SEGMENTS_BY_HEADS ? ref_integer(keys, i) != 0 : !equal_keys(keys, i - 1, i);
}

/* --------------------------------------------------------------------------- one segment */

/* Stores the minimum or maximum of an empty segment. */
static void store_empty_extreme(const segmented_call *c, void *out) {
    const uint64_t ones = UINT64_MAX >> (64 - 8 * weft_dtype_size(c->dtype));
    const bool least = c->op == WEFT_MIN;
    if (type_is_float(c->dtype))
        ref_store_real(c->dtype, least ? INFINITY : -INFINITY, out);
    else if (type_is_signed(c->dtype))
        ref_store_integer(c->dtype, least ? ones >> 1 : ~(ones >> 1), out);
    else
        ref_store_integer(c->dtype, least ? ones : 0, out);
}

/* Reduces or scans segment s, which is elements begin .. end - 1. */
static weft_status do_segment(const segmented_call *c, size_t s, size_t begin, size_t end, weft_error *error) {
    const void *x = element(c->x, c->dtype, begin);
    if (c->scan) {
        if (begin == end) return WEFT_OK;
        void *y = (void *)element(c->y, c->result, begin);
        return ref_scan(NULL, &(scan_call){c->op, c->kind, c->dtype, c->result, end - begin, x, NULL, y, NULL},
                        error);
    }
    void *out = (void *)element(c->y, c->result, s);
    if (c->source == SEGMENTS_BY_KEYS)
        memcpy((void *)element(c->unique_keys, c->key_dtype, s), element(c->keys, c->key_dtype, begin),
               weft_dtype_size(c->key_dtype));
    if (begin == end && (c->op == WEFT_MIN || c->op == WEFT_MAX)) {
        store_empty_extreme(c, out);
        return WEFT_OK;
    }
    if (c->exact && begin < end)
        return ref_exact(NULL, &(exact_call){.dtype = c->dtype, .n = end - begin, .x = x, .out = out}, error);
    return ref_reduce(NULL, &(reduce_call){c->op, c->dtype, c->result, end - begin, x, out, NULL}, error);
}

weft_status ref_segmented(void *state, const segmented_call *c, weft_error *error) {
    (void)state;
    if (c->source == SEGMENTS_BY_OFFSETS) {
        if (!offsets_all_good(c->offsets, c->segments, c->n)) return offsets_fail_first(error, c->offsets, c->n);
        for (size_t s = 0; s < c->segments; s++)
            RETURN_IF_ERROR(do_segment(c, s, (size_t)c->offsets[s], (size_t)c->offsets[s + 1], error));
        return WEFT_OK;
    }
    size_t count = 0;
    for (size_t begin = 0, end; begin < c->n; begin = end) {
        end = begin + 1;
        while (end < c->n && !begins(c, end)) end++;
        RETURN_IF_ERROR(do_segment(c, count++, begin, end, error));
    }
    if (c->count) *c->count = count;
    return WEFT_OK;
}
