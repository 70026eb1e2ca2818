/* weft: data-parallel primitives that give the same bits on every machine.
 *
 * This header is the manual. A result is a function of the inputs and of the arguments alone:
 * never of the device, the GPU model, the instruction set, the number of threads or the run.
 * The order of rounding steps behind each function is written in docs/spec/ORDER.md; the clause is
 * named beside the function. It changes only with WEFT_ORDER_VERSION.
 *
 *     weft_context *ctx;
 *     double total;
 *     if (weft_open(&ctx, "auto") != WEFT_OK) { puts(weft_last_error(NULL)); return 1; }
 *     weft_reduce(ctx, WEFT_SUM, WEFT_F64, WEFT_DEFAULT, n, x, &total);
 *     weft_close(ctx);
 *
 * Manners.
 *   - Arguments come in this order: context, operator and types, sizes, inputs, outputs.
 *     Sizes are size_t and count elements unless the name says bytes; 2^32 and more are fine.
 *   - A pointer may be host memory or, for a CUDA context, device or managed memory; the library
 *     finds out. It must be aligned to its element type. An output must not overlap an input.
 *   - Every call returns a weft_status and, when that is not WEFT_OK, leaves a sentence with the
 *     offending values in weft_last_error(ctx). Arguments are checked before anything is touched:
 *     a call that fails for its arguments has written nothing.
 *   - On a CUDA context a call whose output is device memory is asynchronous on the context's
 *     stream. An output in host memory is complete when the call returns.
 *   - A context is used by one thread at a time (a second thread gets WEFT_BUSY). Contexts are
 *     independent of one another. A context does not survive fork() (WEFT_FORKED).
 *   - The library never prints, exits or aborts, and neither uses nor changes the caller's
 *     floating-point mode.
 */
#ifndef WEFT_H
#define WEFT_H

#include <stddef.h>
#include <stdint.h>

#define WEFT_VERSION_MAJOR 0
#define WEFT_VERSION_MINOR 1
#define WEFT_VERSION_PATCH 0

/* Version of docs/spec/ORDER.md. Equal order versions give equal bits, whatever the release. */
#define WEFT_ORDER_VERSION 1

#if defined(__GNUC__)
#define WEFT_API __attribute__((visibility("default")))
#else
#define WEFT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------- status */

typedef enum weft_status {
    WEFT_OK = 0,
    WEFT_INVALID = 1,       /* an argument is wrong: NULL, misaligned, overlapping, out of range */
    WEFT_UNSUPPORTED = 2,   /* the operation is not defined for these types */
    WEFT_EMPTY = 3,         /* the operation has no value for so few elements */
    WEFT_OUT_OF_MEMORY = 4, /* host or device memory ran out; inputs are untouched */
    WEFT_NO_DEVICE = 5,     /* no such device, no driver, or one too old */
    WEFT_DEVICE_LOST = 6,   /* the GPU failed; this context is dead, inputs are untouched */
    WEFT_BUSY = 7,          /* another thread is inside a call on this context */
    WEFT_FORKED = 8,        /* the context was opened before fork(); open one in the child */
    WEFT_INTERNAL = 9,      /* a fault in weft itself */
    WEFT_IO = 10,           /* a source could not be read or ended early, or a sink could not be written */
    WEFT_CANCELLED = 11     /* the progress callback returned non-zero; outputs are undefined, inputs are untouched */
} weft_status;

/* "ok", "invalid", ...; "unknown" for a value that is no status. */
WEFT_API const char *weft_status_name(weft_status status);

/* -------------------------------------------------------------------------------- types */

typedef enum weft_dtype {
    WEFT_DEFAULT = 0, /* no type asked for; only where a function says so */
    WEFT_I8 = 1,
    WEFT_I16 = 2,
    WEFT_I32 = 3,
    WEFT_I64 = 4,
    WEFT_U8 = 5,
    WEFT_U16 = 6,
    WEFT_U32 = 7,
    WEFT_U64 = 8,
    WEFT_F32 = 9,
    WEFT_F64 = 10
} weft_dtype;

/* "i8" ... "f64"; "unknown" for a value that is no type. */
WEFT_API const char *weft_dtype_name(weft_dtype dtype);
/* Bytes of one element; 0 for a value that is no type. */
WEFT_API size_t weft_dtype_size(weft_dtype dtype);

/* ------------------------------------------------------------------------------ version */

/* "0.1.0", of the library that is running (the macros above are of this header). */
WEFT_API const char *weft_version(void);
WEFT_API int weft_order_version(void);

/* ------------------------------------------------------------------------------ devices */

/* What there is to know of a device. A number that does not apply or is not known is 0. */
typedef struct weft_device_info {
    char id[32];                           /* what weft_open takes: "cpu", "cuda:0", ... */
    char name[128];                        /* the maker's name of the processor */
    char isa[32];                          /* instruction set in use: "x86-64-v4", "sm_90" */
    uint64_t memory_bytes;                 /* total memory */
    uint64_t bandwidth_bytes;              /* memory bandwidth by its data sheet, bytes a second */
    uint64_t l1_bytes, l2_bytes, l3_bytes; /* caches; l1 is of one core, l2 of one core (CPU) or all */
    int32_t cores;                         /* CPU: threads weft uses by default; GPU: multiprocessors */
    int32_t compute_major, compute_minor;
    int32_t max_threads_per_block;
    int32_t max_threads_per_multiprocessor;
    int32_t max_blocks_per_multiprocessor;
    uint64_t shared_bytes_per_block;
    int32_t driver_version, runtime_version; /* CUDA: 1000 major + 10 minor */
    int32_t nvrtc_version;                   /* of what compiles formulas for this GPU at run time; 0: they are
                                              * interpreted */
} weft_device_info;

/* Number of devices that can be opened on this machine: the CPU, then each usable GPU. */
WEFT_API size_t weft_device_count(void);
/* Describes device `index` of weft_device_count(). */
WEFT_API weft_status weft_describe_device(size_t index, weft_device_info *info);

/* ------------------------------------------------------------------------------ context */

typedef struct weft_context weft_context;

/* Opens a context on a device:
 *   "auto"    the first usable GPU, else the CPU (the only place where weft chooses for you)
 *   "cpu"     the CPU with its best instruction set; "cpu:v2", "cpu:v3", "cpu:v4", "cpu:base"
 *             take a given one (results are the same; for tests and measurements)
 *   "cuda"    GPU 0; "cuda:1" the next, numbered as CUDA_VISIBLE_DEVICES leaves them
 *   "ref"     the executable specification: slow, one thread
 * Where "auto" opens the CPU although a GPU is there (its driver is too old, the plugin has no code for it or does
 * not load), weft_last_error(NULL) has the reason after a successful call; else it is "" then. On failure *ctx is
 * NULL and weft_last_error(NULL) has the reason. */
WEFT_API weft_status weft_open(weft_context **ctx, const char *device);

/* Waits for the context's work, releases what it holds and frees it. NULL is allowed. */
WEFT_API void weft_close(weft_context *ctx);

/* The device's id, as in weft_device_info. */
WEFT_API const char *weft_device(const weft_context *ctx);

/* Number of CPU threads; 0 takes the default (OMP_NUM_THREADS, else the cores this process may
 * use). Never changes a result. Without effect on a CUDA or ref context. */
WEFT_API weft_status weft_set_threads(weft_context *ctx, int threads);

/* Makes a CUDA context work on the caller's cudaStream_t (of the context's device); NULL goes back
 * to the context's own stream. The stream must outlive its use. WEFT_UNSUPPORTED elsewhere.
 * The context's own stream waits for CUDA's default stream (cudaMemcpy and the like); a caller's
 * stream made with cudaStreamNonBlocking does not: then the caller waits for his uploads. */
WEFT_API weft_status weft_set_stream(weft_context *ctx, void *stream);

/* Waits until all work given to the context is complete and reports its faults. */
WEFT_API weft_status weft_synchronize(weft_context *ctx);

/* Reports how far a call is, and is asked whether to go on: `done` of `total` units of its work. Units differ from
 * call to call. During one call `done` never decreases. total is 0 while the amount of work is not known; a call that
 * learns it reports done == total at its end. Returns 0 to go on; any other value cancels the call. */
typedef int weft_progress(void *user, uint64_t done, uint64_t total);

/* Sets the callback for all later operations on this context; NULL removes it.
 *   - It is called only by the thread that called the operation and only during the call: when the call begins, then
 *     between chunks of its work, and when it ends. Two of these are at least 50 ms apart, except for the last one.
 *   - A cancelled call returns WEFT_CANCELLED. The contents of its outputs are undefined then, a sink has got a part
 *     of the result, and the context can be used for further calls.
 *   - It must not call weft with this context.
 *   - On a CUDA context a call whose arrays are all device memory is asynchronous and can be cancelled at its start
 *     only. On a ref context each call without sources is checked at its start only.
 *   - weft_open, weft_close, weft_alloc, weft_free, weft_synchronize, weft_set_... and weft_tune_... never call it.
 *   - Calls of libweft_dist must not be cancelled: the other ranks would wait for the cancelled one for ever. */
WEFT_API weft_status weft_set_progress(weft_context *ctx, weft_progress *callback, void *user);

/* The sentence for the last call on ctx that failed, or "". With ctx NULL: for this thread's last
 * failed call that had no context (weft_open, weft_describe_device). Valid until the next call. */
WEFT_API const char *weft_last_error(const weft_context *ctx);

/* Bytes of scratch memory the context holds. It grows to what the largest call needed. */
WEFT_API size_t weft_scratch_bytes(const weft_context *ctx);

/* ------------------------------------------------------------------------------- memory */

typedef enum weft_memory {
    WEFT_DEVICE = 0,  /* memory of the context's device */
    WEFT_MANAGED = 1, /* reachable from host and device */
    WEFT_PINNED = 2   /* host memory that the device copies from and to at full speed */
} weft_memory;

/* Allocates `bytes` (0 is allowed), aligned to 64 bytes or more. On a CPU context all kinds are
 * ordinary memory. Release with weft_free on the same context, before it is closed. */
WEFT_API weft_status weft_alloc(weft_context *ctx, weft_memory memory, size_t bytes, void **p);
WEFT_API weft_status weft_free(weft_context *ctx, weft_memory memory, void *p);

/* Copies between any two of host and device memory; in stream order, complete on return when
 * either side is host memory. The two must not overlap. */
WEFT_API weft_status weft_copy(weft_context *ctx, size_t bytes, const void *src, void *dst);

/* ------------------------------------------------------------------------------- reduce */

/* Operators. "i" means i8..i64, "u" u8..u64. Docs: docs/ops/reduce.md; order: docs/spec/ORDER.md 3. */
typedef enum weft_op {
    WEFT_SUM = 0,            /* i -> i64 and u -> u64, wrapping; f32 -> f32; f64 -> f64; n = 0: 0 */
    WEFT_PROD = 1,           /* likewise; n = 0: 1 */
    WEFT_MIN = 2,            /* the element's type; -0 < +0, a NaN wins; n = 0: WEFT_EMPTY */
    WEFT_MAX = 3,            /* likewise */
    WEFT_ARGMIN = 4,         /* u64: first index of the minimum (or of a NaN); n = 0: WEFT_EMPTY */
    WEFT_ARGMAX = 5,         /* likewise of the maximum */
    WEFT_AND = 6,            /* integers, the element's type; n = 0: all ones */
    WEFT_OR = 7,             /* likewise; n = 0: 0 */
    WEFT_XOR = 8,            /* likewise; n = 0: 0 */
    WEFT_ANY = 9,            /* u8, 1 when an element is not zero (NaN is not zero); n = 0: 0 */
    WEFT_ALL = 10,           /* u8, 1 when no element is zero; n = 0: 1 */
    WEFT_COUNT_NONZERO = 11, /* u64; n = 0: 0 */
    WEFT_MEAN = 12,          /* f64, or f32 for f32; evaluated in f64; n = 0: WEFT_EMPTY */
    WEFT_NORM1 = 13,         /* sum of |x|; types as for mean; n = 0: 0 */
    WEFT_NORM2 = 14,         /* sqrt of the sum of squares without needless overflow; n = 0: 0 */
    WEFT_NORMINF = 15        /* largest |x|, a NaN wins; n = 0: 0 */
} weft_op;

/* "sum", "prod", ...; "unknown" for a value that is no operator. */
WEFT_API const char *weft_op_name(weft_op op);

/* The type of what weft_reduce writes for these arguments, or WEFT_UNSUPPORTED. */
WEFT_API weft_status weft_reduce_result(weft_op op, weft_dtype dtype, weft_dtype accumulate, weft_dtype *result);

/* Reduces x[0..n) with `op` to one value at out.
 *   accumulate  WEFT_DEFAULT: as listed above. WEFT_F64 with f32 elements: sum and prod accumulate
 *               in f64, and they and mean and the norms give an f64 result.
 *   out         one value of the type weft_reduce_result gives.
 * A NaN result is the quiet NaN 0x7fc00000 or 0x7ff8000000000000. Order: docs/spec/ORDER.md 3. */
WEFT_API weft_status weft_reduce(weft_context *ctx, weft_op op, weft_dtype dtype, weft_dtype accumulate, size_t n,
                                 const void *x, void *out);

/* ----------------------------------------------------------------------------- variance */

/* Variance sum (x - mean)^2 / (n - ddof) of x[0..n), by two passes evaluated in f64 (T. Chan,
 * G. Golub, R. LeVeque, The American Statistician 37, 1983: the two-pass algorithm).
 *   ddof        0: of a population; 1: of a sample. WEFT_EMPTY unless ddof < n.
 *   accumulate  WEFT_DEFAULT, or WEFT_F64 for an f64 result from f32 elements.
 *   out         f64; f32 for f32 elements and WEFT_DEFAULT. Order: docs/spec/ORDER.md 4. */
WEFT_API weft_status weft_variance(weft_context *ctx, weft_dtype dtype, weft_dtype accumulate, size_t n, size_t ddof,
                                   const void *x, void *out);

/* ---------------------------------------------------------------------------------- dot */

/* Sum of x[i] * y[i], i in [0, n). Each product is fused into the sum (one rounding).
 *   accumulate  WEFT_DEFAULT, or WEFT_F64 to accumulate f32 elements in f64.
 *   out         i64, u64, f32 or f64 as for WEFT_SUM; n = 0: 0. x == y is allowed.
 * Order: docs/spec/ORDER.md 5. */
WEFT_API weft_status weft_dot(weft_context *ctx, weft_dtype dtype, weft_dtype accumulate, size_t n, const void *x,
                              const void *y, void *out);

/* --------------------------------------------------------------------------------- scan */

typedef enum weft_scan_kind {
    WEFT_INCLUSIVE = 0, /* y[i] = x[0] op ... op x[i] */
    WEFT_EXCLUSIVE = 1  /* y[i] = x[0] op ... op x[i - 1]; y[0] = the initial value */
} weft_scan_kind;

/* Prefix scan of x[0..n) with sum, prod, min, max, and, or, xor.
 *   accumulate  the type of y. WEFT_DEFAULT: the element's own. WEFT_F64 for f32; WEFT_I64 for i8..i32 and
 *               WEFT_U64 for u8..u32 with sum and prod.
 *   init        one value of y's type in host memory, joined before everything; NULL: none, and an
 *               exclusive scan starts from 0, 1, the type's greatest or least value, all ones, 0, 0
 *   y           n values; y == x is allowed when the types are the same, any other overlap is not
 * y[i] depends on init and x[0..i] alone: not on n, and inclusive y[i] has the bits of exclusive
 * y[i + 1]. y[n - 1] need not have the bits of weft_reduce. Order: docs/spec/ORDER.md 6. */
WEFT_API weft_status weft_scan(weft_context *ctx, weft_op op, weft_scan_kind kind, weft_dtype dtype,
                               weft_dtype accumulate, size_t n, const void *x, const void *init, void *y);

/* ------------------------------------------------------------------------------ laplace */

/* `sweeps` sweeps of Jacobi's iteration for Laplace's equation on a grid of nx * ny * nz points of
 * f32 or f64, x running fastest: v[i + nx (j + ny k)]. A point on one of the six faces keeps its
 * value, every other one becomes the mean of its six neighbours of the sweep before. A grid with
 * fewer than 3 points in some direction is all faces. v may be u itself; else they must not overlap.
 * change, when it is not NULL, gets one f64: the root mean square, over all points, of what the last
 * sweep changed. Scratch memory: a grid, when there are more sweeps than one.
 * Order: docs/spec/ORDER.md 7. Source: C. G. J. Jacobi, Astron. Nachr. 22 (1845); several sweeps in one
 * pass over memory as in M. Wittmann, G. Hager, J. Treibig, G. Wellein, Parallel Process. Lett. 20
 * (2010), and A. Nguyen et al., SC 2010. Docs: docs/ops/laplace.md. */
WEFT_API weft_status weft_laplace(weft_context *ctx, weft_dtype dtype, size_t nx, size_t ny, size_t nz, size_t sweeps,
                                  const void *u, void *v, double *change);

/* How weft_laplace_solve comes to the solution. */
typedef enum weft_laplace_method {
    WEFT_SOR = 0,      /* sweeps of red-black over-relaxation; their number grows with the edge of the grid */
    WEFT_MULTIGRID = 1 /* V-cycles over grids of every other point: about ten, whatever the grid */
} weft_laplace_method;

/* The grid on which every point inside is the mean of its six neighbours, from the values on the faces of u; what u
 * has inside is where it begins. Grid, types and faces as in weft_laplace; v may be u itself.
 *   omega      the factor of over-relaxation, more than 0 and less than 2; 0: the best one, which for WEFT_SOR is a
 *              function of nx, ny, nz
 *   tolerance  it stops when the residual is no greater: the root mean square, over all points, of what a sweep of
 *              weft_laplace would change. Looked at after each cycle, or every 10 sweeps. 0: only `sweeps` counts
 *   sweeps     so many sweeps of WEFT_SOR, or cycles, at most. 0 finds the residual of u
 *   done       gets the number that were made; residual gets that of v. Both in host memory, or NULL
 * A tolerance that is not reached is no error, and *residual is then greater; a residual that is NaN stops it.
 * Rounding keeps the residual above about eps times the greatest value. How sweeps are cut in calls changes no bit.
 * On a GPU a call with a tolerance or residual waits, and grids in host memory visit it for each look. Scratch
 * memory: a grid when the residual is looked at, and 1.3 for WEFT_MULTIGRID. Order: docs/spec/ORDER.md 7. Source:
 * S. Frankel, Math. Tables Aids Comput. 4 (1950); D. Young, Trans. AMS 76 (1954); A. Brandt, Math. Comp. 31 (1977);
 * I. Yavneh, SIAM J. Sci. Comput. 17 (1996). Docs: docs/ops/laplace.md. */
WEFT_API weft_status weft_laplace_solve(weft_context *ctx, weft_laplace_method method, weft_dtype dtype, size_t nx,
                                        size_t ny, size_t nz, double omega, double tolerance, size_t sweeps,
                                        const void *u, void *v, size_t *done, double *residual);

/* ---------------------------------------------------------------------------------- fft */

/* Complex numbers lie as real and imaginary part, one behind the other (C's and Fortran's complex, NumPy's
 * complex64 and complex128), aligned as their parts. */
typedef enum weft_fft_kind {
    WEFT_C2C = 0,         /* y[f] = sum of x[j] exp(-2 pi i f j / n) */
    WEFT_C2C_INVERSE = 1, /* y[j] = 1/n sum of x[f] exp(2 pi i f j / n): undoes C2C */
    WEFT_R2C = 2,         /* n real values; of their transform y[0] ... y[n/2], the rest being conjugates */
    WEFT_C2R = 3          /* undoes R2C: n/2 + 1 complex values to n real ones; Im x[0], Im x[n/2] are not read */
} weft_fft_kind;

/* Fourier transforms of `batch` arrays that lie one behind another; values, order and 1/n as numpy.fft.
 *   dtype  WEFT_F32 or WEFT_F64, of the parts and of real values
 *   n      values of one array, a power of two (1 is one)
 *   x, y   batch * n values; on R2C's complex side batch * (n/2 + 1). y == x is allowed for C2C and its inverse
 * An infinity or a NaN spoils the whole array it is in. J. Cooley, J. Tukey, Math. Comp. 19, 1965, with
 * correctly rounded twiddles. Docs: docs/ops/fft.md; order: docs/spec/ORDER.md 14. */
WEFT_API weft_status weft_fft(weft_context *ctx, weft_dtype dtype, weft_fft_kind kind, size_t batch, size_t n,
                              const void *x, void *y);

/* ----------------------------------------------------------------------------- convolve */

typedef enum weft_field {
    WEFT_REAL = 0,   /* elements are numbers of the dtype */
    WEFT_COMPLEX = 1 /* elements are two of them, real and imaginary part */
} weft_field;

/* Which part of c[i] = sum of x[i - j] h[j], 0 <= i < n + m - 1, is wanted; as in NumPy. */
typedef enum weft_convolve_mode {
    WEFT_FULL = 0, /* n + m - 1 values: all of it */
    WEFT_SAME = 1, /* max(n, m) values: its middle */
    WEFT_VALID = 2 /* max(n, m) - min(n, m) + 1 values: where the two overlap completely */
} weft_convolve_mode;

/* Convolution of x[0..n) with h[0..m), 1-D, of WEFT_F32 or WEFT_F64; n, m >= 1, either may be the longer.
 *   y  as many values as the mode says; must not overlap x or h
 * Up to 64 taps (of the shorter array) each value is a chain of fused multiply-adds; above, it comes by transforms
 * of blocks (overlap-save; A. Oppenheim, R. Schafer, Discrete-Time Signal Processing). The choice is by n and m
 * alone. There the error is relative to the largest values of a block, not to each value, and an infinity or a NaN
 * spoils its block and the next. Docs: docs/ops/convolve.md; order: docs/spec/ORDER.md 15. */
WEFT_API weft_status weft_convolve(weft_context *ctx, weft_dtype dtype, weft_field field, weft_convolve_mode mode,
                                   size_t n, const void *x, size_t m, const void *h, void *y);

/* Correlation: the convolution with h backwards and, if complex, conjugated; with FULL, y[i] is the sum of
 * x[i - (m - 1) + j] conj(h[j]). As numpy.correlate(x, h, mode). */
WEFT_API weft_status weft_correlate(weft_context *ctx, weft_dtype dtype, weft_field field, weft_convolve_mode mode,
                                    size_t n, const void *x, size_t m, const void *h, void *y);

/* ------------------------------------------------------------------------------- select */

/* Selections keep some elements, in their order. Each comes twice: by flags, x[i] where flags[i] is not 0, and
 * `_if`, x[i] where a comparison with *value holds.
 *   flags    n bytes
 *   value    one element in host memory. Floats compare as in C: a NaN differs from everything, and every
 *            other comparison with it is false; -0 equals +0
 *   y        room for n elements, of which the first *count are written; apart from x and flags
 *   count    how many were kept: one value, like y of the host or of the device
 * An element's bits are copied as they are. n = 0: *count = 0. Docs: docs/ops/select.md. */
typedef enum weft_comparison {
    WEFT_LT = 0, /* x[i] < value */
    WEFT_LE = 1,
    WEFT_EQ = 2,
    WEFT_NE = 3,
    WEFT_GE = 4,
    WEFT_GT = 5
} weft_comparison;

/* "lt", "le", ...; "unknown" for a value that is no comparison. */
WEFT_API const char *weft_comparison_name(weft_comparison comparison);

/* Compaction (G. Blelloch, Prefix sums and their applications, CMU-CS-90-190, 1990). */
WEFT_API weft_status weft_select(weft_context *ctx, weft_dtype dtype, size_t n, const void *x, const uint8_t *flags,
                                 void *y, uint64_t *count);
WEFT_API weft_status weft_select_if(weft_context *ctx, weft_comparison comparison, weft_dtype dtype, size_t n,
                                    const void *x, const void *value, void *y, uint64_t *count);

/* The indices i of the elements that weft_select and weft_select_if would keep. */
WEFT_API weft_status weft_select_indices(weft_context *ctx, size_t n, const uint8_t *flags, uint64_t *y,
                                         uint64_t *count);
WEFT_API weft_status weft_select_indices_if(weft_context *ctx, weft_comparison comparison, weft_dtype dtype, size_t n,
                                            const void *x, const void *value, uint64_t *y, uint64_t *count);

/* The elements kept first, the rest behind them, both in their order (a stable partition): y has n elements. */
WEFT_API weft_status weft_partition(weft_context *ctx, weft_dtype dtype, size_t n, const void *x,
                                    const uint8_t *flags, void *y, uint64_t *count);
WEFT_API weft_status weft_partition_if(weft_context *ctx, weft_comparison comparison, weft_dtype dtype, size_t n,
                                       const void *x, const void *value, void *y, uint64_t *count);

/* --------------------------------------------------------------------------------- runs */

/* A run is a longest stretch of adjacent equal elements. Floats are equal when they compare so (-0 and +0 are), and
 * all NaNs are equal to one another.
 *   y, values  the first element of each run, its bits as they are; room for n
 *   lengths    how many elements each run has; room for n
 *   count      how many runs there are, in host or device memory; n = 0: 0
 * Only the first *count elements are written. Inputs and outputs must not overlap. Docs: docs/ops/unique.md,
 * docs/ops/run_length.md. */
WEFT_API weft_status weft_unique(weft_context *ctx, weft_dtype dtype, size_t n, const void *x, void *y,
                                 uint64_t *count);
WEFT_API weft_status weft_run_length(weft_context *ctx, weft_dtype dtype, size_t n, const void *x, void *values,
                                     uint64_t *lengths, uint64_t *count);

/* ----------------------------------------------------------------------------- segments */

/* Segments are parts of an array, one behind another; each is reduced or scanned as if it were alone. The result
 * of a segment is a function of its own elements: bit for bit what weft_reduce or weft_scan gives for it, whatever
 * stands around it. (G. Blelloch, IEEE Transactions on Computers 38, 1989: segmented scans.)
 *   offsets  segments + 1 ascending numbers up to n: segment s is x[offsets[s]] ... x[offsets[s + 1] - 1], and
 *            empty where the two are equal. What lies before offsets[0] or behind offsets[segments] is in none.
 *            WEFT_INVALID when they do not ascend or pass n. Offsets in GPU memory are checked there, and the
 *            call waits for that check; where the stream is being captured it cannot wait, and then a segment
 *            whose offsets are wrong is left out: nothing of it is read or written.
 *   heads    n flags: a segment begins at element 0 and wherever a flag is not zero
 * Operators: sum, prod, min, max, and, or, xor. Order: docs/spec/ORDER.md 8. Docs: docs/ops/segmented.md. */

/* Reduces each segment to one value: out[s], s in [0, segments).
 *   accumulate, type of out   as for weft_reduce (weft_reduce_result)
 * An empty segment gives 0, 1, the type's greatest (min) or least (max) value, all ones, 0, 0; the greatest and
 * least float are +Inf and -Inf. */
WEFT_API weft_status weft_segmented_reduce(weft_context *ctx, weft_op op, weft_dtype dtype, weft_dtype accumulate,
                                           size_t n, const void *x, size_t segments, const uint64_t *offsets,
                                           void *out);

/* The same with segments by head flags.
 *   out    room for n values, since there may be so many segments; as many are written as there are
 *   count  their number, which is 0 when n is 0 */
WEFT_API weft_status weft_segmented_reduce_heads(weft_context *ctx, weft_op op, weft_dtype dtype,
                                                 weft_dtype accumulate, size_t n, const void *x, const uint8_t *heads,
                                                 void *out, uint64_t *count);

/* Scans each segment for itself. Arguments as for weft_scan, without an initial value; y has n values, and those
 * of elements in no segment are left as they are. */
WEFT_API weft_status weft_segmented_scan(weft_context *ctx, weft_op op, weft_scan_kind kind, weft_dtype dtype,
                                         weft_dtype accumulate, size_t n, const void *x, size_t segments,
                                         const uint64_t *offsets, void *y);
WEFT_API weft_status weft_segmented_scan_heads(weft_context *ctx, weft_op op, weft_scan_kind kind, weft_dtype dtype,
                                               weft_dtype accumulate, size_t n, const void *x, const uint8_t *heads,
                                               void *y);

/* Reduces each run of equal adjacent keys to one value. Keys are equal by value; -0 equals +0, and a NaN a NaN.
 *   keys         n elements of key_dtype, any type
 *   unique_keys  the first key of each run; room for n
 *   out, count   as for weft_segmented_reduce_heads */
WEFT_API weft_status weft_reduce_by_key(weft_context *ctx, weft_op op, weft_dtype key_dtype, weft_dtype dtype,
                                        weft_dtype accumulate, size_t n, const void *keys, const void *x,
                                        void *unique_keys, void *out, uint64_t *count);

/* --------------------------------------------------------------------------- recurrence */

typedef enum weft_direction {
    WEFT_FORWARD = 0, /* from element 0 on */
    WEFT_REVERSE = 1  /* from element n - 1 down */
} weft_direction;

/* Linear recurrence v[i] = s[i] * v[i - 1] + u[i] (forward) or s[i] * v[i + 1] + u[i] (reverse), in each row of
 * matrices of `rows` rows of n elements, which lie one behind another. By composition of affine maps (P. Kogge,
 * H. Stone, IEEE Trans. Computers C-22, 1973).
 *   dtype  WEFT_F32 or WEFT_F64, of all arrays
 *   init   rows values, each what its row starts from; NULL: 0
 *   v      rows * n values; v == s or v == u is allowed, any other overlap is not
 * v[i] depends on the row's initial value and on the elements up to i alone; a row has the bits of a call of its
 * own. Products of many |s| > 1 can overflow where a loop does not: docs/ops/recurrence.md. Order: docs/spec/ORDER.md 9. */
WEFT_API weft_status weft_recurrence(weft_context *ctx, weft_dtype dtype, weft_direction direction, size_t rows,
                                     size_t n, const void *s, const void *u, const void *init, void *v);

/* ---------------------------------------------------------------------------- histogram */

/* Counts how many of x[0..n) lie in each of `bins` bins: counts[i] of edges[i] <= x < edges[i + 1], and the last
 * bin has its upper edge too (as numpy.histogram). What lies outside and NaN are counted nowhere; -0 equals +0.
 *   bins    1 to 2^32 - 2
 *   edges   bins + 1 values of the elements' type, each greater than the one before; infinities are allowed.
 *           They are checked first: where they are GPU memory, the call waits for the stream to do so; in a
 *           stream that is being captured they are taken unchecked, and counts of edges out of order are
 *           unspecified.
 *   counts  `bins` numbers, which are set, not added to; apart from x and edges
 * By counters private to a thread or block. Order: docs/spec/ORDER.md 11. */
WEFT_API weft_status weft_histogram(weft_context *ctx, weft_dtype dtype, size_t n, const void *x, size_t bins,
                                    const void *edges, uint64_t *counts);

/* The same with bins of one width from lower to upper: x is counted in bin (x - lower) * (bins / (upper - lower)),
 * rounded down, for integers exactly and for floats in f64; the last bin has `upper` too. So [0, 255] in 256 bins
 * gives each u8 a bin of its own.
 *   lower, upper  one value of the elements' type each, in host memory, lower < upper; floats must be finite, and
 *                 so must upper - lower and bins / (upper - lower) in f64
 * Order: docs/spec/ORDER.md 11. */
WEFT_API weft_status weft_histogram_even(weft_context *ctx, weft_dtype dtype, size_t n, const void *x, size_t bins,
                                         const void *lower, const void *upper, uint64_t *counts);

/* -------------------------------------------------------------------------------- top_k */

typedef enum weft_extreme { WEFT_LARGEST = 0, WEFT_SMALLEST = 1 } weft_extreme;

/* The k largest of x[0..n) from the largest down, or the k smallest from the smallest up; of equal elements the one
 * of lower index comes first. -0 < +0, and a NaN comes behind every number, largest or smallest: the result is the
 * start of the whole array sorted that way.
 *   k        0 to n
 *   values   k elements, every bit of them
 *   indices  k numbers, x[indices[i]] is values[i]; or NULL
 * x, values and indices are apart. On a CPU by a rising threshold, on a GPU by radix select (T. Alabi,
 * J. Blanchard, B. Gordon, R. Steinbach, ACM J. Experimental Algorithmics 17, 2012). Order: docs/spec/ORDER.md 12. */
WEFT_API weft_status weft_top_k(weft_context *ctx, weft_dtype dtype, weft_extreme extreme, size_t n, const void *x,
                                size_t k, void *values, uint64_t *indices);

/* -------------------------------------------------------------------------------- merge */

/* Merges a[0..na) and b[0..nb), each in ascending order (-0 < +0, NaN last), into y[0..na + nb) in that order; of
 * equal elements those of a come first, and each array's stay in their order. Where a or b is not in order, what
 * stands in y is unspecified.
 *   y   apart from a and b; elements keep every bit
 * By merge path (O. Green, R. McColl, D. Bader, ICS 2012). Order: docs/spec/ORDER.md 12. */
WEFT_API weft_status weft_merge(weft_context *ctx, weft_dtype dtype, size_t na, const void *a, size_t nb,
                                const void *b, void *y);

/* ------------------------------------------------------------------------ search_sorted */

typedef enum weft_side {
    WEFT_LEFT = 0, /* before the first element that is equal: the lower bound */
    WEFT_RIGHT = 1 /* behind the last: the upper bound */
} weft_side;

/* For each of m queries where in sorted[0..n), which is in ascending order (-0 < +0, NaN last, all NaN equal), it
 * can be put so that the order stays: the number of elements less than it (WEFT_LEFT), or not greater (WEFT_RIGHT).
 *   positions  m numbers in [0, n]; apart from sorted and queries
 * Where `sorted` is not in order, what is found is unspecified. By binary search. Order: docs/spec/ORDER.md 12. */
WEFT_API weft_status weft_search_sorted(weft_context *ctx, weft_dtype dtype, weft_side side, size_t n,
                                        const void *sorted, size_t m, const void *queries, uint64_t *positions);

/* ------------------------------------------------------------------------------- matmul */

typedef enum weft_layout {
    WEFT_ROW_MAJOR = 0,   /* C, NumPy: element (i, j) at i * ld + j */
    WEFT_COLUMN_MAJOR = 1 /* Fortran, Julia, BLAS: at i + j * ld */
} weft_layout;

typedef enum weft_transpose {
    WEFT_NO_TRANSPOSE = 0, /* op(X) = X */
    WEFT_TRANSPOSE = 1     /* op(X) is the transpose of X */
} weft_transpose;

/* C = alpha op(A) op(B) + beta C, where op(A) is m x k, op(B) k x n and C m x n (the GEMM of J. Dongarra,
 * J. Du Croz, S. Hammarling, I. Duff, ACM TOMS 16, 1990). Types f32 and f64.
 *   accumulate   WEFT_DEFAULT: the sums over k are in the elements' type. WEFT_F64 for f32: in f64, with alpha and
 *                beta too, and rounded to f32 once.
 *   alpha, beta  one value of `dtype` each in host memory; NULL: 1 and 0. With alpha 0 neither A nor B is read,
 *                with beta 0 C is not.
 *   lda ...      leading dimension: elements from a row of the matrix to the next (a column, where the layout is
 *                column-major), at least its length. What lies between is not touched.
 * n = 1 or m = 1 is the product with a vector. A and B may be one; C must not overlap either, but may be other
 * columns (rows, column-major) of a larger matrix that both are parts of. The bits are those of
 * the transposed product, whatever layout, transposes and leading dimensions say. Order: docs/spec/ORDER.md 13. */
WEFT_API weft_status weft_matmul(weft_context *ctx, weft_dtype dtype, weft_dtype accumulate, weft_layout layout,
                                 weft_transpose transpose_a, weft_transpose transpose_b, size_t m, size_t n, size_t k,
                                 const void *alpha, const void *a, size_t lda, const void *b, size_t ldb,
                                 const void *beta, void *c, size_t ldc);

/* `batch` such products. Matrix i of each factor lies i times its stride (in elements) behind the first; a stride
 * of 0 takes the same one for all, but for C, whose matrices must not overlap: they lie one behind another, or side
 * by side in one larger matrix. Each has the bits that it would have alone. */
WEFT_API weft_status weft_matmul_batched(weft_context *ctx, weft_dtype dtype, weft_dtype accumulate,
                                         weft_layout layout, weft_transpose transpose_a, weft_transpose transpose_b,
                                         size_t m, size_t n, size_t k, const void *alpha, const void *a, size_t lda,
                                         size_t stride_a, const void *b, size_t ldb, size_t stride_b,
                                         const void *beta, void *c, size_t ldc, size_t stride_c, size_t batch);

/* ------------------------------------------------------------------------------ tridiag */

/* Lines of equal length in memory: element i of line s is element s * line + i * step from p. Contiguous lines of n
 * have step 1 and line n; interleaved ones step `lines` and line 1; step 1 and line 0 is one line for all. */
typedef struct weft_lines {
    const void *p;
    size_t step, line; /* in elements */
} weft_lines;

typedef enum weft_boundary {
    WEFT_OPEN_ENDS = 0, /* a of the first row and c of the last are not used, and need not be finite */
    WEFT_PERIODIC = 1   /* the row before the first is the last, the row behind the last is the first */
} weft_boundary;

/* Solves a[i] x[i-1] + b[i] x[i] + c[i] x[i+1] = d[i], i in [0, n), for each of `systems` systems, without pivoting:
 * elimination in chunks of 16 rows down to their last rows (H. Wang, ACM TOMS 7, 1981; E. Laszlo, M. Giles,
 * J. Appleyard, ACM TOMS 42, 2016), and so on until 32 rows or fewer are left for parallel cyclic reduction
 * (R. Hockney, JACM 12, 1965; Y. Zhang, J. Cohen, J. Owens, PPoPP 2010).
 *   dtype     WEFT_F32 or WEFT_F64, of all arrays; any n and any number of systems, 0 included
 *   a, b, c   lines of n elements in any distances. Both distances 0: one value, in host memory, for all rows of all
 *             systems. line 0: one matrix for all systems, which are then its right-hand sides
 *   d         likewise, but no two of its elements may be the same
 *   x         as many elements in the distances of d; x == d.p is allowed, any other overlap is not. What lies
 *             between the elements is kept
 *   singular  one value: UINT64_MAX when no pivot was lost and every element of x is finite; else, of the first
 *             system that failed, system * n + row, where row is that of the first lost pivot, or without one
 *             of the first element of x that is NaN or infinite. A system that lost a pivot has NaN in x. The
 *             call returns WEFT_OK all the same, and other systems are solved
 * Accurate where |b| exceeds |a| + |c| by a few percent in every row. Elsewhere, with |b| >= |a| + |c| or positive
 * definite matrices too, the residual may grow with the condition number. A lost pivot has no valid digit left.
 * Order: docs/spec/ORDER.md 16. */
WEFT_API weft_status weft_tridiag(weft_context *ctx, weft_dtype dtype, weft_boundary boundary, size_t systems,
                                  size_t n, weft_lines a, weft_lines b, weft_lines c, weft_lines d, void *x,
                                  uint64_t *singular);

/* --------------------------------------------------------------------------------- heat */

typedef enum weft_heat_method {
    WEFT_BACKWARD_EULER = 0, /* of first order in time; damps every mode, whatever the step */
    WEFT_CRANK_NICOLSON = 1  /* of second order in time; fast modes of large steps alternate in sign */
} weft_heat_method;

/* Steps in time of the heat equation du/dt = k (d2u/dx2 + d2u/dy2 + d2u/dz2), implicit and so stable whatever the
 * step, on regular grids whose neighbours outside are 0 (Dirichlet).
 *   dtype       WEFT_F32 or WEFT_F64, of u and v
 *   dimensions  1, 2 or 3
 *   shape       points of a grid along each axis, x, which runs fastest, first: u[i + nx (j + ny k)]. Any numbers,
 *               0 included
 *   batch       how many grids lie one behind another, each by itself; in one dimension lines of nx points
 *   lambda      for each axis h^2 / (k dt), with the distance h of its points and the step dt in time; from
 *               2^-60 to 2^60 once rounded to dtype. shape and lambda are host memory
 *   steps       how many; 0 copies
 *   v           the grids after these steps; v == u is allowed, any other overlap is not
 * A step of backward Euler in one dimension solves (2 + lambda) v[i] - v[i-1] - v[i+1] = lambda u[i] (P. Laasonen,
 * Acta Math. 81, 1949), one of Crank and Nicolson (Proc. Camb. Phil. Soc. 43, 1947) (2 + 2 lambda) v[i] - v[i-1] -
 * v[i+1] = u[i-1] + u[i+1] + (2 lambda - 2) u[i]. Grids are swept axis by axis, along such lines: Crank-Nicolson in
 * two dimensions by the alternating directions of D. Peaceman and H. Rachford (J. SIAM 3, 1955), all else by locally
 * one-dimensional steps (N. Yanenko, The Method of Fractional Steps, 1971), which keep the order in time since the
 * axes' operators commute on such a grid. A NaN or an infinity, in u or by overflow, spreads over its line, and over
 * its grid as the sweeps go on: weft_reduce with WEFT_NORMINF tells. Scratch memory: a second u, and what
 * weft_tridiag needs. Order: docs/spec/ORDER.md 23. Docs: docs/ops/heat.md. */
WEFT_API weft_status weft_heat(weft_context *ctx, weft_dtype dtype, weft_heat_method method, size_t dimensions,
                               const size_t *shape, size_t batch, const double *lambda, size_t steps, const void *u,
                               void *v);

/* --------------------------------------------------------------------------------- sort */

typedef enum weft_order_of_sort {
    WEFT_ASCENDING = 0, /* floats: -Inf ... -0, +0 ... +Inf, NaN */
    WEFT_DESCENDING = 1 /* floats: +Inf ... +0, -0 ... -Inf, NaN */
} weft_order_of_sort;

/* Sorts keys[0..n). Stable: keys that are equal stay in the order in which they came, in either order. All NaNs are
 * equal, whatever their sign and payload, and come last in either order; every key keeps its bits.
 *   sorted      n keys; sorted == keys is allowed, any other overlap is not
 * By radix sort (H. Seward, MIT R-232, 1954; D. Knuth, The Art of Computer Programming 3, 5.2.5).
 * Scratch: a copy of the keys. Order: docs/spec/ORDER.md 17. */
WEFT_API weft_status weft_sort(weft_context *ctx, weft_dtype dtype, weft_order_of_sort order, size_t n,
                               const void *keys, void *sorted);

/* Sorts keys as weft_sort does, and puts values[i] where keys[i] goes.
 *   value_bytes    of one value: 1, 2, 4, 8 or 16; values are aligned to as much, those of 16 to 8
 *   sorted_keys    n keys; == keys is allowed
 *   sorted_values  n values; == values is allowed. No other two arrays may overlap but the inputs.
 * Scratch: a copy of keys and values. */
WEFT_API weft_status weft_sort_pairs(weft_context *ctx, weft_dtype dtype, weft_order_of_sort order, size_t n,
                                     const void *keys, size_t value_bytes, const void *values, void *sorted_keys,
                                     void *sorted_values);

/* Sorts integers by some of their bits: by first_bit, the least significant, and the bits - 1 bits above it, as
 * a number that is signed when the key's sign bit is among them. bits = 0: all keys are equal.
 *   value_bytes    as for weft_sort_pairs, or 0: no values, and the pointers to them are not looked at */
WEFT_API weft_status weft_sort_bits(weft_context *ctx, weft_dtype dtype, weft_order_of_sort order, unsigned first_bit,
                                    unsigned bits, size_t n, const void *keys, size_t value_bytes, const void *values,
                                    void *sorted_keys, void *sorted_values);

/* Writes where each key of the sorted array stands in keys[0..n): keys[indices[i]] is weft_sort's sorted[i], and of
 * equal keys the first comes first.
 *   index       the type of indices: WEFT_U32 (n at most 2^32) or WEFT_U64
 *   indices     n values, apart from keys
 * Scratch: two copies of the keys, and one of the indices (on a GPU two). Order: docs/spec/ORDER.md 17. */
WEFT_API weft_status weft_argsort(weft_context *ctx, weft_dtype dtype, weft_order_of_sort order, weft_dtype index,
                                  size_t n, const void *keys, void *indices);

/* ------------------------------------------------------------------------------- random */

typedef enum weft_distribution {
    WEFT_UNIFORM = 0,     /* in [a, b), never b; f32 in steps of 2^-24 (b - a), f64 of 2^-53 (b - a), rounded */
    WEFT_NORMAL = 1,      /* of mean a and standard deviation b >= 0, by the inverse of its distribution function */
    WEFT_LOGNORMAL = 2,   /* exp of such a normal */
    WEFT_EXPONENTIAL = 3, /* of rate a > 0, mean 1 / a; b is not used */
    WEFT_BERNOULLI = 4    /* 1 with probability a, else 0; u8; b is not used */
} weft_distribution;

/* "uniform", "normal", ...; "unknown" for a value that is no distribution. */
WEFT_API const char *weft_distribution_name(weft_distribution distribution);

/* Writes samples first, ..., first + n - 1 of the stream `stream` of `seed`: each is a function of seed, stream, its
 * number and the arguments below, so any part of a stream can be computed by itself. Streams and seeds are
 * independent; samples of one number in two types or distributions are not: they are made of the same random bits.
 *   dtype  WEFT_F32 or WEFT_F64; for WEFT_BERNOULLI WEFT_U8
 *   first  first + n is at most 2^63
 *   a, b   as above: finite. Those of a uniform distribution are rounded to dtype first, and b - a must be finite.
 *          Other values too large for dtype are Inf
 *   out    n values
 * By Philox4x32-10 (J. Salmon, M. Moraes, R. Dror, D. Shaw, SC 2011). Order: docs/spec/ORDER.md 19. */
WEFT_API weft_status weft_random(weft_context *ctx, weft_distribution distribution, weft_dtype dtype, uint64_t seed,
                                 uint64_t stream, uint64_t first, size_t n, double a, double b, void *out);

/* The same of whole numbers from lower to upper, both included, each as likely as any other: to within 2^-64 of its
 * probability, whatever the range.
 *   dtype         WEFT_I32, WEFT_I64, WEFT_U32 or WEFT_U64
 *   lower, upper  one value of dtype each, in host memory, lower <= upper; NULL: the type's least, its greatest value
 * By multiplication with what the range leaves to be drawn (S. Canon, 2021; D. Lemire, ACM Trans. Model. Comput.
 * Simul. 29, 2019). Order: docs/spec/ORDER.md 19. */
WEFT_API weft_status weft_random_integers(weft_context *ctx, weft_dtype dtype, uint64_t seed, uint64_t stream,
                                          uint64_t first, size_t n, const void *lower, const void *upper, void *out);

/* -------------------------------------------------------------------------------- sobol */

#define WEFT_SOBOL_DIMENSIONS 1111

/* What is done to Sobol points, so that several independent sets of them tell how far an estimate may be off. */
typedef enum weft_scrambling {
    WEFT_UNSCRAMBLED = 0,   /* the published points, the first of which is the origin; seed and stream are not used */
    WEFT_DIGITAL_SHIFT = 1, /* the bits of all first coordinates exclusive-or the same random ones, and so on */
    WEFT_OWEN = 2           /* each bit turned or not by chance, depending on those above it: Owen's scrambling */
} weft_scrambling;

/* Writes points first, ..., first + n - 1 of a Sobol sequence in [0, 1)^dimensions: out[k * dimensions + j] is
 * coordinate j of point first + k. Point i is a function of the arguments and i alone: the same in any number of
 * dimensions, less the coordinates that are not there, and in f32 that of f64 with fewer bits. Of 2^k points from a
 * multiple of 2^k on one falls in each 2^-k of every axis (up to the type's bits). A scrambled point is uniform.
 *   scrambling    as above
 *   dtype         WEFT_F32: coordinates are multiples of 2^-24; WEFT_F64: of 2^-53
 *   seed, stream  which of 2^64 times 2^64 independent scramblings
 *   dimensions    1 to WEFT_SOBOL_DIMENSIONS; first + n is at most 2^63; out has n * dimensions values
 * I. Sobol's points (1967) with the direction numbers and in the order, a Gray code's, of S. Joe and F. Kuo (SIAM J.
 * Sci. Comput. 30, 2008: new-joe-kuo-6). A. Owen's scrambling (1995) by a hash, as of S. Laine and T. Karras (2011),
 * B. Burley (J. Comput. Graph. Tech. 9, 2020), N. Vegdahl (2021). Order: docs/spec/ORDER.md 24. Docs: docs/ops/sobol.md. */
WEFT_API weft_status weft_sobol(weft_context *ctx, weft_scrambling scrambling, weft_dtype dtype, uint64_t seed,
                                uint64_t stream, size_t dimensions, uint64_t first, size_t n, void *out);

/* -------------------------------------------------------------------------------- price */

#define WEFT_ASSETS_MAX 8

/* What an option pays at maturity. B is the worth of the basket, the sum of weights[i] times asset i; A is what was
 * observed of B (weft_observed); K is the strike. */
typedef enum weft_payoff {
    WEFT_CALL = 0,          /* max(A - K, 0) */
    WEFT_PUT = 1,           /* max(K - A, 0) */
    WEFT_DIGITAL_CALL = 2,  /* 1 if A > K, else 0 */
    WEFT_DIGITAL_PUT = 3,   /* 1 if A < K, else 0 */
    WEFT_FLOATING_CALL = 4, /* max(B - A, 0), B at maturity */
    WEFT_FLOATING_PUT = 5,  /* max(A - B, 0) */
    WEFT_CORRIDOR = 6       /* 1 if every asset ends nearer to its start than width times that start, else 0 */
} weft_payoff;

/* Dates are the ends of the steps. */
typedef enum weft_observed {
    WEFT_OBSERVE_END = 0,       /* B at maturity */
    WEFT_OBSERVE_MEAN = 1,      /* the arithmetic mean of B over the dates: Asian options */
    WEFT_OBSERVE_GEOMETRIC = 2, /* the geometric mean over the dates; of one asset of weight 1, by exact steps */
    WEFT_OBSERVE_HIGHEST = 3,   /* the highest B of the start and the dates: lookback options */
    WEFT_OBSERVE_LOWEST = 4     /* the lowest */
} weft_observed;

/* Looked at on the dates: an "out" option pays nothing once B has reached the level, an "in" option only then. */
typedef enum weft_barrier {
    WEFT_NO_BARRIER = 0,
    WEFT_UP_AND_OUT = 1,
    WEFT_UP_AND_IN = 2,
    WEFT_DOWN_AND_OUT = 3,
    WEFT_DOWN_AND_IN = 4
} weft_barrier;

/* Assets that follow correlated geometric Brownian motions, dS = rate S dt + volatility S dW, and an option on them.
 * All arrays are in host memory. */
typedef struct weft_option {
    weft_payoff payoff;
    weft_observed observed;
    weft_barrier barrier;
    double strike; /* >= 0; of calls and puts that do not float */
    double level;  /* of the barrier; the start must not have reached it */
    double width;  /* > 0; of a corridor: 0.1 is within 10 % */
    double rate, maturity;
    size_t assets;             /* 1 .. WEFT_ASSETS_MAX */
    const double *start;       /* a price > 0 for each asset */
    const double *volatility;  /* >= 0, for each asset */
    const double *correlation; /* an assets x assets matrix, positive definite; NULL: the assets are independent */
    const double *weights;     /* of the basket; NULL: 1 / assets each */
} weft_option;

typedef enum weft_steps {
    WEFT_EXACT = 0, /* the exponential of a normal: right on every date, whatever the step */
    WEFT_EULER = 1  /* S + S (rate dt + volatility dW): an error of the order of dt */
} weft_steps;

typedef struct weft_simulation {
    weft_dtype dtype; /* of the paths: WEFT_F32 or WEFT_F64. What paths pay is always summed in f64. */
    weft_steps scheme;
    size_t steps;   /* 1 .. 2^20, of equal length */
    uint64_t paths; /* 2 .. 2^48 */
    uint64_t seed;
    int antithetic; /* not 0: a path is the mean of one and of its mirror image, all normals negated */
    int control;    /* not 0: a control variate takes off what a payoff of known price explains: of arithmetic Asian
                     * calls and puts (one asset of weight 1, exact steps, no barrier) the geometric one, else the end */
    int greeks;     /* not 0: deltas and vegas too, which take 4 paths for each asset and path; control must be 0 */
    size_t scramblings; /* 0: random paths. Else the paths are Sobol points, a coordinate for each normal: steps times
                         * assets must not exceed WEFT_SOBOL_DIMENSIONS. They are of so many independent scramblings
                         * by Owen's method (weft_sobol, streams 0, 1, ...), a power of two from 2 to 1024, with the
                         * first paths / scramblings points of each, which should be a power of two. Then the price is
                         * the mean of the scramblings' prices, and the standard error comes from how these differ. */
} weft_simulation;

typedef struct weft_valuation {
    double price, standard_error;
    double low, high; /* the 95 % interval: price -+ 1.96 standard errors */
    /* By central differences over start or volatility (1 -+ 1/128), the same normals on both sides. NaN unless
     * simulation->greeks, and for assets that there are not. */
    double delta[WEFT_ASSETS_MAX], delta_error[WEFT_ASSETS_MAX];
    double vega[WEFT_ASSETS_MAX], vega_error[WEFT_ASSETS_MAX];
} weft_valuation;

/* The price of an option by Monte Carlo simulation (P. Glasserman, Monte Carlo Methods in Financial Engineering,
 * 2003). Path p takes its normals from Philox4x32-10 (J. Salmon, M. Moraes, R. Dror, D. Shaw, SC 2011) at counter p,
 * by the inverse normal distribution function; so the first paths of a long run are those of a short one. Waits
 * for the device.
 *   valuation   in host memory; written when the call succeeds
 * Memory: none beside the device's own scratch. Order: docs/spec/ORDER.md 21. */
WEFT_API weft_status weft_price(weft_context *ctx, const weft_option *option, const weft_simulation *simulation,
                                weft_valuation *valuation);

/* -------------------------------------------------------------------------------- match */

/* What is looked for: pattern i is bytes[offsets[i] .. offsets[i + 1]), of 1 to 256 bytes; 1 to 10000 patterns, which
 * may be equal to one another. All of it is in host memory. */
typedef struct weft_patterns {
    size_t count;
    const uint64_t *offsets; /* count + 1 */
    const void *bytes;
} weft_patterns;

/* How patterns are compared with the text; flags, which may be added. */
typedef enum weft_match_flags {
    WEFT_MATCH_BYTES = 0, /* byte by byte, whatever the bytes are */
    WEFT_FOLD_CASE = 1,   /* A to Z equal a to z; other bytes only themselves */
    WEFT_WHOLE_WORD = 2   /* no word byte stands before or behind: A-Z, a-z, 0-9 and _ are the word bytes */
} weft_match_flags;

/* Counts the places p in [first, end) of text[0..n) where pattern i occurs: where it equals text[p .. p + its
 * length), which ends at n or before. Places may overlap. A text too long for the memory is taken in pieces, with the
 * byte before the first place and 256 bytes behind the last one in each: the counts of the pieces add up to those of
 * the whole.
 *   first, end  first <= end <= n; 0 and n for the whole text
 *   flags       any of weft_match_flags, added
 *   counts      patterns->count of them, which are set, not added to
 * By the patterns' first four bytes: compared each, when they are few, else looked up in a hash table, as R. Karp and
 * M. Rabin do (IBM J. Res. Dev. 31, 1987). Order: docs/spec/ORDER.md 22. Docs: docs/ops/match.md. */
WEFT_API weft_status weft_match_count(weft_context *ctx, size_t n, const void *text, size_t first, size_t end,
                                      const weft_patterns *patterns, unsigned flags, uint64_t *counts);

/* Lists those places, ascending, and at one place the patterns' numbers ascending.
 *   capacity   positions[0..capacity) and numbers[0..capacity) may be written; of more matches the first are there
 *   positions  where a pattern occurs
 *   numbers    which one
 *   total      how many matches there are, whatever the capacity */
WEFT_API weft_status weft_match_list(weft_context *ctx, size_t n, const void *text, size_t first, size_t end,
                                     const weft_patterns *patterns, unsigned flags, size_t capacity,
                                     uint64_t *positions, uint32_t *numbers, uint64_t *total);

/* ---------------------------------------------------------------------------------- map */

/* A formula, compiled: immutable, of no context, for any number of calls and threads at a time. */
typedef struct weft_expr weft_expr;

/* Compiles a formula. In order of rising precedence, as in C:
 *   c ? x : y                   x where c is not 0, else y; both are computed
 *   ||   &&   == !=   < <= > >=   1 or 0; an operand counts as true when it is not 0, so a NaN does
 *   + -   * /   unary - + !
 *   x ^ y                       tighter than a minus before it, and from the right: -x^2 is -(x^2), 2^3^2 is 2^9.
 *                               A whole number y as it stands, -1024 to 1024, is a chain of multiplications
 *                               (docs/spec/ORDER.md 20.4), and every other power is pow(x, y)
 *   abs(x) min(x, y) max(x, y) floor(x)
 *   sqrt(x) fma(x, y, z) exp(x) log(x) sin(x) cos(x) pow(x, y) erf(x)    f32 and f64 only
 *   numbers (2, 0.5, 1e-3), names (letters, digits, _) of arrays and scalars, i (the element's index), parentheses
 * Limits: 4095 characters, nesting 64 deep, 256 steps, 16 values held at a time, 64 names and numbers, 63 characters
 * each. A formula that is none is WEFT_INVALID; the message is a sentence, the line, and a caret under the place.
 * A formula reads element i of its arrays and nothing else. Order: docs/spec/ORDER.md 20. */
WEFT_API weft_status weft_expr_compile(weft_context *ctx, const char *formula, weft_expr **expr);

/* Releases it. NULL is allowed. */
WEFT_API void weft_expr_free(weft_expr *expr);

/* The names that must be bound, in order of their first places; NULL for an index past the last. */
WEFT_API size_t weft_expr_variable_count(const weft_expr *expr);
WEFT_API const char *weft_expr_variable(const weft_expr *expr, size_t index);

/* What a name stands for: an array of n elements, or one value in host memory. One of the two pointers is NULL. */
typedef struct weft_binding {
    const char *name;
    weft_dtype dtype; /* any */
    const void *array;
    const void *scalar;
} weft_binding;

/* out[i] = the formula's value at element i, for i in [0, n).
 *   dtype     that the formula is evaluated in and out has: f32, f64, i32, i64, u32 or u64. Every operand is
 * converted to it first: to floats rounded once, among integers by wrapping. No float can be evaluated in integers
 *             (WEFT_UNSUPPORTED), in which + - * wrap, x / y is cut towards zero, and x / 0 is 0
 *   bindings  `count` of them: each of the formula's names once, and no other name
 *   out       n values; out == an array of the type dtype is allowed, any other overlap is not
 * Each operation rounds once, and a b + c twice (fma(a, b, c) once). min and max: -0 < +0, a NaN wins. Division by
 * zero and arguments outside of a function's domain give what IEEE 754 says. A NaN is stored as the canonical one.
 * Order: docs/spec/ORDER.md 20. Docs: docs/ops/map.md. */
WEFT_API weft_status weft_map(weft_context *ctx, const weft_expr *expr, weft_dtype dtype, size_t n,
                              const weft_binding *bindings, size_t count, void *out);

/* The bits of weft_map followed by weft_reduce over what it wrote, without an array between the two.
 *   accumulate, out   as for weft_reduce with elements of dtype */
WEFT_API weft_status weft_map_reduce(weft_context *ctx, weft_op op, const weft_expr *expr, weft_dtype dtype,
                                     weft_dtype accumulate, size_t n, const weft_binding *bindings, size_t count,
                                     void *out);

/* The bits of weft_map followed by weft_scan of what it wrote, without an array between the two.
 *   kind, accumulate, init   as for weft_scan with elements of dtype
 *   y                        n values; y == an array is allowed where that and y have the type dtype */
WEFT_API weft_status weft_map_scan(weft_context *ctx, weft_op op, weft_scan_kind kind, const weft_expr *expr,
                                   weft_dtype dtype, weft_dtype accumulate, size_t n, const weft_binding *bindings,
                                   size_t count, const void *init, void *y);

/* ------------------------------------------------------------------------------ sources */

/* Arrays larger than memory. The functions below take their inputs from sources and leave arrays in sinks, piece by
 * piece, in buffers of constant size, and give bit for bit what the function of the same name without _source gives
 * for the whole array in memory. Docs: docs/guide/streaming.md. */

#define WEFT_TO_THE_END UINT64_MAX

/* Where elements come from. `read` is called one at a time, from a thread of weft's own. */
typedef struct weft_source {
    weft_dtype dtype;
    uint64_t n; /* elements; or WEFT_TO_THE_END: all that come. No more than these are read */
    /* Puts bytes 1 to `bytes` of what comes next at `to` and returns how many; 0 at the end; -1 with errno set when
     * it cannot. */
    ptrdiff_t (*read)(void *self, void *to, size_t bytes);
    int (*rewind)(void *self); /* back to the first element: 0, or -1 with errno set. NULL: that is impossible */
    /* NULL; or, where n is known, used in the place of read: where the next `bytes` bytes lie in memory, aligned to
     * the elements, until it is called again; NULL with errno set when it cannot. */
    const void *(*view)(void *self, size_t bytes);
    void *self;
} weft_source;

/* Where the elements of a result go, in order. */
typedef struct weft_sink {
    int (*write)(void *self, const void *from, size_t bytes); /* all of them: 0, or -1 with errno set */
    void *self;
} weft_sink;

/* What the ready-made sources and sinks below keep for themselves; it must last as long as they do. */
typedef struct weft_channel {
    int descriptor;
    int64_t start; /* of the elements in a file; -1 in what has no places, like a pipe */
    const void *memory;
    void *to;
    uint64_t bytes, at;
} weft_channel;

/* n elements at x. */
WEFT_API weft_source weft_source_memory(weft_channel *channel, weft_dtype dtype, uint64_t n, const void *x);
/* The elements in a file, or from a pipe, a socket, ..., from its offset on; in a file they can be rewound. */
WEFT_API weft_source weft_source_descriptor(weft_channel *channel, weft_dtype dtype, uint64_t n, int descriptor);
/* Writes to a file or a pipe, from its offset on. */
WEFT_API weft_sink weft_sink_descriptor(weft_channel *channel, int descriptor);
/* Writes to `bytes` bytes at y; more fail with ENOSPC. A GPU copies from and to pinned memory by itself; for other
 * memory threads of the host copy too. */
WEFT_API weft_sink weft_sink_memory(weft_channel *channel, uint64_t bytes, void *y);

/* What the buffers of one call with sources may take, in bytes; 0, the default: 64 MiB. A call that cannot do with so
 * little is WEFT_INVALID. Never changes a result. */
WEFT_API weft_status weft_set_memory(weft_context *ctx, size_t bytes);

/* What a GPU does for calls with sources, and when: each copy of a piece in either direction, and the work of the
 * context's stream on a piece, which may wait for the host in between. */
typedef enum weft_lane { WEFT_COPY_IN = 0, WEFT_COPY_OUT = 1, WEFT_WORK = 2 } weft_lane;

typedef struct weft_span {
    weft_lane lane;
    uint64_t bytes;    /* that were copied; 0 of work */
    double begin, end; /* in seconds, as the GPU measured them, from weft_set_timeline on */
} weft_span;

typedef struct weft_timeline {
    size_t capacity;
    weft_span *spans; /* room for `capacity` of them */
    size_t count;     /* of all there were; those past the capacity are not kept */
} weft_timeline;

/* From now on calls with sources enter what they do at *timeline, whose count is set to 0; until this is called
 * again, NULL to end it. WEFT_UNSUPPORTED but on a CUDA context. */
WEFT_API weft_status weft_set_timeline(weft_context *ctx, weft_timeline *timeline);

/* Sources of different lengths are WEFT_INVALID; one that fails, or ends before its n elements, is WEFT_IO, and so is
 * a sink that fails. Then nothing is written at out, and what a sink has got is not the whole. Sinks must not write
 * to what sources read. Values at out, edges and bounds are in host memory. */
WEFT_API weft_status weft_reduce_source(weft_context *ctx, weft_op op, weft_dtype accumulate, const weft_source *x,
                                        void *out);
WEFT_API weft_status weft_dot_source(weft_context *ctx, weft_dtype accumulate, const weft_source *x,
                                     const weft_source *y, void *out);
/* Two passes: a source that cannot be rewound is WEFT_INVALID. (The norm2 of f64 needs a second pass only where the
 * squares leave the range of f64.) */
WEFT_API weft_status weft_variance_source(weft_context *ctx, weft_dtype accumulate, size_t ddof, const weft_source *x,
                                          void *out);
WEFT_API weft_status weft_scan_source(weft_context *ctx, weft_op op, weft_scan_kind kind, weft_dtype accumulate,
                                      const weft_source *x, const void *init, const weft_sink *y);
/* weft_recurrence of one row, forward. Where the elements come from the last on, v comes so too, and is that of
 * WEFT_REVERSE. */
WEFT_API weft_status weft_recurrence_source(weft_context *ctx, const weft_source *s, const weft_source *u,
                                            const void *init, const weft_sink *v);
WEFT_API weft_status weft_histogram_source(weft_context *ctx, const weft_source *x, size_t bins, const void *edges,
                                           uint64_t *counts);
WEFT_API weft_status weft_histogram_even_source(weft_context *ctx, const weft_source *x, size_t bins,
                                                const void *lower, const void *upper, uint64_t *counts);

/* weft_match_count of a text of bytes, from first to last place; words across the seams of pieces are found. */
WEFT_API weft_status weft_match_count_source(weft_context *ctx, const weft_source *text,
                                             const weft_patterns *patterns, unsigned flags, uint64_t *counts);
/* What a name of a formula stands for: a source, or one value of type dtype in host memory. One of the two pointers
 * is NULL. */
typedef struct weft_source_binding {
    const char *name;
    const weft_source *source;
    weft_dtype dtype;
    const void *scalar;
} weft_source_binding;

/* At least one binding is a source. */
WEFT_API weft_status weft_map_source(weft_context *ctx, const weft_expr *expr, weft_dtype dtype,
                                     const weft_source_binding *bindings, size_t count, const weft_sink *out);
WEFT_API weft_status weft_map_reduce_source(weft_context *ctx, weft_op op, const weft_expr *expr, weft_dtype dtype,
                                            weft_dtype accumulate, const weft_source_binding *bindings, size_t count,
                                            void *out);
WEFT_API weft_status weft_map_scan_source(weft_context *ctx, weft_op op, weft_scan_kind kind, const weft_expr *expr,
                                          weft_dtype dtype, weft_dtype accumulate,
                                          const weft_source_binding *bindings, size_t count, const void *init,
                                          const weft_sink *y);

/* ------------------------------------------------------------------------------- tuning */

/* Some operations can be done in several ways, which differ in time and in no bit: shapes of launches on a GPU, sizes
 * of blocks on a CPU. A context begins with what the user's cache folder says was measured to be fastest on a device
 * of that name, as `weft tune` leaves it; without such a file, or with WEFT_TUNING=off in the environment, with the
 * first way of each. Docs: docs/guide/tune.md. */
typedef struct weft_tunable {
    const char *operation;        /* "matmul" */
    weft_dtype dtype, accumulate; /* of the elements, of what they are summed in */
    const char *const *variants;  /* names; the first is taken where nothing was chosen */
    size_t count, chosen;         /* of variants; the one that is taken, from 0 */
} weft_tunable;

/* How many there are on the context's device; 0 for "ref" and NULL. They do not change, but for what is chosen. */
WEFT_API size_t weft_tune_count(const weft_context *ctx);
WEFT_API weft_status weft_tune_describe(weft_context *ctx, size_t index, weft_tunable *tunable);

/* From now on calls on ctx of that operation and those types take this variant, also where they are so small that
 * another would be better (a choice of the file is taken where it is good). WEFT_UNSUPPORTED: this device cannot. */
WEFT_API weft_status weft_tune_choose(weft_context *ctx, size_t index, size_t variant);

/* Writes what ctx takes to the file, in one step: contexts that are opened later on such a device begin with it. */
WEFT_API weft_status weft_tune_save(weft_context *ctx);
/* Removes the file, if there is one, and goes back to the first variants. */
WEFT_API weft_status weft_tune_reset(weft_context *ctx);
/* The file: its path to path[0..size). WEFT_IO when neither XDG_CACHE_HOME nor HOME says where. */
WEFT_API weft_status weft_tune_file(weft_context *ctx, char *path, size_t size);
/* A sentence when there was a file and ctx does not use it: damaged, of another device or release; else "". */
WEFT_API const char *weft_tune_warning(const weft_context *ctx);

#ifdef __cplusplus
}
#endif
#endif
