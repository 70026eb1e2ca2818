/* Finds and calls libcublasLt. Its functions and constants are declared here, so that no header of it is needed to
 * build. */
#include "cuda/runtime/cublaslt.h"
#include "cuda/runtime/library.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------ finding it */

typedef struct _cublasLtHandle *lt_handle;         /* cublasLtHandle_t */
typedef struct _cublasLtDesc *lt_desc;             /* cublasLtMatmulDesc_t */
typedef struct _cublasLtLayout *lt_layout;         /* cublasLtMatrixLayout_t */
typedef struct _cublasLtPreference *lt_preference; /* cublasLtMatmulPreference_t */

typedef struct lt_algorithm {
    uint64_t data[8];
} lt_algorithm; /* cublasLtMatmulAlgo_t */

typedef struct lt_choice {
    lt_algorithm algorithm;
    size_t workspace;
    int status;
    float waves;
    int reserved[4];
} lt_choice; /* cublasLtMatmulHeuristicResult_t */

enum {
    COMPUTE_32I = 72,         /* CUBLAS_COMPUTE_32I */
    TYPE_8I = 3,              /* CUDA_R_8I */
    TYPE_32I = 10,            /* CUDA_R_32I */
    OPERATION_TRANSPOSE = 1,  /* CUBLAS_OP_T */
    DESC_TRANSPOSE_FIRST = 3, /* CUBLASLT_MATMUL_DESC_TRANSA */
    LAYOUT_COUNT = 5,         /* CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT */
    LAYOUT_STRIDE = 6,        /* CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET */
    PREFERENCE_WORKSPACE = 1  /* CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES */
};

/* Functions of libcublasLt that are used. All return 0 on success. */
typedef struct lt_calls {
    int (*cublasLtCreate)(lt_handle *handle);
    int (*cublasLtDestroy)(lt_handle handle);
    int (*cublasLtMatmulDescCreate)(lt_desc *desc, int compute, int scale);
    int (*cublasLtMatmulDescSetAttribute)(lt_desc desc, int attribute, const void *value, size_t bytes);
    int (*cublasLtMatmulDescDestroy)(lt_desc desc);
    int (*cublasLtMatrixLayoutCreate)(lt_layout *layout, int type, uint64_t rows, uint64_t columns, int64_t ld);
    int (*cublasLtMatrixLayoutSetAttribute)(lt_layout layout, int attribute, const void *value, size_t bytes);
    int (*cublasLtMatrixLayoutDestroy)(lt_layout layout);
    int (*cublasLtMatmulPreferenceCreate)(lt_preference *preference);
    int (*cublasLtMatmulPreferenceSetAttribute)(lt_preference preference, int attribute, const void *value,
                                                size_t bytes);
    int (*cublasLtMatmulPreferenceDestroy)(lt_preference preference);
    int (*cublasLtMatmulAlgoGetHeuristic)(lt_handle handle, lt_desc desc, lt_layout a, lt_layout b, lt_layout c,
                                          lt_layout d, lt_preference preference, int count, lt_choice *choices,
                                          int *found);
    int (*cublasLtMatmul)(lt_handle handle, lt_desc desc, const void *alpha, const void *a, lt_layout layout_a,
                          const void *b, lt_layout layout_b, const void *beta, const void *c, lt_layout layout_c,
                          void *d, lt_layout layout_d, const lt_algorithm *algorithm, void *workspace, size_t bytes,
                          cudaStream_t stream);
} lt_calls;

static lt_calls calls;
static bool found;

/* Takes the functions from a library. Returns false if one is missing. */
static bool take(void *library) {
#define FIND(name)                                 \
    *(void **)&calls.name = dlsym(library, #name); \
    if (!calls.name) return false;
    FIND(cublasLtCreate)
    FIND(cublasLtDestroy)
    FIND(cublasLtMatmulDescCreate)
    FIND(cublasLtMatmulDescSetAttribute)
    FIND(cublasLtMatmulDescDestroy)
    FIND(cublasLtMatrixLayoutCreate)
    FIND(cublasLtMatrixLayoutSetAttribute)
    FIND(cublasLtMatrixLayoutDestroy)
    FIND(cublasLtMatmulPreferenceCreate)
    FIND(cublasLtMatmulPreferenceSetAttribute)
    FIND(cublasLtMatmulPreferenceDestroy)
    FIND(cublasLtMatmulAlgoGetHeuristic)
    FIND(cublasLtMatmul)
    return true;
}

static void find(void) {
    static const char *const names[] = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"};
    const char *wanted = getenv("WEFT_CUBLASLT"); /* 0: never */
    found = !(wanted && strcmp(wanted, "0") == 0) && library_find(names, sizeof names / sizeof *names, take);
}

/* ------------------------------------------------------------------------------------------ plans */

enum { PLANS = 16, CHOICES = 8 };

/* Description of products of one shape, and the algorithms that the library suggests. The first calls use its first
 * suggestion; call number MEASURED measures all and keeps the fastest. All sums are exact, so that the choice does
 * not change them. A shape that is used once is not worth the measurement. */
typedef struct lt_plan {
    uint64_t rows, columns, terms, count;
    lt_desc desc;
    lt_layout a, b, sums;
    lt_algorithm algorithms[CHOICES];
    int choices; /* 0: the library cannot be used */
    int chosen;
    unsigned calls;
} lt_plan;
enum { MEASURED = 2, RUNS = 2 };

struct cublaslt {
    lt_handle handle;
    lt_plan plans[PLANS]; /* the most recent ones */
    unsigned next;
};

static void destroy_plan(lt_plan *p) {
    if (p->desc) (void)calls.cublasLtMatmulDescDestroy(p->desc);
    if (p->a) (void)calls.cublasLtMatrixLayoutDestroy(p->a);
    if (p->b) (void)calls.cublasLtMatrixLayoutDestroy(p->b);
    if (p->sums) (void)calls.cublasLtMatrixLayoutDestroy(p->sums);
    memset(p, 0, sizeof *p);
}

/* Creates the layout of `count` column-major matrices. Returns false if that fails. */
static bool make_layout(lt_layout *layout, int type, uint64_t rows, uint64_t columns, uint64_t count) {
    const int32_t matrices = (int32_t)count;
    const int64_t stride = (int64_t)(rows * columns);
    return calls.cublasLtMatrixLayoutCreate(layout, type, rows, columns, (int64_t)rows) == 0 &&
           calls.cublasLtMatrixLayoutSetAttribute(*layout, LAYOUT_COUNT, &matrices, sizeof matrices) == 0 &&
           calls.cublasLtMatrixLayoutSetAttribute(*layout, LAYOUT_STRIDE, &stride, sizeof stride) == 0;
}

/* Asks the library for algorithms. */
static void find_choices(const struct cublaslt *lt, lt_plan *p) {
    const size_t bytes = CUBLASLT_WORKSPACE;
    lt_preference preference = NULL;
    lt_choice found[CHOICES];
    int count = 0;
    if (calls.cublasLtMatmulPreferenceCreate(&preference) != 0) return;
    if (calls.cublasLtMatmulPreferenceSetAttribute(preference, PREFERENCE_WORKSPACE, &bytes, sizeof bytes) == 0 &&
        calls.cublasLtMatmulAlgoGetHeuristic(lt->handle, p->desc, p->b, p->a, p->sums, p->sums, preference, CHOICES,
                                             found, &count) == 0)
        for (int i = 0; i < count; i++)
            if (found[i].status == 0) p->algorithms[p->choices++] = found[i].algorithm;
    (void)calls.cublasLtMatmulPreferenceDestroy(preference);
}

/* The library's matrices are column-major: b and a have their terms adjacent, and the sums have their columns
 * adjacent, so that the library's product is the transpose. */
static void make_plan(const struct cublaslt *lt, const int8_products *w, lt_plan *p) {
    const int transpose = OPERATION_TRANSPOSE;
    p->rows = w->rows, p->columns = w->columns, p->terms = w->terms, p->count = w->count;
    const bool described =
        w->count <= INT32_MAX && calls.cublasLtMatmulDescCreate(&p->desc, COMPUTE_32I, TYPE_32I) == 0 &&
        calls.cublasLtMatmulDescSetAttribute(p->desc, DESC_TRANSPOSE_FIRST, &transpose, sizeof transpose) == 0 &&
        make_layout(&p->a, TYPE_8I, w->terms, w->rows, w->count) &&
        make_layout(&p->b, TYPE_8I, w->terms, w->columns, w->count) &&
        make_layout(&p->sums, TYPE_32I, w->columns, w->rows, w->count);
    if (described) find_choices(lt, p);
}

static lt_plan *plan_of(struct cublaslt *lt, const int8_products *w) {
    for (lt_plan *p = lt->plans; p < lt->plans + PLANS; p++)
        if (p->count == w->count && p->rows == w->rows && p->columns == w->columns && p->terms == w->terms) return p;
    lt_plan *p = &lt->plans[lt->next++ % PLANS];
    destroy_plan(p);
    make_plan(lt, w, p);
    return p;
}

/* ------------------------------------------------------------------------------------------ calls */

/* Creates the context's handle, unless it exists. It remains NULL if the library cannot be used. */
static weft_status open_handle(gpu *g, bool capturing, weft_error *error) {
    if (g->cublaslt) return WEFT_OK;
    RETURN_IF(capturing, WEFT_INVALID,
              "matmul: the first exact product of a context cannot be captured: make one call before the capture");
    g->cublaslt = (struct cublaslt *)calloc(1, sizeof *g->cublaslt);
    RETURN_IF(!g->cublaslt, WEFT_OUT_OF_MEMORY, "no memory for the plans of exact products");
    if (calls.cublasLtCreate(&g->cublaslt->handle) != 0) g->cublaslt->handle = NULL;
    return WEFT_OK;
}

/* Returns the library's status. */
static int multiply(const gpu *g, const lt_plan *p, int choice, const int8_products *w) {
    const int32_t one = 1, zero = 0;
    return calls.cublasLtMatmul(g->cublaslt->handle, p->desc, &one, w->b, p->b, w->a, p->a, &zero, w->sums, p->sums,
                                w->sums, p->sums, &p->algorithms[choice], w->workspace, CUBLASLT_WORKSPACE,
                                g->stream);
}

/* Returns the time of an algorithm in milliseconds, the least of RUNS runs. */
static float time_of(const gpu *g, const lt_plan *p, int choice, const int8_products *w, const cudaEvent_t *events) {
    float least = INFINITY, time;
    for (int run = 0; run < RUNS; run++) {
        if (cudaEventRecord(events[0], g->stream) != cudaSuccess || multiply(g, p, choice, w) != 0 ||
            cudaEventRecord(events[1], g->stream) != cudaSuccess || cudaEventSynchronize(events[1]) != cudaSuccess ||
            cudaEventElapsedTime(&time, events[0], events[1]) != cudaSuccess)
            return INFINITY;
        least = time < least ? time : least;
    }
    return least;
}

/* Chooses the fastest algorithm. An algorithm that fails is not chosen. */
static void measure(const gpu *g, lt_plan *p, const int8_products *w) {
    cudaEvent_t events[2] = {NULL, NULL};
    float least = INFINITY;
    if (cudaEventCreate(&events[0]) == cudaSuccess && cudaEventCreate(&events[1]) == cudaSuccess)
        for (int i = 0; i < p->choices; i++) {
            const float time = time_of(g, p, i, w, events);
            if (time < least) least = time, p->chosen = i;
        }
    for (int i = 0; i < 2; i++)
        if (events[i]) (void)cudaEventDestroy(events[i]);
}

static weft_status is_capturing(const gpu *g, bool *capturing, weft_error *error) {
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    CUDA_TRY(cudaStreamIsCapturing(g->stream, &capture), "matmul");
    *capturing = capture != cudaStreamCaptureStatusNone;
    return WEFT_OK;
}

weft_status cublaslt_multiply(gpu *g, const int8_products *w, bool *done, weft_error *error) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    bool capturing = false;
    *done = false;
    pthread_once(&once, find);
    if (!found) return WEFT_OK;
    RETURN_IF_ERROR(is_capturing(g, &capturing, error));
    RETURN_IF_ERROR(open_handle(g, capturing, error));
    if (!g->cublaslt->handle) return WEFT_OK;
    lt_plan *const p = plan_of(g->cublaslt, w);
    if (p->choices == 0) return WEFT_OK;
    if (!capturing && ++p->calls == MEASURED && p->choices > 1) measure(g, p, w);
    const int fault = multiply(g, p, p->chosen, w);
    RETURN_IF(fault != 0, WEFT_INTERNAL,
              "matmul: cublasLtMatmul returned error %d for products of %llu x %llu x %llu", fault,
              (unsigned long long)w->rows, (unsigned long long)w->columns, (unsigned long long)w->terms);
    *done = true;
    return WEFT_OK;
}

void cublaslt_close(gpu *g) {
    if (!g->cublaslt) return;
    for (int i = 0; i < PLANS; i++) destroy_plan(&g->cublaslt->plans[i]);
    if (g->cublaslt->handle) (void)calls.cublasLtDestroy(g->cublaslt->handle);
    free(g->cublaslt);
    g->cublaslt = NULL;
}
