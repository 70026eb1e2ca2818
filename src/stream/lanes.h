/* The tree of ORDER.md 2 for many targets, whose elements arrive one row at a time in any order of the targets. Each
 * target has the lanes of its current tile, and the nodes above its complete tiles. Host memory only. */
#ifndef WEFT_STREAM_LANES_H
#define WEFT_STREAM_LANES_H

#include "core/context.h"
#include "stream/lane_blocks.h"

enum { LANES_LEVELS = 64 };

typedef struct lanes_target {
    uint64_t n; /* rows so far */
    char *rows; /* lanes of the current tile, of `columns` values each; NULL: no rows yet */
} lanes_target;

/* The caller sets the first five members. A is the type of the lanes: f32 if `result` is f32 and the operator is not
 * the mean, else f64. */
typedef struct lanes {
    weft_op op; /* sum, prod or mean */
    weft_dtype dtype, result;
    size_t m, columns;        /* targets, and elements of a row */
    bool narrow;              /* A is f32 */
    size_t size, width, tile; /* bytes of an A, lanes of a tile, elements of a tile */
    lanes_target *targets;
    lane_blocks blocks;          /* memory of the lanes: a block of kind k has width / 64 * 4^k lanes */
    char *waiting[LANES_LEVELS]; /* level k: `columns` values of each target, the node of 2^k tiles that is still to
                                  * be combined with the next 2^k tiles. NULL: no target has one */
} lanes;

/* Allocates the state. The caller must call lanes_close even after a failure. */
weft_status lanes_open(lanes *s, weft_error *error);
void lanes_close(lanes *s);

/* Adds n rows of `columns` elements at x. Ignores rows whose index is out of range. */
weft_status lanes_add(lanes *s, weft_dtype index_dtype, size_t n, const void *index, const void *x,
                      weft_error *error);

/* Writes the results, as weft_scatter_reduce does with init, which may be NULL or out. Must be the last call before
 * lanes_close. */
void lanes_results(lanes *s, const void *init, void *out);

#endif
