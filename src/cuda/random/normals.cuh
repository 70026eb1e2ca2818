/* Normals for the kernels of random.cu and price.cu: the bits of weft_probit_f64 (ORDER.md 18.6) with less work.
 *
 * If a normal is rounded to f32, an approximation is sufficient whenever both ends of its error interval are rounded
 * to one number. Only otherwise, for about one in two thousand words, the quantile is computed. The approximation is
 * a table in shared memory. With t = min(p, 1 - p), the quantile is (1/2 - t) G(t). Each octave of t is divided into
 * PARTS parts, in each of which G is a parabola, in integers.
 *
 * In f64 the only saving is to evaluate one of the two formulas for each word. A warp evaluates the middle formula
 * for all its words, and compacts those in the tails, every seventh, so that no thread idles. */
#ifndef WEFT_CUDA_NORMALS_CUH
#define WEFT_CUDA_NORMALS_CUH

#include "arith/elementary.h"

/* ------------------------------------------------------------------------------- the table */

/* Maximum relative error of a normal from the table. The largest error over all 2^32 words is 2^-35.4. */
#define NORMAL_ERROR 0x1.8p-36

/* Smallest standard deviation for which normals are computed from the table. */
#define NORMAL_SCALE_MIN 0x1p-64

/* Parabola of one part of an octave, evaluated downward from its end. `value`: the bits of the f64 OFFSET + G, whose
 * exponent is that of OFFSET. Upper half of `course`: its rise over the part, in units of RISE last bits; lower half:
 * the additional rise due to its curvature. */
struct alignas(16) normal_part {
    uint64_t value, course;
};

#define NORMAL_PARTS_LOG 9
#define NORMAL_PARTS (1u << NORMAL_PARTS_LOG)
#define NORMAL_OFFSET 8.0
#define NORMAL_RISE UINT64_C(512)

/* Octave k contains the probabilities from 2^-(k + 2) to 2^-(k + 1). Words in later octaves are as rare as those that
 * the table cannot decide. */
enum { NORMAL_OCTAVES = 13 };

/* Returns the bytes of a table of `octaves` octaves and the additional entry after them. */
static inline size_t normal_table_bytes(uint32_t octaves) {
    return ((size_t)octaves * NORMAL_PARTS + 1) * sizeof(normal_part);
}

/* ------------------------------------------------------------------------ the two formulas */

/* Coefficients in constant memory, so that they are operands of instructions. As literals in the code, each takes two
 * moves. */
static __constant__ double PROBIT_A[] = {WEFT_PROBIT_A}, PROBIT_B[] = {WEFT_PROBIT_B}, PROBIT_C[] = {WEFT_PROBIT_C};
static __constant__ double PROBIT_D[] = {WEFT_PROBIT_D}, PROBIT_E[] = {WEFT_PROBIT_E}, PROBIT_F[] = {WEFT_PROBIT_F};

static __device__ __forceinline__ bool is_in_middle(double p) { return fabs(p - 0.5) <= WEFT_PROBIT_MIDDLE; }

/* Returns a / x, for a, x and their quotient not near the limits of the exponent range. This is the compiler's own
 * sequence from the hardware's approximation on, without the branch for other operands, which would prevent four
 * quotients from being interleaved. */
static __device__ __forceinline__ double quotient(double a, double x) {
    double r;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    const double seed = weft_from_bits_f64(weft_bits_f64(r) | 1), off = fma(-x, seed, 1.0);
    const double once = fma(seed, fma(off, off, off), seed), inverse = fma(once, fma(-x, once, 1.0), once);
    const double rough = a * inverse;
    return fma(inverse, fma(-x, rough, a), rough);
}

static __device__ __forceinline__ double middle_argument(double p) {
    const double size = fabs(p - 0.5);
    return WEFT_PROBIT_MIDDLE * WEFT_PROBIT_MIDDLE - size * size;
}

static __device__ __forceinline__ double probit_of_middle(double p, double above, double below) {
    const double size = fabs(p - 0.5), z = size * size;
    const double y = fma(size, WEFT_SQRT_2PI_HIGH, size * fma(z, quotient(above, below), WEFT_SQRT_2PI_LOW));
    return p < 0.5 ? -y : y;
}

static __device__ double probit_of_tail(double p) {
    const double root = sqrt(-weft_log_f64(p < 0.5 ? p : 1 - p)), near = root - 1.6, far = root - 5;
    double above, below;
    if (root <= 5) {
        above = weft_horner(PROBIT_C, 8, near);
        below = weft_horner(PROBIT_D, 8, near);
    } else {
        above = weft_horner(PROBIT_E, 8, far);
        below = weft_horner(PROBIT_F, 8, far);
    }
    const double y = fma(root, WEFT_SQRT_2, -quotient(above, below));
    return p < 0.5 ? -y : y;
}

/* ----------------------------------------------------------------------------------- f32 */

/* Returns the middle of the part of (0, 1) that a word represents. */
static __device__ __forceinline__ double middle_of_word(uint32_t word) { return ((double)word + 0.5) * 0x1p-32; }

/* Loads an entry by one instruction. */
static __device__ __forceinline__ normal_part load_part(const normal_part *p) {
    const ulonglong2 raw = *(const ulonglong2 *)p;
    return normal_part{raw.x, raw.y};
}

/* The table of a block, in its shared memory. */
struct near_normals {
    const normal_part *parts;
    uint32_t count; /* number of entries; one more follows for words beyond the table, and is infinite */

    /* Returns the quantile of the word's middle, with relative error at most NORMAL_ERROR, or infinity beyond the
     * table. In the latter case exactly one end of its error interval is a NaN. q / 2^33 is t. */
    __device__ __forceinline__ double operator()(uint32_t word) const {
        const uint32_t side = word >> 31 ? UINT32_MAX : 0, q = (word ^ side) << 1 | 1;
        const uint32_t octave = (uint32_t)__clz((int)q), digits = q << octave;
        const uint32_t at = octave * NORMAL_PARTS + (digits >> (31 - NORMAL_PARTS_LOG)) - NORMAL_PARTS;
        const normal_part v = load_part(parts + (at < count ? at : count));
        const uint32_t left =
            digits *
            (0 - (2u << NORMAL_PARTS_LOG)); /* distance to the end of the part, relative to its length, times 2^32 */
        const uint64_t slope = (uint64_t)left * (uint32_t)v.course + v.course;
        const uint64_t rise = __umulhi(left, (uint32_t)(slope >> 32));
        const double g = weft_from_bits_f64(rise * NORMAL_RISE + v.value) - NORMAL_OFFSET;
        const double distance = weft_from_bits_f64(UINT64_C(0x4120000000000000) | (0 - q)) - 0x1p19;
        const uint64_t sign = ~word & UINT32_C(0x80000000);
        return weft_from_bits_f64(weft_bits_f64(distance * g) ^ sign << 32);
    }
};

/* Returns entry k of a table: the parabola through three values of G at Chebyshev nodes. */
static __device__ normal_part make_part(uint32_t k) {
    const double at[] = {0x1.126145e9ecd54p-4, 0.5, 0x1.ddb3d742c2656p-1}, unit = 0x1p-49 * (double)NORMAL_RISE;
    const double octave = weft_from_bits_f64((uint64_t)(1023 - 2 - k / NORMAL_PARTS) << 52);
    double g[3];
    for (int i = 0; i < 3; i++) {
        const double t = octave * (1 + ((double)(k % NORMAL_PARTS + 1) - at[i]) / NORMAL_PARTS);
        g[i] = -weft_probit_f64(t) / (0.5 - t);
    }
    const double first = (g[1] - g[0]) / (at[1] - at[0]), second = (g[2] - g[1]) / (at[2] - at[1]);
    const double bend = (second - first) / (at[2] - at[0]), slope = first - bend * (at[0] + at[1]);
    const double value = g[0] - at[0] * (slope + bend * at[0]);
    /* the slope vanishes at t = 1/2, where rounding errors exceed it */
    return normal_part{weft_bits_f64(NORMAL_OFFSET + value),
                       (uint64_t)(slope > 0 ? slope / unit : 0) << 32 | (uint32_t)(bend / unit)};
}

/* Copies the table to the block's shared memory, and waits for it. All threads of the block must call it. */
static __device__ __forceinline__ near_normals copy_in_normals(const normal_part *from, uint32_t octaves,
                                                               normal_part *to) {
    const uint32_t count = octaves * NORMAL_PARTS;
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x) to[i] = from[i];
    if (threadIdx.x == 0) to[count] = normal_part{UINT64_C(0x7ff0000000000000), 0};
    __syncthreads();
    return near_normals{to, count};
}

static __device__ __attribute__((noinline)) double quantile_of_word(uint32_t word) {
    const double p = middle_of_word(word);
    if (!is_in_middle(p)) return probit_of_tail(p);
    const double t = middle_argument(p);
    return probit_of_middle(p, weft_horner(PROBIT_A, 8, t), weft_horner(PROBIT_B, 8, t));
}

/* Computes z[k] = (float)finish(quantile of w[k]). ends(y, low, high) sets the bounds of the result for a quantile
 * that the table approximates by y. */
template <class ENDS, class FINISH>
static __device__ __forceinline__ void four_results(const near_normals &near, const uint32_t *w, ENDS ends,
                                                    FINISH finish, float *z) {
    uint32_t doubt[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        float high;
        ends(near(w[k]), z[k], high);
        doubt[k] = weft_bits_f32(z[k]) ^ weft_bits_f32(high);
    }
    if (!(doubt[0] | doubt[1] | doubt[2] | doubt[3])) return;
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (doubt[k]) z[k] = (float)finish(quantile_of_word(w[k]));
}

/* Computes z[k] = (float)finish(quantile of w[k]), where finish(y) = b y + a with b >= NORMAL_SCALE_MIN. finish is
 * monotonic, and the ends of an interval are too far apart to be zeros of opposite signs. */
template <class FINISH>
static __device__ __forceinline__ void four_normals(const near_normals &near, const uint32_t *w, FINISH finish,
                                                    float *z) {
    const auto ends = [finish](double y, float &low, float &high) {
        low = (float)finish(fma(y, -NORMAL_ERROR, y));
        high = (float)finish(fma(y, NORMAL_ERROR, y));
    };
    four_results(near, w, ends, finish, z);
}

/* Polynomial for e^x, |x| <= log(2) / 2, that has the least maximum of the error: 2^-40. */
static __constant__ double NEAR_EXP[] = {0x1.a15a4fc103094p-16, 0x1.a1aa7f4661101p-13, 0x1.6c164df426e43p-10,
                                         0x1.111080ade1e5dp-7,  0x1.5555557428e4ap-5,  0x1.555555a26e0aap-3,
                                         0x1.fffffffff71cfp-2,  0x1.ffffffffd38c0p-1,  1.0};
#define NEAR_LN2 0x1.62e42fefa39efp-1
#define NEAR_EXP_ERROR 0x1p-38 /* relative, rounding included */
#define NEAR_EXP_MAX 150.0     /* e^150 and e^-150 are infinite and 0 in f32 */

/* Returns e^x with relative error at most NEAR_EXP_ERROR; for |x| > NEAR_EXP_MAX, that of the nearer bound. */
static __device__ __forceinline__ double near_exp(double x) {
    const double a = fmin(fmax(x, -NEAR_EXP_MAX), NEAR_EXP_MAX);
    const double shifted = fma(a, WEFT_LOG2_E, WEFT_ROUNDER), n = shifted - WEFT_ROUNDER;
    const double y = weft_horner(NEAR_EXP, 9, fma(n, -NEAR_LN2, a));
    return weft_from_bits_f64(weft_bits_f64(y) + (weft_bits_f64(shifted) << 52));
}

/* Computes z[k] = (float)exp(b y + a) for the quantile y of w[k], b >= 0. If b y + a has an error of at most d <= 1,
 * its exponential has a relative error of at most d + d^2. If d > 1, `low` is negative, so that the ends differ. */
static __device__ __forceinline__ void four_log_normals(const near_normals &near, const uint32_t *w, double a,
                                                        double b, float *z) {
    const double share = b * NORMAL_ERROR;
    const auto ends = [a, b, share](double y, float &low, float &high) {
        const double number = near_exp(fma(b, y, a)), d = fma(share, fabs(y), 4 * NEAR_EXP_ERROR), off = fma(d, d, d);
        low = (float)fma(number, -off, number);
        high = (float)fma(number, off, number);
    };
    const auto finish = [a, b](double y) { return weft_exp_f64(fma(b, y, a)); };
    four_results(near, w, ends, finish, z);
}

/* ----------------------------------------------------------------------------------- f64 */

enum { NORMALS_QUEUE = 4 * 32 }; /* numbers in shared memory per warp */

/* Computes z[k] = weft_probit_f64(p[k]), with p[k] in (0, 1). All threads of a warp must call it together. */
static __device__ __forceinline__ void four_quantiles(double *queue, const double *p, double *z) {
    const uint32_t thread = threadIdx.x % 32, before = (1u << thread) - 1;
    uint32_t count = 0, position[4];
    double t[4], above[4], below[4];
    bool tail[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        t[k] = middle_argument(p[k]);
        above[k] = PROBIT_A[0];
        below[k] = PROBIT_B[0];
    }
#pragma unroll
    for (int i = 1; i < 8; i++) /* four steps per coefficient */
#pragma unroll
        for (int k = 0; k < 4; k++) {
            above[k] = fma(above[k], t[k], PROBIT_A[i]);
            below[k] = fma(below[k], t[k], PROBIT_B[i]);
        }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        z[k] = probit_of_middle(p[k], above[k], below[k]);
        tail[k] = !is_in_middle(p[k]);
        const uint32_t all = __ballot_sync(0xffffffffu, tail[k]);
        position[k] = count + (uint32_t)__popc(all & before);
        if (tail[k]) queue[position[k]] = p[k];
        count += (uint32_t)__popc(all);
    }
    __syncwarp();
    for (uint32_t i = thread; i < count; i += 32) queue[i] = probit_of_tail(queue[i]);
    __syncwarp();
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (tail[k]) z[k] = queue[position[k]];
    __syncwarp();
}

#endif
