/* Bulk copies, and mbarriers. A copy to shared memory is made when all threads of the block wait, at least one of
 * them for the copy's mbarrier. A copy from shared memory is made when its thread waits for it. Until then, watch.cc
 * reports accesses to the words that are being written, and writes to those that are being read. A copy from shared
 * memory of words that a thread has written needs a fence.proxy.async between. The order that an mbarrier gives to
 * other accesses of its threads is not emulated. */
#include "bulk_copies.h"
#include "executor.h"

#include <deque>
#include <map>

namespace emulated {

namespace {

enum { MOST_THREADS = 1024 };

struct bulk_copy {
    access of_shared; /* the part in shared memory; its site is the start of the copy */
    std::vector<copy_part> parts;
};

struct mbarrier {
    unsigned block; /* that has initialized it; 0: none */
    unsigned arrivals, missing;
    size_t phases;      /* that are complete */
    int64_t bytes;      /* announced and not yet copied */
    unsigned announced; /* site of the last announcement; 0: none */
    std::deque<bulk_copy> copies;
};
std::map<const void *, mbarrier> mbarriers;

/* The copies from shared memory that a thread has started and not awaited. */
struct stores {
    unsigned block;
    std::deque<bulk_copy> copies;
};

stores &own_stores() {
    static stores of_threads[MOST_THREADS];
    stores &mine = of_threads[this_thread()];
    const unsigned block = this_moment(0).block;
    if (mine.block != block) mine = {block, {}};
    return mine;
}

mbarrier &find(const unsigned long long *b, unsigned site) {
    check_access({(const char *)b, sizeof *b, ATOMIC, false, site});
    mbarrier &found = mbarriers[b];
    if (found.block != this_moment(0).block)
        abandon(site, cudaErrorLaunchFailure, "block %u: thread %u uses an mbarrier that is not initialized,",
                here.block.x, this_thread());
    return found;
}

void check_bulk(const void *in_shared, const void *in_global, unsigned bytes, unsigned site) {
    if ((((uintptr_t)in_shared | (uintptr_t)in_global) & 15) || bytes % 16 != 0 || bytes == 0)
        abandon(site, cudaErrorMisalignedAddress,
                "block %u: thread %u starts a bulk copy whose addresses and size are not multiples of 16,",
                here.block.x, this_thread());
    if (!is_shared(in_shared) || is_shared(in_global))
        abandon(site, cudaErrorIllegalAddress,
                "block %u: thread %u starts a bulk copy that is not between global and shared memory,", here.block.x,
                this_thread());
}

void make(const bulk_copy &copy) {
    for (const copy_part &part : copy.parts)
        if (part.from)
            memcpy(part.to, part.from, part.bytes);
        else
            memset(part.to, 0, part.bytes);
    note_ordered_arrival(copy.of_shared);
}

void complete_if_possible(mbarrier *b) {
    if (b->missing > 0 || b->bytes != 0) return;
    b->phases++;
    b->missing = b->arrivals;
}

} // namespace

void initialize_mbarrier(unsigned long long *b, unsigned arrivals) {
    const unsigned site = site_of(__builtin_return_address(0));
    check_access({(const char *)b, sizeof *b, WRITE, false, site});
    mbarriers[b] = {this_moment(0).block, arrivals, arrivals, 0, 0, 0, {}};
}

void arrive_and_expect(unsigned long long *b, unsigned bytes) {
    const unsigned site = site_of(__builtin_return_address(0));
    mbarrier &found = find(b, site);
    found.bytes += bytes;
    found.announced = site;
    if (found.missing > 0) found.missing--;
    complete_if_possible(&found);
}

void queue_load(unsigned long long *b, const access &target, const std::vector<copy_part> &parts, unsigned site) {
    mbarrier &found = find(b, site);
    for (const copy_part &part : parts)
        if (part.from && part.bytes) check_access({part.from, part.bytes, READ, false, site});
    check_access(target);
    note_on_its_way(target);
    found.copies.push_back({target, parts});
}

void queue_store(const access &source, const std::vector<copy_part> &parts, unsigned site) {
    check_access(source);
    check_fenced(source);
    for (const copy_part &part : parts)
        if (part.bytes) check_access({part.to, part.bytes, WRITE, false, site});
    note_on_its_way(source);
    own_stores().copies.push_back({source, parts});
}

void start_bulk_load(void *to, const void *from, unsigned bytes, unsigned long long *b) {
    const char *const at = (const char *)__builtin_return_address(0);
    check_bulk(to, from, bytes, site_of(at));
    queue_load(b, {(const char *)to, bytes, WRITE, false, site_of(at - 1)}, {{(char *)to, (const char *)from, bytes}},
               site_of(at));
}

void start_bulk_store(void *to, const void *from, unsigned bytes) {
    const char *const at = (const char *)__builtin_return_address(0);
    check_bulk(from, to, bytes, site_of(at));
    queue_store({(const char *)from, bytes, READ, false, site_of(at)}, {{(char *)to, (const char *)from, bytes}},
                site_of(at - 1));
}

void await_bulk_stores(size_t groups_left) {
    for (stores &mine = own_stores(); mine.copies.size() > groups_left; mine.copies.pop_front())
        make(mine.copies.front());
}

void await_phase(unsigned long long *b, unsigned parity) {
    const unsigned site = site_of(__builtin_return_address(0));
    const mbarrier &found = find(b, site);
    if (found.phases % 2 == parity) wait_for_copies(b, parity, site);
}

bool copies_have_arrived(const void *b, unsigned parity) {
    mbarrier &found = mbarriers[b];
    for (; !found.copies.empty(); found.copies.pop_front()) {
        make(found.copies.front());
        found.bytes -= (int64_t)found.copies.front().of_shared.bytes;
    }
    if (found.phases % 2 == parity) complete_if_possible(&found);
    return found.phases % 2 != parity;
}

std::string what_is_missing(const void *b) {
    const mbarrier &found = mbarriers[b];
    char text[200];
    if (found.bytes)
        snprintf(text, sizeof text, "its copies have %lld bytes %s than were announced%s",
                 (long long)llabs(found.bytes), found.bytes > 0 ? "less" : "more", where(found.announced).c_str());
    else
        snprintf(text, sizeof text, "%u of its %u arrivals are missing", found.missing, found.arrivals);
    return text;
}

} // namespace emulated
