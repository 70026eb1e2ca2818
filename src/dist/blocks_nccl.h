/* Moves blocks from GPU to GPU by NCCL. NCCL is called by a plugin of libweft_dist, libweft_nccl.so, which is built
 * if NCCL is found. So libweft_dist requires neither NCCL nor CUDA. */
#ifndef WEFT_DIST_BLOCKS_NCCL_H
#define WEFT_DIST_BLOCKS_NCCL_H

#include "dist/dist.h"

enum { GPU_NAME_BYTES = 16, NCCL_ID_BYTES = 128 };

/* One message between this rank and another. `at` is an address on this rank's GPU. */
typedef struct block_message {
    int rank;
    bool receives;
    char *at;
    size_t bytes;
} block_message;

/* Functions of the plugin. If one fails, *error contains the error message. */
typedef struct nccl_plugin {
    /* Returns the unique name (UUID) of the GPU. */
    weft_status (*name_gpu)(int device, unsigned char name[GPU_NAME_BYTES], weft_error *error);
    weft_status (*make_id)(unsigned char id[NCCL_ID_BYTES], weft_error *error); /* called on rank 0 only */
    weft_status (*combine)(int device, const unsigned char id[NCCL_ID_BYTES], int rank, int size, void **comm,
                           weft_error *error);
    /* start sends and receives all blocks of the list, concurrently with other work of the GPU. wait waits until
     * they are complete. */
    weft_status (*start)(void *comm, const block_message *list, size_t count, weft_error *error);
    weft_status (*wait)(void *comm, weft_error *error);
    void (*leave)(void *comm);
} nccl_plugin;

#define NCCL_PLUGIN_ENTRY "weft_nccl_plugin_2" /* the number is raised with every change of this interface */
typedef const nccl_plugin *(*nccl_plugin_entry)(void);

/* Sets d->blocks on all ranks, or on none if a rank has no plugin or two ranks share a GPU. Every rank's context
 * must be a GPU's. */
weft_status blocks_open(weft_dist *d);
/* Implement dist_begin_move and dist_end_move for GPU memory. */
weft_status blocks_begin(weft_dist *d, const void *from, void *to);
weft_status blocks_end(weft_dist *d);
void blocks_close(weft_dist *d);

#endif
