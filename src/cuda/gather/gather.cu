/* weft_gather and weft_scatter on the GPU (ORDER.md 29).
 *
 * Kernels check the indices: all must be in range, and those of a scatter different, for which the rows that they
 * name are marked in a bit map. They write what they find to device memory. The kernel that moves the rows reads this
 * first and writes nothing if an index is wrong. So it starts without waiting for the host, also when a graph runs.
 */
#include "core/indices.h"
#include "core/types.h"
#include "cuda/runtime/arrays.h"

#include <string.h>

enum { THREADS = 256, ROWS = 4, WARP_LOG = 5 };

/* Results of the checks. Both members are initially all ones. */
typedef struct findings {
    unsigned long long bad;   /* least position of an index out of range, or of an index that is searched for */
    unsigned long long equal; /* 0: two indices are equal */
} findings;

/* --------------------------------------------------------------------------------- kernels
 *
 * Thread t of T processes indices t, t + T, t + 2 T, ..., ROWS at a time, to have as many reads in flight. */

static __device__ uint64_t first_element() { return (uint64_t)blockIdx.x * THREADS + threadIdx.x; }
static __device__ uint64_t stride() { return (uint64_t)gridDim.x * THREADS; }

/* Reads the indices at i, i + step, ...; those from n on are `end`. */
template <class Index>
static __device__ void read_indices(const Index *index, uint64_t i, uint64_t step, uint64_t n, uint64_t end,
                                    uint64_t j[ROWS]) {
    for (int r = 0; r < ROWS; r++) j[r] = i + r * step < n ? (uint64_t)index[i + r * step] : end;
}

/* Finds the first position whose index, read as an unsigned number, is not less than `end`, if `in_range` is set.
 * Sets the bits of the other indices in the map, unless it is NULL, and notes if one was set before. */
template <class Index>
static __global__ void check_kernel(const Index *index, uint64_t n, uint64_t end, bool in_range, unsigned *map,
                                    findings *f) {
    unsigned long long bad = ~0ull;
    unsigned equal = 0;
    for (uint64_t i = first_element(); i < n; i += ROWS * stride()) {
        uint64_t j[ROWS];
        read_indices(index, i, stride(), n, end, j);
        for (int r = 0; r < ROWS; r++) {
            if (j[r] >= end && i + r * stride() < n && bad == ~0ull) bad = i + r * stride();
            if (map && j[r] < end) equal |= atomicOr(&map[j[r] / 32], 1u << (j[r] % 32)) >> (j[r] % 32) & 1;
        }
    }
    if (in_range && bad != ~0ull) atomicMin(&f->bad, bad);
    if (equal) atomicMin(&f->equal, 0ull);
}

/* Finds the first position with the index `wanted`. */
template <class Index>
static __global__ void find_kernel(const Index *index, uint64_t n, uint64_t wanted, findings *f) {
    for (uint64_t i = first_element(); i < n; i += stride())
        if (index[i] == wanted) atomicMin(&f->bad, (unsigned long long)i);
}

/* A move of rows of `words` words. A group of 2^lanes_log threads, at most a warp, shares a row. It processes ROWS
 * rows at a time. */
typedef struct move_params {
    uint64_t n, end, words;
    unsigned lanes_log;
    const findings *f; /* NULL: nothing was checked */
} move_params;

template <bool SCATTER, class Index, class Word>
static __device__ void move_rows(const Index *index, const move_params &m, const Word *x, Word *out) {
    const uint64_t group = first_element() >> m.lanes_log, groups = stride() >> m.lanes_log;
    const unsigned lanes = 1u << m.lanes_log, lane = threadIdx.x & (lanes - 1);
    if (m.f && (m.f->bad != ~0ull || m.f->equal != ~0ull)) return;
    for (uint64_t first = group; first < m.n; first += ROWS * groups) {
        uint64_t j[ROWS];
        read_indices(index, first, groups, m.n, m.end, j);
        for (uint64_t w = lane; w < m.words; w += lanes) {
            Word word[ROWS];
            for (int r = 0; r < ROWS; r++)
                if (j[r] < m.end) word[r] = x[(SCATTER ? first + r * groups : j[r]) * m.words + w];
            for (int r = 0; r < ROWS; r++)
                if (j[r] < m.end) out[(SCATTER ? j[r] : first + r * groups) * m.words + w] = word[r];
        }
    }
}

template <class Index, class Word>
static __global__ void gather_kernel(const Index *index, move_params m, const Word *x, Word *out) {
    move_rows<false>(index, m, x, out);
}

template <class Index, class Word>
static __global__ void scatter_kernel(const Index *index, move_params m, const Word *x, Word *out) {
    move_rows<true>(index, m, x, out);
}

/* -------------------------------------------------------------------------------- launches */

/* The state of a call. All pointers are to device memory. */
typedef struct state {
    gpu *g;
    const gather_call *c;
    const char *name;
    uint64_t end; /* indices_end */
    bool wide;    /* indices of 8 bytes */
    const void *x, *index;
    void *out;
    findings *f;
    unsigned *map; /* one bit for each row of the result of a scatter; NULL for a gather */
} state;

static size_t map_bytes(const state *s) { return ((size_t)((s->end + 31) / 32)) * sizeof *s->map; }

/* Returns the number of blocks of a launch in which `threads` > 0 threads have work. */
static unsigned blocks_of(uint64_t threads) { return (unsigned)min_u64((threads - 1) / THREADS + 1, INT32_MAX); }

/* LAUNCH(s, threads, kernel, arguments...): launches a kernel with indices of either type, after the name of which
 * the arguments follow. Returns from the calling function on failure. */
#define LAUNCH(s, threads, kernel, ...)                                                                \
    do {                                                                                               \
        const unsigned blocks = blocks_of(threads);                                                    \
        if ((s)->wide)                                                                                 \
            kernel<<<blocks, THREADS, 0, (s)->g->stream>>>((const uint64_t *)(s)->index, __VA_ARGS__); \
        else                                                                                           \
            kernel<<<blocks, THREADS, 0, (s)->g->stream>>>((const uint32_t *)(s)->index, __VA_ARGS__); \
        CUDA_TRY(cudaGetLastError(), (s)->name);                                                       \
    } while (0)

/* Waits, and copies what the checks found. */
static weft_status read_findings(const state *s, findings *f, weft_error *error) {
    CUDA_TRY(cudaMemcpyAsync(s->g->pinned, s->f, sizeof *f, cudaMemcpyDeviceToHost, s->g->stream), s->name);
    CUDA_TRY(cudaStreamSynchronize(s->g->stream), s->name);
    memcpy(f, s->g->pinned, sizeof *f);
    return WEFT_OK;
}

/* Waits, and copies index i as an unsigned number. */
static weft_status read_index(const state *s, uint64_t i, uint64_t *bits, weft_error *error) {
    const size_t size = s->wide ? 8 : 4;
    CUDA_TRY(
        cudaMemcpyAsync(s->g->pinned, (const char *)s->index + i * size, size, cudaMemcpyDeviceToHost, s->g->stream),
        s->name);
    CUDA_TRY(cudaStreamSynchronize(s->g->stream), s->name);
    *bits = 0;
    memcpy(bits, s->g->pinned, size);
    return WEFT_OK;
}

/* Checks the first n indices: their range, unless such rows are skipped, and that those of a scatter are different.
 */
static weft_status check(const state *s, uint64_t n, weft_error *error) {
    CUDA_TRY(cudaMemsetAsync(s->f, 0xff, sizeof *s->f, s->g->stream), s->name);
    if (s->map) CUDA_TRY(cudaMemsetAsync(s->map, 0, map_bytes(s), s->g->stream), s->name);
    LAUNCH(s, (n - 1) / ROWS + 1, check_kernel, n, s->end, s->c->range == WEFT_RANGE_ERROR, s->map, s->f);
    return WEFT_OK;
}

/* Finds the first two equal indices, of which there are some. Bisects the length of the shortest beginning of the
 * indices that has equal ones. */
static weft_status fail_equal(const state *s, weft_error *error) {
    uint64_t without = 1, with = s->c->n, wanted;
    findings f;
    while (with - without > 1) {
        const uint64_t n = without + (with - without) / 2;
        RETURN_IF_ERROR(check(s, n, error));
        RETURN_IF_ERROR(read_findings(s, &f, error));
        if (f.equal == 0)
            with = n;
        else
            without = n;
    }
    RETURN_IF_ERROR(read_index(s, with - 1, &wanted, error));
    CUDA_TRY(cudaMemsetAsync(s->f, 0xff, sizeof *s->f, s->g->stream), s->name);
    LAUNCH(s, with, find_kernel, with, wanted, s->f);
    RETURN_IF_ERROR(read_findings(s, &f, error));
    return indices_fail_equal(error, s->name, s->c->index_dtype, f.bad, with - 1, wanted);
}

/* Waits for the checks, and fails if an index is wrong. Does nothing while the stream is being captured. */
static weft_status judge(const state *s, weft_error *error) {
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    findings f;
    uint64_t bits;
    CUDA_TRY(cudaStreamIsCapturing(s->g->stream, &capture), s->name);
    if (capture != cudaStreamCaptureStatusNone) return WEFT_OK;
    RETURN_IF_ERROR(read_findings(s, &f, error));
    if (f.bad != ~0ull) {
        RETURN_IF_ERROR(read_index(s, f.bad, &bits, error));
        return indices_fail(error, s->c->index_dtype, f.bad, bits, s->c->m);
    }
    return f.equal == 0 ? fail_equal(s, error) : WEFT_OK;
}

/* Returns the largest size of a word into which rows at these addresses can be divided. */
static size_t word_bytes_of(const state *s) {
    const uintptr_t all = (uintptr_t)s->x | (uintptr_t)s->out | s->c->row_bytes | 16;
    return (size_t)(all & (~all + 1));
}

template <class Word> static weft_status move_words(const state *s, bool checked, weft_error *error) {
    move_params m = {s->c->n, s->end, s->c->row_bytes / sizeof(Word), 0, checked ? s->f : NULL};
    while (m.lanes_log < WARP_LOG && (1u << m.lanes_log) < m.words) m.lanes_log++;
    const uint64_t threads = ((m.n - 1) / ROWS + 1) << m.lanes_log;
    if (s->c->scatter)
        LAUNCH(s, threads, scatter_kernel, m, (const Word *)s->x, (Word *)s->out);
    else
        LAUNCH(s, threads, gather_kernel, m, (const Word *)s->x, (Word *)s->out);
    return WEFT_OK;
}

static weft_status move(const state *s, bool checked, weft_error *error) {
    switch (word_bytes_of(s)) {
    case 1: return move_words<uint8_t>(s, checked, error);
    case 2: return move_words<uint16_t>(s, checked, error);
    case 4: return move_words<uint32_t>(s, checked, error);
    case 8: return move_words<uint64_t>(s, checked, error);
    default: return move_words<uint4>(s, checked, error);
    }
}

static weft_status run(const state *s, weft_error *error) {
    const bool checked = s->c->scatter || s->c->range == WEFT_RANGE_ERROR;
    if (checked) RETURN_IF_ERROR(check(s, s->c->n, error));
    if (s->c->row_bytes && s->end) RETURN_IF_ERROR(move(s, checked, error));
    return checked ? judge(s, error) : WEFT_OK;
}

weft_status cuda_gather(void *context, const gather_call *c, weft_error *error) {
    gpu *const g = (gpu *)context;
    const current_device scope(g->device);
    const size_t moved = c->n * c->row_bytes, indexed = c->m * c->row_bytes;
    state s = {};
    char *scratch;
    s.g = g;
    s.c = c;
    s.name = c->scatter ? "scatter" : "gather";
    s.end = indices_end(c->index_dtype, c->m);
    s.wide = cuda_type_bytes(c->index_dtype) == 8;
    gpu_array arrays[] = {{"x", c->x, c->scatter ? moved : indexed, ARRAY_IN, false, NULL},
                          {"index", c->index, c->n * cuda_type_bytes(c->index_dtype), ARRAY_IN, false, NULL},
                          {"out", c->out, c->scatter ? indexed : moved,
                           c->scatter || c->range == WEFT_RANGE_SKIP ? ARRAY_BOTH : ARRAY_OUT, false, NULL}};
    RETURN_IF_ERROR(arrays_copy_in(g, s.name, arrays, 3, sizeof *s.f + (c->scatter ? map_bytes(&s) : 0),
                                   (void **)&scratch, error));
    s.f = (findings *)scratch;
    s.map = c->scatter ? (unsigned *)(scratch + sizeof *s.f) : NULL;
    s.x = arrays[0].at;
    s.index = arrays[1].at;
    s.out = arrays[2].at;
    RETURN_IF_ERROR(run(&s, error));
    return arrays_copy_out(g, s.name, arrays, 3, error);
}
