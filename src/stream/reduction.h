/* The tree of ORDER.md 2 over the chunks of an array. A chunk has a power of two of tiles, so its value is a node of
 * the tree. The nodes above are computed here. Two values are combined by the library's own reduction of two
 * elements: a + b for a sum, the lesser of a and b for a minimum, and so on. */
#ifndef WEFT_STREAM_REDUCTION_H
#define WEFT_STREAM_REDUCTION_H

#include "core/context.h"

/* A value of any type. */
typedef union stream_value {
#define TYPE(ID, name, ctype, kind, npy) ctype name;
#include "core/types.def"
} stream_value;

/* If bit k of `done` is set, waiting[k] is the value of 2^k chunks that is still to be combined with that of the
 * next 2^k chunks. */
typedef struct reduction {
    weft_context *ctx;
    weft_op combine;
    weft_dtype dtype; /* dtype of the values */
    uint64_t done;
    stream_value waiting[64];
} reduction;

/* Adds the value of the next chunk. */
weft_status reduction_add(reduction *f, const stream_value *value);
/* Returns the value of all chunks in *out. At least one chunk must have been added. */
weft_status reduction_end(const reduction *f, stream_value *out);

/* Combines a and b, in this order, into a. */
weft_status reduction_combine(const reduction *f, stream_value *a, const stream_value *b);

#endif
