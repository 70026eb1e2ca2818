/* Checks every memory access of a kernel that was compiled with -fsanitize=thread,alignment,bounds. The compiler then
 * calls a function before each access; these functions are at the end of this file. The checks find
 *   - two accesses to a word of shared memory by different threads, at least one of them a write, that no barrier
 *     separates (__syncthreads, or within a warp __syncwarp), unless both are atomic;
 *   - a read of shared memory that no thread of the block has written, if unwritten_is_a_fault is set;
 *   - an access to shared memory before an asynchronous copy to it has been awaited;
 *   - a bulk copy of shared memory that a thread has written, without a fence.proxy.async between;
 *   - races in the device's memory, and reads of it that nothing has written (global.cc);
 *   - an access outside an allocation or outside the shared memory that a launch requested, or to host memory;
 *   - an index outside an array of known size, for example in shared memory;
 *   - an access at an address that is not a multiple of what its type requires.
 * The first six are recorded. The others end the launch, as on a device. */
#include "executor.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

extern "C" char __start_weft_variables[] __attribute__((weak, visibility("hidden")));
extern "C" char __stop_weft_variables[] __attribute__((weak, visibility("hidden")));

namespace emulated {

bool unwritten_is_a_fault;

namespace {

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
    unsigned block;   /* the last one that wrote it; 0: none */
    unsigned awaited; /* the last one with a copy of the word that has not been awaited; 0: none */
    unsigned started; /* site of this copy */
    bool is_leaving;  /* the copy only reads the word */
    bool is_own;      /* `writer` is a thread, not a copy that has arrived */
    unsigned fences;  /* proxy_fences of the writer, before the write */
    unsigned epoch;   /* epoch of the accesses below */
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

void tell_of_race(const moment &before, const char *did, const moment &now, const char *does) {
    if (is_told()) return;
    fault(
        "a race in shared memory, block %u: thread %u %s%s a word that thread %u %s%s, and no barrier stands between",
        here.block.x, now.thread, does, where(now.site).c_str(), before.thread, did, where(before.site).c_str());
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
void note_written_by(const void *p, size_t bytes, unsigned block) {
    for (size_t i = 0; i < bytes; i++) (&word_at(p))[i].block = block;
}

void check_read(word *w, const moment &now) {
    if (unwritten_is_a_fault && w->block != now.block) {
        if (!is_told())
            fault("block %u: thread %u reads%s shared memory that no thread of the block has written", here.block.x,
                  now.thread, where(now.site).c_str());
        w->block = now.block; /* reported once */
    }
    note_reader(w, now);
}

void check_write(word *w, access_kind kind, const moment &now) {
    for (int i = 0; i < 3; i++)
        if (w->has[i] && unordered(w->reader[i], now)) {
            tell_of_race(w->reader[i], "read", now, "writes");
            break;
        }
    w->was_written = w->is_own = true;
    w->atomically = kind == ATOMIC;
    w->writer = now;
    w->fences = proxy_fences(now.thread);
}

void tell_of_copy(const word &w, const access &a, const moment &now) {
    if (!is_told())
        fault("block %u: thread %u %s%s shared memory before the copy %s it%s was awaited", here.block.x, now.thread,
              a.kind == READ ? "reads" : "writes", where(now.site).c_str(), w.is_leaving ? "from" : "to",
              where(w.started).c_str());
}

void check_word(const void *p, size_t bytes, const access &a) {
    const moment now = this_moment(a.site);
    word &w = word_at(p);
    if (w.epoch != now.epoch) {
        w.was_written = w.has[0] = w.has[1] = w.has[2] = false;
        w.epoch = now.epoch;
    }
    if (w.was_written && unordered(w.writer, now) && !(w.atomically && a.kind == ATOMIC))
        tell_of_race(w.writer, "wrote", now, a.kind == READ ? "reads" : "writes");
    else if (w.awaited == now.block && (a.kind != READ || !w.is_leaving))
        tell_of_copy(w, a, now);
    if (a.kind == READ) return check_read(&w, now);
    check_write(&w, a.kind, now);
    note_written_by(p, bytes, now.block);
}

/* Notes which block has a copy to these bytes that has not been awaited. */
void note_copy(const access &copy, unsigned block) {
    for (size_t i = 0; i < copy.bytes; i++) {
        word &w = word_at(copy.at + i);
        w.awaited = block;
        w.started = copy.site;
        w.is_leaving = copy.kind == READ;
        w.is_own = w.is_own && w.is_leaving;
    }
}

/* Words of 4 bytes are checked one by one, whatever the width of the access, and narrower ones individually. */
void check_shared(const access &a) {
    const size_t WORD = 4, step = a.bytes % WORD == 0 && (uintptr_t)a.at % WORD == 0 ? WORD : 1;
    for (size_t i = 0; i < a.bytes; i += step) check_word(a.at + i, step, a);
}

/* ------------------------------------------------------------------------------ accesses */

/* Ends the launch if a thread reads the same two addresses again and again and writes nothing. It would wait forever,
 * because the threads that could write there run only when it is suspended. */
void check_progress(const access &a) {
    enum { MOST_LOOKS = 1000000 };
    static const void *last[2];
    static unsigned looks;
    const bool again = a.at == last[0] || a.at == last[1];
    looks = again && a.kind != WRITE ? looks + 1 : 0;
    if (a.at != last[0]) last[1] = last[0];
    last[0] = a.at;
    if (looks < MOST_LOOKS) return;
    looks = 0;
    abandon(a.site, cudaErrorLaunchTimeout, "block %u: thread %u waits for a signal that no other thread sends",
            here.block.x, this_thread());
}

void touch_shared(const access &a) {
    if (in_dynamic_shared(a.at) && (size_t)(a.at - (const char *)dynamic_shared()) + a.bytes > dynamic_shared_bytes())
        abandon(a.site, cudaErrorIllegalAddress,
                "block %u: thread %u is at byte %zu of the dynamic shared memory, for which the launch asked %zu",
                here.block.x, this_thread(), (size_t)(a.at - (const char *)dynamic_shared()), dynamic_shared_bytes());
    check_progress(a);
    now_counted.shared++;
    note_request(a, (uintptr_t)a.at, true);
    check_shared(a);
}

void touch_device(const block &b, const access &a) {
    check_progress(a);
    if (a.at < b.first || a.at + a.bytes > b.first + b.bytes)
        abandon(a.site, cudaErrorIllegalAddress, "block %u: thread %u %s byte %td of an allocation of %zu",
                here.block.x, this_thread(), a.kind == READ ? "reads" : "writes", a.at - b.first, b.bytes);
    if (a.kind != WRITE) now_counted.read += a.bytes;
    if (a.kind != READ) now_counted.written += a.bytes;
    note_request(a, (size_t)(a.at - b.first), false);
    check_global(b, a);
}

} // namespace

bool is_shared(const void *p) {
    const image &own = own_image();
    return in_dynamic_shared(p) ||
           (within(p, own.variables, own.variables_end) && !within(p, __start_weft_variables, __stop_weft_variables));
}

void note_on_its_way(const access &copy) { note_copy(copy, this_moment(0).block); }

void note_arrived(const access &copy) {
    note_copy(copy, 0);
    check_shared(copy);
}

void note_ordered_arrival(const access &copy) {
    note_copy(copy, 0);
    for (size_t i = 0; copy.kind == WRITE && i < copy.bytes; i++) word_at(copy.at + i).was_written = false;
}

void check_fenced(const access &copy) {
    const moment now = this_moment(copy.site);
    for (size_t i = 0; i < copy.bytes; i++) {
        const word &w = word_at(copy.at + i);
        if (!w.is_own || w.writer.block != now.block || is_fenced(w.writer, w.fences)) continue;
        if (!is_told())
            fault("block %u: thread %u starts%s a bulk copy of shared memory that thread %u wrote%s, and no "
                  "fence.proxy.async stands between",
                  here.block.x, now.thread, where(now.site).c_str(), w.writer.thread, where(w.writer.site).c_str());
        return;
    }
}

void check_access(const access &a) {
    if (last_found && last_found->holds(a.at)) return touch_device(*last_found, a);
    const image &own = own_image();
    if (is_shared(a.at)) return touch_shared(a);
    if (within(a.at, own.first, own.end)) return; /* constants, and variables of a file */
    const block *const b = block_of(a.at);
    if (!b)
        abandon(a.site, cudaErrorIllegalAddress,
                "block %u: thread %u follows a pointer that is no memory of the device", here.block.x, this_thread());
    touch_device(*b, a);
}

namespace {

/* `from` is the address in the code of the access. */
void touch(const void *p, size_t bytes, access_kind kind, const void *from, bool is_strong = false) {
    if (in_kernel) {
        if (within(p, &here, &here + 1) || is_private(p)) return;
        if (kind == ATOMIC) now_counted.atomics++;
        return check_access({(const char *)p, bytes, kind, is_strong, site_of(from)});
    }
    const block *const b = block_of(p);
    if (b && b->type == cudaMemoryTypeDevice && !is_told())
        fault("the host follows a pointer into the device's memory%s", where(site_of(from)).c_str());
}

} // namespace

void touch_atomically(const void *p, size_t bytes, const void *from) { touch(p, bytes, ATOMIC, from); }
void touch_copy(const void *to, const void *from, size_t bytes) {
    const void *const at = __builtin_return_address(0);
    if (from) touch(from, bytes, READ, at);
    touch(to, bytes, WRITE, at);
}

void touch_relaxed(const void *p, size_t bytes, bool writes, const void *from) {
    touch(p, bytes, writes ? WRITE : READ, from, true);
}

} // namespace emulated

/* ----------------------------------------------------------------- what the compiler calls */

#define TOUCH(p, bytes, kind) emulated::touch(p, bytes, emulated::kind, __builtin_return_address(0))
#define TOUCH_VOLATILE(p, bytes, kind) emulated::touch(p, bytes, emulated::kind, __builtin_return_address(0), true)
#define ACCESSES(bytes)                                                                      \
    extern "C" void __tsan_read##bytes(void *p) { TOUCH(p, bytes, READ); }                   \
    extern "C" void __tsan_write##bytes(void *p) { TOUCH(p, bytes, WRITE); }                 \
    extern "C" void __tsan_unaligned_read##bytes(void *p) { TOUCH(p, bytes, READ); }         \
    extern "C" void __tsan_unaligned_write##bytes(void *p) { TOUCH(p, bytes, WRITE); }       \
    extern "C" void __tsan_volatile_read##bytes(void *p) { TOUCH_VOLATILE(p, bytes, READ); } \
    extern "C" void __tsan_volatile_write##bytes(void *p) { TOUCH_VOLATILE(p, bytes, WRITE); }
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
extern "C" void __tsan_read_range(void *p, size_t bytes) { TOUCH(p, bytes, READ); }
extern "C" void __tsan_write_range(void *p, size_t bytes) { TOUCH(p, bytes, WRITE); }
extern "C" void __tsan_init() {}
extern "C" void __tsan_func_entry(void *) {}
extern "C" void __tsan_func_exit() {}
extern "C" void __tsan_vptr_update(void **, void *) {}
extern "C" void __tsan_vptr_read(void **) {}

/* Argument of the compiler for an access to an address that its type does not allow. */
struct misalignment {
    struct {
        const char *file;
        uint32_t line, column;
    } source;
    const void *type;
    unsigned char alignment_log2, access;
};
extern "C" void __ubsan_handle_type_mismatch_v1(const misalignment *found, uintptr_t p) {
    if (!emulated::in_kernel || emulated::is_private((const void *)p)) return;
    const unsigned alignment = 1u << found->alignment_log2;
    emulated::abandon(emulated::site_of(__builtin_return_address(0)), cudaErrorMisalignedAddress,
                      "block %u: thread %u uses an address that is %u bytes after a multiple of %u, which its type "
                      "requires,",
                      emulated::here.block.x, emulated::this_thread(), (unsigned)(p % alignment), alignment);
}

/* Arguments of the compiler for an index outside an array: the type of the array, and that of the index. */
struct type_name {
    uint16_t kind, info;
    char text[1]; /* in quotation marks */
};
struct outside {
    struct {
        const char *file;
        uint32_t line, column;
    } source;
    const type_name *array, *index;
};
extern "C" void __ubsan_handle_out_of_bounds(const outside *found, uintptr_t index) {
    if (!emulated::in_kernel) return;
    const bool is_signed = found->index->info & 1, is_int = found->index->info >> 1 == 5; /* log2 of the bits */
    const long long i = is_signed && is_int ? (int)index : (long long)index;
    emulated::abandon(emulated::site_of(__builtin_return_address(0)), cudaErrorIllegalAddress,
                      "block %u: thread %u uses the index %lld of an array of the type %s", emulated::here.block.x,
                      emulated::this_thread(), i, found->array->text);
}
