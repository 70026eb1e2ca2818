/* Transforms of n = m 2^k values whose arrays fit in shared memory, in one pass over memory (ORDER.md 14.8). A block
 * transforms 2^arrays_log arrays: passes of odd radices (fft_together.cuh), whose results are m rows of 2^k numbers
 * in each array, then the rows, whose results are stored in shared memory in the order of y. */
#include "cuda/fft/fft_calls.h"
#include "cuda/fft/fft_together.cuh"
#include "cuda/fft/stages.cuh"
#include "cuda/fft/transforms.h"

static const char NAME[] = "fft";

/* Longest arrays; log2 of the longest rows, which 3 x 2^10 has, and of rows that are transformed in registers. */
enum { WHOLE_MOST = 4096, WHOLE_ROWS_LOG = 10, SHORT_ROWS_LOG = 4 };

/* radices: positions are the numbers of a row. Number i of position w is number w of row i of the block: those of the
 * rows i of its arrays, one after another. */
template <typename T> struct whole_params {
    together_params<T> radices;
    fft_params rows;  /* batch: of the arrays; n: of an array */
    view_length each; /* n */
    int log, arrays_log;
    uint32_t apart, half; /* those of halves */
};

extern __shared__ __align__(16) unsigned char dynamic_shared[];

/* ---------------------------------------------------------------------------------- odd radices */

/* The positions of a block: adjacent threads have adjacent ones. left: of the positions from the first one of the
 * block on. */
template <typename T> struct in_arrays {
    halves<T> shared;
    int log;
    uint32_t left;
    template <int P, role ROLE>
    __device__ __forceinline__ void run(const together_params<T> &l, int pass, int done) const {
        const uint32_t width = 1u << l.width_log, all = l.each[pass].n << l.width_log;
        for (uint32_t b = threadIdx.x; b < all; b += blockDim.x) {
            const uint32_t w = b & (width - 1), number = (blockIdx.x << l.width_log) + w;
            const uint32_t r = number & ((1u << log) - 1);
            const position<T> at = {l.j.x + (uint64_t)(number >> log) * l.j.x_step + 2 * r, NULL, r, 0};
            if (w < left)
                transform_some<T, P, ROLE>(l, shared, pass, done, true, at, (uint32_t)padded::apart((int)w),
                                           b >> l.width_log);
        }
    }
};

/* ----------------------------------------------------------------------------------------- rows */

/* Lines that the threads of a warp transform together: those after the last one are transformed, but not stored. */
template <int LOG>
static constexpr int OF_WARP = line<LOG>::THREADS > 1 && line<LOG>::THREADS < 32 ? 32 / line<LOG>::THREADS : 1;

/* Transforms the rows. Line `at` is the part of row at >> arrays_log that belongs to array at % 2^arrays_log. */
template <int LOG, typename T>
static __device__ __forceinline__ void transform_lines(const whole_params<T> &p, number<T> *from, number<T> *to) {
    typedef line<LOG> l;
    const uint32_t m = (uint32_t)p.radices.points, lines = m << p.arrays_log;
    for (uint32_t at = threadIdx.x / l::THREADS; at / OF_WARP<LOG> * OF_WARP<LOG> < lines;
         at += blockDim.x / l::THREADS) {
        const int t = (int)(afresh(threadIdx.x) % l::THREADS);
        const uint32_t row = at >> p.arrays_log, array = at & ((1u << p.arrays_log) - 1);
        const padded_in_warps own{{(int)(row * p.apart) + padded::apart((int)(array << LOG))}};
        const number<T> *const x = from + own.start(l::template index_of<0>(t, 0));
        number<T> v[l::HELD];
#pragma unroll
        for (int i = 0; i < l::HELD; i++) v[i] = x[padded::apart(l::template index_of<0>(0, i))];
        phases_from<LOG>(v, from, t, (const number<T> *)afresh(p.rows.table), 0, own);
        finish<l::HELD>(p.rows, v);
        if (at >= lines) return;
        const uint32_t step = afresh(m), first = array * p.each.n + row + step * (uint32_t)natural_index<LOG>(t, 0);
#pragma unroll
        for (int i = 0; i < l::HELD; i++)
            to[padded::apart((int)(first + step * (uint32_t)natural_index<LOG>(0, i)))] = v[i];
    }
}

/* Transforms rows of 2^LEAST to 2^LOG numbers. */
template <int LEAST, int LOG, typename T>
static __device__ __forceinline__ void transform_rows(const whole_params<T> &p, number<T> *from, number<T> *to) {
    if (p.log == LOG) {
        transform_lines<LOG>(p, from, to);
        return;
    }
    if constexpr (LOG > LEAST) transform_rows<LEAST, LOG - 1>(p, from, to);
}

/* Stores the results of the arrays of the block. */
template <typename T>
static __device__ __forceinline__ void store_arrays(const whole_params<T> &p, const number<T> *from) {
    const fft_params &j = p.rows;
    const uint64_t array = (uint64_t)blockIdx.x << p.arrays_log;
    const uint32_t count = (uint32_t)min((uint64_t)1 << p.arrays_log, j.batch - array) * p.each.n;
    T *const y = p.radices.j.y + array * p.radices.j.y_step;
    from += padded::apart((int)threadIdx.x);
    if (p.radices.j.y_step == 2 * j.n) {
#pragma unroll 4
        for (uint32_t i = threadIdx.x; i < count; i += blockDim.x, from += padded::apart((int)blockDim.x))
            store_number(y, i, p.radices.j.y_aligned, *from);
        return;
    }
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x, from += padded::apart((int)blockDim.x)) {
        uint32_t above = i;
        const uint32_t index = split_index(p.each, above);
        store_number(y + above * p.radices.j.y_step, index, p.radices.j.y_aligned, *from);
    }
}

/* Blocks in a multiprocessor, bounded by registers. */
template <typename T, int MOST, bool LONG>
static constexpr int WHOLE_RESIDENT = MOST > 7         ? 1
                                      : sizeof(T) == 8 ? 2
                                      : LONG           ? 3
                                                       : 4;

/* LONG: rows of more than 2^SHORT_ROWS_LOG numbers. */
template <typename T, int MOST, bool LONG>
static __global__ void __launch_bounds__(TOGETHER_THREADS, WHOLE_RESIDENT<T, MOST, LONG>)
    whole_kernel(const __grid_constant__ whole_params<T> p) {
    const together_params<T> &l = p.radices;
    const halves<T> shared = {(number<T> *)dynamic_shared, p.apart, p.half};
    number<T> *const results = half_of(shared, l.passes);
    const in_arrays<T> positions = {shared, p.log, (uint32_t)l.j.all - (blockIdx.x << l.width_log)};
    int pass = 1, done = l.p[0];
    wait_for_stream();
    run_radix<MOST, FIRST>(l, 0, 1, positions);
    for (; pass < l.passes - 1; done *= l.p[pass++]) {
        __syncthreads();
        run_radix<MOST, MIDDLE>(l, pass, done, positions);
    }
    if (pass < l.passes) {
        __syncthreads();
        run_radix<MOST, LAST>(l, pass, done, positions);
    }
    __syncthreads();
    transform_rows<LONG ? SHORT_ROWS_LOG + 1 : 1, LONG ? WHOLE_ROWS_LOG : SHORT_ROWS_LOG>(
        p, half_of(shared, l.passes - 1), results);
    __syncthreads();
    store_arrays(p, results);
}

/* -------------------------------------------------------------------------------------- a block */

/* Arrays, shared memory and threads of a block. */
struct shape {
    int log, arrays_log, width_log;
    uint32_t apart, half; /* those of halves */
    unsigned threads;
};

static size_t points_of(const fft_pass_call *c) {
    const fft_radix *const last = c->radices + c->count - 1;
    return last->s * last->points->p;
}

static size_t shared_bytes(const fft_pass_call *c, const shape &s) {
    return 2 * (size_t)s.half * 2 * cuda_type_bytes(c->dtype);
}

/* Sets the members of a shape that follow from its first two. Rows of at least 16 numbers are padded like lines. */
static void set_rows(const fft_pass_call *c, shape *s) {
    const uint32_t m = (uint32_t)points_of(c), held_log = 4;
    s->width_log = s->log + s->arrays_log;
    s->apart = s->width_log < 4 ? (1u << s->width_log) + 1 : (uint32_t)padded::apart(1 << s->width_log);
    /* The lines of a warp, 32 times 16 numbers, may begin in the last row. */
    const uint32_t together = s->log > (int)held_log ? max_u64(512 >> s->width_log, 1) : 1;
    s->half = (m - 1 + together) / together * together * s->apart;
}

/* Returns the rounds of a block with so many threads, times the numbers of a thread in a round. */
static uint64_t cost_of(const fft_pass_call *c, const shape &s, unsigned threads) {
    const uint64_t m = points_of(c), held = s.log < 4 ? (uint64_t)1 << s.log : 16;
    uint64_t cost = ((m << s.width_log) / held + threads - 1) / threads * held;
    for (size_t i = 0; i < c->count; i++) {
        const uint64_t p = c->radices[i].points->p;
        cost += ((m / p << s.width_log) + threads - 1) / threads * p;
    }
    return cost * threads;
}

/* Sets the threads: at least one for 12 numbers, and as many as keep the threads of all rounds busy. */
static void choose_threads(const fft_pass_call *c, shape *s) {
    const size_t numbers = c->n << s->arrays_log;
    const unsigned least = (unsigned)min_u64(TOGETHER_THREADS, (numbers / 12 + 31) / 32 * 32 + 32);
    s->threads = TOGETHER_THREADS;
    for (unsigned threads = TOGETHER_THREADS; threads >= least; threads -= 32)
        if (cost_of(c, *s, threads) < cost_of(c, *s, s->threads)) s->threads = threads;
    /* Threads of a line in several warps wait for one another: all have the same number of lines. */
    if (s->log > 9) s->threads = (unsigned)(numbers / 16);
}

/* Returns a shape with as many arrays as suffice for TOGETHER_BYTES, fewer if there would be too few blocks. */
static shape shape_of(const gpu *g, const fft_pass_call *c) {
    const size_t bytes = c->n * 2 * cuda_type_bytes(c->dtype);
    shape s = {};
    s.log = gpu_log2(c->n / points_of(c));
    while (bytes << (s.arrays_log + 1) <= TOGETHER_BYTES &&
           c->batch >> (s.arrays_log + 1) >= (size_t)g->multiprocessors)
        s.arrays_log++;
    set_rows(c, &s);
    choose_threads(c, &s);
    return s;
}

/* ------------------------------------------------------------------------------------- launches */

bool cuda_fft_takes_whole(const void *state, const fft_pass_call *c) {
    const gpu *const g = (const gpu *)state;
    if (c->n > WHOLE_MOST || c->n == points_of(c) || passes_together(c->n, c->count, c->radices) < c->count)
        return false;
    return shared_bytes(c, shape_of(g, c)) <= g->shared_bytes / 2; /* two blocks in a multiprocessor */
}

template <typename T> static void (*kernel_of(bool large_radix, bool long_rows))(whole_params<T>) {
    if (large_radix) return long_rows ? whole_kernel<T, 13, true> : whole_kernel<T, 13, false>;
    return long_rows ? whole_kernel<T, 7, true> : whole_kernel<T, 7, false>;
}

template <typename T>
static weft_status run_whole(const gpu *g, const fft_pass_call *c, const void *x, void *y, const void *table,
                             weft_error *error) {
    const shape s = shape_of(g, c);
    whole_params<T> p;
    memset(&p, 0, sizeof p);
    p.radices = together_params_of<T>(c, x, y);
    p.radices.width_log = s.width_log;
    p.apart = s.apart;
    p.half = s.half;
    p.rows.table = table;
    p.rows.batch = c->batch;
    p.rows.n = c->n;
    p.rows.scale = c->exchange_out ? 1 / (double)((size_t)1 << s.log) : 1;
    p.rows.swap_out = c->exchange_out;
    p.each = view_length_of(c->n);
    p.log = s.log;
    p.arrays_log = s.arrays_log;
    void (*const kernel)(whole_params<T>) = kernel_of<T>(p.radices.p[0] > 7, s.log > SHORT_ROWS_LOG);
    return launch_passes(g, kernel, ((c->batch - 1) >> s.arrays_log) + 1, s.threads, shared_bytes(c, s), p, error);
}

weft_status cuda_fft_run_whole(gpu *g, const fft_pass_call *c, const void *x, void *y, weft_error *error) {
    const void *table;
    RETURN_IF_ERROR(gpu_twiddles(g, NAME, c->dtype, gpu_log2(c->n / points_of(c)), &table, error));
    return c->dtype == WEFT_F32 ? run_whole<float>(g, c, x, y, table, error)
                                : run_whole<double>(g, c, x, y, table, error);
}
