/* weft: data-parallel primitives for CPUs and CUDA GPUs that return the same bits on every machine.
 *
 * Introduction
 *   weft provides reductions, scans, selections, sorts, matrix products, Fourier transforms, convolutions, linear
 *   solvers, random numbers, Monte Carlo prices, text matches and formulas over arrays. Every bit of a result is a
 *   function of the inputs and the arguments. It does not depend on the device, the GPU model, the instruction set,
 *   the number of threads or the run. docs/spec/ORDER.md specifies the order of the rounding steps of each function;
 *   the comment of a function names its clause. The order changes only when WEFT_ORDER_VERSION changes.
 *   This header is the manual of the library. In C, weft_generic.h adds checks of type tags at compile time.
 *
 * Example: the sum of three numbers, on the first usable GPU, or on the CPU if there is none
 *     #include <stdio.h>
 *     #include <weft.h>
 *     int main(void) {
 *         const double x[] = {1.5, -0.25, 3};
 *         double total;
 *         weft_context *ctx;
 *         if (weft_open(&ctx, "auto") != WEFT_OK) return puts(weft_last_error(NULL)), 1;
 *         if (weft_reduce(ctx, WEFT_SUM, WEFT_F64, WEFT_DEFAULT, 3, x, &total) == WEFT_OK) printf("%g\n", total);
 *         weft_close(ctx);
 *     }
 *
 * Conventions
 *   Arguments  have the order: context, operator or method, types, sizes, inputs, outputs. Sizes are size_t and count
 *              elements unless the name contains "bytes". Sizes of 2^32 and more are supported.
 *   Memory     A pointer may point to host memory and, on a CUDA context, to device or managed memory; the library
 *              detects which. Parameters "in host memory" must be host memory. An array must be aligned to its type.
 *              Unless the function allows it, an output must not overlap an input or another output, and a pointer
 *              must not be NULL.
 *   Empty      An array may have 0 elements, unless the function states a minimum, and may then be NULL. A function
 *              that has no value for its sizes returns WEFT_EMPTY.
 *   Structs    A struct that begins with `size` may get more members in a later release. The caller sets `size` to
 *              the size of the struct: weft_option option = {.size = sizeof option, ...}.
 *   Errors     Every function that can fail returns a weft_status. If it is not WEFT_OK, weft_last_error(ctx) returns
 *              a message with the offending values. Arguments are checked first: a call that fails because of its
 *              arguments has written nothing. The library never prints, exits or aborts.
 *   Streams    On a CUDA context a call whose output is in device memory is asynchronous on the context's stream. A
 *              call whose output is in host memory is complete when it returns.
 *   Threads    Only one thread at a time may use a context; a second thread gets WEFT_BUSY. Contexts are independent
 *              of one another. A context cannot be used after fork() in the child process (WEFT_FORKED).
 *   Floats     The caller's floating-point mode does not affect results and is not changed. A NaN that an operation
 *              computes is stored as the quiet NaN 0x7fc00000 (f32) or 0x7ff8000000000000 (f64).
 *
 * Contents: the sections of this header, in their order
 *   basics              status, types, version, devices, context, memory
 *   sums and scans      reduce, variance, dot, exact states (sums that are merged), scan
 *   grids and signals   laplace, fft, convolve
 *   arrays              select, runs, segments, scatter, recurrence, histogram, top_k, merge, search_sorted
 *   linear systems      matmul, tridiag, block_tridiag, pentadiag, heat
 *   sorts and samples   sort, random, sobol, price (of options)
 *   texts and formulas  match, map
 *   views               arrays of up to 16 dimensions: copies; reductions, scans, sorts, ... along axes
 *   large arrays        sources (arrays larger than memory), tuning (choice of the fastest variant)
 */
#ifndef WEFT_H
#define WEFT_H

#include <stddef.h>
#include <stdint.h>

#define WEFT_VERSION_MAJOR 0
#define WEFT_VERSION_MINOR 1
#define WEFT_VERSION_PATCH 0

/* Version of docs/spec/ORDER.md. Two releases with equal order versions return equal bits. */
#define WEFT_ORDER_VERSION 3

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
    WEFT_INVALID = 1,       /* an argument is invalid: NULL, misaligned, overlapping or out of range */
    WEFT_UNSUPPORTED = 2,   /* the operation is not defined for these types or on this device */
    WEFT_EMPTY = 3,         /* the operation has no value for so few elements */
    WEFT_OUT_OF_MEMORY = 4, /* an allocation of host or device memory failed; inputs are unchanged */
    WEFT_NO_DEVICE = 5,     /* the device does not exist, or its driver is missing or too old */
    WEFT_DEVICE_LOST = 6,   /* the GPU failed; all later calls on this context fail; inputs are unchanged */
    WEFT_BUSY = 7,          /* another thread is inside a call on this context */
    WEFT_FORKED = 8,        /* the context was opened before fork(); open a new one in the child process */
    WEFT_INTERNAL = 9,      /* a bug in weft */
    WEFT_IO = 10,           /* a source failed or ended early, or a sink or file could not be written */
    WEFT_CANCELLED = 11     /* the progress callback returned non-zero; outputs are undefined, inputs are unchanged */
} weft_status;

/* Returns "ok", "invalid", ...; "unknown" for a value that is not a weft_status. */
WEFT_API const char *weft_status_name(weft_status status);

/* -------------------------------------------------------------------------------- types */

typedef enum weft_dtype {
    WEFT_DEFAULT = 0, /* no type is requested; allowed only where a function says so */
    WEFT_I8 = 1,      /* int8_t */
    WEFT_I16 = 2,     /* int16_t */
    WEFT_I32 = 3,     /* int32_t */
    WEFT_I64 = 4,     /* int64_t */
    WEFT_U8 = 5,      /* uint8_t */
    WEFT_U16 = 6,     /* uint16_t */
    WEFT_U32 = 7,     /* uint32_t */
    WEFT_U64 = 8,     /* uint64_t */
    WEFT_F32 = 9,     /* float: IEEE 754 binary32 */
    WEFT_F64 = 10,    /* double: IEEE 754 binary64 */
    /* Not an element type. As `accumulate`: sums are exact and rounded once (docs/ops/exact.md). */
    WEFT_EXACT_SUM = 11,
    /* Types of 16 bits, only for functions whose comments allow them: weft_copy_view, weft_take_axis, weft_put_axis,
     * weft_gather, weft_scatter, weft_select, weft_partition, weft_reduce, weft_variance, weft_dot, weft_scan,
     * weft_sort, weft_sort_pairs, weft_argsort, weft_top_k, the same along axes, weft_quantile_axis, weft_merge,
     * weft_search_sorted, weft_matmul, weft_random, formulas and their values. Others return WEFT_UNSUPPORTED. */
    WEFT_F16 = 12, /* IEEE 754 binary16 */
    WEFT_BF16 = 13 /* bfloat16: the upper 16 bits of a binary32 */
} weft_dtype;

/* Returns "i8" ... "f64", "f16", "bf16", or "exact"; "unknown" for WEFT_DEFAULT and for values that are not a
 * weft_dtype. */
WEFT_API const char *weft_dtype_name(weft_dtype dtype);
/* Returns the number of bytes of one element; 0 for a value that is not an element type. */
WEFT_API size_t weft_dtype_size(weft_dtype dtype);

/* ------------------------------------------------------------------------------ version */

/* Return the version of the running library, for example "0.1.0", and its WEFT_ORDER_VERSION. The macros above are
 * those of this header. */
WEFT_API const char *weft_version(void);
WEFT_API int weft_order_version(void);

/* ------------------------------------------------------------------------------ devices */

/* Description of a device. A number that is unknown or does not apply is 0. */
typedef struct weft_device_info {
    size_t size;                           /* must be sizeof(weft_device_info) */
    char id[32];                           /* the string to pass to weft_open: "cpu", "cuda:0", ... */
    char name[128];                        /* the vendor's name of the processor */
    char isa[32];                          /* instruction set in use: "x86-64-v4", "sm_90" */
    uint64_t memory_bytes;                 /* total memory */
    uint64_t bandwidth_bytes;              /* memory bandwidth according to the data sheet, bytes per second */
    uint64_t l1_bytes, l2_bytes, l3_bytes; /* cache sizes; l1: of one core; l2: of one core (CPU) or of the GPU */
    int32_t cores;                         /* CPU: threads that weft uses by default; GPU: multiprocessors */
    int32_t compute_major, compute_minor;  /* GPU: compute capability */
    int32_t max_threads_per_block;
    int32_t max_threads_per_multiprocessor;
    int32_t max_blocks_per_multiprocessor;
    uint64_t shared_bytes_per_block;
    int32_t driver_version, runtime_version; /* CUDA: 1000 major + 10 minor */
    int32_t nvrtc_version;                   /* CUDA: run-time compiler of formulas; 0: they are interpreted */
} weft_device_info;

/* Returns the number of devices that can be opened on this machine: the CPU, then each usable GPU. */
WEFT_API size_t weft_device_count(void);
/* Describes device `index`, 0 <= index < weft_device_count(). Returns WEFT_NO_DEVICE for any other index. Has no
 * context: on failure weft_last_error(NULL) returns the message. */
WEFT_API weft_status weft_describe_device(size_t index, weft_device_info *info);

/* ------------------------------------------------------------------------------ context */

/* A device with its scratch memory, its settings and, on a GPU, a stream. */
typedef struct weft_context weft_context;

/* Opens a context on a device.
 *   "auto"    the first usable GPU, else the CPU. weft chooses a device nowhere else
 *   "cpu"     the CPU with its best instruction set. "cpu:base", "cpu:v2", "cpu:v3", "cpu:v4" and "cpu:amx" select a
 *             given one, for tests and measurements; the results are the same
 *   "cuda"    GPU 0; "cuda:1" is the next one. CUDA_VISIBLE_DEVICES determines the numbering
 *   "ref"     the executable specification: slow, one thread
 * On failure *ctx is NULL and weft_last_error(NULL) returns the reason. "auto" opens the CPU although a GPU exists if
 * the driver is too old, or if the CUDA plugin has no code for the GPU or does not load. weft_last_error(NULL) then
 * returns the reason after the successful call. After any other successful call it returns "". */
WEFT_API weft_status weft_open(weft_context **ctx, const char *device);

/* Waits for the context's work, releases its resources and frees it. NULL is allowed. */
WEFT_API void weft_close(weft_context *ctx);

/* Returns the id of the context's device, as in weft_device_info. */
WEFT_API const char *weft_device(const weft_context *ctx);

/* Sets the number of CPU threads, 0 to 4096. 0 selects the default: OMP_NUM_THREADS, else the number of cores that
 * this process may use. A call on few bytes uses fewer threads. Never changes a result. Has no effect on a CUDA or
 * ref context. */
WEFT_API weft_status weft_set_threads(weft_context *ctx, int threads);

/* Executor of the caller: threads that the program already has, of TBB or of a game's job system for example. */
typedef struct weft_executor {
    size_t size; /* must be sizeof(weft_executor) */
    void *user;  /* passed to run */
    /* Calls task(arg, index) at most once for each index from 0 to count - 1: on any threads, in any order, at the
     * same time or one after another. Returns when all these calls have returned. */
    void (*run)(void *user, size_t count, void (*task)(void *arg, size_t index), void *arg);
} weft_executor;

/* Makes the operations of a CPU context run on the threads of *executor, of which the context keeps a copy, instead
 * of weft's own. NULL restores weft's threads. Never changes a result.
 *   - An operation calls `run` for each of its parallel parts, with a count of 2 to the number of threads
 *     (weft_set_threads). It calls `run` only on the thread that called the operation. If its arrays are short, it
 *     does not call it.
 *   - All tasks share the work of a part, so a task may find none left and return at once. No task waits for a task
 *     that has not begun. After `run` the calling thread does the work that is left, which is all of it if `run`
 *     calls no task.
 *   - A task needs at most 128 KiB of stack. It keeps the floating-point mode of its thread. It neither calls the
 *     executor nor blocks.
 *   - `run` must return on the thread that called it and must not throw. The mode of that thread is the caller's.
 *     While `run` waits it may execute other work of the program, also calls of weft with other contexts; calls with
 *     this context return WEFT_BUSY.
 *   - The progress callback is called in tasks that run on the calling thread, and between the parts.
 *   - A call with sources reads ahead on a thread of its own, which may copy on weft's threads. `run` is not called
 *     in a child process after fork().
 * Returns WEFT_UNSUPPORTED on a CUDA or ref context. */
WEFT_API weft_status weft_set_executor(weft_context *ctx, const weft_executor *executor);

/* Makes a CUDA context use the caller's cudaStream_t. NULL restores the context's own stream. The stream must belong
 * to the context's device and must outlive its use. Returns WEFT_UNSUPPORTED on other contexts.
 * The context's own stream waits for CUDA's default stream (cudaMemcpy, for example). A caller's stream that was
 * created with cudaStreamNonBlocking does not; the caller must then synchronize its uploads. */
WEFT_API weft_status weft_set_stream(weft_context *ctx, void *stream);

/* Waits until all work submitted to the context is complete, and returns its errors. */
WEFT_API weft_status weft_synchronize(weft_context *ctx);

/* Callback that receives the progress of a call and can cancel it: `done` of `total` units of work are complete. The
 * unit differs from call to call. During one call `done` never decreases. total is 0 while the amount of work is
 * unknown; a call that learns it reports done == total at its end. Returns 0 to continue, another value to cancel. */
typedef int weft_progress(void *user, uint64_t done, uint64_t total);

/* Sets the progress callback for all later operations on this context; NULL removes it. weft passes `user` to it.
 *   - Only the thread that called the operation calls it, and only during the operation: at its beginning, between
 *     chunks of its work, and at its end. Two calls are at least 50 ms apart, except for the last one.
 *   - A cancelled operation returns WEFT_CANCELLED. The contents of its outputs are then undefined, and a sink has
 *     received part of the result. The context can be used for further calls.
 *   - The callback must not call weft with this context.
 *   - On a CUDA context an operation whose arrays are all in device memory is asynchronous and can be cancelled only
 *     at its beginning. On a ref context an operation without sources checks the callback only at its beginning.
 *   - weft_open, weft_close, weft_alloc, weft_free, weft_synchronize, weft_set_... and weft_tune_... never call it.
 *   - Calls of libweft_dist must not be cancelled: the other ranks would wait forever for the cancelled one. */
WEFT_API weft_status weft_set_progress(weft_context *ctx, weft_progress *callback, void *user);

/* Returns the error message of the last failed call on ctx, or "". NULL: of this thread's last failed call without a
 * context (weft_open, weft_describe_device, weft_reduce_result). Valid until the next call. WEFT_BUSY sets none. */
WEFT_API const char *weft_last_error(const weft_context *ctx);

/* Returns the number of bytes of scratch memory that the context holds. It grows to the need of the largest call. */
WEFT_API size_t weft_scratch_bytes(const weft_context *ctx);

/* ------------------------------------------------------------------------------- memory */

typedef enum weft_memory {
    WEFT_DEVICE = 0,  /* memory of the context's device */
    WEFT_MANAGED = 1, /* memory that host and device can access */
    WEFT_PINNED = 2   /* page-locked host memory: the device copies from and to it at full speed */
} weft_memory;

/* Allocates `bytes` bytes, aligned to at least 64 bytes. 0 is allowed and sets *p to NULL. On a CPU context all kinds
 * are ordinary host memory. Release the memory with weft_free on the same context, before the context is closed. */
WEFT_API weft_status weft_alloc(weft_context *ctx, weft_memory memory, size_t bytes, void **p);
/* Releases memory of weft_alloc. `memory` must be the kind that was allocated. p == NULL is allowed. */
WEFT_API weft_status weft_free(weft_context *ctx, weft_memory memory, void *p);

/* Allocator of the caller: a pool, an arena, the caching allocator of another library. */
typedef struct weft_allocator {
    size_t size; /* must be sizeof(weft_allocator) */
    void *user;  /* passed to both functions */
    /* Returns `bytes` bytes, at least 1, of memory of the kind `where`, or NULL. The address must be a multiple of
     * `alignment`, which is a power of two and at most 256. */
    void *(*allocate)(void *user, weft_memory where, size_t bytes, size_t alignment, void *stream);
    /* Takes back memory that `allocate` returned for the same `where` and `bytes`. */
    void (*release)(void *user, weft_memory where, void *p, size_t bytes, void *stream);
} weft_allocator;

/* Makes the context take its memory from *allocator, of which it keeps a copy. NULL restores the default allocator.
 * First releases the scratch memory of the context; the previous allocator is not used any more. Returns
 * WEFT_INVALID if blocks of weft_alloc from a previous weft_allocator have not been freed.
 *   - Taken from the allocator: blocks of weft_alloc, scratch memory and tables (weft_scratch_bytes counts them), and
 *     buffers of calls with sources. A CPU context takes its scratch memory as WEFT_DEVICE.
 *   - Not taken from it: the context and its scratch memory of fixed size (less than 256 KiB), formulas, stacks of
 *     threads, host memory that a CUDA context or a call with sources needs only during the call, and the scratch
 *     memory of a ref context.
 *   - If `allocate` returns NULL, the call returns WEFT_OUT_OF_MEMORY. If the address is not aligned, the block is
 *     released and the call returns WEFT_INVALID. weft_close releases all blocks, also those of weft_alloc.
 *   - Only the thread that calls a function with this context calls `allocate` and `release`. They must return, and
 *     must not call weft with this context. They are not called in a child process after fork().
 *   - `stream` is the cudaStream_t of a CUDA context, else NULL. The GPU of the context is then the current device,
 *     also on return. Memory of kind WEFT_DEVICE may be usable only by later work on `stream` (cudaMallocAsync);
 *     the other kinds must be usable at once. When weft calls `release`, all work on the block is complete.
 *   - Returns WEFT_INVALID while the stream is being captured. A CUDA graph that was captured before uses scratch
 *     memory that this function releases: it must be captured again. */
WEFT_API weft_status weft_set_allocator(weft_context *ctx, const weft_allocator *allocator);

/* Copies `bytes` bytes from src to dst, each in host or device memory. They must not overlap. The copy takes place in
 * stream order. It is complete on return if src or dst is host memory. */
WEFT_API weft_status weft_copy(weft_context *ctx, size_t bytes, const void *src, void *dst);

/* ------------------------------------------------------------------------------- reduce */

/* Operators of reductions and scans, with the type of a reduction's result and its value for n = 0. "i" is any of
 * i8..i64, "u" any of u8..u64. An operator without a restriction takes all element types. Where f32 is the result of
 * f32, f16 is that of f16 and bf16 that of bf16. */
typedef enum weft_op {
    WEFT_SUM = 0,            /* sum: i -> i64 and u -> u64, modulo 2^64; f32 -> f32; f64 -> f64; n = 0: 0 */
    WEFT_PROD = 1,           /* product: i -> i64 and u -> u64, modulo 2^64; f32 -> f32; f64 -> f64; n = 0: 1 */
    WEFT_MIN = 2,            /* minimum, element type; -0 < +0; NaN if any element is NaN; n = 0: WEFT_EMPTY */
    WEFT_MAX = 3,            /* maximum, element type; -0 < +0; NaN if any element is NaN; n = 0: WEFT_EMPTY */
    WEFT_ARGMIN = 4,         /* u64: index of the first NaN, else of the first minimum; n = 0: WEFT_EMPTY */
    WEFT_ARGMAX = 5,         /* u64: index of the first NaN, else of the first maximum; n = 0: WEFT_EMPTY */
    WEFT_AND = 6,            /* bitwise and; integers only, element type; n = 0: all ones */
    WEFT_OR = 7,             /* bitwise or; integers only, element type; n = 0: 0 */
    WEFT_XOR = 8,            /* bitwise exclusive or; integers only, element type; n = 0: 0 */
    WEFT_ANY = 9,            /* u8: 1 if any element is not zero, else 0; NaN is not zero, -0 is zero; n = 0: 0 */
    WEFT_ALL = 10,           /* u8: 1 if no element is zero, else 0; NaN is not zero, -0 is zero; n = 0: 1 */
    WEFT_COUNT_NONZERO = 11, /* u64: number of elements that are not zero; NaN is not zero, -0 is zero; n = 0: 0 */
    WEFT_MEAN = 12,          /* arithmetic mean, evaluated in f64; f32 -> f32, others -> f64; n = 0: WEFT_EMPTY */
    WEFT_NORM1 = 13,         /* sum of |x|, evaluated in f64; f32 -> f32, others -> f64; n = 0: 0 */
    WEFT_NORM2 = 14,         /* sqrt(sum of x^2) in f64, no needless overflow; f32 -> f32, others -> f64; n = 0: 0 */
    WEFT_NORMINF = 15        /* largest |x|; NaN if any element is NaN; f32 -> f32, others -> f64; n = 0: 0 */
} weft_op;

/* Returns "sum", "prod", ...; "unknown" for a value that is not a weft_op. */
WEFT_API const char *weft_op_name(weft_op op);

/* Gets the type of the value that weft_reduce writes. Returns WEFT_UNSUPPORTED if op is not defined for dtype or
 * cannot accumulate in `accumulate`. On failure weft_last_error(NULL) returns the message. */
WEFT_API weft_status weft_reduce_result(weft_op op, weft_dtype dtype, weft_dtype accumulate, weft_dtype *result);

/* Reduces x[0..n) with `op` to one value.
 *   accumulate  WEFT_DEFAULT: types as listed at weft_op. WEFT_F64 with f32 elements: the result of sum, prod, mean
 *               and the norms is f64, and sum and prod accumulate in f64. WEFT_F32 or WEFT_F64 with f16 or bf16
 *               elements: the result of these operators is f32 or f64. With WEFT_DEFAULT or WEFT_F32, sum and prod of
 *               them accumulate in f32. WEFT_EXACT_SUM with f32 or f64 elements: sum, mean, norm1 and norm2 are
 *               computed exactly and rounded once to the type of the elements. They do not depend on the order of
 *               the elements (docs/ops/exact.md, docs/spec/ORDER.md 30)
 *   out         one value of the type that weft_reduce_result returns
 * Returns WEFT_EMPTY if n = 0 and op has no value for it. Order: docs/spec/ORDER.md 3. Docs: docs/ops/reduce.md. */
WEFT_API weft_status weft_reduce(weft_context *ctx, weft_op op, weft_dtype dtype, weft_dtype accumulate, size_t n,
                                 const void *x, void *out);

/* Reduces x[0..n) to one value by the tree of the C++ proposal WG21 P4016, which the number of lanes determines:
 * element i belongs to lane i mod `lanes`; the elements of each lane combine in adjacent pairs, level by level;
 * then the lanes do. weft_reduce has another tree, so its result differs, as do those of other numbers of lanes.
 *   op          WEFT_SUM or WEFT_PROD. The other operators are fixed by their definitions: call weft_reduce
 *   dtype       WEFT_F32 or WEFT_F64
 *   accumulate  WEFT_DEFAULT, or WEFT_F64 for an f64 result from f32 elements
 *   lanes       1 to 1024. The powers of two from 16 to 128 are fastest, with x aligned to 16 bytes
 *   out         one value of dtype, or of f64 if `accumulate` is WEFT_F64. For n = 0 it is 0 (sum) or 1 (prod)
 * There is no initial value: with one, the proposal's result is op(init, *out), or init if n = 0.
 * Order: docs/spec/ORDER.md 3.4. Docs: docs/ops/reduce.md. */
WEFT_API weft_status weft_reduce_lanes(weft_context *ctx, weft_op op, weft_dtype dtype, weft_dtype accumulate,
                                       size_t n, size_t lanes, const void *x, void *out);

/* ----------------------------------------------------------------------------- variance */

/* Computes the variance of x[0..n), of any type: sum of (x - mean)^2 / (n - ddof). Evaluated in f64, in two passes.
 *   accumulate  WEFT_DEFAULT, or WEFT_F64 for an f64 result from f32, f16 or bf16 elements, or WEFT_F32 for an f32
 *               result from f16 or bf16 elements, or WEFT_EXACT_SUM for the exact variance of f32 or f64 elements,
 *               rounded once to their type (docs/spec/ORDER.md 30.3)
 *   ddof        0: variance of a population; 1: of a sample. Must be less than n, else WEFT_EMPTY is returned
 *   out         one value of the type that weft_reduce_result returns for WEFT_MEAN
 * Source: T. Chan, G. Golub, R. LeVeque, The American Statistician 37, 1983: the two-pass algorithm.
 * Order: docs/spec/ORDER.md 4. Docs: docs/ops/variance.md. */
WEFT_API weft_status weft_variance(weft_context *ctx, weft_dtype dtype, weft_dtype accumulate, size_t n, size_t ddof,
                                   const void *x, void *out);

/* ---------------------------------------------------------------------------------- dot */

/* Computes the sum of x[i] * y[i], i in [0, n). Each product of floats is fused into the sum (one rounding).
 *   accumulate  WEFT_DEFAULT, or WEFT_F64 to accumulate f32 elements in f64, or WEFT_EXACT_SUM for the exact sum of
 *               the products of f32 or f64, rounded once to the type of the elements (docs/spec/ORDER.md 30).
 *               f16 and bf16 accumulate in f32. WEFT_F32 and WEFT_F64 also make that the type of their result
 *   x, y        n elements of any type; x == y is allowed
 *   out         one value: i64 or u64 for integers, modulo 2^64; the type of the elements for floats, or that of
 *               `accumulate`. n = 0: 0
 * Order: docs/spec/ORDER.md 5. Docs: docs/ops/dot.md. */
WEFT_API weft_status weft_dot(weft_context *ctx, weft_dtype dtype, weft_dtype accumulate, size_t n, const void *x,
                              const void *y, void *out);

/* ------------------------------------------------------------------------- exact states */

/* Sum of terms, exact: plain data of fixed size (1128 bytes) that may be copied, sent and stored. A state of zeros is
 * the empty sum: weft_exact_state state = {{0}}. It has no other parts and needs no destructor.
 *   - It is a sum of terms, whatever they are: elements of f32 and of f64, magnitudes, squares and products may be
 *     added to one state, and states of different terms may be merged.
 *   - It has at most 2^63 - 1 terms, and never overflows before.
 *   - If two states have equal sums and equal numbers of terms, NaNs and infinities, and weft wrote both, their words
 *     are equal, in whatever order and on whatever device the terms were added.
 *   - Adding the words of up to 2^30 states, each as a 64-bit integer, merges them as well: MPI_SUM of MPI_INT64_T,
 *     for example. The functions below accept such a sum, and weft_exact_merge with an empty state as `into` gives it
 *     the words that weft writes.
 * A call that fails or is cancelled does not change a state. It returns WEFT_INVALID if the words of a state cannot
 * be those of a sum. docs/spec/ORDER.md 30.2 specifies words and bytes. Docs: docs/ops/exact.md. */
typedef struct weft_exact_state {
    int64_t word[141];
} weft_exact_state;

/* Bytes that weft_exact_save writes. */
#define WEFT_EXACT_BYTES 592

/* Adds the terms of weft_reduce with WEFT_EXACT_SUM to a sum.
 *   op     WEFT_SUM or WEFT_MEAN: the elements; WEFT_NORM1: their magnitudes; WEFT_NORM2: their squares
 *   dtype  WEFT_F32 or WEFT_F64
 *   x      n elements
 *   state  the sum, in host memory */
WEFT_API weft_status weft_exact_add(weft_context *ctx, weft_op op, weft_dtype dtype, size_t n, const void *x,
                                    weft_exact_state *state);
/* Adds the products x[i] * y[i], i in [0, n), of two arrays of f32 or f64 to a sum. x == y is allowed. */
WEFT_API weft_status weft_exact_add_dot(weft_context *ctx, weft_dtype dtype, size_t n, const void *x, const void *y,
                                        weft_exact_state *state);

/* The functions below have no context: on failure weft_last_error(NULL) returns the message. All their arguments are
 * in host memory. */

/* Adds the terms of `from` to `into`. Allows from == into, which doubles every term. */
WEFT_API weft_status weft_exact_merge(const weft_exact_state *from, weft_exact_state *into);

/* Rounds a sum S of n terms once, to nearest even. The state is not changed and may get further terms.
 *   op     WEFT_SUM or WEFT_NORM1: S; WEFT_MEAN: S / n; WEFT_NORM2: the square root of S, NaN if S < 0. The same
 *          operator in weft_exact_add and here gives the bits of weft_reduce
 *   dtype  WEFT_F32 or WEFT_F64, also for terms of the other type
 *   out    one value of dtype, of any alignment
 * Returns WEFT_EMPTY for the mean of no terms. */
WEFT_API weft_status weft_exact_value(weft_op op, weft_dtype dtype, const weft_exact_state *state, void *out);

/* Write and read a state as bytes that are the same on all machines. Equal states have equal bytes. size must be
 * WEFT_EXACT_BYTES. weft_exact_load returns WEFT_INVALID, and does not change the state, if the bytes are not those
 * of a state. */
WEFT_API weft_status weft_exact_save(const weft_exact_state *state, size_t size, void *bytes);
WEFT_API weft_status weft_exact_load(size_t size, const void *bytes, weft_exact_state *state);

/* --------------------------------------------------------------------------------- scan */

typedef enum weft_scan_kind {
    WEFT_INCLUSIVE = 0, /* y[i] = x[0] op ... op x[i] */
    WEFT_EXCLUSIVE = 1  /* y[i] = x[0] op ... op x[i - 1]; y[0] = the initial value */
} weft_scan_kind;

/* Computes the prefix scan of x[0..n) with sum, prod, min, max, or, for integers, and, or, xor.
 *   dtype       any element type, also WEFT_F16 and WEFT_BF16, whose sums and products accumulate in f32, or in f64
 *               if that is the type of y. Each is rounded once, to the type of y
 *   accumulate  type of y. WEFT_DEFAULT: the element type. For sum and prod also WEFT_F64 for f32, f16 and bf16
 *               elements, WEFT_F32 for f16 and bf16, WEFT_I64 for i8..i32 and WEFT_U64 for u8..u32
 *   init        one value of y's type in host memory, combined before x[0]. NULL: none; an exclusive scan then starts
 *               with 0 (sum, or, xor), 1 (prod), all ones (and), or the greatest (min) or least (max) value of the
 *               type (floats: +Inf, -Inf)
 *   y           n values. y == x is allowed if x and y have the same type; any other overlap is not
 * y[i] depends on init and on the elements up to i (exclusive: i - 1), not on n. Inclusive y[i] has the bits of
 * exclusive y[i + 1]. y[n - 1] may differ in its bits from the result of weft_reduce.
 * Order: docs/spec/ORDER.md 6. Docs: docs/ops/scan.md. */
WEFT_API weft_status weft_scan(weft_context *ctx, weft_op op, weft_scan_kind kind, weft_dtype dtype,
                               weft_dtype accumulate, size_t n, const void *x, const void *init, void *y);

/* ------------------------------------------------------------------------------ laplace */

/* Runs `sweeps` sweeps of Jacobi's iteration for Laplace's equation on a grid of nx * ny * nz points. Points on the
 * six faces keep their values. A sweep replaces every other point by the mean of its six neighbours before the sweep.
 *   dtype   WEFT_F32 or WEFT_F64, of u and v
 *   nx ...  number of points along x, y, z. With fewer than 3 points in a direction all points are on faces
 *   sweeps  0 copies u to v
 *   u, v    the grid before and after. x varies fastest: u[i + nx (j + ny k)]. v == u is allowed, no other overlap
 *   change  one f64: root mean square, over all points, of the change in the last sweep; 0 without a sweep. Or NULL
 * Returns WEFT_EMPTY if the grid has no points. Scratch memory: one grid if sweeps > 1.
 * Source: C. G. J. Jacobi, Astron. Nachr. 22 (1845). Several sweeps share one pass over memory as in M. Wittmann,
 * G. Hager, J. Treibig, G. Wellein, Parallel Process. Lett. 20 (2010), and A. Nguyen et al., SC 2010.
 * Order: docs/spec/ORDER.md 7. Docs: docs/ops/laplace.md. */
WEFT_API weft_status weft_laplace(weft_context *ctx, weft_dtype dtype, size_t nx, size_t ny, size_t nz, size_t sweeps,
                                  const void *u, void *v, double *change);

/* Iterative methods of weft_laplace_solve. */
typedef enum weft_laplace_method {
    WEFT_SOR = 0,      /* sweeps of red-black over-relaxation; their number grows with the edge length of the grid */
    WEFT_MULTIGRID = 1 /* V-cycles over grids of every other point; about ten cycles for any size of the grid */
} weft_laplace_method;

/* Solves Laplace's equation: finds the grid on which every point that is not on a face is the mean of its six
 * neighbours. The faces of u are the boundary values; the other values of u are the initial guess.
 *   dtype      WEFT_F32 or WEFT_F64, of u and v
 *   nx, u ...  grids as in weft_laplace: x varies fastest, v == u is allowed, any other overlap is not
 *   omega      over-relaxation factor, 0 < omega < 2. 0 selects the best value; for WEFT_SOR a function of nx, ny, nz
 *   tolerance  >= 0. The iteration stops when the residual is at most the tolerance. The residual is the root mean
 *              square, over all points, of the change that a sweep of weft_laplace would make. Checked after each
 *              cycle, for WEFT_SOR every 10 sweeps. 0 disables the check: exactly `sweeps` sweeps or cycles are made
 *   sweeps     maximum number of WEFT_SOR sweeps or multigrid cycles. 0 copies u to v and computes its residual
 *   done       gets the number of sweeps or cycles made; in host memory, or NULL
 *   residual   gets the residual of v; in host memory, or NULL
 * Returns WEFT_OK if the tolerance is not reached; *residual is then greater than the tolerance. A NaN residual stops
 * the iteration if tolerance > 0. Returns WEFT_EMPTY if the grid has no points. Rounding keeps the residual above
 * about eps times the largest |value|. Splitting the sweeps or cycles over several calls changes no bit. On a GPU a
 * call with a tolerance or a residual waits for the device; grids in host memory are copied to the GPU and back for
 * each check. Scratch memory: 1.3 grids for WEFT_MULTIGRID; for WEFT_SOR one grid if the residual is computed.
 * Source: S. Frankel, Math. Tables Aids Comput. 4 (1950); D. Young, Trans. AMS 76 (1954); A. Brandt, Math. Comp. 31
 * (1977); I. Yavneh, SIAM J. Sci. Comput. 17 (1996). Order: docs/spec/ORDER.md 7. Docs: docs/ops/laplace.md. */
WEFT_API weft_status weft_laplace_solve(weft_context *ctx, weft_laplace_method method, weft_dtype dtype, size_t nx,
                                        size_t ny, size_t nz, double omega, double tolerance, size_t sweeps,
                                        const void *u, void *v, size_t *done, double *residual);

/* ---------------------------------------------------------------------------------- fft */

/* Kinds of transforms. A complex number is its real part followed by its imaginary part, aligned as one of them: the
 * complex types of C and Fortran, complex64 and complex128 of NumPy. */
typedef enum weft_fft_kind {
    WEFT_C2C = 0,         /* y[f] = sum over j of x[j] exp(-2 pi i f j / n) */
    WEFT_C2C_INVERSE = 1, /* y[j] = 1/n sum over f of x[f] exp(2 pi i f j / n): the inverse of WEFT_C2C */
    WEFT_R2C = 2,         /* n real values to y[0] ... y[n/2] of their transform; the rest are their conjugates */
    WEFT_C2R = 3          /* n/2 + 1 complex values to n real ones: inverse of WEFT_R2C; ignores Im x[0], Im x[n/2] */
} weft_fft_kind;

/* Computes the Fourier transforms of `batch` consecutive arrays, with the values, order and scaling of numpy.fft.
 *   dtype  WEFT_F32 or WEFT_F64, of real values and of the parts of complex ones
 *   n      values of one array (real values for WEFT_R2C and WEFT_C2R), at least 1
 *   x, y   batch * n values; the complex side of WEFT_R2C and WEFT_C2R has batch * (n/2 + 1). y == x is allowed for
 *          WEFT_C2C and WEFT_C2C_INVERSE
 * An infinity or a NaN affects all results of its array. Other lengths than 2^k need scratch memory and tables.
 * Source: J. Cooley, J. Tukey, Math. Comp. 19, 1965. Order: docs/spec/ORDER.md 14. Docs: docs/ops/fft.md. */
WEFT_API weft_status weft_fft(weft_context *ctx, weft_fft_kind kind, weft_dtype dtype, size_t batch, size_t n,
                              const void *x, void *y);

/* ----------------------------------------------------------------------------- convolve */

typedef enum weft_field {
    WEFT_REAL = 0,   /* a value is one number of the dtype */
    WEFT_COMPLEX = 1 /* a value is two numbers of the dtype: real part, imaginary part */
} weft_field;

/* Slice of the full result c[i], 0 <= i < n + m - 1, that is computed; with the meaning of the modes of NumPy. */
typedef enum weft_convolve_mode {
    WEFT_FULL = 0, /* all n + m - 1 values */
    WEFT_SAME = 1, /* max(n, m) values: the middle of the full result */
    WEFT_VALID = 2 /* max(n, m) - min(n, m) + 1 values: those where the two arrays overlap completely */
} weft_convolve_mode;

/* Computes the one-dimensional convolution of x[0..n) with h[0..m): c[i] = sum over j of x[i - j] h[j].
 *   dtype  WEFT_F32 or WEFT_F64
 *   field  real or complex, for x, h and y
 *   n, m   at least 1, else WEFT_EMPTY is returned; either array may be the longer one
 *   y      as many values as the mode states; must not overlap x or h
 * The shorter array holds the taps. Up to 64 taps each result is a chain of fused multiply-adds. With more taps it is
 * computed by Fourier transforms of blocks (overlap-save; A. Oppenheim, R. Schafer, Discrete-Time Signal Processing):
 * the error is then relative to the largest values of a block, and an infinity or a NaN affects the results of its
 * block and of the next one. The choice depends on n and m only. Order: docs/spec/ORDER.md 15.
 * Docs: docs/ops/convolve.md. */
WEFT_API weft_status weft_convolve(weft_context *ctx, weft_convolve_mode mode, weft_dtype dtype, weft_field field,
                                   size_t n, const void *x, size_t m, const void *h, void *y);

/* Computes the correlation of x[0..n) with h[0..m), as numpy.correlate(x, h, mode): the convolution with h reversed
 * and, if complex, conjugated. With WEFT_FULL y[i] = sum over j of x[i - (m - 1) + j] conj(h[j]). weft_convolve
 * describes the parameters, statuses and accuracy. Order: docs/spec/ORDER.md 15. Docs: docs/ops/convolve.md. */
WEFT_API weft_status weft_correlate(weft_context *ctx, weft_convolve_mode mode, weft_dtype dtype, weft_field field,
                                    size_t n, const void *x, size_t m, const void *h, void *y);

/* ------------------------------------------------------------------------------- select */

/* Selections keep some of the elements x[0..n), in their order. A function without `_if` keeps x[i] where flags[i] is
 * not 0, one with `_if` where the comparison of x[i] with *value is true. Also of WEFT_F16 and WEFT_BF16.
 *   flags  n bytes
 *   value  one element in host memory. Floats compare as in C: NaN is unequal to everything, every other comparison
 *          with NaN is false, and -0 equals +0
 *   y      capacity for n elements, of which the first *count are written; must not overlap x, flags or count
 *   count  gets the number of elements kept; one value in host or device memory. n = 0: 0
 * Elements are copied with all their bits. Docs: docs/ops/select.md, docs/ops/partition.md. */
typedef enum weft_comparison {
    WEFT_LT = 0, /* x[i] < value */
    WEFT_LE = 1, /* x[i] <= value */
    WEFT_EQ = 2, /* x[i] == value */
    WEFT_NE = 3, /* x[i] != value */
    WEFT_GE = 4, /* x[i] >= value */
    WEFT_GT = 5  /* x[i] > value */
} weft_comparison;

/* Returns "lt", "le", ...; "unknown" for a value that is not a weft_comparison. */
WEFT_API const char *weft_comparison_name(weft_comparison comparison);

/* Copies the elements to keep to y[0..*count) (compaction).
 * Source: G. Blelloch, Prefix sums and their applications, CMU-CS-90-190, 1990. Order: docs/spec/ORDER.md 10. */
WEFT_API weft_status weft_select(weft_context *ctx, weft_dtype dtype, size_t n, const void *x, const uint8_t *flags,
                                 void *y, uint64_t *count);
WEFT_API weft_status weft_select_if(weft_context *ctx, weft_comparison comparison, weft_dtype dtype, size_t n,
                                    const void *x, const void *value, void *y, uint64_t *count);

/* Writes the indices i of the elements to keep, ascending, to y[0..*count). Order: docs/spec/ORDER.md 10. */
WEFT_API weft_status weft_select_indices(weft_context *ctx, size_t n, const uint8_t *flags, uint64_t *y,
                                         uint64_t *count);
WEFT_API weft_status weft_select_indices_if(weft_context *ctx, weft_comparison comparison, weft_dtype dtype, size_t n,
                                            const void *x, const void *value, uint64_t *y, uint64_t *count);

/* Copies the elements to keep to y[0..*count) and the others to y[*count..n), both in their order (stable partition).
 * All n elements of y are written. Order: docs/spec/ORDER.md 10. */
WEFT_API weft_status weft_partition(weft_context *ctx, weft_dtype dtype, size_t n, const void *x,
                                    const uint8_t *flags, void *y, uint64_t *count);
WEFT_API weft_status weft_partition_if(weft_context *ctx, weft_comparison comparison, weft_dtype dtype, size_t n,
                                       const void *x, const void *value, void *y, uint64_t *count);

/* --------------------------------------------------------------------------------- runs */

/* Finds the runs of x[0..n). A run is a maximal sequence of adjacent equal elements. Floats are equal if they compare
 * equal (-0 equals +0); all NaNs are equal to one another. weft_unique writes the first element of each run;
 * weft_run_length also writes the lengths.
 *   y, values  first element of each run, with all its bits; capacity for n
 *   lengths    number of elements of each run; capacity for n
 *   count      gets the number of runs; one value in host or device memory. n = 0: 0
 * Only the first *count elements of y, values and lengths are written. No two arrays may overlap.
 * Order: docs/spec/ORDER.md 10. Docs: docs/ops/unique.md, docs/ops/run_length.md. */
WEFT_API weft_status weft_unique(weft_context *ctx, weft_dtype dtype, size_t n, const void *x, void *y,
                                 uint64_t *count);
WEFT_API weft_status weft_run_length(weft_context *ctx, weft_dtype dtype, size_t n, const void *x, void *values,
                                     uint64_t *lengths, uint64_t *count);

/* ----------------------------------------------------------------------------- segments */

/* Segments are consecutive parts of an array x[0..n). Each is reduced or scanned on its own. The result of a segment
 * depends on its elements only: it has the bits that weft_reduce or weft_scan returns for them.
 *   offsets  segments + 1 ascending numbers, at most n. Segment s is x[offsets[s]] ... x[offsets[s + 1] - 1]; it is
 *            empty if the two offsets are equal. Elements before offsets[0] and from offsets[segments] on are in no
 *            segment. Returns WEFT_INVALID if the offsets do not ascend or exceed n. Offsets in GPU memory are
 *            checked on the GPU, and the call waits for this check. If the stream is being captured the call cannot
 *            wait; it then skips each segment with invalid offsets: none of its elements are read or written
 *   heads    n flags: a segment begins at element 0 and at each element whose flag is not zero
 * Operators: sum, prod, min, max, and, or, xor. dtype, kind, accumulate: as for weft_scan and weft_reduce, but of
 * reductions sum offers WEFT_EXACT_SUM, not in scans: a segment then has the exact sum of its elements, in any order.
 * Source: G. Blelloch, IEEE Transactions on Computers 38, 1989: segmented scans. Order: docs/spec/ORDER.md 8.
 * Docs: docs/ops/segmented.md. */

/* Reduces each segment given by `offsets` to one value.
 *   out  one value for each segment, of the type of weft_reduce_result. An empty segment gives 0 (sum, or, xor),
 *        1 (prod), the greatest (min) or least (max) value of the type (floats: +Inf, -Inf), all ones (and)
 * Order: docs/spec/ORDER.md 8. */
WEFT_API weft_status weft_segmented_reduce(weft_context *ctx, weft_op op, weft_dtype dtype, weft_dtype accumulate,
                                           size_t n, const void *x, size_t segments, const uint64_t *offsets,
                                           void *out);

/* Reduces each segment given by `heads` to one value.
 *   out    capacity for n values of the type that weft_reduce_result returns; the first *count are written
 *   count  gets the number of segments; one value in host or device memory. n = 0: 0
 * Order: docs/spec/ORDER.md 8. */
WEFT_API weft_status weft_segmented_reduce_heads(weft_context *ctx, weft_op op, weft_dtype dtype,
                                                 weft_dtype accumulate, size_t n, const void *x, const uint8_t *heads,
                                                 void *out, uint64_t *count);

/* Scans each segment, given by `offsets` or `heads`, on its own, without an initial value.
 *   y  n values. Those in no segment are not written. y == x is allowed if both have one type, no other overlap
 * Order: docs/spec/ORDER.md 8. */
WEFT_API weft_status weft_segmented_scan(weft_context *ctx, weft_op op, weft_scan_kind kind, weft_dtype dtype,
                                         weft_dtype accumulate, size_t n, const void *x, size_t segments,
                                         const uint64_t *offsets, void *y);
WEFT_API weft_status weft_segmented_scan_heads(weft_context *ctx, weft_op op, weft_scan_kind kind, weft_dtype dtype,
                                               weft_dtype accumulate, size_t n, const void *x, const uint8_t *heads,
                                               void *y);

/* Reduces the elements x[i] of each run of equal adjacent keys to one value. Keys are equal if their values are
 * equal: -0 equals +0, and all NaNs are equal to one another.
 *   keys         n elements of key_dtype, any type
 *   unique_keys  first key of each run; capacity for n
 *   accumulate   as for weft_reduce
 *   out          capacity for n values of the type that weft_reduce_result returns; the first *count are written
 *   count        gets the number of runs; one value in host or device memory. n = 0: 0
 * Order: docs/spec/ORDER.md 8. */
WEFT_API weft_status weft_reduce_by_key(weft_context *ctx, weft_op op, weft_dtype key_dtype, weft_dtype dtype,
                                        weft_dtype accumulate, size_t n, const void *keys, const void *x,
                                        void *unique_keys, void *out, uint64_t *count);

/* ------------------------------------------------------------------------------ scatter */

/* Treatment of an index that is not one of 0 ... m - 1. A negative index is not. */
typedef enum weft_range {
    WEFT_RANGE_ERROR = 0, /* returns WEFT_INVALID; the message states the first such position and its index */
    WEFT_RANGE_SKIP = 1   /* ignores the element */
} weft_range;

/* Reduces the elements that have the same index to one value: index_add, group-by with dense keys.
 *   op           sum, prod, min, max, mean, or, for integers, and, or, xor
 *   dtype        type of x, any type; accumulate: as for weft_reduce, but mean of f16 and bf16 only in f32 or f64
 *   index_dtype  WEFT_I32, WEFT_I64, WEFT_U32 or WEFT_U64
 *   n, columns   x has n rows of `columns` elements, one row after the other. Each column is reduced on its own
 *   m            number of results in each column. The results for j are those of the rows i with index[i] = j
 *   x, index     n * columns elements; n indices. In any order
 *   init         m * columns values of the type that weft_reduce_result returns, which are combined with the results:
 *                out = init op result. NULL: none; must be NULL for mean. init == out is allowed
 *   out          m * columns values of that type, all of which are written. Must not overlap x or index
 * A result depends on its elements in the order of their rows, and on its initial value: without one it has the bits
 * that weft_reduce returns for them. An index without elements gives the initial value with all its bits; without one
 * 0 (sum, or, xor), 1 (prod), the greatest (min) or least (max) value of the type (floats: +Inf, -Inf), all ones
 * (and), NaN (mean). Indices in GPU memory are checked on the GPU, and with WEFT_RANGE_ERROR the call waits for this
 * check. If the stream is being captured the call cannot wait, and ignores elements whose index is out of range.
 * With WEFT_EXACT_SUM (sum, mean of f32 and f64) the result of an index with elements is the exact sum or mean of
 * these and the initial value, rounded once, in any order (docs/spec/ORDER.md 30). Sources and ranks do not offer it.
 * Scratch memory: about two copies of x and index.
 * Source: stable distribution by counting (H. Seward, MIT R-232, 1954), then the reductions of segments.
 * Order: docs/spec/ORDER.md 25. Docs: docs/ops/scatter_reduce.md. */
WEFT_API weft_status weft_scatter_reduce(weft_context *ctx, weft_op op, weft_range range, weft_dtype dtype,
                                         weft_dtype accumulate, weft_dtype index_dtype, size_t n, size_t columns,
                                         size_t m, const void *x, const void *index, const void *init, void *out);

/* Counts the indices equal to j, for each j < m. range, index_dtype, n, m, index: as for weft_scatter_reduce.
 *   counts  m values, which are set, not added to; must not overlap index
 * Order: docs/spec/ORDER.md 25. */
WEFT_API weft_status weft_scatter_count(weft_context *ctx, weft_range range, weft_dtype index_dtype, size_t n,
                                        size_t m, const void *index, uint64_t *counts);

/* Copies rows in the order of indices (take): out[i] = x[index[i]], 0 <= i < n.
 *   range        WEFT_RANGE_SKIP: row i of out is not changed if index[i] is out of range
 *   dtype        any type, also WEFT_F16 and WEFT_BF16; index_dtype: WEFT_I32, WEFT_I64, WEFT_U32 or WEFT_U64
 *   n, columns   out has n rows of `columns` elements, one row after the other
 *   m            number of rows of x
 *   x, index     m * columns elements; n indices, which may be equal
 *   out          n * columns elements; must not overlap x or index
 * Elements keep all their bits. If an index is out of range and range is WEFT_RANGE_ERROR, nothing is written. On a
 * GPU the call then waits for the check of the indices. A stream that is being captured cannot wait: when the graph
 * runs, an index out of range makes the call write nothing.
 * Order: docs/spec/ORDER.md 29. Docs: docs/ops/gather.md. */
WEFT_API weft_status weft_gather(weft_context *ctx, weft_range range, weft_dtype dtype, weft_dtype index_dtype,
                                 size_t n, size_t columns, size_t m, const void *x, const void *index, void *out);

/* Copies rows to the positions that indices state (put): out[index[i]] = x[i], 0 <= i < n.
 *   range        WEFT_RANGE_SKIP: row i of x is not copied if index[i] is out of range
 *   n, columns   x has n rows of `columns` elements, one row after the other
 *   m            number of rows of out
 *   x, index     n * columns elements; n indices
 *   out          m * columns elements; must not overlap x or index. Rows to which nothing is copied are not changed
 *   dtype, index_dtype  as for weft_gather
 * Elements keep all their bits. Two indices in range must not be equal: else the call returns WEFT_INVALID, and the
 * message states the first position whose index occurs before it, that occurrence, and the index. After an error
 * nothing has been written. On a GPU the call waits for this check; in a graph a call with a wrong index writes
 * nothing. Scratch memory: at most m bytes on a CPU, m / 8 bytes on a GPU. Order: docs/spec/ORDER.md 29. Docs:
 * docs/ops/gather.md. */
WEFT_API weft_status weft_scatter(weft_context *ctx, weft_range range, weft_dtype dtype, weft_dtype index_dtype,
                                  size_t n, size_t columns, size_t m, const void *x, const void *index, void *out);

/* --------------------------------------------------------------------------- recurrence */

typedef enum weft_direction {
    WEFT_FORWARD = 0, /* from element 0 to element n - 1 */
    WEFT_REVERSE = 1  /* from element n - 1 to element 0 */
} weft_direction;

/* Computes the linear recurrence v[i] = s[i] * v[i - 1] + u[i] (forward) or v[i] = s[i] * v[i + 1] + u[i] (reverse)
 * in each of `rows` consecutive rows of n elements.
 *   dtype  WEFT_F32 or WEFT_F64, of all arrays
 *   s, u   rows * n elements
 *   init   one initial value for each row; must not overlap v. NULL: 0
 *   v      rows * n values; v == s or v == u is allowed, any other overlap is not
 * v[i] depends on the initial value of its row and on the elements from the start of the recurrence to i only. A row
 * has the bits of a call of its own. Products of many |s| > 1 can overflow where a loop does not: see
 * docs/ops/recurrence.md. Source: composition of affine maps (P. Kogge, H. Stone, IEEE Trans. Computers C-22, 1973).
 * Order: docs/spec/ORDER.md 9. */
WEFT_API weft_status weft_recurrence(weft_context *ctx, weft_direction direction, weft_dtype dtype, size_t rows,
                                     size_t n, const void *s, const void *u, const void *init, void *v);

/* ---------------------------------------------------------------------------- histogram */

/* Counts the elements of x[0..n) in each of `bins` bins between given edges, as numpy.histogram. counts[i] is the
 * number of elements with edges[i] <= x < edges[i + 1]; the last bin also contains x == edges[bins].
 *   dtype   any element type, also WEFT_F16 and WEFT_BF16
 *   bins    1 to 2^32 - 2
 *   edges   bins + 1 values of the element type (of f16 and bf16 elements WEFT_F32), each greater than the one
 * before, else WEFT_INVALID is returned; infinities are allowed. If they are in GPU memory the call waits for the
 * stream to check them. In a stream that is being captured they are not checked; if they are out of order the counts
 * are unspecified counts  `bins` values, which are set, not added to; must not overlap x or edges NaN and elements
 * outside the edges are not counted. -0 equals +0. Each thread or block counts in private counters. Order:
 * docs/spec/ORDER.md 11. Docs: docs/ops/histogram.md. */
WEFT_API weft_status weft_histogram(weft_context *ctx, weft_dtype dtype, size_t n, const void *x, size_t bins,
                                    const void *edges, uint64_t *counts);

/* Counts the elements of x[0..n) in each of `bins` bins of equal width from lower to upper. x is counted in bin
 * (x - lower) * (bins / (upper - lower)), rounded down: exactly for integers, in f64 for floats. The last bin also
 * contains x == upper. So 256 bins from 0 to 255 give each u8 value its own bin.
 *   bins          1 to 2^32 - 2
 *   dtype         any element type, also WEFT_F16 and WEFT_BF16
 *   lower, upper  one value of the element type each (of f16 and bf16 elements WEFT_F32), in host memory; lower <
 *                 upper. For floats lower, upper, and in
 *                 f64 upper - lower and bins / (upper - lower), must be finite
 *   counts        `bins` values, which are set, not added to; must not overlap x
 * NaN and elements outside [lower, upper] are not counted. -0 equals +0.
 * Order: docs/spec/ORDER.md 11. Docs: docs/ops/histogram.md. */
WEFT_API weft_status weft_histogram_even(weft_context *ctx, weft_dtype dtype, size_t n, const void *x, size_t bins,
                                         const void *lower, const void *upper, uint64_t *counts);

/* -------------------------------------------------------------------------------- top_k */

typedef enum weft_extreme { WEFT_LARGEST = 0, WEFT_SMALLEST = 1 } weft_extreme;

/* Finds the k largest (WEFT_LARGEST, descending) or smallest (WEFT_SMALLEST, ascending) elements of x[0..n): the
 * start of the sorted array. -0 < +0, NaN comes last in both orders, and of equal elements the lower index is first.
 *   dtype    any element type, also WEFT_F16 and WEFT_BF16
 *   k        0 to n
 *   values   k elements, with all their bits
 *   indices  k numbers: values[i] is x[indices[i]]. NULL: not wanted
 * No two arrays may overlap. Source: a rising threshold on a CPU; radix select on a GPU (T. Alabi, J. Blanchard,
 * B. Gordon, R. Steinbach, ACM J. Experimental Algorithmics 17, 2012).
 * Order: docs/spec/ORDER.md 12. Docs: docs/ops/top_k.md. */
WEFT_API weft_status weft_top_k(weft_context *ctx, weft_extreme extreme, weft_dtype dtype, size_t n, const void *x,
                                size_t k, void *values, uint64_t *indices);

/* -------------------------------------------------------------------------------- merge */

/* Merges the sorted arrays a[0..na) and b[0..nb) into the sorted array y[0..na + nb).
 *   dtype  any element type, also WEFT_F16 and WEFT_BF16
 *   a, b   in ascending order (-0 < +0, NaN last); if not, the contents of y are unspecified
 *   y      elements with all their bits. Elements of a precede equal elements of b, and the elements of each array
 *          keep their order. Must not overlap a or b
 * Source: merge path (O. Green, R. McColl, D. Bader, ICS 2012).
 * Order: docs/spec/ORDER.md 12. Docs: docs/ops/merge.md. */
WEFT_API weft_status weft_merge(weft_context *ctx, weft_dtype dtype, size_t na, const void *a, size_t nb,
                                const void *b, void *y);

/* ------------------------------------------------------------------------ search_sorted */

typedef enum weft_side {
    WEFT_LEFT = 0, /* lower bound: the position before the first equal element */
    WEFT_RIGHT = 1 /* upper bound: the position after the last equal element */
} weft_side;

/* Finds, for each of m queries, the position in sorted[0..n) where it can be inserted so that the array stays sorted:
 * the number of elements less than the query (WEFT_LEFT) or not greater than it (WEFT_RIGHT).
 *   dtype      any element type, also WEFT_F16 and WEFT_BF16
 *   sorted     in ascending order (-0 < +0, NaN last, all NaNs equal); if not, the positions are unspecified
 *   queries    m elements of dtype
 *   positions  m numbers in [0, n]; must not overlap sorted or queries
 * Source: binary search. Order: docs/spec/ORDER.md 12. Docs: docs/ops/search_sorted.md. */
WEFT_API weft_status weft_search_sorted(weft_context *ctx, weft_side side, weft_dtype dtype, size_t n,
                                        const void *sorted, size_t m, const void *queries, uint64_t *positions);

/* ------------------------------------------------------------------------------- matmul */

typedef enum weft_layout {
    WEFT_ROW_MAJOR = 0,   /* element (i, j) is at i * ld + j: C, NumPy */
    WEFT_COLUMN_MAJOR = 1 /* element (i, j) is at i + j * ld: Fortran, Julia, BLAS */
} weft_layout;

typedef enum weft_transpose {
    WEFT_NO_TRANSPOSE = 0, /* op(X) = X */
    WEFT_TRANSPOSE = 1     /* op(X) is the transpose of X */
} weft_transpose;

/* Computes the matrix product C = alpha op(A) op(B) + beta C, where op(A) is m x k, op(B) k x n and C m x n.
 *   dtype        WEFT_F32, WEFT_F64, WEFT_F16 or WEFT_BF16
 *   accumulate   WEFT_DEFAULT: sums over k have the element type. Those of f16 and bf16 are f32: the result is that
 *                of the f32 values of A, B and C, rounded once. WEFT_F64 with f32 elements: the sums and the
 *                products with alpha and beta are f64 and are rounded to f32 once. WEFT_EXACT_SUM: each row of op(A)
 *                and each column of op(B) is rounded to integers of 24 bits (f64: 53 bits; f16 and bf16: 13 bits)
 *                relative to its greatest element; their products, sums, alpha and beta are exact, and the result is
 *                rounded once, so that no order of the terms matters (docs/ops/exact.md)
 *   alpha, beta  one value of dtype each (a float for f16 and bf16), in host memory. NULL: alpha is 1, beta is 0. If
 *                alpha is 0, A and B are not read; if beta is 0, C is not read
 *   lda ...      leading dimension: elements from the start of a row of the stored matrix to the start of the next
 *                row (column-major: of a column), at least its length. Elements between the rows are not accessed
 * Scratch memory: for f16 and bf16 without WEFT_EXACT_SUM, the three matrices in f32.
 * A and B may be the same or overlap. C must not overlap A or B, but may be other columns (row-major; column-major:
 * other rows) of a larger matrix that contains both. n = 1 or m = 1 is the product with a vector. The bits do not
 * depend on layout, transposes and leading dimensions, and are those of the transposed product.
 * Source: GEMM of J. Dongarra, J. Du Croz, S. Hammarling, I. Duff, ACM TOMS 16, 1990; WEFT_EXACT_SUM: K. Ozaki,
 * T. Ogita, S. Oishi, S. Rump, Numer. Algorithms 59, 2012, and on GPUs and CPUs with AMX by residues as in Ozaki
 * scheme II (K. Ozaki, Y. Uchino, T. Imamura, 2025). Order: docs/spec/ORDER.md 13 and 31. Docs: docs/ops/matmul.md.
 */
WEFT_API weft_status weft_matmul(weft_context *ctx, weft_layout layout, weft_transpose transpose_a,
                                 weft_transpose transpose_b, weft_dtype dtype, weft_dtype accumulate, size_t m,
                                 size_t n, size_t k, const void *alpha, const void *a, size_t lda, const void *b,
                                 size_t ldb, const void *beta, void *c, size_t ldc);

/* Computes `batch` products C = alpha op(A) op(B) + beta C as weft_matmul does. Each has the bits of a single call.
 *   stride_a ...  elements from the start of a matrix to that of the next one of the batch. 0 for A or B: one matrix
 *                 for all products. The matrices of C must not overlap: they are consecutive, or next to one another
 *                 within the rows (column-major: columns) of one larger matrix
 * Order: docs/spec/ORDER.md 13. */
WEFT_API weft_status weft_matmul_batched(weft_context *ctx, weft_layout layout, weft_transpose transpose_a,
                                         weft_transpose transpose_b, weft_dtype dtype, weft_dtype accumulate,
                                         size_t m, size_t n, size_t k, const void *alpha, const void *a, size_t lda,
                                         size_t stride_a, const void *b, size_t ldb, size_t stride_b,
                                         const void *beta, void *c, size_t ldc, size_t stride_c, size_t batch);

/* ------------------------------------------------------------------------------ tridiag */

/* Lines of equal length in memory: element i of line s is at p + s * line + i * step. Consecutive lines of n elements
 * have step 1 and line n; L interleaved lines have step L and line 1; one line for all systems has step 1, line 0. */
typedef struct weft_lines {
    const void *p;
    size_t step, line; /* in elements */
} weft_lines;

typedef enum weft_boundary {
    WEFT_OPEN_ENDS = 0, /* a of the first row and c of the last row are not used and need not be finite */
    WEFT_PERIODIC = 1   /* the last row precedes the first row, and the first row follows the last row */
} weft_boundary;

/* Solves the tridiagonal system a[i] x[i-1] + b[i] x[i] + c[i] x[i+1] = d[i], i in [0, n), for each of `systems`
 * systems, without pivoting.
 *   dtype     WEFT_F32 or WEFT_F64, of all arrays. n and systems may be any number, 0 included
 *   a, b, c   lines of n elements, with any step and line. step = line = 0: one value, in host memory, for all rows
 *             of all systems. line = 0: one matrix for all systems
 *   d         lines of n right-hand sides, with any step and line for which no two elements share memory
 *   x         the solution, stored with the step and line of d. x == d.p is allowed, any other overlap is not. Memory
 *             between the elements is not written
 *   singular  gets one value: UINT64_MAX if no pivot was lost and every element of x is finite. Otherwise it gets
 *             system * n + row of the first system that failed. The row is that of its first lost pivot or, if it
 *             lost none, of its first NaN or infinite element of x
 * Returns WEFT_OK also if a system failed: it has NaN in x if it lost a pivot, and the other systems are solved. A
 * lost pivot has no valid digit left. There is no pivoting: the residual is a few eps if |b| >= |a| + |c| in every
 * row, or if the matrix is symmetric positive definite or an M-matrix, and may be large otherwise (use
 * weft_tridiag_pivot). Source: elimination in chunks of 16 rows down to their last rows (H. Wang, ACM TOMS 7,
 * 1981; E. Laszlo, M. Giles, J. Appleyard, ACM TOMS 42, 2016), repeated until at most 32 rows are left for cyclic
 * reduction (R. Hockney, JACM 12, 1965). Order: docs/spec/ORDER.md 16. Docs: docs/ops/tridiag.md. */
WEFT_API weft_status weft_tridiag(weft_context *ctx, weft_boundary boundary, weft_dtype dtype, size_t systems,
                                  size_t n, weft_lines a, weft_lines b, weft_lines c, weft_lines d, void *x,
                                  uint64_t *singular);

/* Solves the systems of weft_tridiag with partial pivoting, for all matrices that are not singular. The arguments are
 * those of weft_tridiag, which is faster.
 *   singular  gets one value: UINT64_MAX if no pivot is 0 and every element of x is finite. Otherwise it gets
 *             system * n + row of the first system that failed. The row is that of the first x whose pivot is 0 or,
 *             if there is none, of the first NaN or infinite element of x
 * Returns WEFT_OK also if a system failed: it has NaN in x if a pivot is 0, and the other systems are solved. The
 * residual is that of Gaussian elimination with partial pivoting (LAPACK's gtsv): a few eps of the largest
 * |a| + |b| + |c| times the largest |x|. Like gtsv, it does not scale rows. Source: LU factorization of the matrix
 * with permuted columns: the inner unknowns of chunks of 16 rows are eliminated first, then the unknowns at the
 * borders of adjacent chunks in a binary tree (nested dissection; A. George, SIAM J. Numer. Anal. 10, 1973). An
 * inner unknown occurs only in rows of its chunk, so that the pivots of the chunk suffice for every matrix. Order:
 * docs/spec/ORDER.md 26. Docs: docs/ops/tridiag_pivot.md. */
WEFT_API weft_status weft_tridiag_pivot(weft_context *ctx, weft_boundary boundary, weft_dtype dtype, size_t systems,
                                        size_t n, weft_lines a, weft_lines b, weft_lines c, weft_lines d, void *x,
                                        uint64_t *singular);

/* ------------------------------------------------------------------------ block_tridiag */

/* Solves the block-tridiagonal system a[i] x[i-1] + b[i] x[i] + c[i] x[i+1] = d[i], i in [0, n), for each of
 * `systems` systems, without pivoting between block rows.
 *   dtype     WEFT_F32 or WEFT_F64, of all arrays. n and systems may be any number, 0 included
 *   block     2, 3 or 4: number k of rows and columns of a block
 *   a, b, c   lines of n blocks, with any step and line, which count blocks: k * k consecutive values, row by row.
 *             step = line = 0: one block, in host memory, for all rows of all systems. line = 0: one matrix for all
 *             systems
 *   d         lines of n right-hand sides of k consecutive values; step and line count these, and may be any for
 *             which no two right-hand sides share memory
 *   x         the solution, stored with the step and line of d. x == d.p is allowed, any other overlap is not. Memory
 *             between the elements is not written
 *   singular  gets one value: UINT64_MAX if no pivot was lost and every element of x is finite. Otherwise it gets
 *             system * n + block row of the first system that failed. The block row is that of its first lost pivot
 *             or, if it lost none, of its first NaN or infinite element of x
 * Returns WEFT_OK also if a system failed: it has NaN in x if it lost a pivot, and the other systems are solved. The
 * rows within a block are pivoted. The residual is a few eps, relative to the norms of the matrix and of x, if the
 * matrix is block diagonally dominant. If it is symmetric positive definite, the bound also contains the square root
 * of the condition number. The residual may be large for other matrices (J. Demmel, N. Higham, R. Schreiber, Numer.
 * Linear Algebra Appl. 2, 1995). Source: block elimination in chunks of 8 block rows down to their last rows (H.
 * Wang, ACM TOMS 7, 1981), repeated until at most 32 block rows are left. Order: docs/spec/ORDER.md 27. Docs:
 * docs/ops/block_tridiag.md. */
WEFT_API weft_status weft_block_tridiag(weft_context *ctx, weft_boundary boundary, weft_dtype dtype, size_t block,
                                        size_t systems, size_t n, weft_lines a, weft_lines b, weft_lines c,
                                        weft_lines d, void *x, uint64_t *singular);

/* Solves the pentadiagonal system e[i] x[i-2] + a[i] x[i-1] + b[i] x[i] + c[i] x[i+1] + f[i] x[i+2] = d[i], i in
 * [0, n), for each of `systems` systems, as a block-tridiagonal system of the pairs of rows 2j and 2j + 1.
 *   boundary       WEFT_PERIODIC: n must be even. WEFT_OPEN_ENDS: coefficients of x outside [0, n) are not used
 *   e, a, b, c, f  lines of n elements as in weft_tridiag
 *   singular       as in weft_tridiag, with the first row of the pair
 * Other parameters are those of weft_tridiag, and the residual is that of weft_block_tridiag. Order:
 * docs/spec/ORDER.md 28. Docs: docs/ops/pentadiag.md. */
WEFT_API weft_status weft_pentadiag(weft_context *ctx, weft_boundary boundary, weft_dtype dtype, size_t systems,
                                    size_t n, weft_lines e, weft_lines a, weft_lines b, weft_lines c, weft_lines f,
                                    weft_lines d, void *x, uint64_t *singular);

/* --------------------------------------------------------------------------------- heat */

typedef enum weft_heat_method {
    WEFT_BACKWARD_EULER = 0, /* first order in time; damps every mode for any step size */
    WEFT_CRANK_NICOLSON = 1  /* second order in time; fast modes alternate in sign if the step is large */
} weft_heat_method;

/* Advances the heat equation du/dt = k (d2u/dx2 + d2u/dy2 + d2u/dz2) by implicit time steps on regular grids. The
 * steps are stable for any step size. The values outside the grid are 0 (Dirichlet boundary).
 *   dtype       WEFT_F32 or WEFT_F64, of u and v
 *   dimensions  1, 2 or 3
 *   shape       in host memory: points along each axis, x first, which varies fastest: u[i + nx (j + ny k)]; >= 0
 *   batch       number of consecutive, independent grids; in one dimension lines of nx points
 *   lambda      in host memory: h^2 / (k dt) for each axis, where h is the distance of the points along the axis and
 *               dt the time step; from 2^-60 to 2^60 after rounding to dtype
 *   steps       number of time steps; 0 copies u to v
 *   u, v        the grids before and after; v == u is allowed, any other overlap is not
 * In one dimension a step of backward Euler solves (2 + lambda) v[i] - v[i-1] - v[i+1] = lambda u[i] (P. Laasonen,
 * Acta Math. 81, 1949); a step of Crank-Nicolson (Proc. Camb. Phil. Soc. 43, 1947) solves (2 + 2 lambda) v[i] -
 * v[i-1] - v[i+1] = u[i-1] + u[i+1] + (2 lambda - 2) u[i]. Grids are swept along one axis after the other.
 * Crank-Nicolson in two dimensions uses the alternating directions of D. Peaceman and H. Rachford (J. SIAM 3, 1955).
 * All other cases use locally one-dimensional steps (N. Yanenko, The Method of Fractional Steps, 1971), which keep
 * the order in time because the operators of the axes commute on such a grid. A NaN or an infinity, from u or from an
 * overflow, spreads over its line, and with further sweeps over its grid; weft_reduce with WEFT_NORMINF detects it.
 * Scratch memory: a second u, and that of weft_tridiag. Order: docs/spec/ORDER.md 23. Docs: docs/ops/heat.md. */
WEFT_API weft_status weft_heat(weft_context *ctx, weft_heat_method method, weft_dtype dtype, size_t dimensions,
                               const size_t *shape, size_t batch, const double *lambda, size_t steps, const void *u,
                               void *v);

/* --------------------------------------------------------------------------------- sort */

typedef enum weft_order_of_sort {
    WEFT_ASCENDING = 0, /* floats: -Inf ... -0, +0 ... +Inf, NaN */
    WEFT_DESCENDING = 1 /* floats: +Inf ... +0, -0 ... -Inf, NaN */
} weft_order_of_sort;

/* Sorts keys[0..n). The sort is stable in both orders: equal keys keep their order. All NaNs are equal, for any sign
 * and payload, and come last in both orders. Keys keep all their bits.
 *   dtype         any element type, also WEFT_F16 and WEFT_BF16
 *   keys, sorted  n keys each; sorted == keys is allowed, any other overlap is not
 * Scratch memory: a copy of the keys. Source: radix sort (H. Seward, MIT R-232, 1954; D. Knuth, The Art of Computer
 * Programming 3, 5.2.5). Order: docs/spec/ORDER.md 17. Docs: docs/ops/sort.md. */
WEFT_API weft_status weft_sort(weft_context *ctx, weft_order_of_sort order, weft_dtype dtype, size_t n,
                               const void *keys, void *sorted);

/* Sorts keys[0..n) as weft_sort does, and moves values[i] to the position of keys[i].
 *   value_bytes    size of one value: 1, 2, 4, 8 or 16. Values are aligned to their size, those of 16 bytes to 8
 *   sorted_keys    n keys; sorted_keys == keys is allowed
 *   sorted_values  n values; sorted_values == values is allowed. Besides, only keys and values may overlap
 * Scratch memory: a copy of the keys and values. Order: docs/spec/ORDER.md 17. */
WEFT_API weft_status weft_sort_pairs(weft_context *ctx, weft_order_of_sort order, weft_dtype dtype, size_t n,
                                     const void *keys, size_t value_bytes, const void *values, void *sorted_keys,
                                     void *sorted_values);

/* Sorts integer keys by `bits` of their bits, stably. Bit first_bit is the least significant one; the others are the
 * bits - 1 bits above it. They form a number, which is signed if it contains the sign bit of a signed key.
 *   bits         0: all keys are equal. first_bit + bits must not exceed the number of bits of a key
 *   value_bytes  as for weft_sort_pairs; 0: no values, and values and sorted_values are ignored
 * Other parameters and scratch memory: as for weft_sort_pairs. Returns WEFT_UNSUPPORTED for floats.
 * Order: docs/spec/ORDER.md 17. */
WEFT_API weft_status weft_sort_bits(weft_context *ctx, weft_order_of_sort order, weft_dtype dtype, unsigned first_bit,
                                    unsigned bits, size_t n, const void *keys, size_t value_bytes, const void *values,
                                    void *sorted_keys, void *sorted_values);

/* Writes the indices that sort keys[0..n): keys[indices[i]] is sorted[i] of weft_sort. Equal keys keep their order.
 *   dtype    as for weft_sort
 *   index    type of the indices: WEFT_U32 (n at most 2^32) or WEFT_U64
 *   indices  n values; must not overlap keys
 * Scratch memory: two copies of the keys, and one copy of the indices (on a GPU two).
 * Order: docs/spec/ORDER.md 17. Docs: docs/ops/argsort.md. */
WEFT_API weft_status weft_argsort(weft_context *ctx, weft_order_of_sort order, weft_dtype dtype, weft_dtype index,
                                  size_t n, const void *keys, void *indices);

/* ------------------------------------------------------------------------------- random */

typedef enum weft_distribution {
    WEFT_UNIFORM = 0,     /* in [a, b), never b, a < b; f32: a + multiples of 2^-24 (b - a), rounded; f64: of 2^-53 */
    WEFT_NORMAL = 1,      /* mean a, standard deviation b >= 0; by the inverse of the distribution function */
    WEFT_LOGNORMAL = 2,   /* exp of a normal sample with mean a and standard deviation b >= 0 */
    WEFT_EXPONENTIAL = 3, /* rate a > 0, mean 1 / a; b is not used */
    WEFT_BERNOULLI = 4,   /* u8: 1 with probability a, 0 <= a <= 1, else 0; b is not used */
    WEFT_NORMAL_FAST = 5, /* f32: as WEFT_NORMAL, by another method that takes less time; see weft_random */
    WEFT_LOGNORMAL_FAST = 6 /* f32: exp of a WEFT_NORMAL_FAST sample with mean a and standard deviation b >= 0 */
} weft_distribution;

/* Returns "uniform", "normal", ...; "unknown" for a value that is not a weft_distribution. */
WEFT_API const char *weft_distribution_name(weft_distribution distribution);

/* Writes the samples first, ..., first + n - 1 of a stream of random numbers. A sample is a function of seed, stream,
 * its number and the parameters, so any part of a stream can be computed alone.
 *   dtype         WEFT_F32, WEFT_F64, WEFT_F16 or WEFT_BF16, but not WEFT_F64 for WEFT_NORMAL_FAST and
 *                 WEFT_LOGNORMAL_FAST; WEFT_U8 for WEFT_BERNOULLI. Else WEFT_UNSUPPORTED
 *   seed, stream  any. Different seeds or streams are independent. Samples with the same number in two types or
 *                 distributions are not: they are made of the same random bits
 *   first, out    first + n must be at most 2^63; out has n values. Those of 16 bits are those of f32, rounded
 *   a, b          see weft_distribution; must be finite. For WEFT_UNIFORM they are rounded to dtype first, and b - a
 *                 must be finite. For WEFT_NORMAL_FAST and WEFT_LOGNORMAL_FAST they are rounded to f32 first, and
 *                 must be finite in f32. A sample that exceeds the range of dtype is Inf, except for WEFT_UNIFORM
 * WEFT_NORMAL_FAST and WEFT_LOGNORMAL_FAST make two samples of two random words by Box and Muller's method, in f32
 * arithmetic alone. Their words are those of Philox4x32-7, those of all other distributions Philox4x32-10. For any a
 * and b, a WEFT_NORMAL_FAST sample is fma(b, z, a) in f32, where z, |z| < 6.77, is the sample for a = 0 and b = 1.
 * Source: Philox4x32 (J. Salmon, M. Moraes, R. Dror, D. Shaw, SC 2011); G. Box, M. Muller (Ann. Math. Statist. 29,
 * 1958). Order: docs/spec/ORDER.md 19. Docs: docs/ops/random.md. */
WEFT_API weft_status weft_random(weft_context *ctx, weft_distribution distribution, weft_dtype dtype, uint64_t seed,
                                 uint64_t stream, uint64_t first, size_t n, double a, double b, void *out);

/* Writes the samples first, ..., first + n - 1 of a stream of integers, uniformly distributed from lower to upper,
 * both included. The probability of each integer is exact to within 2^-64 of its value, for any range.
 *   dtype         WEFT_I32, WEFT_I64, WEFT_U32 or WEFT_U64
 *   lower, upper  one value of dtype each, in host memory; lower <= upper. NULL: least, greatest value of dtype
 * Other parameters: as for weft_random. Source: multiplication by the size of the range (S. Canon, 2021; D. Lemire,
 * ACM Trans. Model. Comput. Simul. 29, 2019). Order: docs/spec/ORDER.md 19. */
WEFT_API weft_status weft_random_integers(weft_context *ctx, weft_dtype dtype, uint64_t seed, uint64_t stream,
                                          uint64_t first, size_t n, const void *lower, const void *upper, void *out);

/* -------------------------------------------------------------------------------- sobol */

#define WEFT_SOBOL_DIMENSIONS 1111

/* Scrambling of Sobol points. The spread over several independent scramblings estimates the error of a result. */
typedef enum weft_scrambling {
    WEFT_UNSCRAMBLED = 0,   /* the published points, the first of which is the origin; seed and stream are not used */
    WEFT_DIGITAL_SHIFT = 1, /* exclusive or of coordinate j of all points with the same random bits, for each j */
    WEFT_OWEN = 2           /* Owen's scrambling: each bit is flipped at random, depending on the bits above it */
} weft_scrambling;

/* Writes the points first, ..., first + n - 1 of a Sobol sequence in [0, 1)^dimensions: out[k * dimensions + j] is
 * coordinate j of point first + k.
 *   dtype         WEFT_F32: coordinates are multiples of 2^-24; WEFT_F64: of 2^-53
 *   seed, stream  select one of 2^64 times 2^64 independent scramblings
 *   dimensions    1 to WEFT_SOBOL_DIMENSIONS
 *   first, out    first + n must be at most 2^63; out has n * dimensions values
 * Point i is a function of the arguments and i alone. A point of fewer dimensions has the first coordinates of a
 * point of more. An f32 coordinate is the f64 coordinate with fewer bits. Of 2^k points that start at a multiple of
 * 2^k, one is in each interval of length 2^-k of every axis (up to the number of bits of dtype). A scrambled point is
 * uniformly distributed. Source: I. Sobol's points (1967) with the direction numbers new-joe-kuo-6 and the Gray code
 * order of S. Joe and F. Kuo (SIAM J. Sci. Comput. 30, 2008). A. Owen's scrambling (1995) by a hash as in S. Laine
 * and T. Karras (2011), B. Burley (J. Comput. Graph. Tech. 9, 2020), N. Vegdahl (2021).
 * Order: docs/spec/ORDER.md 24. Docs: docs/ops/sobol.md. */
WEFT_API weft_status weft_sobol(weft_context *ctx, weft_scrambling scrambling, weft_dtype dtype, uint64_t seed,
                                uint64_t stream, size_t dimensions, uint64_t first, size_t n, void *out);

/* -------------------------------------------------------------------------------- price */

#define WEFT_ASSETS_MAX 8

/* Payment of an option at maturity. B is the value of the basket: the sum of weights[i] times the price of asset i. A
 * is the observed value of B (weft_observed). K is the strike. */
typedef enum weft_payoff {
    WEFT_CALL = 0,          /* max(A - K, 0) */
    WEFT_PUT = 1,           /* max(K - A, 0) */
    WEFT_DIGITAL_CALL = 2,  /* 1 if A > K, else 0 */
    WEFT_DIGITAL_PUT = 3,   /* 1 if A < K, else 0 */
    WEFT_FLOATING_CALL = 4, /* max(B - A, 0), with B at maturity; observed must not be WEFT_OBSERVE_END */
    WEFT_FLOATING_PUT = 5,  /* max(A - B, 0), with B at maturity; observed must not be WEFT_OBSERVE_END */
    WEFT_CORRIDOR = 6       /* 1 if |price - start| < width * start at maturity for every asset, else 0 */
} weft_payoff;

/* Observed value A of the basket B. Dates are the ends of the steps. */
typedef enum weft_observed {
    WEFT_OBSERVE_END = 0,       /* B at maturity */
    WEFT_OBSERVE_MEAN = 1,      /* arithmetic mean of B over the dates: Asian options */
    WEFT_OBSERVE_GEOMETRIC = 2, /* geometric mean of B over the dates; for one asset of weight 1, by exact steps */
    WEFT_OBSERVE_HIGHEST = 3,   /* highest B of the start and the dates: lookback options */
    WEFT_OBSERVE_LOWEST = 4     /* lowest B of the start and the dates: lookback options */
} weft_observed;

/* Barrier condition of the payment, checked on the dates. */
typedef enum weft_barrier {
    WEFT_NO_BARRIER = 0,   /* no condition */
    WEFT_UP_AND_OUT = 1,   /* pays only if B < level on every date */
    WEFT_UP_AND_IN = 2,    /* pays only if B >= level on at least one date */
    WEFT_DOWN_AND_OUT = 3, /* pays only if B > level on every date */
    WEFT_DOWN_AND_IN = 4   /* pays only if B <= level on at least one date */
} weft_barrier;

/* An option on assets whose prices S follow correlated geometric Brownian motions, dS = rate S dt + volatility S dW.
 * All arrays are in host memory. */
typedef struct weft_option {
    size_t size; /* must be sizeof(weft_option) */
    weft_payoff payoff;
    weft_observed observed;
    weft_barrier barrier;
    double strike;             /* K >= 0; not used by floating payoffs and corridors */
    double level;              /* of the barrier; the start must not have reached it */
    double width;              /* > 0, of a corridor: 0.1 is within 10 % */
    double rate, maturity;     /* maturity > 0 */
    size_t assets;             /* 1 .. WEFT_ASSETS_MAX */
    const double *start;       /* a price > 0 for each asset */
    const double *volatility;  /* >= 0 for each asset */
    const double *correlation; /* an assets x assets matrix, positive definite; NULL: the assets are independent */
    const double *weights;     /* of the assets in the basket; NULL: 1 / assets each */
} weft_option;

typedef enum weft_steps {
    WEFT_EXACT = 0, /* exponential of a normal sample: exact on every date for any step size */
    WEFT_EULER = 1  /* S + S (rate dt + volatility dW): has an error of the order of dt */
} weft_steps;

typedef struct weft_simulation {
    size_t size;      /* must be sizeof(weft_simulation) */
    weft_dtype dtype; /* of the paths: WEFT_F32 or WEFT_F64. Payments are always summed in f64 */
    weft_steps scheme;
    size_t steps;   /* 1 .. 2^20, of equal length */
    uint64_t paths; /* 2 .. 2^48 */
    uint64_t seed;
    int antithetic;     /* not 0: each path is the mean of one and of its mirror image, with all normals negated */
    int control;        /* not 0: reduces the variance by a control variate of known price: the geometric option for
                         * arithmetic Asian calls and puts (one asset of weight 1, exact steps, no barrier), else the
                         * basket at maturity */
    int greeks;         /* not 0: computes deltas and vegas too, by 4 more paths per asset and path; control must be 0
                         * and every volatility > 0 */
    size_t scramblings; /* 0: random paths. Else Sobol points with one coordinate per normal; steps times assets must
                         * not exceed WEFT_SOBOL_DIMENSIONS. The number of independent scramblings by Owen's method
                         * (weft_sobol, streams 0, 1, ...): a power of two from 2 to 1024. Each takes its first
                         * paths / scramblings points, an integer >= 2 that should be a power of two. The price is
                         * the mean of the prices of the scramblings; their spread gives the standard error */
    int fast_normals;   /* not 0: normals as those of WEFT_NORMAL_FAST, which take less time than the inverse of the
                         * distribution function; dtype must be WEFT_F32 and scramblings 0 */
} weft_simulation;

typedef struct weft_valuation {
    size_t size; /* must be sizeof(weft_valuation) before the call */
    double price, standard_error;
    double low, high; /* the 95 % interval: price -+ 1.96 standard errors */
    /* Derivatives by start and by volatility and their standard errors, by central differences (1 -+ 1/128) with the
     * same normals on both sides. NaN unless simulation->greeks is set, and for assets beyond option->assets. */
    double delta[WEFT_ASSETS_MAX], delta_error[WEFT_ASSETS_MAX];
    double vega[WEFT_ASSETS_MAX], vega_error[WEFT_ASSETS_MAX];
} weft_valuation;

/* Computes the price of an option by Monte Carlo simulation. Waits for the device.
 *   option, ...  in host memory; *valuation is written if the call succeeds
 * Path p takes its normals from the random generator at counter p, by the inverse of the normal distribution
 * function. The first paths of a long run are therefore those of a short run. Memory: only scratch memory of the
 * device. Source: P. Glasserman, Monte Carlo Methods in Financial Engineering, 2003; Philox4x32-10 (J. Salmon,
 * M. Moraes, R. Dror, D. Shaw, SC 2011). Order: docs/spec/ORDER.md 21. Docs: docs/ops/price.md. */
WEFT_API weft_status weft_price(weft_context *ctx, const weft_option *option, const weft_simulation *simulation,
                                weft_valuation *valuation);

/* -------------------------------------------------------------------------------- match */

/* Patterns to search for, 1 to 10000 of them, in host memory. Pattern i is bytes[offsets[i] .. offsets[i + 1]), 1 to
 * 256 bytes. Patterns may be equal to one another. */
typedef struct weft_patterns {
    size_t count;
    const uint64_t *offsets; /* count + 1 ascending numbers */
    const void *bytes;
} weft_patterns;

/* Flags that control the comparison of patterns with the text; they may be added. */
typedef enum weft_match_flags {
    WEFT_MATCH_BYTES = 0, /* bytes are compared as they are */
    WEFT_FOLD_CASE = 1,   /* A to Z equal a to z; every other byte equals only itself */
    WEFT_WHOLE_WORD = 2   /* no word byte (A-Z, a-z, 0-9, _) may precede or follow the match */
} weft_match_flags;

/* Counts the positions p in [first, end) of text[0..n) at which each pattern occurs. Pattern i occurs at p if it
 * equals text[p .. p + its length); the match may extend past `end` but not past n. Matches may overlap.
 *   first, end  first <= end <= n; 0 and n search the whole text
 *   flags       sum of weft_match_flags
 *   counts      patterns->count values, which are set, not added to; must not overlap the text
 * A text larger than memory can be searched in pieces. Each piece must contain the byte before its first position and
 * 256 bytes after its last one. The counts of the pieces add up to those of the whole text. Source: the first
 * four bytes of few patterns (up to 8 on a GPU, 64 on a CPU) are compared with each position of the text; more
 * patterns are looked up in a hash table (R. Karp, M. Rabin, IBM J. Res. Dev. 31, 1987).
 * Order: docs/spec/ORDER.md 22. Docs: docs/ops/match.md. */
WEFT_API weft_status weft_match_count(weft_context *ctx, size_t n, const void *text, size_t first, size_t end,
                                      const weft_patterns *patterns, unsigned flags, uint64_t *counts);

/* Lists the matches that weft_match_count counts, by ascending position, at one position by ascending pattern number.
 *   - capacity: number of elements of positions and numbers. If there are more matches, the first `capacity` are
 *     written
 *   - positions, numbers: the position of each match, and the number of its pattern
 *   - total: receives the number of all matches, also if it exceeds the capacity
 * Outputs must not overlap the text or one another. Order: docs/spec/ORDER.md 22. */
WEFT_API weft_status weft_match_list(weft_context *ctx, size_t n, const void *text, size_t first, size_t end,
                                     const weft_patterns *patterns, unsigned flags, size_t capacity,
                                     uint64_t *positions, uint32_t *numbers, uint64_t *total);

/* ---------------------------------------------------------------------------------- map */

/* A compiled formula. It is immutable and belongs to no context; several calls and threads may use it at once. */
typedef struct weft_expr weft_expr;

/* Compiles a formula. Operators in order of increasing precedence, as in C:
 *   c ? x : y                   x where c is not 0, else y; both are computed
 *   ||   &&   == !=   < <= > >=   1 or 0; an operand is true if it is not 0, so NaN is true
 *   + -   * /   unary - + !
 *   x ^ y                       power, right-associative, above the minus: -x^2 is -(x^2), 2^3^2 is 2^9. If y is an
 *                               integer literal from -1024 to 1024 it is a chain of multiplications
 *                               (docs/spec/ORDER.md 20.4), else pow(x, y)
 *   abs(x) min(x, y) max(x, y) floor(x)
 *   sqrt(x) fma(x, y, z) exp(x) log(x) sin(x) cos(x) pow(x, y) erf(x)    f32 and f64 only
 *   numbers (2, 0.5, 1e-3), names (letters, digits, _) of arrays and scalars, i (index of the element), parentheses
 * Limits: 4095 characters, nesting depth 64, 256 steps, 16 values held at a time, 64 names and numbers, 63 characters
 * each. Returns WEFT_INVALID for an invalid formula; the message contains a sentence, the line, and a caret under the
 * position. A formula reads element i of its arrays and nothing else. Order: docs/spec/ORDER.md 20. */
WEFT_API weft_status weft_expr_compile(weft_context *ctx, const char *formula, weft_expr **expr);

/* Compiles a formula of complex numbers: as weft_expr_compile, but the variables `complex_names` are complex. Each of
 * these `count` names must occur in the formula. Operations on complex numbers:
 *   c ? x : y                   c is real
 *   == !=   + -   * /   unary - +
 *   x ^ y                       y is an integer literal from -1024 to 1024
 *   abs(z) exp(z) re(z) im(z) conj(z)
 *   complex(x, y)               x + y i of real x and y, also without complex variables; i is the index
 * All other operations are those of real numbers. The results of ==, !=, abs, re and im are real. These functions
 * evaluate formulas with complex variables or values, in f32 or f64; all others return WEFT_UNSUPPORTED:
 *   weft_map_views              a view of complex numbers has one more axis, the last one, of length 2, for the
 *                               parts. So has `out` if the values are complex; then it may be equal to a view of
 *                               complex numbers. A complex scalar is two numbers
 *   weft_map_reduce_axes        if the values are complex, `op` is WEFT_SUM or WEFT_MEAN, and `out` has the axis of
 *                               the parts, which `shape` and `axes` do not have
 * The real and the imaginary part are two formulas of real numbers, which are evaluated together. The limits of
 * weft_expr_compile hold for the steps and values of both, and a complex name counts twice. Order: docs/spec/ORDER.md
 * 20.6. Docs: docs/guide/complex.md. */
WEFT_API weft_status weft_expr_compile_complex(weft_context *ctx, const char *formula,
                                               const char *const *complex_names, size_t count, weft_expr **expr);

/* Returns 1 if the values of the formula are complex, else 0. */
WEFT_API int weft_expr_is_complex(const weft_expr *expr);

/* Releases a compiled formula. NULL is allowed. */
WEFT_API void weft_expr_free(weft_expr *expr);

/* Return the number of names to bind, and name `index` in order of first occurrence, or NULL past the last. */
WEFT_API size_t weft_expr_variable_count(const weft_expr *expr);
WEFT_API const char *weft_expr_variable(const weft_expr *expr, size_t index);

/* Binds a name of a formula to an array of n elements or to one value in host memory; the other pointer is NULL. */
typedef struct weft_binding {
    const char *name;
    weft_dtype dtype; /* any, also WEFT_F16 and WEFT_BF16 */
    const void *array;
    const void *scalar; /* uint16_t for WEFT_F16 and WEFT_BF16 */
} weft_binding;

/* Evaluates a formula for each element: out[i] is its value at element i, i in [0, n).
 *   dtype     type of the evaluation and of out: f32, f64, i32, i64, u32 or u64. Operands are converted to it first:
 *             to floats with one rounding, between integers modulo 2^32 or 2^64. Floats cannot be evaluated in
 *             integers (WEFT_UNSUPPORTED). In integers + - * wrap, x / y truncates towards zero, x / 0 is 0.
 *             f16 or bf16: type of out; the evaluation is in f32, and each value is rounded once
 *   bindings  `count` bindings: each name of the formula once, and no other name
 *   out       n values; out may be one of the arrays if that has the type dtype, any other overlap is not allowed
 * Each operation rounds once: a * b + c rounds twice, fma(a, b, c) once. In min and max -0 < +0 and NaN wins.
 * Division by zero and arguments outside the domain of a function give the results of IEEE 754.
 * Order: docs/spec/ORDER.md 20. Docs: docs/ops/map.md. */
WEFT_API weft_status weft_map(weft_context *ctx, const weft_expr *expr, weft_dtype dtype, size_t n,
                              const weft_binding *bindings, size_t count, void *out);

/* Reduces the values of a formula with `op`, without storing them. Has the bits of weft_map followed by weft_reduce.
 *   dtype            as for weft_map, but not f16 or bf16
 *   accumulate, out  as for weft_reduce with elements of type dtype; out must not overlap an array. With
 *                    WEFT_EXACT_SUM only the sum of the values is exact (docs/spec/ORDER.md 30.4)
 * Order: docs/spec/ORDER.md 20.5. */
WEFT_API weft_status weft_map_reduce(weft_context *ctx, weft_op op, const weft_expr *expr, weft_dtype dtype,
                                     weft_dtype accumulate, size_t n, const weft_binding *bindings, size_t count,
                                     void *out);

/* Scans the values of a formula with `op`, without storing them. Has the bits of weft_map followed by weft_scan.
 *   dtype                   as for weft_map_reduce
 *   kind, accumulate, init  as for weft_scan with elements of type dtype
 *   y                       n values; y may be one of the arrays if both have the type dtype
 * Order: docs/spec/ORDER.md 20.5. */
WEFT_API weft_status weft_map_scan(weft_context *ctx, weft_op op, weft_scan_kind kind, const weft_expr *expr,
                                   weft_dtype dtype, weft_dtype accumulate, size_t n, const weft_binding *bindings,
                                   size_t count, const void *init, void *y);

/* -------------------------------------------------------------------------------- views */

#define WEFT_DIMENSIONS_MAX 16

/* Array of several dimensions. Element (i[0], ..., i[dimensions - 1]), 0 <= i[k] < shape[k], is at the address
 * (char *)data + i[0] stride[0] + ... + i[dimensions - 1] stride[dimensions - 1].
 *   dimensions  0 to WEFT_DIMENSIONS_MAX; an array of 0 dimensions has one element
 *   stride      in bytes, multiples of the size of an element; may be negative. Those of an input may be 0: all
 *               elements along the axis are then the same one. Ignored along axes of length 1 and in an empty array
 *   data        address of element (0, ..., 0), aligned to the type; may be NULL if a dimension is 0
 *   buffer      start of the memory that must contain all elements; not used if buffer_bytes is 0
 * The elements of an output must have different addresses: if the axes of more than one element are sorted by the
 * magnitude of their strides, each stride must reach past the elements that the axes before it span. The memory that
 * the elements of an output span, from the first to the last byte, must not overlap that of an input or another
 * output, unless the function allows equal views. Bytes between the elements of an output are not written.
 * On a CUDA context an input in host memory is copied to the GPU whole, from its first to its last byte, and needs as
 * much scratch memory. An output in host memory needs scratch memory for its elements. */
typedef struct weft_view {
    size_t size; /* must be sizeof(weft_view) */
    weft_dtype dtype;
    size_t dimensions;
    size_t shape[WEFT_DIMENSIONS_MAX];
    ptrdiff_t stride[WEFT_DIMENSIONS_MAX];
    void *data; /* the library does not write to a view that is an input */
    const void *buffer;
    size_t buffer_bytes;
} weft_view;

/* Sets *view to an array without gaps whose last axis varies fastest (C order).
 *   dtype  any element type, also WEFT_F16 and WEFT_BF16
 *   shape  `dimensions` lengths
 * Returns WEFT_INVALID if the array does not fit in memory. Has no context: on failure weft_last_error(NULL) returns
 * the message. */
WEFT_API weft_status weft_view_of(weft_dtype dtype, size_t dimensions, const size_t *shape, const void *data,
                                  weft_view *view);

/* Copies the elements of x to y, bit by bit. Changes the order of elements in memory: transposition, reversal, every
 * k-th element, rows with gaps.
 *   x  has the type of y, any element type, also WEFT_F16 and WEFT_BF16. Its shape is broadcast to that of y, as in
 *      NumPy: the axes are matched from the last to the first, an axis of length 1 is repeated, and so is x along the
 *      axes that it does not have
 * Order: docs/spec/ORDER.md 32. Docs: docs/ops/copy_view.md. */
WEFT_API weft_status weft_copy_view(weft_context *ctx, const weft_view *x, const weft_view *y);

/* Copies elements in the order of indices along an axis: y[..., j, ...] = x[..., index[..., j, ...], ...].
 *   range  WEFT_RANGE_SKIP: an element of y whose index is out of range is not changed
 *   x      any element type, also WEFT_F16 and WEFT_BF16. An index is in range if it is one of 0, ..., n - 1, where n
 *          is the length of x along the axis
 *   axis   from -x->dimensions to x->dimensions - 1
 *   index  of type WEFT_I32, WEFT_I64, WEFT_U32 or WEFT_U64. Its shape is broadcast to that of y, as in
 *          weft_copy_view: k indices that are the same for all vectors have k elements along the axis, and one along
 *          each axis after it
 *   y      of the type of x, and of its shape, with any length along the axis. Must not overlap x or index
 * Elements keep all their bits. If y has elements, an index is out of range and range is WEFT_RANGE_ERROR, nothing is
 * written; the message states the first such index and its number in the index array, whose last axis varies fastest.
 * On a GPU the call then waits for the check of the indices. A stream that is being captured cannot wait: when the
 * graph runs, an index out of range makes the call write nothing. Scratch memory: on a GPU, that of arrays in host
 * memory (weft_view).
 * Order: docs/spec/ORDER.md 32.6. Docs: docs/ops/take_axis.md. */
WEFT_API weft_status weft_take_axis(weft_context *ctx, weft_range range, const weft_view *x, int axis,
                                    const weft_view *index, const weft_view *y);

/* Copies elements to the positions that indices state along an axis:
 * y[..., index[..., j, ...], ...] = x[..., j, ...]. All other elements of y are not changed.
 *   range  WEFT_RANGE_SKIP: an element of x whose index is out of range is not copied
 *   x      has the type of y, any element type, also WEFT_F16 and WEFT_BF16. Its shape is broadcast to that of the
 *          targets, which is the shape of y, except along the axis, where it is the length of the index
 *   axis   from -y->dimensions to y->dimensions - 1
 *   index  of type WEFT_I32, WEFT_I64, WEFT_U32 or WEFT_U64. Its shape is broadcast to that of the targets, as in
 *          weft_copy_view. An index is in range if it is one of 0, ..., n - 1, where n is the length of y along the
 *          axis. The indices of a vector that are in range must be different
 *   y      must not overlap x or index
 * Elements keep all their bits. If there are targets, nothing is written if an index is out of range and range is
 * WEFT_RANGE_ERROR, or if two indices name the same element of y. The message states the first index out of range, or
 * the first one that is equal to one before it, and its number in the index array, whose last axis varies fastest. On
 * a GPU the call then waits for the check of the indices. A stream that is being captured cannot wait: when the graph
 * runs, a wrong index makes the call write nothing. Scratch memory, unless each vector has one index: one bit for
 * each element of those vectors of y that have indices of their own. On a GPU also that of arrays in host memory
 * (weft_view).
 * Order: docs/spec/ORDER.md 32.7. Docs: docs/ops/take_axis.md. */
WEFT_API weft_status weft_put_axis(weft_context *ctx, weft_range range, const weft_view *x, int axis,
                                   const weft_view *index, const weft_view *y);

/* Binds a name of a formula to a view or to one value in host memory; the other pointer is NULL. */
typedef struct weft_view_binding {
    const char *name;
    const weft_view *view;
    weft_dtype dtype; /* of the scalar; not used for a view */
    const void *scalar;
} weft_view_binding;

/* Evaluates a formula for each element of out, from the elements of views with the same indices. Each value has the
 * bits of weft_map. In the formula, i is the number of the element in the order in which the last axis varies
 * fastest.
 *   - dtype: as for weft_map
 *   - bindings: `count` bindings: each name of the formula once, and no other name. Each view is broadcast to the
 *     shape of out, as in weft_copy_view
 *   - out: of type dtype. It may be equal to a view of the formula in all members
 * No view is copied. Scratch memory: that of weft_map, and 9 KB on a GPU.
 * Order: docs/spec/ORDER.md 32.5. Docs: docs/ops/map.md. */
WEFT_API weft_status weft_map_views(weft_context *ctx, const weft_expr *expr, weft_dtype dtype,
                                    const weft_view_binding *bindings, size_t count, const weft_view *out);

/* Reduces the values of a formula of views along axes with `op`. Has the bits of weft_map_views to an array of the
 * shape of the values, followed by weft_reduce_axes.
 *   dtype       of the values: as for weft_map, but not f16 or bf16
 *   accumulate  as for weft_reduce_axes with elements of type dtype
 *   shape       in host memory: the lengths of the `dimensions` axes of the values
 *   bindings    `count` bindings, as for weft_map_views: each view is broadcast to the shape of the values
 *   axes, out   as for weft_reduce_axes; `axis_count` axes. out must not overlap a view
 * Scratch memory: the values of a part of the vectors, at most 2 MiB on a CPU and 128 MiB on a GPU; or those of one
 * vector, or of the vectors of 64 adjacent bytes, if they are longer.
 * Order: docs/spec/ORDER.md 32. Docs: docs/ops/map.md. */
WEFT_API weft_status weft_map_reduce_axes(weft_context *ctx, weft_op op, const weft_expr *expr, weft_dtype dtype,
                                          weft_dtype accumulate, size_t dimensions, const size_t *shape,
                                          const weft_view_binding *bindings, size_t count, size_t axis_count,
                                          const int *axes, const weft_view *out);

/* Reduces x along axes with `op`. Each value has the bits of weft_reduce on the elements with fixed indices of the
 * other axes, in the order of an array that has only the axes `axes`, in this order, and whose last axis varies
 * fastest.
 *   accumulate  as for weft_reduce
 *   axes        in host memory: `count` different axes of x, from -x->dimensions to x->dimensions - 1, where -1 is
 *               the last one. Without axes each element is reduced alone
 *   out         of the type that weft_reduce_result returns. Its shape is that of x without the axes, or with
 *               length 1 for each of them
 * Returns WEFT_EMPTY if the axes have no elements and op has no value for n = 0.
 * Order: docs/spec/ORDER.md 32. Docs: docs/ops/reduce_axes.md. */
WEFT_API weft_status weft_reduce_axes(weft_context *ctx, weft_op op, weft_dtype accumulate, const weft_view *x,
                                      size_t count, const int *axes, const weft_view *out);

/* Computes the variance of x along axes: weft_variance in place of weft_reduce. ddof must be less than the number of
 * elements along the axes, else WEFT_EMPTY is returned.
 * Order: docs/spec/ORDER.md 32. Docs: docs/ops/reduce_axes.md. */
WEFT_API weft_status weft_variance_axes(weft_context *ctx, weft_dtype accumulate, size_t ddof, const weft_view *x,
                                        size_t count, const int *axes, const weft_view *out);

/* Computes dot products of x and y along axes. x and y are broadcast to one shape: the lengths of each axis, counted
 * from the last one, must be equal, or one of them must be 1 or absent. Each value has the bits of weft_dot on the
 * elements with fixed indices of the other axes, in the order that weft_reduce_axes states.
 *   accumulate  as for weft_dot
 *   x, y        of the same type. Each may have strides of any sign, or 0. x and y may be the same view
 *   axes        as for weft_reduce_axes: `count` axes of the common shape
 *   out         of the type of the result of weft_dot. Its shape is the common shape without the axes, or with
 *               length 1 for each of them. It must not overlap x or y
 * Scratch memory: at most that of weft_reduce_axes for x and for y together. On a GPU, vectors of several axes that
 * are not one in memory are copied in parts of at most 64 MB each of x and y, or of one vector.
 * Order: docs/spec/ORDER.md 5, 32. Docs: docs/ops/dot.md. */
WEFT_API weft_status weft_dot_axes(weft_context *ctx, weft_dtype accumulate, const weft_view *x, const weft_view *y,
                                   size_t count, const int *axes, const weft_view *out);

/* Scans x along one axis with `op`. The scan of each vector has the bits of weft_scan.
 *   accumulate, init  as for weft_scan; init is the initial value of each vector
 *   axis              from -x->dimensions to x->dimensions - 1
 *   x                 of a type that weft_scan takes
 *   y                 of the shape of x. y may be equal to x in all members
 * Order: docs/spec/ORDER.md 32. Docs: docs/ops/scan_axis.md. */
WEFT_API weft_status weft_scan_axis(weft_context *ctx, weft_op op, weft_scan_kind kind, weft_dtype accumulate,
                                    const weft_view *x, int axis, const void *init, const weft_view *y);

/* Sorts x along one axis. Each sorted vector has the bits of weft_sort.
 *   x     of any element type, also WEFT_F16 and WEFT_BF16
 *   axis  from -x->dimensions to x->dimensions - 1
 *   y     of the type and shape of x. y may be equal to x in all members
 * Scratch memory: on a CPU, copies of one or several vectors for each thread; on a GPU, up to three copies of one
 * vector if it has more than 2048 elements.
 * Source: bitonic sort (K. E. Batcher, Sorting networks and their applications, 1968) and those of weft_sort.
 * Order: docs/spec/ORDER.md 32. Docs: docs/ops/sort_axis.md. */
WEFT_API weft_status weft_sort_axis(weft_context *ctx, weft_order_of_sort order, const weft_view *x, int axis,
                                    const weft_view *y);

/* Writes the indices that sort x along one axis. Those of each vector, from 0 on, are the ones of weft_argsort.
 *   x, axis  as for weft_sort_axis
 *   indices  of the shape of x and of type WEFT_U32 (at most 2^32 elements along the axis) or WEFT_U64; must not
 *            overlap x
 * Order: docs/spec/ORDER.md 32. Docs: docs/ops/sort_axis.md. */
WEFT_API weft_status weft_argsort_axis(weft_context *ctx, weft_order_of_sort order, const weft_view *x, int axis,
                                       const weft_view *indices);

/* Finds the k largest or smallest elements of each vector along one axis of x. Those of a vector are the ones of
 * weft_top_k.
 *   x, axis  as for weft_sort_axis
 *   k        0 to the length of the axis
 *   values   of the type of x, and of its shape with length k along the axis
 *   indices  positions in the vector, from 0 on: of the shape of values and of type WEFT_U32 (at most 2^32 elements
 *            along the axis) or WEFT_U64. NULL: not wanted
 * No two arrays may overlap. Scratch memory: on a CPU, candidates and copies of one or several vectors per thread;
 * on a GPU, none for k up to 2048, unless there are few vectors of more than 2^18 elements.
 * Source: those of weft_top_k and weft_sort_axis.
 * Order: docs/spec/ORDER.md 32. Docs: docs/ops/top_k_axis.md. */
WEFT_API weft_status weft_top_k_axis(weft_context *ctx, weft_extreme extreme, const weft_view *x, int axis, size_t k,
                                     const weft_view *values, const weft_view *indices);

/* Methods of weft_quantile_axis, with the names of NumPy. The position of the quantile q among n sorted elements s is
 * q (n - 1) = i + g, with an integer i and 0 <= g < 1. If g is 0, the result of every method is s[i]. */
typedef enum weft_quantile_method {
    WEFT_LINEAR = 0,  /* s[i] + g (s[i + 1] - s[i]) */
    WEFT_LOWER = 1,   /* s[i] */
    WEFT_HIGHER = 2,  /* s[i + 1] */
    WEFT_NEAREST = 3, /* s[i] if g < 1/2, s[i + 1] if g > 1/2, else the one of the two whose index is even */
    WEFT_MIDPOINT = 4 /* s[i] + (s[i + 1] - s[i]) / 2 */
} weft_quantile_method;

/* Computes quantiles of each vector along one axis of x. q = 0 is the minimum, q = 1/2 the median, q = 1 the maximum.
 * Elements are in the order of weft_sort. All quantiles of a vector that contains a NaN are NaN.
 *   x, axis  as for weft_sort_axis
 *   q        count numbers from 0 to 1 in host memory, in any order
 *   y        of the shape of x with length count along the axis; must not overlap x. Its type is that of x, or for
 *            WEFT_LINEAR and WEFT_MIDPOINT of integers WEFT_F64
 * An axis of length 0 is WEFT_EMPTY if y has elements. WEFT_LINEAR and WEFT_MIDPOINT are computed in f64 and rounded
 * once to the type of y. Scratch memory: on a CPU, copies of one or several vectors for each thread; on a GPU, for
 * vectors of more than 2048 elements, that of weft_sort_axis and at most 2^29 bytes of sorted vectors, or one vector
 * if it is larger.
 * Source: R. J. Hyndman and Y. Fan, The American Statistician 50 (4), 1996, type 7; R. W. Floyd and R. L. Rivest,
 * Commun. ACM 18 (3), 1975; and that of weft_sort_axis.
 * Order: docs/spec/ORDER.md 32.4. Docs: docs/ops/quantile_axis.md. */
WEFT_API weft_status weft_quantile_axis(weft_context *ctx, weft_quantile_method method, const weft_view *x, int axis,
                                        size_t count, const double *q, const weft_view *y);

/* Counts the elements of each vector along one axis of x in bins between given edges. The counts of a vector are
 * those of weft_histogram.
 *   x       of any element type, also WEFT_F16 and WEFT_BF16
 *   axis    from -x->dimensions to x->dimensions - 1
 *   edges   bins + 1 elements, as for weft_histogram; must not overlap counts. If x has no vectors, they are not
 *           compared
 *   counts  WEFT_U64, of the shape of x with length `bins` along the axis; set, not added to; must not overlap x
 * Vectors that are not contiguous are copied to scratch memory in parts: at most 2 MiB of x and of counts on a CPU
 * and 128 MiB on a GPU, or one vector if it is longer. A CPU computes one vector after another.
 * Order: docs/spec/ORDER.md 11 and 32. Docs: docs/ops/histogram.md. */
WEFT_API weft_status weft_histogram_axis(weft_context *ctx, const weft_view *x, int axis, size_t bins,
                                         const void *edges, const weft_view *counts);

/* Counts the elements of each vector along one axis of x in bins of equal width. The counts of a vector are those of
 * weft_histogram_even, which describes lower and upper; weft_histogram_axis describes the other parameters.
 * Order: docs/spec/ORDER.md 11 and 32. Docs: docs/ops/histogram.md. */
WEFT_API weft_status weft_histogram_even_axis(weft_context *ctx, const weft_view *x, int axis, size_t bins,
                                              const void *lower, const void *upper, const weft_view *counts);

/* Computes linear recurrences along one axis. Each vector has the bits of weft_recurrence with one row.
 *   s, u  WEFT_F32 or WEFT_F64, of the type of v. Their shapes are broadcast to that of v, as in weft_copy_view
 *   axis  from -v->dimensions to v->dimensions - 1
 *   init  the initial values, of the type of v, or NULL for 0. Its shape is broadcast to that of v with length 1
 *         along the axis
 *   v     the result. It may be equal to s or u in all members; any other overlap is not allowed
 * Vectors that are not contiguous, or that broadcasting repeats, are copied to scratch memory in parts: at most 2 MiB
 * of each array on a CPU and 128 MiB on a GPU, or one vector if it is longer.
 * Order: docs/spec/ORDER.md 9 and 32. Docs: docs/ops/recurrence.md. */
WEFT_API weft_status weft_recurrence_axis(weft_context *ctx, weft_direction direction, const weft_view *s,
                                          const weft_view *u, int axis, const weft_view *init, const weft_view *v);

/* Computes Fourier transforms along one axis or several. Along one axis, each vector has the bits of weft_fft with a
 * batch of 1. Along several, all vectors along one axis are transformed, then the results along the next one: forward
 * from the last axis of the list to the first, inverse from the first to the last. Two axes are the 2-D transform.
 *   kind  WEFT_R2C and WEFT_C2R are between real and complex numbers along the last axis of the list. The transforms
 *         along the other axes are complex
 *   x, y  of the same type, WEFT_F32 or WEFT_F64. The last axis of an array of complex numbers has length 2 and
 *         contains the real and the imaginary part. y has the shape of x. But for n real numbers along the last axis
 *         of the list, the complex array has n/2 + 1 numbers: y for WEFT_R2C, x for WEFT_C2R. For the complex kinds y
 *         may be equal to x in all members; any other overlap is not allowed
 *   axes  in host memory: `count` different axes, at least one. The axis of the parts is not counted: they are from
 *         -D to D - 1 for D axes of numbers. The lengths along them must be at least 1
 * Vectors that are not contiguous are copied to scratch memory in parts: at most 2 MiB of x and of y on a CPU and
 * 128 MiB on a GPU, or one vector if it is longer. A GPU does not copy complex vectors of 2^k numbers, 5 <= k <= 12,
 * if x and y have the same strides and no gaps. WEFT_C2R along several axes needs an array of the size of x.
 * Order: docs/spec/ORDER.md 14 and 32. Docs: docs/ops/fft.md. */
WEFT_API weft_status weft_fft_axes(weft_context *ctx, weft_fft_kind kind, const weft_view *x, size_t count,
                                   const int *axes, const weft_view *y);

/* Computes the convolution of each vector along one axis of x with h. Each has the bits of weft_convolve of that
 * vector alone.
 *   field  WEFT_REAL, or WEFT_COMPLEX: the last axis of x, h and y then has length 2 and contains the real and the
 *          imaginary part. The axes below do not include it
 *   x      WEFT_F32 or WEFT_F64; D axes, n numbers along the axis
 *   axis   from -D to D - 1
 *   h      of the type of x. One axis, of m numbers: all vectors have this filter. Or D axes, with m numbers along
 *          the axis: the others are broadcast to those of x
 *   y      of the type and the shape of x, with as many numbers along the axis as the mode states for n and m; must
 *          not overlap x or h
 * n = 0 or m = 0 is WEFT_EMPTY. Vectors that are not contiguous, and filters that some vectors share but not all, are
 * copied to scratch memory in parts: at most 2 MiB of each array on a CPU and 128 MiB on a GPU, or one vector if it
 * is longer.
 * Order: docs/spec/ORDER.md 15 and 32. Docs: docs/ops/convolve.md. */
WEFT_API weft_status weft_convolve_axis(weft_context *ctx, weft_convolve_mode mode, weft_field field,
                                        const weft_view *x, int axis, const weft_view *h, const weft_view *y);

/* Computes the correlation of each vector along one axis of x with h. Each has the bits of weft_correlate of that
 * vector alone. weft_convolve_axis describes the parameters and statuses. The filters are copied to scratch memory.
 * Order: docs/spec/ORDER.md 15 and 32. Docs: docs/ops/convolve.md. */
WEFT_API weft_status weft_correlate_axis(weft_context *ctx, weft_convolve_mode mode, weft_field field,
                                         const weft_view *x, int axis, const weft_view *h, const weft_view *y);

/* Elements outside an array of n elements along an axis: element i for i < 0 and i >= n. */
typedef enum weft_border {
    WEFT_BORDER_FILL = 0,     /* one value */
    WEFT_BORDER_WRAP = 1,     /* the array is repeated: element i modulo n */
    WEFT_BORDER_SYMMETRIC = 2 /* the array is mirrored at its ends: element -1 is element 0, element n is n - 1 */
} weft_border;

/* Computes the two-dimensional convolution of x with h: c[i1, i2] is the sum of x[i1 - j1, i2 - j2] h[j1, j2] over
 * all taps. Has the modes and borders of scipy.signal.convolve2d.
 *   mode    for n1 x n2 numbers of x and m1 x m2 taps:
 *           WEFT_FULL   (n1 + m1 - 1) x (n2 + m2 - 1) values
 *           WEFT_SAME   n1 x n2 values, the middle of the full result
 *           WEFT_VALID  max(n, m) - min(n, m) + 1 values along each axis, which do not depend on elements outside x
 *                       and h. One of the two must have at least as many rows and columns as the other
 *   border  the elements outside x; not used with WEFT_VALID
 *   fill    one number of the type of x in host memory, or NULL for 0; used with WEFT_BORDER_FILL only
 *   field   WEFT_REAL, or WEFT_COMPLEX: the last axis of x, h and y then has length 2 and contains the real and the
 *           imaginary part
 *   x       WEFT_F32 or WEFT_F64, at least two axes of numbers. The last two contain the rows and columns of an
 *           array. Each of the arrays along the axes before them is convolved
 *   h       of the type of x, two axes of numbers
 *   y       of the type and the shape of x, with the numbers of rows and columns that the mode states; must not
 *           overlap x or h
 * Returns WEFT_EMPTY if x or h has no rows or columns. Up to 256 taps each result is a chain of fused multiply-adds
 * over all taps. With more taps it is computed by Fourier transforms of blocks: the error is then relative to the
 * largest values of a block, and an infinity or a NaN affects all results of its blocks.
 * Scratch memory: copies of x, h and y as far as their numbers are not adjacent. For more than 256 taps also the
 * transform of h and blocks: 8 MiB on a CPU, 384 MiB on a GPU, or one block if it is larger. Its length is 256 along
 * an axis of up to 64 taps, less if x is short, and up to 8 times the number of taps along others.
 * Order: docs/spec/ORDER.md 15.4. Docs: docs/ops/convolve2d.md. */
WEFT_API weft_status weft_convolve2d(weft_context *ctx, weft_convolve_mode mode, weft_border border, const void *fill,
                                     weft_field field, const weft_view *x, const weft_view *h, const weft_view *y);

/* Computes the two-dimensional correlation of x with h: the convolution with h reversed along both axes and, if
 * complex, conjugated, as scipy.signal.correlate2d. weft_convolve2d describes the parameters and statuses. Order:
 * docs/spec/ORDER.md 15.4. Docs: docs/ops/convolve2d.md. */
WEFT_API weft_status weft_correlate2d(weft_context *ctx, weft_convolve_mode mode, weft_border border,
                                      const void *fill, weft_field field, const weft_view *x, const weft_view *h,
                                      const weft_view *y);

/* Computes the matrix products C = alpha A B + beta C of stacks of matrices, which are the last two axes of views.
 * Each has the bits of weft_matmul.
 *   - accumulate, alpha and beta are those of weft_matmul, for the type of C.
 *   - A and B have the type of C and the shapes (..., m, k) and (..., k, n). The axes before the last two are
 *     broadcast to those of C, as by weft_copy_view: a matrix goes with each of a stack.
 *   - C has the shape (..., m, n). It must not overlap A or B.
 *   - In each view the elements of a row or of a column of a matrix are adjacent, and rows or columns do not overlap;
 *     else WEFT_UNSUPPORTED is returned. The other strides are any.
 * Order: docs/spec/ORDER.md 13 and 31. Docs: docs/ops/matmul.md. */
WEFT_API weft_status weft_matmul_stack(weft_context *ctx, weft_dtype accumulate, const void *alpha,
                                       const weft_view *a, const weft_view *b, const void *beta, const weft_view *c);

/* Treatment of the numbers of a complex matrix. */
typedef enum weft_conjugation { WEFT_NO_CONJUGATE = 0, WEFT_CONJUGATE = 1 } weft_conjugation;

/* Computes the matrix products C = alpha A B + beta C of stacks of complex matrices. The numbers of A, B or both are
 * conjugated first if the caller wants that.
 *   accumulate   WEFT_DEFAULT, WEFT_F64 or WEFT_EXACT_SUM, as for weft_matmul
 *   alpha, beta  real numbers, as for weft_matmul. NULL: alpha is 1, beta is 0. If alpha is 0, A and B are not read;
 *                if beta is 0, C is not read
 *   a, b         of the type of C and the shapes (..., m, k, 2) and (..., k, n, 2): the last axis contains the real
 *                and the imaginary part. The axes before the last three are broadcast to those of C. The strides are
 *                any: the transpose of a matrix is a view with two strides exchanged
 *   c            WEFT_F32 or WEFT_F64, of shape (..., m, n, 2), with any strides; must not overlap A or B
 * Each part is the sum or difference of two products of real matrices, which weft_matmul describes. Scratch memory:
 * copies of A, B and C.
 * Order: docs/spec/ORDER.md 13.4. Docs: docs/ops/matmul.md. */
WEFT_API weft_status weft_matmul_complex(weft_context *ctx, weft_dtype accumulate, weft_conjugation conjugate_a,
                                         weft_conjugation conjugate_b, const void *alpha, const weft_view *a,
                                         const weft_view *b, const void *beta, const weft_view *c);

/* ------------------------------------------------------------------------------ sources */

/* Arrays larger than memory. The functions below read their inputs from sources and write arrays to sinks, in pieces,
 * with buffers of constant size. A result has the bits of the function of the same name without _source, applied to
 * the whole array in memory. Docs: docs/guide/streaming.md. */

#define WEFT_TO_THE_END UINT64_MAX

/* A source of elements. `read` is called by one thread at a time, which weft creates. */
typedef struct weft_source {
    weft_dtype dtype;
    uint64_t n; /* number of elements; no more are read. WEFT_TO_THE_END: all until the end of the source */
    /* Stores the next 1 to `bytes` bytes at `to` and returns their number; 0: the end; -1 with errno set: failure */
    ptrdiff_t (*read)(void *self, void *to, size_t bytes);
    int (*rewind)(void *self); /* goes back to the first element: 0, or -1 with errno set. NULL: not possible */
    /* NULL, or used instead of read if n is known: returns the address of the next `bytes` bytes, aligned to the
     * elements and valid until the next call; NULL with errno set on failure. */
    const void *(*view)(void *self, size_t bytes);
    void *self; /* passed to the functions */
} weft_source;

/* A sink receives the elements of a result, in order. */
typedef struct weft_sink {
    int (*write)(void *self, const void *from, size_t bytes); /* writes all bytes: 0, or -1 with errno set */
    void *self;                                               /* passed to write */
} weft_sink;

/* State of the ready-made sources and sinks below. It must outlive the source or sink. */
typedef struct weft_channel {
    int descriptor;
    int64_t start; /* offset of the elements in a file; -1 for what has no offsets, for example a pipe */
    const void *memory;
    void *to;
    uint64_t bytes, at;
} weft_channel;

/* Returns a source for the n elements at x. */
WEFT_API weft_source weft_source_memory(weft_channel *channel, weft_dtype dtype, uint64_t n, const void *x);
/* Returns a source for the elements in a file, pipe, socket, ... from its current offset. A file can be rewound. */
WEFT_API weft_source weft_source_descriptor(weft_channel *channel, weft_dtype dtype, uint64_t n, int descriptor);
/* Returns a sink that writes to a file or a pipe, from its current offset. */
WEFT_API weft_sink weft_sink_descriptor(weft_channel *channel, int descriptor);
/* Returns a sink that writes to `bytes` bytes at y; more bytes fail with ENOSPC. A GPU copies from and to pinned
 * memory directly; for other memory host threads copy the data too. */
WEFT_API weft_sink weft_sink_memory(weft_channel *channel, uint64_t bytes, void *y);

/* Sets the memory for the buffers of one call with sources, in bytes. 0 selects the default: 64 MiB. A call that
 * needs more than this returns WEFT_INVALID. Never changes a result. */
WEFT_API weft_status weft_set_memory(weft_context *ctx, size_t bytes);

/* Activities of a GPU in calls with sources. WEFT_COPY_IN and WEFT_COPY_OUT copy a piece to and from the GPU.
 * WEFT_WORK is the work of the context's stream on a piece, which may include waiting for the host. */
typedef enum weft_lane { WEFT_COPY_IN = 0, WEFT_COPY_OUT = 1, WEFT_WORK = 2 } weft_lane;

typedef struct weft_span {
    weft_lane lane;
    uint64_t bytes;    /* number of bytes copied; 0 for WEFT_WORK */
    double begin, end; /* in seconds since weft_set_timeline, measured by the GPU */
} weft_span;

typedef struct weft_timeline {
    size_t size; /* must be sizeof(weft_timeline) */
    size_t capacity;
    weft_span *spans; /* capacity for `capacity` elements */
    size_t count;     /* number of all spans; those beyond the capacity are not stored */
} weft_timeline;

/* Makes later calls with sources record their activities in *timeline, and sets its count to 0. The recording ends
 * with the next call of this function; NULL only ends it. Returns WEFT_UNSUPPORTED unless ctx is a CUDA context. */
WEFT_API weft_status weft_set_timeline(weft_context *ctx, weft_timeline *timeline);

/* The functions below have the parameters of the function without _source, with these differences. Values at out,
 * edges, bounds and counts are in host memory. Sinks must not write to what sources read. Sources of different
 * lengths are WEFT_INVALID. A source that fails or ends before its n elements, and a sink that fails, are WEFT_IO:
 * then nothing is written at out, and a sink has received only part of the result. */
WEFT_API weft_status weft_reduce_source(weft_context *ctx, weft_op op, weft_dtype accumulate, const weft_source *x,
                                        void *out);
WEFT_API weft_status weft_dot_source(weft_context *ctx, weft_dtype accumulate, const weft_source *x,
                                     const weft_source *y, void *out);
/* Makes two passes: a source that cannot be rewound is WEFT_INVALID. With WEFT_EXACT_SUM it makes one pass.
 * (WEFT_NORM2 of f64 makes a second pass only if the squares leave the range of f64.) */
WEFT_API weft_status weft_variance_source(weft_context *ctx, weft_dtype accumulate, size_t ddof, const weft_source *x,
                                          void *out);
WEFT_API weft_status weft_scan_source(weft_context *ctx, weft_op op, weft_scan_kind kind, weft_dtype accumulate,
                                      const weft_source *x, const void *init, const weft_sink *y);
/* Computes weft_recurrence of one row, forward; init is in host memory. If the sources deliver the elements from the
 * last to the first, v receives the values of WEFT_REVERSE, also from the last to the first. */
WEFT_API weft_status weft_recurrence_source(weft_context *ctx, const weft_source *s, const weft_source *u,
                                            const void *init, const weft_sink *v);
WEFT_API weft_status weft_histogram_source(weft_context *ctx, const weft_source *x, size_t bins, const void *edges,
                                           uint64_t *counts);
WEFT_API weft_status weft_histogram_even_source(weft_context *ctx, const weft_source *x, size_t bins,
                                                const void *lower, const void *upper, uint64_t *counts);

/* Reduce or count rows of m targets. x has `columns` elements, at least 1, for each index. init and out: m * columns
 * values in host memory; init == out is allowed. The message for an index out of range states its position in the
 * source. Memory in addition to the buffers: 8 bytes for each result. Sums, products and means of floats, and means
 * of integers, are computed by one thread on the host. They need 16 bytes for each target, and up to 700 bytes for
 * each result (1400 for means of elements of less than 8 bytes, and for f32 that is computed in f64), less for
 * targets with fewer than 128 rows. */
WEFT_API weft_status weft_scatter_reduce_source(weft_context *ctx, weft_op op, weft_range range,
                                                weft_dtype accumulate, size_t columns, size_t m, const weft_source *x,
                                                const weft_source *index, const void *init, void *out);
WEFT_API weft_status weft_scatter_count_source(weft_context *ctx, weft_range range, size_t m,
                                               const weft_source *index, uint64_t *counts);

/* Counts the matches in the whole text, a source of one-byte elements. Finds matches across the borders of pieces. */
WEFT_API weft_status weft_match_count_source(weft_context *ctx, const weft_source *text,
                                             const weft_patterns *patterns, unsigned flags, uint64_t *counts);
/* Binds a name of a formula to a source or to one value of type dtype in host memory; the other pointer is NULL. */
typedef struct weft_source_binding {
    const char *name;
    const weft_source *source;
    weft_dtype dtype;
    const void *scalar;
} weft_source_binding;

/* Evaluate a formula over sources. At least one binding must be a source. */
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

/* An operation with several variants. They differ in speed and return the same bits: launch shapes on a GPU, block
 * sizes on a CPU. A new context takes the variants that `weft tune` has stored in the user's cache directory for
 * devices of this name. Without such a file, or with WEFT_TUNING=off in the environment, it takes the first variants.
 * Docs: docs/guide/tune.md. */
typedef struct weft_tunable {
    size_t size;                  /* must be sizeof(weft_tunable) */
    const char *operation;        /* for example "matmul" */
    weft_dtype dtype, accumulate; /* type of the elements, type of their sums */
    const char *const *variants;  /* names; the first one is the default */
    size_t count, chosen;         /* number of variants; index of the one in use, from 0 */
} weft_tunable;

/* Returns the number of tunables of the context's device; 0 for "ref" and for NULL. */
WEFT_API size_t weft_tune_count(const weft_context *ctx);
/* Describes tunable `index`, 0 <= index < weft_tune_count(ctx). Only `chosen` ever changes. */
WEFT_API weft_status weft_tune_describe(weft_context *ctx, size_t index, weft_tunable *tunable);

/* Makes later calls on ctx of this operation and these types use the variant, for all sizes. (A stored choice is used
 * only for sizes that it suits.) Returns WEFT_UNSUPPORTED if the device cannot run the variant. */
WEFT_API weft_status weft_tune_choose(weft_context *ctx, size_t index, size_t variant);

/* Writes the choices of ctx to the file, atomically. Contexts opened later on such a device start with them. */
WEFT_API weft_status weft_tune_save(weft_context *ctx);
/* Removes the file, if it exists, and selects the first variants. */
WEFT_API weft_status weft_tune_reset(weft_context *ctx);
/* Writes the path of the file to path[0..size), with a terminating 0. Returns WEFT_IO if neither XDG_CACHE_HOME nor
 * HOME determines it, and WEFT_INVALID if `size` is too small. */
WEFT_API weft_status weft_tune_file(weft_context *ctx, char *path, size_t size);
/* Returns why ctx does not use an existing file: it is damaged, or for another device or release. Else returns "". */
WEFT_API const char *weft_tune_warning(const weft_context *ctx);

#ifdef __cplusplus
}
#endif
#endif
