/* Parts of a weft_dist that do not depend on the transport; slices. */
#include "dist/blocks_nccl.h"
#include "dist/dist.h"

#include <stdlib.h>
#include <string.h>

weft_error *dist_thread_error(void) {
    static _Thread_local weft_error error;
    return &error;
}

/* ------------------------------------------------------------------------------ opening */

/* Allocates the memory that calls require for each rank, so that no later call fails for lack of it. */
static bool hold_workspace(weft_dist *d) {
    const size_t ranks = (size_t)d->size;
    d->records = calloc(ranks, sizeof *d->records);
    d->begin = calloc(ranks + 1, sizeof *d->begin);
    d->in = calloc(ranks, sizeof *d->in);
    d->out = calloc(ranks, sizeof *d->out);
    d->statuses = calloc(ranks, sizeof *d->statuses);
    d->counts = calloc(ranks, sizeof *d->counts);
    d->offsets = calloc(ranks, sizeof *d->offsets);
    d->roots = calloc(ranks * ROOTS_MAX * ROOT_VALUES, sizeof *d->roots);
    return d->records && d->begin && d->in && d->out && d->statuses && d->counts && d->offsets && d->roots;
}

static bool is_gpu(const weft_context *ctx) { return strncmp(weft_device(ctx), "cuda", 4) == 0; }

static weft_status hold_contexts(weft_dist *d, weft_context *ctx) {
    weft_error *error = &d->error;
    RETURN_IF(!ctx, WEFT_INVALID, "ctx is NULL");
    d->ctx = d->host = ctx;
    if (!is_gpu(ctx)) return WEFT_OK;
    d->host = NULL;
    const weft_status status = weft_open(&d->host, "cpu");
    RETURN_IF(status != WEFT_OK, status, "%s", weft_last_error(NULL));
    return dist_took_host(d, weft_set_threads(d->host, 1));
}

/* Sets d->gpus on all ranks to true if any rank has a GPU. */
static weft_status find_gpus(weft_dist *d) {
    const uint64_t own = is_gpu(d->ctx);
    uint64_t all = 0;
    RETURN_IF_ERROR(d->line.add(d, &own, &all, 1, "looking for GPUs"));
    d->gpus = all > 0;
    return all == (uint64_t)d->size && d->size > 1 ? blocks_open(d) : WEFT_OK;
}

/* Opens `d`. The transport requires the memory of hold_workspace, so allocation failures are exchanged first. */
weft_status dist_open(weft_dist *d, weft_context *ctx) {
    weft_error *error = &d->error;
    const bool held = hold_workspace(d);
    const uint64_t fine = held;
    uint64_t all_fine = 0;
    RETURN_IF_ERROR(d->line.add(d, &fine, &all_fine, 1, "opening"));
    RETURN_IF(all_fine != (uint64_t)d->size, WEFT_OUT_OF_MEMORY,
              "a rank cannot allocate memory for the data of the other ranks");
    RETURN_IF_ERROR(dist_agree(d, hold_contexts(d, ctx)));
    return find_gpus(d);
}

static void release_workspace(weft_dist *d, weft_memory memory, const workspace *r) {
    if (d->ctx) (void)weft_free(d->ctx, memory, r->at);
}

void dist_release(weft_dist *d) {
    blocks_close(d);
    if (d->line.close) d->line.close(d);
    for (size_t i = 0; i < WORKSPACES; i++) release_workspace(d, WEFT_DEVICE, &d->workspaces[i]);
    release_workspace(d, WEFT_PINNED, &d->near);
    release_workspace(d, WEFT_PINNED, &d->far);
    if (d->host != d->ctx) weft_close(d->host);
    free(d->records);
    free(d->begin);
    free(d->in);
    free(d->out);
    free(d->statuses);
    free(d->counts);
    free(d->offsets);
    free(d->roots);
    free(d);
}

void weft_dist_close(weft_dist *d) {
    if (d) dist_release(d);
}

int weft_dist_rank(const weft_dist *d) { return d ? d->rank : 0; }
int weft_dist_size(const weft_dist *d) { return d ? d->size : 0; }

const char *weft_dist_blocks(const weft_dist *d) {
    if (!d) return "";
    return d->blocks ? "by NCCL" : d->gpus ? "through host memory" : "within host memory";
}

const char *weft_dist_last_error(const weft_dist *d) { return d ? d->error.message : dist_thread_error()->message; }

/* ------------------------------------------------------------------------------- slices */

weft_slice weft_slice_of(size_t count) { return (weft_slice){count, WEFT_NOT_GIVEN, WEFT_NOT_GIVEN}; }

weft_slice weft_slice_share(uint64_t total, int parts, int which) {
    const uint64_t all = parts > 0 ? (uint64_t)parts : 1, part = (uint64_t)which, more = total % all;
    const uint64_t offset = total / all * part + (part < more ? part : more);
    return (weft_slice){(size_t)(total / all + (part < more)), offset, total};
}

weft_slice weft_dist_share(const weft_dist *d, uint64_t total) { return weft_slice_share(total, d->size, d->rank); }
