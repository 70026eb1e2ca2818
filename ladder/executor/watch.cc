/* Checks every memory access of a kernel that was compiled with -fsanitize=thread. The compiler then calls a function
 * before each access; these functions are at the end of this file. The checks find
 *   - two accesses to a word of shared memory by different threads, at least one of them a write, that no barrier
 *     separates (__syncthreads, or within a warp __syncwarp), unless both are atomic;
 *   - a read of shared memory that no thread of the block has written, if unwritten_is_a_fault is set;
 *   - an access outside an allocation or outside the shared memory that a launch requested, or to host memory.
 * The first two are recorded. The last ends the launch, as on a device. */
#include "executor.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

extern "C" char __start_weft_variables[] __attribute__((weak, visibility("hidden")));
extern "C" char __stop_weft_variables[] __attribute__((weak, visibility("hidden")));

namespace emulated {

bool unwritten_is_a_fault;

namespace {

enum access { READ, WRITE, ATOMIC };

/* Variables of this program, including static shared memory, and the rest of its image. */
struct image {
    const char *first, *end, *variables, *variables_end;
};

int note_image(dl_phdr_info *info, size_t, void *to) {
    image found = {};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) &segment = info->dlpi_phdr[i];
        if (segment.p_type != PT_LOAD) continue;
        const char *const first = (const char *)(info->dlpi_addr + segment.p_vaddr), *const end =
                                                                                         first + segment.p_memsz;
        if (!found.first) found.first = first;
        found.end = end;
        if (!(segment.p_flags & PF_W)) continue;
        found.variables = first;
        found.variables_end = end;
    }
    if ((const char *)&here < found.variables || (const char *)&here >= found.variables_end) return 0;
    *(image *)to = found;
    return 1;
}

const image &own_image() {
    static const image own = [] {
        image found = {};
        dl_iterate_phdr(note_image, &found);
        return found;
    }();
    return own;
}

bool within(const void *p, const void *first, const void *end) {
    return (const char *)p >= (const char *)first && (const char *)p < (const char *)end;
}

/* ------------------------------------------------------------------------------- races */

/* Threads that have accessed a word of shared memory since the last barrier of the block. Three readers are enough:
 * the last one, the last other one of its warp, and the last one of another warp. If any thread races with a later
 * writer, the writer finds one of these. */
struct word {
    unsigned block; /* the last one that wrote it; 0: none */
    unsigned epoch; /* epoch of the accesses below */
    bool was_written, atomically, has[3];
    moment writer, reader[3];
};

/* Returns the record of the word at p. There is one for every byte of this program's variables, in memory that is
 * allocated when it is used. */
word &word_at(const void *p) {
    static word *const words = [] {
        const size_t bytes = (size_t)(own_image().variables_end - own_image().variables) * sizeof(word);
        void *const memory =
            mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) stop("there is no memory to watch shared memory with");
        return (word *)memory;
    }();
    return words[(const char *)p - own_image().variables];
}

bool unordered(const moment &before, const moment &now) {
    return before.thread != now.thread &&
           (before.thread / warpSize != now.thread / warpSize || before.warp_epoch >= now.warp_epoch);
}

void tell_of_race(const moment &before, const char *did, const moment &now, const char *does) {
    fault("a race in shared memory, block %u: thread %u %s a word that thread %u %s, and no barrier stands between",
          here.block.x, now.thread, does, before.thread, did);
}

void note_reader(word *w, const moment &now) {
    moment *const last = w->reader;
    if (w->has[0] && last[0].thread != now.thread) {
        const int to = last[0].thread / warpSize == now.thread / warpSize ? 1 : 2;
        if (to == 2) w->has[1] = false;
        last[to] = last[0];
        w->has[to] = true;
    }
    last[0] = now;
    w->has[0] = true;
}

/* Checks an access to `bytes` bytes at p, all read or all written. */
void note_written(const void *p, size_t bytes, unsigned block) {
    for (size_t i = 0; i < bytes; i++) (&word_at(p))[i].block = block;
}

void check_read(word *w, const moment &now) {
    if (unwritten_is_a_fault && w->block != now.block) {
        fault("block %u: thread %u reads shared memory that no thread of the block has written", here.block.x,
              now.thread);
        w->block = now.block; /* reported once */
    }
    note_reader(w, now);
}

void check_write(word *w, access kind, const moment &now) {
    for (int i = 0; i < 3; i++)
        if (w->has[i] && unordered(w->reader[i], now)) {
            tell_of_race(w->reader[i], "read", now, "writes");
            break;
        }
    w->was_written = true;
    w->atomically = kind == ATOMIC;
    w->writer = now;
}

void check_word(const void *p, size_t bytes, access kind) {
    const moment now = this_moment();
    word &w = word_at(p);
    if (w.epoch != now.epoch) {
        w.was_written = w.has[0] = w.has[1] = w.has[2] = false;
        w.epoch = now.epoch;
    }
    if (w.was_written && unordered(w.writer, now) && !(w.atomically && kind == ATOMIC))
        tell_of_race(w.writer, "wrote", now, kind == READ ? "reads" : "writes");
    if (kind == READ) return check_read(&w, now);
    check_write(&w, kind, now);
    note_written(p, bytes, now.block);
}

/* Words of 4 bytes are checked one by one, whatever the width of the access, and narrower ones individually. */
void check_shared(const void *p, size_t bytes, access kind) {
    const size_t WORD = 4, step = bytes % WORD == 0 && (uintptr_t)p % WORD == 0 ? WORD : 1;
    for (size_t i = 0; i < bytes; i += step) check_word((const char *)p + i, step, kind);
}

/* ------------------------------------------------------------------------------ accesses */

/* Ends the launch if a thread reads the same two addresses again and again and writes nothing. It would wait forever,
 * because the threads that could write there run only when it is suspended. */
void check_progress(const void *p, access kind) {
    enum { MOST_LOOKS = 1000000 };
    static const void *last[2];
    static unsigned looks;
    const bool again = p == last[0] || p == last[1];
    looks = again && kind != WRITE ? looks + 1 : 0;
    if (p != last[0]) last[1] = last[0];
    last[0] = p;
    if (looks < MOST_LOOKS) return;
    looks = 0;
    abandon(cudaErrorLaunchTimeout, "block %u: thread %u waits for a signal that no other thread sends", here.block.x,
            this_moment().thread);
}

void touch_shared(const void *p, size_t bytes, access kind) {
    if (in_dynamic_shared(p) &&
        (size_t)((const char *)p - (const char *)dynamic_shared()) + bytes > dynamic_shared_bytes())
        abandon(cudaErrorIllegalAddress,
                "block %u: thread %u is at byte %zu of the dynamic shared memory, for which the launch asked %zu",
                here.block.x, this_moment().thread, (size_t)((const char *)p - (const char *)dynamic_shared()),
                dynamic_shared_bytes());
    check_progress(p, kind);
    now_counted.shared++;
    check_shared(p, bytes, kind);
}

void touch_global(const block &b, const void *p, size_t bytes, access kind) {
    const char *const at = (const char *)p;
    if (at < b.first || at + bytes > b.first + b.bytes)
        abandon(cudaErrorIllegalAddress, "block %u: thread %u %s byte %td of an allocation of %zu", here.block.x,
                this_moment().thread, kind == READ ? "reads" : "writes", at - b.first, b.bytes);
    if (kind != WRITE) now_counted.read += bytes;
    if (kind != READ) now_counted.written += bytes;
}

void touch_device(const block &b, const void *p, size_t bytes, access kind) {
    check_progress(p, kind);
    touch_global(b, p, bytes, kind);
}

void touch_in_kernel(const void *p, size_t bytes, access kind) {
    if (last_found && last_found->holds(p)) return touch_device(*last_found, p, bytes, kind);
    if (is_private(p)) return;
    const image &own = own_image();
    if (within(p, __start_weft_variables, __stop_weft_variables) || within(p, &here, &here + 1)) return;
    if (in_dynamic_shared(p) || within(p, own.variables, own.variables_end)) return touch_shared(p, bytes, kind);
    if (within(p, own.first, own.end)) return; /* constants */
    const block *const b = block_of(p);
    if (!b)
        abandon(cudaErrorIllegalAddress, "block %u: thread %u follows a pointer that is no memory of the device",
                here.block.x, this_moment().thread);
    touch_device(*b, p, bytes, kind);
}

void touch(const void *p, size_t bytes, access kind) {
    if (in_kernel) {
        if (kind == ATOMIC) now_counted.atomics++;
        return touch_in_kernel(p, bytes, kind);
    }
    const block *const b = block_of(p);
    if (b && b->type == cudaMemoryTypeDevice) fault("the host follows a pointer into the device's memory");
}

} // namespace

void touch_atomically(const void *p, size_t bytes) { touch(p, bytes, ATOMIC); }
void touch_copy(const void *to, const void *from, size_t bytes) {
    if (from) touch(from, bytes, READ);
    touch(to, bytes, WRITE);
}

} // namespace emulated

/* ----------------------------------------------------------------- what the compiler calls */

using emulated::touch;
#define ACCESSES(bytes)                                                                        \
    extern "C" void __tsan_read##bytes(void *p) { touch(p, bytes, emulated::READ); }           \
    extern "C" void __tsan_write##bytes(void *p) { touch(p, bytes, emulated::WRITE); }         \
    extern "C" void __tsan_unaligned_read##bytes(void *p) { touch(p, bytes, emulated::READ); } \
    extern "C" void __tsan_unaligned_write##bytes(void *p) { touch(p, bytes, emulated::WRITE); }
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
extern "C" void __tsan_read_range(void *p, size_t bytes) { touch(p, bytes, emulated::READ); }
extern "C" void __tsan_write_range(void *p, size_t bytes) { touch(p, bytes, emulated::WRITE); }
extern "C" void __tsan_init() {}
extern "C" void __tsan_func_entry(void *) {}
extern "C" void __tsan_func_exit() {}
extern "C" void __tsan_vptr_update(void **, void *) {}
extern "C" void __tsan_vptr_read(void **) {}
