/* Writes the results of chunks to a sink. A GPU copies the results of a chunk while it computes those of the
 * next. */
#ifndef WEFT_STREAM_RESULTS_H
#define WEFT_STREAM_RESULTS_H

#include "stream/transfer.h"

/* The results of one chunk. */
typedef struct result {
    char *at;   /* results in memory of the context's device */
    char *host; /* results in host memory, to be written to the sink; == at if `at` is host memory */
    size_t bytes;
    bool replaced; /* the last result is to be replaced by `last` */
    uint64_t last;
    transfer copy;
} result;

typedef struct results {
    weft_context *ctx;
    const weft_sink *sink;
    size_t size, capacity;   /* bytes of a result, and of the results of a chunk */
    bool direct;             /* the GPU copies to the sink's memory directly, and `host` is an address in it */
    unsigned given, written; /* number of chunks given to results_give, and written to the sink */
    result chunks[TRANSFER_RESULTS];
} results;

/* Allocates memory for `elements` results of type `dtype` per chunk. The caller must call results_close even after a
 * failure. */
weft_status results_open(results *r, weft_context *ctx, const weft_sink *sink, weft_dtype dtype, size_t elements);
/* Returns the address at which the results of the next chunk are to be computed. */
void *results_capacity(const results *r);
/* Passes on the n results of a chunk computed there. If `last` is not NULL, the last result is replaced by *last. */
weft_status results_give(results *r, size_t n, const uint64_t *last);
/* Waits until the sink has received all results. */
weft_status results_end(results *r);
void results_close(results *r);

#endif
