/* Asynchronous copies to shared memory. A copy is made as late as CUDA allows: when its thread waits for the group
 * that it belongs to. Until then the destination has its old contents, and watch.cc reports each access to it. A copy
 * that no thread waits for is never made. */
#include "cuda_pipeline.h"
#include "executor.h"

#include <deque>

namespace emulated {

namespace {

enum { MOST_THREADS = 1024 };

struct late_copy {
    access to; /* its site is the start of the copy */
    const void *from;
    size_t zeros; /* bytes at the end that are set to 0 */
    size_t group;
};

/* The copies that a thread has started and not awaited, in order. */
struct pipeline {
    unsigned block;
    size_t groups; /* that the thread has committed in this block */
    std::deque<late_copy> copies;
};

pipeline &own_pipeline() {
    static pipeline of_threads[MOST_THREADS];
    pipeline &mine = of_threads[this_thread()];
    const unsigned block = this_moment(0).block;
    if (mine.block != block) mine = {block, 0, {}};
    return mine;
}

void check_copy(const void *to, const void *from, size_t bytes, unsigned site) {
    if (bytes != 4 && bytes != 8 && bytes != 16)
        abandon(site, cudaErrorInvalidValue,
                "block %u: thread %u starts a copy of %zu bytes to shared memory, where 4, 8 or 16 are possible,",
                here.block.x, this_thread(), bytes);
    if (((uintptr_t)to | (uintptr_t)from) % bytes != 0)
        abandon(site, cudaErrorMisalignedAddress,
                "block %u: thread %u starts a copy of %zu bytes whose addresses are not both multiples of %zu,",
                here.block.x, this_thread(), bytes, bytes);
    if (!is_shared(to))
        abandon(site, cudaErrorIllegalAddress,
                "block %u: thread %u starts a copy to memory that is not shared memory,", here.block.x,
                this_thread());
}

} // namespace

void start_copy(void *to, const void *from, size_t bytes, size_t zeros) {
    const char *const at = (const char *)__builtin_return_address(0);
    const unsigned read_site = site_of(at), write_site = site_of(at - 1); /* two requests of one line */
    check_copy(to, from, bytes, read_site);
    if (zeros < bytes) check_access({(const char *)from, bytes - zeros, READ, false, read_site});
    const access target = {(const char *)to, bytes, WRITE, false, write_site};
    check_access(target);
    note_on_its_way(target);
    pipeline &mine = own_pipeline();
    mine.copies.push_back({target, from, min(zeros, bytes), mine.groups});
}

void commit_copies() { own_pipeline().groups++; }

void await_copies(size_t groups_left) {
    pipeline &mine = own_pipeline();
    for (; !mine.copies.empty() && mine.copies.front().group + groups_left < mine.groups; mine.copies.pop_front()) {
        const late_copy &copy = mine.copies.front();
        char *const to = (char *)copy.to.at;
        memcpy(to, copy.from, copy.to.bytes - copy.zeros);
        memset(to + copy.to.bytes - copy.zeros, 0, copy.zeros);
        note_arrived(copy.to);
    }
}

} // namespace emulated
