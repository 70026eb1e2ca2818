/* Bulk copies between global and shared memory, and the mbarriers on which they complete. On a GPU, these are
 * instructions (cp.async.bulk, mbarrier) that C++ does not have. Copies are made when a thread waits for them
 * (bulk.cc). */
#ifndef WEFT_EXECUTOR_BULK_COPIES_H
#define WEFT_EXECUTOR_BULK_COPIES_H

#include "cuda_runtime.h"

namespace emulated {
/* A phase completes after `arrivals` arrivals, and when the announced bytes have been copied. */
void initialize_mbarrier(unsigned long long *b, unsigned arrivals);
/* Arrives, and announces bytes. */
void arrive_and_expect(unsigned long long *b, unsigned bytes);
/* Waits for the end of the phase with this parity. */
void await_phase(unsigned long long *b, unsigned parity);
/* Starts a copy to shared memory, whose bytes are counted on b. */
void start_bulk_load(void *to, const void *from, unsigned bytes, unsigned long long *b);
/* Starts a copy from shared memory, as a group of its own. */
void start_bulk_store(void *to, const void *from, unsigned bytes);
/* Waits until all groups of the thread except the last ones have read shared memory. */
void await_bulk_stores(size_t groups_left);
} // namespace emulated

#endif
