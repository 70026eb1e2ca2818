/* The tree of ORDER.md 2 over the pieces of an array. A piece has a power of two of tiles, so its value is a
 * node of the tree; the nodes above are joined here, and a join is the library's own reduction of two values: their
 * sum by the tree is a + b, their minimum the lesser, and so on. */
#ifndef WEFT_STREAM_FOLD_H
#define WEFT_STREAM_FOLD_H

#include "core/context.h"

/* A value of any type. */
typedef union stream_value {
#define TYPE(ID, name, ctype, kind, npy) ctype name;
#include "core/types.def"
} stream_value;

/* waiting[k] is the value of 2^k pieces that waits for its neighbour, where bit k of `done` is set. */
typedef struct fold {
    weft_context *ctx;
    weft_op join;
    weft_dtype dtype; /* of the values */
    uint64_t done;
    stream_value waiting[64];
} fold;

/* Takes the next piece's value. */
weft_status fold_add(fold *f, const stream_value *value);
/* The value of all pieces, of which there is at least one. */
weft_status fold_end(const fold *f, stream_value *out);

/* Joins b, which stands behind a, to a. */
weft_status fold_join(const fold *f, stream_value *a, const stream_value *b);

#endif
