/* Topic streams: concurrent kernels, and copies that overlap with kernels
 *
 * Commands on one stream run in order. Commands on two streams may run at
 * the same time. This has two advantages. Small kernels can share the
 * device. Copies to and from the device have their own engines, so they can
 * run at the same time as kernels. The computation is small, and its result
 * is known: x <- sqrt(cos x), repeated, converges to the fixed point
 * 0.8241323123025225 from any start in [0, 1].
 *
 * The limit is the slowest of three parts: the two directions of the bus,
 * and the kernels. In the table, the share of a rung is relative to the
 * memory of the device, which is much faster than the bus.
 *
 * On the executor, every call is complete when it returns, whatever its
 * stream. So the executor can check that the chunks cover the array, but it
 * cannot detect a missing event. On a GPU, a missing event sometimes causes
 * a wrong result.
 */
#include "climb.h"

#include <functional>
#include <math.h>
#include <thread>

constexpr unsigned THREADS = 256, BLOCK = 1024, SMALL_KERNELS = 30;
constexpr unsigned CHUNKS = 8, BUFFERS = 2, HOST_THREADS = 8;
/* Numbers of iterations. A GPU makes more, so that 30 kernels take longer
 * than 30 launches. */
#ifdef WEFT_EXECUTOR
constexpr int FEW = 20, MANY = 200;
#else
constexpr int FEW = 20, MANY = 2000;
#endif

/* Computes cos(x), 0 <= x <= 1, by its series. Host and device get the same
 * bits; their libraries' cosines differ. */
static __host__ __device__ double cos_of(double x) {
    const double q = x * x;
    double c = fma(q, 1.0 / 2432902008176640000, -1.0 / 6402373705728000);
    c = fma(q, c, 1.0 / 20922789888000);
    c = fma(q, c, -1.0 / 87178291200);
    c = fma(q, c, 1.0 / 479001600);
    c = fma(q, c, -1.0 / 3628800);
    c = fma(q, c, 1.0 / 40320);
    c = fma(q, c, -1.0 / 720);
    c = fma(q, c, 1.0 / 24);
    c = fma(q, c, -0.5);
    return fma(q, c, 1.0);
}

static __host__ __device__ double after_iterations(double x,
                                                   int iterations) {
    for (int i = 0; i < iterations; i++) x = sqrt(cos_of(x));
    return x;
}

static __global__ void iterate(size_t n, int iterations, const double *x,
                               double *y) {
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += threads)
        y[i] = after_iterations(x[i], iterations);
}

/* Rung one-after-another: 30 kernels of one block, on one stream
 *
 * Each kernel waits for the previous one, although the kernels are
 * independent. An H200 has 132 multiprocessors, and only one of them works
 * at a time. The classic program runs the kernels on uninitialized memory,
 * in which a NaN stays a NaN. It checks no result.
 */
/* Returns the first element of chunk k if n elements are divided into
 * `parts` chunks. Chunk k ends where chunk k + 1 begins. */
static size_t part_begin(size_t n, size_t parts, size_t k) {
    return n / parts * k + (k < n % parts ? k : n % parts);
}

static void small_kernel(size_t n, unsigned k, const double *x, double *y,
                         cudaStream_t stream) {
    const size_t first = part_begin(n, SMALL_KERNELS, k);
    const size_t end = part_begin(n, SMALL_KERNELS, k + 1);
    iterate<<<1, BLOCK, 0, stream>>>(end - first, MANY, x + first,
                                     y + first);
}

static void one_after_another(size_t n, const double *x, double *y) {
    for (unsigned k = 0; k < SMALL_KERNELS; k++)
        small_kernel(n, k, x, y, NULL);
}

/* Rung side-by-side: the same kernels, on 30 streams
 *
 * The 30 streams start when the default stream has reached the call. The
 * default stream continues when all of them are done. An event on one side
 * and a wait on the other side do this in both directions. So for the
 * caller, all commands are on one stream.
 *
 * The streams are created with `cudaStreamNonBlocking`. An ordinary stream
 * waits for commands that are put on the default stream between its
 * kernels. The classic exercise has a small copy between each two launches,
 * so it runs sequentially. It had to be built with `--default-stream
 * per-thread`. With non-blocking streams, the behaviour does not depend on
 * the flags of the build.
 */
class many_streams {
  public:
    cudaStream_t stream[SMALL_KERNELS];

    many_streams() {
        for (cudaStream_t &s : stream)
            CUDA_CHECK(
                cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
        for (cudaEvent_t &e : event)
            CUDA_CHECK(
                cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    }
    ~many_streams() {
        for (const cudaStream_t s : stream) (void)cudaStreamDestroy(s);
        for (const cudaEvent_t e : event) (void)cudaEventDestroy(e);
    }
    /* Makes the first `count` streams wait for the default stream. */
    void fork(unsigned count) {
        CUDA_CHECK(cudaEventRecord(event[0], NULL));
        for (unsigned i = 0; i < count; i++)
            CUDA_CHECK(cudaStreamWaitEvent(stream[i], event[0], 0));
    }
    /* Makes the default stream wait for the first `count` streams. */
    void join(unsigned count) {
        for (unsigned i = 0; i < count; i++) {
            CUDA_CHECK(cudaEventRecord(event[i], stream[i]));
            CUDA_CHECK(cudaStreamWaitEvent(NULL, event[i], 0));
        }
    }

  private:
    cudaEvent_t event[SMALL_KERNELS];
};

static void side_by_side(many_streams &streams, size_t n, const double *x,
                         double *y) {
    streams.fork(SMALL_KERNELS);
    for (unsigned k = 0; k < SMALL_KERNELS; k++)
        small_kernel(n, k, x, y, streams.stream[k]);
    streams.join(SMALL_KERNELS);
}

/* Rung fifteen-times: how much faster 30 streams are
 *
 * The classic log has 7.563 ms on one stream and 0.354 ms on 30, on a V100:
 * 21 times as fast. The limit is 30, the number of kernels. A launch on
 * another stream costs the host some microseconds, and the events of
 * `side-by-side` cost as much again. So the ratio is near 30 only if a
 * kernel takes much longer than 30 launches. On an H200 with 200 iterations
 * it was 6.8.
 */
static std::string fifteen_times(climb &c, many_streams &streams, size_t n,
                                 const double *x, double *y) {
    const double in_turn =
                     c.seconds_of([=] { one_after_another(n, x, y); }),
                 at_once =
                     c.seconds_of([&] { side_by_side(streams, n, x, y); });
    if (at_once <= 0)
        return "30 kernels on 30 streams; a run on a GPU gives times";
    char text[120];
    snprintf(text, sizeof text,
             "30 kernels on one stream: %.3f ms; on 30 streams: %.3f ms; "
             "%.1f times as fast",
             1e3 * in_turn, 1e3 * at_once, in_turn / at_once);
    return text;
}

/* Rung default-stream: ordinary streams, and a kernel on the default stream
 * between two launches
 *
 * Without a stream, a command goes to the legacy default stream. An
 * ordinary stream and this one wait for each other: a command on the
 * default stream begins when all earlier commands on ordinary streams are
 * done, and later ones wait for it. The classic exercise launches eight
 * kernels on eight streams, with a tiny kernel on the default stream after
 * each launch. So the eight kernels run one after another. `side-by-side`
 * is not affected, since its streams do not wait for the default stream.
 *
 * Compiled with `--default-stream per-thread`, the name of the default
 * stream means another stream, and the exercise is 7.9 times as fast (a
 * V100, public log). A library cannot rely on that flag, since its caller
 * compiles.
 */
static __global__ void tiny_kernel() {}

static void one_of_eight(size_t n, unsigned k, const double *x, double *y,
                         cudaStream_t stream) {
    const size_t first = part_begin(n, HOST_THREADS, k);
    const size_t end = part_begin(n, HOST_THREADS, k + 1);
    iterate<<<1, BLOCK, 0, stream>>>(end - first, MANY, x + first,
                                     y + first);
}

struct ordinary_streams {
    cudaStream_t stream[HOST_THREADS];
    ordinary_streams() {
        for (cudaStream_t &s : stream) CUDA_CHECK(cudaStreamCreate(&s));
    }
    ~ordinary_streams() {
        for (const cudaStream_t s : stream) (void)cudaStreamDestroy(s);
    }
};

static void default_stream(const ordinary_streams &streams, size_t n,
                           const double *x, double *y) {
    for (unsigned k = 0; k < HOST_THREADS; k++) {
        one_of_eight(n, k, x, y, streams.stream[k]);
        tiny_kernel<<<1, 1>>>();
    }
}

/* Rung host-threads: eight threads of the host, one legacy default stream
 *
 * All threads of a process share one legacy default stream. Each of eight
 * threads of the host launches one kernel there. The launches come from
 * eight threads, but they go to one queue, and the kernels run one after
 * another.
 *
 * Calls of CUDA from several threads are safe. They need no lock as long as
 * each thread uses its own memory. (The executor checks the accesses of one
 * host thread, so there the eight calls run in turn.)
 */
static void in_host_threads(const std::function<void(unsigned)> &call) {
#ifdef WEFT_EXECUTOR
    for (unsigned k = 0; k < HOST_THREADS; k++) call(k);
#else
    std::vector<std::thread> threads;
    for (unsigned k = 0; k < HOST_THREADS; k++)
        threads.emplace_back(call, k);
    for (std::thread &t : threads) t.join();
#endif
}

static void host_threads(size_t n, const double *x, double *y) {
    in_host_threads([=](unsigned k) { one_of_eight(n, k, x, y, NULL); });
}

/* Rung per-thread: each thread of the host has a default stream of its own
 *
 * The handle `cudaStreamPerThread` is a stream that belongs to the calling
 * thread. It can be used without a flag of the compiler, so it is visible
 * in the source which stream is meant. The eight kernels run at the same
 * time. These streams and the legacy default stream wait for each other, so
 * the events that time this rung include all eight.
 */
#ifdef WEFT_EXECUTOR
static const cudaStream_t OF_THIS_THREAD = NULL;
#else
static const cudaStream_t OF_THIS_THREAD = cudaStreamPerThread;
#endif

static void per_thread(size_t n, const double *x, double *y) {
    in_host_threads(
        [=](unsigned k) { one_of_eight(n, k, x, y, OF_THIS_THREAD); });
}

/* Rung fixed-point: all values converge to 0.8241323123025225
 *
 * After 200 iterations, every value has converged to the last bit or two.
 * Each iteration removes more than half of the distance.
 */
static std::string fixed_point(size_t n, const double *x, double *y) {
    one_after_another(n, x, y);
    std::vector<double> got(n);
    CUDA_CHECK(cudaMemcpy(got.data(), y, n * sizeof(double),
                          cudaMemcpyDeviceToHost));
    double worst = 0;
    for (const double v : got)
        worst = fmax(worst, fabs(v - 0.8241323123025225));
    char text[100];
    snprintf(text, sizeof text, "maximum error of %zu values: %.1e", n,
             worst);
    return worst <= 1e-15 ? text
                          : std::string("not the fixed point: ") + text;
}

/* Rung pageable: ordinary memory of the host
 *
 * This is the program of the exercise before it is improved: memory from
 * `malloc`, one stream. The system may move or swap out pages of this
 * memory, so the copy engine cannot access it. The driver copies each chunk
 * to a small pinned buffer of its own, and the engine copies it from there.
 * `cudaMemcpyAsync` returns only when the host's part of this is done.
 */

/* Rung copy-compute-copy: the same, from pinned memory
 *
 * Memory from `cudaMallocHost` is pinned: it is never moved, so the copy
 * engine of the device can access it directly. Copies are then
 * asynchronous. On one stream, each of the three parts waits for the
 * previous one. While one part runs, the other two are idle.
 */
struct pinned_array {
    double *at;
    explicit pinned_array(size_t n) {
        CUDA_CHECK(cudaMallocHost(&at, n * sizeof(double)));
    }
    ~pinned_array() { (void)cudaFreeHost(at); }
};

struct exchange {
    size_t n;
    const double *from; /* host */
    double *to;         /* host */
    double *x, *y;      /* device */
};

static void copy_in(const double *from, double *x, size_t count,
                    cudaStream_t stream) {
    CUDA_CHECK(cudaMemcpyAsync(x, from, count * sizeof(double),
                               cudaMemcpyHostToDevice, stream));
}

static void copy_out(const double *y, double *to, size_t count,
                     cudaStream_t stream) {
    CUDA_CHECK(cudaMemcpyAsync(to, y, count * sizeof(double),
                               cudaMemcpyDeviceToHost, stream));
}

static void compute(size_t count, const double *x, double *y,
                    cudaStream_t stream) {
    const size_t blocks = blocks_for<size_t>(count, THREADS);
    if (count > 0)
        iterate<<<(unsigned)blocks, THREADS, 0, stream>>>(count, FEW, x, y);
}

static void copy_compute_copy(const exchange &e) {
    copy_in(e.from, e.x, e.n, NULL);
    compute(e.n, e.x, e.y, NULL);
    copy_out(e.y, e.to, e.n, NULL);
}

/* Rung chunks: eight chunks, each on its own stream
 *
 * In each chunk, the stream keeps the order. Between chunks no order is
 * needed. While the first chunk is computed, the second is copied in. Then
 * the third is copied in while the second is computed and the first is
 * copied out. `part_begin` returns the start of a chunk. Copies and kernels
 * both use it, for any n and any number of chunks.
 */
static void chunks(many_streams &streams, const exchange &e) {
    streams.fork(CHUNKS);
    for (unsigned k = 0; k < CHUNKS; k++) {
        const size_t first = part_begin(e.n, CHUNKS, k);
        const size_t count = part_begin(e.n, CHUNKS, k + 1) - first;
        copy_in(e.from + first, e.x + first, count, streams.stream[k]);
        compute(count, e.x + first, e.y + first, streams.stream[k]);
        copy_out(e.y + first, e.to + first, count, streams.stream[k]);
    }
    streams.join(CHUNKS);
}

/* Rung timeline: the chunks overlap
 *
 * An event on the stream after each part of a chunk gives the time at which
 * the part was done. The output has the three parts alone, for the whole
 * array, and then for each chunk the times at which it was copied in,
 * computed and copied out, in milliseconds since the start. If nothing
 * overlapped, the last time would be the sum of the three parts. It cannot
 * be less than the longest of the three.
 */
static std::string timeline(climb &c, many_streams &streams,
                            const exchange &e) {
    cudaEvent_t start, done[CHUNKS][3];
    const auto each = [&](auto call) {
        call(start);
        for (auto &chunk : done)
            for (cudaEvent_t &part : chunk) call(part);
    };
    each([](cudaEvent_t &event) {
        CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDefault));
    });
    const double in =
                     c.seconds_of([&] { copy_in(e.from, e.x, e.n, NULL); }),
                 work = c.seconds_of([&] { compute(e.n, e.x, e.y, NULL); }),
                 out =
                     c.seconds_of([&] { copy_out(e.y, e.to, e.n, NULL); });
    CUDA_CHECK(cudaEventRecord(start, NULL));
    streams.fork(CHUNKS);
    for (unsigned k = 0; k < CHUNKS; k++) {
        const size_t first = part_begin(e.n, CHUNKS, k);
        const size_t count = part_begin(e.n, CHUNKS, k + 1) - first;
        const cudaStream_t stream = streams.stream[k];
        copy_in(e.from + first, e.x + first, count, stream);
        CUDA_CHECK(cudaEventRecord(done[k][0], stream));
        compute(count, e.x + first, e.y + first, stream);
        CUDA_CHECK(cudaEventRecord(done[k][1], stream));
        copy_out(e.y + first, e.to + first, count, stream);
        CUDA_CHECK(cudaEventRecord(done[k][2], stream));
    }
    streams.join(CHUNKS);
    CUDA_CHECK(cudaDeviceSynchronize());
    char text[80];
    snprintf(text, sizeof text, "alone: in %.2f, computed %.2f, out %.2f",
             1e3 * in, 1e3 * work, 1e3 * out);
    std::string said = text;
    for (unsigned k = 0; k < CHUNKS; k++) {
        float at[3];
        for (unsigned part = 0; part < 3; part++)
            CUDA_CHECK(
                cudaEventElapsedTime(&at[part], start, done[k][part]));
        snprintf(text, sizeof text, "; chunk %u: %.2f, %.2f, %.2f", k,
                 at[0], at[1], at[2]);
        said += text;
    }
    each([](cudaEvent_t &event) { CUDA_CHECK(cudaEventDestroy(event)); });
    return in > 0
               ? said
               : "three events for each chunk; a run on a GPU gives times";
}

/* Faulty rung two-divisions: copies and kernels use different chunks
 *
 * The published answer copies chunks of n / 8 elements. For each chunk it
 * launches n / 8 / 256 blocks, at an offset of that many blocks. The two
 * are equal if n is a multiple of 8 * 256, like the 2^27 of the exercise.
 * For any other n, the kernels omit elements. They also access elements of
 * a chunk that another stream is copying.
 */
static void two_divisions(many_streams &streams, const exchange &e) {
    const size_t count = e.n / CHUNKS, blocks = count / THREADS;
    streams.fork(CHUNKS);
    for (unsigned k = 0; k < CHUNKS; k++) {
        const size_t first = k * count, offset = k * blocks * THREADS;
        copy_in(e.from + first, e.x + first, count, streams.stream[k]);
        compute(blocks * THREADS, e.x + offset, e.y + offset,
                streams.stream[k]);
        copy_out(e.y + first, e.to + first, count, streams.stream[k]);
    }
    streams.join(CHUNKS);
}

/* Rung pipeline: a loop with two buffers, for data
 * larger than the device's memory
 *
 * There are three streams, one for each kind of work. In step k, chunk
 * k + 1 is copied in, chunk k is computed, and chunk k - 1 is copied out.
 * Two buffers on the device, used alternately, are enough.
 *
 * Events now define the order that one stream defined before. A kernel
 * waits until its chunk has been copied in, and until the previous result
 * in the same buffer has been copied out. A copy to the device waits until
 * the kernel has read the data that the copy overwrites.
 */
enum { IN, WORK, OUT, STAGES };

class pipeline {
  public:
    pipeline() {
        for (auto &stage : done)
            for (cudaEvent_t &e : stage)
                CUDA_CHECK(
                    cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    }
    ~pipeline() {
        for (auto &stage : done)
            for (const cudaEvent_t e : stage) (void)cudaEventDestroy(e);
    }
    /* Processes e.n elements in chunks of at most `most` elements. Buffer b
     * is at e.x + b * most and at e.y + b * most. */
    void run(many_streams &streams, const exchange &e, size_t most) {
        streams.fork(STAGES);
        for (size_t k = 0; k * most < e.n; k++) {
            const size_t first = k * most, count = min(most, e.n - first);
            const size_t b = k % BUFFERS;
            if (k >= BUFFERS) wait(streams, IN, WORK, b);
            copy_in(e.from + first, e.x + b * most, count,
                    streams.stream[IN]);
            finish(streams, IN, b);
            wait(streams, WORK, IN, b);
            if (k >= BUFFERS) wait(streams, WORK, OUT, b);
            compute(count, e.x + b * most, e.y + b * most,
                    streams.stream[WORK]);
            finish(streams, WORK, b);
            wait(streams, OUT, WORK, b);
            copy_out(e.y + b * most, e.to + first, count,
                     streams.stream[OUT]);
            finish(streams, OUT, b);
        }
        streams.join(STAGES);
    }

  private:
    cudaEvent_t done[STAGES][BUFFERS]; /* one per buffer */

    void finish(many_streams &streams, int stage, size_t b) {
        CUDA_CHECK(cudaEventRecord(done[stage][b], streams.stream[stage]));
    }
    void wait(many_streams &streams, int stage, int other, size_t b) {
        CUDA_CHECK(
            cudaStreamWaitEvent(streams.stream[stage], done[other][b], 0));
    }
};

/* Exercises
 *
 * 1. 2^27 doubles are copied in and out at 25 GB/s in each direction, both
 *    directions at once. How long does this take at least? How long does
 *    `copy-compute-copy` take if the kernels take 10 ms?
 * 2. Draw the time lines of `chunks` with 1, 2, 8 and 1000 chunks. Which
 *    number is best? What is the cost of each chunk?
 * 3. Remove the four waits of `pipeline`, one at a time. What can go wrong
 *    in each case? Does the executor detect it?
 */

/* Climbing the rungs. */
static std::vector<double> iterated(const std::vector<double> &x, size_t n,
                                    int iterations) {
    std::vector<double> y(n);
    ladder_in_parts(n, [&](size_t i, size_t end) {
        for (; i < end; i++) y[i] = after_iterations(x[i], iterations);
    });
    return y;
}

/* Returns "" if the host's array contains these values. */
static std::string arrived(const std::vector<double> &expected,
                           const double *to) {
    for (size_t i = 0; i < expected.size(); i++)
        if (memcmp(&to[i], &expected[i], sizeof(double)) != 0)
            return "element " + std::to_string(i) +
                   " has not come back, or not in time";
    return "";
}

void climb_streams(climb &c) {
    const size_t n = c.n, few = min(n, (size_t)SMALL_KERNELS * BLOCK);
    const size_t most = n / CHUNKS + 1;
    std::vector<double> values = ladder_values<double>(n, 1);
    for (double &v : values) v = fabs(v);
    many_streams streams;
    const ordinary_streams ordinary;
    pipeline stages;
    const pinned_array from(n), to(n);
    memcpy(from.at, values.data(), n * sizeof(double));
    /* The outputs of a rung are filled with arbitrary bytes before each
     * run. This array is on the host, where the runner does not fill it. So
     * each check fills it for the second run. */
    const auto rubbish = [&] { memset(to.at, 0xc7, n * sizeof(double)); };
    const double *const start = c.input(values);
    double *const x = c.output<double>(n + BUFFERS * CHUNKS);
    double *const y = c.output<double>(n + BUFFERS * CHUNKS);
    const exchange e = {n, from.at, to.at, x, y};

    const std::vector<double> often = iterated(values, few, MANY);
    const std::vector<double> seldom = iterated(values, n, FEW);
    const ladder_claim small_ones = [&] { return c.holds(y, often); };
    const ladder_claim came_back = [&] {
        const std::string wrong = arrived(seldom, to.at);
        rubbish();
        return wrong;
    };
    const double operations = 23; /* of an iteration */
    c.work(16.0 * (double)few, operations * MANY * (double)few);
    c.rung("one-after-another", small_ones,
           [=] { one_after_another(few, start, y); },
           {.least = SMALL_KERNELS});
    c.rung("side-by-side", small_ones,
           [&] { side_by_side(streams, few, start, y); },
           {.least = SMALL_KERNELS});
    if (n >= SMALL_KERNELS)
        c.lesson("fifteen-times",
                 [&] { return fifteen_times(c, streams, few, start, y); });
    const ladder_limits eight = {.least = HOST_THREADS};
    c.rung(
        "default-stream", small_ones,
        [&] { default_stream(ordinary, few, start, y); }, eight);
    c.rung(
        "host-threads", small_ones, [=] { host_threads(few, start, y); },
        eight);
    c.rung(
        "per-thread", small_ones, [=] { per_thread(few, start, y); },
        eight);
    if (n >= SMALL_KERNELS)
        c.lesson("fixed-point", [=] { return fixed_point(few, start, y); });
    c.work(16.0 * (double)n, operations * FEW * (double)n);
    std::vector<double> from_pages(values), to_pages(n);
    const exchange pageable = {n, from_pages.data(), to_pages.data(), x, y};
    const ladder_claim came_back_to_pages = [&] {
        const std::string wrong = arrived(seldom, to_pages.data());
        std::fill(to_pages.begin(), to_pages.end(), 0);
        return wrong;
    };
    c.rung("pageable", came_back_to_pages,
           [&] { copy_compute_copy(pageable); });
    rubbish();
    c.rung("copy-compute-copy", came_back, [&] { copy_compute_copy(e); });
    rubbish();
    c.rung("chunks", came_back, [&] { chunks(streams, e); });
    c.lesson("timeline", [&] { return timeline(c, streams, e); });
    rubbish();
    c.faulty("two-divisions", came_back,
             [&] { two_divisions(streams, e); });
    rubbish();
    c.rung("pipeline", came_back, [&] { stages.run(streams, e, most); });
}
