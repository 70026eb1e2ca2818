#include "cpu/common/segments.h"
#include "core/byte_order.h"

#include <string.h>

/* ------------------------------------------------------------------------------------- flags */

/* Returns true if two adjacent keys differ. Two NaNs do not differ. */
#define NOT_EQUAL_SIGNED(a, b) ((a) != (b))
#define NOT_EQUAL_UNSIGNED(a, b) ((a) != (b))
#define NOT_EQUAL_FLOAT(a, b) (((a) != (b)) & (((a) == (a)) | ((b) == (b))))

/* Sets flags[i] to 1 if key i differs from the key before it. The loop has no branches, so that compilers vectorize
 * it. */
#define TYPE(ID, name, ctype, kind, npy)                                                    \
    static void flags_##name(const void *keys, size_t count, uint8_t *flags) {              \
        const ctype *k = keys;                                                              \
        for (size_t i = 0; i < count; i++) flags[i] = NOT_EQUAL_##kind(k[i], *(k + i - 1)); \
    }
#include "core/types.def"

static void flags_by_key(weft_dtype dtype, const void *keys, size_t count, uint8_t *flags) {
    static void (*const functions[])(const void *, size_t, uint8_t *) = {
        NULL,
#define TYPE(ID, name, ctype, kind, npy) flags_##name,
#include "core/types.def"
    };
    functions[dtype](keys, count, flags);
}

static void flags_by_head(const uint8_t *heads, size_t count, uint8_t *flags) {
    for (size_t i = 0; i < count; i++) flags[i] = heads[i] != 0;
}

/* Sets flags[i], i < count <= SEGMENTS_BATCH, to 1 if a segment begins at element first + i, else to 0. Clears the
 * remaining flags. */
static void find_flags(const segmented_call *c, size_t first, size_t count, uint8_t *flags) {
    const size_t skip = first == 0, size = weft_dtype_size(c->key_dtype); /* key 0 has no predecessor */
    const char *keys = (const char *)c->keys + (first + skip) * size;
    memset(flags + count, 0, SEGMENTS_BATCH - count);
    if (c->source == SEGMENTS_BY_HEADS)
        flags_by_head((const uint8_t *)keys, count - skip, flags + skip);
    else
        flags_by_key(c->key_dtype, keys, count - skip, flags + skip);
    if (skip) flags[0] = 1;
}

static size_t chunk_at(const segment_part *part, size_t at) {
    return part->end - at < SEGMENTS_BATCH ? part->end - at : SEGMENTS_BATCH;
}

/* Appends the positions of the nonzero flags. Tests eight flags at a time, because most are 0. */
static size_t find_positions(const uint8_t *flags, size_t first, uint64_t *positions) {
    size_t found = 0;
    for (size_t i = 0; i < SEGMENTS_BATCH; i += sizeof(uint64_t)) {
        uint64_t eight = bytes_load(flags + i);
        for (; eight; eight &= eight - 1) positions[found++] = first + i + (size_t)__builtin_ctzll(eight) / 8;
    }
    return found;
}

/* ------------------------------------------------------------------------------------- parts */

/* Returns the index of the last nonzero flag, of which there must be at least one. */
static size_t last_flag(const uint8_t *flags) {
    size_t i = SEGMENTS_BATCH - 1;
    while (!flags[i]) i--;
    return i;
}

void segments_count(const segmented_call *c, segment_part *part) {
    uint8_t flags[SEGMENTS_BATCH];
    uint64_t positions[SEGMENTS_BATCH];
    part->count = 0;
    for (size_t at = part->begin; at < part->end; at += SEGMENTS_BATCH) {
        size_t found = 0;
        find_flags(c, at, chunk_at(part, at), flags);
        if (part->count == 0) {
            found = find_positions(flags, at, positions);
            if (found) part->first = (size_t)positions[0], part->last = (size_t)positions[found - 1];
        } else {
            for (size_t i = 0; i < SEGMENTS_BATCH; i++) found += flags[i];
            if (found) part->last = at + last_flag(flags);
        }
        part->count += found;
    }
}

void segments_begin(const segment_part *part, segment_batch *batch) {
    batch->first = part->before;
    batch->count = 0;
    batch->at = part->begin;
    batch->waiting = false;
}

static void store_keys(const segmented_call *c, const segment_batch *batch) {
    const size_t size = weft_dtype_size(c->key_dtype);
    char *to = (char *)c->unique_keys + batch->first * size;
    for (size_t i = 0; i < batch->count; i++)
        memcpy(to + i * size, (const char *)c->keys + batch->offsets[i] * size, size);
}

bool segments_next(const segmented_call *c, const segment_part *part, segment_batch *batch) {
    uint8_t flags[SEGMENTS_BATCH];
    batch->first += batch->count;
    if (batch->waiting) batch->offsets[0] = batch->offsets[batch->count];
    size_t known = batch->waiting;
    while (batch->at < part->end && known < 2) {
        const size_t count = chunk_at(part, batch->at);
        find_flags(c, batch->at, count, flags);
        known += find_positions(flags, batch->at, batch->offsets + known);
        batch->at += count;
    }
    batch->waiting = batch->at < part->end;
    if (!batch->waiting && known) batch->offsets[known++] = part->next;
    batch->count = known ? known - 1 : 0;
    if (batch->count && c->source == SEGMENTS_BY_KEYS) store_keys(c, batch);
    return batch->count > 0;
}
