/* Interface for topics of the ladder. The file ladder/<stem>.cu of a topic
 * contains kernels, and one function that runs them:
 *
 *     void climb_<stem>(climb &c)
 *
 * It allocates its arrays with c.input and c.output, and calls c.rung for
 * each rung. ladder/README.md explains this.
 */
#ifndef WEFT_LADDER_CLIMB_H
#define WEFT_LADDER_CLIMB_H

#include "ladder.h"

#include <cuda_runtime.h>
#include <functional>
#include <stdarg.h>
#include <stdexcept>
#include <stdio.h>
#include <string.h>
#include <string>
#include <vector>

/* Ends the topic with a sentence if a CUDA call fails. */
#define CUDA_CHECK(call) ladder_check((call), #call, __FILE__, __LINE__)
void ladder_check(cudaError_t fault, const char *call, const char *file,
                  int line);

/* Returns ceil(n / d), the number of blocks of d
 * threads that n threads need. */
template <class T> constexpr T blocks_for(T n, T d) {
    return (n + d - 1) / d;
}

/* Calls a function of CUB: first without a workspace, which
 * sets the number of bytes that it needs. Each caller keeps
 * its workspace for later calls. */
template <class CALL> void ladder_with_workspace(const CALL &call) {
    static void *workspace;
    static size_t capacity;
    size_t bytes = 0;
    CUDA_CHECK(call(nullptr, bytes));
    if (bytes > capacity) {
        CUDA_CHECK(cudaFree(workspace));
        CUDA_CHECK(cudaMalloc((char **)&workspace, capacity = bytes));
    }
    CUDA_CHECK(call(workspace, bytes));
}

/* A check returns "" if the result is right, and otherwise a sentence on
 * the error. */
typedef std::function<std::string()> ladder_claim;
typedef std::function<void()> ladder_launch;

/* A vendor's library, loaded at run time: the program starts without it. A
 * rung whose library is missing does not run, and reports this. */
struct ladder_absent : std::runtime_error {
    using std::runtime_error::runtime_error;
};
class ladder_library {
  public:
    /* The name is "libcublas.so", or that with the number
     * of this toolkit's release */
    explicit ladder_library(const char *name);
    template <class CALL> CALL call(const char *function) const {
        return (CALL)find(function);
    }

  private:
    const std::string name;
    void *handle;
    void *find(const char *function) const;
};

/* Conditions and sizes for which a rung can run. */
struct ladder_limits {
    size_t least = 0, most = SIZE_MAX; /* n */
    /* A GPU would hang, lose its context, or give the right result by
     * luck */
    bool executor_only = false;
    bool gpu_only = false;
};

/* Returns the values of an input array: small whole numbers for integers,
 * and for floats values whose sums must be rounded. They are the same on
 * every machine. */
template <class T> std::vector<T> ladder_values(size_t n, unsigned seed);
/* Returns whole numbers 0 ... 3, mostly 0 if there are many values, so that
 * their sum is exact in f32 in any order. */
template <class T>
std::vector<T> ladder_whole_values(size_t n, unsigned seed);

/* Calls work(first, end) for parts of 0 ... count, on all cores at once;
 * used by the loops that compute expected values. On the executor there is
 * one part, because it checks accesses of one host thread. */
void ladder_in_parts(
    size_t count,
    const std::function<void(size_t first, size_t end)> &work);

/* Returns the numbers that glibc's rand gives a program that sets no seed:
 * the data of the classic texts. */
std::vector<int> ladder_gnu_rand(size_t n);

class climb {
  public:
    const size_t n;
    const weft_dtype dtype;
    const unsigned seed; /* for the inputs of an exercise */

    climb(const ladder_call &call, const ladder_machine_info &machine,
          std::function<void(const ladder_row &)> tell);
    ~climb();

    /* Return an array in device memory, which the destructor frees. No rung
     * may change the values of an input. The `count` elements of an output
     * are filled with arbitrary bytes before each run. */
    template <class T> const T *input(const std::vector<T> &values) {
        return (const T *)keep(values.data(), values.size() * sizeof(T));
    }
    template <class T> T *output(size_t count) {
        return (T *)keep(nullptr, count * sizeof(T));
    }

    /* Sets the minimal cost of the topic's result, in bytes read and
     * written and in operations on floats. */
    void work(double bytes, double flops);

    /* Runs a rung twice: the claim must hold after each run. For a faulty
     * rung it must fail after one of them. */
    void rung(const char *name, const ladder_claim &claim,
              const ladder_launch &launch, ladder_limits limits = {});
    void faulty(const char *name, const ladder_claim &claim,
                const ladder_launch &launch, ladder_limits limits = {});
    /* Runs the last rung, weft's operation, on the same machine. `ref`
     * returns a context for claims. On the executor it is that of the
     * specification. On a GPU, where sizes are large, it is that of the CPU
     * kernels, which give the same bits and use all cores. */
    void weft(const char *name, const ladder_claim &claim,
              const std::function<weft_status(weft_context *)> &call);
    weft_context *ref();
    /* Ends the topic if a call of the specification failed. */
    void specified(weft_status status);
    /* Returns the seconds of one run of these launches, the median of
     * several; 0 on the executor. */
    double seconds_of(const ladder_launch &launch);
    /* Runs a lesson, whose result is a sentence that the rung prints. The
     * sentence begins with "not " if the lesson failed. */
    void lesson(const char *name, const std::function<std::string()> &tell);

    /* Returns "" if an array on the device contains these values, bit for
     * bit; otherwise a sentence on the error. */
    template <class T>
    std::string holds(const T *at, const std::vector<T> &expected) {
        const size_t i = first_difference(at, expected.data(),
                                          expected.size(), sizeof(T));
        return i == expected.size()
                   ? ""
                   : differs(i, (double)((const T *)landed.data())[i],
                             (double)expected[i]);
    }
    /* Copies from the device, for claims. */
    void fetch(void *to, const void *from, size_t bytes);

  private:
    struct array {
        /* Addresses on the device; `copy` is a second copy of an input */
        void *at, *copy;
        size_t bytes;
    };
    const ladder_call &call;
    const ladder_machine_info &machine;
    const std::function<void(const ladder_row &)> tell;
    std::vector<array> arrays;
    /* Hash of the results that were compared since the last launch */
    uint64_t hash = 0;
    /* Buffer of first_difference. It is kept, because fresh memory costs
     * more than a copy */
    std::vector<char> landed;
    double bytes = 0, flops = 0;
    weft_context *device_context = nullptr, *ref_context = nullptr;

    void *keep(const void *values, size_t size);
    void refill();
    std::string inputs_are_kept();
    void add_to_hash(size_t bytes);
    size_t first_difference(const void *at, const void *expected,
                            size_t count, size_t size);
    bool climb_smaller(const char *name, const ladder_limits &limits);
    std::string why_not(const ladder_limits &limits) const;
    bool is_wanted(const char *name) const;
    void step(const char *name, const ladder_claim &claim,
              const ladder_launch &launch, const ladder_limits &limits,
              bool faulty);
    std::string run(const ladder_launch &launch, const ladder_claim &claim,
                    bool faulty, ladder_row *row);
    std::string run_once(const ladder_launch &launch,
                         const ladder_claim &claim, ladder_row *row);
    static std::string differs(size_t i, double got, double expected);
};

#endif
