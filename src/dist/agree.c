/* The start of a call, and the steps at which either all ranks continue or all return. Every rank has the records of
 * all ranks, and derives the same result from them without further communication. */
#include "core/parts.h"
#include "dist/dist.h"

#include <inttypes.h>
#include <string.h>

/* ------------------------------------------------------------------------- what a rank says */

typedef struct told {
    char text[64];
} told;

static told tell(agreed_kind kind, uint64_t value) {
    told t;
    switch (kind) {
    case AS_NUMBER: snprintf(t.text, sizeof t.text, "%" PRIu64, value); break;
    case AS_OPERATOR: snprintf(t.text, sizeof t.text, "%s", weft_op_name((weft_op)value)); break;
    case AS_TYPE:
        snprintf(t.text, sizeof t.text, "%s", value == WEFT_DEFAULT ? "default" : weft_dtype_name((weft_dtype)value));
        break;
    case AS_BITS: snprintf(t.text, sizeof t.text, "0x%" PRIx64, value); break;
    }
    return t;
}

/* ------------------------------------------------------------------------------ a failure */

/* Sends the error message of rank `from` to all ranks, which report it with that rank's number in front. */
static weft_status take_sentence(weft_dist *d, int from, weft_status status) {
    weft_error sentence;
    for (int r = 0; r < d->size; r++) d->counts[r] = r == from ? (int)sizeof sentence.message : 0;
    RETURN_IF_ERROR(dist_gather_parts(d, d->error.message, sentence.message, "exchanging an error message"));
    return weft_fail(&d->error, status, "rank %d: %.480s", from, sentence.message);
}

weft_status dist_agree(weft_dist *d, weft_status status) {
    const int mine = (int)status;
    if (d->broken) return WEFT_DEVICE_LOST;
    RETURN_IF_ERROR(dist_gather(d, &mine, d->statuses, sizeof mine, "comparing statuses"));
    for (int r = 0; r < d->size; r++)
        if (d->statuses[r] != (int)WEFT_OK) return take_sentence(d, r, (weft_status)d->statuses[r]);
    return WEFT_OK;
}

weft_status dist_finish(weft_dist *d, weft_status status) {
    return dist_agree(d, status == WEFT_OK ? dist_took(d, weft_synchronize(d->ctx)) : status);
}

weft_status weft_dist_agree(weft_dist *d, weft_status status, const char *sentence) {
    if (!d) return WEFT_INVALID;
    if (status != WEFT_OK) weft_fail(&d->error, status, "%s", sentence ? sentence : weft_status_name(status));
    return dist_agree(d, status);
}

/* -------------------------------------------------------------------------------- a call */

static weft_status compare(weft_dist *d, const agreed *list, size_t count) {
    weft_error *error = &d->error;
    const record *const zero = d->records;
    for (int r = 1; r < d->size; r++) {
        const record *const other = &d->records[r];
        RETURN_IF(strcmp(zero->name, other->name) != 0, WEFT_INVALID, "rank 0 calls %s and rank %d calls %s",
                  zero->name, r, other->name);
        for (size_t i = 0; i < count; i++)
            RETURN_IF(zero->values[i] != other->values[i], WEFT_INVALID, "%s: %s is %s on rank 0 and %s on rank %d",
                      zero->name, list[i].name, tell(list[i].kind, zero->values[i]).text,
                      tell(list[i].kind, other->values[i]).text, r);
    }
    return WEFT_OK;
}

/* Sets d->begin. Checks that the slices are consecutive and have as many elements as each rank specified. */
static weft_status lay_out(weft_dist *d) {
    weft_error *error = &d->error;
    uint64_t end = 0;
    for (int r = 0; r < d->size; r++) {
        const record *const own = &d->records[r];
        RETURN_IF(own->offset != WEFT_NOT_GIVEN && own->offset != end, WEFT_INVALID,
                  "the slice of rank %d begins at %" PRIu64 ", but those before it end at %" PRIu64 ": %s", r,
                  own->offset, end, own->offset < end ? "they overlap" : "there is a gap");
        RETURN_IF(own->count > (uint64_t)PTRDIFF_MAX - end, WEFT_INVALID,
                  "the slices up to rank %d have more than 2^63 - 1 elements", r);
        d->begin[r] = end;
        end += own->count;
    }
    d->begin[d->size] = end;
    for (int r = 0; r < d->size; r++)
        RETURN_IF(d->records[r].total != WEFT_NOT_GIVEN && d->records[r].total != end, WEFT_INVALID,
                  "the slices have %" PRIu64 " elements in total, but rank %d specified %" PRIu64, end, r,
                  d->records[r].total);
    return WEFT_OK;
}

weft_status dist_begin(weft_dist *d, const char *name, const agreed *list, size_t count, weft_slice slice,
                       weft_status status) {
    record own = {.count = slice.count, .offset = slice.offset, .total = slice.total, .status = status};
    if (d->broken) return WEFT_DEVICE_LOST;
    snprintf(own.name, sizeof own.name, "%s", name);
    for (size_t i = 0; i < count; i++) own.values[i] = list[i].value;
    RETURN_IF_ERROR(dist_gather(d, &own, d->records, sizeof own, "comparing arguments"));
    for (int r = 0; r < d->size; r++)
        if (d->records[r].status != WEFT_OK) return take_sentence(d, r, (weft_status)d->records[r].status);
    RETURN_IF_ERROR(compare(d, list, count));
    RETURN_IF_ERROR(lay_out(d));
    d->error.message[0] = '\0';
    return WEFT_OK;
}

/* -------------------------------------------------------------------------- a rank's own checks */

weft_status dist_check_array(weft_dist *d, const char *name, const void *p, size_t n, size_t size) {
    weft_error *error = &d->error;
    if (n == 0) return WEFT_OK;
    RETURN_IF(!p, WEFT_INVALID, "%s is NULL", name);
    RETURN_IF(n > SIZE_MAX / size || (uintptr_t)p > UINTPTR_MAX - n * size, WEFT_INVALID,
              "%s: %zu elements of %zu bytes do not fit in memory", name, n, size);
    RETURN_IF((uintptr_t)p % size != 0, WEFT_INVALID, "%s is at %p, which is not aligned to its %zu-byte elements",
              name, p, size);
    return WEFT_OK;
}

weft_status dist_check_apart(weft_dist *d, const char *a_name, const void *a, size_t a_bytes, const char *b_name,
                             const void *b, size_t b_bytes) {
    weft_error *error = &d->error;
    const uintptr_t p = (uintptr_t)a, q = (uintptr_t)b;
    RETURN_IF(a_bytes && b_bytes && p < q + b_bytes && q < p + a_bytes, WEFT_INVALID,
              "%s (%zu bytes at %p) overlaps %s (%zu bytes at %p)", a_name, a_bytes, a, b_name, b_bytes, b);
    return WEFT_OK;
}

weft_status dist_check_host(weft_dist *d, const char *name, const void *p) {
    weft_error *error = &d->error;
    RETURN_IF(p && weft_part_device_only(d->ctx, p), WEFT_INVALID,
              "%s is at %p in GPU memory: it must be host memory", name, p);
    return WEFT_OK;
}

weft_status dist_check_grid(weft_dist *d, size_t across) {
    weft_error *error = &d->error;
    const size_t ranks = (size_t)d->size;
    RETURN_IF(across == 0 || ranks % across != 0, WEFT_INVALID,
              "invalid number of ranks per row of the grid %zu: it must divide the number of ranks %zu", across,
              ranks);
    return WEFT_OK;
}

static weft_status took(weft_dist *d, weft_status status, const weft_context *ctx) {
    if (status == WEFT_OK) return WEFT_OK;
    return weft_fail(&d->error, status, "%s",
                     status == WEFT_BUSY ? "the context is in use by another thread" : weft_last_error(ctx));
}

weft_status dist_took(weft_dist *d, weft_status status) { return took(d, status, d->ctx); }
weft_status dist_took_host(weft_dist *d, weft_status status) { return took(d, status, d->host); }

uint64_t dist_hash(uint64_t hash, const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    return hash;
}
