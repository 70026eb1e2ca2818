#include "cpu_sort_peer.h"

#include <algorithm>
#include <cstdint>
#include <execution>
#include <tbb/task_arena.h>

template <class T> static double sort(const void *x, const void *y, size_t n, int threads) {
    const T *from = static_cast<const T *>(x);
    T *to = static_cast<T *>(const_cast<void *>(y));
    std::copy(from, from + n, to);
    if (threads == 1)
        std::sort(std::execution::unseq, to, to + n);
    else
        tbb::task_arena(threads).execute([&] { std::sort(std::execution::par_unseq, to, to + n); });
    return static_cast<double>(to[n - 1]);
}

double std_sort_u32(const void *x, const void *y, size_t n, int threads) { return sort<uint32_t>(x, y, n, threads); }
double std_sort_f64(const void *x, const void *y, size_t n, int threads) { return sort<double>(x, y, n, threads); }
