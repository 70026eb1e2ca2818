/* A chunk of memory is divided into blocks from its start. Returned blocks are kept in a list for each kind. */
#include "stream/lane_blocks.h"

#include <stdlib.h>
#include <string.h>

/* The first bytes of a chunk, and of a returned block, are the address of the next one in its list. */
enum { CHUNK_BYTES = 1 << 20, LINK_BYTES = 64 };

static void push(void **list, void *p) {
    memcpy(p, list, sizeof *list);
    *list = p;
}

static void *pop(void **list) {
    void *const p = *list;
    if (p) memcpy(list, p, sizeof *list);
    return p;
}

void *lane_blocks_take(lane_blocks *b, int kind) {
    const size_t bytes = lane_blocks_bytes(b, kind);
    void *const unused = pop(&b->unused[kind]);
    if (unused) return unused;
    if (bytes > b->left) {
        const size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        char *const chunk = malloc(LINK_BYTES + size);
        if (!chunk) return NULL;
        push(&b->chunks, chunk);
        b->next = chunk + LINK_BYTES;
        b->left = size;
    }
    char *const block = b->next;
    b->next += bytes;
    b->left -= bytes;
    return block;
}

void lane_blocks_return(lane_blocks *b, int kind, void *block) { push(&b->unused[kind], block); }

void lane_blocks_close(lane_blocks *b) {
    for (void *chunk; (chunk = pop(&b->chunks));) free(chunk);
}
