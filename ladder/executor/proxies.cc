/* Fences between proxies. Threads and bulk copies access shared memory in different ways, which CUDA calls proxies. A
 * bulk copy reads what a thread has written if a fence.proxy.async comes between: after the write, and before the
 * start of the copy. The thread that has written executes it, or one that comes after a barrier. */
#include "bulk_copies.h"
#include "executor.h"

namespace emulated {

namespace {

enum { MOST_THREADS = 1024 };

/* The fences of a thread in a block. */
struct fences {
    unsigned block;
    std::vector<moment> at;
};
fences of_threads[MOST_THREADS];

fences &fences_of(unsigned thread) {
    fences &found = of_threads[thread];
    const unsigned block = this_moment(0).block;
    if (found.block != block) found = {block, {}};
    return found;
}

/* Returns true if a barrier of the block or of the warp separates two moments of different threads. */
bool comes_before(const moment &before, const moment &now) {
    return before.epoch < now.epoch || (before.epoch == now.epoch && !unordered(before, now));
}

/* Returns true if a fence of the thread, from fence `first` on, comes after the write and before the present moment.
 */
bool has_fence(unsigned thread, const moment &write, size_t first) {
    const std::vector<moment> &at = fences_of(thread).at;
    while (first < at.size() && !comes_before(write, at[first])) first++;
    return first < at.size() && comes_before(at[first], this_moment(0)); /* later fences are not before it either */
}

} // namespace

unsigned proxy_fences(unsigned thread) { return (unsigned)fences_of(thread).at.size(); }

void fence_proxy_async() { fences_of(this_thread()).at.push_back(this_moment(0)); }

bool is_fenced(const moment &write, unsigned earlier) {
    if (has_fence(write.thread, write, earlier)) return true;
    for (unsigned thread = 0; thread < MOST_THREADS; thread++)
        if (thread != write.thread && has_fence(thread, write, 0)) return true;
    return false;
}

} // namespace emulated
