/* Tests if blocks can move by NCCL, and lists the messages of a move. */
#include "dist/blocks_nccl.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct blocks {
    const nccl_plugin *plugin;
    void *comm;
    block_message *list; /* two for each rank */
};

/* Loads the plugin from WEFT_PLUGIN_DIR, or from the directory of libweft_dist.so. Returns NULL if there is none:
 * then blocks move through host memory, as weft_dist_blocks reports. The plugin stays loaded. */
static const nccl_plugin *find_plugin(void) {
    char path[4096];
    Dl_info self;
    const char *directory = getenv("WEFT_PLUGIN_DIR");
    int length = directory ? (int)strlen(directory) : 0;
    if (!directory) {
        if (!dladdr((void *)blocks_open, &self) || !self.dli_fname) return NULL;
        const char *const slash = strrchr(self.dli_fname, '/');
        directory = slash ? self.dli_fname : ".";
        length = slash ? (int)(slash - self.dli_fname) : 1;
    }
    if (snprintf(path, sizeof path, "%.*s/libweft_nccl.so", length, directory) >= (int)sizeof path) return NULL;
    void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const nccl_plugin_entry entry = library ? (nccl_plugin_entry)dlsym(library, NCCL_PLUGIN_ENTRY) : NULL;
    return entry ? entry() : NULL;
}

/* Returns the N of "cuda:N". */
static int device_of(const weft_dist *d) {
    const char *const colon = strchr(weft_device(d->ctx), ':');
    return colon ? atoi(colon + 1) : 0;
}

/* ------------------------------------------------------------------------------ opening */

/* Data that a rank sends about itself. `there` is 0 if it has no plugin. */
typedef struct member {
    unsigned char gpu[GPU_NAME_BYTES];
    uint64_t there;
} member;

/* Returns true if all ranks have the plugin and no two share a GPU. */
static bool have_all(const member *list, int count) {
    for (int r = 0; r < count; r++) {
        if (!list[r].there) return false;
        for (int other = 0; other < r; other++)
            if (memcmp(list[r].gpu, list[other].gpu, GPU_NAME_BYTES) == 0) return false;
    }
    return true;
}

/* Gathers each rank's `member` in d->roots, which is not used otherwise at this time. */
static weft_status ask_all(weft_dist *d, const nccl_plugin *plugin, bool *all) {
    member own = {.there = plugin != NULL};
    const weft_status named = plugin ? plugin->name_gpu(device_of(d), own.gpu, &d->error) : WEFT_OK;
    RETURN_IF_ERROR(dist_agree(d, named));
    RETURN_IF_ERROR(dist_gather(d, &own, d->roots, sizeof own, "looking for NCCL"));
    *all = have_all((const member *)d->roots, d->size);
    return WEFT_OK;
}

static weft_status hold(weft_dist *d, const nccl_plugin *plugin) {
    weft_error *error = &d->error;
    d->blocks = calloc(1, sizeof *d->blocks);
    if (d->blocks) *d->blocks = (struct blocks){plugin, NULL, calloc(2 * (size_t)d->size, sizeof(block_message))};
    RETURN_IF(!d->blocks || !d->blocks->list, WEFT_OUT_OF_MEMORY,
              "cannot allocate memory for the messages of %d ranks", d->size);
    return WEFT_OK;
}

weft_status blocks_open(weft_dist *d) {
    const nccl_plugin *const plugin = find_plugin();
    unsigned char own[NCCL_ID_BYTES] = {0};
    bool all;
    RETURN_IF_ERROR(ask_all(d, plugin, &all));
    if (!all) return WEFT_OK;
    weft_status status = hold(d, plugin);
    if (status == WEFT_OK && d->rank == 0) status = plugin->make_id(own, &d->error);
    RETURN_IF_ERROR(dist_agree(d, status));
    RETURN_IF_ERROR(dist_gather(d, own, d->roots, sizeof own, "exchanging the NCCL id"));
    return dist_agree(d, plugin->combine(device_of(d), (const unsigned char *)d->roots, d->rank, d->size,
                                         &d->blocks->comm, &d->error));
}

void blocks_close(weft_dist *d) {
    if (!d->blocks) return;
    if (d->blocks->comm) d->blocks->plugin->leave(d->blocks->comm);
    free(d->blocks->list);
    free(d->blocks);
    d->blocks = NULL;
}

/* ------------------------------------------------------------------------------- moving */

static size_t list_messages(const weft_dist *d, char *from, char *to) {
    block_message *const list = d->blocks->list;
    size_t count = 0;
    for (int r = 0; r < d->size; r++) {
        const extent in = d->in[r], out = d->out[r];
        if (r == d->rank) continue;
        if (out.first < out.end) list[count++] = (block_message){r, false, from + out.first, out.end - out.first};
        if (in.first < in.end) list[count++] = (block_message){r, true, to + in.first, in.end - in.first};
    }
    return count;
}

/* Starts a move. Waits first until the context's work on `from` is done. */
weft_status blocks_begin(weft_dist *d, const void *from, void *to) {
    const struct blocks *const b = d->blocks;
    const extent here = d->out[d->rank];
    weft_status status =
        dist_copy(d, here.end - here.first, (const char *)from + here.first, (char *)to + d->in[d->rank].first);
    if (status == WEFT_OK) status = dist_took(d, weft_synchronize(d->ctx));
    RETURN_IF_ERROR(dist_agree(d, status));
    status = b->plugin->start(b->comm, b->list, list_messages(d, (char *)(uintptr_t)from, to), &d->error);
    if (status != WEFT_OK) d->broken = true;
    return status;
}

weft_status blocks_end(weft_dist *d) {
    const weft_status status = d->blocks->plugin->wait(d->blocks->comm, &d->error);
    if (status != WEFT_OK) d->broken = true;
    return status;
}
