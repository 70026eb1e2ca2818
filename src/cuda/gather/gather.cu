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

enum { THREADS = 256, BLOCKS_OF_MULTIPROCESSOR = 32, ROWS = 4, WARP_LANES = 32 };

/* Results of the checks. Both members are initially all ones. */
typedef struct findings {
    unsigned long long bad;   /* least position of an index out of range, or of an index that is searched for */
    unsigned long long equal; /* 0: two indices are equal */
} findings;

/* --------------------------------------------------------------------------------- kernels
 *
 * Thread t of T processes indices t, t + T, t + 2 T, ... */

static __device__ uint64_t first_element() { return (uint64_t)blockIdx.x * THREADS + threadIdx.x; }
static __device__ uint64_t stride() { return (uint64_t)gridDim.x * THREADS; }

/* Finds the first position whose index, read as an unsigned number, is not less than `end`. */
template <class Index>
static __global__ void range_kernel(const Index *index, uint64_t n, uint64_t end, findings *f) {
    unsigned long long first = ~0ull;
    for (uint64_t i = first_element(); i < n && first == ~0ull; i += stride())
        if (index[i] >= end) first = i;
    if (first != ~0ull) atomicMin(&f->bad, first);
}

/* Sets the bits of the indices that are less than `end`, and notes if one was set before. */
template <class Index>
static __global__ void mark_kernel(const Index *index, uint64_t n, uint64_t end, unsigned *map, findings *f) {
    bool equal = false;
    for (uint64_t i = first_element(); i < n; i += stride()) {
        const uint64_t j = index[i];
        const unsigned bit = 1u << (j % 32);
        if (j < end) equal |= (atomicOr(&map[j / 32], bit) & bit) != 0;
    }
    if (equal) atomicMin(&f->equal, 0ull);
}

/* Finds the first position with the index `wanted`. */
template <class Index>
static __global__ void find_kernel(const Index *index, uint64_t n, uint64_t wanted, findings *f) {
    for (uint64_t i = first_element(); i < n; i += stride())
        if (index[i] == wanted) atomicMin(&f->bad, (unsigned long long)i);
}

/* A move of rows of `words` words. `lanes`, a power of two and at most a warp, threads share a row. Each such group
 * processes ROWS rows at a time, to have as many reads in flight. */
typedef struct move_params {
    uint64_t n, end, words;
    uint32_t lanes;
    const findings *f; /* NULL: nothing was checked */
} move_params;

template <bool SCATTER, class Index, class Word>
static __device__ void move_rows(const Index *index, const move_params &m, const Word *x, Word *out) {
    const uint64_t group = first_element() / m.lanes, groups = stride() / m.lanes;
    const uint32_t lane = threadIdx.x % m.lanes;
    if (m.f && (m.f->bad != ~0ull || m.f->equal != ~0ull)) return;
    for (uint64_t first = group; first < m.n; first += ROWS * groups) {
        uint64_t j[ROWS];
        for (int r = 0; r < ROWS; r++) j[r] = first + r * groups < m.n ? (uint64_t)index[first + r * groups] : m.end;
        for (uint64_t w = lane; w < m.words; w += m.lanes) {
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
    unsigned *map; /* one bit for each row of the result of a scatter */
} state;

static size_t map_bytes(const state *s) { return ((size_t)((s->end + 31) / 32)) * sizeof *s->map; }

/* Returns the number of blocks of a launch in which `threads` > 0 threads have work. */
static unsigned blocks_of(const state *s, uint64_t threads) {
    const uint64_t most = (uint64_t)BLOCKS_OF_MULTIPROCESSOR * (unsigned)s->g->multiprocessors;
    return (unsigned)min_u64((threads - 1) / THREADS + 1, most);
}

/* LAUNCH(s, threads, kernel, arguments...): launches a kernel with indices of either type, after the name of which
 * the arguments follow. Returns from the calling function on failure. */
#define LAUNCH(s, threads, kernel, ...)                                                                \
    do {                                                                                               \
        const unsigned blocks = blocks_of(s, threads);                                                 \
        if ((s)->wide)                                                                                 \
            kernel<<<blocks, THREADS, 0, (s)->g->stream>>>((const uint64_t *)(s)->index, __VA_ARGS__); \
        else                                                                                           \
            kernel<<<blocks, THREADS, 0, (s)->g->stream>>>((const uint32_t *)(s)->index, __VA_ARGS__); \
        CUDA_TRY(cudaGetLastError(), (s)->name);                                                       \
    } while (0)

static weft_status clear_findings(const state *s, weft_error *error) {
    CUDA_TRY(cudaMemsetAsync(s->f, 0xff, sizeof *s->f, s->g->stream), s->name);
    return WEFT_OK;
}

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

static weft_status check_range(const state *s, weft_error *error) {
    if (s->c->range == WEFT_RANGE_ERROR) LAUNCH(s, s->c->n, range_kernel, s->c->n, s->end, s->f);
    return WEFT_OK;
}

/* Checks that the first n indices, as far as they are in range, are different. */
static weft_status check_different(const state *s, uint64_t n, weft_error *error) {
    if (s->end == 0) return WEFT_OK;
    CUDA_TRY(cudaMemsetAsync(s->map, 0, map_bytes(s), s->g->stream), s->name);
    LAUNCH(s, n, mark_kernel, n, s->end, s->map, s->f);
    return WEFT_OK;
}

/* Finds the first two equal indices, of which there are some. Bisects the length of the shortest beginning of the
 * indices that has equal ones. */
static weft_status fail_equal(const state *s, weft_error *error) {
    uint64_t without = 1, with = s->c->n, wanted;
    findings f;
    while (with - without > 1) {
        const uint64_t n = without + (with - without) / 2;
        RETURN_IF_ERROR(clear_findings(s, error));
        RETURN_IF_ERROR(check_different(s, n, error));
        RETURN_IF_ERROR(read_findings(s, &f, error));
        if (f.equal == 0)
            with = n;
        else
            without = n;
    }
    RETURN_IF_ERROR(read_index(s, with - 1, &wanted, error));
    RETURN_IF_ERROR(clear_findings(s, error));
    LAUNCH(s, with, find_kernel, with, wanted, s->f);
    RETURN_IF_ERROR(read_findings(s, &f, error));
    return indices_fail_equal(error, s->c->index_dtype, f.bad, with - 1, wanted);
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
    move_params m = {s->c->n, s->end, s->c->row_bytes / sizeof(Word), 1, checked ? s->f : NULL};
    while (m.lanes < m.words && m.lanes < WARP_LANES) m.lanes *= 2;
    const uint64_t threads = ((m.n - 1) / ROWS + 1) * m.lanes;
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
    if (checked) {
        RETURN_IF_ERROR(clear_findings(s, error));
        RETURN_IF_ERROR(check_range(s, error));
        if (s->c->scatter) RETURN_IF_ERROR(check_different(s, s->c->n, error));
    }
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
    s.map = (unsigned *)(scratch + sizeof *s.f);
    s.x = arrays[0].at;
    s.index = arrays[1].at;
    s.out = arrays[2].at;
    RETURN_IF_ERROR(run(&s, error));
    return arrays_copy_out(g, s.name, arrays, 3, error);
}
