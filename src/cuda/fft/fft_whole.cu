/* Transforms of n = m 2^k values whose arrays fit in shared memory, in one pass over memory (ORDER.md 14.8). A block
 * transforms 2^arrays_log arrays: passes of odd radices (fft_together.cuh), whose results are m rows of 2^k numbers
 * in each array, then the rows, whose results are stored in shared memory in the order of y. */
#include "cuda/fft/fft_whole.cuh"

static const char NAME[] = "fft";

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

/* Transforms the rows of a block of m rows. */
template <int LOG, typename T>
static __device__ __forceinline__ void transform_lines(const whole_params<T> &p, uint32_t m, int arrays_log,
                                                       uint32_t apart, number<T> *from, number<T> *to) {
    typedef line<LOG> l;
    const uint32_t lines = m << arrays_log;
    for (uint32_t at = threadIdx.x / l::THREADS; at / OF_WARP<LOG> * OF_WARP<LOG> < lines;
         at += blockDim.x / l::THREADS) {
        const whole_line<LOG> own(at, arrays_log);
        number<T> v[l::HELD];
        transform_line(p, own, apart, from, v);
        if (at >= lines) return;
        keep_line(p, own, m, v, to);
    }
}

/* Transforms rows of 2^LEAST to 2^LOG numbers. */
template <int LEAST, int LOG, typename T>
static __device__ __forceinline__ void transform_rows(const whole_params<T> &p, number<T> *from, number<T> *to) {
    if (p.log == LOG) {
        transform_lines<LOG>(p, (uint32_t)p.radices.points, p.arrays_log, p.apart, from, to);
        return;
    }
    if constexpr (LOG > LEAST) transform_rows<LEAST, LOG - 1>(p, from, to);
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
    store_arrays(p, (uint64_t)blockIdx.x << p.arrays_log, p.arrays_log, results);
}

/* -------------------------------------------------------------------------------------- a block */

/* Arrays, shared memory and threads of a block. */
struct shape {
    int log, arrays_log, width_log;
    uint32_t apart, half; /* those of halves */
    unsigned threads;
};

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
    if (c->kind == FFT_CHIRP) return cuda_fft_takes_chirp(g, c);
    if (cuda_fft_takes_phases(g, c)) return true;
    if (c->n > WHOLE_MOST) return false;
    if (c->n == points_of(c)) return cuda_fft_takes_radices(g, c);
    if (cuda_fft_takes_fixed(g, c)) return true;
    return passes_together(c->n, c->count, c->radices) == c->count &&
           shared_bytes(c, shape_of(g, c)) <= g->shared_bytes / 2; /* two blocks in a multiprocessor */
}

template <typename T> static void (*kernel_of(bool large_radix, bool long_rows))(whole_params<T>) {
    if (large_radix) return long_rows ? whole_kernel<T, 13, true> : whole_kernel<T, 13, false>;
    return long_rows ? whole_kernel<T, 7, true> : whole_kernel<T, 7, false>;
}

template <typename T>
static weft_status run_whole(const gpu *g, const fft_pass_call *c, const void *x, void *y, const void *table,
                             weft_error *error) {
    const shape s = shape_of(g, c);
    whole_params<T> p = whole_params_of<T>(c, x, y, table);
    p.radices.width_log = s.width_log;
    p.apart = s.apart;
    p.half = s.half;
    p.arrays_log = s.arrays_log;
    void (*const kernel)(whole_params<T>) = kernel_of<T>(p.radices.p[0] > 7, s.log > SHORT_ROWS_LOG);
    return launch_passes(g, kernel, ((c->batch - 1) >> s.arrays_log) + 1, s.threads, shared_bytes(c, s), p, error);
}

/* Transforms arrays whose positions have numbers of 32 bits. */
static weft_status run_part(gpu *g, const fft_pass_call *c, const void *x, void *y, weft_error *error) {
    const void *table;
    const bool phases = cuda_fft_takes_phases(g, c);
    if (c->n == points_of(c) && !phases) return cuda_fft_run_radices(g, c, x, y, error);
    RETURN_IF_ERROR(gpu_twiddles(g, NAME, c->dtype, gpu_log2(c->n / points_of(c)), &table, error));
    if (phases) return cuda_fft_run_phases(g, c, x, y, table, error);
    if (cuda_fft_takes_fixed(g, c)) return cuda_fft_run_fixed(g, c, x, y, table, error);
    return c->dtype == WEFT_F32 ? run_whole<float>(g, c, x, y, table, error)
                                : run_whole<double>(g, c, x, y, table, error);
}

/* Divides a large batch into equal parts: a small last part might have no kernel. */
weft_status cuda_fft_run_whole(gpu *g, const fft_pass_call *c, const void *x, void *y, weft_error *error) {
    const size_t most = ((size_t)1 << 31) / (c->n / points_of(c)), size = cuda_type_bytes(c->dtype);
    const size_t part = ceil_div(c->batch, ceil_div(c->batch, most));
    for (size_t first = 0; first < c->batch; first += part) {
        fft_pass_call some = *c;
        some.batch = min_u64(part, c->batch - first);
        RETURN_IF_ERROR(run_part(g, &some, (const char *)x + first * c->x_step * size,
                                 (char *)y + first * c->y_step * size, error));
    }
    return WEFT_OK;
}
