/* Blocks that a multiprocessor should hold at a time, for launch bounds: at most what it can. sm_75 can hold 1024
 * threads, later ones at least 1536. */
#ifndef WEFT_CUDA_RESIDENT_H
#define WEFT_CUDA_RESIDENT_H

#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 800
#define RESIDENT_BLOCKS(blocks, threads) ((blocks) * (threads) <= 1024 ? (blocks) : 1024 / (threads))
#else
#define RESIDENT_BLOCKS(blocks, threads) (blocks)
#endif

#endif
