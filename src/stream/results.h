/* The results of pieces on their way to a sink. A GPU copies those of a piece while it computes the next one's. */
#ifndef WEFT_STREAM_RESULTS_H
#define WEFT_STREAM_RESULTS_H

#include "stream/transfer.h"

/* The results of one piece. */
typedef struct result {
    char *at;   /* where they are computed, in memory of the context's device */
    char *host; /* where the sink finds them; == at where that is the host's */
    size_t bytes;
    bool replaced; /* the last one is to be `last` */
    uint64_t last;
    transfer copy;
} result;

typedef struct results {
    weft_context *ctx;
    const weft_sink *sink;
    size_t size, room;       /* bytes of a result, and of a piece's */
    bool direct;             /* a GPU copies to the sink's memory by itself, and `host` is there */
    unsigned given, written; /* pieces */
    result pieces[TRANSFER_RESULTS];
} results;

/* Room for `elements` of a type in each piece. results_close is due in any case. */
weft_status results_open(results *r, weft_context *ctx, const weft_sink *sink, weft_dtype dtype, size_t elements);
/* Where the next piece's results are to be computed. */
void *results_room(const results *r);
/* They are there, n of them, the last of which is *last where that is not NULL. */
weft_status results_give(results *r, size_t n, const uint64_t *last);
/* The sink has got them all. */
weft_status results_end(results *r);
void results_close(results *r);

#endif
