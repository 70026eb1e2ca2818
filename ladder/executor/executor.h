/* The executor: CUDA kernels on a CPU, one thread after another. What its parts share, and what a program asks of it
 * besides CUDA's own calls: in which order threads run, and what was seen when they ran. */
#ifndef WEFT_EXECUTOR_EXECUTOR_H
#define WEFT_EXECUTOR_EXECUTOR_H

#include "cuda_runtime.h"

namespace emulated {

/* ------------------------------------------------------------------------ for a program */

/* The order of blocks and of the threads in each. Whatever it is, the results must be the same. The environment
 * variable WEFT_EMULATED_SEED, a number, stands for RANDOM with that seed. */
enum schedule { FORWARD, BACKWARD, RANDOM };
void set_schedule(schedule order, unsigned seed);

/* False until it is set: kernels may read what they then throw away. */
extern bool unwritten_is_a_fault;

/* What the launches since the last call did; bytes and accesses are of watched code alone (watch.cc). */
struct account {
    size_t faults;              /* races, reads of memory that nobody wrote, and what ended a launch */
    char first[400];            /* a sentence on the first of them; "" where there is none */
    uint64_t read, written;     /* bytes of the device's memory */
    uint64_t shared;            /* accesses to shared memory */
    uint64_t atomics, barriers; /* of blocks */
};
account take_account();

/* -------------------------------------------------------------------- between the parts */

extern account now_counted;

/* Notes a fault. */
__attribute__((format(printf, 1, 2))) void fault(const char *format, ...);
/* Notes a fault and ends the launch that the calling thread is part of, with an error for cudaGetLastError. */
[[noreturn]] __attribute__((format(printf, 2, 3))) void abandon(cudaError_t error, const char *format, ...);
void set_error(cudaError_t error);

/* The running thread of a block, whose number is 1 for the first of all. Two accesses of it with equal epochs have no
 * barrier of the block between them; two of a warp, with equal warp epochs too, none of the warp. */
struct moment {
    unsigned thread, block, epoch, warp_epoch;
};
moment this_moment();
extern bool in_kernel;

/* Whether p is on the stack of a thread or in its arguments, which no other thread can see. */
bool is_private(const void *p);
bool in_dynamic_shared(const void *p);
size_t dynamic_shared_bytes();

/* A block of the emulated GPU's memory: [first, first + bytes) in pages that hold nothing else. */
struct block {
    const char *first;
    size_t bytes;
    cudaMemoryType type;
    char *pages;
    size_t pages_bytes;
    bool holds(const void *p) const { return (const char *)p >= pages && (const char *)p < pages + pages_bytes; }
};
extern const block *last_found; /* most accesses are to the block of the one before */
/* The block in whose pages p is, or NULL. */
const block *block_of(const void *p);
bool on_device(const void *p);

} // namespace emulated

#endif
