/* Data exchange between ranks. Small data moves from host memory to host memory by the transport. Blocks move
 * between the memory of the ranks' devices by NCCL, or staged in host memory. Each rank computes in advance how many
 * bytes it receives from every other rank, so no message is unexpected. */
#include "dist/blocks_nccl.h"
#include "dist/dist.h"

#include <limits.h>
#include <string.h>

weft_status dist_gather_parts(weft_dist *d, const void *own, void *all, const char *doing) {
    weft_error *error = &d->error;
    int offset = 0;
    for (int r = 0; r < d->size; r++) {
        RETURN_IF(d->counts[r] > INT_MAX - offset, WEFT_UNSUPPORTED, "the data of %d ranks exceeds 2^31 - 1 bytes",
                  d->size);
        d->offsets[r] = offset;
        offset += d->counts[r];
    }
    return d->line.gather(d, own, all, d->counts, d->offsets, doing);
}

weft_status dist_gather(weft_dist *d, const void *own, void *all, size_t bytes, const char *doing) {
    for (int r = 0; r < d->size; r++) d->counts[r] = (int)bytes;
    return dist_gather_parts(d, own, all, doing);
}

/* ----------------------------------------------------------------------------------- memory */

weft_status dist_copy(weft_dist *d, size_t bytes, const void *from, void *to) {
    if (bytes == 0 || from == to) return WEFT_OK;
    RETURN_IF_ERROR(dist_took(d, weft_copy(d->ctx, bytes, from, to)));
    return d->gpus ? dist_took(d, weft_synchronize(d->ctx)) : WEFT_OK;
}

static weft_status grow(weft_dist *d, weft_memory memory, workspace *r, size_t bytes) {
    void *p = NULL;
    if (bytes == 0) bytes = 1; /* so that a pointer into the buffer is never NULL */
    if (bytes <= r->bytes) return WEFT_OK;
    RETURN_IF_ERROR(dist_took(d, weft_free(d->ctx, memory, r->at)));
    *r = (workspace){NULL, 0};
    RETURN_IF_ERROR(dist_took(d, weft_alloc(d->ctx, memory, bytes, &p)));
    *r = (workspace){p, bytes};
    return WEFT_OK;
}

weft_status dist_workspace(weft_dist *d, size_t number, size_t bytes, char **at) {
    RETURN_IF_ERROR(grow(d, WEFT_DEVICE, &d->workspaces[number], bytes));
    *at = d->workspaces[number].at;
    return WEFT_OK;
}

weft_status dist_host_workspace(weft_dist *d, size_t bytes, const char **at) {
    RETURN_IF_ERROR(grow(d, WEFT_PINNED, &d->near, bytes));
    *at = d->near.at;
    return WEFT_OK;
}

/* ----------------------------------------------------------------------------------- moving */

static size_t bytes_of(extent e) { return (size_t)(e.end - e.first); }

/* Packs the data that leaves this rank consecutively into host memory, and sets d->out to the ranges in it. */
static weft_status pack(weft_dist *d, const char *from) {
    size_t offset = 0;
    for (int r = 0; r < d->size; r++) offset += bytes_of(d->out[r]);
    RETURN_IF_ERROR(grow(d, WEFT_PINNED, &d->near, offset));
    offset = 0;
    for (int r = 0; r < d->size; r++) {
        const size_t bytes = bytes_of(d->out[r]);
        if (bytes)
            RETURN_IF_ERROR(dist_took(d, weft_copy(d->ctx, bytes, from + d->out[r].first, d->near.at + offset)));
        d->out[r] = (extent){offset, offset + bytes};
        offset += bytes;
    }
    return WEFT_OK;
}

/* Provides host memory for the received data, d->far. It has the layout of `to` from byte *first on, the first byte
 * of `to` that is received. */
static weft_status hold_far(weft_dist *d, uint64_t *first) {
    uint64_t end = 0;
    *first = UINT64_MAX;
    for (int r = 0; r < d->size; r++) {
        if (bytes_of(d->in[r]) == 0) continue;
        if (d->in[r].first < *first) *first = d->in[r].first;
        if (d->in[r].end > end) end = d->in[r].end;
    }
    return grow(d, WEFT_PINNED, &d->far, end ? (size_t)(end - *first) : 0);
}

static weft_status unpack(weft_dist *d) {
    for (int r = 0; r < d->size; r++) {
        const extent in = d->in[r];
        RETURN_IF_ERROR(dist_copy(d, bytes_of(in), d->far.at + in.first, d->moving + in.first));
    }
    return WEFT_OK;
}

static weft_status begin_staged(weft_dist *d, const void *from, char *to) {
    uint64_t first;
    weft_status status = hold_far(d, &first);
    if (status == WEFT_OK) status = pack(d, from);
    RETURN_IF_ERROR(dist_agree(d, status));
    for (int r = 0; r < d->size; r++)
        if (bytes_of(d->in[r])) {
            d->in[r] = (extent){d->in[r].first - first, d->in[r].end - first};
            d->moving = to + first;
        }
    return d->line.begin_move(d, d->near.at, d->far.at);
}

/* Starts a move. All ranks choose the same method: all ranks have NCCL or none has, and if one rank has a GPU then
 * all stage. */
weft_status dist_begin_move(weft_dist *d, const void *from, void *to) {
    if (d->blocks) return dist_agree(d, blocks_begin(d, from, to));
    return d->gpus ? begin_staged(d, from, to) : d->line.begin_move(d, from, to);
}

weft_status dist_end_move(weft_dist *d) {
    if (d->blocks) return dist_agree(d, blocks_end(d));
    RETURN_IF_ERROR(d->line.end_move(d));
    return d->gpus ? dist_agree(d, unpack(d)) : WEFT_OK;
}

weft_status dist_move(weft_dist *d, const void *from, void *to) {
    RETURN_IF_ERROR(dist_begin_move(d, from, to));
    return dist_end_move(d);
}

/* ---------------------------------------------------------------------------------- fetching */

/* Returns the part of `wish` that is in the slice of `rank`, in bytes counted from element `origin`. */
static extent overlap(const weft_dist *d, int rank, extent wish, uint64_t origin, size_t size) {
    const uint64_t begin = d->begin[rank], stop = d->begin[rank + 1];
    const uint64_t first = begin > wish.first ? begin : wish.first, end = stop < wish.end ? stop : wish.end;
    if (first >= end) return (extent){0, 0};
    return (extent){(first - origin) * size, (end - origin) * size};
}

void dist_wish(weft_dist *d, size_t size, wanted *extent_of) {
    const extent wish = extent_of(d, d->rank, size);
    for (int r = 0; r < d->size; r++) {
        d->in[r] = overlap(d, r, wish, wish.first, size);
        d->out[r] = overlap(d, d->rank, extent_of(d, r, size), dist_first(d), size);
    }
}

weft_status dist_fetch(weft_dist *d, size_t size, wanted *extent_of, const void *from, void *to) {
    dist_wish(d, size, extent_of);
    if (d->gpus) RETURN_IF_ERROR(dist_agree(d, pack(d, from)));
    RETURN_IF_ERROR(d->line.begin_move(d, d->gpus ? d->near.at : from, to));
    return d->line.end_move(d);
}
