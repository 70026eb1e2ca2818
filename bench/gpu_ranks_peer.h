/* Peer: a sum over the GPUs of all ranks, written with CUB and NCCL. */
#ifndef BENCH_GPU_RANKS_PEER_H
#define BENCH_GPU_RANKS_PEER_H

#include <stddef.h>

#ifdef WEFT_BENCH_NCCL
#define PEER_SUM 1
#else
#define PEER_SUM 0
#endif

#ifdef __cplusplus
extern "C" {
#endif
/* Returns the seconds of the best of `calls` calls; the time of a call is that of the slowest rank. x is in the
 * memory of GPU `device`. Returns 0 without NCCL. */
double peer_sum_seconds(int device, const float *x, size_t n, int calls);
#ifdef __cplusplus
}
#endif

#if !PEER_SUM
#define peer_sum_seconds(device, x, n, calls) ((void)(device), (void)(x), (void)(n), (void)(calls), 0.0)
#endif
#endif
