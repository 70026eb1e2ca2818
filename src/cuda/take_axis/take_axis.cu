/* weft_take_axis: memory, launches, and the message for an index out of range. */
#include "cuda/take_axis/take_axis.cuh"

#include "core/indices.h"
#include "core/types.h"

#include <string.h>

enum { WIDEST = 16 }; /* bytes */

/* The state of a call. All pointers are to device memory. */
typedef struct state {
    gpu *g;
    const take_axis_call *c;
    bool wide; /* indices of 8 bytes */
    const char *first_index;
    unsigned long long *bad;
    size_t element; /* bytes that a thread moves */
    take_params take;
} state;

template <class Params>
static weft_status launch(const state *s, void (*kernel)(Params), uint64_t threads, const Params &params,
                          weft_error *error) {
    const uint64_t blocks = (threads - 1) / TAKE_THREADS + 1;
    kernel<<<(unsigned)min_u64(blocks, INT32_MAX), TAKE_THREADS, 0, s->g->stream>>>(params);
    CUDA_TRY(cudaGetLastError(), "take_axis");
    return WEFT_OK;
}

/* ----------------------------------------------------------------------------------- range */

static weft_status check(const state *s, weft_error *error) {
    check_params p;
    p.d = view_dims_of(s->c->indices_count, s->c->indices);
    p.n = view_count(s->c->indices_count, s->c->indices);
    p.end = s->take.end;
    p.index = s->first_index;
    p.bad = s->bad;
    CUDA_TRY(cudaMemsetAsync(s->bad, 0xff, sizeof *s->bad, s->g->stream), "take_axis");
    const uint64_t threads = (p.n - 1) / TAKE_EACH + 1;
    return launch(s, s->wide ? take_check_kernel<uint64_t> : take_check_kernel<uint32_t>, threads, p, error);
}

/* Waits, and copies up to 8 bytes as an unsigned number. */
static weft_status read_number(const state *s, const void *from, size_t bytes, uint64_t *number, weft_error *error) {
    CUDA_TRY(cudaMemcpyAsync(s->g->pinned, from, bytes, cudaMemcpyDeviceToHost, s->g->stream), "take_axis");
    CUDA_TRY(cudaStreamSynchronize(s->g->stream), "take_axis");
    *number = 0;
    memcpy(number, s->g->pinned, bytes);
    return WEFT_OK;
}

/* Waits for the check, and fails if an index is out of range. Does nothing while the stream is being captured. */
static weft_status judge(const state *s, weft_error *error) {
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    uint64_t bad = TAKE_NONE, bits = 0;
    int64_t at = 0, unused = 0;
    CUDA_TRY(cudaStreamIsCapturing(s->g->stream, &capture), "take_axis");
    if (capture != cudaStreamCaptureStatusNone) return WEFT_OK;
    RETURN_IF_ERROR(read_number(s, s->bad, sizeof *s->bad, &bad, error));
    if (bad == TAKE_NONE) return WEFT_OK;
    view_offset_of(s->c->indices_count, s->c->indices, bad, &at, &unused);
    RETURN_IF_ERROR(read_number(s, s->first_index + at, s->wide ? 8 : 4, &bits, error));
    return indices_fail(error, s->c->index_dtype, bad, bits, s->c->m);
}

/* -------------------------------------------------------------------------------- elements */

/* Widens the elements where the last dimension has one index and is adjacent in x and in y, as far as all addresses
 * are multiples of their size. */
static void widen(state *s) {
    take_params *const p = &s->take;
    if (p->count == 0) return;
    take_dimension *const last = &p->d[p->count - 1];
    if (last->index != 0 || last->x != (ptrdiff_t)s->element || last->y != (ptrdiff_t)s->element) return;
    uintptr_t all = (uintptr_t)p->x | (uintptr_t)p->y | (uintptr_t)p->stride | last->n * s->element | WIDEST;
    for (uint32_t k = 0; k + 1 < p->count; k++) all |= (uintptr_t)p->d[k].x | (uintptr_t)p->d[k].y;
    const size_t widened = all & (0 - all);
    last->n = last->n * s->element / widened;
    last->x = last->y = (ptrdiff_t)widened;
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
    p->steps = take_offsets{groups * first.x, groups * first.index, groups * first.y};
    for (uint32_t k = 1; k < p->count; k++) p->threads *= p->d[k].n;
    p->narrow = p->threads <= INT32_MAX;
    for (uint32_t k = 1; k < p->count && p->narrow; k++) p->lengths[k] = view_length_of(p->d[k].n);
}

template <class Word> static weft_status take_words(const state *s, weft_error *error) {
    return launch(s, s->wide ? take_kernel<uint64_t, Word> : take_kernel<uint32_t, Word>, s->take.threads, s->take,
                  error);
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

/* Returns the memory of x from the first element of the dimensions on, with all indices along the axis. */
static view_extent extent_of_x(const take_axis_call *c) {
    view_dimension d[WEFT_DIMENSIONS_MAX + 1];
    if (c->m == 0) return view_extent{0, 0};
    for (size_t k = 0; k < c->count; k++) d[k] = view_dimension{c->dimensions[k].n, c->dimensions[k].x, 0};
    d[c->count] = view_dimension{c->m, c->stride, 0};
    return view_extent_of(true, c->element, c->count + 1, d);
}

/* Makes the arrays available in device memory. m keeps `out`, the dimensions of y. */
static weft_status locate(state *s, view_memory *m, view_dimension *out, weft_error *error) {
    const take_axis_call *const c = s->c;
    take_params *const p = &s->take;
    void *scratch;
    memset(m, 0, sizeof *m);
    for (size_t k = 0; k < c->count; k++) out[k] = view_dimension{c->dimensions[k].n, 0, c->dimensions[k].y};
    const view_extent of_index = view_extent_of(true, s->wide ? 8 : 4, c->indices_count, c->indices);
    m->input_count = 2;
    m->inputs[0] = view_input{"x", c->x, extent_of_x(c), NULL};
    m->inputs[1] = view_input{"index", c->first_index, of_index, NULL};
    m->output_count = 1;
    m->outputs[0].name = "y";
    m->outputs[0].to = c->y;
    m->outputs[0].bytes = c->element;
    m->outputs[0].count = c->count;
    m->outputs[0].d = out;
    m->outputs[0].kept = c->range == WEFT_RANGE_SKIP;
    RETURN_IF_ERROR(views_locate_all(m, s->g, "take_axis", sizeof *s->bad, &scratch, error));
    s->bad = (unsigned long long *)scratch;
    s->first_index = m->inputs[1].x;
    p->count = (uint32_t)c->count;
    memcpy(p->d, c->dimensions, sizeof p->d);
    for (size_t k = 0; k < c->count; k++) p->d[k].y = out[k].y;
    p->end = indices_end(c->index_dtype, c->m);
    p->stride = c->stride;
    p->x = m->x;
    p->index = s->first_index + ((const char *)c->index - (const char *)c->first_index);
    p->y = m->y;
    p->bad = c->range == WEFT_RANGE_ERROR ? s->bad : NULL;
    return WEFT_OK;
}

weft_status cuda_take_axis(void *context, const take_axis_call *c, weft_error *error) {
    gpu *const g = (gpu *)context;
    const current_device scope(g->device);
    view_dimension out[WEFT_DIMENSIONS_MAX];
    view_memory m;
    state s;
    memset(&s, 0, sizeof s);
    s.g = g;
    s.c = c;
    s.wide = cuda_type_bytes(c->index_dtype) == 8;
    s.element = c->element;
    RETURN_IF_ERROR(locate(&s, &m, out, error));
    if (s.take.bad) RETURN_IF_ERROR(check(&s, error));
    RETURN_IF_ERROR(take(&s, error));
    if (s.take.bad) RETURN_IF_ERROR(judge(&s, error));
    return views_out(&m, error);
}
