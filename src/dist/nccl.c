/* libweft_nccl.so: ncclSend and ncclRecv between GPUs, for libweft_dist. Bytes are moved and never added. */
#include "dist/blocks_nccl.h"

#include <cuda_runtime.h>
#include <nccl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(NCCL_ID_BYTES == NCCL_UNIQUE_ID_BYTES, "NCCL_ID_BYTES is the size of ncclUniqueId");

typedef struct member {
    int device;
    ncclComm_t comm;
    cudaStream_t stream;
} member;

#define CUDA_TRY(call)                                                                                 \
    do {                                                                                               \
        const cudaError_t fault = (call);                                                              \
        RETURN_IF(fault != cudaSuccess, WEFT_DEVICE_LOST, "CUDA failed while transferring blocks: %s", \
                  cudaGetErrorString(fault));                                                          \
    } while (0)

#define NCCL_TRY(call)                                                                                      \
    do {                                                                                                    \
        const ncclResult_t fault = (call);                                                                  \
        RETURN_IF(fault != ncclSuccess, WEFT_DEVICE_LOST, "NCCL failed while transferring blocks: %s (%s)", \
                  ncclGetErrorString(fault), ncclGetLastError(NULL));                                       \
    } while (0)

static weft_status name_gpu(int device, unsigned char name[GPU_NAME_BYTES], weft_error *error) {
    struct cudaDeviceProp properties;
    CUDA_TRY(cudaGetDeviceProperties(&properties, device));
    memcpy(name, &properties.uuid, GPU_NAME_BYTES);
    return WEFT_OK;
}

static weft_status make_id(unsigned char id[NCCL_ID_BYTES], weft_error *error) {
    ncclUniqueId made;
    NCCL_TRY(ncclGetUniqueId(&made));
    memcpy(id, made.internal, NCCL_ID_BYTES);
    return WEFT_OK;
}

/* m's GPU must be the current device. The plugin's functions below select it, and restore the thread's previous
 * device. */
static weft_status combine_on_gpu(member *m, const unsigned char *id, int rank, int size, weft_error *error) {
    ncclUniqueId made;
    memcpy(made.internal, id, NCCL_ID_BYTES);
    CUDA_TRY(cudaStreamCreateWithFlags(&m->stream, cudaStreamNonBlocking));
    NCCL_TRY(ncclCommInitRank(&m->comm, size, made, rank));
    return WEFT_OK;
}

/* Leaves the communicator. No operation may be in progress, so no rank needs to wait for the others. */
static void leave(void *comm) {
    member *const m = comm;
    int before = 0;
    (void)cudaGetDevice(&before);
    (void)cudaSetDevice(m->device);
    if (m->comm) (void)ncclCommAbort(m->comm);
    if (m->stream) (void)cudaStreamDestroy(m->stream);
    (void)cudaSetDevice(before);
    free(m);
}

static weft_status combine(int device, const unsigned char id[NCCL_ID_BYTES], int rank, int size, void **comm,
                           weft_error *error) {
    int before = 0;
    member *const m = calloc(1, sizeof *m);
    RETURN_IF(!m, WEFT_OUT_OF_MEMORY, "cannot allocate memory for an NCCL communicator");
    m->device = device;
    (void)cudaGetDevice(&before);
    const cudaError_t fault = cudaSetDevice(device);
    weft_status status = WEFT_OK;
    if (fault != cudaSuccess)
        status = weft_fail(error, WEFT_DEVICE_LOST, "cannot use GPU %d: %s", device, cudaGetErrorString(fault));
    if (status == WEFT_OK) status = combine_on_gpu(m, id, rank, size, error);
    (void)cudaSetDevice(before);
    *comm = m;
    if (status == WEFT_OK) return WEFT_OK;
    leave(m);
    *comm = NULL;
    return status;
}

static weft_status enqueue(const member *m, const block_message *list, size_t count, weft_error *error) {
    NCCL_TRY(ncclGroupStart());
    for (size_t i = 0; i < count; i++) {
        const block_message *const b = &list[i];
        const ncclResult_t fault = b->receives ? ncclRecv(b->at, b->bytes, ncclChar, b->rank, m->comm, m->stream)
                                               : ncclSend(b->at, b->bytes, ncclChar, b->rank, m->comm, m->stream);
        if (fault == ncclSuccess) continue;
        (void)ncclGroupEnd();
        return weft_fail(error, WEFT_DEVICE_LOST, "NCCL cannot transfer a block of %zu bytes: %s", b->bytes,
                         ncclGetErrorString(fault));
    }
    NCCL_TRY(ncclGroupEnd());
    return WEFT_OK;
}

/* Waits for the stream. The loss of a rank is reported by the communicator and not by the stream, so both are
 * polled. */
static weft_status wait_for_stream(const member *m, weft_error *error) {
    for (;;) {
        ncclResult_t lost = ncclSuccess;
        const cudaError_t state = cudaStreamQuery(m->stream);
        if (state == cudaSuccess) return WEFT_OK;
        if (state != cudaErrorNotReady) CUDA_TRY(state);
        NCCL_TRY(ncclCommGetAsyncError(m->comm, &lost));
        NCCL_TRY(lost);
        (void)sched_yield();
    }
}

/* Aborts the communicator after a failure, which the other ranks see as an error of theirs. */
static weft_status give_up(member *m, weft_status status) {
    if (status == WEFT_OK) return WEFT_OK;
    (void)ncclCommAbort(m->comm);
    m->comm = NULL;
    return status;
}

static weft_status start(void *comm, const block_message *list, size_t count, weft_error *error) {
    member *const m = comm;
    int before = 0;
    if (count == 0) return WEFT_OK;
    (void)cudaGetDevice(&before);
    CUDA_TRY(cudaSetDevice(m->device));
    const weft_status status = give_up(m, enqueue(m, list, count, error));
    (void)cudaSetDevice(before);
    return status;
}

static weft_status wait_for(void *comm, weft_error *error) {
    member *const m = comm;
    int before = 0;
    (void)cudaGetDevice(&before);
    CUDA_TRY(cudaSetDevice(m->device));
    const weft_status status = give_up(m, wait_for_stream(m, error));
    (void)cudaSetDevice(before);
    return status;
}

/* Found by its name: NCCL_PLUGIN_ENTRY. */
__attribute__((visibility("default"))) const nccl_plugin *weft_nccl_plugin_2(void);
const nccl_plugin *weft_nccl_plugin_2(void) {
    static const nccl_plugin plugin = {name_gpu, make_id, combine, start, wait_for, leave};
    return &plugin;
}
