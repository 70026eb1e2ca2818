/* A stage of weft_tridiag on some rows of one system, the others being elsewhere: what libweft_dist asks of backends.
 */
#ifndef WEFT_CORE_TRIDIAG_PART_H
#define WEFT_CORE_TRIDIAG_PART_H

#include <stdbool.h>
#include <stdint.h>

/* What is wanted of consecutive rows of a system, at one of its levels (ORDER.md 16.2). */
typedef enum tridiag_stage {
    TRIDIAG_REDUCE, /* of whole chunks: the separators, but that the last is not joined with the next chunk */
    TRIDIAG_EXPAND, /* of whole chunks: x, from that of the separators */
    TRIDIAG_LEVEL   /* of all rows of the level, which alone may be periodic: x */
} tridiag_stage;

/* Beside weft_tridiag's own arguments, of one system; its lines have distances 0 or 1. */
typedef struct tridiag_part {
    tridiag_stage stage;
    bool begins, ends;   /* whether a of the first row, and c of the last, are +0 */
    uint64_t first;      /* of the level's rows, the first at hand */
    uint64_t scale;      /* rows of the whole system that a row stands for */
    uint64_t whole;      /* all of these */
    void *separators[4]; /* a, b, c, d, a value for each chunk; to expand: their x in the last */
    void *head;          /* reduced, in host memory: l, c, d of the first row, in terms of separators */
    const void *before;  /* to expand, in host memory: x of the separator before the rows */
    uint64_t *fault;     /* in host memory: the first row of the whole system that was seen to lose its pivot; or
                            `whole` + the first whose x is not finite; or UINT64_MAX. The pivots of a chunk are
                            looked at when it is reduced or when it is expanded */
} tridiag_part;

#endif
