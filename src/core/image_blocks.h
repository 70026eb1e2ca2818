/* Two-dimensional convolutions by transforms of blocks (ORDER.md 15.6). */
#ifndef WEFT_CORE_IMAGE_BLOCKS_H
#define WEFT_CORE_IMAGE_BLOCKS_H

#include "core/context.h"

/* The blocks of a call, and the parts of its scratch memory. Pairs are numbers of rows and of columns. */
typedef struct convolve2d_blocks {
    size_t size[2], step[2]; /* B and S of ORDER.md 15.6 */
    size_t count[2];         /* blocks that contain requested values; the first ones of an array */
    size_t group[2];         /* most blocks of an array that are transformed at a time */
    size_t matrices;         /* most arrays whose blocks are transformed at a time */
    size_t numbers;          /* complex numbers of the transform of a block */
    size_t values_at, numbers_at, window_at, bytes; /* offsets in the scratch memory, and its size */
} convolve2d_blocks;

/* Divides a call into blocks. */
convolve2d_blocks convolve2d_plan(const weft_context *ctx, const convolve2d_call *c);

/* Computes a call by transforms. scratch: b->bytes bytes, aligned to 256. x and h are read several times. */
weft_status convolve2d_by_transform(weft_context *ctx, const convolve2d_call *c, const convolve2d_blocks *b,
                                    char *scratch, weft_error *error);

#endif
