/* Runs CUB's reduce on this GPU's part, and ncclAllReduce on the sums. */
#include <mpi.h>

#include "bench/gpu_ranks_peer.h"

#include <cub/device/device_reduce.cuh>
#include <nccl.h>
#include <stdio.h>

static void require(bool fine, const char *what) {
    if (fine) return;
    fprintf(stderr, "bench_ranks: %s failed\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

typedef struct peer {
    ncclComm_t comm;
    cudaStream_t stream;
    const float *x;
    size_t n, bytes;
    float *sum; /* on the GPU */
    void *scratch;
} peer;

static float sum_once(const peer *p) {
    float sum;
    size_t bytes = p->bytes;
    require(cub::DeviceReduce::Sum(p->scratch, bytes, p->x, p->sum, p->n, p->stream) == cudaSuccess, "CUB");
    require(ncclAllReduce(p->sum, p->sum, 1, ncclFloat, ncclSum, p->comm, p->stream) == ncclSuccess, "ncclAllReduce");
    require(cudaMemcpyAsync(&sum, p->sum, sizeof sum, cudaMemcpyDeviceToHost, p->stream) == cudaSuccess, "copying");
    require(cudaStreamSynchronize(p->stream) == cudaSuccess, "waiting");
    return sum;
}

static void connect_ranks(peer *p) {
    ncclUniqueId id;
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) require(ncclGetUniqueId(&id) == ncclSuccess, "ncclGetUniqueId");
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    require(cudaStreamCreate(&p->stream) == cudaSuccess, "a stream");
    require(ncclCommInitRank(&p->comm, size, id, rank) == ncclSuccess, "ncclCommInitRank");
    require(cudaMalloc(&p->sum, sizeof *p->sum) == cudaSuccess, "memory");
    require(cub::DeviceReduce::Sum(NULL, p->bytes, p->x, p->sum, p->n, p->stream) == cudaSuccess, "CUB");
    require(cudaMalloc(&p->scratch, p->bytes) == cudaSuccess, "memory");
}

extern "C" double peer_sum_seconds(int device, const float *x, size_t n, int calls) {
    double best = 1e9;
    peer p = {};
    p.x = x;
    p.n = n;
    require(cudaSetDevice(device) == cudaSuccess, "the GPU");
    connect_ranks(&p);
    for (int i = 0; i < calls; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        (void)sum_once(&p);
        double seconds = MPI_Wtime() - start, slowest;
        MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (slowest < best) best = slowest;
    }
    (void)cudaFree(p.scratch);
    (void)cudaFree(p.sum);
    (void)cudaStreamDestroy(p.stream);
    (void)ncclCommDestroy(p.comm);
    return best;
}
