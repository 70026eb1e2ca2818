/* The definition of the order of keys (ORDER.md 17) and of weft_argsort: a merge sort of the indices. */
#include "core/types.h"
#include "ref/common/sort_order.h"
#include "ref/ref.h"

#include <math.h>
#include <stdlib.h>

/* Compares by value, with -0 before +0. Every number precedes a NaN, and a NaN precedes nothing. */
static bool precedes_as_real(const sort_order *o, size_t a, size_t b) {
    const double p = ref_real(o->keys, a), q = ref_real(o->keys, b);
    if (isnan(p) || isnan(q)) return !isnan(p) && isnan(q);
    if (p != q) return o->descending ? p > q : p < q;
    return signbit(p) != signbit(q) && (signbit(o->descending ? q : p) != 0);
}

/* Returns the significant bits of key i as an unsigned number. */
static uint64_t part(const sort_order *o, size_t i) {
    if (o->bits == 0) return 0;
    return ref_integer(o->keys, i) >> o->first_bit & (UINT64_MAX >> (64 - o->bits));
}

static bool precedes_as_integer(const sort_order *o, size_t a, size_t b) {
    const uint64_t p = part(o, a), q = part(o, b);
    const bool has_sign =
        type_is_signed(o->keys.dtype) && o->bits > 0 && o->first_bit + o->bits == 8 * weft_dtype_size(o->keys.dtype);
    const uint64_t sign = has_sign ? UINT64_C(1) << (o->bits - 1) : 0;
    const bool p_negative = p & sign, q_negative = q & sign;
    if (p_negative != q_negative) return o->descending ? q_negative : p_negative;
    return o->descending ? p > q : p < q;
}

static bool precedes(const sort_order *o, size_t a, size_t b) {
    return type_is_real(o->keys.dtype) ? precedes_as_real(o, a, b) : precedes_as_integer(o, a, b);
}

/* Merges from[0..middle) and from[middle..n), which are both sorted. Equal keys of the first half precede those of
 * the second. */
static void merge(const sort_order *o, const size_t *from, size_t middle, size_t n, size_t *to) {
    size_t a = 0, b = middle;
    for (size_t i = 0; i < n; i++) {
        const bool second = a == middle || (b < n && precedes(o, from[b], from[a]));
        to[i] = second ? from[b++] : from[a++];
    }
}

size_t *ref_order_of(const sort_order *o, size_t n) {
    size_t *order = n <= SIZE_MAX / sizeof *order ? malloc(n * sizeof *order) : NULL;
    size_t *next = order ? malloc(n * sizeof *next) : NULL;
    if (!next) {
        free(order);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) order[i] = i;
    for (size_t half = 1; half < n; half *= 2) {
        for (size_t i = 0; i < n; i += 2 * half) {
            const size_t left = n - i;
            merge(o, order + i, left < half ? left : half, left < 2 * half ? left : 2 * half, next + i);
        }
        size_t *const merged = next;
        next = order;
        order = merged;
    }
    free(next);
    return order;
}

weft_status ref_argsort(void *state, const argsort_call *c, weft_error *error) {
    const sort_order o = {
        {c->dtype, c->keys}, c->order == WEFT_DESCENDING, 0, 8 * (unsigned)weft_dtype_size(c->dtype)};
    (void)state;
    size_t *order = ref_order_of(&o, c->n);
    RETURN_IF(!order, WEFT_OUT_OF_MEMORY, "cannot allocate host memory for the order of %zu keys", c->n);
    for (size_t i = 0; i < c->n; i++)
        ref_store_integer(c->index, order[i], (char *)c->indices + i * weft_dtype_size(c->index));
    free(order);
    return WEFT_OK;
}
