/* Blocks of host memory of a few sizes, which are freed together. */
#ifndef WEFT_STREAM_BLOCKS_H
#define WEFT_STREAM_BLOCKS_H

#include <stddef.h>

enum { BLOCKS_KINDS = 4 };

/* A block of kind k has `unit` * 4^k bytes. The caller sets `unit`, a multiple of 8. */
typedef struct blocks {
    size_t unit;
    char *next; /* rest of the newest chunk, of `left` bytes */
    size_t left;
    void *chunks, *unused[BLOCKS_KINDS]; /* lists of chunks of many blocks, and of returned blocks */
} blocks;

static inline size_t blocks_bytes(const blocks *b, int kind) { return b->unit << 2 * kind; }

/* Returns a block, aligned to 8 bytes; NULL if there is no memory. */
void *blocks_take(blocks *b, int kind);
/* Returns a block for later use by blocks_take. */
void blocks_return(blocks *b, int kind, void *block);
void blocks_close(blocks *b);

#endif
