/* A context of the CUDA backend, and what its operations share: errors, scratch, running a kernel over
 * inputs that are anywhere. */
#ifndef WEFT_CUDA_GPU_H
#define WEFT_CUDA_GPU_H

#include "core/backend.h"
#include "core/order.h"
#include "cuda/reduce/job.h"
#include "cuda/reduce/kernels.h"

#include <cuda_runtime.h>

/* What can be done in several ways (tune.def), and which a context takes: the number of the variant, and whether also
 * for calls that are too small for it to be a good one. */
typedef enum cuda_tunable {
#define TUNABLE(ID, operation, dtype, accumulate, variants) TUNE_##ID,
#include "cuda/runtime/tune.def"
    CUDA_TUNABLES
} cuda_tunable;

typedef struct cuda_choice {
    size_t variant;
    bool everywhere;
} cuda_choice;
/* Whether formulas are compiled at run time (map_compiled.h). */
typedef enum formula_policy { FORMULAS_WORTH_IT, FORMULAS_NEVER, FORMULAS_ALWAYS } formula_policy;

typedef struct gpu {
    int device;
    char id[16];
    int multiprocessors;
    int arch;                 /* 10 major + minor of the compute capability */
    size_t shared_bytes;      /* of a block, at most */
    cudaStream_t own, stream; /* stream: own, or the caller's */
    cudaEvent_t handover;     /* orders a new stream behind the scratch memory's last use */
    bool pending;             /* work was given to `stream` since it was last waited for */
    char *scratch;            /* device memory, laid out in scratch.cu */
    size_t scratch_bytes;
    uint64_t *landing; /* pinned host memory that kernels write results to when the output is in host memory, and
                        * where what must be looked at arrives */
    char *words;       /* device memory for the totals that a scan publishes; NULL until needed */
    size_t words_bytes;
    char *staging; /* device memory for one chunk of inputs in host memory, or of values; NULL until needed */
    char *room;    /* device memory for whole arrays from host memory and an operation's scratch (arrays.h) */
    size_t room_bytes;
    cudaStream_t lanes[2]; /* for copies in and out beside the work (transfer.cu); NULL until needed */
    void *twiddles[2];     /* of transforms, f32 and f64; NULL until needed (transforms.h) */
    int twiddles_log[2];
    cuda_choice chosen[CUDA_TUNABLES];
    formula_policy formula_use;
    struct formulas *formulas;      /* that were compiled, or will be; NULL until needed */
    mutable const void *roomy[256]; /* kernels that gpu_allow_shared was asked for, by their address */
} gpu;

/* ------------------------------------------------------------------------------- errors */

/* The status of a CUDA error, with a sentence: what was being done, CUDA's name and words for it, and
 * whether the process can go on. Clears the last error, so that nobody else meets it. */
weft_status cuda_failed(cudaError_t fault, const char *doing, weft_error *error);

/* CUDA_TRY(cudaMemcpyAsync(...), "copying x to the GPU"); returns from here when it fails. */
#define CUDA_TRY(call, doing)                                                \
    do {                                                                     \
        const cudaError_t tried = (call);                                    \
        if (tried != cudaSuccess) return cuda_failed(tried, (doing), error); \
    } while (0)

/* Memory of one of the three kinds; WEFT_OUT_OF_MEMORY with the figures. */
weft_status gpu_alloc(weft_memory memory, size_t bytes, void **p, weft_error *error);

/* Makes a device current as long as it lives, then the caller's again. */
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
void gpu_scratch_close(gpu *g);
void gpu_point_at_scratch(const gpu *g, job *j);
/* The buffer for chunks of inputs in host memory, and of the values of formulas; allocated at its first use. */
weft_status gpu_staging(gpu *g, const char *operation, weft_error *error);
#ifndef STAGING_BYTES /* the GPU that tests emulate has less, for whose short inputs that makes several chunks */
#define STAGING_BYTES ((size_t)32 << 20)
#endif
#define LANDING_BYTES 64

/* ------------------------------------------------------------------- a call, in three steps */

/* Lets a kernel's launches have as much dynamic shared memory as a block can. The bound is always this one: it is the
 * kernel's, not the launch's, and a smaller one by another thread's context would come between the two. */
weft_status gpu_allow_shared(const gpu *g, const void *kernel, const char *operation, weft_error *error);

/* Where the memory of a call lies. */
typedef struct call {
    gpu *g;
    const char *name; /* of the operation, for messages */
    bool x_on_host, y_on_host, out_on_host;
    void *out;
    size_t out_bytes;
    const struct map_program *map; /* where the elements are a formula's values, of map_bytes each; else NULL */
    size_t map_bytes;
    const double *part; /* of a reduction: reduce_call.part */
    job j;              /* the parameters that all its launches have in common */
} call;

/* Finds where the memory lies, and fills c->j but for the operator's parameters. y may be NULL, and x before
 * call_map. */
weft_status call_begin(call *c, gpu *g, const char *name, weft_dtype dtype, weft_dtype result, size_t n,
                       const void *x, const void *y, void *out, weft_error *error);
/* The elements are the values of a formula. A kernel that it was compiled to folds them as it computes them; else
 * they are computed chunk by chunk in the staging buffer. */
void call_map(call *c, const struct map_program *map);
/* Runs a kernel over the whole input with c->j; in chunks when an input is in host memory. */
weft_status call_run(call *c, kernel k, weft_error *error);
/* Waits where the caller must find everything done, and hands over the result. */
weft_status call_end(call *c, weft_error *error);

/* Writes a value that needs no input instead; `bits` are its low bytes. */
weft_status call_store(call *c, uint64_t bits, weft_error *error);

/* An f64 on the device that outlives a launch, for operations of two passes. */
double *gpu_keep(const gpu *g);
/* Puts *v there, where the launches of c find it as their reference. */
weft_status call_refer(call *c, const double *v, weft_error *error);

/* Whether p is host memory, pageable or pinned; memory of another GPU is refused. */
weft_status gpu_locate(const gpu *g, const char *argument, const void *p, bool *on_host, weft_error *error);
/* Host memory means waiting, which a stream that is being captured cannot do. */
weft_status gpu_refuse_capture(const gpu *g, const char *name, weft_error *error);

/* What scans and segmented operations share (scan.cu): the control block, room for published totals, the operator's
 * parameter, how many tiles a block takes. */
struct scan_control *gpu_scan_control(const gpu *g);
weft_status gpu_hold_words(gpu *g, const char *operation, size_t bytes, weft_error *error);
uint64_t gpu_scan_flip(weft_op op, weft_dtype dtype);
uint32_t gpu_scan_block_tiles(const gpu *g, const struct scan_launch *kernel, uint32_t tiles);
/* Room for the published totals of `rows` rows of `tiles` tiles, `stride` words for each; grows once and stays. */
weft_status published_hold(gpu *g, const char *operation, uint64_t rows, uint64_t tiles, uint32_t stride,
                           struct published *p, weft_error *error);

/* Of weft_tridiag on arrays in the GPU's memory, constants in host memory: bytes of scratch memory, aligned to 256,
 * and the launches, which allocate nothing and wait for nothing. c->singular may be NULL. */
size_t gpu_tridiag_scratch(const tridiag_call *c);
weft_status gpu_tridiag_solve(gpu *g, const tridiag_call *c, void *scratch, weft_error *error);

/* Copies beside the context's work (transfer.cu), as backend.h describes them. */
weft_status transfer_place(void *state, const void *p, memory_place *place, weft_error *error);
weft_status transfer_open(void *state, void **transfer, weft_error *error);
weft_status transfer_begin(void *state, void *transfer, weft_lane lane, size_t bytes, const void *from, void *to,
                           weft_error *error);
weft_status transfer_join(void *state, void *transfer, weft_error *error);
weft_status transfer_wait(void *state, void *transfer, weft_error *error);
weft_status transfer_time(void *state, void *transfer, void *origin, double *began, double *ended, weft_error *error);
void transfer_close(void *state, void *transfer);
void transfer_close_lanes(gpu *g);

/* tune.cu */
const weft_tunable *cuda_tunables(size_t *count);
size_t cuda_chosen(const void *state, size_t tunable);
weft_status cuda_choose(void *state, size_t tunable, size_t variant, bool everywhere, weft_error *error);
void cuda_model(const void *state, char name[128]);
/* Shared memory that a block of this variant (of these types) wants, at most; of matmul_tiles.def, its tiles. */
size_t cuda_laplace_shared(weft_dtype dtype, size_t variant);
size_t cuda_matmul_f32_shared(size_t tile);

/* A kernel that exists on every architecture this plugin was built for. */
const void *cuda_probe_kernel(void);

size_t cuda_type_bytes(weft_dtype dtype);

/* --------------------------------------------------------------------------- operations */

weft_status cuda_reduce(void *state, const reduce_call *c, weft_error *error);
weft_status cuda_variance(void *state, const variance_call *c, weft_error *error);
weft_status cuda_dot(void *state, const dot_call *c, weft_error *error);
weft_status cuda_laplace(void *state, const laplace_call *c, weft_error *error);
weft_status cuda_laplace_solve(void *state, const laplace_solve_call *c, weft_error *error);
weft_status cuda_scan(void *state, const scan_call *c, weft_error *error);
/* A scan of a formula's values. */
weft_status cuda_map_scan(gpu *g, const scan_call *c, weft_error *error);
/* The totals of its tiles alone (scan_totals.cu). */
weft_status cuda_scan_totals(gpu *g, const scan_call *c, weft_error *error);
weft_status cuda_select(void *state, const select_call *c, weft_error *error);
weft_status cuda_run_length(void *state, const run_length_call *c, weft_error *error);
weft_status cuda_segmented(void *state, const segmented_call *c, weft_error *error);
weft_status cuda_recurrence(void *state, const recurrence_call *c, weft_error *error);
weft_status cuda_histogram(void *state, const histogram_call *c, weft_error *error);
weft_status cuda_top_k(void *state, const top_k_call *c, weft_error *error);
weft_status cuda_merge(void *state, const merge_call *c, weft_error *error);
weft_status cuda_search_sorted(void *state, const search_sorted_call *c, weft_error *error);
weft_status cuda_matmul(void *state, const matmul_call *c, weft_error *error);
weft_status cuda_fft(void *state, const fft_call *c, weft_error *error);
weft_status cuda_convolve(void *state, const convolve_call *c, weft_error *error);
weft_status cuda_tridiag(void *state, const tridiag_call *c, weft_error *error);
weft_status cuda_heat(void *state, const heat_call *c, weft_error *error);
weft_status cuda_sort(void *state, const sort_call *c, weft_error *error);
weft_status cuda_argsort(void *state, const argsort_call *c, weft_error *error);
weft_status cuda_random(void *state, const random_call *c, weft_error *error);
weft_status cuda_price(void *state, const price_call *c, weft_error *error);
weft_status cuda_sobol(void *state, const sobol_call *c, weft_error *error);
weft_status cuda_match(void *state, const match_call *c, weft_error *error);
weft_status cuda_map(void *state, const map_call *c, weft_error *error);

#endif
