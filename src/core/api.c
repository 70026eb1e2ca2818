/* The public functions: arguments are checked here and nowhere else, then the backend is called. */
#include "core/backend.h"
#include "core/fpmode.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct weft_context {
    const weft_backend *backend;
    void *state;
    atomic_flag inside;  /* set while a call runs */
    unsigned generation; /* of the process, when it was opened */
    bool lost;           /* the device failed: every later call says so */
    weft_error error;
};

/* For failures that belong to no context. */
static _Thread_local weft_error thread_error;

/* ------------------------------------------------------------- entering and leaving a call */

/* Counts fork()s on the child's side, so that a context knows it was opened by another process. */
static unsigned generation;
static void count_fork(void) { generation++; }
static void watch_forks(void) { pthread_atfork(NULL, NULL, count_fork); }

/* The first things every call on a context does. */
static weft_status enter(weft_context *ctx) {
    if (!ctx) return weft_fail(&thread_error, WEFT_INVALID, "the context is NULL");
    if (atomic_flag_test_and_set(&ctx->inside)) return WEFT_BUSY;
    weft_status status = WEFT_OK;
    if (ctx->generation != generation)
        status = weft_fail(&ctx->error, WEFT_FORKED,
                           "this context was opened before fork(); open a new one in the child process");
    else if (ctx->lost)
        status = WEFT_DEVICE_LOST; /* the sentence of the fault itself stays */
    else
        ctx->error.message[0] = '\0';
    if (status != WEFT_OK) atomic_flag_clear(&ctx->inside);
    return status;
}

static weft_status leave(weft_context *ctx, weft_fpmode mode, weft_status status) {
    weft_fpmode_leave(mode);
    if (status == WEFT_DEVICE_LOST) ctx->lost = true;
    atomic_flag_clear(&ctx->inside);
    return status;
}

/* Runs `call`, an expression in ctx and error, between enter and leave, and returns its status. */
#define GUARDED(ctx, call)                            \
    do {                                              \
        FORWARD(enter(ctx));                          \
        const weft_fpmode mode = weft_fpmode_enter(); \
        weft_error *error = &(ctx)->error;            \
        return leave(ctx, mode, (call));              \
    } while (0)

/* ------------------------------------------------------------------------ context, devices */

/* Splits "cuda:1" in name and which. */
static weft_status parse_device(const char *device, char name[16], const char **which, weft_error *error) {
    const char *colon = strchr(device, ':');
    const size_t length = colon ? (size_t)(colon - device) : strlen(device);
    RETURN_IF(length == 0 || length >= 16, WEFT_NO_DEVICE,
              "no device called \"%.64s\"; there are auto, cpu, cuda and ref", device);
    memcpy(name, device, length);
    name[length] = '\0';
    *which = colon ? colon + 1 : "";
    return WEFT_OK;
}

static weft_status open_device(weft_context *ctx, const char *device, weft_error *error) {
    char name[16];
    const char *which;
    RETURN_IF(!device, WEFT_INVALID, "the device is NULL");
    FORWARD(parse_device(device, name, &which, error));
    FORWARD(weft_find_backend(name, &ctx->backend, error));
    return ctx->backend->open(which, &ctx->state, error);
}

weft_status weft_open(weft_context **out, const char *device) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    weft_error *error = &thread_error;
    RETURN_IF(!out, WEFT_INVALID, "weft_open: the place for the context is NULL");
    *out = NULL;
    pthread_once(&once, watch_forks);
    weft_context *ctx = calloc(1, sizeof *ctx);
    RETURN_IF(!ctx, WEFT_OUT_OF_MEMORY, "no memory for a context (%zu bytes)", sizeof *ctx);
    atomic_flag_clear(&ctx->inside);
    ctx->generation = generation;
    weft_status status;
    if (device && strcmp(device, "auto") == 0) {
        status = open_device(ctx, "cuda", error);
        if (status == WEFT_NO_DEVICE) status = open_device(ctx, "cpu", error);
    } else {
        status = open_device(ctx, device, error);
    }
    if (status != WEFT_OK) {
        free(ctx);
        return status;
    }
    error->message[0] = '\0';
    *out = ctx;
    return WEFT_OK;
}

void weft_close(weft_context *ctx) {
    if (!ctx) return;
    if (ctx->generation == generation) ctx->backend->close(ctx->state);
    free(ctx);
}

const char *weft_device(const weft_context *ctx) { return ctx ? ctx->backend->id(ctx->state) : "none"; }

const char *weft_last_error(const weft_context *ctx) { return ctx ? ctx->error.message : thread_error.message; }

size_t weft_scratch_bytes(const weft_context *ctx) { return ctx ? ctx->backend->scratch_bytes(ctx->state) : 0; }

size_t weft_device_count(void) {
    const weft_backend *cuda;
    weft_error ignored;
    const int cpus = weft_backend_cpu()->count();
    const int gpus = weft_find_backend("cuda", &cuda, &ignored) == WEFT_OK ? cuda->count() : 0;
    return (size_t)cpus + (size_t)gpus;
}

weft_status weft_describe_device(size_t index, weft_device_info *info) {
    weft_error *error = &thread_error;
    RETURN_IF(!info, WEFT_INVALID, "weft_describe_device: the place for the description is NULL");
    memset(info, 0, sizeof *info);
    RETURN_IF(index >= weft_device_count(), WEFT_NO_DEVICE, "there is no device %zu; there are %zu", index,
              weft_device_count());
    const weft_backend *backend = weft_backend_cpu();
    if (index < (size_t)backend->count()) return backend->describe((int)index, info, error);
    index -= (size_t)backend->count();
    FORWARD(weft_find_backend("cuda", &backend, error));
    return backend->describe((int)index, info, error);
}

static weft_status set_threads(weft_context *ctx, int threads, weft_error *error) {
    RETURN_IF(threads < 0 || threads > 4096, WEFT_INVALID, "%d threads; 0 to 4096 can be asked for", threads);
    return ctx->backend->set_threads(ctx->state, threads, error);
}

weft_status weft_set_threads(weft_context *ctx, int threads) { GUARDED(ctx, set_threads(ctx, threads, error)); }

weft_status weft_set_stream(weft_context *ctx, void *stream) {
    GUARDED(ctx, ctx->backend->set_stream(ctx->state, stream, error));
}

weft_status weft_synchronize(weft_context *ctx) { GUARDED(ctx, ctx->backend->synchronize(ctx->state, error)); }

/* ------------------------------------------------------------------------ checks of memory */

/* A range of memory named in a call. */
typedef struct range {
    const char *name;
    const void *p;
    size_t bytes;
} range;

/* n elements of `size` bytes at p: not NULL, aligned, not past the end of the address space, and
 * readable by this context. Nothing is asked of p when n is 0. */
static weft_status check_array(const weft_context *ctx, const char *name, const void *p, size_t n, size_t size,
                               range *r, weft_error *error) {
    *r = (range){name, p, 0};
    if (n == 0) return WEFT_OK;
    RETURN_IF(!p, WEFT_INVALID, "%s is NULL", name);
    RETURN_IF(n > SIZE_MAX / size || (uintptr_t)p > UINTPTR_MAX - n * size, WEFT_INVALID,
              "%s: %zu elements of %zu bytes do not fit in memory", name, n, size);
    RETURN_IF((uintptr_t)p % size != 0, WEFT_INVALID, "%s is at %p, which is not aligned to its %zu-byte elements",
              name, p, size);
    const weft_backend *gpu = weft_loaded_plugin();
    RETURN_IF(gpu && gpu != ctx->backend && gpu->device_only(p), WEFT_INVALID,
              "%s is GPU memory, which a %s context cannot reach", name, ctx->backend->name);
    r->bytes = n * size;
    return WEFT_OK;
}

static weft_status check_apart(const range *a, const range *b, weft_error *error) {
    const uintptr_t start_a = (uintptr_t)a->p, start_b = (uintptr_t)b->p;
    RETURN_IF(a->bytes && b->bytes && start_a < start_b + b->bytes && start_b < start_a + a->bytes, WEFT_INVALID,
              "%s (%zu bytes at %p) overlaps %s (%zu bytes at %p)", a->name, a->bytes, a->p, b->name, b->bytes, b->p);
    return WEFT_OK;
}

/* ---------------------------------------------------------------------------------- memory */

static weft_status alloc_memory(weft_context *ctx, weft_memory memory, size_t bytes, void **p, weft_error *error) {
    RETURN_IF(!p, WEFT_INVALID, "the place for the pointer is NULL");
    *p = NULL;
    RETURN_IF((unsigned)memory > WEFT_PINNED, WEFT_INVALID, "%d is no kind of memory", (int)memory);
    return bytes ? ctx->backend->alloc(ctx->state, memory, bytes, p, error) : WEFT_OK;
}

weft_status weft_alloc(weft_context *ctx, weft_memory memory, size_t bytes, void **p) {
    GUARDED(ctx, alloc_memory(ctx, memory, bytes, p, error));
}

static weft_status free_memory(weft_context *ctx, weft_memory memory, void *p, weft_error *error) {
    RETURN_IF((unsigned)memory > WEFT_PINNED, WEFT_INVALID, "%d is no kind of memory", (int)memory);
    return p ? ctx->backend->free(ctx->state, memory, p, error) : WEFT_OK;
}

weft_status weft_free(weft_context *ctx, weft_memory memory, void *p) {
    GUARDED(ctx, free_memory(ctx, memory, p, error));
}

static weft_status copy_memory(weft_context *ctx, size_t bytes, const void *src, void *dst, weft_error *error) {
    range from, to;
    FORWARD(check_array(ctx, "src", src, bytes, 1, &from, error));
    FORWARD(check_array(ctx, "dst", dst, bytes, 1, &to, error));
    FORWARD(check_apart(&from, &to, error));
    return bytes ? ctx->backend->copy(ctx->state, bytes, src, dst, error) : WEFT_OK;
}

weft_status weft_copy(weft_context *ctx, size_t bytes, const void *src, void *dst) {
    GUARDED(ctx, copy_memory(ctx, bytes, src, dst, error));
}

/* ----------------------------------------------------------------------------- result types */

typedef enum result_rule { WIDE, SAME, INDEX, TRUTH, REAL } result_rule;
typedef enum domain_rule { ANY, INTEGER } domain_rule;
typedef enum empty_rule { DEFINED, FAILS } empty_rule;
typedef enum type_kind { SIGNED, UNSIGNED, FLOAT } type_kind;

static const struct {
    domain_rule domain;
    result_rule result;
    empty_rule empty;
} OPS[] = {
#define REDUCE(ID, name, domain, result, empty, help) {domain, result, empty},
#include "core/ops.def"
};
#define OP_COUNT (sizeof OPS / sizeof *OPS)

static weft_status kind_of(weft_dtype dtype, type_kind *kind, weft_error *error) {
    static const type_kind kinds[] = {
        SIGNED, /* WEFT_DEFAULT, refused below */
#define TYPE(ID, name, ctype, kind, npy) kind,
#include "core/types.def"
    };
    RETURN_IF(weft_dtype_size(dtype) == 0, WEFT_INVALID, "%d is no element type", (int)dtype);
    *kind = kinds[dtype];
    return WEFT_OK;
}

/* The type that sums of `dtype` have: 64-bit integers, f32, or f64. */
static weft_dtype wide_type(weft_dtype dtype, type_kind kind, weft_dtype accumulate) {
    if (kind == SIGNED) return WEFT_I64;
    if (kind == UNSIGNED) return WEFT_U64;
    return accumulate == WEFT_F64 ? WEFT_F64 : dtype;
}

/* The result type under a rule, refusing accumulate types that the rule does not offer. */
static weft_status result_type(const char *what, result_rule rule, weft_dtype dtype, weft_dtype accumulate,
                               weft_dtype *result, weft_error *error) {
    type_kind kind;
    FORWARD(kind_of(dtype, &kind, error));
    const weft_dtype wide = wide_type(dtype, kind, accumulate);
    switch (rule) {
    case WIDE: *result = wide; break;
    case REAL: *result = kind == FLOAT ? wide : WEFT_F64; break;
    case SAME: *result = dtype; break;
    case INDEX: *result = WEFT_U64; break;
    case TRUTH: *result = WEFT_U8; break;
    }
    const bool offered = (rule == WIDE || rule == REAL) && accumulate == *result;
    RETURN_IF(accumulate != WEFT_DEFAULT && !offered, WEFT_UNSUPPORTED, "%s of %s cannot accumulate in %s", what,
              weft_dtype_name(dtype), weft_dtype_name(accumulate));
    return WEFT_OK;
}

static weft_status reduce_type(weft_op op, weft_dtype dtype, weft_dtype accumulate, weft_dtype *result,
                               weft_error *error) {
    type_kind kind;
    RETURN_IF((unsigned)op >= OP_COUNT, WEFT_INVALID, "%d is no operator", (int)op);
    FORWARD(kind_of(dtype, &kind, error));
    RETURN_IF(OPS[op].domain == INTEGER && kind == FLOAT, WEFT_UNSUPPORTED,
              "%s is defined for integers, and the elements are %s", weft_op_name(op), weft_dtype_name(dtype));
    return result_type(weft_op_name(op), OPS[op].result, dtype, accumulate, result, error);
}

weft_status weft_reduce_result(weft_op op, weft_dtype dtype, weft_dtype accumulate, weft_dtype *result) {
    weft_error *error = &thread_error;
    RETURN_IF(!result, WEFT_INVALID, "the place for the type is NULL");
    return reduce_type(op, dtype, accumulate, result, error);
}

/* ------------------------------------------------------------------------------- operations */

static weft_status reduce(weft_context *ctx, weft_op op, weft_dtype dtype, weft_dtype accumulate, size_t n,
                          const void *x, void *out, weft_error *error) {
    weft_dtype result;
    range from, to;
    FORWARD(reduce_type(op, dtype, accumulate, &result, error));
    RETURN_IF(n == 0 && OPS[op].empty == FAILS, WEFT_EMPTY, "%s of no elements has no value", weft_op_name(op));
    FORWARD(check_array(ctx, "x", x, n, weft_dtype_size(dtype), &from, error));
    FORWARD(check_array(ctx, "out", out, 1, weft_dtype_size(result), &to, error));
    FORWARD(check_apart(&to, &from, error));
    return ctx->backend->reduce(ctx->state, &(reduce_call){op, dtype, result, n, x, out}, error);
}

weft_status weft_reduce(weft_context *ctx, weft_op op, weft_dtype dtype, weft_dtype accumulate, size_t n,
                        const void *x, void *out) {
    GUARDED(ctx, reduce(ctx, op, dtype, accumulate, n, x, out, error));
}

static weft_status variance(weft_context *ctx, weft_dtype dtype, weft_dtype accumulate, size_t n, size_t ddof,
                            const void *x, void *out, weft_error *error) {
    weft_dtype result;
    range from, to;
    FORWARD(result_type("variance", REAL, dtype, accumulate, &result, error));
    RETURN_IF(ddof >= n, WEFT_EMPTY, "variance of %zu elements with ddof %zu has no value: ddof must be less", n,
              ddof);
    FORWARD(check_array(ctx, "x", x, n, weft_dtype_size(dtype), &from, error));
    FORWARD(check_array(ctx, "out", out, 1, weft_dtype_size(result), &to, error));
    FORWARD(check_apart(&to, &from, error));
    return ctx->backend->variance(ctx->state, &(variance_call){dtype, result, n, ddof, x, out}, error);
}

weft_status weft_variance(weft_context *ctx, weft_dtype dtype, weft_dtype accumulate, size_t n, size_t ddof,
                          const void *x, void *out) {
    GUARDED(ctx, variance(ctx, dtype, accumulate, n, ddof, x, out, error));
}

static weft_status dot(weft_context *ctx, weft_dtype dtype, weft_dtype accumulate, size_t n, const void *x,
                       const void *y, void *out, weft_error *error) {
    weft_dtype result;
    range from_x, from_y, to;
    FORWARD(result_type("dot", WIDE, dtype, accumulate, &result, error));
    FORWARD(check_array(ctx, "x", x, n, weft_dtype_size(dtype), &from_x, error));
    FORWARD(check_array(ctx, "y", y, n, weft_dtype_size(dtype), &from_y, error));
    FORWARD(check_array(ctx, "out", out, 1, weft_dtype_size(result), &to, error));
    FORWARD(check_apart(&to, &from_x, error));
    FORWARD(check_apart(&to, &from_y, error));
    return ctx->backend->dot(ctx->state, &(dot_call){dtype, result, n, x, y, out}, error);
}

weft_status weft_dot(weft_context *ctx, weft_dtype dtype, weft_dtype accumulate, size_t n, const void *x,
                     const void *y, void *out) {
    GUARDED(ctx, dot(ctx, dtype, accumulate, n, x, y, out, error));
}

/* A scan's values have the element's type, or a wider one of its kind (sum and prod only). */
static weft_status scan_type(weft_op op, weft_dtype dtype, weft_dtype accumulate, weft_dtype *result,
                             weft_error *error) {
    type_kind kind;
    const bool widens = op == WEFT_SUM || op == WEFT_PROD;
    FORWARD(kind_of(dtype, &kind, error));
    RETURN_IF((unsigned)op >= OP_COUNT, WEFT_INVALID, "%d is no operator", (int)op);
    RETURN_IF(!widens && OPS[op].result != SAME, WEFT_UNSUPPORTED,
              "scan offers sum, prod, min, max, and, or, xor; not %s", weft_op_name(op));
    RETURN_IF(OPS[op].domain == INTEGER && kind == FLOAT, WEFT_UNSUPPORTED,
              "%s is defined for integers, and the elements are %s", weft_op_name(op), weft_dtype_name(dtype));
    *result = accumulate == WEFT_DEFAULT ? dtype : accumulate;
    RETURN_IF(*result != dtype && !(widens && accumulate == wide_type(dtype, kind, WEFT_F64)), WEFT_UNSUPPORTED,
              "scan with %s of %s cannot accumulate in %s", weft_op_name(op), weft_dtype_name(dtype),
              weft_dtype_name(accumulate));
    return WEFT_OK;
}

static weft_status scan(weft_context *ctx, weft_op op, weft_scan_kind kind, weft_dtype dtype, weft_dtype accumulate,
                        size_t n, const void *x, const void *init, void *y, weft_error *error) {
    weft_dtype result;
    range from, to;
    FORWARD(scan_type(op, dtype, accumulate, &result, error));
    RETURN_IF((unsigned)kind > WEFT_EXCLUSIVE, WEFT_INVALID, "%d is no kind of scan", (int)kind);
    FORWARD(check_array(ctx, "x", x, n, weft_dtype_size(dtype), &from, error));
    FORWARD(check_array(ctx, "y", y, n, weft_dtype_size(result), &to, error));
    if (x != y || dtype != result) FORWARD(check_apart(&to, &from, error));
    const weft_backend *gpu = weft_loaded_plugin();
    RETURN_IF(gpu && init && gpu->device_only(init), WEFT_INVALID, "init is GPU memory; it must be host memory");
    if (n == 0) return WEFT_OK;
    return ctx->backend->scan(ctx->state, &(scan_call){op, kind, dtype, result, n, x, init, y}, error);
}

weft_status weft_scan(weft_context *ctx, weft_op op, weft_scan_kind kind, weft_dtype dtype, weft_dtype accumulate,
                      size_t n, const void *x, const void *init, void *y) {
    GUARDED(ctx, scan(ctx, op, kind, dtype, accumulate, n, x, init, y, error));
}
