#include "cpu_openmp_peer.h"

#include <stdint.h>
#include <string.h>

double openmp_sum_f32(const void *at, const void *none, size_t n, int threads) {
    const float *x = at;
    float total = 0;
    (void)none;
#pragma omp parallel for simd reduction(+ : total) num_threads(threads) if (parallel : threads > 1) schedule(static)
    for (size_t i = 0; i < n; i++) total += x[i];
    return total;
}

double openmp_sum_f64(const void *at, const void *none, size_t n, int threads) {
    const double *x = at;
    double total = 0;
    (void)none;
#pragma omp parallel for simd reduction(+ : total) num_threads(threads) if (parallel : threads > 1) schedule(static)
    for (size_t i = 0; i < n; i++) total += x[i];
    return total;
}

double openmp_sum_i32(const void *at, const void *none, size_t n, int threads) {
    const int32_t *x = at;
    int64_t total = 0;
    (void)none;
#pragma omp parallel for simd reduction(+ : total) num_threads(threads) if (parallel : threads > 1) schedule(static)
    for (size_t i = 0; i < n; i++) total += x[i];
    return (double)total;
}

double openmp_sum_u8(const void *at, const void *none, size_t n, int threads) {
    const uint8_t *x = at;
    uint64_t total = 0;
    (void)none;
#pragma omp parallel for simd reduction(+ : total) num_threads(threads) if (parallel : threads > 1) schedule(static)
    for (size_t i = 0; i < n; i++) total += x[i];
    return (double)total;
}

double openmp_min_f32(const void *at, const void *none, size_t n, int threads) {
    const float *x = at;
    float least = x[0];
    (void)none;
#pragma omp parallel for simd reduction(min : least) num_threads(threads) if (parallel : threads > 1) schedule(static)
    for (size_t i = 0; i < n; i++) least = x[i] < least ? x[i] : least;
    return least;
}

double openmp_max_f32(const void *at, const void *none, size_t n, int threads) {
    const float *x = at;
    float greatest = x[0];
    (void)none;
#pragma omp parallel for simd reduction(max                                           \
                                        : greatest) num_threads(threads) if (parallel \
                                                                             : threads > 1) schedule(static)
    for (size_t i = 0; i < n; i++) greatest = x[i] > greatest ? x[i] : greatest;
    return greatest;
}

double openmp_max_i32(const void *at, const void *none, size_t n, int threads) {
    const int32_t *x = at;
    int32_t greatest = x[0];
    (void)none;
#pragma omp parallel for simd reduction(max                                           \
                                        : greatest) num_threads(threads) if (parallel \
                                                                             : threads > 1) schedule(static)
    for (size_t i = 0; i < n; i++) greatest = x[i] > greatest ? x[i] : greatest;
    return greatest;
}

double openmp_mean_f32(const void *at, const void *none, size_t n, int threads) {
    const float *x = at;
    double total = 0;
    (void)none;
#pragma omp parallel for simd reduction(+ : total) num_threads(threads) if (parallel : threads > 1) schedule(static)
    for (size_t i = 0; i < n; i++) total += x[i];
    return total / (double)n;
}

double openmp_variance_f64(const void *at, const void *none, size_t n, int threads) {
    const double *x = at;
    const double mean = openmp_sum_f64(at, none, n, threads) / (double)n;
    double squares = 0;
#pragma omp parallel for simd reduction(+ : squares) num_threads(threads) if (parallel : threads > 1) schedule(static)
    for (size_t i = 0; i < n; i++) squares += (x[i] - mean) * (x[i] - mean);
    return squares / (double)(n - 1);
}

double openmp_squares_f64(const void *at, const void *none, size_t n, int threads) {
    const double *x = at;
    double total = 0;
    (void)none;
#pragma omp parallel for simd reduction(+ : total) num_threads(threads) if (parallel : threads > 1) schedule(static)
    for (size_t i = 0; i < n; i++) total += x[i] * x[i];
    return total;
}

double openmp_read(const void *at, const void *other, size_t n, int threads) {
    const uint64_t *x = at, *y = other ? other : at;
    uint64_t seen = 0;
    const size_t words = n / sizeof *x;
    if (other) {
#pragma omp parallel for simd reduction(^ : seen) num_threads(threads) if (parallel : threads > 1) schedule(static)
        for (size_t i = 0; i < words; i++) seen ^= x[i] ^ y[i];
    } else {
#pragma omp parallel for simd reduction(^ : seen) num_threads(threads) if (parallel : threads > 1) schedule(static)
        for (size_t i = 0; i < words; i++) seen ^= x[i];
    }
    return (double)seen;
}

/* Computes a histogram per thread and adds them up. */
double openmp_histogram_f32(const void *x, const void *y, size_t n, int threads) {
    enum { BINS = 256 };
    size_t counts[BINS] = {0};
    const float *from = x;
    (void)y, (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : counts[:BINS])
    for (size_t i = 0; i < n; i++) {
        if (!(from[i] >= -1 && from[i] <= 1)) continue;
        const int bin = (int)((from[i] + 1) * (BINS / 2));
        counts[bin < BINS ? bin : BINS - 1]++;
    }
    return (double)counts[0];
}

/* Counts a word at positions [first, end), one thread's part. Also reads the bytes after `end` that a match at the
 * last position needs. */
static size_t count_word(const char *word, const char *x, size_t n, size_t first, size_t end) {
    const size_t length = strlen(word), stop = end - 1 + length < n ? end - 1 + length : n;
    size_t found = 0;
    for (const char *p = x + first; (p = memmem(p, (size_t)(x + stop - p), word, length)) != NULL; p++) found++;
    return found;
}

double memmem_match_u8(const void *x, const void *y, size_t n, int threads) {
    static const char *const words[] = PEER_WORDS;
    const size_t part = n / (size_t)threads + 1;
    size_t found = 0;
    (void)y;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : found)
    for (int t = 0; t < threads; t++) {
        const size_t first = (size_t)t * part < n ? (size_t)t * part : n, end = n - first < part ? n : first + part;
        for (int w = 0; w < 4 && first < end; w++) found += count_word(words[w], x, n, first, end);
    }
    return (double)found;
}

/* Returns element i of the input, in [-500, 500]. */
static int element(size_t i) { return (int)((uint32_t)i * UINT32_C(2654435761) >> 8) % 1001 - 500; }

void openmp_fill_f32(float *x, size_t n, int threads) {
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t i = 0; i < n; i++) x[i] = (float)element(i) / 500.0f;
}

void openmp_fill_f64(double *x, size_t n, int threads) {
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t i = 0; i < n; i++) x[i] = element(i) / 500.0;
}

void openmp_fill_i32(int *x, size_t n, int threads) {
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t i = 0; i < n; i++) x[i] = element(i);
}

void openmp_copy(const void *x, void *y, size_t bytes, int threads) {
    const size_t part = bytes / (size_t)threads;
#pragma omp parallel for num_threads(threads) if (parallel : threads > 1) schedule(static)
    for (int i = 0; i < threads; i++) {
        const size_t first = (size_t)i * part;
        memcpy((char *)y + first, (const char *)x + first, i + 1 < threads ? part : bytes - first);
    }
}

double branching_select_f32(const void *x, const void *y, size_t n, int threads) {
    const float *from = x;
    float *to = (float *)y;
    size_t kept = 0;
    (void)threads;
    for (size_t i = 0; i < n; i++)
        if (from[i] > 0) to[kept++] = from[i];
    return (double)kept;
}

double branchless_select_f32(const void *x, const void *y, size_t n, int threads) {
    const float *from = x;
    float *to = (float *)y;
    size_t kept = 0;
    (void)threads;
    for (size_t i = 0; i < n; i++) {
        to[kept] = from[i];
        kept += from[i] > 0;
    }
    return (double)kept;
}

double loop_recurrence_f32(const void *x, const void *y, size_t n, int threads) {
    const float *s = x, *u = s + n;
    float *v = (float *)y, value = 0;
    (void)threads;
    for (size_t i = 0; i < n; i++) v[i] = value = s[i] * value + u[i];
    return value;
}

static double one_recurrence(const double *s, const double *u, size_t n, double *v) {
    double value = 0;
    for (size_t i = 0; i < n; i++) v[i] = value = s[i] * value + u[i];
    return value;
}

double loop_recurrence_f64(const void *x, const void *y, size_t n, int threads) {
    (void)threads;
    return one_recurrence(x, (const double *)x + n, n, (double *)y);
}

double openmp_recurrences_f64(const void *x, const void *y, size_t n, int threads) {
    const double *s = x, *u = s + n;
    double *v = (double *)y;
    (void)threads;
#pragma omp parallel for num_threads(threads) if (parallel : threads > 1) schedule(static)
    for (size_t row = 0; row < n / PEER_ROW; row++)
        one_recurrence(s + row * PEER_ROW, u + row * PEER_ROW, PEER_ROW, v + row * PEER_ROW);
    return v[0];
}
