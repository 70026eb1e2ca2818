/* One stage of weft_tridiag on consecutive rows of one system, for libweft_dist: the other rows are on other
 * ranks. */
#ifndef WEFT_CORE_TRIDIAG_PART_H
#define WEFT_CORE_TRIDIAG_PART_H

#include <stdbool.h>
#include <stdint.h>

/* Stages of the solution of one level of a system (ORDER.md 16.2). */
typedef enum tridiag_stage {
    TRIDIAG_REDUCE, /* whole chunks: compute the separators; the last one is not combined with the next chunk */
    TRIDIAG_EXPAND, /* whole chunks: compute x from the x of the separators */
    TRIDIAG_LEVEL   /* all rows of the level: compute x; the only stage that allows a periodic system */
} tridiag_stage;

/* Arguments in addition to those of weft_tridiag, for one system whose lines have step 0 or 1. */
typedef struct tridiag_part {
    tridiag_stage stage;
    bool begins, ends; /* begins: a of the first row is taken as +0; ends: c of the last row is taken as +0 */
    uint64_t first;    /* number of the first row of this part, among the rows of the level */
    uint64_t scale;    /* rows of the whole system per row of this level */
    uint64_t whole;    /* number of rows of the whole system */
    /* a, b, c, d of the separators, one value per chunk. TRIDIAG_EXPAND: separators[3] contains their x. */
    void *separators[4];
    void *head;         /* TRIDIAG_REDUCE, in host memory: l, c, d of the first row, in terms of the separators */
    const void *before; /* TRIDIAG_EXPAND, in host memory: x of the separator before the rows */
    /* In host memory: the first row of the whole system found to have lost its pivot; or `whole` + the first row
     * whose x is not finite; or UINT64_MAX. The pivots of a chunk are checked when it is reduced or when it is
     * expanded. */
    uint64_t *fault;
} tridiag_part;

#endif
