/* LOG stages of a transform by the threads of a block (ORDER.md 14.3).
 *
 * THREADS threads hold a line of 2^LOG numbers, 16 numbers each (or fewer if the line is shorter). In a phase each
 * thread computes up to four stages on its numbers, in registers. Between phases the threads exchange numbers through
 * shared memory. In phase p the bits of an index into the line are
 *
 *     hi (stages already done) | mid (the stages of p) | lo
 *
 * and a thread's register i holds `mid` = i for one or several pairs (hi, lo). After the first phase these have the
 * same lo and adjacent hi: i consists of adjacent bits of the index. */
#ifndef WEFT_CUDA_STAGES_CUH
#define WEFT_CUDA_STAGES_CUH

#include "cuda/fft/complex.cuh"
#include "cuda/fft/real_parts.cuh"

template <int LOG> struct line {
    static constexpr int HELD_LOG = LOG < 4 ? LOG : 4;
    static constexpr int HELD = 1 << HELD_LOG;
    static constexpr int THREADS = 1 << (LOG - HELD_LOG);
    static constexpr int PHASES = LOG <= 4 ? 1 : (LOG + 3) / 4;

    static constexpr __host__ __device__ int bits(int p) { return LOG / PHASES + (p < LOG % PHASES); }
    static constexpr __host__ __device__ int done(int p) { return p == 0 ? 0 : done(p - 1) + bits(p - 1); }

    /* `hi` and the index in the line of thread t's number i. t and i determine disjoint bits of both, so the value
     * for (t, i) is the sum of those for (t, 0) and (0, i), and the latter is a constant. */
    template <int P> static constexpr __host__ __device__ int hi_of(int t, int i) {
        const int low = LOG - done(P) - bits(P);
        return P == 0 ? 0 : (t >> low) << (HELD_LOG - bits(P)) | i >> bits(P);
    }
    template <int P> static constexpr __host__ __device__ int index_of(int t, int i) {
        const int low = LOG - done(P) - bits(P), mid = i & ((1 << bits(P)) - 1);
        const int lo = P == 0 ? t + (i >> bits(0)) * THREADS : t & ((1 << low) - 1);
        return (hi_of<P>(t, i) << bits(P) | mid) << low | lo;
    }
    template <int P> static __device__ __forceinline__ int hi(int t, int i) {
        return hi_of<P>(t, 0) + hi_of<P>(0, i);
    }
    template <int P> static __device__ __forceinline__ int index(int t, int i) {
        return index_of<P>(t, 0) + index_of<P>(0, i);
    }
};

/* Returns the index of a thread's number i after the last phase, in the natural order of its line. */
template <int LOG> static __device__ __forceinline__ uint64_t natural_index(int t, int i) {
    return mirrored((uint64_t)line<LOG>::template index_of<line<LOG>::PHASES - 1>(t, i), LOG);
}

/* Exchanges numbers between phase FROM and phase TO. A number's address in shared memory is at.start(a) +
 * at.apart(b), where a and b contain disjoint bits of its index. A thread has index `t` in its line in phase FROM,
 * and index `u` in phase TO, possibly in another line, `bt`. */
template <int LOG, int FROM, int TO, typename T, typename At>
static __device__ __forceinline__ void exchange(number<T> *v, number<T> *shared, int t, int u, At at, At bt) {
    typedef line<LOG> l;
    number<T> *from = shared + at.start(l::template index_of<FROM>(t, 0));
    const number<T> *to = shared + bt.start(l::template index_of<TO>(u, 0));
    At::template wait<LOG>();
#pragma unroll
    for (int i = 0; i < l::HELD; i++) from[At::apart(l::template index_of<FROM>(0, i))] = v[i];
    At::template wait<LOG>();
#pragma unroll
    for (int i = 0; i < l::HELD; i++) v[i] = to[At::apart(l::template index_of<TO>(0, i))];
}

template <int LOG, int P, typename T>
static __device__ __forceinline__ void phase(number<T> *v, int t, const number<T> *table, uint32_t block) {
    typedef line<LOG> l;
#pragma unroll
    for (int i = 0; i < l::HELD; i += 1 << l::bits(P))
        stages<l::bits(P)>(v + i, table, (block << l::done(P)) + l::template hi<P>(t, i));
}

template <int LOG, int P, typename T>
static __device__ __forceinline__ void phase_back(number<T> *v, int t, const number<T> *table, uint32_t block) {
    typedef line<LOG> l;
#pragma unroll
    for (int i = 0; i < l::HELD; i += 1 << l::bits(P))
        stages_back<l::bits(P)>(v + i, table, (block << l::done(P)) + l::template hi<P>(t, i));
}

/* Computes the phases from P on; the line is block `block` of its stage. */
template <int LOG, int P = 0, typename T, typename At>
static __device__ __forceinline__ void phases_from(number<T> *v, number<T> *shared, int t, const number<T> *table,
                                                   uint32_t block, At at) {
    phase<LOG, P>(v, t, table, block);
    if constexpr (P + 1 < line<LOG>::PHASES) {
        exchange<LOG, P, P + 1>(v, shared, t, t, at, at);
        phases_from<LOG, P + 1>(v, shared, t, table, block, at);
    }
}

/* Undoes the phases up to and including P, in reverse order. */
template <int LOG, int P = line<LOG>::PHASES - 1, typename T, typename At>
static __device__ __forceinline__ void phases_back(number<T> *v, number<T> *shared, int t, const number<T> *table,
                                                   uint32_t block, At at) {
    phase_back<LOG, P>(v, t, table, block);
    if constexpr (P > 0) {
        exchange<LOG, P, P - 1>(v, shared, t, t, at, at);
        phases_back<LOG, P - 1>(v, shared, t, table, block, at);
    }
}

/* Returns `value`, but hides from the compiler that it is unchanged. Values derived from it are then recomputed
 * rather than kept in registers. */
template <typename V> static __device__ __forceinline__ V afresh(V value) {
    if constexpr (sizeof value == 8)
        asm volatile("" : "+l"(value));
    else
        asm volatile("" : "+r"(value));
    return value;
}

/* One line in shared memory, of adjacent threads. One number of padding follows every 16, so that neither adjacent
 * numbers nor numbers 16 apart use the same bank. */
struct padded {
    int first;
    static constexpr __host__ __device__ int apart(int index) { return index + (index >> 4); }
    __device__ __forceinline__ int start(int index) const { return first + apart(index); }
    template <int LOG> static __device__ __forceinline__ void wait() { __syncthreads(); }
};
/* In blocks of full warps the threads of a line that a warp holds wait for that warp only. */
struct padded_in_warps : padded {
    template <int LOG> static __device__ __forceinline__ void wait() {
        if constexpr (line<LOG>::THREADS <= 32)
            __syncwarp();
        else
            __syncthreads();
    }
};
template <int LOG> static constexpr __host__ __device__ int padded_size() { return (1 << LOG) + ((1 << LOG) >> 4); }

/* Geometry of a block that processes WIDTH lines, whose numbers of equal index take BYTES bytes. */
template <typename T, int LOG, int BYTES> struct lines_shape {
    static constexpr int WIDTH = BYTES / (2 * sizeof(T));
    static constexpr int THREADS = WIDTH * line<LOG>::THREADS;
    /* Blocks per multiprocessor, bounded by registers. */
    static constexpr int RESIDENT = 4096 / sizeof(T) / (THREADS < 32 ? 32 : THREADS);

    static constexpr int ROW = 128 / (int)sizeof(number<T>); /* numbers of a row of all banks */

    /* Returns the launch of a kernel that calls wait_for_stream. is_padded: see side_by_side. */
    static fft_launch launch(const void *kernel, const fft_params *j, bool is_padded) {
        const size_t numbers = (size_t)WIDTH << LOG;
        return fft_launch{kernel, j->batch * ((j->n >> LOG) / WIDTH), THREADS,
                          (unsigned)((is_padded ? numbers + numbers / ROW : numbers) * sizeof(number<T>)), true};
    }
};

/* Bytes by length: 256 or 128, or 64 or 32 where more would not fit. If a transform has too few lines for all
 * multiprocessors, NARROW blocks are 32 bytes wide. */
template <int LOG, bool NARROW>
static constexpr int PASS_BYTES = LOG <= 6             ? 256
                                  : NARROW || LOG > 10 ? 32
                                  : LOG < 10           ? 128
                                                       : 64;

template <typename T, int LOG, bool NARROW = false>
struct pass_shape : lines_shape<T, LOG, PASS_BYTES<LOG, NARROW>> {};

/* Returns the launch of a pass of `log` stages: with narrow blocks, where these differ from others, if there would be
 * fewer than `blocks` others. Pass<T, LOG, NARROW> has the type `shape` and launch(j). */
template <template <typename, int, bool> class Pass, typename T, int LOG>
static fft_launch find_pass(int log, unsigned blocks, const fft_params *j) {
    if (log == LOG) {
        constexpr bool NARROW = Pass<T, LOG, true>::shape::WIDTH < Pass<T, LOG, false>::shape::WIDTH;
        const fft_launch wide = Pass<T, LOG, false>::launch(j);
        return wide.blocks < blocks ? Pass<T, LOG, NARROW>::launch(j) : wide;
    }
    if constexpr (LOG > FFT_PASS_LOG_MIN) return find_pass<Pass, T, LOG - 1>(log, blocks, j);
    return fft_launch{};
}

/* WIDTH interleaved lines. If ROW is not 0, one number of padding follows every ROW numbers, so that neither adjacent
 * numbers of a line nor those 16 apart use the same bank. */
template <int WIDTH, int ROW = 0> struct side_by_side {
    int which;
    static constexpr __host__ __device__ int apart(int index) {
        return index * WIDTH + (ROW > 0 ? index * WIDTH / (ROW > 0 ? ROW : 1) : 0);
    }
    __device__ __forceinline__ int start(int index) const { return which + apart(index); }
    template <int LOG> static __device__ __forceinline__ void wait() { __syncthreads(); }
};

#endif
