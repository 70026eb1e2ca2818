/* The executor runs CUDA kernels on a CPU, one thread after another. This header declares what its files share, and
 * what a program uses in addition to CUDA's functions: the order of the threads, and the findings of a run. */
#ifndef WEFT_EXECUTOR_EXECUTOR_H
#define WEFT_EXECUTOR_EXECUTOR_H

#include "cuda_runtime.h"

#include <string>
#include <vector>

namespace emulated {

/* ------------------------------------------------------------------------ for a program */

/* Order of the blocks, and of the threads in each. The results must be the same for every order. If the environment
 * variable WEFT_EMULATED_SEED is a number, it selects RANDOM with that seed. */
enum schedule { FORWARD, BACKWARD, RANDOM };
void set_schedule(schedule order, unsigned seed);

/* False by default: kernels may read values that they then discard. */
extern bool unwritten_is_a_fault;
/* False by default: races in the device's memory, and threads of a block at different barriers, are faults. */
extern bool order_is_checked;
/* Lets memory of the device count as unwritten, whatever its values. */
void note_unwritten(const void *p, size_t bytes);

/* Counts sectors and wavefronts; false by default. */
extern bool requests_are_counted;

/* Requests of warps (requests.cc). Of global memory: the sectors of 32 bytes that they move, and the least number
 * that contains as many bytes. Of shared memory: their wavefronts, and those without conflicts of banks. */
struct request_count {
    uint64_t requests, moved, least;
};

/* A request, kept for a drawing: the first one of each site. */
struct kept_request {
    unsigned site;
    bool is_load, is_shared;
    unsigned bytes, lanes, at[32]; /* offset of each lane */
    request_count count;
};
/* Keeps requests from now on, and returns those that have been kept. */
std::vector<kept_request> keep_requests();

/* Counts for the launches since the last call. Bytes and accesses are counted in watched code only (watch.cc). */
struct account {
    size_t faults;               /* races, reads of unwritten memory, and errors that ended a launch */
    char first[400];             /* a sentence on the first fault; "" if there is none */
    uint64_t read, written;      /* bytes of the device's memory */
    uint64_t shared;             /* accesses to shared memory */
    uint64_t atomics, barriers;  /* of blocks */
    request_count loads, stores; /* of global memory */
    request_count in_shared;
};
account take_account();

/* -------------------------------------------------------------------- between the parts */

extern account now_counted;

/* Returns the number of a site: the address that an access, a barrier or a warp function returns to. 0: unknown. */
unsigned site_of(const void *address);
/* Return the source line of a site, as FILE:LINE and as " at FILE:LINE", or "" if it is unknown. lines_of also has
 * the lines of the calls that were inlined. */
std::string line_of(unsigned site);
std::string where(unsigned site);
const std::string &lines_of(unsigned site);

/* Records a fault. */
__attribute__((format(printf, 1, 2))) void fault(const char *format, ...);
/* Returns true, and counts a fault, if an earlier fault has been recorded: then no sentence is needed. */
bool is_told();
/* Records a fault of the running thread at a site and ends the launch, with an error for cudaGetLastError. */
[[noreturn]] __attribute__((format(printf, 3, 4))) void abandon(unsigned site, cudaError_t error, const char *format,
                                                                ...);
void set_error(cudaError_t error);
/* Sets the last error and returns it. */
cudaError_t failed(cudaError_t error);

/* An access or a fence: its thread, and when it was. The first block of all has number 1. If two accesses of a block
 * have equal epochs, no barrier of the block separates them. If two accesses of a warp also have equal warp epochs,
 * no barrier of the warp does. */
struct moment {
    unsigned block, epoch, warp_epoch;
    unsigned fences; /* that the thread had executed */
    unsigned site;
    uint16_t thread;
    uint8_t bytes; /* of the word: one bit each */
    bool strong;   /* atomic or volatile */
};
moment this_moment(unsigned site);
unsigned this_thread();
/* Returns true if no barrier separates two accesses of a block in one epoch. */
static inline bool unordered(const moment &before, const moment &now) {
    return before.thread != now.thread &&
           (before.thread / warpSize != now.thread / warpSize || before.warp_epoch >= now.warp_epoch);
}
/* Returns blockIdx.x of a block of this launch by its number. */
unsigned block_index(unsigned block);
unsigned first_block_of_launch();

extern bool in_kernel;

/* Returns true if p is on the stack of a thread or in its arguments, which no other thread can access. */
bool is_private(const void *p);
bool in_dynamic_shared(const void *p);
size_t dynamic_shared_bytes();

/* A block of the emulated GPU's memory: [first, first + bytes), in pages that contain nothing else. The last two are
 * records of global.cc, which are made when they are needed. */
struct global_word;
struct block {
    const char *first;
    size_t bytes;
    cudaMemoryType type;
    char *pages;
    size_t pages_bytes;
    mutable global_word *words;
    mutable unsigned char *written;
    bool holds(const void *p) const { return (const char *)p >= pages && (const char *)p < pages + pages_bytes; }
};
extern const block *last_found; /* cache: most accesses are to the same block as the one before */
/* Returns the block whose pages contain p, or NULL. */
const block *block_of(const void *p);
bool on_device(const void *p);

/* An access by a kernel. `is_strong`: volatile. */
enum access_kind { READ, WRITE, ATOMIC };
struct access {
    const char *at;
    size_t bytes;
    access_kind kind;
    bool is_strong;
    unsigned site;
};

/* watch.cc: checks an access to shared memory or to the device's memory. */
void check_access(const access &a);
/* Returns true if p is in static or dynamic shared memory. */
bool is_shared(const void *p);
/* Notes the start and the end of an asynchronous copy to shared memory (WRITE) or from it (READ). Between them,
 * writes of the words are faults, and so are reads if the copy is to shared memory. */
void note_on_its_way(const access &copy);
void note_arrived(const access &copy);
/* Notes the end of a copy that comes before all later accesses of the block. */
void note_ordered_arrival(const access &copy);

/* Reports words of shared memory that a thread has written, if no fence.proxy.async comes between the write and the
 * bulk copy that reads them. */
void check_fenced(const access &copy);

/* fibres.cc: for threads: waits until the phase of an mbarrier with this parity is complete. */
void wait_for_copies(const void *mbarrier, unsigned parity, unsigned site);
/* bulk.cc: makes the copies of an mbarrier. Returns true if the phase is complete. */
bool copies_have_arrived(const void *mbarrier, unsigned parity);
/* Returns why the phase of an mbarrier does not end. */
std::string what_is_missing(const void *mbarrier);

/* A contiguous part of a bulk copy. `from` is NULL if zeros are stored. */
struct copy_part {
    char *to;
    const char *from;
    size_t bytes;
};
/* Start a copy that consists of parts: to shared memory, counted on an mbarrier, or from it. `site` is that of the
 * access to global memory. */
void queue_load(unsigned long long *b, const access &target, const std::vector<copy_part> &parts, unsigned site);
void queue_store(const access &source, const std::vector<copy_part> &parts, unsigned site);

/* proxies.cc: returns the number of fences that a thread of this block has executed between its own accesses to
 * shared memory and bulk copies. */
unsigned proxy_fences(unsigned thread);
/* Returns true if such a fence, by any thread, comes after a write and before the present moment. `fences` is the
 * number of the writer's fences before the write. */
bool is_fenced(const moment &write, unsigned fences);

/* requests.cc: notes an access at an offset of its allocation or of shared memory, and counts those of a block. */
void note_request(const access &a, size_t offset, bool is_shared);
void finish_requests();

/* global.cc: checks an access to the device's memory. */
void check_global(const block &b, const access &a);
void note_written(const void *p, size_t bytes);
void forget(const block &b);

/* order.cc: the accesses that a thread knows to come before its own, as numbers of sets. */
struct ordering {
    unsigned knows;    /* before its last fence, or passed on by a barrier */
    unsigned released; /* before its last fence; passed on by the flags that it writes */
    unsigned seen;     /* passed on by flags that it has read since its last fence */
    unsigned fences;
    unsigned flag_block, flag_thread; /* writer of the last flag that it has read */
    uint64_t flag_serial;
};
ordering &ordering_of(unsigned thread);
void begin_ordering();
void add_ordering(ordering *to, const ordering &from);
bool knows_of(const moment &before);
/* Returns the write of the word at p, if the thread has read a flag that its writer has written later; otherwise a
 * moment of block 0. */
moment note_flag_read(const void *p);
void note_flag_write(const void *p, bool is_update, const moment &now);

} // namespace emulated

#endif
