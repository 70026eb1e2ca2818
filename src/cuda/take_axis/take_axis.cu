/* weft_take_axis and weft_put_axis: memory, launches, and the messages for wrong indices. */
#include "cuda/take_axis/take_axis.cuh"

#include "core/indices.h"
#include "core/types.h"

#include <string.h>

enum { WIDEST = 16 }; /* bytes */

/* The state of a call. All pointers are to device memory. */
typedef struct state {
    gpu *g;
    const take_axis_call *c;
    const char *name;
    bool wide; /* indices of 8 bytes */
    const char *first_index;
    take_findings *f;
    unsigned *map;  /* one bit for each slot; NULL: slots are not checked */
    size_t element; /* bytes that a thread moves */
    take_params take;
} state;

template <class Params>
static weft_status launch(const state *s, void (*kernel)(Params), uint64_t threads, const Params &params,
                          weft_error *error) {
    const uint64_t blocks = (threads - 1) / TAKE_THREADS + 1;
    kernel<<<(unsigned)min_u64(blocks, INT32_MAX), TAKE_THREADS, 0, s->g->stream>>>(params);
    CUDA_TRY(cudaGetLastError(), s->name);
    return WEFT_OK;
}

/* ---------------------------------------------------------------------------------- checks */

static size_t map_bytes(const take_axis_call *c) { return (c->slots + 31) / 32 * sizeof(unsigned); }

/* Returns the parameters of a check of the first n indices. */
static check_params check_params_of(const state *s, uint64_t n) {
    check_params p;
    memset(&p, 0, sizeof p);
    p.d = view_dims_of(s->c->indices_count, s->c->indices);
    p.n = n;
    p.end = s->take.end;
    p.in_range = s->c->range == WEFT_RANGE_ERROR;
    p.index = s->first_index;
    p.map = s->map;
    p.f = s->f;
    return p;
}

/* Checks the first n indices. */
static weft_status check(const state *s, uint64_t n, weft_error *error) {
    const check_params p = check_params_of(s, n);
    CUDA_TRY(cudaMemsetAsync(s->f, 0xff, sizeof *s->f, s->g->stream), s->name);
    if (s->map) CUDA_TRY(cudaMemsetAsync(s->map, 0, map_bytes(s->c), s->g->stream), s->name);
    return launch(s, s->wide ? take_check_kernel<uint64_t> : take_check_kernel<uint32_t>, (n - 1) / TAKE_EACH + 1, p,
                  error);
}

/* Waits, and copies `bytes` bytes, at most those of the findings. */
static weft_status read_back(const state *s, const void *from, size_t bytes, void *to, weft_error *error) {
    CUDA_TRY(cudaMemcpyAsync(s->g->pinned, from, bytes, cudaMemcpyDeviceToHost, s->g->stream), s->name);
    CUDA_TRY(cudaStreamSynchronize(s->g->stream), s->name);
    memcpy(to, s->g->pinned, bytes);
    return WEFT_OK;
}

/* Waits, and copies index i as an unsigned number. *slot: the slot that it names if it is in range. */
static weft_status read_index(const state *s, uint64_t i, uint64_t *bits, uint64_t *slot, weft_error *error) {
    int64_t at, of_slot;
    view_offset_of(s->c->indices_count, s->c->indices, i, &at, &of_slot);
    *bits = 0;
    RETURN_IF_ERROR(read_back(s, s->first_index + at, s->wide ? 8 : 4, bits, error));
    *slot = (uint64_t)of_slot + *bits;
    return WEFT_OK;
}

/* Finds the first two indices that name the same slot, of which there are some among n. Bisects the length of the
 * shortest beginning of the indices that has such ones. */
static weft_status fail_equal(const state *s, uint64_t n, weft_error *error) {
    uint64_t without = 1, with = n, bits;
    take_findings f;
    while (with - without > 1) {
        const uint64_t some = without + (with - without) / 2;
        RETURN_IF_ERROR(check(s, some, error));
        RETURN_IF_ERROR(read_back(s, s->f, sizeof f, &f, error));
        if (f.equal == 0)
            with = some;
        else
            without = some;
    }
    check_params p = check_params_of(s, with);
    RETURN_IF_ERROR(read_index(s, with - 1, &bits, &p.wanted, error));
    CUDA_TRY(cudaMemsetAsync(s->f, 0xff, sizeof *s->f, s->g->stream), s->name);
    RETURN_IF_ERROR(launch(s, s->wide ? take_find_kernel<uint64_t> : take_find_kernel<uint32_t>, with, p, error));
    RETURN_IF_ERROR(read_back(s, s->f, sizeof f, &f, error));
    return indices_fail_equal(error, s->name, s->c->index_dtype, f.bad, with - 1, bits);
}

/* Waits for the check of n indices, and fails if one is wrong. Does nothing while the stream is being captured. */
static weft_status judge(const state *s, uint64_t n, weft_error *error) {
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    take_findings f;
    uint64_t bits, unused;
    CUDA_TRY(cudaStreamIsCapturing(s->g->stream, &capture), s->name);
    if (capture != cudaStreamCaptureStatusNone) return WEFT_OK;
    RETURN_IF_ERROR(read_back(s, s->f, sizeof f, &f, error));
    if (f.bad != TAKE_NONE) {
        RETURN_IF_ERROR(read_index(s, f.bad, &bits, &unused, error));
        return indices_fail(error, s->c->index_dtype, f.bad, bits, s->c->m);
    }
    return f.equal == 0 ? fail_equal(s, n, error) : WEFT_OK;
}

/* -------------------------------------------------------------------------------- elements */

/* Widens the elements where the last dimension has one index and is adjacent in the table and in the list, as far as
 * all addresses are multiples of their size. */
static void widen(state *s) {
    take_params *const p = &s->take;
    if (p->count == 0) return;
    take_dimension *const last = &p->d[p->count - 1];
    if (last->index != 0 || last->table != (ptrdiff_t)s->element || last->list != (ptrdiff_t)s->element) return;
    uintptr_t all = (uintptr_t)p->table | (uintptr_t)p->list | (uintptr_t)p->stride | last->n * s->element | WIDEST;
    for (uint32_t k = 0; k + 1 < p->count; k++) all |= (uintptr_t)p->d[k].table | (uintptr_t)p->d[k].list;
    const size_t widened = all & (0 - all);
    last->n = last->n * s->element / widened;
    last->table = last->list = (ptrdiff_t)widened;
    s->element = widened;
}

/* Makes the longest of the dimensions before the last one dimension 0, and counts the threads. */
static void arrange(take_params *p) {
    uint32_t longest = 0;
    if (p->count > 1 && p->d[p->count - 1].n == 1) p->count--;
    if (p->count == 0) p->d[p->count++] = take_dimension{1, 0, 0, 0};
    for (uint32_t k = 1; k + 1 < p->count; k++)
        if (p->d[k].n > p->d[longest].n) longest = k;
    const take_dimension first = p->d[longest];
    memmove(p->d + 1, p->d, longest * sizeof *p->d);
    p->d[0] = first;
    p->threads = p->groups = (first.n - 1) / TAKE_EACH + 1;
    const int64_t groups = (int64_t)p->groups;
    p->steps = take_offsets{groups * first.table, groups * first.index, groups * first.list};
    for (uint32_t k = 1; k < p->count; k++) p->threads *= p->d[k].n;
    p->narrow = p->threads <= INT32_MAX;
    for (uint32_t k = 1; k < p->count && p->narrow; k++) p->lengths[k] = view_length_of(p->d[k].n);
}

template <class Word> static weft_status take_words(const state *s, weft_error *error) {
    void (*const kernel)(take_params) =
        s->c->put ? (s->wide ? take_kernel<uint64_t, Word, true> : take_kernel<uint32_t, Word, true>)
                  : (s->wide ? take_kernel<uint64_t, Word, false> : take_kernel<uint32_t, Word, false>);
    return launch(s, kernel, s->take.threads, s->take, error);
}

static weft_status take(state *s, weft_error *error) {
    widen(s);
    arrange(&s->take);
    switch (s->element) {
    case 1: return take_words<uint8_t>(s, error);
    case 2: return take_words<uint16_t>(s, error);
    case 4: return take_words<uint32_t>(s, error);
    case 8: return take_words<uint64_t>(s, error);
    default: return take_words<uint4>(s, error);
    }
}

/* ------------------------------------------------------------------------------------ call */

/* Adds the dimension of the axis of the table to those of the call, with the distances of the table. Those along the
 * list alone are left out. Returns the number of dimensions. */
static size_t table_dimensions(const take_axis_call *c, view_dimension *d) {
    size_t count = 0;
    for (size_t k = 0; k < c->count; k++)
        if (c->dimensions[k].table != 0)
            d[count++] = view_dimension{c->dimensions[k].n, c->dimensions[k].table, c->dimensions[k].table};
    d[count++] = view_dimension{c->m, c->stride, c->stride};
    return count;
}

static size_t list_dimensions(const take_axis_call *c, view_dimension *d) {
    for (size_t k = 0; k < c->count; k++)
        d[k] = view_dimension{c->dimensions[k].n, c->dimensions[k].list, c->dimensions[k].list};
    return c->count;
}

/* An array of the call in the caller's memory. It has no bytes if it is a table without elements. */
typedef struct part {
    void *p;
    size_t bytes, count;
    view_dimension d[WEFT_DIMENSIONS_MAX + 1];
} part;

static part part_of(const take_axis_call *c, bool is_table) {
    part p;
    memset(&p, 0, sizeof p);
    p.p = is_table ? c->table : c->list;
    p.bytes = is_table && c->m == 0 ? 0 : c->element;
    p.count = is_table ? (c->m == 0 ? 0 : table_dimensions(c, p.d)) : list_dimensions(c, p.d);
    return p;
}

/* Sets the dimensions and addresses of the call in device memory. An output may have other distances there, `out`. */
static void set_take(state *s, const view_memory *m, const view_dimension *out) {
    const take_axis_call *const c = s->c;
    take_params *const p = &s->take;
    size_t next = 0;
    p->count = (uint32_t)c->count;
    memcpy(p->d, c->dimensions, sizeof p->d);
    p->stride = c->stride;
    for (size_t k = 0; k < c->count; k++) {
        if (!c->put) p->d[k].list = out[k].y;
        if (c->put && c->dimensions[k].table != 0) p->d[k].table = out[next++].y;
    }
    if (c->put) p->stride = c->m > 1 ? out[next].y : 0;
    p->end = indices_end(c->index_dtype, c->m);
    p->table = c->put ? m->y : m->x;
    p->list = c->put ? m->x : m->y;
    p->index = s->first_index + ((const char *)c->index - (const char *)c->first_index);
    p->f = c->range == WEFT_RANGE_ERROR || s->map ? s->f : NULL;
}

/* Makes the arrays available in device memory. m keeps `out`, the dimensions of y. */
static weft_status locate(state *s, view_memory *m, view_dimension *out, weft_error *error) {
    const take_axis_call *const c = s->c;
    const part x = part_of(c, !c->put), y = part_of(c, c->put);
    void *scratch;
    memset(m, 0, sizeof *m);
    m->input_count = 2;
    m->inputs[0] = view_input{"x", x.p, view_extent_of(true, x.bytes, x.count, x.d), NULL};
    m->inputs[1] = view_input{"index", c->first_index,
                              view_extent_of(true, s->wide ? 8 : 4, c->indices_count, c->indices), NULL};
    m->output_count = 1;
    m->outputs[0].name = "y";
    m->outputs[0].to = y.p;
    m->outputs[0].bytes = y.bytes;
    m->outputs[0].count = y.count;
    m->outputs[0].d = out;
    m->outputs[0].kept = c->put || c->range == WEFT_RANGE_SKIP;
    memcpy(out, y.d, y.count * sizeof *out);
    RETURN_IF_ERROR(views_locate_all(m, s->g, s->name, sizeof *s->f + map_bytes(c), &scratch, error));
    s->f = (take_findings *)scratch;
    s->map = c->slots > 0 ? (unsigned *)(s->f + 1) : NULL;
    s->first_index = m->inputs[1].x;
    set_take(s, m, out);
    return WEFT_OK;
}

weft_status cuda_take_axis(void *context, const take_axis_call *c, weft_error *error) {
    gpu *const g = (gpu *)context;
    const current_device scope(g->device);
    const uint64_t indices = view_count(c->indices_count, c->indices);
    view_dimension out[WEFT_DIMENSIONS_MAX + 1];
    view_memory m;
    state s;
    memset(&s, 0, sizeof s);
    s.g = g;
    s.c = c;
    s.name = c->put ? "put_axis" : "take_axis";
    s.wide = cuda_type_bytes(c->index_dtype) == 8;
    s.element = c->element;
    RETURN_IF_ERROR(locate(&s, &m, out, error));
    if (s.take.f) RETURN_IF_ERROR(check(&s, indices, error));
    RETURN_IF_ERROR(take(&s, error));
    if (s.take.f) RETURN_IF_ERROR(judge(&s, indices, error));
    return views_out(&m, error);
}
