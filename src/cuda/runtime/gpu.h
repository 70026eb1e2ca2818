/* Context of the CUDA backend, and the functions that its operations share: errors, scratch memory, and running a
 * kernel over inputs in device or host memory. */
#ifndef WEFT_CUDA_GPU_H
#define WEFT_CUDA_GPU_H

#include "core/backend.h"
#include "core/order.h"
#include "cuda/reduce/kernels.h"
#include "cuda/reduce/reduce_params.h"

#include <cuda_runtime.h>

/* Tunable operations (tune.def) and a context's choice for each. `variant` is the index of the variant. `everywhere`
 * also uses the variant for calls below the size from which it is efficient. */
typedef enum cuda_tunable {
#define TUNABLE(ID, operation, dtype, accumulate, variants) TUNE_##ID,
#include "cuda/runtime/tune.def"
    CUDA_TUNABLES
} cuda_tunable;

typedef struct cuda_choice {
    size_t variant;
    bool everywhere;
} cuda_choice;
/* Controls whether formulas are compiled at run time (map_compiled.h). */
typedef enum formula_policy { FORMULAS_WORTH_IT, FORMULAS_NEVER, FORMULAS_ALWAYS } formula_policy;

typedef struct gpu {
    weft_heap *heap; /* memory of the caller's allocator */
    int device;
    char id[16];
    int multiprocessors;
    int arch;                 /* 10 major + minor of the compute capability */
    size_t shared_bytes;      /* maximum per block */
    cudaStream_t own, stream; /* stream: `own`, or the caller's */
    cudaEvent_t handover;     /* end of work for which a new stream waits, or the host (segmented.cu) */
    bool pending;             /* `stream` received work since the last synchronization */
    char *scratch;            /* device memory; layout in scratch.cu */
    size_t scratch_bytes;
    uint64_t *pinned; /* pinned host memory. Kernels write results here when the output is in host memory; it also
                          receives values that the host reads */
    char *words;      /* device memory for the tile totals that a scan publishes; NULL until needed */
    size_t words_bytes;
    char *staging;   /* device memory for one chunk of host inputs, or of a formula's values; NULL until needed */
    char *workspace; /* device memory for copies of whole host arrays and an operation's scratch (arrays.h) */
    size_t workspace_bytes;
    cudaStream_t copy_streams[2]; /* copy streams, concurrent with the work (transfer.cu); NULL until needed */
    void *twiddles[2];            /* twiddle factors of transforms, f32 and f64; NULL until needed (transforms.h) */
    int twiddles_log[2];
    cuda_choice chosen[CUDA_TUNABLES];
    formula_policy formula_use;
    struct cublaslt *cublaslt; /* integer products by cuBLASLt (cublaslt.h); NULL until needed */
    struct formulas *formulas; /* formulas that are compiled, or queued for compilation; NULL until needed */
    /* Kernels whose dynamic shared-memory limit was raised; hash by address. */
    mutable const void *shared_limit_set[256];
    bool has_sm_90; /* the GPU, and the plugin's code for it, are of sm_90 or later: early launches, bulk copies */
} gpu;

/* ------------------------------------------------------------------------------- errors */

/* Returns the status of a CUDA error. The message contains what was being done, CUDA's name and description of the
 * error, and whether the process can still use the GPU. Clears CUDA's last error, so that later calls do not report
 * it. */
weft_status cuda_failed(cudaError_t fault, const char *doing, weft_error *error);

/* CUDA_TRY(cudaMemcpyAsync(...), "copying x to the GPU"): returns from the calling function if the call fails. */
#define CUDA_TRY(call, doing)                                                \
    do {                                                                     \
        const cudaError_t tried = (call);                                    \
        if (tried != cudaSuccess) return cuda_failed(tried, (doing), error); \
    } while (0)

/* Allocates memory of one of the three kinds, from the caller's allocator if there is one. Returns
 * WEFT_OUT_OF_MEMORY, with the sizes in the message, when there is too little. */
weft_status gpu_alloc(gpu *g, weft_memory memory, size_t bytes, void **p, weft_error *error);
/* Frees memory of gpu_alloc. Waits for the work on the stream before it returns a block to the caller's allocator. */
cudaError_t gpu_free(gpu *g, weft_memory memory, void *p);

/* Makes a device current for the lifetime of the object, then restores the caller's. */
class current_device {
    int before, device;

  public:
    explicit current_device(int wanted) : before(-1), device(wanted) {
        if (cudaGetDevice(&before) != cudaSuccess) before = -1;
        if (before != device) (void)cudaSetDevice(device);
        (void)cudaGetLastError();
    }
    ~current_device() {
        if (before >= 0 && before != device) (void)cudaSetDevice(before);
        (void)cudaGetLastError();
    }
    current_device(const current_device &) = delete;
    current_device &operator=(const current_device &) = delete;
};

/* Scratch memory of a context (scratch.cu). */
weft_status gpu_scratch_open(gpu *g, weft_error *error);
void gpu_scratch_release(gpu *g); /* frees all but the part of fixed size */
void gpu_scratch_close(gpu *g);
void gpu_point_at_scratch(const gpu *g, reduce_params *j);
/* Allocates, at its first use, the buffer for chunks of host inputs and of formula values. */
weft_status gpu_staging(gpu *g, const char *operation, weft_error *error);
#ifndef STAGING_BYTES /* the emulated GPU of the tests uses a smaller buffer, so that short inputs need several \
                         chunks */
#define STAGING_BYTES ((size_t)32 << 20)
#endif
#define PINNED_BYTES 64

/* ------------------------------------------------------------------- a call, in three steps */

/* Raises a kernel's dynamic shared-memory limit to the maximum of a block. The limit is always this maximum: it
 * belongs to the kernel, not to the launch, so another thread's context could otherwise lower it between the two. */
weft_status gpu_allow_shared(const gpu *g, const void *kernel, const char *operation, weft_error *error);

/* Parameters of one call, with the location of its memory. */
typedef struct call {
    gpu *g;
    const char *name; /* name of the operation, for messages */
    bool x_on_host, y_on_host, out_on_host;
    void *out;
    size_t out_bytes;
    const struct map_program
        *map; /* formula whose values are the elements, each of map_bytes; NULL if there is none */
    size_t map_bytes;
    reduce_params j; /* parameters common to all launches of the call */
} call;

/* Locates the memory and fills c->j except the operator's parameters. y may be NULL. x may be NULL if call_map
 * follows. */
weft_status call_begin(call *c, gpu *g, const char *name, weft_dtype dtype, weft_dtype result, size_t n,
                       const void *x, const void *y, void *out, weft_error *error);
/* Makes the values of a formula the elements. A kernel that was compiled for the formula reduces them as it computes
 * them; otherwise they are computed chunk by chunk in the staging buffer. */
void call_map(call *c, const struct map_program *map);
/* Runs a kernel over the entire input with c->j. Runs it in chunks if an input is in host memory, or if the elements
 * are the values of a formula that is not compiled. */
weft_status call_run(call *c, kernel k, weft_error *error);
/* Synchronizes the stream if an input or the output is in host memory, and copies the result to a host output. */
weft_status call_end(call *c, weft_error *error);

/* Stores a result that does not depend on the input; replaces call_run and call_end. `bits` contains its low bytes.
 */
weft_status call_store(call *c, uint64_t bits, weft_error *error);

/* Returns the address of an f64 in device memory that persists between the launches of a two-pass operation. */
double *gpu_keep(const gpu *g);
/* Returns the address of a second state of an exact sum; 0 between calls. */
int64_t *gpu_exact_values(const gpu *g);
/* Copies *v to gpu_keep and makes it the reference value of the launches of c. */
weft_status call_set_reference(call *c, const double *v, weft_error *error);

/* Returns the bits of the result of an operator for an empty input, if there is one: 0, +0.0, 1, 1.0, or all bits
 * (reduce.cu). */
uint64_t gpu_reduce_empty(weft_op op, weft_dtype result);

/* Sets *on_host to true if p is host memory, pageable or pinned. Returns WEFT_INVALID for memory of another GPU. */
weft_status gpu_locate(const gpu *g, const char *argument, const void *p, bool *on_host, weft_error *error);
/* Returns WEFT_INVALID if the stream is being captured: host memory requires a synchronization, which a capture does
 * not allow. */
weft_status gpu_refuse_capture(const gpu *g, const char *name, weft_error *error);

/* Shared by scans and segmented operations (scan.cu): the control block, memory for published totals, the operator's
 * XOR mask, and the number of tiles per block. */
struct scan_control *gpu_scan_control(const gpu *g);
weft_status gpu_hold_words(gpu *g, const char *operation, size_t bytes, weft_error *error);
uint64_t gpu_scan_xor_mask(weft_op op, weft_dtype dtype);
uint32_t gpu_scan_block_tiles(const gpu *g, const struct scan_launch *kernel, uint32_t tiles);
/* Allocates the published totals of `rows` rows of `tiles` tiles, `stride` words per tile. The memory grows when
 * needed and is never shrunk. */
weft_status published_hold(gpu *g, const char *operation, uint64_t rows, uint64_t tiles, uint32_t stride,
                           struct published *p, weft_error *error);

/* weft_tridiag on arrays in GPU memory, with constants in host memory. gpu_tridiag_scratch returns the bytes of
 * scratch memory, which must be aligned to 256. gpu_tridiag_solve only launches kernels: it neither allocates nor
 * synchronizes. c->singular may be NULL. */
size_t gpu_tridiag_scratch(const tridiag_call *c);
weft_status gpu_tridiag_solve(gpu *g, const tridiag_call *c, void *scratch, weft_error *error);

/* Copies concurrent with the context's work (transfer.cu); backend.h documents them. */
weft_status transfer_memory_kind(void *state, const void *p, memory_kind *kind, weft_error *error);
weft_status transfer_open(void *state, void **transfer, weft_error *error);
weft_status transfer_begin(void *state, void *transfer, weft_lane lane, size_t bytes, const void *from, void *to,
                           weft_error *error);
weft_status transfer_join(void *state, void *transfer, weft_error *error);
weft_status transfer_wait(void *state, void *transfer, weft_error *error);
weft_status transfer_time(void *state, void *transfer, void *origin, double *began, double *ended, weft_error *error);
void transfer_close(void *state, void *transfer);
void transfer_close_copy_streams(gpu *g);

/* fft.cu */
bool cuda_fft_takes_columns(const void *state, const fft_call *call);
/* fft_pass.cu */
weft_status cuda_fft_pass(void *state, const fft_pass_call *c, weft_error *error);
/* fft_radices.cu */
size_t cuda_fft_radices(size_t n, size_t count, const fft_radix *radices);
/* fft_whole.cu */
bool cuda_fft_takes_whole(const void *state, const fft_pass_call *c);

/* tune.cu */
const weft_tunable *cuda_tunables(size_t *count);
size_t cuda_chosen(const void *state, size_t tunable);
weft_status cuda_choose(void *state, size_t tunable, size_t variant, bool everywhere, weft_error *error);
void cuda_model(const void *state, char name[128]);
/* Return the maximum shared memory per block, in bytes: of a laplace variant for `dtype`, and of entry `tile` of
 * matmul_tiles.def. */
size_t cuda_laplace_shared(weft_dtype dtype, size_t variant);
size_t cuda_matmul_f32_shared(size_t tile);

/* Returns a kernel that exists for every architecture this plugin was built for. */
const void *cuda_probe_kernel(void);

size_t cuda_type_bytes(weft_dtype dtype);

/* --------------------------------------------------------------------------- operations */

#define BACKEND(stem) weft_status cuda_##stem(void *state, const stem##_call *call, weft_error *error);
#include "core/ops.def"

/* Scans the values of a formula. */
weft_status cuda_map_scan(gpu *g, const scan_call *c, weft_error *error);

#endif
