/* What a reduction or a scan goes over: the elements of a source, or a formula's values over several. */
#ifndef WEFT_STREAM_TERMS_H
#define WEFT_STREAM_TERMS_H

#include "core/order.h"
#include "stream/pieces.h"

typedef struct terms terms;
struct terms {
    weft_context *ctx;
    weft_dtype dtype; /* of the elements that are reduced or scanned */
    int count;
    const weft_source *sources[PIECES_SOURCES];
    const char *names[PIECES_SOURCES];
    /* One piece: as weft_reduce; or with `part` not NULL as part_sum. */
    weft_status (*reduce)(const terms *t, const pieces *p, weft_op op, weft_dtype accumulate, const double *part,
                          void *out);
    /* Of no elements at all. */
    weft_status (*reduce_none)(const terms *t, weft_op op, weft_dtype accumulate, void *out);
    /* One piece: as weft_scan. */
    weft_status (*scan)(const terms *t, const pieces *p, weft_op op, weft_scan_kind kind, weft_dtype accumulate,
                        const void *init, void *y);
    const struct formula *formula; /* of a formula's values: src/stream/map.c */
};

/* Reduces them to one value at out, as weft_reduce does. The sources have been checked. */
weft_status terms_reduce(const terms *t, weft_op op, weft_dtype accumulate, void *out);

/* Scans them to the sink, as weft_scan does; `what` is the call's name in messages. The sources have been checked. */
weft_status terms_scan(const terms *t, const char *what, weft_op op, weft_scan_kind kind, weft_dtype accumulate,
                       const void *init, const weft_sink *sink);

/* Room for the pieces of a reduction: elements of them, a power of two of tiles. */
weft_status terms_elements(const terms *t, size_t *elements);
/* Back to the first elements. */
weft_status terms_rewind(const terms *t, const char *why);

#endif
