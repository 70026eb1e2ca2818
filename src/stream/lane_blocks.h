/* Blocks of host memory of a few sizes, which are freed together. */
#ifndef WEFT_STREAM_LANE_BLOCKS_H
#define WEFT_STREAM_LANE_BLOCKS_H

#include <stddef.h>

enum { LANE_BLOCKS_KINDS = 4 };

/* A block of kind k has `unit` * 4^k bytes. The caller sets `unit`, a multiple of 8. */
typedef struct lane_blocks {
    size_t unit;
    char *next; /* rest of the newest chunk, of `left` bytes */
    size_t left;
    void *chunks, *unused[LANE_BLOCKS_KINDS]; /* lists of chunks of many blocks, and of returned blocks */
} lane_blocks;

static inline size_t lane_blocks_bytes(const lane_blocks *b, int kind) { return b->unit << 2 * kind; }

/* Returns a block, aligned to 8 bytes; NULL if there is no memory. */
void *lane_blocks_take(lane_blocks *b, int kind);
/* Returns a block for later use by lane_blocks_take. */
void lane_blocks_return(lane_blocks *b, int kind, void *block);
void lane_blocks_close(lane_blocks *b);

#endif
