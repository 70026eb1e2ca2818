/* weft: data-parallel primitives that give the same bits on every machine.
 *
 * This header is the manual. A result is a function of the inputs and of the arguments alone:
 * never of the device, the GPU model, the instruction set, the number of threads or the run.
 * The order of rounding steps behind each function is written in docs/ORDER.md; the clause is
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

/* Version of docs/ORDER.md. Equal order versions give equal bits, whatever the release. */
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
    WEFT_INTERNAL = 9       /* a fault in weft itself */
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
 * On failure *ctx is NULL and weft_last_error(NULL) has the reason. */
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

/* Operators. "i" means i8..i64, "u" u8..u64. Docs: docs/reduce.md; order: docs/ORDER.md 3. */
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
 * A NaN result is the quiet NaN 0x7fc00000 or 0x7ff8000000000000. Order: docs/ORDER.md 3. */
WEFT_API weft_status weft_reduce(weft_context *ctx, weft_op op, weft_dtype dtype, weft_dtype accumulate, size_t n,
                                 const void *x, void *out);

/* ----------------------------------------------------------------------------- variance */

/* Variance sum (x - mean)^2 / (n - ddof) of x[0..n), by two passes evaluated in f64 (T. Chan,
 * G. Golub, R. LeVeque, The American Statistician 37, 1983: the two-pass algorithm).
 *   ddof        0: of a population; 1: of a sample. WEFT_EMPTY unless ddof < n.
 *   accumulate  WEFT_DEFAULT, or WEFT_F64 for an f64 result from f32 elements.
 *   out         f64; f32 for f32 elements and WEFT_DEFAULT. Order: docs/ORDER.md 4. */
WEFT_API weft_status weft_variance(weft_context *ctx, weft_dtype dtype, weft_dtype accumulate, size_t n, size_t ddof,
                                   const void *x, void *out);

/* ---------------------------------------------------------------------------------- dot */

/* Sum of x[i] * y[i], i in [0, n). Each product is fused into the sum (one rounding).
 *   accumulate  WEFT_DEFAULT, or WEFT_F64 to accumulate f32 elements in f64.
 *   out         i64, u64, f32 or f64 as for WEFT_SUM; n = 0: 0. x == y is allowed.
 * Order: docs/ORDER.md 5. */
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
 * y[i + 1]. y[n - 1] need not have the bits of weft_reduce. Order: docs/ORDER.md 6. */
WEFT_API weft_status weft_scan(weft_context *ctx, weft_op op, weft_scan_kind kind, weft_dtype dtype,
                               weft_dtype accumulate, size_t n, const void *x, const void *init, void *y);

/* ------------------------------------------------------------------------------ laplace */

/* `sweeps` sweeps of Jacobi's iteration for Laplace's equation on a grid of nx * ny * nz points of
 * f32 or f64, x running fastest: v[i + nx (j + ny k)]. A point on one of the six faces keeps its
 * value, every other one becomes the mean of its six neighbours of the sweep before. A grid with
 * fewer than 3 points in some direction is all faces. v may be u itself; else they must not overlap.
 * change, when it is not NULL, gets one f64: the root mean square, over all points, of what the last
 * sweep changed. Scratch memory: a grid, when there are more sweeps than one.
 * Order: docs/ORDER.md 7. Source: C. G. J. Jacobi, Astron. Nachr. 22 (1845); several sweeps in one
 * pass over memory as in M. Wittmann, G. Hager, J. Treibig, G. Wellein, Parallel Process. Lett. 20
 * (2010), and A. Nguyen et al., SC 2010. Docs: docs/laplace.md. */
WEFT_API weft_status weft_laplace(weft_context *ctx, weft_dtype dtype, size_t nx, size_t ny, size_t nz, size_t sweeps,
                                  const void *u, void *v, double *change);

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
 * own. Products of many |s| > 1 can overflow where a loop does not: docs/recurrence.md. Order: docs/ORDER.md 8. */
WEFT_API weft_status weft_recurrence(weft_context *ctx, weft_dtype dtype, weft_direction direction, size_t rows,
                                     size_t n, const void *s, const void *u, const void *init, void *v);

#ifdef __cplusplus
}
#endif
#endif
