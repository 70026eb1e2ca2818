/* Runs a kernel launch on a CPU. Each thread of a block is a fibre with its own stack. It runs until it waits for its
 * warp or its block, and then the next fibre runs. Blocks run one after another. The results must be the same for
 * every order of threads and blocks. */
#include "executor.h"

#include <numeric>
#include <random>
#include <set>
#include <setjmp.h>
#include <stdarg.h>
#include <stdexcept>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <vector>

namespace emulated {

indices here;
account now_counted;
bool in_kernel;

namespace {

enum { WARP = 32, MOST_THREADS = 1024, STACK_BYTES = 128 << 10, SHARED_BYTES = 227 << 10, MOST_BLOCKS_YZ = 65535 };
enum fibre_state { READY, AT_WARP, AT_BLOCK, AT_COPIES, DONE };

struct fibre {
    bool made;
    jmp_buf at; /* where it stopped */
    fibre_state state;
    warp_call call;        /* AT_WARP: the warp function that it has called */
    unsigned mask;         /* AT_WARP: the lanes that take part */
    uint64_t mine, answer; /* argument and result of the warp function, or of the barrier of the block */
    int from;
    unsigned warp_epoch;
    ordering order;
    const void *mbarrier; /* AT_COPIES */
    unsigned parity;
    unsigned site; /* AT_WARP, AT_BLOCK, AT_COPIES: of the function that it has called */
};
fibre fibres[MOST_THREADS];
char *stacks;
jmp_buf scheduler; /* where the block continues when a fibre stops */
unsigned now;      /* the running fibre */
bool abandoned;
unsigned epoch;                       /* increased by every start of a block and every barrier */
unsigned blocks_begun, blocks_before; /* at all, and before this launch */
std::vector<unsigned> indices_begun;  /* blockIdx.x of the blocks of this launch */

void (*body)(const void *);
const char *body_arguments;
size_t body_argument_bytes;

alignas(1024) char dynamic[SHARED_BYTES]; /* as on a GPU, if a kernel has no static shared memory */
size_t dynamic_bytes;

schedule order_of_threads = FORWARD;
std::mt19937 dice;

/* --------------------------------------------------------------------------------- fibres */

/* Suspends the running fibre. _setjmp and _longjmp change stacks without a system call. */
void wait_as(fibre_state state) {
    fibres[now].state = state;
    if (_setjmp(fibres[now].at) == 0) _longjmp(scheduler, 1);
}

/* A fibre runs several threads one after another, of this block and of later ones. */
void serve() {
    for (;;) {
        wait_as(DONE);
        body(body_arguments);
    }
}

dim3 unfold(unsigned i, const dim3 &size) { return dim3(i % size.x, i / size.x % size.y, i / size.x / size.y); }

void resume(unsigned i) {
    now = i;
    here.thread = unfold(i, here.block_size);
    in_kernel = true;
    if (_setjmp(scheduler) == 0) _longjmp(fibres[i].at, 1);
    in_kernel = false;
}

/* Starts fibre i on its stack. The fibre returns immediately, from serve. */
void create(unsigned i) {
    ucontext_t context;
    if (getcontext(&context) != 0) stop("cannot create a fibre");
    context.uc_stack.ss_sp = stacks + (size_t)i * STACK_BYTES;
    context.uc_stack.ss_size = STACK_BYTES;
    context.uc_link = nullptr;
    makecontext(&context, serve, 0);
    now = i;
    fibres[i].made = true;
    if (_setjmp(scheduler) == 0) setcontext(&context);
}

void create_all(unsigned threads) {
    if (!stacks) {
        void *const memory = mmap(nullptr, (size_t)MOST_THREADS * STACK_BYTES, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) stop("cannot allocate memory for the stacks of threads");
        stacks = (char *)memory;
    }
    for (unsigned i = 0; i < threads; i++)
        if (!fibres[i].made) create(i);
}

/* ---------------------------------------------------------------------------------- warps */

/* Returns true if all lanes that take part in the call of fibre `i` wait for it. `first` is the first thread of the
 * warp. */
bool all_arrived(unsigned first, unsigned end, unsigned i) {
    for (unsigned lane = 0; lane < WARP; lane++) {
        if (!(fibres[i].mask >> lane & 1)) continue;
        const unsigned other = first + lane;
        if (other >= end || fibres[other].state != AT_WARP || fibres[other].mask != fibres[i].mask ||
            fibres[other].call != fibres[i].call)
            return false;
    }
    return true;
}

uint64_t answer_for(const fibre &f, unsigned first) {
    if (f.call == WARP_SHUFFLE) return f.mask >> f.from & 1 ? fibres[first + (unsigned)f.from].mine : 0;
    uint64_t lanes = 0;
    for (unsigned lane = 0; lane < WARP; lane++) {
        if (!(f.mask >> lane & 1)) continue;
        const uint64_t mine = fibres[first + lane].mine;
        lanes |= (uint64_t)(f.call == WARP_MATCH ? mine == f.mine : mine != 0) << lane;
    }
    return lanes;
}

/* After a barrier, each of these threads knows what all of them knew. */
void pass_on_orders(const std::vector<unsigned> &threads) {
    ordering all = {};
    for (const unsigned i : threads) add_ordering(&all, fibres[i].order);
    if (!all.knows && !all.released && !all.seen) return;
    for (const unsigned i : threads) {
        fibres[i].order.knows = all.knows;
        fibres[i].order.released = all.released;
        fibres[i].order.seen = all.seen;
    }
}

void pass_on_orders(unsigned first, unsigned mask) {
    static std::vector<unsigned> threads;
    threads.clear();
    for (unsigned lane = 0; lane < WARP; lane++)
        if (mask >> lane & 1) threads.push_back(first + lane);
    pass_on_orders(threads);
}

/* Computes the results of the lanes that take part in the call of fibre `i`, and lets them continue. Only __syncwarp
 * orders their memory accesses. */
void let_go(unsigned first, unsigned i) {
    const unsigned mask = fibres[i].mask;
    unsigned latest = 0;
    for (unsigned lane = 0; lane < WARP; lane++) {
        if (!(mask >> lane & 1)) continue;
        fibre &f = fibres[first + lane];
        f.answer = answer_for(f, first);
        latest = max(latest, f.warp_epoch);
    }
    for (unsigned lane = 0; lane < WARP; lane++) {
        if (!(mask >> lane & 1)) continue;
        fibres[first + lane].state = READY;
        if (fibres[i].call == WARP_BARRIER) fibres[first + lane].warp_epoch = latest + 1;
    }
    if (fibres[i].call == WARP_BARRIER) pass_on_orders(first, mask);
}

bool release_warp(unsigned first, unsigned end) {
    bool any = false;
    for (unsigned i = first; i < end; i++) {
        if (fibres[i].state != AT_WARP || !all_arrived(first, end, i)) continue;
        let_go(first, i);
        any = true;
    }
    return any;
}

/* --------------------------------------------------------------------------------- a block */

unsigned count(unsigned threads, fibre_state state) {
    unsigned many = 0;
    for (unsigned i = 0; i < threads; i++) many += fibres[i].state == state;
    return many;
}

/* Reports threads of a block that wait at different barriers: a barrier in a branch that only some threads take. The
 * compiler can copy a barrier, so the lines are compared. */
void check_barriers(unsigned threads) {
    static std::set<std::pair<unsigned, unsigned>> equal;
    for (unsigned i = 1; i < threads; i++) {
        const unsigned first = fibres[0].site, other = fibres[i].site;
        if (first == other || equal.count({first, other})) continue;
        if (lines_of(first) == lines_of(other))
            equal.insert({first, other});
        else if (!is_told())
            fault("block %u: thread 0 waits at the barrier%s, and thread %u at another one%s", here.block.x,
                  where(first).c_str(), i, where(other).c_str());
    }
}

bool release_block(unsigned threads) {
    if (count(threads, AT_BLOCK) != threads) return false;
    uint64_t any = 0;
    for (unsigned i = 0; i < threads; i++) any |= fibres[i].mine;
    for (unsigned i = 0; i < threads; i++) {
        fibres[i].state = READY;
        fibres[i].answer = any;
    }
    if (order_is_checked) {
        static std::vector<unsigned> all;
        all.resize(threads);
        std::iota(all.begin(), all.end(), 0u);
        pass_on_orders(all);
        check_barriers(threads);
    }
    epoch++;
    now_counted.barriers++;
    return true;
}

bool release_copies(unsigned threads) {
    bool any = false;
    for (unsigned i = 0; i < threads; i++) {
        if (fibres[i].state != AT_COPIES || !copies_have_arrived(fibres[i].mbarrier, fibres[i].parity)) continue;
        fibres[i].state = READY;
        any = true;
    }
    return any;
}

bool run_the_ready(const std::vector<unsigned> &order) {
    bool any = false;
    for (const unsigned i : order) {
        if (fibres[i].state != READY) continue;
        resume(i);
        if (abandoned) return false;
        any = true;
    }
    return any;
}

/* Returns the first lane that the call of fibre `i` needs and that does not make the same call. */
unsigned missing_lane(unsigned threads, unsigned i) {
    const unsigned first = i - i % WARP;
    for (unsigned lane = 0; lane < WARP; lane++) {
        const fibre &f = fibres[first + lane];
        if (!(fibres[i].mask >> lane & 1)) continue;
        if (first + lane >= threads || f.state != AT_WARP || f.mask != fibres[i].mask || f.call != fibres[i].call)
            return lane;
    }
    return 0;
}

/* Describes the first thread that waits for its warp, and the lane that it waits for. */
std::string first_at_warp(unsigned threads) {
    unsigned i = 0;
    while (fibres[i].state != AT_WARP) i++;
    const unsigned lane = missing_lane(threads, i), other = i - i % WARP + lane;
    char text[200];
    snprintf(text, sizeof text, "thread %u waits%s for lane %u, which %s", i, where(fibres[i].site).c_str(), lane,
             other >= threads              ? "the block does not have"
             : fibres[other].state == DONE ? "has returned"
                                           : "waits elsewhere");
    return text + (other < threads && fibres[other].state != DONE ? where(fibres[other].site) : "");
}

void tell_of_deadlock(unsigned threads) {
    abandoned = true;
    set_error(cudaErrorLaunchTimeout);
    const unsigned at_warp = count(threads, AT_WARP), at_block = count(threads, AT_BLOCK),
                   at_copies = count(threads, AT_COPIES), left = count(threads, DONE);
    unsigned first = 0;
    while (fibres[first].state == DONE || (at_copies && fibres[first].state != AT_COPIES)) first++;
    if (at_copies)
        fault("block %u stands still: %u threads wait%s for an mbarrier: %s", here.block.x, at_copies,
              where(fibres[first].site).c_str(), what_is_missing(fibres[first].mbarrier).c_str());
    else if (at_warp)
        fault("block %u stands still: %u threads wait for lanes of their warp that a mask names; %u wait at "
              "__syncthreads, %u have returned, and the block has %u; %s",
              here.block.x, at_warp, at_block, left, threads, first_at_warp(threads).c_str());
    else
        fault("block %u stands still: %u threads wait at __syncthreads%s, which %u threads never reach: they have "
              "returned",
              here.block.x, at_block, where(fibres[first].site).c_str(), left);
}

void run_block(const std::vector<unsigned> &order) {
    const unsigned threads = (unsigned)order.size();
    epoch++;
    blocks_begun++;
    indices_begun.push_back(here.block.x);
    for (const unsigned i : order) {
        fibres[i].state = READY;
        fibres[i].warp_epoch = 0;
        fibres[i].order = {};
    }
    while (!abandoned && count(threads, DONE) != threads) {
        bool progress = run_the_ready(order);
        if (abandoned) break;
        for (unsigned first = 0; first < threads; first += WARP)
            progress |= release_warp(first, min(first + WARP, threads));
        progress |= release_block(threads);
        progress |= release_copies(threads);
        if (!progress) tell_of_deadlock(threads);
    }
    finish_requests();
    for (unsigned i = 0; i < threads; i++) /* fibres that were stopped in mid-execution start again */
        if (fibres[i].state != DONE) fibres[i].made = false;
}

/* --------------------------------------------------------------------------------- a launch */

/* Returns 0 .. count - 1 in the order of the schedule. */
std::vector<unsigned> some_order(unsigned count) {
    std::vector<unsigned> order(count);
    std::iota(order.begin(), order.end(), 0u);
    if (order_of_threads == BACKWARD) std::reverse(order.begin(), order.end());
    if (order_of_threads == RANDOM) std::shuffle(order.begin(), order.end(), dice);
    return order;
}

/* Returns true if a device would accept this launch. As on a device, no reason is given otherwise. */
bool is_valid(const geometry &g) {
    const uint64_t threads = (uint64_t)g.block.x * g.block.y * g.block.z;
    return threads >= 1 && threads <= MOST_THREADS && g.block.z <= 64 && g.grid.x >= 1 && g.grid.x <= 0x7fffffffu &&
           g.grid.y >= 1 && g.grid.y <= MOST_BLOCKS_YZ && g.grid.z >= 1 && g.grid.z <= MOST_BLOCKS_YZ &&
           g.shared <= SHARED_BYTES;
}

void read_environment() {
    static const char *const seed = getenv("WEFT_EMULATED_SEED");
    static bool read;
    if (seed && !read) set_schedule(RANDOM, (unsigned)strtoul(seed, nullptr, 10));
    read = true;
}

} // namespace

void stop(const char *why) {
    if (in_kernel) abandon(0, cudaErrorLaunchFailure, "emulated GPU: %s", why);
    throw std::runtime_error(std::string("emulated GPU: ") + why);
}

void set_schedule(schedule order, unsigned seed) {
    order_of_threads = order;
    dice.seed(seed);
}

account take_account() {
    account taken = {};
    std::swap(taken, now_counted);
    return taken;
}

void fault(const char *format, ...) {
    char sentence[400];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    if (now_counted.faults++ == 0) memcpy(now_counted.first, sentence, sizeof sentence);
}

bool is_told() {
    if (now_counted.faults) now_counted.faults++;
    return now_counted.faults > 0;
}

void abandon(unsigned site, cudaError_t error, const char *format, ...) {
    char sentence[400];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    if (!is_told()) fault("%s%s", sentence, where(site).c_str());
    set_error(error);
    abandoned = true;
    _longjmp(scheduler, 1);
}

long long clock() {
    timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return 1000000000ll * t.tv_sec + t.tv_nsec;
}
int lane() { return (int)(now % WARP); }
unsigned this_thread() { return now; }
moment this_moment(unsigned site) {
    const fibre &f = fibres[now];
    return {blocks_begun, epoch, f.warp_epoch, f.order.fences, site, (uint16_t)now, 0, false};
}
ordering &ordering_of(unsigned thread) { return fibres[thread].order; }
unsigned first_block_of_launch() { return blocks_before + 1; }
unsigned block_index(unsigned block) { return indices_begun[block - first_block_of_launch()]; }
void *dynamic_shared() { return dynamic; }
size_t dynamic_shared_bytes() { return dynamic_bytes; }
bool in_dynamic_shared(const void *p) {
    return (const char *)p >= dynamic && (const char *)p < dynamic + sizeof dynamic;
}

bool is_private(const void *p) {
    const char *const at = (const char *)p;
    return (at >= stacks && at < stacks + (size_t)MOST_THREADS * STACK_BYTES) ||
           (at >= body_arguments && at < body_arguments + body_argument_bytes);
}

uint64_t block_barrier(uint64_t mine) {
    fibre &f = fibres[now];
    f.mine = mine;
    f.site = site_of(__builtin_return_address(0));
    wait_as(AT_BLOCK);
    return f.answer;
}

void wait_for_copies(const void *mbarrier, unsigned parity, unsigned site) {
    fibre &f = fibres[now];
    f.mbarrier = mbarrier;
    f.parity = parity;
    f.site = site;
    wait_as(AT_COPIES);
}

uint64_t warp_exchange(warp_call call, unsigned mask, uint64_t mine, int from) {
    fibre &f = fibres[now];
    f.call = call;
    f.mask = mask;
    f.mine = mine;
    f.from = from;
    f.site = site_of(__builtin_return_address(0));
    if (!(mask >> lane() & 1))
        abandon(f.site, cudaErrorLaunchFailure,
                "thread %u calls a function of warps with the mask 0x%08x, which leaves its own lane out,", now,
                mask);
    wait_as(AT_WARP);
    return f.answer;
}

void run(const geometry &g, void (*thread)(const void *), const void *arguments, size_t argument_bytes) {
    read_environment();
    if (!is_valid(g)) return set_error(cudaErrorInvalidConfiguration);
    const unsigned threads = g.block.x * g.block.y * g.block.z;
    create_all(threads);
    body = thread;
    body_arguments = (const char *)arguments;
    body_argument_bytes = argument_bytes;
    dynamic_bytes = g.shared;
    here.block_size = g.block;
    here.grid_size = g.grid;
    abandoned = false;
    blocks_before = blocks_begun;
    indices_begun.clear();
    begin_ordering();
    for (const unsigned block : some_order(g.grid.x * g.grid.y * g.grid.z)) {
        here.block = unfold(block, g.grid);
        run_block(some_order(threads));
        if (abandoned) break;
    }
}

} // namespace emulated
