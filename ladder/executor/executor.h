/* The executor runs CUDA kernels on a CPU, one thread after another. This header declares what its files share, and
 * what a program uses in addition to CUDA's functions: the order of the threads, and the findings of a run. */
#ifndef WEFT_EXECUTOR_EXECUTOR_H
#define WEFT_EXECUTOR_EXECUTOR_H

#include "cuda_runtime.h"

namespace emulated {

/* ------------------------------------------------------------------------ for a program */

/* Order of the blocks, and of the threads in each. The results must be the same for every order. If the environment
 * variable WEFT_EMULATED_SEED is a number, it selects RANDOM with that seed. */
enum schedule { FORWARD, BACKWARD, RANDOM };
void set_schedule(schedule order, unsigned seed);

/* False by default: kernels may read values that they then discard. */
extern bool unwritten_is_a_fault;

/* Counts for the launches since the last call. Bytes and accesses are counted in watched code only (watch.cc). */
struct account {
    size_t faults;              /* races, reads of unwritten memory, and errors that ended a launch */
    char first[400];            /* a sentence on the first fault; "" if there is none */
    uint64_t read, written;     /* bytes of the device's memory */
    uint64_t shared;            /* accesses to shared memory */
    uint64_t atomics, barriers; /* of blocks */
};
account take_account();

/* -------------------------------------------------------------------- between the parts */

extern account now_counted;

/* Records a fault. */
__attribute__((format(printf, 1, 2))) void fault(const char *format, ...);
/* Records a fault and ends the launch of the calling thread, with an error for cudaGetLastError. */
[[noreturn]] __attribute__((format(printf, 2, 3))) void abandon(cudaError_t error, const char *format, ...);
void set_error(cudaError_t error);

/* The running thread of a block; the first block of all has number 1. If two of its accesses have equal epochs, no
 * barrier of the block separates them. If two accesses of a warp also have equal warp epochs, no barrier of the warp
 * does. */
struct moment {
    unsigned thread, block, epoch, warp_epoch;
};
moment this_moment();
extern bool in_kernel;

/* Returns true if p is on the stack of a thread or in its arguments, which no other thread can access. */
bool is_private(const void *p);
bool in_dynamic_shared(const void *p);
size_t dynamic_shared_bytes();

/* A block of the emulated GPU's memory: [first, first + bytes), in pages that contain nothing else. */
struct block {
    const char *first;
    size_t bytes;
    cudaMemoryType type;
    char *pages;
    size_t pages_bytes;
    bool holds(const void *p) const { return (const char *)p >= pages && (const char *)p < pages + pages_bytes; }
};
extern const block *last_found; /* cache: most accesses are to the same block as the one before */
/* Returns the block whose pages contain p, or NULL. */
const block *block_of(const void *p);
bool on_device(const void *p);

} // namespace emulated

#endif
