#include "cpu_scan_peer.h"

#include <algorithm>
#include <cstdint>
#include <execution>
#include <functional>
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

double std_merge_f32(const void *x, const void *y, size_t n, int threads) {
    const float *from = static_cast<const float *>(x), *middle = from + n / 2;
    float *to = static_cast<float *>(const_cast<void *>(y));
    tbb::task_arena(threads).execute(
        [&] { std::merge(std::execution::par_unseq, from, middle, middle, from + n, to); });
    return static_cast<double>(to[n - 1]);
}

double std_top_100_f32(const void *x, const void *y, size_t n, int threads) {
    enum { K = 100 };
    const float *from = static_cast<const float *>(x);
    float *to = static_cast<float *>(const_cast<void *>(y));
    tbb::task_arena(threads).execute([&] {
        std::copy(std::execution::par_unseq, from, from + n, to);
        std::nth_element(std::execution::par_unseq, to, to + K, to + n, std::greater<float>());
        std::sort(to, to + K, std::greater<float>());
    });
    return static_cast<double>(to[0]);
}

void std_sorted_halves_f32(void *x, size_t n) {
    float *from = static_cast<float *>(x);
    uint32_t state = 1;
    for (size_t i = 0; i < n; i++) {
        state = state * 1664525 + 1013904223;
        from[i] = static_cast<float>(state >> 8);
    }
    std::sort(from, from + n / 2);
    std::sort(from + n / 2, from + n);
}
