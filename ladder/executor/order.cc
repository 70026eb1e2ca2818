/* Order between the blocks of a launch, and between threads without a barrier. A thread that has written data
 * executes a fence and then writes a flag, by an atomic operation or a volatile access. A thread that reads the flag,
 * by the same means, and then executes a fence comes after the writes. A barrier passes on what each thread of the
 * block knows. This is the part of CUDA's memory model that look-back chains and "the last block" use. */
#include "executor.h"

#include <unordered_map>
#include <vector>

namespace emulated {

namespace {

/* A set of accesses: those before a fence, and those of two other sets. Set 0 is empty. */
struct set {
    unsigned left, right;
    moment fence; /* block 0: none */
};

/* The last atomic or volatile write of a word. */
struct flag {
    unsigned released; /* accesses before the fence of the writer, and of the writers whose numbers it has updated */
    moment writer;
    bool is_update;
    uint64_t serial;
};

/* A launch with more sets is no longer checked. */
enum { MOST_SETS = 1 << 20 };
std::vector<set> sets(1);
std::vector<unsigned> visited(1); /* by set: the last search that came to it */
unsigned searches;
std::unordered_map<const void *, flag> flags;
uint64_t writes;
bool is_full;

unsigned new_set(unsigned left, unsigned right, const moment &fence) {
    if (sets.size() == MOST_SETS) {
        is_full = true;
        return 0;
    }
    sets.push_back({left, right, fence});
    visited.push_back(0);
    return (unsigned)sets.size() - 1;
}

unsigned joined(unsigned a, unsigned b) {
    if (a == b || b == 0 || sets[a].left == b || sets[a].right == b) return a;
    return a == 0 ? b : new_set(a, b, {});
}

bool comes_before(const moment &m, const moment &fence) {
    if (m.block != fence.block || m.epoch != fence.epoch) return m.block == fence.block && m.epoch < fence.epoch;
    if (m.thread == fence.thread) return m.fences < fence.fences;
    return m.thread / warpSize == fence.thread / warpSize && m.warp_epoch < fence.warp_epoch;
}

bool contains(unsigned first, const moment &m) {
    static std::vector<unsigned> left;
    searches++;
    for (left.assign(1, first); !left.empty();) {
        const unsigned i = left.back();
        left.pop_back();
        if (i == 0 || visited[i] == searches) continue;
        visited[i] = searches;
        if (comes_before(m, sets[i].fence)) return true;
        left.push_back(sets[i].left);
        left.push_back(sets[i].right);
    }
    return false;
}

} // namespace

void begin_ordering() {
    sets.resize(1);
    visited.assign(1, 0);
    searches = 0;
    flags.clear();
    is_full = false;
}

void fence() {
    if (!in_kernel || !order_is_checked) return;
    ordering &mine = ordering_of(this_thread());
    mine.knows = joined(mine.knows, mine.seen);
    mine.seen = 0;
    mine.fences++;
    mine.released = new_set(mine.knows, 0, this_moment(0));
}

void add_ordering(ordering *to, const ordering &from) {
    to->knows = joined(to->knows, from.knows);
    to->released = joined(to->released, from.released);
    to->seen = joined(to->seen, from.seen);
}

bool knows_of(const moment &before) { return is_full || contains(ordering_of(this_thread()).knows, before); }

moment note_flag_read(const void *p) {
    ordering &mine = ordering_of(this_thread());
    const auto found = flags.find(p);
    if (found == flags.end()) return {};
    const flag &f = found->second;
    mine.seen = joined(mine.seen, f.released);
    const bool is_earlier =
        f.writer.block == mine.flag_block && f.writer.thread == mine.flag_thread && f.serial < mine.flag_serial;
    if (is_earlier) return f.is_update ? moment{} : f.writer;
    mine.flag_block = f.writer.block;
    mine.flag_thread = f.writer.thread;
    mine.flag_serial = f.serial;
    return {};
}

void note_flag_write(const void *p, bool is_update, const moment &now) {
    const ordering &mine = ordering_of(this_thread());
    flag &f = flags[p];
    f = {is_update ? joined(f.released, mine.released) : mine.released, now, is_update, ++writes};
}

} // namespace emulated
