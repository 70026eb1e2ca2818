/* Bulk copies between global and shared memory, and the barriers in shared memory on which they complete (sm_90 and
 * later). A bulk copy does not use registers; its addresses and its size must be multiples of 16 bytes. */
#ifndef WEFT_CUDA_BULK_CUH
#define WEFT_CUDA_BULK_CUH

#include <stdint.h>

/* Inline PTX of sm_90. Code for older GPUs must not contain a kernel that calls it. */
#define WEFT_BULK (__CUDA_ARCH__ >= 900)
#if WEFT_BULK

static __device__ __forceinline__ uint32_t shared_address(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}

/* ---------------------------------------------------------------------------------- barriers */

/* Initializes a barrier. A phase completes after `arrivals` arrivals and the transfer of all bytes they announced. */
static __device__ __forceinline__ void barrier_init(uint64_t *barrier, uint32_t arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

/* Makes initialized barriers visible to bulk copies. A barrier of the block must follow. */
static __device__ __forceinline__ void barrier_init_done() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

static __device__ __forceinline__ void barrier_arrive(uint64_t *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

/* Arrives, and announces the number of bytes that bulk copies will transfer. */
static __device__ __forceinline__ void barrier_expect(uint64_t *barrier, uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}

/* Waits for the end of the phase with this parity: 0 for the first, 1 for the second, and so on. Only the current
 * phase and its predecessor can be distinguished, so a thread must wait for every phase in order. Waiting for parity
 * 1 of a new barrier returns at once. */
static __device__ __forceinline__ void barrier_wait(uint64_t *barrier, uint32_t parity) {
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again;\n"
                 "}" ::"r"(shared_address(barrier)),
                 "r"(parity)
                 : "memory");
}

/* ------------------------------------------------------------------------------------ copies */

/* Copies to shared memory. Completion is counted in bytes on `barrier`. */
static __device__ __forceinline__ void bulk_load(void *to, const void *from, uint32_t bytes, uint64_t *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}

/* Orders the thread's accesses to shared memory before later bulk copies of it. */
static __device__ __forceinline__ void bulk_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

/* Copies from shared memory. The thread waits for completion with bulk_wait_read or bulk_wait_written. */
static __device__ __forceinline__ void bulk_store(void *to, const void *from, uint32_t bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
                 "cp.async.bulk.commit_group;" ::"l"(__cvta_generic_to_global(to)),
                 "r"(shared_address(from)), "r"(bytes)
                 : "memory");
}

/* Waits until the thread's bulk stores have read shared memory. */
static __device__ __forceinline__ void bulk_wait_read() {
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

/* Waits until the thread's bulk stores have been written. */
static __device__ __forceinline__ void bulk_wait_written() {
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

/* -------------------------------------------------------------------------- rings of stages */

/* Iterates over the stages of the ring, every `step`-th of them, with the parity of their barriers. */
template <int STAGES> struct bulk_ring {
    uint32_t stage, parity;
    __device__ explicit bulk_ring(uint32_t first) : stage(first), parity(0) {}
    __device__ void advance(uint32_t step) {
        stage += step;
        if (stage < STAGES) return;
        stage -= STAGES;
        parity ^= 1;
    }
};

/* Threads that each access CHUNKS adjacent chunks of 16 bytes access different banks if each takes them in an order
 * of its own, chunk j ^ turn as the j-th. This function permutes the chunks in registers. */
template <int CHUNKS> static __device__ __forceinline__ void bulk_exchange(uint4 (&v)[CHUNKS], int turn) {
#pragma unroll
    for (int w = 1; w < CHUNKS; w *= 2)
#pragma unroll
        for (int j = 0; j < CHUNKS; j++)
            if (!(j & w)) {
                const uint4 low = v[j], high = v[j + w];
                v[j] = turn & w ? high : low;
                v[j + w] = turn & w ? low : high;
            }
}

#endif
#endif
