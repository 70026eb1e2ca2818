/* A launch on a CPU. Each thread of a block is a fibre: a stack of its own, on which it runs until it waits for its
 * warp or its block, and then the next runs. Blocks run one after another. Whatever the order of the threads and
 * blocks, the results must be the same; WEFT_EMULATED_SEED, a number, makes that order random. */
#include "cuda_runtime.h"

#include <numeric>
#include <random>
#include <setjmp.h>
#include <ucontext.h>
#include <vector>

dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace emulated {
namespace {

enum { WARP = 32, MOST_THREADS = 1024, STACK_BYTES = 128 << 10 };
enum fibre_state { READY, AT_WARP, AT_BLOCK, DONE };

struct fibre {
    std::vector<char> stack;
    jmp_buf at; /* where it stopped */
    fibre_state state;
    uint64_t left; /* for the other lanes of its warp */
};
fibre fibres[MOST_THREADS];
jmp_buf scheduler; /* where the block goes on when a fibre stops */
unsigned now;      /* the fibre that runs */
const std::function<void()> *body;

/* --------------------------------------------------------------------------------- fibres */

/* The running fibre gives way. _setjmp and _longjmp change stacks without a system call. */
void wait_as(fibre_state state) {
    fibres[now].state = state;
    if (_setjmp(fibres[now].at) == 0) _longjmp(scheduler, 1);
}

/* A fibre serves one thread after another, of this block and of later ones. */
void serve() {
    for (;;) {
        wait_as(DONE);
        (*body)();
    }
}

void resume(unsigned i) {
    now = i;
    threadIdx = dim3(i, 0, 0);
    if (_setjmp(scheduler) == 0) _longjmp(fibres[i].at, 1);
}

/* Gives fibre i a stack and starts it; it comes back at once, from serve. */
void create(unsigned i) {
    ucontext_t context;
    fibres[i].stack.resize(STACK_BYTES);
    if (getcontext(&context) != 0) stop("a fibre cannot be made");
    context.uc_stack.ss_sp = fibres[i].stack.data();
    context.uc_stack.ss_size = STACK_BYTES;
    context.uc_link = nullptr;
    makecontext(&context, serve, 0);
    now = i;
    if (_setjmp(scheduler) == 0) setcontext(&context);
}

/* --------------------------------------------------------------------------------- a block */

bool all_wait(unsigned first, unsigned end, fibre_state state) {
    for (unsigned i = first; i < end; i++)
        if (fibres[i].state != state) return false;
    return true;
}

/* Frees the fibres [first, end) when all of them wait at the same place. */
bool release(unsigned first, unsigned end, fibre_state state) {
    if (!all_wait(first, end, state)) return false;
    for (unsigned i = first; i < end; i++) fibres[i].state = READY;
    return true;
}

bool run_the_ready(const std::vector<unsigned> &order) {
    bool any = false;
    for (const unsigned i : order) {
        if (fibres[i].state != READY) continue;
        resume(i);
        any = true;
    }
    return any;
}

void run_block(const std::vector<unsigned> &order) {
    const unsigned threads = (unsigned)order.size();
    for (const unsigned i : order) fibres[i].state = READY;
    while (!all_wait(0, threads, DONE)) {
        bool progress = run_the_ready(order);
        for (unsigned first = 0; first + WARP <= threads; first += WARP)
            progress |= release(first, first + WARP, AT_WARP);
        progress |= release(0, threads, AT_BLOCK);
        if (!progress) stop("a barrier or shuffle that not all threads reach");
    }
}

/* --------------------------------------------------------------------------------- a launch */

/* 0 .. count - 1, in random order where that is asked for. */
std::vector<unsigned> some_order(unsigned count) {
    static const char *const seed = getenv("WEFT_EMULATED_SEED");
    static std::mt19937 random(seed ? (unsigned)strtoul(seed, nullptr, 10) : 0);
    std::vector<unsigned> order(count);
    std::iota(order.begin(), order.end(), 0u);
    if (seed) std::shuffle(order.begin(), order.end(), random);
    return order;
}

} // namespace

void stop(const char *why) {
    fprintf(stderr, "emulated GPU: %s\n", why);
    abort();
}

int lane() { return (int)(now % WARP); }

void block_barrier() { wait_as(AT_BLOCK); }

uint64_t warp_exchange(uint64_t mine, int from) {
    fibres[now].left = mine;
    wait_as(AT_WARP);
    const uint64_t other = fibres[now / WARP * WARP + (unsigned)from].left;
    wait_as(AT_WARP); /* until all have read */
    return other;
}

void run(const geometry &g, const std::function<void()> &thread) {
    const unsigned threads = g.block.x;
    if (threads < 1 || threads > MOST_THREADS || g.grid.x < 1 || g.block.y * g.block.z * g.grid.y * g.grid.z != 1)
        stop("a launch of no block, of too many threads, or of more than one dimension");
    for (unsigned i = 0; i < threads; i++)
        if (fibres[i].stack.empty()) create(i);
    body = &thread;
    blockDim = g.block;
    gridDim = g.grid;
    for (const unsigned block : some_order(g.grid.x)) {
        blockIdx = dim3(block, 0, 0);
        run_block(some_order(threads));
    }
}

} // namespace emulated
