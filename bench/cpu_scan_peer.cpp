#include "cpu_scan_peer.h"

#include <cstdint>
#include <execution>
#include <numeric>
#include <tbb/task_arena.h>

template <class T> static double scan(const void *x, const void *y, size_t n, int threads) {
    const T *from = static_cast<const T *>(x);
    T *to = static_cast<T *>(const_cast<void *>(y));
    if (threads == 1)
        std::inclusive_scan(std::execution::unseq, from, from + n, to);
    else
        tbb::task_arena(threads).execute([&] { std::inclusive_scan(std::execution::par_unseq, from, from + n, to); });
    return static_cast<double>(to[n - 1]);
}

double std_scan_f32(const void *x, const void *y, size_t n, int threads) { return scan<float>(x, y, n, threads); }
double std_scan_f64(const void *x, const void *y, size_t n, int threads) { return scan<double>(x, y, n, threads); }
double std_scan_i32(const void *x, const void *y, size_t n, int threads) { return scan<int32_t>(x, y, n, threads); }
