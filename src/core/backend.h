/* A backend is one struct of function pointers. The API (api.c) has checked every argument before
 * it calls one; a backend fails only for its machine: memory, driver, device.
 *
 * There are three: ref (the specification), cpu, and cuda, which is a plugin found at run time. */
#ifndef WEFT_CORE_BACKEND_H
#define WEFT_CORE_BACKEND_H

#include "core/error.h"
#include "weft.h"

#include <stdbool.h>

/* Raised whenever anything below changes: a plugin of another number is refused. */
#define WEFT_BACKEND_ABI 4

/* One call of weft_reduce. `result` settles the accumulator: f64 for f32 elements means f64. */
typedef struct reduce_call {
    weft_op op;
    weft_dtype dtype, result;
    size_t n; /* >= 1 where the operator needs it (ops.def); else 0 is allowed */
    const void *x;
    void *out;
} reduce_call;

typedef struct variance_call {
    weft_dtype dtype, result;
    size_t n, ddof; /* ddof < n */
    const void *x;
    void *out;
} variance_call;

typedef struct dot_call {
    weft_dtype dtype, result;
    size_t n;
    const void *x, *y;
    void *out;
} dot_call;

typedef struct scan_call {
    weft_op op;
    weft_scan_kind kind;
    weft_dtype dtype, result;
    size_t n; /* >= 1 */
    const void *x;
    const void *init; /* one value of the result type in host memory, or NULL */
    void *y;          /* == x, or apart from it */
} scan_call;

typedef struct laplace_call {
    weft_dtype dtype;
    size_t nx, ny, nz, sweeps; /* at least one point */
    const void *u;
    void *v;        /* == u, or apart from it */
    double *change; /* or NULL */
} laplace_call;

typedef struct recurrence_call {
    weft_dtype dtype; /* f32 or f64 */
    bool reverse;
    size_t rows, n; /* >= 1 */
    const void *s, *u;
    const void *init; /* a value for each row, or NULL */
    void *v;          /* == s or == u, or apart from both; apart from init */
} recurrence_call;

typedef struct weft_backend {
    int abi; /* WEFT_BACKEND_ABI */
    const char *name;

    /* Devices of this backend that can be opened now, and what they are. */
    int (*count)(void);
    weft_status (*describe)(int index, weft_device_info *info, weft_error *error);

    /* Opens a device; `which` is what stood after "name:" or "". *state is the backend's own. */
    weft_status (*open)(const char *which, void **state, weft_error *error);
    void (*close)(void *state);
    const char *(*id)(const void *state); /* "cuda:0" */

    weft_status (*set_threads)(void *state, int threads, weft_error *error);
    weft_status (*set_stream)(void *state, void *stream, weft_error *error);
    weft_status (*synchronize)(void *state, weft_error *error);
    size_t (*scratch_bytes)(const void *state);

    weft_status (*alloc)(void *state, weft_memory memory, size_t bytes, void **p, weft_error *error);
    weft_status (*free)(void *state, weft_memory memory, void *p, weft_error *error);
    weft_status (*copy)(void *state, size_t bytes, const void *src, void *dst, weft_error *error);

    /* True when p is memory that only a GPU can read. NULL for backends that have none. */
    bool (*device_only)(const void *p);

    weft_status (*reduce)(void *state, const reduce_call *call, weft_error *error);
    weft_status (*variance)(void *state, const variance_call *call, weft_error *error);
    weft_status (*dot)(void *state, const dot_call *call, weft_error *error);
    weft_status (*scan)(void *state, const scan_call *call, weft_error *error);
    weft_status (*laplace)(void *state, const laplace_call *call, weft_error *error);
    weft_status (*recurrence)(void *state, const recurrence_call *call, weft_error *error);
} weft_backend;

const weft_backend *weft_backend_ref(void);
const weft_backend *weft_backend_cpu(void);
/* The plugin's one exported function, found by name: */
#define WEFT_PLUGIN_ENTRY "weft_backend_cuda"
typedef const weft_backend *(*weft_plugin_entry)(void);

/* The registry (backend.c): the backend called `name`, loading its plugin when it has one. */
weft_status weft_find_backend(const char *name, const weft_backend **backend, weft_error *error);
/* The cuda backend if a context or a query has loaded it already, else NULL. Loads nothing. */
const weft_backend *weft_loaded_plugin(void);

#endif
