#include "dist/forest.h"
#include "core/fpmode.h"
#include "core/types.h"

#include <string.h>

/* ----------------------------------------------------------------------- a slice as subtrees */

/* Elements [first, end) of the whole array: 2^level aligned tiles. The last tile may be short. */
typedef struct subtree {
    extent of;
    unsigned level;
} subtree;

static extent ragged_tile(const weft_dist *d, int rank, size_t size) {
    return dist_ragged_tile(d, rank, WEFT_TILE(size));
}

/* Lists the subtrees of a slice from left to right. Returns their number. */
static size_t list_subtrees(const weft_dist *d, int rank, size_t size, subtree list[ROOTS_MAX]) {
    const size_t tile = WEFT_TILE(size);
    const extent whole = dist_whole_tiles(d, rank, tile);
    const extent ragged = ragged_tile(d, rank, size);
    size_t count = 0;
    for (uint64_t at = whole.first; at < whole.end;) {
        const uint64_t number = at / tile, left = ceil_div(whole.end - at, tile);
        unsigned level = 0;
        while (!(number >> level & 1) && left >> (level + 1)) level++;
        const uint64_t most = (uint64_t)tile << level, next = whole.end - at < most ? whole.end : at + most;
        list[count++] = (subtree){{at, next}, level};
        at = next;
    }
    if (ragged.first < ragged.end) list[count++] = (subtree){ragged, 0};
    return count;
}

/* ---------------------------------------------------------------------------------- a tree */

static size_t values_of(const forest *f) { return f->kind == LEAF_PATHS ? ROOT_VALUES : 1; }

/* Computes the root over n elements at x and y, or over n paths, the first of which has number `first`. */
static weft_status compute_root(const forest *f, uint64_t first, size_t n, const void *x, const void *y,
                                root *value) {
    weft_context *const ctx = f->d->ctx;
    value->bits = 0;
    switch (f->kind) {
    case LEAF_REDUCE: return weft_reduce(ctx, f->op, f->dtype, f->accumulate, n, x, value);
    case LEAF_DOT: return weft_dot(ctx, f->dtype, f->accumulate, n, x, y, value);
    case LEAF_TREE: return weft_part_tree(ctx, f->tree, f->dtype, n, x, f->parameter, &value->f64);
    case LEAF_PATHS: break;
    }
    return weft_part_price_sums(ctx, f->paths, first, n, &value->f64);
}

static const char *after(const char *p, size_t bytes) { return p ? p + bytes : NULL; }

/* Computes the roots of this rank's subtrees. The elements of the ragged tile, if there is one, are in d->ragged. It
 * is the last subtree. */
static weft_status compute_roots(const forest *f, root *roots) {
    weft_dist *const d = f->d;
    const size_t size = weft_dtype_size(f->dtype);
    subtree list[ROOTS_MAX];
    const size_t count = list_subtrees(d, d->rank, size, list);
    for (size_t i = 0; i < count; i++) {
        const extent of = list[i].of;
        const bool whole = of.end <= d->begin[d->rank + 1];
        const size_t at = (size_t)(of.first - dist_first(d)) * size;
        RETURN_IF_ERROR(dist_took(d, compute_root(f, of.first, (size_t)(of.end - of.first),
                                                  whole ? after(f->x, at) : d->ragged[0],
                                                  whole ? after(f->y, at) : d->ragged[1], &roots[i * values_of(f)])));
    }
    return WEFT_OK;
}

/* Combines the roots a and b into a. */
static void combine(const forest *f, root *a, const root *b) {
    const bool product = f->kind == LEAF_REDUCE && f->op == WEFT_PROD;
    for (size_t i = 0; i < values_of(f); i++) {
        if (f->narrow)
            a[i].f32 = product ? a[i].f32 * b[i].f32 : a[i].f32 + b[i].f32;
        else
            a[i].f64 = product ? a[i].f64 * b[i].f64 : a[i].f64 + b[i].f64;
    }
}

/* Combines the roots of all ranks, stored consecutively in d->roots. Two adjacent subtrees of equal level are
 * combined into the subtree one level above. The remaining ones are combined from right to left. */
static void combine_roots(const forest *f, root *value) {
    enum { LEVELS = 64 };
    weft_dist *const d = f->d;
    root waiting[LEVELS][ROOT_VALUES];
    unsigned levels[LEVELS];
    subtree list[ROOTS_MAX];
    const size_t bytes = values_of(f) * sizeof(root);
    size_t held = 0;
    const char *next = (const char *)d->roots;
    const weft_fpmode mode = weft_fpmode_enter();
    for (int r = 0; r < d->size; r++) {
        const size_t count = list_subtrees(d, r, weft_dtype_size(f->dtype), list);
        for (size_t i = 0; i < count; i++, next += bytes) {
            memcpy(waiting[held], next, bytes);
            levels[held] = list[i].level;
            for (held++; held > 1 && levels[held - 2] == levels[held - 1]; held--, levels[held - 1]++)
                combine(f, waiting[held - 2], waiting[held - 1]);
        }
    }
    for (; held > 1; held--) combine(f, waiting[held - 2], waiting[held - 1]);
    weft_fpmode_leave(mode);
    memcpy(value, waiting[0], bytes);
}

/* Gathers the roots of all ranks in d->roots. Every rank computes how many roots each rank has. */
static weft_status gather_roots(const forest *f, const root *roots) {
    weft_dist *const d = f->d;
    subtree list[ROOTS_MAX];
    for (int r = 0; r < d->size; r++)
        d->counts[r] = (int)(list_subtrees(d, r, weft_dtype_size(f->dtype), list) * values_of(f) * sizeof *roots);
    return dist_gather_parts(d, roots, d->roots, "gathering roots");
}

/* Returns true if a slice border is inside a tile. Otherwise no element has to be moved. */
static bool is_ragged(const weft_dist *d, size_t size) {
    for (int r = 0; r < d->size; r++) {
        const extent e = ragged_tile(d, r, size);
        if (e.first < e.end) return true;
    }
    return false;
}

weft_status forest_run(const forest *f, root *value) {
    weft_dist *const d = f->d;
    const size_t size = weft_dtype_size(f->dtype);
    root roots[ROOTS_MAX * ROOT_VALUES];
    const bool ragged = is_ragged(d, size);
    if (ragged) RETURN_IF_ERROR(dist_fetch(d, size, ragged_tile, f->x, d->ragged[0]));
    if (ragged && f->kind == LEAF_DOT) RETURN_IF_ERROR(dist_fetch(d, size, ragged_tile, f->y, d->ragged[1]));
    RETURN_IF_ERROR(dist_agree(d, compute_roots(f, roots)));
    RETURN_IF_ERROR(gather_roots(f, roots));
    combine_roots(f, value);
    return WEFT_OK;
}
