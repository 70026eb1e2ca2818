/* Runs a topic of the ladder. Each rung runs twice with its outputs filled
 * with arbitrary bytes, each result is compared with its claim, and the
 * rung is timed on a GPU. This is the only file that depends on both the
 * executor and the GPU. */
#include "climb.h"

#include <algorithm>
#include <dlfcn.h>
#include <mutex>
#include <stdexcept>
#include <thread>
#ifdef WEFT_EXECUTOR
#include "executor.h"
#endif

/* With LADDER_LEARNER, this file is part of a library for one file of a
 * learner, which `weft ladder try` builds. */
#ifdef LADDER_LEARNER
void climb_learner(climb &c);
#else
#define TOPIC(stem, name, types, executor_n, gpu_n) \
    void climb_##stem(climb &c);
#include "topics.def"
#endif

namespace {

struct topic {
    const char *name;
    void (*climb_it)(climb &c);
};
const topic TOPICS[] = {
#ifdef LADDER_LEARNER
    {"learner", climb_learner},
#else
#define TOPIC(stem, name, types, executor_n, gpu_n) {name, climb_##stem},
#include "topics.def"
#endif
};

std::string format(const char *pattern, ...)
    __attribute__((format(printf, 1, 2)));
std::string format(const char *pattern, ...) {
    char text[600];
    va_list args;
    va_start(args, pattern);
    vsnprintf(text, sizeof text, pattern, args);
    va_end(args);
    return text;
}

/* Returns the next 32 random bits: the high half of a
 * 64-bit congruential generator. */
uint32_t next_bits(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 32);
}

} // namespace

void ladder_check(cudaError_t fault, const char *call, const char *file,
                  int line) {
    if (fault != cudaSuccess)
        throw std::runtime_error(format("%s:%d: %s: %s (%s)", file, line,
                                        call, cudaGetErrorString(fault),
                                        cudaGetErrorName(fault)));
}

/* ------------------------------------------------------------ libraries */

/* CUDA 13 contains libcublas.so.13 and libcufft.so.12: the number of a
 * library may be one lower than that of the release. */
ladder_library::ladder_library(const char *name_)
    : name(name_), handle(dlopen(name_, RTLD_NOW | RTLD_LOCAL)) {
    const int release = CUDART_VERSION / 1000;
    for (int number = release; !handle && number >= release - 1; number--)
        handle = dlopen((name + "." + std::to_string(number)).c_str(),
                        RTLD_NOW | RTLD_LOCAL);
    if (!handle) throw ladder_absent(name + " is not on this machine");
}

void *ladder_library::find(const char *function) const {
    void *const found = dlsym(handle, function);
    if (!found) throw ladder_absent(name + " has no " + function);
    return found;
}

/* --------------------------------------------------------------- values */

template <class T> std::vector<T> ladder_values(size_t n, unsigned seed) {
    std::vector<T> v(n);
    uint64_t state = seed;
    const bool whole = (T)0.5 == 0;
    for (T &x : v) {
        const uint32_t bits = next_bits(&state);
        x = whole ? (T)(bits % 2001) - (T)1000
                  : (T)((double)(int32_t)bits * 0x1p-31);
    }
    return v;
}
template std::vector<float> ladder_values<float>(size_t, unsigned);
template std::vector<double> ladder_values<double>(size_t, unsigned);
template std::vector<int> ladder_values<int>(size_t, unsigned);
template std::vector<unsigned> ladder_values<unsigned>(size_t, unsigned);

/* Their sum is below 2^24, so it is exact in f32. */
const size_t MOST_WHOLE = (size_t)1 << 22;

template <class T>
std::vector<T> ladder_whole_values(size_t n, unsigned seed) {
    std::vector<T> v(n);
    uint64_t state = seed;
    const uint32_t gap =
        n > MOST_WHOLE ? (uint32_t)(n / MOST_WHOLE + 1) : 1;
    for (T &x : v) {
        const uint32_t bits = next_bits(&state);
        x = next_bits(&state) % gap == 0 ? (T)(bits >> 30) : (T)0;
    }
    return v;
}
template std::vector<float> ladder_whole_values<float>(size_t, unsigned);
template std::vector<double> ladder_whole_values<double>(size_t, unsigned);
template std::vector<int> ladder_whole_values<int>(size_t, unsigned);

/* Each number is the sum of the numbers 3 and 31 positions before it. The
 * first 34 come from a congruential generator with the seed 1. */
std::vector<int> ladder_gnu_rand(size_t n) {
    const size_t SEEDED = 34, DROPPED = 344;
    std::vector<uint32_t> r(DROPPED + n);
    r[0] = 1;
    for (size_t i = 1; i < 31; i++)
        r[i] = (uint32_t)((uint64_t)16807 * r[i - 1] % 2147483647);
    for (size_t i = 31; i < SEEDED; i++) r[i] = r[i - 31];
    for (size_t i = SEEDED; i < r.size(); i++) r[i] = r[i - 3] + r[i - 31];
    std::vector<int> numbers(n);
    for (size_t i = 0; i < n; i++) numbers[i] = (int)(r[DROPPED + i] >> 1);
    return numbers;
}

/* ---------------------------------------------------------------- parts */

void ladder_in_parts(
    size_t count,
    const std::function<void(size_t first, size_t end)> &work) {
#ifdef WEFT_EXECUTOR
    work(0, count);
#else
    const size_t parts = std::max<size_t>(
        std::min<size_t>(std::thread::hardware_concurrency(), count), 1);
    std::vector<std::thread> threads;
    for (size_t k = 0; k < parts; k++)
        threads.emplace_back(work, count * k / parts,
                             count * (k + 1) / parts);
    for (std::thread &t : threads) t.join();
#endif
}

/* --------------------------------------------------------------- arrays */

enum { RUBBISH = 0xc7 };

climb::climb(const ladder_call &call_, const ladder_machine_info &machine_,
             std::function<void(const ladder_row &)> tell_)
    : n(call_.n), dtype(call_.dtype), seed(call_.seed), call(call_),
      machine(machine_), tell(std::move(tell_)) {}

climb::~climb() {
    for (const array &a : arrays)
        (void)cudaFree(a.at), (void)cudaFree(a.copy);
    if (device_context) weft_close(device_context);
    if (ref_context) weft_close(ref_context);
}

void *climb::keep(const void *values, size_t size) {
    array a = {nullptr, nullptr, size};
    CUDA_CHECK(cudaMalloc((char **)&a.at, std::max<size_t>(size, 1)));
    arrays.push_back(a);
    if (!values) return a.at;
    CUDA_CHECK(cudaMalloc((char **)&arrays.back().copy,
                          std::max<size_t>(size, 1)));
    CUDA_CHECK(cudaMemcpy(a.at, values, size, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(arrays.back().copy, a.at, size,
                          cudaMemcpyDeviceToDevice));
    return a.at;
}

void climb::fetch(void *to, const void *from, size_t size) {
    CUDA_CHECK(cudaMemcpy(to, from, size, cudaMemcpyDeviceToHost));
}

/* Fills all outputs with arbitrary bytes. */
void climb::refill() {
    for (const array &a : arrays) {
        if (a.copy) continue;
        CUDA_CHECK(cudaMemset(a.at, RUBBISH, a.bytes));
#ifdef WEFT_EXECUTOR
        emulated::note_unwritten(a.at, a.bytes);
#endif
    }
}

/* Returns true if two arrays on the device are equal. */
#ifdef WEFT_EXECUTOR
static bool are_same(const void *a, const void *b, size_t bytes) {
    return memcmp(a, b, bytes) == 0;
}
#else
static __device__ unsigned difference_found;

static __global__ void find_difference(size_t bytes, const char *a,
                                       const char *b) {
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
         i < bytes; i += threads)
        if (a[i] != b[i]) difference_found = 1;
}

static bool are_same(const void *a, const void *b, size_t bytes) {
    unsigned found = 0;
    CUDA_CHECK(cudaMemcpyToSymbol(difference_found, &found, sizeof found));
    find_difference<<<4096, 256>>>(bytes, (const char *)a, (const char *)b);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(
        cudaMemcpyFromSymbol(&found, difference_found, sizeof found));
    return found == 0;
}
#endif

/* Checks that the inputs are unchanged, and restores one that is not. */
std::string climb::inputs_are_kept() {
    std::string said;
    for (const array &a : arrays) {
        if (!a.copy || are_same(a.at, a.copy, a.bytes)) continue;
        said = "an input is not what it was before";
        CUDA_CHECK(
            cudaMemcpy(a.at, a.copy, a.bytes, cudaMemcpyDeviceToDevice));
    }
    return said;
}

void climb::add_to_hash(size_t bytes) {
#ifdef LADDER_LEARNER
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ (unsigned char)landed[i]) * 0x100000001b3u;
#else
    (void)bytes;
#endif
}

/* Returns the index of the first of `count` elements that differs from the
 * expected value, or count. */
size_t climb::first_difference(const void *at, const void *expected,
                               size_t count, size_t size) {
    size_t lowest = count;
    std::mutex one_at_a_time;
    landed.resize(std::max(landed.size(), count * size));
    fetch(landed.data(), at, count * size);
    add_to_hash(count * size);
    ladder_in_parts(count, [&](size_t i, size_t end) {
        const char *const got = landed.data();
        const char *const right = (const char *)expected;
        if (memcmp(got + i * size, right + i * size, (end - i) * size) == 0)
            return;
        while (memcmp(got + i * size, right + i * size, size) == 0) i++;
        const std::lock_guard<std::mutex> mine(one_at_a_time);
        lowest = std::min(lowest, i);
    });
    return lowest;
}

std::string climb::differs(size_t i, double got, double expected) {
    return format("element %zu is %.9g and not %.9g", i, got, expected);
}

void climb::work(double bytes_, double flops_) {
    bytes = bytes_;
    flops = flops_;
}

/* ---------------------------------------------------------------- rungs */

bool climb::is_wanted(const char *name) const {
    return !call.rung || strcmp(call.rung, name) == 0;
}

std::string climb::why_not(const ladder_limits &limits) const {
    if (n < limits.least)
        return format("n = %zu is too small for it: it takes %zu or more",
                      n, limits.least);
    if (n > limits.most)
        return format(
            "n = %zu is too large for it: it takes %zu at the most", n,
            limits.most);
    if (limits.executor_only && machine.gpu)
        return "it runs on the executor only: a GPU would hang, fail in "
               "all later calls, or give the right result by "
               "luck";
    if (limits.gpu_only && !machine.gpu) return "it needs a GPU";
    return "";
}

#ifdef WEFT_EXECUTOR
/* Returns the requests of warps that the executor has kept. */
static std::vector<ladder_access> kept_accesses() {
    std::vector<ladder_access> all;
    for (const emulated::kept_request &r : emulated::keep_requests()) {
        ladder_access a = {"",
                           r.is_load,
                           r.is_shared,
                           r.bytes,
                           r.lanes,
                           {},
                           (unsigned)r.count.moved,
                           (unsigned)r.count.least};
        snprintf(a.line, sizeof a.line, "%s",
                 emulated::line_of(r.site).c_str());
        std::copy(r.at, r.at + 32, a.offset);
        all.push_back(a);
    }
    return all;
}
#endif

/* Returns what the executor has found since the last call, or "". */
static std::string what_was_seen(ladder_row *row) {
#ifdef WEFT_EXECUTOR
    const emulated::account seen = emulated::take_account();
    row->read = seen.read;
    row->written = seen.written;
    row->shared = seen.shared;
    row->atomics = seen.atomics;
    row->barriers = seen.barriers;
    row->loads = {seen.loads.requests, seen.loads.moved, seen.loads.least};
    row->stores = {seen.stores.requests, seen.stores.moved,
                   seen.stores.least};
    row->in_shared = {seen.in_shared.requests, seen.in_shared.moved,
                      seen.in_shared.least};
    if (seen.faults > 1)
        return format("%s (the first of %zu faults)", seen.first,
                      seen.faults);
    return seen.first;
#else
    (void)row;
    return "";
#endif
}

/* Runs the rung once. Returns "" or a sentence on the error. */
std::string climb::run_once(const ladder_launch &launch,
                            const ladder_claim &claim, ladder_row *row) {
    refill();
    hash = 0xcbf29ce484222325u;
    (void)what_was_seen(row);
    launch();
    const cudaError_t refused = cudaGetLastError();
    const cudaError_t failed = cudaDeviceSynchronize();
    std::string said = what_was_seen(row);
    const cudaError_t fault = refused != cudaSuccess ? refused : failed;
    if (said.empty() && fault != cudaSuccess)
        said = format("the launch failed: %s (%s)",
                      cudaGetErrorString(fault), cudaGetErrorName(fault));
    if (said.empty()) said = claim();
    row->hash = hash;
    const std::string kept = inputs_are_kept();
    return said.empty() ? kept : said;
}

/* Measures on a GPU, between events: nine times, or as often as a fifth of
 * a second allows. */
double climb::seconds_of(const ladder_launch &launch) {
#ifdef WEFT_EXECUTOR
    (void)launch;
    return 0;
#else
    const size_t ROUNDS = 9;
    const float LONG = 200;
    cudaEvent_t start, end;
    std::vector<float> ms;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&end));
    for (float all = 0; ms.size() < ROUNDS && all < LONG;
         all += ms.back()) {
        float t;
        CUDA_CHECK(cudaEventRecord(start));
        launch();
        CUDA_CHECK(cudaEventRecord(end));
        CUDA_CHECK(cudaEventSynchronize(end));
        CUDA_CHECK(cudaEventElapsedTime(&t, start, end));
        ms.push_back(t);
    }
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(end));
    std::sort(ms.begin(), ms.end());
    return 1e-3 * ms[ms.size() / 2];
#endif
}

/* Runs the rung twice, checks both results, and times it on a
 * GPU. The second run finds a rung that keeps something from the
 * first. The outputs are filled again before it: otherwise a run
 * that writes nothing would look right. What the rung keeps
 * elsewhere stays as the first run left it. */
std::string climb::run(const ladder_launch &launch,
                       const ladder_claim &claim, bool faulty,
                       ladder_row *row) {
    std::string said = run_once(launch, claim, row);
    if (said.empty()) {
        said = run_once(launch, claim, row);
        if (!said.empty()) said = "in the second run " + said;
    }
    if (said.empty())
        row->verdict = faulty ? LADDER_LUCKY : LADDER_RIGHT;
    else
        row->verdict = faulty ? LADDER_CAUGHT : LADDER_WRONG;
    row->timed = machine.gpu && row->verdict != LADDER_WRONG;
    if (row->timed) row->seconds = seconds_of(launch);
    return said;
}

static const topic *find_topic(const char *name) {
    for (const topic &t : TOPICS)
        if (strcmp(t.name, name) == 0) return &t;
    return nullptr;
}

/* Runs a rung that is too slow for the topic's size on a GPU, at the
 * largest size that the rung allows. */
bool climb::climb_smaller(const char *name, const ladder_limits &limits) {
    if (!machine.gpu || n <= limits.most) return false;
    ladder_call smaller = call;
    smaller.rung = name;
    smaller.n = limits.most;
    climb c(smaller, machine, tell);
    find_topic(call.topic)->climb_it(c);
    return true;
}

void climb::step(const char *name, const ladder_claim &claim,
                 const ladder_launch &launch, const ladder_limits &limits,
                 bool faulty) {
    if (climb_smaller(name, limits)) return;
    ladder_row row = {};
    row.rung = name;
    row.n = n;
    row.bytes = bytes;
    row.flops = flops;
    row.verdict = LADDER_NOT_RUN;
    std::string said = why_not(limits);
#ifdef WEFT_EXECUTOR
    if (call.accesses) (void)emulated::keep_requests();
#endif
    try {
        if (said.empty()) said = run(launch, claim, faulty, &row);
    } catch (const ladder_absent &e) {
        said = e.what();
    }
#ifdef WEFT_EXECUTOR
    std::vector<ladder_access> accesses;
    if (call.accesses) accesses = kept_accesses();
    row.accesses = accesses.data();
    row.access_count = accesses.size();
#endif
    row.said = said.c_str();
    tell(row);
}

void climb::rung(const char *name, const ladder_claim &claim,
                 const ladder_launch &launch, ladder_limits limits) {
    if (is_wanted(name)) step(name, claim, launch, limits, false);
}

void climb::faulty(const char *name, const ladder_claim &claim,
                   const ladder_launch &launch, ladder_limits limits) {
    if (is_wanted(name) && (call.faulty || call.rung))
        step(name, claim, launch, limits, true);
}

static weft_context *open_context(const char *device) {
    weft_context *ctx;
    if (weft_open(&ctx, device) != WEFT_OK)
        throw std::runtime_error(weft_last_error(NULL));
    return ctx;
}

weft_context *climb::ref() {
    if (!ref_context)
        ref_context = open_context(machine.gpu ? "cpu" : "ref");
    return ref_context;
}

void climb::specified(weft_status status) {
    if (status != WEFT_OK) throw std::runtime_error(weft_last_error(ref()));
}

/* Calls of an operation of the library before its first run */
enum { CALLS_BEFORE = 8 };

void climb::weft(
    const char *name, const ladder_claim &claim,
    const std::function<weft_status(weft_context *)> &operation) {
    if (!is_wanted(name)) return;
    if (!device_context)
        device_context = open_context(machine.gpu ? "cuda" : "cpu");
    weft_context *const ctx = device_context;
    const ladder_launch launch = [&] {
        if (operation(ctx) != WEFT_OK)
            throw std::runtime_error(weft_last_error(ctx));
    };
    /* The stream of the context and the default stream wait for each other,
     * so the events of seconds_of include the operation. A wait of the host
     * in each run would be measured too. */
    const ladder_claim complete = [&] {
        if (weft_synchronize(ctx) != WEFT_OK)
            throw std::runtime_error(weft_last_error(ctx));
        return claim();
    };
    /* The library compiles a formula when 2^28 steps of it have been
     * requested, which takes longer than all timed runs. */
    for (unsigned call_number = 0;
         machine.gpu && call_number < CALLS_BEFORE; call_number++)
        launch();
    step(name, complete, launch, {}, false);
}

void climb::lesson(const char *name,
                   const std::function<std::string()> &show) {
    if (!is_wanted(name)) return;
    ladder_row row = {};
    row.rung = name;
    row.n = n;
    std::string said;
    try {
        said = show();
        row.verdict =
            said.compare(0, 4, "not ") == 0 ? LADDER_WRONG : LADDER_RIGHT;
    } catch (const ladder_absent &e) {
        said = e.what();
        row.verdict = LADDER_NOT_RUN;
    }
    row.said = said.c_str();
    tell(row);
}

/* -------------------------------------------------------------- machine */

namespace {

ladder_machine_info machine;

bool climb_topic(const ladder_call *call,
                 void (*tell)(void *, const ladder_row *), void *state,
                 char *error, size_t error_size) {
#ifdef WEFT_EXECUTOR
    emulated::unwritten_is_a_fault = true;
    emulated::order_is_checked = true;
    emulated::requests_are_counted = true;
    emulated::set_schedule((emulated::schedule)call->schedule, call->seed);
#endif
    try {
        if (const topic *const t = find_topic(call->topic)) {
            climb c(*call, machine,
                    [=](const ladder_row &row) { tell(state, &row); });
            t->climb_it(c);
            return true;
        }
        snprintf(error, error_size, "there is no topic '%s' here",
                 call->topic);
    } catch (const std::exception &e) {
        snprintf(error, error_size, "%s", e.what());
    }
    return false;
}

#ifndef WEFT_EXECUTOR
/* Returns the bytes read and written per second by a copy within the
 * device's memory. */
double copy_speed() {
    const size_t bytes = (size_t)1 << 28;
    char *from, *to;
    cudaEvent_t start, end;
    float best = 0;
    CUDA_CHECK(cudaMalloc(&from, bytes));
    CUDA_CHECK(cudaMalloc(&to, bytes));
    /* initcheck checks copies too */
    CUDA_CHECK(cudaMemset(from, 0, bytes));
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&end));
    for (int i = 0; i < 6; i++) {
        float ms;
        CUDA_CHECK(cudaEventRecord(start));
        CUDA_CHECK(
            cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice));
        CUDA_CHECK(cudaEventRecord(end));
        CUDA_CHECK(cudaEventSynchronize(end));
        CUDA_CHECK(cudaEventElapsedTime(&ms, start, end));
        if (i == 0 || ms < best) best = ms;
    }
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(end));
    CUDA_CHECK(cudaFree(from));
    CUDA_CHECK(cudaFree(to));
    return 2e3 * (double)bytes / best;
}

/* Two operations, a multiplication and an addition, per clock cycle for
 * each of 128 lanes of each multiprocessor. */
double float_speed(int multiprocessors) {
    int kilohertz;
    CUDA_CHECK(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0));
    return 2.0 * 128 * multiprocessors * 1e3 * kilohertz;
}

void describe_machine() {
    cudaDeviceProp properties;
    CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
    snprintf(machine.name, sizeof machine.name, "%s", properties.name);
    machine.gpu = true;
    machine.bytes_a_second = copy_speed();
    machine.flops_a_second = float_speed(properties.multiProcessorCount);
}
#else
void describe_machine() {
    static const char name[] = "the executor: the CPU runs the threads of "
                               "the kernel one after another";
    memcpy(machine.name, name, sizeof name);
}
#endif

} // namespace

extern "C" __attribute__((visibility("default"))) bool
ladder_machine(ladder_machine_info *info, char *error, size_t error_size) {
    try {
        machine.interface = LADDER_INTERFACE;
        machine.climb = climb_topic;
        describe_machine();
        *info = machine;
        return true;
    } catch (const std::exception &e) {
        snprintf(error, error_size, "%s", e.what());
        return false;
    }
}
