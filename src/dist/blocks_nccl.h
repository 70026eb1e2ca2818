/* Blocks that go from GPU to GPU by NCCL, which a plugin of libweft_dist's own brings: libweft_nccl.so, there when
 * NCCL was found where weft was built. So libweft_dist needs neither NCCL nor CUDA. */
#ifndef WEFT_DIST_BLOCKS_NCCL_H
#define WEFT_DIST_BLOCKS_NCCL_H

#include "dist/dist.h"

enum { GPU_NAME_BYTES = 16, NCCL_ID_BYTES = 128 };

/* One message between this rank and another: `bytes` from or to an address of this rank's GPU. */
typedef struct block_message {
    int rank;
    bool receives;
    char *at;
    size_t bytes;
} block_message;

/* What the plugin gives. A failure leaves its sentence in *error. */
typedef struct nccl_plugin {
    /* The GPU's own name, which no other has. */
    weft_status (*name_gpu)(int device, unsigned char name[GPU_NAME_BYTES], weft_error *error);
    weft_status (*make_id)(unsigned char id[NCCL_ID_BYTES], weft_error *error); /* on rank 0 */
    weft_status (*join)(int device, const unsigned char id[NCCL_ID_BYTES], int rank, int size, void **comm,
                        weft_error *error);
    /* Sends and receives all at once, beside whatever the GPU does; wait, until it is done. */
    weft_status (*start)(void *comm, const block_message *list, size_t count, weft_error *error);
    weft_status (*wait)(void *comm, weft_error *error);
    void (*leave)(void *comm);
} nccl_plugin;

#define NCCL_PLUGIN_ENTRY "weft_nccl_plugin_2" /* the number rises with every change here */
typedef const nccl_plugin *(*nccl_plugin_entry)(void);

/* Every rank's context is of a GPU: sets d->blocks on all ranks, or on none where a rank has no plugin or shares its
 * GPU. */
weft_status blocks_open(weft_dist *d);
/* dist_begin_move and dist_end_move, of memory of GPUs. */
weft_status blocks_begin(weft_dist *d, const void *from, void *to);
weft_status blocks_end(weft_dist *d);
void blocks_close(weft_dist *d);

#endif
