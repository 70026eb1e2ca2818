/* Bulk copies between global and shared memory, and the mbarriers on which they complete. On a GPU, these are
 * instructions (cp.async.bulk, mbarrier, fence.proxy.async) that C++ does not have. Copies are made when a thread
 * waits for them (bulk.cc). */
#ifndef WEFT_EXECUTOR_BULK_COPIES_H
#define WEFT_EXECUTOR_BULK_COPIES_H

#include "cuda.h"
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
/* Start a copy of the box of a tensor map whose first element has this column and row: to shared memory, counted on
 * b, with zeros for elements outside the matrix, or from shared memory, without them. */
void start_tensor_load(void *to, const CUtensorMap *map, int column, int row, unsigned long long *b);
void start_tensor_store(const CUtensorMap *map, int column, int row, const void *from);
/* Puts the thread's accesses to shared memory before bulk copies that start after it. */
void fence_proxy_async();
/* Waits until all groups of the thread except the last ones have read shared memory. */
void await_bulk_stores(size_t groups_left);
} // namespace emulated

#endif
