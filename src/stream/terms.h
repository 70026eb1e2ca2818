/* The operand of a reduction or a scan: the elements of a source, or the values of a formula over several
 * sources. */
#ifndef WEFT_STREAM_TERMS_H
#define WEFT_STREAM_TERMS_H

#include "core/order.h"
#include "stream/chunks.h"

typedef struct terms terms;
struct terms {
    weft_context *ctx;
    weft_dtype dtype; /* dtype of the elements that are reduced or scanned */
    int count;
    const weft_source *sources[CHUNKS_SOURCES];
    const char *names[CHUNKS_SOURCES];
    /* Reduces one chunk, as weft_reduce does; as part_sum does if `squares` is not NULL. */
    weft_status (*reduce)(const terms *t, const chunks *p, weft_op op, weft_dtype accumulate, const double *squares,
                          void *out);
    /* Computes the state of the exact sum of one chunk (part_exact). */
    weft_status (*exact)(const terms *t, const chunks *p, exact_terms kind, int64_t *state);
    /* Reduces an array without elements. */
    weft_status (*reduce_none)(const terms *t, weft_op op, weft_dtype accumulate, void *out);
    /* Scans one chunk, as weft_scan does. */
    weft_status (*scan)(const terms *t, const chunks *p, weft_op op, weft_scan_kind kind, weft_dtype accumulate,
                        const void *init, void *y);
    const struct formula *formula; /* used by src/stream/map.c only */
};

/* Reduces the terms to one value at `out`, as weft_reduce does. The sources must have been checked. */
weft_status terms_reduce(const terms *t, weft_op op, weft_dtype accumulate, void *out);

/* Scans the terms to the sink, as weft_scan does. `what` is the call's name in messages. The sources must have been
 * checked. */
weft_status terms_scan(const terms *t, const char *what, weft_op op, weft_scan_kind kind, weft_dtype accumulate,
                       const void *init, const weft_sink *sink);

/* Sets *elements to the size of a chunk of a reduction, a power of two of tiles. */
weft_status terms_elements(const terms *t, size_t *elements);
/* Rewinds all sources to their first elements. `why` completes the error message. */
weft_status terms_rewind(const terms *t, const char *why);

#endif
