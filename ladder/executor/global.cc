/* Checks of the device's memory: races between threads of a launch, and reads of memory that nothing has written. */
#include "executor.h"

#include <sys/mman.h>

namespace emulated {

bool order_is_checked;

/* Accesses to a word since the last launch, as far as they are needed to find a race with a later one: the last
 * write, the last read, and before it the last ones by another thread of the same warp, by another warp of the block,
 * and by another block. */
struct global_word {
    moment writer, reader[4];
};

namespace {

const size_t WORD = 4;
const size_t CHECKED_BYTES = (size_t)64 << 20; /* larger arrays are not checked for races: the records need memory */

void *zeros(size_t bytes) {
    void *const p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) stop("there is no memory to watch the device's memory with");
    return p;
}

size_t words_of(const block &b) { return (b.bytes + WORD - 1) / WORD; }

/* ------------------------------------------------------------------------------- unwritten */

/* One bit per byte: 1 if it has been written. */
unsigned char *marks_of(const block &b) {
    if (!b.written) b.written = (unsigned char *)zeros(b.bytes / 8 + 1);
    return b.written;
}

/* Sets the marks of `bytes` bytes at p. Returns true if they were all set. */
bool set_marks(const block &b, const void *p, size_t bytes, bool to) {
    unsigned char *const marks = marks_of(b);
    bool all = true;
    for (size_t i = (size_t)((const char *)p - b.first), end = i + bytes; i < end; i++) {
        if (i % 8 == 0 && end - i >= 8) {
            all = all && marks[i / 8] == 0xff;
            marks[i / 8] = to ? 0xff : 0;
            i += 7;
            continue;
        }
        const unsigned char bit = (unsigned char)(1 << i % 8);
        all = all && (marks[i / 8] & bit);
        marks[i / 8] = (unsigned char)(to ? marks[i / 8] | bit : marks[i / 8] & ~bit);
    }
    return all;
}

void set_marks_at(const void *p, size_t bytes, bool to) {
    const block *const b = unwritten_is_a_fault && bytes ? block_of(p) : nullptr;
    if (b && (const char *)p >= b->first && (const char *)p + bytes <= b->first + b->bytes)
        (void)set_marks(*b, p, bytes, to);
}

/* --------------------------------------------------------------------------------- races */

/* Returns true if two accesses are a race: to the same bytes, not both atomic or volatile, and unordered. */
bool races(const moment &before, const moment &now) {
    if (before.block < first_block_of_launch() || !(before.bytes & now.bytes) || (before.strong && now.strong))
        return false;
    if (before.block == now.block && (before.epoch != now.epoch || !unordered(before, now))) return false;
    return !knows_of(before);
}

void tell(const moment &before, const char *did, const moment &now, const char *does) {
    if (is_told()) return;
    const bool same = before.block == now.block;
    fault("a race in global memory: block %u, thread %u %s%s a word that block %u, thread %u %s%s, and %s",
          here.block.x, now.thread, does, where(now.site).c_str(), block_index(before.block), before.thread, did,
          where(before.site).c_str(),
          same ? "no barrier stands between" : "no __threadfence with a flag puts them in order");
}

void note_reader(global_word *w, const moment &now) {
    moment *const last = w->reader;
    if (last[0].block && (last[0].thread != now.thread || last[0].block != now.block)) {
        const int to = last[0].block != now.block ? 3 : last[0].thread / warpSize == now.thread / warpSize ? 1 : 2;
        last[to] = last[0];
        for (int i = 1; i < to; i++) last[i].block = 0;
    }
    last[0] = now;
}

void check_word(global_word *w, bool writes, const moment &now) {
    if (w->writer.block && races(w->writer, now)) tell(w->writer, "wrote", now, writes ? "writes" : "reads");
    if (!writes) return note_reader(w, now);
    for (moment &reader : w->reader) {
        if (reader.block && races(reader, now)) {
            tell(reader, "read", now, "writes");
            break;
        }
    }
    for (moment &reader : w->reader)
        if (!(reader.bytes & ~now.bytes)) reader.block = 0;
    w->writer = now;
}

void check_words(const block &b, const access &a, moment now) {
    if (!b.words) b.words = (global_word *)zeros(words_of(b) * sizeof(global_word));
    const size_t first = (size_t)(a.at - b.first), end = first + a.bytes;
    for (size_t word = first / WORD; word * WORD < end; word++) {
        now.bytes = 0;
        for (size_t i = 0; i < WORD; i++)
            if (word * WORD + i >= first && word * WORD + i < end) now.bytes |= (uint8_t)(1 << i);
        check_word(&b.words[word], a.kind != READ, now);
    }
}

/* The thread has read a flag that this word's writer has written later, so it relies on the order of the two writes.
 */
void check_flags(const access &a, const moment &now) {
    if (a.kind == WRITE) return;
    const moment before = note_flag_read(a.at);
    if (before.block == 0 || before.block == now.block || knows_of(before) || is_told()) return;
    fault("block %u, thread %u reads%s a word that block %u, thread %u wrote%s before the flag, and no __threadfence "
          "puts them in order",
          here.block.x, now.thread, where(now.site).c_str(), block_index(before.block), before.thread,
          where(before.site).c_str());
}

} // namespace

void note_written(const void *p, size_t bytes) { set_marks_at(p, bytes, true); }
void note_unwritten(const void *p, size_t bytes) { set_marks_at(p, bytes, false); }

void check_global(const block &b, const access &a) {
    moment now = this_moment(a.site);
    now.strong = a.is_strong || a.kind == ATOMIC;
    if (unwritten_is_a_fault && b.type == cudaMemoryTypeDevice && !set_marks(b, a.at, a.bytes, true) &&
        a.kind != WRITE && !is_told())
        fault("block %u: thread %u reads%s global memory that nothing has written", here.block.x, now.thread,
              where(a.site).c_str());
    if (!order_is_checked) return;
    if (now.strong) check_flags(a, now);
    if (b.bytes <= CHECKED_BYTES) check_words(b, a, now);
    if (now.strong && a.kind != READ) note_flag_write(a.at, a.kind == ATOMIC, now);
}

void forget(const block &b) {
    if (b.words) munmap(b.words, words_of(b) * sizeof(global_word));
    if (b.written) munmap(b.written, b.bytes / 8 + 1);
}

} // namespace emulated
