/* Transforms of n = m 2^k values with constant m and k, in one pass over memory (ORDER.md 14.8). A block transforms
 * some arrays in phases. In a phase a thread loads numbers, in the first phase from memory and then from shared
 * memory, computes passes of odd radices or stages of the rows in registers, and stores them, in the last phase to
 * memory. The last passes of odd radices may include the first stages of the rows.
 *
 * Before passes, shared memory contains row i of an array as in ORDER.md 14.8. Before stages it contains blocks:
 * after `done` stages, block s is block m(s / M) of row s % M, where m() reverses `done` digits. Then number f of
 * block s, after all stages, is result s + f M 2^done, so that adjacent threads have adjacent results. Rows and
 * blocks of an array follow those of the array before.
 *
 * Adjacent threads have adjacent numbers of a row or block, then adjacent rows or blocks. Pitches let them access
 * different banks. */
#ifndef WEFT_CUDA_FFT_PHASES_CUH
#define WEFT_CUDA_FFT_PHASES_CUH

#include "cuda/fft/fft_fixed.cuh"
#include "cuda/fft/fft_whole.cuh"

/* Numbers in a row of all banks. */
template <typename T> static constexpr int BANKS = 128 / (int)sizeof(number<T>);

/* Returns i with its `bits` <= 4 digits in reverse order. */
static constexpr __host__ __device__ int reversed(int i, int bits) {
    return ((i & 1) << 3 | (i & 2) << 1 | (i & 4) >> 1 | (i & 8) >> 3) >> (4 - bits);
}

static constexpr __host__ __device__ int constant_log2(int power) {
    return power == 1 ? 0 : 1 + constant_log2(power / 2);
}

/* Returns the smallest number from `least` on that is `rest` modulo `modulus`. */
static constexpr __host__ __device__ int next_with_rest(int least, int rest, int modulus) {
    return least + ((rest - least) % modulus + modulus) % modulus;
}

/* A phase of stages after `DONE` stages. HELD: the numbers of a unit, which a thread computes; UNITS: those of an
 * array; ROWS: the rows or blocks of an array. Before the phase, number i of block s is s row() + i step() in shared
 * memory. */
template <typename T, int M, int LOG, int DONE> struct stages_phase {
    static constexpr bool STAGES = true;
    static constexpr int PHASES = (LOG - DONE + 3) / 4; /* from this one on */
    static constexpr int BITS = (LOG - DONE - 1) / PHASES + 1, LOW = LOG - DONE - BITS;
    static constexpr int HELD = 1 << BITS, UNITS = M << (LOG - BITS), ROWS = M << DONE;
    static constexpr bool IS_FIRST = false, IS_LAST = LOW == 0;
    static constexpr __host__ __device__ int row() {
        return IS_LAST ? 1 : (1 << (BITS + LOW)) + (1 << LOW) % BANKS<T>;
    }
    static constexpr __host__ __device__ int step(int arrays) {
        if (!IS_LAST) return 1;
        return next_with_rest(ROWS * arrays, BANKS<T> >> BITS > 1 ? BANKS<T> >> BITS : 1, BANKS<T>);
    }
    static constexpr __host__ __device__ int numbers(int arrays) {
        return IS_LAST ? step(arrays) << BITS : row() * ROWS * arrays;
    }
    typedef stages_phase<T, M, LOG, DONE + BITS> next;
};

/* The phase after that of group G. */
template <typename T, int M, int LOG, int INCLUDED, class G> struct radices_phase;
template <bool IS_LAST, typename T, int M, int LOG, int INCLUDED, class G> struct after_group {
    typedef radices_phase<T, M, LOG, INCLUDED, typename G::next> phase;
};
template <typename T, int M, int LOG, int INCLUDED, class G> struct after_group<true, T, M, LOG, INCLUDED, G> {
    typedef stages_phase<T, M, LOG, INCLUDED> phase;
};

/* A phase of the passes of group G and, if they are the last ones, of INCLUDED stages. Before the phase, row
 * (k HELD + c) B + r of an array (fft_fixed.cuh) is at k PITCH + (c B + r) 2^LOG. */
template <typename T, int M, int LOG, int INCLUDED, class G> struct radices_phase {
    static constexpr bool STAGES = false;
    typedef G g;
    static constexpr int BITS = g::IS_LAST ? INCLUDED : 0, WIDTH = 1 << (LOG - BITS);
    static constexpr int HELD = g::HELD << BITS, UNITS = g::UNITS * WIDTH, ROWS = M;
    static constexpr bool IS_FIRST = g::IS_FIRST, IS_LAST = g::IS_LAST && LOG == 0;
    static constexpr int LENGTH = g::HELD * g::B << LOG, RUN = g::B * WIDTH; /* adjacent threads access RUN numbers */
    static constexpr bool APART = RUN >= BANKS<T> || (BANKS<T> % RUN == 0 && LENGTH / RUN % 2 != 0);
    static constexpr int PITCH = APART ? LENGTH : next_with_rest(LENGTH, RUN, BANKS<T>);
    static constexpr __host__ __device__ int numbers(int arrays) { return IS_FIRST ? 0 : g::DONE * PITCH * arrays; }
    typedef typename after_group<g::IS_LAST, T, M, LOG, INCLUDED, G>::phase next;
};

/* ---------------------------------------------------------------------------------- shape of a block */

/* Returns the most numbers that a thread holds in the phases from `phase` on. */
template <class phase> static constexpr __host__ __device__ int held_in_phases(int arrays, int threads) {
    if constexpr (phase::IS_LAST) {
        return phase::HELD; /* one unit after the other */
    } else {
        const int own = ((phase::UNITS * arrays - 1) / threads + 1) * phase::HELD;
        const int others = held_in_phases<typename phase::next>(arrays, threads);
        return own > others ? own : others;
    }
}

/* Returns the most numbers in shared memory before `phase` and others that follow. */
template <class phase> static constexpr __host__ __device__ int numbers_of_phases(int arrays) {
    const int own = phase::numbers(arrays);
    if constexpr (phase::IS_LAST) {
        return own;
    } else {
        const int others = numbers_of_phases<typename phase::next>(arrays);
        return own > others ? own : others;
    }
}

/* GROUP: most numbers of a group; INCLUDED: stages in the last group. */
template <typename T, int M_, int LOG_, int GROUP, int INCLUDED, int ARRAYS_, int THREADS_> struct phases_shape {
    static constexpr int M = M_, LOG = LOG_, ARRAYS = ARRAYS_, THREADS = THREADS_;
    typedef radices_phase<T, M, LOG, INCLUDED, group<T, M, 1, GROUP>> first;
    static constexpr int HELD = held_in_phases<first>(ARRAYS, THREADS);
    static constexpr int FIT = held_threads<T>(HELD) / THREADS, RESIDENT = FIT > 0 ? FIT : 1;
    static constexpr size_t BYTES = numbers_of_phases<first>(ARRAYS) * sizeof(number<T>);
    static_assert(HELD <= (sizeof(T) == 4 ? 32 : 25), "the numbers of a thread are in registers");
    static_assert(passes_from<group<T, M, 1, GROUP>>() <= TOGETHER_PASSES, "the parameters contain all passes");
};

/* The arrays of a block: the first one, and how many of them exist. */
struct phases_arrays {
    uint64_t first;
    uint32_t left;
};

/* ---------------------------------------------------------------------------------- passes of odd radices */

/* A unit of passes: number w of unit i of the group (fft_fixed.cuh), in array `array` of the block. */
template <class phase> struct passes_unit {
    uint32_t w, i, array;
    __device__ __forceinline__ passes_unit(uint32_t b)
        : w(b % phase::WIDTH), i(b / phase::WIDTH % phase::g::UNITS), array(b / phase::UNITS) {}
    __device__ __forceinline__ uint32_t k() const { return phase::IS_FIRST ? 0 : i / phase::g::B; }
};

/* v contains the numbers of the group for each stage number: number c for stage number s is v[s HELD + c]. */
template <class phase, int LOG, typename T>
static __device__ __forceinline__ void read_passes(const whole_params<T> &p, const phases_arrays &own,
                                                   const number<T> *shared, uint32_t b, number<T> *v) {
    typedef typename phase::g g;
    const passes_unit<phase> at(b);
    if constexpr (phase::IS_FIRST) {
        const uint64_t array = own.first + min(at.array, own.left - 1);
        const T *const x = p.radices.j.x + array * p.radices.j.x_step + 2 * ((at.i << LOG) + at.w);
        load_numbers<phase::HELD>(v, p.radices.j.x_aligned, false, [=](int n) {
            return x + 2 * ((n % g::HELD * g::UNITS << LOG) + n / g::HELD * phase::WIDTH);
        });
        swap_parts<phase::HELD>(v, p.radices.j.exchange_in);
    } else {
        const uint32_t block = at.array * g::DONE + at.k();
        const number<T> *const from = shared + block * phase::PITCH + (at.i % g::B << LOG) + at.w;
#pragma unroll
        for (int n = 0; n < phase::HELD; n++) v[n] = from[(n % g::HELD * g::B << LOG) + n / g::HELD * phase::WIDTH];
    }
}

/* Multiplies the results of the last passes by the factors of the rows and by the scale. */
template <class phase, int LOG, typename T>
static __device__ __forceinline__ void multiply_rows(const whole_params<T> &p, const passes_unit<phase> &at,
                                                     number<T> *v) {
    typedef typename phase::g g;
    const radix_params<T> &j = p.radices.j;
    if constexpr (LOG > 0) {
        const number<T> *const factors = j.factors + (at.i << LOG) + at.w;
#pragma unroll
        for (int n = 0; n < phase::HELD; n++) {
            const int c = n % g::HELD;
            number<T> w = {1, 0}; /* of row 0 */
            if (g::UNITS > 1 || c > 0)
                load_twiddles<1>(factors + (c * g::UNITS << LOG) + n / g::HELD * phase::WIDTH, 0, &w);
            v[n] = multiply(v[n], w);
        }
    }
    if (j.scaled)
#pragma unroll
        for (int n = 0; n < phase::HELD; n++) v[n] = number<T>{v[n].re * j.scale, v[n].im * j.scale};
}

template <class phase, int LOG, int PASS, typename T>
static __device__ __forceinline__ void compute_passes(const whole_params<T> &p, uint32_t b, number<T> *v) {
    typedef typename phase::g g;
    const passes_unit<phase> at(b);
#pragma unroll
    for (int s = 0; s < 1 << phase::BITS; s++) fixed_group<g, true>(p.radices, PASS, 1, 0, at.k(), v + s * g::HELD);
    if constexpr (g::IS_LAST) multiply_rows<phase, LOG>(p, at, v);
    if constexpr (phase::BITS > 0) {
#pragma unroll
        for (int c = 0; c < g::HELD; c++) {
            number<T> row[1 << phase::BITS];
#pragma unroll
            for (int s = 0; s < 1 << phase::BITS; s++) row[s] = v[s * g::HELD + c];
            stages<phase::BITS>(row, (const number<T> *)p.rows.table, 0);
#pragma unroll
            for (int s = 0; s < 1 << phase::BITS; s++) v[s * g::HELD + c] = row[s];
        }
    }
}

/* Writes the results of a unit: row (k + DONE c) B + r, or the blocks that follow, for result c. */
template <class shape, class phase, typename T>
static __device__ __forceinline__ void write_passes(number<T> *shared, uint32_t b, const number<T> *v) {
    typedef typename phase::g g;
    typedef typename phase::next next;
    const passes_unit<phase> at(b);
    if constexpr (next::STAGES) {
        number<T> *const to =
            shared + (at.array * next::ROWS + at.i) * next::row() + at.w * next::step(shape::ARRAYS);
#pragma unroll
        for (int n = 0; n < phase::HELD; n++)
            to[(n % g::HELD * g::DONE + phase::ROWS * reversed(n / g::HELD, phase::BITS)) * next::row()] = v[n];
    } else {
        const uint32_t block = at.array * next::g::DONE + at.k();
        number<T> *const to = shared + block * next::PITCH + (at.i % g::B << shape::LOG) + at.w;
#pragma unroll
        for (int n = 0; n < phase::HELD; n++) to[n * g::DONE * next::PITCH] = v[n];
    }
}

/* Stores the results of arrays without rows. */
template <class phase, typename T>
static __device__ __forceinline__ void store_passes(const whole_params<T> &p, const phases_arrays &own, uint32_t b,
                                                    number<T> *v) {
    typedef typename phase::g g;
    const passes_unit<phase> at(b);
    swap_parts<phase::HELD>(v, p.radices.j.exchange_out);
#pragma unroll
    for (int c = 0; c < phase::HELD; c++) v[c] = number<T>{canonical_result(v[c].re), canonical_result(v[c].im)};
    T *const y = p.radices.j.y + (own.first + at.array) * p.radices.j.y_step + 2 * at.i;
    if (at.array < own.left)
        store_numbers<phase::HELD>(v, p.radices.j.y_aligned, false, [=](int c) { return y + 2 * c * g::DONE; });
}

/* ------------------------------------------------------------------------------------- stages of rows */

/* A unit of stages: the numbers of block `block`, of all arrays, whose lowest digits are `low`. */
template <class phase> struct stages_unit {
    uint32_t low, block;
    __device__ __forceinline__ stages_unit(uint32_t b) : low(b % (1 << phase::LOW)), block(b >> phase::LOW) {}
    __device__ __forceinline__ uint32_t array() const { return block / phase::ROWS; }
    __device__ __forceinline__ uint32_t in_array() const { return block % phase::ROWS; }
};

template <class shape, class phase, typename T>
static __device__ __forceinline__ void read_stages(const number<T> *shared, uint32_t b, number<T> *v) {
    const stages_unit<phase> at(b);
    constexpr int STEP = phase::step(shape::ARRAYS);
    const number<T> *const from = shared + at.block * phase::row() + at.low * STEP;
#pragma unroll
    for (int i = 0; i < phase::HELD; i++) v[i] = from[(i << phase::LOW) * STEP];
}

template <class phase, int M, typename T>
static __device__ __forceinline__ void compute_stages(const whole_params<T> &p, uint32_t b, number<T> *v) {
    constexpr int DONE_LOG = constant_log2(phase::ROWS / M);
    const uint32_t of_row = stages_unit<phase>(b).in_array() / M;
    stages<phase::BITS>(v, (const number<T> *)p.rows.table, DONE_LOG ? __brev(of_row) >> ((32 - DONE_LOG) % 32) : 0);
}

template <class shape, class phase, typename T>
static __device__ __forceinline__ void write_stages(number<T> *shared, uint32_t b, const number<T> *v) {
    typedef typename phase::next next;
    const stages_unit<phase> at(b);
    const uint32_t block = at.array() * next::ROWS + at.in_array();
    number<T> *const to = shared + block * next::row() + at.low * next::step(shape::ARRAYS);
#pragma unroll
    for (int i = 0; i < phase::HELD; i++) to[phase::ROWS * reversed(i, phase::BITS) * next::row()] = v[i];
}

template <class phase, typename T>
static __device__ __forceinline__ void store_stages(const whole_params<T> &p, const phases_arrays &own, uint32_t b,
                                                    number<T> *v) {
    const stages_unit<phase> at(b);
    finish<phase::HELD>(p.rows, v);
    T *const y = p.radices.j.y + (own.first + at.array()) * p.radices.j.y_step + 2 * at.in_array();
    if (at.array() < own.left)
        store_numbers<phase::HELD>(v, p.radices.j.y_aligned, false,
                                   [=](int i) { return y + 2 * phase::ROWS * reversed(i, phase::BITS); });
}

/* -------------------------------------------------------------------------------------------- phases */

template <class shape, class phase, int PASS, typename T>
static __device__ __forceinline__ void compute_unit_of(const whole_params<T> &p, uint32_t b, number<T> *v) {
    if constexpr (phase::STAGES)
        compute_stages<phase, shape::M>(p, b, v);
    else
        compute_passes<phase, shape::LOG, PASS>(p, b, v);
}

template <class shape, class phase, typename T>
static __device__ __forceinline__ void read_unit_of(const whole_params<T> &p, const phases_arrays &own,
                                                    const number<T> *shared, uint32_t b, number<T> *v) {
    if constexpr (phase::STAGES)
        read_stages<shape, phase>(shared, b, v);
    else
        read_passes<phase, shape::LOG>(p, own, shared, b, v);
}

/* Computes the phases from `phase` on. A thread reads the numbers of all its units before it writes results, which
 * replace others. In the first phase that hides the latency of loads. PASS: the first pass of a phase of passes. */
template <class shape, class phase, int PASS, typename T>
static __device__ __forceinline__ void run_phases(const whole_params<T> &p, const phases_arrays &own,
                                                  number<T> *shared) {
    constexpr int THREADS = shape::THREADS, ALL = phase::UNITS * shape::ARRAYS, ROUNDS = (ALL - 1) / THREADS + 1;
    const uint32_t thread = afresh(threadIdx.x);
    if constexpr (phase::IS_LAST) {
#pragma unroll
        for (int n = 0; n < ROUNDS; n++) {
            const uint32_t b = thread + (uint32_t)(n * THREADS);
            if ((n + 1) * THREADS > ALL && b >= ALL) break;
            number<T> v[phase::HELD];
            read_unit_of<shape, phase>(p, own, shared, b, v);
            compute_unit_of<shape, phase, PASS>(p, b, v);
            if constexpr (phase::STAGES)
                store_stages<phase>(p, own, b, v);
            else
                store_passes<phase>(p, own, b, v);
        }
    } else {
        number<T> v[ROUNDS * phase::HELD];
#pragma unroll
        for (int n = 0; n < ROUNDS; n++) {
            const uint32_t b = thread + (uint32_t)(n * THREADS);
            if ((n + 1) * THREADS > ALL && b >= ALL) break;
            read_unit_of<shape, phase>(p, own, shared, b, v + n * phase::HELD);
            if (!phase::IS_FIRST) compute_unit_of<shape, phase, PASS>(p, b, v + n * phase::HELD);
        }
        if (!phase::IS_FIRST) __syncthreads();
#pragma unroll
        for (int n = 0; n < ROUNDS; n++) {
            const uint32_t b = thread + (uint32_t)(n * THREADS);
            if ((n + 1) * THREADS > ALL && b >= ALL) break;
            if (phase::IS_FIRST) compute_unit_of<shape, phase, PASS>(p, b, v + n * phase::HELD);
            if constexpr (phase::STAGES)
                write_stages<shape, phase>(shared, b, v + n * phase::HELD);
            else
                write_passes<shape, phase>(shared, b, v + n * phase::HELD);
        }
        __syncthreads();
        if constexpr (phase::STAGES)
            run_phases<shape, typename phase::next, PASS>(p, own, shared);
        else
            run_phases<shape, typename phase::next, PASS + phase::g::PASSES>(p, own, shared);
    }
}

#endif
