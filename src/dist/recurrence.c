/* weft_dist_recurrence, of one row. The algorithm is that of a scan (scan.c) with maps in place of totals: a block
 * maps the value before it to the value at its end (ORDER.md 9.2). Each rank computes the maps of the largest
 * aligned blocks in its slice. All ranks gather all maps. Each rank then solves its slice with the value before it.
 * Elements are numbered in the direction of the recurrence, so in reverse the last rank comes first.
 *
 * A GPU computes the maps of blocks of 16^3 and more elements, by solving them. The elements before and after these
 * blocks, at the slice's borders, are copied to the host. */
#include "arith/affine.h"
#include "core/fpmode.h"
#include "core/parts.h"
#include "core/types.h"
#include "dist/blocks.h"

#include <stdlib.h>
#include <string.h>

enum { GROUP = WEFT_SCAN_GROUP, DEVICE_LEVEL = 3, EDGES = 2 };

/* Elements of the slice that the host can read. */
typedef struct edge {
    extent of;
    const char *s, *u;
} edge;

typedef struct solving {
    weft_dist *d;
    weft_dtype dtype;
    weft_direction direction;
    const char *s, *u;
    char *v;
    uint64_t init;
    bool on_gpu;
    edge edges[EDGES];      /* the second edge follows the first, or is empty */
    char *copies;           /* host copies of elements in GPU memory */
    affine *all;            /* maps of all ranks' blocks, in the order of the ranks */
    affine own[BLOCKS_MAX]; /* maps of this rank's blocks */
} solving;

/* ----------------------------------------------------------------------------------- offsets */

/* Returns the elements of a rank, numbered in the direction of the recurrence. */
static extent numbers_of(const solving *p, int rank) {
    const weft_dist *const d = p->d;
    const uint64_t begin = d->begin[rank], end = d->begin[rank + 1], total = dist_total(d);
    return p->direction == WEFT_FORWARD ? (extent){begin, end} : (extent){total - end, total - begin};
}

/* Returns the offset, in bytes, of elements `part` in an array of the elements `of`. */
static size_t offset_in(const solving *p, extent of, extent part) {
    return (size_t)(p->direction == WEFT_FORWARD ? part.first - of.first : of.end - part.end) *
           weft_dtype_size(p->dtype);
}

/* Returns the offset, in bytes, of elements [first, end) in this rank's arrays. */
static size_t offset_of(const solving *p, uint64_t first, uint64_t end) {
    return offset_in(p, numbers_of(p, p->d->rank), (extent){first, end});
}

static affine element_at(const solving *p, uint64_t at) {
    const edge *const e = &p->edges[at >= p->edges[0].of.end];
    const size_t size = weft_dtype_size(p->dtype), offset = offset_in(p, e->of, (extent){at, at + 1});
    affine element = {0, 0};
    memcpy(&element.s, e->s + offset, size);
    memcpy(&element.u, e->u + offset, size);
    return element;
}

/* Copies an edge's elements of s and u to *to, and advances *to. */
static weft_status fetch_edge(const solving *p, edge *e, char **to) {
    const size_t bytes = (size_t)(e->of.end - e->of.first) * weft_dtype_size(p->dtype);
    const size_t offset = offset_of(p, e->of.first, e->of.end);
    RETURN_IF_ERROR(dist_copy(p->d, bytes, p->s + offset, *to));
    RETURN_IF_ERROR(dist_copy(p->d, bytes, p->u + offset, *to + bytes));
    e->s = *to;
    e->u = *to + bytes;
    *to += 2 * bytes;
    return WEFT_OK;
}

/* Sets the edges. On a CPU the first edge is the whole slice, and nothing is copied. */
static weft_status find_edges(solving *p) {
    weft_error *error = &p->d->error;
    const extent own = numbers_of(p, p->d->rank);
    const uint64_t block = block_of(DEVICE_LEVEL), up = round_up(own.first, block);
    const uint64_t head = !p->on_gpu || up > own.end ? own.end : up, down = own.end / block * block;
    p->edges[0] = (edge){{own.first, head}, p->s, p->u};
    p->edges[1] = (edge){{down > head ? down : head, own.end}, NULL, NULL};
    if (!p->on_gpu) return WEFT_OK;
    char *to = p->copies = malloc(4 * block * weft_dtype_size(p->dtype));
    RETURN_IF(!to, WEFT_OUT_OF_MEMORY, "cannot allocate memory for the boundary elements of a slice");
    RETURN_IF_ERROR(fetch_edge(p, &p->edges[0], &to));
    return fetch_edge(p, &p->edges[1], &to);
}

/* ----------------------------------------------------------------------------------- blocks */

static affine find_map(const solving *p, uint64_t at, unsigned level) {
    affine maps[GROUP];
    if (level == 0) return element_at(p, at);
    for (size_t i = 0; i < GROUP; i++) maps[i] = find_map(p, at + i * block_of(level - 1), level - 1);
    return affine_combine(p->dtype == WEFT_F32, maps, level == 1);
}

/* Computes the map of a block by solving it on the GPU. The solution is written to v, or to a buffer if v is s or
 * u. */
static weft_status find_map_on_gpu(const solving *p, uint64_t at, unsigned level, affine *map) {
    const size_t n = (size_t)block_of(level), offset = offset_of(p, at, at + n);
    uint64_t words[2];
    char *to = p->v + offset;
    if (p->v == p->s || p->v == p->u) RETURN_IF_ERROR(dist_workspace(p->d, 0, n * weft_dtype_size(p->dtype), &to));
    RETURN_IF_ERROR(dist_took(p->d, weft_part_recurrence(p->d->ctx, p->direction, p->dtype, n, p->s + offset,
                                                         p->u + offset, NULL, to, words)));
    *map = (affine){words[0], words[1]};
    return WEFT_OK;
}

static weft_status find_maps(solving *p) {
    const extent own = numbers_of(p, p->d->rank);
    size_t count = 0;
    for (uint64_t at = own.first; at < own.end; count++) {
        const unsigned level = level_at(at, own.end);
        if (p->on_gpu && level >= DEVICE_LEVEL) {
            RETURN_IF_ERROR(find_map_on_gpu(p, at, level, &p->own[count]));
        } else {
            const weft_fpmode mode = weft_fpmode_enter();
            p->own[count] = find_map(p, at, level);
            weft_fpmode_leave(mode);
        }
        at += block_of(level);
    }
    return WEFT_OK;
}

static void put_blocks(affine_chain *c, uint64_t at, uint64_t end, uint64_t stop, const affine **maps) {
    while (at < end) {
        const unsigned level = level_at(at, stop);
        affine_append(c, level, *(*maps)++);
        at += block_of(level);
    }
}

/* ---------------------------------------------------------------------------------- a slice */

/* Solves elements [at, end) of the current group, together with the elements of the group before them. */
static weft_status solve_in_group(const solving *p, const affine_chain *c, uint64_t at, uint64_t end,
                                  uint64_t value) {
    const size_t size = weft_dtype_size(p->dtype), before = c->count[0], n = before + (size_t)(end - at);
    uint64_t s[GROUP], u[GROUP], v[GROUP], turned[GROUP];
    for (size_t i = 0; i < n; i++) {
        const affine element = i < before ? c->maps[0][i] : element_at(p, at + i - before);
        memcpy((char *)s + i * size, &element.s, size);
        memcpy((char *)u + i * size, &element.u, size);
    }
    RETURN_IF_ERROR(dist_took_host(p->d, weft_recurrence(p->d->host, WEFT_FORWARD, p->dtype, 1, n, s, u, &value, v)));
    for (size_t i = before; i < n; i++)
        memcpy((char *)turned + offset_in(p, (extent){at, end}, (extent){at + i - before, at + i - before + 1}),
               (char *)v + i * size, size);
    return dist_copy(p->d, (n - before) * size, turned, p->v + offset_of(p, at, end));
}

static weft_status solve_part(const solving *p, const affine_chain *c, uint64_t at, uint64_t end) {
    const weft_fpmode mode = weft_fpmode_enter();
    const uint64_t value = affine_before(c, p->init);
    const size_t offset = offset_of(p, at, end);
    weft_fpmode_leave(mode);
    if (at % GROUP) return solve_in_group(p, c, at, end, value);
    return dist_took(p->d, weft_recurrence(p->d->ctx, p->direction, p->dtype, 1, (size_t)(end - at), p->s + offset,
                                           p->u + offset, &value, p->v + offset));
}

static weft_status solve_slice(const solving *p, affine_chain *c) {
    const extent own = numbers_of(p, p->d->rank);
    const affine *maps = p->own;
    for (uint64_t at = own.first, end; at < own.end; at = end) {
        end = part_end(at, own.end);
        RETURN_IF_ERROR(solve_part(p, c, at, end));
        put_blocks(c, at, end, own.end, &maps);
    }
    return WEFT_OK;
}

/* Appends the maps of all ranks that precede this one in the recurrence, and solves the slice. These are the lower
 * ranks, or in reverse the higher ones from the last rank on. */
static weft_status solve_after_others(const solving *p) {
    const weft_dist *const d = p->d;
    const bool forward = p->direction == WEFT_FORWARD;
    affine_chain c = {.f32 = p->dtype == WEFT_F32};
    for (int r = forward ? 0 : d->size - 1; r != d->rank; r += forward ? 1 : -1) {
        const extent e = numbers_of(p, r);
        const affine *maps = p->all + d->offsets[r] / (int)sizeof *p->all;
        put_blocks(&c, e.first, e.end, e.end, &maps);
    }
    return solve_slice(p, &c);
}

/* --------------------------------------------------------------------------------- the call */

static weft_status gather_maps(solving *p) {
    weft_dist *const d = p->d;
    for (int r = 0; r < d->size; r++) {
        const extent e = numbers_of(p, r);
        d->counts[r] = count_blocks(e.first, e.end) * (int)sizeof *p->own;
    }
    return dist_gather_parts(d, p->own, p->all, "gathering maps");
}

static weft_status run_recurrence(solving *p) {
    weft_error *error = &p->d->error;
    weft_status status = WEFT_OK;
    if (!p->all)
        status = weft_fail(error, WEFT_OUT_OF_MEMORY, "cannot allocate memory for the maps of %d ranks", p->d->size);
    if (status == WEFT_OK) status = find_edges(p);
    if (status == WEFT_OK) status = find_maps(p);
    RETURN_IF_ERROR(dist_agree(p->d, status));
    RETURN_IF_ERROR(gather_maps(p));
    const weft_fpmode mode = weft_fpmode_enter();
    status = solve_after_others(p);
    weft_fpmode_leave(mode);
    return dist_finish(p->d, status);
}

static weft_status check_recurrence(const solving *p, size_t n) {
    weft_dist *const d = p->d;
    const size_t size = weft_dtype_size(p->dtype);
    RETURN_IF_ERROR(dist_took(d, weft_recurrence(d->ctx, p->direction, p->dtype, 1, 0, NULL, NULL, NULL, NULL)));
    RETURN_IF_ERROR(dist_check_array(d, "s", p->s, n, size));
    RETURN_IF_ERROR(dist_check_array(d, "u", p->u, n, size));
    RETURN_IF_ERROR(dist_check_array(d, "v", p->v, n, size));
    if (p->v != p->s) RETURN_IF_ERROR(dist_check_apart(d, "v", p->v, n * size, "s", p->s, n * size));
    return p->v == p->u ? WEFT_OK : dist_check_apart(d, "v", p->v, n * size, "u", p->u, n * size);
}

weft_status weft_dist_recurrence(weft_dist *d, weft_direction direction, weft_dtype dtype, weft_slice slice,
                                 const void *s, const void *u, const void *init, void *v) {
    if (!d) return WEFT_INVALID;
    solving p = {.d = d, .dtype = dtype, .direction = direction, .s = s, .u = u, .v = v, .on_gpu = d->host != d->ctx};
    weft_status status = check_recurrence(&p, slice.count);
    if (status == WEFT_OK) status = dist_check_host(d, "init", init);
    if (init && status == WEFT_OK) memcpy(&p.init, init, weft_dtype_size(dtype));
    const agreed list[] = {
        {"dtype", AS_TYPE, dtype}, {"reverse", AS_NUMBER, direction}, {"the initial value", AS_BITS, p.init}};
    RETURN_IF_ERROR(dist_begin(d, "recurrence", list, 3, slice, status));
    p.all = malloc((size_t)d->size * BLOCKS_MAX * sizeof *p.all);
    const weft_status ran = run_recurrence(&p);
    free(p.all);
    free(p.copies);
    return ran;
}
