/* The definition of weft_gather and weft_scatter (ORDER.md 29). */
#include "core/indices.h"
#include "core/types.h"
#include "ref/common/array.h"
#include "ref/ref.h"

#include <stdlib.h>
#include <string.h>

static uint64_t index_at(const gather_call *c, size_t i) { return ref_integer((array){c->index_dtype, c->index}, i); }

/* Returns index i, or m if it is out of range. */
static size_t target(const gather_call *c, size_t i) {
    const uint64_t index = index_at(c, i);
    if (type_is_signed(c->index_dtype) && (int64_t)index < 0) return c->m;
    return index < c->m ? (size_t)index : c->m;
}

static weft_status check_range(const gather_call *c, weft_error *error) {
    if (c->range == WEFT_RANGE_SKIP) return WEFT_OK;
    for (size_t i = 0; i < c->n; i++)
        if (target(c, i) == c->m) return indices_fail(error, c->index_dtype, i, index_at(c, i), c->m);
    return WEFT_OK;
}

/* Fails at the first index in range that occurs before. seen has m elements, initially 0. */
static weft_status check_different(const gather_call *c, unsigned char *seen, weft_error *error) {
    for (size_t i = 0; i < c->n; i++) {
        size_t first = 0;
        if (target(c, i) == c->m || !seen[target(c, i)]++) continue;
        while (target(c, first) != target(c, i)) first++;
        return indices_fail_equal(error, "scatter", c->index_dtype, first, i, index_at(c, i));
    }
    return WEFT_OK;
}

static void move(const gather_call *c) {
    for (size_t i = 0; i < c->n; i++) {
        const size_t from = c->scatter ? i : target(c, i), to = c->scatter ? target(c, i) : i;
        if (target(c, i) < c->m && c->row_bytes > 0)
            memcpy((char *)c->out + to * c->row_bytes, (const char *)c->x + from * c->row_bytes, c->row_bytes);
    }
}

weft_status ref_gather(void *state, const gather_call *c, weft_error *error) {
    (void)state;
    RETURN_IF_ERROR(check_range(c, error));
    if (c->scatter) {
        unsigned char *const seen = calloc(c->m ? c->m : 1, 1);
        RETURN_IF(!seen, WEFT_OUT_OF_MEMORY, "cannot allocate host memory for %zu rows", c->m);
        const weft_status status = check_different(c, seen, error);
        free(seen);
        RETURN_IF_ERROR(status);
    }
    move(c);
    return WEFT_OK;
}
