/* Allocator of a context (weft_set_allocator) and the blocks that it has returned. Header only, so that a plugin
 * needs no symbol of the library. */
#ifndef WEFT_CORE_ALLOCATOR_H
#define WEFT_CORE_ALLOCATOR_H

#include "core/error.h"

#include <stdbool.h>
#include <stdlib.h>

typedef struct heap_block {
    void *p;
    size_t bytes;
    weft_memory memory;
    bool lent; /* a block of weft_alloc; else scratch memory of the context */
} heap_block;

typedef struct weft_heap {
    weft_allocator allocator; /* allocate == NULL: the default allocator of the backend */
    heap_block *blocks;       /* blocks of `allocator` that have not been released */
    size_t count, capacity;
} weft_heap;

static inline bool heap_is_default(const weft_heap *h) { return !h->allocator.allocate; }

/* Returns the block that starts at p, or NULL if p is not memory of the caller's allocator. Searches the newest block
 * first. */
static inline heap_block *heap_find(const weft_heap *h, const void *p) {
    for (size_t i = h->count; i > 0; i--)
        if (h->blocks[i - 1].p == p) return &h->blocks[i - 1];
    return NULL;
}

/* Makes space for one more block in the list. */
static inline weft_status heap_reserve(weft_heap *h, weft_error *error) {
    if (h->count < h->capacity) return WEFT_OK;
    const size_t capacity = h->capacity ? 2 * h->capacity : 16;
    heap_block *const blocks = (heap_block *)realloc(h->blocks, capacity * sizeof *blocks);
    RETURN_IF(!blocks, WEFT_OUT_OF_MEMORY, "cannot allocate %zu bytes of host memory", capacity * sizeof *blocks);
    h->blocks = blocks;
    h->capacity = capacity;
    return WEFT_OK;
}

/* Allocates a block from the caller's allocator. On failure *p is NULL. */
static inline weft_status heap_allocate(weft_heap *h, weft_memory memory, size_t bytes, size_t alignment,
                                        void *stream, void **p, weft_error *error) {
    const weft_allocator *const a = &h->allocator;
    *p = NULL;
    RETURN_IF_ERROR(heap_reserve(h, error));
    void *const block = a->allocate(a->user, memory, bytes, alignment, stream);
    RETURN_IF(!block, WEFT_OUT_OF_MEMORY, "the allocator of the context returned NULL for %zu bytes", bytes);
    const bool aligned = (uintptr_t)block % alignment == 0;
    if (!aligned) a->release(a->user, memory, block, bytes, stream);
    RETURN_IF(!aligned, WEFT_INVALID, "the allocator of the context returned %p: expected a multiple of %zu", block,
              alignment);
    const heap_block added = {block, bytes, memory, false};
    h->blocks[h->count++] = added;
    *p = block;
    return WEFT_OK;
}

/* Returns a block to the caller's allocator. */
static inline void heap_release(weft_heap *h, heap_block *block, void *stream) {
    const heap_block released = *block;
    *block = h->blocks[--h->count];
    h->allocator.release(h->allocator.user, released.memory, released.p, released.bytes, stream);
}

/* Marks the block at p, if it is one, as a block of weft_alloc. */
static inline void heap_lend(weft_heap *h, const void *p) {
    heap_block *const block = heap_find(h, p);
    if (block) block->lent = true;
}

/* Returns the number of blocks of weft_alloc. */
static inline size_t heap_lent(const weft_heap *h) {
    size_t lent = 0;
    for (size_t i = 0; i < h->count; i++) lent += h->blocks[i].lent;
    return lent;
}

/* Returns all blocks. All work that uses them must be complete. */
static inline void heap_release_all(weft_heap *h, void *stream) {
    while (h->count > 0) heap_release(h, &h->blocks[h->count - 1], stream);
}

/* Allocates and frees host memory, from the caller's allocator or the C library's. */
static inline weft_status heap_allocate_host(weft_heap *h, weft_memory memory, size_t bytes, size_t alignment,
                                             void **p, weft_error *error) {
    if (!heap_is_default(h)) return heap_allocate(h, memory, bytes, alignment, NULL, p, error);
    *p = NULL;
    RETURN_IF(posix_memalign(p, alignment, bytes) != 0 || !*p, WEFT_OUT_OF_MEMORY,
              "cannot allocate %zu bytes of host memory", bytes);
    return WEFT_OK;
}

static inline void heap_free_host(weft_heap *h, void *p) {
    heap_block *const block = p ? heap_find(h, p) : NULL;
    if (block)
        heap_release(h, block, NULL);
    else
        free(p);
}

#endif
